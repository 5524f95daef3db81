"""Spurious bias across sets: how many classifiers of the training set answer a test instance rightly.

- Classifiers on embeddings, from scikit-learn: what they learn from, on what scale, and how they run.
- Spurious bias within a test set: how often an instance is answered rightly by linear models of the others.
"""

import importlib.util
import warnings
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, Frozen
from podium.base.check import checked_whole
from podium.base.errors import InputError, MethodError, MissingExtraError
from podium.base.parallel import Progress, generator, in_order
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
    embeddings: Any, gold: Any, names: tuple[str, str] = ("embeddings", "gold"), *, to_learn: bool = True
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return embeddings and right answers of the same instances; `to_learn` from, these must differ.

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
    if len(vectors) != len(labels):
        raise InputError(
            f"{names[0]}: {how_many(len(vectors), 'row')} for {how_many(len(labels), 'right answer')} of {names[1]}; "
            "their numbers must be equal"
        )
    if to_learn and (labels == labels[0]).all():
        raise InputError(f"{names[1]}: every right answer is {labels[0].item()!r}; there is nothing to learn from")
    return vectors, labels


#: Steps after which a fit counts as unconverged; fits on the scale below take some tens.
_STEPS = 10_000

#: Spreads below this share of the largest number are rounding.
_ROUNDING = 1e-12


def check_installed() -> None:
    """Refuse to go on if classifiers cannot be trained, for scikit-learn is not installed."""
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


#: Draws of a training set after which one with two classes is given up.
_DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class WithinBias(Frozen):
    """Spurious bias of K instances within their own test set.

    Attributes
    ----------
    size
        Instances in each training set, t.
    correct
        Shape `(K,)`: right predictions of the instance.
    evaluated
        Shape `(K,)`: predictions of the instance, two for each round that held it out.
    rounds
        Rounds, m.
    unconverged
        Fits, of two a round, that stopped before they converged.
    """

    size: int
    correct: NDArray[np.int64]
    evaluated: NDArray[np.int64]
    rounds: int
    unconverged: int

    @property
    def bias(self) -> NDArray[np.float64]:
        """Shape `(K,)`: `correct` / `evaluated`, from 0 to 1; high is easy; NaN where it was never held out."""
        with np.errstate(invalid="ignore"):
            return self.correct / self.evaluated


