"""Tables before they are read: columns of known kinds, batches of rows, and which column is what, by its name."""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypedDict
from unicodedata import normalize

from podium.base.errors import InputError, LabelError, nearest, similar
from podium.base.words import as_typed, as_typed_list, few
from podium.score.table import Scores

#: "integer", "single" (float32), "number" (any other number), "truth" (true and false), "text", "empty" (no value seen
#: yet), "nested" (lists, structures).
Kind = Literal["integer", "single", "number", "truth", "text", "empty", "nested"]

#: Kinds of columns that may hold scores, and labels of tasks or metrics.
NUMBER_KINDS: frozenset[Kind] = frozenset(("integer", "single", "number", "truth"))
LABEL_KINDS: frozenset[Kind] = frozenset(("text", "integer"))

#: Words that stand for a missing score, in lower case.
MISSING = ("", "-", "--", "---", "–", "—", "na", "n/a", "#n/a", "#n/a n/a", "<na>", "null", "none", "nan", "-nan")

#: Words for right and wrong, in lower case; they count as 1 and 0.
TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column of a table.

    Attributes
    ----------
    name
        Its name in the header.
    kind
        What its values are.
    """

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """Columns to read, and as which kind.

    Attributes
    ----------
    labels
        Columns of systems, tasks and metrics, read as text.
    numbers
        Columns of scores or weights, read as numbers.
    instance
        Column of instance labels, or None.
    large
        Whether the table is large enough for a second thread.
    """

    labels: tuple[str, ...]
    numbers: tuple[str, ...]
    instance: str | None = None
    large: bool = False

    @property
    def columns(self) -> list[str]:
        """Return all columns to read, once each."""
        instance = () if self.instance is None else (self.instance,)
        return list(dict.fromkeys((*self.labels, *instance, *self.numbers)))


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows read together.

    Attributes
    ----------
    rows
        Arrow record batch or table with at least the columns of the plan.
    first
        Number of the first row in its table, from 0.
    done
        Share of the table that has been read after this batch, 0 to 1.
    """

    rows: Any
    first: int
    done: float


class SourceTable(Protocol):
    """A file, or a table of a database, before its rows are read; formats inherit what most of them share.

    `known` are labels by role ("system", "task", "repeat"), in the order that they are to have; others come behind.
    `notes` say what of the file is left out. It is `portable` if a worker on another machine can read it by its name.
    """

    name: str
    columns: tuple[SourceColumn, ...]
    n_rows: int
    size: int
    known: Mapping[str, Sequence[str]] = MappingProxyType({})
    notes: tuple[str, ...] = ()
    portable: bool = False

    @property
    def names(self) -> list[str]:
        """Return names of the columns."""
        return [column.name for column in self.columns]

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Yield the rows in order, with the columns of the plan; can be called again."""
        raise NotImplementedError

    def pieces(self, n_rows: int) -> "Sequence[SourceTable]":  # noqa: ARG002  # formats that can be cut do
        """Cut the table into tables of about so many rows, at least, which others may read; all formats give one."""
        return [self]

    def where(self, row: int) -> str:
        """Place of row `row`, counted from 0, in words: "line 7" or "row 7"."""
        return f"row {row + 1}"


def numbered(pieces: Iterable[Any], total: int, first: int = 0) -> Iterator[Batch]:
    """Number the rows of record batches from `first` on, of a table with about so many rows in total."""
    for rows in pieces:
        start, first = first, first + rows.num_rows
        yield Batch(rows, start, min(1.0, first / max(total, 1)))


class InstancesAreTextError(Exception):
    """Instance labels looked like integers, but some are text; read again as text."""


def is_missing(text: str) -> bool:
    """Return whether a cell stands for a missing score.

    >>> [is_missing(cell) for cell in ("", " NA ", "-", "0", "n/a")]
    [True, True, True, False, True]
    """
    return text.strip().lower() in MISSING


class RowError(Exception):
    """A row of a batch that cannot be used.

    Attributes
    ----------
    row
        Number of the row in its batch, from 0.
    what
        What is wrong with it, to follow the place.
    """

    def __init__(self, row: int, what: str) -> None:
        super().__init__(what)
        self.row = row
        self.what = what


@contextmanager
def located(table: SourceTable, first: int) -> Iterator[None]:
    """Turn the error of a row into an error that names its place; its batch begins with row `first`.

    Raises
    ------
    InputError
        Instead of a `RowError`.
    """
    try:
        yield
    except RowError as error:
        raise InputError(f"{table.name}, {table.where(first + error.row)}: {error.what}") from error


#: Letters that show nothing.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def visible(name: str) -> str:
    """Return a name as it looks: letters with their accents in one, without invisible letters, and with plain blanks.

    >>> visible("cafe\u0301\u200b") == "caf\u00e9"
    True
    """
    return name if name.isascii() else _INVISIBLE.sub("", normalize("NFC", name)).replace("\u00a0", " ")


def check_names(where: str, names: list[str]) -> None:
    """Refuse a header that names a column twice."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if (looks := visible(name)) in seen:
            first = names[seen[looks] - 1]
            called = f"both called {name!r}" if name == first else f"called {first!a} and {name!a}, which look alike"
            raise InputError(f"{where}: columns {seen[looks]} and {number} are {called}; rename one of them")
        seen[looks] = number


