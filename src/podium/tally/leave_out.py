"""Tallies of a table without some instances, for many choices of them at once, as if these were replicates.

Nothing is subtracted, because an instance that outweighs the rest would leave no digits of them. What is left is merged
instead. Say that a task has five instances a, b, c, d, e:

- `without_prefixes` leaves out the first ones. What is left is a suffix: bcde, cde, de or e. Each is merged from the
  next one: e, then d + e, then c + de, and so on.
- `all_but_each` leaves out one. Without c there is a prefix ab and a suffix de. For chunks of instances these two are
  merged chunk by chunk (`_suffixes`); inside a chunk all others are counted anew, or merged by pairs (`_all_but_one`).
- `each_alone` leaves out all but one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.score.table import Block, Scores
from podium.tally.count import Counts, choose
from podium.tally.moment import Means, Moments
from podium.tally.tally import Kernels, Tally

Integers = NDArray[Any]

#: Tallies of the same instances of one task, a tally for each kind.
_ByKind = list[Tally]

#: Tallies of the same instances of all tasks: for each kind a list, which has a tally for each task.
_ByKindAndTask = list[list[Tally]]


def without_prefixes(
    scores: Scores, kinds: Sequence[type[Tally]], positions: Integers, which: Integers, sizes: Integers
) -> Counts:
    """Count replicates that each leave out a prefix of an order, its first instances.

    Parameters
    ----------
    scores
        Tasks that all have the same number of instances K: the first instance is that of all tasks, and so on.
    kinds
        Kinds of tallies.
    positions
        Shape `(K, O)`: the position of each instance in each of O orders, from 0.
    which, sizes
        Shape `(B,)`: in a replicate, instances whose position in this order is below this size are left out. What lies
        between two sizes is counted once.

    Returns
    -------
    Tallies with a last axis for replicates.

    Examples
    --------
    >>> import podium
    >>> from podium.tally.moment import Moments
    >>> scores = podium.from_arrays({"t": [[1e16, 1, 3]]}, systems=["A"])
    >>> order, size = np.array([0, 0]), np.array([1, 2])
    >>> without_prefixes(scores, [Moments], np.array([[0], [1], [2]]), order, size)[Moments][0].mean
    array([[2., 3.]])
    """
    arithmetic = choose(1, 1)
    found: dict[type[Tally], list[Tally]] = {kind: [] for kind in kinds}
    for task in scores.tasks:
        blocks = list(replace(scores, tasks=(task,)).blocks())
        left: dict[tuple[int, int], _ByKind] = {}  # by order and size
        for order in np.unique(which).tolist():
            some = np.unique(sizes[which == order])
            suffixes = _without_sizes(blocks, kinds, positions[:, order], some, arithmetic)
            left |= {(order, size): tallies for size, tallies in zip(some.tolist(), suffixes, strict=True)}
        replicates = [left[one] for one in zip(which.tolist(), sizes.tolist(), strict=True)]
        for place, kind in enumerate(kinds):
            found[kind].append(kind.together([tallies[place] for tallies in replicates], partial(np.stack, axis=-1)))
    return Counts({kind: tuple(tallies) for kind, tallies in found.items()})


def _without_sizes(
    blocks: Sequence[Block], kinds: Sequence[type[Tally]], positions: Integers, sizes: Integers, arithmetic: Kernels
) -> list[_ByKind]:
    """Tallies of a task for each of ascending sizes: of the instances whose positions are not below it.

    With sizes 1, 2 and 4, instances a, b, c, d, e in this order make the pieces b, cd and e. Merged from the end, these
    are the suffixes e, cde and bcde.
    """
    empty = [kind.empty(blocks[0].values.shape[0]) for kind in kinds]
    pieces = [empty] * sizes.size  # what lies between a size and the next
    for block in blocks:
        passed = np.searchsorted(sizes, positions[block.start : block.start + block.values.shape[1]], side="right")
        order = np.argsort(passed, kind="stable")
        bounds = np.searchsorted(passed[order], np.arange(1, sizes.size + 2)).tolist()
        for index, (first, end) in enumerate(pairwise(bounds)):
            if first < end:
                chosen = _picked_block(block, order[first:end])
                pieces[index] = [
                    tally.merge(kind.of(chosen, arithmetic)) for kind, tally in zip(kinds, pieces[index], strict=True)
                ]
    from_the_end = [empty]
    for piece in reversed(pieces):
        from_the_end.append([one.merge(other) for one, other in zip(piece, from_the_end[-1], strict=True)])
    return list(reversed(from_the_end[1:]))


def _picked_block(block: Block, which: Integers) -> Block:
    """Take some instances of a block."""
    weights = None if block.weights is None else block.weights[which]
    return replace(block, values=np.ascontiguousarray(block.values[:, which]), weights=weights)


#: Instances at a time: those that are weighed against each other, and those that are merged.
_CHUNK, _LONG_CHUNK = 128, 4096

#: Averages, merged out of single instances: sums over weights of 0 and 1 lose digits to an instance that weighs 0.
_AVERAGES: dict[type[Tally], Callable[[Moments], Tally]] = {Moments: lambda moments: moments, Means: Means.from_moments}


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
    Tallies with a last axis for the instances of a chunk, one chunk after the other.

    Examples
    --------
    >>> import podium
    >>> from podium.tally.position import Positions
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, systems=["A", "B"])
    >>> next(each_alone(scores, [Positions]))[Positions][0].rank_sum
    array([[1. , 2. , 1.5],
           [2. , 1. , 1.5]])
    """
    arithmetic = choose(1, 1)
    for chunk in _chunks(scores, kinds):
        yield _counts(kinds, [[_alone(kind, block, arithmetic) for block in chunk] for kind in kinds])


