"""From the texts of a test set, and of its training set, to embeddings, by any encoder.

- Semantic similarity of test instances to the training set, by which the far ones are the hard ones.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.arrays import Frozen
from podium.base.check import as_number, check_threads, checked_whole
from podium.base.errors import InputError, MethodError, MissingExtraError
from podium.base.parallel import Progress, cores
from podium.base.words import how_many, percent
from podium.difficulty.model import Model, distinct, fine_tune, loading, stratified_share
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
    with loading(located):
        from sentence_transformers.util import is_sentence_transformer_model  # noqa: PLC0415  # brings PyTorch

        return ("sentence" if is_sentence_transformer_model(located) else "transformer"), located


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
        names = [texts.name for texts in sets if texts.embeddings is not None]
        if lacking := [texts.name for texts in sets if texts.embeddings is None]:
            raise InputError(
                f"{names[0]} comes with embeddings and {lacking[0]} without; give both sets embeddings (--embeddings "
                "and --train-embeddings), or neither, and let one encoder embed both"
            )
        if gold is not None or encoder is not None:
            what = f"encoder {encoder!r} is" if gold is None else "fine-tuning is"
            raise MethodError(f"{what} for texts, and {names[0]} comes with embeddings; leave out the one or the other")
        nothing = np.zeros(len(sets[0]), dtype=np.bool_)
        note = f"embeddings as given, of {how_many(vectors[0].shape[1], 'dimension')}"
        return Encoded(vectors[0], vectors[1] if len(vectors) > 1 else None, nothing, (note,))
    words = [texts.texts or () for texts in sets]
    train = words[1] if len(words) > 1 else None
    return encode(words[0], encoder or "tfidf", train=train, gold=gold, seed=seed, progress=progress)


#: Test instances at most in a tile: more make products no faster.
_ROWS = 512

#: Tiles at least that memory has room for, so that as many threads have work.
_TILES = 4

#: Numbers normalised at a time.
_AT_ONCE = 2**20


def top_similarity(
    train: ArrayLike,
    test: ArrayLike,
    top: Sequence[float] = (25.0,),
    *,
    memory: int = 256 * 2**20,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Mean cosine similarity of each test instance to its nearest p % of the training instances.

    s_p(i) = mean of the ⌈p M / 100⌉ largest of cos(test_i, train_1), …, cos(test_i, train_M), as semantic textual
    similarity is averaged by Mishra & Arunkumar 2021 (Ranking Samples: WOOD). It is exact: every similarity is looked
    at, but only a few rows of them are in memory at a time.

    Parameters
    ----------
    train
        Shape `(M, D)`: embeddings of the training set, of any length except 0. Products are made in single precision
        where both embeddings are in single or half precision, and in double precision otherwise; sums always in
        double precision.
    test
        Shape `(K, D)`: embeddings of the test set, of the same model.
    top
        Percentages p, 0 < p ≤ 100. Several cost little more than one, and 100 % alone needs no similarities.
    memory
        Bytes for similarities in memory at a time; beside them is a normalised copy of `train`. Another `memory` may
        change results by rounding.
    threads
        Threads; all cores by default. Their number never changes a bit.
    progress
        Called with the number of test instances done and the number there are.

    Returns
    -------
    Shape `(len(top), K)`: between −1 and 1, low is far from the training set and so hard.

    Raises
    ------
    InputError
        Embeddings are not tables of finite numbers, have no direction, differ in dimension, or there are none.
    MethodError
        A percentage is out of range, not even the similarities of one test instance fit into memory, or `threads` is
        no number of threads.

    Examples
    --------
    >>> train = [[1.0, 0.0], [0.0, 2.0], [0.0, -1.0], [-3.0, 0.0]]
    >>> top_similarity(train, [[1.0, 0.0], [3.0, 4.0]], top=(25, 50, 100))
    array([[1. , 0.8],
           [0.5, 0.7],
           [0. , 0. ]])
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there are products

    check_threads(threads)
    near, far = _embeddings(train, "train"), _embeddings(test, "test")
    if near.shape[1] != far.shape[1]:
        raise InputError(
            f"embeddings of train have {near.shape[1]} dimensions and those of test {far.shape[1]}; "
            "make both with the same model"
        )
    if not near.size:
        raise InputError("there are no embeddings of train to be similar to")
    sizes = [_neighbours(percent, len(near)) for percent in top]
    kind = np.result_type(near.dtype, far.dtype, np.float32)
    row = len(near) * kind.itemsize
    if row > checked_whole("memory", memory, 0):
        raise MethodError(
            f"the similarities of one test instance take {row:,} bytes, and memory allows {memory:,}; allow more"
        )
    rows = max(min(_ROWS, memory // _TILES // row), 1)  # of a tile, whatever the number of threads
    units = np.empty(near.shape, dtype=kind)
    for part in _parts(len(near), _AT_ONCE // near.shape[1] or 1):
        units[part] = _unit(near[part])
    result = np.empty((len(sizes), len(far)))
    centre = units.mean(axis=0, dtype=np.float64)
    kept = sorted(set(sizes) - {len(units)}, reverse=True)

    def work(part: slice) -> int:
        directions = _unit(far[part])
        means = {len(units): directions @ centre}
        tile = np.matmul(directions.astype(units.dtype), units.T) if kept else directions
        for size in kept:  # what the larger size has left is split: several splits at once would take numpy's slow way
            tile.partition(tile.shape[1] - size, axis=1)
            tile = tile[:, tile.shape[1] - size :]
            means[size] = tile.mean(axis=1, dtype=np.float64)
        result[:, part] = [means[size] for size in sizes]
        return int(part.stop)

    pool = ThreadPoolExecutor(max(min(threads or cores(), memory // (rows * row), -(-len(far) // rows)), 1))
    try:
        with threadpool_limits(limits=1, user_api="blas"):
            for done in pool.map(work, _parts(len(far), rows)):
                if progress is not None:
                    progress(done, len(far))
    finally:  # on an interrupt, do not compute what is no longer needed
        pool.shutdown(cancel_futures=True)
    return np.clip(result, -1, 1, out=result)  # a cosine up to rounding


def _embeddings(values: ArrayLike, name: str) -> NDArray[np.floating]:
    """Look whether every row has a direction."""
    array = np.asarray(values)
    if array.ndim != 2:
        raise InputError(f"embeddings of {name} have shape {array.shape}; they need one row per instance")
    if array.dtype.kind not in "fiub":
        raise InputError(f"embeddings of {name} are {array.dtype}, not real numbers")
    for wrong, why in (
        (~np.isfinite(array).all(axis=1), "is not finite; embed it again, or leave it out"),
        (~array.any(axis=1), "is all zeros and has no cosine; leave it out (is its text empty?)"),
    ):
        if wrong.any():
            raise InputError(f"the embedding of {name} in row {int(wrong.argmax())} {why}")
    return array


def _neighbours(percent: float, n_train: int) -> int:
    """Number of neighbours: p % rounded up, where a whole number with a rounding error stays as it is (7 % of 100)."""
    if not 0 < percent <= 100:
        raise MethodError(
            f"the nearest {percent:g} % of the training set cannot be taken; choose 0 < top_percent ≤ 100"
        )
    share = percent * n_train / 100
    return min(max(ceil(share - 1e-12 * share), 1), n_train)


def _unit(part: NDArray[np.floating]) -> NDArray[np.float64]:
    """Divide rows by their length; by their largest entry first, whose square may be too large, or 0."""
    rows = part.astype(np.float64)
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _parts(length: int, size: int) -> Iterator[slice]:
    return (slice(start, min(start + size, length)) for start in range(0, length, size))


def named_percents(top: Iterable[float]) -> dict[str, float]:
    """Percentages by what they are called in measures; a repeated one counts once.

    Raises
    ------
    MethodError
        There is none, or two have one name.
    """
    named: dict[str, float] = {}
    for share in top:
        if np.isnan(as_number(share)):
            raise MethodError(f"top_percent names {share!r}; name percentages of the training set, such as 25")
        name = f"{share:g}"
        if named.setdefault(name, share) != share:
            raise MethodError(
                f"top_percent names {named[name]!r} and {share!r}, and the measures of both would be called "
                f"similarity_{name}; leave one of them out"
            )
    if not named:
        raise MethodError("top_percent names no percentage of the training set; name one, such as 25")
    return named
