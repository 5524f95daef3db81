"""Signed-rank tests: the exact distribution against enumeration and SciPy, and laws of the Bayesian one."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from podium.comparison.task_tests import signed_rank_posterior, wilcoxon

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
