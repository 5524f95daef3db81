"""What can be typed about difficulty, splits and weights: the options of `customize`, each with its help."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from podium.base.errors import MethodError
from podium.cli.option.read import choice, split
from podium.customization.split import BOX_LEVELS, SPLITTINGS, TIES
from podium.customization.weight import CASES, RULES
from podium.difficulty.result import HARD

#: Difficulties that need nothing but scores.
MODEL_FREE = ("failures", "irt")

#: Names of the pictures of a customized leaderboard.
SPLIT_PICTURES = ("parallel", "moves", "difficulty")

DifficultyFile = Annotated[
    str | None,
    typer.Option(
        "--difficulty",
        metavar="FILE",
        help="Table with the difficulty of instances, as `podium difficulty` writes it; or failures or irt, to take it "
        "from the scores themselves (the share of systems that fail, or a two-parameter item response model).",
    ),
]

DifficultyColumn = Annotated[
    str | None,
    typer.Option("--difficulty-column", metavar="COLUMN", help="Which measure, where the table has several."),
]

Hard = Annotated[
    str | None,
    choice(HARD, "--hard", meaning="Which values of the measure are hard, where its name does not say."),
]

Probability = Annotated[
    str | None,
    typer.Option(
        "--probability",
        metavar="COLUMN",
        help="In place of --difficulty: the column of the sources with each system's confidence in its own answer.",
    ),
]

Splits = Annotated[
    str,
    typer.Option(
        "--splits",
        metavar="N|X,Y,…|COLUMN",
        help="How many splits; or the thresholds or quantiles between them; or, by manual, the column that names them.",
    ),
]

By = Annotated[
    str | None,
    choice(
        SPLITTINGS,
        "--by",
        meaning="As many instances in each split, as wide a range of difficulty, between thresholds or quantiles, at "
        "random, or as a column says. By default equal, thresholds for several numbers, manual for a name.",
    ),
]

SplitWeights = Annotated[
    str | None,
    typer.Option(
        "--split-weights",
        metavar="RULE|W,W,…",
        help=f"Weights from the easy split to the hard: {', '.join(RULES)}, or numbers; or of instances, B (their "
        "difficulty) or 1/B. By default linear: 1, 2, 3, …",
    ),
]

Reward = Annotated[
    str | None,
    typer.Option("--reward", metavar="D", help="What a right answer earns: a number, B or 1/B. By default 1."),
]

Penalty = Annotated[
    str | None,
    typer.Option(
        "--penalty", metavar="E", help="What a wrong answer earns: a number, B, 1/B, -B or -1/B. By default -1."
    ),
]

Case = Annotated[
    str | None,
    typer.Option(
        "--case",
        metavar="1…9|NAME",
        help=f"Weights, reward and penalty by a case of the paper's Table 1: {', '.join(CASES)}.",
    ),
]

Ties = Annotated[
    str,
    choice(TIES, "--ties", meaning="Instances of one difficulty across the end of a split: shared, or by label."),
]

InstanceWeights = Annotated[
    Path | None,
    typer.Option(
        "--instance-weights",
        metavar="FILE",
        help="Table with weights of instances, or with their difficulty, which then becomes weights.",
    ),
]

InstanceWeighting = Annotated[
    str | None,
    typer.Option(
        "--weighting",
        metavar="RULE[:SPLITS]",
        help=f"How difficulty becomes weights: {', '.join(RULES)} over as many equal splits, the hard ones last; or B "
        "(the column itself) or 1/B. By default linear:7, for a column called weight B.",
    ),
]

BoxLevel = Annotated[
    str | None,
    choice(BOX_LEVELS, "--level", meaning="Split the instances of each task (two), or of all together (one)."),
]

Strict = Annotated[
    bool,
    typer.Option("--strict", help="Refuse instances without difficulty or weight, and the reverse."),
]

SplitPlot = Annotated[
    list[str] | None,
    typer.Option(
        "--plot",
        metavar="NAME=FILE",
        help="Draw a picture into an SVG, PDF or PNG file: parallel (scores split by split), moves (beside accuracy), "
        "or difficulty (a histogram with the splits); can be repeated.",
    ),
]


def splits_from(text: str) -> int | list[float] | str:
    """Read how many splits, the ends between them, or the name of a column.

    >>> splits_from("7"), splits_from("0.3,0.6"), splits_from("genre")
    (7, [0.3, 0.6], 'genre')
    """
    numbers = _numbers(split([text]))
    if numbers is None:
        return text
    whole = len(numbers) == 1 and text.strip().lstrip("+-").isdecimal()
    return int(text) if whole else numbers


def split_weights_from(text: str | None) -> str | list[float] | None:
    """Read a rule of weights, or the weights.

    Raises
    ------
    MethodError
        Some are numbers and some are not.

    Examples
    --------
    >>> split_weights_from("1,2,5"), split_weights_from("1/B")
    ([1.0, 2.0, 5.0], '1/B')
    """
    if text is None:
        return None
    parts = split([text])
    numbers = _numbers(parts)
    if numbers is None and len(parts) > 1:
        raise MethodError(f"--split-weights {text!r} is neither a rule nor a list of numbers, such as 1,2,5")
    return text.strip() if numbers is None else numbers


def _numbers(parts: Iterable[str]) -> list[float] | None:
    try:
        return [float(part) for part in parts] or None
    except ValueError:
        return None
