"""What would change the first place: the verdict, methods under stress, and what the place rests on."""

from podium.report.view import View
from podium.robustness.influence.view import influence_tables, reading_of
from podium.robustness.result import Robustness
from podium.robustness.study.view import study_reading, study_tables


def view_robustness(robustness: Robustness) -> View:
    """Lay out robustness: the verdict, then stresses and breakdown points, then tasks and instances.

    >>> import numpy as np
    >>> from podium.robustness.study.result import Study, Swept
    >>> tau, first = np.array([[[1.0, 1.0], [0.8, 0.6]]]), np.array([[[1.0, 0.0], [0.5, 0.5]]])
    >>> strengths, none = np.array([0.0, 0.5]), np.zeros((1, 2))
    >>> swept = Swept("missing", "share of scores removed", strengths, tau, None, tau, first, none, none, none[0])
    >>> study = Study(("A", "B"), ("borda",), (("A",),), (swept,), 2, 0)
    >>> view_robustness(Robustness(study, None, ("A stays first.",))).verdict
    ('A stays first.',)
    """
    study, influence = robustness.study, robustness.influence
    notes, reading = (*robustness.notes, *study.notes), study_reading(study)
    tables = study_tables(study)
    if influence is not None:
        notes, reading = (*notes, *influence.notes), (*reading, *reading_of(influence))
        tables = (*tables, *influence_tables(influence))
    said = tuple(dict.fromkeys((*notes, *reading)))
    figures = tuple(figure for part in robustness.parts() for figure in part.view().figures)
    return View(robustness.title, tables, said, robustness.verdict, figures)
