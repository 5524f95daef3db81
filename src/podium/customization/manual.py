"""Splits by name: numbered ones, and those that a column names, from easy to hard."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from podium.base.errors import InputError, MethodError
from podium.customization.customizer import Customizer
from podium.customization.partition import Partition
from podium.customization.result import Split
from podium.customization.split import Splitting
from podium.customization.weight import Weighting
from podium.difficulty.result import Difficulty, sorted_labels
from podium.score.table import Scores


def divided(
    customizer: Customizer, difficulty: Difficulty | Scores, splits: Any, by: str | None, seed: int
) -> tuple[Partition, list[str]]:
    """Split, and name the splits.

    Raises
    ------
    InputError, LabelError, MethodError
        As `podium.customize` says of splits.
    """
    if not isinstance(splits, str):
        if by == "manual":
            raise MethodError(f"manual splits need the column that says which split an instance is in, not {splits!r}")
        partition = customizer.split(Splitting.of(splits, by, seed=seed))
        return partition, [str(number + 1) for number in range(partition.splitting.count)]
    if by not in {None, "manual"}:
        raise MethodError(f"splits={splits!r} names a column, and splits by {by!r} need none; say by='manual'")
    if isinstance(difficulty, Scores):
        raise MethodError("confidences have no column of splits; use a Difficulty that has one")
    labels = list(map(_label, difficulty.column(splits).tolist()))
    if any(not labels[place] for places in customizer.rated.places for place in places):
        raise InputError(f"column {splits!r} is empty for some instances; give every instance a split")
    names = _from_easy_to_hard(customizer, labels)
    number = {name: float(place) for place, name in enumerate(names)}
    columns = [np.array([number[labels[place]] for place in places]) for places in customizer.rated.places]
    return customizer.split(Splitting.of(len(names), "manual"), columns), names


def _from_easy_to_hard(customizer: Customizer, labels: Sequence[str]) -> list[str]:
    """Names of manual splits: numbers as numbers, others by the mean difficulty of their instances."""
    rated = customizer.rated
    names = sorted_labels({labels[place] for places in rated.places for place in places})
    if all(_is_number(name) for name in names):
        return names
    values: dict[str, list[float]] = {name: [] for name in names}
    for places, own in zip(rated.places, rated.values, strict=True):
        for place, value in zip(places.tolist(), own.tolist(), strict=True):
            values[labels[place]].append(value)
    return sorted(names, key=lambda name: float(np.mean(values[name])), reverse=rated.hard == "low")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _label(value: Any) -> str:
    """Name a split as it is written; empty where there is none."""
    if value is None or value != value:  # noqa: PLR0124  # NaN
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def described(partition: Partition, names: Sequence[str], weighting: Weighting) -> tuple[Split, ...]:
    """Say what each split is."""
    weights = weighting.split_weights(partition.splitting.count).tolist()
    columns = zip(names, partition.ranges(), partition.sizes().tolist(), weights, strict=True)
    return tuple(Split(name, low, high, size, weight) for name, (low, high), size, weight in columns)
