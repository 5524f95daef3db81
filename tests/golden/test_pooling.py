"""Intervals of few effects beside metafor's test "adhoc", and their degrees of freedom beside clubSandwich's."""

import json
from pathlib import Path
from typing import Any

import pytest

from podium.comparison.pooling import Pooled, pool

pytestmark = pytest.mark.core

GOLDEN = Path(__file__).with_name("pooling.json")
WORLDS: list[dict[str, Any]] = json.loads(GOLDEN.read_text("utf-8"))["worlds"]
ESTIMATORS = {"EE": "fixed", "DL": "dl", "REML": "reml", "PM": "pm"}
OURS = {
    "estimate": "estimate",
    "se": "std_error",
    "df": "df",
    "pval": "p",
    "ci_lb": "low",
    "ci_ub": "high",
    "pi_lb": "prediction_low",
    "pi_ub": "prediction_high",
    "tau2": "tau2",
}


def fits() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [(world, fit) for world in WORLDS for fit in world["fits"]]


def pooled(world: dict[str, Any], fit: dict[str, Any], interval: str) -> Pooled:
    return pool(world["y"], world["v"], estimator=ESTIMATORS[fit["method"]], interval=interval)


def test_a_factor_never_below_one_is_metafors() -> None:
    below = 0
    for world, fit in fits():
        ours = pooled(world, fit, "adhoc")
        for theirs, name in OURS.items():
            if fit[theirs] is not None:
                assert float(getattr(ours, name)) == pytest.approx(fit[theirs], rel=1e-7, abs=1e-9), (fit, name)
        below += float(pooled(world, fit, "knapp-hartung").std_error) < float(ours.std_error) * (1 - 1e-9)
    assert below > 20, "the factor is below 1 in many of these worlds"


def test_degrees_of_freedom_are_clubsandwichs() -> None:
    for world, fit in fits():
        ours = pooled(world, fit, "satterthwaite")
        assert float(ours.df) == pytest.approx(fit["satterthwaite"], rel=1e-6)
        assert float(ours.std_error) == pytest.approx(fit["se"], rel=1e-7)
