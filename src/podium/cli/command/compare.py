"""The command `compare`."""

import re
from collections.abc import Iterable, Sequence

import podium
from podium.base.errors import MethodError
from podium.base.words import few
from podium.cli.app import command
from podium.cli.option.comparison import (
    PICTURES,
    ComparisonOptions,
    ForestOptions,
    PoolingOptions,
    TaskPropertyOptions,
    TaskScoreOptions,
)
from podium.cli.option.engine import EngineOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.output import ShowOptions, Threads
from podium.score.table import Scores


@command
def compare(
    *,
    comparison: ComparisonOptions,
    pooling: PoolingOptions,
    properties: TaskPropertyOptions,
    task_scores: TaskScoreOptions,
    forest: ForestOptions,
    read: ReadOptions,
    engine: EngineOptions,
    show: ShowOptions,
    threads: Threads = None,
) -> None:
    """Compare two systems: how much better, and on which tasks.

    \b
    podium compare before=old/ after=new/ --margin 0.01
    podium compare scores.csv --control A --treatment B
    podium compare scores.csv --control A --treatment B -e smd --plot forest.svg
    podium compare scores.csv --control A --all --group 'inference=*nli,rte'
    podium compare scores.csv --task-table tasks.csv --moderator size
    podium compare --trec config.yaml --measure nDCG@10 --plot forest.pdf

    Scores are paired by instance. A positive effect means that the treatment is better, also on tasks where lower
    scores are better. The first sentence is about these tasks, the second about other tasks like these: random effects
    pool the tasks, and the summary has an interval, how much the tasks differ, and what to expect of a new task.
    "without" is the summary without that task. Of two systems the first is the control: the first of the input, or of
    --systems where it names both. Sources with names, or two runs of one system, are systems.

    One score per task: the sign test, Wilcoxon's signed-rank test, Student's t and the Bayesian signed-rank test over
    tasks; with --all also Friedman's test with Iman and Davenport's F and Nemenyi's critical difference.
    """  # noqa: D301
    if comparison.everything and forest.plot is not None:
        raise MethodError("--plot draws one comparison; name one system with --treatment, or leave --plot out")
    if comparison.everything and comparison.margin is not None:
        raise MethodError("--margin is about one comparison; name one system with --treatment, or leave it out")
    if comparison.everything and properties.diagnostics:
        raise MethodError("--diagnostics is about one comparison; name one system with --treatment, or take -f json")
    properties.check_pictures(forest.pictures)
    destination = show.destination(forest.pictures, PICTURES)
    read.refuse_overwriting(destination, beside=[properties.task_table])
    engine.use()
    scores = read.scores(quiet=show.quiet)
    typed = read.selection.arguments["systems"] or ()
    control, treatment = _roles(_as_typed(scores.systems, typed), comparison, chosen=bool(typed))
    if scores.task_level:
        _refuse_idle(comparison, pooling, properties, forest)
        options = {**task_scores.arguments, "confidence": pooling.confidence}
        destination.deliver(podium.compare_task_scores(scores, control=control, treatment=treatment, **options))
        return
    task_scores.refuse_instances()
    told = {**comparison.arguments, **pooling.arguments, "moderators": properties.read(), "threads": threads}
    told["beside"] = _judged(read, quiet=show.quiet)
    with show.bar("counting") as bar:
        result = (
            podium.compare_all(scores, control=control, progress=bar, **told)
            if treatment is None
            else podium.compare(
                scores,
                control=control,
                treatment=treatment,
                diagnostics=properties.diagnostics,
                margin=comparison.margin,
                progress=bar,
                **told,
            )
        )
    destination.deliver(result, styles=forest.styles)


def _refuse_idle(
    comparison: ComparisonOptions, pooling: PoolingOptions, properties: TaskPropertyOptions, forest: ForestOptions
) -> None:
    """Refuse, of one score per task, options that need the variance of an effect.

    Raises
    ------
    MethodError
        One of them is given.
    """
    asked = {
        f"--effect {comparison.effect}": comparison.effect != "md",
        "--group": comparison.groups,
        "--margin": comparison.margin,
        "--estimator": pooling.estimator,
        "--interval": pooling.interval,
        "--cluster": pooling.cluster,
        "--like": pooling.like,
        "--moderator": properties.moderator,
        "--diagnostics": properties.diagnostics,
        "--plot": forest.plot,
    }
    for option, given in asked.items():
        if given:
            raise MethodError(
                f"{option} needs scores of instances: these are one per task, so the variance of an effect is unknown; "
                "leave it out, or pool known effects and variances (podium pool)"
            )


def _as_typed(systems: Sequence[str], typed: Iterable[str]) -> Sequence[str]:
    """Return the systems in the order in which they were typed; in that of the table where a pattern found one."""
    named = [label for label in dict.fromkeys(typed) if label in systems]
    return named if len(named) == len(systems) else systems


def _roles(systems: Sequence[str], asked: ComparisonOptions, *, chosen: bool) -> tuple[str, str | None]:
    """Settle who is compared with whom; of two systems the first is the control, unless one or both have a role.

    No treatment stands for every other system.

    Raises
    ------
    MethodError
        There is only one system, which the user has `chosen` or not; or there are more than two, and the control or the
        treatment is not named.
    """
    control, treatment = asked.control, asked.treatment
    if len(systems) == 1:
        advice = "name two with --systems, or leave it out" if chosen else "read the scores of another, too"
        raise MethodError(f"a comparison needs two systems, and there is only {systems[0]!r}; {advice}")
    if len(systems) == 2:
        control = control or next((label for label in systems if label != treatment), systems[0])
        treatment = treatment or next((label for label in systems if label != control), systems[1])
    if asked.everything and control is not None:
        return control, None
    if control is None or treatment is None:
        missing = "--control" if control is None else "--treatment, or take --all"
        raise MethodError(f"name the {missing}; the systems are {few([repr(label) for label in systems], 20)}")
    return control, treatment


def _judged(read: ReadOptions, *, quiet: bool) -> dict[str, Scores] | None:
    """Share of the documents looked at that were judged, where a measure of runs has a cutoff."""
    if not read.has_runs():
        return None
    measure = read.files.measure or "@10"
    cutoff = re.search(r"@\s*(\d+)\s*$", measure)
    if cutoff is None or measure.strip().lower().startswith("judged"):
        return None
    return {f"J@{cutoff[1]}": read.scores(quiet=quiet, measure=f"Judged@{cutoff[1]}")}
