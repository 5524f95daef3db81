"""Faults are found by the names of their modules, each says how it went, and one that fails counts."""

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[2] / "validation"


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script, with its modules within reach."""
    monkeypatch.syspath_prepend(SCRIPTS)
    return importlib.import_module("faults")


def module(**checks: Callable[[random.Random], None]) -> ModuleType:
    """A module with these faults."""
    made = ModuleType("fault_invented")

    def listed() -> Iterator[tuple[str, Callable[[random.Random], None]]]:
        yield from checks.items()

    made.checks = listed  # type: ignore[attr-defined]
    return made


def test_every_module_has_faults_of_names_of_their_own(faults: Any) -> None:
    assert "fault_disk" in faults.modules()
    names = [name for name, _ in faults.found()]
    assert len(set(names)) == len(names) > len(faults.modules())
    assert all(name.startswith("disk: ") for name, _ in faults.found("DISK: "))


def test_what_fails_is_counted(
    faults: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def loses(rng: random.Random) -> None:
        seen.append(rng.random())
        raise AssertionError("a score is lost")

    monkeypatch.setattr(faults, "modules", lambda: ["fault_invented"])
    monkeypatch.setitem(sys.modules, "fault_invented", module(loses=loses, holds=lambda rng: seen.append(rng.random())))
    monkeypatch.setattr(sys, "argv", ["faults.py", "--seed", "7"])
    for _ in range(2):
        with pytest.raises(SystemExit) as left:
            faults.main()
        assert left.value.code == 1
    out = capsys.readouterr().out
    assert out.count("1 passed, 1 failed\n") == 2
    assert "invented: loses: a score is lost" in out
    assert seen[:2] == seen[2:], "the same seed gives the same chance"
    assert seen[0] != seen[1]
    monkeypatch.setattr(sys, "argv", ["faults.py", "--only", "holds"])
    with pytest.raises(SystemExit) as left:
        faults.main()
    assert left.value.code == 0
    monkeypatch.setattr(sys, "argv", ["faults.py", "--only", "nothing of this name"])
    with pytest.raises(SystemExit) as left:
        faults.main()
    assert left.value.code == 1
