"""Quality against cost: which systems are surely, perhaps, or surely not on the frontier."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Ints
from podium.base.check import Rng, check_confidence, check_threads, checked_number, seed_of, texts
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.parallel import Progress
from podium.base.words import Doubt, few, with_names
from podium.pareto.cost import Cost, cost_table, dominance, varies
from podium.pareto.result import KINDS, Frontier
from podium.ranking.api import rank
from podium.ranking.ballots import Level, Missing
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.method_spec import MethodName, MethodSpec
from podium.ranking.result import Ranking
from podium.ranking.variation import errors_of_differences
from podium.score.crossed import THESE_ALONE
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import UnitKind


@keywords
def frontier(
    scores: "ScoresLike",
    cost: str | Iterable[str] | None = None,
    *,
    margin: float | None = None,
    budget: float | Mapping[str, float] | None = None,
    method: MethodName | str | MethodSpec = "borda",
    level: Level | None = None,
    missing: Missing | None = None,
    confidence_level: float = 0.95,
    units: UnitKind | None = None,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Frontier:
    """Say which systems give the best score for their cost, and how sure that is.

    System j dominates i if it scores higher, and no cost of it is higher. A system is surely dominated if another one
    is surely better and as cheap; it is surely on the frontier if of each other system it is surely better, or surely
    cheaper in some cost. With a probability of at least `confidence_level` all these claims hold at once: they follow
    from pairs that are separated, all pairs together, see `podium.rank`. A cost that is one number for each system is
    exact. One that was measured on instances varies as scores do; then α is shared equally among score and such costs,
    and with `margin`, whose claims come from differences from the best with Bonferroni intervals over all pairs.

    Parameters
    ----------
    scores
        As for `podium.rank`; a cost is a covariate of the table, see `podium.read`.
    cost
        Names of one or several costs; by default the only one there is. Lower is better, unless the name is that of a
        speed, such as "tokens/s", or says "↑". The cost of a system is the mean over tasks of means over instances.
    margin
        Find the cheapest system (by the first cost) whose score is surely no more than this below the best.
    budget
        Find the best of the systems with costs up to these, by name; or a number, of a single cost.
    method, level, missing, confidence_level, units, n_resamples, rng, n_jobs, progress
        As for `podium.rank`.

    Returns
    -------
    Frontier
        Systems surely on the frontier first, and of each kind the cheapest first. Systems without a known cost are left
        out, though the others are ranked beside them.

    Raises
    ------
    InputError
        No cost is known of two systems, or a cost is below 0.
    LabelError
        There is no such cost.
    MethodError
        Several costs, and none is named; by several prompts, a margin or a cost that varies; nothing fits the budget;
        the margin is below 0; or as `podium.rank`.

    References
    ----------
    Kapoor et al., AI Agents That Matter, 2024 (cost and accuracy); the joint claims: Mogstad et al. 2024, §3.

    Examples
    --------
    >>> import podium, pyarrow
    >>> levels = {"big": 0.8, "mid": 0.5, "low": 0.6}
    >>> scores = {task: [level + ord(task) ** 3 % 97 / 900 for level in levels.values()] for task in "abcdefgh"}
    >>> table = pyarrow.table({"system": list(levels), "cost": [9, 5, 1], **scores})
    >>> podium.frontier(table, method="mean", margin=0.25).sentences[1]
    'low is the cheapest system surely within 0.25 of the best'
    """
    seed = seed_of(rng)
    check_confidence(confidence_level)
    margin = None if margin is None else checked_number("margin", margin)
    scores = as_scores(scores, human=True, prompts=True, **reading)
    check_threads(n_jobs)
    names = _names_of(scores, cost)
    limits = _limits(budget, names)
    tables = [cost_table(scores, name) for name in names]
    drawn = Bootstrap.of(scores, confidence=confidence_level, units=units, replicates=n_resamples, seed=seed)
    varying = [varies(table, drawn.units) for table in tables]
    notes = _of_prompts(scores, [name for name, spread in zip(names, varying, strict=True) if spread], margin)
    shared = replace(drawn, confidence=1 - (1 - confidence_level) / (1 + sum(varying) + (margin is not None)))
    ranking = rank(
        scores,
        method,
        level=level,
        missing=missing,
        confidence_level=shared.confidence,
        units=units,
        n_resamples=n_resamples,
        rng=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    order = np.array([scores.systems.index(system) for system in ranking.systems])
    costs = [
        Cost.of(name, table, shared if spread else None, n_jobs).at(order)
        for name, table, spread in zip(names, tables, varying, strict=True)
    ]
    kept = np.flatnonzero((ranking.rank > 0) & np.all([one.place > 0 for one in costs], axis=0))
    if kept.size < 2:
        raise InputError(f"cost {few(names)} is known of fewer than two ranked systems; a frontier needs two")
    notes += _about(ranking, costs, tables, kept)
    better = np.zeros((len(ranking),) * 2, np.bool_) if ranking.intervals is None else ranking.intervals.separated

    surely, possibly = dominance(better[np.ix_(kept, kept)], [one.at(kept) for one in costs])
    dominator = [kept[by].min() if by.any() else None for by in surely.T]  # the best of them
    kind = np.where(surely.any(axis=0), 2, possibly.any(axis=0))
    rows = np.lexsort((kept, costs[0].place[kept], kind))
    found = Frontier(
        ranking=ranking,
        confidence=confidence_level,
        places=kept[rows],
        costs=tuple(one.at(kept[rows]) for one in costs),
        frontier=tuple(KINDS[kind[row]] for row in rows),
        dominated_by=tuple(None if (by := dominator[row]) is None else ranking.systems[by] for row in rows),
        margin=margin,
        within=None if margin is None else _within(ranking, margin)[kept[rows]],
        budget=limits,
        notes=(*notes, *ranking.notes),
        backend=ranking.backend,
    )
    if not found.best():
        best = [f"{cost.name} {cost.value[np.argmin(cost.place)]:g}" for cost in found.costs if cost.name in limits]
        raise MethodError(f"no system fits the budget {found.limits}; best are {few(best)}")
    return found


def _of_prompts(scores: Scores, measured: Sequence[str], margin: float | None) -> list[str]:
    """Say for which prompts costs are known, if there are prompts; refuse what says nothing of others."""
    if not scores.prompts:
        return []
    if measured:
        what = f"cost {measured[0]!r} was measured by these prompts only; give one number for each system"
        raise MethodError(f"{what}, or {THESE_ALONE}")
    if margin is not None:
        what = "how far a score is below the best is judged by these prompts only; leave margin= (--margin) out"
        raise MethodError(f"{what}, or {THESE_ALONE}")
    return [Doubt("costs are those by these prompts; what is said of scores may be for others, too")]


def _names_of(scores: Scores, cost: str | Iterable[str] | None) -> list[str]:
    """Return names of costs, by default of the only one there is."""
    known = [name for name in scores.covariates if name != scores.human]
    if isinstance(cost, Mapping):
        raise MethodError("costs are a column of the table, as of frame['cost'] = frame['system'].map(costs); name it")
    names = known[:1] if cost is None and len(known) == 1 else list(dict.fromkeys(texts("cost", cost or ())))
    if not names:
        which = f"there are {few([*map(repr, known)])}" if known else "the table has none"
        beside = "" if known else "; name a column of numbers with covariate_column= (--covariate-column)"
        raise MethodError(f"name a cost with cost= (--cost): {which}{beside}")
    return names


def _limits(budget: float | Mapping[str, float] | None, names: Sequence[str]) -> dict[str, float]:
    """Return the most that may be spent, by cost."""
    if budget is None:
        return {}
    if not isinstance(budget, Mapping):
        if len(names) > 1:
            raise MethodError(f"the budget names no cost; give one of {few(names)}, as in budget={{{names[0]!r}: 1}}")
        budget = {names[0]: budget}
    for name in budget:
        if name not in names:
            raise LabelError.unknown("cost", name, names)
    return {name: checked_number(f"the budget of {name}", limit) for name, limit in budget.items()}


def _within(ranking: Ranking, margin: float) -> NDArray[np.int64]:
    """Shape `(N,)`: 0 if a score is surely at most the margin below each other, 2 if surely not, and otherwise 1."""
    sure = ranking.intervals
    if sure is None:
        return np.ones(len(ranking), dtype=np.int64)
    oriented = ranking.score if ranking.higher_is_better else -ranking.score
    behind, reach = oriented - oriented[:, None], sure.critical * errors_of_differences(sure.samples)
    furthest, nearest = (np.nanmax(behind + sign * reach, axis=1) for sign in (1, -1))
    return np.where(furthest <= margin, 0, np.where(nearest > margin, 2, 1))


def _about(ranking: Ranking, costs: Sequence[Cost], tables: Sequence[Scores], kept: Ints) -> list[str]:
    """Say whose cost is not known, is known in part, or is 0."""
    there = [ranking.systems[place] for place in kept.tolist()]
    left = [system for system in ranking.systems if system not in set(there)]
    names = few([cost.name for cost in costs])
    notes = [with_names(f"{names} not known of ", left, ": ranked, but not on the frontier")] if left else []
    for cost, table in zip(costs, tables, strict=True):
        free = [system for system, value in zip(there, cost.value[kept].tolist(), strict=True) if value == 0]
        if free:
            notes.append(Doubt(with_names(f"{cost.name} is 0 for ", free, "; leave it empty if it was not measured")))
        number = dict(zip(table.systems, np.sum([task.scored for task in table.tasks], axis=0).tolist(), strict=True))
        short = [system for system in there if number[system] < max(number.values())]
        if short and not cost.exact:
            notes.append(Doubt(with_names(f"{cost.name} was measured on fewer instances for ", short)))
    return notes
