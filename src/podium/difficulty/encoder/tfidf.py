"""TF-IDF: texts by their words, with no model to load."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import counted
from podium.difficulty.encoder.load import distinct

#: Dimensions of an embedding at most.
_DIMENSIONS = 300

#: Words and pairs of words at most, the most frequent: what bounds the memory of the decomposition.
_TERMS = 100_000

#: A word of one letter counts too, or "a" and "b" among short answers would be nothing.
_WORD = r"(?u)\b\w+\b"


def tfidf_embeddings(texts: Sequence[str]) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Embed texts by TF-IDF, reduced by a truncated singular value decomposition, rows of length 1.

    Term t in text x weighs (1 + ln tf) · (1 + ln((1 + n) / (1 + df))), with its count tf in x and the number df of
    the n distinct texts that have it. Terms are words, of letters and digits, and pairs of neighbours; the 100,000
    most frequent. Up to 300 terms are dimensions themselves.

    Returns
    -------
    matrix
        Shape `(K, D)`, D ≤ 300, float32; zero for a text without words.
    notes
        In words.

    Raises
    ------
    InputError
        No text has a word.
    MissingExtraError
        scikit-learn is not installed.

    Examples
    --------
    >>> matrix, notes = tfidf_embeddings(["good", "not good"])
    >>> (matrix**2).sum(axis=1).round(6)
    array([1., 1.], dtype=float32)
    """
    try:
        from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415  # an extra
    except ModuleNotFoundError as error:
        raise MissingExtraError("scikit-learn", "difficulty", "the encoder 'tfidf'") from error
    once, places = distinct(texts)
    vectorizer = TfidfVectorizer(
        ngram_range=(1, 2), sublinear_tf=True, max_features=_TERMS, token_pattern=_WORD, dtype=np.float32
    )
    try:
        counts = vectorizer.fit_transform(once)
    except ValueError as error:
        raise InputError(f"none of {counted(len(texts), 'text')} has a word") from error
    matrix = _reduced(counts)[places]
    notes = [f"texts encoded by TF-IDF of {counted(counts.shape[1], 'term')} in {matrix.shape[1]} dimensions"]
    if empty := int((~matrix.any(axis=1)).sum()):
        notes.append(f"{counted(empty, 'text')} without a word: their embeddings are zeros")
    return matrix, tuple(notes)


def _reduced(counts: Any) -> NDArray[np.float32]:
    """Dense rows of length 1 in at most 300 dimensions; on one thread, so that sums are always done in one order."""
    from sklearn.decomposition import TruncatedSVD  # noqa: PLC0415  # an extra
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # with it

    if counts.shape[1] <= _DIMENSIONS:
        return np.asarray(counts.toarray(), dtype=np.float32)
    dimensions = min(_DIMENSIONS, *counts.shape)
    with threadpool_limits(limits=1):
        dense = TruncatedSVD(dimensions, random_state=0).fit_transform(counts)
    lengths = np.linalg.norm(dense, axis=1, keepdims=True)
    return np.asarray(dense / np.where(lengths > 0, lengths, 1), dtype=np.float32)
