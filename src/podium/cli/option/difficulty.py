"""What is rated, and how: the options of `podium difficulty`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import podium
from podium.base.errors import MethodError
from podium.cli.option.bootstrap import Seed
from podium.cli.option.option import COLUMNS, option, split
from podium.cli.option.read import column
from podium.difficulty.result import Texts

_Test = Annotated[str, option("--test", metavar="FILE", meaning="Instances to rate, one per row; - for a pipe.")]


@dataclass(frozen=True, slots=True)
class TextFileOptions:
    """What the files with texts hold, and what embeds the texts."""

    heading: ClassVar[str] = "Input"

    text_column: Annotated[str | None, column("text", heading=COLUMNS)] = None
    instance_column: Annotated[str | None, column("instance", heading=COLUMNS)] = None
    embeddings: Annotated[
        str | None, option("--embeddings", metavar="NPY", meaning="Embeddings of the test set, one row each.")
    ] = None
    train_embeddings: Annotated[
        str | None, option("--train-embeddings", metavar="NPY", meaning="Embeddings of the training set.")
    ] = None
    encoder: Annotated[
        str | None,
        option(
            "--encoder",
            metavar="NAME",
            meaning="How texts become vectors: tfidf (default), hf:MODEL (Hugging Face, mean of the last hidden "
            "states) or sentence-transformers:MODEL. MODEL is a folder or a name.",
        ),
    ] = None

    @property
    def columns(self) -> dict[str, str | None]:
        """What `podium.read_texts` is told."""
        return {"text_column": self.text_column, "instance_column": self.instance_column}


@dataclass(frozen=True, slots=True)
class TwoSetsOptions:
    """A test set whose instances are rated by a training set."""

    heading: ClassVar[str] = "Input"

    test: _Test
    train: Annotated[str, option("--train", metavar="FILE", meaning="Training set, one instance per row.")]
    texts: TextFileOptions

    @property
    def files(self) -> list[str | None]:
        """What is read; None where nothing is."""
        return [self.test, self.train, self.texts.embeddings, self.texts.train_embeddings]

    def read(self) -> tuple[Texts, Texts]:
        """Read the test set and the training set.

        Raises
        ------
        PodiumError
            The files make no sense.
        """
        rated = podium.read_texts(self.test, embeddings=self.texts.embeddings, **self.texts.columns)
        return rated, podium.read_texts(self.train, embeddings=self.texts.train_embeddings, **self.texts.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSetOrTwoOptions:
    """A test set whose instances are rated by itself, or by a training set; right answers are needed."""

    heading: ClassVar[str] = "Input"

    test: _Test
    train: Annotated[str | None, option("--train", metavar="FILE", meaning="Learn from this training set instead.")] = (
        None
    )
    gold_column: Annotated[str | None, column("gold", "right answer", heading=COLUMNS)] = None
    texts: TextFileOptions

    def __post_init__(self) -> None:
        if self.train is None and self.texts.train_embeddings is not None:
            raise MethodError(
                "--train-embeddings belongs to a training set; name the set with --train, or leave this option out"
            )

    @property
    def files(self) -> list[str | None]:
        """What is read; None where nothing is."""
        return [self.test, self.train, self.texts.embeddings, self.texts.train_embeddings]

    def read(self) -> tuple[Texts, Texts | None]:
        """Read the test set, and the training set if there is one.

        Raises
        ------
        PodiumError
            The files make no sense.
        """
        columns = {**self.texts.columns, "gold_column": self.gold_column}
        rated = podium.read_texts(self.test, embeddings=self.texts.embeddings, **columns)
        if self.train is None:
            return rated, None
        return rated, podium.read_texts(self.train, embeddings=self.texts.train_embeddings, **columns)


@dataclass(frozen=True, slots=True)
class BiasOptions:
    """How spurious bias is found."""

    heading: ClassVar[str] = "Method"

    fine_tune: Annotated[
        bool,
        option(
            "--fine-tune", meaning="Fine-tune the hf: encoder on 10% of the test set first, and rate the other 90%."
        ),
    ] = False
    algorithm: Annotated[
        int | None,
        option(
            "--algorithm",
            metavar="1|2",
            meaning="Learn within the test set (1) or from the training set (2). Default: 2 with --train.",
        ),
    ] = None
    rounds: Annotated[
        int | None,
        option(
            "--rounds", metavar="M", min=1, meaning="Within the test set: number of parts to learn from. Default: 64."
        ),
    ] = None
    size: Annotated[
        int | None,
        option("--size", metavar="T", min=2, meaning="Instances in each part. Default: a tenth, at least 50."),
    ] = None
    probabilities: Annotated[
        bool,
        option(
            "--probabilities",
            meaning="From a training set: use the mean probability of the right answer, which has hardly any ties.",
        ),
    ] = False
    seed: Seed = 0


@dataclass(frozen=True, slots=True)
class SimilarityOptions:
    """How similarity is measured."""

    heading: ClassVar[str] = "Method"

    top_percent: Annotated[
        list[str] | None,
        option(
            "--top-percent",
            metavar="PERCENTS",
            meaning="Use the nearest p % of the training set, as in 1,5,25. Default: 25.",
        ),
    ] = None
    memory: Annotated[str, option("--memory", metavar="SIZE", meaning="Memory for similarities, such as 512MiB.")] = (
        "256MiB"
    )

    def __post_init__(self) -> None:
        percents(self.top_percent)


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
        raise MethodError(
            f"--top-percent {','.join(texts)!r} is not a list of percentages, as in --top-percent 1,5,25"
        ) from None
