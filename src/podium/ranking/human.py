"""Human scores of a judged table, to be ranked as means: see `podium.score.prediction_powered`."""

from dataclasses import replace

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import MethodError
from podium.base.words import how_many
from podium.ranking.method_spec import MethodSpec
from podium.score.prediction_powered import PoweredScores, powered
from podium.score.table import Scores
from podium.score.task import Task, masses_of
from podium.tally.position import expected_ranks


def by_people(scores: Scores, spec: MethodSpec) -> tuple[MethodSpec, PoweredScores]:
    """Return how a table with labels is ranked, and estimates of the human scores, as means over instances.

    A Borda score is a mean over instances of the share of others beaten. So its ballots are the judge's, and people's
    where they labelled all systems that the judge scored.

    Raises
    ------
    MethodError
        Scores by the method are no means over instances; or by "borda", too few instances have all labels.
    InputError
        As `podium.score.prediction_powered.powered` says.

    Examples
    --------
    >>> import podium
    >>> by_people(podium.datasets.toy_table1(), MethodSpec("kemeny"))
    Traceback (most recent call last):
    podium.errors.MethodError: human scores are means over items; use method 'mean' (-m mean) or 'borda', not 'kemeny'
    """
    if spec.name not in {"mean", "borda"}:
        use = f"use method 'mean' (-m mean) or 'borda', not {spec.name!r}"
        raise MethodError(f"human scores are means over items; {use}")
    given = sum(int(np.count_nonzero(~np.isnan(task.covariates[scores.human]))) for task in scores.tasks if task.weight)
    if spec.name == "borda":
        if spec.level in {"task", "two"} or spec.missing == "bounds":
            option = f"level {spec.level!r}" if spec.level in {"task", "two"} else "missing='bounds'"
            raise MethodError(f"human scores are means over items; leave {option} out")
        spec = replace(spec, level=spec.level or "balanced", missing=None)
        scores = _ballots(scores, spec)
    found = powered(scores)
    if idle := given - int(found.n_labels.sum()):
        partly = ", or people did not label all systems there, as Borda scores need" if spec.name == "borda" else ""
        note = f"{how_many(idle, 'label')} left out: the judge did not score the answer{partly}"
        found = replace(found, notes=(*found.notes, note))
    return spec, found


def _ballots(scores: Scores, spec: MethodSpec) -> Scores:
    """Return shares of other systems beaten in place of scores and labels, where each system has these."""
    tasks, complete = [], 0
    for task in scores.tasks:
        judge, labels = task.values.astype(np.float64), task.covariates[scores.human]
        judged = ~np.isnan(judge)
        whole = (judged <= ~np.isnan(labels)).all(axis=0) & judged.any(axis=0)
        complete += int(whole.sum())
        of_judge, of_people = (shares_beaten(task, part, scores.effective_tie_tolerance) for part in (judge, labels))
        there = np.where(judged, of_judge, np.nan), np.where(judged & whole, of_people, np.nan)
        weight = task.weight * (float(masses_of(task).sum()) if spec.level == "one" else 1.0)
        covariates = {scores.human: there[1]}
        tasks.append(task.with_values(there[0], higher_is_better=True, weight=weight, covariates=covariates))
    if not complete:
        wrong = "people labelled no instance for all systems, as method 'borda' needs"
        raise MethodError(f"{wrong}; use method 'mean' (-m mean)")
    return replace(scores, tasks=tuple(tasks), tie_tolerance=0.0)


def shares_beaten(task: Task, values: Floats, tolerance: float) -> Floats:
    """Shape `(N, K)`: by each system on each instance, the share of the others that it beats; a tie counts half."""
    ranks = expected_ranks(values if task.higher_is_better else -values, tolerance)
    return np.asarray((len(values) - ranks) / max(len(values) - 1, 1))
