"""Comparisons of all pairs, Hoeffding's bound beside exact chances, and what majorities say."""

import json
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray
from scipy.stats import binom

import podium
from podium.errors import MethodError
from podium.ranking.ballots import majority
from podium.ranking.method.majority import copeland, majorities, wins
from podium.ranking.pairwise import SIDES, Sided, comparisons_needed, radius
from podium.ranking.result import labelled
from podium.score.table import Scores
from podium.tally.duel import Duels
from support.entry import answer
from support.worlds import tables

LEVELS = ["task", "one", "two"]


@pytest.mark.parametrize("level", LEVELS)
@given(scores=tables())
def test_either_side_of_a_pair_tells_the_same(level: Any, scores: Scores) -> None:
    duels = podium.pairwise(scores, level=level)
    met = duels.compared > 0
    assert_allclose((duels.probability + duels.probability.T)[met], 1.0)
    assert_allclose(duels.low, 1 - duels.high.T)
    assert ((duels.low >= 0) & (duels.high <= 1) & (duels.low <= duels.high)).all()
    assert_array_equal(duels.separated, duels.low > 0.5)
    assert_array_equal(np.isnan(duels.probability), ~met)
    assert_array_equal(duels.low[~met], 0.0)
    assert_array_equal(duels.high[~met], 1.0)


@given(scores=tables())
def test_systems_stand_by_the_share_they_win(scores: Scores) -> None:
    duels = podium.pairwise(scores)
    assert sorted(duels.systems) == sorted(scores.systems)
    met = [[p for p in row if not np.isnan(p)] for row in duels.probability]
    assert_allclose(duels.share, [np.mean(row) if row else np.nan for row in met])
    ranked = duels.share[~np.isnan(duels.share)]
    assert (np.diff(ranked) <= 1e-12).all()
    assert np.isnan(duels.share[ranked.size :]).all()


def test_what_counts_as_a_comparison_depends_on_the_level() -> None:
    scores = podium.from_arrays(
        {"x": [[1.0, 1.0, 0.0], [0.0, 0.0, 9.0]], "y": [[1.0], [0.0]], "z": [[1.0], [1.0]]}, systems=["A", "B"]
    )
    found: dict[str, Any] = {}
    level: Any
    for level in LEVELS:
        duels = podium.pairwise(scores, level=level)
        a, b = duels.systems.index("A"), duels.systems.index("B")
        found[level] = (duels.probability[a, b] * duels.compared[a, b], duels.compared[a, b])
    assert found == {
        "one": (pytest.approx(3.5), 5.0),
        "two": (pytest.approx(2.5), 3.0),
        "task": (pytest.approx(1.5), 3.0),
    }


