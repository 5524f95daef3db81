"""More repeats where the verdict is open, and all cases where they are few."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import podium
from podium.robustness.study.interval import share_interval

TOY = podium.datasets.toy_table1()


def test_all_cases_are_those_of_a_plain_loop() -> None:
    study = podium.stress(TOY, ["borda"], only="tasks", repeats=20, leave_out=False, jobs=1).study
    (one,) = study.swept
    assert one.tries.tolist() == [[1, 6, 15, 20, 15, 6]]
    for s, lost in enumerate(range(6)):
        kept = []
        for some in combinations(range(6), 6 - lost):
            rows = podium.rank(replace(TOY, tasks=tuple(TOY.tasks[t] for t in some)), confidence=None).rows()
            first = [row["system"] for row in rows if row["rank"] == 1]
            kept.append(("C" in first) / len(first))
        assert one.mean("kept")[0, s] == pytest.approx(np.mean(kept))


def test_repeats_are_added_alike_on_any_number_of_processes() -> None:
    ask: dict[str, Any] = {"only": ["corrupt", "missing"], "leave_out": False, "repeats": 10, "most_repeats": 80}
    whole = podium.stress(TOY, ["borda"], jobs=1, **ask)
    assert max(one.tries[:, ~one.certain].max() for one in whole.study.swept) > 10
    again = podium.stress(TOY, ["borda"], jobs=2, **ask)
    assert again.to_dict() == whole.to_dict()


def test_only_the_first_method_ranks_what_is_added() -> None:
    ask: dict[str, Any] = {"only": ["corrupt", "missing"], "leave_out": False, "repeats": 10, "most_repeats": 80}
    both = podium.stress(TOY, ["borda", "mean"], jobs=1, **ask)
    alone = podium.stress(TOY, ["borda"], jobs=1, **ask)
    plain = podium.stress(TOY, ["mean"], jobs=1, **{**ask, "most_repeats": 10})
    for two, one, other in zip(both.study.swept, alone.study.swept, plain.study.swept, strict=True):
        drawn = ~two.certain
        assert two.tries[0, drawn].max() > 10
        assert (two.tries[1, drawn] == 10).all()
        for name in ("tries", "first", "unplaced", "unranked", "kept", "tau"):
            np.testing.assert_array_equal(getattr(two, name)[0], getattr(one, name)[0])
        np.testing.assert_array_equal(two.mean("tau")[1, drawn], other.mean("tau")[0, drawn])
        for end, end_of_other in zip(both.study.interval(two), plain.study.interval(other), strict=True):
            np.testing.assert_array_equal(end[1, drawn], end_of_other[0, drawn])


def test_intervals_of_shares_hold_at_least_as_often_as_they_say() -> None:
    for p in (0.01, 0.1, 0.37, 0.5):
        number = np.arange(41)
        low, high = share_interval(number / 40, 40, 0.05)
        missed = binom.pmf(number, 40, p)[(low > p) | (high < p)].sum()
        assert missed <= 0.05
