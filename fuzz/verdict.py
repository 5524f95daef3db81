"""What must hold of every case: how it ends, what it says, what it writes, what it costs."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cases import Case

#: What may move a cursor or colour a screen; a line break is allowed, and a tab in data.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

#: What podium itself writes on a terminal: colours, and a bar that is drawn again.
_OWN_STYLE = re.compile(r"\x1b\[(\?25[lh]|[0-9;]*m|[0-9]*[AK])|\r")

#: Colours that only labels have.
_FOREIGN_STYLE = re.compile(r"\x1b\[31mred")

#: How every line on standard error begins: a kind, or a line below one.
_LINE = re.compile(r"(note|warning|error): |  |keep |Usage: |… ")

#: What a sentence about something that is left out says.
_SAID = re.compile(
    r"left out|not read|counts? once|statistic|mean of|twice|header|first row|first line|ignored|skipped|not a task|"
    r"no name"
)

SECONDS, MEGABYTES = 20, 1024

#: Bytes of standard error that a person reads.
_LONGEST = 20_000


@dataclass(frozen=True)
class Outcome:
    """What came of a case.

    Attributes
    ----------
    code
        Exit code; negative for the signal that ended it.
    stdout, stderr
        Everything that was written; None where nothing could be.
    seconds, megabytes
        Time on a core, and the most memory.
    read
        Scores and systems of the table that was read, and what podium noted about them; None where none was.
    """

    code: int
    stdout: bytes | None
    stderr: bytes | None
    seconds: float = 0.0
    megabytes: float = 0.0
    read: tuple[int, int, Sequence[str]] | None = None


def wrong(case: Case, outcome: Outcome, folder: Path) -> list[str]:
    """Say everything that should not be so."""
    return [*_ending(case, outcome), *_words(case, outcome), *_losses(case, outcome), *_files(folder)]


def _ending(case: Case, outcome: Outcome) -> Iterator[str]:
    if outcome.code not in {0, 2}:
        yield f"exit code {outcome.code}"
    if outcome.seconds > SECONDS:
        yield f"{outcome.seconds:.1f} s"
    if outcome.megabytes > MEGABYTES:
        yield f"{outcome.megabytes:.0f} MB"
    if outcome.code == 2 and outcome.stderr is not None and b"error: " not in outcome.stderr:
        yield "exit code 2 without a word"
    if outcome.code == 2 and outcome.stdout and case.stdout == "file":
        yield "an error, and something on standard output"


def _words(case: Case, outcome: Outcome) -> Iterator[str]:
    for name, content, where in (("output", outcome.stdout, case.stdout), ("error", outcome.stderr, case.stderr)):
        if content is None or content.startswith(b"PAR1"):
            continue
        try:
            text = content.decode(
                "utf-8" if where != "terminal" or case.encoding == "utf-8" else case.encoding, "strict"
            )
        except UnicodeDecodeError:
            yield f"standard {name} is not UTF-8"
            continue
        if "Traceback (most recent" in text or "this is a bug" in text:
            yield f"a bug: {text.strip().splitlines()[-1][:300]}"
        if where == "terminal":
            text = _OWN_STYLE.sub("", _FOREIGN_STYLE.sub("\x07", text))
        if (name == "error" or where == "terminal" or not _holds_data(case)) and (found := _CONTROL.search(text)):
            yield f"standard {name} has the control character {found[0]!r} raw"
        if name == "error" and where != "terminal":
            yield from _lines(text)


def _lines(text: str) -> Iterator[str]:
    if len(text) > _LONGEST:
        yield f"standard error has {len(text)} letters"
    for line in text.splitlines():
        if line and not _LINE.match(line):
            yield f"a line of standard error is {line[:200]!r}"
            return


def _holds_data(case: Case) -> bool:
    """Whether standard output holds labels as they are, for programs."""
    return any(name in case.arguments for name in ("csv", "jsonl", "json", "parquet"))


def _losses(case: Case, outcome: Outcome) -> Iterator[str]:
    """Say what was lost in silence: fewer scores or systems were read than are there, and no note speaks of it."""
    if case.scores is None or outcome.read is None or outcome.code != 0 or outcome.stderr is None:
        return
    scores, systems, notes = outcome.read
    if (scores, systems) != case.scores and not _SAID.search(" ".join(notes)):
        yield f"{case.scores} scores and systems were there, {(scores, systems)} were read, and nothing is said"


def _files(folder: Path) -> Iterator[str]:
    """Look at every file that was written: nothing half done, and nothing that its format forbids."""
    for path in folder.rglob("*"):
        name = path.name
        if name.startswith(".") and name.endswith(".partial"):
            yield f"{name} was left behind"
        elif name in {"taken.csv", "taken.svg"}:
            if path.is_file() and path.read_bytes() != b"mine\n":
                yield from (f"{name}: {why}" for why in _malformed(path))
        elif path.is_file() and name.startswith(("out.", "ranking.", "report.")):
            yield from (f"{name}: {why}" for why in _malformed(path))


def _malformed(path: Path) -> Iterator[str]:
    content = path.read_bytes()
    if content.startswith(b"PAR1"):
        return
    try:
        text = content.decode()
    except UnicodeDecodeError:
        yield "not UTF-8"
        return
    if re.fullmatch(r"[a-z_0-9:]+(,[a-z_0-9:]+)+", text.partition("\n")[0]):
        rows = list(csv.reader(io.StringIO(text, newline="")))
        if len({len(row) for row in rows}) > 1:
            yield "rows of different lengths"
    if path.suffix == ".json" and text.startswith("{\n"):
        try:
            json.loads(text, parse_constant=_no_number)
        except ValueError as error:
            yield f"no JSON: {error}"
    if path.suffix in {".html", ".svg"} and "<script" in text:
        yield "a script"


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
