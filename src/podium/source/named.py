"""Sources with names, such as a run before and a run after a change: read apart, matched, and joined."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.words import LONG, About, few, how_many, in_each, one_a_kind, weighing_as, with_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.path import labels_of
from podium.source.table import visible

if TYPE_CHECKING:
    from podium.source.tool.run import Run, Samples

#: What is said of files without a byte.
EMPTY = "left out, since they are empty: "

#: Which of several runs of a system on a task count.
RUNS = ("newest", "all", "apart")


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The origin of the scores of a table, as tools say it, for those who keep or compare them.

    Attributes
    ----------
    tools
        Names of the tools.
    runs
        By system and task, the runs whose scores count, without their samples.
    digests
        By task, labels of instances and what tells these apart; nothing of a task if a run does not say it.
    """

    tools: tuple[str, ...]
    runs: "Mapping[tuple[str, str], Sequence[Run]]"
    digests: Mapping[str, Sequence[tuple[NDArray[Any], NDArray[Any]]]]

    @classmethod
    def of(cls, tools: Iterable[str], runs: "Mapping[tuple[str, str], Sequence[Run]]") -> "Origin":
        """Keep what is small of runs, and digests of the same instances once."""
        digests: dict[str, list[tuple[NDArray[Any], NDArray[Any]]]] = {}
        first: dict[str, Samples] = {}
        unknown = set()
        for (_, task), own in runs.items():
            for samples in (run.samples for run in own):
                if samples is None or samples.digests is None:
                    unknown.add(task)
                elif task not in first or not samples.same_questions(first[task]):
                    first.setdefault(task, samples)
                    digests.setdefault(task, []).append((samples.instances, samples.digests))
        small = {cell: [replace(run, metric=run.scored_by, samples=None) for run in own] for cell, own in runs.items()}
        known = {task: own for task, own in digests.items() if task not in unknown}
        return cls(tuple(dict.fromkeys(tools)), small, known)

    @property
    def made(self) -> str:
        """Return when the newest run was made, as its tool says it; empty if none does."""
        return max((run.made for own in self.runs.values() for run in own), default="")

    @property
    def unfinished(self) -> list[str]:
        """Return files of runs that were cut off, or have not ended."""
        return sorted({run.where for own in self.runs.values() for run in own if not run.ended})

    def of_system(self, system: str) -> "Origin":
        """Keep the runs of one system."""
        return replace(self, runs={cell: own for cell, own in self.runs.items() if cell[0] == system})

    def metric(self, task: str) -> str:
        """Return by what a task is scored; empty if no tool says."""
        return next((own[0].metric for (_, name), own in self.runs.items() if name == task), "")

    def settings(self, task: str) -> Mapping[str, str]:
        """Return how the questions of a task were asked: the number of examples, the version."""
        return next((own[0].task_settings for (_, name), own in self.runs.items() if name == task), {})

    def texts(self, task: str) -> dict[str, str]:
        """Return what tells the questions of a task apart, by label, if logs say it and no two are alike."""
        found: dict[str, str] = {}
        for instances, digests in self.digests.get(task, ()):
            found |= zip(map(str, instances.tolist()), map(str, digests.tolist()), strict=True)
        return found if len(set(found.values())) == len(found) else {}


#: What is said of scores that no tool wrote.
NO_ORIGIN = Origin((), {}, {})


@dataclass(frozen=True, slots=True)
class Source:
    """A table that has a name."""

    name: str
    scores: Scores

    @property
    def origin(self) -> Origin:
        """Return the origin of its runs."""
        return self.scores.origin or NO_ORIGIN

    def task(self, name: str) -> Task:
        """Return one of its tasks."""
        return self.scores.tasks[self.scores.task_names.index(name)]