def refuse_nested(table: SourceTable, names: Collection[str | None], advice: str = "") -> None:
    """Refuse columns with several values in a cell.

    Raises
    ------
    InputError
        A column has such values.
    """
    wanted = set(names)
    for column in table.columns:
        if column.kind == "nested" and column.name in wanted:
            raise InputError(
                f"{table.name}: column {column.name!r} holds lists, structures or other values that are neither text "
                f"nor numbers; write one value per row{advice}"
            )


#: How tables are laid out, and which of several runs of a system count.
LongOrWide = Literal["long", "wide"]
Runs = Literal["newest", "all", "apart"]


class Columns(TypedDict, total=False):
    """Columns that a caller can name, by role; None leaves a role to be recognised.

    Attributes
    ----------
    system_column, task_column, instance_column, metric_column, cluster_column, repeat_column, prompt_column,
    family_column, slice_column
        Columns of labels; those of systems and of tasks may be several, whose labels together name one.
    score_column, human_column, weight_column, covariate_column
        Columns of numbers: scores, labels by people, instance weights, and what was measured beside scores; the last
        may be several.
    """

    system_column: str | Sequence[str] | None
    task_column: str | Sequence[str] | None
    instance_column: str | None
    score_column: str | None
    human_column: str | None
    metric_column: str | None
    weight_column: str | None
    cluster_column: str | None
    repeat_column: str | None
    prompt_column: str | None
    family_column: str | None
    slice_column: str | Sequence[str] | None
    covariate_column: str | Sequence[str] | None


class FileColumns(Columns, total=False):
    """The same for files, which may hold predictions.

    Attributes
    ----------
    prediction_column
        Column of predictions.
    """

    prediction_column: str | None


def check_keywords(function: Callable[..., Any], given: Iterable[str], roles: Iterable[str]) -> None:
    """Refuse keywords that name no column, as Python refuses unknown keywords.

    Raises
    ------
    TypeError
        A keyword is unknown; the message suggests one of the roles or of the other arguments of the function.

    Examples
    --------
    >>> import podium
    >>> check_keywords(podium.read, ["system"], Columns.__annotations__)
    Traceback (most recent call last):
    TypeError: read() got an unexpected keyword argument 'system'; a column is named with system_column=
    """
    for name in given:
        if name not in roles:
            raise unexpected(function, name, [*roles, *list(inspect.signature(function).parameters)[1:-1]])


#: Keywords of other libraries, and what they are here.
_ELSEWHERE = {"lower_is_better": "lower", "higher_is_better": "higher", "random_state": "rng", "seed": "rng"}
_ELSEWHERE |= {"n_bootstrap": "n_resamples", "n_resamples": "repeats", "task_weights": "weights"}


