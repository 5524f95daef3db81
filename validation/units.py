"""Tables that are not as independent as they look: systems are equal, and what the table shows twice counts twice."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import hidden
import numpy as np
from nulls import TABLES, released
from numpy.typing import NDArray
from section import Row, Section
from trials import Trial, Verdict

import podium
from podium.score.table import Scores
from podium.tally.draw import UnitKind

__all__ = ["rows", "sections"]

Floats = NDArray[np.float64]

Rng = np.random.Generator

#: Draws a table.
Draw = Callable[[Rng], Scores]


@dataclass(frozen=True)
class Stated:
    """A table is ranked, and what is said of its systems is compared with what is true.

    Attributes
    ----------
    draw
        Draws the table.
    method, units, replicates
        How it is ranked.
    centres
        How good the systems are; None where all are equal.
    """

    draw: Draw
    method: str = "borda"
    units: UnitKind | None = None
    centres: tuple[float, ...] | None = None
    replicates: int = 1000

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, rank, and look for statements that are wrong."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            scores = self.draw(rng)
            seed = int(rng.integers(2**32))
            ranking = podium.rank(
                scores, self.method, units=self.units, n_resamples=self.replicates, rng=seed, n_jobs=1
            )
        found = ranking.intervals
        if found is None:
            return Verdict(stated=0.0)
        centre = np.zeros(len(scores.systems)) if self.centres is None else np.array(self.centres)
        centre = centre[[scores.systems.index(system) for system in ranking.systems]]
        ranked = found.tier > 0
        ahead = centre[:, None] > centre
        wrong = found.separated & ~ahead
        if self.centres is None:
            wrong |= (found.tier[:, None] < found.tier) & ranked[:, None] & ranked
        first = 1 + (ahead & ranked[:, None])[:, ranked].sum(axis=0)
        last = ranked.sum() - (ahead & ranked)[ranked].sum(axis=1)
        held = (found.rank_low[ranked] <= first) & (last <= found.rank_high[ranked])
        best = np.isin(ranking.systems, ranking.top())[centre == centre.max()]
        return Verdict(
            mistaken=float(wrong.any()),
            own=float(held.mean()),
            best=float(best.mean()),
            apart=float(found.separated[ahead].mean()) if ahead.any() else np.nan,
            stated=1.0,
        )


@dataclass(frozen=True)
class Met:
    """All pairs of equal systems are compared by Hoeffding intervals.

    Attributes
    ----------
    draw
        Draws the table.
    """

    draw: Draw

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, compare, and look whether the intervals hold ½."""
        scores = self.draw(rng)
        upper = np.triu_indices(len(scores.systems), 1)
        found = [podium.pairwise(scores, simultaneous=simultaneous, n_jobs=1) for simultaneous in (False, True)]
        single, together = (((one.low <= 0.5) & (one.high >= 0.5))[upper] for one in found)
        return Verdict(pair=float(single.mean()), pairs=float(together.all()))


