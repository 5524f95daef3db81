"""What can be typed about effects: the options of `compare` and `pool`, each with its help."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from podium.base.errors import LabelError
from podium.cli.option.read import choice, split
from podium.comparison.effect import EFFECT_SIZES
from podium.comparison.heterogeneity import ESTIMATORS
from podium.comparison.pooling import INTERVALS

#: Orders of the tasks, and columns, of a forest plot.
SORTS = ("effect", "weight", "n", "name")

COLUMNS = ("n", "control", "treatment", "means", "weight", "effect", "ci", "p")

Control = Annotated[str | None, typer.Option("--control", metavar="SYSTEM", help="System to compare with.")]

Treatment = Annotated[str | None, typer.Option("--treatment", metavar="SYSTEM", help="System to be compared.")]

All = Annotated[bool, typer.Option("--all", help="Compare every other system with the control.")]

Effect = Annotated[
    str,
    choice(
        tuple(EFFECT_SIZES),
        "--effect",
        "-e",
        meaning="Difference of means (md), the same in standard deviations (smd, Hedges' g), correlation (corr); of "
        "0/1 scores risk difference (rd) or odds ratio (or).",
    ),
]

Estimator = Annotated[
    str | None,
    choice(
        tuple(ESTIMATORS),
        "--estimator",
        meaning="Of the variance between tasks: REML, DerSimonian-Laird, Paule-Mandel, or none. By default reml.",
    ),
]

Interval = Annotated[
    str | None,
    choice(INTERVALS, "--interval", meaning="Interval of the summary. By default knapp-hartung."),
]

Coverage = Annotated[
    float, typer.Option("--confidence", metavar="P", help="Confidence of all intervals, between 0 and 1.")
]

Like = Annotated[
    str | None,
    choice(("ranger",), "--like", meaning="As another tool computes it: ranger (DerSimonian-Laird, normal intervals)."),
]

Groups = Annotated[
    list[str] | None,
    typer.Option(
        "--group", metavar="NAME=GLOBS", help="Summarise some tasks by themselves, as in --group inference=*nli,rte."
    ),
]

Forest = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Draw a forest plot into an SVG, PDF or PNG file.")
]

Sort = Annotated[str | None, choice(SORTS, "--sort", meaning="Order of the tasks in the forest plot.")]

Left = Annotated[
    list[str] | None,
    typer.Option("--left", metavar="COLUMNS", help=f"Columns left of the forest, of {', '.join(COLUMNS)}."),
]

Right = Annotated[
    list[str] | None,
    typer.Option("--right", metavar="COLUMNS", help="Columns right of it; by default weight,effect,ci."),
]

Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the forest plot.")]


def role(flag: str, meaning: str) -> Any:
    """Option that names the column with a role in a table of effects."""
    return typer.Option(flag, metavar="COLUMN", help=f"Column with the {meaning}, where it is called otherwise.")


def groups_from(values: Iterable[str] | None) -> dict[str, list[str]]:
    """Read `NAME=GLOBS` texts; the first `=` divides.

    Raises
    ------
    LabelError
        A text is not of that form, or a name is used twice.

    Examples
    --------
    >>> groups_from(["inference=*nli,rte"])
    {'inference': ['*nli', 'rte']}
    """
    groups: dict[str, list[str]] = {}
    for text in values or ():
        name, equals, globs = text.partition("=")
        if not (equals and name.strip() and split([globs])):
            raise LabelError(f"--group {text!r} is not of the form NAME=GLOBS, as in --group 'inference=*nli,rte'")
        if name.strip() in groups:
            raise LabelError(f"--group {name.strip()!r} is given twice; put all its tasks behind one")
        groups[name.strip()] = split([globs])
    return groups
