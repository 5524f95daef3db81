"""Write docs/cli.md from the command line itself; with --check, only say whether it is in step."""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from podium.cli.app import app, under_headings

PAGE = Path(__file__).with_name("cli.md")

HEAD = """# The command line

This page is written by `docs/generate_cli.py` (`make docs`) from what `--help` says; do not edit it.
"""


def reference() -> str:
    """The whole page."""
    blocks = [HEAD, *_section("podium", app)]
    for name in app.list_commands(click.Context(app)):
        command = app.get_command(click.Context(app), name)
        blocks += _section(f"podium {name}", command)
        for below, inner in getattr(command, "commands", {}).items():
            blocks += _section(f"podium {name} {below}", inner)
    return "\n".join([*blocks, str(app.epilog), ""])


def _section(name: str, command: Any) -> Iterator[str]:
    yield f"## `{name}`\n"
    text, _, rest = inspect.cleandoc(command.help).partition("\b\n")
    examples, _, more = rest.partition("\n\n")
    yield _joined(text).replace("\\", r"\\")
    yield f"\n```sh\n{examples.rstrip()}\n```\n"
    if more:
        yield _joined(more).replace("\\", r"\\") + "\n"
    options = [("Options", command.params)] if isinstance(command, click.Group) else under_headings(command.params)
    for heading, parameters in options:
        if parameters:
            yield f"| {heading} | |\n| :--- | :--- |"
            yield from map(_row, parameters)
            yield ""


def _row(parameter: Any) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (*parameter.opts, *parameter.secondary_opts) if flag.startswith("-"))
    value = f"`{parameter.metavar}`".replace("|", "\\|") if parameter.metavar else ""
    default = f" Default: `{parameter.default}`." if _tells(parameter.default) else ""
    meaning = f"{getattr(parameter, 'meaning', '') or parameter.help}{default}".replace("*", r"\*")
    return f"| {' '.join(filter(None, (flags, value)))} | {meaning} |"


def _tells(default: object) -> bool:
    """Tell defaults worth printing from "not given"."""
    return isinstance(default, str | float | int) and not isinstance(default, bool)


def _joined(text: str) -> str:
    """One line per paragraph."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def main() -> int:
    """Write or check the page."""
    page = reference()
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    sys.stderr.write("docs/cli.md is out of step with --help; run: make docs\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
