"""Dependent effects beside R's metafor and clubSandwich: all worlds of validation/dependence.R."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.comparison.dependence import robust_variance
from podium.comparison.pooling import Pooling, pool_model
from podium.comparison.random_effects import Rotated

CONTENT = json.loads(Path(__file__).with_name("dependence.json").read_text(encoding="utf-8"))

#: Theirs, ours.
ESTIMATORS = {"REML": "reml", "DL": "dl", "PM": "pm", "EE": "fixed"}


def named(world: dict[str, Any]) -> str:
    return f"{world['k']} tasks, {world['form']}"


def numbers(effect: Any, covariance: Any, cluster: Any, method: str) -> dict[str, Any]:
    y, v = np.array(effect), np.array(covariance)
    rotated = Rotated.of(y[None], v)
    pooled, fit = pool_model(rotated, Pooling(ESTIMATORS[method], "normal", 0.95))
    variance, df = robust_variance(y[None] - fit.mean[:, None], rotated.inverse(fit), np.array(cluster))
    return {
        "estimate": pooled.estimate[0],
        "se": pooled.std_error[0],
        "tau2": pooled.tau2[0],
        "q": pooled.q[0],
        "q_p": pooled.q_p[0],
        "weight": pooled.weight[0],
        "robust": {"se": variance[0] ** 0.5, "df": df[0]},
    }


def assert_equal(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    for name in ours.keys() & theirs.keys() - {"robust"}:
        assert_allclose(ours[name], theirs[name], rtol=1e-8, atol=1e-10, err_msg=name)
    for name in ("se", "df"):
        assert_allclose(ours["robust"][name], theirs["robust"][name], rtol=1e-8, err_msg=name)


def test_the_file_says_where_it_is_from() -> None:
    assert CONTENT["made_by"] == "validation/dependence.R"
    assert CONTENT["versions"].keys() == {"R", "metafor", "clubSandwich"}
    assert len(CONTENT["worlds"]) == 64


@pytest.mark.parametrize("world", CONTENT["worlds"], ids=named)
def test_a_full_covariance_matrix_is_pooled_as_by_rma_mv(world: dict[str, Any]) -> None:
    assert_equal(numbers(world["y"], world["covariance"], world["cluster"], "REML"), world["full"])


@pytest.mark.parametrize("world", CONTENT["worlds"], ids=named)
def test_robust_variances_are_those_of_clubsandwich_with_every_estimator(world: dict[str, Any]) -> None:
    alone = np.diag(np.diag(world["covariance"]))
    for theirs in world["alone"]:
        assert_equal(numbers(world["y"], alone, world["cluster"], theirs["method"]), theirs)


@pytest.mark.parametrize("world", CONTENT["worlds"], ids=named)
def test_what_pool_returns_is_the_test_of_clubsandwich(world: dict[str, Any]) -> None:
    labels = [f"task {number}" for number in range(1, world["k"] + 1)]
    cluster: dict[str, list[str]] = {}
    for label, number in zip(labels, world["cluster"], strict=True):
        cluster.setdefault(f"cluster {number}", []).append(label)
    for given, theirs in ((world["covariance"], world["full"]), (np.diag(world["covariance"]), world["alone"][0])):
        analysis = podium.pool(world["y"], given, cluster=cluster)
        assert analysis.interval == "cr2"
        ours = analysis.summary
        robust = theirs["robust"]
        shown = [ours.effect, ours.std_error, ours.df, ours.low, ours.high]
        assert_allclose(shown, [theirs["estimate"], *(robust[name] for name in ("se", "df", "low", "high"))], rtol=1e-7)
        assert_allclose(ours.p, robust["p"], rtol=1e-6, atol=1e-12)
