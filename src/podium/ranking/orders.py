"""Orders judged by the majorities they go against: their weight, and better ones nearby."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["improved", "insertions", "moved", "weight_against"]

Floats = NDArray[np.float64]
Order = NDArray[np.int64]
Relation = NDArray[np.bool_]


def weight_against(order: Order, majorities: Floats) -> float:
    """Return the weight of the majorities that an order goes against, Σ majorities[j, i] over i above j.

    Parameters
    ----------
    order
        Shape `(N,)`: indices, best first.
    majorities
        Shape `(N, N)`: by how much i beats j, max(P_ij − P_ji, 0); zero where it does not.

    Examples
    --------
    >>> weight_against(np.array([1, 0]), np.array([[0.0, 3.0], [0.0, 0.0]]))
    3.0
    """
    return float(np.tril(majorities[np.ix_(order, order)], -1).sum())


def insertions(order: Order, majorities: Floats) -> Floats:
    """Return what moving one item does to the weight against: entry `(q, p)` is for taking the item at p to q.

    Shape `(N, N)`, zero diagonal; an item passes all between, so each column is a cumulative sum.

    Examples
    --------
    >>> insertions(np.array([1, 0]), np.array([[0.0, 3.0], [0.0, 0.0]]))
    array([[ 0., -3.],
           [-3.,  0.]])
    """
    placed = majorities[np.ix_(order, order)]
    # Column p, row r: what the item at p gains on the one at r by leaving it above.
    passed = np.cumsum(placed.T - placed, axis=0)
    own = np.diag(passed)
    before = passed - (placed.T - placed)
    down = passed - own
    up = before - own
    place = np.arange(order.size)
    return np.where(place[:, None] > place, down, up)


def moved(order: Order, start: int, end: int) -> Order:
    """Return the order with the item at one place taken to another.

    >>> moved(np.array([5, 6, 7]), 0, 2)
    array([6, 7, 5])
    """
    return np.insert(np.delete(order, start), end, order[start])


def improved(order: Order, majorities: Floats, *, tolerance: float) -> Order:
    """Move single items, the most useful move first, until none lowers the weight against by more than `tolerance`.

    >>> improved(np.array([1, 2, 0]), np.triu(np.ones((3, 3)), 1), tolerance=1e-9)
    array([0, 1, 2])
    """
    while True:
        change = insertions(order, majorities)
        end, start = divmod(int(np.argmin(change)), order.size)
        if change[end, start] >= -tolerance:
            return order
        order = moved(order, start, end)
