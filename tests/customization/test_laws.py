"""Sums along an order against direct evaluation and against all orders of ties."""

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from podium.customization.curve import Box
from podium.customization.customizer import Partition
from podium.customization.split import CASES, RULES, Factor, Splitting, Weighting, lead_shares, weightings
from podium.errors import MethodError, WeightError

pytestmark = pytest.mark.core

Floats = NDArray[np.float64]

marks = st.sampled_from([0.0, 0.25, 0.5, 1.0])
difficulties = st.sampled_from([0.1, 0.25, 0.5, 0.9])
factors = st.sampled_from([1, 0.5, 2, "B", "1/B"])
penalties = st.sampled_from([0, -1, -0.5, "B", "-B", "-1/B"])


@st.composite
def worlds(draw: st.DrawFn, *, missing: bool = True, most: int = 9) -> tuple[Floats, Floats, Floats, bool]:
    size = draw(st.integers(1, most))
    score = marks | st.just(np.nan) if missing else marks
    scores = np.array(draw(st.lists(st.lists(score, min_size=size, max_size=size), min_size=1, max_size=3)))
    difficulty = np.array(draw(st.lists(difficulties, min_size=size, max_size=size)))
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 1.0, 0.1, 0.7, 2.0]), min_size=size, max_size=size)))
    return scores, difficulty, weights, draw(st.booleans())


def split(
    scores: Floats, difficulty: Floats, weights: Floats | None = None, by: Splitting | int = 7, *, rising: bool = True
) -> tuple[Box, Partition, Floats]:
    """A box, its splits, and which share of each instance is in each."""
    box = Box.of(scores, difficulty, np.ones(difficulty.shape[-1]) if weights is None else weights, rising=rising)
    partition = Partition.of(Splitting.of(by), [box], np.ones(1))
    order = box.parts[0].order
    return box, partition, order.shares(partition.cuts[0][0].along(order))


def base(difficulty: Floats, factor: Factor) -> Floats:
    return factor.number * difficulty**factor.power


def directly(scores: Floats, difficulty: Floats, weights: Floats, shares: Floats, weighting: Weighting) -> Any:
    """Eq. 4 read aloud: one instance after the other."""
    splits = shares.shape[1]
    earned, possible = np.zeros((len(scores), splits)), np.zeros((len(scores), splits))
    for i, k, j in product(range(len(scores)), range(difficulty.size), range(splits)):
        if not np.isnan(scores[i, k]):
            w = weights[k] * shares[k, j] * difficulty[k] ** weighting.power
            d, e = (base(difficulty[k : k + 1], factor)[0] for factor in (weighting.reward, weighting.penalty))
            earned[i, j] += w * (e + (d - e) * scores[i, k])
            possible[i, j] += w * d
    b = weighting.split_weights(splits)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (
            np.where(possible @ b > 0, (earned @ b) / (possible @ b), np.nan),
            np.where(possible > 0, earned / possible, np.nan),
        )


