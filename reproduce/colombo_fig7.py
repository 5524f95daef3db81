"""Colombo et al. 2022, Figure 7: error of the mean as the scores of one task are multiplied."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from colombo import SIZE, Floats, beside, drawn, shown, worlds
from outcome import Claim, Finding, Section, judged, stated

import podium
from podium.robustness.study_result import Study
from podium.score.table import Scores
from podium.simulate import World
from podium.stresses import Corrupt, Sweep

PICTURE = "reproduce-colombo-fig7.svg"
REPEATS = 50
METHODS = ("mean", "borda:one", "borda:two")
#: As found for Figure 3.
PHIS = (0.05, 0.25, 1.0)
FACTORS = (1, 2, 3, 5, 7, 20, 100)
#: The two readings: which task is multiplied.
READINGS = ("a corrupted task", "a task like the others")
BOUND = 0.9

TEXT = f"""
The worlds of Figure 3 ({SIZE} systems, {SIZE} tasks, {SIZE} instances), {REPEATS} repeats, the scores of one task
multiplied. The text does not say which task. If it is one that is corrupted as in Figure 3, the printed errors come
out, at the φ found there: that task reverses the mean once it is multiplied by more than (T − 1) φ. A task like the
others cannot do that. At worst the mean ranks by this task alone, which is less sure than all tasks, but not
reversed.
"""


@dataclass(frozen=True, slots=True)
class Louder:
    """Multiply the scores of the last task by 1 + enlargement."""

    enlargement: float

    def __call__(self, scores: Scores, _rng: np.random.Generator) -> Scores:
        """Leave chance alone."""
        *others, last = scores.tasks
        louder = replace(last, parts=tuple(part * (1 + self.enlargement) for part in last.parts))
        return replace(scores, tasks=(*others, louder))


def section() -> Section:
    """Multiply one task, corrupted or not, at several dispersions; Borda must not move."""
    studies = {READINGS[0]: studied(READINGS[0], METHODS), READINGS[1]: studied(READINGS[1], METHODS[:1])}
    drawn(studies[READINGS[0]], "error", PICTURE)
    return Section(
        "Colombo et al., Figure 7: one task on another scale",
        stated(TEXT, _held(studies)),
        [*_printed(studies), _arbitrarily(studies), _unmoved(studies[READINGS[0]])],
        table=[("multiplied is", "φ", *(f"× {factor}" for factor in FACTORS)), *_rows(studies)],
        pictures=[(PICTURE, "Error of mean, one-level and two-level Borda as a corrupted task is enlarged")],
    )


def studied(reading: str, methods: Sequence[str], *, repeats: int = REPEATS, jobs: int | None = None) -> Study:
    """One study with a sweep for every φ."""
    corrupted = reading == READINGS[0]
    strengths = tuple(factor - 1 for factor in FACTORS)
    sweep = Sweep("scale", Louder, strengths, "one task's scores enlarged (9: ten times)")
    return beside(
        (f"φ = {phi:g}", podium.study(_Worlds(phi, corrupted), [sweep], methods, repeats=repeats, n_jobs=jobs))
        for phi in PHIS
    )


@dataclass(frozen=True, slots=True)
class _Worlds:
    """Worlds at φ whose last task is corrupted, or not."""

    phi: float
    corrupted: bool

    def __call__(self, rng: np.random.Generator) -> World:
        world = worlds(self.phi)(rng)
        if not self.corrupted:
            return world
        *others, last = world.scores.tasks
        corrupt = Corrupt(1, truth=tuple(world.truth.tolist()), own_scale=False)
        bad = corrupt(replace(world.scores, tasks=(last,)), rng).tasks
        return World(replace(world.scores, tasks=(*others, *bad)), world.truth)


def _held(studies: Mapping[str, Study]) -> Mapping[str, bool]:
    """What the text says in words."""
    corrupted, honest = (np.array([_error(studies[reading], phi) for phi in PHIS]) for reading in READINGS)
    return {
        "that task reverses the mean": corrupted[:, -1].min() > BOUND,
        "A task like the others cannot do that": honest.max() < BOUND,
        "but not reversed": honest.max() < 0.5,
    }


def _printed(studies: dict[str, Study]) -> Iterator[Finding]:
    for factor, phi in ((2, PHIS[0]), (7, PHIS[1])):
        corrupted, honest = (_error(studies[reading], phi)[FACTORS.index(factor)] for reading in READINGS)
        yield judged(
            f"error of the mean with one task multiplied by {factor}, φ = {phi:g}",
            Claim(f"above {BOUND}", lambda error: bool(error > BOUND)),
            honest,
            {f"the task is a corrupted one, which is not said: {corrupted:.2f}": corrupted},
            shown=f"{honest:.2f}",
            note="φ found by trying",
        )


def _arbitrarily(studies: dict[str, Study]) -> Finding:
    """The takeaway: any error can be had of the mean by multiplying one task."""
    corrupted, most = ([float(_error(studies[reading], phi)[-1]) for phi in PHIS] for reading in READINGS)
    return judged(
        "an arbitrarily large factor gives the mean an arbitrarily large error",
        Claim("always", lambda errors: min(errors) > BOUND),
        most,
        {"the task is a corrupted one": corrupted},
        shown=f"{shown(most, 2)} at × {FACTORS[-1]} and φ = {shown(PHIS, 2)}",
    )


def _unmoved(study: Study) -> Finding:
    """Borda has the same ranking in every repeat, whatever the factor."""
    lowest = min(float(one.tau[1:].min()) for one in study.swept)
    return judged(
        "Borda does not change, at either level",
        Claim("yes", lambda tau: tau == 1),
        lowest,
        shown=f"lowest τ between its rankings with and without: {lowest:g}",
    )


def _error(study: Study, phi: float) -> Floats:
    """Mean error of the mean at every factor."""
    errors = study.sweep(f"φ = {phi:g}").error
    return np.full(len(FACTORS), np.nan) if errors is None else errors[0].mean(axis=1)


def _rows(studies: dict[str, Study]) -> Iterator[tuple[str, ...]]:
    for reading, study in studies.items():
        for phi in PHIS:
            yield reading, f"{phi:g}", *(f"{error:.2f}" for error in _error(study, phi))
