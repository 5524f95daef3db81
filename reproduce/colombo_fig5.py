"""Colombo et al. 2022, Figures 5, 8 and 9: rankings by a part of the tasks beside rankings by all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from colombo import Floats, beside, drawn
from outcome import Absent, Claim, Finding, Section, judged, stated
from released import released

import podium
from podium.robustness.study_result import Study
from podium.score.table import Scores
from podium.stresses import DropTasks, Sweep

REPEATS = 100
#: Parts of the tasks that are left out; the claim is about those from a quarter to three quarters.
SHARES = (0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9)
#: Of these parts the numbers are shown.
SHOWN = (0.25, 0.5, 0.75)
TASK_LEVEL = {"GLUE": "glue", "SGLUE": "superglue", "XTREM": "xtreme"}
INSTANCE_LEVEL = {"PC": "DIALOG_pc", "TC": "DIALOG_tc", "FLICKR": "FLICKR", "SEVAL": "SUM_EVAL"}
ABSENT = "RSUM, MLQE, TAC08, TAC09, TAC11"
PICTURES = {
    "reproduce-colombo-fig5-tasks.svg": "τ by the number of tasks left out, where there are scores of tasks",
    "reproduce-colombo-fig5-instances.svg": "τ by the number of tasks left out, where there are scores of instances",
}

TEXT = f"""
Kendall's τ-b between the rankings by some of the tasks, drawn {REPEATS} times, and by all, by the same method. Each
method is compared with the mean where between a quarter and three quarters of the tasks are left out.

