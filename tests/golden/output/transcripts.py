"""Commands and what they answer, as text: a transcript is a file of `$ podium …` lines, each with its answer below.

An answer is standard output, then `[stderr]`, `[exit CODE]` where it is not 0, and `[file NAME]` for every file that
was written. What is not readable is told readably: of a Parquet file its columns and rows, of an SVG file its words
and the digest of the rest, of other pictures how they begin, of a page its commands, code and sentences.
"""

import hashlib
import io
import json
import os
import re
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir
from functools import partial
from html import unescape
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pyarrow.parquet as pq

from podium.cli.entry import main
from podium.datasets import write_examples
from support.bundle import contents

__all__ = ["FROZEN", "TABLES", "Answer", "Runner", "commands", "pieces", "play", "retold", "told", "undrawn"]

#: Transcripts, and the tables that the commands read.
FROZEN = Path(__file__).parent / "frozen"
TABLES = Path(__file__).parent / "tables"

_PROMPT = "$ podium "
_MARKS = re.compile(r"^(\$ podium .*|\[(?:stderr|exit -?\d+|file [^\]]+)\])$", re.MULTILINE)
_UNENDED = "[no newline at the end]\n"

#: Lists of sentences of a page, and what has none.
_LISTS, _NO_SENTENCES = (
    frozenset(("notes", "verdict", "verdicts")),
    frozenset(("tasks", "varying", "stresses", "words")),
)


#: Takes arguments and standard input, and gives standard output, standard error and exit code.
Runner = Callable[[list[str], bytes], tuple[bytes, bytes, int]]


class Answer(NamedTuple):
    """What came out of a command."""

    stdout: bytes
    stderr: bytes
    code: int
    files: dict[str, bytes]


def commands(transcript: str) -> list[str]:
    """Commands of a transcript, as typed after `$ podium`."""
    return [line.removeprefix(_PROMPT) for line in transcript.splitlines() if line.startswith(_PROMPT)]


def retold(transcript: str, folder: Path, name: str = "") -> str:
    """Give the commands of a transcript again, each in a new folder of tables, and write down what they answer now."""
    if name == "tools":
        write_examples(folder)
        return "\n".join(told(command, play(command, folder)) for command in commands(transcript))
    parts = []
    for number, command in enumerate(commands(transcript)):
        place = folder / str(number)
        shutil.copytree(TABLES, place)
        parts.append(told(command, play(command, place)))
        shutil.rmtree(place)
    return "\n".join(parts)


def play(command: str, folder: Path, run: Runner | None = None, *, columns: int = 100) -> Answer:
    """Give a command in a folder, in this process if no other way is named; `< FILE` at its end is standard input."""
    before = {path.name for path in folder.iterdir()}
    words, _, given = command.partition(" < ")
    stdin = (folder / given).read_bytes() if given else b""
    with chdir(folder):
        stdout, stderr, code = (run or partial(_inside, columns=columns))(shlex.split(words), stdin)
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    files = {name.as_posix(): path.read_bytes() for name, path in found.items() if name.parts[0] not in before}
    return Answer(stdout, stderr, code, files)


def _inside(arguments: list[str], given: bytes, *, columns: int) -> tuple[bytes, bytes, int]:
    """Run the command line in this process, as `podium` in a new one would."""
    stdin, stdout, stderr = io.BytesIO(given), io.BytesIO(), io.BytesIO()
    with (
        mock.patch.object(sys, "argv", ["podium", *arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(stdin, "utf-8")),
        mock.patch.object(sys, "stdout", io.TextIOWrapper(stdout, "utf-8", write_through=True)),
        mock.patch.object(sys, "stderr", io.TextIOWrapper(stderr, "utf-8", write_through=True)),
        mock.patch.dict(os.environ, {"COLUMNS": str(columns), "MPLBACKEND": "Agg"}),
        mock.patch("podium.base.progress._SELDOM", 1e6),  # a busy machine must not add lines
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error")  # a warning that is not podium's own would name a line of code
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        return stdout.getvalue(), stderr.getvalue(), code


def told(command: str, answer: Answer) -> str:
    """Write down a command and its answer."""
    parts = [_readable("", answer.stdout)]
    if answer.stderr:
        parts += ["[stderr]\n", _readable("", answer.stderr)]
    if answer.code:
        parts += [f"[exit {answer.code}]\n"]
    for name, content in answer.files.items():
        parts += [f"[file {name}]\n", _readable(name, content)]
    return f"{_PROMPT}{command}\n" + "".join(parts)


def _readable(name: str, content: bytes) -> str:
    if content.startswith(b"PAR1"):
        return _parquet(content)
    if content.startswith((b"\x89PNG", b"%PDF")):
        return f"begins with {content[:4]!r}\n"
    text = content.decode("utf-8")
    if 'id="podium-data"' in text:
        return json.dumps(_sentences(contents(text)), ensure_ascii=False, indent=1) + "\n"
    if name.endswith(".svg"):
        text = _svg(text)
    text = re.sub(r'<svg\b(?![^>]*"currentColor").*?</svg>', lambda found: _svg(found[0]), text, flags=re.DOTALL)
    if _MARKS.search(text):
        raise ValueError(f"an answer has a line that looks like a mark: {_MARKS.search(text)}")
    return text if not text or text.endswith("\n") else f"{text}\n{_UNENDED}"


def _parquet(content: bytes) -> str:
    """Columns with their types, what the file says of itself, and the rows."""
    table = pq.read_table(io.BytesIO(content))
    head = {
        "columns": {field.name: str(field.type) for field in table.schema},
        "metadata": {key.decode(): json.loads(value) for key, value in (table.schema.metadata or {}).items()},
    }
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [head, *table.to_pylist()])


def _sentences(value: Any) -> Any:
    """Commands, code and sentences of a page, without names and numbers."""
    if isinstance(value, list):
        return [_sentences(item) for item in value if isinstance(item, dict)]
    if not isinstance(value, dict):
        return value if isinstance(value, str) else None
    told = {key: item for key, item in value.items() if key not in _NO_SENTENCES}
    kept = {key: item if key in _LISTS else _sentences(item) for key, item in told.items()}
    return {key: item for key, item in kept.items() if item}


def _svg(text: str) -> str:
    """Words of a picture, and a digest of what does not tell the version."""
    drawn = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    words = [unescape(word).replace("\u00a0", " ").strip() for word in re.findall(r"<text\b[^>]*>([^<]*)<", drawn)]
    digest = hashlib.sha256(drawn.encode()).hexdigest()
    return "".join(f"  word: {word}\n" for word in words) + f"  drawn by Matplotlib {version('matplotlib')}: {digest}\n"


def undrawn(transcript: str) -> str:
    """Leave out pictures' digests where they were drawn by another Matplotlib, which draws a little differently."""
    mine = re.escape(version("matplotlib"))
    return re.sub(rf"  drawn by Matplotlib (?!{mine}:).*\n", "", transcript)


def pieces(transcript: str) -> Iterator[tuple[str, str, str]]:
    """Command, mark and text of every piece of a transcript; the mark of standard output is empty."""
    command = mark = ""
    parts = _MARKS.split(transcript)
    for found, text in zip(parts[1::2], parts[2::2], strict=True):
        if found.startswith(_PROMPT):
            command, mark = found.removeprefix(_PROMPT), ""
        else:
            mark = found[1:-1]
        yield command, mark, text.removeprefix("\n")
