"""What a study says of its numbers, on a small one worked out by hand."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from podium.errors import LabelError, MethodError
from podium.robustness.study_result import Study, SweepResult


def swept(*, error: bool = True) -> SweepResult:
    """Two methods, three strengths, four repeats, two systems."""
    tau = np.array([[[1, 1, 1, 1], [1, 1, 1, -1], [1, -1, -1, -1]], [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0.0]]])
    return SweepResult(
        name="cells",
        axis="share of cells removed",
        strengths=np.array([0.0, 0.5, 0.9]),
        tau=tau,
        error=(1 - tau) / 2 if error else None,
        kept=np.array([[[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]], [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0.5]]]),
        first=np.array([[[1, 0], [0.75, 0.25], [0.25, 0.75]], [[1, 0], [1, 0], [0.875, 0.125]]]),
        unplaced=np.array([[0, 0, 0.25], [0, 0, 0]]),
        unranked=np.array([[0, 0, 0.5], [0, 0, 0]]),
        emptied=np.array([0, 0, 0.5]),
    )


def study(**changes: Any) -> Study:
    fields = {
        "systems": ("A", "B"),
        "methods": ("mean", "borda:one"),
        "leaders": (("A",), ("A",)),
        "swept": (swept(),),
        "repeats": 4,
        "seed": 7,
        "notes": ("something",),
    }
    return Study(**{**fields, **changes})


def test_a_mean_of_a_half_is_a_half_whatever_the_rounding() -> None:
    thirds = np.random.default_rng(1).permutation(np.repeat([1 / 3, 2 / 3], 50))
    assert thirds.mean() < 0.5  # by rounding
    shared = replace(swept(), kept=np.broadcast_to(thirds, (2, 3, 100)))
    assert study(swept=(shared,)).breakdown("kept") == {"cells": {"mean": None, "borda:one": None}}


def test_rows_have_mean_spread_and_quantiles() -> None:
    rows = study().rows()
    assert len(rows) == 3 * 2 * 3
    row = next(r for r in rows if (r["strength"], r["method"], r["measure"]) == (0.9, "mean", "tau"))
    assert row == {
        "stress": "cells",
        "strength": 0.9,
        "method": "mean",
        "measure": "tau",
        "mean": -0.5,
        "low": pytest.approx(-0.5 - 3.18245 / 2, abs=1e-5),  # Student, three degrees of freedom
        "high": pytest.approx(-0.5 + 3.18245 / 2, abs=1e-5),
        "sd": 1.0,  # squared deviations 2.25, 0.25, 0.25, 0.25, over 3
        "q05": -1.0,
        "q25": -1.0,
        "median": -1.0,
        "q75": -0.5,  # a quarter of the way from −1 to 1, and at 95 % by 0.85 of it
        "q95": pytest.approx(0.7),
        "repeats": 4,
        "listed": 0,
        "unplaced": 0.25,
        "unranked": 0.5,
        "emptied": 0.5,
    }


def test_breakdown_is_the_first_strength_past_the_bound() -> None:
    assert study().breakdown() == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("tau") == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("error") == {"cells": {"mean": None, "borda:one": None}}  # at ¾ at most
    assert study().breakdown("kept", at=0.8) == {"cells": {"mean": 0.5, "borda:one": None}}
    assert study().breakdown("kept", at=0.75) == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("error", at=0.12) == {"cells": {"mean": 0.5, "borda:one": 0.9}}
    assert study().breakdown("error", at=0.125) == {"cells": {"mean": 0.5, "borda:one": None}}


def test_winners_are_who_is_ever_first() -> None:
    rows = study().winners()
    assert {(r["strength"], r["method"], r["system"]): r["first"] for r in rows} == {
        (0.0, "mean", "A"): 1,
        (0.5, "mean", "A"): 0.75,
        (0.5, "mean", "B"): 0.25,
        (0.9, "mean", "A"): 0.25,
        (0.9, "mean", "B"): 0.75,
        (0.0, "borda:one", "A"): 1,
        (0.5, "borda:one", "A"): 1,
        (0.9, "borda:one", "A"): 0.875,
        (0.9, "borda:one", "B"): 0.125,
    }
    assert {r["stress"] for r in rows} == {"cells"}


def test_without_truth_there_are_no_errors() -> None:
    silent = study(swept=(swept(error=False),))
    assert not silent.has_truth
    assert {row["measure"] for row in silent.rows()} == {"tau", "kept"}
    assert set(silent.to_dict()["breakdown"]) == {"tau", "kept"}
    with pytest.raises(MethodError, match="no truth in this study, so it has no errors; ask for 'tau' or 'kept'"):
        silent.breakdown("error")


def test_of_one_repeat_there_is_no_spread() -> None:
    one = swept()
    others = ("name", "axis", "strengths", "first", "unplaced", "unranked", "emptied")
    short = SweepResult(**{
        **{name: getattr(one, name) for name in others},
        **{name: getattr(one, name)[..., :1] for name in ("tau", "error", "kept")},
    })  # fmt: skip
    assert {row["sd"] for row in study(swept=(short,), repeats=1).rows()} == {None}


@pytest.mark.parametrize("backend", ["pyarrow", "pandas", "polars"])
def test_the_frame_is_tidy(backend: str) -> None:
    import narwhals as nw

    frame = nw.from_native(study().to_frame(backend), eager_only=True)
    key = ["stress", "strength", "method", "measure"]
    assert frame.select(key).unique().shape[0] == frame.shape[0] == 18, "one row for each, and one for all"
    assert frame.columns[:5] == [*key, "mean"]
    assert all(frame[name].dtype.is_numeric() for name in frame.columns if name not in {"stress", "method", "measure"})
    assert frame.filter(nw.col("measure") == "kept")["mean"].to_list() == [1, 1, 0.75, 1, 0.25, 0.875]


def test_json_holds_it() -> None:
    content = json.loads(json.dumps(study().to_dict(), allow_nan=False))
    assert (content["kind"], content["schema_version"], content["seed"], content["repeats"]) == ("study", 1, 7, 4)
    assert content["leaders"] == {"mean": ["A"], "borda:one": ["A"]}
    assert content["stresses"] == [{"name": "cells", "axis": "share of cells removed", "strengths": [0, 0.5, 0.9]}]
    assert content["breakdown"]["kept"] == {"cells": {"mean": 0.9, "borda:one": None}}
    assert content["rows"] == study().rows()
    assert content["winners"] == study().winners()


def test_it_says_how_far_methods_fall() -> None:
    assert repr(study()).splitlines() == [
        "Study(2 methods under 1 kind of stress, 4 repeats)",
        "  cells at 0.9, mean tau: mean −0.50, borda:one 0.75",
    ]


def test_stresses_and_measures_are_known_by_name() -> None:
    assert study()["cells"].axis == "share of cells removed"
    with pytest.raises(LabelError, match="there is no stress 'cell'; did you mean 'cells'"):
        study()["cell"]
    with pytest.raises(LabelError, match="there is no measure 'taus'; did you mean 'tau'"):
        study().breakdown("taus")
    with pytest.raises(ValueError, match="read-only"):
        study()["cells"].tau[0, 0, 0] = 2
