"""What is a number in an answer, and what are words: so that words can change and numbers be seen to stay.

JSON keeps everything but sentences; CSV, JSON Lines and Parquet keep all cells; tables of other formats, and pictures,
keep the numbers as they are written. Notes, titles, help and standard error are words. The exit code is kept.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from golden.output.transcripts import pieces

__all__ = ["as_rounded_in", "differences", "figures"]

#: Keys of JSON whose texts, or lists of texts, are sentences.
PROSE = frozenset({"axis", "conclusion", "notes", "on_suite", "summary", "verdict", "verdicts", "warnings"})

#: Keys of JSON that hold what text shows first.
SAID = frozenset({"title", "sentence", "sentences"})

_NUMBER = re.compile(r"(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)%?")


#: A number with a fraction, and how long one is whose last digits nobody reads.
_FRACTION = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]\d+)?(?![\w.])")
_LONG = 12

#: Digits that every processor gives: each rounds the last ones in another way, those of 32-bit embeddings sooner.
_DIGITS = 7


def as_rounded_in(other: str, transcript: str) -> str:
    """Write long numbers of a transcript as another one has them, where the two are the same but for rounding."""
    before = {answer.partition("\n")[0]: answer for answer in _answers(other)}
    return "".join(_rounded(before.get(answer.partition("\n")[0], ""), answer) for answer in _answers(transcript))


def _answers(transcript: str) -> list[str]:
    """Commands with their answers."""
    return re.split(r"^(?=\$ podium )", transcript, flags=re.MULTILINE)


def _rounded(other: str, answer: str) -> str:
    numbers = iter(_FRACTION.findall(other))

    def taken(found: re.Match[str]) -> str:
        mine, theirs = found[0], next(numbers, found[0])
        same = math.isclose(float(mine), float(theirs), rel_tol=10**-_DIGITS, abs_tol=1e-12)
        return theirs if same and max(len(mine), len(theirs)) > _LONG else mine

    return _FRACTION.sub(taken, answer)


def figures(transcript: str) -> dict[str, list[Any]]:
    """Numbers of every answer of a transcript, by command."""
    found: dict[str, list[Any]] = {}
    for command, mark, text in pieces(transcript):
        kept = found.setdefault(command, [])
        if mark.startswith("exit"):
            kept.append(mark)
        elif mark != "stderr":
            kept.append([mark, _kept(text, csv=_is_csv(command, mark))])
    return found


def _is_csv(command: str, mark: str) -> bool:
    return mark.endswith(".csv") or (not mark and bool(re.search(r"-f csv\b", command)))


def _kept(text: str, *, csv: bool) -> Any:
    if csv:
        return text.strip("\n").splitlines()
    if text.startswith("{"):
        try:
            return _told(json.loads(text))
        except json.JSONDecodeError:  # one value a line
            return [_told(json.loads(line)) for line in text.splitlines() if line]
    return [_NUMBER.findall(row) for row in _rows(text)]


def _told(value: Any) -> Any:
    """Leave out sentences."""
    if isinstance(value, list):
        return [_told(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: item for key, item in value.items() if key not in SAID}
    return {key: None if key in PROSE and _are_texts(item) else _told(item) for key, item in kept.items()}


def _are_texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))


def _rows(text: str) -> list[str]:
    """Rows of tables, and words of pictures."""
    if text.startswith("Usage:"):
        return []
    words = re.findall(r"^  word: .*$", text, flags=re.MULTILINE)
    if "<html" in text:
        return re.findall(r"<t[dh]\b[^>]*>(.*?)</t[dh]>", text, flags=re.DOTALL) + words
    if words:
        return words
    lines = [line for line in text.splitlines() if not line.startswith(("note:", "% ", "- ", "•"))]
    return [line for line in lines if line.startswith("|") or " & " in line or re.search(r"\S {2,}\S", line)]


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Compare transcripts by name: a line for each command that is missing, new, or has other numbers."""
    lines = []
    for name in sorted(old.keys() | new.keys()):
        before, after = figures(old.get(name, "")), figures(new.get(name, ""))
        for command in before | after:
            if command not in after or command not in before:
                lines.append(f"{name}: {'new' if command in after else 'missing'}: podium {command}")
            elif before[command] != after[command]:
                where = _first(before[command], after[command])
                lines.append(f"{name}: other numbers: podium {command}\n    {where}")
    return lines


def _first(old: Any, new: Any, path: str = "") -> str:
    """Say where two values first differ."""
    if isinstance(old, dict) and isinstance(new, dict) and list(old) == list(new):
        return next(_first(old[key], new[key], f"{path}.{key}") for key in old if old[key] != new[key])
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        place = next(place for place, (one, other) in enumerate(zip(old, new, strict=True)) if one != other)
        return _first(old[place], new[place], f"{path}[{place}]")
    return f"{path.lstrip('.')}: {_short(old)} -> {_short(new)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