@dataclass(frozen=True)
class Compared:
    """Neighbours among equal systems are compared, the first with the second, the third with the fourth.

    Attributes
    ----------
    draw
        Draws the table.
    """

    draw: Draw

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, pool over tasks, and look whether the intervals hold 0."""
        scores = self.draw(rng)
        held = []
        for control, treatment in zip(scores.systems[::2], scores.systems[1::2], strict=False):
            analysis = podium.compare(scores, control=control, treatment=treatment, n_jobs=1)
            assert isinstance(analysis, podium.MetaAnalysis)  # noqa: S101  # there are instances
            held.append(analysis.summary.low <= 0 <= analysis.summary.high)
        return Verdict(summary=float(np.mean(held)))


def related(rng: Rng, shape: tuple[int, ...], alike: float) -> Floats:
    """Normal scores that correlate by `alike` along the first axis."""
    mixed: Floats = np.sqrt(alike) * rng.normal(size=shape[1:]) + np.sqrt(1 - alike) * rng.normal(size=shape)
    return mixed


def metrics(rng: Rng, *, labels: str) -> Scores:
    """Six metrics of the same 100 documents, eight systems; each metric lacks some documents.

    "texts": one or two at random, and labels are texts; "numbers": the same, and labels are the numbers of documents;
    "ends": the last one or two, so that labels are counters; "prefix": every second metric is of the first 60;
    "chain": each lacks all but 50, half of which are those of the next metric. Or they lack none, and labels are texts,
    "named"; counters, "complete"; counters, every second one from 1, "shifted"; texts, every second one with zeros in
    front, "padded"; or texts that name the metric, too, "suffixed".
    """
    values, tables, names = related(rng, (6, 8, 100), 0.9), {}, {}
    for number, scores in enumerate(values):
        kept = np.arange(100)
        if labels in {"texts", "numbers"}:
            kept = np.sort(rng.permutation(100)[rng.integers(1, 3) :])
        elif labels == "ends":
            kept = kept[: -rng.integers(1, 3)]
        elif labels == "prefix" and number % 2:
            kept = kept[:60]
        elif labels == "chain":
            kept = np.sort((25 * number + np.arange(50)) % 100)
        metric = f"metric {number}"
        tables[metric] = scores[:, kept]
        names[metric] = [_label(labels, int(k), number) for k in kept]
    return podium.from_arrays(tables, instances=names)


def _label(labels: str, document: int, metric: int) -> str | int:
    odd = metric % 2
    if labels in {"texts", "chain", "named"}:
        return f"document {document}"
    if labels == "padded":
        return f"document {document:03}" if odd else f"document {document}"
    if labels == "suffixed":
        return f"document {document} / metric {metric}"
    return document + odd if labels == "shifted" else document


def lone(rng: Rng, *, alone: int, clustered: bool = False, named: bool = False) -> Scores:
    """Five tasks of 100 instances, and beside them tasks of one, or of 100 that are all of one cluster.

    `named`: the one instance is called the same in all of these tasks.
    """
    tables = {f"task {number}": rng.normal(size=(8, 100)) for number in range(5)}
    for number in range(alone):
        own = rng.normal(size=(8, 1))
        tables[f"lone {number}"] = own + rng.normal(size=(8, 100)) if clustered else own
    passages = {name: ["all of them"] * 100 for name in tables if name.startswith("lone")} if clustered else None
    labels = {name: ["all"] for name in tables if name.startswith("lone")} if named else None
    return podium.from_arrays(tables, instances=labels, clusters=passages)


def with_samples(rng: Rng) -> Scores:
    """65 tasks with a number for each of nine models, and three more tasks with 50 samples of one of these models."""
    tables = {f"task {number}": rng.normal(size=(9, 1)) for number in range(65)}
    for number in range(3):
        tables[f"sampled {number}"] = np.where(np.arange(9)[:, None] == 0, rng.normal(size=(9, 50)), np.nan)
    return podium.from_arrays(tables)


#: How columns of one data set are named, and what they are.
_COLUMNS = {
    "metrics": ("{} ({})", ("accuracy", "f1", "mcc")),
    "languages": ("{}/{}", ("de", "en", "es", "fr", "ja", "ru", "tr", "zh")),
    "underscores": ("{}_{}", ("em", "f1")),
    "years": ("{} {}", ("2012", "2013", "2014", "2015", "2016")),
    "splits": ("{}::{}", ("validation", "test")),
    "errors": ("{} ({})", ("accuracy", "error")),
}


def columns(rng: Rng, *, kind: str, sets: int, alike: float = 0.9) -> Scores:
    """One score a task: columns of the same data set belong together; "errors" are 1 less the other column."""
    form, names = _COLUMNS[kind]
    values = np.stack([related(rng, (len(names), 8), alike) for _ in range(sets)])
    if kind == "errors":
        values[:, 1] = 1 - values[:, 0]
    tasks = [form.format(f"data{number}", name) for number in range(sets) for name in names]
    table = podium.from_arrays(values.reshape(-1, 8).T, tasks=tasks)
    return table.with_directions(lower=[task for task in tasks if "error" in task])


def shuffled_families(rng: Rng, *, table: str) -> Scores:
    """A released table of tasks; the names of its systems are shuffled, once for each family of columns."""
    scores = parts_of_mteb() if table == MTEB else released(table)
    names: dict[str, NDArray[np.int64]] = {}
    tasks = []
    for task in scores.tasks:
        family = task.name.split("/")[0] if table == MTEB else re.sub("-(a|b|m|mm)$", "", task.name)
        order = names.setdefault(family, rng.permutation(len(scores.systems)))
        tasks.append(task.with_values(task.values[order]))
    return replace(scores, tasks=tuple(tasks))


MTEB = "MTEB"


@cache
def parts_of_mteb() -> Scores:
    """Splits and languages of every eighth data set of MTEB, of the 30 systems with most scores, without holes."""
    import pandas as pd  # noqa: PLC0415  # only where the table is there

    long = pd.read_parquet(hidden.MTEB).dropna(subset="score")
    cells = long.pivot_table("score", ["task", "split", "subset"], "system", aggfunc="first")
    cells = cells[cells.notna().sum().sort_values(ascending=False, kind="stable").index[:30]].dropna()
    chosen = cells.index.get_level_values("task").unique()[::8]
    cells = cells.loc[cells.index.get_level_values("task").isin(chosen)]
    cells = cells.groupby(level="task").head(30)
    return podium.from_arrays(cells.to_numpy().T, tasks=["/".join(each) for each in cells.index])


def weighted(rng: Rng, *, heavy: str, of: str = "instances") -> Scores:
    """100 instances, or 30 tasks, with weights: "pareto", "one" of which is 200, or "none" for all but eight."""
    number = 100 if of == "instances" else 30
    weights = np.ones(number)
    if heavy == "pareto":
        weights = 1 / (1 - rng.random(number))
    elif heavy == "one":
        weights[0] = 200
    else:
        weights[8:] = 0
    values = rng.normal(size=(8, number))
    if of == "instances":
        return podium.from_arrays({"task": values}).with_instance_weights({"task": weights})
    scores = podium.from_arrays(values)
    return scores.with_task_weights(dict(zip(scores.task_names, map(float, weights), strict=True)))


def tasks_of(rng: Rng, *, sizes: tuple[int, ...], scale: float = 1.0, noise: str = "normal") -> Scores:
    """Tasks of these sizes; the last is on a scale so many times as large."""
    tables = {f"task {number}": _noise(rng, noise, (8, size)) for number, size in enumerate(sizes)}
    tables[f"task {len(sizes) - 1}"] *= scale
    return podium.from_arrays(tables)


def _noise(rng: Rng, noise: str, size: tuple[int, int]) -> Floats:
    """Scores that are "normal"; "t2" or "pareto", with long tails; "right", 99.5% of them; or nearly all "tied"."""
    if noise == "t2":
        return rng.standard_t(2, size)
    if noise == "pareto":
        return rng.pareto(1.1, size)
    if noise == "right":
        return (rng.random(size) < 0.995).astype(np.float64)
    if noise == "tied":  # one instance in twenty is told apart
        return rng.normal(size=size) * (rng.random(size[1]) < 0.05)
    return rng.normal(size=size)


def run_once(rng: Rng, *, tasks: int, right: bool = False) -> Scores:
    """Tasks of 30 instances that are run five times, the first of them once; systems are equal on every instance."""
    tables = {}
    for number in range(tasks):
        size = (6, 30, 5 if number else 1)
        chances = rng.beta(1, 1, (30, 1))
        tables[f"task {number}"] = (rng.random(size) < chances).astype(np.float64) if right else rng.normal(size=size)
    return podium.from_arrays(tables)


def unrun(rng: Rng, *, spread: float) -> Scores:
    """Ten systems that differ from task to task and are equal over 20 tasks of 30 items; one is run on 8 tasks.

    On every second task systems differ by the opposite of what they differ by on the task before, so that they are
    equal by means and by ranks.
    """
    half = spread * rng.normal(size=(10, 10))
    effect = np.concatenate([half, -half])
    values = effect[..., None] + rng.normal(size=(20, 10, 30))
    values[rng.permutation(20)[8:], 0] = np.nan
    return podium.from_arrays({f"task {number}": scores for number, scores in enumerate(values)})


#: Ten systems, the best first.
_ORDERED = tuple(-0.2 * np.arange(10))


def thinned(rng: Rng, *, who: slice, share: float) -> Scores:
    """Ten systems that are steps apart, on 5 tasks of 60; some of them lack this share of their scores, at random."""
    values = np.array(_ORDERED)[:, None] + rng.normal(size=(5, 10, 60))
    lacks = rng.random((5, 10, 60)) < share
    values[:, who][lacks[:, who]] = np.nan
    return podium.from_arrays({f"task {number}": scores for number, scores in enumerate(values)})


def circle(rng: Rng, *, battles: int = 500) -> Scores:
    """Five systems, each of which wins 80% against the next two and 20% against the others; two of them fight most."""
    first = rng.integers(5, size=battles)
    second = (first + rng.integers(1, 5, size=battles)) % 5
    often = rng.random(battles) < 0.3
    first[often], second[often] = 0, 1
    wins = rng.random(battles) < np.where((second - first) % 5 <= 2, 0.8, 0.2)
    values, battle = np.full((5, battles), np.nan), np.arange(battles)
    values[first, battle], values[second, battle] = wins, ~wins
    return podium.from_arrays({"battles": values})


def failures(rng: Rng, *, loss: float, together: bool = False, seen: bool = False) -> Scores:
    """Ten systems on 100 instances; five fail on 2%, by so many standard deviations, and make up for it elsewhere.

    `together`: on the same instances; `seen`: each of the five fails at least once, as no table shows what never fails.
    """
    fails = np.zeros((1 if together else 5, 100), dtype=np.bool_)
    for system in fails:
        system[:] = rng.random(100) < 0.02
        while seen and not system.any():
            system[:] = rng.random(100) < 0.02
    values = rng.normal(size=(10, 100))
    values[:5] += loss * (0.02 - fails)
    return podium.from_arrays({"task": values})


def copies(rng: Rng, *, distinct: int, times: int, noise: float = 0.0) -> Scores:
    """Instances that are in the table several times, under other labels, as they are or a little changed."""
    values = np.repeat(rng.normal(size=(8, distinct)), times, axis=1)
    return podium.from_arrays({"task": values + noise * rng.normal(size=values.shape)})


def near_copies(rng: Rng, *, names: tuple[str, ...], others: int) -> Scores:
    """One score a task: some tasks are nearly copies of one, beside others."""
    values = np.concatenate([related(rng, (len(names), 8), 0.95), rng.normal(size=(others, 8))])
    return podium.from_arrays(values.T, tasks=[*names, *(f"other {number}" for number in range(others))])


def with_average(rng: Rng, *, tasks: int) -> Scores:
    """One score a task, and columns that are averages of them, as leaderboards have: of all, and of either half."""
    values = rng.normal(size=(8, tasks))
    half = tasks // 2
    parts = (values, values[:, :half], values[:, half:])
    averages = np.stack([part.mean(axis=1) for part in parts], axis=1)
    names = [f"task {number}" for number in range(tasks)]
    return podium.from_arrays(np.hstack([values, averages]), tasks=[*names, "Average", "Knowledge", "Reasoning"])


def clustered(rng: Rng, *, sizes: tuple[int, ...], alike: float, tasks: int = 1, labels: int = 1) -> Scores:
    """Clusters of these sizes in every task; `labels` above 1: clusters are labelled in so many parts each."""
    of = np.repeat(np.arange(len(sizes)), sizes)
    parts = np.arange(of.size) % labels
    tables, names = {}, {}
    for number in range(tasks):
        own = rng.normal(size=(8, len(sizes)))
        tables[f"task {number}"] = np.sqrt(alike) * own[:, of] + np.sqrt(1 - alike) * rng.normal(size=(8, of.size))
        names[f"task {number}"] = [f"{number}-{one}-{part}" for one, part in zip(of, parts, strict=True)]
    return podium.from_arrays(tables, clusters=names)


def barely_run(rng: Rng, *, scored: int, tasks: int = 3) -> Scores:
    """One of eight systems has so many of 300 scores."""
    values = rng.normal(size=(8, 300))
    values[0, rng.permutation(300)[scored:]] = np.nan
    return podium.from_arrays({f"task {number}": one for number, one in enumerate(np.split(values, tasks, axis=1))})


def unequal_noise(rng: Rng, *, number: int, few: int = 2) -> Scores:
    """One score a task: a few systems depart from the others ten times as much, and nobody is better."""
    spread = np.where(np.arange(8) < few, 10.0, 1.0)
    return podium.from_arrays(spread[:, None] * rng.normal(size=(8, number)))


def unequal_repeats(rng: Rng) -> Scores:
    """Right or wrong on 200 instances: four systems are run once, and four ten times with the same chances."""
    chances = rng.beta(4, 2, 200)[:, None]
    values = (rng.random((8, 200, 10)) < chances).astype(np.float64)
    values[:4, :, 1:] = np.nan
    return podium.from_arrays({"task": values})


def only_hard(rng: Rng) -> Scores:
    """One score a task: every third system was run on the harder half of 20 tasks, as systems that are new."""
    values = np.linspace(5, -5, 20) + rng.normal(size=(9, 20))
    values[::3, :10] = np.nan
    return podium.from_arrays(values)


def heavy_task(rng: Rng) -> Scores:
    """A task of three instances that weighs 20, beside three of 100."""
    tables = {f"task {number}": rng.normal(size=(8, size)) for number, size in enumerate((3, 100, 100, 100))}
    return podium.from_arrays(tables).with_task_weights({"task 0": 20})


def scaled(rng: Rng, *, number: int, spread: float) -> Scores:
    """One score a task, on scales whose logs are normal with this standard deviation."""
    return podium.from_arrays(np.exp(spread * rng.normal(size=number)) * rng.normal(size=(8, number)))


def bridged(rng: Rng) -> Scores:
    """One score a task: three systems were run on ten tasks, three on ten others, and two on all."""
    values = 3 * rng.normal(size=20) + rng.normal(size=(8, 20))
    values[:3, :10] = values[3:6, 10:] = np.nan
    return podium.from_arrays(values)


def overall(rng: Rng) -> Scores:
    """Six tasks of 50 instances of their own, and one that is in all of them: the mean of the others."""
    tables, labels = {}, {}
    for number in range(6):
        values = rng.normal(size=(8, 50))
        tables[f"task {number}"] = np.hstack([values, values.mean(axis=1, keepdims=True)])
        labels[f"task {number}"] = [*(f"{number}/{k}" for k in range(50)), "overall"]
    return podium.from_arrays(tables, instances=labels)


@dataclass(frozen=True)
class Flipped:
    """How many unequal pairs are separated, and how many flips of whole units separate.

    Attributes
    ----------
    number
        U instances of one task.
    method
        "mean" or "borda".
    right
        Whether scores are 0 and 1.
    step
        How far a system is ahead of the next, in standard errors of a difference of two.
    systems
        N.
    """

    number: int
    method: str = "mean"
    right: bool = False
    step: float = 1.0
    systems: int = 6

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, rank, flip."""
        size, places = (self.systems, self.number), np.arange(self.systems)[:, None]
        ahead = self.step * np.sqrt(2 / self.number) * places
        if self.right:
            values = (rng.random(size) < np.clip(0.9 - ahead / 2, 0.02, 0.98)).astype(np.float64)
        else:
            values = rng.normal(size=size) - ahead
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            scores = podium.from_arrays({"task": values})
            ranking = podium.rank(scores, self.method, rng=int(rng.integers(2**32)), n_jobs=1)
        i, j = np.triu_indices(self.systems, 1)
        of_units = values if self.method == "mean" else _shares_beaten(values)
        by_flips = float(flips((of_units[i] - of_units[j]).T, rng).mean())
        if ranking.intervals is None:
            return Verdict(apart=0.0, flips=by_flips, enough=-0.97 * by_flips, stated=0.0)
        place = [ranking.systems.index(system) for system in scores.systems]
        found = ranking.intervals.separated[np.ix_(place, place)]
        apart = float((found | found.T)[i, j].mean())
        return Verdict(apart=apart, flips=by_flips, enough=apart - 0.97 * by_flips, stated=1.0)


