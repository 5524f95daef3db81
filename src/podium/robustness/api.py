"""What would change the winner: the usual stresses, and leaving out every task and instance."""

import warnings
from collections.abc import Sequence

from podium.base.check import checked_whole, texts
from podium.base.errors import LabelError, MethodError, PodiumError, PodiumWarning
from podium.base.parallel import Progress, generator
from podium.base.words import how_many, with_names
from podium.ranking.method_spec import MethodSpec, method_of
from podium.robustness.influence.api import influence
from podium.robustness.influence.result import Influence
from podium.robustness.result import Robustness
from podium.robustness.stress.stress import Sweep
from podium.robustness.stress.usual import NEEDS, OF_BATTLES, OFF_RANGE, usual
from podium.robustness.study.api import LARGE, study, usual_methods
from podium.robustness.study.change import applied
from podium.robustness.study.lost import Lost
from podium.robustness.study.result import Study
from podium.robustness.verdict import verdict
from podium.score.table import Scores
from podium.source.read import ScoresLike, as_scores

#: Repeats by default, and of a large table.
_REPEATS, _REPEATS_OF_LARGE = 100, 10

#: Repeats at most by default, and cells that all these tables may have together.
_MOST_REPEATS, _MOST_CELLS = 25_600, 40_000_000


def stress(
    scores: "ScoresLike",
    methods: str | Sequence[str | MethodSpec] | None = None,
    *,
    only: str | Sequence[str] | None = None,
    repeats: int | None = None,
    most_repeats: int | None = None,
    seed: int = 0,
    leave_out: bool = True,
    keep: int = 20,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Robustness:
    """Return how robust the first place is.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, a frame, a dictionary or arrays, see `podium.ScoresLike`.
    methods
        Ways to rank, as "borda:one", or with options, as `podium.MethodSpec`. The verdict is about the winner by the
        first. By default Borda at "balanced" and "two", and the mean; on task-level tables of at most 20 systems
        Kemeny, too.
    only
        Names of the stresses wanted, of those that `podium.stresses.usual` has for the table; by default all that can
        be applied.
    repeats
        How often chance is tried at least for every strength: by default 100 times, and 10 times in a table of more
        than five million cells, scored or missing, which takes long to rank.
    most_repeats
        How often it is tried at most. While a sentence of the verdict is open, the repeats of the strengths it is about
        are doubled, up to so many, and twice as many beyond `repeats` for all strengths: by default `repeats` where
        that is given, otherwise 25,600, or fewer in a table of more than 1,562 cells, so that all tables of a strength
        have at most 40 million cells. Where a stress has at most so many and at most 4,096 possible cases, each is
        tried once, and nothing is left to chance.
    seed
        Where chance comes from.
    leave_out
        Whether to look for the tasks and instances that decide, too, by leaving them out; see `podium.influence`.
    keep
        How many instances to name at most.
    jobs
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
    >>> podium.stress(podium.datasets.toy_table1(), ["borda"], only=["tasks"], repeats=20, jobs=1)
    Robustness(what would change the first place: 1 method under 1 kind of stress, all cases)
      C is first by borda
      the leader stays first when any one task is left out
      the leader shares the first place without Task1, Task2, Task5, Task6
      leaving out 2 of 6 tasks (Task1, Task2) puts A first; no smaller set does
      the leader keeps on average 58% of the first place when 1 task is left out, and less than half of the first place
      when 3 tasks are left out
    """
    scores = as_scores(scores)
    specs = MethodSpec.several(usual_methods(scores) if methods is None else methods)
    repeats, most_repeats = _numbers(scores, repeats, most_repeats)
    sweeps, unfit = _fitting(scores, specs, progress) if only is None else (_chosen(usual(scores), only), [])
    keep = checked_whole("keep", keep, 0)
    if leave_out and specs:
        method_of(specs[0]).check_parts()
    studied = study(
        scores,
        sweeps,
        specs,
        repeats=repeats,
        most_repeats=most_repeats,
        seed=seed,
        jobs=jobs,
        progress=progress,
    )
    found = _influence(scores, specs[0], keep, jobs, progress) if leave_out else None
    notes = (*(() if found is None else found.notes), *unfit, *studied.notes, *_unsettled(studied))
    return Robustness(studied, found, verdict(studied, found), tuple(dict.fromkeys(notes)))


def _fitting(scores: Scores, specs: Sequence[MethodSpec], progress: Progress | None) -> tuple[list[Sweep], list[str]]:
    """Return all usual stresses that can be applied, and notes about those that cannot."""
    sweeps, unfit = [], []
    fitted = [str(spec) for spec in specs if method_of(spec).averaged]
    for sweep in usual(scores):
        if fitted and sweep.name in OFF_RANGE:
            unfit.append(f"stress {sweep.name!r} is left out: its scores leave 0 to 1, which {fitted[0]} needs")
            continue
        if progress is not None and scores.n_cells > LARGE:  # it takes long until the first trial is done
            progress(0, None)
        try:
            applied(scores, sweep, sweep.strengths[-1], generator(0))
        except PodiumError as why:
            unfit.append(f"stress {sweep.name!r} is left out: {why}")
        else:
            sweeps.append(sweep)
    return sweeps, unfit


def _numbers(scores: Scores, repeats: int | None, most: int | None) -> tuple[int, int]:
    """Return how often chance is tried at least and at most, where that is not given."""
    if repeats is not None:
        return repeats, repeats if most is None else most
    usual = _REPEATS if scores.n_cells <= LARGE else _REPEATS_OF_LARGE
    if most is not None:
        return min(usual, checked_whole("most_repeats", most)), most
    more = min(_MOST_REPEATS, _MOST_CELLS // max(scores.n_cells, 1))
    return usual, usual if scores.n_cells > LARGE else max(usual, more)


def _unsettled(studied: Study) -> list[str]:
    """Name the stresses about which the verdict is open."""
    names = [one.name for k, one in enumerate(studied.swept) if Lost.of(studied, k).unsettled]
    often = f"after {how_many(studied.most_repeats, 'repeat')} it is open how often the first place is kept: "
    return [with_names(often, names, "; more settle it")] * bool(names)


def _influence(scores: Scores, spec: MethodSpec, keep: int, jobs: int | None, progress: Progress | None) -> Influence:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)  # its notes say the same
        return influence(scores, spec, keep=keep, threads=jobs, progress=progress)


def _chosen(sweeps: Sequence[Sweep], only: str | Sequence[str]) -> list[Sweep]:
    names, wanted = [sweep.name for sweep in sweeps], texts("stress", only)
    for name in wanted:
        if name not in NEEDS:
            raise LabelError.unknown("stress", name, names)
        if name not in names:
            needs = "more than two scores of an instance" if set(names) <= set(OF_BATTLES) else NEEDS[name]
            raise LabelError(f"stress {name!r} does not fit this table, because it needs {needs}; leave it out")
    if not wanted:
        raise MethodError(f"no stress is chosen; choose some of {', '.join(names)}")
    return [sweep for sweep in sweeps if sweep.name in wanted]
