"""From what is typed to scores: the input options that commands share, and what they ask for."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self

import click

import podium
from podium.base.errors import InputError, MethodError, OutputError, PodiumWarning, WeightError
from podium.base.progress import Bar
from podium.base.words import Counted
from podium.cli.app import (
    COLUMNS,
    READING,
    TASKS,
    WEIGHTS,
    argument,
    choice,
    column,
    flag,
    groups_from,
    option,
    refuse,
    split,
)
from podium.cli.output import Destination, possible_files
from podium.score.table import Scores
from podium.source.file import FORMATS
from podium.source.named import RUNS, joined_by_path
from podium.source.path import labels_of, takes_in
from podium.source.recognise import Unused
from podium.source.table import is_missing

LAYOUTS = ("wide", "long")

#: Names of `podium.customization.split.RULES` and `podium.difficulty.result.HARD`, which other commands need not load.
RULES = ("linear", "falling", "logarithmic", "square", "uniform")

HARD = ("low", "high")

BUILT_IN = "dataset:"

#: Options that `podium.read` takes by the same names, and those of them that are lists.
_FILE_ARGUMENTS = (
    *("system_column", "task_column", "instance_column", "score_column", "metric_column", "weight_column"),
    *("cluster_column", "repeat_column", "prompt_column", "family_column", "slice_column", "covariate_column"),
    *("prediction_column", "gold", "layout", "tool", "preset", "metric", "runs", "strict", "as_of", "transpose"),
    *("human_column", "statistic", "input_format", "table", "keep_first"),
)
_LISTS = frozenset({"system_column", "task_column", "covariate_column", "metric"})

#: Those that are of no use if another column is read as if it were the scores.
_OF_SCORES = frozenset(
    {
        *("prediction_column", "gold", "weight_column", "cluster_column", "covariate_column", "family_column"),
        *("statistic", "score_column", "human_column"),
    }
)

INPUT_FORMAT: Any = choice(READING, FORMATS, "Format of the files, if the suffix does not say it.", what="input format")

TABLE: Any = option(
    READING,
    "NAME",
    "Table of a database, sheet of a spreadsheet, or number of a table on a page.",
    "--table",
    "--sheet",
)


def difficulty_column_option(heading: str) -> Any:
    """Declare `--difficulty-column` of a table of difficulties."""
    return option(heading, "COLUMN", "Column with the difficulty, if there are several.")


def hard_option(heading: str) -> Any:
    """Declare `--hard` of a table of difficulties."""
    return choice(heading, HARD, "Which end of the measure is hard, if its name does not say it.", what="hard end")


def strict_option(heading: str) -> Any:
    """Declare `--strict` of a table of difficulties."""
    return flag(heading, "Refuse instances that one side lacks; of NAME=SOURCE, also questions that differ.")


def table_of(difficulty: str | None) -> Path | None:
    """Return the table that `--difficulty` names; None if there is none, or scores say what is difficult."""
    return None if difficulty in {None, "failures", "irt"} else Path(str(difficulty))


def named_sources(sources: Iterable[str]) -> dict[str, str]:
    """Return sources by name if one is typed as NAME=SOURCE; nothing if none is. A file that is there wins.

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


def weights_from(
    values: Iterable[str] | None, option: str = "--task-weights", form: str = "TASK=WEIGHT", example: str = "rte=2"
) -> dict[str, float] | None:
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
        numbers = numbers_from([number])
        if not task or numbers is None:
            raise WeightError(f"{option} {text!r} is not of the form {form}, as in {option} {example}")
        (weight,) = numbers
        known = weights.setdefault(task, weight)
        if known is not weight and known != weight:
            raise WeightError(f"{option} gives {task!r} both {known:g} and {weight:g}; keep one")
    return weights or None


def presets_from(values: Iterable[str] | None) -> dict[str, dict[str, float]]:
    """Read `NAME=TASK=WEIGHT,…` texts; the first `=` divides, see `weights_from`.

    >>> presets_from(["coding=humaneval=2,mbpp*=1"])
    {'coding': {'humaneval': 2.0, 'mbpp*': 1.0}}
    """
    found: dict[str, dict[str, float]] = {}
    for text in values or ():
        name, equals, weights = text.partition("=")
        if not equals or not name.strip():
            raise WeightError(f"--weight-presets {text!r} is not of the form NAME=TASK=WEIGHT, as in coding=mbpp=2")
        if name.strip() in found:
            raise WeightError(f"--weight-presets names {name.strip()!r} twice; keep one")
        found[name.strip()] = weights_from([weights], f"--weight-presets {name}=") or {}
    return found


