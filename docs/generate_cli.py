"""Write docs/cli.md from the command line itself; with --check, only say whether it is in step."""

import inspect
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from podium.cli.app import HEADINGS, app, under_headings
from podium.cli.glossary import WORDS

PAGE = Path(__file__).with_name("cli.md")

HEAD = """# The command line

`podium COMMAND --help` shows the usual options in a terminal, and `--help-all` all of them. Options that several
commands share stand once, at the end; each command names those it takes. This page is written by
`docs/generate_cli.py` (`make docs`); do not edit it.
"""

SHARED = "## Shared options\n"

#: An option of so many commands is told once.
_FEW = 3


def reference() -> str:
    """Return the whole page."""
    commands = dict(_commands())
    shared = _shared(commands.values())
    blocks = [HEAD]
    for name, command in commands.items():
        blocks += _section(name, command, shared)
    blocks.append(SHARED)
    for heading, rows in shared.items():
        blocks += [f"### {heading}\n", *rows, ""]
    words = [f"- **{word}**: {meaning}" for word, meaning in WORDS.items()]
    return "\n".join([*blocks, "## Words\n", *words, "", str(app.epilog), ""])


def _commands() -> Iterator[tuple[str, click.Command]]:
    yield "podium", app
    for name in app.list_commands(click.Context(app)):
        if command := app.get_command(click.Context(app), name):
            yield f"podium {name}", command
            for below, inner in getattr(command, "commands", {}).items():
                yield f"podium {name} {below}", inner


def _headed(command: click.Command) -> dict[str, list[str]]:
    """Return the options of a command as lines, by heading."""
    if isinstance(command, click.Group):
        return {"Options": [_line(parameter) for parameter in command.params]}
    return {heading: [_line(one) for one in below] for heading, below in under_headings(command.params)}


def _shared(commands: Iterable[click.Command]) -> dict[str, list[str]]:
    """Return the lines of options that several commands have, by heading."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for command in commands:
        for heading, lines in _headed(command).items():
            counts[heading].update(lines)
    often = {heading: [line for line, n in lines.items() if n >= _FEW] for heading, lines in counts.items()}
    return {heading: often[heading] for heading in HEADINGS if often.get(heading)}


def _section(name: str, command: click.Command, shared: Mapping[str, list[str]]) -> Iterator[str]:
    yield f"## `{name}`\n"
    text, _, rest = inspect.cleandoc(command.help or "").partition("\b\n")
    examples, _, more = rest.partition("\n\n")
    yield _joined(text).replace("\\", r"\\")
    yield f"\n```sh\n{examples.rstrip()}\n```\n"
    if more:
        yield _joined(more).replace("\\", r"\\") + "\n"
    taken = []
    for heading, lines in _headed(command).items():
        once = shared.get(heading, [])
        if own := [line for line in lines if line not in once]:
            yield f"{heading}:\n"
            yield from own
            yield ""
        if found := [line for line in once if line in lines]:
            taken.append(_taken(heading, found, once))
    if taken:
        yield f"Shared options: {'; '.join(taken)}.\n"


def _taken(heading: str, found: Sequence[str], once: Sequence[str]) -> str:
    """Name a group of shared options, or those of it that a command takes or does not."""
    slug = re.sub(r"[^a-z]+", "-", heading.lower())
    link = f"[{heading.partition(' of ')[0]}](#{slug})"
    missing = [line for line in once if line not in found]
    if not missing:
        return link
    if len(missing) < len(found):
        return f"{link} without {', '.join(map(_flag, missing))}"
    return f"{', '.join(map(_flag, found))} of {link}"


def _flag(line: str) -> str:
    return "`" + line.split("`")[1] + "`"


def _line(parameter: Any) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (*parameter.opts, *parameter.secondary_opts) if flag.startswith("-"))
    value = f"`{parameter.metavar}`" if parameter.metavar else ""
    default = f" Default: `{parameter.default}`." if _tells(parameter.default) else ""
    meaning = f"{getattr(parameter, 'meaning', '') or parameter.help}{default}".replace("*", r"\*")
    return f"- {' '.join(filter(None, (flags, value)))}: {meaning}"


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