def _shares_beaten(values: Floats) -> Floats:
    """Shape `(N, U)`: on each unit, the share of the others that a system beats; ties are half."""
    won: Floats = np.sign(values[:, None] - values).sum(axis=1) / 2
    return won / (len(values) - 1) + 0.5


def flips(differences: Floats, rng: Rng, draws: int = 4999) -> NDArray[np.bool_]:
    """Which pairs differ at 5%, all at once: U × P differences change their signs unit by unit, and steps go down.

    T = |Σ d| / √Σ d² of each pair. A pair is separated if its T is above the largest T that is left, in all but 5% of
    the ways to set the signs; then the others are asked again (Romano & Wolf 2005). Up to 14 units, all ways count.
    """
    units = len(differences)
    if units <= 14:
        signs = 1.0 - 2.0 * ((np.arange(2 ** (units - 1))[:, None] >> np.arange(units)) & 1)
    else:
        signs = rng.choice([-1.0, 1.0], (draws + 1, units))
        signs[0] = 1
    size = np.sqrt((differences**2).sum(axis=0))
    flipped = np.abs(signs @ differences) / np.where(size > 0, size, np.inf)
    seen = flipped[0] * (1 + 1e-9)
    separated = np.zeros(seen.size, dtype=np.bool_)
    while not separated.all():
        largest = flipped[:, ~separated].max(axis=1)
        p = (largest >= seen[:, None] * (1 - 2e-9)).mean(axis=1)
        more = ~separated & (p <= 0.05) & (size > 0)
        if not more.any():
            break
        separated |= more
    return separated


