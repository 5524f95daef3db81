"""What would change the winner: the usual stresses, and leaving out every task and instance; with a verdict."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Unpack

from podium.base.check import Rng, checked_whole, seed_of, texts
from podium.base.errors import LabelError, MethodError, PodiumError, PodiumWarning
from podium.base.parallel import Progress, generator
from podium.ranking.method_spec import MethodSpec, method_of
from podium.report.result import Result
from podium.report.view import Figure, View
from podium.robustness.influence import influence
from podium.robustness.influence_result import INFLUENCE, Influence
from podium.robustness.study import LARGE, REPEATS, study, usual_methods
from podium.robustness.study_result import LOST, Study
from podium.robustness.sweep import USUAL, Sweep, stressed, usual
from podium.robustness.verdict import rows_of, verdict
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Repeats of a large table by default.
_REPEATS_OF_LARGE = 10


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Robustness(Result):
    """Robustness of the first place of a table.

    Attributes
    ----------
    study
        Methods under the usual stresses; the first method is the one whose winner the verdict is about.
    influence
        What the first place by that method depends on; None where it was not asked for.
    verdict
        The answer in plain words, a sentence each, most important first.
    notes
        What to know before trusting it.

    Examples
    --------
    >>> import podium
    >>> robust = podium.stress(podium.datasets.toy_table1(), ["mean"], only=["scale"], repeats=10, n_jobs=1)
    >>> robust.verdict[0]
    'A is first by mean'
    """

    schema: ClassVar[str] = "robustness"
    _part_schemas: ClassVar[tuple[str, ...]] = (Study.schema, Influence.schema)

    study: Study
    influence: Influence | None
    verdict: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Return in words what was stressed."""
        return f"what would change the first place: {self.study.title}"

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the study, see `Study.rows`."""
        return self.study.rows()

    @property
    def backend(self) -> str:  # type: ignore[override]  # that of the study
        """Library of the frames that `to_frame` returns by default."""
        return self.study.backend

    def _about(self) -> dict[str, Any]:
        """Return everything but the rows of the study."""
        return {**self.to_dict(), "study": self.study._about()}  # noqa: SLF001  # a result as well

    def _parts(self) -> tuple[Result, ...]:
        """Return the study, and the influence where there is one."""
        return (self.study, *([] if self.influence is None else [self.influence]))

    @property
    def _beyond_rows(self) -> str:  # type: ignore[override]  # it depends
        return (
            "these rows are the stresses only; -f json and -f table also have what is left out"
            if self.influence
            else ""
        )

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        parts = [part.view() for part in self._parts()]
        tables = (replace(table, detail=table.head[0] != LOST) for part in parts for table in part.tables)
        figures = [one for part in parts for one in part.figures]
        if self.influence is None:
            figures.append(Figure(*INFLUENCE, _nothing_left_out))
        return View(
            self.title,
            tuple(tables),
            tuple(dict.fromkeys((*self.notes, *(note for part in parts for note in part.notes)))),
            self.verdict,
            tuple(figures),
            tuple(sentence for part in parts for sentence in part.explain),
        )

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "verdict": list(self.verdict),
            "study": self.study.to_dict(),
            "influence": None if self.influence is None else self.influence.to_dict(),
            "steadiness": rows_of(self.study),
        }


def _nothing_left_out(**_: Any) -> NoReturn:
    raise MethodError("no task and no instance was left out; pass leave_out=True to podium.stress to have that")


@keywords
def stress(
    scores: "ScoresLike",
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    only: str | Sequence[str] | None = None,
    repeats: int | None = None,
    rng: Rng = 0,
    leave_out: bool = True,
    keep: int = 20,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Robustness:
    """Return how robust the first place is.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    methods
        Ways to rank, as "borda:one", or with options, as `podium.MethodSpec`. The verdict is about the winner by the
        first. By default Borda and the mean; on tables with instances Borda at "balanced" and "two".
    only
        Names of the stresses wanted, of those that `podium.stresses.usual` has for the table; by default all that can
        be applied.
    repeats
        How often chance is tried for every strength: by default 200 times, and 10 times in a table of more than five
        million cells, scored or missing, which takes long to rank. Where a stress has at most so many possible cases,
        each is tried once, and nothing is left to chance.
    rng
        Where chance comes from.
    leave_out
        Whether to look for the tasks and instances that decide, too, by leaving them out; see `podium.influence`.
    keep
        How many instances to name at most.
    n_jobs
        Processes, or where the table is large threads; by default as many as there are cores. The result does not
        depend on it.
    progress
        Called with how much is done and how much there is: first of the repeats of all stresses, then of leaving out,
        see `podium.influence`.

    Returns
    -------
    Robustness
        A verdict in words, and the numbers behind it.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    LabelError
        There is no such stress, or it does not fit this table.
    MethodError
        An unknown method, or one that cannot rank these scores, or again with parts left out; fewer than one repeat;
        fewer than two systems.
    NoMaximumError
        By "bradley-terry": some systems never lose to the others, or never meet them.

    Examples
    --------
    >>> import podium
    >>> podium.stress(podium.datasets.toy_table1(), ["borda"], only=["tasks"], repeats=20, n_jobs=1)
    Robustness(what would change the first place: 1 method under 1 kind of stress, all cases)
    • C is first by borda
    • the leader stays first when any one task is left out
    • the leader shares the first place without Task1, Task2, Task5, Task6
    • leaving out 2 of 6 tasks (Task1, Task2) puts A first; no smaller set does
    • if 1 task is left out, C stays first in 58% of all cases; if 3 tasks are left out, in 48% of all cases; a shared
      first place counts in parts
    stress  strength        borda  kept
    tasks          1  0.44 ± 0.44   58%
    tasks          3  0.29 ± 0.63   48%
    tasks          5  0.22 ± 0.81   50%
    """
    seed = seed_of(rng)
    scores = as_scores(scores, **reading)
    specs = MethodSpec.several(usual_methods(scores) if methods is None else methods)
    if repeats is None:
        repeats = REPEATS if scores.n_cells <= LARGE else _REPEATS_OF_LARGE
    sweeps, unfit = _fitting(scores, specs, progress) if only is None else (_chosen(usual(scores), only), [])
    keep = checked_whole("keep", keep, 0)
    if leave_out and specs:
        method_of(specs[0]).check_parts()
    studied = study(scores, sweeps, specs, repeats=repeats, exhaustive=True, rng=seed, n_jobs=n_jobs, progress=progress)
    found = None
    if leave_out:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # its notes say the same
            found = influence(scores, specs[0], keep=keep, n_jobs=n_jobs, progress=progress)
    notes = (*(() if found is None else found.notes), *unfit, *studied.notes)
    return Robustness(studied, found, verdict(studied, found), tuple(dict.fromkeys(notes)))


def _fitting(scores: Scores, specs: Sequence[MethodSpec], progress: Progress | None) -> tuple[list[Sweep], list[str]]:
    """Return all usual stresses that can be applied, and notes about those that cannot."""
    sweeps, unfit = [], []
    fitted = [str(spec) for spec in specs if method_of(spec).fitted]
    for sweep in usual(scores):
        if fitted and USUAL[sweep.name].off_range:
            unfit.append(f"stress {sweep.name!r} is left out: its scores leave 0 to 1, which {fitted[0]} needs")
            continue
        if progress is not None and scores.n_cells > LARGE:  # it takes long until the first trial is done
            progress(0, None)
        try:
            stressed(scores, sweep, sweep.strengths[-1], generator(0))
        except PodiumError as why:
            unfit.append(f"stress {sweep.name!r} is left out: {why.__cause__ or why}")
        else:
            sweeps.append(sweep)
    return sweeps, unfit


def _chosen(sweeps: Sequence[Sweep], only: str | Sequence[str]) -> list[Sweep]:
    names, wanted = [sweep.name for sweep in sweeps], texts("stress", only)
    for name in wanted:
        if name not in USUAL:
            raise LabelError.unknown("stress", name, names)
        if name not in names:
            battles = all(USUAL[one].of_battles for one in names)
            needs = "more than two scores of an instance" if battles else USUAL[name].needs
            raise LabelError(f"stress {name!r} does not fit this table, because it needs {needs}; leave it out")
    if not wanted:
        raise MethodError(f"no stress is chosen; choose some of {', '.join(names)}")
    return [sweep for sweep in sweeps if sweep.name in wanted]
