"""What would change the winner: the usual stresses, and leaving out every task and instance; with a verdict."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from podium.base.check import Rng, checked_whole, seed_of, texts
from podium.base.errors import LabelError, MethodError, PodiumError, PodiumWarning
from podium.base.parallel import Progress, generator
from podium.base.words import LONG, few, listed, rounded_percent
from podium.ranking.method_spec import MethodSpec, method_of
from podium.report.result import Result
from podium.robustness.influence import influence
from podium.robustness.influence_result import Influence, LeaveOneOut
from podium.robustness.study import LARGE, REPEATS, study, usual_methods
from podium.robustness.study_result import ROUNDING, Study, SweepResult, rows_of, steadiness
from podium.robustness.sweep import USUAL, Sweep, phrase, stressed, usual
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

if TYPE_CHECKING:
    from podium.report.view import View

#: Repeats of a large table by default.
_REPEATS_OF_LARGE = 10

#: Share of lost first places from which on a strength is mentioned.
_NOTABLE = 0.1

#: Letters of a name above which sentences say "the leader".
_LONG_NAME = 24


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

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.robustness.view import view_robustness  # noqa: PLC0415  # only where it is shown

        return view_robustness(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "verdict": list(self.verdict),
            "study": self.study.to_dict(),
            "influence": None if self.influence is None else self.influence.to_dict(),
            "steadiness": rows_of(self.study),
        }


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


def verdict(study: Study, influence: Influence | None) -> tuple[str, ...]:
    """Return sentences about how robust the first place is.

    Parameters
    ----------
    study
        Methods under the usual stresses; the verdict is about the first method, and says so where there are several.
    influence
        What the first place by that method depends on, or None.

    Returns
    -------
    Sentences: who is first, which tasks and instances this depends on, what each stress does, and which method keeps
    its order best. All shares and intervals of trials hold together with 95 % confidence.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for method, leaders in zip(study.methods, study.leaders, strict=True):
        groups.setdefault(leaders, []).append(method)
    first = [
        f"{few(leaders)} {'is first' if len(leaders) == 1 else 'share the first place'} by {listed(methods)}"
        for leaders, methods in groups.items()
    ]
    about = [] if influence is None else _left_out(influence)
    about += [sentence for one in study.swept if (one.strengths > 0).any() for sentence in _stressed(study, one)]
    if about and len(study.methods) > 1:
        about.insert(0, f"the next sentences are about the first place by {study.methods[0]}")
    return ("; ".join(first), *about, *_steadiest(study))


def _left_out(influence: Influence) -> list[str]:
    """Say whether the first place survives the loss of every single task and instance, and of few."""
    if len(influence.leaders) > 1:
        return [] if influence.tasks is None else [_sharing(influence.tasks, influence.leaders)]
    said = []
    for kind, without in influence.by_kind.items():
        said += _without(without, kind)
        for one in influence.decisive:
            if one.kind == f"{kind}s" and len(one.units) > 1:
                which, least = f"tasks ({few(one.units)})", "; no smaller set does"
                if kind == "instance":
                    share = rounded_percent(len(one.units) / one.of)
                    which, least = f"instances ({share}), the ones that help the leader most,", ""
                elif not one.smallest:
                    least = "; no smaller set was found"
                said.append(f"leaving out {len(one.units):,} of {one.of:,} {which} puts {few(one.first)} first{least}")
    return said


def _sharing(tasks: LeaveOneOut, leaders: Sequence[str]) -> str:
    """Say whether those that share the first place are the same without every single task."""
    outcomes = list(zip(tasks.units, tasks.first, strict=True))
    unranked = [unit for unit, first in outcomes if not first]
    others = [unit for unit, first in outcomes if first and set(first) != set(leaders)]
    without = f"without {few(unranked)} the systems cannot be ranked; " if unranked else ""
    if others:
        return f"{without}the first place changes when one of these tasks is left out: {few(others)}"
    other = "other " if unranked else ""
    return f"{without}the same systems share the first place when any one {other}task is left out"