def unexpected(function: Callable[..., Any], name: str, known: Sequence[str]) -> TypeError:
    """Return the error of a keyword that a function does not know, with the nearest one that it knows."""
    hint = nearest(name, known)
    same = name.removesuffix("_column")
    if same != name and (role := next((role for role, names in USUAL.items() if same in names), None)) is not None:
        hint = f"did you mean '{role}_column'?"
    elif f"{name}_column" in known:
        hint = f"a column is named with {name}_column="
    elif (meant := _ELSEWHERE.get(name)) in known:
        hint = f"did you mean {meant!r}?"
    elif setter := next((one for one in (f"with_{name}", f"with_task_{name}") if hasattr(Scores, one)), None):
        hint = f"the scores that it returns have {setter}()"
    return TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}; {hint}")


def refuse_options(options: Mapping[str, Any], why: str) -> None:
    """Refuse what is said and is about something else, `why`.

    Raises
    ------
    InputError
        Something is said.
    """
    for name, value in options.items():
        if value:
            flag = "input-format" if name == "format" else name.replace("_", "-")
            raise InputError(f"{name}= (--{flag}) {why}; leave it out")


#: Usual names of columns by role; the first name that occurs is taken.
USUAL = {
    "system": (
        *("system", "model", "model_name", "model_id", "system_name", "method", "run", "team", "team_name"),
        *("submission", "name", "run_name", "llm", "algorithm", "approach", "classifier", "solver", "agent"),
        *("participant", "checkpoint", "algo"),
    ),
    "task": (
        *("task", "tasks", "dataset", "benchmark", "subset", "task_name", "dataset_name", "data_set"),
        *("benchmark_name", "eval", "eval_name", "evaluation", "test_set", "testset", "scenario", "environment"),
        *("env", "game", "corpus"),
    ),
    "instance": (
        *("instance", "instance_id", "id", "item", "example", "example_id", "sample", "sample_id"),
        *("qid", "query_id", "question_id", "doc_id", "item_id", "problem_id", "prompt_id", "case_id", "test_case"),
        *("task_id", "topic_id", "query", "topic", "question", "problem", "idx", "uid", "instance_label"),
    ),
    "metric": ("metric", "metric_name", "measure"),
    "cluster": ("cluster",),
    "repeat": ("repeat",),
    "score": ("score", "value"),
    # the score only where it has no other name and no column is called so
    "result": (
        *("correct", "is_correct", "accuracy", "acc", "f1", "f1_score", "em", "exact_match", "passed", "success"),
        *("reward", "main_score", "result", "performance"),
    ),
    "prediction": ("prediction", "pred", "predicted", "predicted_label", "answer", "output"),
    "gold": ("gold", "label", "gold_label", "answer", "target", "class"),
    "text": ("text", "sentence", "question", "input", "prompt", "review", "content", "document", "comment", "tweet"),
    "human": ("human", "people", "expert", "gold", "human_score", "human_label", "human_rating", "gold_label"),
}


#: Names of a role that count only beside columns of other roles: systems beside tasks, and tasks beside `value`.
BESIDE = {
    "system": (
        *("framework", "library", "tool", "engine", "pipeline", "architecture", "backbone", "encoder", "retriever"),
        *("learner", "estimator", "policy", "player", "bot", "optimizer"),
    ),
    "task": ("variable", "name", "key", "attribute", "column", "level_1"),
}

#: Words in the names of columns that number repeats.
_REPEATS = frozenset(
    (
        *("repeat", "repetition", "rep", "replicate", "replication", "seed", "epoch", "trial", "fold", "run"),
        *("attempt", "iteration", "rollout"),
    )
)


def numbers_repeats(name: str) -> bool:
    """Return whether the name of a column says that it numbers repeats.

    >>> numbers_repeats("random_seed"), numbers_repeats("Run ID"), numbers_repeats("runtime")
    (True, True, False)
    """
    return not _REPEATS.isdisjoint(folded(name).split("_"))


