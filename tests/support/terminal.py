"""The command line on a pseudo-terminal of some width: in this process, or as the installed script."""

import os
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from podium.cli.entry import main
from support.entry import SCRIPT

#: What colours a text or moves the cursor.
STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

#: What would say more of a terminal than it says itself.
_TOLD = ("NO_COLOR", "COLUMNS", "LINES")


@contextmanager
def _terminal(width: int, written: list[bytes]) -> Iterator[int]:
    """A pseudo-terminal; what is written on it is in the list when it is closed."""
    pty = pytest.importorskip("pty", reason="pseudo-terminals are for POSIX systems")
    termios = pytest.importorskip("termios")
    controller, terminal = pty.openpty()
    termios.tcsetwinsize(terminal, (50, width))

    def read() -> None:
        # Linux ends a pseudo-terminal with an error, other systems with nothing
        with suppress(OSError):
            while chunk := os.read(controller, 65536):
                written.append(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield terminal
    finally:
        os.close(terminal)
        reader.join()
        os.close(controller)


def _text(written: list[bytes]) -> str:
    return b"".join(written).decode().replace("\r\n", "\n")


def script_on_terminal(folder: Path, width: int, *arguments: str) -> str:
    """Everything the installed script writes where all its streams are a terminal."""
    environment = {name: value for name, value in os.environ.items() if name not in _TOLD} | {"TERM": "xterm-256color"}
    written: list[bytes] = []
    with _terminal(width, written) as terminal:
        subprocess.run(
            [SCRIPT, *arguments],
            cwd=folder,
            env=environment,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            check=False,
            timeout=120,
        )
    return _text(written)


def on_terminal(width: int, write: Callable[[], object], **environment: str) -> str:
    """What is written on standard output where that is a terminal; in this process, which takes no time to start."""
    written: list[bytes] = []
    with (
        _terminal(width, written) as terminal,
        _standing_for(terminal, (0, 1)),
        pytest.MonkeyPatch.context() as patch,
        os.fdopen(os.dup(terminal), "w", encoding="utf-8") as stdout,
    ):
        for name in _TOLD:
            patch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", **environment}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdout", stdout)
        write()
    return _text(written)


def podium_on_terminal(folder: Path, width: int, *arguments: str, **environment: str) -> str:
    """What `podium` writes in a folder on standard output where that is a terminal; in this process."""

    def run() -> None:
        with (
            pytest.MonkeyPatch.context() as patch,
            warnings.catch_warnings(),
            Path(os.devnull).open("w", encoding="utf-8") as stderr,
        ):
            patch.chdir(folder)
            patch.setattr(sys, "argv", ["podium", *arguments])
            patch.setattr(sys, "stderr", stderr)
            with pytest.raises(SystemExit) as left:
                main()
        assert left.value.code == 0, arguments

    return on_terminal(width, run, **environment)


@contextmanager
def _standing_for(terminal: int, descriptors: tuple[int, ...]) -> Iterator[None]:
    """Let the standard descriptors, of which the width is asked, be the terminal."""
    saved = [os.dup(one) for one in descriptors]
    for one in descriptors:
        os.dup2(terminal, one)
    try:
        yield
    finally:
        for one, kept in zip(descriptors, saved, strict=True):
            os.dup2(kept, one)
            os.close(kept)
