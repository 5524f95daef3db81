"""Suspect labels: instances on which better systems do worse.

If the right answer of an instance is recorded wrongly, those who know it are marked as failing. A discrimination that
may only be positive does not show this. Here each instance is, with s = 1, 0 or −1,

    P(system i solves it) = 1 / (1 + exp(−(c + s a (θ_i − θ̄)))),   log a ~ N(0, 0.5²),   c ~ N(γ, τ²).

s = 1: able systems solve it more often, as it should be. s = 0: it has nothing to do with ability. s = −1: able systems
solve it less often. The prior of c, the log-odds of the middle system, is the same for all three; so it does not matter
how hard an instance is, but only who solves it. With a and c integrated out, each s has its marginal likelihood. The
shares of the three among all instances make the scores of all most likely; by Bayes' rule, each instance has a
posterior probability of s = −1. Since shares are estimated, few of many instances reach a high one by chance.
"""

from dataclasses import dataclass

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.response.item import LOG_SLOPE_SD, Abilities, Answers, Items, Nodes, chance

#: Share of the listed instances that are expected to be no suspects.
FALSE_SHARE = 0.1

#: At least this share of instances is taken to have nothing to do with ability. Where some truly have not, scores alone
#: tell them badly from gently rising or falling ones, and without this too many would be listed.
LEAST_RANDOM = 0.05

#: Distance of the points at which a and c are tried: half of what N scores say of c at best, but within these.
_FINEST, _COARSEST = 0.2, 0.6

#: Points reach this many standard deviations of the priors.
_REACH = 3.0

#: Least standard deviation of the prior of c.
_LEAST_SPREAD = 1.0

#: Steps of EM for the three shares, and the change after which there are no more.
_STEPS, _SETTLED = 1000, 1e-8

#: Instances looked at together.
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """Of K instances, how likely better systems do worse on them.

    Attributes
    ----------
    probability
        Shape `(K,)`: posterior probability of s = −1; NaN where all systems have one score, 1 or 0.
    slope
        Shape `(K,)`: posterior mean of s a, the discrimination with its sign; NaN there, too.
    shares
        Of all instances, by estimate: those with s = 1, 0 and −1; NaN where no instance settles anything.
    """

    probability: Floats
    slope: Floats
    shares: tuple[float, float, float]

    @property
    def listed(self) -> Bools:
        """Shape `(K,)`: the most that can be listed so that 10% of them are expected to be there by mistake.

        With the mean of 1 − probability over those listed: the Bayesian false discovery rate (Newton, Noueiry, Sarkar
        & Ahlquist 2004, Biostatistics 5, 155–176).
        """
        order = np.argsort(-np.nan_to_num(self.probability, nan=-1.0), kind="stable")
        known = self.probability[order[: int((~np.isnan(self.probability)).sum())]]
        false = np.cumsum(1 - known) / np.arange(1, known.size + 1)
        chosen = np.zeros(self.probability.size, dtype=np.bool_)
        chosen[order[: int(np.searchsorted(false, FALSE_SHARE, side="right"))]] = True
        return chosen

    def spread(self, answered: Bools) -> "Suspects":
        """The same among other instances, which have no score; shape `(K,)`, true for those that have."""
        probability, slope = np.full((2, answered.size), np.nan)
        probability[answered], slope[answered] = self.probability, self.slope
        return Suspects(probability, slope, self.shares)


