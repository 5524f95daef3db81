"""What to know before trusting a customized leaderboard, in words."""

import numpy as np

from podium.base.words import LONG, Aside, significant, with_names
from podium.customization.customizer import Customizer
from podium.customization.partition import Partition
from podium.customization.weight import PLAIN, Weighting


def notes_on(customizer: Customizer, partition: Partition, weighting: Weighting) -> list[str]:
    """Say what was left out, is arbitrary, or is not what it says.

    Parameters
    ----------
    customizer, partition
        The scores and their splits.
    weighting
        Weights, reward and penalty.
    """
    rated, scores, names = customizer.rated, customizer.rated.scores, partition.names
    notes = [*rated.notes]
    if missing := scores.n_cells - scores.n_scored:
        notes.append(
            f"{missing:,} of {scores.n_cells:,} scores are missing, so systems are compared on different instances"
        )
    if empty := [name for name, size in zip(names, partition.sizes().tolist(), strict=True) if size == 0]:
        notes.append(with_names("empty splits have no score: ", empty, room=LONG))
    notes += [*_unrated(customizer, partition), *_unsure(customizer, partition), *arbitrary(rated.name, partition)]
    if scores.tie_tolerance:
        notes.append(Aside("the tie tolerance has no effect on scores weighted by difficulty"))
    notes += [*_order(customizer, partition), *_unscored(customizer, partition)]
    return [*notes, *_direction(customizer, weighting), *_doubt(customizer, partition)]


def _order(customizer: Customizer, partition: Partition) -> list[str]:
    """Say in which order manual splits are."""
    if partition.splitting.by != "manual":
        return []
    order = f"numbers in order, other labels by mean {customizer.rated.name}"
    return [with_names("splits from easy to hard: ", partition.names, f" ({order})", room=LONG)]


def _unscored(customizer: Customizer, partition: Partition) -> list[str]:
    """Name systems that are ranked, but were scored nowhere in some split."""
    overall, within = partition.metric(PLAIN)
    filled = partition.sizes() > 0
    notes = []
    for system, score, row in zip(customizer.rated.scores.systems, overall, within, strict=True):
        bare = [
            name for name, value, there in zip(partition.names, row, filled, strict=True) if there and np.isnan(value)
        ]
        if bare and not np.isnan(score):
            other = ", so it is compared on other splits than the rest"
            notes.append(with_names(f"{system} has no score in split ", bare, other, room=LONG))
    return notes


def _direction(customizer: Customizer, weighting: Weighting) -> list[str]:
    """Say where powers of B let easy instances count most, against the paper's Table 1."""
    powers = [power for power in (weighting.power, weighting.reward.power) if power]
    wanted = 1 if customizer.rated.hard == "high" else -1
    if not powers or all(power == wanted for power in powers):
        return []
    kind = "low" if wanted < 0 else "high"
    right = "1/B" if wanted < 0 else "B"
    return [
        f"{kind} values of {customizer.rated.name} are hard, so easy instances count most; use {right} to change that"
    ]


def _unrated(customizer: Customizer, partition: Partition) -> list[str]:
    """Name the systems with fewer difficulties of their own than splits."""
    short = sorted(
        {row for box in partition.boxes if box.own for row in box.short(partition.splitting, partition.count)}
    )
    named = [customizer.rated.scores.systems[row] for row in short]
    return (
        [with_names("no score by split, because there are fewer confidences than splits: ", named, room=LONG)]
        if named
        else []
    )


def _unsure(customizer: Customizer, partition: Partition) -> list[str]:
    """Name the systems whose splits end among instances of equal confidence, the one with most of them first."""
    if not customizer.rated.own:
        return []
    systems = customizer.rated.scores.systems
    most = {name: max((end.size for end in partition.shared(row)), default=0) for row, name in enumerate(systems)}
    named = sorted((name for name in systems if most[name]), key=lambda name: -most[name])
    if not named:
        return []
    up_to = "" if len(named) == 1 else "up to "
    return [
        with_names(
            f"splits share instances, because {up_to}{most[named[0]]:,} have equal confidence: ", named, room=LONG
        )
    ]


def arbitrary(measure: str, partition: Partition) -> list[str]:
    """Say which splits end among instances of equal difficulty.

    Parameters
    ----------
    measure
        Name of the measure.
    partition
        The splits.
    """
    ends = partition.shared()
    if not ends:
        return []
    numbers = list(dict.fromkeys(partition.names[end.split - 1] for end in ends))
    which, end = ("split ", " ends") if len(numbers) == 1 else ("splits ", " end")
    _, value, size = max(ends, key=lambda end: end.size)
    most = "" if len(ends) == 1 else "up to "
    tie = f"instances of equal {measure} ({most}{size:,} of {significant(value, 3)})"
    return [with_names(which, numbers, f"{end} among {tie}; the splits on both sides share them", room=LONG)]


def _doubt(customizer: Customizer, partition: Partition) -> list[str]:
    """Say where what is called hard is not hard for these systems."""
    if customizer.rated.own or partition.splitting.by in {"random", "manual"}:
        return []
    accuracy = partition.metric(PLAIN)[1]
    means = [float(column[~np.isnan(column)].mean()) for column in accuracy.T if not np.isnan(column).all()]
    if len(means) < 2 or means[-1] <= means[0]:
        return []
    first, last = (f"{100 * mean:.1f}%" for mean in (means[0], means[-1]))
    said = f"the systems solve {first} of the easiest split and {last} of the hardest"
    return [f"{said}, so {customizer.rated.name} does not show what is hard for them"]
