"""What can go wrong, by name. Every message says what is wrong, where, and what to do."""

import difflib
from collections.abc import Iterable

__all__ = [
    "InputError",
    "LabelError",
    "MethodError",
    "MissingExtraError",
    "OutputError",
    "PodiumError",
    "PodiumWarning",
    "WeightError",
    "nearest",
]


class PodiumError(Exception):
    """Base of all errors podium raises on purpose; the command line turns it into exit code 2."""


class InputError(PodiumError):
    """A file, frame or array cannot be read as scores: what, where, and how to mend it."""


class LabelError(PodiumError):
    """A system, task or column was asked for that is not there."""

    @classmethod
    def unknown(cls, kind: str, name: str, known: Iterable[str]) -> "LabelError":
        """Name what was asked for and the nearest labels there are.

        >>> print(LabelError.unknown("task", "mnil", ["mnli", "rte"]))
        there is no task 'mnil'; did you mean 'mnli'?
        """
        return cls(f"there is no {kind} {name!r}; {nearest(name, known)}")


class WeightError(PodiumError):
    """Weights that are negative, not finite, or all zero."""


class MethodError(PodiumError):
    """A method cannot be computed on these scores: why, and what would work."""


class OutputError(PodiumError):
    """A result cannot be written where it was asked to go."""


class MissingExtraError(PodiumError):
    """An optional library is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}: pip install 'podium[{extra}]'")


class PodiumWarning(UserWarning):
    """Something the reader of a result should know before trusting it."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the labels closest to `name`, or list the first few when none is close.

    >>> nearest("rteee", ["rte", "mnli"])
    "did you mean 'rte'?"
    >>> nearest("zzz", ["rte", "mnli"])
    "there are 'rte', 'mnli'"
    """
    name = str(name)  # whatever was asked for
    labels = list(known)
    folded: dict[str, str] = {}
    for label in labels:
        folded.setdefault(label.casefold(), label)
    close = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)]
    if close:
        return f"did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, labels[:6]))
    return f"there are {shown}" + (f" and {len(labels) - 6} more" if len(labels) > 6 else "")
