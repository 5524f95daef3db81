"""A view as a part of a page, for notebooks: intervals as bars, rows in the order of a click, and nothing loaded."""

from collections.abc import Sequence
from html import escape
from math import inf, isfinite, isnan

from podium.report.format.html import listed, row_cells
from podium.report.table import Table
from podium.report.view import View

#: Colours are the notebook's own, dark or light; selectors are long enough to win against its rules for tables.
_STYLE = r"""<style>
.podium { font-size: 0.875rem; }
.podium .wide { max-height: 36rem; overflow: auto; margin: 0.5rem 0; }
.podium .wide table { margin: 0; border-collapse: collapse; font-variant-numeric: tabular-nums; }
.podium .wide table caption { caption-side: top; text-align: left; opacity: 0.7; }
.podium .wide table :is(th, td) { padding: 0.15rem 0.75rem 0.15rem 0; text-align: left; }
.podium .wide table :is(th, td) { font-weight: normal; background: none; }
.podium .wide table thead th { border-bottom: 1px solid; vertical-align: bottom; }
.podium .wide table :is(th, td).number { text-align: right; }
.podium .wide table td.number, .podium .wide table.short th[scope=row] { white-space: nowrap; }
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

#: Letters of the longest names that are not broken; a table with longer ones breaks them between words.
_SHORT = 40

#: Of a bar, in pixels: its width, what is left free beside it, and its height.
_WIDTH, _MARGIN, _HEIGHT = 140, 5, 14


def to_fragment(view: View) -> str:
    r"""Write a view as a part of a page: the verdict first, then tables and notes; how to read it opens on a click.

    >>> from podium.report.table import Column
    >>> table = Table((Column.numbers("score", ["1.5"]),))
    >>> "<p>one &lt;system&gt;</p>" in to_fragment(View("one <system>", (table,), notes=("made up",)))
    True
    """
    parts = ['<div class="podium">', _STYLE, f"<p>{escape(view.title)}</p>"]
    parts += [listed(view.verdict, "verdict")] if view.verdict else []
    parts += map(_table, view.tables)
    parts += [listed(view.notes, "notes")] if view.notes else []
    if view.explain:
        parts += ["<details><summary>How to read this</summary>", listed(view.explain, "notes"), "</details>"]
    return "\n".join([*parts, "</div>"])


def _table(table: Table) -> str:
    """Write a table that clicks sort, bars beside the names; rows that sum up others, or stand for them, stay below."""
    names = next((index for index, column in enumerate(table.columns) if not column.right), None)
    kinds = [' class="number"' if column.right else "" for column in table.columns]
    broken = names is not None and max(map(len, table.columns[names].cells), default=0) > _SHORT
    short = "" if broken else 'class="short" '
    rows = [row_cells(row, kinds, names) for row in table.rows]
    head = [_heading(name, kind) for kind, name in zip(kinds, table.head, strict=True)]
    if table.bars is not None:
        place = len(head) if names is None else names + 1
        for row, bar in zip(rows, interval_bars(table.bars.ends, table.bars.origin), strict=True):
            row.insert(place, bar)
        head.insert(place, _heading(table.bars.name, ' class="number"'))
    body = _body(table)
    caption = f"<caption>{escape(table.caption)}</caption>\n" if table.caption else ""
    tags = ['<tr class="band">' if odd else "<tr>" for odd in table.striped]
    lines = [f"{tag}{''.join(row)}</tr>\n" for tag, row in zip(tags, rows, strict=True)]
    foot = f"<tfoot>\n{''.join(lines[body:])}</tfoot>\n" if body < len(lines) else ""
    return (
        f'<div class="wide"><table {short}onclick="{escape(_SORT)}">\n{caption}'
        f"<thead><tr>{''.join(head)}</tr></thead>\n<tbody>\n{''.join(lines[:body])}</tbody>\n{foot}</table></div>"
    )


def _body(table: Table) -> int:
    """How many rows are sorted: all above the foot, or above a row that says how many are left out."""
    rows = table.rows
    body = len(rows) - table.foot
    return next((index for index, row in enumerate(rows[:body]) if any(cell.startswith("… ") for cell in row)), body)


def _heading(name: str, kind: str) -> str:
    return f'<th scope="col"{kind} aria-sort="none"><button type="button">{escape(name)}</button></th>'


def interval_bars(ends: Sequence[tuple[float, float, float]], origin: float | None = None) -> list[str]:
    """Cells that draw intervals on one scale, with the values for sorting; empty where there is no value.

    Parameters
    ----------
    ends
        Of each row the low end, the value and the high end; an end that is not finite is at the edge.
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
        cells.append(
            f'<td class="number" data-value="{value}"><svg role="img" width="{_WIDTH}" height="{_HEIGHT}" '
            f'stroke="currentColor" fill="none"><title>{_said(value, left, right)}</title>{line}'
            f'<path d="M{start} {middle}H{end}M{start} 4v6M{end} 4v6"/>'
            f'<circle cx="{place(value)}" cy="{middle}" r="3" fill="currentColor"/></svg></td>'
        )
    return cells


def _said(value: float, low: float, high: float) -> str:
    return f"{value:.4g} ({low:.4g} to {high:.4g})".replace("-", "−")
