"""The examples on the pages for users: every command and every piece of Python in them, run on simulated files.

    python tests/support/pages.py     write what commands print into README.md and docs/ anew, and draw their pictures;
                                      or into the pages that are named, as docs/rank.md

A block that begins with `$ podium …` shows one command and all that it prints, or with `| head -N` its first lines.
It must end well; a gate may also say FAIL or CANNOT TELL.
In blocks of `sh` and in tables `podium …` is run and must end well; so it is in sentences, if it names a file that is
there. Python is run too, `>>>` or not, one block after another. A block of `csv` is how a file begins; of `text`, a
drawing. Other code is not run, and a comment above it says why. The files are those of `podium example`; a page finds
what its own earlier commands have written.
"""

import doctest
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # the tests, and not this folder with its html.py

from golden.output.transcripts import Answer, play
from podium.datasets import write_examples

ROOT = Path(__file__).parents[2]

#: Pages with examples: the first one, one for each reader and each question, what they share, and one for each tool.
_READERS = ("start-battles", "start-ci", "start-frames", "start-harness", "start-trec")
_QUESTIONS = (
    *("agree", "compare", "difficulty", "history", "plan", "rank", "read", "show", "stress", "tasks", "judges"),
    *("prompts", "page", "serve", "board"),
)
_PAST_ONE_MACHINE = ("scale",)
PAGES = (
    *(ROOT / name for name in ("README.md", "SKILL.md")),
    *(ROOT / "docs" / f"{name}.md" for name in (*_READERS, *_QUESTIONS, *_PAST_ONE_MACHINE, "faq", "report")),
    *sorted((ROOT / "docs" / "tools").glob("*.md")),
)

#: Why it is not run, language and text of a block.
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: A server runs until somebody ends it.
_COMMAND = re.compile(r"`(podium (?!serve)[^`]+)`")
_PICTURE = re.compile(r"!\[[^\]]*\]\((?:docs/)?images/([\w-]+\.svg)\)")
_HEAD = re.compile(r" \| head -(\d+)$")


def retold(page: str, folder: Path) -> str:
    """Return a page with what its commands print now; code that fails, or that is not run, is an error."""
    names: dict[str, object] = {}

    def again(found: re.Match[str]) -> str:
        excuse, language, text = found.groups()
        if excuse or language == "text" or (language == "csv" and _begins_a_file(text, folder)):
            return found[0]
        if language == "python":
            _run_python(text, names, folder)
        elif text.startswith("$ podium "):
            command = text.partition("\n")[0]
            return f"```{language}\n{command}\n{_printed(command.removeprefix('$ '), folder)}```"
        else:
            _run_commands(text, folder)
        return found[0]

    page = BLOCK.sub(again, page)
    for line in BLOCK.sub("", page).splitlines():
        for command in _COMMAND.findall(line):
            if line.startswith("|") or any((folder / word).is_file() for word in shlex.split(command)):
                _printed(command, folder)
    return page


def pictures(page: str, folder: Path) -> Iterator[Path]:
    """Give the pictures that a page shows and that its own commands have drawn into a folder."""
    yield from (folder / name for name in _PICTURE.findall(page) if (folder / name).exists())


def _begins_a_file(text: str, folder: Path) -> bool:
    return any(path.read_text("utf-8").startswith(text) for path in folder.rglob("*.csv"))


def _run_commands(text: str, folder: Path) -> None:
    for line in text.splitlines():
        if not line.startswith("podium "):
            raise AssertionError(f"{line}: not run, and no comment above the block says why: <!-- not run: … -->")
        _printed(re.sub(r"\s+#.*", "", line), folder)


def _printed(command: str, folder: Path) -> str:
    head = _HEAD.search(command)
    answer: Answer = play(_HEAD.sub("", command).removeprefix("podium "), folder, columns=80)
    if answer.code not in (0, *((1, 3) if command.startswith("podium gate ") else ())):
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
    """Write all pages anew, or those that are named."""
    for path in [ROOT / name for name in sys.argv[1:]] or PAGES:
        with tempfile.TemporaryDirectory() as folder:
            write_examples(Path(folder))
            page = retold(path.read_text("utf-8"), Path(folder))
            path.write_text(page, "utf-8", newline="\n")
            for picture in pictures(page, Path(folder)):
                shutil.copy(picture, ROOT / "docs" / "images")


if __name__ == "__main__":
    main()
