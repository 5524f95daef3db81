"""More repeats where the verdict is open, and all cases where they are few."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
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
    assert one.tries.tolist() == [1, 6, 15, 20, 15, 6]
    for s, lost in enumerate(range(6)):
        kept = []
        for some in combinations(range(6), 6 - lost):
            rows = podium.rank(replace(TOY, tasks=tuple(TOY.tasks[t] for t in some)), confidence=None).rows()
            first = [row["system"] for row in rows if row["rank"] == 1]
            kept.append(("C" in first) / len(first))
        assert one.mean("kept")[0, s] == pytest.approx(np.mean(kept))


def test_repeats_are_added_alike_however_a_study_is_cut(tmp_path: Path) -> None:
    ask: dict[str, Any] = {"only": ["corrupt", "missing"], "leave_out": False, "repeats": 10, "most_repeats": 80}
    whole = podium.stress(TOY, ["borda"], jobs=1, **ask)
    assert max(one.tries[~one.certain].max() for one in whole.study.swept) > 10

    def stop(done: int, _: int | None) -> None:
        if done == 150:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        podium.stress(TOY, ["borda"], jobs=1, checkpoint=tmp_path / "a", progress=stop, **ask)
    again = podium.stress(TOY, ["borda"], jobs=2, checkpoint=tmp_path / "a", **ask)
    assert again.to_dict() == whole.to_dict()


def test_intervals_of_shares_hold_at_least_as_often_as_they_say() -> None:
    for p in (0.01, 0.1, 0.37, 0.5):
        number = np.arange(41)
        low, high = share_interval(number / 40, 40, 0.05)
        missed = binom.pmf(number, 40, p)[(low > p) | (high < p)].sum()
        assert missed <= 0.05
