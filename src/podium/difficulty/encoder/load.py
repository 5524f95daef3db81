"""Models of texts: what can go wrong while one loads, batches of texts, and texts that are too long."""

import logging
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import counted

#: Loggers that would speak on the terminal.
_LOGGERS = ("huggingface_hub", "sentence_transformers", "transformers", "httpx")


@contextmanager
def needs(package: str, purpose: str) -> Iterator[None]:
    """Name the extra to install, where a library of the extra "text" is missing.

    Raises
    ------
    MissingExtraError
        It is not.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"sentence_transformers", "transformers", "torch"}:
            raise
        raise MissingExtraError(package, "text", purpose) from error


@contextmanager
def guarded(name: str) -> Iterator[None]:
    """Load a model without output; say what is wrong with it, and what to do, where that fails.

    Parameters
    ----------
    name
        Folder or name on the hub.

    Raises
    ------
    InputError
        It cannot be loaded.
    """
    try:
        with silent():
            yield
    except (ModuleNotFoundError, MemoryError, InputError):
        raise
    except Exception as error:  # whatever damaged files make the libraries raise
        reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        if Path(name).is_dir():
            raise InputError(f"the folder {name!r} holds no model that can be loaded: {reason}") from error
        raise InputError(
            f"there is no model {name!r} on this machine, and it cannot be downloaded: {reason}; name the folder of a "
            "model on disk in its place, or take the encoder tfidf, which needs none"
        ) from error


@contextmanager
def silent() -> Iterator[None]:
    """Keep the libraries from logging, warning and drawing bars; as it was, afterwards."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        from transformers.utils import logging as transformers_logging  # noqa: PLC0415  # brings PyTorch

        if transformers_logging.is_progress_bar_enabled():
            transformers_logging.disable_progress_bar()
            stack.callback(transformers_logging.enable_progress_bar)
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL)
        yield


#: Called with how much is done and how much there is.
Progress = Callable[[int, int | None], None]


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return each text once, sorted, and for every text the place of its like.

    Sorted, so that embeddings do not depend on the order in which texts come.

    >>> distinct(["b", "a", "b"])
    (['a', 'b'], [1, 0, 1])
    """
    once = sorted(set(texts))
    places = {text: place for place, text in enumerate(once)}
    return once, [places[text] for text in texts]


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[list[int]]:
    """Yield indices, longest first, in batches of at most `budget` tokens once padded, or of one text.

    >>> list(batches([3, 9, 4, 2], budget=12))
    [[1], [2, 0, 3]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and ((len(batch) + 1) * lengths[batch[0]] > budget or len(batch) == most):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def token_counts(tokenizer: Any, texts: Sequence[str]) -> list[int]:
    """Tokens of each text, uncut, with those that mark its ends; letters, to a tokenizer of another kind."""
    try:
        return [len(ids) for ids in tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]]
    except (TypeError, KeyError, ValueError):
        return [len(text) for text in texts]


def truncated(lengths: Sequence[int], limit: int | None) -> tuple[str, ...]:
    """Say how many texts are longer than a model takes.

    >>> truncated([3, 600], 512)
    ('1 of 2 texts is longer than the 512 tokens that the model takes; its end was cut off',)
    """
    long = 0 if limit is None else sum(length > limit for length in lengths)
    if not long:
        return ()
    is_long, end = ("is", "its end was") if long == 1 else ("are", "their ends were")
    share = f"{long:,} of {counted(len(lengths), 'text')}"
    return (f"{share} {is_long} longer than the {limit:,} tokens that the model takes; {end} cut off",)
