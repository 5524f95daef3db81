"""`podium.compare` of one score per task: what is tested on what, what is left out and said, and what is refused."""

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import podium
from podium.comparison.rank_tests import friedman, range_quantile, signed_rank_posterior, wilcoxon
from podium.comparison.task_tests import PairedTests, TaskComparison
from podium.errors import InputError, LabelError, MethodError

BASE = (0.70, 0.91, 0.86, 0.52, 0.90, 0.56, 0.81, 0.47)
NEW = (0.74, 0.93, 0.84, 0.58, 0.91, 0.56, 0.88, 0.50)


def table(**rows: Any) -> podium.Scores:
    """One row of scores for each system; None where one is missing."""
    tasks = {f"t{k}": np.array([[row[k]] for row in rows.values()], dtype=float) for k in range(len(rows["base"]))}
    return podium.from_arrays(tasks, systems=list(rows))


def outcome(scores: podium.Scores, **options: Any) -> PairedTests:
    (found,) = podium.compare_task_scores(scores, control="base", treatment="new", **options).treatments
    return found


def numbers(tests: PairedTests) -> list[float]:
    names = ("wins", "ties", "losses", "sign_p", "wilcoxon_p", "mean", "low", "high", "t_p", "better", "equal", "worse")
    return [getattr(tests, name) for name in names]


def test_the_tests_are_those_of_scipy() -> None:
    found = outcome(table(base=BASE, new=NEW))
    differences = np.round(np.array(NEW) - np.array(BASE), 2)
    assert (found.wins, found.ties, found.losses) == (6, 1, 1)
    assert found.sign_p == pytest.approx(stats.binomtest(6, 7).pvalue)
    assert (found.rank_sum, found.wilcoxon_p) == wilcoxon(differences)
    theirs = stats.ttest_1samp(differences, 0)
    ends = theirs.confidence_interval(0.95)
    expected = (differences.mean(), ends.low, ends.high, theirs.pvalue)
    assert (found.mean, found.low, found.high, found.t_p) == pytest.approx(expected)
    assert found.better + found.equal + found.worse == pytest.approx(1)
    assert [one.difference for one in found.tasks] == pytest.approx(differences.tolist())
    assert (found.tasks[0].control, found.tasks[0].treatment) == (0.70, 0.74)


def test_compare_and_compare_all_answer_with_the_same() -> None:
    scores = table(base=BASE, new=NEW, third=NEW[::-1])
    pair = podium.compare(scores, control="base", treatment="new")
    assert pair.to_dict() == podium.compare_task_scores(scores, control="base", treatment="new").to_dict()
    every = podium.compare_all(scores, control="base")
    assert every.to_dict() == podium.compare_task_scores(scores, control="base").to_dict()
    assert isinstance(every, TaskComparison)
    alone = {one["treatment"]: one["wilcoxon_p"] for one in (pair.rows() + every.rows())}
    assert [one["wilcoxon_p"] for one in every.rows() if one["treatment"] == "new"] == [alone["new"]]
    wider = podium.compare(scores, control="base", treatment="new", confidence_level=0.99)
    assert isinstance(wider, TaskComparison)
    assert wider.treatments[0].low < outcome(scores).low


@given(st.permutations(range(8)), st.integers(0, 3))
def test_neither_order_nor_roles_nor_directions_matter(order: list[int], seed: int) -> None:
    here = outcome(table(base=BASE, new=NEW), rng=seed)
    moved = outcome(table(base=[BASE[k] for k in order], new=[NEW[k] for k in order]), rng=seed)
    assert numbers(moved) == pytest.approx(numbers(here), rel=1e-9)
    lower = table(base=1 - np.array(BASE), new=1 - np.array(NEW)).with_directions(lower=["*"])
    assert numbers(outcome(lower, rng=seed)) == pytest.approx(numbers(here), rel=1e-9)
    back = podium.compare_task_scores(table(base=BASE, new=NEW), control="new", treatment="base", rng=seed)
    turned = back.treatments[0]
    assert (turned.wins, turned.losses, turned.mean) == pytest.approx((here.losses, here.wins, -here.mean))
    assert (turned.better, turned.worse) == (here.worse, here.better)
    assert (turned.sign_p, turned.wilcoxon_p) == (here.sign_p, here.wilcoxon_p)


