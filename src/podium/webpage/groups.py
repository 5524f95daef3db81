"""Groups of tasks, under which a leaderboard of many tasks folds them, and presets of their weights."""

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Literal

from podium.base.errors import InputError, LabelError, MethodError
from podium.score.task import assigned, check_weights, task_weight
from podium.source.table import USUAL, find_roles, lacks, refuse_shared

#: Tasks up to which names make no groups: so many columns one can still read.
MOST_APART = 60

#: The group of tasks without another one.
OTHER = "other"

#: Tasks that a group by names has at least; and the share of all tasks.
_LEAST, _LEAST_SHARE = 3, 0.01

#: Usual names of the column of groups.
_GROUPS = ("group", "category", "family", "domain", "task_group", "task_type", "type")

#: Letters and digits in a row; a capital also begins a word, as in `MassiveIntentClassification` and `PLHardNegatives`.
_WORD = re.compile(r"[^\W_]+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class Groups:
    """Groups of tasks; a task is in one of them, or stands alone.

    Attributes
    ----------
    by
        What made them: "given", or the "beginning" or "ending" of names.
    tasks
        The tasks of each group, by index, two at least; in the order in which groups are shown.
    """

    by: Literal["given", "beginning", "ending"]
    tasks: Mapping[str, tuple[int, ...]]

    @classmethod
    def of(cls, tasks: Sequence[str], given: Mapping[str, str] | None) -> "Groups | None":
        """Group tasks as given, or by their names where they are many; None where that makes no groups.

        Parameters
        ----------
        tasks
            Their names.
        given
            Groups by names of tasks or globs; none where it is empty.

        Raises
        ------
        MethodError
            What is given is no mapping of texts, or a group has no name.
        LabelError
            It names no task of these.
        """
        if given is None:
            return by_name(tasks) if len(tasks) > MOST_APART else None
        members = _given(tasks, given)
        return cls.made("given", members, len(tasks)) if members else None

    @classmethod
    def made(
        cls, by: Literal["given", "beginning", "ending"], members: Mapping[str, Sequence[int]], n_tasks: int
    ) -> "Groups":
        """Return these groups, and one of all other tasks at the end; a task that is alone in its group needs none."""
        grouped = {task for tasks in members.values() for task in tasks}
        rest = [task for task in range(n_tasks) if task not in grouped]
        others = sorted([*members.get(OTHER, ()), *rest])
        whole = {name: tasks for name, tasks in members.items() if name != OTHER} | {OTHER: others}
        return cls(by, {name: tuple(tasks) for name, tasks in whole.items() if len(tasks) > 1})

    def content(self) -> dict[str, Any]:
        """Return the groups as plain values."""
        groups = [{"name": name, "tasks": list(own)} for name, own in self.tasks.items()]
        return {"groupedBy": self.by, "groups": groups}


def preset_weights(tasks: Sequence[str], presets: Any) -> list[dict[str, Any]]:
    """Return the name of each preset and what every task weighs by it: 0 if the preset does not name the task.

    Raises
    ------
    MethodError
        Presets are no dictionary of dictionaries, or one has no name.
    LabelError, WeightError
        As of `Scores.with_task_weights`.

    Examples
    --------
    >>> preset_weights(["rte", "mnli_m", "mnli_mm"], {"inference": {"mnli*": 0.5, "rte": 1}})
    [{'name': 'inference', 'weights': [1.0, 0.5, 0.5]}]
    """
    if not isinstance(presets, Mapping) or not all(isinstance(name, str) and name.strip() for name in presets):
        raise MethodError(f"presets are a dictionary such as {{'coding': {{'mbpp*': 1}}}}, not {presets!r:.200}")
    found = []
    for name, given in presets.items():
        own = assigned(given, tasks)
        weights = [task_weight(task, own.get(task, 0.0)) for task in tasks]
        check_weights(f"weights of preset {name!r}", weights, [f"task {task!r}" for task in tasks])
        found.append({"name": name.strip(), "weights": weights})
    return found


def _given(tasks: Sequence[str], given: Any) -> dict[str, list[int]]:
    """Return tasks by group; a name wins over globs, and of globs the first that matches."""
    if not isinstance(given, Mapping) or not all(isinstance(one, str) for pair in given.items() for one in pair):
        raise MethodError(f"groups are a dictionary of names such as {{'mmlu_*': 'MMLU'}}, not {given!r:.200}")
    given = {pattern: group.strip() for pattern, group in given.items()}
    if "" in given.values():
        nameless = next(pattern for pattern, group in given.items() if group == "")
        raise MethodError(f"the group of {nameless!r} needs a name")
    group_of = {task: given[task] for task in tasks if task in given}
    for pattern, group in given.items():
        if pattern not in group_of:
            for task in fnmatch.filter(tasks, pattern):  # none is right: groups may be of more tasks than these
                group_of.setdefault(task, group)
    if given and not group_of:
        raise LabelError(
            f"groups name no task of this table: {next(iter(given))!r} is none, and its first task is {tasks[0]!r}"
        )
    members: dict[str, list[int]] = {group: [] for group in given.values()}
    for at, task in enumerate(tasks):
        if task in group_of:
            members[group_of[task]].append(at)
    return members


def by_name(tasks: Sequence[str]) -> Groups | None:
    """Group tasks whose names begin alike, or those whose names end alike, if these are more; None for neither.

    Words that all names share count for nothing, nor do digits at the end of a word. A group has at least 3 tasks, and
    1% of all; the largest comes first. One group alone says nothing.

    Examples
    --------
    >>> found = by_name(["mmlu_law", "mmlu_art", "mmlu_logic", "bbh/dates", "bbh/nouns", "bbh/sums", "piqa"])
    >>> dict(found.tasks)
    {'mmlu': (0, 1, 2), 'bbh': (3, 4, 5)}
    >>> by_name(["NewsRetrieval.v2", "DBPediaRetrieval", "A2VRetrieval", "STS12", "STS13", "STSBenchmark"]) is None
    True
    """
    least = max(_LEAST, _LEAST_SHARE * len(tasks))
    found = [
        Groups.made("beginning", _alike(tasks, least, ending=False), len(tasks)),
        Groups.made("ending", _alike(tasks, least, ending=True), len(tasks)),
    ]
    several = [groups for groups in found if len(groups.tasks.keys() - {OTHER}) > 1]
    return max(several, key=lambda groups: len(tasks) - len(groups.tasks.get(OTHER, ())), default=None)


@dataclass(frozen=True, slots=True)
class _Word:
    """A word in a name: without digits at its end, and where it begins."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def _words(name: str, *, ending: bool) -> list[_Word]:
    """Words of a name, from the end that counts; at the end of names versions and codes such as `v2` are none."""
    found = []
    for run in _WORD.finditer(name):
        cuts = [0, *(cut.start() for cut in _CAPITAL.finditer(run[0])), len(run[0])]
        for first, last in pairwise(cuts):
            text = run[0][first:last].rstrip("0123456789")
            if len(text) > 1 and (text.isalpha() or not ending):
                found.append(_Word(text, run.start() + first))
    return found[::-1] if ending else found


def _alike(tasks: Sequence[str], least: float, *, ending: bool) -> dict[str, list[int]]:
    """Return tasks whose names begin, or end, with the same word, under all that they have in common there."""
    words = [_words(name, ending=ending) for name in tasks]
    skipped = _common([[word.text for word in own] for own in words])
    members: dict[str, list[int]] = {}
    for task, own in enumerate(words):
        if len(own) > skipped:
            members.setdefault(own[skipped].text, []).append(task)
    large = sorted((own for own in members.values() if len(own) >= least), key=len, reverse=True)
    return {
        _title([tasks[task] for task in own], [words[task] for task in own], skipped, ending=ending): own
        for own in large
    }


def _common(rows: Sequence[Sequence[str]]) -> int:
    """Return how many words, or letters, some rows begin with in common."""
    return len(list(takewhile(lambda own: len(set(own)) == 1, zip(*rows, strict=False))))


def _title(names: Sequence[str], words: Sequence[Sequence[_Word]], skipped: int, *, ending: bool) -> str:
    """Return what the names of a group share, from the word that they share on, in whole words of the first of them."""
    if ending:
        shared = _common([name[: own[skipped].end][::-1] for name, own in zip(names, words, strict=True)])
        last = words[0][skipped].end
        return names[0][min(word.start for word in words[0][skipped:] if last - word.start <= shared) : last]
    shared = _common([name[own[skipped].start :] for name, own in zip(names, words, strict=True)])
    first = words[0][skipped].start
    return names[0][first : max(word.end for word in words[0][skipped:] if word.end - first <= shared)]


def read_groups(source: str | Path) -> dict[str, str]:
    """Read groups of tasks from a table with a row per task, or glob; blanks around names count for nothing.

    Raises
    ------
    InputError
        The table cannot be read, lacks a column of tasks or groups, or puts a task into two groups or all into none.
    """
    from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read
    from podium.source.path import open_table  # noqa: PLC0415

    opened = open_table(source)
    roles = find_roles(opened.names, {"group": _GROUPS, "task": USUAL["task"]}, {})
    refuse_shared(opened.name, roles)
    for role in ("task", "group"):
        if role not in roles:
            raise lacks(opened.name, f"no column is called {role!r}; name one so", opened.names)
    whole = read_whole(opened, texts=[roles["task"], roles["group"]])
    groups: dict[str, str] = {}
    tasks, named = ([(text or "").strip() for text in whole.texts[roles[role]]] for role in ("task", "group"))
    for row, (task, group) in enumerate(zip(tasks, named, strict=True)):
        if task and group and groups.setdefault(task, group) != group:
            raise InputError(f"{whole.where(row)}: task {task!r} is in group {groups[task]!r} already; keep one")
    if not groups:
        raise InputError(f"{opened.name}: no task is in a group; write a task, or glob, and its group into each row")
    return groups
