"""Rank by scores of several prompts, with intervals for other items and other prompts: see `podium.score.crossed`."""

from dataclasses import replace

import numpy as np

from podium.base.errors import MethodError
from podium.base.statistics import student_cdf
from podium.base.words import Aside, rounded_percent
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.degrees_of_freedom import DegreesOfFreedom
from podium.ranking.human import shares_beaten
from podium.ranking.intervals import make_intervals, range_of_scores
from podium.ranking.method import MethodResult
from podium.ranking.method_spec import MethodSpec
from podium.ranking.result import Intervals
from podium.ranking.separation import by_p_values
from podium.score.crossed import LEAST_PROMPTS, Crossed, complete, crossed, of_these_alone, without_prompts
from podium.score.repeat import Repeats, Statistic
from podium.score.table import Scores

#: Numbers that are drawn at a time.
_DRAWS = 2**22


def by_prompts(scores: Scores, spec: MethodSpec, units: str | None) -> tuple[MethodSpec, Scores, Crossed, list[str]]:
    """Return how a table with prompts is ranked, its complete part, how means of it vary, and notes.

    The table has prompts only if intervals are to be for others, too: if there are five, and no units are asked for.

    Raises
    ------
    MethodError
        Scores by the method are no means; or repeats are to be drawn.
    InputError
        As `podium.score.crossed.complete` and `podium.score.crossed.crossed` say.

    Examples
    --------
    >>> import podium
    >>> by_prompts(podium.datasets.toy_table1(), MethodSpec("kemeny"), None)
    Traceback (most recent call last):
    podium.errors.MethodError: scores over prompts are means; use method 'mean' (-m mean) or 'borda', not 'kemeny'
    """
    if spec.name not in {"mean", "borda"}:
        raise MethodError(f"scores over prompts are means; use method 'mean' (-m mean) or 'borda', not {spec.name!r}")
    if units == "repeats":
        raise MethodError("prompts are no repeats of each other; leave units='repeats' (--units repeats) out")
    whole, notes = complete(scores)
    if spec.name == "borda":
        if spec.level in {"task", "two", "one"} or spec.missing == "bounds":
            option = f"level {spec.level!r}" if spec.level else "missing='bounds'"
            raise MethodError(f"scores over prompts are means over items; leave {option} out")
        spec, whole = replace(spec, level="balanced", missing=None), _ballots(whole)
    found = crossed(whole)
    number = len(whole.prompts)
    if units is None and number >= LEAST_PROMPTS:
        return spec, whole, found, [*notes, *_gains(found)]
    if units is None:
        notes.insert(0, of_these_alone(number))
    return spec, without_prompts(whole), found, notes


def _ballots(scores: Scores) -> Scores:
    """Return shares of other systems beaten in place of scores, on each item by each prompt."""
    tasks = []
    for task in scores.tasks:
        if task.repeats is None or not task.scored.any():
            tasks.append(task)
            continue
        values = task.repeats.values
        flat = values.reshape(len(values), -1).astype(np.float64)
        shares = np.where(np.isnan(flat), np.nan, shares_beaten(task, flat, scores.effective_tie_tolerance))
        kept = Repeats(shares.reshape(values.shape), Statistic(), task.repeats.labels)
        mean = kept.statistic.of(kept.values)
        tasks.append(task.with_values(mean, higher_is_better=True, repeats=kept))
    return replace(scores, tasks=tuple(tasks), tie_tolerance=0.0)


def intervals_for_other_prompts(
    scores: Scores, found: Crossed, result: MethodResult, bootstrap: Bootstrap
) -> Intervals:
    """Return intervals for other items and other prompts: Student's, by the variance and its degrees of freedom.

    Parameters
    ----------
    scores, found
        The complete table, and how means of it vary.
    result
        The means.
    bootstrap
        The confidence; replicates are normal draws around the means.
    """
    oriented = result.oriented_score
    deviation = np.sqrt(found.variance)
    lead = np.abs(oriented[:, None] - oriented)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(lead > 0, lead / deviation, lead)
    separated = by_p_values(oriented, 2 * student_cdf(-t, found.df), 1 - bootstrap.confidence)
    draws, rng = np.zeros((oriented.size, bootstrap.replicates)), np.random.default_rng(bootstrap.resampling.seed)
    for start in range(0, len(found.moves), step := max(_DRAWS // bootstrap.replicates, 1)):
        some = found.moves[start : start + step]
        draws += some.T @ rng.standard_normal((len(some), bootstrap.replicates))
    draws -= draws.mean(axis=1, keepdims=True)
    spread = draws.std(axis=1, ddof=1)
    own = np.diag(deviation)
    draws *= np.divide(own, spread, out=np.zeros_like(spread), where=spread > 0)[:, None]
    samples = (oriented[:, None] + draws) * (1 if result.higher_is_better else -1)
    by_cell = [
        task if task.repeats is None else task.with_values(task.repeats.values.reshape(len(oriented), -1))
        for task in scores.tasks
    ]
    plain = [replace(task, instances=None, instance_weights=None, clusters=None) for task in by_cell]
    bounds = range_of_scores(replace(scores, tasks=tuple(plain)), MethodSpec("mean"), "instances")
    df = DegreesOfFreedom(float(np.median(np.diag(found.df))), None, found.df, least=1.0)
    made = make_intervals(result, samples, bootstrap, separated, df=df, bounds=bounds, sums=True)
    return replace(made, units="prompts")


def _gains(found: Crossed) -> list[str]:
    """Say what twice as many prompts, or items, would bring to a difference of typical size."""
    pairs = np.triu_indices(len(found.variance), 1)
    variance, items, prompts, cells = (
        float(np.median(one[pairs])) for one in (found.variance, found.items, found.prompts, found.cells)
    )
    if not variance > 0:
        return []
    left = [(max(kept - cells, 0.0) + halved / 2) / variance for kept, halved in ((items, prompts), (prompts, items))]
    narrower = [rounded_percent(max(1 - one**0.5, 0.0)) for one in left]
    said = f"standard errors of differences {narrower[0]} smaller, and twice as many items {narrower[1]}"
    return [Aside(f"twice as many prompts would make {said}")]
