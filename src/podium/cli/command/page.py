"""The command `page`."""

import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import podium
from podium.base.errors import InputError
from podium.cli.app import command
from podium.cli.command.history import versions_of
from podium.cli.command.rank import are_quick
from podium.cli.option.bootstrap import BootstrapOptions
from podium.cli.option.method import MethodOptions
from podium.cli.option.page import PageOptions, PageReadOptions
from podium.cli.output import Destination
from podium.cli.progress import Bar
from podium.page.api import check_page
from podium.score.table import Scores

#: Options of a page that other commands have not, and whether a value follows.
_OF_PAGES = {
    "--output": True,
    "--title": True,
    "--instances": False,
    "--texts": True,
    "--text-column": True,
    "--groups": True,
    "--stress": False,
    "--history": False,
    "--each": True,
    "--quiet": False,
}

#: The short ones, which may stand together, and the value of `-o` behind them.
_SHORT = re.compile("-(?:q+|q*o(.*))", re.DOTALL)

#: Options of difficulties, which a ranking has not.
_OF_TABLES = {"--difficulty": True, "--difficulty-column": True, "--hard": True, "--splits": True}
_OF_DIFFICULTIES = {**_OF_TABLES, "--strict": False, "--probability-column": True}

#: What a page says anew.
_SAID_ANEW = {"--task-weights": True, "--family-weights": False}

#: Options of intervals, which other questions have not; and of replicates, which a comparison has not.
_OF_INTERVALS = {"--confidence": True, "--replicates": True}
_OF_REPLICATES = {"--replicates": True, "--seed": True}


@command
def page(*, read: PageReadOptions, page: PageOptions) -> None:
    """Make a page on which others weigh the tasks themselves.

    \b
    podium page scores.csv
    podium page scores.parquet --title 'GLUE, dev sets' -o glue.html
    podium page scores.csv --difficulty bias.csv

    The page is one file for any browser, and needs no network: mail it, or put it on any web server. It holds shares of
    others that systems beat, mean scores, how these vary, and notes. It holds no texts, and of more than 50 instances
    only the lowest and highest score of each task.

    With --difficulty, or by --probability-column, readers also weigh instances by difficulty, as podium customize does.
    The page then holds the difficulty and the scores of every instance, without labels.

    With --instances readers also compare two systems, as podium compare does, and see on which instances they disagree.
    The page then holds the score of every instance, with its name; with --texts also what it says.

    With --stress they see what would change the winner; the verdict may name instances. With --history they see how
    ranks went over a board's versions.
    """  # noqa: D301
    destination = page.destination()
    read.refuse_overwriting(destination, beside=[page.texts, page.groups])
    beside = read.weighing.probability_column
    versions = _versions(read, page, beside) if page.history else None
    scores = read.scores(quiet=page.quiet, beside=beside) if versions is None else versions[1]
    texts, groups = page.read_texts(), page.read_groups()
    rated = read.rated(scores, quiet=page.quiet)
    names = read.published()
    typed = [_renamed(word, names) for word in sys.argv[sys.argv.index("page") + 1 :]]
    difficulty = rated["difficulty"]
    measured = {"--probability-column": True, "--splits": True}
    if difficulty is not None and len(difficulty.measures) > 1:
        measured["--difficulty-column"] = True
    other = _OF_DIFFICULTIES if read.weighing.rates else {}
    replicates = ["--replicates", str(page.replicates)]
    robustness = None
    if page.stress or page.history:
        check_page(scores, **rated, instances=page.instances, texts=texts, groups=groups)
    history, told = (None, {}) if versions is None else _history(page, versions, destination)
    if page.stress:
        with Bar("trying changes", quiet=page.quiet) as bar:
            robustness = podium.stress(scores, seed=page.seed, progress=bar)
    with Bar("counting", quiet=page.quiet) as bar:
        made = podium.make_page(
            scores,
            **rated,
            instances=page.instances,
            texts=texts,
            robustness=robustness,
            history=history,
            groups=groups,
            title=page.title_of(list(read.sources)),
            confidence=page.confidence,
            replicates=page.replicates,
            seed=page.seed,
            commands={
                "rank": _command("rank", typed, _SAID_ANEW | other, replicates),
                "customize": _command("customize", typed, measured, replicates),
                "confidence": _command("customize", typed, _OF_TABLES, replicates),
                "compare": _command("compare", typed, _SAID_ANEW | other | _OF_REPLICATES),
                "agree": _command("agree", typed, other | _OF_INTERVALS | {"--seed": True}),
                "stress": _command("stress", typed, other | _OF_INTERVALS),
                "history": _command("history", typed, other | {"--replicates": True}, own=("--each",)),
                "info": _command("info", typed, other | _OF_INTERVALS | {"--seed": True}),
            },
            python=read.called(names).code(page.seed, told),
            progress=bar,
        )
    made.save(page.output)
    for note in made.notes:
        destination.mention(note)
    destination.mention(f"{page.output} holds {made.holds}")
    if Path(page.output).is_dir():
        destination.mention(f"put it on any web server; to try it: python -m http.server -d {shlex.quote(page.output)}")