def by_role(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return columns by role, of keywords.

    >>> by_role({"system_column": "who", "task_column": None})
    {'system': 'who', 'task': None}
    """
    return {keyword.removesuffix("_column"): name for keyword, name in columns.items()}


def naming(role: str, name: str | list[str] = "") -> str:
    """Say how to name the column of a role, in Python and on the command line.

    >>> naming("std_error")
    'std_error_column= (--std-error-column)'
    >>> naming("repeat", "my seed")
    "repeat_column='my seed' (--repeat-column 'my seed')"
    >>> naming("system", ["name", "size"])
    "system_column=['name', 'size'] (--system-column name,size)"
    """
    keyword = f"{role}_column"
    flag = f"--{keyword.replace('_', '-')}"
    typed = as_typed_list(name) if isinstance(name, list) else as_typed(str(name))
    return f"{keyword}={name!r} ({flag} {typed})" if name else f"{keyword}= ({flag})"


def usual(*roles: str) -> dict[str, tuple[str, ...]]:
    """Return usual names of some roles, in this order.

    >>> usual("score")
    {'score': ('score', 'value')}
    """
    return {role: USUAL[role] for role in roles}


def find_roles(
    names: Sequence[str], words: Mapping[str, Iterable[str]], given: Mapping[str, str | None]
) -> dict[str, str]:
    """Return the column of each role: the given one, else the first usual name that occurs and has no other role.

    Parameters
    ----------
    names
        Columns of the table.
    words
        Usual names by role; earlier roles choose first.
    given
        Column by role, or None if the caller named no column.

    Raises
    ------
    LabelError
        A given column does not exist.

    Examples
    --------
    >>> find_roles(["Model", "f1"], usual("system", "score"), {"score": "f1"})
    {'score': 'f1', 'system': 'Model'}
    """
    roles = {role: existing(name, names) for role, name in given.items() if name is not None}
    for role, synonyms in words.items():
        if role not in roles and (found := named(synonyms, names, roles.values())) is not None:
            roles[role] = found
    return roles


def named(synonyms: Iterable[str], names: Sequence[str], taken: Iterable[str | None] = ()) -> str | None:
    """Find the column with the first usual name that occurs, among columns that are not taken.

    >>> named(("score", "value"), ["model", "Value"])
    'Value'
    """
    aside = set(taken)
    known = {folded(name): name for name in reversed(names) if name not in aside}
    return next((known[word] for word in synonyms if word in known), None)


@lru_cache(maxsize=2**14)
def folded(name: str) -> str:
    """Return a name without capitals, dots, spaces and hyphens.

    >>> folded(" Sample-ID"), folded("std. error")
    ('sample_id', 'std_error')
    """
    return name.strip().lower().replace(".", "").replace(" ", "_").replace("-", "_")


def existing(name: str, names: Sequence[str]) -> str:
    """Return a column that the caller named.

    Raises
    ------
    LabelError
        There is no such column.
    """
    if name not in names:
        error = LabelError.unknown("column", name, names)
        raise LabelError(f"{error} The columns are {_quoted(names)}") if similar(str(name), names) else error
    return name


def refuse_shared(where: str, roles: Mapping[str, str]) -> None:
    """Refuse a column that has two roles.

    Raises
    ------
    InputError
        A column has two roles.
    """
    first: dict[str, str] = {}
    for role, name in roles.items():
        if first.setdefault(name, role) != role:
            raise InputError(f"{where}: column {name!r} has two roles, {first[name]} and {role}; give it one role")


def lacks(where: str, what: str, names: Sequence[str]) -> InputError:
    """Return the error that a table lacks a column; the message lists the columns it has."""
    return InputError(f"{where}: {what}. Its columns are {_quoted(names)}")


def either(words: Sequence[str]) -> str:
    """Return names in quotes, as alternatives.

    >>> either(["score", "value"])
    "'score' or 'value'"
    """
    return " or ".join(map(repr, words))


def _quoted(names: Sequence[str]) -> str:
    return few(list(map(repr, names)), 20)


def shown(names: Sequence[str]) -> str:
    """Return columns in words.

    >>> shown(["a"]), shown(["a", "b"])
    ("column 'a'", "columns 'a', 'b'")
    """
    return f"column{'s' if len(names) > 1 else ''} {few(list(map(repr, names)))}"


#: What may stand for the two sides of a battle: at the end or the beginning of the names of columns, and as winner.
_SIDES = (("left", "right"), ("a", "b"), ("1", "2"), ("x", "y"), ("first", "second"))

#: What two columns may name, together with a side: `model_a`, `player1`, `left_system`.
_WHO = ("model", "system", "player", "item", "name", "agent", "bot", "method", "competitor", "candidate", "llm", "")

_PATTERNS = ("{who}_{side}", "{who}{side}", "{side}_{who}")

#: Names of two such columns, and the sides; without a word for who, only a side that is a word.
_PAIRS = tuple(
    (pattern.format(who=who, side=marks[0]), pattern.format(who=who, side=marks[1]), marks)
    for marks in _SIDES
    for who in _WHO
    for pattern in (_PATTERNS if who else ("{side}",) if len(marks[0]) > 1 else ())
)

#: Columns that say who won.
WINNER = ("winner", "outcome", "result", "vote", "preferred", "choice", "verdict")

#: Columns of the two games that MT-bench plays, in either order of the answers.
GAMES = ("g1_winner", "g2_winner")

#: The column of ties where each outcome has a column.
_TIE = "winner_tie"

#: Columns that every leaderboard of AlpacaEval has, behind one of names.
_BOARD = frozenset(("win_rate", "avg_length"))


def sides_in(names: Sequence[str]) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Yield pairs of columns that name the two systems of a battle, and what their names differ by.

    >>> list(sides_in(["Model A", "Model B", "winner"]))
    [('Model A', 'Model B', ('a', 'b'))]
    """
    by_name = {folded(name): name for name in reversed(names)}
    for one, other, marks in _PAIRS:
        if one in by_name and other in by_name:
            yield by_name[one], by_name[other], marks


def winners_in(names: Sequence[str], first: str, second: str) -> Iterator[tuple[str, ...]]:
    """Yield columns that may say who won: those of two games, one for each outcome, or one."""
    by_name = {folded(name): name for name in reversed(names)}
    if all(game in by_name for game in GAMES):
        yield tuple(by_name[game] for game in GAMES)
    of_outcomes = (f"winner_{folded(first)}", f"winner_{folded(second)}", _TIE)
    if all(name in by_name for name in of_outcomes):
        yield tuple(by_name[name] for name in of_outcomes)
    yield from ((by_name[name],) for name in WINNER if name in by_name)


def is_battles(columns: Sequence[SourceColumn]) -> bool:
    """Return whether two columns name systems, with one that says who won, and no other column names systems."""
    texts = [column.name for column in columns if column.kind == "text"]
    names = [column.name for column in columns]
    found = (winner for first, second, _ in sides_in(texts) for winner in winners_in(names, first, second))
    return any(found) and named(USUAL["system"], names) is None


def is_of_hub(names: Sequence[str]) -> bool:
    """Return whether these are the columns of a benchmark of Epoch AI's hub, whose score stands second.

    >>> is_of_hub(["Model version", "mean_score", "Release date", "id"]), is_of_hub(["Model", "mean_score"])
    (True, False)
    """
    return len(names) > 2 and names[0] == "Model version" and "Release date" in names[2:]


def is_board(names: Sequence[str]) -> bool:
    """Return whether these are the columns of a leaderboard of AlpacaEval.

    >>> is_board(["name", "win_rate", "avg_length", "link"]), is_board(["model", "win_rate", "avg_length"])
    (True, False)
    """
    return bool(names) and names[0] in ("name", "") and set(names) >= _BOARD
