"""Choose items or tasks that tell as much as all, and predict the full scores of other systems from them."""

import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Unpack

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.check import Rng, check_confidence, check_enough, checked_path, checked_whole, seed_of
from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress, generator, with_one_blas_thread
from podium.base.words import Doubt, are, few, with_names
from podium.ranking.api import check_rankable, rank
from podium.ranking.contributions import weighing
from podium.ranking.family import family_of_each
from podium.ranking.result import Ranking
from podium.score.table import Scores, of_battles
from podium.score.task import mean_scores, unlike_scales
from podium.selection.choice import METHODS, Choice, ItemAnswers, Pool
from podium.selection.result import Formula, Prediction, Subset
from podium.selection.validation import (
    Validated,
    best_of,
    errors_of_choice,
    folds,
    one_of_each_family,
    p_values,
    stretched,
)
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Systems, or families of them, without which too few are left to choose by.
FEWEST = 5


@keywords
def subset(
    scores: "ScoresLike",
    *,
    items: int | None = None,
    whole_tasks: int | None = None,
    system_families: Mapping[str, str] | None = None,
    confidence_level: float = 0.95,
    rng: Rng = 0,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Subset:
    """Choose some items, or whole tasks, by which the full scores of other systems are predicted best.

    The full score is the mean over tasks, as `podium.rank` gives it by method "mean". Items are chosen at random; at
    random of each task and difficulty; from clusters of answers; and by information of item response, of each task and
    difficulty. Ten times, a tenth of the systems is left out of the choice, and its full scores are predicted. The
    method with the smallest error is taken if it surely is smaller than that of random items; otherwise, these are.

    Parameters
    ----------
    scores
        As for `podium.rank`; five systems or more with scores on every task.
    items, whole_tasks
        How many to choose; one of the two. Tasks that are scored on the same instances make one item of each.
    system_families
        The family of a system, such as its base, by its label. Systems of one are left out together, so that what is
        promised holds for systems of other families.
    confidence_level
        Of the interval of a predicted score, and with which all items separate pairs of systems.
    rng
        Seed of the choice, and of which systems are left out together.
    progress
        Called with the number of methods tried and their number.

    Returns
    -------
    Subset
        Systems without a score on some task are left out.

    Raises
    ------
    MethodError
        Neither or both numbers are given; there are no items, or fewer; systems are too few; battles; or as
        `podium.rank`.

    References
    ----------
    Polo et al., tinyBenchmarks, ICML 2024 (clusters, item response).

    Examples
    --------
    >>> import podium
    >>> world = podium.simulate.gumbel(12, 5, 60, dispersion=0.2, rng=0)
    >>> chosen = podium.subset(world.scores, items=30)
    >>> len(chosen.formula.tasks), chosen.there
    (30, 300)
    """
    check_confidence(confidence_level)
    noun, number = what_to_choose(items, whole_tasks)
    seed, scores = seed_of(rng), as_scores(scores, **reading)
    if of_battles(scores):
        raise MethodError("battles of two systems have no full scores that could be predicted; rank them")
    if noun == "item" and scores.task_level:
        raise MethodError(
            "these scores are of whole tasks, so there are no items; choose tasks with whole_tasks= (--whole-tasks)"
        )
    check_rankable(scores)
    table, notes = _complete(scores if noun == "item" else scores.with_means(), noun)
    replicates = max(1000, math.ceil(2 / (1 - confidence_level) - 1e-9))
    ranking = rank(table, "mean", confidence_level=confidence_level, n_resamples=replicates, rng=seed)
    full, better = _in_order(table, ranking)
    pool = Pool.of(weighing(table.with_families(families=False), "tasks")[0])
    every = pool.items(full)
    check_enough(number, every.mass.size, noun, "chosen", stay=1)
    draws = generator(seed)
    of = dict(zip(scores.systems, family_of_each(scores.systems, system_families), strict=False))
    families = [of.get(system, system) for system in table.systems]
    if (number_of := len(set(families))) < FEWEST:
        raise MethodError(f"it takes {FEWEST} families of systems, and there are {few(sorted(set(families)))}")
    fold = folds(families, draws)
    tried: dict[str, Validated] = {}
    for done, name in enumerate(METHODS, 1):  # one thread, as with two the last digits of products may differ
        tried[name] = with_one_blas_thread(partial(Validated.of, every, number, fold=fold, rng=draws), name)
        if progress is not None:
            progress(done, len(METHODS))
    results = list(tried.values())
    taken = list(METHODS)[best_of(results)]
    chosen = with_one_blas_thread(partial(METHODS[taken], every, number), draws)
    lower = not ranking.higher_is_better
    errors = one_of_each_family(errors_of_choice(results), families, draws)
    if (by := stretched(number_of, confidence_level)) > 1:
        whose = "families" if number_of < len(families) else "systems"
        notes.append(
            f"with {number_of} {whose}, intervals go to {by:.2f} times the largest error; more show how large it gets"
        )
    return Subset(
        noun=noun,
        number=number,
        there=every.mass.size,
        formula=_formula(pool, every, chosen, tried[taken].line(), errors=errors, table=table, turned=lower),
        method=taken,
        methods=tuple(METHODS),
        error=np.array([np.sqrt((one.errors**2).mean()) for one in results]),
        tau=np.array([one.tau() for one in results]),
        kept=np.array([one.kept(better) for one in results]),
        p=p_values(results),
        pairs=int(better.sum()),
        confidence=confidence_level,
        notes=(*table.notes, *notes),
        backend=scores.backend,
    )


def what_to_choose(items: int | None, whole_tasks: int | None) -> tuple[str, int]:
    """Return "item" or "task", and how many.

    Raises
    ------
    MethodError
        Neither or both are given, or it is no number from 1 up.

    Examples
    --------
    >>> what_to_choose(None, 8)
    ('task', 8)
    """
    if (items is None) == (whole_tasks is None):
        raise MethodError("say how many to choose: items=100 (--items 100), or else whole_tasks=8 (--whole-tasks 8)")
    if whole_tasks is None:
        return "item", checked_whole("items", items)
    return "task", checked_whole("whole_tasks", whole_tasks)


def _complete(scores: Scores, noun: str) -> tuple[Scores, list[str]]:
    """Return the tasks that count, and the systems that have a score on each of them; and say what else there is."""
    tasks, _ = weighing(scores, "tasks")
    there = np.logical_and.reduce([task.scored > 0 for task in tasks])
    rows = np.flatnonzero(there)
    if rows.size < FEWEST:
        raise MethodError(
            f"to choose {noun}s takes {FEWEST} systems with a score on every task, and there {are(rows.size)} "
            f"{rows.size}; add systems, or leave out tasks that few of them have, with tasks= (--tasks)"
        )
    table = scores.select(tasks=[task.name for task in tasks]).take(rows.tolist())
    left = [system for system, kept in zip(scores.systems, there.tolist(), strict=True) if not kept]
    sizes = {task.name: float(np.abs(mean_scores(task)[0]).max()) for task in table.tasks}
    notes = unlike_scales(sizes, "bring scores to one scale first")
    return table, [*notes, *([with_names("without a score on some task, so left out: ", left)] if left else [])]


def _in_order(table: Scores, ranking: Ranking) -> tuple[Floats, Bools]:
    """Shape `(N,)` and `(N, N)`, in the order of the table: full scores, and whether i is surely better than j."""
    place = np.array([ranking.systems.index(system) for system in table.systems])
    full = (ranking.score if ranking.higher_is_better else -ranking.score)[place]
    if ranking.intervals is None:
        return full, np.zeros((place.size,) * 2, dtype=np.bool_)
    return full, ranking.intervals.separated[np.ix_(place, place)]


def _formula(
    pool: Pool,
    every: ItemAnswers,
    chosen: Choice,
    line: tuple[float, float],
    *,
    errors: Floats,
    table: Scores,
    turned: bool,
) -> Formula:
    """Return what chosen items tell of a full score, in units of the columns; `turned` if lower is better."""
    intercept, slope = line
    sign = -1.0 if turned else 1.0
    share = np.zeros(every.mass.size)
    share[chosen.places] = chosen.weights / every.mass[chosen.places]
    weights = sign * slope * share[pool.item] * pool.mass
    columns = np.flatnonzero(np.isin(pool.item, chosen.places))
    middle = float((every.answers[:, chosen.places] @ chosen.weights).mean())
    return Formula(
        tasks=tuple(pool.tasks[task] for task in pool.task[columns].tolist()),
        instances=tuple(None if table.task_level else pool.label[column] for column in columns.tolist()),
        weights=weights[columns],
        intercept=sign * (float(every.full.mean()) + intercept - slope * middle),
        systems=table.systems,
        scores=pool.values[:, columns].T,
        full=sign * every.full + 0.0,
        errors=sign * errors,
        higher_is_better=not turned,
    )


@keywords
def predict(
    answers: "ScoresLike",
    subset: Subset | str | Path,
    *,
    confidence_level: float = 0.95,
    **reading: Unpack[ReadingOptions],
) -> Prediction:
    """Predict the full scores of systems, and their ranks among those by which items were chosen.

    Intervals come from the errors for these systems when each was left out of the choice. They hold for each new system
    alone, if it is of the same kind: one of a kind that is better than all others may be further off.

    Parameters
    ----------
    answers
        Scores of one system or more on the chosen items, as for `podium.rank`; others do not matter.
    subset
        What `podium.subset` returns, or a file that it was saved as: CSV, JSON Lines or Parquet.
    confidence_level
        Of each interval.

    Returns
    -------
    Prediction
        Best first. If a system lacks answers, those it has are used, its interval is longer, and a note says so.

    Raises
    ------
    InputError
        The file holds no chosen items, or a system has no answer to any of them.

    Examples
    --------
    >>> import podium
    >>> table = podium.datasets.demo()
    >>> chosen = podium.subset(table.select(systems=["!cedar"]), items=100)
    >>> podium.predict(table.select(systems=["cedar"]), chosen).systems
    ('cedar',)
    """
    check_confidence(confidence_level)
    formula = subset.formula if isinstance(subset, Subset) else Formula.read(checked_path("subset", subset))
    given = as_scores(answers, **reading)
    values = _answers(given if formula.instances[0] is not None else given.with_means(), formula)
    there = ~np.isnan(values)
    none = [system for system, row in zip(given.systems, there, strict=True) if not row.any()]
    if none:
        items = few([_named(formula, column) for column in range(len(formula.tasks))], 2)
        raise InputError(
            f"{with_names('no answer to a chosen item, as to ' + items + ': ', none, most=2)}; these answers are to "
            f"{few(list(given.task_names), 3)}; give answers to the benchmark that items were chosen of"
        )
    found = np.array([formula.predict(row, confidence_level) for row in values])
    if np.isnan(found).any():
        short = given.systems[int(np.isnan(found).any(axis=1).argmax())]
        raise InputError(f"{short} lacks answers, and too few known systems have them all to make up for it; add them")
    score, half = found.T
    sign = 1.0 if formula.higher_is_better else -1.0
    order = np.argsort(-sign * score, kind="stable")
    other = np.array([[system != one for one in formula.systems] for system in given.systems])
    others = np.where(other, sign * formula.full, -np.inf)
    rank, low, high = (
        1 + (others > (sign * score + by)[:, None]).sum(axis=1) for by in (np.zeros_like(half), half, -half)
    )
    best = [given.systems[row] for row in order.tolist() if (sign * score[row] > others[row]).all()]
    known = [system for system in given.systems if system in formula.systems]
    notes = [with_names("among those by which items were chosen, so its score is known: ", known)] if known else []
    if best:
        notes.append(Doubt(with_names("above all systems by which items were chosen, so perhaps further off: ", best)))
    notes += _on_missing(given, formula, there)
    return Prediction(
        systems=tuple(given.systems[row] for row in order.tolist()),
        score=score[order],
        low=(score - half)[order],
        high=(score + half)[order],
        rank=rank[order],
        rank_low=low[order],
        rank_high=high[order],
        answered=there.sum(axis=1)[order],
        others=other.sum(axis=1)[order],
        asked=len(formula.tasks),
        confidence=confidence_level,
        higher_is_better=formula.higher_is_better,
        notes=(*given.notes, *notes),
        backend=given.backend,
    )


def _answers(scores: Scores, formula: Formula) -> Floats:
    """Shape `(M, C)`: scores on the columns of the formula, NaN where missing.

    Raises
    ------
    InputError
        Instances without labels are fewer than those of which some were chosen.
    """
    chosen = list(zip(formula.tasks, formula.instances, strict=True))
    values = np.full((len(scores.systems), len(formula.tasks)), np.nan)
    known = {}
    for task in scores.tasks:
        labels = np.arange(task.n_instances) if task.instances is None else task.instances
        if task.instances is None and not scores.task_level:
            wanted = [int(label) for name, label in chosen if name == task.name and label and label.isdecimal()]
            if max(wanted, default=-1) >= task.n_instances:
                raise InputError(
                    f"instances of {task.name} have no names, so they count by place, from 0, and place {max(wanted)} "
                    f"is beyond the {task.n_instances:,} given; give all, NaN where there is no answer"
                )
        named = [None] if formula.instances[0] is None else [str(label) for label in labels.tolist()]
        known[task.name] = task.values, {label: place for place, label in enumerate(named)}
    for column, (name, label) in enumerate(chosen):
        own, places = known.get(name, (values, {}))
        if label in places:
            values[:, column] = own[:, places[label]]
    return values


def _named(formula: Formula, column: int) -> str:
    label = formula.instances[column]
    return formula.tasks[column] if label is None else f"{label} of {formula.tasks[column]}"


def _on_missing(scores: Scores, formula: Formula, there: Bools) -> list[str]:
    """Say which answers are missing, of each system that lacks some."""
    notes: list[str] = []
    for system, row in zip(scores.systems, there, strict=True):
        if not row.all():
            lacking = [_named(formula, column) for column in np.flatnonzero(~row).tolist()]
            head = f"{system} lacks {len(lacking)} of {row.size} answers, so its interval is longer: "
            notes.append(Doubt(with_names(head, lacking, most=3)))
    return notes
