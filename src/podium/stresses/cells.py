"""Scores taken out of a table: which of them, by random keys, and the table without them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.scores import PART, Scores, Task

__all__ = ["blanked", "cut", "of_tasks", "smallest", "with_parts", "without_smallest"]


def smallest(keys: NDArray[np.float64], number: int) -> NDArray[np.bool_]:
    """Mask the so many smallest keys: with the same keys, the smaller number's are among the larger's.

    >>> smallest(np.array([0.3, 0.1, 0.2]), 2)
    array([False,  True,  True])
    """
    mask = np.zeros(keys.size, dtype=np.bool_)
    if number:
        mask[np.argpartition(keys, number - 1)[:number]] = True
    return mask


def of_tasks(scores: Scores, values: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut what holds a value for every cell, task by task, system by system, into views `(N, K)`, one for each task."""
    ends = np.cumsum([task.scored.size * task.n_instances for task in scores.tasks])
    return [part.reshape(len(scores.systems), -1) for part in np.split(values, ends[:-1])]


def without_smallest(scores: Scores, keys: NDArray[np.float64], share: float) -> Scores:
    """Make the scores of the smallest keys missing, exactly round(share × number of scores there are).

    Parameters
    ----------
    scores, share
        What of.
    keys
        Shape `(n_cells,)`, as for `of_tasks`; those of missing scores are written over.
    """
    there = scores.n_scored
    number = round(share * there)
    if not number:
        return scores
    if there < scores.n_cells:
        keys[np.concatenate([np.isnan(task.values).ravel() for task in scores.tasks])] = np.inf
    return blanked(scores, of_tasks(scores, smallest(keys, number)))


def blanked(scores: Scores, lost: Sequence[NDArray[np.bool_]]) -> Scores:
    """Make scores missing; `lost` holds a mask of a shape that broadcasts to `(N, K)` for each task."""
    return replace(scores, tasks=tuple(map(_blanked, scores.tasks, lost)))


def _blanked(task: Task, lost: NDArray[np.bool_]) -> Task:
    if not lost.any():
        return task
    starts = range(0, task.n_instances, PART)
    masks = [lost if lost.shape[-1] == 1 else lost[..., start : start + PART] for start in starts]
    return with_parts(task, [np.where(mask, np.nan, part) for mask, part in zip(masks, task.parts, strict=True)])


def cut(values: NDArray[Any]) -> list[NDArray[Any]]:
    """Cut one array `(N, K)` of scores, which nobody else holds, into parts."""
    return [np.ascontiguousarray(values[:, start : start + PART]) for start in range(0, values.shape[1], PART)]


def with_parts(task: Task, parts: Sequence[NDArray[Any]], **details: Any) -> Task:
    """Give a task other scores, and count them."""
    scored = np.sum([part.shape[1] - np.count_nonzero(np.isnan(part), axis=1) for part in parts], axis=0)
    return replace(task, parts=tuple(parts), scored=scored.astype(np.int64, copy=False), **details)
