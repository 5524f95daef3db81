"""Whether more repeats of the same instances would separate systems, or only more instances."""

import math

import numpy as np
from numpy.typing import NDArray

from podium.base.words import two_digits
from podium.score.table import Scores

Floats = NDArray[np.float64]


def variance_of_repeats(scores: Scores) -> Floats:
    """Shape `(N,)`: what repeats add to the variance of the mean over tasks of each system.

    Σ_t (w_t / W)² σ_w² / (m K), with σ_w² the variance of single repeats, m their number an instance, see
    `podium.score.repeat.RepeatVariance`, and K the effective number of instances; 0 for a task without repeats.
    Both sums are over the tasks that score the system.
    """
    total, weights = np.zeros(len(scores.systems)), np.zeros(len(scores.systems))
    for task in scores.tasks:
        there = task.scored > 0
        weights += task.weight * there
        found = None if task.repeats is None else task.repeats.variance
        if found is None:
            continue
        mass = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
        number = np.maximum(task.scored * mass.sum() ** 2 / (mass**2).sum() / task.n_instances, 1.0)
        noise = np.nan_to_num(found.within / found.repeats)
        total += np.where(there, task.weight**2 * noise / number, 0.0)
    variance: Floats = np.divide(total, weights**2, out=np.zeros_like(total), where=weights > 0)
    return variance


def repeats_needed(growth: float, share: float) -> float:
    """By what factor repeats must grow to do what instances do if they grow by f; infinite where none is enough.

    With f times as many instances the variance of a difference is V / f. A share s of V is that of repeats, and with r
    times as many it is (1 − s) V + s V / r. So r = s / (1 / f − 1 + s), at least f: repeats never need fewer runs.

    >>> round(repeats_needed(2.0, 0.8), 3), repeats_needed(2.0, 0.4)
    (2.667, inf)
    """
    spare = 1 / growth - (1 - share)
    return share / spare if spare > 1e-9 else math.inf


def notes_on_repeats(scores: Scores, systems: tuple[str, ...], std_error: Floats, growth: Floats) -> list[str]:
    """Say of first and second, and of first and third, whether repeats alone would separate them.

    Parameters
    ----------
    scores
        The table; where no scores are means over repeats, nothing is said.
    systems
        In the order of the ranking by method "mean".
    std_error, growth
        Shape `(N, N)`, in this order, see `podium.planning.result.Plan`.
    """
    variances = [task.repeats.variance for task in scores.tasks if task.repeats is not None]
    known = [variance for variance in variances if variance is not None]
    if not known:
        return []
    order = [scores.systems.index(system) for system in systems]
    noise = variance_of_repeats(scores)[order]
    numbers = [variance.repeats[order[0]] for variance in known]
    now = float(np.nanmean(numbers)) if np.isfinite(numbers).any() else math.nan
    notes = []
    for other in range(1, min(len(systems), 3)):
        factor, error = float(growth[0, other]), float(std_error[0, other])
        if not (math.isfinite(factor) and factor > 1 and error > 0 and math.isfinite(now)):
            continue
        share = min(float(noise[0] + noise[other]) / error**2, 1.0)
        needed = repeats_needed(factor, share)
        pair = f"{systems[0]}, {systems[other]}"
        if math.isinf(needed):
            said = (
                f"repeats are only {share:.0%} of the variance, so more of them cannot separate the two; add instances"
            )
        else:
            many = two_digits(math.ceil(needed * now))
            said = f"about {many} repeats an instance instead of {now:.3g} would do too; instances take fewer runs"
        notes.append(f"{pair}: {said}")
    return notes
