"""What the name of an encoder means."""

import re
from pathlib import Path
from typing import Literal

from podium.difficulty.encoders.loading import guarded, needs
from podium.errors import InputError

__all__ = ["Kind", "settle"]

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
