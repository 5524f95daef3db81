"""Models of the library sentence-transformers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.difficulty.encoder.load import Progress, batches, distinct, guarded, needs, silent, token_counts, truncated

#: Tokens in a batch.
_TOKENS = 2**14


def sentence_embeddings(
    texts: Sequence[str], name: str, *, progress: Progress | None = None
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Embed texts as a sentence-transformers model pools and scales them, on a GPU where there is one.

    Parameters
    ----------
    texts
        K texts.
    name
        Folder of a model, or its name on the hub.
    progress
        Called with the number of distinct texts embedded and the number there are.

    Returns
    -------
    matrix
        Shape `(K, D)`, float32.
    notes
        In words: the model, and how many texts it cut.

    Raises
    ------
    InputError
        The model cannot be loaded.
    MissingExtraError
        sentence-transformers is not installed.
    """
    with needs("sentence-transformers", f"the encoder {name!r}"), guarded(name):
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # brings PyTorch

        model = SentenceTransformer(name)
    once, places = distinct(texts)
    with silent():
        lengths = token_counts(model.tokenizer, once)
        matrix = _embedded(model, once, lengths, progress)
    notes = (f"texts encoded by the sentence-transformers model {name}",)
    return matrix[places], (*notes, *truncated([lengths[place] for place in places], model.max_seq_length))


def _embedded(model: Any, texts: list[str], lengths: list[int], progress: Progress | None) -> NDArray[np.float32]:
    longest = model.max_seq_length or max(lengths)
    rows: list[NDArray[np.float32] | None] = [None] * len(texts)
    done = 0
    for batch in batches([min(length, longest) for length in lengths], _TOKENS):
        vectors = model.encode(
            [texts[index] for index in batch], batch_size=len(batch), show_progress_bar=False, convert_to_numpy=True
        )
        for index, vector in zip(batch, vectors, strict=True):
            rows[index] = vector
        done += len(batch)
        if progress is not None:
            progress(done, len(texts))
    return np.asarray(rows, dtype=np.float32)
