"""Instance weights from difficulty, which every way of ranking and comparing takes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from podium.customization import Splitting, Weighting
from podium.customized_notes import arbitrary
from podium.customizer import Customizer
from podium.difficulties import Difficulty
from podium.errors import InputError, MethodError
from podium.scores import Scores
from podium.wording import counted

__all__ = ["weigh"]


def weigh(
    scores: Scores,
    difficulty: Difficulty,
    *,
    measure: str | None = None,
    splits: int | Sequence[float] = 7,
    by: str | None = None,
    weights: str | Sequence[float] = "linear",
    ties: str = "share",
    level: str | None = None,
    strict: bool = False,
    seed: int = 0,
) -> Scores:
    """Give instances weights by their difficulty, so that Borda, Kemeny, effects and all else heed it.

    An instance weighs what its split does, W of [MA21, Eq. 1–2]; one that lies in several splits, since a split ends
    among instances of its difficulty, weighs their mean in the right fractions. Instances that have weights already
    get the product. Scores may be on any scale.

    Parameters
    ----------
    scores
        The table.
    difficulty, measure, splits, by, ties, level, strict, seed
        As for `podium.customize`.
    weights
        Of the splits, from the easiest: "linear", "falling", "logarithmic", "square", "uniform", or one number for
        each; or of the instances "B", their difficulty itself, or "1/B".

    Returns
    -------
    Scores
        The same table with instance weights, without instances that have no difficulty; a note says how many.

    Raises
    ------
    InputError
        Nothing is rated; or, if strict, something is not; or every system has difficulties of its own.
    LabelError
        There is no such measure.
    MethodError
        An unknown way or rule; more splits than instances; 1/B where some B is 0; B or 1/B where some are negative.
    WeightError
        Weights of splits that are negative, not finite, all zero, or not as many as splits.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulties import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> podium.weigh(scores, bias, splits=2).tasks[0].instance_weights
    array([1., 1., 2., 2.])
    """
    given: Any = difficulty
    if isinstance(given, Scores):
        raise InputError(
            "confidences differ from system to system, and an instance has one weight for all; use podium.customize"
        )
    if by == "manual":
        raise MethodError(
            "manual splits are for podium.customize; put the weights themselves into a column, and say 'B'"
        )
    weighting = Weighting.of(weights, 1, 0)
    customizer = Customizer.of(
        scores, difficulty, measure=measure, ties=ties, level=level, strict=strict, bounded=False
    )
    customizer.check(weighting)
    partition = customizer.split(Splitting.of(splits, by, seed=seed))
    shares = partition.shares()
    rated = customizer.rated.scores
    b = np.concatenate(shares) @ weighting.split_weights(shares[0].shape[1])
    ends = np.cumsum([task.n_instances for task in rated.tasks])[:-1]
    tasks = []
    for task, own, values in zip(rated.tasks, np.split(b, ends), customizer.rated.values, strict=True):
        weight = own * values**weighting.power
        tasks.append(
            replace(task, instance_weights=weight if task.instance_weights is None else weight * task.instance_weights)
        )
    number = partition.splitting.count
    how = f"weights {weighting} over {counted(number, 'split')} ({partition.splitting.by})"
    said = [f"instances weighed by {customizer.rated.name}, {customizer.rated.hard} values hard: {how}"]
    if weighting.power:
        said = [f"instances weighed by {weighting} of {customizer.rated.name}"]
    else:
        said += arbitrary(customizer.rated.name, partition, [str(split + 1) for split in range(number)])
    return replace(rated, tasks=tuple(tasks), notes=(*rated.notes, *customizer.rated.notes, *said))
