"""What can be typed about difficulty: the options of `podium difficulty`, each with its help."""

from collections.abc import Iterable, Mapping
from typing import Annotated

import typer

import podium
from podium.base.errors import MethodError
from podium.cli.option.read import choice, split
from podium.difficulty.text import Texts
from podium.report.format import FORMATS

Test = Annotated[str, typer.Option("--test", metavar="FILE", help="Instances to rate, a row each, or - for a pipe.")]

Train = Annotated[
    str | None, typer.Option("--train", metavar="FILE", help="Training set, a row each, to learn from it instead.")
]

Near = Annotated[str, typer.Option("--train", metavar="FILE", help="Training set, a row each.")]

Text = Annotated[
    str | None,
    typer.Option("--text", metavar="COLUMN", help="Column that holds the text, where it is not recognised."),
]

Gold = Annotated[
    str | None,
    typer.Option(
        "--gold-column", metavar="COLUMN", help="Column that holds the right answer, where it is not recognised."
    ),
]

Embeddings = Annotated[
    str | None,
    typer.Option("--embeddings", metavar="NPY", help="Embeddings of the test set, a row for each of its rows."),
]

TrainEmbeddings = Annotated[
    str | None, typer.Option("--train-embeddings", metavar="NPY", help="The same of the training set.")
]

Encoder = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME",
        help="What embeds texts: tfidf (the default), hf:MODEL for the mean of the last hidden states of any Hugging "
        "Face encoder, or sentence-transformers:MODEL. MODEL is a folder or a name on the hub.",
    ),
]

FineTune = Annotated[
    bool,
    typer.Option(
        "--fine-tune", help="Fine-tune an encoder of hf: on 10% of the test set first, and rate the other 90%."
    ),
]

Algorithm = Annotated[
    int | None,
    typer.Option(
        "--algorithm",
        metavar="1|2",
        help="Within the test set (1) or across sets (2). By default 2 where there is --train.",
    ),
]

Rounds = Annotated[
    int | None,
    typer.Option(
        "--rounds", metavar="M", min=1, help="Within the test set: how many parts are learnt from. By default 64."
    ),
]

Size = Annotated[
    int | None,
    typer.Option("--size", metavar="T", min=2, help="Instances in each part. By default a tenth, but 50 at least."),
]

Probabilities = Annotated[
    bool,
    typer.Option(
        "--probabilities", help="Across sets: mean probability of the right answer, on a scale with hardly any ties."
    ),
]

Top = Annotated[
    list[str] | None,
    typer.Option("--top", metavar="PERCENTS", help="Nearest p % of the training set, as in 1,5,25. By default 25."),
]

Memory = Annotated[int, typer.Option("--memory", metavar="MB", min=1, help="Megabytes for similarities at a time.")]

Together = Annotated[
    bool, typer.Option("--together", help="One ability of a system for all tasks, so that these share a scale.")
]

Format = Annotated[
    str | None,
    choice(
        FORMATS,
        "--format",
        "-f",
        meaning="Format of the result; by default as the -o suffix says, else table.",
    ),
]


def read(source: str, embeddings: str | None, columns: Mapping[str, str | None]) -> Texts:
    """Read one set.

    Parameters
    ----------
    source, embeddings
        Files as typed.
    columns
        By role, None where it is to be recognised.

    Raises
    ------
    PodiumError
        The files make no sense.
    """
    return podium.read_texts(source, embeddings=embeddings, **columns)


def percents(values: Iterable[str] | None) -> list[float]:
    """Read percentages.

    Raises
    ------
    MethodError
        One is no number.

    Examples
    --------
    >>> percents(["1,5", "25"]), percents(None)
    ([1.0, 5.0, 25.0], [25.0])
    """
    texts = split(values) or ["25"]
    try:
        return [float(text.removesuffix("%")) for text in texts]
    except ValueError:
        raise MethodError(f"--top {','.join(texts)!r} is no list of percentages, as in --top 1,5,25") from None
