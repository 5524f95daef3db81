"""The commands about tables and boards, info, datasets, convert, add and board; and schema, about their answers."""

from pathlib import Path
from typing import Any

import podium
from podium.base.errors import BoardError
from podium.base.file import check_writable
from podium.base.progress import Bar
from podium.board.result import RULES, OnConflict
from podium.cli.app import INPUT, OUTPUT, QUIET, Group, argument, check_choice, choice, command, flag, option
from podium.cli.options import CountOptions, OutputOptions
from podium.cli.output import Destination, print_content, print_view, there, written
from podium.cli.read import ReadOptions
from podium.report.formats import to_json
from podium.report.view import Column, Table, View

_PLACE: Any = argument("BOARD", "Folder or address (s3://…) of the board.")


@command
def info(
    *,
    read: ReadOptions,
    formats: bool = flag(INPUT, "Show what the files are: tool, how they are read, what is left out and why."),
    show: CountOptions,
) -> None:
    """Show what a table holds, and what is missing.

    \b
    podium info scores.csv
    podium info dataset:xtreme-missing -f markdown
    podium info results/ --formats

    Shape, missing scores, directions, weights, ties, and near-ties: scores that differ by at most 1e-9 without being
    equal.
    """  # noqa: D301
    destination = show.destination()
    read.check(destination)
    if formats:
        destination.deliver(read.findings(quiet=show.quiet))
        return
    scores = read.scores(quiet=show.quiet)
    with show.bar("counting") as bar:
        description = podium.info(scores, n_jobs=show.threads, progress=bar)
    destination.deliver(description)


@command
def datasets() -> None:
    """List the built-in data sets.

    \b
    podium datasets
    podium rank dataset:toy-table1
    """  # noqa: D301
    names = podium.datasets.names()
    shapes = [_shape(podium.datasets.load(name)) for name in names]
    columns = (Column.labels("source", [f"dataset:{name}" for name in names]), Column.words("holds", shapes))
    print_view(View("built-in data sets", (Table(columns),)))


def _shape(scores: podium.Scores) -> str:
    return repr(scores).removeprefix("Scores(").removesuffix(")")


@command
def convert(
    *,
    read: ReadOptions,
    output: Path = option(
        OUTPUT,
        "PATH",
        "The table: .parquet, .feather, .csv, .tsv or .jsonl; text also with .gz, .zst, .bz2 or .xz.",
        "-o",
        required=True,
    ),
    quiet: bool = QUIET,
) -> None:
    """Write what is read as one long table.

    \b
    podium convert results/ -o scores.parquet
    podium convert 'logs/*.eval' --runs all -o scores.csv.gz

    A row has one score, with task, system, instance, and whether higher or lower is better. The table also holds
    repeats, weights of instances, clusters, cost, time and size, where these are known. podium reads it by itself, and
    ranks it to the same digits. The notes are of what was read, and are not in the table.
    """  # noqa: D301
    from podium.source.canonical import format_of  # noqa: PLC0415  # only here

    format_, _ = format_of(output)
    check_writable(output)
    destination = Destination(format_, output, quiet=quiet)
    scores = read.load(destination)
    before = there([output])
    with Bar("writing", quiet=quiet) as bar:
        podium.convert(scores, output, progress=bar)
    for note in (*scores.notes, f"{written([output], before)}: {_shape(scores)}"):
        destination.mention(note)


@command
def add(
    *,
    board: str = argument("BOARD", "Folder or address (s3://…) of the board; made if it is not there."),
    read: ReadOptions,
    on_conflict: OnConflict = choice(
        INPUT,
        RULES,
        "A score that the board has with another value: stop (default), keep it, replace it, or repeat.",
        what="rule for conflicts",
        default="error",
    ),
    run: str | None = option(INPUT, "NAME", "Name of the run, to be kept."),
    time: str | None = option(INPUT, "TIME", "When the run was made, to be kept."),
    show: OutputOptions,
) -> None:
    """Add scores to a board, which keeps all its versions.

    \b
    podium add board/ results/run-417/
    podium add board/ scores.csv --on-conflict replace
    podium add s3://bucket/board scores.parquet

    A board is a folder or an address, with all scores that were ever added. What is there already is not added again,
    and all is added or nothing. Several shells may add at once. podium rank BOARD ranks it, and --as-of shows it as it
    was.
    """  # noqa: D301
    destination = show.destination()
    scores = read.load(destination)
    with show.bar("adding") as bar:
        added = podium.add(
            board,
            scores,
            on_conflict=on_conflict,
            source=", ".join(read.paths) or str(read.trec),
            run=run,
            time=time,
            progress=bar,
        )
    destination.deliver(added)


