"""Distances and correlations against SciPy, enumeration and their own laws, with ties and unranked systems."""

import math
import warnings
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy import stats

from podium.agreement import (
    dispersion,
    dispersion_sampled,
    kendall_distance,
    kendall_tau,
    last_agreement,
    rank_biased_overlap,
    top_agreement,
)
from podium.errors import InputError, MethodError

pytestmark = pytest.mark.core

Floats = NDArray[np.float64]

place = st.integers(1, 6).map(float)
place_or_none = place | st.just(math.nan)


def several(count: int, *, unranked: bool = True) -> st.SearchStrategy[Floats]:
    """Draw rankings of the same systems; the first system always has a rank."""

    def shaped(size: int) -> st.SearchStrategy[Floats]:
        return hnp.arrays(np.float64, (count, size), elements=place_or_none if unranked else place)

    def with_a_first(table: Floats) -> Floats:
        return np.column_stack([np.nan_to_num(table[:, :1], nan=1.0), table[:, 1:]])

    return st.integers(1, 9).flatmap(shaped).map(with_a_first)


def counted(a: Floats, b: Floats, tie_penalty: float = 0.5) -> tuple[float, int]:
    """Distance and pairs, by looking at every pair."""
    distance, pairs = 0.0, 0
    for i, j in combinations(range(a.size), 2):
        if np.isnan([a[i], a[j], b[i], b[j]]).any():
            continue
        pairs += 1
        one, other = np.sign(a[i] - a[j]), np.sign(b[i] - b[j])
        distance += 1.0 if one * other < 0 else tie_penalty if (one == 0) != (other == 0) else 0.0
    return distance, pairs


@given(several(2), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_the_distance_is_that_of_counting_every_pair(ranks: Floats, tie_penalty: float) -> None:
    a, b = ranks
    distance, pairs = counted(a, b, tie_penalty)
    assert kendall_distance(a, b, tie_penalty=tie_penalty) == distance
    normalised = kendall_distance(a, b, tie_penalty=tie_penalty, normalised=True)
    assert normalised == distance / pairs if pairs else math.isnan(normalised)


@given(several(2))
def test_tau_is_that_of_scipy(ranks: Floats) -> None:
    a, b = ranks
    both = ~np.isnan(a) & ~np.isnan(b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns where tau does not exist
        theirs = float(stats.kendalltau(a[both], b[both]).statistic)
    # they multiply two square roots, we take the root of the product
    assert_allclose(kendall_tau(a, b), theirs, rtol=1e-14, atol=1e-14)


def test_tau_of_large_rankings_is_that_of_scipy_and_exactly_one_with_itself() -> None:
    generator = np.random.default_rng(3)
    a, b = generator.integers(0, 4000, (2, 20_001)).astype(float)
    assert kendall_tau(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, rel=1e-12)
    assert kendall_tau(a, a) == 1.0
    assert kendall_tau(a, -a) == -1.0


@given(several(2), st.data())
def test_only_the_order_of_ranked_systems_matters(ranks: Floats, data: Any) -> None:
    a, b = ranks
    order = data.draw(st.permutations(range(a.size)))
    longer = [np.append(3 * vector[order] - 7, extra) for vector, extra in ((a, math.nan), (b, 2.0))]
    for function in (kendall_distance, kendall_tau, rank_biased_overlap):
        assert_allclose(function(*longer), function(a, b), rtol=1e-14)


def biased_overlap(a: Floats, b: Floats, p: Fraction) -> Fraction:
    """RBO_ext from its definition, with sets."""
    size = a.size
    above = [[{i for i in range(size) if (ranks < ranks[i]).sum() < d} for d in range(1, size + 1)] for ranks in (a, b)]
    agreement = [Fraction(2 * len(s & t), len(s) + len(t)) for s, t in zip(*above, strict=True)]
    terms = (share * p**d for d, share in enumerate(agreement, start=1))
    return agreement[-1] * p**size + (1 - p) / p * sum(terms, Fraction(0))


@given(several(2, unranked=False), st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(99, 100)]))
def test_rank_biased_overlap_is_its_definition(ranks: Floats, p: Fraction) -> None:
    a, b = ranks
    assert rank_biased_overlap(a, b, p=float(p)) == pytest.approx(float(biased_overlap(a, b, p)), rel=1e-12)


