"""The commands about difficulty: difficulty bias, similarity, failures and irt, which rate instances; and customize."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import podium
from podium.base.check import bytes_of
from podium.base.errors import InputError, MethodError
from podium.cli.app import INPUT, METHOD, Group, choice, column, command, flag, option, refuse
from podium.cli.app import split as parts_of
from podium.cli.options import JOBS, THREADS, IntervalOptions, OutputOptions, plot_option, seed_option
from podium.cli.read import (
    PlainReadOptions,
    difficulty_column_option,
    hard_option,
    numbers_from,
    refuse_overwriting,
    split_weights_from,
    splits_from,
    strict_option,
    table_of,
)
from podium.customization.split import (
    BOX_LEVELS,
    CASES,
    RULES,
    SPLITTINGS,
    TIES,
    BoxLevel,
    SharedTies,
    SplitBy,
    Splitting,
    Weighting,
)

#: How long intervals take for each score and replicate.
_SECONDS = 3e-9

_PICTURES = ("parallel", "moves", "difficulty")

#: Headings beside those of every ranking.
_HEADINGS = (
    *("*% CI", "accuracy", "moved", "inflation", "leads", "leads (rising)", "split", "split *"),
    *("least *", "greatest", "instances", "weight", "mean accuracy"),
)

_TEXT = """Rate how difficult each instance is.

\b
podium difficulty irt scores.csv
podium difficulty failures scores.csv -o difficulty.csv
podium difficulty bias --test test.csv -o difficulty.csv
podium difficulty similarity --train train.csv --test test.csv

