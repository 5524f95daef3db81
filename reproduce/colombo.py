"""What printed numbers of Colombo et al. rest on though the paper does not say it, done here so that they come out."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from released import IMAGES

import podium
from podium.agreement import last_agreement, top_agreement
from podium.robustness.study_result import Study
from podium.score.table import Scores
from podium.simulate import World, gumbel

__all__ = [
    "SIZE",
    "Counts",
    "Floats",
    "beside",
    "borda",
    "by_mean",
    "drawn",
    "ends",
    "order",
    "parsed",
    "ranks",
    "shown",
    "table",
    "values_below",
    "worlds",
]

#: Of the simulated worlds: N = T = K.
SIZE = 20

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


def order(values: ArrayLike) -> Counts:
    """Places of the values from the lowest up, equal ones as the sort of NumPy before 1.25 leaves them.

    Newer versions sort doubles with vector instructions, which leave equal ones otherwise; long doubles they sort as
    they did, where these are longer than doubles.
    """
    return np.argsort(np.asarray(values, dtype=np.longdouble))


def values_below(values: ArrayLike) -> Counts:
    """Number of values below each, 0 for the lowest; of equal values one counts as below the other, see `order`."""
    return order(order(values))


def borda(ballots: ArrayLike) -> Counts:
    """Sum of the places of N systems on ballots `(L, N)`, highest best."""
    total: Counts = np.sum([values_below(ballot) for ballot in np.asarray(ballots)], axis=0)
    return total


def table(scores: Scores) -> Floats:
    """Scores of a task-level table, `(T, N)`."""
    return np.array([task.values[:, 0] for task in scores.tasks], dtype=np.float64)


def by_mean(tasks: Floats) -> Counts:
    """Columns of `(T, N)` from the highest mean down."""
    return order(-tasks.mean(axis=0))


def as_printed(method: str) -> str:
    """Return the method with missing scores as the papers count them."""
    return "borda:missing=imputed" if method == "borda" else method


def ranks(scores: Scores, way: str) -> Floats:
    """Ranks by podium, 1 is best, in the order of the table; `way` as "mean" or "borda:one"."""
    method, _, told = way.partition(":")
    level: Any = told or None
    of = {
        row["system"]: row["midrank"]
        for row in podium.rank(scores, as_printed(method), level=level, confidence_level=None).rows()
    }
    return np.array([of[system] for system in scores.systems])


def ends(one: Floats, other: Floats) -> tuple[list[float], list[float]]:
    """Agreement of two rank vectors on the top 1, 3, 5 and 10 systems, and on the last 3, 5 and 10."""
    top = [top_agreement(one, other, n) for n in (1, 3, 5, 10)]
    return top, [last_agreement(one, other, n) for n in (3, 5, 10)]


def parsed(values: Floats) -> Floats:
    """Values as pandas before 3 reads them from text: up to 17 digits, leading zeros among them, and one division.

    So numbers that are equal, or in order, in the file may come out otherwise by the last bit.
    """
    numbers = [_parsed(repr(value)) for value in values.ravel().tolist()]
    return np.array(numbers).reshape(values.shape)


def _parsed(text: str) -> float:
    mantissa, _, exponent = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    number = 0.0
    for digit in (whole + fraction)[:17]:
        number = number * 10.0 + int(digit)
    power = int(exponent or 0) - min(len(fraction), 17 - len(whole))
    number = number * 10.0**power if power > 0 else number / 10.0**-power
    return -number if text.startswith("-") else number


def worlds(dispersion: float) -> Callable[[np.random.Generator], World]:
    """Worlds of the paper's size, at φ."""
    return lambda rng: gumbel(SIZE, SIZE, SIZE, dispersion=dispersion, rng=rng)


def beside(studies: Iterable[tuple[str, Study]]) -> Study:
    """Studies of one stress each and the same methods as one, each under its name: rows of one picture."""
    named = [(name, study) for name, study in studies]
    swept = tuple(replace(study.swept[0], name=name) for name, study in named)
    return replace(named[0][1], swept=swept)


def drawn(study: Study, measure: str, file: str) -> None:
    """Write the picture of a study."""
    podium.plots.save(podium.plots.stability(study, measure=measure), IMAGES / file)


def shown(numbers: Sequence[float], decimals: int) -> str:
    """Numbers as text."""
    return ", ".join(f"{round(number, decimals):g}" for number in numbers)
