"""The commands that rate instances: difficulty bias, similarity, failures, irt."""

from typing import Any

import typer

from podium.base.errors import MethodError
from podium.cli.app import ENDING, app
from podium.cli.input import Request, spare, takes_input
from podium.cli.option import difficulty as rating
from podium.cli.option import read as options
from podium.cli.output import Destination, Partial
from podium.cli.progress import Bar

group = typer.Typer(epilog=ENDING, rich_markup_mode=None)


app.add_typer(group, name="difficulty")


@group.callback(invoke_without_command=True)
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


@group.command(epilog=ENDING)
def bias(
    *,
    test: rating.Test,
    train: rating.Train = None,
    text: rating.Text = None,
    gold: rating.Gold = None,
    instance: options.Instance = None,
    embeddings: rating.Embeddings = None,
    train_embeddings: rating.TrainEmbeddings = None,
    encoder: rating.Encoder = None,
    fine_tune: rating.FineTune = False,
    algorithm: rating.Algorithm = None,
    rounds: rating.Rounds = None,
    size: rating.Size = None,
    probabilities: rating.Probabilities = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    format: rating.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    quiet: options.Quiet = False,
) -> None:
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

    destination = Destination.of(format, output, quiet=quiet)
    within = algorithm == 1 or (algorithm is None and train is None)
    partial = Partial.beside(destination.path if within else None)
    for path in (destination.path, partial.path):
        spare(path, [test, train, embeddings, train_embeddings])
    if train is None and train_embeddings is not None:
        raise MethodError("--train-embeddings are of a training set; name it with --train, or leave them out")
    columns: dict[str, Any] = {"text": text, "gold": gold, "instance": instance}
    rated = rating.read(test, embeddings, columns)
    learnt = None if train is None else rating.read(train, train_embeddings, columns)
    partial.announce(destination)
    with partial.kept(destination), Bar("rating", quiet=quiet) as bar:
        difficulty = spurious_bias(
            rated,
            learnt,
            algorithm=algorithm,
            encoder=encoder,
            fine_tune=fine_tune,
            rounds=rounds,
            size=size,
            probabilities=probabilities,
            seed=seed,
            jobs=jobs,
            checkpoint=partial.path,
            progress=bar,
        )
    destination.put(difficulty)
    partial.remove()


@group.command(epilog=ENDING)
def similarity(
    *,
    train: rating.Near,
    test: rating.Test,
    top: rating.Top = None,
    text: rating.Text = None,
    instance: options.Instance = None,
    embeddings: rating.Embeddings = None,
    train_embeddings: rating.TrainEmbeddings = None,
    encoder: rating.Encoder = None,
    memory: rating.Memory = 256,
    format: rating.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    threads: options.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Rate test instances by their similarity to the training set: what is far from it is hard.

    The mean cosine similarity of an instance to the nearest p % of the training set.

    \b
    podium difficulty similarity --train train.parquet --test test.parquet -o difficulty.parquet
    podium difficulty similarity --train train.csv --test test.csv --top 1,5,25 --encoder hf:models/roberta-base
    """  # noqa: D301
    from podium.difficulty.api import similarity  # noqa: PLC0415  # loaded by who rates instances

    percents = rating.percents(top)
    destination = Destination.of(format, output, quiet=quiet)
    spare(destination.path, [test, train, embeddings, train_embeddings])
    columns: dict[str, Any] = {"text": text, "instance": instance}
    rated, learnt = rating.read(test, embeddings, columns), rating.read(train, train_embeddings, columns)
    with Bar("rating", quiet=quiet) as bar:
        difficulty = similarity(
            rated, learnt, top=percents, encoder=encoder, memory=memory * 2**20, threads=threads, progress=bar
        )
    destination.put(difficulty)


@group.command(epilog=ENDING)
@takes_input
def failures(
    *,
    request: Request,
    format: rating.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Rate instances by the share of systems that fail them.

    1 − the mean of their scores, which lie between 0 and 1; missing ones are left out.

    \b
    podium difficulty failures scores.parquet -o difficulty.parquet
    podium difficulty failures scores.parquet --systems 'old-*' --lower error
    """  # noqa: D301
    from podium.difficulty.api import failures  # noqa: PLC0415  # loaded by who rates instances

    destination = Destination.of(format, output, quiet=quiet)
    request.spare(destination.path)
    request.rating.refuse_idle()
    destination.put(failures(request.plain_scores(quiet=quiet)))


@group.command(epilog=ENDING)
@takes_input
def irt(
    *,
    request: Request,
    together: rating.Together = False,
    format: rating.Format = None,  # noqa: A002  # as it is typed
    output: options.Output = None,
    quiet: options.Quiet = False,
) -> None:
    """Rate instances by item response theory: how able a system must be to solve one.

    The two-parameter logistic model, task by task: difficulty, on the scale of the abilities of the systems, and
    discrimination. Scores lie between 0 and 1; missing ones are left out.

    \b
    podium difficulty irt scores.parquet -o difficulty.parquet
    podium difficulty irt scores.parquet --together -f json
    """  # noqa: D301
    from podium.difficulty.api import item_response  # noqa: PLC0415  # loaded by who rates instances

    destination = Destination.of(format, output, quiet=quiet)
    request.spare(destination.path)
    request.rating.refuse_idle()
    scores = request.plain_scores(quiet=quiet)
    with Bar("fitting", quiet=quiet) as bar:
        difficulty = item_response(scores, together=together, progress=bar)
    destination.put(difficulty)
