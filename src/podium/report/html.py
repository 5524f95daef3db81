"""HTML of a view: a page of its own, and a part of a page for notebooks."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from math import inf, isfinite, isnan
from string import Template
from typing import TYPE_CHECKING

from podium.base.errors import OutputError
from podium.report.view import Column, Table, View

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


#: What a picture needs neither to be seen nor to be read, or must not do.
_NOT_DRAWN = frozenset({"metadata", "script", "foreignObject", "title", "desc"})

#: What points to another part by its name.
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(svg: str, title: str, prefix: str) -> str:
    """Turn the text of an SVG file into an element of HTML with a title, whose names begin with a prefix.

    Comments, metadata, scripts and names that nothing refers to are left out, and so is what is outside of the picture.

    Parameters
    ----------
    svg
        Text of the file.
    title
        Said in place of the picture to those who do not see it.
    prefix
        So that no two pictures of a page have parts of one name.

    Raises
    ------
    OutputError
        The text is no SVG.

    Examples
    --------
    >>> inline('<svg xmlns="http://www.w3.org/2000/svg"><g id="a"/><use href="#a"/></svg>', "A", "1-")
    '<svg role="img" aria-labelledby="1-title"><title id="1-title">A</title><g id="1-a" /><use href="#1-a" /></svg>'
    """
    from xml.etree.ElementTree import Element, ParseError, fromstring, tostring  # noqa: PLC0415  # rarely wanted

    try:
        root = fromstring(svg)  # noqa: S314  # drawn by Matplotlib a moment before
    except ParseError as error:
        raise OutputError(f"the picture {title!r} is no SVG ({error}); write it with podium.plots.to_svg") from error
    if _local(root.tag) != "svg":
        raise OutputError(f"the picture {title!r} is no SVG but {root.tag!r}; write it with podium.plots.to_svg")
    _clean(root, prefix, _used(root))
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}title"}
    named = Element("title", {"id": f"{prefix}title"})
    named.text = title
    root.insert(0, named)
    return tostring(root, encoding="unicode").strip()


def _used(root: "Element") -> frozenset[str]:
    """Return names of parts that others refer to."""
    values = [(_local(name), value) for element in root.iter() for name, value in element.attrib.items()]
    links = {value[1:] for name, value in values if name == "href" and value.startswith("#")}
    return frozenset(links.union(*(_REFERENCE.findall(value) for _, value in values)))


def _clean(element: "Element", prefix: str, used: frozenset[str]) -> None:
    """Take names of XML away, which HTML does not know; keep names of parts that are used, after a prefix."""
    element.tag = _local(element.tag)
    kept: dict[str, str] = {}
    for name, value in ((_local(name), value) for name, value in element.attrib.items()):
        if name == "id":
            kept |= {name: prefix + value} if value in used else {}
        elif name == "href":
            kept |= {name: f"#{prefix}{value[1:]}"} if value.startswith("#") else {}
        elif not name.startswith("on"):
            kept[name] = _REFERENCE.sub(rf"url(#{prefix}\1)", value)
    element.attrib.clear()
    element.attrib.update(kept)
    for child in list(element):
        if _local(child.tag) in _NOT_DRAWN:
            element.remove(child)
        else:
            _clean(child, prefix, used)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="podium">
<title>$title</title>
<style>
body { margin: 0 auto; padding: 1rem; max-width: 66rem; color: #222; background: #fff;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 1rem; }
.title { margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h1, h2, td, th, li { overflow-wrap: break-word; }
figure { margin: 1.5rem 0; }
.wide { overflow-x: auto; }
.wide + .wide { margin-top: 1.5rem; }
figure svg { display: block; max-width: 100%; min-width: min(100%, 34rem); height: auto; }
td svg { vertical-align: middle; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: 0.25rem; color: #555; }
th, td { padding: 0.15rem 0.75rem 0.15rem 0; text-align: left; vertical-align: top; font-weight: normal; }
thead th { border-bottom: 1px solid #8c8c8c; font-weight: 600; vertical-align: bottom; }
tbody tr + tr > * { border-top: 1px solid #ececec; }
.number { text-align: right; white-space: nowrap; }
.short { white-space: nowrap; }
.band { background: #f5f5f5; }
tfoot, .title { color: #555; }
@media (max-width: 40rem) { figure svg { max-width: none; width: 34rem; } td svg { width: 5rem; height: auto; }
  th, td { padding-right: 0.4rem; } thead .number { white-space: normal; }
  th[scope=row] { overflow-wrap: anywhere; min-width: 6rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .wide { overflow: visible; }
  figure, tr { break-inside: avoid; } h2, caption { break-after: avoid; } thead { display: table-header-group; } }
</style>
</head>
<body>
<main>
$content
</main>
</body>
</html>
""")


