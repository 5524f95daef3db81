"""Tallies of what is left when the first instances of some order are left out."""

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.engine.local import Counts
from podium.scores import Block, Scores
from podium.tallies import Tally
from podium.tallies.kernels import Kernels, choose

__all__ = ["without_starts"]

Integers = NDArray[Any]


def without_starts(
    scores: Scores, kinds: Sequence[type[Tally]], places: Integers, which: Integers, sizes: Integers
) -> Counts:
    """Count replicates, in each of which the first instances of an order are left out.

    What lies between two sizes of an order is counted once, and merged from the end: so nothing that is left out
    touches what is left, however large it is.

    Parameters
    ----------
    scores
        Tasks that all have the same number of instances K: the first instance is that of all tasks, and so on.
    kinds
        Kinds of tallies.
    places
        Shape `(K, O)`: the place of each instance in each of O orders, from 0.
    which, sizes
        Shape `(B,)`: in a replicate, instances whose place in this order is below this size are left out.

    Returns
    -------
    Tallies with a last axis for replicates.

    Examples
    --------
    >>> import podium
    >>> from podium.tallies import Moments
    >>> scores = podium.from_arrays({"t": [[1e16, 1, 3]]}, systems=["A"])
    >>> order, size = np.array([0, 0]), np.array([1, 2])
    >>> without_starts(scores, [Moments], np.array([[0], [1], [2]]), order, size)[Moments][0].mean
    array([[2., 3.]])
    """
    arithmetic = choose(1, 1)
    found: dict[type[Tally], list[Tally]] = {kind: [] for kind in kinds}
    for task in scores.tasks:
        blocks = list(replace(scores, tasks=(task,)).blocks())
        left: dict[tuple[int, int], list[Tally]] = {}
        for order in np.unique(which).tolist():
            steps = np.unique(sizes[which == order])
            left |= {
                (order, step): tallies
                for step, tallies in zip(
                    steps.tolist(), _left(blocks, kinds, places[:, order], steps, arithmetic), strict=True
                )
            }
        replicates = [left[one] for one in zip(which.tolist(), sizes.tolist(), strict=True)]
        for place, kind in enumerate(kinds):
            found[kind].append(_stacked([tallies[place] for tallies in replicates]))
    return Counts({kind: tuple(tallies) for kind, tallies in found.items()})


def _left(
    blocks: Sequence[Block], kinds: Sequence[type[Tally]], places: Integers, steps: Integers, arithmetic: Kernels
) -> list[list[Tally]]:
    """Tallies of a task for each step: of the instances whose places are not below it."""
    empty = [kind.empty(blocks[0].values.shape[0]) for kind in kinds]
    parts = [empty] * steps.size
    for block in blocks:
        passed = np.searchsorted(steps, places[block.start : block.start + block.values.shape[1]], side="right")
        order = np.argsort(passed, kind="stable")
        bounds = np.searchsorted(passed[order], np.arange(1, steps.size + 2)).tolist()
        for step, (first, end) in enumerate(pairwise(bounds)):
            if first < end:
                piece = _piece(block, order[first:end])
                parts[step] = [
                    tally.merge(kind.of(piece, arithmetic)) for kind, tally in zip(kinds, parts[step], strict=True)
                ]
    left, total = [], empty
    for part in reversed(parts):
        total = [one.merge(other) for one, other in zip(part, total, strict=True)]
        left.append(total)
    return left[::-1]


def _piece(block: Block, which: Integers) -> Block:
    """Take some instances of a block."""
    weights = None if block.weights is None else block.weights[which]
    return replace(block, values=np.ascontiguousarray(block.values[:, which]), weights=weights)


def _stacked(tallies: Sequence[Any]) -> Tally:
    """Give tallies of one kind an axis of replicates."""
    arrays = (np.stack([getattr(tally, field.name) for tally in tallies], axis=-1) for field in fields(tallies[0]))
    return type(tallies[0])(*arrays)  # type: ignore[no-any-return]
