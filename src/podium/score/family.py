"""Families: tasks of one data set, such as its splits, languages and metrics; if tasks are drawn, they are one.

Tasks that correlate more than independent ones would are a hint that they are of one data set, too; a score of 0 that
is out of place is one that it is missing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import matching
from podium.base.errors import InputError, LabelError
from podium.base.words import LONG, Doubt, with_names
from podium.score.place import midranks, places
from podium.score.task import Task, mean_scores

#: Codes of languages (ISO 639-1), and of countries that often stand for them; and common names.
_LANGUAGES = (
    "aa|ab|ae|af|ak|am|an|ar|as|av|ay|az|ba|be|bg|bh|bi|bm|bn|bo|br|bs|ca|ce|ch|co|cr|cs|cu|cv|cy|da|de|dv|dz|ee|el|en|"
    "eo|es|et|eu|fa|ff|fi|fj|fo|fr|fy|ga|gd|gl|gn|gu|gv|ha|he|hi|ho|hr|ht|hu|hy|hz|ia|id|ie|ig|ii|ik|io|is|it|iu|ja|jv|"
    "ka|kg|ki|kj|kk|kl|km|kn|ko|kr|ks|ku|kv|kw|ky|la|lb|lg|li|ln|lo|lt|lu|lv|mg|mh|mi|mk|ml|mn|mr|ms|mt|my|na|nb|nd|ne|"
    "ng|nl|nn|no|nr|nv|ny|oc|oj|om|or|os|pa|pi|pl|ps|pt|qu|rm|rn|ro|ru|rw|sa|sc|sd|se|sg|si|sk|sl|sm|sn|so|sq|sr|ss|st|"
    "su|sv|sw|ta|te|tg|th|ti|tk|tl|tn|to|tr|ts|tt|tw|ty|ug|uk|ur|uz|ve|vi|vo|wa|wo|xh|yi|yo|za|zh|zu|cn|jp|vn"
)
_LANGUAGE_NAMES = (
    "arabic|chinese|dutch|english|french|german|hindi|italian|japanese|korean|polish|portuguese|russian|spanish|swahili|"
    "thai|turkish|vietnamese"
)

_SPLITS = (
    "train|dev|devel|development|val|valid|validation|(dev|test)[-_ ]?(dev|test|std|standard|clean|other)|test|clean|"
    "other|strict|loose|easy|medium|hard|seen|unseen"
)

_METRICS = (
    r"acc(uracy)?(_norm)?|(balanced|top[-_ ]?\d+)[-_ ]acc(uracy)?|((macro|micro|weighted)[-_ ]?)?(f1|precision|recall)"
    r"([-_ ]?(score|a|macro|micro|weighted))?|em|exact[-_ ]match|mcc|matthews?(_corr(elation|coef)?)?|mc[12]|"
    r"(pearson|spearman)r?|kendall|mrr|map|n?dcg|(p|r|hits?|pass|mrr|map|n?dcg|recall|precision|rr|ap)(@|_at_)\d+|"
    r"rouge([-_ ]?(1|2|3|4|l|w|lsum|su4|we[-_]\d))?|bleu([-_ ]?[1-4])?|chrf(\+\+|pp)?|meteor|cider|spice|ter|wer|cer|"
    r"bert[-_ ]?score|mover[-_ ]?score|bleurt|comet|(pr|roc)?[-_ ]?auc|auroc|auprc|mse|rmse|mae|r2|ppl|perplexity|"
    r"brier|err(or)?|ap(50|75|s|m|l)?|ar|r[-_ ]?(1|2|l)"
)

#: The same where it stands before the name of a data set, as in "acc_mrpc".
_IN_FRONT = re.compile(rf"(?P<end>{_METRICS})(?:::|/|:|\s-\s|[-_ |])\s*(?P<left>\w.*)", re.IGNORECASE)

#: Words that name no data set, so that a letter or a number after them tells data sets apart.
_GENERAL = re.compile(
    "task|dataset|data|set|benchmark|eval|test|domain|subject|category|topic|group|part|level|fold|t|d", re.IGNORECASE
)

#: Letters that mark two halves or metrics of a data set; where there are others, letters tell data sets apart.
_LETTERS = ({"a", "b"}, {"m", "mm", "matched", "mismatched"}, {"p", "r", "f"})


@cache
def _ends() -> dict[str, re.Pattern[str]]:
    """Return how the name of a task may end, by kind: what is left, what separates it, and the end."""
    strong = r"\s*(?:::|/|:|\||\s-\s|[(\[])\s*"
    narrow, wide = rf"(?:{strong}|[-_])", rf"(?:{strong}|[-_ .]|,\s*)"
    code = rf"(?:{_LANGUAGES}|(?-i:[a-z]{{3}}[-_][A-Z][a-z]{{3}}))"
    kinds = {
        "split": (wide, _SPLITS),
        "metric": (wide, _METRICS),
        "shots": (wide, r"(?:\d+|zero|one|few)[-_ ]?shots?"),
        "language": (narrow, rf"{code}(?:[-_](?:{code}|[a-z]{{2}}))?|{_LANGUAGE_NAMES}|default"),
        "letter": (wide, "[a-z]|mm|matched|mismatched"),
        "number": (strong, r"\d{1,3}"),
        "version": (wide, r"(?:v|r|round)\d(?:\.\d)?|(?:19|20)\d\d|plus"),
        "plus": ("", r"\+"),
    }
    return {
        kind: re.compile(rf"(?P<left>.+?){between}(?P<end>{end})[)\]]?", re.IGNORECASE)
        for kind, (between, end) in kinds.items()
    }


@cache
def _within() -> re.Pattern[str]:
    """Return how a name has a split between two separators."""
    return re.compile(rf"(?P<left>.+?)(?:::|/)(?:(?:{_SPLITS})(?:[._-]\w+)?|default)(?:::|/)(?P<end>.+)", re.IGNORECASE)


def family_names(tasks: Sequence[Task]) -> tuple[str, ...]:
    """Return for each of T tasks the name of its family; a task alone is a family under its own name.

    What `Task.family` says counts. Other tasks are in one family if two or more of their names leave the same text once
    splits, metrics, numbers of shots, languages, `-a` and `-b`, `-m` and `-mm`, and numbers that count from 0 or 1 are
    taken from their ends, each kind once; or if all that their names say is a metric.

    Parameters
    ----------
    tasks
        In any order, which changes nothing.

    Returns
    -------
    T names; tasks of a family have the same one.

    Examples
    --------
    >>> import podium
    >>> table = podium.from_dict({"A": dict.fromkeys(["MRPC-a", "MRPC-b", "MNLI-m", "MNLI-mm", "SST-2", "RTE"], 1)})
    >>> family_names(table.tasks)
    ('MRPC', 'MRPC', 'MNLI', 'MNLI', 'SST-2', 'RTE')
    """
    guessed = named_families(tuple(sorted(task.name for task in tasks if task.family is None)))
    return tuple(guessed.get(task.name, task.name) if task.family is None else task.family for task in tasks)


def family_notes(tasks: Sequence[Task], how: str = "counts as one") -> list[str]:
    """Say which families have several tasks, what each is, which are guessed from names, and how to undo it.

    >>> import podium
    >>> table = podium.from_dict({"A": {"QQP (F1)": 1, "QQP (acc)": 1, "RTE": 1}})
    >>> family_notes(table.tasks)
    ['families of tasks, by their names: QQP (2), each counts as one; if they are none: families=False (--family none)']
    """
    guessed = named_families(tuple(sorted(task.name for task in tasks if task.family is None)))
    told = [task.family for task in tasks if task.family is not None]
    notes = []
    for before, found in (("families of tasks: ", told), ("families of tasks, by their names: ", guessed.values())):
        names = [f"{name} ({size})" for name, size in sorted(Counter(found).items()) if size > 1]
        after = f", each {how}; if they are none: families=False (--family none)"
        notes += [with_names(before, names, after, room=LONG)] if names else []
    return notes


def told_families(given: Any, tasks: Sequence[str]) -> dict[str, str]:
    """Return the family of each task that a caller names, from patterns of tasks by family; False names every task.

    Raises
    ------
    LabelError
        A pattern matches no task; a task is in two families; or a family has the name of a task of another.
    InputError
        It is no dictionary, a family has no name, or all tasks are in one.
    """
    if given is False:
        return {task: task for task in tasks}
    if not isinstance(given, Mapping):
        raise InputError(f"families are a dictionary such as {{'MRPC': ['MRPC-*']}}, or False for none, not {given!r}")
    family: dict[str, str] = {}
    for name, patterns in given.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"a family is named by text, not by {name!r}")
        members = matching("task", patterns, tasks)
        if other := next((task for task in members if family.get(task, name) != name), None):
            raise LabelError(f"task {other!r} is in two families, {family[other]!r} and {name!r}; leave it out of one")
        if name in tasks and name not in members:
            raise LabelError(f"family {name!r} has the name of a task that is not in it; call it something else")
        family |= dict.fromkeys(members, name)
    if len(tasks) > 1 and len(family) == len(tasks) and len(set(family.values())) == 1:
        raise InputError(
            f"all {len(tasks)} tasks are in family {next(iter(family.values()))!r}, so there is nothing to draw; name "
            "two families or more, or leave families= (--family) out"
        )
    return family


@lru_cache(maxsize=4)  # asked by every part of a result
def named_families(names: tuple[str, ...]) -> Mapping[str, str]:
    """Return the family of each task that is in one with others, by their names, which are sorted."""
    ends = {name: _stripped(name) for name in names}
    counted: dict[tuple[str, str], set[str]] = {}
    for kind, left, end in chain.from_iterable(ends.values()):
        counted.setdefault((kind, left.casefold()), set()).add(end.casefold())
    stems = {name: _stem(name, ends[name], counted) for name in names}
    groups: dict[str, list[str]] = {}
    for name, stem in stems.items():
        groups.setdefault(stem.casefold(), []).append(name)
    for name, stem in stems.items():  # a name that is all that others leave is of their family
        if len(groups[stem.casefold()]) == 1 and name.casefold() in groups.keys() - {stem.casefold()}:
            groups[name.casefold()].append(name)
    several = [group for group in groups.values() if len(group) > 1]
    return {name: stems[group[0]] or "metrics" for group in several for name in group}


def _stripped(name: str) -> list[tuple[str, str, str]]:
    """Return the ends of a name, from the last on: of what kind it is, what it leaves, and the end."""
    left, kinds, found = name.strip(), dict(_ends()), []
    if inside := _within().fullmatch(left):  # what follows a split is a part of the data set, whatever it is called
        return [("split", inside["left"], inside["end"])]
    while not _is_metric(left):
        end = next(((kind, match) for kind, one in kinds.items() if (match := one.fullmatch(left))), None)
        if end is None and "metric" in kinds and (match := _IN_FRONT.fullmatch(left)):
            end = "metric", match
        if end is None or (end[0] == "language" and re.fullmatch(_LANGUAGES, end[1]["left"], re.IGNORECASE)):
            break  # "en-de" is a pair of languages
        left = end[1]["left"]
        found.append((end[0], left, end[1]["end"]))
        del kinds[end[0]]
    return found


def _stem(name: str, ends: Iterable[tuple[str, str, str]], counted: Mapping[tuple[str, str], set[str]]) -> str:
    """Return what a name leaves without its ends; nothing of one that is a metric."""
    left = name.strip()
    for kind, shorter, _ in ends:
        key = kind, shorter.casefold()
        if kind in {"letter", "number"} and not _is_marked(key[1], counted[key]):
            break
        left = shorter
    return "" if _is_metric(left) else left


def _is_metric(name: str) -> bool:
    """Return whether a name says no more than a metric."""
    return re.fullmatch(_METRICS, name, re.IGNORECASE) is not None


def _is_marked(left: str, ends: set[str]) -> bool:
    """Return whether letters, or numbers, mark parts of one data set."""
    if _GENERAL.fullmatch(left):
        return False
    if all(map(str.isdecimal, ends)):
        numbers = sorted(map(int, ends))
        return len(numbers) > 1 and numbers[0] < 2 and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    return any(ends <= letters for letters in _LETTERS)


#: Fewest systems and fewest families, below which chance alone makes columns alike; and most families.
_SYSTEMS, _FAMILIES, _MOST = 20, 6, 40

#: Steps of the fit, largest loading, and partial correlation from which on columns are named.
_STEPS, _LOADING, _STRONG = 60, 0.98, 0.5


def relation_notes(tasks: Sequence[Task]) -> list[str]:
    """Name pairs of tasks whose scores correlate more than the systems' quality explains; nothing is merged.

    Scores of each task become normal scores of the ranks, those of a family their mean. If systems differ in one
    quality, tasks s and t correlate as λ_s λ_t, the loadings λ ≥ 0 being fitted to all correlations but that of s and t
    (least squares). The statistic is (artanh r_st − artanh λ_s λ_t) / se, with se from the products of the scores
    (at least 1 / √(N − 3)), less the median of all pairs and divided by their spread if that is more than 1. Pairs are
    named where it exceeds Student's quantile with N / 2 − 1 degrees of freedom at 5 % over all pairs (Bonferroni), and
    the partial correlation (r_st − λ_s λ_t) / √((1 − λ_s²) (1 − λ_t²)) is at least 0.5. In simulations of independent
    tasks some pair was named in up to 1 % of tables if systems differ in one quality or in none, in up to 3 % if tasks
    differ in noise, in up to 6 % if some systems vary more than others; only tasks that are almost free of noise, and
    differ in difficulty, are named more often.

    Parameters
    ----------
    tasks
        Systems without a score on some task do not count. Nothing is said of fewer than 20 systems, fewer than 6
        families or more than 40.

    Examples
    --------
    >>> import podium
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(40, 8))
    >>> values[:, 1] = values[:, 0] + 0.2 * values[:, 1]
    >>> relation_notes(podium.from_arrays(values).tasks)
    ['tasks that may be of one data set, as they correlate: task 1 and task 2; if they are: families= (--family)']
    """
    names, of = np.unique(family_names(tasks), return_inverse=True)
    if not _FAMILIES <= names.size <= _MOST or tasks[0].scored.size < _SYSTEMS:
        return []
    means = np.stack([mean_scores(task)[0] * (1 if task.higher_is_better else -1) for task in tasks], axis=1)
    means = means[~np.isnan(means).any(axis=1)]
    if len(means) < _SYSTEMS:
        return []
    normal = np.vectorize(NormalDist().inv_cdf)(1 - (midranks(places(means)) - 0.375) / (len(means) + 0.25))
    columns = np.stack([normal[:, of == number].mean(axis=1) for number in range(names.size)], axis=1)
    columns -= columns.mean(axis=0)
    size = np.sqrt((columns**2).mean(axis=0))
    found = _related(columns[:, size > 0] / size[size > 0])
    kept = names[size > 0].tolist()
    named = [f"{kept[one]} and {kept[other]}" for one, other in found]
    before, after = "tasks that may be of one data set, as they correlate: ", "; if they are: families= (--family)"
    return [with_names(before, named, after, room=LONG)] if named else []


#: Most tasks in which zeros are looked for; least correlation with others; and the deviations, and shares of better
#: systems, by which a zero is named.
_TASKS, _AGREE, _DEVIATIONS, _BETTER, _LAST = 100, 0.7, 7.0, 0.75, 0.9


def zero_notes(tasks: Sequence[Task]) -> list[str]:
    """Count the scores of exactly 0 that are far below what the same systems reach elsewhere.

    A system is expected to score the quantile of the others' scores at which its median rank on other tasks is. A 0
    counts if it is in the last tenth of its task, the system is usually not in the last quarter, and it falls short by
    7 standard deviations, which are 1.48 times the median absolute deviation of the others. In simulations with floors
    at 0 and with counts of successes, up to 2 % of tables had such a 0 by chance.

    Parameters
    ----------
    tasks
        Missing scores do not count. Nothing is said of tasks with fewer than 20 scores other than 0, of those whose
        ranks correlate with the median ranks on others by less than 0.7, of fewer than 3 tasks, or of more than 100.

    Examples
    --------
    >>> import podium
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(size=(40, 1)) + 9 + rng.normal(size=(40, 8)) / 2
    >>> values[values.mean(axis=1).argmax(), 2] = 0
    >>> zero_notes(podium.from_arrays(values).tasks)
    ['scores of 0 that are far below those around; if they mean "not measured", leave them empty: task 3 (1)']
    """
    if not 3 <= len(tasks) <= _TASKS or tasks[0].scored.size < _SYSTEMS:
        return []
    means = np.stack([mean_scores(task)[0] * (1 if task.higher_is_better else -1) for task in tasks], axis=1)
    missing, named = np.isnan(means), []
    behind = (midranks(places(means)) - 0.5) / np.maximum((~missing).sum(axis=0), 1)
    for at in np.flatnonzero((means == 0).any(axis=0)).tolist():
        others = np.delete(behind, at, axis=1)
        usual = np.array([np.median(row[~np.isnan(row)]) if not np.isnan(row).all() else 1.0 for row in others])
        zero = means[:, at] == 0
        rest = ~zero & ~missing[:, at]
        if rest.sum() < _SYSTEMS or not np.corrcoef(usual[rest], behind[rest, at])[0, 1] >= _AGREE:
            continue
        short = np.quantile(means[rest, at], 1 - usual) - means[:, at]
        middle = np.median(short[rest])
        spread = np.median(np.abs(short[rest] - middle)) / NormalDist().inv_cdf(0.75)
        far = zero & (short - middle > _DEVIATIONS * spread) & (usual < _BETTER) & (behind[:, at] >= _LAST)
        if spread > 0 and far.any():
            named.append(f"{tasks[at].name} ({np.count_nonzero(far)})")
    before = 'scores of 0 that are far below those around; if they mean "not measured", leave them empty: '
    return [Doubt(with_names(before, named, room=LONG))] if named else []


def _related(z: Floats) -> list[tuple[int, int]]:
    """Pairs of standardised columns, shape `(N, C)`, that correlate more than one quality explains, strongest first."""
    if z.shape[1] < _FAMILIES:
        return []
    from scipy.special import stdtrit  # noqa: PLC0415  # slow to import

    pairs = np.array(list(combinations(range(z.shape[1]), 2)))
    s, t = pairs.T
    r = np.clip(((z.T @ z) / len(z))[s, t], -0.999, 0.999)
    of_s, of_t = _loadings(z.T @ z / len(z), s, t)
    moved = z[:, s] * z[:, t] - r / 2 * (z[:, s] ** 2 + z[:, t] ** 2)
    error = np.sqrt((moved**2).mean(axis=0) / len(z)) / (1 - r**2)
    beyond = (np.arctanh(r) - np.arctanh(of_s * of_t)) / np.maximum(error, 1 / np.sqrt(len(z) - 3))
    middle = np.median(beyond)
    beyond = (beyond - max(middle, 0.0)) / max(1.0, 1.4826 * np.median(np.abs(beyond - middle)))
    partial = (r - of_s * of_t) / np.sqrt((1 - of_s**2) * (1 - of_t**2))
    named = (beyond > stdtrit(len(z) / 2 - 1, 1 - 0.05 / len(pairs))) & (partial >= _STRONG)
    order = sorted(np.flatnonzero(named).tolist(), key=lambda pair: (-beyond[pair], pair))
    return [(int(s[pair]), int(t[pair])) for pair in order]


def _loadings(correlation: Floats, s: NDArray[np.intp], t: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Loadings of both columns of each pair, fitted by least squares to all correlations but that of the pair."""
    others = correlation - np.diag(np.diagonal(correlation))
    own, rows = others[s, t], np.arange(s.size)
    loading = np.tile(np.sqrt(np.clip(others.sum(axis=1) / (len(others) - 1), 0.01, 0.9)), (s.size, 1))
    for _ in range(_STEPS):
        product = loading @ others
        squares = (loading**2).sum(axis=1)[:, None] - loading**2
        for one, other in ((s, t), (t, s)):
            product[rows, one] -= own * loading[rows, other]
            squares[rows, one] -= loading[rows, other] ** 2
        loading = (loading + np.clip(product / np.maximum(squares, 1e-3), 0.0, _LOADING)) / 2
    return loading[rows, s], loading[rows, t]
