"""A result as one page of HTML that needs nothing else: no script, no other file."""

from collections.abc import Iterator, Sequence
from html import escape
from string import Template

from podium.report.drawing import inline
from podium.report.grid import Grid, Sheet
from podium.report.results import Result, sheet

__all__ = ["page", "to_html"]

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="podium">
<title>$title</title>
<style>
body { margin: 0 auto; padding: 1rem; max-width: 62rem; color: #222; background: #fff;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h1, h2, td, th, li { overflow-wrap: break-word; }
figure { margin: 1.5rem 0; }
.wide { overflow-x: auto; }
.wide + .wide { margin-top: 1.5rem; }
svg { display: block; max-width: 100%; min-width: min(100%, 34rem); height: auto; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.25rem; color: #555; }
th, td { padding: 0.15rem 0.75rem 0.15rem 0; text-align: left; vertical-align: top; font-weight: normal; }
thead th { border-bottom: 1px solid #8c8c8c; font-weight: 600; vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid #ececec; }
.number { text-align: right; white-space: nowrap; }
.verdict { font-size: 1.05rem; }
@media (max-width: 40rem) { figure svg { max-width: none; width: 34rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .wide { overflow: visible; }
  figure, tr { break-inside: avoid; } h2, caption { break-after: avoid; } thead { display: table-header-group; } }
</style>
</head>
<body>
<main>
<h1>$title</h1>
$content
</main>
</body>
</html>
""")


def page(result: Result, pictures: Sequence[tuple[str, str]] = ()) -> str:
    """Write a result, with pictures, as one page of HTML: the verdict first, then pictures, tables, and notes.

    Parameters
    ----------
    result
        Any result.
    pictures
        Titles, and texts of SVG as `podium.plots.to_svg` returns them.

    Raises
    ------
    OutputError
        A picture is no SVG.

    Examples
    --------
    >>> import podium
    >>> page(podium.rank(podium.datasets.toy_table1())).splitlines()[6]
    '<title>borda, task-level: 3 systems, 6 tasks</title>'
    """
    return to_html(sheet(result), pictures)


def to_html(sheet: Sheet, pictures: Sequence[tuple[str, str]] = ()) -> str:
    r"""Write a sheet, with pictures, as one page of HTML; see `page`.

    >>> from podium.report import Column
    >>> grid = Grid((Column("system", ("<b>",)), Column("score", ("1.5",), right=True)))
    >>> print(*to_html(Sheet("one system", (grid,))).splitlines()[-8:-4], sep="\n")
    <thead><tr><th scope="col">system</th><th scope="col" class="number">score</th></tr></thead>
    <tbody>
    <tr><th scope="row">&lt;b&gt;</th><td class="number">1.5</td></tr>
    </tbody>
    """
    return _PAGE.substitute(title=escape(sheet.title), content="\n".join(_content(sheet, pictures)))


def _content(sheet: Sheet, pictures: Sequence[tuple[str, str]]) -> Iterator[str]:
    if sheet.verdict:
        yield "<h2>In short</h2>"
        yield _list(sheet.verdict, "verdict")
    if pictures:
        yield "<h2>Pictures</h2>"
        yield from (_figure(index, *picture) for index, picture in enumerate(pictures))
    if sheet.verdict or pictures:
        yield "<h2>Numbers</h2>"
    yield from map(_table, sheet.grids)
    if sheet.notes:
        yield "<h2>What to know, and how to read it</h2>"
        yield _list(sheet.notes, "notes")


def _list(sentences: Sequence[str], kind: str) -> str:
    items = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<ul class="{kind}">\n{items}\n</ul>'


def _figure(index: int, title: str, svg: str) -> str:
    drawn = inline(svg, title, f"picture{index + 1}-")
    return f"<figure>\n<figcaption>{escape(title)}</figcaption>\n{_scrolled(title)}{drawn}</div>\n</figure>"


def _scrolled(label: str) -> str:
    """Begin a part that scrolls by itself where it is wider than the screen, by keys as well."""
    return f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">'


def _table(grid: Grid) -> str:
    """Write a table, in which the first column of words names the rows."""
    names = next((index for index, column in enumerate(grid.columns) if not column.right), None)
    kinds = [' class="number"' if column.right else "" for column in grid.columns]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for kind, name in zip(kinds, grid.head, strict=True))
    body = "\n".join(f"<tr>{_row(row, kinds, names)}</tr>" for row in grid.rows)
    caption = f"<caption>{escape(grid.caption)}</caption>\n" if grid.caption else ""
    return (
        f"{_scrolled(grid.caption or 'table')}<table>\n{caption}<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _row(cells: Sequence[str], kinds: Sequence[str], names: int | None) -> str:
    return "".join(
        f'<th scope="row"{kind}>{escape(cell)}</th>' if index == names else f"<td{kind}>{escape(cell)}</td>"
        for index, (kind, cell) in enumerate(zip(kinds, cells, strict=True))
    )
