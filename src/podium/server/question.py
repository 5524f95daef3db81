"""What may be asked: commands and those of their options that open no file of the client's choice."""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal

from podium.base.errors import InputError, unknown

Value = bool | int | float | str | list[str]

#: What the file of an answer is called, before its ending.
ANSWER = "answer"

#: How JSON Schema calls what an option takes.
Kind = Literal["boolean", "integer", "number", "string", "array"]

#: What an option of one value takes, in Python and in words; a text may look like a number.
_TAKES: dict[Kind, Any] = {"integer": int, "number": int | float, "string": str | int | float}
_ONE: dict[Kind, str] = {"integer": "one whole number", "number": "one number", "string": "one value"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command.

    Attributes
    ----------
    name
        As one writes it, without the dashes.
    kind
        What it takes. A list is of texts.
    meaning
        What it does, in words.
    negated
        For a switch that can be turned off: the option that does so; otherwise empty.
    words
        Values among which to choose; empty where any will do.
    upload
        Whether it takes a table: the number of an upload, or one of the `words`.
    heading
        Under which the help of the command has it.
    default
        What it is where it is not given; None where the command decides.
    required
        Whether it must be given.
    """

    name: str
    kind: Kind
    meaning: str
    negated: str = ""
    words: tuple[str, ...] = ()
    upload: bool = False
    heading: str = ""
    default: Value | None = None
    required: bool = False

    def arguments(self, value: Value, files: Mapping[str, str]) -> list[str]:
        """Return what is typed for a value; a value can never become an option of its own.

        Raises
        ------
        InputError
            The value is of another kind, or names no upload.
        """
        if self.kind == "boolean":
            if not isinstance(value, bool):
                raise self._wrong(value, "true or false")
            return [f"--{self.name}"] if value else [f"--{self.negated}"] if self.negated else []
        if self.upload:
            return [f"--{self.name}={self._file(value, files)}"]
        if self.kind == "array":
            if isinstance(value, bool):
                raise self._wrong(value, "a text, or a list of texts")
            texts = [str(text) for text in (value if isinstance(value, list) else [value])]
            if any(text.startswith("-") for text in texts):  # Click reads it as an option
                raise self._wrong(value, "values that do not begin with a dash; a pattern may begin with ?")
            return [f"--{self.name}={text}" for text in texts]
        if isinstance(value, bool | list) or not isinstance(value, _TAKES[self.kind]):
            raise self._wrong(value, _ONE[self.kind])
        if isinstance(value, float) and not math.isfinite(value):  # nor could a list of jobs say it as JSON
            raise self._wrong(value, "a finite number")
        if self.words and value not in self.words:
            raise InputError(unknown(f"{self.name}", str(value), self.words))
        return [f"--{self.name}={value}"]

    def schema(self) -> dict[str, Any]:
        """Return it as JSON Schema has it; an upload is a format, and what may stand in its place are examples."""
        head: dict[str, Any] = {"type": self.kind, "description": self.meaning, "heading": self.heading}
        if self.default is not None:
            head["default"] = self.default
        if self.upload:
            head |= {"format": "upload", "examples": list(self.words)}
        if self.kind == "array":
            head["items"] = {"type": "string"}
        if self.words and not self.upload:
            head["enum"] = list(self.words)
        return head

    def _file(self, value: Value, files: Mapping[str, str]) -> str:
        if isinstance(value, str) and (value in self.words or value in files):
            return files.get(value, value)
        others = f", or {' or '.join(self.words)}" if self.words else ""
        raise self._wrong(value, f"the number of an upload that is among the uploads{others}")

    def _wrong(self, value: Value, wanted: str) -> InputError:
        return InputError(f"option {self.name!r} is {json.dumps(value)[:200]}; give {wanted}")


@dataclass(frozen=True, slots=True)
class Verb:
    """A command that may be asked.

    Attributes
    ----------
    name
        Of the command.
    meaning
        Its first sentence.
    options
        What it takes.
    takes_scores
        Whether the uploads are its sources; otherwise options name them.
    answer
        How its answer ends: ".json", or ".html" for a page.
    """

    name: str
    meaning: str
    options: tuple[Option, ...]
    takes_scores: bool = True
    answer: str = ".json"

    def schema(self) -> dict[str, Any]:
        """Return what it takes, as JSON Schema has it."""
        properties = {option.name: option.schema() for option in self.options}
        required = [option.name for option in self.options if option.required]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class Question:
    """A verb, what it is asked about, and how.

    Attributes
    ----------
    verb
        The command.
    uploads
        Numbers of the uploads that are its sources, in order.
    options
        What was given for its options.
    """

    verb: Verb
    uploads: tuple[str, ...]
    options: Mapping[str, Value]

    @classmethod
    def of(cls, verb: Verb, uploads: Sequence[str], options: Mapping[str, Value]) -> "Question":
        """Check what is asked.

        Raises
        ------
        InputError
            There is no such option, a value does not fit, or no upload is named.

        Examples
        --------
        >>> rank = Verb("rank", "Rank systems.", (Option("method", "string", "Which.", words=("borda", "mean")),))
        >>> " ".join(Question.of(rank, ["1f"], {"method": "mean"}).arguments({"1f": "scores.csv"}))
        'rank --method=mean --output=answer.json --quiet scores.csv'
        """
        known = {option.name for option in verb.options}
        for name, value in options.items():
            if name not in known:
                raise InputError(unknown("option", name, known))
            if not _is_typeable(value):
                raise InputError(f"option {name!r} has a sign that cannot be typed; leave it out")
        if not uploads:
            raise InputError("name at least one upload")
        asked = cls(verb, tuple(uploads), dict(sorted(options.items())))
        asked.arguments({upload: upload for upload in uploads})
        return asked

    def arguments(self, files: Mapping[str, str], folder: str = "") -> list[str]:
        """Return what is typed after `podium`, given the file of each upload, and the folder of the answer."""
        by_name = {option.name: option for option in self.verb.options}
        given = [(by_name[name], value) for name, value in self.options.items()]
        typed = [word for option, value in given for word in option.arguments(value, files)]
        # a table that an option names is no source
        named = {value for option, value in given if option.upload}
        sources = [files[upload] for upload in self.uploads if upload not in named] if self.verb.takes_scores else []
        ends = [f"--output={PurePath(folder, ANSWER)}{self.verb.answer}", "--quiet"]
        return [*self.verb.name.split(" "), *typed, *ends, *sources]

    def digest(self, version: str, names: Mapping[str, str]) -> str:
        """Name what is asked: the same question of the same uploads under the same names has the same number."""
        whole = json.dumps([version, self.verb.name, self.uploads, dict(names), dict(self.options)], sort_keys=True)
        return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _is_typeable(value: Value) -> bool:
    """Return whether a process can be started with it: no text with NUL, or with half of a letter."""
    typed = " ".join(value) if isinstance(value, list) else str(value)
    try:
        typed.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in typed
