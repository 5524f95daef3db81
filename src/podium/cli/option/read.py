"""What can be typed: the options that the commands share, each with its help, and what their texts mean."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from podium.base.check import UNITS
from podium.base.errors import LabelError, WeightError
from podium.ranking.ballot import MISSING
from podium.ranking.method.method import METHODS
from podium.ranking.method_spec import LEVELS
from podium.report.format import FORMATS
from podium.source import path as paths

LAYOUTS = ("wide", "long")

#: Names of the pictures of a ranking.
PICTURES = ("heatmap", "ranks", "cd", "bump")


def _offer(names: Sequence[str]) -> Callable[[str], list[str]]:
    """Complete the value of an option in the shell."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def choice(names: Sequence[str], *flags: str, meaning: str) -> Any:
    """Option that takes one of some names, and completes them in the shell."""
    return typer.Option(*flags, metavar="|".join(names), autocompletion=_offer(names), help=meaning)


def _column(flag: str) -> Any:
    noun = flag.removeprefix("--")
    return typer.Option(flag, metavar="COLUMN", help=f"Column that holds the {noun}, where it is not recognised.")


def _globs(flag: str, meaning: str) -> Any:
    return typer.Option(flag, metavar="GLOBS", help=meaning)


Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SOURCE",
        help="Files, globs, folders, - for standard input, or dataset:NAME for a built-in one.",
        show_default=False,
    ),
]

Method = Annotated[str, choice(tuple(METHODS), "--method", "-m", meaning="How to rank.")]

Methods = Annotated[
    list[str] | None,
    typer.Option(
        "--methods",
        "-m",
        metavar="METHODS",
        autocompletion=_offer(tuple(METHODS)),
        help=f"Methods to compare, of {', '.join(METHODS)}; a level stands after a colon, as in borda:one. "
        "By default all that are quick.",
    ),
]

Level = Annotated[
    str | None,
    choice(
        LEVELS,
        "--level",
        meaning="Ballots: one per task; all instances in one box; or instances inside each task first, then one ballot "
        "per task. By default task where there are no instances, one for bradley-terry and for plans, else two.",
    ),
]

Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", min=1, help="Processes; by default as many as cores.")]

Threads = Annotated[int | None, typer.Option("--threads", metavar="N", min=1, help="Threads to count with.")]

Missing = Annotated[
    str | None,
    choice(
        MISSING,
        "--missing",
        meaning="In methods of pairs, a ballot that lacks one of the two counts at its expectation, or not at all. "
        "By default imputed, for bradley-terry direct.",
    ),
]

Prior = Annotated[
    float,
    typer.Option("--prior", metavar="X", min=0.0, help="Games of bradley-terry against an opponent common to all."),
]

TimeLimit = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", min=0.0, help="Take the best order that kemeny has found by then."),
]

Confidence = Annotated[
    float, typer.Option("--confidence", metavar="P", help="Confidence of rank intervals and tiers, between 0 and 1.")
]

Power = Annotated[
    float,
    typer.Option(
        "--power", metavar="P", help="Probability with which the larger evaluation is to separate, 0.5 or more."
    ),
]

Sure = Annotated[
    bool | None,
    typer.Option(
        "--intervals/--no-intervals",
        show_default=False,
        help="Rank intervals and tiers, from the bootstrap; by default where they take seconds, not minutes.",
    ),
]

Units = Annotated[
    str | None,
    choice(
        UNITS,
        "--units",
        meaning="What the bootstrap draws anew. By default instances within tasks where there are any, else tasks.",
    ),
]

Replicates = Annotated[int, typer.Option("--replicates", metavar="B", min=1, help="Bootstrap replicates.")]

Seed = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of what is random.")]

Lower = Annotated[list[str] | None, _globs("--lower", "Tasks where lower is better.")]

Higher = Annotated[list[str] | None, _globs("--higher", "Tasks where higher is better, which is the default.")]

Weights = Annotated[
    list[str] | None,
    typer.Option(
        "--weights", metavar="TASK=W", help="Weight of a task, or of all tasks that match a glob; a name outdoes globs."
    ),
]

Tasks = Annotated[list[str] | None, _globs("--tasks", "Tasks to keep; !GLOB leaves out.")]

Systems = Annotated[list[str] | None, _globs("--systems", "Systems to keep; !GLOB leaves out.")]

