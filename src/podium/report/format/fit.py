"""What of a table a terminal has room for: names are shortened, and columns left out.

First every column gets the least width at which it can be read. Where that is too much, columns are left out. Room that
is left goes to names and texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from podium.report.table import Column
from podium.report.width import enough, longest_word, shorten, shortened, width_of

#: Places between columns.
GAP = 2

#: Names, headings that are names, and texts are made this narrow before a column is left out.
_LABEL, _HEADING, _TEXT = 16, 10, 20

#: No name is made shorter.
_SHORTEST = 5


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is printed of a table.

    Attributes
    ----------
    columns
        Those there is room for, with names as short as they must be.
    widths
        Places that each takes.
    left_out
        Headings of the others.
    shortened
        Whether a name was.
    """

    columns: tuple[Column, ...]
    widths: tuple[int, ...]
    left_out: tuple[str, ...] = ()
    shortened: bool = False

    @property
    def width(self) -> int:
        """Places of a line."""
        return _total(self.widths)


def whole(columns: Sequence[Column]) -> Fitted:
    """Leave nothing out and shorten nothing, whatever the width."""
    return Fitted(tuple(columns), tuple(map(_natural, columns)))


def fit(columns: Sequence[Column], room: int) -> Fitted:
    """Choose the columns that fit into a width, and share it among them.

    Parameters
    ----------
    columns
        All there are; those of names stay.
    room
        Places on a line.

    Examples
    --------
    >>> columns = (Column.labels("system", ["a name without an end"]), Column.numbers("score", ["0.500"]))
    >>> fit(columns, 23).columns[0].cells, fit(columns, 10).left_out
    (('a name w… an end',), ('score',))
    """
    leasts = _leasts(columns, room)
    kept = _kept(columns, leasts, room)
    chosen = tuple(columns[index] for index in kept)
    widths = _shared(chosen, [leasts[index] for index in kept], room)
    made = tuple(_shortened(column, width) for column, width in zip(chosen, widths, strict=True))
    left_out = dict.fromkeys(one.name for index, one in enumerate(columns) if index not in kept)
    return Fitted(made, tuple(widths), tuple(left_out), shortened=made != chosen)


def _kept(columns: Sequence[Column], leasts: Sequence[int], room: int) -> list[int]:
    """Leave columns out until the others can be read; never those of names."""
    kept = list(range(len(columns)))
    loose = sorted((index for index in kept if not columns[index].label), key=lambda i: (-columns[i].priority, i))
    while loose and _total([leasts[index] for index in kept]) > room:
        kept.remove(loose.pop())
    return kept


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * max(len(widths) - 1, 0)


def _natural(column: Column) -> int:
    """Width at which nothing is shortened; headings of numbers stand word over word."""
    heading = longest_word(column.name) if column.right and not column.named else width_of(column.name)
    return max(heading, *map(width_of, column.cells), 0)


def _leasts(columns: Sequence[Column], room: int) -> list[int]:
    """Width at which each column can be read; names stay different where half of the room is enough for that."""
    share = max(room // 2 // max(sum(column.label for column in columns), 1), _LABEL)
    heading = enough([column.name for column in columns if column.named], _HEADING, _LABEL)
    return [_least(column, share, heading) for column in columns]


def _least(column: Column, share: int, heading: int) -> int:
    widest = max(map(width_of, column.cells), default=0)
    if column.label:
        widest = min(widest, enough(column.cells, _LABEL, share))
    elif not column.right:
        widest = min(widest, max(_TEXT, *map(longest_word, column.cells)))
    return max(widest, min(width_of(column.name), heading) if column.named else longest_word(column.name))


def _shared(columns: Sequence[Column], leasts: Sequence[int], room: int) -> list[int]:
    """Give room that is left to the narrowest of those that want it; where there is none, take it from the widest."""
    widths, natural = list(leasts), list(map(_natural, columns))
    while _total(widths) > room and max(widths) > _SHORTEST:
        widths[widths.index(max(widths))] -= 1
    for _ in range(room - _total(widths)):
        wanting = [index for index, width in enumerate(widths) if width < natural[index]]
        if not wanting:
            break
        widths[min(wanting, key=widths.__getitem__)] += 1
    return widths


def _shortened(column: Column, width: int) -> Column:
    """Shorten the names of a column, and its heading where that is one."""
    if column.label:
        column = replace(column, cells=tuple(shortened(column.cells, width)))
    return replace(column, name=shorten(column.name, width)) if column.named else column
