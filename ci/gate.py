"""Run `podium gate` for action.yml: write the summary and the outputs; a later step ends with the exit code.

Inputs are environment variables, so none of them is ever part of the text of a shell.
"""

import os
import re
import secrets
import shlex
import subprocess
import sys
from collections.abc import Mapping
from html import unescape
from pathlib import Path

#: First line of what podium writes, see `podium.report.formats.github`.
MARKER = "<!-- podium -->"

#: Lines of an error that are shown.
_LINES = 20


def command(given: Mapping[str, str], file: Path) -> list[str]:
    """Return the command of these inputs; what comes last counts, so options move neither the margin nor the file."""
    before, after = given["BEFORE"], given.get("AFTER", "")
    margins = [f"--margin={line.strip()}" for line in given["MARGIN"].splitlines() if line.strip()]
    unsure = [f"--unsure={given['UNSURE']}"] if given.get("UNSURE") else []
    options = shlex.split(given.get("OPTIONS", ""))
    sources = [f"before={before}", f"after={after}"] if after else [before]
    written = ["--format=github", f"--output={file}"]
    return [sys.executable, "-m", "podium", "gate", *options, *margins, *unsure, *written, "--", *sources]


def named(document: str, name: str) -> str:
    r"""Put the name of the gate into the first line, by which the next run finds its comment, and into the title.

    >>> print(named("<!-- podium -->\n## PASS: new against old", "safety"))
    <!-- podium: safety -->
    ## safety: PASS: new against old
    """
    plain = " ".join(re.findall(r"[\w. ]+", name)).strip()[:50]
    return (
        document.replace(MARKER, f"<!-- podium: {plain} -->", 1).replace("## ", f"## {plain}: ", 1)
        if plain
        else document
    )


def failed(error: str) -> str:
    """Return what stands in place of a result: the error as code, in which nothing has a meaning.

    >>> print(failed("error: @a"))
    <!-- podium -->
    ## ERROR: there is no verdict
    <BLANKLINE>
        error: @a
    <BLANKLINE>
    """
    lines = [f"    {line[:500]}" for line in error.splitlines()[:_LINES]]
    return "\n".join([MARKER, "## ERROR: there is no verdict", "", *lines, ""])


def main() -> None:
    """Run it."""
    file = Path(os.environ["RUNNER_TEMP"]) / "podium-gate.md"
    file.unlink(missing_ok=True)
    try:
        done = subprocess.run(command(os.environ, file), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        code, error = done.returncode, done.stderr.decode("utf-8", "replace")
    except ValueError as wrong:  # a quotation mark that stands alone
        code, error = 2, f"error: options of the action: {wrong}"
    if not file.exists():
        file.write_text(failed(error), "utf-8")
    document = file.read_text("utf-8")
    said = re.search(r"^## (PASS|FAIL|CANNOT TELL): ", document, re.MULTILINE)
    document = named(document, os.environ.get("NAME", ""))
    file.write_text(document, "utf-8")
    if not said and code == 0:  # such as --help, which has no verdict
        code = 2
    outputs = {"verdict": said[1].lower() if said else "error", "exit-code": code, "file": file}
    _append("GITHUB_STEP_SUMMARY", document)
    _append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))
    # names in the text could be commands to the runner, which takes none until it reads the token again
    token = secrets.token_hex()
    told = [f"::stop-commands::{token}", unescape(document), error, f"::{token}::", ""]
    sys.stdout.buffer.write("\n".join(told).encode())


def _append(variable: str, text: str) -> None:
    with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
