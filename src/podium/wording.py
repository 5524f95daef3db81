"""How numbers read in a sentence."""

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """Count in words.

    >>> counted(1, "task"), counted(1200, "system")
    ('1 task', '1,200 systems')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
