"""A few of the cases of `make fuzz`, in this process, and what the fuzzer itself promises."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from podium.cli.output import Destination
from support.entry import run

SCRIPTS = Path(__file__).parents[2] / "fuzz"


def script(name: str) -> Any:
    """Import one of the scripts, whose names do not stay on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        return importlib.import_module(name)


CASES, VERDICT = script("cases"), script("verdict")


def played(number: int, folder: Path) -> list[str]:
    """Run a case, with everything piped, and say what is wrong."""
    case = CASES.made(0, number, folder)
    done = run(folder, *case.arguments, stdin=case.stdin or b"")
    outcome = VERDICT.Outcome(done.returncode, done.stdout.encode(), done.stderr.encode())
    found: list[str] = VERDICT.wrong(CASES.Case(case.arguments), outcome, folder)
    return found


@pytest.mark.parametrize("number", range(60))
def test_a_case_ends_as_it_should(tmp_path: Path, number: int) -> None:
    (tmp_path / "work").mkdir()
    assert played(number, tmp_path / "work") == []


def test_a_number_makes_the_same_case_again(tmp_path: Path) -> None:
    for number in range(20):
        one, other = tmp_path / f"{number}a", tmp_path / f"{number}b"
        one.mkdir()
        other.mkdir()
        assert CASES.made(0, number, one) == CASES.made(0, number, other)


def test_all_commands_are_drawn() -> None:
    assert {"rank", "pool", "stress", "difficulty irt", "difficulty bias", "datasets"} <= set(CASES.commands())
    assert set(CASES.CHOOSING) <= {flag for option in CASES.commands()["rank"] for flag in option.opts}
    assert "serve" not in CASES.commands()  # it would never end


def test_what_is_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("system,t,u,v\nA,1,2,3\nB,0,1,2\n")
    case = CASES.Case(("rank", "a.csv"), scores=(6, 2))

    def judged(code: int, out: str, err: str, read: Any = None) -> list[str]:
        outcome = VERDICT.Outcome(code, out.encode(), err.encode(), read=read)
        found: list[str] = VERDICT.wrong(case, outcome, tmp_path)
        return found

    assert judged(0, "1  A\n", "", (6, 2, [])) == []
    assert "exit code 70" in judged(70, "", "error: this is a bug in podium")[0]
    assert "raw" in judged(0, "\x1b[2Jowned", "")[0]
    assert "nothing is said" in judged(0, "1  A\n", "", (5, 2, []))[0]
    assert "a line of standard error" in judged(0, "1  A\n", "file.py:3: RuntimeWarning: overflow\n")[0]

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("Traceback")

    monkeypatch.setattr(Destination, "deliver", fail)
    assert run(tmp_path, "rank", "a.csv").returncode == 70
