"""The fixture for pytest, in runs of pytest of their own."""

import subprocess
import sys
import tomllib

import pytest

from support.pages import ROOT

pytest_plugins = ["pytester"]

RUNS = """
import numpy as np
import podium

RIGHT = np.random.default_rng(0).random((1, 2000))

def run(share):
    return podium.from_arrays({"qa": (RIGHT < share).astype(float)}, systems=["m"])
"""


def outcome(pytester: pytest.Pytester, body: str) -> pytest.RunResult:
    """Run one test of a file of its own."""
    pytester._monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # it may be installed, too
    pytester.makepyfile(f"{RUNS}\ndef test_it(no_regression):\n    {body}")
    return pytester.runpytest_subprocess("-p", "podium.testing")


def test_a_run_that_is_not_worse_passes(pytester: pytest.Pytester) -> None:
    body = "assert no_regression(run(0.7), run(0.72), margin=0.01).verdict == 'pass'"
    outcome(pytester, body).assert_outcomes(passed=1)


def test_a_worse_run_fails_with_the_text_of_the_gate_and_no_traceback(pytester: pytest.Pytester) -> None:
    done = outcome(pytester, "no_regression(run(0.7), run(0.6), margin=0.01, names=('main', 'pr'))")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["FAIL: pr against main", "*these tasks: worse by more than 0.01*", "broke (185)*"])
    done.stdout.no_fnmatch_line("*testing.py*")


def test_cannot_tell_fails_unless_it_counts_as_a_pass(pytester: pytest.Pytester) -> None:
    body = "no_regression(run(0.7), run(0.699), margin=0.0005{})"
    done = outcome(pytester, body.format(""))
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["CANNOT TELL: after against before"])
    outcome(pytester, body.format(", unsure='pass'")).assert_outcomes(passed=1)


def test_bad_input_is_an_error_of_the_test(pytester: pytest.Pytester) -> None:
    done = outcome(pytester, "no_regression(run(0.7), run(0.7), margin=1)")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*MethodError: margin 1 *"])


def test_pytest_loads_it_and_it_loads_nothing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"] == {"pytest11": {"podium": "podium.testing"}}
    code = (
        "import sys, pytest; before = set(sys.modules); import podium.testing; print(sorted(set(sys.modules) - before))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "['podium', 'podium.testing']"
