"""The entry point: whatever happens inside becomes a plain message on standard error and a documented exit code."""

import os
import re
import shutil
import signal
import sys
import textwrap
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TextIO

import click

from podium.base.errors import PodiumError, PodiumWarning
from podium.base.words import as_options, printable
from podium.cli.app import app

#: Columns of the narrowest terminal for which lines are broken.
_LEAST = 20

#: Sentences that were said.
_said: set[str] = set()


def take_over_warnings() -> None:
    """Say podium's own warnings in one line from now on, and all others as Python does."""
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
    stream, text = stream or sys.stderr, as_options(text)
    try:
        stream.write(_wrapped(text, max(_LEAST, _columns(stream))) if stream.isatty() else text)
        stream.flush()
    except OSError:
        discard(stream)


def _columns(stream: TextIO) -> int:
    """Return how wide a terminal is, also if standard output is another or none."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return shutil.get_terminal_size().columns


def _wrapped(text: str, width: int) -> str:
    """Break lines between words, and never within what is to be typed."""
    typed = re.compile(r"\(--[^)]*\)|--[\w-]+ (?:'[^']*'|\S+)")
    lines = (typed.sub(lambda found: found[0].replace(" ", "\xa0"), line) for line in text.split("\n"))
    kept = (textwrap.fill(line, width, break_long_words=False, break_on_hyphens=False) for line in lines)
    return "\n".join(kept).replace("\xa0", " ")


def discard(stream: TextIO) -> None:
    """Point the stream at the null device, so that Python does not fail again at exit."""
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


#: Where lines of an error end: a list of examples has some, and what follows it; those in names are written as \n.
_EXAMPLES = re.compile(r"\n(?=  task |  and |keep one )")


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.stderr is None:  # closed: messages are lost, and the exit code must not depend on it
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open to the end
    take_over_warnings()
    for stream in (sys.stdout, sys.stderr):  # UTF-8 in files and pipes; on a terminal no failure for a letter it lacks
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            options = {"errors": "replace"} if stream.isatty() else {"encoding": "utf-8"}
            reconfigure(**options)
    sys.exit(_outcome())


def _outcome() -> int:  # noqa: PLR0911  # one for each way to end
    """Return the exit code of the command; its message goes to standard error."""
    try:
        code = app.main(prog_name="podium", standalone_mode=False)
    except SystemExit:  # so Click ends if a reader of help has seen enough (`| head`)
        return 0
    except click.UsageError as error:
        command = "podium" if error.ctx is None else error.ctx.command_path
        message = printable(error.format_message()).rstrip(".")
        return _fail(message if message.endswith("?") else f"{message}; see '{command} --help'")
    except PodiumError as error:
        return _fail(str(error))
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", 130)
    except MemoryError:
        return _fail(
            "there is not enough memory for these scores; choose fewer with --systems or --tasks, "
            "or work on a larger machine"
        )
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return _fail(f"{where}{error.strerror or error}")
    except Exception as error:  # noqa: BLE001  # users see no traceback
        if os.environ.get("PODIUM_DEBUG"):
            traceback.print_exception(error)
        detail = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
        return _fail(f"this is a bug in podium: {detail}; please report it; PODIUM_DEBUG=1 shows the traceback", 70)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int = 2) -> int:
    lines = map(printable, _EXAMPLES.split(message))
    say("error: " + "\n".join(lines) + "\n")
    return code


def _confined() -> None:
    """Run the command line with limits of memory and of the size of a file, which are its first arguments, in bytes."""
    memory, file = (int(sys.argv.pop(1)) for _ in range(2))
    with suppress(ImportError):
        import resource  # noqa: PLC0415  # not on Windows

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(file, 0),) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Thread(target=_end_with_input, daemon=True).start()
    main()


def _end_with_input() -> None:
    """Wait until no process can write to standard input, and end this group of processes."""
    while os.read(0, 2**16):
        pass
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    _confined()
