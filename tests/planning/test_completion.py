"""The value of missing scores, against enumeration of everything they may turn out to be."""

from itertools import permutations, product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium.planning import completion
from podium.planning.completion import cell_values, values_of_many

Floats = NDArray[np.float64]


@st.composite
def tables(draw: st.DrawFn, max_tasks: int = 3, max_systems: int = 5) -> Floats:
    """Draw places without ties, `(T, N)`, NaN where unscored."""
    n_tasks, n_systems = draw(st.integers(1, max_tasks)), draw(st.integers(2, max_systems))
    places = np.full((n_tasks, n_systems), np.nan)
    for row in places:
        scored = draw(st.permutations(range(n_systems)))[: draw(st.integers(0, n_systems))]
        row[list(scored)] = np.arange(len(scored)) + 1.0
    return places


def completed(places: Floats) -> Floats:
    """Ranks `(M, N)` of every complete order that agrees with one ballot."""
    everything = np.array(list(permutations(range(1, places.size + 1))), dtype=np.float64)
    scored = np.argsort(places)[: np.count_nonzero(~np.isnan(places))]
    result: Floats = everything[(np.diff(everything[:, scored], axis=1) > 0).all(axis=1)]
    return result


def filled(places: Floats, system: int) -> list[Floats]:
    """Ballots that one more score may make of a ballot, all as likely."""
    ballots = []
    for place in range(1, np.count_nonzero(~np.isnan(places)) + 2):
        ballot = places + (places >= place)
        ballot[system] = place
        ballots.append(ballot)
    return ballots


def by_enumeration(places: Floats, weights: Floats) -> Floats:
    """Means and variances from enumerated orders, and Φ₂ from SciPy."""
    n_tasks, n_systems = places.shape
    weigh = weights / weights.sum() / (n_systems - 1)
    orders = [completed(ballot) for ballot in places]
    values = np.full(places.shape, np.nan)
    for t, i in np.argwhere(np.isnan(places)):
        after = np.array([completed(ballot).mean(axis=0) for ballot in filled(places[t], i)])
        values[t, i] = 0.0
        for j in set(range(n_systems)) - {i}:
            mean = sum(weigh[s] * (orders[s][:, j] - orders[s][:, i]).mean() for s in range(n_tasks))
            variance = sum(weigh[s] ** 2 * (orders[s][:, j] - orders[s][:, i]).var() for s in range(n_tasks))
            if variance > 0:
                rho = min(weigh[t] ** 2 * (after[:, j] - after[:, i]).var() / variance, 1.0)
                values[t, i] += 4 * told(float(mean / np.sqrt(variance)), float(rho))
    return values


def told(h: float, rho: float) -> float:
    """Return Φ₂(h, h; ρ) − Φ(h)²."""
    once = float(scipy.stats.norm.cdf(h))
    if rho > 1 - 1e-9:
        return once * (1 - once)
    both = scipy.stats.multivariate_normal.cdf([h, h], cov=[[1, rho], [rho, 1]])
    return float(both) - once**2


@given(tables(), st.integers(1, 3))
def test_values_are_those_of_enumerated_orders(places: Floats, first: int) -> None:
    weights = np.ones(len(places))
    weights[0] = first
    found = cell_values(places, (~np.isnan(places)).astype(float), weights)
    # SciPy's Φ₂ and the quadrature are good to about 1e-6 for each pair
    assert_allclose(found, by_enumeration(places, weights), atol=2e-5)


@pytest.mark.parametrize("seed", range(6))
def test_values_foretell_how_undecided_the_pairs_of_a_system_will_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    places = np.full((8, 5), np.nan)
    for row in places:
        scored = rng.permutation(5)[: rng.integers(1, 5)]
        row[scored] = np.arange(scored.size) + 1.0
    values = cell_values(places, (~np.isnan(places)).astype(float), np.ones(8))
    chances = [chances_of(ballot) for ballot in places]
    for t, i in np.argwhere(np.isnan(places)):
        after = [undecided([*chances[:t], chances_of(b), *chances[t + 1 :]], i) for b in filled(places[t], i)]
        expected = undecided(chances, i) - np.mean(after)
        # of four pairs; that sums of eight small whole numbers are no smooth normal matters no more than this
        assert values[t, i] == pytest.approx(expected, abs=0.04)


def chances_of(places: Floats) -> Floats:
    """Probability `(N, N, 2N − 1)` that j stands −(N − 1), …, N − 1 places behind i on a ballot."""
    orders = completed(places)
    steps = range(1 - places.size, places.size)
    behind = orders[:, None, :] - orders[:, :, None]
    result: Floats = np.moveaxis(np.array([(behind == step).mean(axis=0) for step in steps]), 0, -1)
    return result


