"""The entry point: whatever happens inside becomes a plain message and a documented exit code."""

import os
import sys
import traceback
from importlib import import_module

import typer
from typer.models import CommandInfo

from podium.base.errors import PodiumError
from podium.cli import output
from podium.cli.app import app
from podium.cli.option.option import UsageError

#: Modules of commands, as help lists them; `info` also has the command "datasets".
_MODULES = ("rank", "pairwise", "agree", "plan", "info", "compare", "pool", "customize", "stress", "difficulty")

#: Exit code after control-C; newer versions of Typer turn the interruption into this code themselves.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and leave with its exit code."""
    output.start()
    _speak_utf8()
    sys.exit(_outcome())


def load(asked: str = "") -> None:
    """Load the module of the command that is asked for, or all modules where none is, as for help and completion."""
    for module in (asked,) if asked in _MODULES and "_PODIUM_COMPLETE" not in os.environ else _MODULES:
        import_module(f"podium.cli.command.{module}")
    app.registered_commands.sort(key=_place)  # whatever was loaded first


def _place(command: CommandInfo) -> int:
    return _MODULES.index(getattr(command.callback, "__module__", "").rpartition(".")[2])


def _outcome() -> int:  # noqa: PLR0911  # one for each way to end
    """Exit code of the command, with the message that belongs to it on standard error."""
    try:
        load(*sys.argv[1:2])
        code = app(prog_name="podium", standalone_mode=False)
    except UsageError as error:
        return _fail(_usage_text(error))
    except PodiumError as error:
        return _fail(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", _INTERRUPTED)
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
    if code == _INTERRUPTED:
        return _fail("interrupted", code)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int = 2) -> int:
    print(f"error: {message}", file=sys.stderr)  # noqa: T201  # this is where messages come out
    return code


def _usage_text(error: Exception) -> str:
    """Typer's own sentence, and the command whose help explains it."""
    context = getattr(error, "ctx", None)
    command = "podium" if context is None else context.command_path
    sentence = getattr(error, "format_message", error.__str__)().rstrip(".")
    return f"{sentence}; see '{command} --help'"


def _bug(error: Exception) -> int:
    if os.environ.get("PODIUM_DEBUG"):
        traceback.print_exception(error)
    detail = f"{type(error).__name__}: {error}".rstrip(": ").replace("\n", " ")
    return _fail(f"this is a bug in podium: {detail}; please report it; PODIUM_DEBUG=1 shows the traceback", 1)


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
