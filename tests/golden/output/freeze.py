"""Freeze what every command answers, and every public name: run this after a change that is meant.

    python tests/golden/output/freeze.py                    write all files anew; `git diff` shows what changed
    python tests/golden/output/freeze.py long-rank pool     only some transcripts
    python tests/golden/output/freeze.py --numbers OLD      show that only words changed, not numbers

OLD is a commit, or a folder of transcripts; it is compared with the files as they are now, which must be frozen
already. A new case is a new line `$ podium …` in one of the transcripts.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # the tests, as pytest has them

from golden.output import figures, public_names, transcripts

__all__ = ["main"]

_HERE = Path(__file__).parent


def main(arguments: list[str]) -> int:
    """Freeze, or compare; the exit code is 1 where numbers differ."""
    if arguments and arguments[0] == "--numbers":
        return _compare(*arguments[1:])
    if unknown := {name for name in arguments if not _path(name).exists()}:
        print(f"there is no transcript {', '.join(sorted(unknown))}")  # noqa: T201  # a script
        return 2
    for path in [_path(name) for name in arguments] or sorted(transcripts.FROZEN.glob("*.txt")):
        with tempfile.TemporaryDirectory() as folder:
            old = path.read_text("utf-8")
            new = figures.as_rounded_in(old, transcripts.retold(old, Path(folder), path.stem))
            path.write_text(new, "utf-8", newline="\n")
    if not arguments:
        public_names.FROZEN.write_text(public_names.listed(), "utf-8", newline="\n")
    return 0


def _path(name: str) -> Path:
    return transcripts.FROZEN / f"{name}.txt"


def _compare(old: str) -> int:
    folder = Path(old)
    before = _texts(folder) if folder.is_dir() else _committed(old)
    now = _texts(transcripts.FROZEN)
    lines = figures.differences(before, now)
    commands = sum(len(figures.figures(text)) for text in before.values())
    print("\n".join([*lines, f"{commands} answers before, {len(lines)} with other numbers"]))  # noqa: T201  # a script
    return 1 if lines or not commands else 0


def _texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.txt"))}


def _committed(commit: str) -> dict[str, str]:
    """Transcripts of a commit, by name."""
    names = _git("ls-tree", "--full-tree", "--name-only", f"{commit}:./frozen").splitlines()
    return {name: _git("show", f"{commit}:./frozen/{name}") for name in names}


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=_HERE, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