def _without(without: LeaveOneOut, kind: str) -> list[str]:
    """Say whether the first place survives every single unit, in a sentence for each outcome."""
    several = without.tasks is not None and len(set(without.tasks)) > 1  # whose labels may be alike
    tasks = [f" of {task}" if several else "" for task in without.tasks or [""] * len(without.units)]
    every = list(zip(without.outcome, map("".join, zip(without.units, tasks, strict=True)), without.first, strict=True))

    def named(outcome: str, total: int) -> str:
        names = [name for its, name, _ in every if its == outcome]
        return few(names, total=total) if names else f"{total:,} of them"

    said = []
    if without.unranked:
        said.append(f"without {named('unranked', without.unranked)} the systems cannot be ranked")
    if without.lost:
        heirs = list(dict.fromkeys(name for its, _, first in every if its == "lost" for name in first))
        kinds, one = (kind, "it") if without.lost == 1 else (f"{kind}s", "any one of them")
        which = f"{kinds} {named('lost', without.lost)}" if heirs else f"{without.lost:,} {kinds}"
        then = f": without {one} {few(heirs, 3)} {'is' if len(heirs) == 1 else 'may be'} first" if heirs else ""
        return [*said, f"the first place depends on {which}{then}"]
    if without.unranked < without.of:
        which = f"any one of the other {kind}s" if without.unranked else f"any one {kind}"
        said.append(f"the leader stays first when {which} is left out")
    if without.shared:
        said.append(f"the leader shares the first place without {named('shared', without.shared)}")
    return said


def _stressed(study: Study, one: SweepResult) -> list[str]:
    """Say how often the leader stays first at the first strength that endangers it, and where it mostly does not."""
    who, stays = ("the leaders", "stay") if len(study.leaders[0]) > 1 else (study.leaders[0][0], "stays")
    who = who if len(who) <= _LONG_NAME else "the leader"
    real, mean = np.flatnonzero(one.strengths > 0), one.mean("kept")[0]
    low, high = (end[0] for end in study.interval(one, together=True))
    parts = (one.kept[0, real] > ROUNDING) & (one.kept[0, real] < 1 - ROUNDING)
    often = parts.sum() > _NOTABLE * one.tries[real].sum()
    counted = "; a shared first place counts in parts" if often else ""
    spoken = [real[mean[real] <= line][:1] for line in (1 - _NOTABLE + ROUNDING, 0.5 - 2 * ROUNDING)]
    if not spoken[0].size:
        least, what = float(low[real].min()), "all cases" if one.certain[real].all() else "the trials"
        share = "all cases" if least > 1 - ROUNDING else f"at least {floor(100 * least + ROUNDING)}% of {what}"
        if least < 0.5:  # the repeats are few
            share = f"about {rounded_percent(float(mean[real].min()))} of the trials ({floor(100 * least)} to 100%)"
        return [f"{who} {stays} first in {share}, even if {phrase(one.name, one.strengths[-1])}{counted}"]
    clauses = []
    for s in dict.fromkeys(np.concatenate(spoken).tolist()):
        about = "half" if abs(mean[s] - 0.5) < 0.025 else rounded_percent(mean[s])
        share = f"about {about} of the trials ({floor(100 * low[s])} to {ceil(100 * high[s])}%)"
        if mean[s] < 0.01 and high[s] < 0.5:
            share = f"at most {ceil(100 * high[s])}% of the trials"
        if one.certain[s]:
            share = f"{rounded_percent(mean[s])} of all cases"
        clauses.append((phrase(one.name, one.strengths[s]) + _unranked(study, one, s), share))
    sentences = [f"if {condition}, {who} {stays} first in {share}{counted}" for condition, share in clauses]
    together = "; ".join([sentences[0].removesuffix(counted), *(f"if {c}, in {share}" for c, share in clauses[1:])])
    return [together + counted] if len(together + counted) <= LONG else sentences


def _unranked(study: Study, one: SweepResult, s: int) -> str:
    """Say how often no system can be ranked, where that is often."""
    low, high = (float(end[0, s]) for end in study.interval(one, "unranked", together=True))
    if low < _NOTABLE - ROUNDING:
        return ""
    often = rounded_percent(low) if one.certain[s] else f"{floor(100 * low)} to {ceil(100 * high)}%"
    return f" (no system can be ranked in {often})"


def _steadiest(study: Study) -> list[str]:
    """Compare the methods by their mean τ over all real stresses, as far as chance allows."""
    found = steadiness(study)
    if len(study.methods) < 2 or found is None or found.tau.max() < ROUNDING:  # all tie, so there is no order to keep
        return []
    if float(np.ptp(found.tau)) < ROUNDING:
        return ["all methods keep their order equally well under these stresses"]
    tiers = [listed([study.methods[m] for m in tier]) for tier in found.tiers]
    if len(tiers) == 1:
        return ["no method is known to keep its order better than another under these stresses, by mean tau"]
    keeps = "keep their order" if len(found.tiers[0]) > 1 else "keeps its order"
    return [f"{tiers[0]} {keeps} best under these stresses, by mean tau; then {', then '.join(tiers[1:])}"]
