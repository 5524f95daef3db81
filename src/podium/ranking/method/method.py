"""Every way to rank, by name: the tallies it needs, and what it makes of them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import NoMaximumError
from podium.base.words import few
from podium.ranking.ballot import Missing, pool_one_level, pool_task_level, pool_two_level, preferences
from podium.ranking.graph import weak_components
from podium.ranking.method.average import interquartile_mean, mean, median
from podium.ranking.method.borda import one_level, task_level, two_level
from podium.ranking.method.bradley_terry import bradley_terry
from podium.ranking.method.kemeny import Consensus, consensus_places, kemeny, places
from podium.ranking.method.majority import copeland, majorities, wins
from podium.ranking.method_spec import Setting
from podium.ranking.result import Certificate, Standing
from podium.tally.duel import Duels
from podium.tally.engine.local import Counts
from podium.tally.moment import Means
from podium.tally.position import Positions
from podium.tally.tally import Tally

Floats = NDArray[np.float64]

#: Systems up to which majorities are followed from one to the next, which takes a time cubic in their number.
_REMARKABLE = 500


@dataclass(frozen=True, slots=True)
class Method:
    """A way to rank.

    Attributes
    ----------
    title
        What it is called in a sentence.
    needs
        Kinds of tallies it needs at a level.
    apply
        From tallies to one number per system, or, where they have an axis of replicates, per system and replicate.
    level
        The level by default where there are instances; None for a method that counts no ballots.
    options
        Names of what can be set: "missing", "prior", "time_limit".
    missing
        The default of that option.
    of_pairs
        Whether it forms numbers for every pair of systems.
    slow
        Whether it ranks replicates one after the other.
    averages
        Whether it averages scores, and leaves missing ones out.
    adds_up
        Whether scores are one weighted mean over ballots, or tasks, where none is missing or all are imputed.
    """

    title: str
    needs: Callable[[str | None], tuple[type[Tally], ...]]
    apply: Callable[[Counts, Setting], Standing]
    level: str | None = None
    options: tuple[str, ...] = ()
    missing: Missing = "imputed"
    of_pairs: bool = False
    slow: bool = False
    averages: bool = False
    adds_up: bool = False


def _task_means(counts: Counts) -> Floats:
    """Shape `(T, N)` or `(T, N, B)`, oriented."""
    return np.array([task.means for task in counts[Means]])


def _average(over_tasks: Callable[[Floats, Floats], Floats]) -> Method:
    """Build a method from an average over tasks: shown in the units of the metrics where they share a direction."""

    def apply(counts: Counts, setting: Setting) -> Standing:
        score = over_tasks(_task_means(counts), setting.weights)
        scale: Floats | float = 1.0
        if setting.scale is not None:
            scale = np.where(setting.weights[:, None] > 0, setting.scale, 0.0).max(axis=0)
        return Standing(-score if setting.falling else score, scale=scale, higher_is_better=not setting.falling)

    return Method(
        title=over_tasks.__name__.replace("_", " ") + " over tasks",
        needs=lambda level: (Means,),  # noqa: ARG005
        apply=apply,
        averages=True,
        adds_up=over_tasks is mean,
    )


def _borda(counts: Counts, setting: Setting) -> Standing:
    if setting.level == "one":
        return one_level(counts[Positions], setting.weights)
    if setting.level == "two":
        return two_level(counts[Positions], setting.weights)
    scale = None if setting.as_given else setting.scale
    return task_level(_task_means(counts), setting.weights, tolerance=setting.tolerance, scale=scale)


def pooled(counts: Counts, setting: Setting) -> Duels:
    """Return the duels of all tasks as one, at the level of the setting."""
    if setting.level == "one":
        return pool_one_level(counts[Duels], setting.weights)
    if setting.level == "two":
        return pool_two_level(counts[Duels], setting.weights, missing=setting.missing)
    scale = None if setting.as_given else setting.scale
    return pool_task_level(_task_means(counts), setting.weights, tolerance=setting.tolerance, scale=scale)


def _pairwise(title: str, method: Callable[[Floats], Standing]) -> Method:
    """Build a method from a function of the preference matrix."""

    def apply(counts: Counts, setting: Setting) -> Standing:
        preference = preferences(pooled(counts, setting), setting.missing)
        return replace(method(preference), remarks=lambda labels: _pairwise_remarks(preference, labels))

    return Method(
        title=title,
        needs=_duels,
        apply=apply,
        level="two",
        options=("missing",),
        of_pairs=True,
        adds_up=method is wins,
    )


def _pairwise_remarks(preference: Floats, labels: Sequence[str]) -> list[str]:
    if len(labels) > _REMARKABLE:
        return []
    return [*_apart(preference, labels), majorities(preference).sentence(labels)]


def _apart(preference: Floats, labels: Sequence[str]) -> list[str]:
    """Say which groups of systems never meet, if any."""
    if len(labels) > _REMARKABLE:
        return []
    groups = weak_components(preference + preference.T > 0)
    if len(groups) == 1:
        return []
    shown = few(["{" + few([labels[index] for index in group]) + "}" for group in groups], most=3)
    return [f"{shown} never meet, so their order says nothing; rank them one by one, or let missing scores be imputed"]


def _duels(level: str | None) -> tuple[type[Tally], ...]:
    return (Means,) if level == "task" else (Duels,)


def _bradley_terry(counts: Counts, setting: Setting) -> Standing:
    duels = pooled(counts, setting)
    wins = duels.wins + duels.imputed if setting.missing == "imputed" else duels.wins
    if wins.ndim == 3:
        return _strengths(wins, duels.ties, setting.prior)
    fit = bradley_terry(wins, duels.ties, prior=setting.prior)
    extras = (("strength_std_error", fit.std_error), ("win_probability", fit.average_win_probability()))
    return replace(fit.standing, extras=extras)


def _strengths(wins: Floats, ties: Floats, prior: float) -> Standing:
    """Fit every replicate, scores of shape `(N, B)`; NaN where its likelihood has no maximum."""
    score = np.full(wins.shape[1:], np.nan)
    scale: Floats | float = 1.0
    for b in range(wins.shape[2]):
        with suppress(NoMaximumError):
            fitted = bradley_terry(wins[..., b], ties[..., b], prior=prior).standing
            score[:, b], scale = fitted.score, fitted.scale
    return Standing(score, scale=scale)


def _kemeny(counts: Counts, setting: Setting) -> Standing:
    if setting.level != "two":
        preference = preferences(pooled(counts, setting), setting.missing)
        return _consensus(preference, preference, _solver(setting, preference, 1), inner=())
    tasks = [preferences(task, setting.missing) for task in counts[Duels]]
    solve = _solver(setting, tasks[0], len(tasks) + 1)
    inner: list[Consensus] = []
    if tasks[0].ndim == 3:
        ballots = [consensus_places(task, solve) for task in tasks]
    else:
        inner = [solve(task) for task in tasks]
        ballots = [places(found.order, task) for found, task in zip(inner, tasks, strict=True)]
    outer = pool_task_level(np.array(ballots), setting.weights, tolerance=1e-9, scale=None)
    return _consensus(preferences(outer, "imputed"), np.sum(tasks, axis=0), solve, inner)


def _solver(setting: Setting, preference: Floats, runs: int) -> Callable[[Floats], Consensus]:
    """Kemeny's search, with its part of the time."""
    runs *= preference.shape[2] if preference.ndim == 3 else 1
    return partial(kemeny, time_limit=None if setting.time_limit is None else setting.time_limit / runs)


