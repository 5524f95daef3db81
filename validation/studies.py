"""What is simulated: groups of worlds that make one row of a table each."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any

import allocations
import battles
import frontiers
import hidden
import histories
import judged
import judges
import moderated
import nulls
import orders
import plans
import prompted
import related
import slices
import stepdown
import styled
import subsets
import truths
import verdicts
import winners
from analyses import Against, Drawn, Measured, Rare, Tried
from paired import Paired, Treated
from recovery import Answered
from recovery import sections as of_abilities
from rerun import Rerun, Single
from section import Row, Section
from splitting import Weighted, equal
from suites import sections as of_suites
from trials import Dueled, Ranked
from truths import Clustered, Led, SameItems, Skewed, World
from units import sections as of_units
from watching import sections as of_watching

__all__ = ["SECTIONS", "WANTED", "Row", "Section"]

#: Between what a verdict should lie, on average over worlds.
WANTED = {
    "score": (0.93, 0.97),
    "difference": (0.93, 0.97),
    "coefficient": (0.93, 0.97),
    "rank": (0.95, 1.0),
    "joint": (0.95, 1.0),
    "parted": (0.0, 0.05),
    "mistaken": (0.0, 0.05),
    "best": (0.95, 1.0),
    "three": (0.95, 1.0),
    "apart": (0.0, 1.0),
    "own": (0.95, 1.0),
    "stated": (0.0, 1.0),
    "flips": (0.0, 1.0),
    "enough": (0.0, 1.0),
    "fewer": (0.0, 0.0),
    **dict.fromkeys(("alone", "alike"), (0.0, 1.0)),
    "modelled": (0.0, 1.0),
    "related": (0.93, 1.0),
    "stepwise": (0.0, 1.0),
    "pair": (0.95, 1.0),
    "pairs": (0.95, 1.0),
    "below": (0.45, 0.55),
    "winner": (0.93, 1.0),
    "naive": (0.0, 1.0),
    "corrected": (0.0, 1.0),
    "planned": (0.79, 0.81),
    "summary": (0.93, 1.0),
    "prediction": (0.93, 1.0),
    "tau2": (0.93, 0.98),
    **dict.fromkeys(("normal", "hartung", "adhoc", "mandel", "robust", "bootstrap", "unweighted"), (0.93, 1.0)),
    "length": (0.0, inf),
    **dict.fromkeys(("noise", "noise_adhoc", "noise_plain", "noise_normal"), (0.0, 0.07)),
    **dict.fromkeys(("sign", "signed", "holm", "nemenyi"), (0.0, 0.05)),
    "student": (0.93, 1.0),
    "surely": (0.0, 1.0),
    "friedman": (0.0, 0.06),
    "difficulty": (0.95, 1.0),
    "order": (-1.0, 1.0),
    "precision": (0.9, 1.0),
    "recall": (0.0, 1.0),
    "accused": (0.0, 1.0),
    "surprised": (0.0, 0.06),
    "plain": (-1.0, 1.0),
    **dict.fromkeys(("imputed", "direct", "average", "model"), (-1.0, 1.0)),
    "share": (0.95, 1.0),
    "verdict": (0.95, 1.0),
    "steadier": (0.0, 0.05),
    "suite": (0.93, 1.0),
    **dict.fromkeys(("shipped", "blocked"), (0.0, 0.05)),
    **dict.fromkeys(("found", "usual"), (0.0, 1.0)),
    "power": (0.0, 1.0),
    "smallest": (0.77, 0.83),
    "erred": (0.0, 0.05),
    "decided": (0.0, 1.0),
    "spent": (0.0, 1.0),
    **dict.fromkeys(("invented", "frontier", "lucky"), (0.0, 0.05)),
    **dict.fromkeys(("foretold", "in_part"), (0.93, 0.97)),
    **dict.fromkeys(("beside_people", "after_errors"), (0.92, 1.0)),
    "calibrated": (0.93, 1.0),
    "favour": (0.0, 0.05),
    "sliced": (0.0, 0.05),
    "shrunk": (0.93, 1.0),
    "noticed": (0.0, 1.0),
    **dict.fromkeys(("as_repeats", "as_tasks"), (0.0, 1.0)),
    "tau": (0.93, 1.0),
    "related_orders": (0.0, 0.06),
    "families": (0.0, 0.05),
    "expected": (-0.05, 0.05),
    "runs": (0.93, 0.97),
    **dict.fromkeys(("ran", "robin", "looked"), (0.0, 1.0)),
    "saved": (-inf, 1.0),
    **dict.fromkeys(("chosen", "strict"), (0.0, 0.05)),
}


def _instances() -> Iterator[Row]:
    for missing in (0.0, 0.2):
        for systems in (4, 10):
            for tasks in (1, 5):
                for instances in (20, 100, 500):
                    if missing and (systems, tasks) not in ((4, 1), (10, 5)):
                        continue
                    # in the middle of the grid every φ; elsewhere equal systems and a few that are near
                    steps = (0.0, 0.01, 0.05, 0.1) if instances == 100 and not missing else (0.0, 0.05)
                    worlds = [World(systems, tasks, instances, step, missing=missing) for step in steps]
                    label = f"N {systems}, T {tasks}, K {instances}" + (f", {missing:.0%} missing" if missing else "")
                    yield Row(f"mean, {label}", tuple(Ranked(world, "mean", truths.true_mean) for world in worlds))
                    borda = tuple(Ranked(world, "borda", truths.expected_share, level="one") for world in worlds)
                    yield Row(f"borda (one-level), {label}", borda)


def _tasks() -> Iterator[Row]:
    for tasks in (6, 10, 20, 50):
        for method, truth in (
            ("mean", truths.true_mean),
            ("borda", truths.true_share),
            ("median", truths.true_mean),
            ("iqm", truths.true_mean),
        ):
            worlds = [World(5, tasks, 0, step, spread=1.0) for step in (0.0, 0.3)]
            trials = tuple(Ranked(world, method, truth, replicates=600) for world in worlds)
            yield Row(f"{method}, N 5, T {tasks}", trials)
            if method in ("mean", "borda"):
                trials = tuple(replace(trial, world=replace(trial.world, systems=10)) for trial in trials)
                yield Row(f"{method}, N 10, T {tasks}", trials)


def _tasks_of_instances() -> Iterator[Row]:
    for units in ("tasks", "both"):
        for tasks in (10, 20):
            level: Any
            for method, level, truth in (("mean", None, truths.true_mean), ("borda", "one", truths.true_share)):
                worlds = [World(4, tasks, 50, step, spread=0.3) for step in (0.0, 0.1)]
                trials = tuple(Ranked(world, method, truth, level=level, units=units) for world in worlds)
                name = method if level is None else f"{method} (one-level)"
                yield Row(f"units {units!r}, {name}, N 4, T {tasks}, K 50", trials)


def _duels() -> Iterator[Row]:
    for systems, tasks, instances, missing in ((4, 1, 20, 0.0), (10, 1, 100, 0.0), (10, 5, 20, 0.2), (10, 5, 500, 0.2)):
        worlds = [World(systems, tasks, instances, step, missing=missing) for step in (0.0, 0.05, 0.1)]
        label = f"N {systems}, T {tasks}, K {instances}" + (f", {missing:.0%} missing" if missing else "")
        yield Row(label, tuple(map(Dueled, worlds)))
    for systems, instances in ((4, 20), (4, 100), (10, 50)):
        metrics = tuple(Dueled(SameItems(systems, 17, instances, step)) for step in (0.0, 0.05, 0.2))
        yield Row(f"N {systems}, 17 metrics of the same {instances} items, correlation 0.9", metrics)


def _three() -> Iterator[Row]:
    for instances in (20, 100, 500):
        worlds = [World(10, 1, instances, step) for step in (0.0, 0.02, 0.1)]
        led = [Led(10, 1, instances, step) for step in (0.01, 0.1)]
        level: Any
        for method, level in (("mean", None), ("borda", "one")):
            name = method if level is None else f"{method} (one-level)"
            trials = [Ranked(world, method, truths.true_mean, level=level) for world in (*worlds, *led)]
            yield Row(f"{name}, N 10, K {instances}, equal steps", tuple(trials[:3]), worlds=200)
            yield Row(f"{name}, N 10, K {instances}, two far ahead", tuple(trials[3:]), worlds=400)
    for tasks in (12, 40):
        for method in ("mean", "borda"):
            worlds = [World(10, tasks, 0, step, spread=1.0) for step in (0.0, 0.1, 0.3)]
            trials = [Ranked(world, method, truths.true_mean, replicates=600) for world in worlds]
            yield Row(f"{method}, N 10, T {tasks}", tuple(trials), worlds=100)


def _strengths() -> Iterator[Row]:
    for instances in (20, 100):
        world = World(4, 1, instances, 0.1)
        trial = Ranked(world, "bradley-terry", truths.true_strength, replicates=200)
        yield Row(f"bradley-terry, N 4, T 1, K {instances}", (trial,), worlds=100)


def _steps() -> Iterator[Row]:
    for step in (0.0, 0.05, 0.1):
        for instances in (100, 500):
            world = World(4, 5, instances, step)
            trial = Ranked(world, "borda", truths.true_order, level="two")
            yield Row(f"borda (two-level), N 4, T 5, K {instances}, φ {step:g}", (trial,))
    for systems, tasks in ((4, 1), (4, 20), (10, 5)):
        trial = Ranked(World(systems, tasks, 100, 0.0), "borda", truths.true_order, level="two")
        yield Row(f"borda (two-level), N {systems}, T {tasks}, K 100, φ 0", (trial,))


def _averages() -> Iterator[Row]:
    for method in ("median", "iqm"):
        for instances in (20, 100):
            trial = Ranked(World(4, 5, instances, 0.05), method, truths.true_mean)
            yield Row(f"{method}, N 4, T 5, K {instances}", (trial,))


def _shrunk() -> Iterator[Row]:
    for instances in (20, 100, 500):
        world = World(10, 5, instances, 0.05, missing=0.2)
        yield Row(
            f"borda (one-level), N 10, T 5, K {instances}, 20% missing, against complete ballots",
            (Ranked(world, "borda", truths.true_share, level="one"),),
        )


def _groups() -> Iterator[Row]:
    for distance in (0.2, 0.5, 1.0, 2.0):
        world = World(10, 1, 100, distance, groups=True)
        yield Row(
            f"mean, two groups of 5 at a distance of {distance:g}, K 100", (Ranked(world, "mean", truths.true_mean),)
        )


#: How variances of effects differ: evenly in log, in halves, in one precise task, in one blunt one.
_FORMS = {"even": "evenly", "half": "in halves", "precise": "one precise", "blunt": "one blunt"}


def _pooled() -> Iterator[Row]:
    unlike = [(1, "even"), *((ratio, form) for ratio in (10, 100) for form in ("even", "half", "precise", "blunt"))]
    for ratio, form in unlike:
        for k in (3, 5, 10, 50):
            for tau2 in (0.0, 0.25, 1.0, 4.0) if ratio != 10 else (0.25, 1.0):
                yield Row(_cell(ratio, form, k, tau2), (Drawn(k, tau2, ratio, form),), worlds=100)
    for k, ratio in ((2, 50), (4, 150), (5, 200), (10, 450), (20, 950), (50, 1000)):
        for form in ("precise",) if k == 2 else ("half", "precise", "two precise"):
            for tau2 in (0.25, 1.0):
                yield Row(_cell(ratio, form, k, tau2), (Drawn(k, tau2, ratio, form),), worlds=100)
    for ratio in (1, 10):
        for tau2 in (0.0, 0.25, 4.0):
            yield Row(_cell(ratio, "even", 2, tau2), (Drawn(2, tau2, ratio, "even"),), worlds=100)


def _tried() -> Iterator[Row]:
    for form in ("even", "half", "precise", "blunt"):
        for k in (3, 5, 10, 30):
            for tau2 in (0.25, 1.0, 4.0):
                yield Row(_cell(100, form, k, tau2), (Tried(k, tau2, 100, form),), worlds=25)


def _against() -> Iterator[Row]:
    for ratio in (1, 100):
        for k in (3, 5, 10, 30):
            for tau2 in (0.0, 1.0):
                for systems in (3, 20):
                    label = f"N {systems}, {_cell(ratio, 'precise' if ratio > 1 else 'even', k, tau2)}"
                    yield Row(label, (Against(systems, k, tau2, ratio),), worlds=100)


def _cell(ratio: int, form: str, k: int, tau2: float) -> str:
    unlike = f"1 : {ratio:,}" + (f" {_FORMS.get(form, form)}" if ratio > 1 else "")
    return f"variances {unlike}, k {k}, τ² {tau2:g}"


def _measured() -> Iterator[Row]:
    for kind in ("md", "smd", "rd"):
        for k in (5, 10, 30):
            for tau in (0.0, 0.05):
                yield Row(f"{kind}, k {k}, τ {tau:g}", (Measured(kind, k, tau),))


def _rare() -> Iterator[Row]:
    for k, size in ((5, 30), (10, 30), (30, 30), (10, 100), (30, 100), (30, 1000)):
        yield Row(f"k {k}, K {size}, fails on 3%", (Rare(k, size, 1.0), Rare(k, size, 0.8)))
    for k, size in ((10, 50), (30, 50), (30, 200)):
        yield Row(f"k {k}, K {size}, fails on 3 ± 1.5%", (Rare(k, size, 0.9, spread=0.5),))
        yield Row(f"k {k}, K {size}, right on 99 and 96%", (Rare(k, size, 0.99, 0.96, paired=False),))
    for k, size in ((5, 50), (30, 50), (30, 200)):
        for right, other in ((0.7, 0.65), (0.9, 0.93)):
            label = f"k {k}, K {size}, right on {right:.0%} and {other:.0%}"
            yield Row(label, (Rare(k, size, right, other, paired=False),))


def _paired() -> Iterator[Row]:
    for noise in ("normal", "ties", "skewed"):
        for tasks in (5, 6, 8, 10, 20):
            yield Row(f"{noise}, T {tasks}", (Paired(tasks, noise),), worlds=30)


def _treated() -> Iterator[Row]:
    for systems in (3, 5, 10, 30):
        for tasks in (6, 14):
            for noise in ("normal", "ties"):
                yield Row(f"{noise}, N {systems}, T {tasks}", (Treated(systems, tasks, noise),), worlds=800)


def _skewed() -> Iterator[Row]:
    for noise in ("lognormal", "exponential", "heavy tails", "80% right", "97% right"):
        for tasks, instances in ((1, 20), (1, 50), (1, 200), (5, 20), (5, 100)):
            trial = Ranked(Skewed(5, tasks, instances, 0.0, noise=noise), "mean", truths.skewed_mean, replicates=1000)
            yield Row(f"mean, {noise}, T {tasks}, K {instances}", (trial,))


def _answered() -> Iterator[Row]:
    for mean, spread in ((1.5, 0.3), (1.5, 0.5), (1.0, 0.3)):
        for missing in (0.0, 0.3):
            for systems in (10, 20, 50, 100):
                label = f"discriminations {mean:g} on average, ± {spread:g} in log, N {systems}"
                trial = Answered(systems, mean, spread, missing)
                yield Row(label + (f", {missing:.0%} missing" if missing else ""), (trial,), worlds=20)


def _weighted() -> Iterator[Row]:
    for label, kinds in (
        ("", {}),
        (", five difficulties", {"tied": True}),
        (", confidences", {"own": True}),
        (", 20% missing", {"missing": 0.2}),
    ):
        for instances in (50, 200, 1000):
            yield Row(f"K {instances}{label}", (Weighted(instances, **kinds),), worlds=200)
    for weights in ("linear", "square"):
        for systems, instances in ((3, 20), (3, 30), (5, 30), (5, 200), (20, 50)):
            label = f"N {systems}, K {instances}, all equal, weights {weights}"
            yield Row(label, (Weighted(instances, equal(systems), weights),))
    for systems, instances in ((5, 30), (5, 200), (20, 50)):
        label = f"N {systems}, K {instances}, all equal, confidences"
        yield Row(label, (Weighted(instances, equal(systems), own=True),))
    for instances in (50, 200):
        label = f"N 5, K {instances}, all equal, 95% right"
        yield Row(label, (Weighted(instances, equal(5, 0.99, 0.91)),))
    yield Row("N 5, K 60, all equal, 20% missing", (Weighted(60, equal(5), missing=0.2),))


def _clustered() -> Iterator[Row]:
    for clusters in (12, 30, 100):
        for alike in (0.0, 0.5):
            for uneven in (False, True):
                worlds = [
                    Clustered(5, 1, 8 * clusters, step, clusters=clusters, alike=alike, uneven=uneven)
                    for step in (0.0, 0.1)
                ]
                label = f"{clusters} {'unequal' if uneven else 'equal'} clusters, ρ {alike:g}"
                yield Row(f"mean, {label}", tuple(Ranked(world, "mean", truths.true_centre) for world in worlds), 200)
                if alike:
                    borda = tuple(Ranked(world, "borda", truths.true_share, level="one") for world in worlds)
                    yield Row(f"borda (one-level), {label}", borda, 200)
                    yield Row(f"pairs, {label}", tuple(map(Dueled, worlds)), 200)
    for repeats in (1, 4, 16):
        worlds = [Clustered(5, 2, 60, step, repeats=repeats) for step in (0.0, 0.1)]
        label = f"no clusters, {repeats} repeat{'s' if repeats > 1 else ''}"
        yield Row(f"mean, {label}", tuple(Ranked(world, "mean", truths.true_centre) for world in worlds), 200)
    for clusters in (12, 30, 100):
        for uneven in (False, True):
            worlds = [
                Clustered(5, 1, 8 * clusters, step, clusters=clusters, alike=0.2, uneven=uneven) for step in (0.0, 0.1)
            ]
            label = f"{clusters} {'unequal' if uneven else 'equal'} clusters, ρ 0.2"
            yield Row(f"mean, {label}", tuple(Ranked(world, "mean", truths.true_centre) for world in worlds), 200)
            borda = tuple(Ranked(world, "borda", truths.true_share, level="one") for world in worlds)
            yield Row(f"borda (one-level), {label}", borda, 200)


def _rerun() -> Iterator[Row]:
    for method in ("mean", "borda"):
        for instances, repeats in ((30, 3), (60, 3), (60, 16), (200, 3)):
            for right in ((1.0, 1.0), (0.3, 0.3), (9.0, 0.5), None):
                equal = Rerun(6, instances, repeats, right, method=method)
                scores = "normal" if right is None else f"Beta({right[0]:g}, {right[1]:g})"
                label = f"{method}, K {instances}, R {repeats}, {scores}"
                yield Row(label, (equal, replace(equal, gap=0.2, own=1.0)), worlds=200)
    for statistic, repeats in (("pass@2", 3), ("pass@2", 16), ("pass@5", 6), ("pass^3", 5), ("majority", 5)):
        for right in ((1.0, 1.0), (0.3, 1.5), (1.5, 0.3)):
            trial = Rerun(6, 60, repeats, right, statistic=statistic)
            label = f"mean of {statistic}, K 60, R {repeats}, Beta({right[0]:g}, {right[1]:g})"
            yield Row(label, (trial,), worlds=200)


def _single() -> Iterator[Row]:
    for right in (True, False):
        for systems, instances, repeats in ((2, 20, 2), (2, 100, 4), (8, 5, 2), (8, 20, 2), (8, 100, 4)):
            for together in (0.0, 0.5):
                trials = tuple(Single(systems, instances, repeats, right, together, unequal) for unequal in (0.0, 0.3))
                runs = "runs with labels" if together else "repeats"
                label = f"N {systems}, K {instances}, {repeats} {runs}, {'0/1' if right else 'logistic'}"
                yield Row(label, trials[:1], worlds=300)
                yield Row(f"{label}, 30% missing", trials[1:], worlds=300)


SECTIONS = (
    Section(
        "Instances are drawn",
        "The default where there are instances. T tasks of K instances each; φ between 0 (all N systems equal) "
        "and 0.1. With missing scores the Borda score is compared with its own expectation, in which a missing "
        "score counts as its expectation. What that does is shown below.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_instances()),
    ),
    Section(
        "Bradley–Terry",
        "With Gumbel scores it is the true model. There are fewer worlds, because every replicate needs its own fit.",
        ("score", "difference", "rank", "joint"),
        tuple(_strengths()),
    ),
    Section(
        "Tasks are drawn",
        "Tables of tasks: each system's result on a task is normal around its own mean. Intervals are about other "
        "tasks of the same kind.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_tasks()),
    ),
    Section(
        "Tasks with instances are drawn",
        "Tasks are a sample, and so are their instances. Drawing tasks alone is right here: task results already "
        "vary with their instances. Drawing both counts that part of the variance twice, so these intervals are "
        "too wide. How much too wide depends on how noisy a task result is.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_tasks_of_instances()),
    ),
    Section(
        "Hoeffding intervals of pairs",
        "`podium.pairwise`: of each pair alone, and of all pairs together. They hold for any distribution and "
        "any number of comparisons. The price is that they are wide.",
        ("pair", "pairs"),
        tuple(_duels()),
    ),
    Section(
        "Steps: two-level Borda",
        "Inside a task the score is an order, so with more and more instances it jumps to 0, ⅓, ⅔, 1, or stays a coin "
        "flip where systems are equal. It is compared with this limit (½ for equal systems). With few instances the "
        "interval is about the order that so many instances give, not about the limit. Ranks and tiers "
        "are promised, and are compared with the truth as for every other method.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_steps()),
        unpromised=("score", "difference"),
    ),
    Section(
        "Kinks: median and interquartile mean over tasks that are all alike",
        "Where all tasks have the same true mean, the bootstrap of their median is known not to converge. This "
        "is what it does with five tasks.",
        ("score", "difference", "rank", "joint"),
        tuple(_averages()),
        unpromised=("score", "difference"),
    ),
    Section(
        "Missing scores pull Borda towards ½",
        "The same intervals as above, compared with what complete ballots would give. A missing score is replaced "
        "by its expectation given an unknown place. So differences shrink while their order stays. Intervals of "
        "*scores* are about the incomplete table. Ranks are about the systems.",
        ("score", "difference", "rank", "joint"),
        tuple(_shrunk()),
        unpromised=("score", "difference"),
    ),
    Section(
        "Tiers of two groups",
        "How often two equal systems are in different tiers although no comparison is wrong. A tier ends where *some* "
        "system of it is separated, so a group at its lower edge may be cut. No promise is made about this last "
        "column.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_groups()),
        unpromised=("parted",),
    ),
    Section(
        "Effects are pooled",
        "`podium.comparison.pooling.pool` by default: τ² by `reml`, interval `satterthwaite`. A world is 1,000 "
        "analyses of k effects, normal around a true mean with variance τ² from task to task. Their sampling variances "
        "are known, and their typical one (that of I²) is 1. The largest is 1, 10, 100 or more times the smallest: "
        "evenly in log; half of them small and half large; one or two small (precise) and all others large; or one "
        "large (blunt) and all others small. The last rows have the largest ratios without a note. At τ² = 0 an "
        "interval of τ² can only be too high, so 97.5% hold. For each analysis one effect on a new task is drawn.",
        ("summary", "prediction", "tau2"),
        tuple(_pooled()),
    ),
    Section(
        "Effects are pooled, in other ways",
        "The same where variances differ 1 : 100. First the default, then other intervals: normal, as in most papers; "
        "plain Knapp–Hartung (`knapp-hartung`); with a factor of 1 or more (`adhoc`, as in metafor), also with τ² by "
        "Paule–Mandel (`pm`); the robust variance CR2 with each task a cluster and Satterthwaite's degrees of freedom; "
        "a parametric bootstrap of the studentised mean, in 199 replicates of 25 analyses; and Student's interval of "
        "the plain mean, which does not weigh. The last column is the median length by default, over that of `adhoc`, "
        "× 100. No promise is made about the others.",
        (
            "summary",
            *(other := ("normal", "hartung", "adhoc", "mandel", "robust", "bootstrap", "unweighted", "length")),
        ),
        tuple(_tried()),
        unpromised=other,
    ),
    Section(
        "Effects are measured and pooled",
        "From scores to summary, all by default. Two systems are scored on k tasks of 50 to 2,000 instances, evenly in "
        "log; the treatment gains 0.05 on average, with standard deviation τ from task to task: of normal scores with "
        "standard deviation 1 (`md`, `smd`), or of chances of being right (`rd`), which are 60 to 80% for the control. "
        "The two scores of an instance correlate. Sampling variances are estimated here too.",
        ("summary", "prediction", "tau2"),
        tuple(_measured()),
        unpromised=("prediction",),
    ),
    Section(
        "Difficulties are fitted",
        "`podium.response.fit.fit_item_response`, on 1,000 instances that are right or wrong by the "
        "two-parameter logistic model, abilities and difficulties from N(0, 1), discriminations lognormal. Numbers "
        "are no shares here, but correlations × 100: of fitted with true difficulties, of their ranks, and of the "
        "ranks of mean scores with the true ranks, which needs no model. No promise is made, because the number of "
        "systems and how well instances separate them limit what can be known: ten systems give difficulties, "
        "whose standard deviation is 1, to about ± 0.5 in the best of these worlds. Where all systems are scored "
        "on all instances, mean scores order them about as well as the model does, unless discriminations are very "
        "unequal. Where scores are missing, the model knows which systems were scored and does a little better. It "
        "also says how hard instances are, and how well they separate systems.",
        ("difficulty", "order", "plain"),
        tuple(_answered()),
        unpromised=("difficulty", "order", "plain"),
    ),
    Section(
        "Leaderboards are weighted by difficulty",
        "`podium.customize`: seven equal splits, weights 1 to 7, reward 1, penalty -1. Five systems, some "
        "better on easy instances and some on hard ones, on K instances drawn from endlessly many. Difficulties are "
        "uniform or of five values; or each system is split by its own confidences. The sample decides where splits "
        "end, and every replicate decides anew. Or all of N systems are equal; square weights are 1 to 49.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_weighted()),
    ),
    *nulls.sections(),
    Section(
        "Instances come in clusters, or are repeated",
        "Normal scores of five systems, φ 0 and 0.1, on clusters of 8 instances on average, of equal size or of sizes "
        "that differ as exponential numbers do. A cluster is hard for all systems alike, and departures of a system "
        "from that correlate by ρ inside it. Clusters are drawn whole. Or 60 instances on each of two tasks, run 1 to "
        "16 times, where repeats vary as much as instances. With 12 unequal clusters some tables have no intervals.",
        ("score", "difference", "rank", "joint", "parted", "pair", "pairs"),
        tuple(_clustered()),
    ),
    Section(
        "Scores are skewed",
        "Means of scores that are far from normal, of five equal systems. Scores of 0 and 1 take few values, so no "
        "interval covers exactly 95%: podium's are on the safe side.",
        ("score", "difference", "parted"),
        tuple(_skewed()),
    ),
    *hidden.sections(),
    Section(
        "As many instances as planned",
        "`podium.plan` says by how many instances two systems are separated with a chance of 80%. A pilot of 400,000 "
        "instances, so large that its differences are nearly the true ones, plans for two systems in the middle. "
        "Then new tables of this size are drawn. Systems are equal steps apart.",
        ("planned",),
        tuple(plans.rows()),
    ),
    Section(
        "The winner was lucky",
        "Whoever is first has probably been lucky, so its score is too high: of equal systems nearly always. Corrected "
        "for having won, it should be too low as often as too high, and its interval should hold. Systems are equal if "
        "nothing else is said. Nothing is corrected where several are first, with fewer than ten units, with a step of "
        "the score above half its standard error, or where scores are very skewed.",
        ("below", "winner", "naive", "corrected"),
        tuple(winners.rows()),
        unpromised=("naive", "corrected"),
    ),
    Section(
        "The same instances are run again",
        '`units="repeats"`: K instances, on which repeats of six systems are right with a chance that is drawn from '
        "Beta(a, b) for each instance, or have normal scores. Intervals are about what R repeats of the same instances "
        "give on average. Either all systems are equal on every instance, or each is ahead of the next by 0.2 in "
        "log-odds and departs from that by N(0, 1) on each. Where instances are nearly all right, a few repeats say "
        "little: most of their runs agree, and errors look smaller than they are.",
        ("score", "difference", "rank", "joint", "parted"),
        tuple(_rerun()),
    ),
    Section(
        "Two systems with one score per task",
        "`podium.compare_task_scores`, two systems that are equal: how often a test at 5% finds a difference. "
        "Differences are normal, normal and rounded to whole numbers (ties and zeros), or lognormal with random signs; "
        "50 of them are a world. Rank tests are exact, so they are on the safe side where few p-values are possible. "
        "So are t intervals where tails are long. No promise is made about the Bayesian signed-rank test, here without "
        "a region of equivalence: 10% of its larger chances would be above 95% if it were as sure as it says.",
        ("sign", "signed", "student", "surely"),
        tuple(_paired()),
        unpromised=("surely",),
    ),
    Section(
        "Many systems with one score per task",
        "The same of N equal systems, one of them the control, on T tasks: how often any treatment differs by Holm's "
        "p-values of Wilcoxon's test, how often Friedman's test says that systems differ, and how often any two mean "
        "ranks differ by more than Nemenyi's critical difference.",
        ("holm", "friedman", "nemenyi"),
        tuple(_treated()),
    ),
    Section(
        "The best three",
        "`top(3)` should hold the three best systems. Of systems that are equal to the third any will do. Systems are "
        "equal steps apart, 0 to 0.3; or two of ten are far ahead, and the third is just ahead of seven equal ones, "
        "which is hardest.",
        ("three",),
        tuple(_three()),
    ),
    Section(
        "Pairs told apart, against Holm",
        "Systems are equal steps apart. podium should never separate fewer pairs than Holm's stepwise tests do, with "
        "Student's p-values of the same differences by the same standard errors. The first column says in how many "
        "worlds it separates fewer. The others say how many pairs each separates.",
        ("fewer", "apart", "stepwise"),
        tuple(stepdown.rows(few=False)),
        unpromised=("apart", "stepwise"),
    ),
    Section(
        "Pairs told apart, against Holm, few instances",
        "The same with at most 50 instances, where an exact test must separate a pair too. No promise is made.",
        ("fewer", "apart", "stepwise"),
        tuple(stepdown.rows(few=True)),
        unpromised=("fewer", "apart", "stepwise"),
    ),
    *battles.sections(),
    *related.sections(),
    Section(
        "Many systems are pooled against one",
        "`podium.compare_all`: N systems that are equal on average, one of them the control, whose scores all effects "
        "have in common. How often any of them differs by Holm's p-values. Variances as above, one task precise.",
        ("holm",),
        tuple(_against()),
    ),
    *moderated.sections(),
    Section(
        "Failures are rare",
        "`podium.compare` by default, two systems on k tasks of K instances. The control is right on 80 or 100%; the "
        "treatment is right on the same, and fails on 3% of them, or on shares from a gamma distribution with mean 3% "
        "and standard deviation 1.5%. Or both answer by themselves. The last rows are usual ones, in which weights may "
        "differ: equal weights there would be a waste. No promise is made about how often weights are equal.",
        ("summary", "prediction", "alike"),
        tuple(_rare()),
        unpromised=("prediction", "alike"),
    ),
    *of_abilities(),
    *verdicts.sections(),
    *histories.sections(),
    *of_units(),
    *of_suites(),
    *of_watching(),
    *frontiers.sections(),
    *orders.sections(),
    *subsets.sections(),
    Section(
        "Two runs of one system",
        "`podium.info`: how often two new runs of a system differ by no more than is said, from two or four runs. With "
        "labels, the instances of a run have half a standard deviation in common.",
        ("runs",),
        tuple(_single()),
    ),
    *allocations.sections(),
    *judged.sections(),
    *judges.sections(),
    *styled.sections(),
    *slices.sections(),
    *prompted.sections(),
)
