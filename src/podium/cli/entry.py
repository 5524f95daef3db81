"""The entry point: whatever happens inside becomes a plain message and a documented exit code.

`python -m podium.cli.entry BYTES COMMAND …` is the command line with a limit of memory. It ends, with all that it
started, when its standard input does: so it outlives nobody who waits for it.
"""

import os
import re
import signal
import sys
import traceback
from pathlib import Path
from threading import Thread

import click

from podium.base.errors import PodiumError
from podium.base.words import printable
from podium.cli.app import app
from podium.cli.messages import say, take_over_warnings

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
        return _fail(f"{printable(error.format_message()).rstrip('.')}; see '{command} --help'")
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
    except Exception as error:  # noqa: BLE001  # nobody should have to read a traceback
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
    """Run the command line with a limit of memory, which is its first argument."""
    limit = int(sys.argv.pop(1))
    try:
        import resource  # noqa: PLC0415  # not on Windows
    except ImportError:
        pass
    else:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    Thread(target=_end_with_input, daemon=True).start()
    main()


def _end_with_input() -> None:
    """Wait until nobody can write to standard input, and end this group of processes."""
    while os.read(0, 2**16):
        pass
    if hasattr(os, "killpg") and os.getpgid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    _confined()
