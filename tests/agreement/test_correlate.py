"""Two tables, or tasks, side by side: τ-b with its interval, what noise and chance give, clusters."""

import json
import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import podium
from podium.agreement.correlation import Repeatability, by_chance, clustered, expected, repeated
from podium.errors import LabelError, MethodError
from podium.ranking.correlation import every_tau_b, tau_b
from support.entry import answer, run

Floats = NDArray[np.float64]

#: Scores of few sizes, so that many tie, and some are missing.
SCORES = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0, math.nan]), min_size=7, max_size=14)


def tau(one: Floats, other: Floats, confidence: float) -> tuple[float, float, float]:
    """τ-b of two scores, and its interval."""
    found = every_tau_b(np.array([one, other]), confidence)
    assert np.array_equal(found.low, found.low.T, equal_nan=True)
    value, low, high = (float(matrix[0, 1]) for matrix in found)
    one_pair = [float(column[0]) for column in tau_b(one[None], other[None], confidence)]
    assert one_pair == pytest.approx([value, low, high], nan_ok=True)
    return value, low, high


def table(values: Floats, systems: list[str] | None = None) -> podium.Scores:
    """One task with an instance a column."""
    return podium.from_arrays({"t": values}, systems=systems)


@given(SCORES, st.integers(0, 2**32 - 1))
def test_tau_is_scipys_and_its_interval_holds_it_whatever_the_order(first: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = np.array(first), rng.integers(4, size=len(first)).astype(np.float64)
    value, low, high = tau(one, other, 0.95)
    there = ~np.isnan(one)
    truth = stats.kendalltau(one[there], other[there]).statistic if there.sum() > 1 else math.nan
    assert value == pytest.approx(truth, nan_ok=True)
    if not math.isnan(low):
        assert -1 <= low <= value <= high <= 1
        mixed = rng.permutation(one.size)
        assert tau(one[mixed], other[mixed], 0.95) == pytest.approx((value, low, high))
        assert tau(-one, other, 0.95) == pytest.approx((-value, -high, -low))
        _, narrow_low, narrow_high = tau(one, other, 0.5)
        assert low <= narrow_low <= narrow_high <= high


def test_the_interval_is_made_of_what_is_left_without_each_system() -> None:
    one, other = np.arange(9.0), np.array([2.0, 0, 1, 1, 5, 4, 8, 7, 7])
    without = [stats.kendalltau(np.delete(one, k), np.delete(other, k)).statistic for k in range(9)]
    value, middle = stats.kendalltau(one, other).statistic, stats.kendalltau(one, other).statistic * 0.9
    variance = 8 * np.var(without) * 0.9 + 4 * (middle / 10) ** 2
    half = stats.t.ppf(0.975, 6) * math.sqrt(variance)
    assert tau(one, other, 0.95) == pytest.approx((value, middle - half, min(middle + half, 1.0)))


@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_few_systems_have_no_interval(number: int) -> None:
    _, low, high = tau(np.arange(float(number)), np.arange(float(number)), 0.95)
    assert math.isnan(low)
    assert math.isnan(high)


@settings(max_examples=20)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=6), st.integers(0, 99))
def test_chance_of_few_systems_is_that_of_all_orders(first: list[int], seed: int) -> None:
    one = np.array(first, dtype=np.float64)
    other = np.random.default_rng(seed).integers(3, size=one.size).astype(np.float64)
    point = by_chance(one, other)
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert math.isnan(point)
        return
    found = [stats.kendalltau(one, other[list(order)]).statistic for order in permutations(range(one.size))]
    assert np.mean(np.array(found) > point + 1e-9) <= 0.05 < np.mean(np.array(found) >= point - 1e-9)


