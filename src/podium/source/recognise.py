"""Long or wide table, and the role of each column, from the names and kinds of the columns alone."""

import fnmatch
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from podium.base.check import asked_for, is_one_of, matching, texts
from podium.base.errors import InputError
from podium.base.words import Aside, as_typed, as_typed_list, few, with_names
from podium.score.repeat import Statistic
from podium.score.task import COVARIATE_UNITS, covariates_named
from podium.source.descriptor import COVARIATES, MEASURED, described, is_number, may_name_systems, sounds_scored
from podium.source.table import (
    BESIDE,
    LABEL_KINDS,
    NUMBER_KINDS,
    USUAL,
    SourceColumn,
    by_role,
    either,
    existing,
    find_roles,
    folded,
    lacks,
    named,
    naming,
    refuse_shared,
    shown,
    usual,
)

#: Names that mean instances in a wide table too; "id" or "sample" could be a task there.
_WIDE_INSTANCE = (
    *("instance", "instance_id", "example_id", "sample_id", "question_id", "qid", "query_id", "doc_id", "item_id"),
    *("problem_id", "prompt_id", "case_id"),
)

#: Names of columns that may hold instance weights; used only if the caller says so, because they change the result.
_WEIGHT = ("weight", "instance_weight", "sample_weight", "weights")


@dataclass(frozen=True, slots=True)
class ReadSpec:
    """What the caller says of a table: its layout, its columns, and what to keep.

    Attributes
    ----------
    layout
        "long", "wide", or None to recognise it.
    columns
        Column name by role, for roles that the caller named. Of several columns of tasks, the second has role "task 2";
        and so for systems.
    tasks, systems
        Patterns of tasks and of systems to keep, or None for all.
    statistic
        What the score of an instance is of its repeats, or None for the mean.
    keep_first
        Of scores that contradict each other, keep the first.
    covariates
        Patterns of columns with covariates, or None for those with usual names.
    lower, higher
        Patterns of tasks where lower, or higher, is better, so that they are scores.
    minus_one
        Whether −1 is a score like any other, as where a tool wrote it.
    """

    layout: str | None
    columns: Mapping[str, str]
    tasks: tuple[str, ...] | None = None
    systems: tuple[str, ...] | None = None
    statistic: Statistic | None = None
    keep_first: bool = False
    covariates: tuple[str, ...] | None = None
    lower: tuple[str, ...] = ()
    higher: tuple[str, ...] = ()
    minus_one: bool = False

    @classmethod
    def of(
        cls,
        layout: str | None = None,
        tasks: str | Iterable[str] | None = None,
        systems: str | Iterable[str] | None = None,
        *,
        statistic: str | None = None,
        columns: Mapping[str, Any] | None = None,
        lower: str | Iterable[str] = (),
        higher: str | Iterable[str] = (),
        keep_first: bool = False,
    ) -> "ReadSpec":
        """Check the words and keep the columns that the caller named, by keyword such as `task_column`."""
        if layout is not None and not is_one_of(layout, ("long", "wide")):
            raise InputError(f"there is no layout {layout!r}; use 'long' or 'wide'")
        given = {role: names for role, names in by_role(columns or {}).items() if role != "prediction"}
        covariates = given.pop("covariate", None)
        named_columns = dict(_one_by_one(given))
        kept_tasks = None if tasks is None else tuple(texts("task", tasks))
        kept_systems = None if systems is None else tuple(texts("system", systems))
        over = None if statistic is None else Statistic(statistic)
        beside = None if covariates is None else tuple(texts("covariate column", covariates))
        directions = tuple(texts("task", lower)), tuple(texts("task", higher))
        return cls(layout, named_columns, kept_tasks, kept_systems, over, keep_first, beside, *directions)

    def over(self, statistic: str | None) -> Self:
        """Return the spec with the statistic that a table names, if the caller names none."""
        if self.statistic is not None or statistic is None:
            return self
        return replace(self, statistic=Statistic(statistic))