def to_html(view: View, pictures: Sequence[tuple[str, str]] = ()) -> str:
    r"""Write a view, with pictures, as one page of HTML: the answer is its heading; pictures, tables, and notes follow.

    Parameters
    ----------
    view
        Of any result.
    pictures
        Titles, and texts of SVG as `podium.plots.to_svg` returns them.

    Raises
    ------
    OutputError
        A picture is no SVG.

    Examples
    --------
    >>> from podium.report.view import Column
    >>> table = Table((Column.words("system", ["<b>"]), Column.numbers("score", ["1.5"])))
    >>> print(*to_html(View("one system", (table,))).splitlines()[-8:-4], sep="\n")
    <thead><tr><th scope="col" class="short">system</th><th scope="col" class="number">score</th></tr></thead>
    <tbody>
    <tr><th scope="row" class="short">&lt;b&gt;</th><td class="number">1.5</td></tr>
    </tbody>
    """
    return _PAGE.substitute(title=escape(view.title), content="\n".join(_content(view, pictures)))


def _content(view: View, pictures: Sequence[tuple[str, str]]) -> Iterator[str]:
    first, *others = view.verdict or (view.title,)
    if view.verdict:
        yield f'<p class="title">{escape(view.title)}</p>'
    yield f"<h1>{escape(first)}</h1>"
    if others:
        yield listed(others, "verdict")
    yield from (_figure(index, *picture) for index, picture in enumerate(pictures))
    for table in view.tables:
        yield f"{_scrolled(table.caption or 'table')}{_table(table)}</div>"
    if view.notes:
        yield "<h2>What to know</h2>"
        yield listed(view.notes, "notes")
    if view.explain:
        yield "<h2>How to read this</h2>"
        yield listed(view.explain, "notes")


def listed(sentences: Sequence[str], kind: str) -> str:
    """Write sentences as a list."""
    items = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<ul class="{kind}">\n{items}\n</ul>'


def _figure(index: int, title: str, svg: str) -> str:
    drawn = inline(svg, title, f"picture{index + 1}-")
    return f"<figure>\n<figcaption>{escape(title)}</figcaption>\n{_scrolled(title)}{drawn}</div>\n</figure>"


def _scrolled(label: str) -> str:
    """Begin a part that scrolls by itself where it is wider than the screen, by keys as well."""
    return f'<div class="wide" role="region" aria-label="{escape(label)}" tabindex="0">'


def row_cells(cells: Sequence[str], kinds: Sequence[str], names: int | None) -> list[str]:
    """Write the cells of a row; one may name it; `kinds` are their attributes."""
    return [
        f'<th scope="row"{kind}>{escape(cell)}</th>' if index == names else f"<td{kind}>{escape(cell)}</td>"
        for index, (kind, cell) in enumerate(zip(kinds, cells, strict=True))
    ]


