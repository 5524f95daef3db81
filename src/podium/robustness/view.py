"""What would change the first place: the verdict, methods under stress, and what the place depends on."""

from typing import Any, NoReturn

from podium.base.errors import MethodError
from podium.report.view import Figure, View
from podium.robustness.influence.view import INFLUENCE
from podium.robustness.result import Robustness


def view_robustness(robustness: Robustness) -> View:
    """Lay out robustness: the verdict, then stresses and breakdown points, then tasks and instances.

    >>> import numpy as np
    >>> from podium.robustness.study.result import Study, SweepResult
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> study = Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)
    >>> view_robustness(Robustness(study, None, ("A stays first.",))).verdict
    ('A stays first.',)
    """
    parts = [part.view() for part in robustness.parts()]
    figures = [figure for part in parts for figure in part.figures]
    if robustness.influence is None:
        figures.append(Figure(*INFLUENCE, _nothing_left_out))
    return View(
        robustness.title,
        tuple(table for part in parts for table in part.tables),
        tuple(dict.fromkeys((*robustness.notes, *(note for part in parts for note in part.notes)))),
        robustness.verdict,
        tuple(figures),
        tuple(sentence for part in parts for sentence in part.explain),
    )


def _nothing_left_out(**_: Any) -> NoReturn:
    raise MethodError("no task and no instance was left out; pass leave_out=True to podium.stress to have that")
