"""Methods through `podium.rank`, several at once, and averages by hand."""

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import trim_mean

import podium
from podium.errors import MethodError, NoMaximumError, PodiumWarning
from podium.ranking import ballots, bootstrap
from podium.ranking.api import places_by
from podium.ranking.figure import intervals_of
from podium.ranking.method import average
from podium.ranking.method.average import interquartile_mean, mean, median
from podium.ranking.method_spec import LEVELS, METHODS, MethodSpec
from podium.ranking.result import Ranking
from podium.score.place import competition_ranks, midranks
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.duel import Duels
from podium.tally.position import expected_ranks
from support.worlds import tables

pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")


def by_system(ranking: Ranking, field: str = "score") -> dict[str, float]:
    return {row["system"]: row[field] for row in ranking.rows()}


def beaten() -> Scores:
    """A beats B and C on every ballot; B and C draw."""
    return podium.from_arrays({"t": [[2.0] * 8, [1.0] * 8, [1.0] * 8]}, systems=["A", "B", "C"])


@given(scores=tables())
def test_mean_wins_are_borda_where_missing_scores_are_imputed(scores: Scores) -> None:
    for level in ("task", "one"):
        borda, wins = (
            by_system(podium.rank(scores, podium.MethodSpec(method, level, "imputed"), confidence_level=None))
            for method in ("borda", "wins")
        )
        assert wins == pytest.approx(borda, abs=1e-9)


@given(scores=tables())
def test_the_kemeny_order_disagrees_least_with_the_ballots(scores: Scores) -> None:
    ranking = podium.rank(scores, "kemeny", level="one", confidence_level=None)
    duels = count(scores, [Duels])[Duels]
    preference = np.sum([task.weight * tally.expected for task, tally in zip(scores.tasks, duels, strict=True)], axis=0)
    place = [scores.systems.index(system) for system in ranking.systems]

    def cost(order: tuple[int, ...]) -> float:
        return float(sum(preference[below, above] for above, below in itertools.combinations(order, 2)))

    costs = sorted(map(cost, itertools.permutations(range(len(place)))))
    certificate = ranking.certificate
    assert certificate is not None
    assert certificate.optimal
    assert certificate.gap == 0
    assert certificate.cost == pytest.approx(costs[0])
    assert cost(tuple(place)) == pytest.approx(costs[0])
    if certificate.unique:
        assert costs[1] > costs[0]
    else:
        assert certificate.alternative is not None
        assert cost(tuple(scores.systems.index(str(name)) for name in certificate.alternative)) == pytest.approx(
            costs[0]
        )


def test_two_level_kemeny_gives_every_task_one_ballot() -> None:
    many = np.repeat([[3.0], [2.0], [1.0]], 9, axis=1)
    scores = podium.from_arrays({"large": many, "small": many[::-1, :2], "tiny": many[::-1, :1]})
    first, _, last = scores.systems
    assert podium.rank(scores, "kemeny", level="one", confidence_level=None).systems[0] == first
    assert podium.rank(scores, "kemeny", level="two", confidence_level=None).systems[0] == last
    assert podium.rank(scores.with_task_weights({"large": 3}), "kemeny", confidence_level=None).systems[0] == first


def test_bradley_terry_recovers_the_differences_of_gumbel_scores() -> None:
    # differences of Gumbel scores are logistic, so strengths are φ apart
    ranking = podium.rank(
        podium.simulate.gumbel(4, 2, 5000, dispersion=0.4, rng=0).scores, "bradley-terry", confidence_level=None
    )
    assert ranking.systems == ("system 4", "system 3", "system 2", "system 1")
    # five standard errors
    assert_allclose(-np.diff(ranking.score), 0.4, atol=5 * by_system(ranking, "strength_std_error")["system 1"])
    assert ranking.score.sum() == pytest.approx(0, abs=1e-9)


def test_a_likelihood_without_maximum_names_the_groups() -> None:
    with pytest.raises(NoMaximumError, match=r"\{A\} never loses to or ties with \{B, C\}.*prior=1"):
        podium.rank(beaten(), "bradley-terry", confidence_level=None)
    assert podium.rank(beaten(), MethodSpec("bradley-terry", prior=1), confidence_level=None).systems[0] == "A"


