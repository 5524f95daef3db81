"""Pairwise scores, and what majorities say: Copeland, Condorcet winner, the cycle that prevents one, Smith set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.words import NAMED, with_groups, with_names
from podium.ranking.ballots import exact_sum, majority, preferences, strong_components, weak_components
from podium.ranking.method import MethodContext, MethodResult, PairMethod, pooled
from podium.tally.count import Counts

#: Systems up to which majorities are followed from one to the next, which takes a time cubic in their number.
_REMARKABLE = 500


@dataclass(frozen=True, slots=True)
class Majorities:
    """Orders that the majorities on pairs of systems agree on; systems are indices, in increasing order.

    Attributes
    ----------
    winner
        The system that beats every other by majority, or None.
    smith_set
        The smallest set whose every member beats every system outside by majority: the winner alone where there is
        one, and otherwise those between whom majorities do not decide.
    schwartz_set
        Members of the Smith set that lose only to systems that they beat back, directly or through others. Smaller
        than the Smith set only where pairs are undecided.
    cycle
        A shortest cycle of majorities inside the Smith set, each beating the next and the last the first; of several
        the one with the lowest indices. None where there is none.
    undecided
        Pairs inside the Smith set in which neither beats the other: tied, or never compared. Without a winner
        and without a cycle, these are what prevents one.
    """

    winner: int | None
    smith_set: tuple[int, ...]
    schwartz_set: tuple[int, ...]
    cycle: tuple[int, ...] | None
    undecided: tuple[tuple[int, int], ...]

    def sentence(self, labels: Sequence[str]) -> str:
        """Name the winner, or say what prevents one.

        >>> majorities(np.array([[0, 2, 0], [1, 0, 3], [3, 0, 0.0]])).sentence("ABC")
        'no Condorcet winner: A > B > C > A'
        """
        if self.winner is not None:
            return f"Condorcet winner: {labels[self.winner]} beats every other system by majority"
        before, size = "no Condorcet winner: ", len(self.smith_set)
        after = f"; {size:,} in the Smith set" if size > 3 else ""
        if not self.cycle:
            pairs = [f"{labels[i]} and {labels[j]}" for i, j in self.undecided]
            return with_names(f"{before}no majority between ", pairs, after, most=3)
        first, *others = [labels[index] for index in self.cycle]
        why = before + " > ".join([first, *others, first])
        if len(why) > NAMED and len(others) > 2:
            why = f"{before}{first} > {others[0]} > … > {first}, a cycle of {len(self.cycle):,}"
        return why + (after if len(why + after) <= NAMED else "")


def wins(preference: Floats) -> MethodResult:
    """Return the mean over opponents of the share of comparisons won, ties counting half.

    Score s_i = mean over j of P[i, j] / (P[i, j] + P[j, i]). For two systems this is λ_i / K, the number of instances
    on which i is better over all, by which Peyrard et al. 2021 compare two systems (as in Colombo et al. 2022, §2.3,
    but with ties halved, where λ as printed gives them to the first); the mean over opponents is the customary
    extension to more. Where all pairs weigh the same, on complete tables or with missing scores imputed, it is Borda
    on the same ballots (levels one and task).

    Parameters
    ----------
    preference
        Shape `(N, N)` or `(N, N, B)`, as of `preferences`. Opponents never met are left out of the mean.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; NaN for a system compared with no other.

    Examples
    --------
    >>> wins(np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).score
    array([0.625, 0.25 , 0.5  ])
    """
    met = preference + preference.swapaxes(0, 1)
    share = np.divide(preference, met, out=np.zeros_like(preference), where=met > 0)
    return MethodResult(_mean_over_opponents(share, met > 0))


def copeland(preference: Floats) -> MethodResult:
    """Return the share of opponents beaten by majority, undecided ones counting half (Copeland 1951).

    Score s_i = (#{j: P[i, j] > P[j, i]} + ½ #{j: P[i, j] = P[j, i]}) / #{j}, over the opponents met.

    Parameters
    ----------
    preference
        Shape `(N, N)` or `(N, N, B)`, as of `preferences`. Opponents never met are left out.

    Returns
    -------
    MethodResult
        `score` between 0 and 1, higher is better; NaN for a system compared with no other.

    Examples
    --------
    >>> copeland(np.array([[0.0, 3.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])).score
    array([0.75, 0.  , 0.5 ])
    """
    beats = majority(preference)
    met = preference + preference.swapaxes(0, 1) > 0
    return MethodResult(_mean_over_opponents((1.0 + beats - beats.swapaxes(0, 1)) / 2, met))


def majorities(preference: Floats) -> Majorities:
    """Find the Condorcet winner, or what prevents one: a cycle of majorities, or undecided pairs.

    Parameters
    ----------
    preference
        Shape `(N, N)`, as of `preferences`; i beats j by majority where P[i, j] > P[j, i], to rounding. A pair never
        compared is undecided.

    References
    ----------
    Smith 1973 (dominating set); Schwartz 1972 (maximal set).

    Examples
    --------
    >>> majorities(np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 2.0], [2.0, 1.0, 0.0]]))
    Majorities(winner=None, smith_set=(0, 1, 2), schwartz_set=(0, 1, 2), cycle=(0, 1, 2), undecided=())
    """
    beats = majority(preference)
    smith = _smith_set(beats)
    inside = beats[np.ix_(smith, smith)]
    cycle = _shortest_cycle(inside)
    return Majorities(
        winner=smith[0] if len(smith) == 1 else None,
        smith_set=smith,
        schwartz_set=tuple(smith[member] for member in _schwartz_set(inside)),
        cycle=None if cycle is None else tuple(smith[member] for member in cycle),
        undecided=tuple((i, j) for i, j in combinations(smith, 2) if not (beats[i, j] or beats[j, i])),
    )


def _mean_over_opponents(share: Floats, met: Bools) -> Floats:
    """Return the mean of the shares of opponents met."""
    opponents = met.sum(axis=1)
    total = exact_sum(np.where(met, share, 0.0).swapaxes(0, 1))
    return np.asarray(np.divide(total, opponents, out=np.full(total.shape, np.nan), where=opponents > 0))


def _smith_set(beats: Bools) -> tuple[int, ...]:
    """Shortest prefix of the Copeland order that beats the rest: members beat more and lose to fewer than others."""
    score = beats.sum(axis=1) - beats.sum(axis=0)
    order = np.argsort(-score, kind="stable")
    sorted_beats = beats[np.ix_(order, order)]
    # The last system that somebody of the first k does not beat must be among the first k.
    unbeaten = ~sorted_beats & ~np.eye(len(order), dtype=np.bool_)
    last = np.where(unbeaten.any(axis=1), len(order) - 1 - np.argmax(unbeaten[:, ::-1], axis=1), 0)
    size = int(np.flatnonzero(np.maximum.accumulate(last) <= np.arange(len(order)))[0]) + 1
    return tuple(sorted(order[:size].tolist()))


def _schwartz_set(beats: Bools) -> list[int]:
    """Return the members of all groups of mutually reachable systems into which no majority leads from outside."""
    groups = strong_components(beats)
    return sorted(
        member for group in groups if not np.delete(beats, group, axis=0)[:, list(group)].any() for member in group
    )


def _shortest_cycle(beats: Bools) -> tuple[int, ...] | None:
    shortest: tuple[int, ...] | None = None
    for start in range(len(beats)):
        if shortest is not None and len(shortest) == 3:  # no two beat each other, so none is shorter
            break
        cycle = _cycle_through(start, beats)
        if cycle is not None and (shortest is None or len(cycle) < len(shortest)):
            shortest = cycle
    return shortest


def _cycle_through(start: int, beats: Bools) -> tuple[int, ...] | None:
    """Shortest cycle through a system, the lowest indices first."""
    distance = _distances_to(start, beats)
    nexts = np.where(beats[start], distance, -1)
    if nexts.max() < 1:
        return None
    cycle = [start]
    remaining = int(nexts[nexts > 0].min())
    while remaining:
        cycle.append(int(np.flatnonzero(beats[cycle[-1]] & (distance == remaining))[0]))
        remaining -= 1
    return tuple(cycle)


def _distances_to(target: int, beats: Bools) -> Ints:
    """Edges on a shortest way to the target; 0 for itself, −1 where there is none."""
    distance = np.full(len(beats), -1)
    front = np.array([target])
    steps = 0
    while front.size:
        distance[front] = steps
        front = np.flatnonzero(beats[:, front].any(axis=1) & (distance < 0))
        steps += 1
    return distance


def _remarks(preference: Floats, labels: Sequence[str]) -> list[str]:
    if len(labels) > _REMARKABLE:
        return []
    return [*never_met(preference, labels), majorities(preference).sentence(labels)]


def never_met(preference: Floats, labels: Sequence[str]) -> list[str]:
    """Say which groups of systems never meet, if any."""
    if len(labels) > _REMARKABLE:
        return []
    groups = weak_components(preference + preference.T > 0)
    if len(groups) == 1:
        return []
    named = [[labels[index] for index in group] for group in groups]
    return [with_groups("never compared: ", named, "; rank each alone, or use missing='imputed'")]


class _OfPreferences(PairMethod):
    """A function of the preference matrix."""

    shares = True
    missing = ("imputed", "direct")

    def __init__(self, title: str, rank: Callable[[Floats], MethodResult]) -> None:
        self.title, self._rank = title, rank
        self.steps, self.adds_up = rank is not wins, rank is wins

    def apply(self, counts: Counts, context: MethodContext) -> MethodResult:
        preference = preferences(pooled(counts, context), context.missing)
        return replace(self._rank(preference), remarks=lambda labels: _remarks(preference, labels))


WINS = _OfPreferences("mean share of comparisons won", wins)
COPELAND = _OfPreferences("Copeland score", copeland)