def test_a_missing_score_leaves_its_task_out_and_a_note_says_so() -> None:
    holes = [*BASE[:3], None, *BASE[4:]]
    comparison = podium.compare_task_scores(table(base=holes, new=NEW), control="base", treatment="new")
    kept = [k for k in range(8) if k != 3]
    whole = outcome(table(base=[BASE[k] for k in kept], new=[NEW[k] for k in kept]))
    assert numbers(comparison.treatments[0]) == pytest.approx(numbers(whole))
    assert "left out (no score of one of the two, or of both): t3" in comparison.notes


def test_missing_scores_of_many() -> None:
    scores = table(base=BASE, new=NEW, holey=[None, None, *NEW[2:]], alone=[0.5, *[None] * 7])
    comparison = podium.compare_task_scores(scores, control="base")
    assert {one.treatment: len(one) for one in comparison.treatments} == {"new": 8, "holey": 6}
    assert "not compared on all 8 tasks, as scores are missing: holey (6)" in comparison.notes
    assert "left out (fewer than two tasks in common): alone" in comparison.notes
    assert comparison.friedman is None
    assert "no Friedman test: it needs 6 tasks with scores of all systems" in comparison.notes
    some = podium.compare_task_scores(scores.select(systems=["base", "new", "holey"]), control="base")
    assert some.friedman is not None
    assert some.friedman.n_tasks == 6
    assert "Friedman's test uses the 6 tasks with scores of all systems" in some.notes


def test_all_differences_zero() -> None:
    found = outcome(table(base=BASE, new=BASE))
    assert (found.ties, found.sign_p, found.wilcoxon_p, found.mean) == (8, 1, 1, 0)
    assert np.isnan([found.low, found.high, found.t_p]).all()
    assert (found.better, found.equal, found.worse) == (0, 1, 0)


def test_all_differences_equal_have_no_interval() -> None:
    found = outcome(table(base=BASE, new=np.add(BASE, 0.03)))
    assert found.mean == pytest.approx(0.03)
    assert np.isnan([found.low, found.high, found.t_p]).all()
    assert found.wilcoxon_p == 2 * 0.5**8


def test_rounding_does_not_decide() -> None:
    found = outcome(table(base=[0.3, 0.80, 0.70, 0.5], new=[0.1 + 0.2, 0.85, 0.65, 0.55]))
    assert (found.wins, found.ties, found.losses, found.rank_sum) == (2, 1, 1, 4)


def test_the_tie_tolerance_makes_ties() -> None:
    found = outcome(table(base=BASE, new=NEW).with_tie_tolerance(0.02))
    assert (found.wins, found.ties, found.losses) == (4, 4, 0)
    assert found.wilcoxon_p == wilcoxon(np.array([0.04, 0.06, 0.07, 0.03]))[1]


@pytest.mark.parametrize(
    ("factors", "lower", "rope"),
    [
        ([1] * 8, [], 0.01),
        ([100] * 8, [], 1.0),
        ([100] + [1] * 7, [], None),
        ([1000] * 8, [], None),
        ([1] * 8, ["t0"], None),
        ([1] * 8, ["*"], 0.01),
        ([-1] + [1] * 7, [], None),
    ],
)
def test_without_a_common_scale_nothing_is_added_over_tasks(
    factors: list[float], lower: list[str], rope: float | None
) -> None:
    scores = table(base=np.multiply(BASE, factors), new=np.multiply(NEW, factors)).with_directions(lower=lower)
    comparison = podium.compare_task_scores(scores, control="base", treatment="new")
    found = comparison.treatments[0]
    assert comparison.to_dict()["rope"] == rope
    missing = np.isnan([found.mean, found.low, found.high, found.t_p, found.better, found.equal, found.worse])
    assert missing.all() if rope is None else not missing.any()
    assert any(note.startswith("no mean difference") for note in comparison.notes) == (rope is None)
    assert not np.isnan([found.sign_p, found.wilcoxon_p]).any()
    told = podium.compare_task_scores(scores, control="base", treatment="new", rope=0.02)
    assert not np.isnan([told.treatments[0].mean, told.treatments[0].better]).any()
    assert not any("practically equal" in note or "no mean" in note for note in told.notes)


