from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import NDArray

import podium
from podium.ranking.ballots import majority, pool_one_level, preferences
from podium.ranking.method.majority import Majorities, copeland, majorities, wins
from podium.ranking.result import Condorcet
from podium.tally.duel import Duels
from podium.tally.engine.count import count

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
def test_without_a_winner_there_is_a_cycle_or_an_undecided_pair(preference: Floats) -> None:
    found = majorities(preference)
    assert (found.winner is None) == (found.cycle is not None or bool(found.undecided))


@given(preference=preference_matrices())
def test_scores_are_means_over_the_opponents_met(preference: Floats) -> None:
    met = preference + preference.T
    for i in range(len(met)):
        opponents = [j for j in range(len(met)) if met[i, j]]
        shares = [preference[i, j] / met[i, j] for j in opponents]
        beaten = [0.5 + (share > 0.5) / 2 - (share < 0.5) / 2 for share in shares]
        expected = (np.mean(shares), np.mean(beaten)) if opponents else (np.nan, np.nan)
        assert_allclose((wins(preference).score[i], copeland(preference).score[i]), expected)


@given(preference=preference_matrices(), data=st.data())
def test_relabelling_systems_relabels_the_scores_and_the_sets(preference: Floats, data: Any) -> None:
    order = list(data.draw(st.permutations(range(len(preference)))))
    shuffled = preference[np.ix_(order, order)]
    assert_array_equal(wins(shuffled).score, wins(preference).score[order])
    assert_array_equal(copeland(shuffled).score, copeland(preference).score[order])
    one, other = majorities(preference), majorities(shuffled)
    assert {order[i] for i in other.smith_set} == set(one.smith_set)
    assert {order[i] for i in other.schwartz_set} == set(one.schwartz_set)
    assert len(other.cycle or ()) == len(one.cycle or ())


@given(preference=preference_matrices())
def test_the_smith_set_is_on_top_of_copeland(preference: Floats) -> None:
    complete = preference + 1 - np.eye(len(preference))
    score = copeland(complete).score
    inside = list(majorities(complete).smith_set)
    assert (score[inside].min() > np.delete(score, inside)).all()


def test_the_toy_table_is_the_paradox_that_is_printed() -> None:
    """Colombo et al. 2022, Table 1: B > A, C > B, A = C."""
    toy = podium.datasets.toy_table1()
    pooled = pool_one_level(count(toy, [Duels])[Duels], toy.task_weights)
    a, b, c = range(3)
    beats = majority(preferences(pooled, "direct"))
    assert [(int(i), int(j)) for i, j in np.argwhere(beats)] == [(b, a), (c, b)]
    assert majorities(preferences(pooled, "direct")) == Majorities(
        winner=None, smith_set=(a, b, c), schwartz_set=(c,), cycle=None, undecided=((a, c),)
    )


@pytest.mark.parametrize("n_systems", [4, 7, 100])
def test_a_long_cycle_is_found_where_there_is_no_shorter(n_systems: int) -> None:
    preference = np.ones((n_systems, n_systems)) - np.eye(n_systems)
    index = np.arange(n_systems)
    preference[index, (index + 1) % n_systems] = 2.0
    assert majorities(preference).cycle == tuple(range(n_systems))


def test_a_system_never_compared_has_no_score() -> None:
    preference = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert_array_equal(wins(preference).score, [1.0, 0.0, np.nan])
    assert_array_equal(copeland(preference).score, [1.0, 0.0, np.nan])
    assert majorities(preference).undecided == ((0, 2), (1, 2))


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
    labels = [f"s{i}" for i in range(len(preference))]
    found = Condorcet.of(majorities(preference), majority(preference), labels, level="one")
    assert set(found.systems[: len(found.smith_set)]) == set(found.smith_set)
    assert sum(found.wins) == sum(found.losses) == majority(preference).sum()


def test_many_systems_are_cut_short_for_people_only() -> None:
    scores = podium.from_arrays({"t": np.arange(40.0).reshape(20, 2)}, systems=[f"s{i}" for i in range(20)])
    found = podium.condorcet(scores)
    assert (found.winner, len(found.rows())) == ("s19", 20)
    assert found.view().tables[0].rows[-1][0] == "… 5 more"