def read_sources(sources: Mapping[str, Any], read: Callable[[Any, str], Scores]) -> list[Source]:
    """Read each source by itself.

    Parameters
    ----------
    sources
        By name.
    read
        From a source and its name to its scores.

    Raises
    ------
    InputError
        A source cannot be read; the message names it.
    """
    found = []
    for name, given in sources.items():
        try:
            scores = read(given, str(name))
        except InputError as error:
            raise type(error)(f"{name}: {error}") from error
        # as the table of all spells them
        tasks = tuple(replace(task, name=visible(task.name).strip()) for task in scores.tasks)
        found.append(Source(str(name), replace(scores, tasks=tasks)))
    return found


def joined_by_path(sources: Sequence[str], read: Callable[[str, str], Scores]) -> Scores | None:
    """Join sources that hold one system of the same name each, and share a task, under the parts of their paths.

    None if they are parts of one table.

    Parameters
    ----------
    sources, read
        Paths, and from a path and a name to its scores.
    """
    if len(sources) < 2 or "-" in sources:
        return None
    try:
        found = read_sources(dict(zip(labels_of(sources), sources, strict=True)), read)
    except InputError:
        return None
    alone = all(len(one.scores.systems) == 1 for one in found)
    systems = {system for one in found for system in one.scores.systems} - {one.name for one in found}
    tasks = set.intersection(*(set(one.scores.task_names) for one in found))
    return joined(found) if alone and len(systems) <= 1 and tasks else None


def joined(sources: Sequence[Source], *, strict: bool = False, by_position: bool = True) -> Scores:
    """Join tables of several sources, whose systems then differ by the name of the source.

    A source with one system is that system; of several, each is called "NAME: system". Instances are the same if a log
    holds their texts and these are equal, else if their labels are; if no label of a task occurs in both and there are
    as many, by the order of their labels (instance 10 follows instance 9), with a note; if `strict`, that is an error.

    Parameters
    ----------
    sources
        Two or more.
    strict
        Whether it is an error that questions, metrics or numbers of examples differ between sources.
    by_position
        Whether instances may be matched by the order of their labels if none is the same.

    Raises
    ------
    InputError
        There are fewer than two; two have one name; they have no task in common; a task has another metric or
        direction in one of them; one has instances where another has a single score; or something changed and `strict`.

    Examples
    --------
    >>> import podium
    >>> old, new = ({"model": {"rte": score}} for score in (0.7, 0.8))
    >>> joined(read_sources({"before": old, "after": new}, lambda given, _: podium.from_dict(given))).systems
    ('before', 'after')
    """
    names = [source.name for source in sources]
    if twice := [name for name, number in Counter(names).items() if number > 1]:
        raise InputError(f"two sources are called {twice[0]!r}; give each a name of its own, as in before=runs/old")
    if len(sources) < 2:
        raise InputError("there is only one source; name two or more, as in before=runs/old after=runs/new")
    if len({bool(source.scores.prompts) for source in sources}) > 1:
        raise InputError("some sources have prompts, and some have none; name a column of prompts in all, or in none")
    first, *others = sources
    common = [name for name in first.scores.task_names if all(name in one.scores.task_names for one in others)]
    if not common:
        listed = "; ".join(f"{one.name} has {few(list(one.scores.task_names), 3)}" for one in sources)
        raise InputError(f"the sources have no task in common: {listed}")
    for task in common:
        _check_alike(task, sources)
    changes: list[str] = []
    labels: list[dict[str, dict[str, str]]] = [{} for _ in sources]
    for place, source in enumerate(others, start=1):
        for task in common:
            labels[place][task] = _labels_in_first(task, first, source, changes, by_position=by_position)
        changes += _settings_changed(common, first, source)
    if changes and strict:
        raise InputError(f"{'; '.join(one_a_kind(changes))}; leave out strict= (--strict) to compare what is the same")
    return _joined_rows(sources, labels, [*one_a_kind(changes), *_notes_of_sources(sources, common)])