def undecided(chances: list[Floats], i: int) -> float:
    """Sum of 4 p (1 − p) over the pairs of a system, ahead by all ballots together with probability p."""
    total = 0.0
    for j in set(range(len(chances[0]))) - {i}:
        lead = np.ones(1)
        for ballot in chances:
            lead = np.convolve(lead, ballot[i, j])
        ahead = float(lead[lead.size // 2 + 1 :].sum() + lead[lead.size // 2] / 2)
        total += 4 * ahead * (1 - ahead)
    return total


@given(tables(4, 7), st.data())
def test_the_order_of_systems_and_tasks_changes_nothing(places: Floats, data: st.DataObject) -> None:
    rows = data.draw(st.permutations(range(places.shape[0])))
    columns = data.draw(st.permutations(range(places.shape[1])))
    scored = np.where(np.isnan(places), 0.0, data.draw(st.sampled_from([1.0, 0.5])))
    found = cell_values(places, scored, np.ones(len(places)))
    both = np.ix_(rows, columns)
    assert_allclose(cell_values(places[both], scored[both], np.ones(len(places))), found[both], atol=1e-12)
    assert (np.isnan(found) == (scored == 1)).all()
    assert ((found >= 0) & (found <= places.shape[1] - 1) | np.isnan(found)).all()


def test_what_cannot_tell_is_worth_nothing() -> None:
    # nobody is scored on the second task; the third has no weight
    places = np.array([[1.0, 2.0, np.nan], [np.nan] * 3, [1.0, np.nan, 2.0]])
    values = cell_values(places, (~np.isnan(places)).astype(float), np.array([1.0, 1.0, 0.0]))
    assert values[0, 2] > 0.1
    assert_allclose(values[1:][np.isnan(places[1:])], 0.0, atol=1e-15)


def test_the_less_is_missing_in_part_the_less_it_is_worth() -> None:
    # on the second task nothing is scored, so that there is doubt beside the cell
    places = np.array([[1.0, 2.0, 3.0], [np.nan] * 3])
    shares = [0.01, 0.3, 0.6, 0.99]
    found = []
    for share in shares:
        scored = np.array([[1.0, share, 1.0], [0.0, 0.0, 0.0]])
        found.append(cell_values(places, scored, np.ones(2))[0, 1])
    assert found == sorted(found, reverse=True)
    assert found[-1] < 1e-3 < found[0]
    # a system scored hardly at all is as good as unscored
    middle = np.array([[1.0, np.nan, 2.0], [np.nan] * 3])
    assert found[0] == pytest.approx(cell_values(middle, (~np.isnan(middle)).astype(float), np.ones(2))[0, 1], rel=0.03)


def test_ties_are_worth_about_as_much_as_the_orders_they_stand_for() -> None:
    scored = np.array([[1.0, 1.0, 1.0, 0.0]])
    orders = [np.array([[*order, 3.0, np.nan]]) for order in product((1.0, 2.0), repeat=2) if order[0] != order[1]]
    apart = [cell_values(places, scored, np.ones(1))[0, 3] for places in orders]
    tied = cell_values(np.array([[1.5, 1.5, 3.0, np.nan]]), scored, np.ones(1))[0, 3]
    assert apart[0] == pytest.approx(apart[1])
    # a tenth: at one place, rather than one of them ahead
    assert tied == pytest.approx(apart[0], rel=0.1)


@pytest.mark.parametrize("seed", [0, 1])
def test_values_of_many_tasks_are_those_of_each(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    places = np.argsort(np.argsort(rng.normal(np.arange(9) / 9, 1.0, (400, 9)))) + 1.0
    places[rng.random(places.shape) < rng.random(9)] = np.nan
    places = scipy.stats.rankdata(places, axis=1, nan_policy="omit")
    places[200:300] = places[:100]  # the same holes
    weights = rng.choice([0.0, 0.5, 1.0], 400)
    monkeypatch.setattr(completion, "_MANY", 0)
    monkeypatch.setattr(completion, "_TASKS", 64)
    monkeypatch.setattr(completion, "_NUMBERS", 100)
    found = values_of_many(places, weights)
    assert found is not None
    each = cell_values(places, (~np.isnan(places)).astype(float), weights)
    # a score settles at most a hundredth: what is left out is below 0.2 · 0.01⁴ for each of 8 pairs
    assert_allclose(found, each, rtol=0, atol=2e-8)
    assert found.shape == places.shape
    assert values_of_many(places[:4], weights[100:104]) is None  # a score settles much


def test_of_many_missing_scores_the_most_useful_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = podium.datasets.xtreme_missing()
    whole = podium.plan(scores)
    monkeypatch.setattr(completion, "_LISTED", 7)
    plan = podium.plan(scores)
    assert plan.cells == whole.cells[:7]
    assert "18 scores are missing; the 7 that would narrow the ranking most are listed" in plan.notes
    assert not any("are listed" in note for note in whole.notes)