def test_replicates_without_maximum_are_counted() -> None:
    values = np.array([[1.0] * 11 + [0.0], [0.0] * 11 + [1.0]])
    ranking = podium.rank(podium.from_arrays({"t": values}), "bradley-terry", confidence_level=0.95)
    assert any("of 1000 replicates could not be ranked" in note for note in ranking.notes)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("mean", {"missing": "direct"}, "has no option 'missing'; it is for 'borda', 'wins', 'copeland', 'kemeny'"),
        ("wins", {"missing": "model"}, "'wins' has no way 'model' to count missing scores; there are 'imputed'"),
        ("wins", {"prior": 1.0}, "has no option 'prior'; it is for 'bradley-terry'"),
        ("copeland", {"time_limit": 1.0}, "has no option 'time_limit'; it is for 'kemeny'"),
        ("wins", {"missing": "imputd"}, "imputed"),
    ],
)
def test_options_of_other_methods_are_refused(method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        MethodSpec(method, **options)


def test_a_level_is_said_once() -> None:
    toy = podium.simulate.gumbel(3, 2, 20, dispersion=1.0, rng=0).scores
    spec = MethodSpec("wins", missing="direct")
    beside = podium.rank(toy, spec, level="one", confidence_level=None)
    assert (
        beside.to_dict()
        == podium.rank(toy, MethodSpec("wins", "one", missing="direct"), confidence_level=None).to_dict()
    )
    for verb in (podium.rank, podium.plan, podium.influence):
        with pytest.raises(MethodError, match=r"and level='two' say the same thing twice; leave one of them out"):
            verb(toy, MethodSpec("borda", "one"), level="two")
        with pytest.raises(MethodError, match=r"'borda:one' and level='two' say the same"):
            verb(toy, "borda:one", level="two")
        assert verb(toy, "wins", missing="direct").to_dict() == verb(toy, "wins:missing=direct").to_dict()
        with pytest.raises(MethodError, match=r"'wins:missing=direct' and missing='imputed' say the same thing twice"):
            verb(toy, "wins:missing=direct", missing="imputed")
    assert (
        podium.rank(toy, "wins:one", confidence_level=None).to_dict()
        == podium.rank(toy, "wins", level="one", confidence_level=None).to_dict()
    )


def test_a_spec_is_told_in_full() -> None:
    assert str(MethodSpec("kemeny", "one", "direct", time_limit=0.5)) == "kemeny:one (missing=direct, time_limit=0.5)"
    assert str(MethodSpec("bradley-terry", prior=1.0)) == "bradley-terry (prior=1)"
    assert [str(spec) for spec in MethodSpec.several(["mean", "borda:one"])] == ["mean", "borda:one"]


def test_a_way_to_count_missing_scores_is_typed_after_a_colon() -> None:
    assert MethodSpec.of("borda:two:missing=model") == MethodSpec("borda", "two", "model")
    assert MethodSpec.of("kemeny:missing=direct", "one") == MethodSpec("kemeny", "one", "direct")
    with pytest.raises(MethodError, match="no way 'modle' to count missing scores; did you mean 'model'"):
        MethodSpec.of("borda:missing=modle")
    with pytest.raises(MethodError, match="'mean' has no option 'missing'"):
        MethodSpec.of("mean:missing=model")
    with pytest.raises(MethodError, match="there is no level 'x'"):
        MethodSpec.of("borda:x:missing=model")
    with pytest.raises(MethodError, match="there is no level ''; there are 'task', 'one', 'balanced', 'two'"):
        MethodSpec.of("borda:")
    with pytest.raises(MethodError, match="method 'mean' has no levels; leave ':one' out, or use 'borda'"):
        MethodSpec.of("mean:one")


def test_every_method_is_named_in_the_help_of_rank() -> None:
    assert podium.rank.__doc__ is not None
    assert all(f'"{name}"' in podium.rank.__doc__ for name in METHODS)


Floats = NDArray[np.float64]


AVERAGES = [mean, median, interquartile_mean]


values = st.integers(-50, 50).map(lambda x: x / 10)


columns = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.just(1)), elements=values)


@given(means=columns)
def test_unit_weights_give_the_textbook_averages(means: Floats) -> None:
    ones = np.ones(len(means))
    assert mean(means, ones) == pytest.approx(np.mean(means))
    assert median(means, ones) == pytest.approx(np.median(means))


@given(means=columns)
def test_the_interquartile_mean_is_scipys_trimmed_mean_of_four_copies(means: Floats) -> None:
    # Four copies of every task make the quartiles fall between tasks, where trimming needs no fractions.
    four = np.repeat(means, 4, axis=0)
    expected = trim_mean(four[:, 0], 0.25)
    assert interquartile_mean(means, np.ones(len(means))) == pytest.approx(expected)
    assert interquartile_mean(four, np.ones(len(four))) == pytest.approx(expected)


@pytest.mark.parametrize("average", AVERAGES)
def test_missing_tasks_are_left_out(average: Callable[[Floats, Floats], Floats]) -> None:
    holes = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan]])
    assert_allclose(average(holes, np.ones(3)), np.array([2.0, np.nan]))
    assert_allclose(average(holes, np.array([1.0, 1.0, 0.0])), np.array([1.0, np.nan]))


def test_the_largest_scale_is_that_of_the_tasks_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scale = rng.random((300, 4, 1))
    weights = np.where(rng.random((300, 50)) < 0.02, 1.0, 0.0)  # in some replicates the largest 64 are not drawn
    weights[:, 7] = 0.0
    expected = average._largest(scale, weights)
    monkeypatch.setattr(average, "_PRODUCTS", 0)
    assert_array_equal(average._largest(scale, weights), expected)
    assert_array_equal(expected[:, 7], 0.0)


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_means_over_other_tasks_are_not_separated_by_how_difficult_these_are() -> None:
    separated = 0
    for seed in range(60, 80):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(10, 40)) + 3 * rng.normal(size=40)
        for row in values[:5]:
            row[rng.permutation(40)[6:]] = np.nan
        intervals = intervals_of(podium.rank(podium.from_arrays(values), "mean", n_resamples=400))
        separated += bool(intervals.separated.any())
    assert separated <= 2


WAYS = list(METHODS)
WAYS += [f"{name}:{level}" for name, method in METHODS.items() if method.level for level in LEVELS]


def placed(scores: Scores, ways: Sequence[str], threads: int | None = None) -> list[NDArray[np.int64] | None]:
    return places_by(scores, [MethodSpec.of(way) for way in ways], threads=threads)


def alone(scores: Scores, way: str) -> podium.Ranking | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        try:
            return podium.rank(scores, way, confidence_level=None)
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
    ranking = podium.rank(scores, confidence_level=0.95, n_resamples=1000)
    assert sum(ranked) == 5_000, "for the ranking, its replicates and the other way to count missing scores"
    monkeypatch.setattr(ballots, "_PRODUCTS", 2**40)
    again = podium.rank(scores, confidence_level=0.95, n_resamples=1000)
    # One may round what the other does not, once for each task.
    assert_allclose(intervals_of(ranking).samples, intervals_of(again).samples, rtol=2**-51, atol=0)
    assert_array_equal(intervals_of(ranking).rank_low, intervals_of(again).rank_low)
