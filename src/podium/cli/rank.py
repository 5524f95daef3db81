"""The commands that rank, rank, pairwise, agree, frontier, subset, plan and allocate, and options others share."""

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, Literal, get_args

import podium
from podium.base.errors import MethodError
from podium.cli.app import METHOD, UNCERTAINTY, choice, command, flag, option, split
from podium.cli.options import (
    CountOptions,
    IntervalOptions,
    check_columns,
    confidence_option,
    plot_option,
    refuse_sentence,
    replicates_option,
    seed_option,
    sentence_option,
)
from podium.cli.read import ReadOptions, weights_from
from podium.ranking.ballots import Level, Missing
from podium.ranking.method_spec import LEVELS, METHODS, MODELS, MethodSpec, Model
from podium.report.result import Result
from podium.score.table import Scores, of_battles
from podium.score.units import FLIPPED_UNITS
from podium.source.path import labels_of
from podium.tally.draw import UNITS, check_resampling

#: Nanoseconds that intervals take on two cores: in each replicate for each score (times the number of systems, by
#: methods of pairs; or by what is fitted), and for each pair of systems (on each task; or of a fit).
_SCORE, _SCORE_OF_PAIRS, _FITTED_SCORE = 0.5, 0.12, 8.0
_PAIR, _PAIR_ON_TASK, _FITTED_PAIR = 1.0, 30.0, 600.0

#: The same of each flip of few units for each pair of systems, and how much longer it takes by methods of pairs.
_FLIPPED_PAIR, _LONGER = 8.0, 4

#: Systems up to which they are made by a method that searches for the best order in every replicate.
_SEARCHED = 20

_PICTURES = ("ranks", "heatmap", "cd", "bump")

#: Pictures that show intervals.
_OF_INTERVALS = frozenset({"ranks", "cd"})

#: Headings of the table of families.
_FOLDED = ("family", "best member", "members", "may be its best")

#: Headings of adjusted rankings.
_STYLE = ("unadjusted rank", "adjusted for", "worth of*", "p")

