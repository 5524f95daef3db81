"""Which changes between two versions of a table are more than noise."""

import numpy as np
from numpy.typing import NDArray

from podium.base.flip import sign_flip_p_values
from podium.base.multiplicity import shaffer
from podium.ranking.few import FEW_UNITS
from podium.ranking.interval import p_values
from podium.ranking.method.method import Standing
from podium.score.place import ROUNDING

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

#: Degrees of freedom of what is known exactly.
_EXACT = 1e9


def adjusted_p_values(
    change: Floats,
    samples: Floats,
    *,
    rounding: Floats,
    freedom: Floats,
    units: str,
    confidence: float,
    contributions: Floats | None = None,
    unknown: NDArray[np.bool_] | None = None,
) -> Floats:
    """Shape `(N + 1, N + 1)`: p-values of all differences of two changes, and of each from none, adjusted together.

    The last row and column are of an item that did not change. So entry (i, j) is about the change of the lead of i
    over j, and entry (i, N) about the change of the score of i. Each is tested by Student's test of its standard
    deviation over replicates, which are the same draws in both versions. Where at most 50 units have changed, it must
    also pass the exact test of signs. All are adjusted by Shaffer's steps. Items that changed by exactly the same in
    every replicate, as all that did not change at all, are one: nothing can separate them.

    Parameters
    ----------
    change
        Shape `(N,)`: score after less score before, higher is better.
    samples
        Shape `(N, B)`: the same in every replicate.
    rounding
        Shape `(N,)`: smaller changes are none.
    freedom
        Shape `(N,)`: degrees of freedom of the standard errors.
    units, confidence
        What was drawn; and with what confidence changes are judged, all together.
    contributions
        Shape `(U, N)`: what each unit adds to the changes; None where that is not known.
    unknown
        Shape `(N, N)`: pairs of which nothing may be said; None where there are none.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=200)
    >>> p = adjusted_p_values(
    ...     np.array([4.0, 0.0]), np.stack([4 + noise, 0 * noise]), rounding=np.zeros(2), freedom=np.full(2, 99.0),
    ...     units="instances", confidence=0.95)
    >>> p.round(4)[0].tolist()
    [1.0, 0.0001, 0.0001]
    """
    values, draws = np.append(change, 0.0), np.vstack([samples, np.zeros((1, samples.shape[1]))])
    reach = np.append(rounding, 0.0)
    item, known = _items(values, draws, reach, np.append(freedom, _EXACT))
    first = np.array([int(np.argmax(item == number)) for number in range(int(item.max()) + 1)], dtype=np.int64)
    result = np.ones((values.size, values.size))
    if first.size < 2:
        return result
    standing = Standing(values[first], scale=reach[first] / ROUNDING)
    p = p_values(standing, draws[first], freedom=known[first], units=units, smooth=True)
    p = np.where(np.isnan(p), 1.0, p)
    if unknown is not None:
        closed = np.zeros_like(result, dtype=np.bool_)
        closed[:-1, :-1] = unknown
        closed[-1, :-1] = closed[:-1, -1] = np.diagonal(unknown)
        p[closed[np.ix_(first, first)]] = 1.0
    left, right = np.triu_indices(first.size, 1)
    if contributions is not None:
        added = np.hstack([contributions, np.zeros((len(contributions), 1))])[:, first]
        _raise(p, added, left, right, 1 - confidence)
    adjusted = np.ones_like(p)
    adjusted[left, right] = adjusted[right, left] = shaffer(p[left, right], first.size)
    return adjusted[np.ix_(item, item)]


def _items(values: Floats, draws: Floats, reach: Floats, freedom: Floats) -> tuple[Ints, Floats]:
    """Number the items, those that changed by the same in every replicate alike; and how well each is known.

    What did not change at all is known exactly.
    """
    still = np.abs(np.where(np.isnan(draws), np.inf, draws)).max(axis=1, initial=0.0) <= reach
    still &= np.abs(values) <= reach
    known = np.where(still, _EXACT, freedom)
    item = np.full(values.size, -1, dtype=np.int64)
    firsts: list[int] = []
    for index in range(values.size):
        for number, first in enumerate(firsts):
            near = max(float(reach[index]), float(reach[first]))
            if abs(values[index] - values[first]) > near or known[index] != known[first]:
                continue
            if (still[index] and still[first]) or np.abs(draws[index] - draws[first]).max() <= near:
                item[index] = number
                break
        else:
            item[index] = len(firsts)
            firsts.append(index)
    return item, known


def _raise(p: Floats, added: Floats, left: Ints, right: Ints, alpha: float) -> None:
    """Raise p-values to those of the test of signs, where few units changed; larger ones than α decide nothing."""
    close = np.flatnonzero(p[left, right] <= alpha)
    for pair in close.tolist():
        i, j = left[pair], right[pair]
        differences = added[:, i] - added[:, j]
        size = np.abs(differences)
        moved = differences[size > 1e-12 * max(float(np.abs(added[:, [i, j]]).max()), 1e-300)]
        if moved.size <= FEW_UNITS:
            exact = float(sign_flip_p_values(moved[None])[0]) if moved.size else 1.0
            p[i, j] = p[j, i] = max(float(p[i, j]), exact)
