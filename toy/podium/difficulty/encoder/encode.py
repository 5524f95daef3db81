"""From the texts of a test set, and of its training set, to embeddings, by any encoder."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError
from podium.base.frozen import Frozen
from podium.base.words import counted, percent
from podium.difficulty.encoder.fine_tune import fine_tune, stratified_share
from podium.difficulty.encoder.load import Progress, guarded, needs
from podium.difficulty.encoder.sentence import sentence_embeddings
from podium.difficulty.encoder.tfidf import tfidf_embeddings
from podium.difficulty.encoder.transformer import Transformer

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
    with needs("sentence-transformers", f"the encoder {name!r}"), guarded(name):
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