def test_chance_of_more_systems_follows_scipys_variance() -> None:
    rng = np.random.default_rng(0)
    for first in (rng.normal(size=20), rng.integers(3, size=20)):
        second = rng.integers(4, size=20).astype(np.float64)
        found = stats.kendalltau(first, second, method="asymptotic")
        z = stats.norm.isf(found.pvalue / 2)
        assert by_chance(np.asarray(first, float), second) == pytest.approx(1.6448536 * abs(found.statistic) / z)


def test_noise_that_is_known_gives_what_other_samples_show() -> None:
    rng = np.random.default_rng(3)
    for true in (rng.normal(size=20), 4.0 * (np.arange(20) % 2), np.zeros(20)):
        found = []
        for _ in range(20):
            errors = 0.5 * rng.normal(size=(20, 200))
            scores = true + 0.5 * rng.normal(size=20)
            one = repeated(scores, scores[:, None] + errors)
            found.append(expected(one, one))
        truth = [stats.kendalltau(*(true + 0.5 * rng.normal(size=(2, 20)))).statistic for _ in range(200)]
        assert np.mean(found) == pytest.approx(np.mean(truth), abs=0.08)


def test_without_noise_the_same_order_is_expected_and_unknown_noise_expects_nothing() -> None:
    scores = np.array([1.0, 2, 3, math.nan])
    assert repeated(scores, np.repeat(scores[:, None], 9, axis=1)) == Repeatability(1.0, 1.0)
    assert math.isnan(expected(Repeatability(math.nan, math.nan), Repeatability(1.0, 1.0)))
    assert math.isnan(expected(repeated(np.ones(3), np.ones((3, 9))), Repeatability(1.0, 1.0)))


def test_clusters_are_those_that_agree_and_stand_side_by_side() -> None:
    taus = np.full((4, 4), 0.1)
    taus[[0, 2], [2, 0]] = taus[[1, 3], [3, 1]] = 0.9
    np.fill_diagonal(taus, 1.0)
    order, cluster = clustered(taus)
    assert cluster[0] == cluster[2] != cluster[1] == cluster[3]
    assert {frozenset(order[:2].tolist()), frozenset(order[2:].tolist())} == {frozenset((0, 2)), frozenset((1, 3))}


def test_tables_are_compared_on_the_systems_that_all_have() -> None:
    rng = np.random.default_rng(0)
    centre = np.arange(10.0)[:, None]
    names = [f"s{k}" for k in range(10)]
    first = table(centre + rng.normal(size=(10, 40)), names)
    second = table((centre + rng.normal(size=(10, 40)))[::-1], names[::-1])
    found = podium.correlate(first, second.take(range(8)), names=["a", "b"], method="mean")
    assert found.between == "tables"
    assert found.common[0, 1] == 8
    assert set(found.systems) == set(names[2:])
    assert "left out of a, as not all tables have them: s0, s1" in found.notes
    ranking = {row["system"]: row["rank"] for row in podium.rank(second.take(range(8)), "mean").rows()}
    assert dict(zip(found.systems, found.ranks[1].tolist(), strict=True)) == ranking
    (sentence,) = found.sentences
    assert sentence.startswith("a and b order 8 systems more alike than chance: tau-b ")
    assert "; noise alone lets one expect about 1.0" in sentence
    three = podium.correlate(first, second, first, names=["a", "b", "c"])
    place = [three.names.index(name) for name in "ac"]
    assert three.tau[tuple(place)] == 1.0
    assert three.cluster[place[0]] == three.cluster[place[1]]


