"""What would change the first place: the verdict, methods under stress, and what the place rests on."""

from podium.report.table import Sheet, printable
from podium.robustness.influence.view import influence_grids, reading_of
from podium.robustness.result import Robustness
from podium.robustness.study.view import study_grids, study_reading


def robustness_sheet(robustness: Robustness) -> Sheet:
    """Lay out robustness: the verdict, then stresses and breakdown points, then tasks and instances.

    >>> import numpy as np
    >>> from podium.robustness.study.result import Study, SweepResult
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = SweepResult("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> study = Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)
    >>> robustness_sheet(Robustness(study, None, ("A stays first.",))).verdict
    ('A stays first.',)
    """
    study, influence = robustness.study, robustness.influence
    notes, reading = (*robustness.notes, *study.notes), study_reading(study)
    grids = study_grids(study)
    if influence is not None:
        notes, reading = (*notes, *influence.notes), (*reading, *reading_of(influence))
        grids = (*grids, *influence_grids(influence))
    said = tuple(map(printable, dict.fromkeys((*notes, *reading))))
    return Sheet(printable(robustness.title), grids, said, tuple(map(printable, robustness.verdict)))
