"""Families of systems: fine-tunes and sizes of one base, which a ranking folds into the best of each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from podium.base.arrays import Bools, Ints
from podium.base.errors import LabelError, MethodError

if TYPE_CHECKING:
    from podium.ranking.result import Ranking


class Families(NamedTuple):
    """F families of a ranking, best first.

    Attributes
    ----------
    names
        The F names.
    best
        Shape `(F,)`: place in the ranking of the best member.
    rank, low, high
        Shape `(F,)`: competition rank among families by their best members, 0 where none is ranked; and the ranks that
        the families may truly have, by the best of each, all together. Without intervals these are 0.
    members, may_be_best
        Shape `(F,)`: how many members there are; of how many no other member is better, all pairs together.
    better
        Shape `(F, F)`: whether the best of a family is surely better than that of another.
    """

    names: tuple[str, ...]
    best: Ints
    rank: Ints
    low: Ints
    high: Ints
    members: Ints
    may_be_best: Ints
    better: Bools


def families_of(ranking: "Ranking") -> Families:
    """Fold the systems of a ranking into their families.

    Family F is surely better than G if each member of G has one of F that is better than it: then so is the best of F,
    whichever it is. As all pairs of systems are judged together, so are all claims on families, also of the largest, of
    which the luckiest member is seen.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.demo()
    >>> family = {name: "trees" for name in ("atlas", "birch", "cedar")}
    >>> found = families_of(podium.rank(table, system_families=family))
    >>> found.names[:2], found.rank[:2].tolist(), found.members[:2].tolist(), found.may_be_best[:2].tolist()
    (('trees', 'delta'), [1, 2], [3, 1], [2, 1])
    """
    names = tuple(dict.fromkeys(ranking.families))
    of = np.array([[own == name for own in ranking.families] for name in names])
    ranked, members, best = ranking.rank > 0, of.sum(axis=1), of.argmax(axis=1)
    number = ranking.rank[best]
    rank = np.where(number > 0, 1 + ((number < number[:, None]) & (number > 0)).sum(axis=1), 0)
    if ranking.intervals is None:
        unknown = np.zeros(len(names), dtype=np.int64)
        return Families(names, best, rank, unknown, unknown, members, members, np.zeros((len(names),) * 2, np.bool_))
    beaten = np.array([ranking.intervals.separated[own].any(axis=0) for own in of])
    left = (~beaten & ranked).astype(np.int64) @ of.T  # members of a family that none of another is better than
    better = (left == 0) & (rank > 0) & ~np.eye(len(names), dtype=np.bool_)
    return Families(
        names,
        best,
        rank,
        low=np.where(rank > 0, 1 + better.sum(axis=0), 0),
        high=np.where(rank > 0, np.count_nonzero(rank) - better.sum(axis=1), 0),
        members=members,
        may_be_best=(of & ranked & ~beaten).sum(axis=1),
        better=better,
    )


def family_of_each(systems: Sequence[str], given: Mapping[str, str] | None) -> tuple[str, ...]:
    """Return the family of each system; one without is its own, under its own name. Nothing if none are given.

    Raises
    ------
    LabelError
        There is no such system.
    MethodError
        What is given is no dictionary of texts, or all systems are in one family.
    """
    if given is None:
        return ()
    told: Any = given
    if not isinstance(told, Mapping) or not all(isinstance(name, str) for name in (*told, *told.values())):
        raise MethodError("system_families are names by system, as in {'llama-7b': 'llama', 'llama-70b': 'llama'}")
    for system in told:
        if system not in systems:
            raise LabelError.unknown("system", system, systems)
    families = tuple(told.get(system, "").strip() or system for system in systems)
    if len(set(families)) < 2:
        raise MethodError(f"all systems are in the family {families[0]!r}; a ranking of families needs two")
    return families
