"""How long texts are to a model, and what it cuts."""

from collections.abc import Sequence
from typing import Any

from podium.wording import counted

__all__ = ["token_counts", "truncated"]


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
