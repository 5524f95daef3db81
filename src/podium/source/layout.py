"""Long or wide table, and the role of each column, from the names and kinds of the columns alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from podium.base.errors import InputError
from podium.base.pattern import matching, texts
from podium.score.repeat import Statistic
from podium.source.role import USUAL, either, existing, find_roles, folded, lacks, named, refuse_shared, shown, usual
from podium.source.table import SourceColumn

#: Names that mean instances in a wide table too; "id" or "sample" could be a task there.
_WIDE_INSTANCE = ("instance", "instance_id", "example_id", "sample_id", "question_id", "qid")

#: Names of columns that may hold instance weights; used only if the caller says so, because they change the result.
_WEIGHT = ("weight", "instance_weight", "sample_weight", "weights")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller says about the table.

    Attributes
    ----------
    layout
        "long", "wide", or None to recognise it.
    columns
        Column name by role, for roles that the caller named.
    tasks
        Patterns of tasks to keep, or None for all.
    statistic
        What the score of an instance is of its repeats, or None for the mean.
    """

    layout: str | None
    columns: Mapping[str, str]
    tasks: tuple[str, ...] | None = None
    statistic: Statistic | None = None

    @classmethod
    def of(
        cls,
        layout: str | None,
        tasks: str | Iterable[str] | None,
        statistic: str | None = None,
        **columns: str | None,
    ) -> "Wishes":
        """Check the words and keep the columns that the caller named."""
        if layout not in {None, "long", "wide"}:
            raise InputError(f"there is no layout {layout!r}; use 'long' or 'wide'")
        patterns = None if tasks is None else tuple(texts("task", tasks))
        named_columns = {role: name for role, name in columns.items() if name is not None}
        return cls(layout, named_columns, patterns, None if statistic is None else Statistic(statistic))


@dataclass(frozen=True, slots=True)
class Layout:
    """The role of each column that is read.

    Attributes
    ----------
    system
        Column of system labels.
    task, instance, metric, score, weight, cluster, repeat
        Columns of a long table, or None; a wide table has only `instance`, `cluster` and `repeat`.
    tasks
        Columns of a wide table with scores, one per task; empty for a long table.
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
    tasks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def long(self) -> bool:
        """Whether there is one row per score."""
        return self.score is not None

    @property
    def numbers(self) -> tuple[str, ...]:
        """Columns that must hold numbers."""
        return self.tasks or tuple(name for name in (self.score, self.weight) if name is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns of system, task, metric, cluster and repeat labels."""
        known = (self.system, self.task, self.metric, self.cluster, self.repeat)
        return tuple(name for name in known if name is not None)

    @property
    def used(self) -> tuple[str | None, ...]:
        """All columns that are read; None for no column of instances."""
        return (*self.labels, *self.numbers, self.instance)


def recognise(where: str, columns: Sequence[SourceColumn], wishes: Wishes) -> Layout:
    """Find the layout of a table.

    A table is long if it has a column of scores, a column of systems, and a column of tasks, instances or metrics.
    Otherwise it is wide: one row per system (and instance) and one column per task.

    Parameters
    ----------
    where
        What errors call the table.
    columns
        Names and kinds of the columns, in order.
    wishes
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
    >>> recognise("scores.csv", table, Wishes.of(None, None)).tasks
    ('rte', 'sst2')
    """
    names = [column.name for column in columns]
    roles = find_roles(names, usual("system", *_BELOW_SYSTEM, "score", "cluster", "repeat"), wishes.columns)
    long = wishes.layout == "long" or (
        wishes.layout is None and {"system", "score"} <= roles.keys() and not roles.keys().isdisjoint(_BELOW_SYSTEM)
    )
    if not long and wishes.layout is None and wishes.columns.keys() & {"task", "metric", "weight", "score"}:
        long = True  # only a long table has such columns; the error says what is missing
    return _long(where, columns, roles, wishes) if long else _wide(where, columns, wishes)


_BELOW_SYSTEM = ("task", "instance", "metric")


def _long(where: str, columns: Sequence[SourceColumn], roles: Mapping[str, str], wishes: Wishes) -> Layout:
    names = [column.name for column in columns]
    for role in ("system", "score"):
        if role not in roles:
            what = f"a long table needs a column of {role}s, but no column is called {either(USUAL[role])}"
            raise lacks(where, f"{what}; name it with {role}= (--{role})", names)
    refuse_shared(where, roles)
    roles = _with_clusters(where, roles, wishes, names)
    unused = [name for name in names if name not in roles.values()]
    notes = [f"{shown(unused)} not used"] if unused else []
    if "weight" not in roles and (weights := named(_WEIGHT, unused)) is not None:
        notes[0] += f"; if {weights!r} holds instance weights, use weight={weights!r} (--weight {quote(weights)})"
    task, instance, metric, score, weight = map(roles.get, ("task", "instance", "metric", "score", "weight"))
    cluster, repeat = roles.get("cluster"), roles.get("repeat")
    return Layout(roles["system"], task, instance, metric, score, weight, cluster, repeat, notes=tuple(notes))


