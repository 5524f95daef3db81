"""Several ways to rank at once give the ranks that each gives alone."""

import warnings
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.errors import MethodError, PodiumWarning
from podium.ranking import ballots, bootstrap
from podium.ranking.api import places_by
from podium.ranking.method_spec import LEVELS, METHODS, MethodSpec
from podium.score.place import competition_ranks, midranks
from podium.score.table import Scores
from podium.tally.position import expected_ranks
from support.worlds import tables

WAYS = list(METHODS)
WAYS += [f"{name}:{level}" for name, method in METHODS.items() if method.level for level in LEVELS]


def placed(scores: Scores, ways: Sequence[str], threads: int | None = None) -> list[NDArray[np.int64] | None]:
    return places_by(scores, [MethodSpec.of(way) for way in ways], threads=threads)


def alone(scores: Scores, way: str) -> podium.Ranking | None:
    name, _, level = way.partition(":")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        try:
            return podium.rank(scores, name, level=level or None, confidence=None)
        except MethodError:
            return None


def assert_as_alone(scores: Scores) -> None:
    for way, levels in zip(WAYS, placed(scores, WAYS, threads=1), strict=True):
        ranking = alone(scores, way)
        assert (levels is None) == (ranking is None), way
        if levels is None or ranking is None:
            continue
        place = [ranking.systems.index(system) for system in scores.systems]
        assert_array_equal(competition_ranks(levels), ranking.rank[place], way)
        assert_array_equal(midranks(levels), ranking.midrank[place], way)


@given(scores=tables(), tolerance=st.sampled_from([0.0, 0.0, 0.1, 1.0]))
def test_ranks_are_those_of_each_way_alone(scores: Scores, tolerance: float) -> None:
    assert_as_alone(scores.with_tie_tolerance(tolerance))


def test_sums_that_differ_by_rounding_share_a_level() -> None:
    rows = {"A": [0.1, 0.2, 0.3], "B": [0.3, 0.2, 0.1], "C": [0.2, 0.2, 0.2], "D": [0.1, 0.1, 0.1]}
    names = ("x", "y", "z")
    scores = podium.from_dict({system: dict(zip(names, row, strict=True)) for system, row in rows.items()})
    assert len({sum(row) for row in rows.values()}) > 2, "rounding tells them apart"
    (levels,) = placed(scores, ["mean"])
    assert levels is not None
    assert levels.tolist() == [0, 0, 0, 1]
    assert_as_alone(scores)


def test_what_cannot_be_placed_or_ranked_is_told_apart() -> None:
    bare = podium.from_dict({"A": {"x": 1.0, "y": 2.0}, "B": {"x": 2.0, "y": 3.0}, "C": {"x": np.nan, "y": np.nan}})
    mean, strengths = placed(bare, ["mean", "bradley-terry"])
    assert mean is not None
    assert mean.tolist() == [1, 0, -1]
    assert strengths is None, "B never loses"
    apart = podium.from_dict({"A": {"x": 1.0}, "B": {"y": 2.0}})
    assert placed(apart, ["mean", "borda"]) == [None, None]
    assert placed(bare.select(systems=["A"]), ["mean"]) == [None]
    huge = podium.from_dict({"A": {"x": 1e308, "y": 1e308}, "B": {"x": 2.0, "y": 3.0}})
    assert [levels is None for levels in placed(huge, ["mean", "borda"])] == [True, False]


def test_neither_threads_nor_other_ways_matter() -> None:
    scores = podium.simulate.gumbel(6, 4, 20, dispersion=0.2, missing=0.3, rng=0).scores
    together = placed(scores, WAYS, threads=2)
    for way, levels in zip(WAYS, together, strict=True):
        assert_array_equal(placed(scores, [way], threads=1)[0], levels)


def test_replicates_of_tasks_rank_the_ballots_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random((6, 5_000)) < 0.8, np.nan, rng.random((6, 5_000)))
    values[0] = 0.5
    scores = podium.from_arrays(values)
    ranked: list[int] = []

    def noted(ballots: NDArray[np.float64], tolerance: float) -> NDArray[np.float64]:
        ranked.append(ballots.shape[1])
        return expected_ranks(ballots, tolerance)

    monkeypatch.setattr(ballots, "expected_ranks", noted)
    monkeypatch.setattr(bootstrap, "AT_ONCE", 2**22)
    ranking = podium.rank(scores, confidence=0.95, replicates=1000)
    assert sum(ranked) == 5_000, "for the ranking, its replicates and the other way to count missing scores"
    monkeypatch.setattr(ballots, "_PRODUCTS", 2**40)
    again = podium.rank(scores, confidence=0.95, replicates=1000)
    assert ranking.intervals is not None
    assert again.intervals is not None
    # One may round what the other does not, once for each task.
    assert_allclose(ranking.intervals.samples, again.intervals.samples, rtol=2**-51, atol=0)
    assert_array_equal(ranking.intervals.rank_low, again.intervals.rank_low)
