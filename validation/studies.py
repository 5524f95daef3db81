"""What is simulated: groups of worlds that make one row of a table each."""

from collections.abc import Iterator
from dataclasses import replace

import hidden
import plans
import truths
import winners
from analyses import Drawn, Measured
from nulls import TABLES, Equal, Shuffled
from paired import Paired, Treated
from recovery import Answered
from rerun import Rerun
from section import Row, Section
from splitting import Weighted
from trials import Dueled, Ranked, Trial
from truths import Clustered, Skewed, World

__all__ = ["SECTIONS", "WANTED", "Row", "Section"]

#: Between what a verdict should lie, on average over worlds.
WANTED = {
    "score": (0.93, 0.97),
    "difference": (0.93, 0.97),
    "rank": (0.95, 1.0),
    "joint": (0.95, 1.0),
    "parted": (0.0, 0.05),
    "mistaken": (0.0, 0.05),
    "best": (0.95, 1.0),
    "apart": (0.0, 1.0),
    "pair": (0.95, 1.0),
    "pairs": (0.95, 1.0),
    "below": (0.45, 0.55),
    "winner": (0.93, 1.0),
    "naive": (0.0, 1.0),
    "corrected": (0.0, 1.0),
    "planned": (0.79, 0.81),
    "summary": (0.93, 0.97),
    "prediction": (0.93, 0.97),
    "tau2": (0.93, 0.98),
    **dict.fromkeys(("sign", "signed", "holm", "nemenyi"), (0.0, 0.05)),
    "student": (0.93, 1.0),
    "surely": (0.0, 1.0),
    "friedman": (0.0, 0.06),
    "difficulty": (0.95, 1.0),
    "order": (-1.0, 1.0),
    "plain": (-1.0, 1.0),
    **dict.fromkeys(("imputed", "direct", "average", "model"), (-1.0, 1.0)),
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


def _pooled(estimator: str, interval: str, *ratios: int) -> Iterator[Row]:
    for ratio in ratios:
        for k in (3, 5, 10, 30):
            for tau2 in (0.0, 0.25, 4.0):
                label = f"{estimator}, {interval}, variances 1 : {ratio}, k {k}, τ² {tau2:g}"
                yield Row(label, (Drawn(k, tau2, estimator, interval, ratio),), worlds=100)


def _measured() -> Iterator[Row]:
    for kind in ("md", "smd", "rd"):
        for k in (5, 10, 30):
            for tau in (0.0, 0.05):
                yield Row(f"{kind}, k {k}, τ {tau:g}", (Measured(kind, k, tau),))


def _equal() -> Iterator[Row]:
    for systems, tasks in ((5, 6), (6, 6), (15, 9), (10, 15), (30, 20), (100, 12), (15, 30), (5, 100)):
        for method in ("borda", "mean"):
            yield _null(f"{method}, N {systems}, T {tasks}", Equal(systems, tasks, 0, method=method))
    yield _null("borda, N 5, T 1000", Equal(5, 1000, 0), worlds=100)
    for method, systems, tasks in (("borda", 15, 9), ("copeland", 6, 12), ("kemeny", 5, 12), ("median", 6, 12)):
        yield _null(f"{method}, N {systems}, T {tasks}, ties", Equal(systems, tasks, 0, "ties", method=method))
    for missing in (0.2, 0.5, 0.8):
        for method in ("borda", "mean"):
            trial = Equal(10, 12, 0, missing=missing, method=method)
            yield _null(f"{method}, N 10, T 12, {missing:.0%} missing", trial)


def _equal_on_instances() -> Iterator[Row]:
    for level in ("balanced", "two"):
        for systems, tasks, instances, alike in ((20, 1, 12, 0), (30, 2, 20, 0), (62, 15, 48, 0.6), (25, 15, 100, 0.9)):
            label = f"borda ({level}), N {systems}, T {tasks}, K {instances}" + (", same items" if alike else "")
            yield _null(label, Equal(systems, tasks, instances, alike=alike, level=level), worlds=200)
    for systems, instances in ((10, 50), (30, 100), (100, 200), (8, 1000)):
        for method in ("borda", "mean"):
            trial = Equal(systems, 1, instances, "right", method=method)
            yield _null(f"{method}, N {systems}, K {instances}, 97% right", trial)
    for instances in (12, 50, 200):
        yield _null(f"mean, N 10, K {instances}, skewed", Equal(10, 1, instances, "skewed", method="mean"))


def _equal_where_few_are_scored() -> Iterator[Row]:
    for tasks, missing in ((60, 0.5), (60, 0.85), (200, 0.95)):
        trial = Equal(10, tasks, 0, missing=missing, method="mean")
        yield _null(f"mean, N 10, T {tasks}, {missing:.0%} missing", trial)
    for way in ("borda", "borda:missing=model", "wins:missing=direct", "mean"):
        for number in (3, 6, 12):
            trial = Equal(6, 1, 60, short=(3, number), method=way)
            yield _null(f"{way}, N 6, K 60, three with {number} scores", trial)
            trial = Equal(10, 60, 0, short=(3, number), method=way)
            yield _null(f"{way}, N 10, T 60, three with {number} scores", trial)


def _apart() -> Iterator[Row]:
    for systems, tasks, group, gap in ((10, 6, 5, 5), (10, 9, 2, 5), (20, 12, 10, 5), (20, 20, 2, 1), (20, 30, 4, 0.7)):
        for method in ("borda", "mean"):
            trial = Equal(systems, tasks, 0, group=group, gap=gap, method=method)
            yield _null(f"{method}, N {systems}, T {tasks}, groups of {group}", trial)
    for level in ("balanced", "two"):
        for systems, tasks, instances, group, gap in ((8, 1, 100, 2, 0.4), (15, 5, 100, 5, 0.3), (20, 3, 30, 10, 0.5)):
            trial = Equal(systems, tasks, instances, group=group, gap=gap, level=level)
            yield _null(f"borda ({level}), N {systems}, T {tasks}, K {instances}, groups of {group}", trial)
    for method in ("borda", "mean"):
        yield _null(f"{method}, N 20, K 200, 97% and 85% right", Equal(20, 1, 200, "right", group=10, method=method))


def _paired() -> Iterator[Row]:
    for noise in ("normal", "ties", "skewed"):
        for tasks in (5, 6, 8, 10, 20):
            yield Row(f"{noise}, T {tasks}", (Paired(tasks, noise),), worlds=30)


def _treated() -> Iterator[Row]:
    for systems in (3, 5, 10, 30):
        for tasks in (6, 14):
            for noise in ("normal", "ties"):
                yield Row(f"{noise}, N {systems}, T {tasks}", (Treated(systems, tasks, noise),), worlds=800)


def _null(label: str, trial: Trial, worlds: int = 400) -> Row:
    return Row(label, (trial,), worlds=worlds)


def _shuffled() -> Iterator[Row]:
    for name in ("DIALOG_pc", "DIALOG_tc", "FLICKR", "SUM_EVAL"):
        table = f"{name}.parquet"
        if (TABLES / table).exists():
            for level in ("balanced", "one", "two"):
                yield _null(f"borda ({level}), {name}", Shuffled(table, level=level))
            yield _null(f"mean, {name}", Shuffled(table, "mean"))
            yield _null(f"copeland (two), {name}", Shuffled(table, "copeland", "two"))
    for name in ("glue", "superglue"):
        table = f"{name}.csv"
        if (TABLES / table).exists():
            for method in ("borda", "mean"):
                yield _null(f"{method}, {name}", Shuffled(table, method))


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
            yield _null(label, trial, worlds=200)


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
        "`podium.comparison.pooling.pool`, which by default estimates τ² by `reml` and makes Knapp–Hartung intervals. "
        "A world is "
        "1,000 analyses of k effects, normal around a true mean with variance τ² from task to task. Their sampling "
        "variances are known and lie around 1, evenly in log; the largest is 1, 10 or 100 times the smallest. At "
        "τ² = 0 an interval of τ² can only be too high, so 97.5% hold. For each analysis one effect on a new task is "
        "drawn. No promise is made about these.",
        ("summary", "prediction", "tau2"),
        (*_pooled("reml", "knapp-hartung", 1, 10, 100), *_pooled("pm", "knapp-hartung", 100)),
        unpromised=("prediction",),
    ),
    Section(
        "Effects are pooled, with normal intervals",
        "The same, as in most papers and in the code released with Sertkan et al. 2023 (`dl`). These intervals treat "
        "τ² as known, but with few tasks it is not. No promise is made about them, and they are not the default.",
        ("summary", "prediction", "tau2"),
        (*_pooled("dl", "normal", 100), *_pooled("reml", "normal", 100)),
        unpromised=("summary", "prediction"),
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
        "`podium.difficulty.response.fit_item_response`, on 1,000 instances that are right or wrong by the "
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
        "end, and every replicate decides anew.",
        ("score", "difference", "rank", "joint"),
        tuple(_weighted()),
    ),
    Section(
        "All systems are equal",
        "The hardest worlds for tiers: nothing that is separated is true. Tables of tasks, tables of instances, "
        "several metrics of the same items that correlate, scores of 0 and 1, ties, skewed scores, holes.",
        ("parted", "best"),
        (*_equal(), *_equal_on_instances(), *_equal_where_few_are_scored()),
    ),
    Section(
        "Systems are equal in groups",
        "The groups are apart, so that many comparisons are rightly made and stepwise methods could be led astray. The "
        "last column says how many of the unequal pairs are separated; no promise is made about it.",
        ("mistaken", "best", "apart"),
        tuple(_apart()),
        unpromised=("apart",),
    ),
    Section(
        "Released tables with their names shuffled",
        "Inside every instance the names of the systems are shuffled, once for all its metrics (of tables of tasks, "
        "inside every task). Real ties, real correlations, and systems that are equal by construction.",
        ("parted", "best"),
        tuple(_shuffled()),
    ),
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
)
