"""Tables on a narrow terminal: names are shortened alike, columns left out by priority, and bars share one scale."""

from math import inf, nan

from hypothesis import given
from hypothesis import strategies as st

from podium.report.text import drawn, fit, whole
from podium.report.view import Bars, Column, Table, enough, folded, longest_word, shorten, shortened, width_of

NAMES = st.lists(st.text("ab -/日e\u0301", max_size=40), min_size=2, max_size=4)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Column, ...]:
    """Names first, and then columns of every kind."""
    rows = draw(st.integers(1, 3))
    cells = st.lists(st.text("ab 1日", max_size=30), min_size=rows, max_size=rows)
    heading = st.text("xy z", min_size=1, max_size=20)
    priority = st.integers(-1, 1)

    def column(kind: str) -> Column:
        if kind == "labels":
            return Column.labels(draw(heading), draw(cells))
        if kind == "words":
            return Column.words(draw(heading), draw(cells), draw(priority))
        return Column.numbers(draw(heading), draw(cells), draw(priority), named=kind == "named")

    kinds = draw(st.lists(st.sampled_from(["labels", "words", "numbers", "named"]), max_size=6))
    return (Column.labels("system", draw(cells)), *map(column, kinds))


@given(tables(), st.integers(1, 200))
def test_what_fits_is_no_wider_and_leaves_no_names_out(columns: tuple[Column, ...], room: int) -> None:
    fitted = fit(columns, room)
    least = 5 * sum(column.label for column in columns) + 2 * (len(fitted.columns) - 1)
    assert fitted.width <= max(room, least) or any(longest_word(one.name) > 5 for one in fitted.columns)
    assert sum(one.label for one in fitted.columns) == sum(one.label for one in columns)
    for column, width in zip(fitted.columns, fitted.widths, strict=True):
        lines = [[cell] if column.right or column.label else folded(cell, width) for cell in column.cells]
        assert all(width_of(line) <= width for cell in lines for line in cell)
        assert longest_word(column.name) <= width or column.label


@given(tables())
def test_with_room_for_all_nothing_changes(columns: tuple[Column, ...]) -> None:
    every = whole(columns)
    fitted = fit(columns, every.width)
    assert (fitted.columns, fitted.widths, fitted.left_out) == (columns, every.widths, ())


@given(tables(), st.integers(1, 60))
def test_more_room_never_shows_fewer_columns(columns: tuple[Column, ...], room: int) -> None:
    assert len(fit(columns, room).columns) <= len(fit(columns, 4 * room).columns)


@given(tables(), st.integers(1, 120))
def test_what_is_left_out_has_the_lowest_priority(columns: tuple[Column, ...], room: int) -> None:
    # each column has a heading of its own
    distinct = tuple(
        Column(f"{index}", one.cells, one.right, one.label, one.named, one.priority)
        for index, one in enumerate(columns)
    )
    left_out = {int(name) for name in fit(distinct, room).left_out}
    order = sorted((one.priority, -index) for index, one in enumerate(distinct) if not one.label)
    assert left_out == {-index for _, index in order[: len(left_out)]}


@given(st.text("abcdefgh日", min_size=1, max_size=40), st.integers(5, 30), st.sampled_from([0.5, 0.75, 0.9, 0.1]))
def test_a_short_name_has_its_first_and_its_last_letter(name: str, width: int, before: float) -> None:
    short = shorten(name, width, before)
    assert width_of(short) <= width
    assert short == name if width_of(name) <= width else short.count("…") == 1
    if width >= 8 and before == 0.5:
        assert (short[0], short[-1]) == (name[0], name[-1])


def test_a_mark_does_not_move_to_another_letter() -> None:
    assert shorten("a" * 9 + "e\u0301" + "b" * 3, 8) == "aaaa…bbb"
    assert shorten("a" * 10 + "e\u0301" + "b" * 2, 8) == "aaaa…e\u0301bb"


@given(NAMES, st.integers(5, 20))
def test_names_are_as_different_as_in_the_middle_or_more(names: list[str], width: int) -> None:
    assert len(set(shortened(names, width))) >= len({shorten(name, width) for name in names})
    wide = enough(names, width, 60)
    assert len(set(shortened(names, wide))) == len(set(names)) or wide == width


def test_columns_are_left_out_from_the_right_by_priority() -> None:
    columns = (
        Column.labels("task", ["a task with a long name"]),
        Column.numbers("n", ["12345"]),
        Column.numbers("effect", ["0.500"], 1),
        Column.numbers("weight", ["12.5%"]),
    )
    assert [fit(columns, room).left_out for room in (39, 31, 30, 24)] == [
        (),
        ("weight",),
        ("n", "weight"),
        ("n", "weight"),
    ]


def test_rows_of_one_group_share_their_style() -> None:
    table = Table((Column.labels("system", "ABCDE"),), bands=(1, 1, 2, 3, 3))
    assert table.striped == (False, False, True, False, False)
    assert table.cut(2).striped == (False, False, True)
    assert Table((Column.labels("system", "AB"),)).striped == (False, False)


def test_a_cut_table_can_be_cut_again() -> None:
    bars = Bars("CI", tuple((float(row), row + 0.5, row + 1.0) for row in range(5)))
    table = Table((Column.numbers("rank", "12345"), Column.labels("system", "ABCDE")), foot=1, bars=bars)
    assert table.cut(1).rows == [("1", "A"), ("", "… 3 more"), ("5", "E")]
    assert table.cut(1).cut(3).rows[:3] == table.rows[:3]
    assert table.cut(1).cut(4) is table
    assert [len(cut.bars.ends) for n in (1, 2) if (cut := table.cut(n)).bars] == [3, 4]


def test_bars_share_one_scale_and_open_where_an_end_is_infinite() -> None:
    ends = ((0.0, 5.0, 10.0), (2.0, 4.0, inf), (nan, 7.0, nan), (nan, nan, nan), (6.0, 6.0, 6.0))
    assert drawn(Bars("CI", ends), 11).cells == ("├────●────┤", "  ├─●──────", "       ●", "", "      ●")
    assert drawn(Bars("CI", ((2.0, 3.0, 4.0),), origin=0.0), 9).cells == ("┊   ├─●─┤",)
    assert drawn(Bars("CI", ((3.0, 3.0, 3.0), (nan, nan, nan))), 9).cells == ("    ●", "")


@given(
    st.lists(st.tuples(*[st.floats(allow_nan=False, allow_infinity=False)] * 3).map(sorted), min_size=1, max_size=4),
    st.integers(15, 41),
)
def test_a_bar_is_where_its_interval_is(rows: list[list[float]], width: int) -> None:
    ends = tuple((low, value, high) for low, value, high in rows)
    cells = drawn(Bars("CI", ends), width).cells
    assert all(len(cell) <= width and cell.count("●") == 1 for cell in cells)
    by_value = sorted(range(len(ends)), key=lambda row: ends[row][1])
    assert [cells[row].index("●") for row in by_value] == sorted(cell.index("●") for cell in cells)
