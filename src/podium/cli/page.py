"""The command `page`, which also says how to print the numbers of a page, on the command line and in Python."""

import os
import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

import podium
from podium.base.errors import InputError, MethodError, OutputError
from podium.base.file import check_writable
from podium.base.progress import Bar
from podium.base.words import Aside, Counted, as_typed
from podium.cli.app import METHOD, OUTPUT, QUIET, TASKS, WEIGHTS, column, command, flag, option, refuse, split
from podium.cli.history import each_option, steps_in
from podium.cli.options import LONG, confidence_option, replicates_option, seed_option
from podium.cli.output import Destination, folder_of, there, written
from podium.cli.rank import BootstrapOptions, MethodOptions, seconds_of_intervals
from podium.cli.read import BUILT_IN, ReadOptions, families_from, presets_from, splits_from, table_of
from podium.customization.match import rate, rate_by_own
from podium.difficulty.read import NO_MEASURE
from podium.score.table import Scores
from podium.slicing.api import notes_without
from podium.source.file import by_ending
from podium.webpage.api import IMPUTED, check_page, empty_page
from podium.webpage.groups import preset_weights, read_groups
from podium.webpage.shell import INDEX

#: Options of a page that other commands have not, or that are about the page.
_OF_PAGES = frozenset(
    {
        *("--output", "--title", "--instances", "--texts", "--text-column", "--groups", "--stress", "--history"),
        *("--each", "--quiet", "--weight-presets", "--empty", "--property"),
    }
)

#: The short ones, which may stand together, and the value of `-o` behind them.
_SHORT = re.compile("-(?:q+|q*o(.*))", re.DOTALL)

#: Options of difficulties, which a ranking has not.
_OF_TABLES = frozenset({"--difficulty", "--difficulty-column", "--hard", "--splits"})
_OF_DIFFICULTIES = _OF_TABLES | {"--strict", "--probability-column"}

#: Those of a page without a table, by their names in Python.
_OF_EMPTY = frozenset({"empty", "output", "title", "quiet", "confidence", "replicates", "seed"})

#: What a page says anew.
_SAID_ANEW = frozenset({"--task-weights", "--family-weights"})


@dataclass(frozen=True)
class PageReadOptions(ReadOptions):
    """Options of scores, and of weights of their instances, or difficulties by which a reader weighs them."""

    splits: str | None = option(
        WEIGHTS,
        "N|X,Y,…|COLUMN",
        "From difficulty to weight: number of equal splits, or the limits between them. Default: 7. With "
        "--difficulty: the column of its table that names splits, for readers to choose.",
    )
    difficulty: str | None = option(
        METHOD,
        "FILE|failures|irt",
        "Let readers weigh by difficulty, too. It is that of a table, the share of systems that fail, or that of an "
        "item response model. The page then holds the score of every instance.",
    )
    probability_column: str | None = option(
        METHOD,
        "COLUMN",
        "Let readers weigh by a system's confidence, too. It is a column of the sources. The page then holds it, and "
        "the score, of every instance.",
    )

    @property
    def rates(self) -> bool:
        """Return whether readers weigh instances."""
        return self.difficulty is not None or self.probability_column is not None

    def check(self, destination: Destination, *, also: Iterable[str | Path | None] = ()) -> None:
        """Refuse the same, and to write the page over the table of difficulties."""
        # confidences are in the files of the scores, which are then read twice
        again = self.paths if self.probability_column else []
        super().check(destination, also=[*also, *again, table_of(self.difficulty)])

    def check_weighing(self) -> None:
        """Refuse what has no use if readers weigh the instances, or if these are not weighed."""
        if not self.rates:
            super().check_weighing()
            return
        file = table_of(self.difficulty)
        names_splits = file is not None and self.splits is not None and isinstance(splits_from(self.splits), str)
        weighing = {name: getattr(self, name) for name in ("instance_weights", "split_weights", "splits")}
        weighing |= {"splits": None} if names_splits else {}
        refuse(weighing, "on a page with difficulty readers weigh the instances; leave {0} out")
        if file is None:
            strict = self.strict and self.probability_column is None
            idle = {"difficulty_column": self.difficulty_column, "hard": self.hard, "strict": strict}
            refuse(idle, "{0} needs a table of difficulties, and there is none; leave {0} out")

    @property
    def table_arguments(self) -> dict[str, Any]:
        """Return the arguments of `podium.read_difficulty`."""
        measures = None if self.difficulty_column is None else split([self.difficulty_column])
        options = {"measures": measures, "hard": self.hard, "splits": self.splits}
        return {name: value for name, value in options.items() if value is not None}

    def rated(self, scores: Scores, *, quiet: bool) -> dict[str, Any]:
        """Return how difficult instances are, and how confident systems, as `podium.page` takes it.

        Raises
        ------
        PodiumError
            The table cannot be read, or has no such columns; what is read makes no sense for these scores; or, if
            strict, some instance is not rated.
        """
        confidences = None if self.probability_column is None else self.column(self.probability_column, quiet=quiet)
        if confidences is not None and self.strict:
            rate_by_own(scores, confidences, strict=True)
        file, difficulty = table_of(self.difficulty), None
        if file is not None:
            difficulty = podium.read_difficulty(file, **self.table_arguments)
            if [measure.name for measure in difficulty.measures] == [NO_MEASURE]:
                raise InputError(
                    f"{file}: no column beside {self.splits!r} is a measure by its name, and a page needs one; name "
                    f"it with --difficulty-column, or use podium customize --splits {as_typed(self.splits or '')}"
                )
            for measure in difficulty.measures if self.strict else ():
                rate(scores, difficulty, measure.name, strict=True)
        elif self.difficulty is not None:
            difficulty = getattr(podium, self.difficulty)(scores)
        return {"difficulty": difficulty, "confidences": confidences, "splits": self.splits if self.rates else None}


