"""What every door does at the end: select, set directions and weights, and ask about doubtful directions."""

import re
import warnings
from collections.abc import Iterable, Mapping

from podium.errors import PodiumWarning
from podium.patterns import matching, texts
from podium.scores import Scores

__all__ = ["finish", "sounds_lower"]

#: Words in the name of a metric that is usually better lower.
_LOWER = frozenset(
    (
        *("wer", "cer", "ter", "mer", "perplexity", "ppl", "bpb", "nll", "loss", "error", "err", "mse", "rmse", "mae"),
        *("latency", "time", "runtime", "seconds", "fid", "kid", "ece", "brier", "toxicity", "cost"),
    )
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def finish(
    scores: Scores,
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
) -> Scores:
    """Apply the options that all readers share.

    Warns
    -----
    PodiumWarning
        A task sounds as if lower were better, and nothing was said about it.
    """
    if tasks is not None or systems is not None:
        scores = scores.select(systems=systems, tasks=tasks)
    lower, higher = texts("task", lower), texts("task", higher)
    if lower or higher:
        scores = scores.with_directions(lower=lower, higher=higher)
    if weights is not None:
        scores = scores.with_weights(weights)
    if tie_tolerance:
        scores = scores.with_tie_tolerance(tie_tolerance)
    _ask_about_directions(scores, [*lower, *higher])
    return scores


def _ask_about_directions(scores: Scores, given: list[str]) -> None:
    said = set(matching("task", given, scores.task_names))
    doubtful = [name for name in scores.task_names if name not in said and sounds_lower(name)]
    if not doubtful:
        return
    shown = ", ".join(map(repr, doubtful))
    flags = " ".join(f"--lower {name!r}" for name in doubtful)
    one = len(doubtful) == 1
    warnings.warn(
        f"{'a task sounds' if one else 'some tasks sound'} as if lower were better, but higher counts as better: "
        f"{shown}; say lower={doubtful!r} ({flags}), or name {'it' if one else 'them'} in higher= (--higher)",
        PodiumWarning,
        stacklevel=4,
    )


def sounds_lower(name: str) -> bool:
    """Whether the name of a task contains a word for something that is better lower.

    >>> [sounds_lower(name) for name in ("wmt.TER", "wordErrorRate", "winter", "valLoss", "rougeL")]
    [True, True, False, True, False]
    """
    return any(word.lower() in _LOWER for word in _WORD.findall(name))
