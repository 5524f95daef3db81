"""What a page is called, what it promises, and where it goes."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import podium
from podium.base.errors import InputError, MethodError, OutputError
from podium.base.file import check_writable
from podium.base.words import as_typed
from podium.cli.folder import folder_of
from podium.cli.option.input import ReadOptions
from podium.cli.option.option import COLUMNS, check_choice, choice, option, split
from podium.cli.option.read import column
from podium.cli.option.weight import InstanceWeightOptions, splits_from
from podium.cli.output import Destination
from podium.customization.match import rate, rate_by_own
from podium.difficulty.read import NO_MEASURE
from podium.page.group import read_groups
from podium.page.shell import INDEX
from podium.source.file import by_ending
from podium.timeline.steps import EACH

if TYPE_CHECKING:
    from podium.difficulty.result import Difficulty, Texts
    from podium.score.table import Scores

#: Difficulties that need nothing but scores.
_MODEL_FREE = ("failures", "irt")


@dataclass(frozen=True, slots=True)
class DifficultyOptions(InstanceWeightOptions):
    """Weights of instances, or their difficulty for a reader to weigh them by."""

    splits: Annotated[
        str | None,
        option(
            "--splits",
            metavar="N|X,Y,…|COLUMN",
            meaning="From difficulty to weight: number of equal splits, or the limits between them. Default: 7. With "
            "--difficulty: the column of its table that names splits, for readers to choose.",
        ),
    ] = None
    difficulty: Annotated[
        str | None,
        option(
            "--difficulty",
            metavar="FILE|failures|irt",
            meaning="Let readers weigh by difficulty, too: that of a table, the share of systems that fail, or an item "
            "response model. The page then holds the score of every instance.",
            heading="Method",
        ),
    ] = None
    probability_column: Annotated[
        str | None,
        option(
            "--probability-column",
            metavar="COLUMN",
            meaning="Let readers weigh by each system's confidence, too, a column of the sources. The page then holds "
            "it, and the score, of every instance.",
            heading="Method",
        ),
    ] = None

    def __post_init__(self) -> None:
        if not self.rates:
            InstanceWeightOptions.__post_init__(self)
            return
        weighing = {"--instance-weights": self.instance_weights, "--split-weights": self.split_weights}
        if self.splits is not None and not self._names_splits:
            weighing["--splits"] = self.splits
        if said := [name for name, value in weighing.items() if value is not None]:
            raise MethodError(f"on a page with difficulty readers weigh the instances; leave {said[0]} out")
        idle = dict(self.table.said)
        if self.probability_column is not None:
            del idle["--strict"]
        if self.file is None and (said := [name for name, value in idle.items() if value]):
            raise MethodError(f"{said[0]} needs a table of difficulties, and there is none; leave {said[0]} out")

    @property
    def _names_splits(self) -> bool:
        return self.file is not None and self.splits is not None and isinstance(splits_from(self.splits), str)

    @property
    def rates(self) -> bool:
        """Whether readers weigh instances."""
        return self.difficulty is not None or self.probability_column is not None

    @property
    def file(self) -> Path | None:
        """Table with difficulties, if there is one."""
        return None if self.difficulty is None or self.difficulty in _MODEL_FREE else Path(self.difficulty)

    @property
    def _table_arguments(self) -> dict[str, Any]:
        """What `podium.read_difficulty` is told of the table."""
        column = self.table.difficulty_column
        measures = None if column is None else split([column])
        return {"measures": measures, "hard": self.table.hard, "splits": self.splits}

    @property
    def in_python(self) -> str:
        """Python code that makes the same difficulties of `scores`; empty where there are none."""
        if self.difficulty is None:
            return ""
        if self.file is None:
            return f"podium.{'failure_rate' if self.difficulty == 'failures' else 'item_response'}(scores)"
        told = [f"{name}={value!r}" for name, value in self._table_arguments.items() if value is not None]
        return f"podium.read_difficulty({', '.join([repr(str(self.file)), *told])})"

    def rate(self, scores: "Scores") -> "Difficulty | None":
        """Read the difficulties, by all measures that are wanted, or take them from the scores.

        Raises
        ------
        PodiumError
            The table cannot be read, or has no such columns; or, if strict, some instance is not rated.
        """
        if self.difficulty is None:
            return None
        if self.file is None:
            return podium.failure_rate(scores) if self.difficulty == "failures" else podium.item_response(scores)
        difficulty = podium.read_difficulty(self.file, **self._table_arguments)
        if [measure.name for measure in difficulty.measures] == [NO_MEASURE]:
            raise InputError(
                f"{self.file}: no column beside {self.splits!r} is a measure by its name, and a page needs one; name "
                f"it with --difficulty-column, or use podium customize --splits {as_typed(self.splits or '')}"
            )
        if self.table.strict:
            for measure in difficulty.measures:
                rate(scores, difficulty, measure.name, strict=True)
        return difficulty


@dataclass(frozen=True, slots=True)
class PageReadOptions(ReadOptions):
    """Which scores are wanted, and how difficult their instances are."""

    weighing: DifficultyOptions

    @property
    def weighs(self) -> bool:
        """Whether there is a table of weights or difficulties."""
        return self.weighing.instance_weights is not None or self.weighing.rates

    def refuse_overwriting(self, destination: Destination, *, beside: Iterable[str | Path | None] = ()) -> None:
        """Refuse to write the page over what it is made of, among it the table of difficulties."""
        # confidences are in the files of the scores, which are then read twice
        again = self.sources if self.weighing.probability_column else []
        read = [*beside, *again, self.weighing.file]
        ReadOptions.refuse_overwriting(self, destination, beside=read)

    def published(self) -> dict[str, str]:
        """What a page calls files that were typed with a whole path, which would tell strangers about this machine."""
        files, weighing = self.files, self.weighing
        read = [*self.sources, files.gold, files.trec, weighing.file, weighing.instance_weights]
        return _within_one_folder([str(one) for one in read if one is not None])

    def called(self, names: Mapping[str, str]) -> "PageReadOptions":
        """The same of files with other names."""

        def new(name: str | None) -> str | None:
            return None if name is None else names.get(name, name)

        sources = [names.get(source, source) for source in self.sources]
        files = replace(self.files, sources=sources or None, gold=new(self.files.gold))
        return replace(self, files=files, weighing=replace(self.weighing, difficulty=new(self.weighing.difficulty)))

    def code(self, seed: int, history: Mapping[str, Any]) -> dict[str, str]:
        """Python code that makes what a page is made of, by its name; none where scores take more than that.

        Parameters
        ----------
        seed
            Of everything random.
        history
            What `podium.history` is told besides the board; nothing where there is none. A board that is read with
            options has no code that makes its history.
        """
        if self.in_python == "":
            return {}
        weighed = self.selection.task_weights or self.selection.family_weights
        plain = self.in_python == f"scores = podium.read({self.sources[0]!r})" and not weighed
        told = "".join(f", {key}={value!r}" for key, value in history.items())
        name = self.weighing.probability_column
        made = {
            "difficulty": self.weighing.in_python,
            "confidences": "" if name is None else self.column_in_python(name),
            "robustness": f"podium.stress(scores, seed={seed})",
            "history": f"podium.history({self.sources[0]!r}{told})" if history and plain else "",
        }
        return {"scores": self.in_python, **{what: f"{what} = {code}" for what, code in made.items() if code}}

    def rated(self, scores: "Scores", *, quiet: bool) -> dict[str, Any]:
        """Return how difficult instances are, and how confident systems, as `podium.make_page` takes it.

        Raises
        ------
        PodiumError
            What is read makes no sense for these scores.
        """
        name = self.weighing.probability_column
        sure = None if name is None else self.column(name, quiet=quiet)
        if sure is not None and self.weighing.table.strict:
            rate_by_own(scores, sure, strict=True)
        splits = self.weighing.splits if self.weighing.rates else None
        return {"difficulty": self.weighing.rate(scores), "confidences": sure, "splits": splits}


def _within_one_folder(paths: Iterable[str]) -> dict[str, str]:
    """Write whole paths from the folder that holds all of them.

    >>> _within_one_folder(["/home/jo/runs/*.csv", "/home/jo/gold.csv", "more/b.csv"])
    {'/home/jo/runs/*.csv': 'runs/*.csv', '/home/jo/gold.csv': 'gold.csv'}
    >>> _within_one_folder(["/home/jo/logs/"])
    {'/home/jo/logs/': 'logs'}
    """
    whole = [path for path in paths if Path(path).is_absolute()]
    # a sign of a pattern ends what is known of its folders
    known = [re.split(r"[*?\[]", path)[0] if re.search(r"[*?\[]", path) else path.rstrip("/\\") for path in whole]
    folder = os.path.commonpath(map(os.path.dirname, known)) if known else ""
    return {path: os.path.relpath(path, folder) for path in whole}


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Where the page goes, and what stands on it."""

    heading: ClassVar[str] = "Output"

    output: Annotated[
        str,
        option(
            "--output",
            "-o",
            metavar="PATH",
            meaning="The page, one HTML file that works without a network; or, with a slash behind its name, a folder "
            "for a web server, where readers fetch what they look at.",
        ),
    ] = "board.html"
    title: Annotated[
        str | None, option("--title", metavar="TEXT", meaning="What it is called. Default: the name of the source.")
    ] = None
    instances: Annotated[
        bool,
        option(
            "--instances",
            meaning="Put the score of every instance with its name into the page, too, to see where systems differ.",
        ),
    ] = False
    texts: Annotated[
        str | None,
        option(
            "--texts",
            metavar="FILE",
            meaning="With --instances: table with the text of each instance, to read where systems differ. The page "
            "publishes these texts.",
        ),
    ] = None
    text_column: Annotated[str | None, column("text", heading=COLUMNS)] = None
    stress: Annotated[
        bool,
        option("--stress", meaning="Also find what would change the winner, which may take long.", heading="Method"),
    ] = False
    history: Annotated[
        bool,
        option(
            "--history",
            meaning="Of a board: also show how ranks went over its versions. The page then names all their systems and "
            "tasks.",
            heading="Method",
        ),
    ] = False
    each: Annotated[
        str | None,
        choice(
            EACH,
            "--each",
            meaning="With --history: each version is a step, or the last one of each day or month.",
            heading="Method",
        ),
    ] = None
    groups: Annotated[
        str | None,
        option(
            "--groups",
            metavar="FILE",
            meaning="Table with columns task and group: tasks of a group stand in one column, which opens, under one "
            "weight. A task may be a pattern. Default: more than 60 tasks are grouped by their names.",
            heading="Tasks and systems",
        ),
    ] = None
    quiet: Annotated[bool, option("--quiet", "-q", meaning="Print only errors on standard error.")] = False
    confidence: Annotated[
        float,
        option("--confidence", metavar="P", meaning="Confidence of rank intervals and tiers.", heading="Uncertainty"),
    ] = 0.95
    replicates: Annotated[
        int,
        option(
            "--replicates",
            metavar="B",
            min=1,
            meaning="Number of bootstrap replicates; more make a larger file.",
            heading="Uncertainty",
        ),
    ] = 200
    seed: Annotated[int, option("--seed", metavar="N", meaning="Seed of everything random.", heading="Uncertainty")] = 0

    def __post_init__(self) -> None:
        if self.texts is not None and not self.instances:
            raise MethodError("--texts is for where two systems disagree; add --instances, or leave --texts out")
        if self.texts is None and self.text_column is not None:
            raise MethodError("--text-column is of a table of texts; name the table with --texts")
        if self.each is not None and not self.history:
            raise MethodError("--each is about the versions that --history shows; add --history, or leave --each out")
        check_choice("way to choose versions of a board", self.each, EACH)

    def read_texts(self) -> "Texts | None":
        """Read the texts, if they are wanted.

        Raises
        ------
        PodiumError
            The table cannot be read, or has no such column.
        """
        return None if self.texts is None else podium.read_texts(self.texts, text_column=self.text_column)

    def read_groups(self) -> dict[str, str] | None:
        """Read the groups of tasks, if there are any.

        Raises
        ------
        PodiumError
            The table cannot be read, or has no such columns.
        """
        return None if self.groups is None else read_groups(self.groups)

    def destination(self) -> Destination:
        """Where it goes, which is looked at before the work.

        Raises
        ------
        OutputError
            It cannot be written, or the file is not called a page.
        """
        folder = folder_of(self.output, bare=False)
        path = Path(self.output) if folder is None else folder / INDEX
        if path.suffix.lower() not in {".html", ".htm"}:
            raise OutputError(f"{path} is to hold a page; name a file that ends in .html, or a folder, as {path}/")
        check_writable(path)
        return Destination("html", path, (), self.quiet, verbose=False, explain=False)

    def title_of(self, sources: list[str]) -> str:
        """The title, or else the name of the only source without its suffix."""
        if self.title is not None:
            return self.title
        if len(sources) != 1 or sources[0] == "-":
            return "scores"
        name = Path(sources[0])
        return (name.with_suffix("") if by_ending(name.name)[1] else name).stem  # of scores.csv.gz, both endings go
