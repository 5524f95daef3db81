"""Read scores from files, whatever their format, layout and number."""

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.base.errors import InputError, PodiumWarning
from podium.base.label import matching, texts
from podium.score.table import Scores
from podium.source.layout import Wishes
from podium.source.open import opened
from podium.source.path import find_files

#: Words in the name of a metric that is usually better lower.
_LOWER = frozenset(
    (
        *("wer", "cer", "ter", "mer", "perplexity", "ppl", "bpb", "nll", "loss", "error", "err", "mse", "rmse", "mae"),
        *("latency", "time", "runtime", "seconds", "fid", "kid", "ece", "brier", "toxicity", "cost"),
    )
)

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclass(frozen=True, slots=True)
class Finish:
    """What a caller says of scores wherever they come from: the options that all readers share.

    Attributes
    ----------
    lower, higher
        Tasks that are better lower, or higher: labels or globs.
    weights
        Task weights by label or glob, or None.
    tie_tolerance
        Scores of an instance that differ by at most this are tied.
    tasks, systems
        Those to keep: labels or globs; None keeps all.
    """

    lower: Iterable[str] = ()
    higher: Iterable[str] = ()
    weights: Mapping[str, float] | None = None
    tie_tolerance: float = 0.0
    tasks: Iterable[str] | None = None
    systems: Iterable[str] | None = None

    def of(self, scores: Scores) -> Scores:
        """Apply the options.

        Warns
        -----
        PodiumWarning
            A task sounds as if lower were better, and nothing was said about it.
        """
        if self.tasks is not None or self.systems is not None:
            scores = scores.select(systems=self.systems, tasks=self.tasks)
        lower, higher = texts("task", self.lower), texts("task", self.higher)
        if lower or higher:
            scores = scores.with_directions(lower=lower, higher=higher)
        if self.weights is not None:
            scores = scores.with_weights(self.weights)
        if self.tie_tolerance:
            scores = scores.with_tie_tolerance(self.tie_tolerance)
        _ask_about_directions(scores, [*lower, *higher])
        return scores


def _ask_about_directions(scores: Scores, given: list[str]) -> None:
    said = set(matching("task", given, scores.task_names))
    doubtful = [name for name in scores.task_names if name not in said and sounds_lower(name)]
    if not doubtful:
        return
    shown = ", ".join(map(repr, doubtful))
    flags = " ".join(f"--lower {name!r}" for name in doubtful)
    one = len(doubtful) == 1
    warnings.warn(
        f"{'a task sounds' if one else 'some tasks sound'} as if lower were better, but higher counts as better: "
        f"{shown}; say lower={doubtful!r} ({flags}), or name {'it' if one else 'them'} in higher= (--higher)",
        PodiumWarning,
        stacklevel=4,
    )


def sounds_lower(name: str) -> bool:
    """Whether the name of a task contains a word for something that is better lower.

    >>> [sounds_lower(name) for name in ("wmt.TER", "wordErrorRate", "winter", "valLoss", "rougeL")]
    [True, True, False, True, False]
    """
    return any(word.lower() in _LOWER for word in _WORD.findall(name))


def read(
    source: str | Path | Iterable[str | Path],
    *,
    layout: str | None = None,
    system: str | None = None,
    task: str | None = None,
    instance: str | None = None,
    score: str | None = None,
    metric: str | None = None,
    weight: str | None = None,
    prediction: str | None = None,
    gold: str | Path | None = None,
    table: str | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
    progress: Callable[[int, int | None], None] | None = None,
) -> Scores:
    r"""Read scores from one or several files.

    CSV, TSV, JSON Lines, Parquet, Arrow and Feather files, and DuckDB databases; plain or compressed (.gz, .zst,
    .bz2, .xz). A table may be long, with one row per score, or wide, with one row per system (and instance) and one
    column per task. Several files are one table in pieces.

    A score is missing where it is null, NaN, empty, `-`, `NA`, `N/A`, `#N/A`, `<NA>`, `null`, `none` or `nan`, or
    where no row gives it. `true` and `false` count as 1 and 0. A score given twice counts once if both agree.

    Parameters
    ----------
    source
        Path, glob such as `"runs/*.parquet"`, directory, `"-"` for standard input, or a list of these.
    layout
        "long" or "wide"; None recognises it by the names of the columns.
    system, task, instance, score, metric, weight
        Column that plays this role, where its name does not say so. `weight` is an instance weight, which is the
        same for all systems; it, like task, metric and score, occurs in long tables only.
    prediction, gold
        Of a long table of predictions in place of scores: their column ("prediction", "pred", "predicted",
        "predicted_label", "answer" or "output", if it is not named), and what is right: another column, or a table
        file with columns of instances and of right answers ("gold", "label", "gold_label", "answer", "target" or
        "class"), and of tasks where both have one. A score is 1 where the two are equal, else 0. Spaces at the ends
        do not count, capitals do, and numbers are equal as numbers. A prediction that is missing, as a score would
        be, and is no right answer to anything, is a missing score; what has no right answer is left out. Where no
        column names tasks, the one task is "accuracy".
    table
        Table of a database; needed where there are several.
    format
        "csv", "tsv", "jsonl", "parquet", "feather" or "duckdb", where neither ending nor content tells.
    tasks, systems
        Those to keep: labels or globs, `!glob` excludes. In a wide table other columns are not even looked at.
    lower, higher
        Tasks that are better lower, or higher (the default): labels or globs.
    weights
        Task weights by label or glob; 1 where none is given.
    tie_tolerance
        Scores of an instance that differ by at most this, to rounding, are tied.
    progress
        Called after every batch with the bytes read and the bytes there are.

    Returns
    -------
    Scores
        Float64, or float32 if every column of scores is. Systems and tasks are in order of first appearance,
        instances in order of their labels.

    Raises
    ------
    InputError
        Something cannot be read as scores; the message names file, line or row, and value.
    LabelError
        A column, table, task or system was named that does not exist.
    MissingExtraError
        The source is a database and DuckDB is not installed.
    WeightError
        A weight is negative or not finite, or all are zero.

    Warns
    -----
    PodiumWarning
        A task sounds as if lower were better, and neither `lower` nor `higher` names it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.source.read import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("system,rte,sst2\nA,0.7,0.9\nB,0.6,NA\n")
    ...     read(path)
    Scores(2 systems × 2 tasks, 1 of 4 scores missing)
    """
    found = find_files(source, format)
    if table is not None and all(file.format != "duckdb" for file in found.files):
        raise InputError(
            f"table={table!r} (--table) names a table of a DuckDB database, and {found.files[0].name} is none; leave "
            "it out"
        )
    columns = {"system": system, "task": task, "instance": instance, "score": score, "metric": metric, "weight": weight}
    wishes = Wishes.of(layout, tasks, **columns)
    tables = [opened(file, table) for file in found.files]
    if gold is None and prediction is None:
        from podium.source.assemble.collect import collect  # noqa: PLC0415  # Arrow is for when something is read

        scores = collect(tables, wishes, progress=progress, notes=found.notes)
    else:
        from podium.source.grade import read_graded  # noqa: PLC0415  # only where there are predictions

        scores = read_graded(tables, wishes, gold, prediction, progress=progress, notes=found.notes)
    return Finish(lower, higher, weights, tie_tolerance, systems=systems).of(scores)