def _of(name: str, draw: Draw, methods: tuple[str, ...] = ("borda", "mean"), worlds: int = 400) -> Iterator[Row]:
    for method in methods:
        yield Row(f"{method}, {name}", (Stated(draw, method),), worlds)


#: What each metric has of the documents.
_LACKING = {
    "named": "none, texts",
    "complete": "none, counters",
    "texts": "each lacks 1 or 2, texts",
    "numbers": "each lacks 1 or 2, numbers",
    "ends": "each lacks the last 1 or 2, counters",
    "prefix": "every second of the first 60",
    "chain": "each of 50, half of them the next one’s",
}


def _same_documents() -> Iterator[Row]:
    for labels, name in _LACKING.items():
        draw = partial(metrics, labels=labels)
        others: tuple[Trial, ...] = (Met(draw), Compared(draw))
        yield Row(f"borda, pairs and differences, {name}", (Stated(draw), *others), 200)
        yield Row(f"mean, {name}", (Stated(draw, "mean"),), 400)


def _lone() -> Iterator[Row]:
    for clustered_too in (False, True):
        for alone in (1, 2, 3):
            what = "cluster" if clustered_too else "instance"
            yield from _of(
                f"5 tasks of 100, {alone} of one {what}", partial(lone, alone=alone, clustered=clustered_too)
            )
    yield from _of("5 tasks of 100, 10 of one instance named alike", partial(lone, alone=10, named=True))
    for sizes in ((99, 1), (97, 1, 1, 1)):
        name = f"3 tasks, each with clusters of {', '.join(map(str, sizes))}"
        yield from _of(name, partial(clustered, sizes=sizes, alike=0.3, tasks=3))
    yield from _of("65 tasks with a number, 3 with samples of one of nine models", with_samples)


