"""What is typed: help, versions, misspellings, interruptions, and how little is loaded for them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import podium as library
from podium.board.merge import RULES as ON_CONFLICT
from podium.cli import entry as guard
from podium.cli import read, stress
from podium.cli.app import split
from podium.cli.data import CONFLICTS
from podium.cli.read import LAYOUTS, weights_from
from podium.customization.split import RULES
from podium.difficulty.result import HARD
from podium.errors import WeightError
from podium.ranking.method import METHODS
from podium.ranking.method_spec import LEVELS
from podium.report.formats import FORMATS
from podium.robustness.stresses import NEEDS
from podium.source.file import FORMATS as INPUT_FORMATS
from support.entry import SCRIPT, run, run_script, wide

REPOSITORY = Path(__file__).parents[2]


def test_version(tmp_path: Path) -> None:
    assert run_script(tmp_path, "--version").stdout == f"podium {library.__version__}\n"


def test_help_offers_everything_and_documents_exit_codes(tmp_path: Path) -> None:
    text = run(tmp_path, "rank", "--help").stdout
    for names in (METHODS, LEVELS, FORMATS, INPUT_FORMATS, LAYOUTS):
        assert "|".join(names) in text
    assert "Exit codes: 0 done; 2 bad input" in text
    assert "podium rank scores.csv" in text
    assert run(tmp_path).stdout == run(tmp_path, "--help").stdout


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (ZeroDivisionError("division by zero"), 70, "bug in podium: ZeroDivisionError: division by zero"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "not enough memory"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "x.csv: Permission denied"),
    ],
)
def test_whatever_is_raised_becomes_a_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], raised: BaseException, code: int, said: str
) -> None:
    def fail(_: str) -> None:
        raise raised

    monkeypatch.setattr(library.datasets, "load", fail)
    monkeypatch.setattr(sys, "argv", ["podium", "rank", "dataset:toy-table1"])
    with pytest.raises(SystemExit) as left:
        guard.main()
    assert left.value.code == code
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(library.datasets, "load", lambda _: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["podium", "rank", "dataset:toy-table1"])
    monkeypatch.setenv("PODIUM_DEBUG", "1")
    with pytest.raises(SystemExit):
        guard.main()
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupted_run_says_so_and_ends_with_130() -> None:
    # standard input stays open, so the run waits for it until it is interrupted
    with subprocess.Popen(
        [SCRIPT, "rank", "-", "--input-format", "csv"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(3)
        waiting.send_signal(signal.SIGINT)
        _, error = waiting.communicate(timeout=30)
    assert (waiting.returncode, error.decode().strip()) == (130, "error: interrupted")


@pytest.mark.parametrize("asked", ["--help", "--version"])
def test_help_loads_no_heavy_library(asked: str) -> None:
    code = (
        f"import sys; sys.argv = ['podium', {asked!r}]\n"
        "from podium.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'numba', 'pyarrow', 'narwhals', 'rich', 'pandas', 'polars', 'duckdb', 'scipy'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_small_tables_are_ranked_without_a_compiler_and_without_rich(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.argv = ['podium', 'rank', {str(wide(tmp_path))!r}, '--lower', 'ter']\n"
        "from podium.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numba', 'matplotlib', 'rich', 'pandas', 'polars', 'duckdb', 'scipy', 'pyarrow.compute'}\n"
        "slices = ('agreement', 'comparison', 'customization', 'difficulty', 'planning', 'robustness', 'source.tool')\n"
        "heavy |= {f'podium.{name}' for name in slices}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_a_table_with_names_of_instances_is_ranked_without_pandas(tmp_path: Path) -> None:
    rows = [
        f"{system},t,question {number},{number % place}" for place, system in enumerate("ABC", 1) for number in range(9)
    ]
    (tmp_path / "long.csv").write_text("\n".join(["system,task,instance,score", *rows]), "utf-8")
    code = (
        "import sys; sys.argv = ['podium', 'rank', 'long.csv']\n"
        "from podium.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'pandas', 'polars', 'duckdb'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "3 systems, 1 task" in done.stdout
    assert done.stderr.splitlines()[-1] == "[]"


def test_from_python_a_small_table_needs_little() -> None:
    code = (
        "import sys, podium\n"
        "podium.rank({name: dict.fromkeys('abcdefgh', place) for place, name in enumerate('ABC')})\n"
        "heavy = {'numba', 'scipy', 'pyarrow', 'narwhals', 'numpy.ma', 'concurrent.futures'}\n"
        "heavy |= {'podium.source.read', 'podium.source.layout', 'podium.report.view', 'podium.ranking.pair'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_names_that_are_said_twice_are_the_same() -> None:
    assert list(read.RULES) == list(RULES)
    assert read.HARD == HARD
    assert tuple(NEEDS) == stress.USUAL
    assert CONFLICTS == ON_CONFLICT


def test_the_command_reference_is_in_step() -> None:
    script = REPOSITORY / "docs" / "generate_cli.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_shell_completion_offers_methods() -> None:
    asked = {"_PODIUM_COMPLETE": "bash_complete", "COMP_WORDS": "podium rank --method m", "COMP_CWORD": "3"}
    done = subprocess.run([SCRIPT], env=os.environ | asked, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,mean", "plain,median"]


def test_the_script_for_completion_is_shown(tmp_path: Path) -> None:
    shown = run(tmp_path, "--show-completion", "zsh")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "_PODIUM_COMPLETE=zsh_complete podium" in shown.stdout
    assert run(tmp_path, "--show-completion", "tcsh").returncode == 2


def test_lists_are_split_at_commas_that_are_not_escaped() -> None:
    assert split(["a,b", r"c\,d", " e , "]) == ["a", "b", "c,d", "e"]
    assert split(None) == []


def test_the_last_equals_sign_divides_task_and_weight() -> None:
    assert weights_from(["k=1 shot=2", "b=.5"]) == {"k=1 shot": 2.0, "b": 0.5}
    assert weights_from(None) is None
    for text in ("a", "a=", "=1", "a=b"):
        with pytest.raises(WeightError, match="TASK=WEIGHT"):
            weights_from([text])


def test_a_task_has_one_weight() -> None:
    assert weights_from(["a=1", "a=1.0,b=2"]) == {"a": 1.0, "b": 2.0}
    with pytest.raises(WeightError, match="gives 'a' both 1 and 2; keep one"):
        weights_from(["a=1,a=2"])