#: Colours are the notebook's own, dark or light; selectors are long enough to win against its rules for tables.
_STYLE = r"""<style>
.podium { font-size: 0.875rem; }
.podium .wide { max-height: 36rem; overflow: auto; margin: 0.5rem 0; }
.podium .wide table { margin: 0; table-layout: auto; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.podium svg { max-width: none; vertical-align: middle; }
.podium .wide table caption { caption-side: top; text-align: left; opacity: 0.7; }
.podium .wide table :is(th, td) { padding: 0.15rem 0.75rem 0.15rem 0; text-align: left; }
.podium .wide table :is(th, td) { font-weight: normal; background: none; }
.podium .wide table thead th { border-bottom: 1px solid; vertical-align: bottom; }
.podium .wide table :is(th, td).number { text-align: right; }
.podium .wide table :is(td.number, .short) { white-space: nowrap; }
.podium .wide table tfoot { opacity: 0.7; }
.podium .wide table tbody tr:nth-child(n) { background: none; }
.podium .wide table tbody tr.band:nth-child(n) { background: rgb(128 128 128 / 0.15); }
.podium button { all: unset; cursor: pointer; font-weight: 600; }
.podium button:focus-visible { outline: 2px solid; }
.podium [aria-sort=ascending] button::after { content: " \25B2"; }
.podium [aria-sort=descending] button::after { content: " \25BC"; }
.podium ul { margin: 0.25rem 0; }
</style>"""

#: What a click on a heading does: numbers by their size, "<0.001" below 0.001, what has none last; words as people do.
_SORT = r"""
const head = event.target.closest('th[aria-sort]');
if (head) {
  const way = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1, place = head.cellIndex;
  const text = row => row.cells[place].dataset.value ?? row.cells[place].textContent;
  const size = row => {
    const shown = text(row).normalize('NFKC').replace(/\u2212/g, '-').replace(/,/g, '')
      .replace('\u00d710', 'e').replace('\u221e', 'Infinity');
    const [found] = /-?(?:Infinity|[.\d]+(?:e[-+]?\d+)?)/.exec(shown) ?? [NaN];
    return found * (1 + 1e-9 * ((shown[0] === '>') - (shown[0] === '<')));
  };
  const order = head.classList.contains('number')
    ? (a, b) => isNaN(size(a)) - isNaN(size(b)) || way * (size(a) - size(b)) || 0
    : (a, b) => way * text(a).localeCompare(text(b), undefined, { numeric: true });
  for (const other of head.parentNode.cells) other.setAttribute('aria-sort', 'none');
  head.setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
  this.tBodies[0].append(...[...this.tBodies[0].rows].sort(order));
}
"""

#: Letters of the longest texts that are not broken; a column with longer ones breaks them between words.
_SHORT = 40

#: Of a bar, in pixels: its width, what is left free beside it, and its height.
_WIDTH, _MARGIN, _HEIGHT = 140, 5, 14


def to_fragment(view: View) -> str:
    r"""Write a view as a part of a page: the verdict first, then tables and notes; how to read it opens on a click.

    >>> from podium.report.view import Column
    >>> table = Table((Column.numbers("score", ["1.5"]),))
    >>> "<p>one &lt;system&gt;</p>" in to_fragment(View("one <system>", (table,), notes=("made up",)))
    True
    """
    parts = ['<div class="podium">', _STYLE, f"<p>{escape(view.title)}</p>"]
    parts += [listed(view.verdict, "verdict")] if view.verdict else []
    for table in view.tables:
        drawn = f'<div class="wide">{_table(table, sorted_by_clicks=True)}</div>'
        opened = f"<details><summary>{escape(table.caption or 'More')}</summary>\n{drawn}</details>"
        parts.append(opened if table.detail else drawn)
    parts += [listed(view.notes, "notes")] if view.notes else []
    if view.explain:
        parts += ["<details><summary>How to read this</summary>", listed(view.explain, "notes"), "</details>"]
    return "\n".join([*parts, "</div>"])


