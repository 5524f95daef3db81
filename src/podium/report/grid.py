"""What is shown, before how: a title, grids of text cells, and notes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from podium.report.digits import DASH, score_texts
from podium.wording import counted, span

if TYPE_CHECKING:
    from podium.description import Description
    from podium.rankings import Ranking

__all__ = ["Column", "Grid", "Sheet", "description_sheet", "printable", "ranking_sheet"]

#: Up to this many systems are described one by one; more are grouped by what is missing.
_FEW = 40

#: Patterns of missing scores shown at most.
_PATTERNS = 20

# Control characters could move the cursor or recolour the screen; direction overrides reorder a line.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Column:
    """Cells under one heading; numbers are set to the right."""

    name: str
    cells: tuple[str, ...]
    right: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Columns of equal length, with an optional caption."""

    columns: tuple[Column, ...]
    caption: str = ""

    @property
    def head(self) -> tuple[str, ...]:
        """The headings."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The cells, row by row."""
        return list(zip(*(column.cells for column in self.columns), strict=True))


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything a text format shows of one result: a title, what it says in sentences, grids, and notes."""

    title: str
    grids: tuple[Grid, ...]
    notes: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()


def printable(text: str) -> str:
    r"""Spell out characters that would break a line or steer a terminal.

    >>> print(printable("a\tb"))
    a\tb
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def ranking_sheet(ranking: "Ranking") -> Sheet:
    """Lay out a ranking.

    >>> import podium
    >>> ranking_sheet(podium.rank(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 6 tasks'
    """
    rows = ranking.rows()
    ranks = [row["rank"] for row in rows]
    columns = [
        _numbers("rank", [DASH if rank is None else str(rank) for rank in ranks]),
        _labels("system", ranking.systems),
        _numbers("score", score_texts([row["score"] for row in rows], ranks)),
        _numbers("tasks scored", [f"{row['tasks_scored']}/{ranking.n_tasks}" for row in rows]),
    ]
    notes = ranking.notes
    if ranking.intervals is not None:
        percent = f"{100 * ranking.intervals.confidence:g}%"
        columns[1:1] = [
            _numbers(f"{percent} ranks", [span(row["rank_low"], row["rank_high"]) for row in rows]),
            _numbers("tier", [DASH if row["tier"] is None else str(row["tier"]) for row in rows]),
        ]
        notes = (*notes, ranking.intervals.explanation)
    title = ranking.title + ("" if ranking.higher_is_better else "; lower is better")
    return Sheet(title, (Grid(tuple(columns)),), tuple(map(printable, notes)))


def description_sheet(description: "Description") -> Sheet:
    """Lay out a description.

    >>> import podium
    >>> description_sheet(podium.describe(podium.datasets.toy_table1())).title
    '3 systems, 6 tasks, 6 instances: 0 of 18 scores missing'
    """
    missing = description.n_cells - description.n_scored
    share = f" ({_percent(missing, description.n_cells)})" if missing else ""
    title = (
        f"{counted(len(description.systems), 'system')}, {counted(len(description.tasks), 'task')}, "
        f"{counted(description.n_instances, 'instance')}: "
        f"{missing:,} of {counted(description.n_cells, 'score')} missing{share}"
    )
    many = len(description.systems) > _FEW
    systems = _patterns(description) if many else _systems(description)
    return Sheet(title, (_tasks(description), systems), tuple(map(printable, description.notes)))


def _tasks(description: "Description") -> Grid:
    tasks = description.tasks
    return Grid(
        (
            _labels("task", [task.name for task in tasks]),
            _labels("better", ["higher" if task.higher_is_better else "lower" for task in tasks]),
            _numbers("weight", [f"{task.weight:g}" for task in tasks]),
            _numbers("instances", [f"{task.n_instances:,}" for task in tasks]),
            _numbers("missing", [_missing(task.n_scored, task.n_cells) for task in tasks]),
            _numbers("tied pairs", [_of_pairs(task.tied, task.pairs) for task in tasks]),
            _numbers("near-ties", [_of_pairs(task.near, task.pairs) for task in tasks]),
        ),
        "tasks",
    )


def _systems(description: "Description") -> Grid:
    scored = description.scored
    return Grid(
        (
            _labels("system", description.systems),
            _numbers("tasks scored", [f"{(row > 0).sum()}/{len(row)}" for row in scored]),
            _numbers("missing", [_missing(int(row.sum()), description.n_instances) for row in scored]),
            _labels("misses", [_misses(description, row) for row in scored]),
        ),
        "systems",
    )


def _patterns(description: "Description") -> Grid:
    """Group the systems by the tasks they miss, wholly or in part."""
    groups: dict[str, int] = {}
    for row in description.scored:
        pattern = _misses(description, row)
        groups[pattern] = groups.get(pattern, 0) + 1
    common = sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    shown = [(pattern, str(count)) for pattern, count in common[:_PATTERNS]]
    if rest := common[_PATTERNS:]:
        shown.append((f"… {len(rest)} more patterns", str(sum(count for _, count in rest))))
    patterns, counts = zip(*shown, strict=True)
    return Grid((_numbers("systems", counts), _labels("miss", patterns)), "systems by what they miss")


def _misses(description: "Description", row: Iterable[int]) -> str:
    """Say which tasks a system lacks, and which it has only in part."""
    pairs = list(zip(description.tasks, row, strict=True))
    wholly = [task.name for task, scored in pairs if scored == 0]
    partly = [f"{task.name} in part" for task, scored in pairs if 0 < scored < task.n_instances]
    if len(wholly) == len(pairs):
        return "every task"
    return _listed(wholly + partly) or DASH


def _listed(names: Sequence[str], most: int = 5) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _missing(scored: int, cells: int) -> str:
    missing = cells - scored
    return f"{missing:,} ({_percent(missing, cells)})" if missing else "0"


def _of_pairs(found: int, pairs: int) -> str:
    return f"{found:,} ({_percent(found, pairs)})" if found else "0"


def _percent(part: int, whole: int) -> str:
    """Percentage that is 0 or 100 only when nothing or all is meant."""
    share = 100 * part / whole
    if 0 < share < 0.1:
        return "<0.1%"
    if 99.9 < share < 100:
        return ">99.9%"
    return f"{share:.1f}%"


def _labels(name: str, cells: Iterable[str]) -> Column:
    return Column(name, tuple(map(printable, cells)))


def _numbers(name: str, cells: Iterable[str]) -> Column:
    return Column(name, tuple(cells), right=True)
