"""The entry point: whatever happens inside becomes a plain message and a documented exit code."""

import os
import re
import sys
import traceback
from pathlib import Path

import click

from podium.base.errors import PodiumError
from podium.base.words import printable
from podium.cli.app import app
from podium.cli.message import say, take_over_warnings

#: Where lines of an error end: a list of examples has some, and what follows it; those in names are written as \n.
_EXAMPLES = re.compile(r"\n(?=  task |  and |keep one )")


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.stderr is None:  # closed: what would be said is lost, and the exit code must not depend on it
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # open to the end
    take_over_warnings()
    _speak_utf8()
    sys.exit(_outcome())


def _outcome() -> int:  # noqa: PLR0911  # one for each way to end
    """Exit code of the command, with the message that belongs to it on standard error."""
    try:
        code = app.main(prog_name="podium", standalone_mode=False)
    except SystemExit:  # so Click ends where a reader of help has seen enough (`| head`)
        return 0
    except click.UsageError as error:
        return _fail(_usage_text(error))
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
        return _bug(error)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int = 2) -> int:
    lines = map(printable, _EXAMPLES.split(message))
    say("error: " + "\n".join(lines) + "\n")
    return code


def _usage_text(error: click.UsageError) -> str:
    """Return the sentence of the error, and the command whose help explains it."""
    command = "podium" if error.ctx is None else error.ctx.command_path
    return f"{printable(error.format_message()).rstrip('.')}; see '{command} --help'"


def _bug(error: Exception) -> int:
    if os.environ.get("PODIUM_DEBUG"):
        traceback.print_exception(error)
    detail = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
    return _fail(f"this is a bug in podium: {detail}; please report it; PODIUM_DEBUG=1 shows the traceback", 70)


def _speak_utf8() -> None:
    """Write UTF-8 into files and pipes, and on a terminal never fail for a letter it lacks."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is None:
            continue
        if stream.isatty():
            reconfigure(errors="replace")
        else:
            reconfigure(encoding="utf-8")
