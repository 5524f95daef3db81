"""From the texts of a test set, and of its training set, to embeddings, by any encoder."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError, MissingExtraError
from podium.base.frozen import Frozen
from podium.base.parallel import Progress
from podium.base.words import how_many, percent
from podium.difficulty.fine_tune import fine_tune, stratified_share
from podium.difficulty.language_model import Model, distinct, loading
from podium.difficulty.result import Texts

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
        raise InputError(f"none of {how_many(len(texts), 'text')} has a word") from error
    matrix = _reduced(counts)[places]
    notes = [f"texts encoded by TF-IDF of {how_many(counts.shape[1], 'term')} in {matrix.shape[1]} dimensions"]
    if empty := int((~matrix.any(axis=1)).sum()):
        notes.append(f"{how_many(empty, 'text')} without a word: their embeddings are zeros")
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


Kind = Literal["tfidf", "sentence", "transformer"]

_PREFIXES: dict[str, Kind] = {"sentence-transformers": "sentence", "hf": "transformer"}

#: Names of models on the hub: NAME or OWNER/NAME.
_HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")


def settle(encoder: str) -> tuple[Kind, str]:
    """Tell which kind of encoder is meant, and its model: a folder or a name on the hub.

    A folder on disk goes before a name on the hub. Only a name on the hub without prefix is looked up there.

    Raises
    ------
    InputError
        There is no such kind or folder, or the folder holds no model.
    MissingExtraError
        Which kind a name on the hub is, is for sentence-transformers to say, and it is not installed.

    Examples
    --------
    >>> settle("tfidf"), settle("hf:roberta-base")
    (('tfidf', ''), ('transformer', 'roberta-base'))
    """
    if not isinstance(encoder, str):
        raise MethodError(f"encoder is {encoder!r}; it is named by text, such as 'tfidf'")
    if encoder.strip().lower() in {"tfidf", "tf-idf"}:
        return "tfidf", ""
    prefix, colon, name = encoder.partition(":")
    if colon and prefix in _PREFIXES:
        return _PREFIXES[prefix], _located(name)
    folder = Path(encoder).expanduser()
    if colon and not folder.exists():
        raise InputError(
            f"there is no kind of encoder {prefix!r}; write sentence-transformers:{name} or hf:{name}, or take tfidf"
        )
    located = _located(encoder)
    if folder.is_dir():
        return ("sentence" if (folder / "modules.json").is_file() else "transformer"), located
    return ("sentence" if _is_sentence_model(located) else "transformer"), located


def _located(name: str) -> str:
    """Folder or name on the hub, whichever it is."""
    folder = Path(name).expanduser()
    if name and folder.is_dir():
        if not any((folder / file).is_file() for file in ("modules.json", "config.json")):
            raise InputError(f"the folder {name!r} holds no model; a model has a config.json or a modules.json")
        return str(folder)
    if name and folder.exists():
        raise InputError(f"{name!r} is a file; name the folder that holds the model")
    if not name:
        raise InputError("the encoder has no name; name a folder that holds a model, or take the encoder tfidf")
    if not _HUB_NAME.fullmatch(name):
        raise InputError(f"there is no folder {name!r}; name one that holds a model, or take the encoder tfidf")
    return name


def _is_sentence_model(name: str) -> bool:
    with loading(name):
        from sentence_transformers.util import is_sentence_transformer_model  # noqa: PLC0415  # brings PyTorch

        return bool(is_sentence_transformer_model(name))


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
        Shape `(K,)`: True for test texts that the encoder was fine-tuned on, so that they have no difficulty.
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
        There is no such encoder or model, it cannot be loaded, or no text has a word.
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
    else:
        model = Model.of_sentences(name) if kind == "sentence" else Model.of_tokens(name)
        if gold is not None:
            discarded = stratified_share(gold, share, seed)
            fine_tune(model, test, gold, discarded, seed=seed, progress=progress)
        matrix, notes = model.embed(texts, progress=progress)
    if part := int(discarded.sum()):
        tuned = f"{how_many(part, 'instance')} ({percent(round(part / len(test), 3))} of the test set, seed {seed})"
        notes = (*notes, f"the encoder was fine-tuned on {tuned}, which were then discarded")
    if not np.isfinite(matrix).all():
        raise InputError(f"encoder {encoder!r} gives embeddings that are not finite; choose another one")
    fitted = matrix[len(test) :] if train is not None else None
    return Encoded(matrix[: len(test)], fitted, discarded, notes)


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
        note = f"embeddings as given, of {how_many(vectors[0].shape[1], 'dimension')}"
        return Encoded(vectors[0], vectors[1] if len(vectors) > 1 else None, nothing, (note,))
    words = [texts.texts or () for texts in sets]
    train = words[1] if len(words) > 1 else None
    return encode(words[0], encoder or "tfidf", train=train, gold=gold, seed=seed, progress=progress)


def _check_nothing_idle(sets: Sequence[Texts], encoder: str | None, *, tuned: bool) -> None:
    """Refuse sets of which only some have embeddings, and options of an encoder next to embeddings."""
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
