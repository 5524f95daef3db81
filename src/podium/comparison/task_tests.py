"""Compare systems on one score per task: paired tests over tasks, and a test of all systems."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain
from podium.base.errors import MethodError
from podium.base.statistics import benjamini_hochberg, holm
from podium.base.words import LONG, Doubt, chance, decimals, few, fixed, how_many, p_value, percent, with_names
from podium.comparison.effects import mcnemar
from podium.comparison.rank_tests import Friedman, friedman, signed_rank_posterior, wilcoxon
from podium.comparison.result import Comparison, Effect
from podium.score.family import family_names, family_notes, relation_notes
from podium.score.place import midranks, places
from podium.score.table import Scores

if TYPE_CHECKING:
    from podium.report.view import View


@dataclass(frozen=True, slots=True)
class TaskDifference:
    """The scores of two systems on a task, and how much better the treatment is.

    Attributes
    ----------
    task, higher_is_better
        Label, and direction of the metric.
    control, treatment
        Scores as given.
    difference
        Positive is better for the treatment, also where lower is better.
    """

    task: str
    higher_is_better: bool
    control: float
    treatment: float
    difference: float


@dataclass(frozen=True, slots=True)
class PairedTests:
    """Tests of a treatment against a control over the tasks that score both. Numbers that do not exist are NaN.

    Attributes
    ----------
    treatment
        Label.
    tasks
        The differences, in the order of the table.
    wins, ties, losses
        On how many families of tasks the treatment is better, equal, or worse, by the mean of their differences; a task
        alone is one.
    sign_p
        Exact two-sided p-value of the sign test, without ties.
    rank_sum, wilcoxon_p
        Sum of the ranks of positive differences, and the exact p-value, see `podium.comparison.rank_tests.wilcoxon`.
    mean, low, high, t_p
        Mean difference over tasks, Student's paired interval, and its p-value.
    better, equal, worse
        Probabilities by the Bayesian signed-rank test, see `podium.comparison.rank_tests.signed_rank_posterior`.
    """

    treatment: str
    tasks: tuple[TaskDifference, ...]
    wins: int
    ties: int
    losses: int
    sign_p: float
    rank_sum: float
    wilcoxon_p: float
    mean: float
    low: float
    high: float
    t_p: float
    better: float
    equal: float
    worse: float

    def __len__(self) -> int:
        return len(self.tasks)

    @property
    def share(self) -> float:
        """Share of the families that the treatment wins, a tie as half."""
        return (self.wins + self.ties / 2) / self.families

    @property
    def families(self) -> int:
        """Number of families that the tasks are of; tests count each once."""
        return self.wins + self.ties + self.losses

    @property
    def places(self) -> int:
        """Decimals that show two digits of the largest difference."""
        return max(decimals(max(abs(one.difference) for one in self.tasks)), 2)

    def counts(self) -> str:
        """Return wins, losses and ties in words."""
        equal = f", equal on {self.ties}" if self.ties else ""
        whole = how_many(len(self), "task") if self.families == len(self) else f"{self.families} families of tasks"
        return f"better on {self.wins} of {whole}, worse on {self.losses}{equal}"

    def average(self, confidence: float) -> str:
        """Return the mean difference with its interval, in words; empty where there is none."""
        if np.isnan(self.mean):
            return ""
        shown = fixed(self.mean, self.places)
        side = "worse" if shown.startswith("−") else "better"
        words = f"{shown.lstrip('−')} {side}" if shown.strip("0.,") else f"a difference of {shown}"
        if np.isnan(self.low):
            return f"on average {words}"
        ends = f"{fixed(self.low, self.places)} to {fixed(self.high, self.places)}"
        return f"on average {words}, {percent(confidence)} CI {ends}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TaskComparison(Comparison):
    """One or several treatments against a control, on tables of one score per task.

    Attributes
    ----------
    control
        Label.
    treatments
        The tests of each treatment, best first: by the share of families won, a tie as half; equals in order of labels.
    holm, benjamini_hochberg
        Shape of `treatments`: p-values of Wilcoxon's test, adjusted for the number of treatments.
    friedman
        Test that all systems are equal, with mean ranks; None with fewer than three systems, or than six tasks that
        score all of them, or where it was not asked for.
    rope
        Differences up to this are practically equal; NaN where tasks have no common scale, as far as is known.
    confidence
        Of intervals, and of the critical difference.
    seed
        Of the Bayesian test.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_dict({
    ...     "base": {"rte": 0.70, "sst2": 0.91, "mrpc": 0.86, "cola": 0.52, "qnli": 0.90, "wnli": 0.56},
    ...     "new": {"rte": 0.74, "sst2": 0.93, "mrpc": 0.89, "cola": 0.58, "qnli": 0.91, "wnli": 0.56},
    ... })
    >>> podium.compare(scores, control="base", treatment="new")
    TaskComparison(new against base, one score per task: 6 tasks)
    • better on 5 of 6 tasks, worse on 0, equal on 1; Wilcoxon p = 0.062; on average 0.027 better, 95% CI 0.004 to 0.049
    test                  result                                      p
    sign                  5 better, 1 equal, 0 worse              0.062
    Wilcoxon signed-rank  rank sum 15 of 15                       0.062
    paired t              mean 0.027, 95% CI [0.004, 0.049]       0.029
    Bayesian signed-rank  91% better, 9% within ±0.01, <1% worse
    2 notes in .notes
    """

    schema: ClassVar[str] = "task-comparison"
    _beyond_rows: ClassVar[str] = "these rows are the tests only; -f json also has the difference on each task"
    _row_key: ClassVar[str] = "treatments"

    control: str
    treatments: tuple[PairedTests, ...]
    holm: NDArray[np.float64]
    benjamini_hochberg: NDArray[np.float64]
    friedman: Friedman | None
    rope: float
    confidence: float
    seed: int
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.treatments)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """The mean difference of each treatment over tasks, with Student's interval and p-value."""
        return tuple(Effect(one.treatment, one.mean, one.low, one.high, one.t_p) for one in self.treatments)

    @property
    def title(self) -> str:
        """Return in words which systems are compared, and on how many tasks."""
        who = self.treatments[0].treatment if len(self) == 1 else how_many(len(self), "system")
        sizes = {len(one) for one in self.treatments}
        tasks = how_many(max(sizes), "task")
        return f"{who} against {self.control}, one score per task: {tasks if len(sizes) == 1 else f'up to {tasks}'}"

    def verdict(self, tests: PairedTests) -> str:
        """On how many tasks a treatment is better, whether that may be chance, and by how much on average."""
        said = (tests.counts(), f"Wilcoxon {chance(tests.wilcoxon_p)}", tests.average(self.confidence))
        return "; ".join(filter(None, said))

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per treatment; None where a number does not exist.

        >>> import podium
        >>> podium.compare(podium.datasets.toy_table1(), control="A", treatment="C").rows()[0]["wins"]
        3
        """
        mean_rank = {} if self.friedman is None else self.friedman.mean_rank
        adjusted = zip(self.treatments, self.holm.tolist(), self.benjamini_hochberg.tolist(), strict=True)
        return [
            plain({
                "treatment": one.treatment,
                "mean_rank": mean_rank.get(one.treatment, float("nan")),
                "tasks": len(one),
                **{name: getattr(one, name) for name in ("wins", "ties", "losses", "sign_p", "rank_sum", "wilcoxon_p")},
                "holm": holm,
                "benjamini_hochberg": fdr,
                **{name: getattr(one, name) for name in ("mean", "low", "high", "t_p", "better", "equal", "worse")},
            })
            for one, holm, fdr in adjusted
        ]  # fmt: skip

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.comparison.view import view_task_comparison  # noqa: PLC0415  # only where it is shown

        return view_task_comparison(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **plain({name: getattr(self, name) for name in ("control", "rope", "confidence", "seed")}),
            "sentence": self.sentence,
            "treatments": self.rows(),
            "friedman": None if self.friedman is None else plain(asdict(self.friedman)),
            "differences": [
                {  # scores are called what they are, as beside them "treatment" is a label
                    "treatment": one.treatment,
                    "task": task.task,
                    "higher_is_better": task.higher_is_better,
                    "control_score": task.control,
                    "treatment_score": task.treatment,
                    "difference": task.difference,
                }
                for one in self.treatments
                for task in one.tasks
            ],
        }


#: Fewest tasks of the Bayesian test and of Friedman's, which find too much on fewer.
_LEAST = 6

#: Relative error of a score that is rounded to the precision it is stored in, with room for a few operations.
ROUNDINGS = 8

#: Differences whose squares can be added.
_HUGE = 1e150

#: Share of the scale up to which scores are practically equal, by default.
_EQUIVALENT = 0.01

_NO_SCALE = (
    Doubt("no mean difference and no Bayesian test: tasks may differ in scale; if they do not, give a rope (--rope)"),
    "Wilcoxon's test ranks differences over tasks; if scales differ, the sign test is the safer one",
)

_CAVEAT = "tasks are the sample: tests are about other tasks like these, and say nothing about noise inside a task"


class TaskScores:
    """A table of one score per task, as tests over tasks see it; without a `rope`, 1% of its scale where that is known.

    Attributes
    ----------
    scores
        The table, without tasks of weight 0.
    values
        Shape `(N, T)`: scores turned so that higher is better, NaN where missing.
    rounding
        Shape `(N, T)`: by how much each may be off, so that 0.3 and 0.1 + 0.2 are equal.
    rope
        Half-width of the region of practical equivalence; NaN where tasks have no common scale.
    confidence
        Of intervals.
    families
        Shape `(T,)`: number of the family of each task. Tests count each once: by the mean of its differences, and by
        the order of its mean ranks.
    """

    def __init__(self, scores: Scores, rope: float | None, confidence: float) -> None:
        self.scores = scores.select(tasks=[task.name for task in scores.tasks if task.weight > 0])
        higher, self.confidence = self.scores.higher_is_better, confidence
        given = np.concatenate([task.values for task in self.scores.tasks], axis=1)
        self.values = np.where(higher, given, -given).astype(np.float64)
        self.rounding = ROUNDINGS * np.finfo(given.dtype).eps * np.abs(given.astype(np.float64))
        self.rope = _EQUIVALENT * common_scale(given, higher) if rope is None else rope
        self.families = np.unique(family_names(self.scores.tasks), return_inverse=True)[1]

    def tests(self, control: int, treatment: int, posterior: Floats) -> PairedTests:
        """Test one treatment against the control, both by their rows."""
        difference, rounding, both = self.differences(control, treatment)
        student = self._student(*self._of_families(np.stack([difference, rounding]), both))
        equal = np.abs(difference) <= np.maximum(rounding, self.scores.effective_tie_tolerance)
        counted, rounding = self._of_families(np.stack([np.where(equal, 0.0, difference), rounding]), both)
        counted[np.abs(counted) <= rounding] = 0.0
        wins, losses = int((counted > 0).sum()), int((counted < 0).sum())
        rank_sum, wilcoxon_p = wilcoxon(counted, rounding)
        tasks = []
        for index, one in zip(both.tolist(), difference.tolist(), strict=True):
            task = self.scores.tasks[index]
            before, after = (float(task.values[row, 0]) for row in (control, treatment))
            tasks.append(TaskDifference(task.name, task.higher_is_better, before, after, one + 0.0))
        sign_p, label = mcnemar(wins, losses), self.scores.systems[treatment]
        counts = (wins, counted.size - wins - losses, losses, sign_p, rank_sum, wilcoxon_p)
        return PairedTests(label, tuple(tasks), *counts, *student, *reversed(posterior.tolist()))

    def differences(self, control: int, treatment: int) -> tuple[Floats, Floats, NDArray[np.intp]]:
        """Return differences on the tasks that score both, by how much each may be off, and which tasks these are."""
        with np.errstate(over="ignore"):  # of huge scores a difference may be infinite
            difference = self.values[treatment] - self.values[control]
        both = np.flatnonzero(~np.isnan(difference))
        return difference[both], np.maximum(self.rounding[treatment], self.rounding[control])[both], both

    def _of_families(self, rows: Floats, tasks: Any) -> Floats:
        """Return the mean of each row over the tasks of each family; the same if no two are of one, in their order."""
        families, of, sizes = np.unique(self.families[tasks], return_inverse=True, return_counts=True)
        return rows if families.size == of.size else np.stack([np.bincount(of, weights=row) / sizes for row in rows])

    def _student(self, difference: Floats, rounding: Floats) -> tuple[float, float, float, float]:
        """Return mean, ends of its interval and p-value by Student's paired test; NaN without a scale, or variance."""
        nothing = float("nan")
        if np.isnan(self.rope) or not np.abs(difference).max() * difference.size < _HUGE:
            return nothing, nothing, nothing, nothing
        n, mean, deviation = difference.size, float(difference.mean()), float(difference.std(ddof=1))
        if deviation <= rounding.max():
            return mean, nothing, nothing, nothing
        from scipy.special import stdtr, stdtrit  # noqa: PLC0415  # slow to import

        error = deviation / np.sqrt(n)
        reach = float(stdtrit(n - 1, (1 + self.confidence) / 2)) * error
        return mean, mean - reach, mean + reach, float(2 * stdtr(n - 1, -abs(mean) / error))

    def posteriors(self, control: int, treatments: Sequence[int], seed: int) -> Floats:
        """Shape `(P, 3)`: of each treatment the probabilities that it is worse, equal, better; NaN where unknown."""
        found = np.full((len(treatments), 3), np.nan)
        every = [self.differences(control, treatment) for treatment in treatments]
        pairs = [self._of_families(np.stack(numbers), both) for *numbers, both in every]
        sizes = np.array([difference.size for difference, _ in pairs])
        if np.isnan(self.rope):
            return found
        for size in np.unique(sizes[sizes >= _LEAST]).tolist():
            rows = np.flatnonzero(sizes == size)
            stacked = np.array([pairs[row][0] for row in rows])
            rounding = np.array([pairs[row][1].max() for row in rows])
            found[rows] = signed_rank_posterior(stacked, self.rope, rounding, seed=seed)
        return found

    def friedman(self) -> Friedman | None:
        """Test all systems on the tasks that score all of them; None where systems or tasks are too few."""
        whole = ~np.isnan(self.values).any(axis=0)
        if len(self.scores.systems) < 3 or np.unique(self.families[whole]).size < _LEAST:
            return None
        tolerance = np.maximum(self.rounding, self.scores.effective_tie_tolerance)[:, whole]
        ranks = midranks(places(self.values[:, whole], tolerance=tolerance))
        mean = self._of_families(ranks, whole)
        if mean.size < ranks.size:
            ranks = midranks(places(-mean, tolerance=ROUNDINGS * np.finfo(np.float64).eps * len(mean)))
        return friedman(ranks, self.scores.systems, confidence=self.confidence)


