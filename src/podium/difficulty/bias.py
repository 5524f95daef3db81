"""Spurious bias within a test set: how often an instance is answered rightly by linear models of the others."""

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_whole
from podium.base.errors import InputError, MethodError
from podium.base.frozen import Frozen
from podium.base.parallel import Progress, in_order
from podium.base.seed import generator
from podium.difficulty.classifier import check_installed, classifiers, fitted, paired, scaled

#: Draws of a training set after which one with two classes is given up.
_DRAWS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class WithinBias(Frozen):
    """Spurious bias of K instances within their own test set, or what some of the rounds count.

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

    Examples
    --------
    >>> one = WithinBias(1, np.array([1, 0]), np.array([2, 0]), 1)
    >>> one.plus(one).correct, one.bias
    (array([2, 0]), array([0.5, nan]))
    """

    size: int
    correct: NDArray[np.int64]
    evaluated: NDArray[np.int64]
    rounds: int = 0
    unconverged: int = 0

    @property
    def bias(self) -> NDArray[np.float64]:
        """Shape `(K,)`: `correct` / `evaluated`, from 0 to 1; high is easy; NaN where it was never held out."""
        with np.errstate(invalid="ignore"):
            return self.correct / self.evaluated

    def plus(self, more: "WithinBias") -> "WithinBias":
        """Add counts, as a new value."""
        return WithinBias(
            self.size,
            self.correct + more.correct,
            self.evaluated + more.evaluated,
            self.rounds + more.rounds,
            self.unconverged + more.unconverged,
        )


def usual_size(instances: int) -> int:
    """Return the size of a training set where none is named: a tenth, but 50 at least, or half if that is fewer.

    The paper does not say t, but the values released with it show it: their denominators, twice the number of rounds
    that held an instance out, spread as those of about 128 rounds on a tenth of the instances do. Of the sizes tried,
    podium's own values agree best with them at this one. It also leaves nearly every instance to be evaluated in every
    round. A tenth of few instances would be too few to learn from, so it is 50 at least.

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
    size = _checked_size(size, len(codes))
    rounds, seed = checked_whole("rounds", rounds), checked_whole("seed", seed, None)
    jobs = None if jobs is None else checked_whole("jobs", jobs)
    done = WithinBias(size, *np.zeros((2, len(codes)), dtype=np.int64))
    with closing(in_order(partial(_round, vectors, codes, size, seed), range(rounds), jobs)) as played:
        for one in played:
            done = done.plus(one)
            if progress is not None:
                progress(done.rounds, rounds)
    return done


def _checked_size(size: int | None, instances: int) -> int:
    if instances < 4:
        raise InputError(f"embeddings: {instances} rows are too few to train on some and evaluate others; give 4")
    if size is None:
        return usual_size(instances)
    size = checked_whole("size", size, 2)
    if size >= instances:
        raise MethodError(f"size is {size} of {instances} instances; it must leave one to evaluate")
    return size


def _round(vectors: NDArray[np.float64], codes: NDArray[np.intp], size: int, seed: int, number: int) -> WithinBias:
    chosen = _drawn(codes, size, seed, number)
    train, rest = scaled(vectors[chosen], vectors[~chosen])
    evaluated = 2 * (~chosen).astype(np.int64)
    correct = np.zeros_like(evaluated)
    unconverged = 0
    for name in ("logistic regression", "linear SVM"):
        model, stopped = fitted(classifiers()[name], train, codes[chosen])
        correct[~chosen] += model.predict(rest) == codes[~chosen]
        unconverged += stopped
    return WithinBias(size, correct, evaluated, 1, unconverged)


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