def _columns() -> Iterator[Row]:
    for kind, sets, alike in (
        ("metrics", 8, 0.9),
        ("metrics", 12, 0.7),
        ("languages", 6, 0.7),
        ("splits", 10, 0.9),
        ("languages", 3, 0.7),
        ("underscores", 10, 0.9),
    ):
        yield from _of(f"{sets} data sets, {kind}, ρ {alike}", partial(columns, kind=kind, sets=sets, alike=alike))
    yield from _of("7 data sets, accuracy and error", partial(columns, kind="errors", sets=7))
    for table in ("glue.csv", "superglue.csv", MTEB):
        if (hidden.MTEB if table == MTEB else TABLES / table).exists():
            yield from _of(
                f"names shuffled by family, {table}",
                partial(shuffled_families, table=table),
                worlds=60 if table == MTEB else 200,
            )


_WEIGHTS = {"pareto": "Pareto(1)", "one": "one is 200, others 1", "none": "8 are 1, others 0"}


def _weighted() -> Iterator[Row]:
    for of, number in (("instances", 100), ("tasks", 30)):
        for heavy, name in _WEIGHTS.items():
            yield from _of(f"weights of {number} {of}: {name}", partial(weighted, heavy=heavy, of=of))
    scaled: tuple[tuple[tuple[int, ...], float, str], ...] = (
        ((50,) * 5, 100.0, "5 tasks of 50, one × 100"),
        ((100, 100, 100, 100, 8), 1000.0, "4 tasks of 100, one of 8 × 1,000"),
    )
    for sizes, scale, name in scaled:
        yield from _of(name, partial(tasks_of, sizes=sizes, scale=scale), ("mean",))
    for sizes, name in (
        ((2,) * 30, "30 tasks of 2"),
        ((2,) * 40, "40 tasks of 2"),
        ((2, 5, 20, 100, 1000, 5000), "tasks of 2 to 5,000"),
    ):
        yield from _of(name, partial(tasks_of, sizes=sizes), worlds=400 if max(sizes) < 5000 else 100)
    for tasks, right in ((2, False), (2, True), (5, True)):
        for method in ("borda", "mean"):
            trial = Stated(partial(run_once, tasks=tasks, right=right), method, "repeats")
            scores = "right or wrong" if right else "normal"
            yield Row(f"{method}, repeats drawn, one of {tasks} tasks run once, {scores}", (trial,), 100)
    for loss, seen in ((2.0, False), (5.0, False), (50.0, True)):
        draw = partial(failures, loss=loss, seen=seen)
        each = ", each at least once" if seen else ""
        yield from _of(f"half fail on 2% of 100 by {loss:g} sd{each}", draw, ("mean",))


