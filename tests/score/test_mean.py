"""Means of systems and their standard errors: beside statsmodels, by hand, and where there is nothing to know."""

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from podium.score.task import Clusters, Task, mean_scores


@given(st.integers(0, 10_000), st.booleans(), st.booleans(), st.booleans())
def test_errors_are_those_of_statsmodels(seed: int, clustered: bool, weighted: bool, holes: bool) -> None:
    """A regression on a constant: robust (HC1) for single instances, cov_type="cluster" for clusters."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    labels = np.append([0, 1], rng.integers(0, 6, n - 2))
    values = rng.normal(5, 2, (2, n)) + rng.normal(size=6)[labels]
    weights = rng.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    if holes:
        values[1, rng.permutation(n - 2)[: n // 3] + 2] = np.nan
    details = {"clusters": Clusters.of(list(map(str, labels)))} if clustered else {}
    means, errors = mean_scores(Task.cut("t", values, instance_weights=weights, **details))
    for row, mean, error in zip(values, means, errors, strict=True):
        known = ~np.isnan(row)
        fit = sm.WLS(row[known], np.ones(known.sum()), weights=weights[known])
        told = {"cov_type": "cluster", "cov_kwds": {"groups": labels[known]}} if clustered else {"cov_type": "HC1"}
        fitted = fit.fit(**told)
        assert_allclose([mean, error], [fitted.params[0], fitted.bse[0]], rtol=1e-9)


def test_a_large_task_is_the_same_as_its_systems_one_by_one() -> None:
    values = np.random.default_rng(0).normal(size=(3, 600_000)).astype(np.float32)
    together = np.array(mean_scores(Task.cut("t", values)))
    alone = np.array([np.ravel(mean_scores(Task.cut("t", row[None]))) for row in values]).T
    assert_allclose(together, alone, rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "clusters", "weights", "mean"),
    [
        ([np.nan, np.nan], None, None, np.nan),
        ([0.5, np.nan], None, None, 0.5),
        ([0.5, 0.7], ["a", "a"], None, 0.6),
        ([0.5, 0.7], None, [1.0, 0.0], 0.5),
    ],
)
def test_one_instance_or_cluster_has_no_error(
    values: list[float], clusters: list[str] | None, weights: list[float] | None, mean: float
) -> None:
    task = Task.cut(
        "t",
        np.array([values]),
        clusters=None if clusters is None else Clusters.of(clusters),
        instance_weights=None if weights is None else np.array(weights),
    )
    means, errors = mean_scores(task)
    assert_allclose(means, [mean])
    assert np.isnan(errors).all()
