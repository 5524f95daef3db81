"""Play the trials of a study, in batches over processes, and put them together by stress."""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, groupby
from math import ceil
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from podium.base.parallel import cores, in_order, with_one_blas_thread
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.result import SweepResult
from podium.robustness.study.trial import Setup, Trial, Turn

#: Seconds of work that a process gets at once.
_BATCH = 0.5


class Workload(NamedTuple):
    """What to do, how long all methods take on the unstressed table, and whether all cores count it together."""

    setup: Setup
    seconds: float
    large: bool


def played(work: Workload, turns: Sequence[Turn], jobs: int | None) -> Generator[Trial]:
    """Yield the trial of every turn, in order, as fast as all cores together can."""
    if work.large:  # one after the other, each as soon as it is done
        trials = work.setup.trials(turns, threads=jobs)
        for _ in turns:
            yield with_one_blas_thread(next, trials)
        return
    with closing(in_order(partial(_batch, work.setup), _batches(work, turns, jobs), jobs)) as batches:
        for batch in batches:
            yield from batch


def _batch(setup: Setup, turns: Sequence[Turn]) -> list[Trial]:
    return list(setup.trials(turns))


def _batches(work: Workload, turns: Sequence[Turn], jobs: int | None) -> list[Sequence[Turn]]:
    """Cut turns into batches, one for a process at a time; a repeat with its own world stays in one batch."""
    inseparable = [[turn] for turn in turns]
    if work.setup.unstressed is None:
        inseparable = [list(row) for _, row in groupby(turns, key=attrgetter("repeat"))]
    strengths = max(len(sweep.strengths) for sweep in work.setup.sweeps)
    longest = work.seconds * strengths * max(map(len, inseparable), default=1)
    most = ceil(len(inseparable) / (4 * (jobs or cores())))  # so that no process waits long for the last
    size = max(1, min(int(_BATCH / longest), most))
    return [list(chain(*inseparable[start : start + size])) for start in range(0, len(inseparable), size)]


def put_together(sweep: Sweep, trials: Sequence[Trial]) -> SweepResult:
    """Return the result of a stress from its trials, one of each repeat: R repeats behind (M, S), or their mean."""
    shares = (trial.first / trial.first.sum(axis=2, keepdims=True) for trial in trials)
    errors = [trial.error for trial in trials if trial.error is not None]
    return SweepResult(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=np.stack([trial.tau for trial in trials], axis=2),
        error=np.stack(errors, axis=2) if errors else None,
        kept=np.stack([trial.kept for trial in trials], axis=2),
        first=sum(shares, np.zeros(trials[0].first.shape)) / len(trials),
        unplaced=np.mean([trial.unplaced for trial in trials], axis=0),
        unranked=np.mean([trial.unranked for trial in trials], axis=0),
        emptied=np.mean([trial.emptied for trial in trials], axis=0),
    )
