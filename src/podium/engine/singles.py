"""Tallies of every instance by itself, and of all but it: of many instances at once, as if they were replicates."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from podium.engine.local import Counts
from podium.scores import Block, Scores
from podium.tallies import Tally
from podium.tallies.kernels import choose

__all__ = ["all_but_each", "each_alone"]

#: Instances weighed against each other at a time.
_RUN = 128


def each_alone(scores: Scores, kinds: Sequence[type[Tally]]) -> Iterator[Counts]:
    """Count every instance by itself.

    Parameters
    ----------
    scores
        Tasks that all have the same number of instances: the first instance is that of all tasks, and so on.
    kinds
        Kinds of tallies.

    Yields
    ------
    Tallies with a last axis for the instances of a run, one run after the other.

    Examples
    --------
    >>> import podium
    >>> from podium.tallies import Positions
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, systems=["A", "B"])
    >>> next(each_alone(scores, [Positions]))[Positions][0].rank_sum
    array([[1. , 2. , 1.5],
           [2. , 1. , 1.5]])
    """
    arithmetic = choose(1, 1)
    for run in _runs(scores):
        yield _counts(kinds, [[kind.of(_weighed(block, alone=True), arithmetic) for block in run] for kind in kinds])


def all_but_each(scores: Scores, kinds: Sequence[type[Tally]]) -> Iterator[Counts]:
    """Count all instances but one, for each of them.

    Nothing is subtracted: the others of a run are counted anew and merged with the runs before and after, so that no
    digits are lost to an instance that outweighs the rest.

    Parameters
    ----------
    scores, kinds
        As for `each_alone`.

    Yields
    ------
    Tallies with a last axis for the instances left out, one run after the other.

    Examples
    --------
    >>> import podium
    >>> from podium.tallies import Positions
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, systems=["A", "B"])
    >>> next(all_but_each(scores, [Positions]))[Positions][0].rank_sum
    array([[3.5, 2.5, 3. ],
           [2.5, 3.5, 3. ]])
    """
    arithmetic = choose(1, 1)
    empty = [[kind.empty(len(scores.systems)) for _ in scores.tasks] for kind in kinds]
    whole = [[[kind.of(block, arithmetic) for block in run] for kind in kinds] for run in _runs(scores)]
    behind = [empty]
    for counted in whole[:0:-1]:
        behind.append(_merged(counted, behind[-1]))
    before = empty
    for run, counted in zip(_runs(scores), whole, strict=True):
        rest = _counts(kinds, _merged(before, behind.pop())).as_replicates()
        others = [[kind.of(_weighed(block, alone=False), arithmetic) for block in run] for kind in kinds]
        yield _counts(kinds, _merged([list(rest[kind]) for kind in kinds], others))
        before = _merged(before, counted)


def _runs(scores: Scores) -> Iterator[tuple[Block, ...]]:
    """Yield the same run of instances of all tasks."""
    return zip(*(replace(scores, tasks=(task,)).blocks(at_most=_RUN) for task in scores.tasks), strict=True)


def _weighed(block: Block, *, alone: bool) -> Block:
    """Give every instance a replicate in which it counts alone, or all others do."""
    own = np.eye(block.values.shape[1])
    weights = own if alone else 1 - own
    return replace(block, weights=weights if block.weights is None else weights * block.weights[:, None])


def _merged(left: list[list[Tally]], right: list[list[Tally]]) -> list[list[Any]]:
    """Merge tallies kind by kind and task by task."""
    return [[one.merge(other) for one, other in zip(*kind, strict=True)] for kind in zip(left, right, strict=True)]


def _counts(kinds: Sequence[type[Tally]], tallies: list[list[Tally]]) -> Counts:
    return Counts({kind: tuple(tasks) for kind, tasks in zip(kinds, tallies, strict=True)})