def _with_clusters(where: str, roles: Mapping[str, str], wishes: Wishes, names: Sequence[str]) -> dict[str, str]:
    """The roles, with clusters only where there are instances to be in them."""
    if "cluster" not in roles or "instance" in roles:
        return dict(roles)
    if "cluster" not in wishes.columns:
        return {role: name for role, name in roles.items() if role != "cluster"}
    what = f"clusters in column {roles['cluster']!r} are of instances, but no column holds instances"
    raise lacks(where, f"{what}; name it with instance= (--instance)", names)


def _wide(where: str, columns: Sequence[SourceColumn], wishes: Wishes) -> Layout:
    nameless = [column for column in columns if _says_nothing(column) and column.name not in wishes.columns.values()]
    others = [column for column in columns if column not in nameless]
    roles = _wide_roles(where, others, wishes)
    tasks = [column for column in others if column.name not in roles.values()]
    if not tasks:
        raise InputError(
            f"{where}: {roles['system']!r} is the only column; a wide table needs one row per system and at least one "
            "column of scores"
        )
    notes = [
        f"column {column.name!r} {'is empty' if column.kind == 'empty' else 'holds row numbers'} and was ignored"
        for column in nameless
    ]
    notes += [
        f"column {column.name!r} counts as a task; if it is not a task, use tasks= (--tasks '!{column.name}')"
        for column in tasks
        if column.kind == "integer" and folded(column.name) in _NUMBERING
    ]
    return Layout(**roles, tasks=tuple(column.name for column in tasks), notes=tuple(notes))


def _wide_roles(where: str, columns: Sequence[SourceColumn], wishes: Wishes) -> dict[str, str]:
    """Find the columns of systems, instances, repeats and clusters of a wide table; the others are its tasks."""
    names = [column.name for column in columns]
    told = {role: existing(name, names) for role, name in wishes.columns.items()}
    if idle := [role for role in told if role not in {"system", "instance", "cluster", "repeat"}]:
        raise InputError(f"{where}: a wide table has no column of {idle[0]}s; leave out {idle[0]}= (--{idle[0]})")
    system = told.get("system") or _system_column(where, columns)
    instance = told.get("instance") or named(_WIDE_INSTANCE, names, {system})
    roles = {"system": system} | ({} if instance is None else {"instance": instance})
    if repeat := told.get("repeat") or named(USUAL["repeat"], names, {system, instance}):
        roles["repeat"] = repeat
    if cluster := told.get("cluster") or named(USUAL["cluster"], names, {system, instance}):
        roles = _with_clusters(where, {**roles, "cluster": cluster}, wishes, names)
    refuse_shared(where, roles)
    return roles


#: Names of columns that usually number rows and do not hold scores.
_NUMBERING = {"id", "index", "rank", "no", "#", "position"}


def _says_nothing(column: SourceColumn) -> bool:
    """Whether a column is the index that pandas writes, or the result of a comma at the end of a row."""
    unnamed = column.name.strip() in {"", "__index_level_0__"} or column.name.startswith("Unnamed: ")
    return unnamed and column.kind in {"integer", "empty"}


def _system_column(where: str, columns: Sequence[SourceColumn]) -> str:
    names = [column.name for column in columns]
    found = named(USUAL["system"], names)
    texts = [column.name for column in columns if column.kind == "text"]
    others = {*USUAL["task"], *USUAL["metric"]}
    if found is None:
        found = next((name for name in texts if folded(name) not in others), None)
    if found is None and texts:
        raise InputError(
            f"{where}: column {texts[0]!r} seems to name tasks, and no column names the systems; a wide table has one "
            "row per system: transpose the table, or use system= (--system) if the rows are systems"
        )
    if found is None:
        what = "no column names the systems; add a column 'system', or name the column with system= (--system)"
        raise lacks(where, what, names)
    return found


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
            raise InputError(
                f"{first} is a {_shape(model)} table and {name} is a {_shape(layout)} table; read them one by one, or "
                "use layout= (--layout)"
            )
        for role in ("task", "instance", "metric", "weight", "cluster", "repeat"):
            if (getattr(layout, role) is None) != (getattr(model, role) is None):
                has, other = (first, name) if getattr(layout, role) is None else (name, first)
                raise InputError(f"{has} has a column of {role}s but {other} has none; name it with {role}= (--{role})")


def _shape(layout: Layout) -> str:
    return "long" if layout.long else "wide"


def without_other_tasks(layouts: Sequence[Layout], patterns: tuple[str, ...]) -> list[Layout]:
    """Keep the columns of the tasks that match, in wide tables.

    Raises
    ------
    LabelError
        A pattern matches no task.
    """
    names = list(dict.fromkeys(name for layout in layouts for name in layout.tasks))
    kept = set(matching("task", patterns, names))
    return [replace(layout, tasks=tuple(name for name in layout.tasks if name in kept)) for layout in layouts]
