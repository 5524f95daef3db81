"""Spurious bias across sets: how many classifiers of the training set answer a test instance rightly."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_whole
from podium.base.errors import InputError, MethodError
from podium.base.frozen import Frozen
from podium.base.parallel import Progress, in_order
from podium.base.words import how_many
from podium.difficulty.classifier import (
    check_as_many,
    check_installed,
    checked_embeddings,
    checked_gold,
    classifiers,
    fitted,
    paired,
    scaled,
)

#: The four classifiers, in the order of `AcrossBias.by_classifier`.
CLASSIFIERS = ("logistic regression", "linear SVM", "RBF SVM", "naive Bayes")

#: Folds of the calibration, where every class has as many instances.
_FOLDS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AcrossBias(Frozen):
    """Spurious bias of K test instances, learnt from a training set.

    Attributes
    ----------
    bias
        Shape `(K,)`: 0, ¼, ½, ¾ or 1, the share of the four classifiers that are right; or, with probabilities, any
        number from 0 to 1, the mean probability they give to the right answer. High is easy.
    by_classifier
        Shape `(4, K)`: whether each of `CLASSIFIERS` is right, with probabilities too.
    unseen
        Test instances whose right answer is none of the training set: their bias is 0.
    unconverged
        Fits that stopped before they converged.
    """

    bias: Floats
    by_classifier: NDArray[np.bool_]
    unseen: int
    unconverged: int


def bias_across(
    train: Any,
    train_gold: Any,
    test: Any,
    test_gold: Any,
    *,
    probabilities: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> AcrossBias:
    """Share of four classifiers, trained on the training set, that answer a test instance rightly.

    B_k = C_k / 4, where C_k counts logistic regression, linear SVM, SVM with an RBF kernel, and Gaussian naive Bayes
    that are right about instance k. With `probabilities` B_k = Σ p_k / 4, where p_k is the probability that one of
    them gives to the right answer: five values become a scale on which few instances tie. A classifier's
    probability is a logistic function of its decision value (of its own probability, for naive Bayes), fitted to
    values that cross-validation on the training set gives (Platt). Embeddings are centred and brought to unit spread
    by the training set (see `scaled`); all C = 1.

    Parameters
    ----------
    train, test
        Shapes `(n, D)` and `(K, D)`: embeddings, finite numbers.
    train_gold, test_gold
        Shapes `(n,)` and `(K,)`: right answers; none may be missing.
    probabilities
        Whether to take probabilities.
    seed
        Where the folds of the cross-validation are drawn from; not used otherwise.
    jobs
        Processes; all cores by default. 1 stays in this process. The result is the same.
    progress
        Called with the number of classifiers done and of all classifiers, after each.

    Raises
    ------
    InputError
        Embeddings or right answers cannot be used, no right answer of the test set is one of the training set, or, with
        probabilities, a class has a single training instance.
    MethodError
        An option cannot be.
    MissingExtraError
        scikit-learn is not installed.

    References
    ----------
    Mishra & Arunkumar 2021, Algorithm 2.

    Examples
    --------
    >>> train, gold = np.array([[-2.0], [-1.0], [1.0], [2.0]]), ["bad", "bad", "good", "good"]
    >>> bias_across(train, gold, [[-1.5], [1.5], [1.5]], ["bad", "good", "bad"], jobs=1).bias
    array([1., 1., 0.])
    """
    check_installed()
    seed = checked_whole("seed", seed, None)
    jobs = None if jobs is None else checked_whole("jobs", jobs)
    sets = _checked(train, train_gold, test, test_gold)
    folds = _folds(sets) if probabilities else 0
    judged = []
    for one in in_order(partial(_judged, sets, folds, seed), CLASSIFIERS, jobs):
        judged.append(one)
        if progress is not None:
            progress(len(judged), len(CLASSIFIERS))
    bias = np.mean([given for given, _, _ in judged], axis=0)
    unseen = int((~np.isin(sets.right, sets.codes)).sum())
    return AcrossBias(bias, np.array([hit for _, hit, _ in judged]), unseen, sum(stopped for _, _, stopped in judged))


def is_across(algorithm: int | None, train: Any, *, probabilities: bool, **within: Any) -> bool:
    """Return whether Algorithm 2 is meant.

    Raises
    ------
    MethodError
        There is no such algorithm, or an option is for the other one.
    """
    if algorithm not in [None, 1, 2]:  # whatever is given
        raise MethodError(f"there is no algorithm {algorithm!r} of spurious bias; choose 1 or 2")
    if algorithm == 2 and train is None:
        raise MethodError("algorithm 2 learns from a training set; give one (--train), or take algorithm 1")
    across = algorithm == 2 or (algorithm is None and train is not None)
    idle = [option for option, value in within.items() if value is not None]
    if across and idle:
        raise MethodError(f"only algorithm 1, within the test set, takes {idle[0]}; leave it out, or the training set")
    if probabilities and not across:
        raise MethodError("probabilities are for algorithm 2; give a training set (--train), or leave them out")
    return across


@dataclass(frozen=True, slots=True)
class _Sets:
    """Both sets on the scale of the training set; right answers as places among the classes of both."""

    train: Floats
    test: Floats
    codes: NDArray[np.intp]
    right: NDArray[np.intp]
    classes: NDArray[Any]


def _checked(train: Any, train_gold: Any, test: Any, test_gold: Any) -> _Sets:
    vectors, labels = paired(train, train_gold, ("train", "train_gold"))
    others, asked = checked_embeddings(test, "test"), checked_gold(test_gold, "test_gold")
    check_as_many(others, asked, ("test", "test_gold"))
    if vectors.shape[1] != others.shape[1]:
        raise InputError(
            f"train has {how_many(vectors.shape[1], 'dimension')} and test {others.shape[1]}; embed both alike"
        )
    if (vectors == vectors[0]).all():
        raise InputError("train: all embeddings are the same; there is nothing to learn from")
    classes, codes = np.unique(np.concatenate([labels, asked]), return_inverse=True)
    known, right = codes[: labels.size], codes[labels.size :]
    if not np.isin(right, known).any():
        raise InputError(
            f"no right answer of the test set, as {asked[0].item()!r}, is one of the training set, as "
            f"{labels[0].item()!r}; write them alike"
        )
    return _Sets(*scaled(vectors, others), codes=known, right=right, classes=classes)


def _folds(sets: _Sets) -> int:
    """Number of folds such that every class is in each."""
    present, counts = np.unique(sets.codes, return_counts=True)
    if counts.min() < 2:
        lone = str(sets.classes[present[counts.argmin()]])
        raise InputError(
            f"train_gold: {lone!r} is the right answer of a single instance, and probabilities are calibrated on "
            "others of its kind; leave it out, or do not use probabilities"
        )
    return min(_FOLDS, int(counts.min()))


def _judged(sets: _Sets, folds: int, seed: int, name: str) -> tuple[Floats, NDArray[np.bool_], int]:
    """What a classifier gives to the right answers, whether it is right, and how many of its fits did not converge."""
    model, stopped = fitted(_calibrated(classifiers()[name], folds, seed), sets.train, sets.codes)
    hit = (model.calibrated_classifiers_[0].estimator if folds else model).predict(sets.test) == sets.right
    if not folds:
        return hit.astype(np.float64), hit, stopped
    chances = np.zeros((len(hit), sets.classes.size))
    chances[:, model.classes_] = model.predict_proba(sets.test)
    return chances[np.arange(len(hit)), sets.right], hit, stopped


def _calibrated(model: Any, folds: int, seed: int) -> Any:
    """One classifier of the whole training set, with a logistic function of values that cross-validation gives."""
    if not folds:
        return model
    from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415  # an extra
    from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415  # an extra

    split = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
    return CalibratedClassifierCV(model, method="sigmoid", cv=split, ensemble=False)
