"""What is said on standard error: notes and warnings, each once, in one line."""

import os
import re
import shutil
import sys
import textwrap
import warnings
from collections.abc import Sequence
from typing import TextIO

from podium.base.errors import PodiumWarning
from podium.base.words import printable

_said: set[str] = set()


def take_over_warnings() -> None:
    """From now on say podium's own warnings in one line, and all others as Python does."""
    _said.clear()
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", PodiumWarning)


def mention(notes: Sequence[str]) -> None:
    """Say on standard error what a format leaves out, unless a warning has said it."""
    for note in notes:
        _say("note", note)


def _say(kind: str, sentence: str, stream: TextIO | None = None) -> None:
    if sentence not in _said:
        _said.add(sentence)
        say(f"{kind}: {printable(sentence)}\n", stream)


def say(text: str, stream: TextIO | None = None) -> None:
    """Write on standard error; if that is full, or its reader is gone, nothing is said, and the command goes on."""
    stream = stream or sys.stderr
    try:
        stream.write(_wrapped(text, shutil.get_terminal_size().columns) if stream.isatty() else text)
        stream.flush()
    except OSError:
        discard(stream)


def _wrapped(text: str, width: int) -> str:
    """Break lines between words, and never within what is to be typed, in brackets."""
    lines = (re.sub(r"\(--[^)]*\)", lambda typed: typed[0].replace(" ", "\xa0"), line) for line in text.split("\n"))
    kept = (textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in lines)
    return "\n".join(kept).replace("\xa0", " ")


def discard(stream: TextIO) -> None:
    """Let what is still to be written go nowhere, or Python would try again, and complain, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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
        say(warnings.formatwarning(message, category, filename, lineno, line), file)
