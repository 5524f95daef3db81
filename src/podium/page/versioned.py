"""What `podium.history` found: how ranks went over versions of the table, and what happened in each step."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError
from podium.base.words import how_many
from podium.report.formats import table_layout
from podium.score.table import Scores
from podium.timeline.result import History, HistoryStep


def check_history(history: History, scores: Scores) -> None:
    """Refuse what is no history, or one that ends with another table.

    Raises
    ------
    InputError
        It is none, or its last step has other systems or tasks.
    """
    if not isinstance(history, History):
        raise InputError(f"expected a History, not {type(history).__name__}; make it with podium.history(steps)")
    last = history.steps[-1].ranking
    tasks = {task.name for task in last.tasks}
    if history.suite == "joined":  # it also has tasks that were retired
        tasks &= set(scores.task_names)
    for what, found, wanted in (("systems", set(last.systems), scores.systems), ("tasks", tasks, scores.task_names)):
        if found != set(wanted):
            raise InputError(
                f"the last step of the history has other {what} than the table; make the page of the table of that step"
            )


def versioned(history: History) -> dict[str, Any]:
    """Return verdict, tables, notes and what is marked in each step, as plain values; systems are numbers.

    Examples
    --------
    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> made = versioned(podium.history({"May": before, "June": {**before, "C": {"t": 1.0, "u": 0.9}}}))
    >>> made["systems"], made["steps"][1]
    (['C', 'A', 'B'], {'label': 'June', 'entered': [0], 'left': [], 'overtook': []})
    """
    view, systems = history.view(), history.systems
    place = {system: at for at, system in enumerate(systems)}
    return {
        "title": view.title,
        "verdict": list(view.verdict),
        "notes": list(view.notes),
        "explain": list(view.explain),
        "confidence": history.confidence,
        "systems": list(systems),
        "steps": [_step(step, place) for step in history.steps],
        "tables": [table_layout(table.whole or table) for table in view.tables],
    }


def _step(step: HistoryStep, place: dict[str, int]) -> dict[str, Any]:
    overtook = {one.winner for one in step.overtakings if one.surely}
    marked = {"entered": step.entered, "left": step.left, "overtook": overtook}
    return {"label": step.label, **{name: sorted(place[one] for one in systems) for name, systems in marked.items()}}


def tracks(history: History) -> dict[str, NDArray[Any]]:
    """Return ranks, and both ends of their intervals where there are some, shape `(T, N)` each; 0 where none is.

    Systems are in the order of `History.systems`.

    Examples
    --------
    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> tracks(podium.history({"May": before, "June": {**before, "C": {"t": 1.0, "u": 0.9}}}))["history ranks"].tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    place = {system: at for at, system in enumerate(history.systems)}
    found = np.zeros((3, len(history), len(place)), dtype=np.int32)
    for at, step in enumerate(history.steps):
        columns = [place[system] for system in step.ranking.systems]
        found[0, at, columns] = step.ranking.rank
        if (sure := step.ranking.intervals) is not None:
            found[1, at, columns], found[2, at, columns] = sure.rank_low, sure.rank_high
    small = found.astype(np.uint8) if found.max() <= np.iinfo(np.uint8).max else found
    arrays = {"history ranks": small[0]}
    return {**arrays, "history low": small[1], "history high": small[2]} if found[1].any() else arrays


def held_of(history: History) -> str:
    """Say what a page holds of a history besides its table.

    >>> import podium
    >>> table = podium.datasets.toy_table1()
    >>> held_of(podium.history({"May": table, "June": table}))
    'ranks of 3 systems in 2 steps'
    """
    return f"ranks of {how_many(len(history.systems), 'system')} in {how_many(len(history), 'step')}"
