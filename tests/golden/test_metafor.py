"""Pooling beside R's metafor: every case of the golden file whose estimator podium offers, and what was printed."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import chi2
from statsmodels.stats.meta_analysis import combine_effects

from podium.comparison.pooling import Pooled, pool

pytestmark = pytest.mark.core

# metafor iterates τ² until steps of it are below 1e-12, which leaves up to 1e-8 of a small end of its interval. What is
# 0 there is 0 here but for rounding.
RELATIVE, ABSOLUTE = 1e-6, 1e-12

#: Theirs, ours; empirical Bayes has the estimating equation of Paule and Mandel.
ESTIMATORS = {"EE": "fixed", "DL": "dl", "REML": "reml", "PM": "pm", "EB": "pm"}
NOT_OFFERED = {"ML", "HE", "SJ", "HS"}
INTERVALS = {"z": "normal", "knha": "knapp-hartung"}

#: What podium does not give: standard errors and other intervals of τ², and intervals of I² and H², which only rescale
#: that of τ².
NO_SUCH_NUMBER = {"tau2_se", "I2_ci", "H2_ci", "I2_ci_lb", "I2_ci_ub", "H2_ci_lb", "H2_ci_ub"}
NO_SUCH_NUMBER |= {"tau2_ci_profile_likelihood", "tau2_ci_wald"}
#: The search for this end stopped at 10 τ²; see the test of it.
SEARCH_ENDED = {("dat.normand1999 mean difference", "DL", "tau2_ci_ub")}

#: Printed from data with more digits than the file has, and when iterations had come within 1e-5: the fourth digit may
#: differ.
ROUNDED_DATA = ("dat.normand1999", "dat.hine1989")
ITERATED = ("REML", "EB")
FOURTH_DIGIT = 5e-4


class Case(NamedTuple):
    data: str
    effect: list[float]
    variance: list[float]
    method: str
    test: str
    theirs: dict[str, float]
    printed: dict[str, Any]

    def pooled(self) -> Pooled:
        interval, estimator = INTERVALS[self.test], ESTIMATORS[self.method]
        return pool(self.effect, self.variance, estimator=estimator, interval=interval)


def cases(shared: Path) -> Iterator[Case]:
    content = json.loads((shared / "data/golden/metafor.json").read_text())
    for data in content["datasets"]:
        for case in data["cases"]:
            printed = case.get("published", {})
            yield Case(data["name"], data["yi"], data["vi"], case["method"], case["test"], case["metafor"], printed)


@pytest.fixture(scope="session")
def offered(shared: Path) -> list[Case]:
    return [case for case in cases(shared) if case.method in ESTIMATORS]


def by_their_names(pooled: Pooled) -> dict[str, float]:
    ours = {
        "estimate": pooled.estimate,
        "se": pooled.std_error,
        "stat": pooled.estimate / pooled.std_error,
        "df": pooled.df,
        "pval": pooled.p,
        "ci_lb": pooled.low,
        "ci_ub": pooled.high,
        "tau2": pooled.tau2,
        "tau": np.sqrt(pooled.tau2),
        "I2": 100 * pooled.i2,
        "H2": pooled.h2,
        "QE": pooled.q,
        "QE_p": pooled.q_p,
        "QE_df": pooled.k - 1,
        "pi_lb": pooled.prediction_low,
        "pi_ub": pooled.prediction_high,
        "tau2_ci_lb": pooled.tau2_low,
        "tau2_ci_ub": pooled.tau2_high,
    }
    scales = {"exp_pred": "estimate", "exp_ci_lb": "ci_lb", "exp_ci_ub": "ci_ub"}
    scales |= {"exp_pi_lb": "pi_lb", "exp_pi_ub": "pi_ub"}
    ours |= {exponential: np.exp(ours[name]) for exponential, name in scales.items()}
    return {name: float(number) for name, number in ours.items()}


def test_no_case_of_the_file_is_left_out(shared: Path) -> None:
    methods = Counter(case.method for case in cases(shared))
    assert methods == dict.fromkeys(ESTIMATORS.keys() | NOT_OFFERED, 22)
    assert methods.total() == 198


def test_every_number_of_metafor(offered: list[Case]) -> None:
    compared = Counter[str]()
    for case in offered:
        ours = by_their_names(case.pooled())
        for name, theirs in case.theirs.items():
            if name in NO_SUCH_NUMBER or (case.data, case.method, name) in SEARCH_ENDED:
                continue
            assert_allclose(ours[name], theirs, rtol=RELATIVE, atol=ABSOLUTE, err_msg=f"{case[:1]} {case[3:5]} {name}")
            compared[name] += 1
    always = dict.fromkeys(("estimate", "se", "stat", "pval", "ci_lb", "ci_ub", "tau2", "I2", "H2", "QE", "QE_p"), 110)
    # Fixed effects have no prediction interval and no interval of τ²; two ends are those of the ended search.
    random = {"pi_lb": 88, "pi_ub": 88, "tau2_ci_lb": 88, "tau2_ci_ub": 86}
    assert compared == always | random


def test_where_their_search_ended_ours_is_where_q_is_the_quantile(offered: list[Case]) -> None:
    ended = [case for case in offered if (case.data, case.method, "tau2_ci_ub") in SEARCH_ENDED]
    assert len(ended) == 2
    (data,) = {case.data for case in ended}
    others = [case for case in offered if case.data == data and case.method in {"REML", "PM", "EB"}]
    assert len(others) == 6
    for case in ended:
        ours = case.pooled()
        assert case.theirs["tau2_ci_ub"] == pytest.approx(10 * case.theirs["tau2"], rel=1e-12)
        y, v = np.array(case.effect), np.array(case.variance)
        w = 1 / (v + ours.tau2_high)
        q = (w * (y - (w * y).sum() / w.sum()) ** 2).sum()
        assert q == pytest.approx(chi2.ppf(0.025, y.size - 1), rel=1e-12)
        # The interval does not depend on the estimator, and for the others their search did not end.
        for other in others:
            assert float(ours.tau2_high) == pytest.approx(other.theirs["tau2_ci_ub"], rel=RELATIVE)


def half_a_unit(printed: float) -> float:
    """Half a unit of the last digit; the file drops zeros at the end, but nothing was printed to fewer than two."""
    decimals = max(len(str(printed).partition(".")[2]), 2)
    return 0.5 * 10.0**-decimals + 1e-12


def figures(case: Case) -> Iterator[tuple[float, float]]:
    """Printed numbers, and ours; the ends of an interval one by one."""
    ours = by_their_names(case.pooled())
    for name, printed in case.printed.items():
        if name in ("tau2_ci", "tau_ci"):
            ends = (ours["tau2_ci_lb"], ours["tau2_ci_ub"])
            yield from zip(printed, ends if name == "tau2_ci" else np.sqrt(ends), strict=True)
        elif name not in NO_SUCH_NUMBER:
            yield printed, ours[name]


def test_the_figures_as_printed(offered: list[Case]) -> None:
    exact = near = 0
    for case in offered:
        loose = case.method in ITERATED or case.data.startswith(ROUNDED_DATA)
        for printed, ours in figures(case):
            if abs(printed - ours) <= half_a_unit(printed):
                exact += 1
                continue
            assert loose, f"{case[:1]} {case[3:5]}: printed {printed}, ours {ours}"
            assert ours == pytest.approx(printed, rel=FOURTH_DIGIT)
            near += 1
    assert (exact, near) == (166, 14)


effects = st.lists(st.tuples(st.floats(-10, 10), st.floats(0.01, 100)), min_size=2, max_size=12)


@given(tasks=effects)
def test_statsmodels_where_it_does_not_go_below_zero(tasks: list[tuple[float, float]]) -> None:
    y, v = map(np.array, zip(*tasks, strict=True))
    with np.errstate(all="ignore"):  # it divides by weights that are negative or 0 then
        theirs = combine_effects(y, v, method_re="dl")
    # It does not cut τ² at 0; and its Q loses digits where effects are alike, which podium's does not.
    assume(theirs.tau2 >= 1e-6)
    normal, scaled = (pool(y, v, estimator="dl", interval=interval) for interval in ("normal", "knapp-hartung"))
    assert_allclose(normal.tau2, theirs.tau2, rtol=1e-8)
    assert_allclose(normal.estimate, theirs.mean_effect_re, rtol=1e-8, atol=1e-8)
    assert_allclose(normal.std_error, theirs.sd_eff_w_re, rtol=1e-8)
    assert_allclose(normal.weight, theirs.weights_rel_re, rtol=1e-8)
    assert_allclose(normal.q, theirs.q, rtol=1e-8)
    assert_allclose(scaled.std_error, np.sqrt(theirs.var_hksj_re), rtol=1e-6)
    fixed = pool(y, v, estimator="fixed", interval="normal")
    assert_allclose(fixed.estimate, theirs.mean_effect_fe, rtol=1e-8, atol=1e-8)
    assert_allclose(fixed.std_error, theirs.sd_eff_w_fe, rtol=1e-8)
    assert_allclose((normal.low, normal.high), theirs.conf_int()[1], rtol=1e-8, atol=1e-8)
