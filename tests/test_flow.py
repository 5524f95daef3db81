"""Three usual commands, and how many files of podium run for each: what a reader has to open to follow it."""

import subprocess
import sys
from pathlib import Path

import pytest

from podium.datasets import write_examples

TABLE = Path(__file__).parent / "golden" / "output" / "tables" / "long.csv"

#: Runs a command and prints the files of podium in which a function ran; the body of a module or class is none.
WATCHED = """
import inspect, sys, threading
from pathlib import Path
import podium

home, files = str(Path(podium.__file__).parent), set()

def watch(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & inspect.CO_OPTIMIZED and code.co_filename.startswith(home):
        files.add(code.co_filename)

sys.setprofile(watch)
threading.setprofile(watch)
from podium.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end
finally:
    sys.setprofile(None)
    print(*sorted(files), sep="\\n", file=sys.stderr)
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flow")
    write_examples(folder)
    return folder / "lm-eval"


def files_of(*words: str | Path) -> list[str]:
    command = [sys.executable, "-c", WATCHED, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line for line in done.stderr.splitlines() if line.endswith(".py")]


def test_a_ranking_of_a_table() -> None:
    assert 40 < len(files_of("rank", TABLE)) <= 70


def test_a_comparison_with_a_forest_plot(tmp_path: Path) -> None:
    words = ("compare", TABLE, "--control", "large", "--treatment", "small", "--plot", tmp_path / "forest.svg")
    assert 40 < len(files_of(*words)) <= 75


def test_a_ranking_of_logs(logs: Path) -> None:
    assert 40 < len(files_of("rank", logs)) <= 95