The paper's instance-level figures rest on tables whose systems and instances are exchanged, and there the claim holds
for every set, of instances. Of systems it holds for SummEval and, at two levels, for PersonaChat; for TopicalChat and
FLICKR it does not. A method that agrees with itself is stable; whether it is right is another question.
"""


@dataclass(frozen=True, slots=True)
class Curves:
    """How τ with the ranking by all tasks falls as they are left out.

    Attributes
    ----------
    tasks
        How many there are.
    study
        Of leaving them out; its first method is the mean.
    """

    tasks: int
    study: Study

    @property
    def left_out(self) -> list[int]:
        """Numbers of tasks left out."""
        return [int(number) for number in self.study.swept[0].strengths]

    @property
    def tau(self) -> Floats:
        """Mean over repeats, methods × numbers."""
        means: Floats = self.study.swept[0].tau.mean(axis=2)
        return means

    @property
    def spread(self) -> Floats:
        """Standard deviation over repeats, as `tau`."""
        spreads: Floats = self.study.swept[0].tau.std(axis=2, ddof=1)
        return spreads

    @property
    def middle(self) -> list[int]:
        """Places of the numbers from a quarter to three quarters of the tasks."""
        return [i for i, number in enumerate(self.left_out) if 0.25 <= number / self.tasks <= 0.75]

    def higher(self, method: int) -> list[bool]:
        """Where a method has a higher τ than the mean, in the middle."""
        return [bool(self.tau[method, i] > self.tau[0, i]) for i in self.middle]

    def steadier(self, method: int) -> list[bool]:
        """Where it varies less than the mean, in the middle."""
        return [bool(self.spread[method, i] < self.spread[0, i]) for i in self.middle]

    def by(self, method: int) -> str:
        """By how much its τ is higher than that of the mean, in the middle."""
        return f"by {(self.tau[method] - self.tau[0])[self.middle].mean():+.3f} on average"


def section() -> Section:
    """Leave tasks out, rank, and compare with all tasks; instance-level sets also with their axes exchanged."""
    of_tasks = {name: curves(released(f"{file}.csv"), ("mean", "borda")) for name, file in TASK_LEVEL.items()}
    tables = {name: released(f"{file}.parquet") for name, file in INSTANCE_LEVEL.items()}
    methods = ("mean", "borda:one", "borda:two")
    true = {name: curves(scores, methods) for name, scores in tables.items()}
    swapped = {name: curves(exchanged(scores), methods) for name, scores in tables.items()}
    for file, sets in zip(PICTURES, (of_tasks, true), strict=True):
        drawn(beside((name, found.study) for name, found in sets.items()), "tau", file)
    findings = [_task_level(name, found) for name, found in of_tasks.items()]
    findings += [_instance_level(name, true[name], swapped[name], method) for name in true for method in (1, 2)]
    findings.append(
        judged(
            ABSENT, Claim("the same", all), Absent([*ABSENT.split(", "), "REALSUMM"], "the scores were not released")
        )
    )
    return Section(
        "Colombo et al., Figures 5, 8 and 9: tasks added and removed",
        stated(TEXT, _held(true, swapped)),
        findings,
        table=[
            ("", "tasks left out", "τ of the mean", "of Borda, or its one level", "of its two levels"),
            *_rows(of_tasks | true),
        ],
        pictures=list(PICTURES.items()),
    )


def _held(true: Mapping[str, Curves], swapped: Mapping[str, Curves]) -> Mapping[str, bool]:
    """What the text says in words."""
    by_set = {name: [_claimed(found, method) for method in (1, 2)] for name, found in true.items()}
    return {
        "holds for every set, of instances": all(_claimed(found, m) for found in swapped.values() for m in (1, 2)),
        "Of systems it holds for SummEval": all(by_set["SEVAL"]),
        "at two levels, for PersonaChat": by_set["PC"] == [False, True],
        "for TopicalChat and FLICKR it does not": not any(by_set["TC"] + by_set["FLICKR"]),
    }


def _claimed(found: Curves, method: int) -> bool:
    """Whether a method holds better than the mean, and varies less."""
    return all(found.higher(method)) and all(found.steadier(method))


def curves(scores: Scores, methods: Sequence[str]) -> Curves:
    """Study a table with ever fewer of its tasks."""
    number = len(scores.tasks)
    left_out = tuple(sorted({min(round(share * number), number - 1) for share in SHARES}))
    sweep = Sweep("tasks", lambda tasks: DropTasks(int(tasks)), left_out, f"tasks left out of {number}")
    return Curves(number, podium.study(scores, [sweep], methods, repeats=REPEATS))


def exchanged(scores: Scores) -> Scores:
    """Instances in the place of systems, as the released tables label them."""
    tasks = {task.name: task.values.T for task in scores.tasks}
    return podium.from_arrays(tasks, systems=[f"instance {k}" for k in range(scores.tasks[0].n_instances)])


def _task_level(name: str, found: Curves) -> Finding:
    held = found.higher(1)
    return judged(
        f"{name}: τ of Borda is higher than that of the mean",
        Claim("consistently", all),
        held,
        shown=f"at {sum(held)} of {len(held)} parts, {found.by(1)}",
    )


def _instance_level(name: str, true: Curves, swapped: Curves, method: int) -> Finding:
    higher, steadier = true.higher(method), true.steadier(method)
    return judged(
        f"{name}: τ of {('one', 'two')[method - 1]}-level Borda is higher than that of the mean, and varies less",
        Claim("for all sets", lambda found: _claimed(found, method)),
        true,
        {"systems and instances exchanged": swapped},
        shown=f"higher at {sum(higher)} of {len(higher)} parts, {true.by(method)}; varies less at {sum(steadier)}",
    )


def _rows(sets: Mapping[str, Curves]) -> Iterator[tuple[str, ...]]:
    for name, found in sets.items():
        for number in sorted({round(share * found.tasks) for share in SHOWN}):
            i = found.left_out.index(number)
            pairs = zip(found.tau[:, i], found.spread[:, i], strict=True)
            cells = [f"{tau:.2f} ± {spread:.2f}" for tau, spread in pairs]
            yield name, f"{number} of {found.tasks}", *cells, *[""] * (3 - len(cells))