def test_weights_shrink_the_number_of_comparisons_to_the_effective_one() -> None:
    scores = podium.from_arrays({"x": [[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], "y": [[1.0], [0.0]]}, systems=["A", "B"])
    weighed = scores.with_task_weights({"x": 2.0}).with_instance_weights({"x": [1.0, 2.0, 3.0]})
    w = np.array([2.0, 4.0, 6.0, 1.0])
    duels = podium.pairwise(weighed)
    assert duels.systems == ("A", "B")
    assert duels.probability[0, 1] == pytest.approx(7 / 13)
    assert duels.compared[0, 1] == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert_allclose(duels.radius, radius(duels.compared))
    votes = podium.pairwise(weighed, level="two")
    assert votes.compared[0, 1] == pytest.approx(9 / 5)


@pytest.mark.parametrize("level", LEVELS)
@given(scores=tables())
def test_equal_weights_of_any_size_are_no_weights(level: Any, scores: Scores) -> None:
    ones = {task.name: np.ones(task.n_instances) for task in scores.tasks}
    plain = podium.pairwise(scores.with_task_weights({"*": 1.0}), level=level)
    weighed = scores.with_task_weights({"*": 3.0}).with_instance_weights(
        {name: 0.5 * one for name, one in ones.items()}
    )
    heavy = podium.pairwise(weighed, level=level)
    assert plain.systems == heavy.systems
    assert_allclose(plain.compared, heavy.compared)
    assert_allclose(plain.low, heavy.low, atol=1e-12)


def test_a_world_with_a_known_truth_is_covered() -> None:
    """System n + d beats system n with probability 1 / (1 + exp(−φ d)); all 45 intervals hold it together."""
    world = podium.simulate.gumbel(10, 2, 500, dispersion=0.3, missing=0.3, rng=11).scores
    duels = podium.pairwise(world, simultaneous=True)
    place = np.array([int(system.split()[1]) for system in duels.systems])
    truth = 1 / (1 + np.exp(-0.3 * (place[:, None] - place)))
    inside = (duels.low <= truth) & (truth <= duels.high)
    assert inside.all()
    assert duels.separated.any()
    assert (place[:, None] > place)[duels.separated].all()


def test_pairs_never_scored_together_stay_open() -> None:
    scores = podium.from_arrays(
        {"x": [[1.0], [2.0], [np.nan]], "y": [[1.0], [np.nan], [np.nan]]}, systems=["A", "B", "C"]
    )
    duels = podium.pairwise(scores)
    assert duels.systems == ("B", "A", "C")
    assert np.isnan(duels.share[2])
    assert (duels.low[0, 2], duels.high[0, 2], duels.radius[0, 2]) == (0.0, 1.0, np.inf)
    assert duels.notes[-1] == "2 of 3 pairs of systems are never scored together, so their order stays open"
    content = json.loads(json.dumps(duels.to_dict(), allow_nan=False))
    assert [entry["share"] for entry in content["systems"]] == [1.0, 0.0, None]
    first, second = content["pairs"][:2]
    assert (first["system"], first["opponent"], first["probability"], first["compared"]) == ("B", "A", 1.0, 1.0)
    assert (second["opponent"], second["probability"], second["radius"]) == ("C", None, None)
    assert len(content["pairs"]) == 6


@pytest.mark.parametrize("level", LEVELS)
@given(scores=tables(), data=st.data())
def test_the_order_of_tasks_does_not_change_a_bit(level: Any, scores: Scores, data: Any) -> None:
    weighed = replace(scores, tasks=tuple(replace(task, weight=task.weight / 3) for task in scores.tasks))
    shuffled = replace(weighed, tasks=tuple(data.draw(st.permutations(weighed.tasks))))
    one, other = podium.pairwise(weighed, level=level), podium.pairwise(shuffled, level=level)
    assert one.to_dict() == other.to_dict()


def test_comparisons_on_the_same_items_are_pointed_out() -> None:
    rows = [(task, system, item) for task in ("bleu", "rouge") for system in "AB" for item in range(9)]
    tasks, systems, items = zip(*rows, strict=True)
    frame = pa.table({"task": tasks, "system": systems, "instance": items, "score": np.arange(36.0)})
    named = frame.set_column(2, "instance", pa.array([f"doc {item}" for item in items]))
    assert "1 set of instances" in podium.pairwise(podium.from_frame(named)).notes[0]
    assert "1 set of instances" not in " ".join(podium.pairwise(podium.from_frame(named), level="two").notes)
    assert "only numbered alike: families=False" in podium.pairwise(podium.from_frame(frame)).notes[0]
    alike, apart = (podium.pairwise(podium.from_frame(frame, families=families)) for families in (None, False))
    assert (alike.compared[0, 1], apart.compared[0, 1]) == (9, 18)


def test_a_ranking_asks_whether_instances_are_only_numbered_alike() -> None:
    values = np.random.default_rng(0).normal(size=(4, 2, 40))
    said = "40 instances are numbered alike in several tasks, so drawn together; if they are not the same: families="
    assert podium.rank(podium.from_arrays(values)).notes[0].startswith(said)
    assert podium.rank(podium.from_arrays(values), families=False).notes == ()
    together = podium.from_arrays(values / 4 + values.mean(axis=1, keepdims=True))
    assert podium.rank(together).notes == ()


def test_requests_that_make_no_sense_are_refused() -> None:
    toy = podium.datasets.toy_table1()
    with pytest.raises(MethodError, match="no level 'three'; there are 'task', 'one', 'balanced', 'two'"):
        podium.pairwise(toy, level="three")  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="only one system, 'A'; a comparison needs at least two"):
        podium.pairwise(toy.select(systems=["A"]))
    with pytest.raises(MethodError, match="every score is missing, so there is nothing to compare"):
        podium.condorcet(podium.from_dict({"A": {"rte": None}, "B": {"rte": None}}))
    with pytest.raises(MethodError, match=r"confidence_level \(--confidence\) is 95"):
        podium.pairwise(toy, confidence_level=95)
    with pytest.raises(MethodError, match="n_jobs is 0"):
        podium.pairwise(toy, n_jobs=0)


