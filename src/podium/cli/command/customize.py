"""The command `customize`."""

from typing import Annotated, Any

import podium
from podium.base.errors import InputError, MethodError
from podium.cli.app import command
from podium.cli.option.bootstrap import IntervalOptions
from podium.cli.option.input import ReadOptions
from podium.cli.option.output import ShowOptions, Threads, plot_option
from podium.cli.option.split import EarningOptions, SplitOptions
from podium.score.table import Scores

#: Scores times replicates up to which intervals are made without being asked for.
_QUICK = 5 * 10**8

_PICTURES = ("parallel", "moves", "difficulty")

Plot = Annotated[list[str] | None, plot_option(_PICTURES)]


@command
def customize(
    *,
    split: SplitOptions,
    earning: EarningOptions,
    bootstrap: IntervalOptions,
    read: ReadOptions,
    show: ShowOptions,
    plot: Plot = None,
    threads: Threads = None,
) -> None:
    """Weigh a leaderboard by the difficulty of its instances.

    \b
    podium customize scores.parquet --difficulty difficulty.parquet --splits 7 --reward 1 --penalty -1
    podium customize predictions.parquet --gold samples.parquet --difficulty bias.parquet
    podium customize predictions.parquet --gold samples.parquet --probability confidence --plot parallel=splits.svg
    podium customize scores.csv --difficulty failures --by quantiles --splits 0.5,0.9 --split-weights 1,2,5

    Instances are sorted by difficulty and divided into splits; harder splits weigh more. A right answer earns the
    reward, a wrong answer the penalty. A system with only right answers scores 100. "leads" is the share of all
    weightings of the splits for which a system is first. Scores must lie between 0 and 1.
    """  # noqa: D301
    _check_table(read, split)
    destination = show.destination(plot, _PICTURES)
    # confidences are in the files of the scores, which are then read twice
    read.refuse_overwriting(destination, beside=read.sources if split.probability else [split.file])
    scores = read.plain_scores(quiet=show.quiet)
    rated = _rated(scores, read, split, quiet=show.quiet)
    intervals = bootstrap.intervals
    if intervals is None:
        intervals = scores.n_cells * bootstrap.replicates <= _QUICK
        if not intervals:
            destination.mention("intervals are left out, because they take long; add --intervals")
    with show.bar("resampling") as bar:
        customized = podium.customize(
            scores,
            rated,
            splits=split.splitting,
            weights=earning.weighting,
            measure=None if split.file is None else read.weighing.difficulty_column,
            strict=read.weighing.strict,
            confidence=bootstrap.confidence if intervals else None,
            replicates=bootstrap.replicates,
            seed=bootstrap.seed,
            threads=threads,
            progress=bar,
        )
    destination.deliver(customized)


def _rated(scores: Scores, read: ReadOptions, split: SplitOptions, *, quiet: bool) -> Any:
    """Difficulty or confidences of the instances, from where they are said to be."""
    if split.probability is not None:
        return read.column(split.probability, quiet=quiet)
    if split.file is not None:
        named = split.splitting.splits
        return read.weighing.difficulty(split.file, splits=named if isinstance(named, str) else None)
    if split.difficulty == "failures":
        return podium.failure_rate(scores)
    return podium.item_response(scores, together=split.level == "one" and len(scores.tasks) > 1)


def _check_table(read: ReadOptions, split: SplitOptions) -> None:
    """See that nothing is said of a table that is not there."""
    weighing = read.weighing
    if weighing.instance_weights is not None:
        raise MethodError(
            "customize takes its weights from --difficulty or --probability; leave --instance-weights out"
        )
    told = {"--difficulty-column": weighing.difficulty_column is not None, "--hard": weighing.hard is not None}
    if not split.probability:  # whose own instances can be missing too
        told["--strict"] = weighing.strict
    idle = [option for option, said in told.items() if said]
    if idle and split.file is None:
        raise InputError(f"{idle[0]} needs a table of difficulties, and there is none; leave {idle[0]} out")
