"""Runs that are watched while they come in: whether what is said holds at all looks, and how soon it is said."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from suites import TwoRuns
from trials import Verdict

import podium
from podium.comparison.suite import suite_effect
from podium.gating.watching import Baseline, Bets

Floats = NDArray[np.float64]

Rng = np.random.Generator

#: Units that come, with a look at each.
_LOOKS = 2000

#: Looks at tables.
_SOME_LOOKS = 25


@dataclass(frozen=True)
class Coming:
    """Units of two runs come one by one, and each is looked at.

    Attributes
    ----------
    scores
        "right" (0 or 1), or "real" (between 0 and 1).
    right
        Share that the baseline answers right.
    gain
        By how much the new run is better.
    alike
        Correlation of the two on an item, before scores are cut to 0 and 1.
    uneven
        Whether units are clusters of 1 to 20 items whose answers correlate, else single items.
    margin
        How much worse is still as good.
    """

    scores: str = "right"
    right: float = 0.8
    gain: float = 0.0
    alike: float = 0.5
    uneven: bool = False
    margin: float = 0.02

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, and look at each."""
        differences, sizes = self.drawn(rng)
        size = float(sizes @ sizes)
        bets = Bets(differences, sizes, size=size, confidence=0.95)
        won = [ever(bets, differences, sizes, self.gain, above=above) for above in (True, False)]
        assert [bool(one[-1]) for one in won] == [bets.rejects(self.gain, above=above) for above in (True, False)]  # noqa: S101
        known = [ever(bets, differences, sizes, -self.margin, above=above) for above in (True, False)]
        looks = np.flatnonzero(known[0] | known[1])
        decided = looks.size > 0
        return Verdict(
            erred=float(won[0].any() or won[1].any()),
            decided=float(decided),
            spent=float(looks[0] + 1) / _LOOKS if decided else 1.0,
        )

    def drawn(self, rng: Rng) -> tuple[Floats, Floats]:
        """Differences of units, and how much each counts."""
        if self.scores == "real":
            item, shares = rng.beta(4, 1, _LOOKS), (self.right, self.right + self.gain / 0.8)
            old, new = (item * rng.beta(4 * share, 4 * (1 - share), _LOOKS) for share in shares)
            return new - old, np.ones(_LOOKS)
        items = rng.integers(1, 21, _LOOKS) if self.uneven else np.ones(_LOOKS, dtype=np.int64)
        unit = np.repeat(np.arange(_LOOKS), items)
        item, own = rng.normal(size=unit.size), rng.normal(size=(2, unit.size))
        if self.uneven:
            own = (own + rng.normal(size=(2, _LOOKS))[:, unit]) / np.sqrt(2)
        latent = np.sqrt(self.alike) * item + np.sqrt(1 - self.alike) * own
        before, after = (NormalDist().inv_cdf(share) for share in (self.right, self.right + self.gain))
        moved = (latent[1] < after).astype(np.float64) - (latent[0] < before)
        return np.bincount(unit, weights=moved) / items, items / items.max()


def ever(bets: Bets, differences: Floats, sizes: Floats, mean: float, *, above: bool) -> NDArray[np.bool_]:
    """Whether each look rejects a mean, by adding up bets in the order in which they come."""
    sign = 1 if above else -1
    won = sizes[:, None] * ((1 + sign * differences[:, None]) / (1 + sign * mean) - 1) * bets.shares
    with np.errstate(divide="ignore"):
        stakes = np.cumsum(np.log1p(np.maximum(won, -1.0)), axis=0)
    return np.asarray(np.logaddexp.reduce(bets.weights + stakes, axis=1) >= bets.level)