#: Headings of the tables of `plan`, and of those without a source.
_PLANNED = (
    *("system", "next", "difference", "std error", "separated"),
    *(f"{unit} {when}" for unit in ("instances", "clusters", "tasks", "comparisons") for when in ("now", "needed")),
)
_ALLOCATED = ("system", "task", "instances", "clusters", "gain")
_PLANNED_ITEMS = ("instances", "difference", "chance", "smallest", "instances needed", "discordant")
_PLANNED_LABELS = ("system", "labels", "± now", "± then")


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Options of the method that ranks."""

    method: str = option(METHOD, "|".join(METHODS), "How to rank.", "-m", default="borda", complete=tuple(METHODS))
    level: Level | None = choice(
        METHOD,
        LEVELS,
        "What votes: tasks (task), instances (one, balanced), or both in turn (two). A task votes by its mean. "
        "balanced: instances, so that tasks weigh alike. Default: task without instances, one for bradley-terry, else "
        "balanced.",
    )
    missing: Missing | None = choice(
        METHOD,
        get_args(Missing),
        "For borda, a missing score counts at its chances by a model of strengths, so that a strong system "
        "that skipped tasks is not pulled to the middle (model); or so, with the ranks that hold however it would "
        "come out (bounds). It counts at its expected value (imputed), or, for methods of pairs, not at all "
        "(direct). For borda at level two, a system without a score on a task is ranked there, too (placed). "
        "Default: model for borda, else imputed; direct for bradley-terry, and for battles that no model fits.",
    )
    prior: float = option(
        METHOD,
        "X",
        "For bradley-terry: add X games of each system against one imagined opponent.",
        default=0.0,
        min=0.0,
    )
    time_limit: float | None = option(
        METHOD, "SECONDS", "For kemeny: stop after this time with the best order so far.", min=0.0
    )
    model: Model | None = choice(
        METHOD,
        MODELS,
        "For irt: each instance has a difficulty and a discrimination (2pl), or a difficulty (1pl). Default: 2pl.",
    )

    def __post_init__(self) -> None:
        _ = self.spec  # what makes no sense is refused before anything is read

    @property
    def spec(self) -> MethodSpec:
        """Return the method, with its level and options, typed behind a colon or by themselves."""
        typed = MethodSpec.of(self.method, self.level)
        given = {name: getattr(self, name) for name in ("missing", "prior", "time_limit", "model")}
        for name, value in given.items():
            if value and getattr(typed, name):
                raise MethodError(f"{self.method!r} and --{name} say the same thing twice; leave one of them out")
        return replace(typed, **{name: value for name, value in given.items() if value is not None})


def methods_option() -> Any:
    """Declare `--methods`, a list of METHOD or METHOD:LEVEL."""
    return option(
        METHOD,
        "METHODS",
        f"Methods to compare: {', '.join(METHODS)}. A level follows a colon: borda:one; so does "
        "what becomes of missing scores: borda:missing=imputed. Default: the usual ones of the command.",
        "-m",
        check=lambda typed: MethodSpec.several(split(typed)),
        complete=tuple(METHODS),
    )


def units_option() -> Any:
    """Declare `--units`."""
    return choice(
        UNCERTAINTY,
        UNITS,
        "What is drawn: other instances, tasks, both, or repeats of the same instances. Default: instances, or tasks "
        "where there are none.",
    )


@dataclass(frozen=True, slots=True)
class BootstrapOptions(IntervalOptions):
    """The same of rankings, where units can be chosen."""

    units: str | None = units_option()

    def __post_init__(self) -> None:
        check_resampling(confidence_level=self.confidence, **self.draws)

    @property
    def draws(self) -> dict[str, Any]:
        """Return the arguments of `podium.rank` about replicates."""
        return {"units": self.units, "n_resamples": self.replicates, "rng": self.seed}


@command
def rank(
    *,
    method: MethodOptions,
    system_family: str | None = option(METHOD, "NAME", "Column with families; shows the best of each."),
    adjust: list[str] | None = option(
        METHOD,
        "COLUMNS",
        "Adjust for covariates: length,markdown. Systems rank as if answers were alike in these: battles by "
        "bradley-terry, other scores by mean.",
    ),
    bootstrap: BootstrapOptions,
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(_PICTURES),
    sentence: bool = sentence_option(),
) -> None:
    """Rank systems, best first, and say how sure that is.

    \b
    podium rank scores.csv
    podium rank 'runs/*.parquet' --lower ter,latency -o board.json
    podium rank results.csv --system-column model --score-column acc
    podium rank battles.csv -m bradley-terry --adjust length,markdown
    podium rank scores.csv --plot ranks.pdf --plot heatmap.svg
    podium rank - --input-format jsonl -f markdown < scores.jsonl

    GLOBS are names or patterns, separated by commas. A comma in a name is written \\, as in --lower 'speed\\, ms'.
    """  # noqa: D301
    destination = show.destination(plot, _PICTURES)
    refuse_sentence(sentence, destination)
    drawn = [name for name, _ in destination.pictures if name in _OF_INTERVALS]
    if drawn and bootstrap.intervals is False:
        raise MethodError(
            f"--plot {drawn[0]} shows intervals, and --no-intervals leaves them out; remove one of the two options"
        )
    style = split(adjust) or None
    if style is not None and not (read.covariate_column or read.are_runs or read.is_built_in):
        read = replace(read, covariate_column=adjust)  # what is adjusted for is read, too
    scores = read.load(destination, extra=system_family)
    families = None if system_family is None else read.families_in(system_family, scores)
    folded = (*(() if families is None else _FOLDED), *(() if style is None else _STYLE))
    headings = (*bootstrap.headings, "tasks scored", "ranks in any case", "tasks", *folded, *scores.task_names)
    check_columns(destination.columns, headings)
    confidence = bootstrap.wanted(
        lambda: 0 if drawn or style else seconds_of_intervals(scores, method, bootstrap), destination
    )
    with show.bar("counting") as bar:
        ranking = podium.rank(
            scores,
            method.spec,
            **bootstrap.draws,
            confidence_level=confidence,
            system_families=families,
            adjust=style,
            n_jobs=show.threads,
            progress=bar,
        )

    def pairs() -> Result:
        return podium.pairwise(
            scores, level=method.spec.level or "one", confidence_level=bootstrap.confidence, n_jobs=show.threads
        )

    def methods() -> Result:
        with show.bar("comparing") as bar:
            return podium.agree(scores, n_jobs=show.threads, progress=bar)

    others = {"heatmap": pairs, "bump": methods}
    said = ranking.sentence if sentence else ""
    destination.deliver(ranking, others=others, styles={"ranks": {"top": show.top}}, sentence=said)


def seconds_of_intervals(scores: Scores, method: MethodOptions, bootstrap: "BootstrapOptions") -> float:
    """Estimate how long intervals take, from the size of the table and the method."""
    from podium.ranking.separation import n_flips  # noqa: PLC0415  # loaded by who ranks

    spec, n_systems = method.spec.on(scores), len(scores.systems)
    entry, battles = METHODS[spec.name], of_battles(scores)
    if entry.takes_long and n_systems > _SEARCHED:
        return inf
    whole = scores.task_level or bootstrap.units == "tasks"
    fitted = entry.fitted or (spec.missing == "model" and (spec.level == "two" or (spec.level == "task" and not whole)))
    each, pair = _SCORE, _PAIR
    if entry.of_pairs:
        each, pair = _SCORE_OF_PAIRS * n_systems, _PAIR_ON_TASK * (1 if whole else len(scores.tasks))
    each = _FITTED_SCORE if fitted or battles else each
    pair += _FITTED_PAIR if fitted or entry.slow else 0
    nanoseconds = bootstrap.replicates * (each * (scores.n_scored if battles else scores.n_cells) + pair * n_systems**2)
    n_units = len(scores.tasks) if whole else scores.n_instances
    if n_units <= FLIPPED_UNITS:
        flips = n_flips(n_units, n_systems) * (_LONGER if entry.of_pairs else 1)
        nanoseconds += _FLIPPED_PAIR * flips * n_systems**2
    return nanoseconds / 1e9


@command
def pairwise(
    *,
    level: Level | None = choice(
        METHOD,
        LEVELS,
        "What a comparison is: an instance (one, balanced), or a task (two, task). balanced: tasks weigh alike; two: a "
        "task by its instances; task: by its mean. Default: one, or task without instances.",
        what="level",
    ),
    confidence: float = confidence_option(),
    sided: str = choice(
        UNCERTAINTY,
        ("two", "one"),
        "Both ends of an interval hold together (two), or each end alone (one).",
        what="side",
        default="two",
    ),
    simultaneous: bool = flag(UNCERTAINTY, "Wider intervals that hold for all pairs together."),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("heatmap",)),
) -> None:
    """Compare all pairs of systems, and look for one that beats all.

    \b
    podium pairwise scores.parquet
    podium pairwise scores.csv --level task --confidence 0.9
    podium pairwise scores.parquet --simultaneous --plot heatmap=pairs.svg

    For each pair: the share of comparisons that the first system wins (a tie counts half), with a Hoeffding interval.
    Only comparisons with a score of both systems count. The Condorcet winner beats every other system in more than half
    of their comparisons; a cycle or ties can prevent one.
    """  # noqa: D301
    from podium.ranking.result import HeadToHead  # noqa: PLC0415  # only here

    destination = show.destination(plot, ("heatmap",))
    scores = read.load(destination)
    arguments: dict[str, Any] = {"level": level or "one", "confidence_level": confidence, "sided": sided}
    with show.bar("counting"):
        compared = podium.pairwise(scores, **arguments, simultaneous=simultaneous, n_jobs=show.threads)
        majorities = podium.condorcet(scores, level=compared.level, missing="direct", n_jobs=show.threads)
    destination.deliver(HeadToHead(compared, majorities, compared.notes))


@command
def agree(
    *,
    methods: list[str] | None = methods_option(),
    between: str | None = choice(
        METHOD,
        ("methods", "tables", "tasks"),
        "What is compared: methods on one table; tables, one a source; or tasks of one table. Default: tables if there "
        "are several sources, else methods.",
        what="comparison",
    ),
    confidence: float = confidence_option("Of tables and tasks: confidence of the intervals."),
    replicates: int = replicates_option("Of tables and tasks: bootstrap replicates, for their noise.", 500),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("bump", "correlations")),
) -> None:
    """Compare the orders that several methods, tables or tasks give.

    \b
    podium agree scores.csv
    podium agree scores.csv --methods mean,borda:one,borda:two --plot bump.svg
    podium agree judge-a.csv judge-b.csv
    podium agree a=runs/old/ b=runs/new/ --methods mean
    podium agree scores.csv --between tasks --plot correlations.svg

    Of methods, it says whether the first place depends on them, which systems move, and which methods agree. --wide
    also shows Kendall's tau-b of every two.

    Of tables or tasks, it says how far they order systems alike: tau-b, beside what noise in both lets one expect, and
    what chance gives. They are ranked by one method, borda by default.
    """  # noqa: D301
    between = between or ("tables" if len(read.paths) > 1 and not read.are_runs else "methods")
    destination = show.destination(plot, ("bump",) if between == "methods" else ("correlations",))
    if between == "methods":
        scores = read.load(destination)
        with show.bar("counting") as bar:
            found: Result = podium.agree(scores, split(methods) or None, n_jobs=show.threads, progress=bar)
        destination.deliver(found)
        return
    how = split(methods) or ["borda"]
    if len(how) > 1:
        raise MethodError(f"{between} are ranked by one method; name one with --methods, or leave --between out")
    draws: dict[str, Any] = {"confidence_level": confidence, "n_resamples": replicates, "rng": seed}
    tables, names = [read], None
    if between == "tables":
        read.check(destination)
        names = list(read.named) or labels_of(read.paths)
        tables = [replace(read, sources=[path]) for path in read.paths]
        if len(tables) < 2:
            raise MethodError("name two sources or more to compare tables; of a single one, --between tasks or methods")
        scores, *others = (table.scores(quiet=show.quiet) for table in tables)
    else:
        scores, others = read.load(destination), []
    with show.bar("ranking") as bar:
        found = podium.correlate(
            scores, *others, names=names, method=how[0], **draws, n_jobs=show.threads, progress=bar
        )
    destination.deliver(found)


@command
def tasks(
    *,
    confidence: float = confidence_option(),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("worth",)),
) -> None:
    """Say what each task tells, and which say the same.

    \b
    podium tasks scores.csv
    podium tasks scores.parquet --wide
    podium tasks scores.parquet --plot worth.svg
    podium tasks scores.csv -f json

    For each task: what is left to win, signal and noise, pairs of the best systems that it separates, and how far it
    agrees with others. --wide also shows suspect items, and who would be first without it.
    """  # noqa: D301
    destination = show.destination(plot, ("worth",))
    scores = read.load(destination)
    with show.bar("looking at tasks") as bar:
        found = podium.tasks(scores, confidence_level=confidence, rng=seed, progress=bar)
    destination.deliver(found)


@command
def frontier(
    *,
    cost: list[str] | None = option(
        METHOD, "NAMES", "Costs, as `info` lists them beside scores. Default: the only one."
    ),
    margin: float | None = option(METHOD, "N", "Find the cheapest system at most N below the best score.", min=0.0),
    budget: list[str] | None = option(METHOD, "NAME=N", "Find the best system with a cost of at most N."),
    method: MethodOptions,
    confidence: float = confidence_option(),
    units: str | None = units_option(),
    replicates: int = replicates_option("Number of bootstrap replicates.", 1000),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("frontier",)),
) -> None:
    """Hold scores against costs: who is the best for the money.

    \b
    podium frontier scores.csv --cost cost
    podium frontier scores.csv --cost cost,latency --budget cost=2
    podium frontier scores.csv --method mean --margin 0.02 --plot frontier.svg

    A system is surely on the frontier if it is surely better or surely cheaper than each other, and surely dominated if
    another one is surely better and costs no more. All claims hold together. Of speeds higher is better.
    """  # noqa: D301
    draws: dict[str, Any] = {"units": units, "n_resamples": replicates, "rng": seed}
    check_resampling(confidence_level=confidence, **draws)
    limits = weights_from(budget, "--budget", form="NAME=N", example="cost=2")
    destination = show.destination(plot, ("frontier",))
    scores = read.load(destination)
    with show.bar("counting") as bar:
        found = podium.frontier(
            scores,
            split(cost) or None,
            margin=margin,
            budget=limits,
            method=method.spec,
            confidence_level=confidence,
            **draws,
            n_jobs=show.threads,
            progress=bar,
        )
    destination.deliver(found)


@command
def subset(
    *,
    items: int | None = option(METHOD, "N", "How many items to choose.", min=1),
    whole_tasks: int | None = option(METHOD, "N", "How many tasks to choose, with all of their items.", min=1),
    system_family: str | None = option(METHOD, "NAME", "Column with families of systems, left out together."),
    confidence: float = confidence_option(),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("predicted",)),
) -> None:
    """Choose items, or tasks, that tell nearly as much as all.

    \b
    podium subset scores.parquet --items 100 -o items.csv
    podium subset scores.csv --whole-tasks 8
    podium subset scores.parquet --items 100 --wide --plot predicted.svg
    podium predict answers.csv --subset items.csv

    Each method chooses without some of the systems, and predicts their full scores. Of those that surely do better than
    random items the best is taken; if there is none, items are random. Also: tau-b of the predicted order with the true
    one, and the share of separated pairs in the right order.
    """  # noqa: D301
    from podium.selection.api import what_to_choose  # noqa: PLC0415  # only here

    what_to_choose(items, whole_tasks)
    destination = show.destination(plot, ("predicted",))
    scores = read.load(destination, extra=system_family)
    families = None if system_family is None else read.families_in(system_family, scores)
    numbers: dict[str, Any] = {"items": items, "whole_tasks": whole_tasks, "rng": seed}
    with show.bar("choosing") as bar:
        found = podium.subset(scores, **numbers, system_families=families, confidence_level=confidence, progress=bar)
    destination.deliver(found)


@command
def predict(
    *,
    subset: Path = option(METHOD, "FILE", "Chosen items, as podium subset -o wrote them.", required=True),
    confidence: float = confidence_option(),
    read: ReadOptions,
    show: CountOptions,
) -> None:
    """Predict full scores and ranks from answers to chosen items.

    \b
    podium predict answers.csv --subset items.csv
    podium predict runs/new/ --subset items.csv -f json

    The intervals come from systems that were left out when items were chosen, and hold for systems like these.
    """  # noqa: D301
    destination = show.destination()
    answers = read.load(destination, also=[subset])
    destination.deliver(podium.predict(answers, subset, confidence_level=confidence))


@partial(command, instead={"--margin": "a gate that cannot tell says it: podium gate … --margin N"})
def plan(
    *,
    items: int | None = option(METHOD, "N", "Without a source: number of instances, right or wrong.", min=1),
    delta: float | None = option(METHOD, "D", "Without a source: the true difference."),
    rate: float = option(METHOD, "P", "Without a source: share right of the first system.", default=0.8),
    correlation: float = option(METHOD, "R", "Without a source: of both systems on the same instances.", default=0.5),
    labels: float | None = option(METHOD, "X", "Plan labels that bring human scores within X."),
    method: MethodOptions,
    confidence: float = confidence_option(),
    power: float = option(
        UNCERTAINTY, "P", "Probability that the larger evaluation separates two systems, at least 0.5.", default=0.8
    ),
    units: str | None = choice(
        UNCERTAINTY,
        tuple(units for units in UNITS if units != "repeats"),
        "What is added. Default: instances, or tasks where there are none.",
    ),
    replicates: int = replicates_option("Number of bootstrap replicates.", 1000),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("needed",)),
) -> None:
    """Say how much more data would separate the systems.

    \b
    podium plan scores.parquet
    podium plan scores.csv --method mean --units tasks --power 0.9
    podium plan --items 500 --delta 0.02 --rate 0.8 --correlation 0.5
    podium plan judged.csv --human-column human --method mean --labels 0.05

    For neighbours in the ranking: how many instances (or tasks) are needed by the bootstrap, and how many direct
    comparisons by Hoeffding's bound, if the differences in these scores are the true ones.

    Without a source: the chance with which a paired comparison of so many instances, right or wrong, finds a
    difference.
    """  # noqa: D301
    if items is not None or delta is not None:
        if read.sources or read.trec or items is None or delta is None:
            raise MethodError("to plan without data, give both --items and --delta, and no source")
        destination = show.destination(headings=_PLANNED_ITEMS)
        destination.deliver(
            podium.plan_items(
                items, delta, rate=rate, correlation=correlation, power=power, confidence_level=confidence
            )
        )
        return
    draws: dict[str, Any] = {"units": units, "n_resamples": replicates, "rng": seed}
    check_resampling(confidence_level=confidence, **draws)
    if labels is not None:
        destination = show.destination(headings=_PLANNED_LABELS)
        scores = read.load(destination)
        asked: dict[str, Any] = {"method": method.spec, "confidence_level": confidence, "rng": seed}
        destination.deliver(podium.plan_labels(scores, labels, **asked))
        return
    destination = show.destination(plot, ("needed",), _PLANNED)
    scores = read.load(destination)
    with show.bar("counting") as bar:
        planned = podium.plan(
            scores, method.spec, confidence_level=confidence, power=power, **draws, n_jobs=show.threads, progress=bar
        )
    destination.deliver(planned)


@command
def allocate(
    *,
    budget: float = option(METHOD, "N", "How many scores to run; with --cost how much to spend.", required=True),
    settle: Literal["first", "tiers"] = choice(
        METHOD,
        ("first", "tiers"),
        "What is asked: who is first, or which systems form tiers. Of two systems: --systems A,B.",
        what="settle",
        default="first",
    ),
    cost: str | None = option(METHOD, "NAME", "What a score costs, as `info` lists it beside scores. Default: 1."),
    method: MethodOptions,
    confidence: float = confidence_option("Confidence of what is settled."),
    replicates: int = replicates_option("Number of bootstrap replicates.", 1000),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("allocated",)),
) -> None:
    """Choose which scores to run next.

    \b
    podium allocate scores.csv --budget 20
    podium allocate scores.parquet --budget 500 --settle tiers -o next.csv
    podium allocate scores.csv --budget 100 --cost cost --systems A,B

    In the order in which to run: the missing scores that are expected to settle most of what is asked, by their cost;
    with instances, how many of a task; and new instances if no score is missing. Run them, add them, and ask again.
    """  # noqa: D301
    draws: dict[str, Any] = {"n_resamples": replicates, "rng": seed}
    check_resampling(confidence_level=confidence, units=None, **draws)
    headings = _ALLOCATED if cost is None else (*_ALLOCATED, cost)
    destination = show.destination(plot, ("allocated",), headings=headings)
    scores = read.load(destination)
    with show.bar("counting") as bar:
        found = podium.allocate(
            scores,
            budget,
            settle=settle,
            cost=cost,
            method=method.spec,
            confidence_level=confidence,
            **draws,
            n_jobs=show.threads,
            progress=bar,
        )
    destination.deliver(found)