def test_a_wider_region_holds_more() -> None:
    scores = table(base=BASE, new=NEW)
    equal = [outcome(scores, rope=rope).equal for rope in (0, 0.011, 0.031, 1)]
    assert equal == sorted(equal)
    assert equal[-1] == 1


@pytest.mark.parametrize("size", [1e-320, 1e200, 1.7e308])
def test_very_small_and_very_large_scores(size: float) -> None:
    found = outcome(table(base=np.multiply(BASE, size), new=np.multiply(BASE, -size)), rope=0)
    assert (found.wins, found.losses, found.wilcoxon_p) == (0, 8, 2 * 0.5**8)
    assert np.isnan(found.low)
    assert found.worse > 0.95


def test_few_tasks() -> None:
    comparison = podium.compare_task_scores(table(base=BASE[:5], new=NEW[:5]), control="base", treatment="new")
    found = comparison.treatments[0]
    assert np.isnan([found.better, found.equal, found.worse]).all()
    assert not np.isnan([found.low, found.high]).any()
    assert "with 5 tasks no p of the rank tests can be below 0.062" in comparison.notes
    assert "fewer than 6 tasks: no Bayesian test, which is too sure on so few" in comparison.notes
    with pytest.raises(MethodError, match="'new' cannot be compared with 'base': 1 task in common"):
        outcome(table(base=[0.5, None], new=[0.6, 0.7]))


@given(st.lists(st.integers(2, 9), min_size=1, max_size=7))
def test_no_adjusted_p_is_below_the_least_that_a_note_names(common: list[int]) -> None:
    rows = {
        f"s{place}": [0.5 - 0.01 * task if task < n else None for task in range(9)] for place, n in enumerate(common)
    }
    comparison = podium.compare_task_scores(table(base=[0.9] * 9, **rows), control="base")
    least = len(common) * 2.0 ** (1 - max(common))
    assert comparison.holm.min() == pytest.approx(min(1, least))
    assert any("can be below" in note for note in comparison.notes) == (least > 0.05)


def test_weights_and_directions_are_said() -> None:
    scores = table(base=BASE, new=NEW).with_task_weights({"t0": 0, "t1": 2}).with_directions(lower=["t2"])
    notes = podium.compare_task_scores(scores, control="base", treatment="new").notes
    assert "left out (weight 0): t0" in notes
    assert "task weights are not used; each task counts once" in notes
    assert "lower is better on t2; differences there change sign, so that positive is better" in notes
    assert all(len(note) <= 140 for note in notes)


