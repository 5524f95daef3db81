"""Digests: the same for what is made of the same, in every run, and another for whatever does something else."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.checkpoint import digest
from podium.stresses import Corrupt, Rescale

factor = 1.0


def adding(number: Any) -> Callable[[float], Any]:
    def add(x: float) -> Any:
        return x + number

    return add


def defaulting(number: Any) -> Callable[[float], Any]:
    def add(x: float, number: Any = number) -> Any:
        return x + number

    return add


def nested(number: Any) -> Callable[[], Callable[[float], Any]]:
    def outer() -> Callable[[float], Any]:
        return lambda x: 2 * adding(number)(x)

    return outer


@dataclass(frozen=True)
class Stress:
    number: Any

    def __call__(self, x: float) -> Any:
        return x + self.number


class Loose:
    def __init__(self, number: Any) -> None:
        self.number = number

    def add(self, x: float) -> Any:
        return x + self.number


def world(number: Any) -> Any:
    return replace(podium.simulate.gumbel(3, 2, 4, dispersion=1.0, rng=0), truth=np.array([1, 2, number]))


MADE: dict[str, Callable[[Any], Any]] = {
    "number": lambda number: number,
    "closure": adding,
    "default": defaulting,
    "inner function": nested,
    "partial": lambda number: partial(Rescale, tasks=number),
    "partial of a closure": lambda number: partial(adding(number), 3),
    "stress": Corrupt,
    "dataclass": Stress,
    "object": Loose,
    "method": lambda number: Loose(number).add,
    "cached": lambda number: cache(adding(number)),
    "array": lambda number: np.array([1.0, number]),
    "array in a closure": lambda number: adding(np.array([[1, number], [0, 0]])),
    "texts": lambda number: np.array(["a", str(number)], dtype=np.dtypes.StringDType()),
    "objects": lambda number: np.array(["a", number], dtype=object),
    "world": world,
    "tuple": lambda number: (1, [number, "x"]),
    "mapping": lambda number: {"a": {"b": number}},
    "set": lambda number: {"a", "b", "c", number},
    "generator": np.random.default_rng,
}


@pytest.mark.parametrize("make", MADE.values(), ids=MADE)
def test_content_decides(make: Callable[[Any], Any]) -> None:
    assert digest(make(2)) == digest(make(2)) != digest(make(3))


def test_lambdas_differ_by_their_code() -> None:
    functions: list[Any] = [
        lambda x: x + 1,
        lambda x: x + 2,
        lambda x: x - 1,
        lambda x: x.real,
        lambda x: x.imag,
        lambda x: [(lambda y: y + 1), x],
        lambda x: [(lambda y: y + 2), x],
        lambda x: x in {1, 2},
        lambda x: x in {1, 3},
    ]
    assert len(set(map(digest, functions))) == len(functions)
    assert len({digest(f) for f in [lambda x: x + 1, lambda x: x + 1]}) == 1, "the line does not matter"


def test_global_names_stand_for_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def scaled(x: float) -> float:
        return factor * x

    def through(x: float) -> float:
        return scaled(x)

    def unconcerned(x: float) -> float:
        return x

    before = [digest(function) for function in (scaled, through, unconcerned)]
    monkeypatch.setitem(globals(), "factor", 2.0)
    after = [digest(function) for function in (scaled, through, unconcerned)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]


def test_modules_of_ones_own_are_told_by_what_is_used_of_them() -> None:
    def digested(text: str) -> str:
        module = ModuleType("own_module_of_this_test")
        exec(text, vars(module))  # noqa: S102  # our own
        space: dict[str, Any] = {"__name__": "own_script_of_this_test", "own": module}
        exec("def draw(x): return own.scaled(x)", space)  # noqa: S102
        return digest(space["draw"])

    first = digested("def scaled(x): return 2 * x")
    assert first == digested("def scaled(x): return 2 * x\ndef other(x): return x")
    assert first != digested("def scaled(x): return 3 * x")


def test_classes_are_told_by_their_members() -> None:
    def made(number: int) -> type:
        class Inner(Loose):
            size = number

            @staticmethod
            def one(x: int) -> int:
                return x + number

            @property
            def two(self) -> int:
                return 2

        return Inner

    assert digest(made(2)) == digest(made(2)) != digest(made(3))
    assert digest(made(2)(7)) == digest(made(2)(7)) != digest(made(2)(8))


def test_what_holds_itself_has_an_end() -> None:
    def falling(number: int) -> Any:
        def fall(x: int) -> int:
            return number if x == 0 else fall(x - 1)

        return fall

    assert digest(falling(2)) == digest(falling(2)) != digest(falling(3))
    loop: list[Any] = [1]
    loop.append(loop)
    assert digest(loop) != digest([1, [1]])


def test_what_cannot_be_taken_apart_is_told_by_its_class(tmp_path: Path) -> None:
    with (tmp_path / "a").open("w") as one, (tmp_path / "b").open("wb") as other:
        assert digest(one) == digest(one) != digest(other)


def test_every_run_says_the_same(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from dataclasses import dataclass\nfrom functools import partial\nimport numpy as np\nimport podium\n"
        "from podium.base.checkpoint import digest\nphi = 0.5\nnames = {'a', 'b', 'c', 'd'}\n"
        "@dataclass(frozen=True, slots=True)\nclass Own:\n    size: int = 3\n"
        "    def __call__(self, s, rng): return s if 'a' in {'x', 'y', 'z'} else names\n"
        "f = lambda rng, a=Own(4): podium.simulate.gumbel(3, 2, 4, dispersion=phi, rng=np.random.default_rng(1))\n"
        "print(digest((f, Own, partial(Own(), 2), names, podium.stresses.Rescale, np.mean)))\n"
    )
    said = {
        subprocess.run(
            [sys.executable, script], env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(said) == 1
    assert len(said.pop()) == 65