def _unrun() -> Iterator[Row]:
    for spread in (0.3, 0.6, 1.0):
        for method in ("borda", "borda:missing=model", "borda:missing=imputed"):
            draw = partial(unrun, spread=spread)
            yield Row(f"{method}, tasks differ by {spread}, one run on 8 of 20", (Stated(draw, method),), 100)


def _thinned() -> Iterator[Row]:
    for who, share, name in (
        (slice(0, 1), 0.6, "the best lacks 60%"),
        (slice(0, None, 3), 0.7, "every third lacks 70%"),
    ):
        for method in ("borda", "borda:missing=model", "borda:missing=imputed"):
            draw = partial(thinned, who=who, share=share)
            yield Row(f"{method}, {name}", (Stated(draw, method, centres=_ORDERED),), 100)


def _odd() -> Iterator[Row]:
    yield from _of("battles in a circle, one pair fights 30%", circle, ("borda", "wins"), 200)
    for tasks in (6, 12):
        yield from _of(f"{tasks} tasks and three averages of them", partial(with_average, tasks=tasks))
    yield from _of("6 tasks of 50, and the mean of each as an instance", overall)
    for noise, name in (("t2", "t₂"), ("pareto", "Pareto(1.1)"), ("right", "99.5% right"), ("tied", "95% tie")):
        for sizes in ((100,), (200,) * 3):
            size = " × ".join(map(str, (len(sizes), sizes[0])))
            yield from _of(f"{size}, {name}", partial(tasks_of, sizes=sizes, noise=noise))
    for scored in (6, 20):
        yield from _of(f"one of eight has {scored} of 300 scores", partial(barely_run, scored=scored))
    half = partial(clustered, sizes=(100,) + (5,) * 20, alike=0.3)
    yield from _of("half of 200 instances in one of 21 clusters", half)
    yield from _of("2 tasks of 100 in 3 clusters each", partial(clustered, sizes=(30, 30, 40), alike=0.5, tasks=2))
    for number in (8, 20, 60):
        yield from _of(f"{number} tasks, two systems depart ten times as much", partial(unequal_noise, number=number))
    yield from _of("a task of 3 instances that weighs 20 beside 3 of 100", heavy_task)
    for number in (12, 60, 200):
        yield from _of(f"{number} tasks on scales of all sizes", partial(scaled, number=number, spread=2.0), ("mean",))
    yield from _of("halves of the systems on halves of the tasks, two on all", bridged, ("borda",))
    yield from _of("200 instances, half of the systems run once, half ten times", unequal_repeats)