def test_many_treatments_are_adjusted_and_tested_together() -> None:
    rng = np.random.default_rng(0)
    rows = {name: (rng.random(12) * 50).tolist() for name in ("base", "a", "b", "c")}
    comparison = podium.compare_task_scores(table(**rows), control="base")
    p = np.array([one.wilcoxon_p for one in comparison.treatments])
    order = np.argsort(p, kind="stable")
    assert comparison.holm[order].tolist() == np.maximum.accumulate(np.minimum(p[order] * [3, 2, 1], 1)).tolist()
    shares = [one.share for one in comparison.treatments]
    assert shares == sorted(shares, reverse=True)
    found = comparison.friedman
    assert found is not None
    assert found.chi2 == pytest.approx(stats.friedmanchisquare(*rows.values()).statistic)
    held = json.loads(json.dumps(comparison.to_dict()))
    assert held["friedman"]["mean_rank"] == found.mean_rank
    assert len(held["differences"]) == 3 * 12
    assert held["treatments"][0]["mean_rank"] == found.mean_rank[held["treatments"][0]["treatment"]]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"control": "nobody"}, LabelError, "no system 'nobody' to be the control"),
        ({"treatment": "nobody"}, LabelError, "no system 'nobody' to be the treatment"),
        ({"treatment": "base"}, MethodError, "both 'base'"),
        ({"rope": -1}, MethodError, "rope is -1"),
        ({"rope": "wide"}, MethodError, "rope is 'wide'"),
        ({"confidence_level": 95}, MethodError, r"confidence_level \(--confidence\) is 95"),
        ({"rng": 0.5}, MethodError, "rng is 0.5"),
    ],
)
def test_what_makes_no_sense(options: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        podium.compare_task_scores(table(base=BASE, new=NEW), **{"control": "base", "treatment": "new"} | options)


def test_other_tables_are_refused() -> None:
    with pytest.raises(InputError, match="podium"):
        podium.compare_task_scores(3, control="A")
    scores = podium.simulate.gumbel(2, 3, 20, dispersion=1.0, rng=0).scores
    with pytest.raises(MethodError, match="scores are of instances"):
        podium.compare_task_scores(scores, control="system 1")
    with pytest.raises(MethodError, match="no system other than the control 'base'"):
        podium.compare_task_scores(table(base=BASE), control="base")


@pytest.mark.parametrize(
    "options",
    [
        {"effect": "smd"},
        {"estimator": "dl"},
        {"interval": "normal"},
        {"like": "ranger"},
        {"groups": {"g": ["t0"]}},
        {"beside": {"other": table(base=BASE, new=NEW)}},
    ],
)
def test_nothing_pretends_to_know_the_variance_of_an_effect(options: dict[str, Any]) -> None:
    said = f"{next(iter(options))}.* needs scores of instances"
    with pytest.raises(MethodError, match=said):
        podium.compare(table(base=BASE, new=NEW), control="base", treatment="new", **options)
    with pytest.raises(MethodError, match=said):
        podium.compare_all(table(base=BASE, new=NEW), control="base", **options)


tables = st.tuples(st.integers(3, 6), st.integers(2, 8), st.integers(0, 10**6))


def ranked(systems: int, tasks: int, seed: int, *, ties: bool) -> NDArray[np.float64]:
    values = np.random.default_rng(seed).normal(size=(systems, tasks)) * 2
    ranks: NDArray[np.float64] = stats.rankdata(-(np.round(values) if ties else values), axis=0)
    return ranks


@pytest.mark.parametrize("ties", [False, True])
@given(tables)
def test_it_is_scipy_s_also_with_ties(ties: bool, shape: tuple[int, int, int]) -> None:
    ranks = ranked(*shape, ties=ties)
    found = friedman(ranks, tuple("ABCDEF"[: len(ranks)]), confidence=0.95)
    theirs = stats.friedmanchisquare(*ranks) if np.ptp(ranks) else None
    if theirs is None or np.isnan(theirs.statistic):
        assert (found.chi2, found.p) == (0, 1)
        return
    assert (found.chi2, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))
    n, df = found.n_tasks, found.df
    if np.isfinite(found.f):
        assert found.f == pytest.approx((n - 1) * found.chi2 / (n * df - found.chi2))
        assert found.f_p == pytest.approx(stats.f.sf(found.f, *found.f_df))
    else:
        assert (found.chi2, found.f_p) == pytest.approx((n * df, 0))


def test_where_all_systems_tie_nothing_differs() -> None:
    found = friedman(np.full((3, 6), 2.0), ("A", "B", "C"), confidence=0.95)
    assert (found.chi2, found.p, found.f, found.f_p) == (0, 1, 0, 1)
    assert found.mean_rank == {"A": 2, "B": 2, "C": 2}


@pytest.mark.parametrize("k", [2, 3, 5, 10, 50, 300])
@pytest.mark.parametrize("share", [0.5, 0.9, 0.95, 0.999])
def test_the_quantile_of_a_range_is_that_of_the_studentized_range_with_known_scale(k: int, share: float) -> None:
    assert range_quantile(k, share) == pytest.approx(stats.studentized_range.ppf(share, k, np.inf), rel=1e-7)


Floats = NDArray[np.float64]

#: Whole numbers, so that there are ties and zeros.
few = st.lists(st.integers(-4, 4), min_size=1, max_size=9).map(lambda given: np.array(given, dtype=np.float64))