@dataclass(frozen=True)
class Watching:
    """A table comes in, and `podium.watch` is asked 25 times.

    Attributes
    ----------
    runs
        The two.
    in_turn
        Whether tasks come one after another, otherwise all at once.
    margin
        How much worse is still as good.
    """

    runs: TwoRuns
    in_turn: bool = False
    margin: float = 0.02

    def __call__(self, rng: Rng) -> Verdict:
        """Draw, and look."""
        scores = self.runs.drawn(rng)
        baseline = Baseline(scores.select(systems=["before"]), margin=self.margin)
        row = scores.systems.index("after")
        places = [(task.name, place) for task in scores.tasks for place in range(task.n_instances)]
        coming = places if self.in_turn else [places[number] for number in rng.permutation(len(places))]
        new = {task.name: task.values[row] for task in scores.tasks}
        labels = {task.name: list(map(str, np.asarray(task.instances).tolist())) for task in scores.tasks}
        after: dict[str, dict[str, float]] = {}
        erred, decided, spent = False, False, 1.0
        for look in range(_SOME_LOOKS):
            cuts = [len(coming) * number // _SOME_LOOKS for number in (look, look + 1)]
            for name, place in coming[cuts[0] : cuts[1]]:
                after.setdefault(name, {})[labels[name][place]] = float(new[name][place])
            seen = baseline.look(after)
            erred |= not (np.isnan(seen.low) or seen.low <= self.runs.true_gain <= seen.high)
            if seen.verdict != "go on":
                spent = min(spent, (look + 1) / _SOME_LOOKS)
                decided = True
        return Verdict(erred=float(erred), decided=float(decided), spent=spent)


@dataclass(frozen=True)
class Items:
    """How often a comparison finds a difference, of as many items as `podium.plan_items` asks for."""

    rate: float
    delta: float
    correlation: float

    def __call__(self, rng: Rng) -> Verdict:
        """Draw answers with this correlation."""
        plan = podium.plan_items(100, self.delta, rate=self.rate, correlation=self.correlation)
        better, drawn = (plan.discordant + self.delta) / 2, rng.random(plan.needed)
        new = drawn < self.rate + self.delta
        old = ((drawn >= better) & new) | (~new & (drawn >= 1 - (plan.discordant - better)))
        table = podium.from_arrays({"t": np.array([old, new], dtype=np.float64)}, systems=["old", "new"])
        found = suite_effect(table, "old", "new")
        return Verdict(smallest=float(found.p <= 0.05 and found.effect * self.delta > 0))


def _coming() -> Iterator[tuple[str, Coming]]:
    for right in (0.5, 0.8, 0.9, 0.99):
        yield f"{100 * right:g}% right", Coming(right=right, margin=0.02 if right < 0.99 else 0.005)
    for right in (0.5, 0.9):
        yield f"{100 * right:g}% right, 5% gained", Coming(right=right, gain=0.05)
        yield f"{100 * right:g}% right, 5% lost", Coming(right=right, gain=-0.05)
        yield f"{100 * right:g}% right, margin lost", Coming(right=right, gain=-0.02)
    for gain in (0.0, -0.005, -0.02):
        yield f"80% right, few discordant, {abs(100 * gain):g}% lost", Coming(gain=gain, alike=0.998, margin=0.005)
    for gain in (0.0, -0.02, -0.05):
        yield f"real scores, {abs(100 * gain):g}% lost", Coming("real", 0.7, gain)
        yield f"80% right, clusters of 1 to 20, {abs(100 * gain):g}% lost", Coming(gain=gain, uneven=True)


def _tables() -> Iterator[tuple[str, Watching]]:
    for gain in (0.0, -0.02, -0.06):
        lost = f"{abs(100 * gain):g}% lost"
        for tasks, items in ((1, 1000), (5, 200)):
            yield f"T {tasks}, K {items}, {lost}", Watching(TwoRuns(tasks=tasks, items=items, gain=gain))
        runs = TwoRuns(tasks=6, items=200, gain=gain, uneven=True)
        yield f"T 6, K 50, 150, 450, {lost}", Watching(runs)
        yield f"T 6, K 50, 150, 450, in turn, {lost}", Watching(runs, in_turn=True)
        yield f"T 5, K 200, all shared, {lost}", Watching(TwoRuns(tasks=5, items=200, gain=gain, shared=1.0))
        yield f"100 clusters of 10, {lost}", Watching(TwoRuns(items=1000, gain=gain, cluster=10))


def _items() -> Iterator[tuple[str, Items]]:
    for rate, delta in ((0.5, 0.05), (0.8, 0.02), (0.8, 0.1), (0.8, -0.1), (0.97, 0.02)):
        for correlation in (0.0, 0.5):
            trial = Items(rate, delta, correlation)
            yield f"{100 * rate:g}% right, δ {100 * delta:g}%, ρ {correlation:g}", trial


def sections() -> tuple[Section, ...]:
    """Tables of the page."""
    watched = ("erred", "decided", "spent")
    return (
        Section(
            "A run is watched: 2,000 looks",
            "One look after each of 2,000 items, or clusters. How often the interval is wrong at any look; and at a "
            "margin of 2 percentage points (0.5 of few discordant items, and at 99%), how often it is decided whether "
            "the new run is worse by more, and after what share of the items.",
            watched,
            tuple(Row(label, (trial,), 2000) for label, trial in _coming()),
            unpromised=("decided", "spent"),
        ),
        Section(
            "A run is watched: tables",
            "`podium.watch` looks 25 times at two runs of T tasks while they come in, in random order, or task by "
            "task. The margin is 2 percentage points.",
            watched,
            tuple(Row(label, (trial,), 400) for label, trial in _tables()),
            unpromised=("decided", "spent"),
        ),
        Section(
            "As many items as planned",
            "Two runs are compared on as many items as `podium.plan_items` says find their difference in 80% of cases.",
            ("smallest",),
            tuple(Row(label, (trial,), 1000) for label, trial in _items()),
        ),
    )


def rows() -> Iterator[Row]:
    """Some of them, quick enough for every test run."""
    for label, trial in list(_coming())[::3]:
        yield Row(f"watched, {label}", (trial,), 200)
    for label, table in list(_tables())[6:12]:
        yield Row(f"watched, {label}", (table,), 40)
