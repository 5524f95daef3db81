"""A gate: its verdict first, the checks, and the items that broke and that were mended."""

from collections.abc import Sequence
from math import isnan

from podium.base.words import DASH, decimals, fixed, how_many, numeral, percent
from podium.comparison.result import on_suite
from podium.gating.result import Gate, Item
from podium.report.view import Column, Table, View

#: Items that are shown; JSON holds all.
_ITEMS = 10

_READING = (
    "pass: the interval of the difference lies above −margin; fail: below 0; otherwise the scores cannot tell",
    "difference: positive if the new run is better, also where lower scores are better",
    "an error of 2.5% to either side is that of one gate; of many gates some err, see --per-week",
)


def view_gate(gate: Gate) -> View:
    """Lay out a gate.

    >>> import podium
    >>> old, new = (podium.from_arrays({"t": [[score] * 30 + [1.0] * 10]}, systems=["m"]) for score in (0.0, 1.0))
    >>> view_gate(podium.gate(old, new, margin=0.01)).title
    'PASS: after against before'
    """
    said = [f"{check.name}: {check.said}" for check in gate.checks if check.outcome != "pass"]
    said = said or [gate.checks[0].said]
    if gate.suite is not None:
        said.append(on_suite(gate.suite, confidence=gate.confidence))
    if gate.items_needed:
        said.append(
            f"about {how_many(gate.items_needed, 'more item')} would settle it, if the difference seen is the true one"
        )
    if gate.per_week:
        said.append(f"adjusted for {how_many(gate.per_week, 'gate')} a week")
    tables = [_checks(gate)]
    for what, items in (("broke", gate.broken), ("mended", gate.mended)):
        if items:
            tables.append(_items(what, items))
    return View(gate.title, tuple(tables), gate.notes, tuple(said), explain=_READING)


def _checks(gate: Gate) -> Table:
    widths = [check.high - check.low for check in gate.checks if check.high > check.low]
    places = decimals(min(widths)) if widths else 3

    def number(value: float) -> str:
        return DASH if isnan(value) else fixed(value, places)

    def interval(low: float, high: float) -> str:
        return DASH if isnan(low) else f"[{number(low)}, {number(high)}]"

    return Table((
        Column.labels("check", [check.name for check in gate.checks]),
        Column.words("outcome", [check.outcome for check in gate.checks], 2),
        Column.numbers("difference", [number(one.effect) for one in gate.checks], 1),
        Column.numbers(f"{percent(gate.confidence)} CI", [interval(one.low, one.high) for one in gate.checks], 1),
        Column.words("why", [check.said for check in gate.checks]),
    ))  # fmt: skip


def _items(what: str, items: Sequence[Item]) -> Table:
    shown = items[:_ITEMS]
    head = f"{what} ({len(items):,})" if len(items) <= _ITEMS else f"{what} ({_ITEMS} of {len(items):,})"
    return Table((
        Column.labels(head, [": ".join(filter(None, (item.task, item.instance))) for item in shown]),
        Column.numbers("before", [numeral(item.before) for item in shown]),
        Column.numbers("after", [numeral(item.after) for item in shown]),
    ))  # fmt: skip
