"""The core of `make validation`: what has been wrong before is asked in every run of the tests."""

import importlib
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

SCRIPTS = Path(__file__).parents[2] / "validation"

#: How seldom chance alone may break a row whose statements are exactly as sure as they say.
BY_CHANCE = 0.001


def script(name: str) -> Any:
    """Import one of the scripts, whose names do not stay on the path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        return importlib.import_module(name)


CORE = script("core").CORE


@pytest.mark.parametrize("row", CORE, ids=[row.label for row in CORE])
def test_statements_are_as_sure_as_they_say(row: Any) -> None:
    assert broken(row) == []


@pytest.mark.parametrize("row", [pytest.param(row, id=row.label) for row in script("core").released()])
def test_shuffled_names_of_released_tables_are_not_separated(row: Any, shared: Path) -> None:
    table = shared / "data" / "scores" / row.label.rsplit(", ")[-1]
    if not table.exists():
        pytest.skip(f"{table.name} is not among the shared data")
    assert broken(row) == []


def broken(row: Any) -> list[str]:
    """Which statements of a row are true too seldom, or of intervals also too often."""
    verdicts = [found for trial in row.trials for found in script("validate").verdicts(trial, (1,), row.worlds)]
    wrong = []
    for name, (low, high) in script("studies").WANTED.items():
        told = np.array([getattr(verdict, name) for verdict in verdicts])
        told = told[~np.isnan(told)]
        if not told.size:
            continue
        slack = binom.isf(BY_CHANCE, told.size, 0.05) / told.size - 0.05  # of statements that are true or false
        if low > 0 and high < 1:  # of shares of several intervals
            slack = norm.isf(BY_CHANCE) * told.std(ddof=1) / sqrt(told.size)
        if not low - slack <= told.mean() <= high + slack:
            wrong.append(f"{name}: {told.mean():.3f} of {told.size} worlds")
    return wrong


def test_a_row_that_does_not_keep_its_promise_is_found() -> None:
    verdict = script("trials").Verdict
    row = script("section").Row("always wrong", (lambda rng: verdict(parted=float(rng.random() < 0.2)),), 100)
    assert [text.split(":")[0] for text in broken(row)] == ["parted"]


def test_flips_of_one_pair_are_counted_in_all_ways() -> None:
    rng = np.random.default_rng(0)
    told = []
    for units in (5, 6, 7, 8):
        for differences in rng.normal(0.8, 1, (40, units)):
            sums = [abs(np.dot(signs, differences)) for signs in product((-1, 1), repeat=units)]
            p = np.mean(np.array(sums) >= abs(differences.sum()) - 1e-12)
            told.append(p <= 0.05)
            assert script("units").flips(differences[:, None], rng) == [told[-1]]
    assert 0 < sum(told) < len(told)


def test_shuffled_names_leave_holes_where_they_are() -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random((6, 40)) < 0.4, np.nan, rng.normal(size=(6, 40)))
    names = rng.permuted(np.tile(np.arange(6)[:, None], 40), axis=0)
    found = script("nulls")._renamed(values, names)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(values))
    np.testing.assert_array_equal(np.sort(found, axis=0), np.sort(values, axis=0))
    assert (found != values)[~np.isnan(values)].any()