@given(worlds(), st.sampled_from([*RULES, "B", "1/B"]), factors, penalties, st.integers(1, 4))
def test_sums_along_an_order_equal_direct_evaluation(
    world: tuple[Floats, Floats, Floats, bool], rule: str, reward: Any, penalty: Any, splits: int
) -> None:
    scores, difficulty, weights, rising = world
    splits = min(splits, difficulty.size)
    assume(reward != penalty)  # or a wrong answer would pay
    weighting = Weighting(rule, reward, penalty)
    _, partition, shares = split(scores, difficulty, weights, splits, rising=rising)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    overall, within = partition.metric(weighting)
    wanted, wanted_within = directly(scores, difficulty, weights, shares, weighting)
    np.testing.assert_allclose(overall, wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(within, wanted_within, rtol=1e-9, atol=1e-12)


@given(worlds(missing=False, most=5), st.integers(1, 3), st.sampled_from([(1, -1), (1, 0), (0.5, -1)]))
def test_shared_ties_are_the_mean_over_all_orders(
    world: tuple[Floats, Floats, Floats, bool], splits: int, earn: tuple[float, float]
) -> None:
    """Exact: with complete scores and weights of 1 the denominator is the same in every order."""
    scores, difficulty, _, rising = world
    splits = min(splits, difficulty.size)
    weighting = Weighting("linear", *earn)

    def metric(columns: list[int], *, share: bool) -> Floats:
        box = Box.of(scores[:, columns], difficulty[columns], np.ones(len(columns)), rising=rising, share_ties=share)
        return Partition.of(Splitting(splits), [box], np.ones(1)).metric(weighting)[0]

    columns = list(range(difficulty.size))
    # every order of all instances puts those of a tie in every order equally often
    mean = np.mean([metric(list(order), share=False) for order in permutations(columns)], axis=0)
    np.testing.assert_allclose(metric(columns, share=True), mean, rtol=1e-9, atol=1e-12)


@given(worlds(), st.integers(1, 4), st.integers(0, 3))
def test_draws_of_one_change_nothing_and_draws_of_two_are_two_copies(
    world: tuple[Floats, Floats, Floats, bool], splits: int, seed: int
) -> None:
    scores, difficulty, weights, rising = world
    splits = min(splits, difficulty.size)
    weighting = Weighting("linear", 1, "-B")
    box, partition, _ = split(scores, difficulty, weights, splits, rising=rising)
    cuts = partition.cuts[0]
    drawn = np.random.default_rng(seed).integers(0, 3, size=(difficulty.size, 5)).astype(np.uint8)
    drawn[:, 0] = 1
    replicates = box.replicates(weighting, cuts, drawn)
    plain = box.sums(weighting, cuts)
    np.testing.assert_allclose(replicates.earned[:, :, 0], plain.earned, atol=1e-9)
    for column in range(1, 5):
        if drawn[:, column].sum() == 0:
            continue
        again = Box.of(scores, difficulty, weights * drawn[:, column], rising=rising).sums(weighting, cuts)
        np.testing.assert_allclose(replicates.earned[:, :, column], again.earned, atol=1e-9)
        np.testing.assert_allclose(replicates.possible[:, :, column], again.possible, atol=1e-9)


def test_replicates_of_several_runs_equal_one_by_one() -> None:
    """More instances than are summed at once, and ties across the seams."""
    rng = np.random.default_rng(1)
    scores, difficulty = rng.random((3, 1000)).round(), rng.random(1000).round(1) + 0.1
    box = Box.of(scores, difficulty, np.ones(1000), rising=False)
    weighting = Weighting("1/B", "B", -1)
    drawn = rng.poisson(1.0, size=(1000, 7)).astype(np.uint8)
    for splitting in (Splitting(7), Splitting([0.35, 0.7]), Splitting([0.1, 0.5], "quantiles")):
        cuts = box.cuts(splitting, len(splitting.numbers))
        replicates = box.replicates(weighting, cuts, drawn)
        for column in range(7):
            again = Box.of(scores, difficulty, drawn[:, column].astype(float), rising=False).sums(weighting, cuts)
            np.testing.assert_allclose(replicates.earned[:, :, column], again.earned, rtol=1e-9, atol=1e-9)


def test_own_orders_are_those_of_each_system_alone() -> None:
    rng = np.random.default_rng(2)
    scores, sure = rng.random((4, 50)).round(), rng.random((4, 50)).round(1)
    scores[0, :5], sure[1, 7] = np.nan, np.nan
    weighting, splitting = Weighting("square", 1, -1), Splitting(5)
    together = split(scores, sure, by=splitting)[1].metric(weighting)
    for row in range(4):
        kept = ~np.isnan(scores[row]) & ~np.isnan(sure[row])
        overall, within = split(scores[[row]][:, kept], sure[row, kept], by=splitting)[1].metric(weighting)
        np.testing.assert_allclose(together[0][row], overall[0])
        np.testing.assert_allclose(together[1][row], within[0])


def test_thresholds_belong_with_the_lower_values() -> None:
    """[MA21, Eq. 2]: split 1 where B > th."""
    values = np.array([0.2, 0.5, 0.8])
    for rising, wanted in ((False, [[0, 1], [0, 1], [1, 0]]), (True, [[1, 0], [1, 0], [0, 1]])):
        shares = split(np.ones((1, 3)), values, by=Splitting([0.5], "thresholds"), rising=rising)[2]
        assert shares.tolist() == wanted


def test_equal_splits_are_as_numpy_splits() -> None:
    shares = split(np.ones((1, 794)), np.arange(794.0))[2]
    assert shares.sum(axis=0).tolist() == [len(part) for part in np.array_split(np.arange(794), 7)]


def test_cases_are_those_of_the_paper() -> None:
    """Table 1, with splits 1 and 2 of weights 1 and 2, right and wrong, at B = ½."""
    table = [(1.0, -1.0, 2.0, -2.0), (1, 0, 2, 0), (0, -1, 0, -2), (1, -0.5, 2, -1), (0.5, -1, 1, -2)]
    table += [(2, -2, 2, -2), (0.5, -0.5, 0.5, -0.5), (2, -2, 4, -4), (0.5, -0.5, 1, -1)]
    for number, (name, row) in enumerate(zip(CASES, table, strict=True), start=1):
        weights, reward, penalty = CASES[name]
        if reward:  # the paper's case 3 has none, and is refused
            said = Weighting(weights, reward, penalty)
            assert Weighting(case=number) == Weighting(case=str(number)) == Weighting(case=name) == said
        b = np.array([1.0, 1.0]) if "B" in weights else np.array([1.0, 2.0])
        weight = {"B": 0.5, "1/B": 2.0}.get(weights, 1.0)
        half = np.array([0.5])
        d, e = (base(half, Factor.of(given, "it"))[0] for given in (reward, penalty))
        assert [b[0] * weight * d, b[0] * weight * e, b[1] * weight * d, b[1] * weight * e] == list(row)


@pytest.mark.parametrize("splits", [2, 3])
def test_weightings_are_uniform_on_the_simplex(splits: int) -> None:
    """The share of a weight below x is 1 − (1 − x)^(s − 1); of the last of rising ones with s = 2 it is 2x − 1."""
    drawn = weightings(splits, rising=False, seed=0, draws=40_000)
    share = drawn[0] / drawn.sum(axis=0)
    for x in (0.1, 0.3, 0.6):
        # four standard errors of a share of 40,000 draws
        assert abs((share < x).mean() - (1 - (1 - x) ** (splits - 1))) < 4 * 0.5 / 200
    rising = weightings(splits, rising=True, seed=0, draws=100)
    assert (np.diff(rising, axis=0) >= 0).all()


def test_lead_shares_are_lengths_where_there_are_two_splits() -> None:
    """A leads where 3b₁ > b₂, that is where b₁ > ¼ of the sum."""
    drawn = weightings(2, rising=False, seed=3, draws=40_000)
    scores = np.array([[3.0, 0.0], [0.0, 1.0]]) @ drawn
    assert abs(lead_shares(scores)[0] - 0.75) < 4 * 0.5 / 200


@pytest.mark.parametrize(
    ("splits", "by", "words"),
    [
        ([], None, "there are no thresholds"),
        (7, "manual", "the column that says"),
        ("kind", "equal", "names a column"),
        (0, None, "1 to 50"),
        (51, None, "1 to 50"),
        (2.5, None, "whole number"),
        (True, None, "whole number"),
        (7, "thresholds", "need the ends"),
        ([0.1], "equal", "how many"),
        ([0.5, 0.5], None, "increasing"),
        ([0.5, 1.5], "quantiles", "between 0 and 1"),
        (["x"], None, "must be numbers"),
        (7, "evenly", "no way to split"),
    ],
)
def test_senseless_splits_are_refused(splits: Any, by: Any, words: str) -> None:
    with pytest.raises(MethodError, match=words):
        Splitting(splits, by)


@pytest.mark.parametrize(
    ("options", "words"), [({"ties": "random"}, "no way with ties"), ({"level": "three"}, "no level")]
)
def test_senseless_ways_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(MethodError, match=words):
        Splitting(**options)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("linear", 0, -1), MethodError, "divide by 0"),
        (("linear", -1, -1), MethodError, "must be above 0"),
        (("lineal", 1, -1), MethodError, "did you mean 'linear'"),
        (("linear", 1, 2), MethodError, "wrong answer would pay"),
        (("linear", "C", -1), MethodError, "the reward is 'C'"),
        (("linear", 1, float("nan")), MethodError, "the penalty is nan"),
        (((1, -1), 1, -1), WeightError, "not negative"),
        (((0, 0), 1, -1), WeightError, "all zero"),
        ((5, 1, -1), MethodError, "weights are 5"),
        (("linear", True), MethodError, "the reward is True"),
        (("linear", 1e308), MethodError, "moderate size"),
        ((None, None, None, 10), MethodError, "no case 10"),
        ((None, None, None, [1]), MethodError, "no case"),
        ((None, None, None, "penalty-only"), MethodError, "divide by 0"),
    ],
)
def test_senseless_weights_are_refused(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    weights, reward, penalty, case = (*arguments, None, None, None)[:4]
    with pytest.raises(error, match=words):
        Weighting(weights, reward, penalty, case=case)


def test_weights_must_be_as_many_as_splits() -> None:
    with pytest.raises(WeightError, match="2 weights for 3 splits"):
        Weighting([1, 2], 1, -1).split_weights(3)


def test_more_splits_than_instances_are_refused() -> None:
    box = Box.of(np.ones((1, 3)), np.arange(3.0), np.ones(3), rising=True, name="task 'a'")
    for by in ("equal", "random"):
        with pytest.raises(MethodError, match="task 'a': 4 splits of 3 instances"):
            box.cuts(Splitting(4, by), 4)


@given(st.integers(0, 400))
def test_a_split_without_a_score_has_none(seed: int) -> None:
    """Weights of tenths, whose sums are not exact, and a hole over a tie that splits end in."""
    rng = np.random.default_rng(seed)
    scores, difficulty = rng.integers(0, 2, (2, 12)).astype(float), np.repeat([0.1, 0.5, 0.9], 4)
    scores[0, difficulty == 0.5] = np.nan
    weights = rng.choice([0.1, 0.3, 0.7, 1.1], 12)
    box, partition, shares = split(scores, difficulty, weights)
    within = partition.metric(Weighting("linear", 1, -1))[1]
    inside = shares[~np.isnan(scores[0])].sum(axis=0)
    assert np.isnan(within[0]).tolist() == (inside == 0).tolist()
    drawn = rng.integers(0, 3, (12, 9)).astype(np.uint8)
    replicates = box.replicates(Weighting("linear", 1, -1), partition.cuts[0], drawn).within()
    known = replicates[~np.isnan(replicates)]
    assert (np.abs(known) <= 1 + 1e-9).all()


def test_splits_behind_a_huge_reciprocal_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    scores, difficulty = rng.integers(0, 2, (3, 40)).astype(float), np.concatenate([[1e-9], rng.uniform(0.2, 1, 39)])
    weighting = Weighting("1/B", "1/B", -1)
    _, partition, shares = split(scores, difficulty, by=4)
    wanted = directly(scores, difficulty, np.ones(40), shares, weighting)[1]
    np.testing.assert_allclose(partition.metric(weighting)[1], wanted, rtol=1e-9)


def test_ends_that_should_be_whole_are() -> None:
    """0.7 of ten instances is seven; ten weights of 0.1 add up to a little less than one."""
    values = np.arange(1, 11) / 10
    for weights in (np.ones(10), np.full(10, 0.1)):
        for splitting in (Splitting(3), Splitting([0.3, 0.7], "quantiles")):
            box, partition, _ = split(np.ones((1, 10)), values, weights, splitting, rising=False)
            knots = partition.cuts[0][0].along(box.parts[0].order)
            assert knots.tolist() == np.rint(knots).tolist()
            assert partition.shared() == []
    assert partition.ranges() == [(0.8, 1.0), (0.4, 0.7), (0.1, 0.3)]


def test_systems_with_too_few_of_their_own_are_empty() -> None:
    sure = np.full((3, 20), np.nan)
    sure[0], sure[1, :3] = np.arange(20), np.arange(3)
    weighting = Weighting("linear", 1, -1)
    for splitting, short in ((Splitting(4), [1, 2]), (Splitting([2.0]), [])):
        box, partition, _ = split(np.ones((3, 20)), sure, by=splitting)
        assert box.short(splitting, partition.count) == short
        overall = partition.metric(weighting)[0]
        assert np.isnan(overall).tolist() == [False, 1 in short, True]
        replicates = box.replicates(weighting, partition.cuts[0], np.ones((20, 2), np.uint8))
        np.testing.assert_allclose(replicates.overall(np.ones(partition.count))[0], 1)


def test_as_few_instances_count_as_weigh() -> None:
    partition = split(np.ones((1, 10)), np.arange(1.0, 11), by=2)[1]
    assert partition.effective(Weighting("uniform", 1, -1)) == pytest.approx([10])
    assert partition.effective(Weighting([0, 1], 1, -1)) == pytest.approx([5])
    # (5 + 10)² / (5 + 20)
    assert partition.effective(Weighting("linear", 1, -1)) == pytest.approx([9])
