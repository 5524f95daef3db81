"""Play the trials of a study, in batches over processes, and put them together by stress."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, groupby
from math import ceil
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from podium.base.parallel import cores, in_order, with_one_blas_thread
from podium.robustness.stress.stress import Sweep
from podium.robustness.study.plan import Plan, Tries
from podium.robustness.study.result import SweepResult
from podium.robustness.study.trial import Setup, Trial, Turn

Floats = NDArray[np.float64]

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
    longest = work.seconds * max(map(len, inseparable), default=1)
    most = ceil(len(inseparable) / (4 * (jobs or cores())))  # so that no process waits long for the last
    size = max(1, min(int(_BATCH / longest), most))
    return [list(chain(*inseparable[start : start + size])) for start in range(0, len(inseparable), size)]


def put_together(setup: Setup, plan: Plan, trials: Mapping[Turn, Trial]) -> tuple[SweepResult, ...]:
    """Return the result of every stress from its trials: tries behind (M, S), or their mean."""
    return tuple(_swept(sweep, k, plan[k], trials) for k, sweep in enumerate(setup.sweeps))


def _swept(sweep: Sweep, k: int, row: Sequence[Tries], trials: Mapping[Turn, Trial]) -> SweepResult:
    joined = [
        Trial.joined([trials[Turn(n, k, s, tries.listed, n >= tries.whole)] for n in range(tries.number)])
        for s, tries in enumerate(row)
    ]
    errors = [one.error for one in joined if one.error is not None]
    ranked = [one.ranked.sum(axis=1) for one in joined]
    return SweepResult(
        name=sweep.name,
        axis=sweep.axis,
        strengths=np.array(sweep.strengths, dtype=np.float64),
        tau=_padded([one.tau for one in joined]),
        error=_padded(errors) if errors else None,
        kept=_padded([one.kept for one in joined]),
        first=np.stack([_parts(one.first) / of[:, None] for one, of in zip(joined, ranked, strict=True)], axis=1),
        unplaced=np.stack([one.unplaced.sum(axis=1) / of for one, of in zip(joined, ranked, strict=True)], axis=1),
        unranked=np.stack([one.unranked.sum(axis=1) / of for one, of in zip(joined, ranked, strict=True)], axis=1),
        emptied=np.array([one.emptied.mean() for one in joined]),
        listed=np.array([tries.listed for tries in row]),
    )


def _parts(first: NDArray[np.bool_]) -> Floats:
    """Add up the parts of the first place that systems have, shape `(M, N)`; who is first with others has a part."""
    parts: Floats = (first / np.maximum(first.sum(axis=2, keepdims=True), 1)).sum(axis=1)
    return parts


def _padded(parts: Sequence[Floats]) -> Floats:
    """Stack what each strength has, shape `(M, tries)`, with NaN behind where another has more: `(M, S, R)`."""
    longest = max(part.shape[1] for part in parts)
    return np.stack(
        [np.pad(part, ((0, 0), (0, longest - part.shape[1])), constant_values=np.nan) for part in parts], axis=1
    )