def _untold() -> Iterator[Row]:
    for labels, name in (
        ("shifted", "numbers from 0 or from 1"),
        ("padded", "with zeros in front or without"),
        ("suffixed", "which name the metric, too"),
    ):
        yield from _of(f"six metrics of the same documents, labels {name}", partial(metrics, labels=labels))
    yield from _of("50 instances, each twice under two labels", partial(copies, distinct=50, times=2))
    yield from _of("20 instances, each five times, nearly", partial(copies, distinct=20, times=5, noise=0.3))
    versions = tuple(f"arc_v{number}" for number in range(1, 6))
    yield from _of("5 versions of a task beside 10", partial(near_copies, names=versions, others=10))
    renamed = ("ARC", "Grade-school science", "AI2 reasoning", "Clark 2018", "science exam")
    yield from _of("5 copies of a task, renamed, beside 10", partial(near_copies, names=renamed, others=10))
    years = partial(columns, kind="years", sets=5, alike=0.8)
    yield from _of("5 data sets of five years each, ρ 0.8", years)
    nested = partial(clustered, sizes=(10,) * 20, alike=0.3, labels=5)
    yield from _of("20 documents of 5 passages, passages labelled", nested)
    yield from _of("halves of the systems on halves of the tasks, two on all", bridged, ("mean",))
    yield from _of("every third system run on the harder half of 20 tasks", only_hard)
    for together in (False, True):
        where = "the same" if together else "other"
        draw = partial(failures, loss=50.0, together=together)
        yield from _of(f"half fail on 2% of 100, {where} instances, by 50 sd", draw, ("mean",))


#: Units, and how many standard errors of a difference a system is ahead of the next.
_POWER = ((6, 2.5), (8, 2.0), (10, 1.5), (14, 1.0), *((number, 1.0) for number in (20, 30, 50, 100, 200)))


def _power() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for right in (False, True):
            for number, step in _POWER:
                trial = Flipped(number, method, right, step)
                yield Row(f"{method}, U {number}, {'right or wrong' if right else 'normal'}", (trial,), 200)


