"""Columns found by what they are usually called, or as they were named."""

from collections.abc import Iterable, Sequence

from podium.base.errors import LabelError
from podium.base.words import few


def folded(name: str) -> str:
    """A name without capitals, spaces and hyphens.

    >>> folded(" Sample-ID")
    'sample_id'
    """
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def named(synonyms: Iterable[str], names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """Find the column that has the first of the usual names to occur, among those that are not taken.

    >>> named(("score", "value"), ["model", "Value"])
    'Value'
    """
    aside = set(taken)
    usual = {folded(name): name for name in reversed(names) if name not in aside}
    return next((usual[word] for word in synonyms if word in usual), None)


def existing(name: str, names: Sequence[str]) -> str:
    """Return a column that was named.

    Raises
    ------
    LabelError
        There is no such column.
    """
    if name not in names:
        error = LabelError.unknown("column", name, names)
        raise LabelError(f"{error} The columns are {listed(names)}") if "did you mean" in str(error) else error
    return name


def listed(names: Sequence[str]) -> str:
    """Names in quotes, the first twenty of many.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    return few([repr(name) for name in names], 20)


#: What columns of right answers are called; the first that occurs is taken.
GOLD = ("gold", "label", "gold_label", "answer", "target", "class")
