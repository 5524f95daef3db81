"""Which scores to add next: a normal model of what is missing, by which each score settles a known amount."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.ranking.intervals import tiers_of
from podium.score.units import LEAST_FREEDOM

#: ρ: variance of what a unit does to all scores (how hard it is), by that of what is left of a single one.
_COMMON = 4.0

#: Completions that are simulated, at least and at most, and pairs of systems in all of them.
_DRAWS, _PAIRS = (20, 100), 10**5

#: By what a variance must fall at least if the ranking does not separate the two yet.
_LEAST_FALL = 0.8

#: Degrees of freedom that the model's variance of a pair counts for.
_COUNTED = 5.0

#: Weight of differences that even all scores would not separate, so that what is left of a budget goes to them.
_HOPELESS = 1e-3

#: Units below which the systems that have fewest come first: before, it is guesswork which of them matters.
_EVEN = 14

#: Steps in which a budget is spent, and of what is left then.
_STEPS = 200


@dataclass(frozen=True, slots=True, eq=False)
class UnitGroup:
    """Units that measure the same part of the score, such as the instances of a task.

    Attributes
    ----------
    scored, costs
        Shape `(U, N)`: which systems are scored on each unit, and what that costs. Units that score nobody are new.
    part
        Shape `(N,)`: what the units add to the score of each system.
    variance
        Of a part by one unit, less what all systems share on it: a part by n units has this by n.
    prior
        Variance of parts between systems.
    """

    scored: Bools
    costs: Floats
    part: Floats
    variance: float
    prior: float


def groups_of(values: Floats, scored: Bools, of: Ints, costs: Floats) -> list[UnitGroup]:
    """Make groups of what units add to scores, and estimate their variances.

    The value of unit u of the U of a group is y_ui = n_i (c_ui − p_i / U), with p_i = Σ_u c_ui the part of system i,
    and n_i how many of the units score it. Their variance is that of residuals after means of units and systems.

    Parameters
    ----------
    values, scored, costs
        Shape `(U, N)`, see `podium.ranking.contributions.Contributions` and `UnitGroup`.
    of
        Shape `(U,)`: the number of the group of each unit.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal([0.0, 1.0, 2.0], 3.0, (2000, 3)) / 2000
    >>> scored = np.ones((2000, 3), dtype=np.bool_)
    >>> (group,) = groups_of(values, scored, np.zeros(2000, dtype=np.int64), np.ones((2000, 3)))
    >>> round(group.variance, 1), group.part.round(1)
    (8.9, array([-0.1,  1.1,  2. ]))
    """
    found: list[tuple[Bools, Floats, Floats, float, float]] = []
    for group in range(int(of.max()) + 1):
        own = of == group
        there, added = scored[own], values[own]
        part, number, both = added.sum(axis=0), there.sum(axis=0), there.sum(axis=1)
        y = np.where(there, number * (added - part / max(np.count_nonzero(both), 1)), 0.0)
        squares = float((y**2).sum() - (y.sum(axis=1) ** 2 / both.clip(1)).sum())
        freedom = float((both - 1).clip(0).sum() - (number > 0).sum() + 1)
        between = float(part[number > 0].var()) if number.any() else 0.0
        part = np.where(scored.any(axis=0), part, part[number > 0].mean() if number.any() else 0.0)
        found.append((there, costs[own], part, squares / freedom if freedom > 0 else np.nan, between))
    known = [variance for *_, variance, _ in found if np.isfinite(variance)]
    usual = float(np.mean(known)) if known else 1.0
    least = 1e-9 * max(usual, float(np.square(values.sum(axis=0)).max()), 1e-300)
    tiny = 1e-6 * least  # where systems are equal and nothing varies, nothing new is expected to settle anything
    return [
        UnitGroup(there, cost, part, max(variance if np.isfinite(variance) else usual, least), max(between, tiny))
        for there, cost, part, variance, between in found
    ]


class _Part:
    """The posterior of the part of one group, given which systems are scored on which units.

    Units that score the same systems at the same costs stand together, in K kinds. What a unit that scores n systems
    shares is known the better the more they are: a score of another one tells of u = e_i − ρ / (1 + n ρ) Σ_j e_j, with
    a precision of (1 + n ρ) / (1 + (n + 1) ρ) by the variance.
    """

    def __init__(self, group: UnitGroup, rng: np.random.Generator) -> None:
        kinds = np.concatenate([group.scored, group.costs], axis=1)
        _, first, of = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
        self.units = [rng.permutation(np.flatnonzero(of.ravel() == kind)) for kind in range(len(first))]
        self.scored, self.costs = group.scored[first], group.costs[first]
        self._variance = group.variance
        known, rest = group.scored.any(axis=0), np.eye(group.part.size) / group.prior
        self.covariance = np.asarray(np.linalg.inv(self._information(self.scored) + rest))
        self.complete = np.linalg.inv(self._information(np.ones_like(self.scored)) + rest)
        centre = group.part[known].mean() if known.any() else 0.0
        off = np.where(known, group.part - centre, 0.0)
        # of a system without scores here, what the ranking expects
        self.mean = np.where(known, centre + off - self.covariance @ off / group.prior, group.part)

    def _information(self, scored: Bools) -> Floats:
        """Shape `(N, N)`: of the parts of all systems, by scores."""
        m, count = scored.astype(np.float64), np.array([len(units) for units in self.units], dtype=np.float64)
        shared = count * _COMMON / (1 + _COMMON * m.sum(axis=1))
        return np.asarray((np.diag(m.T @ count) - (m.T * shared) @ m) / self._variance)

    def _told(self, scored: Bools) -> tuple[Any, Any]:
        """Return ρ / (1 + n ρ), and the precision of a further score; of one kind of unit or of all."""
        number = scored.sum(axis=-1)
        share = _COMMON / (1 + number * _COMMON)
        return share, (1 + number * _COMMON) / (1 + (number + 1) * _COMMON) / self._variance

    def settled(self, weights: Floats) -> Floats:
        """Shape `(K, N)`: by how much a score on a unit of each kind lowers Σ w_ij Var(i − j); −1 where it is there.

        `weights` is the Laplacian matrix of w, shape `(N, N)`.
        """
        share, precision = self._told(self.scored)
        q = self.scored * share[:, None]

        def along(square: Floats) -> Floats:
            own = q @ square
            return np.asarray(np.diag(square) - 2 * own + (own * q).sum(axis=1)[:, None])

        moved = along(self.covariance @ weights @ self.covariance)
        fall = moved / (1 / precision[:, None] + along(self.covariance))
        return np.where(self.scored, -1.0, np.maximum(fall, 0.0))

    def add(self, kind: int, system: int, count: int) -> Ints:
        """Score a system on some units of a kind; return which."""
        share, precision = self._told(self.scored[kind])
        u = -share * self.scored[kind]
        u[system] = 1.0
        moved = self.covariance @ u
        self.covariance = self.covariance - np.outer(moved, moved) / (1 / (count * precision) + u @ moved)
        taken, left = self.units[kind][:count], self.units[kind][count:]
        if left.size:
            self.units[kind] = left
            self.units.append(taken)
            self.scored = np.concatenate([self.scored, self.scored[kind : kind + 1]])
            self.costs = np.concatenate([self.costs, self.costs[kind : kind + 1]])
            kind = len(self.scored) - 1
        self.scored[kind, system] = True
        return taken


@dataclass(frozen=True, slots=True)
class Pick:
    """A system, a group, and units of it on which the system is to be scored.

    Attributes
    ----------
    system, group
        By index.
    units
        Of the group, by index.
    cost
        Of all of them.
    gain
        Expected number of pairs that this settles; each counts by the share of what it needs.
    """

    system: int
    group: int
    units: Ints
    cost: float
    gain: float


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """What to run, in order, and after how much of it as much is settled as by all that could be run.

    Attributes
    ----------
    picks
        Up to the budget.
    needed
        Shape `(S,)`: what it costs until each of S simulated completions is settled.
    alone
        Share of them in which a single system may be first once all is there; NaN of tiers.
    """

    picks: tuple[Pick, ...]
    needed: Floats
    alone: float


@dataclass(frozen=True, slots=True, eq=False)
class _Open:
    """Pairs of simulated completions that are asked for, and not separated yet.

    Attributes
    ----------
    draw, i, j
        Shape `(m,)`: the completion, and two systems.
    size, able
        Their difference there, and whether all scores would separate them.
    most
        A variance that is too large for the ranking to separate the two.
    """

    draw: Ints
    i: Ints
    j: Ints
    size: Floats
    able: Bools
    most: Floats

    def at(self, some: Any) -> "_Open":
        """Return some of them."""
        return _Open(*(getattr(self, name)[some] for name in self.__slots__))


def schedule(
    groups: Sequence[UnitGroup],
    budget: float,
    *,
    settle: str,
    apart: Bools,
    error: Floats,
    confidence: float,
    rng: np.random.Generator,
) -> Schedule:
    """Choose scores one after the other, each by what it is expected to settle by its cost.

    Score i is Σ_g θ_gi, and a score on unit u of group g is θ_gi + h_u + e, with h_u common to all systems and
    e ~ N(0, σ_g²); θ_gi ~ N(μ_g, τ_g²). So the covariance C of scores follows from who is scored on what, whatever
    comes out. All that could be run leaves C*, and moves the estimates to m ~ N(m₀, C₀ − C*). Of each of S draws of m
    it is known which pairs are asked for, and which of them the test separates then: at d² ≥ c² V, with V the variance
    of the difference, and Student's quantile c by the units of the system that has fewer; below six there is none. Such
    a pair needs V* = d² / c². While systems have few units, those with fewest come first, since it is not known yet
    which of them matters. Of these the next score is that with the largest Σ (V* / V²) ΔV by its cost, over draws and
    pairs that are not settled yet: by how much it brings them on, as a share of the precision that they need.

    Parameters
    ----------
    groups
        What there is.
    budget
        What all may cost.
    settle
        "first": the best of a draw and each other; or "tiers": pairs of different tiers.
    apart
        Shape `(N, N)`: pairs that the ranking separates; of "first", (i, j) where j is not the first.
    error
        Shape `(N, N)`: standard errors of differences in the ranking, NaN if unknown. They move variances of pairs from
        those of the model, by their degrees of freedom against five.
    confidence
        1 − α, of all that is asked together.
    rng
        Draws.

    References
    ----------
    Frazier, Powell & Dayanik, The knowledge-gradient policy for correlated normal beliefs, INFORMS J. Comput. 21, 2009
    (what a score settles); Chen, Lin, Yücesan & Chick 2000 (budgets by what differences need).
    """
    parts = [_Part(group, rng) for group in groups]
    n_systems = len(apart)
    covariance, complete = (np.sum([getattr(part, name) for part in parts], axis=0) for name in _BOTH)
    number = np.sum([group.scored.sum(axis=0) for group in groups], axis=0)
    most = sum(len(group.scored) for group in groups)
    pairs = n_systems - 1 if settle == "first" else n_systems * (n_systems - 1) // 2
    critical = _critical_values((1 - confidence) / pairs / (1 if settle == "first" else 2), most)
    draws = int(np.clip(_PAIRS // pairs, *_DRAWS))
    value, root = np.linalg.eigh(covariance - complete)
    moved = rng.standard_normal((draws, n_systems)) @ (root * np.sqrt(value.clip(0))).T
    final, now = np.sum([part.mean for part in parts], axis=0) + moved, _variances(covariance)
    freedom = (np.minimum(number[:, None], number) - 1).clip(0)
    ratio = np.where(np.isnan(error), 1.0, (_COUNTED + freedom * error**2 / now) / (_COUNTED + freedom))
    draw, i, j = _asked(final, ratio * _variances(complete), critical[most], settle)
    size = np.abs(final[draw, i] - final[draw, j]) / np.sqrt(ratio[i, j])
    able = (size**2 >= critical[most] ** 2 * _variances(complete)[i, j]) & (most > LEAST_FREEDOM)
    open_ = _Open(draw, i, j, size, able, _LEAST_FALL * now[i, j]).at(~apart[i, j])
    alone = 1.0 - np.unique(open_.draw[~open_.able]).size / draws if settle == "first" else np.nan

    needed, picks, spent, planned = np.zeros(draws), list[Pick](), 0.0, False
    price = np.sqrt(np.concatenate([group.costs for group in groups]).mean(axis=0))
    everything = sum(float((group.costs * ~group.scored).sum()) for group in groups)
    while open_.draw.size:
        variance, least = _variances(covariance)[open_.i, open_.j], np.minimum(number[open_.i], number[open_.j])
        c = critical[least.clip(LEAST_FREEDOM + 1, most)]
        wanted = np.minimum((open_.size / c) ** 2, open_.most)
        few = least <= LEAST_FREEDOM
        wanted[few] = np.minimum(wanted, variance * least.clip(1) / (LEAST_FREEDOM + 1))[few]
        still = few | (wanted < variance) | ~open_.able
        if planned:
            still &= open_.able
        open_, worth = open_.at(still), (wanted / variance**2 * np.where(open_.able, 1.0, _HOPELESS))[still]
        w = np.bincount(open_.i * n_systems + open_.j, worth, n_systems**2).reshape(n_systems, n_systems) / draws
        laplacian = np.diag((w + w.T).sum(axis=1)) - w - w.T
        unsettled, before = np.unique(open_.draw[open_.able]), spent
        limit = (everything - spent) if planned else (budget - spent)
        step = min(limit, (everything - spent if planned else budget) / _STEPS)
        for group, kind, system, count, gain in _best(
            parts, laplacian, step, limit, _behind(open_, number, price, most)
        ):
            cost = count * float(parts[group].costs[kind, system])
            covariance = covariance - parts[group].covariance
            units = parts[group].add(kind, system, count)
            covariance = covariance + parts[group].covariance
            number[system] += count
            spent += cost
            if not planned:
                picks.append(Pick(system, group, units, cost, gain * count))
        needed[unsettled] = spent
        if spent == before and planned:
            break
        planned |= spent == before
    return Schedule(tuple(picks), needed, alone)


_BOTH = ("covariance", "complete")


def _best(
    parts: Sequence[_Part], laplacian: Floats, step: float, limit: float, systems: Bools
) -> Iterator[tuple[int, int, int, int, float]]:
    """Yield the best scores of some systems by their cost: group, kind of unit, system, number of units, gain of each.

    Together they cost a step, or what the first costs if that is more, and no more than a limit.
    """
    settled = [part.settled(laplacian) for part in parts]
    ratios = [np.where(systems, gain / part.costs, -1.0).ravel() for gain, part in zip(settled, parts, strict=True)]
    by_cost = np.concatenate(ratios)
    costs = np.concatenate([part.costs.ravel() for part in parts])
    starts = np.cumsum([0, *(one.size for one in settled)])
    by_cost[costs > limit * (1 + 1e-9)] = -1.0
    wanted = min(int(step / costs.min()) + 1, by_cost.size)
    first = np.argpartition(-by_cost, wanted - 1)[:wanted]
    room = 0.0
    for place in first[np.argsort(-by_cost[first], kind="stable")].tolist():
        group = int(np.searchsorted(starts, place, side="right")) - 1
        kind, system = divmod(place - int(starts[group]), len(laplacian))
        room = room or max(step, costs[place])
        count = min(len(parts[group].units[kind]), int(room / costs[place] * (1 + 1e-9)))
        if by_cost[place] < 0 or count < 1 or parts[group].scored[kind, system]:
            continue
        yield group, kind, system, count, float(settled[group][kind, system])
        room -= count * costs[place]
        if room < costs[place] * 1e-9:
            return


def _behind(open_: _Open, number: Ints, price: Floats, most: int) -> Bools:
    """Shape `(N,)`: of the systems that are asked for and have few units, those with fewest by √cost; or else all."""
    few = np.bincount(np.append(open_.i, open_.j), minlength=number.size) > 0
    load = np.where(few & (number < min(_EVEN, most)), number * price, np.inf)
    return np.asarray(load <= load.min() * (1 + 1e-9))


def _asked(final: Floats, variances: Floats, critical: float, settle: str) -> tuple[Ints, Ints, Ints]:
    """Return draws and pairs that are asked for: the best and each other; or all of different tiers, if there are."""
    draws, n_systems = final.shape
    if settle == "first":
        best = np.repeat(final.argmax(axis=1), n_systems)
        draw, other = np.divmod(np.arange(draws * n_systems), n_systems)
        keep = best != other
        return draw[keep], best[keep], other[keep]
    left, right = np.triu_indices(n_systems, 1)
    found = []
    for number, one in enumerate(final):
        lead = one[:, None] - one
        tier = tiers_of((lead > 0) & (lead**2 >= critical**2 * variances), np.argsort(np.argsort(-one)))
        some = (tier[left] != tier[right]) | (tier.max() == 1)
        found.append(np.stack([np.full(np.count_nonzero(some), number), left[some], right[some]]))
    draw, i, j = np.concatenate(found, axis=1)
    return draw, i, j


def _critical_values(tail: float, most: int) -> Floats:
    """Shape `(M + 1,)`: Student's quantiles by the number of units, from six on."""
    from scipy.special import stdtrit  # noqa: PLC0415  # slow to import

    freedom = np.maximum(np.arange(max(most, LEAST_FREEDOM + 1) + 1) - 1, LEAST_FREEDOM)
    return np.asarray(-stdtrit(freedom.astype(np.float64), tail))


def _variances(covariance: Floats) -> Floats:
    """Shape `(N, N)`: of differences."""
    own = np.diag(covariance)
    return np.asarray(np.maximum(own[:, None] + own - 2 * covariance, 1e-300))
