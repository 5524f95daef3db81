"""Embeddings of labelled texts: those that came with them, or those of an encoder."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from podium.difficulty.encoders import Encoded, encode
from podium.engine import Progress
from podium.errors import InputError
from podium.texts import Texts
from podium.wording import counted

__all__ = ["checked_texts", "embedded"]


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
    sets: Sequence[Texts], encoder: str, *, gold: Sequence[str] | None, seed: int, progress: Progress | None
) -> Encoded:
    """Take the embeddings where all sets have them, and encode the texts otherwise.

    Parameters
    ----------
    sets
        The test set, and the training set where there is one.
    encoder, seed, progress
        As for `encode`.
    gold
        Right answers of the test set, to fine-tune the encoder on a share of it; or None.

    Raises
    ------
    InputError
        One has texts only and one embeddings only, or the texts cannot be encoded.
    MethodError
        The encoder cannot be fine-tuned.
    MissingExtraError
        What the encoder needs is not installed.
    """
    vectors = [texts.embeddings for texts in sets if texts.embeddings is not None]
    words = [texts.texts for texts in sets]
    if gold is None and len(vectors) == len(sets):
        nothing = np.zeros(len(sets[0]), dtype=np.bool_)
        note = f"embeddings as given, of {counted(vectors[0].shape[1], 'dimension')}"
        return Encoded(vectors[0], vectors[1] if len(vectors) > 1 else None, nothing, (note,))
    if not all(words):
        lacking = next(texts.name for texts in sets if not texts.texts)
        why = "fine-tuning needs texts" if gold is not None else "either all sets need embeddings, or all texts"
        raise InputError(f"{lacking} has embeddings only; {why}")
    test, train = words[0], words[1] if len(words) > 1 else None
    return encode(test or (), encoder, train=train, gold=gold, seed=seed, progress=progress)
