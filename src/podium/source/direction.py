"""Directions of tasks: those that are given, and those that names suggest."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Literal, Self

from podium.base.check import matching, texts
from podium.base.words import LONG, Assumed, Counted, as_typed, with_names
from podium.score.table import Scores
from podium.source.column_names import folded

#: What may be better, as tables say it.
DIRECTIONS = ("higher", "lower")

#: Columns of long tables that say of each row what is better, as `folded` writes them, and whether "true" is higher.
SAYING = {
    **dict.fromkeys(("higher_is_better", "greater_is_better", "bigger_is_better", "maximize", "maximise"), True),
    **dict.fromkeys(("lower_is_better", "smaller_is_better", "less_is_better", "minimize", "minimise"), False),
    **dict.fromkeys(("direction", "better", "metric_direction", "optimization_direction"), None),
}

#: Words of such columns; true and false mean what the name of the column says.
_WORDS = {
    **dict.fromkeys(("higher", "up", "max", "maximize", "maximise", "higher_is_better", "↑", "+"), True),
    **dict.fromkeys(("lower", "down", "min", "minimize", "minimise", "lower_is_better", "↓", "−"), False),
}

_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def higher_by(column: str, word: str | None) -> bool | None:
    """Whether higher is better, by a word in a column that says so; None if the word is none for a direction.

    >>> higher_by("lower_is_better", "True"), higher_by("direction", "max"), higher_by("direction", "")
    (False, True, None)
    """
    small = (word or "").strip().lower().replace(" ", "_")
    true = SAYING.get(folded(column))
    if true is not None and small in _TRUTH:
        return true == _TRUTH[small]
    return _WORDS.get(small)


#: Names of metrics, and the words at their ends, where lower is better beyond doubt.
_LOWER = frozenset(
    (
        *("wer", "cer", "ter", "mer", "eer", "perplexity", "ppl", "bpb", "nll", "loss", "logloss", "error", "errors"),
        *("err", "mse", "rmse", "mae", "mape", "rmsle", "latency", "time", "runtime", "seconds", "fid", "kid", "ece"),
        *("fvd", "lpips", "brier", "toxicity", "cost", "hallucination", "hallucinations", "rmsd", "nrmse", "smape"),
        *("mase", "crps"),
    )
)

#: Those among them that mean nothing else, so that they may stand in front, too.
_ABBREVIATED = frozenset(
    ("wer", "cer", "eer", "ppl", "perplexity", "rmse", "rmsle", "mape", "nll", "fid", "fvd", "lpips")
)

#: Words that may stand behind these: units, and splits.
_UNITS = frozenset(("s", "ms", "us", "ns", "sec", "rate", "percent", "pct", "test", "dev", "val", "valid", "train"))

#: Words in front that turn them round, as in "neg_log_loss".
TURNED = frozenset(("neg", "negative", "negated", "minus", "inverse", "inverted"))

#: Between data set, split and metric; a metric of up to three letters, such as "ter", must stand between these.
_SEPARATOR = re.compile(r"[/:.\s_]")

#: Metrics where lower is better, whose names do not end with such a word.
_LOWER_METRICS = frozenset(
    (
        *("bits_per_byte", "byte_perplexity", "word_perplexity", "brier_score", "avg_toxicity_score", "toxicity_score"),
        *("edit_distance", "ece_10_bin", "ece_1_bin", "cross_entropy", "eval_loss"),
    )
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

#: What a name says by itself: an arrow, or words in brackets.
_DOWN, _UP = (
    re.compile(rf"[{arrows}]|\b{word}(_|-|\s)*(is|=)?(_|-|\s)*better\b", re.IGNORECASE)
    for arrows, word in (("↓⬇", "(lower|smaller|less)"), ("↑⬆", "(higher|larger|greater|more|bigger)"))
)

#: What may follow the name of a metric: what stands in brackets, such as a unit, and where it was measured.
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]|[%*.\s]+$|@.*| on .*")


#: Letters of names of tasks that a command types.
_TYPED = 30


class LowerByName(Assumed):
    """The note on tasks where lower is better by their names; what the caller says of them takes them out of it.

    >>> LowerByName(["wer"])
    "lower is better on 'wer', by its name (--higher wer turns it round)"
    >>> LowerByName(["wer", "ter"]).without(["ter"]) == [LowerByName(["wer"])]
    True
    """

    __slots__ = ("column", "tasks")

    tasks: tuple[str, ...]
    column: str

    def __new__(cls, tasks: Sequence[str], column: str = "") -> Self:
        """Write the note; the name may be that of a column of scores."""
        by, it = ("its name", "it") if len(tasks) == 1 else ("their names", "them")
        by = f"the name of column {column!r}" if column else by
        typed = (
            as_typed(",".join(task.replace(",", r"\,") for task in tasks)) if sum(map(len, tasks)) <= _TYPED else "'*'"
        )
        after = f", by {by} (--higher {typed} turns {it} round)"
        note = super().__new__(cls, with_names("lower is better on ", list(map(repr, tasks)), after, room=LONG))
        note.tasks, note.column = tuple(tasks), column
        return note

    def __reduce__(self) -> tuple[type["LowerByName"], tuple[tuple[str, ...], str]]:
        """Return what copies are made of: the tasks and the column."""
        return type(self), (self.tasks, self.column)

    def without(self, tasks: Iterable[str]) -> list["LowerByName"]:
        """Return the note on the other tasks, if there are any."""
        out = set(tasks)
        left = [task for task in self.tasks if task not in out]
        return [LowerByName(left, self.column)] if left else []


def by_names(scores: Scores, known: Iterable[str] = (), costs: Collection[str] = (), column: str = "") -> Scores:
    """Return scores where lower is better on tasks whose names say so beyond doubt, with a note; not on `known` ones.

    `costs`, such as times and prices, say so by their units; `column` is that of the scores, if its name does.

    >>> import podium
    >>> [task.higher_is_better for task in by_names(podium.from_dict({"A": {"wer": 0.1, "acc": 0.9}})).tasks]
    [False, True]
    """
    out = set(known)
    lower = [name for name in scores.task_names if name not in out and (name in costs or sounds_lower(name))]
    if not lower:
        return scores
    turned = scores.with_directions(lower=lower)
    return replace(turned, notes=(LowerByName(lower, column), *turned.notes))


def directed(
    scores: Scores,
    *,
    lower: Iterable[str],
    higher: Iterable[str],
    families: Mapping[str, str | Iterable[str]] | Literal[False] | None = None,
) -> Scores:
    """Return scores with the directions and families that are given, the last step of everything that makes scores."""
    lower, higher = texts("task", lower), texts("task", higher)
    if lower or higher:
        turned = scores.with_directions(lower=lower, higher=higher)
        # Nothing is better lower unless its name or the files say so.
        named, guessed = set(matching("task", [*lower, *higher], scores.task_names)), lower_by_name(scores)
        pairs = zip(scores.tasks, turned.tasks, strict=True)
        against = [
            old.name
            for old, new in pairs
            if new.higher_is_better and not old.higher_is_better and old.name not in guessed
        ]
        said = "higher is better, as you say, though the files say lower: "
        notes = [with_names(said, against, room=LONG)] if against else []
        scores = replace(turned, notes=(*chain.from_iterable(_renewed(turned.notes, named)), *notes))
    return scores if families is None else scores.with_families(families)


def _renewed(notes: Iterable[str], named: Collection[str]) -> Iterator[Sequence[str]]:
    """Notes that say nothing of the directions of tasks that the caller named."""
    for note in notes:
        if isinstance(note, LowerByName):
            yield note.without(named)
        elif isinstance(note, Counted):
            yield [Counted(note.why, note.tasks, [task for task in note.lower if task not in named])]
        else:
            yield [note]


def lower_by_name(scores: Scores) -> set[str]:
    """Tasks where lower is better by their names."""
    return {task for note in scores.notes if isinstance(note, LowerByName) for task in note.tasks}


def metric_is_lower(name: str) -> bool:
    """Whether lower is better, by the whole name of a metric, or by its end.

    >>> metric_is_lower("bits_per_byte"), metric_is_lower("ppl"), metric_is_lower("acc_norm")
    (True, True, False)
    """
    return name.lower() in _LOWER_METRICS or sounds_lower(name)


def says_direction(name: str) -> bool | None:
    """Whether higher is better, where an arrow or words in the name of a task say so; None where nothing does.

    >>> [says_direction(name) for name in ("WER ↓", "RMSE (lower is better)", "Average ⬆️", "rte")]
    [False, False, True, None]
    """
    down, up = bool(_DOWN.search(name)), bool(_UP.search(name))
    return None if down == up else up


def sounds_lower(name: str) -> bool:
    """Whether the name of a task ends with a metric where lower is better; elsewhere a word may mean anything.

    An arrow, or "(lower is better)", decides before any metric, and "neg" in front turns it round.

    >>> [sounds_lower(name) for name in ("wmt.TER", "wordErrorRate", "Latency (ms)", "valLoss", "WER (%)", "FID ↓")]
    [True, True, True, True, True, True]
    >>> [sounds_lower(name) for name in ("winter", "rougeL", "bible/eng_Latn-ter_Latn", "TERRa", "time_qs", "-MAE ↑")]
    [False, False, False, False, False, False]
    >>> [sounds_lower(name) for name in ("log loss", "Brier score", "NLL (bits/dim)", "RMSE [m]", "neg_log_loss")]
    [True, True, True, True, False]
    """
    said = says_direction(name)
    if said is not None:
        return not said
    name = _ASIDE.sub("", name).strip(" .%")
    if name.startswith(("-", "−", "1-", "1 -", "1−", "1 −")):
        return False
    words = [word.lower() for word in _WORD.findall(re.split("[/:]", name)[-1])]
    if TURNED & set(words[:-1]):
        return False
    parts = _SEPARATOR.split(name)
    for some in (words, parts):
        while len(some) > 1 and some[-1].lower() in _UNITS:
            some.pop()
    first = _WORD.match(name)
    if first is not None and first[0].lower() in _ABBREVIATED:  # as in "WER clean"
        return True
    last = words[-1] if words else ""
    return parts[-1].lower() in _LOWER or words[-2:] == ["brier", "score"] or (len(last) > 3 and last in _LOWER)