def test_pairs_of_many_tasks_are_not_counted_task_by_task(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    scores = podium.from_arrays(np.where(rng.random((9, 400)) < 0.5, np.nan, rng.random((9, 400)).round(1)))
    expected = podium.pairwise(scores.with_tie_tolerance(1e-15)), podium.condorcet(scores, level="task")
    monkeypatch.delattr(Duels, "of")
    monkeypatch.delattr(Duels, "empty")
    found = podium.pairwise(scores), podium.condorcet(scores, level="one")
    assert found[0].level == found[1].level == "one"
    assert found[0].systems == expected[0].systems
    assert_array_equal(found[0].probability, expected[0].probability)
    assert_array_equal(found[0].compared, expected[0].compared)
    assert found[1].winner == expected[1].winner


Floats = NDArray[np.float64]


Bools = NDArray[np.bool_]


@st.composite
def preference_matrices(draw: st.DrawFn) -> Floats:
    """Few distinct counts, so that undecided pairs and pairs never compared are common."""
    n_systems = draw(st.integers(1, 6))
    counts = draw(hnp.arrays(np.float64, (n_systems, n_systems), elements=st.integers(0, 2).map(float)))
    np.fill_diagonal(counts, 0.0)
    return counts


def dominating(members: tuple[int, ...], beats: Bools) -> bool:
    others = [j for j in range(len(beats)) if j not in members]
    return all(beats[i, j] for i in members for j in others)


def undominated(members: tuple[int, ...], beats: Bools) -> bool:
    others = [j for j in range(len(beats)) if j not in members]
    return not any(beats[j, i] for i in members for j in others)


def subsets(n_systems: int) -> list[tuple[int, ...]]:
    return [members for size in range(1, n_systems + 1) for members in combinations(range(n_systems), size)]


def cycles(members: tuple[int, ...], beats: Bools) -> list[tuple[int, ...]]:
    """Every cycle of majorities, from its lowest index on."""
    return [
        order
        for size in range(3, len(members) + 1)
        for order in permutations(members, size)
        if order[0] == min(order) and all(beats[i, j] for i, j in pairwise((*order, order[0])))
    ]


def test_the_winner_of_all_majorities_is_said_with_how_many_of_its_wins_are_beyond_chance(tmp_path: Path) -> None:
    # A beats B on 52 of 100 instances and C on all: one of its two wins is beyond chance
    scores = [np.full(100, 2.0), np.where(np.arange(100) < 52, 1.0, 3.0), np.zeros(100)]
    table = podium.from_arrays({"t": np.array(scores)}, systems=["A", "B", "C"], instances=range(100))
    podium.convert(table, tmp_path / "t.csv")
    said = answer(tmp_path, "pairwise", "t.csv")
    assert "A beats every other system by majority; 1 of 2 wins is beyond chance (95%, pair by pair)" in said


@given(preference=preference_matrices())
def test_condorcet_equals_enumeration(preference: Floats) -> None:
    beats = preference > preference.T
    found = majorities(preference)
    every = subsets(len(beats))
    smith = min((members for members in every if dominating(members, beats)), key=len)
    assert found.smith_set == smith
    maximal = [members for members in every if undominated(members, beats)]
    minimal = [members for members in maximal if not any(set(other) < set(members) for other in maximal)]
    assert found.schwartz_set == tuple(sorted({i for members in minimal for i in members}))
    winners = [i for i in range(len(beats)) if beats[i].sum() == len(beats) - 1]
    assert found.winner == (winners[0] if winners else None)
    expected = min(cycles(smith, beats), key=lambda order: (len(order), order), default=None)
    assert found.cycle == expected
    assert found.undecided == tuple((i, j) for i, j in combinations(smith, 2) if beats[i, j] == beats[j, i])


@given(preference=preference_matrices())
def test_scores_are_means_over_the_opponents_met(preference: Floats) -> None:
    met = preference + preference.T
    for i in range(len(met)):
        opponents = [j for j in range(len(met)) if met[i, j]]
        shares = [preference[i, j] / met[i, j] for j in opponents]
        beaten = [0.5 + (share > 0.5) / 2 - (share < 0.5) / 2 for share in shares]
        expected = (np.mean(shares), np.mean(beaten)) if opponents else (np.nan, np.nan)
        assert_allclose((wins(preference).score[i], copeland(preference).score[i]), expected)


@pytest.mark.parametrize("n_systems", [4, 7, 100])
def test_a_long_cycle_is_found_where_there_is_no_shorter(n_systems: int) -> None:
    preference = np.ones((n_systems, n_systems)) - np.eye(n_systems)
    index = np.arange(n_systems)
    preference[index, (index + 1) % n_systems] = 2.0
    assert majorities(preference).cycle == tuple(range(n_systems))


def test_what_majorities_say_is_a_result_by_label() -> None:
    cycle = podium.from_arrays({"t": [[3, 2, 1], [2, 1, 3], [1, 3, 2], [0, 0, 0]]}, systems=["A", "B", "C", "D"])
    found = podium.condorcet(cycle, level="one")
    assert (found.winner, found.smith_set, found.schwartz_set) == (None, ("A", "B", "C"), ("A", "B", "C"))
    assert (found.cycle, found.undecided) == (("A", "B", "C"), ())
    assert found.view().verdict == (found.sentence,) == ("no Condorcet winner: A > B > C > A",)
    assert [(row["system"], row["smith"], row["wins"], row["losses"]) for row in found.rows()] == [
        ("A", True, 2, 1),
        ("B", True, 2, 1),
        ("C", True, 2, 1),
        ("D", False, 0, 3),
    ]
    assert found == podium.condorcet(cycle, level="one")


@given(preference=preference_matrices())
def test_the_smith_set_stands_first(preference: Floats) -> None:
    scores = podium.from_arrays({"t": preference})  # for the labels
    found = labelled(majorities(preference), majority(preference), scores, level="one")
    assert set(found.systems[: len(found.smith_set)]) == set(found.smith_set)
    assert sum(found.wins) == sum(found.losses) == majority(preference).sum()


counts = hnp.arrays(np.float64, (4, 4), elements=st.integers(0, 500).map(float))


shares = st.floats(0.51, 1.0)


confidences = st.floats(0.01, 0.999)


def pair(compared: float) -> Floats:
    return np.array([[0.0, compared], [compared, 0.0]])


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
@pytest.mark.parametrize("probability", [0.1, 0.5, 0.8])
@pytest.mark.parametrize("compared", [10, 57, 1000])
def test_the_exact_chance_of_an_error_is_below_the_promised_one(
    confidence: float, probability: float, compared: int
) -> None:
    won = np.arange(compared + 1)
    chance = binom.pmf(won, compared, probability)
    distance = won / compared - probability
    two = radius(pair(compared), confidence=confidence)[0, 1]
    one = radius(pair(compared), confidence=confidence, sided="one")[0, 1]
    assert chance[np.abs(distance) >= two].sum() <= 1 - confidence
    assert chance[distance >= one].sum() <= 1 - confidence
    assert chance[-distance >= one].sum() <= 1 - confidence


@given(compared=counts, confidence=confidences)
def test_the_bound_is_hoeffdings(compared: Floats, confidence: float) -> None:
    for sided, sides in (("two", 2), ("one", 1)):
        c = radius(compared, confidence=confidence, sided="two" if sided == "two" else "one")
        met = compared > 0
        assert_allclose(sides * np.exp(-2 * compared[met] * c[met] ** 2), 1 - confidence)
        assert np.isinf(c[~met]).all()


@pytest.mark.parametrize("sided", SIDES)
@given(compared=counts, confidence=confidences)
def test_simultaneous_bounds_spend_the_error_on_all_pairs(sided: Sided, compared: Floats, confidence: float) -> None:
    together = radius(compared, confidence=confidence, sided=sided, simultaneous=True)
    alone = radius(compared, confidence=1 - (1 - confidence) / 6, sided=sided)
    assert_allclose(together, alone)


def test_a_single_pair_needs_no_correction() -> None:
    assert_allclose(radius(pair(9.0), simultaneous=True), radius(pair(9.0)))


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, np.nan])
def test_a_confidence_that_is_no_probability_is_refused(confidence: float) -> None:
    with pytest.raises(MethodError, match="it must be a number between 0 and 1"):
        radius(pair(9.0), confidence=confidence)