def families_from(values: Iterable[str] | None) -> dict[str, list[str]] | Literal[False] | None:
    """Read `NAME=GLOBS` texts, see `groups_from`; "none" alone is False, and nothing None.

    >>> families_from(["MRPC=MRPC-*", "MNLI=MNLI-m,MNLI-mm"]), families_from(["none"]), families_from(None)
    ({'MRPC': ['MRPC-*'], 'MNLI': ['MNLI-m', 'MNLI-mm']}, False, None)
    """
    return False if values is not None and list(values) == ["none"] else groups_from(values, "family") or None


def splits_from(text: str) -> int | list[float] | str:
    """Read how many splits, the ends between them, or the name of a column.

    >>> splits_from("7"), splits_from("0.3,0.6"), splits_from("genre")
    (7, [0.3, 0.6], 'genre')
    """
    numbers = numbers_from(split([text]))
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
    numbers = numbers_from(parts)
    if numbers is None and len(parts) > 1:
        raise MethodError(f"--split-weights {text!r} is neither a rule nor a list of numbers, such as 1,2,5")
    return text.strip() if numbers is None else numbers


def numbers_from(parts: Iterable[str]) -> list[float] | None:
    """Read numbers; None if there are none, or one is no number."""
    try:
        return [float(part) for part in parts] or None
    except ValueError:
        return None


def refuse_overwriting(
    destination: Destination, sources: Iterable[str | Path | None], *, locations: Path | None = None
) -> None:
    """Refuse to write over what is read, and to read standard input twice.

    Parameters
    ----------
    destination
        Where to write.
    sources
        What is read, as typed; None if nothing is.
    locations
        A location file, with what it lists; or None.

    Raises
    ------
    InputError
        Standard input is named twice.
    OutputError
        A target is one of the files to be read.
    """
    read = [str(source) for source in sources if source is not None]
    if read.count("-") > 1:
        raise InputError("standard input (-) can be read only once; save it as a file, and name that")
    for path in (path for target in destination.files for path in possible_files(target)):
        if any(takes_in(source, path) for source in read) or (locations is not None and _lists(locations, path)):
            raise OutputError(f"{path} is read as input and would be overwritten; choose another place")


def _lists(locations: Path, path: Path) -> bool:
    from podium.source.tool.trec_listing import lists_file  # noqa: PLC0415  # only where a location file is read

    return lists_file(locations, path)


