"""The worth of a benchmark, task by task; frozen. And what it looks like."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium.base.arrays import Floats, Ints, plain
from podium.base.errors import MethodError
from podium.base.words import DASH, few, fixed, how_many, rounded_percent, significant
from podium.benchmark.worth import Effective
from podium.report.drawing import label_points, number_axes, points
from podium.report.picture import footed
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Share of the scale above the best that is nothing to win.
_USED_UP = 0.05

#: Tasks, and groups of them, that a sentence names.
_NAMED, _GROUPS = 4, 4

_READING = (
    "headroom: share of the scale above the mean of the best {best}; unknown if scores tell no scale",
    "signal/noise: range of the systems' means, by the standard error that another sample of items gives one of them",
    "reliability: share of the variance of means that such a sample would show again (Cronbach's alpha)",
    "best {best} separated: pairs of the best {best} that the task alone separates, all of its pairs together",
    "agreement: Kendall's tau-b of the order on the task with that by all other tasks, with its interval",
    "most like: the task that orders the systems most like it; =: nine of ten pairs, or more, alike (95% confidence)",
    "suspects: items on which better systems do worse; at most a tenth of them by mistake",
    "without it: tau-b of the ranking without the task with that of all, and who is then first if another",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Benchmark(Result):
    """Worth of each of T tasks for telling N systems apart, in the order of the table.

    Attributes
    ----------
    tasks, systems
        The T names, and the N labels.
    best
        The best systems, ten or as many as there are, best first.
    confidence
        Of intervals and of separated pairs.
    items, scored
        Shape `(T,)`: instances; systems with a score.
    headroom
        Shape `(T,)`: share of the scale above the mean of the best; NaN where scores tell no scale, see
        `podium.benchmark.worth.headroom`.
    solved_by_none, solved_by_all, solved_by_best
        Shape `(T,)`: share of items on which no system, all, and all of the best have the highest score of the task.
    signal
        Shape `(T,)`: largest less smallest mean of a system.
    noise, run_noise
        Shape `(T,)`: standard deviation of the mean of a system, the root of the mean square of all, for another sample
        of items, and for another run of the same items; NaN where there is one item, or one run.
    reliability
        Shape `(T,)`: see `podium.benchmark.worth.reliability`.
    pairs, pairs_of_best
        Shape `(T,)`: pairs of all systems, and of the best, that the mean of the task separates; NaN of one item.
    suspects
        Shape `(T,)`: items on which better systems do worse; NaN where item response has no answer.
    agreement, agreement_low, agreement_high
        Shape `(T,)`: τ-b with the order by all other tasks, and its interval.
    tau_without
        Shape `(T,)`: τ-b of the ranking without the task with that of all tasks.
    first_without
        Who is first without each task, if none of those who are first with it.
    nearest, nearest_tau
        The task that orders the systems most like it, and τ-b; None and NaN where fewer than 14 systems have both.
    alike
        Groups of tasks that order the systems alike: τ-b is at least 0.8, see `podium.benchmark.worth.alike`.
    effective
        Number of independent tasks that the suite is worth, and its interval, see
        `podium.benchmark.worth.effective_number`; NaN where that is not known. And on how many systems it rests.

    Examples
    --------
    >>> import podium
    >>> podium.tasks({"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.5, "u": 0.99}}).headroom.round(3)
    array([0.3  , 0.105])
    """

    schema: ClassVar[str] = "benchmark"
    _row_key: ClassVar[str] = "tasks"

    tasks: tuple[str, ...]
    systems: tuple[str, ...]
    best: tuple[str, ...]
    confidence: float
    items: Ints
    scored: Ints
    headroom: Floats
    solved_by_none: Floats
    solved_by_all: Floats
    solved_by_best: Floats
    signal: Floats
    noise: Floats
    run_noise: Floats
    reliability: Floats
    pairs: Floats
    pairs_of_best: Floats
    suspects: Floats
    agreement: Floats
    agreement_low: Floats
    agreement_high: Floats
    tau_without: Floats
    first_without: tuple[tuple[str, ...], ...]
    nearest: tuple[str | None, ...]
    nearest_tau: Floats
    alike: tuple[tuple[str, ...], ...]
    effective: Effective
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @property
    def signal_to_noise(self) -> Floats:
        """Return signal by noise, shape `(T,)`; NaN where no noise is known, infinite where it is 0.

        Heineman et al. (2025) divide the same range by the standard deviation of a system over its last checkpoints.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            found: Floats = self.signal / self.noise
        return found

    @property
    def title(self) -> str:
        """Return what was looked at."""
        return f"{how_many(len(self.tasks), 'task')} of {how_many(len(self.systems), 'system')}"

    @property
    def summary(self) -> tuple[str, ...]:
        """Say which tasks tell nothing of the best, which say the same, and how many independent ones there are."""
        said = []
        known = ~np.isnan(self.pairs_of_best)
        idle = [name for name, number in zip(self.tasks, self.pairs_of_best, strict=True) if number == 0]
        best = "systems" if len(self.best) == len(self.systems) else f"of the best {len(self.best)}"
        if idle:
            named = f" ({few(idle, _NAMED)})" if len(idle) <= _NAMED else ""
            said.append(f"{len(idle)} of {how_many(int(known.sum()), 'task')} separate no two {best}{named}")
        elif known.any():
            said.append(f"every task separates some {best}")
        used = [name for name, room in zip(self.tasks, self.headroom, strict=True) if room <= _USED_UP]
        if used:
            within = f"the best {len(self.best)} are within {rounded_percent(_USED_UP)} of the end"
            said.append(f"used up, as {within}: {few(used, _NAMED)}")
        if self.alike:
            groups = [" and ".join(one) if len(one) == 2 else few(one, _NAMED) for one in self.alike[:_GROUPS]]
            more = len(self.alike) - _GROUPS
            groups += [how_many(more, "other group")] if more > 0 else []
            said.append(f"order the systems alike: {'; '.join(groups)}")
        effective, low, high, _ = self.effective
        if not math.isnan(effective):
            said.append(f"the suite is worth about {effective:.0f} independent tasks ({low:.0f} to {high:.0f})")
        return tuple(said) or ("no task is known to be used up, and none to order the systems as another does",)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per task; None where a number does not exist."""
        arrays = (
            *("items", "scored", "headroom", "solved_by_none", "solved_by_all", "solved_by_best", "signal", "noise"),
            *("run_noise", "signal_to_noise", "reliability", "pairs", "pairs_of_best", "suspects"),
            *("agreement", "agreement_low", "agreement_high", "nearest_tau", "tau_without"),
        )
        columns: dict[str, Any] = {"task": self.tasks} | {name: getattr(self, name).tolist() for name in arrays}
        columns |= {"nearest": self.nearest, "first_without": [list(first) or None for first in self.first_without]}
        return [plain(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        alike = {name for group in self.alike for name in group}
        likes = [
            DASH if one is None else f"{'= ' if name in alike else ''}{one} ({fixed(value, 2)})"
            for name, one, value in zip(self.tasks, self.nearest, self.nearest_tau, strict=True)
        ]
        columns = (
            Column.labels("task", self.tasks),
            Column.numbers("items", [f"{number:,}" for number in self.items.tolist()], 1),
            Column.numbers("headroom", map(rounded_percent, self.headroom.tolist()), 3),
            Column.numbers("signal/noise", [fixed(one, 1) for one in self.signal_to_noise.tolist()], 2),
            Column.numbers("reliability", [fixed(one, 2) for one in self.reliability.tolist()], 1),
            Column.numbers(
                f"best {len(self.best)} separated", [fixed(one, 0) for one in self.pairs_of_best.tolist()], 4
            ),
            Column.numbers("agreement", self._spans(), 4),
            Column.words("most like", likes, 3),
        )
        return View(
            self.title,
            (Table(_told(columns)), self._details()),
            self.notes,
            self.summary,
            (Figure("worth", "Signal against headroom", partial(worth, self)),),
            tuple(line.format(best=len(self.best)) for line in _READING),
        )

    def _spans(self) -> list[str]:
        """Write agreement, with its interval where one is known."""
        spans = zip(self.agreement.tolist(), self.agreement_low.tolist(), self.agreement_high.tolist(), strict=True)
        return [
            fixed(value, 2) + ("" if math.isnan(low) else f" ({fixed(low, 2)} to {fixed(high, 2)})")
            for value, low, high in spans
        ]

    def _details(self) -> Table:
        columns = (
            Column.labels("task", self.tasks),
            Column.numbers("solved by none", map(rounded_percent, self.solved_by_none.tolist())),
            Column.numbers("by all", map(rounded_percent, self.solved_by_all.tolist())),
            Column.numbers("by the best", map(rounded_percent, self.solved_by_best.tolist())),
            Column.numbers("signal", map(significant, self.signal.tolist())),
            Column.numbers("noise", map(significant, self.noise.tolist())),
            Column.numbers("of runs", map(significant, self.run_noise.tolist())),
            Column.numbers("pairs separated", [fixed(one, 0) for one in self.pairs.tolist()]),
            Column.numbers("suspects", [fixed(one, 0) for one in self.suspects.tolist()]),
            Column.numbers("tau-b without it", [fixed(one, 3) for one in self.tau_without.tolist()]),
            Column.words("first without it", [few(first, 2) if first else "=" for first in self.first_without]),
        )
        return Table(_told(columns), "more of each task", detail=True)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "confidence": self.confidence,
            "n_systems": len(self.systems),
            "best": list(self.best),
            "effective_tasks": plain(self.effective._asdict()),
            "alike": [list(group) for group in self.alike],
            "tasks": self.rows(),
        }


def _told(columns: Iterable[Column]) -> tuple[Column, ...]:
    """Leave out columns that say nothing of any task."""
    return tuple(column for column in columns if column.label or set(column.cells) != {DASH})


#: Axes, in inches.
_SIZE = (5.0, 3.2)


def worth(benchmark: Benchmark, *, ax: "Axes | None" = None) -> "Axes":
    """Draw each task by its headroom and what it tells: signal by noise, or without items its agreement with the rest.

    Names stand beside points where there is room for them; those of tasks that tell least come first.

    Parameters
    ----------
    benchmark
        What `podium.tasks` returns.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        No task has both numbers.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> ax = worth(podium.tasks(podium.from_dict({"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.5, "u": 0.6}})))
    """
    ratio = benchmark.signal_to_noise
    told, name = (
        (ratio, "signal by noise") if np.isfinite(ratio).any() else (benchmark.agreement, "tau-b with the other tasks")
    )
    some = np.isfinite(told) & np.isfinite(benchmark.headroom)
    if not some.any():
        raise MethodError("no task has both a scale from 0 to 1 or 100 and a known noise, so there is nothing to draw")
    drawn, left = (
        [task for task, there in zip(benchmark.tasks, some.tolist(), strict=True) if there is own]
        for own in (True, False)
    )
    x, y, best = 100 * benchmark.headroom[some], told[some], f"the best {len(benchmark.best)}"
    said = [f"to the left: used up by {best}; low: tells little of systems"]
    said += [f"not drawn, as scale or noise is unknown: {few(left, _NAMED)}"] if left else []
    ends = ((0.0, 1.08 * (float(x.max()) or 1.0)), (min(0.0, float(y.min())), 1.08 * (float(y.max()) or 1.0)))
    ax, say = footed(ax, said, _SIZE, left=0.62, right=0.2, top=0.15, below=0.42)
    number_axes(ax, *ends, names=(f"headroom, % of the scale above {best}", name))
    points(ax, x, y)
    label_points(ax, x, y, drawn, first=-y)
    say()
    return ax
