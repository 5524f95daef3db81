"""Directions of tasks: those that are given, and those that names suggest."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from podium.base.errors import warn
from podium.base.pattern import matching, texts
from podium.base.words import LONG, with_names
from podium.score.table import Scores

#: What may be better, as tables say it.
DIRECTIONS = ("higher", "lower")

#: Words in the names of metrics where lower is usually better.
_LOWER = frozenset(
    (
        *("wer", "cer", "ter", "mer", "perplexity", "ppl", "bpb", "nll", "loss", "error", "err", "mse", "rmse", "mae"),
        *("latency", "time", "runtime", "seconds", "fid", "kid", "ece", "brier", "toxicity", "cost"),
    )
)

#: Words that may stand behind these.
_UNITS = frozenset(("s", "ms", "us", "ns", "sec", "rate", "percent"))

#: Between data set, split and metric; a metric of up to three letters, such as "ter", must stand between these.
_SEPARATOR = re.compile(r"[/:.\s_]")

#: Metrics of tools where lower is better, whose names do not end with such a word.
_LOWER_METRICS = frozenset(
    (
        *("bits_per_byte", "byte_perplexity", "word_perplexity", "brier_score", "avg_toxicity_score", "toxicity_score"),
        *("edit_distance", "ece_10_bin", "ece_1_bin", "cross_entropy", "logloss", "log_loss", "eval_loss"),
    )
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def directed(
    scores: Scores,
    *,
    lower: Iterable[str],
    higher: Iterable[str],
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
) -> Scores:
    """Return scores with the directions and families that are given, the last step of everything that makes scores.

    Warns
    -----
    PodiumWarning
        The name of a task suggests that lower is better, but neither `lower` nor `higher` names the task.
    """
    lower, higher = texts("task", lower), texts("task", higher)
    if lower or higher:
        turned = scores.with_directions(lower=lower, higher=higher)
        # Nothing is better lower unless the files say so.
        pairs = zip(scores.tasks, turned.tasks, strict=True)
        against = [old.name for old, new in pairs if new.higher_is_better and not old.higher_is_better]
        said = "higher is better, as you say, though the files say lower: "
        notes = [with_names(said, against, room=LONG)] if against else []
        scores = replace(turned, notes=(*turned.notes, *notes))
    _ask_about_directions(scores, [*lower, *higher])
    return scores if families is None else scores.with_families(families)


def _ask_about_directions(scores: Scores, given: list[str]) -> None:
    said = set(matching("task", given, scores.task_names))
    tasks = [task.name for task in scores.tasks if task.higher_is_better and task.name not in said]
    doubtful = [name for name in tasks if sounds_lower(name)]
    if not doubtful:
        return
    task = "task" if len(doubtful) == 1 else "tasks"
    after = f", but higher counts as better; name the {task} in lower= (--lower) or higher= (--higher)"
    warn(with_names("lower may be better on ", list(map(repr, doubtful)), after, room=LONG))


def metric_is_lower(name: str) -> bool:
    """Whether lower is better, by the whole name of a metric, or by its end.

    >>> metric_is_lower("bits_per_byte"), metric_is_lower("ppl"), metric_is_lower("acc_norm")
    (True, True, False)
    """
    return name.lower() in _LOWER_METRICS or sounds_lower(name)


def sounds_lower(name: str) -> bool:
    """Whether the name of a task ends with a metric where lower is better; elsewhere a word may mean anything.

    >>> [sounds_lower(name) for name in ("wmt.TER", "wordErrorRate", "Latency (ms)", "valLoss", "speech: test wer")]
    [True, True, True, True, True]
    >>> [sounds_lower(name) for name in ("winter", "rougeL", "bible/eng_Latn-ter_Latn", "eng-ter", "TERRa", "time_qs")]
    [False, False, False, False, False, False]
    """
    if _SEPARATOR.split(name)[-1].lower() in _LOWER:
        return True
    words = [word.lower() for word in _WORD.findall(re.split("[/:]", name)[-1])]
    while words and words[-1] in _UNITS:
        words.pop()
    return bool(words) and len(words[-1]) > 3 and words[-1] in _LOWER