def _consensus(
    preference: Floats, met: Floats, solve: Callable[[Floats], Consensus], inner: Sequence[Consensus]
) -> Standing:
    """Order by a preference matrix, or by that of every replicate; `inner` are the consensus orders it was made of."""
    if preference.ndim == 3:
        return Standing(consensus_places(preference, solve))
    found = solve(preference)
    certificate = _certificate(found)
    if inner:
        unique = found.unique and all(task.unique for task in inner)
        optimal = found.optimal and all(task.optimal for task in inner)
        certificate = replace(certificate, optimal=optimal, unique=unique or (found.unique and None))
    ballots = "the consensus orders of the tasks" if inner else "the ballots"
    return Standing(
        places(found.order, preference),
        certificate=certificate,
        remarks=lambda labels: [*_apart(met, labels), *_kemeny_remarks(certificate, ballots)],
    )


def _certificate(consensus: Consensus) -> Certificate:
    other = consensus.alternative
    return Certificate(
        cost=consensus.cost,
        lower_bound=consensus.lower_bound,
        gap=consensus.gap,
        optimal=consensus.optimal,
        unique=consensus.unique,
        alternative=None if other is None else tuple(other.tolist()),
    )


def _kemeny_remarks(certificate: Certificate, ballots: str) -> list[str]:
    cost = f"{certificate.cost:g} disagreements with {ballots}"
    if certificate.gap:
        saved = f"up to {100 * certificate.gap:.2g}% of its {cost}"
        return [f"not proved best: a better order might save {saved}; more time may tell"]
    if not certificate.optimal:
        return ["not proved best: the consensus order of a task was not; more time may tell"]
    if certificate.unique:
        return [f"proved best, with {cost}; no other order is as good"]
    if certificate.unique is None:
        return [f"proved best, with {cost}; but of some task, several consensus orders are as good"]
    return [f"proved best, with {cost}; other orders are as good, of which one is in the JSON output"]


#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": Method(
        title="Borda count",
        needs=lambda level: (Means,) if level == "task" else (Positions,),
        apply=_borda,
        level="two",
        adds_up=True,
    ),
    "mean": _average(mean),
    "median": _average(median),
    "iqm": _average(interquartile_mean),
    "wins": _pairwise("mean share of comparisons won", wins),
    "copeland": _pairwise("Copeland score", copeland),
    "kemeny": Method(
        title="Kemeny consensus",
        needs=_duels,
        apply=_kemeny,
        level="two",
        options=("missing", "time_limit"),
        of_pairs=True,
        slow=True,
    ),
    "bradley-terry": Method(
        title="Bradley–Terry strength",
        needs=_duels,
        apply=_bradley_terry,
        level="one",
        options=("missing", "prior"),
        of_pairs=True,
        slow=True,
        missing="direct",
    ),
}
