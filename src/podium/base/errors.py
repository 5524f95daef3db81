"""What can go wrong, by name. Every message says what is wrong, where, and what to do."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from podium.base.words import few

#: Number of letters of a message; of longer ones the beginning, what is wrong, and the end, what to do.
_LONGEST = 4000


class PodiumError(Exception):
    """Base of all errors podium raises on purpose; the command line turns it into exit code 2."""

    __module__ = "podium.errors"  # the door by which users know them

    def __init_subclass__(cls) -> None:
        cls.__module__ = PodiumError.__module__

    def __str__(self) -> str:
        text = Exception.__str__(self)  # a KeyError would quote it
        if len(text) <= _LONGEST:
            return text
        half = _LONGEST // 2
        return f"{text[:half]} … {text[-half:]}"


class InputError(PodiumError, ValueError):
    """A file, frame or array cannot be read as scores: what, where, and how to correct it."""


class BoardError(InputError):
    """A board is damaged or not there, or what is added contradicts it: what, where, and what to do."""


class LabelError(PodiumError, KeyError):
    """A system, task or column was asked for that is not there."""

    @classmethod
    def unknown(cls, kind: str, name: str, known: Iterable[str]) -> "LabelError":
        """Name what was asked for and the nearest labels there are.

        >>> print(LabelError.unknown("task", "mnil", ["mnli", "rte"]))
        there is no task 'mnil'; did you mean 'mnli'?
        """
        return cls(unknown(kind, name, known))


class WeightError(PodiumError):
    """Weights that are negative, not finite, or all zero."""


class ConvergenceError(PodiumError):
    """An iteration did not converge, so there is no number to give."""


class MethodError(PodiumError, ValueError):
    """A method cannot be computed on these scores: why, and what would work."""


class NoMaximumError(MethodError):
    """A likelihood of pairwise results has no maximum: strengths, or the tie parameter, would grow without limit.

    Attributes
    ----------
    groups
        Indices of systems, in groups. If `meet` is False, no group meets another. If it is True, the first never loses
        to or ties with the others; or there is one group of all systems, and the tie parameter has no best value.
    meet
        Whether comparisons connect the systems.

    Examples
    --------
    >>> print(NoMaximumError([(0,), (1, 2)], meet=True).named(["a", "b", "c"]))
    the likelihood has no maximum: {a} never loses to or ties with {b, c}; rank the groups one by one, or set
    prior=1 in MethodSpec (--prior 1)
    """

    def __init__(self, groups: Iterable[Sequence[int]], *, meet: bool, labels: Sequence[str] = ()) -> None:
        self.groups = tuple(tuple(group) for group in groups)
        self.meet = meet
        super().__init__(f"the likelihood has no maximum: {self._why(labels)}set prior=1 in MethodSpec (--prior 1)")

    def named(self, labels: Sequence[str]) -> "NoMaximumError":
        """Return the same error with the names of the systems in its message."""
        return NoMaximumError(self.groups, meet=self.meet, labels=labels)

    def _why(self, labels: Sequence[str]) -> str:
        first, *others = self.groups
        rest = [index for group in others for index in group]
        if not self.meet:
            named = [_braced(group, labels) for group in self.groups[:4]]
            named += [f"{len(self.groups) - 4} more groups"] if len(self.groups) > 4 else []
            return f"{', '.join(named[:-1])} and {named[-1]} never meet; rank the groups one by one, or "
        if others:
            never = f"{_braced(first, labels)} never loses to or ties with {_braced(rest, labels)}"
            return f"{never}; rank the groups one by one, or "
        return "no cycle of results has more wins than ties, so no tie parameter fits best; "


def _braced(group: Sequence[int], labels: Sequence[str]) -> str:
    """List the members of a group, by index where there are no labels."""
    return "{" + few([labels[index] if labels else str(index) for index in group]) + "}"


class OutputError(PodiumError):
    """A result cannot be written where it was asked to go."""


class EngineError(PodiumError):
    """A cluster cannot count: it is not there, differs from this machine, or has failed."""


class MissingExtraError(PodiumError):
    """An optional library is needed and not installed."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the command that adds an extra to podium from where it came from: a clone, a wheel, Git or an index."""
    import json  # noqa: PLC0415  # only where one is missing
    import shlex  # noqa: PLC0415
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415
    from urllib.parse import urlsplit  # noqa: PLC0415
    from urllib.request import url2pathname  # noqa: PLC0415

    try:
        origin = json.loads(distribution("podium").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    url, editable = origin.get("url", ""), "-e " if origin.get("dir_info", {}).get("editable") else ""
    if vcs := origin.get("vcs_info"):
        wanted = f"podium[{extra}] @ {vcs['vcs']}+{url}"
    elif url.startswith("file:"):
        place = url2pathname(urlsplit(url).path)
        wanted = f"{'.' if Path(place) == Path.cwd() else place}[{extra}]"
    else:
        wanted = f"podium[{extra}]"
    return f"pip install {editable}{shlex.quote(wanted)}"


class PodiumWarning(UserWarning):
    """Something the reader of a result should know before trusting it."""

    __module__ = PodiumError.__module__


def warn(sentence: str) -> None:
    """Warn at the line that called podium, however far inside the reason was found."""
    from inspect import currentframe  # noqa: PLC0415  # only where something is wrong

    level, frame = 1, currentframe()
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "podium":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, PodiumWarning, stacklevel=level)


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """Say that there is nothing of this name, and what there is.

    >>> unknown("level", "on", ["task", "one", "two"])
    "there is no level 'on'; did you mean 'one'?"
    """
    return f"there is no {kind} {name!r}; {nearest(str(name), known)}"


#: How much a label is spelled like another from which on words inside others are not looked at.
_NEAR = 0.75


def nearest(name: str, known: Iterable[str], most: int = 20) -> str:
    """Suggest the labels closest to `name`, or list those there are, at most so many, if none is close.

    >>> nearest("rteee", ["rte", "mnli"])
    "did you mean 'rte'?"
    >>> nearest("BERT", ["org/BERT-base-uncased", "org/XLNet-large-cased"])
    "did you mean 'org/BERT-base-uncased'?"
    >>> nearest("ERNE", ["Baidu | ERNIE", "Google | T5"])
    "did you mean 'Baidu | ERNIE'?"
    >>> nearest("zzz", ["rte", "mnli"])
    "there are 'rte', 'mnli'"
    """
    labels = list(known)
    folded = str(name).casefold()
    parts = [label for label in labels if folded and folded in label.casefold()]
    words = {word: label for label in reversed(labels) for word in label.split()}
    by_word = list(dict.fromkeys(words[word] for word in similar(str(name), words, _NEAR)))
    if close := similar(str(name), labels, _NEAR) or by_word or similar(str(name), labels) or parts[:3]:
        return f"did you mean {' or '.join(map(repr, close))}?"
    return f"there are {few(list(map(repr, labels)), most)}"


def similar(name: str, known: Iterable[str], least: float = 0.6) -> list[str]:
    """Return up to three labels that are spelled like `name`, the closest first; `least` is how much, at most 1.

    >>> similar("rteee", ["rte", "mnli"])
    ['rte']
    """
    import difflib  # noqa: PLC0415  # only where something is wrong

    folded: dict[str, str] = {}
    for label in known:
        folded.setdefault(label.casefold(), label)
    return [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=least)]