def suspects(items: Items, answers: Answers, abilities: Abilities) -> Suspects:
    """Ask of every instance whether better systems do worse on it, given the abilities of a fit to all.

    Examples
    --------
    >>> from podium.response.fit import Calibration
    >>> rng = np.random.default_rng(0)
    >>> ability, difficulty = rng.normal(size=(60, 1)), rng.normal(size=300)
    >>> scores = (rng.random((60, 300)) < 1 / (1 + np.exp(1.5 * (difficulty - ability)))).astype(np.float64)
    >>> scores[:, :4] = 1 - scores[:, :4]  # four wrong labels
    >>> fit = Calibration.of(Answers(scores))
    >>> np.flatnonzero(suspects(fit.items, fit.answers, fit.abilities).listed)
    array([0, 1, 2, 3])
    """
    settled = answers.settle
    if not settled.any():
        unknown = np.full(settled.size, np.nan)
        return Suspects(unknown, unknown, (np.nan, np.nan, np.nan))
    middle = abilities.mean.mean()
    odds = items.slope[settled] * (middle - items.difficulty[settled])
    grids = _grids(abilities.nodes, float(middle), float(odds.mean()), max(float(odds.std()), _LEAST_SPREAD))
    evidence, slopes = _weighed(grids, answers.scores.compress(settled, axis=1))
    shares = _shares(evidence)
    posterior = evidence * shares
    posterior /= posterior.sum(axis=1, keepdims=True)
    probability, slope = np.full((2, settled.size), np.nan)
    probability[settled], slope[settled] = posterior[:, 2], (posterior * slopes).sum(axis=1)
    return Suspects(probability, slope, tuple(shares.tolist()))


#: Log chances to solve and to fail at G points of (s a, c), the log prior of each point, and its s a.
_Grid = tuple[Floats, Floats, Floats, Floats]


def _grids(nodes: Nodes, middle: float, mean: float, spread: float) -> list[_Grid]:
    """Return the points of s = 1, 0 and −1."""
    step = float(np.clip(2 / np.sqrt(len(nodes.places)), _FINEST, _COARSEST))
    log_slope, log_of_slope = _points(0.0, LOG_SLOPE_SD, step)
    odds, log_of_odds = _points(mean, spread, step)
    grids = []
    for sign in (1.0, 0.0, -1.0):
        slope = sign * np.exp(log_slope) if sign else np.zeros(1)
        weight = (log_of_slope if sign else np.zeros(1))[:, None] + log_of_odds
        table = np.empty((weight.size, len(nodes.places)))
        for system, (places, shares) in enumerate(zip(*nodes, strict=True)):
            logit = slope[:, None, None] * (places - middle) + odds[:, None]
            table[:, system] = (chance(logit)[0] @ shares).ravel()
        grids.append((np.log(table), np.log1p(-table), weight.ravel(), np.repeat(slope, odds.size)))
    return grids


def _weighed(grids: list[_Grid], scores: Floats) -> tuple[Floats, Floats]:
    """Shape `(K, 3)` each: marginal likelihoods, the largest of an instance 1; and posterior means of s a."""
    evidence, slopes = np.empty((2, scores.shape[1], 3))
    for start in range(0, scores.shape[1], _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        there = ~np.isnan(scores[:, part])
        solved = np.where(there, scores[:, part], 0.0)
        failed = there - solved
        log_evidence = np.empty((solved.shape[1], 3))
        for which, (solve, fail, prior, slope) in enumerate(grids):
            joint = solved.T @ solve.T + failed.T @ fail.T + prior
            highest = joint.max(axis=1, keepdims=True)
            shares = np.exp(joint - highest)
            total = shares.sum(axis=1)
            log_evidence[:, which] = highest[:, 0] + np.log(total)
            slopes[part, which] = shares @ slope / total
        evidence[part] = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    return evidence, slopes


def _points(mean: float, spread: float, step: float) -> tuple[Floats, Floats]:
    """Evenly spaced points of a normal distribution, and the logs of their probabilities."""
    number = int(np.ceil(_REACH * spread / step))
    off: Floats = np.arange(-number, number + 1, dtype=np.float64) * step
    log: Floats = -((off / spread) ** 2) / 2
    return mean + off, log - float(np.log(np.exp(log).sum()))


def _shares(evidence: Floats) -> Floats:
    """The shares of s = 1, 0 and −1 that make the scores of all instances most likely, by EM."""
    shares = np.array([0.9, 0.05, 0.05])
    for _ in range(_STEPS):
        posterior = evidence * shares
        posterior /= posterior.sum(axis=1, keepdims=True)
        new = posterior.mean(axis=0)
        if new[1] < LEAST_RANDOM:
            new *= (1 - LEAST_RANDOM) / (1 - new[1])
            new[1] = LEAST_RANDOM
        change = np.abs(new - shares).max()
        shares = new
        if change <= _SETTLED:
            break
    return shares
