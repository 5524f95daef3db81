"""A case: a folder of damaged files, a command with its options, and the surroundings that it runs in."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import click
from files import encoded, moved, torn, undecodable, written
from material import KINDS, LABELS, Table, damaged, table

from podium.cli.app import app

#: Which tables a command reads; the likeliest first.
_KINDS: dict[str, tuple[str, ...]] = {
    "pool": ("effects",),
    "customize": ("long", "long", "predictions"),
    "difficulty failures": ("long",),
    "difficulty irt": ("long",),
    "difficulty similarity": ("texts",),
    "difficulty bias": ("texts",),
}
_OTHER_KINDS = ("wide", "long")

#: What each command is told so that it has work to do; S and T are systems, F is the table.
_NEEDED = {
    "compare": ["--control", "S", "--treatment", "T"],
    "customize": ["--difficulty", "failures", "--splits", "2"],
    "stress": ["--repeats", "2", "--jobs", "1"],
    "difficulty similarity": ["--train", "F", "--test", "F"],
    "difficulty bias": ["--test", "F", "--rounds", "3", "--size", "3", "--jobs", "1"],
}

#: How often a command is drawn; slow ones more seldom.
_SHARES = {
    "rank": 6,
    "info": 4,
    "compare": 4,
    "agree": 3,
    "stress": 1,
    "difficulty bias": 1,
    "difficulty similarity": 1,
    "datasets": 0.2,
}

#: Options that choose some scores, or add other files, so that what is read is not all of the table.
CHOOSING = frozenset({"--tasks", "--systems", "--gold", "--trec", "--qrels", "--table", "--statistic"})

_NUMBERS = (
    "0", "1", "-1", "2", "7", "0.5", "0.95", "0.999999999", "1e-300", "1e308", "-0.0", "nan", "inf", "-inf", "x", "",
    "1,2", "٣", "0x3", str(2**63), str(10**30),
)  # fmt: skip

#: Numbers that only say how much work is wanted.
_WORK = frozenset({"--replicates", "--repeats", "--rounds", "--jobs", "--threads", "--memory"})

_TARGETS = (
    "out.csv", "out.json", "out.jsonl", "out.md", "out.tex", "out.html", "out.parquet", "out.txt", "out", "out/",
    "folder/out/", "out.docx", "no/out.csv", "-", "", ".", "/dev/null", "/dev/full", "/dev/stdout", "taken.csv",
    "taken/", "x" * 300 + ".csv", "a\x1b[2Jb.csv", "a\nb.json", "\udce9.json", "..", "out.csv/", "~/nowhere/x.csv",
)  # fmt: skip

_PICTURES = ("p.svg", "p.svg", "p.pdf", "p.png", "p.gif", "no/p.svg", "/dev/null", "taken.svg", "", "a\x1b[2J.svg")

#: How help writes the value of an option that is a number.
_OF_NUMBERS = frozenset({"N", "B", "P", "X", "M", "T", "D", "E", "SECONDS", "MB"})

#: Files that options name.
_FILES = (
    "other.csv", "other.jsonl", "other.parquet", "scores.csv", "scores.csv", "runs.yaml", "taken.csv", "nowhere", "-",
    "", ".", "/dev/null",
)  # fmt: skip

#: Files that say where runs are.
_LOCATIONS = (
    "eval_metrics: {A: {rte: scores.csv}}\n",
    "[",
    "a: &a [*a]\n",
    "qrels: {one: other}\navailable_rankings: {a: {one: scores.csv}}\n",
    "[" * 50_000,
)

_SURROUNDINGS = {
    "COLUMNS": ("0", "1", "20", "-1", "abc", "100000", ""),
    "NO_COLOR": ("1", ""),
    "TERM": ("dumb", "", "xterm-256color"),
    "LC_ALL": ("C", "tr_TR.UTF-8", "nonsense"),
    "PODIUM_PIPE_MIB": ("1", "0", "-1", "much", ""),
    "HOME": ("/dev/null/home", ""),
    "TMPDIR": ("/dev/null/tmp",),
}

#: Of so many cases one starts Python anew.
_FRESH = 250

#: Headings of options that say how to read; a wrong one ends a command before its work.
_OF_READING = frozenset({"Reading", "Columns", "Weights of instances", "Tasks and systems"})

#: Where standard streams lead: a file, a closed descriptor, a full disk, a pipe without reader, a terminal of a width.
STREAMS = ("file", "closed", "full", "broken", "terminal")


@dataclass(frozen=True)
class Case:
    """What is run, and what must come of it.

    Attributes
    ----------
    arguments
        What is typed after `podium`.
    stdin
        Bytes that are piped in; None where standard input is closed.
    environment
        Variables that are set.
    stdout, stderr
        Where they lead, one of `STREAMS`.
    encoding
        Of the standard streams before podium has looked at them.
    width
        Of a terminal.
    scores
        How many scores and systems must be read, or be said to be left out; None where that is unclear.
    fresh
        Whether Python is started anew, as a shell does it.
    """

    arguments: tuple[str, ...]
    stdin: bytes | None = b""
    environment: Mapping[str, str] | None = None
    stdout: str = "file"
    stderr: str = "file"
    encoding: str = "utf-8"
    width: int = 80
    scores: tuple[int, int] | None = None
    fresh: bool = False


def made(seed: int, number: int, folder: Path) -> Case:
    """Make a case of its number in an empty folder; the same number always makes the same case."""
    rng = random.Random(f"{seed} {number}")
    if rng.random() < 0.01:
        return Case(tuple(_nonsense(rng)))
    name = rng.choices(list(commands()), [_SHARES.get(name, 2) for name in commands()])[0]
    calm = rng.random() < 0.4  # only labels are odd, and what is asked makes sense: so much is worked on and written
    kinds = _KINDS.get(name, _OTHER_KINDS)
    drawn = table(rng, rng.choice(kinds if calm or rng.random() < 0.95 else KINDS))
    for _ in range(0 if calm else rng.choice((0, 1, 1, 2))):
        drawn = damaged(drawn, rng)
    path = written(drawn, folder / "scores", rng)
    whole = drawn.scores
    hurt = 1.0 if calm else rng.random()
    if hurt < 0.15:
        path.write_bytes(torn(path.read_bytes(), rng))
        whole = None
    elif hurt < 0.2:
        path.write_bytes(encoded(path.read_bytes(), rng))
        whole = None  # what a code has no letters for is lost here
    _other_files(folder, rng)
    typed, piped = path.name, b""
    if not calm and rng.random() < 0.15:
        typed, piped = moved(path, rng)
        whole = None
    elif not calm and rng.random() < 0.02:
        typed, whole = undecodable(folder), None
    words = _words(name, typed, drawn, rng, calm=calm)
    if CHOOSING & set(words) or any(word.endswith("-column") for word in words):  # a column may be a task otherwise
        whole = None
    fresh = number % _FRESH == 0
    return _surrounded(Case((*name.split(), *words), piped, scores=whole, fresh=fresh), rng)


def _other_files(folder: Path, rng: random.Random) -> None:
    """Lay files beside the table that options may name."""
    for name in ("taken.csv", "taken.svg"):
        (folder / name).write_text("mine\n", encoding="utf-8")
    if rng.random() < 0.3:
        written(damaged(table(rng, rng.choice(("long", "predictions", "texts"))), rng), folder / "other", rng)
    if rng.random() < 0.05:
        (folder / "runs.yaml").write_text(rng.choice(_LOCATIONS), encoding="utf-8")


def _words(name: str, typed: str, drawn: Table, rng: random.Random, *, calm: bool) -> list[str]:
    """Arguments of a command, its needed ones nearly always, and some options."""
    systems = [str(row[0]) for row in drawn.rows if row] or ["s0"]
    stand_in = {"S": systems[0], "T": systems[-1], "F": typed}
    needed = _NEEDED.get(name, []) if calm or rng.random() < 0.95 else []
    words = [stand_in.get(word, word) for word in needed]
    if name not in {"difficulty similarity", "difficulty bias", "datasets"}:
        words.insert(0, typed)
        if typed.startswith("-") and typed != "-":
            words.insert(0, "--")
            return words
    usual = [one for one in commands()[name] if getattr(one, "heading", None) not in _OF_READING]
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 3))):
        among = usual if calm or rng.random() < 0.5 else commands()[name]
        if among:
            words += _option(rng.choice(among), drawn, rng, sane=calm or rng.random() < 0.5)
    if rng.random() < 0.5:
        words += ["-f", rng.choice(("table", "json", "csv", "markdown", "latex", "html", "jsonl", "parquet"))]
    return [_typable(word) for word in words]


def _typable(word: str) -> str:
    """Leave out what no command can be told."""
    return word.replace("\0", "").replace("\ud800", "")


@cache
def commands() -> dict[str, tuple[click.Parameter, ...]]:
    """Return all commands that end by themselves, with their options, as the program has them."""
    return {name: options for name, options in _found("", app) if name != "serve"}


def _found(prefix: str, group: click.Group) -> Iterator[tuple[str, tuple[click.Parameter, ...]]]:
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        if isinstance(found, click.Group):
            yield from _found(f"{name} ", found)
        elif found is not None:
            yield prefix + name, tuple(one for one in found.params if isinstance(one, click.Option))


def _option(parameter: click.Parameter, drawn: Table, rng: random.Random, *, sane: bool) -> list[str]:
    """Draw a flag with a value that may make sense."""
    flag = rng.choice((*parameter.opts, *parameter.secondary_opts))
    if getattr(parameter, "is_flag", False):
        return [flag]
    return [flag, rng.choice(_values(flag, parameter, drawn, rng, sane=sane))]


def _values(flag: str, parameter: click.Parameter, drawn: Table, rng: random.Random, *, sane: bool) -> Sequence[str]:
    """Offer values, such as the option wants, or any."""
    form = parameter.metavar or ""
    offered: Sequence[str] = _names_for(form, drawn, rng, sane=sane)
    if flag in {"-o", "--output"}:
        offered = _TARGETS[:8] if sane else _TARGETS
    elif flag == "--plot":
        names = re.findall(r"(\w+) \(", str(getattr(parameter, "help", "")))
        name = rng.choice(names if sane else [*names, "nothing", ""])
        offered = [f"{name}={file}" for file in (_PICTURES[:4] if sane else _PICTURES)]
    elif flag in _WORK:
        offered = ("1", "2", "20") if sane else ("0", "-1", "x", "nan")
    elif "|" in form and rng.random() < 0.9:
        offered = form.split("|")
    elif form in {"FILE", "NPY"} or rng.random() < 0.03:
        offered = _FILES
    elif form in _OF_NUMBERS:
        offered = ("1", "2", "3", *(() if form == "N" else ("0.5", "0.9"))) if sane else _NUMBERS
    return offered


def _names_for(form: str, drawn: Table, rng: random.Random, *, sane: bool) -> list[str]:
    """Offer names of the table, alone, in lists and in patterns, or anything else."""
    plain = [text for text in drawn.labels() if text] or ["s0"]
    odd = [] if sane else [rng.choice(LABELS), rng.choice(LABELS), rng.choice(_NUMBERS)]
    word = rng.choice([*plain, *odd])
    if form in {"TASK=W", "NAME=GLOBS"}:
        return [f"{word}={value}" for value in ("2", "0", "*", rng.choice(_NUMBERS))]
    return [word, word, word, f"{word},{rng.choice(plain)}", f"!{word}", f"{word[:2]}*", "*"]


def _nonsense(rng: random.Random) -> Iterator[str]:
    """Yield words that are no command of podium, or ask for help."""
    names = [
        *" ".join(commands()).split(),
        "--help",
        "-h",
        "--version",
        "--show-completion",
        "bash",
        "--",
        "-x",
        "--format",
    ]
    for _ in range(rng.randint(0, 3)):
        yield _typable(rng.choice((rng.choice(names), rng.choice(LABELS))))


def _surrounded(case: Case, rng: random.Random) -> Case:
    """Let some cases run where little is as usual."""
    if rng.random() < 0.8:
        return case
    chosen = rng.sample(sorted(_SURROUNDINGS), rng.randint(0, 3))
    changed = replace(
        case,
        environment={name: rng.choice(_SURROUNDINGS[name]) for name in chosen},
        encoding=rng.choice(("utf-8", "ascii", "latin-1")),
        width=rng.choice((1, 20, 60, 80, 200)),
    )
    if rng.random() < 0.5:
        to = rng.choice(STREAMS)
        changed = replace(changed, stdout=to) if rng.random() < 0.5 else replace(changed, stderr=to)
    return replace(changed, stdin=None) if rng.random() < 0.1 else changed