def common_scale(given: Floats, higher_is_better: NDArray[np.bool_]) -> float:
    """Return 1 if scores of all tasks are shares, 100 if they are percent, and NaN where it cannot be known.

    Shares reach from −1 to 1 and percent from −100 to 100, as correlations may be negative; but no task has negative
    scores only. Tasks of opposite directions have hardly one scale.

    Parameters
    ----------
    given
        Shape `(N, T)`: scores as given, NaN where missing.
    higher_is_better
        Shape `(T,)`.

    Examples
    --------
    >>> both = np.array([True, True])
    >>> common_scale(np.array([[0.9, -0.1], [0.8, 0.2]]), both), common_scale(np.array([[90.1, 3.0], [81, 0]]), both)
    (1.0, 100.0)
    >>> common_scale(np.array([[0.9, 31.0], [0.8, 28.0]]), both)
    nan
    """
    largest = np.fmax.reduce(np.abs(given), axis=0)
    highest = np.fmax.reduce(given, axis=0)
    if len(set(higher_is_better.tolist())) > 1 or (highest < 0).any():
        return float("nan")
    varied = largest[largest > 0]  # what is 0 everywhere, or missing, says nothing
    if varied.size and (varied <= 1).all():
        return 1.0
    return 100.0 if varied.size and ((varied > 1) & (varied <= 100)).all() else float("nan")


