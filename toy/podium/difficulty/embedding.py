"""Embeddings of labelled texts: those that came with them, or those of an encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress
from podium.base.words import counted
from podium.difficulty.encoder.encode import Encoded, encode
from podium.difficulty.text import Texts


def checked_texts(given: Any, what: str) -> Texts:
    """Refuse what is no texts, and say how to make them.

    Raises
    ------
    InputError
        It is something else.
    """
    if not isinstance(given, Texts):
        raise InputError(f"{what}: expected Texts, not {type(given).__name__}; make them with podium.read_texts(path)")
    return given


def embedded(
    sets: Sequence[Texts],
    encoder: str | None,
    *,
    gold: Sequence[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Encoded:
    """Take the embeddings where all sets come with them, and encode the texts where none does.

    Parameters
    ----------
    sets
        The test set, and the training set where there is one.
    encoder, seed, progress
        As for `encode`; None is "tfidf", where there are no embeddings.
    gold
        Right answers of the test set, to fine-tune the encoder on a share of it; or None.

    Raises
    ------
    InputError
        Some sets come with embeddings and some do not, or the texts cannot be encoded.
    MethodError
        An encoder is named or to be fine-tuned where there are embeddings, or cannot be fine-tuned.
    MissingExtraError
        What the encoder needs is not installed.
    """
    vectors = [texts.embeddings for texts in sets if texts.embeddings is not None]
    if vectors:
        _check_nothing_idle(sets, encoder, tuned=gold is not None)
        nothing = np.zeros(len(sets[0]), dtype=np.bool_)
        note = f"embeddings as given, of {counted(vectors[0].shape[1], 'dimension')}"
        return Encoded(vectors[0], vectors[1] if len(vectors) > 1 else None, nothing, (note,))
    words = [texts.texts or () for texts in sets]
    train = words[1] if len(words) > 1 else None
    return encode(words[0], encoder or "tfidf", train=train, gold=gold, seed=seed, progress=progress)


def _check_nothing_idle(sets: Sequence[Texts], encoder: str | None, *, tuned: bool) -> None:
    """Refuse embeddings that would be left aside, and what only an encoder can heed beside embeddings."""
    names = [texts.name for texts in sets if texts.embeddings is not None]
    lacking = [texts.name for texts in sets if texts.embeddings is None]
    if lacking:
        raise InputError(
            f"{names[0]} comes with embeddings and {lacking[0]} without; give both sets embeddings (--embeddings and "
            "--train-embeddings), or neither, and let one encoder embed both"
        )
    if tuned or encoder is not None:
        what = "fine-tuning is" if tuned else f"encoder {encoder!r} is"
        raise MethodError(f"{what} for texts, and {names[0]} comes with embeddings; leave out the one or the other")
