"""Who leads where: leaders of slices, and whether a difference between slices is more than chance."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from podium.base.arrays import Bools, Ints
from podium.base.check import Rng, check_confidence, check_threads, checked_whole, seed_of, texts
from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress
from podium.base.statistics import holm
from podium.base.words import Doubt, as_typed, how_many, with_names
from podium.ranking import note
from podium.ranking.api import check_rankable
from podium.ranking.ballots import Level
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.method_spec import MethodName, MethodSpec, method_of, sums_over_units
from podium.ranking.uncertainty import ranking_of
from podium.score.family import family_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.score.units import units_among
from podium.slicing.interaction import Part, departures, shrink
from podium.slicing.result import Cut, Slices
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.source.recognise import Unused

#: Slices at most: of more, no difference could be told from chance, nor a picture be read.
MOST = 60


@keywords
def slices(
    scores: "ScoresLike",
    *,
    method: MethodName | str | MethodSpec = "borda",
    level: Level | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Slices:
    """Say who leads on each slice of the instances, and which differences between slices are more than chance.

    The columns of `slice_column` divide the instances, each by itself; without one, families of tasks are the slices.
    Of each slice: who leads and may be the best, as `podium.rank` of it says. Of each system on each slice: how far it
    departs from what it does on the other slices together, relative to the mean of the systems, see
    `podium.slicing.interaction.departures`; and its score, shrunk towards its level and that of the slice. The p-values
    of all departures, and of all systems that are ahead of the leader elsewhere, are adjusted together after Holm: with
    a probability of at least `confidence_level` no difference between slices that is none is called one.

    Parameters
    ----------
    scores
        As for `podium.rank`, with instances: a path or a frame, which is read once for each column of slices. Or a
        dictionary of tables that are read already, by what divides them.
    method, level
        "borda" or "mean", as for `podium.rank`.
    confidence_level
        Of all claims together; and of each interval.
    n_resamples, rng
        Bootstrap replicates of the rankings of slices, and their seed.
    n_jobs
        Cores to count on; the result does not depend on it.
    progress
        Called with the number of slices done and their number.

    Returns
    -------
    Slices
        One row for each system on each slice.

    Raises
    ------
    MethodError
        One slice, more than 60, or slices without instances; a method whose scores are no sums over instances; or as
        `podium.rank`.
    InputError
        An instance has another label for one system than for another; or as `podium.read`.

    References
    ----------
    Welch 1947; Holm 1979; Berger 1982 (being ahead here, and by more than elsewhere); Morris 1983 (shrinking).

    Examples
    --------
    >>> import podium
    >>> podium.slices(podium.simulate.gumbel(3, 4, 50, dispersion=1.0, rng=0).scores).sentences
    ('system 3 leads in all 4 tasks', 'no difference between slices is more than chance (p = 0.50)')
    """
    seed = seed_of(rng)
    check_confidence(confidence_level)
    checked_whole("n_resamples", n_resamples)
    check_threads(n_jobs)
    cuts, notes, spec = list[Cut](), list[str](), MethodSpec.of(method, level)
    tables = list(_tables(scores, dict(reading)))
    first, higher = tables[0][1], True
    for by, table in tables:
        check_rankable(table)
        members, spec = _members(by, table), spec.on(table)
        notes += _of_same_items(by, members)
        if not sums_over_units(spec, "instances"):
            raise MethodError(f"scores by method {spec.name!r} are no sums over instances; slice by 'borda' or 'mean'")
        note.warn(table, method_of(spec))
        if table.systems != first.systems:
            raise InputError("columns of slices are of tables with other systems; ask for one column at a time")
        cut, said, higher = _cut(
            by,
            table,
            members,
            spec,
            confidence=confidence_level,
            resamples=n_resamples,
            seed=seed,
            threads=n_jobs,
            progress=progress,
        )
        cuts.append(cut)
        notes += [*said, *notes_without(table.notes, [name for name, _ in tables])]
    return Slices(
        systems=first.systems,
        cuts=_adjusted(cuts),
        confidence=confidence_level,
        method=spec.name,
        level=spec.level,
        higher_is_better=higher,
        notes=tuple(dict.fromkeys(notes)),
        backend=first.backend,
    )


def notes_without(notes: Iterable[str], columns: Sequence[str]) -> list[str]:
    """Return notes of reading, without columns that were read for another table."""
    for column in columns:
        notes = [left for note in notes for left in (note.without(column) if isinstance(note, Unused) else [note])]
    return list(notes)


def _tables(scores: Any, reading: dict[str, Any]) -> Iterator[tuple[str, Scores]]:
    """Yield a table for each column of slices, by its name; or the table, by what its families are."""
    columns = reading.pop("slice_column", None)
    if isinstance(scores, Mapping) and scores and all(isinstance(one, Scores) for one in scores.values()):
        yield from ((str(by), as_scores(table, **reading)) for by, table in scores.items())
    elif columns is None:
        table = as_scores(scores, **reading)
        families = family_names(table.tasks)
        yield ("family" if len(set(families)) < len(families) else "task"), table
    elif isinstance(scores, Scores):
        raise InputError("these scores are read already; slices are divided as they are read: read(…, slice_column=…)")
    else:
        for column in dict.fromkeys(texts("slice column", columns)):
            yield column, as_scores(scores, slice_column=column, **reading)


def _cut(
    by: str,
    table: Scores,
    members: Mapping[str, Sequence[Task]],
    spec: MethodSpec,
    *,
    confidence: float,
    resamples: int,
    seed: int,
    threads: int | None,
    progress: Progress | None,
) -> tuple[Cut, list[str], bool]:
    """Rank each slice, and compare it with the others; p-values are not adjusted yet."""
    number = _numbers([task for own in members.values() for task in own])
    names, parts, rankings, left = list[str](), list[Part](), list[Any](), list[str]()
    for done, (name, own) in enumerate(members.items(), 1):
        alone = replace(table, tasks=tuple(own), notes=())
        if np.count_nonzero(np.any([task.scored > 0 for task in own], axis=0)) < 2:
            left.append(name)
            continue
        counted = CountedScores.for_rankings(alone, [spec], threads=threads)
        drawn = None
        if not alone.task_level:
            drawn = Bootstrap.of(alone, confidence=confidence, units="instances", replicates=resamples, seed=seed)
        parts.append(Part.of(counted, spec, number))
        rankings.append(ranking_of(counted, spec, drawn))
        names.append(name)
        if progress is not None:
            progress(done, len(members))
    if len(names) < 2 or np.count_nonzero(np.all([~np.isnan(part.score) for part in parts], axis=0)) < 2:
        raise MethodError(
            f"fewer than two of {how_many(len(table.systems), 'system')} have scores on every slice by {by!r}; "
            "leave out slices with tasks= (--tasks), or run the systems on all"
        )
    (first, found), (spread, shrunk, more) = departures(parts, confidence), shrink(parts, confidence)
    higher = rankings[0].higher_is_better
    sign = 1.0 if higher else -1.0
    few = [name for name, row in zip(names, found["p"], strict=True) if np.isnan(row).all()]
    notes = [with_names("too few instances vary to test ", few, ": their leaders are no more than that")] if few else []
    notes += [with_names("left out, as fewer than two systems have scores there: ", left)] if left else []
    cut = Cut(
        by=by,
        slices=tuple(names),
        items=np.array([sum(task.n_instances for task in members[name]) for name in names]),
        leaders=tuple(one.systems[: int(np.count_nonzero(one.rank == 1))] for one in rankings),
        may_be_best=tuple(None if one.intervals is None else one.top() for one in rankings),
        score=sign * np.array([part.score for part in parts]),
        elsewhere=tuple(table.systems[one] for one in first.tolist()),
        shrunk=sign * shrunk,
        spread=spread,
        **found,
        **more,
    )
    return cut, notes, higher


def _numbers(tasks: list[Task]) -> dict[str, Ints]:
    """Return the number of the unit of each instance, by task: one for a unit that crosses slices."""
    found, start = {}, 0
    for group in units_among(tasks):
        for index, of in zip(group.tasks, group.of, strict=True):
            found[tasks[index].name] = start + of
        start += group.number
    return found


def _members(by: str, table: Scores) -> dict[str, list[Task]]:
    """Return the tasks of each slice that have weight and a score.

    Raises
    ------
    MethodError
        There is one slice, there are more than 60, or there are no instances.
    """
    tasks = [task for task in table.tasks if task.weight > 0 and task.scored.any()]
    members: dict[str, list[Task]] = {}
    for name, task in zip(family_names(tasks), tasks, strict=True):
        members.setdefault(name, []).append(task)
    if len(members) > MOST:
        what = f"{by!r} has {len(members):,} labels, and slices are {MOST} at most"
        raise MethodError(f"{what}; group them, such as a length into short, medium and long")
    if len(members) == 1:
        what = f"there is only one slice by {by!r}, {next(iter(members))!r}, and a difference needs two"
        raise MethodError(f"{what}; name a column that divides instances with slice_column= (--slice-column)")
    if table.task_level:
        what = "every slice has one score for each system, so nothing shows what is chance"
        raise MethodError(f"{what}; give the scores of instances, with a column of instances")
    return members


def _of_same_items(by: str, members: Mapping[str, Sequence[Task]]) -> list[str]:
    """Say so if slices of a column hold the same items.

    Raises
    ------
    InputError
        An instance is in one slice for some systems and in another for others.
    """
    seen, again = dict[tuple[str, str], tuple[str, Bools]](), 0
    for name, own in members.items():
        for task in own:
            head = task.name.removesuffix(name)
            if task.instances is None or head == task.name or not (head == "" or head.endswith(":")):
                continue  # slices are no part of its name
            there = ~np.isnan(task.values)
            for place, label in enumerate(map(str, task.instances.tolist())):
                before, others = seen.setdefault((head, label), (name, there[:, place]))
                again += before != name
                if before != name and not (others & there[:, place]).any():
                    raise InputError(
                        f"instance {label!r} is in slice {before!r} for some systems and in {name!r} for others; "
                        f"give it one label in column {by!r}"
                    )
    if by in {"family", "task"} or not 0 < again == len(seen) * (len(members) - 1):
        return []
    how = f"prompt_column={by!r} (--prompt-column {as_typed(by)})"
    return [Doubt(f"all slices by {by!r} hold the same items; if they are prompts, podium rank takes {how}")]


def _adjusted(cuts: list[Cut]) -> tuple[Cut, ...]:
    """Adjust all p-values together; two systems depart from each other by one difference, which is tested once."""
    every = [p for cut in cuts for p in (cut.p[:, : 1 if cut.p.shape[1] == 2 else None], cut.ahead_p)]
    adjusted = np.split(holm(np.concatenate([p.ravel() for p in every])), np.cumsum([p.size for p in every])[:-1])
    made = []
    for cut, own, ahead in zip(cuts, adjusted[::2], adjusted[1::2], strict=True):
        p = np.broadcast_to(own.reshape(len(cut.slices), -1), cut.p.shape).copy()
        made.append(replace(cut, p=p, ahead_p=ahead.reshape(cut.p.shape)))
    return tuple(made)