def enumerated(differences: Floats) -> float:
    """The share of all ways to set the signs whose rank sum is as far from its mean."""
    there = differences[differences != 0]
    ranks = stats.rankdata(np.abs(there))
    away = abs(ranks[there > 0].sum() - ranks.sum() / 2)
    ways = np.array(list(product((0, 1), repeat=there.size)))
    return float((np.abs(ways @ ranks - ranks.sum() / 2) >= away - 1e-9).mean())


@given(few)
def test_wilcoxon_is_what_enumeration_gives_also_with_ties_and_zeros(differences: Floats) -> None:
    rank_sum, p = wilcoxon(differences)
    there = differences[differences != 0]
    assert rank_sum == pytest.approx(stats.rankdata(np.abs(there))[there > 0].sum() if there.size else 0)
    assert p == pytest.approx(enumerated(differences) if there.size else 1.0, abs=1e-12)


@pytest.mark.parametrize("size", [2, 5, 20, 60, 300])
def test_wilcoxon_is_scipy_s_where_nothing_ties(size: int) -> None:
    differences = np.random.default_rng(size).normal(0.2, 1, size)
    rank_sum, p = wilcoxon(differences)
    theirs = stats.wilcoxon(differences, method="exact")
    assert p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert min(rank_sum, size * (size + 1) / 2 - rank_sum) == theirs.statistic


def test_above_500_differences_it_is_the_normal_distribution() -> None:
    differences = np.random.default_rng(0).normal(0.1, 1, 501)
    exact = stats.wilcoxon(differences, method="exact").pvalue
    assert wilcoxon(differences)[1] == pytest.approx(exact, rel=1e-3)
    tied = np.round(differences, 1)
    theirs = stats.wilcoxon(tied, correction=False, method="asymptotic").pvalue
    assert wilcoxon(tied)[1] == pytest.approx(theirs, rel=2e-3)


def test_sizes_that_differ_by_rounding_are_equal() -> None:
    given_as = np.array([0.85 - 0.80, 0.70 - 0.75, 0.3 - (0.1 + 0.2), 0.9 - 0.8])
    meant = np.array([0.05, -0.05, 0.0, 0.1])
    assert wilcoxon(given_as, 1e-14) == wilcoxon(meant) == (4.5, 0.75)
    assert wilcoxon(given_as) != wilcoxon(meant)


@settings(max_examples=20)
@given(few, st.sampled_from([0.0, 0.4, 1.0]))
def test_the_posterior_turns_with_differences_and_is_blind_to_their_order(differences: Floats, rope: float) -> None:
    both = np.array([differences, -differences, differences[::-1]])
    here, turned, reordered = signed_rank_posterior(both, rope, np.zeros(3), seed=1)
    assert here.sum() == pytest.approx(1)
    assert here.tolist() == turned[::-1].tolist() == reordered.tolist()
    (alone,) = signed_rank_posterior(differences[None], rope, np.zeros(1), seed=1)
    assert here.tolist() == alone.tolist()


def test_the_posterior_by_plain_sums() -> None:
    differences, rope = np.array([0.3, -0.1, 0.8, 0.05, 0.0, -0.6, 1.1]), 0.12
    rng = np.random.default_rng(5)
    weights = rng.dirichlet([0.5, *np.ones(7)], size=20_000)
    sums = np.add.outer(*[np.array([0.0, *differences])] * 2)
    mass = [
        np.einsum("di,dj,ij->d", weights, weights, region)
        for region in (sums < -2 * rope, np.abs(sums) <= 2 * rope, sums > 2 * rope)
    ]
    plain = np.bincount(np.argmax(mass, axis=0), minlength=3) / 20_000
    (found,) = signed_rank_posterior(differences[None], rope, np.full(1, 1e-12), seed=0)
    assert found == pytest.approx(plain, abs=0.015)  # four standard errors of 20,000 draws


def test_the_region_includes_its_ends() -> None:
    differences = np.full((1, 6), 0.3 - 0.2)
    (at, beyond) = (signed_rank_posterior(differences, rope, np.full(1, 1e-15), seed=0)[0] for rope in (0.1, 0.099))
    assert at.tolist() == [0, 1, 0]
    assert beyond[2] > 0.9
