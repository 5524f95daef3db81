"""Every way to rank, by name: the tallies it needs, and what it makes of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.engine import Counts
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
    wins,
)
from podium.rankings import Certificate, Standing
from podium.scores import Block
from podium.tallies import Duels, Means, Positions, Tally
from podium.tallies.kernels import plain

__all__ = ["LEVELS", "METHODS", "Method", "Setting"]

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

    def resampled(self, task_draws: Floats) -> "Setting":
        """Return the setting of replicates, in which each task counts as often as it is drawn `(T, B)`."""
        scale = None if self.scale is None else self.scale[..., None]
        return replace(self, weights=self.weights[:, None] * task_draws, scale=scale)

    def replicate(self, number: int) -> "Setting":
        """Return the setting of one replicate."""
        weights = self.weights[:, number if self.weights.shape[1] > 1 else 0]
        return replace(self, weights=weights, scale=None if self.scale is None else self.scale[..., 0])


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
        From tallies to one number per system, or per system and replicate.
    level
        The level by default where there are instances; None for a method that counts no ballots.
    options
        Names of what can be set: "missing", "prior", "time_limit".
    missing
        The default of that option.
    averages
        Whether it averages scores, and leaves missing ones out.
    vectorised
        Whether `apply` takes all replicates at once.
    """

    title: str
    needs: Callable[[str | None], tuple[type[Tally], ...]]
    apply: Callable[[Counts, Setting], Standing]
    level: str | None = None
    options: tuple[str, ...] = ()
    missing: Missing = "imputed"
    averages: bool = False
    vectorised: bool = False


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
        vectorised=True,
    )


def _borda(counts: Counts, setting: Setting) -> Standing:
    if setting.level == "one":
        return one_level(counts[Positions], setting.weights)
    if setting.level == "two":
        return two_level(counts[Positions], setting.weights)
    scale = None if setting.as_given else setting.scale
    return task_level(_task_means(counts), setting.weights, tolerance=setting.tolerance, scale=scale)


def _pooled(counts: Counts, setting: Setting) -> Duels:
    """Duels of all tasks as one."""
    if setting.level == "one":
        return pool_one_level(counts[Duels], setting.weights)
    if setting.level == "two":
        return pool_two_level(counts[Duels], setting.weights, missing=setting.missing)
    scale = None if setting.as_given else setting.scale
    return pool_task_level(_task_means(counts), setting.weights, tolerance=setting.tolerance, scale=scale)


def _pairwise(title: str, method: Callable[[Floats], Standing]) -> Method:
    """Build a method from a function of the preference matrix."""

    def apply(counts: Counts, setting: Setting) -> Standing:
        preference = preferences(_pooled(counts, setting), setting.missing)
        return replace(method(preference), remarks=lambda labels: [condorcet(preference).named(labels).sentence])

    return Method(title=title, needs=_duels, apply=apply, level="two", options=("missing",))


def _duels(level: str | None) -> tuple[type[Tally], ...]:
    return (Means,) if level == "task" else (Duels,)


def _bradley_terry(counts: Counts, setting: Setting) -> Standing:
    duels = _pooled(counts, setting)
    imputed = duels.imputed if setting.missing == "imputed" else 0.0
    fit = bradley_terry(duels.wins + imputed, duels.ties, prior=setting.prior)
    extras = (("strength_std_error", fit.std_error), ("win_probability", fit.average_win_probability()))
    return replace(fit.standing, extras=extras)


def _kemeny(counts: Counts, setting: Setting) -> Standing:
    if setting.level == "two":
        pooled = pool_one_level([_inner_order(task, setting) for task in counts[Duels]], setting.weights)
    else:
        pooled = _pooled(counts, setting)
    consensus = kemeny(preferences(pooled, setting.missing), time_limit=setting.time_limit)
    return _placed(consensus)


def _inner_order(task: Duels, setting: Setting) -> Duels:
    """The Kemeny consensus of one task as one ballot."""
    consensus = kemeny(preferences(task, setting.missing), time_limit=setting.time_limit)
    return Duels.of(Block(0, _placed(consensus).score[:, None], None, 0.0), plain)


def _placed(consensus: Consensus) -> Standing:
    """Score every system by the share of the others placed below it."""
    n_systems = consensus.order.size
    score = np.empty(n_systems)
    score[consensus.order] = 1 - np.arange(n_systems) / max(n_systems - 1, 1)
    other = consensus.alternative
    certificate = Certificate(
        cost=consensus.cost,
        lower_bound=consensus.lower_bound,
        gap=consensus.gap,
        optimal=consensus.optimal,
        unique=consensus.unique,
        alternative=None if other is None else tuple(other.tolist()),
    )
    return Standing(score, certificate=certificate, remarks=lambda labels: _kemeny_remarks(certificate.named(labels)))


def _kemeny_remarks(certificate: Certificate) -> list[str]:
    if not certificate.optimal:
        saved = f"up to {100 * certificate.gap:.2g}% of its {certificate.cost:g} disagreements with the ballots"
        return [f"not proved best: a better order might save {saved}; more time may tell"]
    proved = f"proved best, with {certificate.cost:g} disagreements with the ballots"
    if certificate.unique:
        return [f"{proved}; no other order is as good"]
    return [f"{proved}; other orders are as good, of which one is in the JSON output"]


#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": Method(
        title="Borda count",
        needs=lambda level: (Means,) if level == "task" else (Positions,),
        apply=_borda,
        level="two",
        vectorised=True,
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
    ),
    "bradley-terry": Method(
        title="Bradley–Terry strength",
        needs=_duels,
        apply=_bradley_terry,
        level="one",
        options=("missing", "prior"),
        missing="direct",
    ),
}
