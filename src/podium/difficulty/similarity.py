"""Semantic similarity of test instances to the training set, by which the far ones are the hard ones."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import ceil
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.check import as_number, check_threads, checked_whole
from podium.base.errors import InputError, MethodError
from podium.base.parallel import cores

#: Test instances at most in a tile: more make products no faster.
_ROWS = 512

#: Tiles at least that memory has room for, so that as many threads have work.
_TILES = 4

#: Numbers checked or normalised at a time.
_AT_ONCE = 2**20


def top_similarity(
    train: ArrayLike,
    test: ArrayLike,
    top: Sequence[float] = (25.0,),
    *,
    memory: int = 256 * 2**20,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Mean cosine similarity of each test instance to its nearest p % of the training instances.

    s_p(i) = mean of the ⌈p M / 100⌉ largest of cos(test_i, train_1), …, cos(test_i, train_M), as semantic textual
    similarity is averaged by Mishra & Arunkumar 2021 (Ranking Samples: WOOD). It is exact: every similarity is looked
    at, but only a few rows of them are in memory at a time.

    Parameters
    ----------
    train
        Shape `(M, D)`: embeddings of the training set, of any length except 0. Products are made in single precision
        where both embeddings are in single or half precision, and in double precision otherwise; sums always in
        double precision.
    test
        Shape `(K, D)`: embeddings of the test set, of the same model.
    top
        Percentages p, 0 < p ≤ 100. Several cost little more than one, and 100 % alone needs no similarities.
    memory
        Bytes for similarities in memory at a time; beside them is a normalised copy of `train`. Another `memory` may
        change results by rounding.
    threads
        Threads; all cores by default. Their number never changes a bit.
    progress
        Called with the number of test instances done and the number there are.

    Returns
    -------
    Shape `(len(top), K)`: between −1 and 1, low is far from the training set and so hard.

    Raises
    ------
    InputError
        Embeddings are not tables of finite numbers, have no direction, differ in dimension, or there are none.
    MethodError
        A percentage is out of range, not even the similarities of one test instance fit into memory, or `threads` is
        no number of threads.

    Examples
    --------
    >>> train = [[1.0, 0.0], [0.0, 2.0], [0.0, -1.0], [-3.0, 0.0]]
    >>> top_similarity(train, [[1.0, 0.0], [3.0, 4.0]], top=(25, 50, 100))
    array([[1. , 0.8],
           [0.5, 0.7],
           [0. , 0. ]])
    """
    check_threads(threads)
    near, far = _embeddings(train, "train"), _embeddings(test, "test")
    if near.shape[1] != far.shape[1]:
        raise InputError(
            f"embeddings of train have {near.shape[1]} dimensions and those of test {far.shape[1]}; "
            "make both with the same model"
        )
    if not near.size:
        raise InputError("there are no embeddings of train to be similar to")
    sizes = [_neighbours(percent, len(near)) for percent in top]
    kind = np.result_type(near.dtype, far.dtype, np.float32)
    rows = _rows(len(near) * kind.itemsize, checked_whole("memory", memory, 0))
    units = np.empty(near.shape, dtype=kind)
    for part in _parts(len(near), _AT_ONCE // near.shape[1] or 1):
        units[part] = _unit(near[part])
    workers = max(min(threads or cores(), memory // (rows * len(near) * kind.itemsize), -(-len(far) // rows)), 1)
    return _in_tiles(units, far, sizes, rows=rows, workers=workers, progress=progress)


def _in_tiles(
    units: NDArray[np.floating],
    test: NDArray[np.floating],
    sizes: list[int],
    *,
    rows: int,
    workers: int,
    progress: Callable[[int, int], None] | None,
) -> NDArray[np.float64]:
    """Share tiles of so many test instances, whatever the number of threads, among threads with a buffer each."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are products

    result = np.empty((len(sizes), len(test)))
    centre = units.mean(axis=0, dtype=np.float64)
    kept = sorted(set(sizes) - {len(units)}, reverse=True)
    buffers: SimpleQueue[NDArray[np.floating]] = SimpleQueue()
    for _ in range(workers):
        buffers.put(np.empty((rows, len(units)) if kept else (0, 0), dtype=units.dtype))

    def work(part: slice) -> int:
        directions = _unit(test[part])
        means = {len(units): directions @ centre}
        if kept:
            buffer = buffers.get()
            tile = np.matmul(directions.astype(units.dtype), units.T, out=buffer[: len(directions)])
            means |= _means_of_largest(tile, kept)
            buffers.put(buffer)
        result[:, part] = [means[size] for size in sizes]
        return int(part.stop)

    pool = ThreadPoolExecutor(workers)
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            for done in pool.map(work, _parts(len(test), rows)):
                if progress is not None:
                    progress(done, len(test))
    finally:  # on an interrupt, do not compute what is no longer needed
        pool.shutdown(cancel_futures=True)
    return np.clip(result, -1, 1, out=result)  # a cosine up to rounding


def _means_of_largest(tile: NDArray[np.floating], sizes: list[int]) -> dict[int, NDArray[np.float64]]:
    """Means of the largest so many of each row, sizes falling; the tile is reordered.

    Each size is split off what the one before has left: several splits at once would take numpy's slow way.
    """
    total, means = np.zeros(len(tile)), {}
    parts = []
    for size, smaller in pairwise([*sizes, 0]):
        tile.partition(tile.shape[1] - size, axis=1)
        tile = tile[:, tile.shape[1] - size :]
        parts.append((size, smaller, tile))
    for size, smaller, largest in reversed(parts):
        total = total + largest[:, : size - smaller].sum(axis=1, dtype=np.float64)
        means[size] = total / size
    return means


def _embeddings(values: ArrayLike, name: str) -> NDArray[np.floating]:
    """Look whether every row has a direction."""
    array = np.asarray(values)
    if array.ndim != 2:
        raise InputError(f"embeddings of {name} have shape {array.shape}; they need one row per instance")
    if array.dtype.kind not in "fiub":
        raise InputError(f"embeddings of {name} are {array.dtype}, not real numbers")
    for part in _parts(len(array), _AT_ONCE // max(array.shape[1], 1) or 1):
        _refuse(~np.isfinite(array[part]).all(axis=1), part, name, "is not finite; embed it again, or leave it out")
        _refuse(
            ~array[part].any(axis=1), part, name, "is all zeros and has no cosine; leave it out (is its text empty?)"
        )
    return array


def _refuse(wrong: Any, part: slice, name: str, why: str) -> None:
    if wrong.any():
        raise InputError(f"the embedding of {name} in row {part.start + int(wrong.argmax())} {why}")


def _neighbours(percent: float, n_train: int) -> int:
    """Number of neighbours: p % rounded up, where a whole number with a rounding error stays as it is (7 % of 100)."""
    if not 0 < percent <= 100:
        raise MethodError(
            f"the nearest {percent:g} % of the training set cannot be taken; choose 0 < top_percent ≤ 100"
        )
    share = percent * n_train / 100
    return min(max(ceil(share - 1e-12 * share), 1), n_train)


def _rows(row_bytes: int, memory: int) -> int:
    """Test instances in a tile."""
    if row_bytes > memory:
        raise MethodError(
            f"the similarities of one test instance take {row_bytes:,} bytes, and memory allows {memory:,}; allow more"
        )
    return max(min(_ROWS, memory // _TILES // row_bytes), 1)


def _unit(part: NDArray[np.floating]) -> NDArray[np.float64]:
    """Divide rows by their length; by their largest entry first, whose square may be too large, or 0."""
    rows = part.astype(np.float64)
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _parts(length: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def named_percents(top: Iterable[float]) -> dict[str, float]:
    """Percentages by what they are called in measures; a repeated one counts once.

    Raises
    ------
    MethodError
        There is none, or two have one name.
    """
    named: dict[str, float] = {}
    for percent in top:
        if np.isnan(as_number(percent)):
            raise MethodError(f"top_percent names {percent!r}; name percentages of the training set, such as 25")
        name = f"{percent:g}"
        if named.setdefault(name, percent) != percent:
            raise MethodError(
                f"top_percent names {named[name]!r} and {percent!r}, and the measures of both would be called "
                f"similarity_{name}; leave one of them out"
            )
    if not named:
        raise MethodError("top_percent names no percentage of the training set; name one, such as 25")
    return named
