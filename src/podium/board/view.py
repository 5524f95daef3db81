"""What was done to a board, laid out."""

from podium.board.result import Added
from podium.report.table import Column, Table
from podium.report.view import View


def view_added(added: Added) -> View:
    """Lay out what was added.

    >>> view_added(Added("board", 1, "d1", 2, 0, 1, 0, 0, 0, 3, 1)).verdict
    ('2 scores added, 1 there already; board is at version 1',)
    """
    names = ("new", "missing", "same", "kept", "replaced", "repeated")
    columns = [Column.numbers("version", [str(added.version)]), Column.labels("addition", [added.addition])]
    columns += [Column.numbers(name, [f"{getattr(added, name):,}"]) for name in names]
    title = f"added to {added.board}: {added.systems:,} systems, {added.tasks:,} tasks"
    return View(title, (Table(tuple(columns)),), added.notes, (added.sentence,))
