"""From the texts of a test set, and of its training set, to embeddings, by any encoder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.difficulty.encoders.batches import Progress
from podium.difficulty.encoders.naming import settle
from podium.difficulty.encoders.sentence import sentence_embeddings
from podium.difficulty.encoders.tfidf import tfidf_embeddings
from podium.difficulty.encoders.transformer import Transformer
from podium.difficulty.encoders.tuning import fine_tune, stratified_share
from podium.errors import InputError, MethodError
from podium.frozen import Frozen
from podium.wording import counted, percent

__all__ = ["Encoded", "encode"]


@dataclass(frozen=True, slots=True, eq=False)
class Encoded(Frozen):
    """Embeddings of K test texts, and of M training texts.

    Attributes
    ----------
    test
        Shape `(K, D)`, float32, finite.
    train
        Shape `(M, D)`, or None where there was no training set.
    discarded
        Shape `(K,)`: True for test texts that the encoder was fine-tuned on, which say nothing of their difficulty.
    notes
        Which encoder it was and what it left out, in words.
    """

    test: NDArray[np.float32]
    train: NDArray[np.float32] | None
    discarded: NDArray[np.bool_]
    notes: tuple[str, ...]


def encode(
    test: Sequence[str],
    encoder: str = "tfidf",
    *,
    train: Sequence[str] | None = None,
    gold: Sequence[str] | None = None,
    share: float = 0.1,
    seed: int = 0,
    progress: Progress | None = None,
) -> Encoded:
    """Embed texts; those of the training set by the same encoder.

    Equal texts have equal embeddings. Nothing is kept between calls. On a CPU the same call gives the same result;
    PyTorch's results agree to rounding between machines, between numbers of threads and on a GPU.

    Parameters
    ----------
    test
        K texts.
    encoder
        "tfidf": words and pairs of words, fitted on all texts given here; no model is needed.
        "sentence-transformers:NAME": a model of that library. "hf:NAME": any Hugging Face encoder, the mean of its
        last hidden states over the tokens. NAME is a folder, or the name of a model on the hub. NAME alone is a
        sentence-transformers model if it has a modules.json, else a Hugging Face encoder.
    train
        M texts of the training set.
    gold
        K right answers: fine-tune the encoder on a share of the test set, which is then discarded. Only for "hf:".
    share, seed
        How large that share is, between 0 and 1, and from which seed it, and what training leaves to chance, is drawn.
    progress
        Called with how much is done and how much there is: of training, and then of texts.

    Raises
    ------
    InputError
        There is no such encoder or model, it cannot be loaded, or the texts have nothing to be told apart by.
    MethodError
        The encoder cannot be fine-tuned.
    MissingExtraError
        The library that the encoder needs is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Algorithm 1 (fine-tuning on 10% of the test set, which is discarded).

    Examples
    --------
    >>> encoded = encode(["a bad film", "not a bad film", "a bad film"])
    >>> encoded.test.shape, bool((encoded.test[0] == encoded.test[2]).all())
    ((3, 7), True)
    """
    kind, name = settle(encoder)
    if gold is not None and kind != "transformer":
        raise MethodError(
            f"encoder {encoder!r} cannot be fine-tuned; name a Hugging Face encoder, as in hf:roberta-base or hf:FOLDER"
        )
    texts = [*test, *(train or ())]
    discarded = np.zeros(len(test), dtype=np.bool_)
    if kind == "tfidf":
        matrix, notes = tfidf_embeddings(texts)
    elif kind == "sentence":
        matrix, notes = sentence_embeddings(texts, name, progress=progress)
    else:
        transformer = Transformer.load(name)
        if gold is not None:
            discarded = stratified_share(gold, share, seed)
            fine_tune(transformer, test, gold, discarded, seed=seed, progress=progress)
        matrix, notes = transformer.embed(texts, progress=progress)
    if part := int(discarded.sum()):
        tuned = f"{counted(part, 'instance')} ({percent(round(part / len(test), 3))} of the test set, seed {seed})"
        notes = (*notes, f"the encoder was fine-tuned on {tuned}, which were then discarded")
    if not np.isfinite(matrix).all():
        raise InputError(f"encoder {encoder!r} gives embeddings that are not finite; choose another one")
    fitted = matrix[len(test) :] if train is not None else None
    return Encoded(matrix[: len(test)], fitted, discarded, notes)
