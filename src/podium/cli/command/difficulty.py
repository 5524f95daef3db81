"""The commands that rate instances: difficulty bias, similarity, failures, irt."""

from dataclasses import asdict
from typing import Annotated

import click

from podium.base.spill import bytes_of
from podium.cli.app import ENDING, Group
from podium.cli.option.difficulty import BiasOptions, OneSetOrTwoOptions, SimilarityOptions, TwoSetsOptions, percents
from podium.cli.option.input import PlainReadOptions, refuse_overwriting
from podium.cli.option.option import option
from podium.cli.option.output import Jobs, OutputOptions, Threads


@click.group(cls=Group, invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]...", epilog=ENDING)
@click.pass_context
def difficulty(context: click.Context) -> None:
    """Rate how difficult each instance is.

    \b
    podium difficulty irt scores.csv
    podium difficulty failures scores.csv -o difficulty.csv
    podium difficulty bias --test test.csv -o difficulty.csv
    podium difficulty similarity --train train.csv --test test.csv

    From the texts of a test set (bias), from a training set (similarity), or from the scores of systems (failures,
    irt). The file of -o holds every instance; without -o there is a summary.
    """  # noqa: D301
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@difficulty.enter
def bias(*, sets: OneSetOrTwoOptions, method: BiasOptions, show: OutputOptions, jobs: Jobs = None) -> None:
    """Rate instances by how often simple classifiers get them right.

    \b
    podium difficulty bias --test test.csv -o difficulty.csv
    podium difficulty bias --train train.csv --test test.csv --probabilities
    podium difficulty bias --test test.csv --encoder hf:models/roberta-base
    podium difficulty bias --test test.csv --embeddings test.npy

    An instance that simple classifiers get right has a spurious bias: it is easy for a shallow reason. Without a
    training set, linear models learn from parts of the test set and answer the rest. With a training set, four
    classifiers learn from it.
    """  # noqa: D301
    from podium.difficulty.api import spurious_bias  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    refuse_overwriting(destination, sets.files)
    rated, learnt = sets.read()
    with show.bar("rating") as bar:
        difficulty = spurious_bias(rated, learnt, encoder=sets.texts.encoder, **asdict(method), jobs=jobs, progress=bar)
    destination.deliver(difficulty)


@difficulty.enter
def similarity(
    *, sets: TwoSetsOptions, method: SimilarityOptions, show: OutputOptions, threads: Threads = None
) -> None:
    """Rate instances by their distance from the training set.

    \b
    podium difficulty similarity --train train.csv --test test.csv
    podium difficulty similarity --train a.csv --test b.csv --top-percent 1,5,25

    The mean cosine similarity of an instance to the nearest p % of the training set; low similarity is hard.
    """  # noqa: D301
    from podium.difficulty.api import similarity  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    refuse_overwriting(destination, sets.files)
    rated, learnt = sets.read()
    top_percent, memory = percents(method.top_percent), bytes_of(method.memory)
    with show.bar("rating") as bar:
        difficulty = similarity(
            rated,
            learnt,
            top_percent=top_percent,
            encoder=sets.texts.encoder,
            memory=memory,
            threads=threads,
            progress=bar,
        )
    destination.deliver(difficulty)


@difficulty.enter
def failures(*, read: PlainReadOptions, show: OutputOptions) -> None:
    """Rate instances by the share of systems that fail them.

    \b
    podium difficulty failures scores.parquet -o difficulty.parquet
    podium difficulty failures scores.parquet --systems 'old-*' --lower error

    1 − the mean score of the instance. Scores must lie between 0 and 1; missing scores are left out.
    """  # noqa: D301
    from podium.difficulty.api import failure_rate  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    read.refuse_overwriting(destination)
    destination.deliver(failure_rate(read.scores(quiet=show.quiet)))


Together = Annotated[
    bool,
    option(
        "--together",
        meaning="Give each system one ability for all tasks, so that tasks share a scale.",
        heading="Method",
    ),
]


Suspects = Annotated[
    bool,
    option(
        "--suspects",
        meaning="Look for instances on which better systems do worse, as if their labels were wrong.",
        heading="Method",
    ),
]


@difficulty.enter
def irt(*, together: Together = False, suspects: Suspects = False, read: PlainReadOptions, show: OutputOptions) -> None:
    """Rate instances by an item response model.

    \b
    podium difficulty irt scores.parquet -o difficulty.parquet
    podium difficulty irt scores.parquet --together -f json
    podium difficulty irt scores.parquet --suspects

    The two-parameter logistic model gives each instance a difficulty and a discrimination, task by task. An instance is
    hard if only an able system solves it. Scores must lie between 0 and 1; missing scores are left out.
    """  # noqa: D301
    from podium.difficulty.api import item_response  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    read.refuse_overwriting(destination)
    scores = read.scores(quiet=show.quiet)
    with show.bar("fitting") as bar:
        difficulty = item_response(scores, together=together, suspects=suspects, progress=bar)
    destination.deliver(difficulty)