def test_tasks_are_ranked_each_by_itself_with_the_systems_that_it_has() -> None:
    rng = np.random.default_rng(1)
    centre = np.arange(12.0)[:, None] / 4
    tasks = {name: centre + rng.normal(size=(12, 30)) for name in ("a*", "b", "turned")}
    tasks["turned"] = -tasks["turned"]
    tasks["b"][3] = math.nan
    scores = podium.from_arrays({**tasks, "none": np.full((12, 1), np.nan)})
    found = podium.correlate(scores.with_directions(lower=["b"]))
    at = {name: place for place, name in enumerate(found.names)}
    assert set(at) == {"a*", "b", "turned"}
    assert found.common[at["a*"], at["b"]] == 11
    assert found.tau[at["a*"], at["b"]] < -0.3
    assert found.tau[at["b"], at["turned"]] > 0.3
    assert found.notes == ("left out, without weight or scores: none",)
    assert found.ranks[at["b"]].tolist().count(0) == 1
    assert found.sentences[0].startswith(
        "1 of 3 pairs of tasks is more alike than chance; of unrelated ones up to 0.15 would be (5%); tau-b is "
    )


@pytest.mark.parametrize("number", [5, 6])
def test_fewer_than_six_systems_have_no_clusters(number: int) -> None:
    one = table(np.arange(float(number))[:, None])
    view = podium.correlate(one, one, one).view()
    shown = [view.tables[0].head.count("cluster"), sum(text.startswith("cluster:") for text in view.explain)]
    assert shown == [int(number > 5)] * 2


def test_tables_of_means_say_that_noise_is_not_known() -> None:
    found = podium.correlate(podium.datasets.toy_table1(), podium.datasets.toy_table1(), names=["a", "b"])
    assert found.sentences[0].startswith("a and b order 3 systems no more alike than chance: tau-b 1.00 (no interval);")
    level = podium.correlate(table(np.arange(9.0)[:, None]), table(np.ones((9, 1))))
    assert level.sentences == (
        "table 1 and table 2: tau-b of 9 systems does not exist, as one of the two ties all of them",
    )
    assert level.notes[-1] == "how noisy these are is not known, for lack of instances or tasks: table 1, table 2"


def test_what_makes_no_sense_is_refused() -> None:
    toy = podium.datasets.toy_table1()
    with pytest.raises(LabelError, match="a and b have 0 systems in common, and two are needed; left out"):
        podium.correlate(toy, podium.datasets.demo(), names=["a", "b"])
    with pytest.raises(MethodError, match="names must be 2 different texts"):
        podium.correlate(toy, toy, names=["a", "a"])
    with pytest.raises(MethodError, match="1 task cannot be compared"):
        podium.correlate(toy.select(tasks=["Task1"]))
    with pytest.raises(MethodError, match="Task1: the likelihood has no maximum"):
        podium.correlate(toy, method="bradley-terry")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    for name, more in (("a", 0), ("b", 1)):
        rows = [
            f"s{s:02},{task},{item},{int(rng.random() < 0.3 + 0.04 * s)}"
            for s in range(12 + more)
            for task in "xy"
            for item in range(40)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,task,instance,score", *rows]))
    return tmp_path


def test_several_sources_are_tables_and_one_has_methods_or_tasks(files: Path) -> None:
    told = answer(files, "agree a.csv b.csv")
    assert "a and b order 12 systems more alike than chance: tau-b" in told
    assert "note: left out of b, as not all tables have them: s12" in told
    named: Any = json.loads(answer(files, "agree old=a.csv b.csv -f json --methods mean"))
    assert (named["kind"], named["names"], named["method"]) == ("correlations", ["old", "b"], "mean")
    assert "rankings of 12 systems" in answer(files, "agree a.csv")
    assert "2 tasks, 12 systems" in answer(files, "agree a.csv --between tasks")
    assert "rankings of 13 systems" in answer(files, "agree a.csv b.csv --between methods --keep-first")


@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("a.csv --between tables", "name two sources or more"),
        ("a.csv b.csv --methods mean,borda", "tables are ranked by one method"),
        ("a.csv --between twos", "there is no comparison 'twos'"),
        ("a.csv b.csv --plot bump=x.svg", "there is no picture 'bump'"),
    ],
)
def test_options_that_make_no_sense_are_refused(files: Path, typed: str, error: str) -> None:
    done = run(files, f"agree {typed}")
    assert done.returncode == 2
    assert error in done.stderr