def compare_treatments(
    scores: Scores, control: str, treatments: Sequence[str], *, rope: float | None, confidence: float, seed: int
) -> TaskComparison:
    """Test treatments against a control over tasks; more than one also with Friedman's test of all systems.

    Raises
    ------
    MethodError
        No treatment has two tasks in common with the control.
    """
    table = TaskScores(scores, rope, confidence)
    row = {label: index for index, label in enumerate(table.scores.systems)}
    both = {label: table.differences(row[control], row[label])[2] for label in treatments}
    common = {label: np.unique(table.families[tasks]).size for label, tasks in both.items()}
    kept = [label for label in treatments if common[label] >= 2]
    if not kept:
        most = max(common.values(), default=0)
        one = any(tasks.size > most for tasks in both.values())
        what = "only tasks of one family (if they are none: --family none)" if one else how_many(most, "task")
        raise MethodError(
            f"{few([repr(label) for label in treatments], 3)} cannot be compared with {control!r}: {what} in common, "
            "and tests over tasks need two"
        )
    rows = [row[label] for label in kept]
    posteriors = table.posteriors(row[control], rows, seed)
    found = [table.tests(row[control], *pair) for pair in zip(rows, posteriors, strict=True)]
    found.sort(key=lambda one: (-one.share, one.treatment))
    p, of_all = [one.wilcoxon_p for one in found], table.friedman() if len(treatments) > 1 else None
    notes = [_CAVEAT, *scores.notes]
    if left := [label for label in treatments if common[label] < 2]:
        notes.append(with_names("left out (fewer than two tasks in common): ", left, room=LONG))
    if weightless := [task.name for task in scores.tasks if not task.weight]:
        notes.append(with_names("left out (weight 0): ", weightless, room=LONG))
    notes += _notes(table, found, of_all, several=len(treatments) > 1, chosen=rope is not None)
    return TaskComparison(
        control=control,
        treatments=tuple(found),
        holm=holm(p),
        benjamini_hochberg=benjamini_hochberg(p),
        friedman=of_all,
        rope=table.rope,
        confidence=confidence,
        seed=seed,
        notes=tuple(notes),
        backend=scores.backend,
    )


