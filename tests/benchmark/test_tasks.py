"""What tasks tell: by definition on small tables, in worlds with known dead tasks, twins and effective numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy.stats import kendalltau

import podium
from podium.benchmark.worth import FEWEST, alike, effective_number, groups, nearest, reliability
from podium.errors import MethodError
from podium.ranking.correlation import tau_b
from support.entry import printed

RELEASED = Path(__file__).parents[3] / "shared" / "data" / "scores"


def cronbach(items: Any) -> float:
    """α as `psych` defines it: K / (K − 1) (1 − the sum of variances of the items / the variance of the total)."""
    covariance = np.cov(items.T)
    return float(len(covariance) / (len(covariance) - 1) * (1 - np.trace(covariance) / covariance.sum()))


def related(rng: Any, systems: int, tasks: int, alikes: int) -> Any:
    """Draw scores `(T, N)` of tasks of which groups share what they have beside ability."""
    own = rng.normal(size=(alikes, systems))[np.arange(tasks) % alikes]
    return rng.normal(size=systems) * rng.uniform(1, 3, size=(tasks, 1)) + own


def test_reliability_is_that_of_psych_in_r() -> None:
    """`psych::alpha(answers, check.keys = FALSE)$total$raw_alpha` of psych 2.2.9; rows are systems, columns items."""
    right = ["111101", "110101", "101100", "011001", "100000", "000000", "111111", "010010"]
    graded = [[9, 7, 8, 6], [4, 6, 5, 1], [7, 2, 6, 9], [2, 3, 1, 4], [5, 8, 9, 3]]
    answers = np.array([list(row) for row in right], dtype=float)
    assert reliability(answers) == pytest.approx(0.717857142857143, abs=1e-12)
    assert reliability(np.array(graded) / 10) == pytest.approx(0.634920634920635, abs=1e-12)


@given(
    values=arrays(np.float64, st.tuples(st.integers(2, 6), st.integers(2, 8)), elements=st.sampled_from([0.0, 1, 4]))
)
def test_reliability_is_cronbachs_alpha(values: Any) -> None:
    if np.ptp(values.mean(axis=1)) > 0:
        assert_allclose(reliability(values), cronbach(values), atol=1e-9)


def test_what_is_solved_and_left_to_win_by_hand() -> None:
    right = [[1, 1, 1, 0], [1, 0, 1, 0], [1, 0, 0, 0]]
    worth = podium.tasks(podium.from_arrays({"t": right, "u": [[0.9], [0.8], [0.7]]}, systems=["A", "B", "C"]))
    assert worth.best == ("A", "B", "C")
    row, means = worth.rows()
    assert (row["solved_by_none"], row["solved_by_all"], row["solved_by_best"]) == (0.25, 0.25, 0.25)
    assert (row["headroom"], round(means["headroom"], 12)) == (0.5, 0.2)
    assert row["signal"] == 0.5
    assert row["noise"] == pytest.approx(np.sqrt(np.mean([np.var(one, ddof=1) / 4 for one in right])))
    assert means["noise"] is means["reliability"] is means["pairs"] is means["solved_by_all"] is None
    errors = podium.from_arrays({"t": 1 - np.array(right), "u": [[0.9], [0.8], [0.7]]}, lower=["t"])
    assert [podium.tasks(errors).rows()[0][key] for key in ("headroom", "solved_by_all")] == [0.5, 0.25]


def test_a_task_is_compared_with_the_ranking_by_the_others() -> None:
    rng = np.random.default_rng(0)
    table = {f"t{number}": rng.normal(size=(9, 1)) for number in range(5)}
    worth = podium.tasks(podium.from_arrays(table))
    for number, name in enumerate(table):
        rest = podium.rank(podium.from_arrays({key: value for key, value in table.items() if key != name}))
        place = dict(zip(rest.systems, rest.rank.tolist(), strict=True))
        ranks = [
            place[f"system {system}"] if f"system {system}" in place else place[str(system)]
            for system in (range(1, 10) if "system 1" in place else range(9))
        ]
        assert worth.agreement[number] == pytest.approx(kendalltau(table[name][:, 0], -np.array(ranks)).statistic)


def test_signal_by_noise_of_checkpoints_is_that_of_the_paper() -> None:
    """Heineman et al. 2025: range of the means by the standard deviation over checkpoints, which are runs here."""
    rng = np.random.default_rng(5)
    runs = rng.normal(size=(4, 1, 1)) + rng.normal(size=(4, 20, 5)) + rng.normal(size=(4, 1, 5))
    worth = podium.tasks(podium.from_arrays({"t": runs, "u": runs[..., :1]}))
    score = runs.mean(axis=1)  # by checkpoint; both numbers are divided by the mean score in the paper
    theirs = np.ptp(score.mean(axis=1)) / np.sqrt(score.var(axis=1, ddof=1).mean())
    assert worth.signal[0] / worth.run_noise[0] == pytest.approx(theirs)


def test_dead_tasks_separate_nobody_and_twins_are_found() -> None:
    rng = np.random.default_rng(1)
    chances = np.clip(np.linspace(0.3, 0.8, 20) + rng.normal(0, 0.1, size=(4, 20)), 0, 1)[..., None]
    live = {f"live {number}": (rng.random((20, 300)) < own).astype(float) for number, own in enumerate(chances)}
    dead = {
        "used up": (rng.random((20, 300)) < 0.99).astype(float),
        "noise": (rng.random((20, 300)) < 0.5).astype(float),
    }
    worth = podium.tasks(podium.from_arrays(live | dead | {"again": 3 * live["live 0"] - 1}))
    rows = {row["task"]: row for row in worth}
    assert all(rows[name]["pairs_of_best"] == 0 for name in dead)
    assert all(rows[name]["pairs"] > 50 for name in live)
    assert rows["used up"]["headroom"] < 0.05 < rows["noise"]["headroom"]
    assert worth.alike == (("live 0", "again"),)
    assert worth.summary[0] == "2 of 7 tasks separate no two of the best 10 (used up, noise)"
    assert rows["noise"]["reliability"] < 0.5 < rows["live 1"]["reliability"]


def test_effective_numbers_of_known_worlds() -> None:
    """40 tasks × 60 systems in 10, 20 or 40 groups that say the same: within 15% in each of 15 worlds."""
    rng = np.random.default_rng(2)
    for expected in (10, 20, 40):
        for _ in range(5):
            number, low, high, systems = effective_number(related(rng, 60, 40, expected), 0.95)
            assert number == pytest.approx(expected, rel=0.15)
            assert low <= number <= high
            assert systems == 60


def test_tasks_are_called_alike_only_if_they_surely_are() -> None:
    """Ten tasks, every two with τ = 0.8 and no more; in at most 5% of worlds two are called alike."""
    rng, share = np.random.default_rng(3), np.sin(np.pi / 2 * 0.8)
    wrong = 0
    for _ in range(100):
        ability, own = rng.normal(size=24), rng.normal(size=(10, 24))
        means = np.sqrt(share) * ability + np.sqrt(1 - share) * own
        wrong += bool(groups(means, nearest(means)[0]))
    assert wrong <= 9  # 5 expected at most; more than 9 in 3% of cases then
    order = np.arange(float(FEWEST))[None]
    assert alike(order, order, 1).all()
    assert not alike(order[:, 1:], order[:, 1:], 1).any()


def test_intervals_of_tau_cover() -> None:
    rng = np.random.default_rng(4)
    for systems, correlation in ((8, 0.5), (20, 0.9), (60, 0.0)):
        first, own = rng.normal(size=(2, 2000, systems))
        found = tau_b(first, correlation * first + np.sqrt(1 - correlation**2) * own, 0.95)
        true = 2 / np.pi * np.arcsin(correlation)
        assert ((found.low <= true) & (true <= found.high)).mean() > 0.93


@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_order_and_names_of_systems_and_tasks_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = {f"t{number}": (rng.random((8, 12)) < 0.6).astype(float) for number in range(3)}
    systems, order = [f"s{number}" for number in range(8)], rng.permutation(8)
    one = podium.tasks(podium.from_arrays(table, systems=systems))
    turned = {name: table[name][order] for name in reversed(table)}
    other = podium.tasks(podium.from_arrays(turned, systems=[systems[index] for index in order]))
    for left, right in zip(one, reversed(other.rows()), strict=True):
        exact = ("items", "solved_by_none", "solved_by_all", "suspects")
        assert {key: left[key] for key in exact} == {key: right[key] for key in exact}
        assert_allclose([left["agreement"], left["tau_without"]], [right["agreement"], right["tau_without"]])


def test_released_tables_show_what_is_known_of_them() -> None:
    if not RELEASED.exists():
        pytest.skip("the released scores are not there")
    glue = podium.tasks(RELEASED / "glue.csv", confidence_level=0.95)
    assert {frozenset(pair) for pair in glue.alike} == {
        frozenset(f"{name}{end}" for end in ends)
        for name, ends in (("MRPC-", "ab"), ("STS-B-", "ab"), ("QQP-", "ab"), ("MNLI-m", ("", "m")))
    }
    assert glue.effective.low < 7 < glue.effective.high
    superglue = podium.tasks(RELEASED / "superglue.csv")
    assert "used up, as the best 10 are within 5% of the end: CB-a, CB-b, COPA" in superglue.summary
    summaries = podium.tasks(RELEASED / "SUM_EVAL.parquet")
    assert {("ROUGE_WE_1", "ROUGE_1"), ("ROUGE_WE_2", "ROUGE_2")} <= set(summaries.alike)


def test_one_task_or_battles_are_refused() -> None:
    with pytest.raises(MethodError, match="only one task"):
        podium.tasks({"A": {"t": 1.0}, "B": {"t": 0.5}})
    with pytest.raises(MethodError, match="only one system"):
        podium.tasks({"A": {"t": 1.0, "u": 0.5}})


def test_the_command_says_what_python_does(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,t,u,v\nA,0.9,0.7,0.2\nB,0.8,0.6,0.5\nC,0.4,0.5,0.4\n")
    said = printed("podium tasks scores.csv", tmp_path)
    assert said["title"] == "3 tasks of 3 systems"
    assert said["tasks"] == podium.tasks(path).rows()