def _versions(read: PageReadOptions, page: PageOptions, beside: str | None) -> tuple[list[Any], Scores, list[str]]:
    """Return the versions of the board, the newest of them, and notes.

    Raises
    ------
    PodiumError
        The source is no board, or has fewer than two versions.
    """
    one = len(read.sources) == 1
    found = versions_of(read, page.each, quiet=page.quiet, beside=beside) if one else None
    if found is None:
        raise InputError(
            "--history is about the versions of one board (podium add makes one); leave it out, or in Python give "
            "podium.make_page(history=) what podium.history makes of files or dates"
        )
    return found


def _history(
    page: PageOptions, versions: tuple[list[Any], Scores, list[str]], destination: Destination
) -> tuple[podium.History, dict[str, Any]]:
    """Return how ranks went over the versions of a board, and what `podium.history` was told besides it."""
    steps, scores, notes = versions
    usual = BootstrapOptions()
    quick = are_quick(scores, MethodOptions(), usual.replicates)
    if not quick:
        destination.mention("the history has no intervals, because they take long")
    sure: dict[str, Any] = {"confidence": page.confidence if quick else None, "seed": page.seed}
    with Bar("ranking versions", quiet=page.quiet) as bar:
        history = podium.history(steps, progress=bar, **sure)
    chosen = {} if page.each is None else {"each": page.each}
    return replace(history, notes=(*notes, *history.notes)), {**chosen, **sure}


def _renamed(word: str, names: Mapping[str, str]) -> str:
    """A word that was typed, with the name that a page gives to a file."""
    option, equals, value = word.partition("=")
    return f"{option}={names[value]}" if equals and value in names else names.get(word, word)


def _command(
    verb: str, typed: list[str], without: dict[str, bool], usual: Sequence[str] = (), *, own: Sequence[str] = ()
) -> str:
    """The command that prints the numbers of a page, given what was typed after `podium page`.

    `without` are options that it has not, besides those of pages, and whether a value follows; `own` are those of pages
    that it has; `usual` is an option that is said if it was not typed.
    """
    left_out = {name: value for name, value in {**_OF_PAGES, **without}.items() if name not in own}
    kept: list[str] = []
    words = iter(typed)
    for word in words:
        name, equals, _ = word.partition("=")
        if (short := _SHORT.fullmatch(word)) is not None:
            if short[1] == "":
                next(words)
        elif name not in left_out:
            kept.append(word)
        elif left_out[name] and not equals:
            next(words)
    said = any(word.partition("=")[0] in usual[:1] for word in kept)
    return shlex.join(["podium", verb, *kept, *([] if said else usual)])