def _table(table: Table, *, sorted_by_clicks: bool = False) -> str:
    """Write a table, in which labels name the rows, or else words; intervals are bars beside them."""
    words = [index for index, column in enumerate(table.columns) if not column.right]
    named = [index for index in words if table.columns[index].label] or words[:1]
    names = named[0] if named else None
    kinds = [_kind(column) for column in table.columns]
    rows = [row_cells(row, kinds, names) for row in table.rows]
    heading = _button if sorted_by_clicks else _heading
    head = [heading(name, kind) for kind, name in zip(kinds, table.head, strict=True)]
    if table.bars is not None:
        place = named[-1] + 1 if named else len(head)
        for row, bar in zip(rows, interval_bars(table.bars.ends, table.bars.origin), strict=True):
            row.insert(place, bar)
        head.insert(place, heading(table.bars.name, ' class="number"'))
    body = _body(table)
    sort = f' onclick="{escape(_SORT)}"' if sorted_by_clicks else ""
    caption = f"<caption>{escape(table.caption)}</caption>\n" if table.caption else ""
    tags = ['<tr class="band">' if odd else "<tr>" for odd in table.striped]
    lines = [f"{tag}{''.join(row)}</tr>\n" for tag, row in zip(tags, rows, strict=True)]
    foot = f"<tfoot>\n{''.join(lines[body:])}</tfoot>\n" if body < len(lines) else ""
    return (
        f"<table{sort}>\n{caption}<thead><tr>{''.join(head)}</tr></thead>\n"
        f"<tbody>\n{''.join(lines[:body])}</tbody>\n{foot}</table>"
    )


def _kind(column: Column) -> str:
    """Return the class of the cells of a column: numbers, or texts that stay on one line."""
    if column.right:
        return ' class="number"'
    return ' class="short"' if max(map(len, column.cells), default=0) <= _SHORT else ""


def _body(table: Table) -> int:
    """Count the rows that are sorted: all above the foot, or above a row that says how many are left out."""
    rows = table.rows
    body = len(rows) - table.foot
    return next((index for index, row in enumerate(rows[:body]) if any(cell.startswith("… ") for cell in row)), body)


def _heading(name: str, kind: str) -> str:
    return f'<th scope="col"{kind}>{escape(name)}</th>'


def _button(name: str, kind: str) -> str:
    return f'<th scope="col"{kind} aria-sort="none"><button type="button">{escape(name)}</button></th>'


def interval_bars(ends: Sequence[tuple[float, float, float]], origin: float | None = None) -> list[str]:
    """Return cells that draw intervals on one scale, with the values for sorting; empty where there is no value.

    Parameters
    ----------
    ends
        Of each row the low end, the value and the high end. An infinite end is at the edge; two NaN draw none.
    origin
        What values are held against, drawn as a broken line.

    Examples
    --------
    >>> cells = interval_bars([(0.2, 0.3, 0.4), (float("nan"),) * 3])
    >>> cells[0].partition(">")[0], cells[1]
    ('<td class="number" data-value="0.3"', '<td class="number"></td>')
    """
    known = [value for row in ends for value in row if isfinite(value)] + ([] if origin is None else [origin])
    low, high = min(known, default=0.0), max(known, default=0.0)

    def place(value: float) -> str:
        share = 0.5 if high == low else (min(max(value, low), high) - low) / (high - low)
        return f"{_MARGIN + share * (_WIDTH - 2 * _MARGIN):.1f}"

    middle = _HEIGHT // 2
    line = f'<path d="M{place(origin)} 0v{_HEIGHT}" stroke-dasharray="2 2"/>' if origin is not None else ""
    cells = []
    for left, value, right in ends:
        if not isfinite(value):
            cells.append('<td class="number"></td>')
            continue
        start, end = place(-inf if isnan(left) else left), place(inf if isnan(right) else right)
        unknown = isnan(left) and isnan(right)
        interval = "" if unknown else f'<path d="M{start} {middle}H{end}M{start} 4v6M{end} 4v6"/>'
        cells.append(
            f'<td class="number" data-value="{value}"><svg role="img" width="{_WIDTH}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}" stroke="currentColor" fill="none">'
            f"<title>{_said(value, left, right)}</title>{line}"
            f'{interval}<circle cx="{place(value)}" cy="{middle}" r="3" fill="currentColor"/></svg></td>'
        )
    return cells


def _said(value: float, low: float, high: float) -> str:
    interval = "" if isnan(low) and isnan(high) else f" ({low:.4g} to {high:.4g})"
    return f"{value:.4g}{interval}".replace("-", "−")