def _one_by_one(columns: Mapping[str, str | Sequence[str] | None]) -> Iterator[tuple[str, str]]:
    """Yield roles and their columns; only systems and tasks may have several."""
    for role, given in columns.items():
        names = [] if given is None else texts(f"{role} column", given)
        if role not in {"system", "task"} and len(names) > 1:
            raise InputError(f"{naming(role)} takes one column, not {few(list(map(repr, names)))}")
        yield from ((role if number == 1 else f"{role} {number}", name) for number, name in enumerate(names, start=1))


class NoSystemsError(InputError):
    """No column of a table names systems."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The role of each column that is read.

    Attributes
    ----------
    system
        Column of system labels.
    task, instance, metric, score, weight, cluster, repeat, prompt
        Columns of a long table, or None; a wide table has only `instance`, `cluster`, `repeat` and `prompt`.
    direction
        Column of a long table that says of each task whether higher or lower is better, or None.
    family
        Column of a long table that says of each task which data set it belongs to, or None.
    slice
        Column of a long table whose labels divide each task: they end its name, and are its family; or None.
    human
        Column of a long table with labels by people, among the covariates, or None.
    covariates
        Columns with what was measured beside scores.
    parts
        Further columns of a long table that name a task together with `task`, such as splits.
    beside
        Further columns that name a system together with `system`.
    by_rows
        Whether rows with the same labels are repeats.
    tasks
        Columns of a wide table with scores, one per task; empty for a long table.
    aside
        Columns of a wide table that hold no scores, and what they are.
    notes
        Notes about what is left out.
    """

    system: str
    task: str | None = None
    instance: str | None = None
    metric: str | None = None
    score: str | None = None
    weight: str | None = None
    cluster: str | None = None
    repeat: str | None = None
    prompt: str | None = None
    direction: str | None = None
    family: str | None = None
    slice: str | None = None
    human: str | None = None
    covariates: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    by_rows: bool = False
    tasks: tuple[str, ...] = ()
    aside: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, roles: Mapping[str, str], **details: Any) -> Self:
        """Return the layout of columns by role, where "task 2" and "system 2" are further columns of a role."""
        single: dict[str, Any] = {role: name for role, name in roles.items() if " " not in role}
        further = {
            kind: tuple(roles[role] for role in roles if role.startswith(f"{kind} ")) for kind in ("task", "system")
        }
        return cls(**single, parts=further["task"], beside=further["system"], **details)

    @property
    def long(self) -> bool:
        """Return whether there is one row per score."""
        return self.score is not None

    @property
    def repeated(self) -> bool:
        """Return whether an instance may have several scores, as repeats or by several prompts."""
        return self.by_rows or self.repeat is not None or self.prompt is not None

    @property
    def systems(self) -> tuple[str, ...]:
        """Return columns whose labels together name a system."""
        return (self.system, *self.beside)

    @property
    def naming(self) -> tuple[str, ...]:
        """Return columns of a long table whose labels together name a task."""
        return tuple(name for name in (self.task, *self.parts, self.metric, self.slice) if name is not None)

    @property
    def numbers(self) -> tuple[str, ...]:
        """Return columns that must hold numbers."""
        known = (self.score, self.weight, *self.tasks, *self.covariates)
        return tuple(name for name in known if name is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return columns of system, task, metric, cluster, repeat, prompt and family labels, and of directions."""
        known = (*self.systems, *self.naming, self.cluster, self.repeat, self.prompt, self.direction, self.family)
        return tuple(name for name in known if name is not None)

    @property
    def used(self) -> tuple[str | None, ...]:
        """Return all columns that are read; None for no column of instances."""
        return (*self.labels, *self.numbers, self.instance)


class Unused(Aside):
    """Columns that hold nothing of the scores; who reads one of them by itself takes it out of the note.

    >>> Unused(["date", "sure"])
    "columns 'date', 'sure' not used"
    >>> Unused(["date", "sure"]).without("sure"), Unused(["sure"]).without("sure")
    (["column 'date' not used"], [])
    """

    __slots__ = ("names",)

    names: tuple[str, ...]

    def __new__(cls, names: Sequence[str]) -> Self:
        """Write the note."""
        kind = "column " if len(names) == 1 else "columns "
        note = super().__new__(cls, with_names(kind, list(map(repr, names)), " not used"))
        note.names = tuple(names)
        return note

    def __reduce__(self) -> tuple[type["Unused"], tuple[tuple[str, ...]]]:
        """Return what copies are made of: the names."""
        return type(self), (self.names,)

    def without(self, name: str) -> list["Unused"]:
        """Return the note about the other columns, if there are any."""
        left = [one for one in self.names if one != name]
        return [Unused(left)] if left else []


def recognise(where: str, columns: Sequence[SourceColumn], spec: ReadSpec) -> Layout:
    """Find the layout of a table.

    A table is long if it has a column of scores, a column of systems, and a column of tasks, instances or metrics. The
    only column of numbers without another role is that of the scores, whatever it is called. Otherwise the table is
    wide: one row per system (and instance) and one column per task.

    Parameters
    ----------
    where
        What errors call the table.
    columns
        Names and kinds of the columns, in order.
    spec
        What the caller said about the table.

    Raises
    ------
    LabelError
        A column that the caller named does not exist.
    InputError
        A column that is needed is missing, or its values do not fit its role.

    Examples
    --------
    >>> table = [SourceColumn(name, kind) for name, kind in (("model", "text"), ("rte", "number"), ("sst2", "number"))]
    >>> recognise("scores.csv", table, ReadSpec.of()).tasks
    ('rte', 'sst2')
    >>> table = [SourceColumn(name, kind) for name, kind in (("model", "text"), ("task", "text"), ("f1", "number"))]
    >>> recognise("scores.csv", table, ReadSpec.of()).score
    'f1'
    """
    if len(columns) > _MOST:
        wrong = f"{where} has {len(columns):,} columns, and a table may have {_MOST:,}"
        raise InputError(f"{wrong}; write a long table with columns system, task, score")
    names = [column.name for column in columns]
    roles = find_roles(names, usual("system", *_BELOW_SYSTEM, "score", "cluster", "repeat"), spec.columns)
    if spec.layout is None:
        roles = _roles_beside_others(columns, roles)
        if "score" not in roles:
            roles |= _score_without_name(where, columns, roles, spec)
        looks_long = {"system", "score"} <= roles.keys() and not roles.keys().isdisjoint(_BELOW_SYSTEM)
        # only a long table has such columns; the error says what is missing
        long = looks_long or not spec.columns.keys().isdisjoint({"task", "metric", "weight", "score", "human", "slice"})
    else:
        long = spec.layout == "long"
    return _long(where, columns, roles, spec) if long else _wide(where, columns, spec)


#: Most columns of a table.
_MOST = 200_000

#: Most columns of a table in which what describes a system stands beside each of its scores.
_MOST_BESIDE = 1000

_BELOW_SYSTEM = ("task", "instance", "metric")


def _roles_beside_others(columns: Sequence[SourceColumn], roles: dict[str, str]) -> dict[str, str]:
    """Return the roles, with columns whose names say something only beside others."""
    names = [column.name for column in columns]
    if roles.keys().isdisjoint({"task", "metric"}):
        task = named(("task_id",), names, roles.values()) if "instance" in roles else None
        roles = _roles_of_melted_table(columns, roles) if task is None else {**roles, "task": task}
    if "system" not in roles and "task" in roles:
        system = named(BESIDE["system"], [column.name for column in columns if column.kind == "text"], roles.values())
        roles = roles if system is None else {**roles, "system": system}
    return roles


def _roles_of_melted_table(columns: Sequence[SourceColumn], roles: dict[str, str]) -> dict[str, str]:
    """Return the roles of a table that pandas has melted to `variable` and `value`, or stacked to `level_1` and `0`."""
    names = [column.name for column in columns]
    score = roles.get("score", "0" if "level_1" in names else "")
    texts = [column.name for column in columns if column.kind == "text" and column.name not in roles.values()]
    task = named(BESIDE["task"], texts)
    if task is None or folded(score) not in {"value", "0"} or score not in names:
        return roles
    systems = [roles["system"]] if "system" in roles else [name for name in texts if name != task]
    if not systems and len(names) == 3 and "instance" in roles:  # ids of rows, with nothing else that is one
        systems = [roles["instance"]]
    if len(systems) != 1:
        return roles
    others = {role: name for role, name in roles.items() if name != systems[0]}
    return {"system": systems[0], **others, "task": task, "score": score}


#: Names of results that no column of words has, but for words such as "yes"; "result" may hold answers.
_NEVER_WORDS = frozenset(USUAL["result"]) - {"result", "performance"}


def _score_without_name(
    where: str, columns: Sequence[SourceColumn], roles: Mapping[str, str], spec: ReadSpec
) -> dict[str, str]:
    """Return the column of scores of a table that looks long and has none by name.

    It is the only one with the name of a usual result, or else the only column left with numbers.
    """
    kinds = {column.name: column.kind for column in columns}
    chosen = any(pattern.removeprefix("!") in kinds for pattern in spec.tasks or ())  # tasks are columns
    if chosen or "system" not in roles or roles.keys().isdisjoint(_BELOW_SYSTEM):
        return {}
    taken = [*roles.values(), *(set(spec.covariates or ()) & kinds.keys())]
    left = [column.name for column in _columns_without_role(columns, taken) if column.kind in NUMBER_KINDS]
    results = [name for name in left if folded(name) in USUAL["result"]]
    if not results:  # before any other column: what is called so and holds text, such as 91%, or words to be refused
        results = [name for name in kinds if folded(name) in _NEVER_WORDS and name not in taken]
    if not left and not results:
        costs = [column for column in columns if column.name not in taken and described(column) in MEASURED]
        left = [column.name for column in costs if column.kind in NUMBER_KINDS] or [column.name for column in costs]
    if not left:  # numbers with marks, such as 91%, are text
        results = [name for name in kinds if folded(name) in USUAL["result"] and name not in taken]
    if not results and (predicted := named(USUAL["prediction"][:4], list(kinds), roles.values())) is not None:
        what = f"column {predicted!r} seems to hold predictions, and no column is called {either(USUAL['score'])}"
        cure = f"name the right answers with gold= (--gold), or the scores with {naming('score')}"
        raise lacks(where, f"{what}; {cure}", list(kinds))
    tasks = [roles[role] for role in ("task", "metric") if role in roles and kinds[roles[role]] in LABEL_KINDS]
    if not tasks and ("instance" not in roles or len(left) > 1):
        return {}
    if len(left) == 1 or len(results) == 1:
        return {"score": (results or left)[0]}
    if not tasks:
        return {}
    which = f"{shown(left)} may all hold scores" if left else "no column of numbers is left for scores"
    what = f"a long table has one column of scores, but {which}; name it with {naming('score', *left[:1])}"
    none = f"!{tasks[0]}"
    other = f"if {tasks[0]!r} does not name tasks, leave it out with tasks=[{none!r}] (--tasks {as_typed(none)})"
    raise lacks(where, f"{what}, or, {other}", list(kinds))


def _columns_without_role(columns: Sequence[SourceColumn], taken: Iterable[str]) -> list[SourceColumn]:
    """Return columns that may hold scores, by their names, and have no other role."""
    aside = set(taken)
    return [column for column in columns if not (column.name in aside or described(column) or _says_nothing(column))]


def _long(where: str, columns: Sequence[SourceColumn], roles: Mapping[str, str], spec: ReadSpec) -> Layout:
    names = [column.name for column in columns]
    for role in ("system", "score"):
        if role not in roles:
            what = f"a long table needs a column of {role}s, but no column is called {either(USUAL[role])}"
            left = [one.name for one in columns if one.kind in NUMBER_KINDS and one.name not in roles.values()]
            it = left[0] if role == "score" and len(left) == 1 else ""
            taken = [
                f"{roles[one]!r} is named as {_several(one)}"
                for one in spec.columns
                if not left and any(c.name == roles.get(one) and c.kind in NUMBER_KINDS for c in columns)
            ]
            also = f" ({taken[0]})" if role == "score" and taken else ""
            raise lacks(where, f"{what}{also}; name it with {naming(role, it)}", names)
    refuse_shared(where, roles)
    if "human" in roles and "score" not in spec.columns and "human" in folded(roles["score"]):
        what = f"scores would be column {roles['score']!r}, and labels by people {roles['human']!r}"
        raise InputError(f"{where}: {what}; name both, with {naming('score')} and {naming('human')}")
    roles = _with_clusters(where, roles, spec, names)
    for role, name in roles.items():
        if name in (spec.covariates or ()):
            what = f"column {name!r} holds {_several(role.split()[0])}, so it is no covariate"
            raise InputError(f"{where}: {what}; name another column")
    unused = [name for name in names if name not in roles.values()]
    covariates = _covariates(columns, unused, spec.covariates)
    unused = [name for name in unused if name not in covariates]
    notes: list[str] = [Unused(unused)] if unused else []
    numbers = [column.name for column in columns if column.name in unused and column.kind in NUMBER_KINDS]
    people = named(USUAL["human"], numbers) if "instance" in roles else None
    for role, found, what in (
        ("weight", named(_WEIGHT, unused), "instance weights"),
        ("human", people, "human labels"),
    ):
        if role not in roles and found is not None:
            notes.append(f"if {found!r} holds {what}, use {naming(role, found)}")
    covariates = tuple(dict.fromkeys((*covariates, *(roles[role] for role in ("human",) if role in roles))))
    return Layout.of(roles, covariates=covariates, notes=tuple(notes))


def _covariates(
    columns: Sequence[SourceColumn], unused: Sequence[str], patterns: Sequence[str] | None
) -> tuple[str, ...]:
    """Return columns of covariates: those asked for, else those with usual names; patterns match numbers only."""
    kept = [column for column in columns if column.name in unused and column.kind in NUMBER_KINDS]
    numbers = [column.name for column in kept]
    if patterns is None:
        costs = [column.name for column in kept if described(column) in MEASURED]
        return tuple(name for name in numbers if name in costs or folded(name) in COVARIATE_UNITS)
    asked = [name for name in unused if name in numbers or name in patterns]
    return tuple(covariates_named(patterns, asked, "column"))


def _with_clusters(where: str, roles: Mapping[str, str], spec: ReadSpec, names: Sequence[str]) -> dict[str, str]:
    """Return the roles, with clusters only where there are instances to be in them."""
    if "cluster" not in roles or "instance" in roles:
        return dict(roles)
    if "cluster" not in spec.columns:
        return {role: name for role, name in roles.items() if role != "cluster"}
    what = f"clusters in column {roles['cluster']!r} are of instances, but no column holds instances"
    raise lacks(where, f"{what}; name it with {naming('instance')}", names)


def _wide(where: str, columns: Sequence[SourceColumn], spec: ReadSpec) -> Layout:
    nameless = [column for column in columns if _says_nothing(column) and column.name not in spec.columns.values()]
    ignored = {column.name for column in nameless}
    others = [column for column in columns if column.name not in ignored]
    roles = _wide_roles(where, others, spec)
    tasks = [column for column in others if column.name not in roles.values()]
    if not tasks:
        wrong = f"{where}: {roles['system']!r} is the only column"
        raise InputError(f"{wrong}; a wide table needs one row per system and at least one column of scores")
    notes = [
        Aside(f"column {column.name!r} {'is empty' if column.kind == 'empty' else 'holds row numbers'} and was ignored")
        for column in nameless
    ]
    names = tuple(column.name for column in tasks)
    aside = {column.name: what for column in tasks if (what := described(column))}
    if "instance" not in roles and any(c.kind in NUMBER_KINDS - {"truth"} and c.name not in aside for c in tasks):
        flags = (column.name for column in tasks if column.kind == "truth" and not sounds_scored(column.name))
        aside = dict.fromkeys(flags, "yes or no") | aside
    numbers = {column.name for column in tasks if column.kind in NUMBER_KINDS}
    covariates: tuple[str, ...] = ()
    if spec.covariates is not None:
        covariates = _covariates(columns, names, spec.covariates)
        aside |= dict.fromkeys(covariates, "a covariate")
    elif "instance" not in roles and len(names) <= _MOST_BESIDE:
        covariates = tuple(name for name, what in aside.items() if what in COVARIATES and name in numbers)
    return Layout.of(roles, covariates=covariates, tasks=names, aside=aside, notes=tuple(notes))


def _wide_roles(where: str, columns: Sequence[SourceColumn], spec: ReadSpec) -> dict[str, str]:
    """Find the columns of systems, instances, repeats and clusters of a wide table; the others are its tasks."""
    names = [column.name for column in columns]
    told = {role: existing(name, names) for role, name in spec.columns.items()}
    if idle := [role for role in told if role.split()[0] not in {"system", "instance", "cluster", "repeat", "prompt"}]:
        raise InputError(f"{where}: a wide table has no column of {_several(idle[0])}; leave out {naming(idle[0])}")
    told = {"system": told.get("system") or _system_column(where, columns), **told}
    roles = find_roles(names, {"instance": _WIDE_INSTANCE, **usual("repeat", "cluster")}, told)
    roles = _with_clusters(where, roles, spec, names)
    refuse_shared(where, roles)
    return roles


def _several(role: str) -> str:
    return {"family": "families", "human": "labels by people"}.get(role, f"{role}s")


def _says_nothing(column: SourceColumn) -> bool:
    """Return whether a column is the index that pandas writes, or the result of a comma at the end of a row."""
    unnamed = column.name.strip() in {"", "__index_level_0__"} or column.name.startswith("Unnamed: ")
    return unnamed and column.kind in {"integer", "empty"}


def _system_column(where: str, columns: Sequence[SourceColumn]) -> str:
    names = [column.name for column in columns]
    if (found := named(USUAL["system"], names)) is not None:
        return found
    first = next((place for place, column in enumerate(columns) if may_name_systems(column)), None)
    if first is not None:
        _refuse_no_header(where, names, names[first])
    texts = [column.name for column in columns if column.kind == "text"]
    if (tasks := named(_TASKS, texts) or next(filter(_begins_with_tasks, texts[:1]), None)) is not None:
        _refuse_groups(where, names, texts, tasks)
        numbers = [column for column in _columns_without_role(columns, texts) if column.kind in NUMBER_KINDS]
        one = names[first] if first is not None and len(numbers) == 1 else tasks if len(texts) == 1 else ""
        if (
            one in {"", tasks} and named((*USUAL["score"], *USUAL["result"]), names) is not None
        ):  # a score a row, of whom?
            what = f"no column is called {either(USUAL['system'][:3])}; add a column of systems, or name it with"
            raise NoSystemsError(str(lacks(where, f"{what} {naming('system')}", names)))
        named_so = naming("system", one)
        raise NoSystemsError(
            f"{where}: column {tasks!r} seems to name tasks, and no column is called {either(USUAL['system'][:3])}; "
            f"name the column of systems with {named_so}, or, if columns are systems, say transpose=True (--transpose)"
        )
    if any(folded(name).endswith("winner") for name in names):
        what = "each row seems to say which of two systems won; podium.read takes files with model_a, model_b, winner"
        raise lacks(where, f"{what}, or, if rows are systems, name their column with {naming('system')}", names)
    # A column without a usual name holds systems only if nothing but numbers of rows, dates or the like is before it.
    before = columns[:first]
    if first is None or not all(described(column) or folded(column.name) in _WIDE_INSTANCE for column in before):
        what = f"no column names the systems; add a column 'system', or name the column with {naming('system')}"
        raise NoSystemsError(str(lacks(where, what, names)))
    return names[first]


_TASKS = (*USUAL["task"], *USUAL["metric"])


def _begins_with_tasks(name: str) -> bool:
    """Return whether a name such as "Benchmark (Metric)" or "Tasks / Models" says first that rows are tasks."""
    words = re.findall(r"[^\W\d_]+", name.lower()) or [""]
    return words[0].removesuffix("s") in _TASKS and ("/" in name or words[-1].removesuffix("s") not in USUAL["system"])


def _refuse_groups(where: str, names: Sequence[str], texts: Sequence[str], tasks: str) -> None:
    """Refuse tasks beside one other text, which is no score: most likely their groups."""
    if len(names) == len(texts) == 2:
        other = next(name for name in texts if name != tasks)
        raise InputError(
            f"{where}: column {tasks!r} seems to name tasks, and there are no scores; if {other!r} groups tasks, "
            "give the file beside scores: podium page --groups, or on a server Ask, page, groups"
        )


def _refuse_no_header(where: str, names: Sequence[str], system: str) -> None:
    """Refuse a first line that seems to hold scores: without the usual names, but with numbers."""
    numbers = [name for name in names if is_number(name)]
    if numbers and system.strip() and not is_number(system):
        raise InputError(
            f"{where}: the first row names columns, but it holds {few(list(map(repr, numbers)), 3)}, so it may be "
            "scores; add a row of names, such as system,task 1,task 2, in front, or, if these are names, use "
            f"{naming('system', system)}"
        )


def check_same_layout(names: Sequence[str], layouts: Sequence[Layout]) -> None:
    """Refuse tables that differ in layout.

    Raises
    ------
    InputError
        Two tables differ in the roles of their columns.
    """
    first, model = names[0], layouts[0]
    for name, layout in zip(names, layouts, strict=True):
        if layout.long != model.long:
            wrong = f"{first} is a {_shape(model)} table and {name} is a {_shape(layout)} table"
            wide = first if layout.long else name
            raise InputError(
                f"{wrong}, which cannot be mixed; leave one out, or make a long table of {wide} and give "
                f"that: podium convert {as_typed(wide)} -o long.csv"
            )
        roles = ("task", "instance", "metric", "weight", "cluster", "repeat", "prompt", "family", "human", "slice")
        for role in roles:
            if (getattr(layout, role) is None) != (getattr(model, role) is None):
                has, other = (first, name) if getattr(layout, role) is None else (name, first)
                what = f"{has} has a column of {_several(role)} but {other} has none"
                raise InputError(f"{what}; name it with {naming(role)}")


def _shape(layout: Layout) -> str:
    return "long" if layout.long else "wide"


#: What columns hold that an error shows where no other is left.
_SHOWN = frozenset(("text", "dates", "nothing"))


def with_tasks(
    layouts: Sequence[Layout], patterns: tuple[str, ...] | None, directed: Sequence[str] = ()
) -> list[Layout]:
    """Keep the columns of tasks in wide tables: those that match, or else those that may hold scores.

    A column that holds no scores is kept if a pattern other than `*` asks for it or is among those of `directed`, or if
    nothing else can be compared.

    Raises
    ------
    LabelError
        A pattern matches no task.
    InputError
        No column is left; or one beside scores of instances has a usual name of labels by people.
    """
    names = list(dict.fromkeys(name for layout in layouts for name in layout.tasks))
    scored = {name for layout in layouts for name in layout.tasks if name not in layout.aside}
    kept = set(names if patterns is None else matching("task", patterns, names))
    asked = set() if patterns is None else asked_for(patterns, names)
    asked.update(name for pattern in directed if pattern != "*" for name in fnmatch.filter(names, pattern))
    asked.update(set(directed) & set(names))
    reasons = {name: reason for layout in layouts for name, reason in layout.aside.items()}
    out = {name: reasons[name] for name in names if name in kept and name not in scored and name not in asked}
    for what in (MEASURED, _SHOWN):  # all there is may be compared; an error shows what texts are
        if kept and kept <= out.keys():
            out = {name: reason for name, reason in out.items() if reason not in what}
    if not kept:
        raise InputError(f"tasks={list(patterns or ())} (--tasks) leaves out every column of scores; keep one")
    if kept <= out.keys():
        names_of = f"{shown(list(out))} hold{'s' if len(out) == 1 else ''} none by name"
        raise InputError(f"no column of scores is left: {names_of}; name columns that are tasks with tasks= (--tasks)")
    kept -= out.keys()
    people = next((name for name in names if name in kept - asked and folded(name) in USUAL["human"]), None)
    if people is not None and len(kept) > 1 and any(layout.instance for layout in layouts):
        every = [name for name in names if name in kept]
        judges = [name for name in every if name != people]
        may = f"column {people!r} may hold labels by people of scores by {'judges' if judges[1:] else 'a judge'}"
        labels = f"if so, name both, with {naming('human', people)} and {naming('score', judges[0])}"
        raise InputError(f"{may}; {labels}; if it is a task, use tasks={every} (--tasks {as_typed_list(every)})")
    tasks = [tuple(name for name in layout.tasks if name in kept) for layout in layouts]
    beside = [tuple(name for name in layout.covariates if name not in kept) for layout in layouts]
    both = zip(layouts, tasks, beside, strict=True)
    return [replace(layout, tasks=own, covariates=more, aside=out) for layout, own, more in both]
