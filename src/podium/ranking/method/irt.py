"""Item response: abilities of systems, in a model in which instances are hard and separate systems well or badly.

A fit to the whole table makes an ability of each system, no sum over blocks. But to first order an ability is a mean
over instances: of pseudo-values y_ij = θ_i + W (d_ij − d̄_i), where d_ij is by how much the ability of system i moves if
instance j counts a little more and everything is fitted again, d̄ is the weighted mean, and W = Σ w. Their weighted mean
is θ_i, and drawing instances, clusters or tasks again moves it as it would move the ability (the infinitesimal
jackknife). So intervals are made of pseudo-values as they are made of scores. As θ is fitted to the same K instances,
y_ij − θ_i is multiplied by √(K / (K − 2)).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import sqrt

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many
from podium.ranking.ballots import Missing
from podium.ranking.method import FittedScores, Method, MethodResult
from podium.response.fit import Calibration, checked, solved
from podium.response.item import Answers
from podium.score.place import ROUNDING
from podium.score.table import Scores
from podium.score.task import masses_of

#: Abilities that differ by what remains of an iteration do so by far less than this.
_EQUAL = 1e-9

#: EM comes near, and Newton's method, which needs to be near, goes the rest of the way.
_NEAR = 0.02


def fit_scores(scores: Scores, progress: Progress | None = None, *, steady: bool) -> FittedScores:
    """Fit the model; return the abilities, and the table of pseudo-values whose mean they are.

    An ability is the mean of its posterior, given the items that maximise theirs: see `podium.response.fit`. Every
    instance counts as often as it weighs, times the weight of its task; the mean weight is 1. Missing scores are left
    out of the likelihood.

    The extra "ability_std_error" is the model's: how well these very instances tell each ability, with items unknown.
    Intervals do not rest on it but on the pseudo-values, that is, on how abilities would differ with other instances.

    Parameters
    ----------
    scores
        The table; scores are between 0 and 1.
    progress
        Called with the number of iterations done and the most there may be.
    steady
        Whether all instances are equally steep, the one-parameter model.

    Raises
    ------
    MethodError
        There are no instances, scores are not between 0 and 1, fewer than two systems have scores, or nothing
        separates systems.
    ConvergenceError
        The scores do not settle abilities.
    """
    tables = solved(scores, "method 'irt'")
    values = checked(np.concatenate(tables, axis=1))
    weights = np.concatenate([task.weight * masses_of(task) for task in scores.tasks])
    answered = ~np.isnan(np.fmax.reduce(values, axis=0)) & (weights > 0)
    if not answered.any():
        raise MethodError("every score weighs nothing, so method 'irt' has nothing to fit; give weight to some tasks")
    own = weights[answered] / weights[answered].mean()
    answers = Answers(values.compress(answered, axis=1), None if (own == 1).all() else own)
    if not answers.settle.any():
        raise MethodError(
            "every instance is solved by all systems, or by none, so nothing separates them; add instances on which "
            "systems differ"
        )
    fit = Calibration.of(answers, steady=steady, tolerance=_NEAR, progress=progress).exact()
    information = fit.information
    if information is None:
        raise TypeError("an exact fit has its information")
    there = ~np.isnan(np.fmax.reduce(values, axis=1))
    mean = fit.abilities.mean
    ability = np.where(there, np.where(np.abs(mean) < _EQUAL, 0.0, mean), np.nan)
    error = np.where(there, np.sqrt(np.diag(information.covariance)), np.nan)
    moved = information.influence()
    pseudo = np.empty(values.shape)
    # of two abilities that are compared, both are fitted (HC1): without it, of two equal systems on 10 to 30 instances
    # 6 to 8 % are separated, where 5 % may be
    widening = sqrt(own.size / max(own.size - 2, 1))
    for row, middle, moves in zip(pseudo, ability, moved, strict=True):
        away = own.sum() * (moves - np.average(moves, weights=own))
        row[:] = np.nan
        row[answered] = middle + widening * away
    result = MethodResult(
        ability,
        scale=_EQUAL / ROUNDING,
        extras=(("ability_std_error", error),),
        remarks=partial(_remarks, steady=steady, tasks=len(scores.tasks), unsettled=int((~answers.settle).sum())),
    )
    return FittedScores(result, _table(scores, pseudo, answered, weights))


def _remarks(systems: Sequence[str], *, steady: bool, tasks: int, unsettled: int) -> list[str]:
    """Return what a reader should know of the model."""
    remarks = ["score: ability in log-odds, pulled towards 0 by its prior N(0, 1) where instances are few"]
    if steady:
        remarks.append("one-parameter model: every instance separates systems as sharply as any other")
    if tasks > 1:
        remarks.append("one ability of each system is behind all tasks, and every instance counts the same")
    if unsettled:
        count = how_many(unsettled, "instance")
        remarks.append(f"{count} solved by all of the {len(systems)} systems or by none; the prior says how hard")
    return remarks


def _table(scores: Scores, pseudo: Floats, answered: Bools, weights: Floats) -> Scores:
    """Return the same tasks with other scores; in a mean over tasks, each weighs as much as its instances together."""
    ends = np.cumsum([task.n_instances for task in scores.tasks])
    tasks = []
    for task, end in zip(scores.tasks, ends.tolist(), strict=True):
        part = slice(end - task.n_instances, end)
        weight = float(weights[part][answered[part]].sum())
        tasks.append(task.with_values(pseudo[:, part], higher_is_better=True, weight=weight))
    return replace(scores, tasks=tuple(tasks), tie_tolerance=0.0)


class _Irt(Method):
    options = ("model",)
    fitted = takes_long = True

    def __init__(self, *, steady: bool) -> None:
        self.title = "one-parameter item response model" if steady else "item response model"
        self._steady = steady

    def fit(self, scores: Scores, progress: Progress | None = None) -> FittedScores:
        return fit_scores(scores, progress, steady=self._steady)

    def variant(self, missing: Missing | None, model: str | None) -> Method:  # noqa: ARG002  # all are left out
        return _ONE_PARAMETER if model == "1pl" else self


_ONE_PARAMETER = _Irt(steady=True)
IRT = _Irt(steady=False)