@dataclass(frozen=True)
class PlainReadOptions:
    """Options of reading: the files, how they are to be taken, and which tasks and systems count."""

    sources: list[str] | None = argument(
        "SOURCE",
        "Files, folders, dataset:NAME, or - (standard input). Or patterns, or addresses (s3://…); any as NAME=SOURCE.",
        required=False,
    )
    input_format: str | None = INPUT_FORMAT
    layout: str | None = choice(
        READING, LAYOUTS, "One row per system (wide) or per score (long). Default: recognised.", what="layout"
    )
    table: str | None = TABLE
    transpose: bool = flag(READING, "Columns are systems, and rows are tasks (of wide tables).")
    gold: str | None = option(
        READING, "FILE|COLUMN", "Right answers to predictions: a table, or a column of the sources."
    )
    keep_first: bool = flag(READING, "Of scores that contradict each other, keep the first.")
    tool: str | None = option(READING, "NAME", "Tool that wrote the files, such as lm-eval. Default: recognised.")
    preset: str | None = option(
        READING,
        "NAME",
        "Export of langfuse, braintrust, langsmith, mlflow, mlflow-runs or wandb: what its columns are.",
    )
    metric: list[str] | None = option(READING, "GLOBS", "Of results of a tool: metrics to keep. Default: the main one.")
    runs: str = choice(
        READING,
        RUNS,
        "Several runs of a system: newest (default), all (as repeats), apart (as systems).",
        what="choice of runs",
        default="newest",
    )
    as_of: str | None = option(READING, "WHEN", "Of a board: the version to read, by number, date or time (UTC).")
    qrels: list[str] | None = option(
        READING, "FILES", "Qrels of sources that are TREC runs. If several, the path of a run has the name of its own."
    )
    trec: Path | None = option(READING, "FILE", "Instead of sources: YAML file that lists TREC runs, or score files.")
    measure: str | None = option(
        READING,
        "NAME",
        "Measure of the TREC runs: nDCG@10 (default), RR, AP, P@5, R@100, … or ndcg_cut_10, map, …",
        "-k",
    )

    tasks: list[str] | None = option(TASKS, "GLOBS", "Tasks to keep; !GLOB leaves tasks out.")
    systems: list[str] | None = option(TASKS, "GLOBS", "Systems to keep; !GLOB leaves systems out.")
    lower: list[str] | None = option(TASKS, "GLOBS", "Tasks where lower is better.")
    higher: list[str] | None = option(TASKS, "GLOBS", "Tasks where higher is better (the default).")
    task_weights: list[str] | None = option(
        TASKS, "TASK=W", "Weight of a task, or of a pattern. A name wins over a pattern.", check=weights_from
    )
    family: list[str] | None = option(
        TASKS,
        "NAME=GLOBS",
        "Tasks of one data set, drawn and tested as one; repeat for others. none: not even by their names.",
        check=families_from,
    )
    family_weights: bool = flag(TASKS, "Weigh each family once. Default: each of its tasks once.")
    tie_tolerance: float = option(TASKS, "X", "Two scores tie if they differ by at most this.", default=0.0)

    system_column: list[str] | None = column("system; several, with commas, name it together")
    task_column: list[str] | None = column("task; several, with commas, name it together")
    instance_column: str | None = column("instance")
    score_column: str | None = column("score")
    human_column: str | None = column("label by people, of some of the judge's scores")
    metric_column: str | None = column("metric")
    weight_column: str | None = column("weight of the instance; used only if named")
    cluster_column: str | None = column("cluster: instances that are drawn together")
    repeat_column: str | None = column("number of the repeat, such as a seed")
    prompt_column: str | None = column("prompt, such as its template or language")
    family_column: str | None = column("data set of the task, see --family")
    slice_column: str | None = column("slice of the instance, which divides its task; of slices several, with commas")
    covariate_column: list[str] | None = column("cost, time or size; several, with commas, or patterns")
    statistic: str | None = option(COLUMNS, "NAME", "Of repeats: mean (default), pass@K, pass^K, majority, max, min.")
    prediction_column: str | None = column("prediction")

    @property
    def are_runs(self) -> bool:
        """Return whether TREC runs or a location file are read."""
        return self.trec is not None or bool(self.qrels)

    @property
    def named(self) -> dict[str, str]:
        """Sources by name, if names are typed."""
        return named_sources(self.sources or ())

    @property
    def paths(self) -> Sequence[str]:
        """Sources as typed, without names; none if there is a location file."""
        return tuple(self.named.values()) or self.sources or ()

    @property
    def files(self) -> str | list[str] | dict[str, str]:
        """Sources as `podium.read` takes them."""
        return self.named or (self.paths[0] if len(self.paths) == 1 else list(self.paths))

    @property
    def by_slice_column(self) -> dict[str, Self]:
        """The same for each column of slices, by its name."""
        columns = list(dict.fromkeys(split(None if self.slice_column is None else [self.slice_column])))
        if len(columns) > 1 and "-" in self.paths:
            raise InputError("standard input (-) can be read only once; save it as a file, or name one slice column")
        return {column: replace(self, slice_column=column) for column in columns}

    @property
    def strict(self) -> bool:
        """Return whether sources with names must ask the same questions."""
        return False

    @property
    def selection(self) -> dict[str, Any]:
        """Return which tasks and systems count, as `podium.read` takes it."""
        chosen = {"tasks": split(self.tasks) or None, "systems": split(self.systems) or None}
        return {**chosen, "lower": split(self.lower), "higher": split(self.higher)}

    @property
    def file_arguments(self) -> dict[str, Any]:
        """Return the arguments of `podium.read` about files, as far as something is typed."""
        return {"format" if name == "input_format" else name: value for name, value in self._of_files.items()}

    @property
    def _of_files(self) -> dict[str, Any]:
        """Return the same by the names of the options."""
        arguments = {name: getattr(self, name) for name in _FILE_ARGUMENTS}
        arguments |= {name: split(arguments[name]) or None for name in _LISTS}
        arguments |= {"strict": self.strict and bool(self.named), "runs": None if self.runs == RUNS[0] else self.runs}
        return {name: value for name, value in arguments.items() if value not in (None, False)}

    def column_arguments(self, name: str) -> dict[str, Any]:
        """Return the arguments of `podium.read` if another column of the files is read as if it were the scores."""
        kept = {role: value for role, value in self.file_arguments.items() if role not in _OF_SCORES}
        return {**kept, "score_column": name}

    def check(self, destination: Destination, *, also: Iterable[str | Path | None] = ()) -> None:
        """Refuse that there is no source, and what `refuse_overwriting` refuses, before anything is read.

        Parameters
        ----------
        destination
            Where the result goes.
        also
            What else is read.

        Raises
        ------
        PodiumError
            Something of that kind.
        """
        if not self.sources and self.trec is None:
            raise click.UsageError("Missing argument 'SOURCE': a file, a folder, or - for standard input")
        read = [*self.paths, *split(self.qrels), self.gold or None, *also]
        refuse_overwriting(destination, read, locations=self.trec)

    def load(
        self, destination: Destination, *, also: Iterable[str | Path | None] = (), extra: str | None = None
    ) -> Scores:
        """Return the scores, see `scores`, unless `check` refuses something."""
        self.check(destination, also=also)
        return self.scores(quiet=destination.quiet, extra=extra)

    def scores(self, *, quiet: bool, measure: str | None = None, extra: str | None = None) -> Scores:
        """Read the sources, load the built-in data set, or evaluate what the location file lists.

        Parameters
        ----------
        quiet
            Whether to show no progress.
        measure
            What to compute from runs, if it is not what was asked for.
        extra
            Another column of the sources that is read by itself, see `column`.

        Raises
        ------
        PodiumError
            The sources, or what is said of them, make no sense.
        """
        scores = self._from_source(measure, quiet=quiet)
        families = families_from(self.family)
        scores = scores if families is None else scores.with_families(families)
        scores = scores.with_task_weights(weights_from(self.task_weights) or {})
        scores = scores.with_family_weights() if self.family_weights else scores
        scores = scores.with_tie_tolerance(self.tie_tolerance)
        said = (note.without(extra or "") if isinstance(note, Unused | Counted) else [note] for note in scores.notes)
        return replace(scores, notes=tuple(chain.from_iterable(said)))

    def _from_source(self, measure: str | None, *, quiet: bool) -> Scores:
        """Return the tasks and systems that are wanted, with their directions."""
        wanted = self.selection
        if self.are_runs:
            return self._evaluated(measure or self.measure, wanted)
        if self.measure is not None:
            raise InputError(
                "--measure needs TREC runs; name their qrels (--qrels), or a file that lists both (--trec)"
            )
        if built_in := self._built_in:
            if len(self.paths) > 1:
                raise InputError(f"{built_in} cannot be read together with other sources")
            refuse(self._of_files, f"{{0}} is for files, and {built_in} is not a file; leave it out", InputError)
            scores = podium.datasets.load(built_in.removeprefix(BUILT_IN))
            scores = scores.select(systems=wanted["systems"], tasks=wanted["tasks"])
            return scores.with_directions(lower=wanted["lower"], higher=wanted["higher"])
        arguments = {**self.file_arguments, **wanted}
        with Bar("reading", quiet=quiet) as bar:

            def one(source: str, name: str) -> Scores:
                return podium.read(source, **arguments, name=name)

            try:
                scores = podium.read(self.files, **arguments, progress=bar)
            except InputError:
                found = None if self.named else joined_by_path(self.paths, one)
                if found is None:
                    raise
                return found
            return (None if len(scores.systems) > 1 else joined_by_path(self.paths, one)) or scores

    def _evaluated(self, measure: str | None, wanted: Mapping[str, Any]) -> Scores:
        """Compute a measure of TREC runs, or read the scores that a location file lists."""
        if self.metric:
            raise InputError("--metric chooses among results of a tool; the measure of TREC runs is --measure (-k)")
        if self.trec is None:
            refuse(self._of_files, "{0} is for tables, and --qrels for TREC runs; leave one of them out", InputError)
            runs = self.named or list(self.paths)
            return podium.read_trec(runs, split(self.qrels), measure or "nDCG@10", **wanted)
        if self.paths or self.qrels:
            which = repr(self.paths[0]) if self.paths else "--qrels"
            raise InputError(f"--trec {self.trec} replaces the sources; leave out {which} or --trec")
        refuse(self._of_files, "{0} is for tables, and --trec reads no table; leave it out", InputError)
        return podium.read_locations(self.trec, measure, **wanted)

    @property
    def is_built_in(self) -> bool:
        """Return whether a data set of podium is read."""
        return bool(self._built_in)

    @property
    def _built_in(self) -> str:
        return next((source for source in self.paths if source.startswith(BUILT_IN)), "")

    def findings(self, *, quiet: bool) -> "podium.Findings":
        """Say which results there are in the sources, without choosing any.

        Raises
        ------
        PodiumError
            The sources are no files, or something is said of what is to be read.
        """
        if self.are_runs or self._built_in:
            raise InputError("--formats looks at files and folders; name some")
        weighing = {name: getattr(self, name) for name in ("task_weights", "family", "family_weights")}
        chosen = {**self._of_files, "tool": None, **self.selection, **weighing}
        refuse(chosen, "{0} chooses what is read; --formats shows what there is, so leave it out", InputError)
        with Bar("looking", quiet=quiet) as bar:
            return podium.find_results(self.files, tool=self.tool, progress=bar)

    def properties(self, names: Iterable[str] | None, scores: Scores) -> dict[str, dict[str, Any]]:
        """Read columns of the sources that are properties of systems, by name and system, see `read_properties`.

        Raises
        ------
        PodiumError
            The sources are no files that can be read once more, or have no such column.
        """
        from podium.webpage.properties import read_properties  # noqa: PLC0415  # only where there are any

        if names is not None and (self.are_runs or self._built_in or "-" in self.paths):
            raise InputError(
                "columns with properties of systems are read from files; save the table as one, and name it"
            )
        system = split(self.system_column) or None
        return read_properties(
            self.paths, scores, names, format=self.input_format, table=self.table, system_column=system
        )

    def families_in(self, column: str, scores: Scores) -> dict[str, str]:
        """Return the family of each system that a column of the sources says one of."""
        said = self.properties([column], scores)[column]
        known = {system: said.get(system) for system in scores.systems}
        return {system: family for system, family in known.items() if family and not is_missing(family)}

    def column(self, name: str, *, quiet: bool) -> Scores:
        """Read another column of the sources as if it were the scores, as confidences are.

        Raises
        ------
        PodiumError
            The sources are no files, or have no such column.
        """
        if self.are_runs or self._built_in:
            raise InputError(f"there is no column {name!r} with these scores; it must be in the files that are read")
        with Bar("reading", quiet=quiet) as bar, warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # a confidence has no direction to be stated
            return podium.read(self.files, **self.column_arguments(name), progress=bar)


