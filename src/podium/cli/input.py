"""From what is typed to scores: the input options that commands share, and what they ask for."""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import typer

import podium
from podium.base.errors import InputError, OutputError, PodiumWarning
from podium.cli.app import UsageError
from podium.cli.folder import written
from podium.cli.option import read as options
from podium.cli.option import split as split_options
from podium.cli.progress import Bar
from podium.cli.rating import Rating
from podium.difficulty.result import HARD
from podium.score.table import Scores
from podium.source.path import FORMATS, takes_in
from podium.source.tool.ranger import lists_file, lists_runs


def spare(target: Path | None, sources: Iterable[str | Path | None], *, locations: Path | None = None) -> None:
    """Refuse to write over what is read.

    Parameters
    ----------
    target
        Where to write, a file or a folder to be filled; or None.
    sources
        What is read, as typed; None where nothing is.
    locations
        A location file, with what it lists; or None.

    Raises
    ------
    OutputError
        The target is one of the files to be read.
    """
    if target is None:
        return
    read = [str(source) for source in sources if source is not None]
    for path in written(target):
        if any(takes_in(source, path) for source in read) or (locations and lists_file(locations, path)):
            raise OutputError(f"{path} is read as input and would be overwritten; choose another place")


_BUILT_IN = "dataset:"


@dataclass(frozen=True, slots=True)
class Request:
    """Which scores are wanted, and how they are to be understood.

    Attributes
    ----------
    sources
        As typed; none where there is a location file.
    trec
        Location file, or None.
    measure
        What to compute from runs, or None.
    form
        What can be said of files only, by option: the column of each role, right answers, layout, format and table;
        None where it is to be recognised.
    tasks, systems
        Patterns of what to keep, or None for all.
    lower, higher
        Patterns of tasks by direction.
    weights
        Of tasks, by pattern, or None.
    tie_tolerance
        Largest difference that is a tie.
    rating
        What is said of difficulties or weights of instances.
    """

    sources: Sequence[str]
    trec: Path | None
    measure: str | None
    form: Mapping[str, str | None]
    tasks: Sequence[str] | None
    systems: Sequence[str] | None
    lower: Sequence[str]
    higher: Sequence[str]
    weights: Mapping[str, float] | None
    tie_tolerance: float
    rating: Rating

    def spare(self, target: Path | None) -> None:
        """Refuse to write the result over what it is made of.

        Raises
        ------
        OutputError
            The target is one of the files to be read.
        """
        spare(target, [*self.sources, self.form["gold"] or None, self.rating.file], locations=self.trec)

    def has_runs(self) -> bool:
        """Whether scores are computed from runs, so that there are other measures to ask for.

        Raises
        ------
        PodiumError
            The location file makes no sense.
        """
        return self.trec is not None and lists_runs(self.trec)

    def scores(self, *, quiet: bool, measure: str | None = None) -> Scores:
        """Read the sources, load the built-in data set, or evaluate what the location file lists; weigh instances.

        Parameters
        ----------
        quiet
            Whether to show no progress.
        measure
            What to compute from runs, where it is not what was asked for.

        Raises
        ------
        PodiumError
            The sources, or what is said of them, make no sense.
        """
        self.rating.refuse_idle()
        return self.rating.weighed(self._unweighed(measure, quiet=quiet))

    def column(self, name: str, *, quiet: bool) -> Scores:
        """Read another column of the sources as if it were the scores, as confidences are.

        Raises
        ------
        PodiumError
            The sources are no files, or have no such column.
        """
        if self.trec is not None or any(source.startswith(_BUILT_IN) for source in self.sources):
            raise InputError(f"there is no column {name!r} beside these scores; it must be in the files that are read")
        form: dict[str, Any] = {**self.form, "score": name, "prediction": None, "gold": None, "weight": None}
        with Bar("reading", quiet=quiet) as bar, warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # a confidence has no direction to be stated
            return podium.read(self._files, **form, progress=bar)

    @property
    def _files(self) -> str | list[str]:
        return self.sources[0] if len(self.sources) == 1 else list(self.sources)

    def plain_scores(self, *, quiet: bool, measure: str | None = None) -> Scores:
        """Make the same for what heeds no weights of instances from another table.

        Raises
        ------
        PodiumError
            The sources, or what is said of them, make no sense; or weights are given all the same.
        """
        self.rating.refuse_weights()
        return self._unweighed(measure, quiet=quiet)

    def _unweighed(self, measure: str | None, *, quiet: bool) -> Scores:
        if self.trec is not None:
            return self._evaluate(self.trec, measure or self.measure)
        if self.measure is not None:
            raise InputError("--measure says what to compute from runs; list them in a file and name it with --trec")
        if "" in self.sources:
            # an unset shell variable, most likely; it must not stand for the folder one happens to be in
            raise InputError("a source is the empty text; name a file, a folder, or . for this folder")
        built_in = [source for source in self.sources if source.startswith(_BUILT_IN)]
        if not built_in:
            return self._read(quiet=quiet)
        if len(self.sources) > 1:
            raise InputError(f"{built_in[0]} is a table of its own and cannot be read with other sources")
        return self._load(built_in[0].removeprefix(_BUILT_IN))

    def _evaluate(self, trec: Path, measure: str | None) -> Scores:
        if self.sources:
            raise InputError(f"--trec {trec} stands in place of sources; leave out {self.sources[0]!r}, or --trec")
        self._refuse_form("tables, and --trec reads none")
        return podium.read_locations(
            trec,
            measure,
            tasks=self.tasks,
            systems=self.systems,
            lower=self.lower,
            higher=self.higher,
            weights=self.weights,
            tie_tolerance=self.tie_tolerance,
        )

    def _refuse_form(self, why: str) -> None:
        """Refuse what can be said of table files only."""
        if said := [option for option, value in self.form.items() if value is not None]:
            option = "input-format" if said[0] == "format" else said[0]
            raise InputError(f"--{option} says how to read {why}; leave it out")

    def _read(self, *, quiet: bool) -> Scores:
        with Bar("reading", quiet=quiet) as bar:
            return podium.read(
                self._files,
                **self.form,
                tasks=self.tasks,
                systems=self.systems,
                lower=self.lower,
                higher=self.higher,
                weights=self.weights,
                tie_tolerance=self.tie_tolerance,
                progress=bar,
            )

    def _load(self, name: str) -> Scores:
        self._refuse_form(f"files, and {_BUILT_IN}{name} is none")
        scores = podium.datasets.load(name).select(systems=self.systems, tasks=self.tasks)
        scores = scores.with_directions(lower=self.lower, higher=self.higher)
        return scores.with_weights(self.weights or {}).with_tie_tolerance(self.tie_tolerance)


