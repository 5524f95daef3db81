"""The commands about rankings: rank, agree, plan, info, datasets."""

import podium
from podium.base.check import UNITS
from podium.cli.app import ENDING, app
from podium.cli.input import Request, takes_input
from podium.cli.option import read as options
from podium.cli.output import Destination, show
from podium.cli.picture import Pictures
from podium.cli.progress import Bar
from podium.ranking.ballot import MISSING
from podium.ranking.method.method import METHODS
from podium.ranking.method_spec import LEVELS
from podium.report.table import Column, Table
from podium.report.view import View

#: Scores times replicates up to which intervals are made without being asked for.
_QUICK = 2 * 10**9

#: Systems up to which they are made by methods that rank one replicate after the other.
_FEW = 20


@app.command(epilog=ENDING)
@takes_input
def rank(
    *,
    method: options.Method = "borda",
    level: options.Level = None,
    missing: options.Missing = None,
    prior: options.Prior = 0.0,
    time_limit: options.TimeLimit = None,
    request: Request,
    intervals: options.Sure = None,
    confidence: options.Confidence = 0.95,
    units: options.Units = None,
    replicates: options.Replicates = 1000,
    seed: options.Seed = 0,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    plot: options.Plot = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Rank systems, best first, and say how sure that is.

    GLOBS are names or patterns of names; separate several by commas, or repeat the option. A comma in a name is
    written \\, as in --lower 'speed\\, ms'.

    \b
    podium rank scores.csv
    podium rank 'runs/*.parquet' --level two --lower ter,latency -o board.json
    podium rank results.csv --system model --score acc --method mean
    podium rank scores.csv --plot heatmap=pairs.svg --plot ranks=ranks.pdf
    podium rank - --input-format jsonl -f markdown < scores.jsonl
    """  # noqa: D301
    options.check_choice("method", method, METHODS)
    options.check_choice("level", level, LEVELS)
    options.check_choice("missing", missing, MISSING)
    options.check_choice("resampling unit", units, UNITS)
    destination = Destination.of(format, output, quiet=quiet)
    pictures = Pictures.of(plot, beside=destination.path)
    intervals = pictures.settle(intervals)
    for path in (destination.path, *(path for _, path in pictures.wanted)):
        request.spare(path)
    scores = request.scores(quiet=quiet)
    if intervals is None:
        slow = METHODS[method].slow and len(scores.systems) > _FEW
        intervals = scores.n_cells * replicates <= _QUICK and not slow
        if not intervals:
            destination.mention("no intervals, which would take a while here; ask with --intervals")
    with Bar("counting", quiet=quiet) as bar:
        ranking = podium.rank(
            scores,
            method,
            level=level,
            missing=missing,  # type: ignore[arg-type]  # checked above
            prior=prior,
            time_limit=time_limit,
            confidence=confidence if intervals else None,
            units=units,
            replicates=replicates,
            seed=seed,
            threads=threads,
            progress=bar,
        )
    destination.put(ranking)
    pictures.put(scores, ranking, level=level, confidence=confidence, threads=threads, quiet=quiet)


@app.command(epilog=ENDING)
@takes_input
def agree(
    *,
    methods: options.Methods = None,
    request: Request,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Rank in several ways, and show how far they agree and which systems move.

    Kendall's tau-b between the rankings; their distance (0 same, 1 reversed) and the share of the top systems they
    have in common, least agreeing pairs first; the systems whose ranks differ most. JSON and CSV hold all systems.

    \b
    podium agree scores.csv
    podium agree scores.csv --methods mean,borda:one,borda:two
    podium agree dataset:xtreme-missing -f json
    """  # noqa: D301
    ways = options.split(methods)
    options.check_ways(ways)
    destination = Destination.of(format, output, quiet=quiet)
    request.spare(destination.path)
    scores = request.scores(quiet=quiet)
    with Bar("counting", quiet=quiet) as bar:
        agreement = podium.agree(scores, ways or None, threads=threads, progress=bar)
    destination.put(agreement)


@app.command(epilog=ENDING)
@takes_input
def plan(
    *,
    method: options.Method = "borda",
    level: options.Level = None,
    missing: options.Missing = None,
    prior: options.Prior = 0.0,
    time_limit: options.TimeLimit = None,
    request: Request,
    confidence: options.Confidence = 0.95,
    power: options.Power = 0.8,
    units: options.Units = None,
    replicates: options.Replicates = 1000,
    seed: options.Seed = 0,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Show how much more data would separate neighbours, and which missing scores to add first.

    Instances (or tasks) needed by the bootstrap, and direct comparisons needed by Hoeffding's bound, if the
    differences seen now are the true ones. The value of a missing score is the number of pairs of systems that it is
    expected to decide. CSV holds all pairs, JSON all pairs and all missing scores.

    \b
    podium plan scores.parquet
    podium plan scores.csv --method mean --units tasks --power 0.9
    podium plan dataset:xtreme-missing -f json
    """  # noqa: D301
    options.check_choice("method", method, METHODS)
    options.check_choice("level", level, LEVELS)
    options.check_choice("missing", missing, MISSING)
    options.check_choice("units", units, UNITS)
    destination = Destination.of(format, output, quiet=quiet)
    request.spare(destination.path)
    scores = request.scores(quiet=quiet)
    with Bar("counting", quiet=quiet) as bar:
        planned = podium.plan(
            scores,
            method,
            level=level,
            missing=missing,  # type: ignore[arg-type]  # checked above
            prior=prior,
            time_limit=time_limit,
            confidence=confidence,
            power=power,
            units=units,
            replicates=replicates,
            seed=seed,
            threads=threads,
            progress=bar,
        )
    destination.put(planned)


@app.command(epilog=ENDING)
@takes_input
def info(
    *,
    request: Request,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Show what a table holds and lacks.

    Shape, missing scores by task and by system, directions, weights, ties, and near-ties: pairs of scores that
    differ by at most 1e-9 without being equal.

    GLOBS are names or patterns of names; separate several by commas, or repeat the option. A comma in a name is
    written \\, as in --lower 'speed\\, ms'.

    \b
    podium info scores.csv
    podium info dataset:xtreme-missing -f markdown
    """  # noqa: D301
    destination = Destination.of(format, output, quiet=quiet)
    request.spare(destination.path)
    scores = request.scores(quiet=quiet)
    with Bar("counting", quiet=quiet) as bar:
        description = podium.describe(scores, threads=threads, progress=bar)
    destination.put(description)


@app.command(epilog=ENDING)
def datasets() -> None:
    """List the built-in data sets.

    \b
    podium datasets
    podium rank dataset:toy-table1
    """  # noqa: D301
    names = podium.datasets.names()
    shapes = (repr(podium.datasets.load(name)).removeprefix("Scores(").removesuffix(")") for name in names)
    columns = (Column.words("source", [f"dataset:{name}" for name in names]), Column.words("holds", shapes))
    show(View("built-in data sets", (Table(columns),)))
