"""Friedman's test against SciPy, and the quantiles of a range."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from podium.comparison.task_tests import friedman, range_quantile

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
