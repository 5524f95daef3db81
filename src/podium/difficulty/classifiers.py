"""Classifiers on embeddings, from scikit-learn: which they are, on what scale they learn, and how they are run."""

import importlib.util
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.errors import MissingExtraError

__all__ = [
    "check_installed",
    "fitted",
    "linear_svm",
    "logistic_regression",
    "naive_bayes",
    "rbf_svm",
    "scaled",
]

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


def logistic_regression() -> Any:
    """Logistic regression, L2 penalty with C = 1; of several classes, multinomial."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  # an extra

    return LogisticRegression(max_iter=_STEPS)


def linear_svm() -> Any:
    """Linear SVM, squared hinge loss, C = 1; of several classes, one against the rest.

    The primal problem is solved: the same optimum as the dual, reached without random numbers.
    """
    from sklearn.svm import LinearSVC  # noqa: PLC0415  # an extra

    return LinearSVC(dual=False, max_iter=_STEPS)


def rbf_svm() -> Any:
    """SVM with kernel exp(−γ ‖x − y‖²), γ = 1 / (D · variance), C = 1."""
    from sklearn.svm import SVC  # noqa: PLC0415  # an extra

    return SVC(kernel="rbf", gamma="scale", cache_size=500)


def naive_bayes() -> Any:
    """Naive Bayes with a normal distribution for each dimension and class."""
    from sklearn.naive_bayes import GaussianNB  # noqa: PLC0415  # an extra

    return GaussianNB()


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
