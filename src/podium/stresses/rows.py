"""A table with other rows."""

from collections.abc import Sequence
from dataclasses import replace

from podium.scores import Scores

__all__ = ["with_rows"]


def with_rows(scores: Scores, rows: Sequence[int], systems: Sequence[str] | None = None) -> Scores:
    """Keep rows of a table, in this order, some perhaps several times; `systems` names them where that is needed.

    >>> import podium
    >>> with_rows(podium.datasets.toy_table1(), [2, 0]).systems
    ('C', 'A')
    """
    if systems is None:
        if list(rows) == list(range(len(scores.systems))):
            return scores
        systems = [scores.systems[row] for row in rows]
    chosen = list(rows)
    tasks = (
        replace(task, parts=tuple(part[chosen] for part in task.parts), scored=task.scored[chosen])
        for task in scores.tasks
    )
    return replace(scores, systems=tuple(systems), tasks=tuple(tasks))
