"""From what is typed to scores: the input options that commands share, and what they ask for."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import podium
from podium.base.errors import InputError, MethodError, OutputError, PodiumWarning
from podium.cli.folder import possible_files
from podium.cli.option.option import split
from podium.cli.option.read import (
    RUNS,
    ColumnOptions,
    FileOptions,
    OptionalFileOptions,
    SelectionOptions,
    families_from,
    named_sources,
    weights_from,
)
from podium.cli.option.weight import InstanceWeightOptions
from podium.cli.output import Destination
from podium.cli.progress import Bar
from podium.score.table import Scores
from podium.source.layout import Unused
from podium.source.named import apart
from podium.source.path import labels_of, takes_in


def refuse_overwriting(
    destination: Destination, sources: Iterable[str | Path | None], *, locations: Path | None = None
) -> None:
    """Refuse to write over what is read, and to read standard input twice.

    Parameters
    ----------
    destination
        Where to write.
    sources
        What is read, as typed; None where nothing is.
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
    from podium.source.tool.trec import lists_file  # noqa: PLC0415  # only where a location file is read

    return lists_file(locations, path)


_BUILT_IN = "dataset:"


@dataclass(frozen=True, slots=True)
class PlainReadOptions:
    """Which scores are wanted, and how they are to be understood."""

    files: FileOptions
    selection: SelectionOptions
    columns: ColumnOptions

    @property
    def named(self) -> dict[str, str]:
        """Sources by name, where names are typed."""
        return named_sources(self.files.sources or ())

    @property
    def strict(self) -> bool:
        """Whether sources with names must ask the same questions."""
        return False

    @property
    def sources(self) -> Sequence[str]:
        """As typed, without names; none where there is a location file."""
        return tuple(self.named.values()) or self.files.sources or ()

    def refuse_overwriting(self, destination: Destination, *, beside: Iterable[str | Path | None] = ()) -> None:
        """Refuse to write a result over what it is made of, among it what is read beside the scores, and see above.

        Raises
        ------
        InputError
            Standard input is named twice.
        OutputError
            A target is one of the files to be read.
        """
        read = [*self.sources, self.files.gold or None, *beside]
        refuse_overwriting(destination, read, locations=self.files.trec)

    def has_runs(self) -> bool:
        """Whether scores are computed from runs, so that there are other measures to ask for.

        Raises
        ------
        PodiumError
            The location file makes no sense.
        """
        from podium.source.tool.trec import lists_runs  # noqa: PLC0415  # only where a location file is read

        return self.files.trec is not None and lists_runs(self.files.trec)

    def scores(self, *, quiet: bool, measure: str | None = None, beside: str | None = None) -> Scores:
        """Read the sources, load the built-in data set, or evaluate what the location file lists.

        Parameters
        ----------
        quiet
            Whether to show no progress.
        measure
            What to compute from runs, where it is not what was asked for.
        beside
            Another column of the sources that is read by itself, see `column`.

        Raises
        ------
        PodiumError
            The sources, or what is said of them, make no sense.
        """
        scores = self.selection.weigh_tasks(self._from_source(measure, quiet=quiet))
        said = (note.without(beside or "") if isinstance(note, Unused) else [note] for note in scores.notes)
        return replace(scores, notes=tuple(chain.from_iterable(said)))

    def gated(self, told: Mapping[str, Any], *, quiet: bool) -> "podium.Gate":
        """Hold the second of two sources against the first; see `podium.gate`.

        Raises
        ------
        PodiumError
            There are not two, or they make no sense.
        """
        names = list(self.named) or labels_of(self.sources)
        if len(names) != 2:
            raise InputError(
                f"a gate has a baseline and a new run, and there are {len(names):,} sources; name two, as in "
                "before=main/ after=pr/"
            )
        wanted = {**self._file_arguments, **self.selection.arguments}
        weights = weights_from(self.selection.task_weights)
        with Bar("reading", quiet=quiet) as bar:
            before, after = self.sources
            told = {**told, **wanted, "task_weights": weights, "progress": bar}
            return podium.gate(before, after, names=(names[0], names[1]), **told)

    def watched(self, baseline: str, told: Mapping[str, Any]) -> "Iterator[podium.Watched]":
        """Look at the source while it comes in; see `podium.watch`.

        Raises
        ------
        PodiumError
            There is not one source, or the two make no sense.
        """
        if len(self.sources) != 1:
            raise InputError("watch looks at one new run; name it, and the baseline with --baseline")
        wanted = {**self._file_arguments, **self.selection.arguments}
        weights = weights_from(self.selection.task_weights)
        return podium.watch(baseline, self.sources[0], **told, **wanted, task_weights=weights)

    def findings(self, *, quiet: bool) -> podium.Findings:
        """Say which results there are in the sources, without choosing any.

        Raises
        ------
        PodiumError
            The sources are no files, or something is said of what is to be read.
        """
        if self.files.trec is not None or any(source.startswith(_BUILT_IN) for source in self.sources):
            raise InputError("--formats looks at files and folders; name some")
        chosen = {**self._file_arguments, **self.selection.arguments, "task_weights": self.selection.task_weights}
        chosen |= {"family": self.selection.family, "family_weights": self.selection.family_weights}
        if said := [name for name, value in chosen.items() if value and name != "tool"]:
            raise InputError(
                f"--{_as_option(said[0])} chooses what is read; --formats shows what there is, so leave it out"
            )
        with Bar("looking", quiet=quiet) as bar:
            return podium.find_results(self._files, tool=self.files.tool, progress=bar)

    def column(self, name: str, *, quiet: bool) -> Scores:
        """Read another column of the sources as if it were the scores, as confidences are.

        Raises
        ------
        PodiumError
            The sources are no files, or have no such column.
        """
        if self.files.trec is not None or any(source.startswith(_BUILT_IN) for source in self.sources):
            raise InputError(f"there is no column {name!r} with these scores; it must be in the files that are read")
        with Bar("reading", quiet=quiet) as bar, warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # a confidence has no direction to be stated
            return podium.read(self._files, **self._column_arguments(name), progress=bar)

    def column_in_python(self, name: str) -> str:
        """Python code that reads another column in the same way."""
        return (
            f"podium.read({', '.join(filter(None, [repr(self._files), _arguments(**self._column_arguments(name))]))})"
        )

    def _column_arguments(self, name: str) -> dict[str, Any]:
        unused = dict.fromkeys(
            (
                *("prediction_column", "gold", "weight_column", "cluster_column", "covariate_column", "family_column"),
                "statistic",
            )
        )
        return {**self._file_arguments, **unused, "score_column": name}

    def _from_source(self, measure: str | None, *, quiet: bool) -> Scores:
        """Return the tasks and systems that are wanted, with their directions."""
        if self.files.trec is not None:
            return self._evaluate(self.files.trec, measure or self.files.measure)
        if self.files.measure is not None:
            raise InputError("--measure needs TREC runs; list them in a file, and name that file with --trec")
        built_in = [source for source in self.sources if source.startswith(_BUILT_IN)]
        if not built_in:
            return self._read(quiet=quiet)
        if len(self.sources) > 1:
            raise InputError(f"{built_in[0]} cannot be read together with other sources")
        return self._load(built_in[0].removeprefix(_BUILT_IN))

    @property
    def _files(self) -> str | list[str] | dict[str, str]:
        return self.named or (self.sources[0] if len(self.sources) == 1 else list(self.sources))

    @property
    def _file_arguments(self) -> dict[str, Any]:
        """What `podium.read` is told of files only; None where it is to be recognised."""
        files = self.files
        columns = asdict(self.columns)
        for several in ("system_column", "task_column", "covariate_column"):
            columns[several] = split(columns[several]) or None
        arguments = {**columns, "gold": files.gold, "layout": files.layout}
        arguments |= {"tool": files.tool, "preset": files.preset, "metric": split(files.metric) or None}
        arguments |= {} if files.runs == RUNS[0] else {"runs": files.runs}
        arguments |= {"strict": True} if self.named and self.strict else {}
        arguments |= {"memory": files.memory, "as_of": files.as_of, "transpose": files.transpose}
        return {**arguments, "format": files.input_format, "table": files.table, "keep_first": files.keep_first}

    def _evaluate(self, trec: Path, measure: str | None) -> Scores:
        if self.sources:
            raise InputError(f"--trec {trec} replaces the sources; leave out {self.sources[0]!r} or --trec")
        self._refuse_file_arguments("tables, and --trec reads no table")
        return podium.read_locations(trec, measure, **self.selection.arguments)

    def _refuse_file_arguments(self, why: str) -> None:
        if said := [option for option, value in self._file_arguments.items() if value not in (None, False)]:
            raise InputError(f"--{_as_option(said[0])} is for {why}; leave it out")

    def _read(self, *, quiet: bool) -> Scores:
        wanted = {**self._file_arguments, **self.selection.arguments}
        with Bar("reading", quiet=quiet) as bar:

            def one(source: str, name: str) -> Scores:
                return podium.read(source, **wanted, name=name)

            try:
                scores = podium.read(self._files, **wanted, progress=bar)
            except InputError:
                found = None if self.named else apart(self.sources, one)
                if found is None:
                    raise
                return found
            return (None if len(scores.systems) > 1 else apart(self.sources, one)) or scores

    def _load(self, name: str) -> Scores:
        self._refuse_file_arguments(f"files, and {_BUILT_IN}{name} is not a file")
        wanted = self.selection.arguments
        scores = podium.datasets.load(name).select(systems=wanted["systems"], tasks=wanted["tasks"])
        return scores.with_directions(lower=wanted["lower"], higher=wanted["higher"])