@partial(
    command,
    instead={
        "--missing": "a page counts a missing score as podium rank --missing imputed does",
        "--method": "readers choose the method on the page",
    },
)
def page(
    *,
    read: PageReadOptions,
    output: str = option(
        OUTPUT,
        "PATH",
        "The page, or a folder/ for a web server. A page is one HTML file that works without a network; of a folder, "
        "readers fetch what they look at.",
        "-o",
        default="board.html",
    ),
    title: str | None = option(OUTPUT, "TEXT", "What it is called. Default: the name of the source."),
    instances: bool = flag(
        OUTPUT, "Put the score of every instance with its name into the page, too, to see where systems differ."
    ),
    texts: str | None = option(
        OUTPUT,
        "FILE",
        "With --instances: table with the text of each instance, to read where systems differ. The page "
        "publishes these texts.",
    ),
    text_column: str | None = column("text"),
    stress: bool = flag(METHOD, "Also find what would change the winner. This may take long."),
    history: bool = flag(
        METHOD,
        "Also show how ranks went over the versions of a board, or over sources, oldest first. The page is that of the "
        "last, and names all their systems and tasks.",
    ),
    each: str | None = each_option(
        "With --history of a board: each version is a step, or the last of each day or month."
    ),
    groups: str | None = option(
        TASKS,
        "FILE",
        "Table with columns task and group. Tasks of a group stand in one column, which opens, under one "
        "weight. A task may be a pattern. Default: more than 60 tasks are grouped by their names.",
    ),
    weight_presets: list[str] | None = option(
        TASKS,
        "NAME=TASK=W",
        "Weights that readers choose by a name: coding=humaneval=2,mbpp=1. Other tasks weigh 0; repeat for more.",
        check=presets_from,
    ),
    empty: bool = flag(OUTPUT, "Without a source, for files that readers drop."),
    property: list[str] | None = option(  # noqa: A002  # the word for it
        TASKS,
        "NAMES",
        "Columns about systems, to filter by, or none. Texts, numbers, dates or links. Default: those of wide tables "
        "whose names say it, such as license or size.",
    ),
    quiet: bool = QUIET,
    confidence: float = confidence_option(),
    replicates: int = replicates_option("Number of bootstrap replicates; more make a larger file.", 200),
    seed: int = seed_option(),
) -> None:
    """Make a page on which others weigh the tasks themselves.

    \b
    podium page scores.csv
    podium page scores.parquet --title 'GLUE, dev sets' -o glue.html
    podium page scores.csv --difficulty bias.csv
    podium page 2026-01.csv 2026-02.csv --history

    The page is one file that needs no network. It holds aggregate numbers, no texts and no right answers; if at most
    200 instances count, or a few have nearly all the weight, also their scores without names, for exact tests. A
    missing score counts as with podium rank --missing imputed.

    With --difficulty or --probability-column readers also weigh instances by difficulty, as podium customize does; the
    page then holds the difficulty and the scores of every instance, without labels. With --instances they also compare
    two systems; it then holds the score of every instance, with its name, and with --texts what it says.

    With --stress they see what would change the winner; the verdict may name instances. With --history they see how
    ranks went over versions, and with --slice-column who leads where.
    """  # noqa: D301
    if empty:
        _refuse_table()
        made = empty_page(
            title=title or "your own leaderboard", confidence_level=confidence, n_resamples=replicates, rng=seed
        )
        _save(made, output, _destination(output, quiet=quiet))
        return
    if texts is not None and not instances:
        raise MethodError("--texts is for where two systems disagree; add --instances, or leave --texts out")
    if texts is None and text_column is not None:
        raise MethodError("--text-column is of a table of texts; name the table with --texts")
    if each is not None and not history:
        raise MethodError("--each is about the versions that --history shows; add --history, or leave --each out")
    destination = _destination(output, quiet=quiet)
    read.check(destination, also=[texts, groups])
    by_column = read.by_slice_column
    read = replace(read, slice_column=next(iter(by_column)) if len(by_column) == 1 else None)
    typed, versions = read, None
    if history:
        versions = steps_in(read, each, quiet=quiet, extra=read.probability_column)
        read = replace(read, sources=[read.paths[-1]])
    scores = read.scores(quiet=quiet, extra=read.probability_column) if versions is None else versions[1]
    scores = replace(scores, notes=tuple(_in_public(note, _published(read)) for note in scores.notes))
    said = None if texts is None else podium.read_texts(texts, text_column=text_column)
    grouped = None if groups is None else read_groups(groups)
    known = _properties(read, property, scores)
    presets = presets_from(weight_presets)
    preset_weights(scores.task_names, presets)
    rated = read.rated(scores, quiet=quiet)
    if stress or history:
        check_page(scores, **rated, instances=instances, texts=said, groups=grouped)
    past: podium.History | None = None
    steps: dict[str, Any] = {}
    if versions is not None:
        past, steps = _past(versions, destination, confidence_level=confidence, rng=seed)
        steps |= {} if each is None else {"each": each}
    draws: dict[str, Any] = {"confidence_level": confidence, "n_resamples": replicates, "rng": seed}
    slices, notes = _sliced(read, by_column, scores, draws, quiet=quiet)
    scores = replace(scores, notes=notes)
    robustness = None
    if stress:
        with Bar("trying changes", quiet=quiet) as bar:
            robustness = podium.stress(scores, rng=seed, progress=bar)
    with Bar("counting", quiet=quiet) as bar:
        made = podium.page(
            scores,
            **rated,
            instances=instances,
            texts=said,
            robustness=robustness,
            history=past,
            slices=slices,
            groups=grouped,
            weight_presets=presets,
            properties=known,
            title=title_of(read.paths) if title is None else title,
            **draws,
            commands=_commands(read, typed, rated["difficulty"], replicates, imputed="method" in steps),
            python=_in_python(read, typed, draws, steps),
            progress=bar,
        )
    _save(made, output, destination)