def _check_alike(task: str, sources: Sequence[Source]) -> None:
    """Refuse a task that is not measured in the same way everywhere."""
    first, *others = sources
    own = first.task(task)
    for source in others:
        other = source.task(task)
        metrics = first.origin.metric(task), source.origin.metric(task)
        if all(metrics) and metrics[0] != metrics[1]:
            told = f"task {task!r} is scored by {metrics[0]} in {first.name} and by {metrics[1]} in {source.name}"
            raise InputError(f"{told}; name one that both have, with metric= (--metric)")
        if own.higher_is_better != other.higher_is_better:
            wrong = f"task {task!r}: higher is better in one of {first.name} and {source.name}, and lower in the other"
            raise InputError(f"{wrong}; say which, with higher= or lower= (--higher, --lower)")
        if (own.n_instances == 1) != (other.n_instances == 1):
            short = first if own.n_instances == 1 else source
            long = source if short is first else first
            what = f"task {task!r}: {short.name} has one score, and {long.name} has scores of instances"
            empty = next((note for note in short.scores.notes if note.startswith(EMPTY)), "")
            cure = f"log samples in both runs, or name only the files of means of {long.name}, too"
            raise InputError(f"{what}; {empty or cure}")


def item_labels(task: Task) -> list[str]:
    """Return the labels of the instances of a task as texts; their places if there are none."""
    return list(map(str, range(task.n_instances) if task.instances is None else task.instances.tolist()))


def _natural_order(label: str) -> list[int | str]:
    """Return the key by which instance 10 follows instance 9."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", label)]


def _labels_in_first(
    task: str, first: Source, source: Source, changes: list[str], *, by_position: bool
) -> dict[str, str]:
    """Return labels that the instances of a source have in the first one, where these are others."""
    known, own = item_labels(first.task(task)), item_labels(source.task(task))
    texts = first.origin.texts(task), source.origin.texts(task)
    if all(texts) and set(texts[0]) >= set(known) and set(texts[1]) >= set(own):
        if all(texts[0].get(label, texts[1][label]) == texts[1][label] for label in own):
            return {}
        by_text = {text: label for label, text in texts[0].items()}
        found = {label: by_text.get(texts[1][label], f"{label} ({source.name})") for label in own}
        if gone := sum(texts[1][label] not in by_text for label in own):
            changes.append(About(f"questions of {source.name} that are not in {first.name}", f"{task} ({gone:,})"))
        return {label: one for label, one in found.items() if label != one}
    if set(known).isdisjoint(own):
        if len(known) != len(own) or not by_position:
            what = f"{how_many(len(known), 'instance')} in {first.name} and {len(own):,} in {source.name}"
            raise InputError(f"task {task!r}: {what} have no label in common; name the same instances alike")
        changes.append(About("matched by the order of their labels, as no label is in both sources", task))
        return dict(zip(sorted(own, key=_natural_order), sorted(known, key=_natural_order), strict=True))
    return {}


def _settings_changed(tasks: Iterable[str], first: Source, source: Source) -> Iterator[str]:
    """Say which tasks were asked in another way."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        before, after = first.origin.settings(task), source.origin.settings(task)
        for name in before.keys() & after.keys():
            if before[name] != after[name]:
                what = f"{name} is {before[name]} in {first.name} and {after[name]} in {source.name} on "
                found.setdefault(what, []).append(task)
    for what, names in sorted(found.items()):
        yield with_names(what, names, room=LONG)


def _notes_of_sources(sources: Sequence[Source], common: Sequence[str]) -> Iterator[str]:
    """Say what only some sources have, and what was said of each."""
    for source in sources:
        if alone := [name for name in source.scores.task_names if name not in common]:
            yield with_names(f"not in every source, but in {source.name}: ", alone, room=LONG)
    said = Counter(chain.from_iterable(dict.fromkeys(source.scores.notes) for source in sources))
    for source in sources:
        for note in source.scores.notes:
            if said[note] == len(sources):
                yield in_each("source", note)
                said[note] = 0
            elif said[note]:
                yield weighing_as(note, f"{source.name}: {note}")


