"""What `podium.stress` found: its verdict, and how long the first place is kept under each stress."""

from typing import Any

from podium.base.errors import InputError
from podium.robustness.api import Robustness
from podium.robustness.figure import Spread, Strengths
from podium.robustness.study_result import Study, SweepResult
from podium.score.table import Scores

#: Width of a panel, in inches, that decides whether strengths are drawn to scale; no number depends on it.
_WIDTH = 2.5


def check_robustness(robustness: Robustness, scores: Scores) -> None:
    """Refuse what is no robustness, or that of another table.

    Raises
    ------
    InputError
        It is none, or other systems were stressed.
    """
    if not isinstance(robustness, Robustness):
        raise InputError(f"expected a Robustness, not {type(robustness).__name__}; make it with podium.stress(scores)")
    if set(robustness.study.systems) != set(scores.systems):
        raise InputError("the robustness is that of other systems; make it of the same scores with podium.stress")


def stressed(robustness: Robustness) -> dict[str, Any]:
    """Return verdict, curves and notes as plain values.

    A curve is the mean share of the first place that a method keeps, with its interval, by the strength of a stress.

    Examples
    --------
    >>> import podium
    >>> found = podium.stress(podium.datasets.toy_table1(), ["borda"], only=["tasks"], repeats=20, jobs=1)
    >>> made = stressed(found)
    >>> made["stresses"][0]["strengths"], made["stresses"][0]["breakdown"]
    ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [3.0])
    """
    study = robustness.study
    broken = study.breakdown("kept")
    return {
        "verdict": list(robustness.verdict),
        "notes": list(robustness.notes),
        "methods": list(study.methods),
        "leaders": list(map(list, study.leaders)),
        "repeats": study.repeats,
        "tried": study.tried,
        "stresses": [
            {**_curves(study, one), "breakdown": [broken[one.name][way] for way in study.methods]}
            for one in study.swept
        ],
    }


def _curves(study: Study, one: SweepResult) -> dict[str, Any]:
    spread = Spread.of(study, one, "kept")
    ends = {name: getattr(spread, name).tolist() for name in ("mean", "low", "high")}
    return {
        "name": one.name,
        "axis": one.axis,
        "strengths": one.strengths.tolist(),
        "places": Strengths.of(one.strengths, _WIDTH).places.tolist(),
        **ends,
    }
