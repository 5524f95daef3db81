"""How numbers read in a sentence."""

from collections.abc import Sequence

__all__ = ["counted", "few", "span"]


def counted(number: int, noun: str) -> str:
    """Count in words.

    >>> counted(1, "task"), counted(1200, "system")
    ('1 task', '1,200 systems')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def few(names: Sequence[str], most: int = 5) -> str:
    """List names, the first few of many.

    >>> few(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def span(low: int | None, high: int | None) -> str:
    """Say from where to where, a dash where there is nothing.

    >>> span(1, 9), span(3, 3), span(None, None)
    ('1–9', '3', '–')
    """
    return "–" if low is None else str(low) if low == high else f"{low}–{high}"
