"""Classifiers on embeddings, from scikit-learn: what they learn from, on what scale, and how they run."""

import importlib.util
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import how_many

#: Beyond this, squares are no longer finite.
_LARGEST = 1e100


def checked_embeddings(given: Any, name: str = "embeddings") -> NDArray[np.float64]:
    """Return embeddings as doubles of shape `(K, D)`, row after row, so that nothing depends on how they were stored.

    Raises
    ------
    InputError
        There are none, they are no table of numbers, or one is not finite.

    Examples
    --------
    >>> checked_embeddings([[1, 2], [3, float("nan")]])
    Traceback (most recent call last):
    podium.errors.InputError: embeddings: row 1 (counted from 0) holds a number that is not finite; leave the row out
    """
    try:
        array = np.asarray(given)
    except ValueError as error:  # rows of different lengths
        raise InputError(f"{name}: rows differ in length; every instance needs as many numbers") from error
    if array.ndim != 2 or not array.size or array.dtype.kind not in "biuf":
        raise InputError(
            f"{name}: expected numbers of shape (instances, dimensions), not {array.dtype} of shape {array.shape}"
        )
    vectors = np.ascontiguousarray(array, dtype=np.float64)
    bad = ~(np.abs(vectors) <= _LARGEST).all(axis=1)
    if bad.any():
        row = int(bad.argmax())
        what = f"beyond {_LARGEST:.0e}" if np.isfinite(vectors[row]).all() else "that is not finite"
        raise InputError(f"{name}: row {row} (counted from 0) holds a number {what}; leave the row out")
    return vectors


def checked_gold(given: Any, name: str = "gold") -> NDArray[Any]:
    """Return right answers as an array of shape `(K,)` that can be sorted.

    Raises
    ------
    InputError
        They are no list, or one is missing.

    Examples
    --------
    >>> checked_gold(["good", None])
    Traceback (most recent call last):
    podium.errors.InputError: gold: row 1 (counted from 0) has no right answer; leave the row out
    """
    labels = np.asarray(given)
    if labels.ndim != 1:
        raise InputError(f"{name}: expected one right answer per instance, not an array of shape {labels.shape}")
    lacking = [row for row, label in enumerate(labels.tolist()) if label is None or label != label]  # noqa: PLR0124
    if lacking:
        raise InputError(f"{name}: row {lacking[0]} (counted from 0) has no right answer; leave the row out")
    return labels.astype(str) if labels.dtype.kind == "O" else labels


def paired(
    embeddings: Any, gold: Any, names: tuple[str, str] = ("embeddings", "gold")
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return embeddings and right answers of the same instances, from which something can be learnt.

    Raises
    ------
    InputError
        Either is bad, they are not as many, or all right answers are the same.

    Examples
    --------
    >>> paired([[1.0], [2.0]], ["a", "a"])
    Traceback (most recent call last):
    podium.errors.InputError: gold: every right answer is 'a'; there is nothing to learn from
    """
    vectors, labels = checked_embeddings(embeddings, names[0]), checked_gold(gold, names[1])
    check_as_many(vectors, labels, names)
    if (labels == labels[0]).all():
        raise InputError(f"{names[1]}: every right answer is {labels[0].item()!r}; there is nothing to learn from")
    return vectors, labels


def check_as_many(vectors: NDArray[Any], labels: NDArray[Any], names: tuple[str, str]) -> None:
    """Refuse embeddings and right answers of different numbers.

    Raises
    ------
    InputError
        They are.

    Examples
    --------
    >>> check_as_many(np.ones((1, 2)), np.array(["a", "b"]), ("embeddings", "gold"))
    Traceback (most recent call last):
    podium.errors.InputError: embeddings: 1 row for 2 right answers of gold; their numbers must be equal
    """
    if len(vectors) != len(labels):
        raise InputError(
            f"{names[0]}: {how_many(len(vectors), 'row')} for {how_many(len(labels), 'right answer')} of {names[1]}; "
            "their numbers must be equal"
        )


Floats = NDArray[np.float64]

#: Steps after which a fit counts as unconverged; fits on the scale below take some tens.
_STEPS = 10_000

#: Spreads below this share of the largest number are rounding.
_ROUNDING = 1e-12


def check_installed() -> None:
    """Find out whether classifiers can be trained.

    Raises
    ------
    MissingExtraError
        scikit-learn is not installed.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise MissingExtraError("scikit-learn", "difficulty", "spurious bias")


def classifiers() -> dict[str, Any]:
    """Four classifiers, not yet trained, by name; C = 1 in all that have one.

    Logistic regression has an L2 penalty, and is multinomial of several classes. The linear SVM has a squared hinge
    loss, one against the rest; its primal problem is solved, which has the same optimum as the dual, without random
    numbers. The RBF kernel is exp(−γ ‖x − y‖²) with γ = 1 / (D · variance). Naive Bayes has a normal distribution for
    each dimension and class.
    """
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # an extra
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415
    from sklearn.svm import SVC, LinearSVC  # noqa: PLC0415

    return {
        "logistic regression": LogisticRegression(max_iter=_STEPS),
        "linear SVM": LinearSVC(dual=False, max_iter=_STEPS),
        "RBF SVM": SVC(kernel="rbf", gamma="scale", cache_size=500),
        "naive Bayes": GaussianNB(),
    }


def scaled(train: Floats, rest: Floats) -> tuple[Floats, Floats]:
    """Centre on the mean of the training rows, and divide by the root of their mean squared distance from it.

    One number for all dimensions: distances keep their proportions, and neither where the embeddings lie, nor how they
    are turned, nor their unit changes what a given C means. Scaling each dimension by itself would make as much of the
    faint ones as of the strong ones.

    Parameters
    ----------
    train, rest
        Shapes `(n, D)` and `(L, D)`. The rest does not change the scale.

    Examples
    --------
    >>> scaled(np.array([[0.0], [4.0]]), np.array([[6.0]]))
    (array([[-1.],
           [ 1.]]), array([[2.]]))
    """
    centre = train.mean(axis=0)
    moved = train - centre
    spread = float(np.sqrt((moved**2).sum(axis=1).mean()))
    unit = spread if spread > _ROUNDING * float(np.abs(train).max()) else 1.0
    return moved / unit, (rest - centre) / unit


def fitted(model: Any, train: Floats, labels: NDArray[Any]) -> tuple[Any, int]:
    """Fit a model, and say how many times it, or a model inside it, stopped before it converged."""
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415  # an extra

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(train, labels)
    unconverged = 0
    for each in raised:
        if issubclass(each.category, ConvergenceWarning):
            unconverged += 1
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
    return model, unconverged
