"""The command about weights by difficulty: customize."""

from pathlib import Path
from typing import Any

import podium
from podium.base.errors import InputError, MethodError
from podium.cli.app import ENDING, app
from podium.cli.input import Request, spare, takes_input
from podium.cli.option import read as options
from podium.cli.option import split as split_options
from podium.cli.output import Destination
from podium.cli.picture import named_files
from podium.cli.progress import Bar
from podium.customization.split import BOX_LEVELS, SPLITTINGS, TIES
from podium.difficulty.result import Difficulty
from podium.report.draw.file import save
from podium.score.table import Scores

#: Scores times replicates up to which intervals are made without being asked for.
_QUICK = 5 * 10**8


@app.command(epilog=ENDING)
@takes_input
def customize(
    *,
    request: Request,
    difficulty: split_options.DifficultyFile = None,
    probability: split_options.Probability = None,
    splits: split_options.Splits = "7",
    by: split_options.By = None,
    split_weights: split_options.SplitWeights = None,
    reward: split_options.Reward = None,
    penalty: split_options.Penalty = None,
    case: split_options.Case = None,
    ties: split_options.Ties = "share",
    level: split_options.BoxLevel = None,
    intervals: options.Sure = None,
    confidence: options.Confidence = 0.95,
    replicates: options.Replicates = 1000,
    seed: options.Seed = 0,
    format: options.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    plot: split_options.SplitPlot = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Weigh a leaderboard by difficulty: hard instances count more, wrong answers cost.

    Scores must lie between 0 and 1. Instances are put in order of difficulty and divided into splits, each with its
    weight; a right answer earns the reward, a wrong one the penalty. The score is 100 for all right. "leads" is the
    share of all weightings of the splits in which a system is first.

    \b
    podium customize scores.parquet --difficulty difficulty.parquet --splits 7 --reward 1 --penalty -1
    podium customize predictions.parquet --gold samples.parquet --difficulty bias.parquet
    podium customize predictions.parquet --gold samples.parquet --probability confidence --plot parallel=splits.svg
    podium customize scores.csv --difficulty failures --by quantiles --splits 0.5,0.9 --split-weights 1,2,5
    """  # noqa: D301
    options.check_choice("way to split", by, SPLITTINGS)
    options.check_choice("level", level, BOX_LEVELS)
    options.check_choice("way with ties", ties, TIES)
    _check_source(request, difficulty, probability)
    destination = Destination.of(format, output, quiet=quiet)
    pictures = named_files(plot, split_options.SPLIT_PICTURES, beside=destination.path)
    file = None if difficulty is None or difficulty in split_options.MODEL_FREE else Path(difficulty)
    for path in (destination.path, *(path for _, path in pictures)):
        request.spare(path)
        spare(path, [file])
    parts = split_options.splits_from(splits)
    scores = request.plain_scores(quiet=quiet)
    if probability is not None:
        rated: Any = request.column(probability, quiet=quiet)
    elif file is not None:
        rated = request.rating.difficulty(file, splits=parts if isinstance(parts, str) else None)
    else:
        rated = _taken_from(scores, str(difficulty), level)
    if intervals is None:
        intervals = scores.n_cells * replicates <= _QUICK
        if not intervals:
            destination.mention("no intervals, which would take a while here; ask with --intervals")
    with Bar("drawing", quiet=quiet) as bar:
        customized = podium.customize(
            scores,
            rated,
            splits=parts,
            by=by,
            weights=split_options.split_weights_from(split_weights),
            reward=reward,
            penalty=penalty,
            case=case,
            ties=ties,
            level=level,
            measure=None if file is None else request.rating.column,
            strict=request.rating.strict,
            confidence=confidence if intervals else None,
            replicates=replicates,
            seed=seed,
            threads=threads,
            progress=bar,
        )
    for name, path in pictures:
        save(customized.plot(name), path)
    destination.put(customized)


def _taken_from(scores: Scores, measure: str, level: str | None) -> Difficulty:
    """Difficulty by who solves what; where all tasks are in one box, on one scale."""
    if measure == "failures":
        return podium.failures(scores)
    return podium.item_response(scores, together=level == "one" and len(scores.tasks) > 1)


def _check_source(request: Request, difficulty: str | None, probability: str | None) -> None:
    """See that difficulty comes from one place, and that nothing is said of another."""
    if (difficulty is None) == (probability is None):
        what = "only one of them" if difficulty else "one of them, or failures or irt to take it from the scores"
        raise MethodError(
            f"difficulty comes from a table (--difficulty FILE) or from confidences (--probability COLUMN); say {what}"
        )
    if request.rating.file is not None:
        raise MethodError("customize weighs by --difficulty or --probability; leave --instance-weights out")
    if probability and "-" in request.sources:
        raise InputError(
            "--probability reads the sources twice, and standard input (-) can be read only once; save it as a file, "
            "and name that"
        )
    told = {"--difficulty-column": request.rating.column is not None, "--hard": request.rating.hard is not None}
    if not probability:  # whose own instances can be missing too
        told["--strict"] = request.rating.strict
    idle = [option for option, said in told.items() if said]
    if idle and (probability or difficulty in split_options.MODEL_FREE):
        raise InputError(f"{idle[0]} is about a table of difficulties, and there is none; leave it out")