def sections() -> tuple[Section, ...]:
    """Tables of this page."""
    wrong = ("mistaken", "own", "best", "stated")
    return (
        Section(
            "Metrics of the same documents, some of which they lack",
            "Eight equal systems, six metrics of 100 documents that correlate by 0.9. Their labels tell that they are "
            "the same. Pairs by Hoeffding intervals, and pooled differences of four pairs.",
            (*wrong, "pair", "pairs", "summary"),
            tuple(_same_documents()),
            unpromised=("stated",),
        ),
        Section(
            "Tasks with one instance, or one cluster",
            "Eight equal systems. Such a task cannot tell how its score would vary.",
            wrong,
            tuple(_lone()),
            unpromised=("stated",),
        ),
        Section(
            "Columns that belong together",
            "Equal systems with one score a task; several columns are of one data set, and are named so. Released "
            "tables with names of systems shuffled, one shuffle a family.",
            wrong,
            tuple(_columns()),
            unpromised=("stated",),
        ),
        Section(
            "Weights, scales and few instances",
            "Equal systems; few instances or tasks carry most of the weight, or of the score.",
            wrong,
            tuple(_weighted()),
            unpromised=("stated",),
        ),
        Section(
            "Whole tasks were not run",
            "Ten systems that are equal over 20 tasks of 30 items, but differ from task to task by so many standard "
            "deviations of an item. One of them was run on 8 tasks, drawn at random.",
            wrong,
            tuple(_unrun()),
            unpromised=("stated",),
        ),
        Section(
            "Some systems lack most scores",
            "Ten systems on five tasks of 60, each 0.2 standard deviations of an item ahead of the next.",
            (*wrong, "apart"),
            tuple(_thinned()),
            unpromised=("stated", "apart"),
        ),
        Section(
            "Odd tables of equal systems",
            "What real tables may have: averages as columns, long tails, ties, battles in a circle, unlike repeats.",
            wrong,
            tuple(_odd()),
            unpromised=("stated",),
        ),
        Section(
            "What a table does not tell",
            "Equal systems again, and no promise: labels hide that instances are the same, copies have other names, "
            "systems were run on the harder tasks only, or failures are so rare that a system may have none.",
            wrong,
            tuple(_untold()),
            unpromised=wrong,
        ),
        Section(
            "Pairs told apart, against flips of whole units",
            "Six systems, equal steps apart, on U instances. Differences of all pairs change their signs unit by unit, "
            "and the largest standardised one separates pairs step by step. No more than 3% of what this separates may "
            "be lost.",
            ("enough", "apart", "flips"),
            tuple(_power()),
            unpromised=("apart", "flips"),
        ),
    )


def rows() -> Iterator[Row]:
    """The worst of them, quick enough for every test run; systems are equal where nothing else is said."""
    documents = partial(metrics, labels="texts")
    yield Row("same documents, texts, borda", (Stated(documents, replicates=_QUICK), Met(documents)), 40)
    yield Row("same documents, texts, differences", (Compared(documents),), 60)
    for labels in ("numbers", "prefix"):
        yield Row(f"same documents, {labels}, mean", (_quick(partial(metrics, labels=labels), "mean"),), 40)
    for alone, clustered_too, method in ((1, False, "borda"), (10, False, "mean"), (2, True, "mean")):
        draw = partial(lone, alone=alone, clustered=clustered_too)
        label = f"5 tasks of 100, {alone} of one {'cluster' if clustered_too else 'instance'}, {method}"
        yield Row(label, (_quick(draw, method),), 40)
    yield Row("65 tasks with a number, 3 with samples of one model", (_quick(with_samples),), 20)
    yield Row("columns: 8 data sets, 3 metrics", (_quick(partial(columns, kind="metrics", sets=8)),), 60)
    yield Row("columns: 6 data sets, 8 languages", (_quick(partial(columns, kind="languages", sets=6)),), 40)
    for heavy in ("pareto", "one"):
        yield Row(f"weights of instances, {heavy}", (_quick(partial(weighted, heavy=heavy)),), 80)
    few = partial(tasks_of, sizes=(100, 100, 100, 100, 8), scale=1000.0)
    yield Row("4 tasks of 100, one of 8 × 1,000, mean", (_quick(few, "mean"),), 150)
    yield Row("one of 2 tasks run once", (_quick(partial(run_once, tasks=2, right=True), "mean", "repeats"),), 40)
    yield Row("one of ten run on 8 of 20 tasks", (_quick(partial(unrun, spread=1.0)),), 40)
    for name, who, share in (
        ("the best lacks 60%", slice(0, 1), 0.6),
        ("every third lacks 70%", slice(0, None, 3), 0.7),
    ):
        trial = Stated(partial(thinned, who=who, share=share), centres=_ORDERED, replicates=_QUICK)
        yield Row(f"ten systems in order, {name}", (trial,), 30)
    yield Row("battles in a circle", (_quick(circle),), 40)
    for method, number, step in (("mean", 8, 2.0), ("borda", 14, 1.0)):
        for right in (False, True):
            label = f"{method}, U {number}, {'right or wrong' if right else 'normal'}, against flips"
            yield Row(label, (Flipped(number, method, right, step),), 60)


#: Replicates of quick rankings.
_QUICK = 199


def _quick(draw: Draw, method: str = "borda", units: UnitKind | None = None) -> Stated:
    return Stated(draw, method, units, replicates=_QUICK)