def usual_size(instances: int) -> int:
    """Return the size of a training set where none is named: a tenth, but 50 at least, or half if that is fewer.

    The paper does not say t, but the denominators released with it, twice the number of rounds that held an instance
    out, spread as those of about 128 rounds on a tenth of the instances do. Of the sizes tried, podium's own values
    agree best with them at this one. A tenth of few instances would be too few to learn from, so it is 50 at least.

    Examples
    --------
    >>> usual_size(10), usual_size(100), usual_size(872)
    (5, 50, 87)
    """
    return max(instances // 10, min(50, instances // 2))


def bias_within(
    embeddings: Any,
    gold: Any,
    *,
    rounds: int = 64,
    size: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> WithinBias:
    """Share of linear models, trained on other instances of the test set, that answer an instance rightly.

    B_k = C_k / E_k. Each of m rounds draws t of the K instances without replacement, trains a logistic regression and a
    linear SVM on them, and has both predict the K − t others: E_k counts the predictions of instance k, C_k the right
    ones. A training set of one class only is drawn again, from the same stream of random numbers; sets are not
    stratified otherwise, and a class that is not in one is predicted wrongly. Embeddings are centred and brought to
    unit spread by their training set (see `scaled`), and both models have C = 1. The paper fine-tunes the encoder on a
    tenth of the test set first; here embeddings are what they are.

    Round r depends on the seed and on r alone: the number of processes, the order in which they finish and the
    number of rounds after it do not change it.

    Parameters
    ----------
    embeddings
        Shape `(K, D)`: finite numbers, K ≥ 4.
    gold
        Shape `(K,)`: right answers, of two or more classes; none may be missing.
    rounds
        m.
    size
        t, from 2 to K − 1; by default that of `usual_size`.
    seed
        Where training sets are drawn from.
    jobs
        Processes; all cores by default. 1 stays in this process.
    progress
        Called with the number of rounds done and of all rounds, after each.

    Raises
    ------
    InputError
        Embeddings or right answers cannot be used.
    MethodError
        An option cannot be, or hardly any training set of this size has two classes.
    MissingExtraError
        scikit-learn is not installed.

    References
    ----------
    Mishra & Arunkumar 2021, Algorithm 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> gold = np.repeat([0, 1], 20)
    >>> embeddings = gold[:, None] + 0.1 * rng.normal(size=(40, 3))
    >>> embeddings[0] = 1.0  # looks like the other class
    >>> bias_within(embeddings, gold, rounds=10, jobs=1).bias[:3]
    array([0., 1., 1.])
    """
    check_installed()
    vectors, labels = paired(embeddings, gold)
    codes = np.unique(labels, return_inverse=True)[1]
    if len(codes) < 4:
        raise InputError(f"embeddings: {len(codes)} rows are too few to train on some and evaluate others; give 4")
    size = usual_size(len(codes)) if size is None else checked_whole("size", size, 2)
    if size >= len(codes):
        raise MethodError(f"size is {size} of {len(codes)} instances; it must leave one to evaluate")
    rounds = checked_whole("rounds", rounds)
    jobs = None if jobs is None else checked_whole("n_jobs", jobs)
    correct, evaluated = np.zeros((2, len(codes)), dtype=np.int64)
    unconverged = 0
    with closing(in_order(partial(_round, vectors, codes, size, seed), range(rounds), jobs)) as played:
        for number, (asked, right, stopped) in enumerate(played, 1):
            evaluated += 2 * asked
            correct += right
            unconverged += stopped
            if progress is not None:
                progress(number, rounds)
    return WithinBias(size, correct, evaluated, rounds, unconverged)


def _round(
    vectors: Floats, codes: NDArray[np.intp], size: int, seed: int, number: int
) -> tuple[NDArray[np.bool_], NDArray[np.int64], int]:
    """Return which instances were asked, by how many of both models rightly, and how many fits did not converge."""
    chosen = _drawn(codes, size, seed, number)
    train, rest = scaled(vectors[chosen], vectors[~chosen])
    correct, unconverged = np.zeros(codes.size, dtype=np.int64), 0
    for name in ("logistic regression", "linear SVM"):
        model, stopped = fitted(classifiers()[name], train, codes[chosen])
        correct[~chosen] += model.predict(rest) == codes[~chosen]
        unconverged += stopped
    return ~chosen, correct, unconverged


def _drawn(codes: NDArray[np.intp], size: int, seed: int, number: int) -> NDArray[np.bool_]:
    """Shape `(K,)`: which instances a round trains on, of at least two classes."""
    rng = generator(seed, number)
    for _ in range(_DRAWS):
        rows = rng.choice(codes.size, size, replace=False)
        if (codes[rows] != codes[rows[0]]).any():
            chosen = np.zeros(codes.size, dtype=np.bool_)
            chosen[rows] = True
            return chosen
    raise MethodError(
        f"{_DRAWS} training sets of {size} instances had one class each, for nearly all instances are of one; make "
        "size larger"
    )


#: The four classifiers, in the order of `AcrossBias.by_classifier`.
CLASSIFIERS = ("logistic regression", "linear SVM", "RBF SVM", "naive Bayes")

#: Folds of the calibration, where every class has as many instances.
_FOLDS = 5


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
    jobs = None if jobs is None else checked_whole("n_jobs", jobs)
    vectors, labels = paired(train, train_gold, ("train", "train_gold"))
    others, asked = paired(test, test_gold, ("test", "test_gold"), to_learn=False)
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
    sets = _Sets(*scaled(vectors, others), codes=known, right=right, n_classes=classes.size)
    present, counts = np.unique(known, return_counts=True)
    if probabilities and counts.min() < 2:
        raise InputError(
            f"train_gold: {str(classes[present[counts.argmin()]])!r} is the right answer of a single instance, and "
            "probabilities are calibrated on others of its kind; leave it out, or do not use probabilities"
        )
    folds = min(_FOLDS, int(counts.min())) if probabilities else 0  # such that every class is in each
    judged = []
    for one in in_order(partial(_judged, sets, folds, seed), CLASSIFIERS, jobs):
        judged.append(one)
        if progress is not None:
            progress(len(judged), len(CLASSIFIERS))
    bias = np.mean([given for given, _, _ in judged], axis=0)
    unseen = int((~np.isin(sets.right, sets.codes)).sum())
    return AcrossBias(bias, np.array([hit for _, hit, _ in judged]), unseen, sum(stopped for _, _, stopped in judged))


@dataclass(frozen=True, slots=True)
class _Sets:
    """Both sets on the scale of the training set; right answers as places among the classes of both."""

    train: Floats
    test: Floats
    codes: NDArray[np.intp]
    right: NDArray[np.intp]
    n_classes: int


def _judged(sets: _Sets, folds: int, seed: int, name: str) -> tuple[Floats, NDArray[np.bool_], int]:
    """Return what a classifier gives to the right answers, whether it is right, and how many fits did not converge."""
    model = classifiers()[name]
    if folds:  # a logistic function of values that cross-validation gives
        from sklearn.calibration import CalibratedClassifierCV  # noqa: PLC0415  # an extra
        from sklearn.model_selection import StratifiedKFold  # noqa: PLC0415  # an extra

        split = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
        model = CalibratedClassifierCV(model, method="sigmoid", cv=split, ensemble=False)
    model, stopped = fitted(model, sets.train, sets.codes)
    hit = (model.calibrated_classifiers_[0].estimator if folds else model).predict(sets.test) == sets.right
    if not folds:
        return hit.astype(np.float64), hit, stopped
    chances = np.zeros((len(hit), sets.n_classes))
    chances[:, model.classes_] = model.predict_proba(sets.test)
    return chances[np.arange(len(hit)), sets.right], hit, stopped
