"""What goes wrong with models, in plain words, and the silence in which they are loaded."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from podium.errors import InputError, MissingExtraError

__all__ = ["guarded", "needs", "silent"]

#: Loggers that would speak on the terminal.
_LOGGERS = ("huggingface_hub", "sentence_transformers", "transformers", "httpx")


@contextmanager
def needs(package: str, purpose: str) -> Iterator[None]:
    """Name the extra that mends it, where a library of the extra "text" is not installed.

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
    """Load a model in silence; say what is wrong with it, and what to do, where that fails.

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