@dataclass(frozen=True, slots=True)
class ReadOptions(PlainReadOptions):
    """The same for commands that take weights of instances from a table beside the scores."""

    weighing: InstanceWeightOptions

    def __post_init__(self) -> None:
        if self.weighing.table.strict and not (self.weighs or self.named):
            raise MethodError(
                "--strict needs a table of weights, or sources with names; name these with --instance-weights or as in "
                "before=old/ after=new/, or leave --strict out"
            )

    @property
    def weighs(self) -> bool:
        """Whether there is a table of weights or difficulties."""
        return self.weighing.instance_weights is not None

    @property
    def strict(self) -> bool:
        """Whether sources with names must ask the same questions."""
        return self.weighing.table.strict

    @property
    def in_python(self) -> str:
        """Python code that reads the same scores; empty where it takes more: of TREC runs and weights of instances.

        Task weights are left out.
        """
        if self.files.trec is not None or self.weighing.instance_weights is not None:
            return ""
        wanted = self.selection.arguments
        name = self.sources[0].removeprefix(_BUILT_IN)
        if name != self.sources[0]:
            chosen = _arguments(systems=wanted["systems"], tasks=wanted["tasks"])
            turned = _arguments(lower=wanted["lower"], higher=wanted["higher"])
            code = f"scores = podium.datasets.load({name!r}).select({chosen}).with_directions({turned})"
        else:
            told = _arguments(**self._file_arguments, **wanted)
            code = f"scores = podium.read({', '.join(filter(None, [repr(self._files), told]))})"
        families = families_from(self.selection.family)
        code += "" if families is None else f".with_families({families!r})"
        tolerance = self.selection.tie_tolerance
        return f"{code}.with_tie_tolerance({tolerance!r})" if tolerance else code

    def refuse_overwriting(self, destination: Destination, *, beside: Iterable[str | Path | None] = ()) -> None:
        """Refuse to write a result over what it is made of, among it the table of weights."""
        weights = self.weighing.instance_weights
        PlainReadOptions.refuse_overwriting(self, destination, beside=[*beside, weights])

    def scores(self, *, quiet: bool, measure: str | None = None, beside: str | None = None) -> Scores:
        """Read the scores, and weigh instances."""
        scores = PlainReadOptions.scores(self, quiet=quiet, measure=measure, beside=beside)
        return self.weighing.weigh_instances(scores)


@dataclass(frozen=True, slots=True)
class OptionalReadOptions(ReadOptions):
    """The same for a command that may have no source."""

    files: OptionalFileOptions


def _as_option(argument: str) -> str:
    return "input-format" if argument == "format" else argument.replace("_", "-")


def _arguments(**told: Any) -> str:
    """Keyword arguments in Python, those that say something."""
    return ", ".join(f"{name}={value!r}" for name, value in told.items() if value)
