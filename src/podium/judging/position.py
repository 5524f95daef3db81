"""What the order of two answers does to who wins, and whether the preferences of a judge fit one order of systems."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Floats, Ints
from podium.judging.coefficients import Interval, proportion, summed
from podium.ranking.battle import FoughtBattles
from podium.source.tool.battles import in_both_orders


class PairOfSystems(NamedTuple):
    """Battles of two systems judged in both orders: how many, and the share with another winner in the other order."""

    system: str
    opponent: str
    swapped: int
    flips: Interval


class Position(NamedTuple):
    """Effect of the order of answers on the choices of a judge, and whether these fit one order of systems.

    Attributes
    ----------
    battles, swapped
        How many battles there are, and how many of these pairs of systems were judged in both orders.
    first
        Share that the answer shown first wins, ties as half; if some were swapped, of these.
    flips
        Share of the swapped ones that have another winner, or a tie, in the other order.
    circle, misfit_p
        As of `podium.ranking.battle.circle_of`; NaN if one strength a system explains the choices.
    pairs
        Flips of each pair of systems, the largest shares first.
    """

    battles: int
    swapped: int
    first: Interval
    flips: Interval
    circle: tuple[str, ...]
    misfit_p: float
    pairs: tuple[PairOfSystems, ...]


def position(
    systems: Sequence[str], first: Ints, second: Ints, won: Floats, *, item: Ints, unit: Ints, confidence: float
) -> Position:
    """Look at the battles of one judge.

    Parameters
    ----------
    systems
        Labels.
    first, second, won
        Shape `(B,)`: the systems in the order in which they are shown, and whether the first one wins, a tie as half.
    item, unit
        Shape `(B,)`: what was asked, −1 if that has no name, and what varies together.
    """
    known = np.flatnonzero(item >= 0)
    one, other = (known[rows] for rows in in_both_orders(first[known], second[known], [item[known]]))
    shown = np.concatenate([one, other]) if one.size else np.arange(won.size)
    differ = (won[one] != 1 - won[other]).astype(np.float64)

    def share(rows: Ints, hits: Floats) -> Interval:
        return proportion(summed(unit[rows], [hits, np.ones(rows.size)]), confidence)

    found = []
    pair = np.minimum(first, second) * len(systems) + np.maximum(first, second)
    for number in np.unique(pair[one]).tolist():
        own = pair[one] == number
        names = systems[number // len(systems)], systems[number % len(systems)]
        found.append(PairOfSystems(*names, int(own.sum()), share(one[own], differ[own])))
    kept = np.ones(won.size, dtype=np.bool_)
    kept[other] = False
    decided = won.copy()
    decided[one[differ > 0]] = 0.5
    ordered = tuple(sorted(systems))
    place = np.array([ordered.index(name) for name in systems])
    one_side, other_side = place[first][kept], place[second][kept]
    battles = FoughtBattles.of_rows(
        ordered,
        np.unique(unit[kept], return_inverse=True)[1],
        np.minimum(one_side, other_side),
        np.maximum(one_side, other_side),
        fought=np.ones(one_side.size),
        won=np.where(one_side < other_side, decided[kept], 1 - decided[kept]),
    )
    circle, misfit = battles.fit() or ((), float("nan"))
    return Position(
        battles=won.size,
        swapped=one.size,
        first=share(shown, won[shown]),
        flips=share(one, differ) if one.size else Interval(),
        pairs=tuple(sorted(found, key=lambda row: -row.flips.value)),
        circle=circle,
        misfit_p=misfit,
    )
