"""The laws of engines, for Ray, in an environment of its own: `make ray-test`."""

import os
import signal
import sys
from collections.abc import Iterator
from contextvars import Context
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import EngineError, MissingExtraError
from podium.ranking.method import METHODS
from podium.score.block import Block
from podium.score.table import Scores
from podium.tally.draw import Resampling
from podium.tally.engine import count as counting
from podium.tally.engine import message, stretch
from podium.tally.engine.count import count
from podium.tally.engine.engine import in_force
from podium.tally.engine.stretch import Counting, Stretch, Tallies, stretches
from podium.tally.kernel import PLAIN
from podium.tally.moment import Comoments, Means, Moments
from podium.tally.position import Positions
from podium.tally.tally import Kernels
from podium.tally.tie import Ties

SHORT, BLOCK = 256, 64


def test_without_ray_an_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"the Ray engine needs ray: pip install 'podium\[ray\]'"):  # noqa: SIM117
        with podium.engine("ray"):
            pass


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables have many stretches, and are sent."""
    monkeypatch.setattr(stretch, "_LONGEST", SHORT)
    monkeypatch.setattr(stretch, "block_length", lambda _systems, at_most=None: min(at_most or BLOCK, BLOCK))
    monkeypatch.setattr(counting, "_SMALL", 0)
    monkeypatch.setattr(message, "_SCORES", 6 * SHORT)


@pytest.fixture(scope="module", params=[1, 2])
def engine(request: pytest.FixtureRequest) -> Iterator[Any]:
    pytest.importorskip("ray")
    with podium.engine("ray", workers=request.param):
        yield in_force()


@pytest.fixture
def table() -> Scores:
    rng = np.random.default_rng(0)
    sizes = {"a": 5 * SHORT + 17, "b": 40, "c": 1, "d": 1, "e": 2 * SHORT, "f": 700}
    arrays = {name: rng.normal(size=(6, size)).round(1) for name, size in sizes.items()}
    arrays["a"][rng.random(arrays["a"].shape) < 0.2] = np.nan
    scores = podium.from_arrays(arrays, lower=["e"], clusters={"f": [f"passage {place // 7}" for place in range(700)]})
    return scores.with_instance_weights({"a": rng.integers(1, 4, sizes["a"])})


def alone(function: Any, *given: Any, **told: Any) -> Any:
    """Call a function without the engine."""
    return Context().run(function, *given, **told)


def as_bytes(tallies: Tallies) -> dict[str, list[bytes]]:
    return {
        kind.__name__: [np.asarray(getattr(tally, one.name)).tobytes() for tally in of_tasks for one in fields(tally)]
        for kind, of_tasks in tallies.items()
    }


@pytest.mark.usefixtures("short")
def test_stretches_come_once_each_with_the_tallies_that_folding_gives(engine: Any, table: Scores) -> None:
    draws = Resampling("instances", replicates=9, seed=3)
    for work, cut in (
        (Counting((Comoments, Moments, Positions, Ties), PLAIN), list(stretches(table))),
        (Counting((Positions, Means), PLAIN, draws), list(stretches(table, keys=draws.keys(table.tasks)))),
    ):
        expected = {(one.task, one.place): as_bytes(work.fold(one)) for one in cut}
        told: list[int] = []
        found = list(engine.fold(work, iter(cut), told.append))
        assert {(one.task, one.place): as_bytes(tallies) for one, tallies in found} == expected
        assert (len(found), sum(told)) == (len(cut), table.n_cells)


@pytest.mark.usefixtures("short")
def test_few_stretches_are_held_at_a_time(engine: Any, table: Scores) -> None:
    taken = given = most = 0

    def noted() -> Iterator[Stretch]:
        nonlocal taken, most
        for one in stretches(table):
            taken += 1
            most = max(most, taken - given)
            yield one

    for _ in engine.fold(Counting((Moments,), PLAIN), noted()):
        given += 1
    assert taken == given
    assert most <= 2 * 2 + 4, "two messages a processor, of which one is short"


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.usefixtures("short")
def test_every_method_gives_the_same_bytes(engine: Any, table: Scores) -> None:
    scores = table.with_directions(higher=["e"]).with_task_weights({"b": 2})
    for method in METHODS:
        if METHODS[method].averaged is None:
            expected = alone(podium.rank, scores, method, replicates=40).render("json")
            assert podium.rank(scores, method, replicates=40).render("json") == expected
    assert in_force() is engine


def test_a_second_connection_is_refused(engine: Any) -> None:
    assert engine
    with pytest.raises(EngineError, match="Ray is in use by this process"), podium.engine("ray"):
        pass


@pytest.mark.usefixtures("short", "engine")
def test_a_mistake_on_a_worker_is_the_same_mistake(table: Scores) -> None:
    class Wrong(Moments):
        __slots__ = ()

        @classmethod
        def of(cls, block: Block, kernels: Kernels) -> "Wrong":  # noqa: ARG003
            raise ZeroDivisionError("of all things")

    with pytest.raises(ZeroDivisionError, match="of all things"):
        count(table, (Wrong,))


@pytest.mark.usefixtures("short", "engine")
def test_a_worker_that_is_killed_changes_no_byte(table: Scores, tmp_path: Path) -> None:
    died = tmp_path / "died"

    class DiesOnce(Moments):
        __slots__ = ()

        @classmethod
        def of(cls, block: Block, kernels: Kernels) -> "DiesOnce":
            if died.parent.is_dir() and not died.exists():
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().of(block, kernels)

    expected = alone(count, table, (Moments,), kernels=PLAIN)[Moments]
    found = count(table, (DiesOnce,), kernels=PLAIN)[DiesOnce]
    assert died.exists()
    assert [list(as_bytes({Moments: (one,)}).values()) for one in found] == [
        list(as_bytes({Moments: (one,)}).values()) for one in expected
    ]


@pytest.mark.usefixtures("short", "engine")
def test_an_interruption_leaves_no_work_behind(table: Scores) -> None:
    def interrupt(_done: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        count(table, (Moments,), progress=interrupt)
    expected = alone(count, table, (Moments,), kernels=PLAIN)[Moments]
    assert as_bytes({Moments: count(table, (Moments,), kernels=PLAIN)[Moments]}) == as_bytes({Moments: expected})
