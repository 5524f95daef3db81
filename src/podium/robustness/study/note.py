"""Notes of a study: which methods cannot place every system, and where scores run out."""

from collections.abc import Iterator
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from podium.base.words import LONG, few, percents, with_names
from podium.robustness.study.result import Study, SweepResult
from podium.robustness.study.trial import Setup


def notes_of(setup: Setup, study: Study) -> Iterator[str]:
    """Say which methods cannot place every system without stress, and where scores run out."""
    already = np.zeros(len(setup.methods), dtype=np.bool_)
    if setup.unstressed is not None:
        already = np.array([places is not None and bool((places < 0).any()) for places in setup.unstressed.places])
    if already.any():
        lost = list(compress(setup.methods, already.tolist()))
        yield with_names("even without stress, some systems have no place by ", lost, "; these systems count as last")
    for one in study.swept:
        yield from _losses(study, one, already)


def _losses(study: Study, one: SweepResult, already: NDArray[np.bool_]) -> Iterator[str]:
    """Say how often scores run out, at the strength where this happens most often; the largest of several."""
    unplaced = np.where(already[:, None], 0.0, one.unplaced)
    often = np.maximum(one.emptied, np.maximum(unplaced, one.unranked).max(axis=0))
    s = int(np.flatnonzero(often == often.max())[-1])
    said = []
    if one.emptied[s]:
        low, high = study.interval(one, "emptied")
        said.append(f"a system or task has no score left in {percents(low[s], high[s])} of the cases")
    if lost := _shares(study, one, "unplaced", s, already):
        said.append(f"some systems count as last by {lost}")
    if lost := _shares(study, one, "unranked", s, np.zeros_like(already)):
        said.append(f"no system can be ranked by {lost}")
    where, together = f"{one.name} at {one.strengths[s]:g}: ", "; ".join(said)
    yield from (where + note for note in (said if len(where + together) > LONG else filter(None, [together])))


def _shares(study: Study, one: SweepResult, measure: str, s: int, already: NDArray[np.bool_]) -> str:
    """Name the methods with a share above 0, each with the interval of its share."""
    low, high = study.interval(one, measure)
    shown = ~already & (getattr(one, measure)[:, s] > 0)
    named = compress(enumerate(study.methods), shown.tolist())
    return few([f"{method} ({percents(low[m, s], high[m, s])})" for m, method in named], most=3)