def _requested(
    *,
    context: typer.Context,
    sources: options.Sources = None,
    trec: options.Trec = None,
    measure: options.Measure = None,
    lower: options.Lower = None,
    higher: options.Higher = None,
    weights: options.Weights = None,
    tasks: options.Tasks = None,
    systems: options.Systems = None,
    tie_tolerance: options.TieTolerance = 0.0,
    instance_weights: split_options.InstanceWeights = None,
    weighting: split_options.InstanceWeighting = None,
    difficulty_column: split_options.DifficultyColumn = None,
    hard: split_options.Hard = None,
    strict: split_options.Strict = False,
    system: options.System = None,
    task: options.Task = None,
    instance: options.Instance = None,
    score: options.Score = None,
    metric: options.Metric = None,
    weight: options.Weight = None,
    prediction: options.Prediction = None,
    gold: options.Gold = None,
    layout: options.Layout = None,
    input_format: options.InputFormat = None,
    table: options.Table = None,
) -> Request:
    """Check what can be checked without reading."""
    if not sources and trec is None:
        raise UsageError("Missing argument 'SOURCE'", ctx=context)
    options.check_choice("layout", layout, options.LAYOUTS)
    options.check_choice("input format", input_format, FORMATS)
    options.check_choice("hard end", hard, HARD)
    columns = {"system": system, "task": task, "instance": instance, "score": score}
    columns |= {"metric": metric, "weight": weight, "prediction": prediction, "gold": gold}
    return Request(
        sources or (),
        trec=trec,
        measure=measure,
        form=columns | {"layout": layout, "format": input_format, "table": table},
        tasks=options.split(tasks) or None,
        systems=options.split(systems) or None,
        lower=options.split(lower),
        higher=options.split(higher),
        weights=options.weights_from(weights),
        tie_tolerance=tie_tolerance,
        rating=Rating(instance_weights, weighting, difficulty_column, hard, strict),
    )


def takes_input(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of `Request` in place of its parameter `request`.

    Typer reads a command's signature, so that is what is put together here: once for all commands.
    """
    shared = inspect.signature(_requested).parameters
    own = inspect.signature(command).parameters
    names = list(own)
    place = names.index("request")

    @wraps(command)
    def run(**typed: Any) -> None:
        request = _requested(**{name: typed.pop(name) for name in shared})
        command(request=request, **typed)

    before = [own[name] for name in names[:place]]
    after = [own[name] for name in names[place + 1 :]]
    signature = inspect.Signature([*before, *shared.values(), *after])
    run.__signature__ = signature  # type: ignore[attr-defined]  # documented, though functions do not declare it
    run.__annotations__ = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    del run.__wrapped__  # whose signature is another
    return run
