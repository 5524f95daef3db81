"""The examples on the pages for users: every command and every piece of Python in them, run on simulated files.

    python tests/support/pages.py     write what commands print into README.md and docs/ anew (`make docs` does it too)

A block that begins with `$ podium …` shows one command and all that it prints, or with `| head -N` its first lines.
In other blocks, and in tables, `podium …` is run and must end well. Python is run too, `>>>` or not, one block after
another. The files are those of `docs/example.py`; a page finds what its own earlier commands have written.
"""

import doctest
import re
import runpy
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the tests, as pytest has them

from golden.output.transcripts import Answer, play

ROOT = Path(__file__).parents[2]

#: Pages with examples: the first one, one for each reader and each question, and what they share.
_READERS = ("start-ci", "start-harness", "start-leaderboard", "start-paper")
_QUESTIONS = ("agree", "compare", "difficulty", "plan", "rank", "read", "show", "stress")
PAGES = (ROOT / "README.md", *(ROOT / "docs" / f"{name}.md" for name in (*_READERS, *_QUESTIONS, "gallery", "report")))

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CELL = re.compile(r"^\|.*?`(podium [^`]+)`", re.MULTILINE)
_HEAD = re.compile(r" \| head -(\d+)$")


def write_files(folder: Path) -> None:
    """Write the simulated files into a folder."""
    runpy.run_path(str(ROOT / "docs" / "example.py"))["main"](folder)


def retold(page: str, folder: Path) -> str:
    """Return a page with what its commands print now; a command that fails, or Python that does, is an error."""
    names: dict[str, object] = {}

    def again(found: re.Match[str]) -> str:
        language, text = found.groups()
        if language == "python":
            _run_python(text, names, folder)
        elif text.startswith("$ podium "):
            command = text.partition("\n")[0]
            text = f"{command}\n{_printed(command.removeprefix('$ '), folder)}"
        else:
            for line in text.splitlines():
                if line.startswith("podium "):
                    _printed(re.sub(r"\s+#.*", "", line), folder)
        return f"```{language}\n{text}```"

    page = _BLOCK.sub(again, page)
    for command in _CELL.findall(page):
        _printed(command, folder)
    return page


def _printed(command: str, folder: Path) -> str:
    head = _HEAD.search(command)
    answer: Answer = play(_HEAD.sub("", command).removeprefix("podium "), folder)
    if answer.code:
        raise AssertionError(f"{command}: {answer.stderr.decode()}")
    lines = answer.stdout.decode("utf-8").splitlines(keepends=True)
    return "".join(lines[: int(head[1])] if head else lines)


def _run_python(text: str, names: dict[str, object], folder: Path) -> None:
    with chdir(folder):
        if ">>>" not in text:
            exec(compile(text, "a page", "exec"), names)  # noqa: S102  # what the page tells the reader to run
            return
        example = doctest.DocTestParser().get_doctest(text, names, "a page", None, None)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE, verbose=False)
        told: list[str] = []
        runner.run(example, out=told.append, clear_globs=False)
        names.update(example.globs)
        if runner.failures:
            raise AssertionError("".join(told))


def main() -> None:
    """Write all pages anew."""
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            write_files(Path(folder))
            path.write_text(retold(path.read_text("utf-8"), Path(folder)), "utf-8", newline="\n")


if __name__ == "__main__":
    main()