def _sliced(
    read: PageReadOptions,
    by_column: Mapping[str, PageReadOptions],
    scores: Scores,
    draws: Mapping[str, Any],
    *,
    quiet: bool,
) -> tuple[podium.Slices | None, tuple[str, ...]]:
    """Return who leads where, by each column, and notes, also on why that is not known."""
    if not by_column:
        return None, scores.notes
    tables = {column: replace(one, sources=read.sources).scores(quiet=quiet) for column, one in by_column.items()}
    notes = tuple(notes_without(scores.notes, list(tables)))
    try:
        with Bar("slicing", quiet=quiet) as bar:
            return podium.slices(tables, **draws, progress=bar), notes
    except (InputError, MethodError) as why:
        return None, (*notes, f"this page shows no slices: {why}")


def _save(made: podium.Page, output: str, destination: Destination) -> None:
    before = there(destination.files)
    made.save(output)
    for note in (*made.notes, f"{written(destination.files, before)}, which holds {made.holds}"):
        destination.mention(note)
    if Path(output).is_dir():
        destination.mention(f"put it on any web server; to try it: python -m http.server -d {shlex.quote(output)}")


def _refuse_table() -> None:
    """Refuse options of a table, which an empty page has not."""
    context = click.get_current_context()
    for one in context.command.params:
        given = context.get_parameter_source(one.name or "") is ParameterSource.COMMANDLINE
        if given and one.name not in _OF_EMPTY:
            what = one.opts[0] if isinstance(one, click.Option) else "a source"
            raise MethodError(f"--empty makes a page without a table, so that {what} has no use; leave one of them out")


