"""Tables that are battles, or a leaderboard of AlpacaEval, by the names of their columns."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from podium.source.role import USUAL, folded, named

if TYPE_CHECKING:
    from podium.source.table import SourceColumn

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
    """Pairs of columns that name the two systems of a battle, and what their names differ by.

    >>> list(sides_in(["Model A", "Model B", "winner"]))
    [('Model A', 'Model B', ('a', 'b'))]
    """
    by_name = {folded(name): name for name in reversed(names)}
    for one, other, marks in _PAIRS:
        if one in by_name and other in by_name:
            yield by_name[one], by_name[other], marks


def winners_in(names: Sequence[str], first: str, second: str) -> Iterator[tuple[str, ...]]:
    """Columns that may say who won: those of two games, one for each outcome, or one."""
    by_name = {folded(name): name for name in reversed(names)}
    if all(game in by_name for game in GAMES):
        yield tuple(by_name[game] for game in GAMES)
    of_outcomes = (f"winner_{folded(first)}", f"winner_{folded(second)}", _TIE)
    if all(name in by_name for name in of_outcomes):
        yield tuple(by_name[name] for name in of_outcomes)
    yield from ((by_name[name],) for name in WINNER if name in by_name)


def is_battles(columns: "Sequence[SourceColumn]") -> bool:
    """Whether two columns name systems, with one that says who won, and no other column names systems."""
    texts = [column.name for column in columns if column.kind == "text"]
    names = [column.name for column in columns]
    found = (winner for first, second, _ in sides_in(texts) for winner in winners_in(names, first, second))
    return any(found) and named(USUAL["system"], names) is None


def is_of_hub(names: Sequence[str]) -> bool:
    """Whether these are the columns of a benchmark of Epoch AI's hub, whose score stands second.

    >>> is_of_hub(["Model version", "mean_score", "Release date", "id"]), is_of_hub(["Model", "mean_score"])
    (True, False)
    """
    return len(names) > 2 and names[0] == "Model version" and "Release date" in names[2:]


def is_board(names: Sequence[str]) -> bool:
    """Whether these are the columns of a leaderboard of AlpacaEval.

    >>> is_board(["name", "win_rate", "avg_length", "link"]), is_board(["model", "win_rate", "avg_length"])
    (True, False)
    """
    return bool(names) and names[0] in ("name", "") and set(names) >= _BOARD
