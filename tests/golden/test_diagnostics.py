"""Influence diagnostics, Baujat plots and moderators beside metafor, in a file by `validation/diagnostics.R`."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import podium
from podium.comparison.moderators import Design, Designs, regress
from podium.comparison.pooling import pool
from podium.comparison.synthesis import diagnose

pytestmark = pytest.mark.core

GOLDEN = json.loads(Path(__file__).with_name("diagnostics.json").read_text("utf-8"))

#: metafor iterates until steps are below 1e-13; what is 0 there is 0 here but for rounding.
EXACT: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-11}

#: Theirs and ours.
INFLUENCE = {"rstudent": "studentised"} | {
    name: name for name in ("dffits", "cook", "covariance_ratio", "hat", "dfbetas", "influential")
}

REGRESSION = ("estimate", "std_error", "low", "high", "p", "covariance", "tau2", "i2", "h2", "qe", "qm", "qm_p")


def of_cases(kind: str) -> list[Any]:
    return [
        pytest.param(
            case, fit, id="-".join([case["data"], *fit.get("moderators", ()), fit["estimator"], fit["interval"]])
        )
        for case in GOLDEN["cases"]
        for fit in case[kind]
    ]


def as_ours(name: str) -> str:
    return "intercept" if name == "intrcpt" else name


@pytest.mark.parametrize(("case", "theirs"), of_cases("influence"))
def test_influence_and_baujat(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    y, v = np.array(case["effect"]), np.array(case["variance"])
    how = {"estimator": theirs["estimator"], "interval": theirs["interval"]}
    rest = pool(np.where(np.eye(y.size) > 0, np.nan, y), np.broadcast_to(v, (y.size, y.size)), **how)
    ours = diagnose(y, v, pool(y[None], v[None], **how), rest)
    for name, field in INFLUENCE.items():
        assert_allclose(ours[field], theirs[name], err_msg=name, **EXACT)
    assert_allclose(ours["pearson"] ** 2, theirs["baujat_x"], **EXACT)
    assert_allclose(ours["shift"] ** 2, theirs["baujat_y"], **EXACT)
    if y.size > 2:  # a single task has no variance between tasks here, and 0 there
        assert_allclose(rest.tau2, theirs["tau2"], **EXACT)
        assert_allclose(rest.q, theirs["q"], **EXACT)


@pytest.mark.parametrize(("case", "theirs"), of_cases("regressions"))
def test_moderators(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    tasks = [f"task {row}" for row in range(len(case["effect"]))]
    design = Design.of({name: case["moderators"][name] for name in theirs["moderators"]}, tasks)
    assert [f"{name}{group or ''}" for name, group, _ in design.terms] == [*map(as_ours, theirs["names"])]
    how = {"estimator": theirs["estimator"], "interval": theirs["interval"]}
    ours = regress([case["effect"]], [case["variance"]], design.matrix, **how)
    for name in REGRESSION:
        assert_allclose(getattr(ours, name)[0], theirs[name], err_msg=name, **EXACT)
    if theirs["estimator"] != "fixed":
        ends = ours.tau2_low[0], ours.tau2_high[0]
        assert_allclose(ends, (theirs["tau2_low"], theirs["tau2_high"]), **EXACT)


@pytest.mark.parametrize(("case", "theirs"), of_cases("regressions"))
def test_degrees_of_freedom_of_a_robust_variance_are_clubsandwichs(
    case: dict[str, Any], theirs: dict[str, Any]
) -> None:
    tasks = [f"task {row}" for row in range(len(case["effect"]))]
    design = Design.of({name: case["moderators"][name] for name in theirs["moderators"]}, tasks)
    designs = Designs.of(np.array([case["effect"]]), np.array([case["variance"]]), design.matrix)
    tau2 = np.array([theirs["tau2"]])
    assert_allclose(designs.fit(tau2).robust_df[0], theirs["robust_freedom"], rtol=1e-6)


@pytest.mark.parametrize(("case", "theirs"), of_cases("regressions"))
def test_what_users_are_told_is_the_same(case: dict[str, Any], theirs: dict[str, Any]) -> None:
    moderators = {name: case["moderators"][name] for name in theirs["moderators"]}
    how = {"estimator": theirs["estimator"], "interval": theirs["interval"]}
    found = podium.pool(case["effect"], case["variance"], moderators=moderators, **how).moderation
    assert found is not None
    columns = ("estimate", "std_error", "statistic", "p", "low", "high")
    rows = [[getattr(one, name) for name in columns] for one in found.coefficients]
    assert_allclose(rows, np.transpose([theirs[name] for name in columns]), **EXACT)
    for name in ("qm", "qm_p", "qe", "qe_p", "r2", "tau2"):
        assert_allclose(getattr(found, name), theirs[name], err_msg=name, **EXACT)
    student = theirs["interval"] != "normal"
    assert theirs["qm_freedom"][0] == len(found.coefficients) - 1
    assert (found.qm_df, found.student) == ((theirs["qm_freedom"][1], True) if student else (np.inf, False))


def test_versions_are_written_down() -> None:
    assert GOLDEN["versions"].keys() == {"R", "metafor", "clubSandwich"}
    assert len(of_cases("influence")) == 84
    assert len(of_cases("regressions")) == 156
