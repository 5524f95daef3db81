"""What is read, and what of it counts: the options of all commands that take scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import click

from podium.base.errors import WeightError
from podium.cli.option.option import COLUMNS, check_choice, choice, groups_from, option, split
from podium.score.table import Scores
from podium.source.file import FORMATS
from podium.source.path import labels_of

LAYOUTS = ("wide", "long")

RUNS = ("newest", "all", "apart")

InputFormat = Annotated[
    str | None,
    choice(FORMATS, "--input-format", meaning="Format of the files, if the suffix does not say it.", heading="Input"),
]

Table = Annotated[
    str | None,
    option(
        *("--table", "--sheet"),
        metavar="NAME",
        meaning="Table of a database, sheet of a spreadsheet, or number of a table on a page.",
        heading="Input",
    ),
]


def named_sources(sources: Iterable[str]) -> dict[str, str]:
    """Return sources by name where one is typed as NAME=SOURCE; nothing where none is. A file that is there wins.

    >>> named_sources(["before=runs/old", "runs/new"]), named_sources(["a.csv", "https://host/b.csv?raw=1"])
    ({'before': 'runs/old', 'new': 'runs/new'}, {})
    """
    pairs = []
    for source in sources:
        name, equals, path = source.partition("=")
        named = equals and name and path and not set("/\\:*?") & set(name) and not Path(source).exists()
        pairs.append((name.strip(), path) if named else ("", source))
    if not any(name for name, _ in pairs):
        return {}
    labels = labels_of([path for _, path in pairs])
    found = [(name or label, path) for (name, path), label in zip(pairs, labels, strict=True)]
    if len(dict(found)) < len(found):
        raise click.UsageError("two sources have one name; give each another, as in before=runs/old after=runs/new")
    return dict(found)


def column(role: str, what: str | None = None, **told: Any) -> Any:
    """Declare the option that names the column of a role."""
    flag = f"--{role.replace('_', '-')}-column"
    return option(flag, metavar="COLUMN", meaning=f"Column with the {what or role}.", **told)


def _globs(flag: str, meaning: str) -> Any:
    return option(flag, metavar="GLOBS", meaning=meaning)


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Where scores come from, and how the files are to be taken."""

    heading: ClassVar[str] = "Input"
    required: ClassVar[bool] = True

    sources: Annotated[
        list[str] | None,
        option(
            metavar="SOURCE",
            meaning="Files, patterns, folders, addresses (s3://…), -, dataset:NAME (built in); any as NAME=SOURCE.",
        ),
    ] = None
    input_format: InputFormat = None
    layout: Annotated[
        str | None,
        choice(LAYOUTS, "--layout", meaning="One row per system (wide) or per score (long). Default: recognised."),
    ] = None
    table: Table = None
    transpose: Annotated[
        bool, option("--transpose", meaning="Columns are systems, and rows are tasks (of wide tables).")
    ] = False
    gold: Annotated[
        str | None,
        option(
            "--gold",
            metavar="FILE|COLUMN",
            meaning="Right answers to predictions: a table, or a column of the sources.",
        ),
    ] = None
    keep_first: Annotated[
        bool, option("--keep-first", meaning="Of scores that contradict each other, keep the first.")
    ] = False
    tool: Annotated[
        str | None,
        option("--tool", metavar="NAME", meaning="Tool that wrote the files, such as lm-eval. Default: recognised."),
    ] = None
    preset: Annotated[
        str | None,
        option(
            "--preset",
            metavar="NAME",
            meaning="Export of langfuse, braintrust, langsmith, mlflow, mlflow-runs or wandb: what its columns are.",
        ),
    ] = None
    metric: Annotated[
        list[str] | None, _globs("--metric", "Of results of a tool: metrics to keep. Default: the main one.")
    ] = None
    runs: Annotated[
        str,
        choice(
            RUNS, "--runs", meaning="Several runs of a system: newest (default), all (as repeats), apart (as systems)."
        ),
    ] = "newest"
    as_of: Annotated[
        str | None,
        option("--as-of", metavar="WHEN", meaning="Of a board: the version to read, by number, date or time (UTC)."),
    ] = None
    memory: Annotated[
        str | None,
        option(
            "--memory",
            metavar="SIZE",
            meaning="What the whole process may hold, such as 2GB; scores are then on disk. Default: all in memory.",
            heading="Limits",
        ),
    ] = None
    trec: Annotated[
        Path | None,
        option("--trec", metavar="FILE", meaning="Instead of sources: YAML file that lists TREC runs, or score files."),
    ] = None
    measure: Annotated[
        str | None,
        option(
            "--measure", metavar="NAME", meaning="Measure of the TREC runs: nDCG@10 (default), RR, AP, P@5, R@100, …"
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.required and not self.sources and self.trec is None:
            raise click.UsageError("Missing argument 'SOURCE'")
        check_choice("layout", self.layout, LAYOUTS)
        check_choice("input format", self.input_format, FORMATS)
        check_choice("choice of runs", self.runs, RUNS)


@dataclass(frozen=True, slots=True)
class OptionalFileOptions(FileOptions):
    """The same for a command that may have no source."""

    required: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """Which column of a table holds what, where it is not recognised."""

    heading: ClassVar[str] = COLUMNS

    system_column: Annotated[list[str] | None, column("system", "system; several, with commas, name it together")] = (
        None
    )
    task_column: Annotated[list[str] | None, column("task", "task; several, with commas, name it together")] = None
    instance_column: Annotated[str | None, column("instance")] = None
    score_column: Annotated[str | None, column("score")] = None
    metric_column: Annotated[str | None, column("metric")] = None
    weight_column: Annotated[str | None, column("weight", "weight of the instance; used only if named")] = None
    cluster_column: Annotated[str | None, column("cluster", "cluster: instances that are drawn together")] = None
    repeat_column: Annotated[str | None, column("repeat", "number of the repeat, such as a seed")] = None
    family_column: Annotated[str | None, column("family", "data set of the task, see --family")] = None
    covariate_column: Annotated[
        list[str] | None, column("covariate", "cost, time or size; several, with commas, or patterns")
    ] = None
    statistic: Annotated[
        str | None,
        option(
            "--statistic", metavar="NAME", meaning="Of repeats: mean (default), pass@K, pass^K, majority, max, min."
        ),
    ] = None
    prediction_column: Annotated[str | None, column("prediction")] = None


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which tasks and systems count, how much, and in which direction."""

    heading: ClassVar[str] = "Tasks and systems"

    tasks: Annotated[list[str] | None, _globs("--tasks", "Tasks to keep; !GLOB leaves tasks out.")] = None
    systems: Annotated[list[str] | None, _globs("--systems", "Systems to keep; !GLOB leaves systems out.")] = None
    lower: Annotated[list[str] | None, _globs("--lower", "Tasks where lower is better.")] = None
    higher: Annotated[list[str] | None, _globs("--higher", "Tasks where higher is better (the default).")] = None
    task_weights: Annotated[
        list[str] | None,
        option(
            "--task-weights", metavar="TASK=W", meaning="Weight of a task, or of a pattern; a name wins over a pattern."
        ),
    ] = None
    family: Annotated[
        list[str] | None,
        option(
            "--family",
            metavar="NAME=GLOBS",
            meaning="Tasks of one data set, drawn and tested as one; repeat for others. none: not even by their names.",
        ),
    ] = None
    family_weights: Annotated[
        bool, option("--family-weights", meaning="Weigh each family once. Default: each of its tasks once.")
    ] = False
    tie_tolerance: Annotated[
        float, option("--tie-tolerance", metavar="X", meaning="Two scores tie if they differ by at most this.")
    ] = 0.0

    def __post_init__(self) -> None:
        weights_from(self.task_weights)
        families_from(self.family)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.read` is told."""
        return {
            "tasks": split(self.tasks) or None,
            "systems": split(self.systems) or None,
            "lower": split(self.lower),
            "higher": split(self.higher),
        }

    def weigh_tasks(self, scores: Scores) -> Scores:
        """Give tasks their families and weights, and scores their tie tolerance."""
        families = families_from(self.family)
        scores = scores if families is None else scores.with_families(families)
        scores = scores.with_task_weights(weights_from(self.task_weights) or {})
        scores = scores.with_family_weights() if self.family_weights else scores
        return scores.with_tie_tolerance(self.tie_tolerance)


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
        known = weights.setdefault(task, weight)
        if known is not weight and known != weight:
            raise WeightError(f"--task-weights gives {task!r} both {known:g} and {weight:g}; keep one")
    return weights or None


def families_from(values: Iterable[str] | None) -> dict[str, list[str]] | Literal[False] | None:
    """Read `NAME=GLOBS` texts, see `groups_from`; "none" alone is False, and nothing None.

    >>> families_from(["MRPC=MRPC-*", "MNLI=MNLI-m,MNLI-mm"]), families_from(["none"]), families_from(None)
    ({'MRPC': ['MRPC-*'], 'MNLI': ['MNLI-m', 'MNLI-mm']}, False, None)
    """
    return False if values is not None and list(values) == ["none"] else groups_from(values, "family") or None


def _malformed(text: str) -> WeightError:
    return WeightError(f"--task-weights {text!r} is not of the form TASK=WEIGHT, as in --task-weights rte=2")
