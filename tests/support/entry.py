"""The command line as a user meets it: in this process, which takes no time to start, or as the installed script."""

import io
import json
import os
import shlex
import subprocess
import sys
import warnings
from math import isnan
from pathlib import Path
from typing import Any

import pytest

import podium
from podium.cli.entry import main
from podium.score.task import Task
from support.shown import parquet_text

SCRIPT = Path(sys.executable).with_name("podium")

#: Three systems on three tasks, one of them better lower, one score missing.
WIDE = "system,rte,sst2,ter\nA,0.9,0.8,0.3\nB,0.7,0.9,\nC,0.5,0.6,0.1\n"


def run(folder: Path, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run `podium` in a folder, with everything piped, in this process; a single text is a whole line.

    What comes back is what `run_script` gives, which a test compares; only that a warning of another library is an
    error here, as in all tests, and that Parquet comes back as text.
    """
    typed = ["podium", *_words(arguments)]
    # of a machine that speaks no UTF-8: it is for podium to see to that
    streams = {name: io.TextIOWrapper(io.BytesIO(), encoding="ascii") for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        patch.setattr("podium.base.progress._SELDOM", 1e6)  # a busy machine must not add lines
        patch.setattr(sys, "argv", typed)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as left:
            main()
    assert isinstance(left.value.code, int)
    out, err = (_written(stream) for stream in streams.values())
    return subprocess.CompletedProcess(typed, left.value.code, out, err)


def _words(arguments: tuple[str | Path, ...]) -> list[str]:
    if len(arguments) == 1 and isinstance(arguments[0], str) and arguments[0]:
        return shlex.split(arguments[0])
    return [str(one) for one in arguments]


def answer(folder: Path, *arguments: str | Path) -> str:
    """Run `podium` in this process, which must end well, and return what it prints."""
    done = run(folder, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed(command: str, folder: Path) -> Any:
    """Return what a command, as a page shows it, prints as JSON."""
    return json.loads(answer(folder, *shlex.split(command)[1:], "-f", "json"))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    content = stream.buffer.getvalue()
    return parquet_text(content) if content.startswith(b"PAR1") else content.decode("utf-8")


def run_script(folder: Path, *arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run the installed script in a folder, with everything piped, in a process of its own."""
    done = subprocess.run(
        [SCRIPT, *_words(arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},
        timeout=120,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )


def wide(folder: Path) -> Path:
    """Write the wide table into a folder."""
    path = folder / "scores.csv"
    path.write_text(WIDE, encoding="utf-8")
    return path


def as_lines(scores: podium.Scores, path: Path) -> Path:
    """Write the scores of a table as lines of JSON, without those that are missing; return the file."""
    rows = [
        {"task": task.name, "system": system, "instance": label, "score": score}
        for task in scores.tasks
        for system, row in zip(scores.systems, task.values.tolist(), strict=True)
        for label, score in zip(_labels(task), row, strict=True)
        if not isnan(score)
    ]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
    return path


def _labels(task: Task) -> list[Any]:
    return [*range(task.n_instances)] if task.instances is None else task.instances.tolist()