@given(several(2, unranked=False))
def test_overlap_is_one_with_itself_and_symmetric(ranks: Floats) -> None:
    a, b = ranks
    assert rank_biased_overlap(a, a) == pytest.approx(1)
    assert rank_biased_overlap(a, b) == rank_biased_overlap(b, a)
    for n in range(1, a.size + 1):
        assert top_agreement(a, a, n) == 1
        assert last_agreement(a, b, n) == top_agreement(-a, -b, n)
    assert top_agreement(a, b, a.size) == 1


def test_ties_across_the_last_place_are_all_in() -> None:
    # {A} and {A, B, C}: 2 · 1 / (1 + 3)
    assert top_agreement([1, 2, 3, 4], [2, 2, 2, 4], 1) == 0.5
    assert last_agreement([1, 2, 3, 4], [1, 3, 3, 3], 1) == 0.5


@given(several(4))
def test_dispersion_is_the_mean_over_all_pairs_and_to_the_consensus(ranks: Floats) -> None:
    *rankings, consensus = ranks
    found = dispersion(rankings, to=consensus)
    assert found.pairwise == pytest.approx(np.mean([kendall_distance(a, b) for a, b in combinations(rankings, 2)]))
    assert found.to_consensus == pytest.approx(np.mean([kendall_distance(a, consensus) for a in rankings]))


def test_a_lone_ranking_has_no_distance_from_others() -> None:
    found = dispersion([[2, 1]])
    assert math.isnan(found.pairwise)
    assert found.to_consensus is None


def rankings_around_one(count: int, noise: float) -> Floats:
    generator = np.random.default_rng(5)
    scores: Floats = np.arange(12.0) + noise * generator.standard_normal((count, 12))
    ranks: Floats = np.asarray((-scores).argsort(axis=1).argsort(axis=1) + 1.0, dtype=np.float64)
    ranks[::7, 3] = np.nan
    return ranks


def test_sampled_dispersion_holds_its_promise() -> None:
    ranks = rankings_around_one(4000, 3.0)
    truth = dispersion(ranks).pairwise
    for seed in range(40):
        found = dispersion_sampled(ranks, epsilon=0.02, delta=0.1, rng=seed)
        assert found.half_width <= 0.02 * 66
        # the bound is wide: 40 of 40, where 36 are promised
        assert abs(found.pairwise - truth) <= found.half_width


def test_rankings_that_agree_need_fewer_samples() -> None:
    close, far = (dispersion_sampled(rankings_around_one(500, noise), rng=0) for noise in (0.3, 30.0))
    assert close.n_samples < far.n_samples / 2
    assert close.random == far.random == 33


def test_the_seed_decides_the_sample() -> None:
    ranks = rankings_around_one(100, 3.0)
    first, again, other = (dispersion_sampled(ranks, epsilon=0.05, rng=seed) for seed in (1, 1, 2))
    assert first == again
    assert first.pairwise != other.pairwise
    nothing: Any = None
    with pytest.raises(InputError, match="rng is None; it must be a numpy"):
        dispersion_sampled(ranks, epsilon=0.05, rng=nothing)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: kendall_tau([1, 2], [1, 2, 3]), "have 2 and 3 systems"),
        (lambda: kendall_distance([1, math.inf], [1, 2]), "rank is infinite"),
        (lambda: kendall_distance([[1, 2]], [1, 2]), r"shape \(1, 2\)"),
        (lambda: kendall_distance([1, 2], [1, 2], tie_penalty=2), "tie_penalty is 2"),
        (lambda: rank_biased_overlap([1, math.nan], [math.nan, 1]), "no system is ranked by both"),
        (lambda: top_agreement([1, 2, math.nan], [1, 2, 3], 3), "n is 3; it must lie between 1 and 2"),
        (lambda: rank_biased_overlap([1, 2], [1, 2], p=1), "p is 1"),
        (lambda: dispersion(np.empty((0, 3))), "no rankings"),
        (lambda: dispersion([[1, 2]], to=[1, 2, 3]), "consensus ranks 3 systems, and the rankings 2"),
        (lambda: dispersion_sampled([[1, 2]], rng=0), "1 rankings of 2 systems"),
        (lambda: dispersion_sampled([[1, 2], [2, 1]], epsilon=0, rng=0), "epsilon is 0"),
    ],
)
def test_what_makes_no_sense_is_refused(call: Any, message: str) -> None:
    with pytest.raises(MethodError, match=message):
        call()