def test_an_unknown_side_is_refused() -> None:
    with pytest.raises(MethodError, match="no sided='both'; there are 'two', 'one'"):
        radius(pair(9.0), sided="both")  # type: ignore[arg-type]


@given(shares, st.floats(0.5, 0.999), st.sampled_from(SIDES), st.booleans())
def test_the_bound_separates_just_beyond(share: float, confidence: float, sided: Sided, simultaneous: bool) -> None:
    pairs = 3 if simultaneous else 1
    needed = comparisons_needed(np.array(share), confidence=confidence, sided=sided, simultaneous_pairs=pairs)
    # a millionth to either side, so that rounding cannot decide
    around = np.full((3, 3), needed * (1 + 1e-6)), np.full((3, 3), needed * (1 - 1e-6))
    after, before = (
        radius(compared, confidence=confidence, sided=sided, simultaneous=simultaneous)[0, 1] for compared in around
    )
    assert after < share - 0.5 < before


def test_comparisons_by_hand() -> None:
    # log(2 · 10 / 0.05) / (2 · 0.1²), worked out elsewhere
    assert_allclose(comparisons_needed(np.array([0.4, 0.6]), simultaneous_pairs=10), 299.573227, rtol=1e-8)
    assert np.isinf(comparisons_needed(np.array(0.5)))
    assert np.isnan(comparisons_needed(np.array(np.nan)))


@given(shares, shares, st.floats(0.5, 0.99))
def test_further_from_half_needs_fewer_and_surer_needs_more(one: float, other: float, confidence: float) -> None:
    near, far = sorted((one, other))
    assert comparisons_needed(np.array(far)) <= comparisons_needed(np.array(near))
    less = comparisons_needed(np.array(one), confidence=confidence)
    assert less < comparisons_needed(np.array(one), confidence=confidence + 0.005)
    assert less < comparisons_needed(np.array(one), confidence=confidence, simultaneous_pairs=2)
