"""Directions of tasks: those that are given, and those that names suggest."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from podium.base.arrays import Floats
from podium.base.check import matching, texts
from podium.base.words import LONG, Assumed, Counted, Doubt, as_typed, with_names
from podium.score.place import midranks, places
from podium.score.table import Scores
from podium.source.table import folded

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
    """Return whether higher is better, by a word in a column that says so; None if the word is none for a direction.

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
        *("mase", "crps", "fpr", "fnr"),
    )
)

#: Those among them that mean nothing else, so that they may stand in front, too.
_ABBREVIATED = frozenset(
    ("wer", "cer", "eer", "fpr", "fnr", "ppl", "perplexity", "rmse", "rmsle", "mape", "nll", "fid", "fvd", "lpips")
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


def directed(
    scores: Scores,
    *,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    said: Mapping[str, bool] = MappingProxyType({}),
    costs: Collection[str] = (),
    column: str = "",
    averages: Collection[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Scores:
    """Return scores with the direction of each task: the first of the following decides that says something.

    1. The caller.
    2. The files: a column, or the tool that wrote them.
    3. The name of the task, or of the column of scores, if it is beyond doubt; and units of cost.
    4. The name of an average that the task is part of.
    5. Otherwise, higher is better.

    Parameters
    ----------
    lower, higher
        What the caller says: labels or globs.
    said
        What the files say, by task.
    costs
        Tasks where lower is better by their units, such as times and prices.
    column
        The column of scores, if its name says that lower is better on all tasks.
    averages
        Tasks that are parts of an average whose name says so.
    columns
        Of a wide table: what each column is taken for, which a note says.

    Examples
    --------
    >>> import podium
    >>> table = podium.from_dict({"A": {"wer": 0.1, "acc": 0.9}})
    >>> [task.higher_is_better for task in table.tasks]
    [False, True]
    >>> directed(table, said={"wer": True}).higher_is_better
    array([ True,  True])
    """
    names = scores.task_names
    asked = set(matching("task", [*texts("task", lower), *texts("task", higher)], names))
    open_ = [name for name in names if name not in asked and name not in said]
    by_name = {name for name in open_ if column or name in costs or sounds_lower(name)}
    by_average = [name for name in open_ if name not in by_name and name in averages]
    down = {*by_name, *by_average, *(name for name in names if said.get(name) is False and name not in asked)}
    told = scores.with_directions(lower=lower, higher=higher)
    turned = {one.name for one in told.tasks if one.higher_is_better == (one.name in down)} - asked
    tasks = [replace(one, higher_is_better=one.name not in down) if one.name in turned else one for one in told.tasks]
    notes = [*_by_name([name for name in names if name in by_name], column), *scores.notes]
    against = [task.name for task in tasks if task.higher_is_better and said.get(task.name) is False]
    named = "lower is better, as the name of their average says: "
    chosen = "higher is better, as you say, though the files say lower: "
    for what, some in ((named, by_average), (chosen, against)):
        notes += [with_names(what, some, room=LONG)] if some else []
    if columns is not None:
        notes.append(Counted(columns, names, [*by_name, *by_average]))
    found = replace(told, tasks=tuple(tasks), notes=tuple(notes))
    against = [name for name in reversed_tasks(found) if name in open_]
    return replace(found, notes=(*_against(against), *notes)) if against else found


#: Systems and tasks from which a reversed order says something, its chance, and how many of the others say it, too.
#: So at most 5% of tables of noise are asked about, and 2% of those with one task that is unlike the others.
_SYSTEMS, _TASKS, _CHANCE, _MOST = 5, 3, 0.02, 0.85

#: Systems from which three reversed pairs in four are never chance; and reversed tasks named at most.
_LARGE, _NAMED = 40, 3


def reversed_tasks(scores: Scores) -> list[str]:
    """Return tasks that order the systems nearly in reverse to the mean ranks on all others, beyond chance.

    By Kendall's exact one-sided test, a tie counting as agreement; and most others by themselves say the same. Only
    tables of one score per system and task are tested: error rates are such scores.

    >>> import podium
    >>> table = {f"system {at}": {"MNLI": at, "RTE": at, "BoolQ": at, "LibriSpeech": -at} for at in range(6)}
    >>> reversed_tasks(podium.from_dict(table))
    ['LibriSpeech']
    """
    if not scores.task_level or len(scores.systems) < _SYSTEMS or len(scores.tasks) < _TASKS:
        return []
    values = np.hstack([task.values for task in scores.tasks]) * np.where(scores.higher_is_better, 1, -1)
    scored = ~np.isnan(values)
    shares = np.nan_to_num((midranks(places(values)) - 1) / np.maximum(scored.sum(axis=0) - 1, 1))
    others = scored.sum(axis=1, keepdims=True) - scored
    mean = (shares.sum(axis=1, keepdims=True) - shares) / np.maximum(others, 1)
    pairs = zip(shares.T, mean.T, (scored & (others > 0)).T, strict=True)
    against = [_chance_reversed(own[both], rest[both]) < _CHANCE for own, rest, both in pairs]
    between = np.where(scored, shares - shares.sum(axis=0) / np.maximum(scored.sum(axis=0), 1), 0.0)
    most = np.sum(between.T @ between < 0, axis=1) >= _MOST * (len(scores.tasks) - 1)
    return [task.name for task, one, of_most in zip(scores.tasks, against, most, strict=True) if one and of_most]


def _chance_reversed(first: Floats, second: Floats) -> float:
    """Return the chance that two independent orders agree on no more pairs than these; 1 if on over a quarter."""
    size, pairs = len(first), len(first) * (len(first) - 1) // 2
    if size < _SYSTEMS or (first - first.mean()) @ second >= 0:
        return 1.0
    agree = pairs - sum(int(((first[at] - first[:at]) * (second[at] - second[:at]) < 0).sum()) for at in range(size))
    if 4 * agree > pairs:
        return 1.0
    number = np.ones(1)  # share of the orders with so many pairs that agree
    for others in range(1, min(size, _LARGE)):
        number = np.convolve(number, np.ones(others + 1) / (others + 1))
    return float(number[: agree + 1].sum()) if size <= _LARGE else 0.0


def _against(tasks: Sequence[str]) -> list[str]:
    typed = as_typed(",".join(task.replace(",", r"\,") for task in tasks[:_NAMED]))
    verb = "orders" if len(tasks) == 1 else "order"
    said = f" {verb} the systems in reverse to other tasks: is lower better there? --lower {typed}"
    return [Doubt(with_names("", list(map(repr, tasks)), said, most=_NAMED, room=LONG))]


#: Letters of names of tasks that a command types.
_TYPED = 30


def _by_name(tasks: Sequence[str], column: str) -> list[str]:
    """Return a note on tasks where lower is better by their names, or by that of the column of scores."""
    if not tasks:
        return []
    by, it = ("its name", "it") if len(tasks) == 1 else ("their names", "them")
    by = f"the name of column {column!r}" if column else by
    named = list(tasks) if sum(map(len, tasks)) <= _TYPED else ["*"]
    typed = as_typed(",".join(task.replace(",", r"\,") for task in named))
    after = f", by {by}; higher={named} (--higher {typed}) turns {it} round"
    return [Assumed(with_names("lower is better on ", list(map(repr, tasks)), after, room=LONG))]


def metric_is_lower(name: str) -> bool:
    """Return whether lower is better, by the whole name of a metric, or by its end.

    >>> metric_is_lower("bits_per_byte"), metric_is_lower("ppl"), metric_is_lower("acc_norm")
    (True, True, False)
    """
    return name.lower() in _LOWER_METRICS or sounds_lower(name)


def says_direction(name: str) -> bool | None:
    """Return whether higher is better, where an arrow or words in the name of a task say so; None where nothing does.

    >>> [says_direction(name) for name in ("WER ↓", "RMSE (lower is better)", "Average ⬆️", "rte")]
    [False, False, True, None]
    """
    down, up = bool(_DOWN.search(name)), bool(_UP.search(name))
    return None if down == up else up


def sounds_lower(name: str) -> bool:
    """Return whether the name of a task ends with a metric where lower is better; elsewhere a word may mean anything.

    An arrow, or "(lower is better)", decides before any metric, and "neg" in front turns it round.

    >>> [sounds_lower(name) for name in ("wmt.TER", "wordErrorRate", "Latency (ms)", "valLoss", "WER (%)", "FID ↓")]
    [True, True, True, True, True, True]
    >>> [sounds_lower(name) for name in ("winter", "rougeL", "bible/eng_Latn-ter_Latn", "TERRa", "time_qs", "-MAE ↑")]
    [False, False, False, False, False, False]
    >>> [sounds_lower(name) for name in ("log loss", "Brier score", "NLL (bits/dim)", "err. rate", "neg_log_loss")]
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
    parts = [part for part in _SEPARATOR.split(name) if part] or [""]
    for some in (words, parts):
        while len(some) > 1 and some[-1].lower() in _UNITS:
            some.pop()
    first = _WORD.match(name)
    if first is not None and first[0].lower() in _ABBREVIATED:  # as in "WER clean"
        return True
    last = words[-1] if words else ""
    return parts[-1].lower() in _LOWER or words[-2:] == ["brier", "score"] or (len(last) > 3 and last in _LOWER)