def _properties(read: PageReadOptions, asked: Iterable[str] | None, scores: Scores) -> dict[str, dict[str, Any]]:
    """Return columns with properties of systems: those that are named, or those of wide tables that are known."""
    names = None if asked is None else [name for name in split(asked) if name != "none"]
    if names == [] or (names is None and not any(isinstance(note, Counted) for note in scores.notes)):
        return {}
    return read.properties(names, scores)


def _destination(output: str, *, quiet: bool) -> Destination:
    """Return where the page goes, which is looked at before the work.

    Raises
    ------
    OutputError
        It cannot be written, or the file is not called a page.
    """
    folder = folder_of(output, bare=False)
    path = Path(output) if folder is None else folder / INDEX
    if path.suffix.lower() not in {".html", ".htm"}:
        raise OutputError(f"{path} is to hold a page; name a file that ends in .html, or a folder, as {path}/")
    check_writable(path)
    return Destination("html", path, quiet=quiet)


def title_of(sources: Sequence[str]) -> str:
    """Return the name of the only source without its suffix."""
    if len(sources) != 1 or sources[0] == "-":
        return "scores"
    name = Path(sources[0])
    return (name.with_suffix("") if by_ending(name.name)[1] else name).stem  # of scores.csv.gz, both endings go


def _past(
    versions: tuple[list[Any], Scores, list[str]], destination: Destination, **steps: Any
) -> tuple[podium.History, dict[str, Any]]:
    """Return how ranks went over versions, and how that is asked in Python."""
    tables, scores, notes = versions
    if seconds_of_intervals(scores, MethodOptions(), BootstrapOptions()) > LONG:
        destination.mention("the history has no intervals, because they would take long")
        steps["confidence_level"] = None
    if scores.n_scored < scores.n_cells:
        steps = {"method": IMPUTED, **steps}
    with Bar("ranking versions", quiet=destination.quiet) as bar:
        found = podium.history(tables, progress=bar, **steps)
    return replace(found, notes=(*notes, *found.notes)), steps


def _published(read: PageReadOptions) -> dict[str, str]:
    """Return what a page calls files that were typed with a whole path, which would tell strangers of this machine."""
    files = [*read.paths, *split(read.qrels), read.gold, read.trec, table_of(read.difficulty), read.instance_weights]
    return _within_one_folder([str(one) for one in files if one is not None])


def _in_public(note: str, names: Mapping[str, str]) -> str:
    """Write a note with the names that a page gives to files."""
    for path, name in names.items():
        note = Aside(note.replace(path, name)) if path in note else note
    return note


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


def _commands(
    read: PageReadOptions,
    steps: PageReadOptions,
    difficulty: "podium.Difficulty | None",
    replicates: int,
    *,
    imputed: bool,
) -> dict[str, str]:
    """Return the commands that print the numbers of the page, given what was typed after `podium page`.

    `steps` has all sources; `read` has the last one if each is a step of a history. Several columns of slices divide no
    tasks, so that other commands have none.
    """
    names, words = _published(steps), sys.argv[sys.argv.index("page") + 1 :]
    past = typed = [_renamed(word, names) for word in words]
    if read.sources != steps.sources:
        others = [word for word in words if word not in (steps.sources or ())]
        typed = [_renamed(word, names) for word in (*read.paths, *others)]
    other = _OF_DIFFICULTIES if read.rates else frozenset()
    measured = {"--probability-column", "--splits"}
    if difficulty is not None and len(difficulty.measures) > 1:
        measured.add("--difficulty-column")
    usual = ["--replicates", str(replicates)]
    slices = _command("slices", typed, other, usual)
    if read.slice_column is None:
        typed, past = (_kept(own, {"--slice-column"}) for own in (typed, past))
    return {
        "rank": _command("rank", typed, _SAID_ANEW | other, usual),
        "customize": _command("customize", typed, measured, usual),
        "confidence": _command("customize", typed, _OF_TABLES, usual),
        "compare": _command("compare", typed, _SAID_ANEW | other | {"--replicates", "--seed"}),
        "pairwise": _command("pairwise", typed, _SAID_ANEW | other | {"--replicates", "--seed"}),
        "agree": _command("agree", typed, other | {"--confidence", "--replicates", "--seed"}),
        "stress": _command("stress", typed, other | {"--confidence", "--replicates"}),
        "slices": slices,
        "history": _command("history", past, other | {"--replicates"}, ["--missing", "imputed"] if imputed else ()),
        "info": _command("info", typed, other | {"--confidence", "--replicates", "--seed"}),
    }