TieTolerance = Annotated[
    float,
    typer.Option(
        "--tie-tolerance", metavar="X", help="Scores of one instance that differ by at most this, to rounding, tie."
    ),
]

System = Annotated[str | None, _column("--system")]

Task = Annotated[str | None, _column("--task")]

Instance = Annotated[str | None, _column("--instance")]

Score = Annotated[str | None, _column("--score")]

Metric = Annotated[str | None, _column("--metric")]

Weight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COLUMN", help="Column of instance weights in a long table; used only if named."),
]

Prediction = Annotated[str | None, _column("--prediction")]

Gold = Annotated[
    str | None,
    typer.Option(
        "--gold",
        metavar="FILE",
        help="What is right, where sources hold predictions in place of scores: a table with instances and right "
        "answers, or a column of the sources.",
    ),
]

Layout = Annotated[
    str | None,
    choice(
        LAYOUTS,
        "--layout",
        meaning="One row per system (wide) or per score (long), where it is not recognised.",
    ),
]

InputFormat = Annotated[
    str | None,
    choice(paths.FORMATS, "--input-format", meaning="Format of the sources, where the suffix does not say."),
]

Table = Annotated[
    str | None, typer.Option("--table", metavar="NAME", help="Table of a DuckDB database that has several.")
]

Trec = Annotated[
    Path | None,
    typer.Option(
        "--trec",
        metavar="FILE",
        help="In place of sources: a YAML that lists TREC runs and qrels, or files of one score per line.",
    ),
]

Measure = Annotated[
    str | None,
    typer.Option(
        "--measure",
        metavar="NAME",
        help="What to compute from the runs of --trec, such as nDCG@10 (the default), RR, AP, P@5 or R@100.",
    ),
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

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Write the result to a file; to a folder (a name that ends in /) a page, its pictures, and all numbers.",
    ),
]

Plot = Annotated[
    list[str] | None,
    typer.Option(
        "--plot",
        metavar="NAME=FILE",
        autocompletion=_offer(tuple(f"{name}=" for name in PICTURES)),
        help="Draw a picture into an SVG, PDF or PNG file: heatmap (who beats whom), ranks (rank intervals and tiers), "
        "cd (who cannot be told apart), or bump (ranks by method); can be repeated.",
    ),
]

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Nothing but errors on standard error.")]


def check_choice(what: str, given: str | None, names: Iterable[str]) -> None:
    """Refuse a name that is not offered, and say which one may be meant.

    Raises
    ------
    LabelError
        There is no such name.
    """
    known = tuple(names)
    if given is not None and given not in known:
        raise LabelError.unknown(what, given, known)


def check_ways(ways: Iterable[str]) -> None:
    """Refuse a METHOD or METHOD:LEVEL of which either is not offered.

    Raises
    ------
    LabelError
        There is no such method or level.
    """
    for way in ways:
        name, colon, level = way.partition(":")
        check_choice("method", name, METHODS)
        check_choice("level", level if colon else None, LEVELS)


def split(values: Iterable[str] | None) -> list[str]:
    r"""Take repeated and comma-separated values alike; `\,` is a comma inside a name.

    >>> split(["ter,latency", r"rte\,small"])
    ['ter', 'latency', 'rte,small']
    """
    parts = [part for value in values or () for part in re.split(r"(?<!\\),", value)]
    return [part.replace(r"\,", ",").strip() for part in parts if part.strip()]


def weights_from(values: Iterable[str] | None) -> dict[str, float] | None:
    """Read `TASK=WEIGHT` texts; the last `=` divides, for a task may have one in its name.

    Raises
    ------
    WeightError
        A text is not of that form, or a task has two weights; what they mean is judged where they are used.

    Examples
    --------
    >>> weights_from(["rte=2,mnli*=0.5"])
    {'rte': 2.0, 'mnli*': 0.5}
    """
    weights: dict[str, float] = {}
    for text in split(values):
        task, _, number = (part.strip() for part in text.rpartition("="))
        try:
            weight = float(number)
        except ValueError:
            raise _malformed(text) from None
        if not task:
            raise _malformed(text)
        if weights.setdefault(task, weight) != weight:
            raise WeightError(f"--weights gives {task!r} both {weights[task]:g} and {weight:g}; keep one")
    return weights or None


def _malformed(text: str) -> WeightError:
    return WeightError(f"--weights {text!r} is not of the form TASK=WEIGHT, as in --weights rte=2")