def all_but_each(scores: Scores, kinds: Sequence[type[Tally]]) -> Iterator[Counts]:
    """Count all instances but one, for each of them.

    The others of a chunk are counted anew, and merged with the chunks before and after.

    Parameters
    ----------
    scores, kinds
        As for `each_alone`.

    Yields
    ------
    Tallies with a last axis for the instances left out, one chunk after the other.

    Examples
    --------
    >>> import podium
    >>> from podium.tally.position import Positions
    >>> scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, systems=["A", "B"])
    >>> next(all_but_each(scores, [Positions]))[Positions][0].rank_sum
    array([[3.5, 2.5, 3. ],
           [2.5, 3.5, 3. ]])
    """
    arithmetic = choose(1, 1)
    empty: _ByKindAndTask = [[kind.empty(len(scores.systems)) for _ in scores.tasks] for kind in kinds]
    of_chunks: list[_ByKindAndTask] = [
        [[kind.of(block, arithmetic) for block in chunk] for kind in kinds] for chunk in _chunks(scores, kinds)
    ]
    prefix = empty  # all chunks before this one
    for chunk, of_chunk, suffix in zip(_chunks(scores, kinds), of_chunks, _suffixes(of_chunks, empty), strict=True):
        other_chunks = _counts(kinds, _merged(prefix, suffix)).as_replicates()
        others_of_chunk = [[_others(kind, block, arithmetic) for block in chunk] for kind in kinds]
        yield _counts(kinds, _merged([list(other_chunks[kind]) for kind in kinds], others_of_chunk))
        prefix = _merged(prefix, of_chunk)


def _suffixes(of_chunks: Sequence[_ByKindAndTask], empty: _ByKindAndTask) -> list[_ByKindAndTask]:
    """Merge all chunks behind each: of chunks a, b, c, d, e these are bcde, cde, de, e, and none."""
    from_the_end = [empty]
    for of_chunk in reversed(of_chunks[1:]):
        from_the_end.append(_merged(of_chunk, from_the_end[-1]))
    return list(reversed(from_the_end))


