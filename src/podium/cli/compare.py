"""The commands that hold systems against each other: compare, gate and watch; and pool, for effects that are known."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import podium
from podium.base.check import checked_number
from podium.base.errors import InputError, MethodError
from podium.base.progress import Bar
from podium.base.words import as_typed, few, how_many, with_names
from podium.cli.app import (
    METHOD,
    OUTPUT,
    UNCERTAINTY,
    argument,
    check_choice,
    choice,
    column,
    command,
    flag,
    groups_from,
    option,
    refuse,
    split,
)
from podium.cli.options import (
    CountOptions,
    OutputOptions,
    confidence_option,
    plot_option,
    refuse_sentence,
    sentence_option,
)
from podium.cli.output import Destination, print_content
from podium.cli.read import INPUT_FORMAT, TABLE, PlainReadOptions, ReadOptions, refuse_overwriting, weights_from
from podium.comparison.contrast import refuse_pooling, settle_roles, system_named
from podium.comparison.effects import MEASURED
from podium.comparison.forest_rows import COLUMNS, ORDERS
from podium.comparison.pooling import INTERVALS, Pooling
from podium.comparison.random_effects import ESTIMATORS
from podium.comparison.read import read_moderators
from podium.gating.api import OVER, UNSURE
from podium.gating.checks import limits_of
from podium.score.table import Scores
from podium.source.path import labels_of

#: Pictures of effects; and of many systems.
_PICTURES = ("forest", "baujat", "bubble")
_OF_MANY = frozenset({"forest", "cd"})

#: Said of options of one comparison.
_ONE = "one comparison; name one system with --treatment, or"

#: Letters of an error that lists systems.
_ROOM = 300

#: Options of pooling that need the variances of effects.
_OF_EFFECTS = ("estimator", "interval", "cluster", "like", "moderator", "diagnostics")


@dataclass(frozen=True, slots=True)
class PoolingOptions:
    """Options of pooling, and of its pictures."""

    estimator: str | None = choice(METHOD, tuple(ESTIMATORS), "Estimator of the variance between tasks. Default: reml.")
    interval: str | None = choice(UNCERTAINTY, INTERVALS, f"Interval of the summary. Default: {INTERVALS[0]}.")
    confidence: float = confidence_option()
    cluster: list[str] | None = option(
        UNCERTAINTY,
        "NAME=GLOBS",
        "Tasks whose effects may be related, as in --cluster mnli=MNLI*, for a robust interval (CR2). "
        "Repeat for more clusters.",
    )
    like: str | None = choice(
        METHOD,
        ("ranger",),
        "Compute as another tool does: ranger uses DerSimonian-Laird and normal intervals. "
        "τ² stays 0 or above; Ranger's own code lets it go below.",
    )
    moderator: list[str] | None = option(
        METHOD,
        "COLUMNS",
        "Properties of tasks that effects may depend on (meta-regression): columns of numbers, or of groups.",
    )
    diagnostics: bool = flag(METHOD, "Also show what each task does to the summary: residual, hat, DFFITS, Cook, …")
    plot: list[str] | None = plot_option(_PICTURES)
    sort: str | None = choice(OUTPUT, tuple(ORDERS), "Order of the tasks of the forest plot.", what="order")
    left: list[str] | None = option(OUTPUT, "COLUMNS", f"Columns to its left, from {', '.join(COLUMNS)}.")
    right: list[str] | None = option(OUTPUT, "COLUMNS", "Columns to its right. Default: weight,effect,ci.")
    title: str | None = option(OUTPUT, "TEXT", "Its title.")
    sentence: bool = sentence_option()

    def __post_init__(self) -> None:
        # what makes no sense is refused before anything is read
        Pooling.of(**self.arguments)
        if not self.plot:
            of_forest = "{0} is about the forest plot; ask for one with --plot FILE, or leave it out"
            refuse(self.styles["forest"], of_forest)
        for name in (*split(self.left), *split(self.right)):
            if not name.startswith("J@"):
                check_choice("column", COLUMNS, name)
        if not self.moderator and any(text.startswith("bubble=") for text in self.plot or ()):
            raise MethodError("--plot bubble=FILE draws effects by a moderator; name one with --moderator")

    @property
    def arguments(self) -> dict[str, Any]:
        """Return these options by their names in `podium.compare`, `podium.compare_all` and `podium.pool`."""
        arguments = {name: getattr(self, name) for name in ("estimator", "interval", "like")}
        return {**arguments, "confidence_level": self.confidence, "cluster": groups_from(self.cluster, "cluster")}

    @property
    def styles(self) -> dict[str, dict[str, Any]]:
        """Return the options of `podium.plots.forest`."""
        columns = {"left": split(self.left) or None, "right": split(self.right) or None}
        return {"forest": {"sort": self.sort, **columns, "title": self.title}}

    def deliver(
        self,
        result: podium.Comparison,
        destination: Destination,
        others: Mapping[str, Callable[[], podium.Comparison]] | None = None,
    ) -> None:
        """Deliver a comparison, or its sentences, with the forest plot as it is asked for."""
        styles = {"forest": {**self.styles["forest"], "digits": destination.style.digits}}
        destination.deliver(result, others=others, styles=styles, sentence=result.sentence if self.sentence else "")


@dataclass(frozen=True, slots=True)
class ComparingOptions(PoolingOptions):
    """The same of `compare`, which also draws mean ranks."""

    plot: list[str] | None = plot_option((*_PICTURES, "cd"))


@command
def compare(
    *,
    control: str | None = option(METHOD, "SYSTEM", "System to compare with, or a part of its name."),
    treatment: str | None = option(METHOD, "SYSTEM", "System to compare, named likewise."),
    everything: bool = flag(METHOD, "Compare every other system with the control.", "--all"),
    effect: str = choice(
        METHOD,
        tuple(MEASURED),
        "Difference of means (md), in standard deviations (smd, Hedges' g), or correlation (corr). "
        "For 0/1 scores: risk difference (rd) or odds ratio (or).",
        "-e",
        what="effect",
        default="md",
    ),
    margin: str | None = option(METHOD, "N", "How much worse is still as good. In units of the scores, or as 1%."),
    groups: list[str] | None = option(
        METHOD,
        "NAME=GLOBS",
        "Summarise some tasks separately. As in --group inference=*nli,rte; repeat for more groups.",
        "--group",
        check=groups_from,
    ),
    pooling: ComparingOptions,
    task_table: str | None = option(METHOD, "FILE", "Table with one row for each task, for --moderator."),
    rope: float | None = option(
        METHOD,
        "D",
        "Of one score per task: differences up to this are practically equal. Default: 1% of the scale, "
        "if all tasks have one.",
        check=lambda given: checked_number("rope", given),
    ),
    seed: int | None = option(UNCERTAINTY, "N", "Of one score per task: seed of the Bayesian signed-rank test."),
    read: ReadOptions,
    show: CountOptions,
) -> None:
    """Compare two systems: how much better, and on which tasks.

    \b
    podium compare before=old/ after=new/ --margin 0.01
    podium compare scores.csv --control A --treatment B
    podium compare scores.csv --control A --treatment B -e smd --plot forest.svg
    podium compare scores.csv --control A --all --group 'inference=*nli,rte'
    podium compare scores.csv --task-table tasks.csv --moderator size
    podium compare bm25.run dense.run --qrels qrels.txt --measure nDCG@10

    Scores are paired by instance. A positive effect means that the treatment is better, also on tasks where lower
    scores are better.

    The first sentence is about these tasks, the second about other tasks like these: random effects pool the tasks.
    "without" is the summary without that task. The first of two systems is that of the input, or of --systems if it
    names both. Sources with names, or two runs of one system, are systems.

    One score per task: the sign test, Wilcoxon's signed-rank test, Student's t and the Bayesian signed-rank test over
    tasks; with --all also Friedman's test and Nemenyi's critical difference.
    """  # noqa: D301
    if everything:
        _refuse_of_one(treatment, margin, diagnostics=pooling.diagnostics)
    if task_table is None and pooling.moderator:
        raise MethodError("--moderator needs a table of tasks; name it with --task-table, or leave --moderator out")
    if task_table is not None and not pooling.moderator:
        raise MethodError("--task-table needs --moderator, which names its columns; add it, or leave it out")
    destination = show.destination(pooling.plot, (*_PICTURES, "cd"))
    refuse_sentence(pooling.sentence, destination)
    of_one = {f"--plot {name}": True for name, _ in destination.pictures if name not in _OF_MANY}
    if everything:
        refuse(of_one, f"{{0}} draws {_ONE} leave it out")
    scores = read.load(destination, also=[task_table])
    if control is None and not everything:
        _refuse_several(read.named, scores.systems)
    control, treatment = _compared(scores.systems, split(read.systems), control, treatment, everything=everything)
    if treatment is not None and "cd" in dict(destination.pictures):
        raise MethodError("--plot cd draws all systems; take --all in place of --treatment, or another picture")
    task_tests = partial(podium.compare_task_scores, control=control, confidence_level=pooling.confidence)
    if scores.task_level:
        typed = {f"--effect {effect}": effect != "md", "--group": groups, "--margin": margin, **of_one}
        refuse_pooling(typed | {f"--{name}": getattr(pooling, name) for name in _OF_EFFECTS})
        tests = task_tests(scores, treatment=treatment, rope=rope, rng=seed or 0)
        pooling.deliver(tests, destination)
        return
    of_task_scores = "{0} is for tables of one score per task; leave it out where there are instances"
    refuse({"rope": rope, "seed": seed}, of_task_scores)
    arguments: dict[str, Any] = {"effect": effect, "groups": groups_from(groups), **pooling.arguments}
    arguments["moderators"] = None if task_table is None else read_moderators(task_table, split(pooling.moderator))
    arguments |= {"beside": _share_judged(read, quiet=show.quiet), "n_jobs": show.threads}
    result: podium.Comparison
    with show.bar("counting") as bar:
        if treatment is None:
            result = podium.compare_all(scores, control=control, progress=bar, **arguments)
        else:
            arguments |= {"diagnostics": pooling.diagnostics, "margin": margin}
            result = podium.compare(scores, control=control, treatment=treatment, progress=bar, **arguments)
    others = {"cd": lambda: task_tests(scores.with_means())} if treatment is None else None
    pooling.deliver(result, destination, others)


def _refuse_of_one(treatment: str | None, margin: str | None, *, diagnostics: bool) -> None:
    """Refuse, with --all, what is about one comparison."""
    if treatment is not None:
        said = f"--all already compares every system with the control; leave out --all or --treatment {treatment}"
        raise MethodError(said)
    refuse({"margin": margin}, f"{{0}} is about {_ONE} leave it out")
    refuse({"diagnostics": diagnostics}, f"{{0}} is about {_ONE} take -f json")


def _refuse_several(names: Iterable[str], systems: Sequence[str]) -> None:
    """Refuse a source with a name that holds several systems, if none of all is named."""
    for name in names:
        own = [label.removeprefix(f"{name}: ") for label in systems if label.startswith(f"{name}: ")]
        if len(own) > 1:
            raise InputError(
                f"{name} holds {how_many(len(own), 'system')}: {few(own)}; name the folder of one, or two of all with "
                f"--control and --treatment, as in --control {as_typed(f'{name}: {own[0]}')}"
            )


def _compared(
    systems: Sequence[str], typed: Sequence[str], control: str | None, treatment: str | None, *, everything: bool
) -> tuple[str, str | None]:
    """Return the control and the treatment, None for every other system; see `settle_roles`.

    Systems are in the order in which they were typed; in that of the table if a pattern found one.

    Raises
    ------
    MethodError
        There is only one system; or there are more than two, and the control or the treatment is not named.
    """
    named = [label for label in dict.fromkeys(typed) if label in systems]
    systems = named if len(named) == len(systems) else systems
    if len(systems) == 1:
        advice = "name two with --systems, or leave it out" if typed else "read the scores of another, too"
        raise MethodError(f"a comparison needs two systems, and there is only {systems[0]!r}; {advice}")
    control, treatment = settle_roles(systems, control, treatment)
    if control is None or (treatment is None and not everything):
        missing = "--control" if control is None else "--treatment, or take --all"
        raise MethodError(
            with_names(f"name the {missing}; the systems are ", list(map(repr, systems)), most=20, room=_ROOM)
        )
    return control, None if everything else treatment


def _share_judged(read: ReadOptions, *, quiet: bool) -> dict[str, Scores] | None:
    """Return the share of the documents looked at that were judged, if a measure of runs has a cutoff."""
    from podium.source.tool.trec_listing import lists_runs  # noqa: PLC0415  # only where a location file is read

    measure = read.measure or "@10"
    cutoff = re.search(r"(?:@|_)\s*(\d+)\s*$", measure)
    runs = bool(read.qrels) or (read.trec is not None and lists_runs(read.trec))
    if cutoff is None or measure.strip().lower().startswith("judged") or not runs:
        return None
    return {f"J@{cutoff[1]}": read.scores(quiet=quiet, measure=f"Judged@{cutoff[1]}")}


@partial(command, instead={"--before": "write before=SOURCE", "--after": "write after=SOURCE"})
def gate(
    *,
    margin: list[str] | None = option(
        METHOD,
        "N",
        "How much worse still passes. In units of the scores (0.01), or in percent of their scale (1%). "
        "For some tasks GLOB=N, as in 'safety/*=0'.",
    ),
    over: str = choice(
        METHOD, OVER, "Holds for these tasks (suite), or for other tasks like these (tasks).", default="suite"
    ),
    tasks_too: bool = flag(METHOD, "Fail, too, if one task is worse by more than its margin (Holm)."),
    must: list[str] | None = option(METHOD, "GLOB=N", "Least mean of the new run on some tasks, as in 'safety/*=1.0'."),
    budget: list[str] | None = option(
        METHOD, "NAME=N", "Most of a cost, as a multiple of the baseline: cost=1.1x,seconds=1.2x."
    ),
    unsure: str | None = choice(METHOD, UNSURE, "What CANNOT TELL counts as."),
    baseline_age: str | None = option(METHOD, "30d", "How old the baseline may be, by its log."),
    per_week: int | None = option(METHOD, "N", "Adjust for so many gates a week.", min=1),
    control: str | None = option(METHOD, "SYSTEM", "Of one table: the system to hold against."),
    treatment: str | None = option(METHOD, "SYSTEM", "Of one table: the new one."),
    confidence: float = confidence_option(heading=METHOD),
    strict: bool = flag(METHOD, "Refuse runs whose questions, or ways to ask them, differ."),
    read: PlainReadOptions,
    show: OutputOptions,
) -> int:
    """Hold a new run against a baseline: PASS, FAIL or CANNOT TELL.

    \b
    podium gate before=main/ after=pr/ --margin 0.01
    podium gate before=main/ after=pr/ --margin 1% --must 'safety/*=1.0'
    podium gate main/ pr/ --margin 0.01 --budget cost=1.1x -f github
    podium gate scores.csv --control old --treatment new --margin 0.01

    The first source is the baseline. It passes if the new run is better, or not
    worse by more than the margin; it fails if it is worse for sure; otherwise
    the scores cannot tell. Exit codes: 0 pass, 1 fail, 3 cannot tell.
    """  # noqa: D301
    if not margin:
        raise MethodError("how much worse still passes? give --margin, such as 0.01, 1% (of the scale) or 0")
    arguments: dict[str, Any] = {
        "margin": limits_of("--margin", [text if "=" in text else f"*={text}" for text in margin]),
        "over": over,
        "tasks_too": tasks_too,
        "must": limits_of("--must", must),
        "budget": limits_of("--budget", split(budget)),
        "unsure": unsure,
        "baseline_age": baseline_age,
        "per_week": per_week,
        "confidence_level": confidence,
        "strict": strict,
    }
    destination = show.destination()
    read.check(destination)
    if len(read.paths) == 1 or read.are_runs:
        scores = read.scores(quiet=show.quiet)
        if read.are_runs and len(scores.systems) == 2:
            control, treatment = settle_roles(scores.systems, control, treatment)
        if control is None or treatment is None:
            raise InputError(
                "this is one table; name a baseline and a new run, as in before=main/ after=pr/; or two of its "
                "systems, with --control and --treatment"
            )
        control, treatment = (
            system_named(scores.systems, *role) for role in (("control", control), ("treatment", treatment))
        )
        before, after = (scores.select(systems=[name]) for name in (control, treatment))
        found = podium.gate(before, after, names=(control, treatment), **arguments)
    else:
        names = list(read.named) or labels_of(read.paths)
        if len(names) != 2:
            raise InputError(
                f"a gate has a baseline and a new run, and there are {len(names):,} sources; name two, as in "
                "before=main/ after=pr/"
            )
        arguments |= {**read.file_arguments, **read.selection, "task_weights": weights_from(read.task_weights)}
        with Bar("reading", quiet=show.quiet) as bar:
            found = podium.gate(*read.paths, names=(names[0], names[1]), progress=bar, **arguments)
    destination.deliver(found)
    return found.exit_code


@command
def watch(
    *,
    baseline: str = option(METHOD, "SOURCE", "The run before the change, finished.", required=True),
    margin: str = option(
        METHOD,
        "N",
        "How much worse is still as good: in units of the scores (0.01), or in percent of --bounds (1%).",
        required=True,
    ),
    bounds: str = option(METHOD, "LOW,HIGH", "Least and largest score that there can be.", default="0,1"),
    every: float = option(METHOD, "SECONDS", "Time between two looks.", default=30.0),
    once: bool = flag(METHOD, "Look once."),
    confidence: float = confidence_option("That all looks together hold.", METHOD),
    read: PlainReadOptions,
) -> int:
    """Watch a new run come in, and stop as soon as it is decided.

    \b
    podium watch runs/after --baseline runs/before --margin 0.01
    podium watch logs/pr --baseline logs/main --margin 1% --every 60
    podium watch after.csv --baseline before.csv --margin 1 --bounds 0,100 --once

    Prints a line at each look, and ends when the new run is worse by more than
    the margin, or not worse by more than it. Unfinished logs count as far as
    they are. The interval holds at all looks together, however often one looks,
    if the order of the instances does not depend on how the runs differ: shuffle
    them. Exit codes: 0 not worse, 1 worse, 3 the run has ended, or was looked
    at once, and that is not known.
    """  # noqa: D301
    try:
        low, high = map(float, bounds.split(","))
    except ValueError:
        raise MethodError(f"--bounds {bounds!r} is not of the form LOW,HIGH, as in 0,100") from None
    if len(read.paths) != 1:
        raise InputError("watch looks at one new run; name it, and the baseline with --baseline")
    arguments = {**read.file_arguments, **read.selection, "task_weights": weights_from(read.task_weights)}
    arguments |= {"every": None if once else every, "confidence_level": confidence}
    code = 3
    for look in podium.watch(baseline, read.paths[0], margin=margin, bounds=(low, high), **arguments):
        print_content(f"{look}\n")
        code = look.exit_code
    return code


@dataclass(frozen=True, slots=True)
class EffectColumnOptions:
    """Options of the columns of a table of effects."""

    task_column: str | None = column("name of the task")
    effect_column: str | None = column("effect")
    variance_column: str | None = column("variance of the effect")
    std_error_column: str | None = column("standard error of the effect")
    r_column: str | None = column("correlation, instead of effect and variance")
    n_column: str | None = column("number of instances")
    group_column: str | None = column("subgroup of the task")
    cluster_column: str | None = column("cluster of tasks with related effects")


@command
def pool(
    source: str = argument("SOURCE", "A table of effects, or - for standard input."),
    *,
    input_format: str | None = INPUT_FORMAT,
    table: str | None = TABLE,
    columns: EffectColumnOptions,
    pooling: PoolingOptions,
    show: OutputOptions,
) -> None:
    """Combine known effects into one summary.

    \b
    podium pool effects.csv
    podium pool effects.csv --effect-column delta --std-error-column sigma
    podium pool effects.csv --diagnostics --plot baujat=baujat.pdf
    podium pool effects.csv --moderator size,domain
    podium pool correlations.csv --estimator dl --interval normal -f latex

    The table has one effect per row. Columns are recognised by their usual names: effect (estimate, yi) with variance
    (vi) or std_error (se), or correlations r with numbers n; and task (study), n, group, cluster.
    """  # noqa: D301
    destination = show.destination(pooling.plot, _PICTURES)
    refuse_sentence(pooling.sentence, destination)
    refuse_overwriting(destination, [source])
    given = podium.read_effects(
        source, format=input_format, table=table, moderators=split(pooling.moderator), **asdict(columns)
    )
    arguments, notes = pooling.arguments, list(given.notes)
    # an interval, or a tool to imitate, takes effects as independent
    options = {"--interval": pooling.interval, "--like": pooling.like}
    independent = next((f"{name} {value}" for name, value in options.items() if value is not None), "")
    if not arguments["cluster"] and not independent:
        arguments["cluster"] = given.clusters
    elif given.clusters and independent:
        notes.append(f"the column of clusters is not used, as {independent} takes effects as independent")
    analysis = podium.pool(
        given.effects,
        given.variances,
        **{name: getattr(given, name) for name in ("tasks", "kind", "n", "groups", "moderators")},
        diagnostics=pooling.diagnostics,
        notes=notes,
        **arguments,
    )
    pooling.deliver(analysis, destination)