def _joined_rows(
    sources: Sequence[Source], labels: Sequence[Mapping[str, Mapping[str, str]]], notes: list[str]
) -> Scores:
    """Return one table of all, by way of their rows as `podium.convert` writes them."""
    import pyarrow as pa  # noqa: PLC0415  # only where sources are joined

    from podium.source.canonical import LongTable  # noqa: PLC0415  # the same
    from podium.source.collect import collect  # noqa: PLC0415  # the same
    from podium.source.columnar import ArrowTable  # noqa: PLC0415  # the same
    from podium.source.recognise import ReadSpec  # noqa: PLC0415  # the same

    tables = [pa.concat_tables(LongTable(source.scores, "feather").pieces()) for source in sources]
    if any("repeat" in table.column_names for table in tables):  # a single run of an instance is one repeat
        first = pa.scalar(1, pa.int64())
        tables = [
            table if "repeat" in table.column_names else table.append_column("repeat", pa.repeat(first, len(table)))
            for table in tables
        ]
    kinds = {table.schema.field("instance").type for table in tables if "instance" in table.column_names}
    renamed = []
    runs: dict[tuple[str, str], Sequence[Run]] = {}
    for source, table, of in zip(sources, tables, labels, strict=True):
        systems = table["system"].combine_chunks().dictionary_encode()
        alone = len(source.scores.systems) == 1
        called = [source.name if alone else f"{source.name}: {system}" for system in systems.dictionary.to_pylist()]
        names = dict(zip(systems.dictionary.to_pylist(), called, strict=True))
        runs |= {(names[system], task): own for (system, task), own in source.origin.runs.items() if system in names}
        words = pa.DictionaryArray.from_arrays(systems.indices, pa.array(called, pa.string()))
        rows = table.set_column(table.schema.get_field_index("system"), "system", words)
        if "instance" in rows.column_names and (len(kinds) > 1 or any(one for own in labels for one in own.values())):
            here = zip(rows["task"].to_pylist(), map(str, rows["instance"].to_pylist()), strict=True)
            texts = [of[task].get(label, label) if task in of else label for task, label in here]
            rows = rows.set_column(rows.schema.get_field_index("instance"), "instance", pa.array(texts, pa.string()))
        renamed.append(ArrowTable(source.name, rows))
        if source.scores.prompts:
            renamed[-1] = ArrowTable(source.name, _with_prompts(source.scores, rows))
    weights = {task.name: task.weight for source in sources for task in source.scores.tasks}
    weights = {name: weight for name, weight in weights.items() if weight != 1}
    spec = ReadSpec.of(columns={"prompt_column": "prompt"} if sources[0].scores.prompts else None)
    scores = collect(renamed, spec).with_task_weights(weights)
    scored_by = {source.scores.metric for source in sources}
    return replace(
        scores,
        notes=tuple(notes),
        tie_tolerance=max(source.scores.tie_tolerance for source in sources),
        backend=sources[0].scores.backend,
        origin=Origin(tuple(dict.fromkeys(chain(*(one.origin.tools for one in sources)))), runs, {}) if runs else None,
        metric=scored_by.pop() if len(scored_by) == 1 else "",
        human=sources[0].scores.human,
    )


def _with_prompts(scores: Scores, rows: Any) -> Any:
    """Return rows of a long table with the labels of prompts in place of the numbers of repeats."""
    import pyarrow as pa  # noqa: PLC0415  # only where sources are joined

    labels = {task.name: ("", *(() if task.repeats is None else task.repeats.labels)) for task in scores.tasks}
    where = zip(rows["task"].to_pylist(), rows["repeat"].to_pylist(), strict=True)
    column = pa.array([labels[task][number] for task, number in where], pa.string())
    return rows.drop_columns(["repeat"]).append_column("prompt", column)
