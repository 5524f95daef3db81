"""Every way to rank, by name: the tallies it needs, and what it makes of them."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.engine import Counts
from podium.errors import MethodError, NoMaximumError, nearest
from podium.ranking import (
    Consensus,
    Missing,
    bradley_terry,
    condorcet,
    copeland,
    interquartile_mean,
    kemeny,
    mean,
    median,
    one_level,
    pool_one_level,
    pool_task_level,
    pool_two_level,
    preferences,
    task_level,
    two_level,
    weak_components,
    wins,
)
from podium.rankings import Certificate, Standing
from podium.scores import Scores
from podium.tallies import Duels, Means, Moments, Positions, Tally
from podium.wording import few

__all__ = ["LEVELS", "METHODS", "Method", "Setting", "level_of", "pooled"]

#: Ballots that can be counted: one per task, all instances in one box, or instances within tasks.
LEVELS = ("task", "one", "two")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What a method knows of a table beside its tallies.

    Attributes
    ----------
    weights
        Shape `(T,)`, or `(T, B)` or `(T, 1)` where the tallies are of replicates: task weights.
    falling
        Whether lower is better on every task, so that averages are shown as they were given.
    tolerance
        Scores no further apart tie, in the units of the metrics.
    scale
        Shape `(T, N)` (with replicates `(T, N, 1)`): size of the scores behind each mean, see `Moments.scale`; None
        where means were not counted.
    as_given
        Whether the means are the scores themselves, and so carry no error of rounding.
    level
        One of `LEVELS`, or None for methods that have none.
    missing
        What a ballot says about a pair of which it does not score both, see `podium.ranking.preferences`.
    prior
        Of Bradley–Terry, see `podium.ranking.bradley_terry`.
    time_limit
        Of Kemeny, in seconds.
    """

    weights: Floats
    falling: bool
    tolerance: float
    scale: Floats | None
    as_given: bool
    level: str | None
    missing: Missing = "imputed"
    prior: float = 0.0
    time_limit: float | None = None

    @classmethod
    def of(cls, scores: Scores, counts: Counts, level: str | None, **options: Any) -> "Setting":
        """Return the setting of a table whose moments were counted, if they are needed at all."""
        return cls(
            weights=scores.task_weights,
            falling=not scores.higher_is_better.any(),
            tolerance=scores.reach,
            scale=np.array([task.scale for task in counts[Moments]]) if Moments in counts else None,
            as_given=scores.task_level,
            level=level,
            **options,
        )

    def resampled(self, task_draws: Floats) -> "Setting":
        """Return the setting of replicates, in which each task counts as often as it is drawn `(T, B)`."""
        scale = None if self.scale is None else self.scale[..., None]
        return replace(self, weights=self.weights[:, None] * task_draws, scale=scale)


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


def _task_means(counts: Counts) -> Floats:
    """Shape `(T, N)` or `(T, N, B)`, oriented."""
    return np.array([task.means for task in counts[Means]])


def _average(over_tasks: Callable[[Floats, Floats], Floats]) -> Method:
    """Build a method from an average over tasks: shown in the units of the metrics where they share a direction."""

    def apply(counts: Counts, setting: Setting) -> Standing:
        score = over_tasks(_task_means(counts), setting.weights)
        scale = 1.0 if setting.scale is None else setting.scale.max(axis=0)
        return Standing(-score if setting.falling else score, scale=scale, higher_is_better=not setting.falling)

    return Method(
        title=over_tasks.__name__.replace("_", " ") + " over tasks",
        needs=lambda level: (Means,),  # noqa: ARG005
        apply=apply,
        averages=True,
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

    return Method(title=title, needs=_duels, apply=apply, level="two", options=("missing",), of_pairs=True)


def _pairwise_remarks(preference: Floats, labels: Sequence[str]) -> list[str]:
    return [*_apart(preference, labels), condorcet(preference).named(labels).sentence]


def _apart(preference: Floats, labels: Sequence[str]) -> list[str]:
    """Say which groups of systems never meet, if any."""
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
        return Standing(_strengths(wins, duels.ties, setting.prior))
    fit = bradley_terry(wins, duels.ties, prior=setting.prior)
    extras = (("strength_std_error", fit.std_error), ("win_probability", fit.average_win_probability()))
    return replace(fit.standing, extras=extras)


def _strengths(wins: Floats, ties: Floats, prior: float) -> Floats:
    """Shape `(N, B)`: fit every replicate; NaN where its likelihood has no maximum."""
    score = np.full(wins.shape[1:], np.nan)
    for b in range(wins.shape[2]):
        with suppress(NoMaximumError):
            score[:, b] = bradley_terry(wins[..., b], ties[..., b], prior=prior).strength
    return score


def _kemeny(counts: Counts, setting: Setting) -> Standing:
    solve = partial(kemeny, time_limit=setting.time_limit)
    if setting.level == "two":
        tasks = [preferences(task, setting.missing) for task in counts[Duels]]
        inner = np.array([_inner_order(task, solve) for task in tasks])
        preference = preferences(pool_task_level(inner, setting.weights, tolerance=0.0, scale=None), "imputed")
        met = np.sum(tasks, axis=0)
    else:
        preference = met = preferences(pooled(counts, setting), setting.missing)
    if preference.ndim == 3:
        return Standing(_inner_order(preference, solve))
    consensus = solve(preference)
    certificate = _certificate(consensus)
    return Standing(
        _score(consensus),
        certificate=certificate,
        remarks=lambda labels: [*_apart(met, labels), *_kemeny_remarks(certificate)],
    )


def _inner_order(preference: Floats, solve: Callable[[Floats], Consensus]) -> Floats:
    """Shape `(N,)` or `(N, B)`: scores by the Kemeny consensus of one task, or of every replicate."""
    if preference.ndim == 2:
        return _score(solve(preference))
    replicates = np.moveaxis(preference, 2, 0)
    return np.stack([_score(solve(matrix)) for matrix in replicates], axis=1)


def _score(consensus: Consensus) -> Floats:
    """Shape `(N,)`: share of the others placed below each system."""
    n_systems = consensus.order.size
    score = np.empty(n_systems)
    score[consensus.order] = 1 - np.arange(n_systems) / max(n_systems - 1, 1)
    return score


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


def _kemeny_remarks(certificate: Certificate) -> list[str]:
    if not certificate.optimal:
        saved = f"up to {100 * certificate.gap:.2g}% of its {certificate.cost:g} disagreements with the ballots"
        return [f"not proved best: a better order might save {saved}; more time may tell"]
    proved = f"proved best, with {certificate.cost:g} disagreements with the ballots"
    if certificate.unique:
        return [f"{proved}; no other order is as good"]
    return [f"{proved}; other orders are as good, of which one is in the JSON output"]


def level_of(scores: Scores, level: str | None, default: str) -> str:
    """Settle the level: task where there is nothing below, otherwise as asked or by default.

    Raises
    ------
    MethodError
        There is no such level.
    """
    if level is None:
        return "task" if scores.task_level else default
    if level not in LEVELS:
        raise MethodError(f"there is no level {level!r}; {nearest(level, LEVELS)}")
    return level


#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": Method(
        title="Borda count",
        needs=lambda level: (Means,) if level == "task" else (Positions,),
        apply=_borda,
        level="two",
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