@dataclass(frozen=True)
class ReadOptions(PlainReadOptions):
    """The same for commands that take weights of instances from a table beside the scores."""

    instance_weights: Path | None = option(WEIGHTS, "FILE", "Table with a weight or a difficulty for each instance.")
    splits: str | None = option(
        WEIGHTS, "N|X,Y,…", "From difficulty to weight: number of equal splits, or the limits between them. Default: 7."
    )
    split_weights: str | None = option(
        WEIGHTS,
        "RULE|W,W,…",
        f"Their weights from easy to hard: {', '.join(RULES)}, or numbers; or B or 1/B, the difficulty of "
        "each instance. Default: linear, or B for a column called weight.",
    )
    difficulty_column: str | None = difficulty_column_option(WEIGHTS)
    hard: Any = hard_option(WEIGHTS)
    strict: bool = strict_option(WEIGHTS)

    def __post_init__(self) -> None:
        self.check_weighing()

    def check_weighing(self) -> None:
        """Refuse options of a table of weights if there is none.

        Raises
        ------
        MethodError
            One of them is typed.
        """
        if self.instance_weights is not None:
            return
        idle = {name: getattr(self, name) for name in ("splits", "split_weights", "difficulty_column", "hard")}
        refuse(idle, "{0} needs a table of weights; name it with --instance-weights, or leave {0} out")
        if self.strict and not self.named:
            raise MethodError(
                "--strict needs a table of weights, or sources with names; name these with --instance-weights or as in "
                "before=old/ after=new/, or leave --strict out"
            )

    def check(self, destination: Destination, *, also: Iterable[str | Path | None] = ()) -> None:
        """Refuse the same, and to write over the table of weights."""
        super().check(destination, also=[*also, self.instance_weights])

    def scores(self, *, quiet: bool, measure: str | None = None, extra: str | None = None) -> Scores:
        """Read the scores, and weigh instances."""
        scores = super().scores(quiet=quiet, measure=measure, extra=extra)
        if self.instance_weights is None:
            return scores
        rule = split_weights_from(self.split_weights)
        own = isinstance(rule, str) and rule.upper() in {"B", "1/B"}
        measures = None if self.difficulty_column is None else [self.difficulty_column]
        hard: Any = self.hard or ("high" if own else None)
        difficulty = podium.read_difficulty(self.instance_weights, measures=measures, hard=hard)
        measured = difficulty.measure(self.difficulty_column).name
        return podium.weigh(
            scores,
            difficulty,
            measure=measured,
            splits=podium.Splitting(splits_from(self.splits or "7")),
            split_weights=rule or ("B" if measured.lower().startswith("weight") else "linear"),
            strict=self.strict,
        )