def _notes(
    table: TaskScores, found: Sequence[PairedTests], of_all: Friedman | None, *, several: bool, chosen: bool
) -> list[str]:
    """Say what to know before trusting the tests."""
    kept, notes = table.scores.tasks, []
    if len(found) > 1:
        missing = f"not compared on all {how_many(len(kept), 'task')}, as scores are missing: "
        names = [f"{one.treatment} ({len(one)})" for one in found if len(one) < len(kept)]
    else:
        missing, there = "left out (no score of one of the two, or of both): ", {one.task for one in found[0].tasks}
        names = [task.name for task in kept if task.name not in there]
    notes += [with_names(missing, names, room=LONG)] if names else []
    of_families = family_notes(kept)
    numbers, unit = [one.families for one in found], "family" if of_families else "task"
    notes += [*of_families, *relation_notes(kept)]
    least = len(found) * 2.0 ** (1 - max(numbers))  # of those with fewer tasks, Holm's p may follow from the others'
    if least > 1 - table.confidence:
        kind = "Holm p" if len(found) > 1 else "p of the rank tests"
        notes.append(Doubt(f"with {_counted(max(numbers), unit)} no {kind} can be below {p_value(min(least, 1.0))}"))
    if min(numbers) < _LEAST:
        notes.append(f"fewer than {_LEAST} tasks: no Bayesian test, which is too sure on so few")
    if np.isnan(table.rope):
        notes += _NO_SCALE
    elif not chosen:
        whole = f"{percent(_EQUIVALENT)} of a scale from 0 to {table.rope / _EQUIVALENT:g}"
        notes.append(f"practically equal: within ±{table.rope:g}, {whole}; or give a rope (--rope)")
    if several and of_all is None:
        notes.append(f"no Friedman test: it needs {_LEAST} tasks with scores of all systems")
    elif of_all is not None and of_all.n_tasks < np.unique(table.families).size:
        notes.append(f"Friedman's test uses the {_counted(of_all.n_tasks, unit)} with scores of all systems")
    if lower := [task.name for task in kept if not task.higher_is_better]:
        sign = "; differences there change sign, so that positive is better"
        notes.append(with_names("lower is better on ", lower, sign, room=LONG))
    if len({task.weight for task in kept}) > 1:
        notes.append(f"task weights are not used; each {unit} counts once")
    return notes


def _counted(number: int, unit: str) -> str:
    return how_many(number, unit) if unit == "task" else f"{number} {'family' if number == 1 else 'families'} of tasks"
