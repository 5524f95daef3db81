"""Describe a score table."""

from collections import Counter
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from podium.base.check import check_threads
from podium.base.parallel import Progress
from podium.base.words import Aside
from podium.description.result import CovariateDescription, Description, Noise, TaskDescription
from podium.score.family import family_names, family_notes, relation_notes, zero_notes
from podium.score.table import Scores, of_battles
from podium.score.task import Covariate, mean_scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.count import count
from podium.tally.position import Ties


@keywords
def info(
    scores: "ScoresLike",
    *,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Description:
    """Describe a score table: shape, missing pattern, directions, ties, near-ties and mean scores.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of scores counted and the number there are.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        `threads` is below 1.

    Examples
    --------
    >>> import podium
    >>> description = podium.info(podium.datasets.xtreme_missing())
    >>> description.n_cells - description.n_scored
    18
    """
    scores = as_scores(scores, human=True, **reading)
    check_threads(n_jobs)
    families = family_names(scores.tasks)
    sizes = Counter(families)
    unknown = np.full(len(scores.systems), np.nan)
    # A task of one instance has nothing to average, and there may be thousands.
    means = [mean_scores(task) if task.n_instances > 1 else (task.values[:, 0], unknown) for task in scores.tasks]
    unrepeated = Aside("runs are not repeated, so standard errors are for other instances only")
    known = of_battles(scores) or any(task.repeats is not None for task in scores.tasks) or scores.task_level
    ties = count(scores, (Ties,), threads=n_jobs, progress=progress)[Ties]
    return Description(
        systems=scores.systems,
        tasks=tuple(
            TaskDescription(
                name=task.name,
                n_instances=task.n_instances,
                higher_is_better=task.higher_is_better,
                weight=task.weight,
                n_cells=task.n_instances * len(scores.systems),
                n_scored=int(task.scored.sum()),
                pairs=tied.pairs,
                tied=tied.tied,
                near=tied.near,
                repeats=None if task.repeats is None else task.repeats.variance,
                clusters=None if task.clusters is None else len(task.clusters),
                family=family if sizes[family] > 1 else None,
                noise=Noise.of(task, errors),
            )
            for task, tied, family, (_, errors) in zip(scores.tasks, ties, families, means, strict=True)
        ),
        scored=np.array([task.scored for task in scores.tasks]).T,
        means=np.array([mean for mean, _ in means]).T,
        std_errors=np.array([error for _, error in means]).T,
        notes=(
            *scores.notes,
            *family_notes(scores.tasks, "is drawn as one"),
            *((*relation_notes(scores.tasks), *zero_notes(scores.tasks)) if scores.task_level else ()),
            *(() if known else (unrepeated,)),
        ),
        backend=scores.backend,
        battles=of_battles(scores),
        covariates=tuple(
            CovariateDescription(one.name, one.unit, one.of_systems(), _missing(scores, one))
            for one in scores.covariates.values()
        ),
    )


def _missing(scores: Scores, covariate: Covariate) -> NDArray[np.int64]:
    """Count the scores of each system that stand without a covariate."""
    lacking = [
        np.count_nonzero(~np.isnan(task.values) & np.isnan(values), axis=1)
        for task, values in zip(scores.tasks, covariate.values, strict=True)
    ]
    counts: NDArray[np.int64] = np.sum(lacking, axis=0)
    return counts
