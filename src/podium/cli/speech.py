"""What is said on standard error beside the result: warnings and notes, each sentence once."""

import sys
import warnings
from collections.abc import Sequence
from typing import TextIO

from podium.errors import PodiumWarning

__all__ = ["mention", "start"]

_said: set[str] = set()


def start() -> None:
    """Say podium's own warnings in one line, and all others as Python does."""
    _said.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PodiumWarning)


def mention(notes: Sequence[str]) -> None:
    """Say what a format has no place for and no warning has said, lest it be lost."""
    for note in notes:
        _say("note", note)


def _say(kind: str, sentence: str, stream: TextIO | None = None) -> None:
    if sentence not in _said:
        _said.add(sentence)
        (stream or sys.stderr).write(f"{kind}: {sentence}\n")


def _show_warning(  # noqa: PLR0917  # the form that Python calls
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    if issubclass(category, PodiumWarning):
        _say("warning", str(message), file)
    else:
        (file or sys.stderr).write(warnings.formatwarning(message, category, filename, lineno, line))