def _chunks(scores: Scores, kinds: Sequence[type[Tally]]) -> Iterator[tuple[Block, ...]]:
    """Yield the same chunk of instances of all tasks."""
    length = _LONG_CHUNK if _AVERAGES.keys() >= set(kinds) else _CHUNK
    return zip(*(replace(scores, tasks=(task,)).blocks(at_most=length) for task in scores.tasks), strict=True)


def _alone(kind: type[Tally], block: Block, arithmetic: Kernels) -> Tally:
    """Count every instance of a block by itself."""
    if kind in _AVERAGES:
        return _AVERAGES[kind](_single_moments(block))
    return kind.of(_weighed(block, alone=True), arithmetic)


def _others(kind: type[Tally], block: Block, arithmetic: Kernels) -> Tally:
    """Count all instances of a block but one, for each of them."""
    if kind in _AVERAGES:
        return _AVERAGES[kind](_all_but_one(_single_moments(block)))
    return kind.of(_weighed(block, alone=False), arithmetic)


def _single_moments(block: Block) -> Moments:
    """Return moments of every instance by itself, exact."""
    weight = ~np.isnan(block.values) * (1.0 if block.weights is None else block.weights)
    mean = np.where(weight > 0, block.values, 0.0)
    return Moments(weight, mean, np.zeros_like(mean))


def _all_but_one(singles: Moments) -> Moments:
    """Merge all but one, for each: what is outside a pair, with the other of the pair.

    Of a, b, c, d, e the pairs are ab and cd, and e stays alone. All but one of ab, cd, e are cde, abe and abcd. So
    without a there is cde + b, without b cde + a, without c abe + d, without d abe + c, and without e abcd.

    >>> five = Moments(np.ones((1, 5)), np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]), np.zeros((1, 5)))
    >>> _all_but_one(five).mean  # of 2, 3, 4, 5; of 1, 3, 4, 5; …
    array([[3.5 , 3.25, 3.  , 2.75, 2.5 ]])
    """
    length = singles.mean.shape[-1]
    if length == 1:
        return singles.changed(np.zeros_like)
    n_pairs = length // 2
    first, second = _picked(singles, slice(0, 2 * n_pairs, 2)), _picked(singles, slice(1, 2 * n_pairs, 2))
    alone = _picked(singles, slice(2 * n_pairs, None))  # one, or none
    outside = _all_but_one(_side_by_side(first.merge(second), alone))
    outside_pairs, without_alone = _picked(outside, slice(n_pairs)), _picked(outside, slice(n_pairs, None))
    without_first, without_second = outside_pairs.merge(second), outside_pairs.merge(first)
    return _side_by_side(_in_turn(without_first, without_second), without_alone)


def _in_turn(firsts: Moments, seconds: Moments) -> Moments:
    """Put the first and the second of each pair beside each other, pair by pair."""
    n_pairs = firsts.mean.shape[-1]
    order = np.arange(2 * n_pairs).reshape(2, n_pairs).T.ravel()  # of three pairs 0, 3, 1, 4, 2, 5
    return _picked(_side_by_side(firsts, seconds), order)


def _picked(moments: Moments, which: Any) -> Moments:
    return moments.changed(lambda array: array[..., which])


def _side_by_side(left: Moments, right: Moments) -> Moments:
    return Moments.together([left, right], partial(np.concatenate, axis=-1))


def _weighed(block: Block, *, alone: bool) -> Block:
    """Give every instance a replicate in which it counts alone, or all others do."""
    own = np.eye(block.values.shape[1])
    weights = own if alone else 1 - own
    return replace(block, weights=weights if block.weights is None else weights * block.weights[:, None])


def _merged(left: _ByKindAndTask, right: _ByKindAndTask) -> _ByKindAndTask:
    """Merge tallies kind by kind and task by task."""
    return [[one.merge(other) for one, other in zip(*kind, strict=True)] for kind in zip(left, right, strict=True)]


def _counts(kinds: Sequence[type[Tally]], tallies: _ByKindAndTask) -> Counts:
    return Counts({kind: tuple(tasks) for kind, tasks in zip(kinds, tallies, strict=True)})