def _renamed(word: str, names: Mapping[str, str]) -> str:
    """Return a word that was typed, with the name that a page gives to a file."""
    option, equals, value = word.partition("=")
    return f"{option}={names[value]}" if equals and value in names else names.get(word, word)


def _command(verb: str, typed: Sequence[str], without: AbstractSet[str], usual: Sequence[str] = ()) -> str:
    """Return the command that prints the numbers of a page, given what was typed after `podium page`.

    `without` are options that it has not, besides those of pages; `usual` is an option that is added if it was not
    typed.
    """
    kept = _kept(typed, without | (_OF_PAGES - {"--each"} if verb == "history" else _OF_PAGES))
    said = any(word.partition("=")[0] in usual[:1] for word in kept)
    return shlex.join(["podium", verb, *kept, *([] if said else usual)])


def _kept(typed: Sequence[str], left_out: AbstractSet[str]) -> list[str]:
    """Return what was typed, without some options and their values, and without the short ones."""
    switches = {flag for one in page.params if isinstance(one, click.Option) and one.is_flag for flag in one.opts}
    kept: list[str] = []
    words = iter(typed)
    for word in words:
        name, equals, _ = word.partition("=")
        if (short := _SHORT.fullmatch(word)) is not None:
            if short[1] == "":
                next(words)
        elif name not in left_out:
            kept.append(word)
        elif name not in switches and not equals:
            next(words)
    return kept


def _in_python(
    read: PageReadOptions, typed: PageReadOptions, draws: Mapping[str, Any], steps: Mapping[str, Any]
) -> dict[str, str]:
    """Return Python code that makes what a page is made of, by its name; none if scores take more than that.

    Parameters
    ----------
    read
        What was read, by which files are then named as a page names them. There is no code of TREC runs and of weights
        of instances; weights of tasks are left out.
    typed
        The same with all sources, if each is a step of a history.
    draws
        Confidence, replicates and seed.
    steps
        What `podium.history` takes besides the steps; nothing if there are none. Steps that are read with options
        have no code that makes their history.
    """
    if read.are_runs or read.instance_weights is not None:
        return {}
    names = _published(typed)
    sources = [names.get(source, source) for source in read.paths]
    gold = None if read.gold is None else names.get(read.gold, read.gold)
    read = replace(read, sources=sources or None, gold=gold)
    wanted = read.selection
    if sources[0].startswith(BUILT_IN):
        chosen = _arguments(systems=wanted["systems"], tasks=wanted["tasks"])
        turned = _arguments(lower=wanted["lower"], higher=wanted["higher"])
        name = sources[0].removeprefix(BUILT_IN)
        code = f"scores = podium.datasets.load({name!r}).select({chosen}).with_directions({turned})"
    else:
        code = f"scores = podium.read({_arguments(read.files, **read.file_arguments, **wanted)})"
    families = families_from(read.family)
    code += "" if families is None else f".with_families({families!r})"
    code += f".with_tie_tolerance({read.tie_tolerance!r})" if read.tie_tolerance else ""
    made = {"scores": code}
    file = table_of(read.difficulty)
    if file is not None:
        table = _arguments(names.get(str(file), str(file)), **read.table_arguments)
        made["difficulty"] = f"difficulty = podium.read_difficulty({table})"
    elif read.difficulty is not None:
        made["difficulty"] = f"difficulty = podium.{read.difficulty}(scores)"
    if read.probability_column is not None:
        column_arguments = _arguments(read.files, **read.column_arguments(read.probability_column))
        made["confidences"] = f"confidences = podium.read({column_arguments})"
    made["robustness"] = f"robustness = podium.stress(scores, rng={draws['rng']})"
    if read.slice_column is not None:
        made["slices"] = f"slices = podium.slices({{{read.slice_column!r}: scores}}, {_arguments(**draws)})"
    weighed = read.task_weights or read.family_weights
    if steps and not weighed and code == f"scores = podium.read({sources[0]!r})":
        more = "".join(f", {key}={value!r}" for key, value in steps.items())
        files = [names.get(path, path) for path in typed.paths]
        named = dict(zip(typed.named, files, strict=False))
        made["history"] = f"history = podium.history({(named or files) if files[1:] else files[0]!r}{more})"
    return made


def _arguments(*given: Any, **options: Any) -> str:
    """Arguments in Python, those that say something."""
    return ", ".join([*map(repr, given), *(f"{name}={value!r}" for name, value in options.items() if value)])
