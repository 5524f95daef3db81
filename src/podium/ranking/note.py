"""What to know before trusting a ranking or a comparison of pairs, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import warn as warn_caller
from podium.base.words import Aside, Doubt, few, how_many, with_names
from podium.ranking.ballots import Missing
from podium.ranking.method import Method
from podium.score.family import family_notes, relation_notes, zero_notes
from podium.score.table import Scores, of_battles
from podium.score.task import Task, unlike_scales
from podium.score.units import (
    FLIPPED_UNITS,
    LEAST_FREEDOM,
    drawn_as,
    numbered,
    one_unit,
    same_instances,
    sharing,
    units_among,
    weighs_alone,
)
from podium.tally.position import Ties

#: How many times as many repeats as another a system may have before orders of instances are doubted.
_UNEQUAL = 1.5


def warn(scores: Scores, method: Method) -> None:
    """Warn the caller of a public function of what might mislead; it is in the notes, too."""
    for said in misleading(scores, method):
        warn_caller(said)


def of_means(tasks: Sequence[Task], means: Floats) -> list[str]:
    """Return which tasks are hardly on one scale, by the means `(T, N)` of systems on them, which an average adds."""
    largest = np.fmax.reduce(np.abs(means), axis=1).tolist()
    sizes = {task.name: size for task, size in zip(tasks, largest, strict=True) if task.weight}
    return unlike_scales(sizes, "use method 'borda' (-m borda)")


def misleading(scores: Scores, method: Method) -> list[str]:
    """Return what an average does to tasks of different directions, and to missing scores."""
    if not method.averages:
        return []
    notes: list[str] = []
    higher = scores.higher_is_better
    if higher.any() and not higher.all():
        lower = [task.name for task in scores.tasks if not task.higher_is_better]
        before = f"the {method.title} adds tasks of different directions; "
        minus = f" {'enters' if len(lower) == 1 else 'enter'} with a minus sign"
        notes.append(Doubt(with_names(before, lower, minus)))
    missing = scores.n_cells - scores.n_scored
    if missing and of_battles(scores):
        notes.append(
            f"the {method.title} of battles is the share won against any opponents; method 'borda' takes these into "
            "account"
        )
    elif missing:
        gone = f"{missing:,} of {scores.n_cells:,} scores are missing"
        notes.append(
            Doubt(f"{gone}, so systems are compared on different tasks or instances; method 'borda' uses what is there")
        )
    return notes


def how_counted(scores: Scores, method: Method, missing: Missing) -> list[str]:
    """Return how a method counts missing scores, and tasks of different directions."""
    if method.fitted:
        absent = scores.n_cells - scores.n_scored
        return (
            [f"{absent:,} of {scores.n_cells:,} scores are missing, and left out of the likelihood"] if absent else []
        )
    return misleading(scores, method) if method.averages else of_missing(scores, missing)


def of_ranking(scores: Scores, method: Method, missing: Missing, ties: Sequence[Ties]) -> list[str]:
    """Say what to know about the scores and how the method counts them, beside `how_counted`."""
    notes: list[str] = []
    scored = np.sum([task.scored for task in scores.tasks], axis=0)
    if never := [system for system, number in zip(scores.systems, scored, strict=True) if not number]:
        left_out = method.averages or method.fitted or missing in {"direct", "model", "bounds"}
        fate = "not ranked" if left_out else "placed in the middle"
        fate = "placed on each task as one that beats half of the others" if missing == "placed" else fate
        notes.append(with_names("", never, f": no score on any task, so {fate}"))
    if bare := [task.name for task in scores.tasks if not task.scored.any()]:
        effect = "this task, so it does" if len(bare) == 1 else "these tasks, so they do"
        notes.append(Aside(with_names("", bare, f": no system has a score on {effect} not affect the ranking")))
    if method.averages or method.fitted:
        if scores.tie_tolerance:
            notes.append(Aside(f"the tie tolerance has no effect on the {method.title}"))
        return notes
    numbers = [task.repeats.numbers for task in scores.tasks if task.repeats is not None]
    several = np.sum([number.sum(axis=1) / (number > 0).sum(axis=1).clip(1) for number in numbers], axis=0)
    if numbers and several.max() > _UNEQUAL * several[several > 0].min(initial=np.inf):
        least, most = several[several > 0].min() / len(numbers), several.max() / len(numbers)
        notes.append(
            f"{least:.3g} to {most:.3g} repeats an instance: one run beats a mean of several more often than not; "
            "run all alike, or use -m mean"
        )
    if near := sum(task.near for task in ties):
        pairs = sum(task.pairs for task in ties)
        notes.append(
            f"{near:,} of {pairs:,} pairs of scores differ by up to 1e-9, perhaps by rounding; "
            "to tie them: tie_tolerance=1e-9 (--tie-tolerance 1e-9)"
        )
    return notes


def of_missing(scores: Scores, missing: Missing) -> list[str]:
    """Return how many scores are missing, and how a method that counts ballots takes them; nothing where none is."""
    absent = scores.n_cells - scores.n_scored
    if not absent:
        return []
    if missing != "imputed" and of_battles(scores):
        battles = how_many(scores.n_scored // 2, "battle")
        if missing == "model":
            what = "scores are expected shares of wins against all others, by a Bradley–Terry model"
            return [f"{battles} of two systems each: {what}"]
        return [f"{battles} of two systems each: what was not fought does not count"]
    how = "each counts as its expected result, given the other scores"
    if missing == "direct":
        how = "each ballot compares only the systems that it scores"
    if missing == "bounds":
        how = "rank_best and rank_worst hold however these turn out"
    if missing == "model":
        how = "each counts as its chance to win, by a model of how strong systems are"
    return [f"{absent:,} of {scores.n_cells:,} scores are missing; {how}"]


def of_misfit(p: float, method: str, missing: Missing) -> list[str]:
    """Say that one strength a system does not explain the battles; `p` is NaN where it does."""
    if p != p:  # noqa: PLR0124  # NaN
        return []
    way = ", so each opponent counts alike" if method == "borda" and missing == "direct" else ""
    way = "; missing='direct' (--missing direct) needs none" if missing == "model" else way
    return [Doubt(f"one strength a system does not explain who won (p = {p:.3f}){way}")]


def unequal_coverage(scores: Scores, way: Missing) -> str:
    """Say that systems were run on different amounts of work, and how to see whose rank depends on it."""
    scored = np.sum([task.scored for task in scores.tasks], axis=0)
    least, most = scored[scored > 0].min(), scored.max()
    shows = f"missing={way!r} (--missing {way}) shows whose rank depends on that"
    return f"systems have {least:,} to {most:,} scores; {shows}"


def first_place_rests_on(
    first: str,
    missing: float,
    cover: Mapping[str, float],
    short: Sequence[str],
    *,
    elsewhere: Sequence[str] = (),
    way: Missing | None = None,
) -> str:
    """Say what the first place rests on; empty if it does not depend on missing scores.

    Parameters
    ----------
    first, missing
        Who is first, and the share of all scores that are missing.
    cover
        For each system the share of scores that it has.
    short
        Systems that may be the best, and have much fewer scores than others.
    elsewhere, way
        Who is first if missing scores count in another way, unless that is `first`; and that way.

    Examples
    --------
    >>> first_place_rests_on("A", 0.84, {"A": 0.004, "B": 0.9}, ["A"], elsewhere=["B"], way="imputed")
    '84% of the scores are missing, A has <1% of its scores, and with --missing imputed B is first'
    """
    clauses = []
    if first in short:
        clauses.append(f"{first} has {_percent(cover[first])} of its scores")
    elif short:
        clauses.append(with_names("", short, f" {'has' if len(short) == 1 else 'have'} much fewer than others", most=2))
    if elsewhere:
        clauses.append(f"with --missing {way} {few(elsewhere, 1)} {'is' if len(elsewhere) == 1 else 'are'} first")
    said = [f"{_percent(missing)} of the scores are missing", *clauses]
    return f"{', '.join(said[:-1])}, and {said[-1]}" if clauses else ""


def _percent(share: float) -> str:
    return "<1%" if 0 < share < 0.01 else f"{min(100 * share, 99.0 if share < 1 else 100.0):.0f}%"


def depends_on_missing(systems: Sequence[str], ranks: Sequence[int], others: Sequence[int], way: Missing) -> list[str]:
    """Name the system whose rank depends most on how missing scores count; ranks are 0 for what cannot be ranked.

    >>> depends_on_missing(["A", "B", "C"], [1, 2, 3], [3, 1, 2], "model")
    ["how missing scores count changes 3 ranks, most that of A: 1, but 3 with missing='model' (--missing model)"]
    """
    moves = [abs(rank - other) if rank and other else 0 for rank, other in zip(ranks, others, strict=True)]
    if not any(moves):
        return []
    most = moves.index(max(moves))
    moved = sum(move > 0 for move in moves)
    change = f"{ranks[most]}, but {others[most]} with missing={way!r} (--missing {way})"
    if moved == 1:
        return [Doubt(f"how missing scores count changes the rank of {systems[most]}: {change}")]
    return [Doubt(f"how missing scores count changes {moved:,} ranks, most that of {systems[most]}: {change}")]


#: How a note begins that says why there are no intervals although there are units enough.
DEPENDS = "no intervals: the ranking depends too much on "


def of_intervals(scores: Scores, units: str, df: float) -> list[str]:
    """Return what to know about the intervals, or why there are none."""
    least, tasks = LEAST_FREEDOM + 1, scores.tasks
    if units == "instances":
        clustered = of_clusters(scores)
        what = "clusters" if clustered else "instances"
        small = [task.name for task in tasks if _drawn(task) < least]
        lone = [task for task, name in zip(tasks, drawn_as(tasks, units), strict=True) if name is not None]
        if len(lone) == 1:
            one = "instance" if lone[0].n_instances == 1 else "cluster"
            fate = f": one {one} shows no spread; leave it out (--tasks '!{lone[0].name}') or choose --units tasks"
            return [Doubt(with_names("no intervals: ", [lone[0].name], fate)), *clustered]
        if df < LEAST_FREEDOM:
            named = with_names(DEPENDS, small, f", with fewer than {least} {what}: add some", most=3)
            return [Doubt(named if small else f"{DEPENDS}a few {what}"), *clustered]
        vary = f": fewer than {least} {what}, too few to show well how the result would vary"
        return [*([with_names("", small, vary)] if small else []), *clustered, *of_numbers(scores)]
    also = [
        *(of_clusters(scores) if units == "both" else []),
        *family_notes(tasks, "is drawn as one"),
        *relation_notes(tasks),
        *zero_notes(tasks),
    ]
    if units == "tasks" and (found := sharing(tasks)):
        share = f"tasks share {found[0].noun}, so intervals are for other tasks with these"
        also.append(f"{share}; --units both takes in others")
    if units == "tasks" and weighs_alone(tasks):
        single = f"{sum(map(one_unit, tasks)):,} of {how_many(len(tasks), 'task')}"
        also.insert(0, f"{single} have one score a system, so tasks are drawn")
    if df >= LEAST_FREEDOM:
        return also
    families = len(set(drawn_as(tasks, "tasks")))
    number = how_many(families, "task")
    if families < len(tasks):
        number = f"{families:,} {'family' if families == 1 else 'families'} of tasks"
    if families >= least:
        return [Doubt(f"{DEPENDS}a few of {number}"), *also]
    reason = f"{number} cannot show how the ranking would vary with other tasks; {least} are needed"
    return [Doubt(f"no intervals: {reason}"), *also]


def of_rare_failures(systems: Sequence[str]) -> list[str]:
    """Say whose mean rests on a few instances, so that no interval of systems without such scores knows of them."""
    fate = (
        ": a few extreme instances decide their mean; systems that show none here may have them, too, and seem too sure"
    )
    return [Doubt(with_names("", systems, fate, most=2))] if systems else []


def of_few_scores(systems: Sequence[str], units: str) -> list[str]:
    """Name the systems that are scored on too little to be separated by what scores them."""
    if not systems:
        return []
    what = "instances" if units == "instances" else "tasks"
    fate = f": on fewer than {LEAST_FREEDOM + 1} {what}, so without interval, and separated from none"
    return [with_names("", systems, fate)]


_RUNS_DIFFER = "runs of a system differ by more than their instances explain"

#: Said where instances or tasks are drawn.
OF_THESE_RUNS = Doubt(f"{_RUNS_DIFFER}; --units repeats says what other runs would")


def of_repeats(scores: Scores, df: float, steady: Sequence[str], *, whole: bool = False) -> list[str]:
    """Return what to know about intervals for other repeats, or why there are none.

    Parameters
    ----------
    scores, df
        The table, and by how many repeats errors are known.
    steady
        Systems that never vary.
    whole
        Whether runs are drawn as a whole.
    """
    once = [task.name for task in scores.tasks if task.weight > 0 and not (task.repeats and task.repeats.several)]
    if len({name for name in drawn_as(scores.tasks, "repeats") if name is not None}) == 1:
        fate = ": run once, which shows no spread; run it again or leave it out (--tasks '!NAME')"
        return [Doubt(with_names("no intervals: ", once, fate))]
    if df < LEAST_FREEDOM and whole:
        return [Doubt(f"no intervals: {_RUNS_DIFFER}, and are too few to show by how much; run more")]
    if df < LEAST_FREEDOM:
        return [Doubt("no intervals: repeats differ on too few instances to show how other repeats would score")]
    notes = ["intervals are for other repeats of the same instances; other instances would change more"]
    notes += [f"{_RUNS_DIFFER}, so whole runs are drawn"] if whole else []
    if steady:
        notes.append(with_names("", steady, ": all repeats of an instance score alike, so intervals are too narrow"))
    if once:
        notes.append(with_names("", once, ": run once, so drawn as tasks"))
    if any(task.clusters is not None for task in scores.tasks):
        notes.append("clusters play no part where repeats are drawn")
    return notes


def _drawn(task: Task) -> int:
    """Return how many units a task has: instances, or their clusters."""
    return task.n_instances if task.clusters is None else len(task.clusters)


def of_clusters(scores: Scores) -> list[str]:
    """Say that clusters are drawn and not instances, and what is odd about them; nothing where there are none."""
    tasks = [task for task in scores.tasks if task.clusters is not None]
    if not tasks:
        return []
    groups = [units for units in units_among(scores.tasks) if units.clusters is not None]
    number = sum(units.number for units in groups)
    notes = [f"{how_many(number, 'cluster')} of instances {'count as one draw each' if number > 1 else 'is one draw'}"]
    spanning: dict[str, None] = {}
    for units in groups:
        own = same_instances([scores.tasks[index] for index in units.tasks])
        of_sets = [scores.tasks[units.tasks[some[0]]].clusters for some in own]
        times = Counter(name for clusters in of_sets if clusters is not None for name in clusters.names)
        spanning |= dict.fromkeys(name for name in units.clusters or () if times[name] > 1)
    if spanning:
        several = "clusters in several tasks with different instances: "
        each = "; each is one draw; label them apart if unrelated"
        notes.append(with_names(several, list(map(repr, spanning)), each, most=3))
    return notes


def of_numbers(scores: Scores) -> list[str]:
    """Say that a few instances of several tasks are drawn as the same, if scores do not show that they are."""
    units, told = units_among(scores.tasks), any(task.family is not None for task in scores.tasks)
    shared = sum(group.number for group in units if len(group.tasks) > 1)
    if told or not shared or sum(group.number for group in units) > FLIPPED_UNITS:
        return []
    if len(units_among(scores.with_families(False).tasks)) == len(units):
        return []
    alike = f"{how_many(shared, 'instance')} are numbered alike in several tasks, so drawn together"
    return [f"{alike}; if they are not the same: families=False (--family none)"]


def about_lost(method: Method) -> str:
    """Say what to do if too many replicates could not be ranked."""
    if "prior" in method.options:
        return "set prior=1 in MethodSpec (--prior 1)"
    return "they draw nothing with scores and weight; leave out tasks that lack either"


def of_pairs(scores: Scores, level: str, compared: Floats) -> list[str]:
    """Return what to know of comparisons of pairs; `compared` is their number, `(N, N)`."""
    notes = []
    n_systems = len(compared)
    pairs = n_systems * (n_systems - 1) // 2
    if never := pairs - np.count_nonzero(compared) // 2:
        notes.append(f"{never} of {pairs} pairs of systems are never scored together, so their order stays open")
    if level == "task":
        notes += family_notes(scores.tasks)
    if level not in {"one", "balanced"}:
        return notes
    if alike := [scores.tasks[group[0]].instances for group in same_instances(scores.tasks) if len(group) > 1]:
        sets = f"{how_many(len(alike), 'set')} of instances in several tasks"
        apart = "; if only numbered alike: families=False (--family none)" if any(map(numbered, alike)) else ""
        notes.append(f"{sets}: all comparisons on one instance count as one draw{apart}")
    return [*notes, *of_clusters(scores)]