_BOARD = """Show, check or compact a board.

\b
podium board info board/
podium board log board/
podium board check board/
podium board compact board/

podium add makes a board and adds to it. All commands that read scores read boards, at any version with --as-of.
"""

board = Group("board", _BOARD, "info")


@board.enter("info")
def board_info(
    *,
    place: str = _PLACE,
    as_of: str | None = option(INPUT, "WHEN", "The version, by number, date or time (UTC)."),
    show: OutputOptions,
) -> None:
    """Say what a board holds, and which version that is.

    \b
    podium board info board/
    podium board info board/ --as-of 2026-10-01

    podium info also counts the scores of each system and task.
    """  # noqa: D301
    show.destination().deliver(podium.boards.info(place, as_of=as_of))


@board.enter("log")
def board_log(*, place: str = _PLACE, show: OutputOptions) -> None:
    """List the versions of a board, the newest first.

    \b
    podium board log board/
    podium board log s3://bucket/board --top 10

    What was added when, from where, and how many scores were new.
    """  # noqa: D301
    show.destination().deliver(podium.boards.log(place))


@board.enter("check")
def board_check(*, place: str = _PLACE, show: OutputOptions) -> None:
    """Look whether a board can be read.

    \b
    podium board check board/

    Reads all of the newest version once: its log, every file, every row. If something is wrong, a sentence says what,
    and the exit code is 2.
    """  # noqa: D301
    destination = show.destination()
    found = podium.boards.check(place)
    destination.deliver(found)
    if not found.sound:
        raise BoardError(found.sentence)


@board.enter("compact")
def board_compact(
    *,
    place: str = _PLACE,
    forget: str | None = option(INPUT, "WHEN", "Remove what only versions before this one need. Default: nothing."),
    show: OutputOptions,
) -> None:
    """Write the newest version as fewer files.

    \b
    podium board compact board/
    podium board compact board/ --forget 2026-10-01

    Many small additions make reading slow, and few large files make it fast again. Earlier versions stay, unless
    --forget says from which version on they are kept. Files of writers that were killed are removed after a week.
    """  # noqa: D301
    show.destination().deliver(podium.boards.compact(place, forget=forget))


#: Kinds of results of each command.
_ANSWERS = {
    "rank": ("ranking",),
    "pairwise": ("head-to-head",),
    "agree": ("agreement",),
    "slices": ("slices",),
    "frontier": ("frontier",),
    "history": ("history",),
    "compare": ("meta-analysis", "comparisons", "task-comparison"),
    "gate": ("gate",),
    "pool": ("meta-analysis",),
    "judge": ("judging",),
    "tasks": ("benchmark",),
    "subset": ("subset",),
    "predict": ("prediction",),
    "stress": ("robustness",),
    "plan": ("plan", "item-plan", "label-plan"),
    "allocate": ("allocation",),
    "difficulty": ("difficulty",),
    "customize": ("customized",),
    "info": ("description", "findings"),
    "add": ("added",),
    "board": ("board", "board-log", "board-check", "board-compact"),
}


@command
def schema(
    name: str = argument("COMMAND", f"A command: {', '.join(_ANSWERS)}; or the kind that its JSON says."),
) -> None:
    """Print the JSON Schema of what a command answers.

    \b
    podium schema rank
    podium schema meta-analysis

    It describes what -f json writes. New keys may come; those that are required stay while schema_version does.
    """  # noqa: D301
    from podium.report.result import json_schemas  # noqa: PLC0415  # only here

    known = json_schemas()
    check_choice("command or kind", dict.fromkeys([*_ANSWERS, *known]), name)
    found = [known[kind] for kind in _ANSWERS.get(name, (name,))]
    print_content(to_json(found[0] if len(found) == 1 else {"$schema": found[0]["$schema"], "oneOf": found}))