From the texts of a test set (bias), from a training set (similarity), or from the scores of systems (failures,
irt). The file of -o holds every instance; without -o there is a summary.
"""

difficulty = Group("difficulty", _TEXT, "failures")


_TEST: Any = option(INPUT, "FILE", "Instances to rate, one per row; - for a pipe.", required=True)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """Options of files with texts, and of the model that embeds them."""

    text_column: str | None = column("text")
    instance_column: str | None = column("instance")
    embeddings: str | None = option(INPUT, "NPY", "Embeddings of the test set, one row each.")
    train_embeddings: str | None = option(INPUT, "NPY", "Embeddings of the training set.")
    encoder: str | None = option(
        INPUT,
        "NAME",
        "How texts become vectors: tfidf (default), hf:MODEL (Hugging Face, mean of the last hidden "
        "states) or sentence-transformers:MODEL. MODEL is a folder or a name.",
    )

    def read(self, test: str, train: str | None, **more: str | None) -> tuple[Any, Any]:
        """Read the test set, and the training set if there is one."""
        columns = {"text_column": self.text_column, "instance_column": self.instance_column, **more}
        rated = podium.read_texts(test, embeddings=self.embeddings, **columns)
        if train is None:
            return rated, None
        return rated, podium.read_texts(train, embeddings=self.train_embeddings, **columns)


@difficulty.enter("bias")
def bias(
    *,
    test: str = _TEST,
    train: str | None = option(INPUT, "FILE", "Learn from this training set instead."),
    gold_column: str | None = column("right answer"),
    texts: TextOptions,
    fine_tune: bool = flag(METHOD, "Fine-tune the hf: encoder on 10% of the test set first, and rate the other 90%."),
    algorithm: int | None = option(
        METHOD, "1|2", "Learn within the test set (1) or from the training set (2). Default: 2 with --train."
    ),
    rounds: int | None = option(METHOD, "M", "Within the test set: number of parts to learn from. Default: 64.", min=1),
    size: int | None = option(METHOD, "T", "Instances in each part. Default: a tenth, at least 50.", min=2),
    probabilities: bool = flag(
        METHOD, "From a training set: use the mean probability of the right answer, which has hardly any ties."
    ),
    seed: int = seed_option(METHOD),
    show: OutputOptions,
    jobs: int | None = JOBS,
) -> None:
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
    if train is None and texts.train_embeddings is not None:
        raise MethodError(
            "--train-embeddings belongs to a training set; name the set with --train, or leave this option out"
        )
    destination = show.destination()
    refuse_overwriting(destination, [test, train, texts.embeddings, texts.train_embeddings])
    rated, learnt = texts.read(test, train, gold_column=gold_column)
    with show.bar("rating") as bar:
        found = podium.bias(
            rated,
            learnt,
            algorithm=algorithm,
            encoder=texts.encoder,
            fine_tune=fine_tune,
            rounds=rounds,
            size=size,
            probabilities=probabilities,
            rng=seed,
            n_jobs=jobs,
            progress=bar,
        )
    destination.deliver(found)


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
    texts = parts_of(values) or ["25"]
    found = numbers_from(text.removesuffix("%") for text in texts)
    if found is None:
        raise MethodError(f"--top-percent {','.join(texts)!r} is not a list of percentages, as in --top-percent 1,5,25")
    return found


@difficulty.enter("similarity")
def similarity(
    *,
    test: str = _TEST,
    train: str = option(INPUT, "FILE", "Training set, one instance per row.", required=True),
    texts: TextOptions,
    top_percent: list[str] | None = option(
        METHOD, "PERCENTS", "Use the nearest p % of the training set, as in 1,5,25. Default: 25.", check=percents
    ),
    memory: str = option(METHOD, "SIZE", "Memory for similarities, such as 512MiB.", default="256MiB", check=bytes_of),
    show: OutputOptions,
    threads: int | None = THREADS,
) -> None:
    """Rate instances by their distance from the training set.

    \b
    podium difficulty similarity --train train.csv --test test.csv
    podium difficulty similarity --train a.csv --test b.csv --top-percent 1,5,25

    The mean cosine similarity of an instance to the nearest p % of the training set; low similarity is hard.
    """  # noqa: D301
    destination = show.destination()
    refuse_overwriting(destination, [test, train, texts.embeddings, texts.train_embeddings])
    rated, learnt = texts.read(test, train)
    with show.bar("rating") as bar:
        found = podium.similarity(
            rated,
            learnt,
            top_percent=percents(top_percent),
            encoder=texts.encoder,
            memory=bytes_of(memory),
            n_jobs=threads,
            progress=bar,
        )
    destination.deliver(found)


@difficulty.enter("failures")
def failures(*, read: PlainReadOptions, show: OutputOptions) -> None:
    """Rate instances by the share of systems that fail them.

    \b
    podium difficulty failures scores.parquet -o difficulty.parquet
    podium difficulty failures scores.parquet --systems 'old-*' --lower error

    1 − the mean score of the instance. Scores must lie between 0 and 1; missing scores are left out.
    """  # noqa: D301
    destination = show.destination()
    destination.deliver(podium.failures(read.load(destination)))


@difficulty.enter("irt")
def irt(
    *,
    together: bool = flag(METHOD, "Give each system one ability for all tasks, so that tasks share a scale."),
    suspects: bool = flag(
        METHOD, "Look for instances on which better systems do worse, as if their labels were wrong."
    ),
    read: PlainReadOptions,
    show: OutputOptions,
) -> None:
    """Rate instances by an item response model.

    \b
    podium difficulty irt scores.parquet -o difficulty.parquet
    podium difficulty irt scores.parquet --together -f json
    podium difficulty irt scores.parquet --suspects

    The two-parameter logistic model gives each instance a difficulty and a discrimination, task by task. An instance is
    hard if only an able system solves it. Scores must lie between 0 and 1; missing scores are left out.
    """  # noqa: D301
    destination = show.destination()
    scores = read.load(destination)
    with show.bar("fitting") as bar:
        found = podium.irt(scores, together=together, suspects=suspects, progress=bar)
    destination.deliver(found)


@command
def customize(
    *,
    difficulty: str | None = option(
        METHOD,
        "FILE|failures|irt",
        "Difficulty of instances: a table, or from the scores. The table is as podium difficulty writes it; of scores "
        "it is the share of systems that fail, or that of an item response model.",
    ),
    probability_column: str | None = option(
        METHOD, "COLUMN", "Instead: column with a system's own confidence. Of the sources: in each answer."
    ),
    difficulty_column: str | None = difficulty_column_option(METHOD),
    hard: Any = hard_option(METHOD),
    strict: bool = strict_option(METHOD),
    splits: str = option(METHOD, "N|X,Y,…|COLUMN", "Number of splits, their limits, or a column.", default="7"),
    by: SplitBy | None = choice(
        METHOD,
        SPLITTINGS,
        "How to split: equally many instances, equally wide ranges, at limits, at quantiles, at "
        "random, or by a column. Default: equal; thresholds for several numbers; manual for a name.",
    ),
    ties: SharedTies = choice(
        METHOD,
        TIES,
        "Instances with the difficulty of a limit: shared by both splits, or divided by label.",
        default="share",
    ),
    level: BoxLevel | None = choice(METHOD, BOX_LEVELS, "Split each task (two), or all tasks together (one)."),
    split_weights: str | None = option(
        METHOD,
        "RULE|W,W,…",
        f"Weights from easy to hard: a rule or numbers. Rules: {', '.join(RULES)}; or B or 1/B, the difficulty of each "
        "instance. Default: linear (1, 2, 3, …).",
    ),
    reward: str | None = option(METHOD, "D", "Points for a right answer: a number, B or 1/B. Default: 1."),
    penalty: str | None = option(METHOD, "E", "Points for a wrong answer: a number, B, 1/B, -B or -1/B. Default: -1."),
    case: str | None = option(
        METHOD, "1…9|NAME", f"Weights, reward and penalty of a case of the paper (Table 1): {', '.join(CASES)}."
    ),
    bootstrap: IntervalOptions,
    read: PlainReadOptions,
    show: OutputOptions,
    plot: list[str] | None = plot_option(_PICTURES),
    threads: int | None = THREADS,
) -> None:
    """Weigh a leaderboard by the difficulty of its instances.

    \b
    podium customize scores.csv --difficulty bias.csv
    podium customize scores.csv --difficulty bias.csv --splits 5 --penalty 0
    podium customize scores.csv --probability-column confidence
    podium customize scores.csv --difficulty failures --plot parallel=splits.svg

    Instances are sorted by difficulty and divided into splits; harder splits weigh more. Scores lie between 0 and 1.

    A right answer earns the reward, a wrong answer the penalty. A system with only right answers scores 100. "leads" is
    the share of all weightings of the splits for which a system is first.
    """  # noqa: D301
    named = splits_from(splits)
    splitting = Splitting(named, by, ties=ties, level=level or "two")
    weighting = Weighting(split_weights_from(split_weights), reward, penalty, case=case)
    if (difficulty is None) == (probability_column is None):
        how_many = "only one" if difficulty else "one"
        raise MethodError(
            "difficulty comes from --difficulty (a table, failures or irt) or from --probability-column (a column "
            f"of confidences); give {how_many} of them"
        )
    file = table_of(difficulty)
    if file is None:
        # confidences have instances of their own, which can be missing too
        idle = {"difficulty_column": difficulty_column, "hard": hard, "strict": strict and difficulty is not None}
        refuse(idle, "{0} needs a table of difficulties, and there is none; leave {0} out", InputError)
    destination = show.destination(plot, _PICTURES, (*bootstrap.headings, *_HEADINGS))
    # confidences are in the files of the scores, which are then read twice
    scores = read.load(destination, also=read.paths if probability_column else [file], extra=probability_column)
    rated: Any
    if probability_column is not None:
        rated = read.column(probability_column, quiet=show.quiet)
    elif file is not None:
        measures = None if difficulty_column is None else [difficulty_column]
        in_column = named if isinstance(named, str) else None
        rated = podium.read_difficulty(file, measures=measures, hard=hard, splits=in_column)
    elif difficulty == "failures":
        rated = podium.failures(scores)
    else:
        rated = podium.irt(scores, together=level == "one" and len(scores.tasks) > 1)
    confidence = bootstrap.wanted(lambda: scores.n_cells * bootstrap.replicates * _SECONDS, destination)
    with show.bar("resampling") as bar:
        customized = podium.customize(
            scores,
            rated,
            splits=splitting,
            split_weights=weighting,
            measure=None if file is None else difficulty_column,
            strict=strict,
            confidence_level=confidence,
            n_resamples=bootstrap.replicates,
            rng=bootstrap.seed,
            n_jobs=threads,
            progress=bar,
        )
    destination.deliver(customized)
