"""Texts in batches of like length, each distinct text once."""

from collections.abc import Callable, Iterator, Sequence

__all__ = ["Progress", "batches", "distinct"]

#: Called with how much is done and how much there is.
Progress = Callable[[int, int | None], None]


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return each text once, sorted, and for every text the place of its like.

    Sorted, so that embeddings do not depend on the order in which texts come.

    >>> distinct(["b", "a", "b"])
    (['a', 'b'], [1, 0, 1])
    """
    once = sorted(set(texts))
    places = {text: place for place, text in enumerate(once)}
    return once, [places[text] for text in texts]


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[list[int]]:
    """Yield indices, longest first, in batches of at most `budget` tokens once padded, or of one text.

    >>> list(batches([3, 9, 4, 2], budget=12))
    [[1], [2, 0, 3]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and ((len(batch) + 1) * lengths[batch[0]] > budget or len(batch) == most):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
