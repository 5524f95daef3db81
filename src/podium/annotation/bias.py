"""Spurious bias of test instances, by label."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.annotation.vectors import checked_texts, embedded
from podium.difficulties import Difficulty, Measure
from podium.difficulty import WithinBias, bias_across, bias_within
from podium.engine import Progress
from podium.errors import InputError, MethodError
from podium.texts import Texts
from podium.wording import counted

__all__ = ["spurious_bias"]

#: Rounds of Algorithm 1 where no number is given.
_ROUNDS = 64


def spurious_bias(
    test: Texts,
    train: Texts | None = None,
    *,
    algorithm: int | None = None,
    encoder: str | None = None,
    fine_tune: bool = False,
    rounds: int | None = None,
    size: int | None = None,
    probabilities: bool = False,
    seed: int = 0,
    jobs: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Progress | None = None,
) -> Difficulty:
    """Rate test instances by their spurious bias: how often simple classifiers of embeddings answer them rightly.

    Within the test set (Algorithm 1): the share of linear models, trained on other instances of the test set, that are
    right. Across sets (Algorithm 2): the share of four classifiers trained on the training set that are right, or the
    mean probability they give to the right answer. What is easy for them is easy for a shallow reason.

    Parameters
    ----------
    test
        Texts or embeddings, and right answers.
    train
        The training set, for Algorithm 2.
    algorithm
        1 or 2; None is 2 where there is a training set and 1 otherwise.
    encoder
        What embeds texts that come without embeddings: "tfidf", which is the default, "hf:roberta-base" as in the
        paper, a folder, or others; see `podium.difficulty.encoders.encode`.
    fine_tune
        Fine-tune the encoder on 10% of the test set, which then has no bias. Only for encoders of Hugging Face.
    rounds, size
        For Algorithm 1: how many training sets are drawn (by default 64), and of how many instances (a tenth, but 50
        at least).
    probabilities
        For Algorithm 2: take probabilities, on whose scale hardly any two instances tie.
    seed
        Of all that is drawn: training sets, the share for fine-tuning, and the folds for probabilities. Algorithm 2
        without either draws nothing.
    jobs
        Processes; the result does not depend on it.
    checkpoint
        For Algorithm 1: file in which an interrupted run is kept, and from which it goes on.
    progress
        Called with what is done and what there is, first of the encoder, then of rounds or classifiers.

    Returns
    -------
    Difficulty
        Measure "bias", from 0 to 1, low is hard; NaN where an instance was fine-tuned on or never held out. For
        Algorithm 1 also "evaluated": by how many predictions.

    Raises
    ------
    InputError
        There are no right answers, texts or embeddings do not fit together, or the encoder cannot be loaded.
    MethodError
        An option cannot be, or is for the other algorithm.
    MissingExtraError
        scikit-learn, or what the encoder needs, is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Algorithms 1 and 2.

    Examples
    --------
    >>> from podium.texts import Texts
    >>> texts = [f"{word} film {number}" for number in range(10) for word in ("good", "bad")]
    >>> test = Texts(np.arange(20), tuple(texts), gold=("yes", "no") * 10)
    >>> spurious_bias(test, rounds=4, jobs=1).measure().values[:4]
    array([1.  , 0.75, 1.  , 1.  ])
    """
    across = _across(algorithm, train, probabilities=probabilities, rounds=rounds, size=size, checkpoint=checkpoint)
    sets = [checked_texts(test, "test")] + ([checked_texts(train, "train")] if across else [])
    right = [_gold(texts) for texts in sets]
    encoded = embedded(sets, encoder, gold=test.gold if fine_tune else None, seed=seed, progress=progress)
    kept = ~encoded.discarded
    bias = np.full(len(test), np.nan)
    common: dict[str, Any] = {"seed": seed, "jobs": jobs, "progress": progress}
    extras: tuple[tuple[str, NDArray[Any]], ...] = ()
    if across:
        over = bias_across(
            encoded.train, right[1], encoded.test[kept], right[0][kept], probabilities=probabilities, **common
        )
        bias[kept] = over.bias
        said = _across_notes(sets[1], over.unseen, over.unconverged, probabilities=probabilities)
    else:
        inside = bias_within(
            *(encoded.test[kept], right[0][kept]),
            rounds=_ROUNDS if rounds is None else rounds,
            size=size,
            checkpoint=checkpoint,
            **common,
        )
        bias[kept] = inside.bias
        evaluated = np.zeros(len(test), dtype=np.int64)
        evaluated[kept] = inside.evaluated
        extras = (("evaluated", evaluated),)
        said = _within_notes(inside, int(kept.sum()))
    notes = [note for texts in sets for note in texts.notes]
    return Difficulty(
        test.instances, (Measure("bias", bias, "low"),), extras=extras, notes=(*notes, *encoded.notes, *said)
    )


def _across(algorithm: int | None, train: Texts | None, *, probabilities: bool, **within: Any) -> bool:
    """Whether it is Algorithm 2; what is for the other one is refused."""
    if algorithm not in {None, 1, 2}:
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


def _within_notes(inside: WithinBias, instances: int) -> list[str]:
    models = counted(2 * inside.rounds, "linear model")
    trained = f"trained on {inside.size:,} of {counted(instances, 'instance')} each"
    said = [f"bias is the share of {models}, {trained}, that are right about an instance they were not trained on"]
    said += _unconverged(inside.unconverged, f" of {2 * inside.rounds:,}")
    if never := int((inside.evaluated == 0).sum()):
        said.append(f"{counted(never, 'instance')} never held out, and so without a bias; take more rounds")
    return said


def _across_notes(train: Texts, unseen: int, unconverged: int, *, probabilities: bool) -> list[str]:
    learnt = f"trained on {counted(len(train), 'instance')} of {train.name}"
    said = [f"bias is the share of four classifiers, {learnt}, that are right"]
    if probabilities:
        said = [f"bias is the mean probability that four classifiers, {learnt}, give to the right answer"]
    if unseen:
        said.append(f"{counted(unseen, 'instance')} with a right answer that the training set lacks: their bias is 0")
    return said + _unconverged(unconverged)


def _unconverged(number: int, of: str = "") -> list[str]:
    return [f"{number:,}{of} fits stopped before they converged"] if number else []


def _gold(texts: Texts) -> NDArray[Any]:
    if texts.gold is None:
        raise InputError(
            f"{texts.name}: bias needs right answers; name the column that holds them with gold= (--gold-column)"
        )
    return np.array(texts.gold)
