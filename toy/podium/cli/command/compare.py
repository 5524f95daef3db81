"""The commands about two systems: compare, pool."""

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

import podium
from podium.base.check import check_confidence
from podium.base.errors import MethodError
from podium.base.words import few
from podium.cli.app import ENDING, app
from podium.cli.input import Request, spare, takes_input
from podium.cli.option import comparison as effect_options
from podium.cli.option import read as options
from podium.cli.output import Destination
from podium.cli.picture import Forest
from podium.cli.progress import Bar
from podium.comparison.effect import EFFECT_SIZES
from podium.comparison.heterogeneity import ESTIMATORS
from podium.comparison.pooling import INTERVALS
from podium.score.table import Scores
from podium.source.path import FORMATS


@app.command(epilog=ENDING)
@takes_input
def compare(
    *,
    request: Request,
    control: effect_options.Control = None,
    treatment: effect_options.Treatment = None,
    everything: effect_options.All = False,
    effect: effect_options.Effect = "md",
    estimator: effect_options.Estimator = None,
    interval: effect_options.Interval = None,
    confidence: effect_options.Coverage = 0.95,
    like: effect_options.Like = None,
    groups: effect_options.Groups = None,
    plot: effect_options.Forest = None,
    sort: effect_options.Sort = None,
    left: effect_options.Left = None,
    right: effect_options.Right = None,
    title: effect_options.Title = None,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare two systems: the effect on every task, and what that amounts to.

    Scores are paired by instance. Positive is better for the treatment, also where lower scores are better. Effects
    are pooled by random effects, with the interval of the summary, how much tasks differ, and what to expect of a new
    one. "without" is the summary without each task. Of a table of two systems the first is the control unless you say.

    \b
    podium compare scores.parquet --control A --treatment B
    podium compare scores.parquet --control A --treatment B -e smd --plot forest.svg
    podium compare scores.parquet --control A --all -o all.csv
    podium compare scores.csv --control A --treatment B --group 'inference=*nli,rte' --like ranger
    podium compare --trec config.yaml --measure nDCG@10 --plot forest.pdf
    """  # noqa: D301
    pooling = _pooling(estimator, interval, confidence, like)
    options.check_choice("effect", effect, EFFECT_SIZES)
    if everything and treatment is not None:
        raise MethodError(f"--all compares every system with the control; leave it out, or --treatment {treatment}")
    if everything and plot is not None:
        raise MethodError("--plot draws one comparison; name its --treatment, or leave the plot out")
    below = effect_options.groups_from(groups)
    destination = Destination.of(format, output, quiet=quiet)
    forest = Forest.of(plot, beside=destination.path, sort=sort, left=left, right=right, title=title)
    for path in (destination.path, plot):
        request.spare(path)
    scores = request.scores(quiet=quiet)
    control, treatment = _roles(scores.systems, control, treatment, everything=everything)
    shared: dict[str, Any] = {
        "effect": effect,
        "groups": below,
        "threads": threads,
        **pooling,
    }
    beside = _judged(request, quiet=quiet)
    with Bar("counting", quiet=quiet) as bar:
        if treatment is None:
            destination.put(podium.compare_all(scores, control=control, beside=beside, progress=bar, **shared))
            return
        analysis = podium.compare(scores, control=control, treatment=treatment, beside=beside, progress=bar, **shared)
    forest.put(analysis)
    destination.put(analysis)


def _roles(
    systems: Sequence[str], control: str | None, treatment: str | None, *, everything: bool
) -> tuple[str, str | None]:
    """Settle who is compared with whom; of two systems, the one that is not named is the other.

    Raises
    ------
    MethodError
        That is not settled.
    """
    if everything and control is not None:
        return control, None
    if len(systems) == 2 and not everything:
        first = control or next((label for label in systems if label != treatment), systems[0])
        return first, treatment or next((label for label in systems if label != first), systems[1])
    if control is None or treatment is None:
        missing = "--control" if control is None else "--treatment, or take --all"
        raise MethodError(f"name the {missing}; there are {few([repr(label) for label in systems], 20)}")
    return control, treatment


def _judged(request: Request, *, quiet: bool) -> dict[str, Scores] | None:
    """Share of the documents looked at that were judged, where a measure of runs has a cutoff."""
    if not request.has_runs():
        return None
    measure = request.measure or "@10"
    cutoff = re.search(r"@\s*(\d+)\s*$", measure)
    if cutoff is None or measure.strip().lower().startswith("judged"):
        return None
    return {f"J@{cutoff[1]}": request.scores(quiet=quiet, measure=f"Judged@{cutoff[1]}")}


@app.command(epilog=ENDING)
def pool(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A table of effects, or - for standard input.")],
    *,
    task: Annotated[str | None, effect_options.role("--task", "label of each row")] = None,
    effect: Annotated[str | None, effect_options.role("--effect", "effect")] = None,
    variance: Annotated[str | None, effect_options.role("--variance", "sampling variance of the effect")] = None,
    std_error: Annotated[str | None, effect_options.role("--std-error", "standard error of the effect")] = None,
    r: Annotated[str | None, effect_options.role("--r", "correlation, in place of effect and variance")] = None,
    n: Annotated[str | None, effect_options.role("--n", "number of instances")] = None,
    group: Annotated[str | None, effect_options.role("--group", "subgroup of each row")] = None,
    input_format: options.InputFormat = None,
    table: options.Table = None,
    estimator: effect_options.Estimator = None,
    interval: effect_options.Interval = None,
    confidence: effect_options.Coverage = 0.95,
    like: effect_options.Like = None,
    plot: effect_options.Forest = None,
    sort: effect_options.Sort = None,
    left: effect_options.Left = None,
    right: effect_options.Right = None,
    title: effect_options.Title = None,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Pool effects that are known already, from a table with one per row.

    Columns are recognised by their usual names: effect (estimate, yi) with variance (vi) or std_error (se); or
    correlations r with numbers n; and task (study), n, group.

    \b
    podium pool effects.csv
    podium pool effects.csv --effect delta --std-error sigma --plot forest.pdf
    podium pool correlations.csv --estimator dl --interval normal -f latex
    """  # noqa: D301
    pooling = _pooling(estimator, interval, confidence, like)
    options.check_choice("input format", input_format, FORMATS)
    destination = Destination.of(format, output, quiet=quiet)
    forest = Forest.of(plot, beside=destination.path, sort=sort, left=left, right=right, title=title)
    for path in (destination.path, plot):
        spare(path, [source])
    columns = {"task": task, "effect": effect, "variance": variance, "std_error": std_error, "r": r, "n": n}
    given = podium.read_effects(source, format=input_format, table=table, **columns, group=group)
    analysis = podium.pool(
        given.effects,
        given.variances,
        tasks=given.tasks,
        kind=given.kind,
        n=given.n,
        groups=given.groups,
        notes=given.notes,
        **pooling,
    )
    forest.put(analysis)
    destination.put(analysis)


def _pooling(estimator: str | None, interval: str | None, confidence: float, like: str | None) -> dict[str, Any]:
    """Check how to pool before anything is read."""
    options.check_choice("estimator", estimator, ESTIMATORS)
    options.check_choice("interval", interval, INTERVALS)
    options.check_choice("tool to be like", like, ("ranger",))
    check_confidence(confidence)
    return {"estimator": estimator, "interval": interval, "confidence": confidence, "like": like}
