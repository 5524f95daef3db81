"""The commands that rate instances: difficulty bias, similarity, failures, irt."""

from dataclasses import asdict
from typing import Annotated

import typer

from podium.cli.app import ENDING, app, enter
from podium.cli.input import Read, spare
from podium.cli.option.difficulty import Bias, OneSetOrTwo, Similarity, TwoSets, percents
from podium.cli.option.option import option
from podium.cli.output import Partial
from podium.cli.show import Jobs, Show, Threads

_group = typer.Typer(epilog=ENDING, rich_markup_mode=None)

app.add_typer(_group, name="difficulty")


@_group.callback(invoke_without_command=True)
def root(context: typer.Context) -> None:
    """Rate how difficult instances are.

    From the texts of a test set (bias), from what a training set has (similarity), or from the scores of systems
    (failures, irt). With -o a file that holds every instance; without it, a summary.

    \b
    podium difficulty bias --test test.parquet -o difficulty.parquet
    podium difficulty bias --train train.parquet --test test.parquet -o difficulty.parquet
    podium difficulty similarity --train train.parquet --test test.parquet --top 1,5,25 -o difficulty.parquet
    podium difficulty failures scores.parquet -o difficulty.csv
    podium difficulty irt scores.parquet
    """  # noqa: D301
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@enter(_group)
def bias(*, sets: OneSetOrTwo, method: Bias, show: Show, jobs: Jobs = None) -> None:
    """Rate test instances by spurious bias: how often simple classifiers of their embeddings are right.

    Without a training set, linear models learn from parts of the test set and answer the rest; with one, four
    classifiers learn from it. What they get right is easy for a shallow reason. A run with -o that was interrupted goes
    on from FILE.partial beside the output.

    \b
    podium difficulty bias --test test.parquet -o difficulty.parquet
    podium difficulty bias --train train.parquet --test test.parquet --probabilities -o difficulty.parquet
    podium difficulty bias --test test.csv --encoder hf:models/roberta-base --fine-tune -o difficulty.parquet
    podium difficulty bias --test test.csv --embeddings test.npy --gold-column label
    """  # noqa: D301
    from podium.difficulty.api import spurious_bias  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    within = method.algorithm == 1 or (method.algorithm is None and sets.train is None)
    partial = Partial.beside(destination.path if within else None)
    for path in (destination.path, partial.path):
        spare(path, sets.files)
    rated, learnt = sets.read()
    partial.announce(destination)
    with partial.kept(destination), show.bar("rating") as bar:
        difficulty = spurious_bias(
            rated,
            learnt,
            encoder=sets.texts.encoder,
            **asdict(method),
            jobs=jobs,
            checkpoint=partial.path,
            progress=bar,
        )
    destination.put(difficulty)
    partial.remove()


@enter(_group)
def similarity(*, sets: TwoSets, method: Similarity, show: Show, threads: Threads = None) -> None:
    """Rate test instances by their similarity to the training set: what is far from it is hard.

    The mean cosine similarity of an instance to the nearest p % of the training set.

    \b
    podium difficulty similarity --train train.parquet --test test.parquet -o difficulty.parquet
    podium difficulty similarity --train train.csv --test test.csv --top 1,5,25 --encoder hf:models/roberta-base
    """  # noqa: D301
    from podium.difficulty.api import similarity  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    spare(destination.path, sets.files)
    rated, learnt = sets.read()
    top, memory = percents(method.top), method.memory * 2**20
    with show.bar("rating") as bar:
        difficulty = similarity(
            rated, learnt, top=top, encoder=sets.texts.encoder, memory=memory, threads=threads, progress=bar
        )
    destination.put(difficulty)


@enter(_group)
def failures(*, read: Read, show: Show) -> None:
    """Rate instances by the share of systems that fail them.

    1 − the mean of their scores, which lie between 0 and 1; missing ones are left out.

    \b
    podium difficulty failures scores.parquet -o difficulty.parquet
    podium difficulty failures scores.parquet --systems 'old-*' --lower error
    """  # noqa: D301
    from podium.difficulty.api import failures  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    read.spare(destination.path)
    read.weighing.refuse_idle()
    destination.put(failures(read.plain_scores(quiet=show.quiet)))


Together = Annotated[
    bool,
    option(
        "--together", meaning="One ability of a system for all tasks, so that these share a scale.", heading="Method"
    ),
]


@enter(_group)
def irt(*, together: Together = False, read: Read, show: Show) -> None:
    """Rate instances by item response theory: how able a system must be to solve one.

    The two-parameter logistic model, task by task: difficulty, on the scale of the abilities of the systems, and
    discrimination. Scores lie between 0 and 1; missing ones are left out.

    \b
    podium difficulty irt scores.parquet -o difficulty.parquet
    podium difficulty irt scores.parquet --together -f json
    """  # noqa: D301
    from podium.difficulty.api import item_response  # noqa: PLC0415  # loaded by who rates instances

    destination = show.destination()
    read.spare(destination.path)
    read.weighing.refuse_idle()
    scores = read.plain_scores(quiet=show.quiet)
    with show.bar("fitting") as bar:
        difficulty = item_response(scores, together=together, progress=bar)
    destination.put(difficulty)
