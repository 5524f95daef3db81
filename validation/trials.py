"""One trial: draw a world, rank it, and see which of podium's statements are true of it."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import truths
from numpy.typing import NDArray

import podium
from podium.ranking.ballots import Level
from podium.ranking.result import Ranking
from podium.ranking.variation import quantiles
from podium.tally.draw import UnitKind

Floats = NDArray[np.float64]


class Verdict(NamedTuple):
    """Shares of statements that are true in one world: between 0 and 1, NaN where podium made none."""

    score: float = np.nan  # intervals of scores, over systems
    difference: float = np.nan  # percentile intervals of differences, over pairs
    coefficient: float = np.nan  # intervals of what style is worth
    rank: float = np.nan  # rank intervals of each system by itself, over systems
    joint: float = np.nan  # 1 if all joint rank intervals hold at once
    parted: float = np.nan  # 1 if two equal systems are in different tiers; with `groups`, of one group
    mistaken: float = np.nan  # 1 if a system is separated from one that is not worse
    best: float = np.nan  # 1 if a system than which none is better is in the set of the best
    three: float = np.nan  # 1 if the set of the best three holds three than which no other is better
    apart: float = np.nan  # no promise: share of pairs of unequal systems that are separated
    own: float = np.nan  # rank intervals that leave out no system that is not worse, or not better, over systems
    stated: float = np.nan  # no promise: 1 if there are intervals
    flips: float = np.nan  # no promise: share of pairs of unequal systems that flips of whole units separate
    enough: float = np.nan  # no share: pairs that are separated, less 97% of those that flips separate
    fewer: float = np.nan  # 1 if fewer pairs are separated than Holm separates by the same standard errors
    stepwise: float = np.nan  # no promise: share of pairs of unequal systems that Holm separates
    pair: float = np.nan  # Hoeffding intervals, over pairs
    pairs: float = np.nan  # 1 if all simultaneous Hoeffding intervals hold at once
    below: float = np.nan  # 1 if the score of the winner, corrected for having won, is below its true one
    winner: float = np.nan  # 1 if the interval of that holds
    naive: float = np.nan  # no promise: 1 if the score of the winner as it is is below its true one
    corrected: float = np.nan  # no promise: 1 if podium corrects at all
    planned: float = np.nan  # 1 if a pair is separated by as many instances as planned
    summary: float = np.nan  # intervals of pooled effects, over analyses
    prediction: float = np.nan  # prediction intervals of them, each over one new task
    tau2: float = np.nan  # Q-profile intervals of the variance between tasks
    alike: float = np.nan  # no promise: 1 if tasks count as equally precise, as weights would follow effects
    alone: float = np.nan  # no promise: intervals of pooled effects of related tasks, which count as independent
    modelled: float = np.nan  # no promise: the same by the covariance of the effects
    related: float = np.nan  # the same as podium makes them by default
    normal: float = np.nan  # other intervals of pooled effects: normal
    hartung: float = np.nan  # the same: plain Knapp–Hartung
    adhoc: float = np.nan  # the same: with a factor of 1 or more
    mandel: float = np.nan  # the same by Paule–Mandel's τ²
    robust: float = np.nan  # the same: CR2, each task a cluster, with Satterthwaite's degrees of freedom
    bootstrap: float = np.nan  # the same: parametric bootstrap of the studentised mean
    unweighted: float = np.nan  # the same: Student's interval of the plain mean
    length: float = np.nan  # no share: median length by default, over that of the factor of 1 or more alone
    noise: float = np.nan  # moderators that are noise and have p < 0.05 in a meta-regression, by default
    noise_adhoc: float = np.nan  # the same with metafor's factor of at least 1 and k − p degrees of freedom
    noise_plain: float = np.nan  # the same by plain Knapp–Hartung
    noise_normal: float = np.nan  # the same by normal intervals
    sign: float = np.nan  # 1 if the sign test over tasks finds a difference of two equal systems
    signed: float = np.nan  # 1 if Wilcoxon's does
    student: float = np.nan  # 1 if Student's paired interval holds the true mean difference
    surely: float = np.nan  # no promise: 1 if one chance of the Bayesian test, worse or better, is above 95%
    holm: float = np.nan  # 1 if any of many treatments differs from the control by Holm's p-values
    friedman: float = np.nan  # 1 if Friedman's test, with Iman and Davenport's F, says that equal systems differ
    nemenyi: float = np.nan  # 1 if any two mean ranks differ by more than Nemenyi's critical difference
    difficulty: float = np.nan  # no share: correlation of fitted difficulties with true ones
    order: float = np.nan  # no share: the same of their ranks
    plain: float = np.nan  # no share: rank correlation of mean scores with true difficulties, turned round
    precision: float = np.nan  # share of the suspects whose label is wrong
    recall: float = np.nan  # no promise: share of the wrong labels that are suspects
    accused: float = np.nan  # no promise: share of all instances that are suspects though their label is right
    surprised: float = np.nan  # share of right labels with a misfit beyond ± 1.96
    imputed: float = np.nan  # how well a way to rank predicts hidden scores: Borda, imputed
    direct: float = np.nan  # the same: share won, of the comparisons that were made
    average: float = np.nan  # the same: mean
    model: float = np.nan  # the same: Borda, by the model
    share: float = np.nan  # intervals of shares of the first place under stress, over strengths and methods
    verdict: float = np.nan  # 1 if all of these hold at once that a verdict rests on
    steadier: float = np.nan  # 1 if one of two methods that are equally steady is called steadier
    suite: float = np.nan  # 1 if the interval of a difference on the suite holds
    shipped: float = np.nan  # 1 if a run passes a gate that is worse by the margin
    blocked: float = np.nan  # 1 if a run fails a gate that is as good, or better
    found: float = np.nan  # no promise: 1 if a difference of two runs is found
    usual: float = np.nan  # no promise: 1 if the usual test finds it
    power: float = np.nan  # no share: found, less 97% of what the usual test finds
    erred: float = np.nan  # 1 if an interval that is to hold at all looks is wrong at one
    decided: float = np.nan  # no promise: 1 if a watched run is decided
    spent: float = np.nan  # no promise: share of the items that have come by then
    smallest: float = np.nan  # 1 if the smallest difference is found that is said to be found in 80%
    invented: float = np.nan  # 1 if a system is said to have overtaken another by more than noise, and did not gain
    foretold: float = np.nan  # predicted full scores of systems that had no part in the choice of items
    in_part: float = np.nan  # the same, without a third of the answers
    lucky: float = np.nan  # 1 if a choice is called better than a random one that is not
    runs: float = np.nan  # pairs of new runs of a system that differ by no more than is said
    frontier: float = np.nan  # 1 if any claim about a frontier of score and cost is false
    tau: float = np.nan  # 1 if the interval of tau-b holds the one of very many systems
    related_orders: float = np.nan  # 1 if two tables that have nothing to do with each other are called alike
    expected: float = np.nan  # no share: expected tau-b less the true one
    families: float = np.nan  # 1 if a family is called better than one that is not worse
    ran: float = np.nan  # no promise: share of a table that is run as allocated until all is settled that it settles
    robin: float = np.nan  # no promise: the same task by task
    saved: float = np.nan  # no promise: what the first saves of the second
    chosen: float = np.nan  # 1 if one of equal systems is said to be first, at one look at scores that were chosen
    looked: float = np.nan  # no promise: the same at any of twenty looks
    strict: float = np.nan  # the same with a confidence of 99%
    beside_people: float = np.nan  # intervals of kappa of a judge
    after_errors: float = np.nan  # intervals of a rate that is corrected for errors of a judge
    favour: float = (
        np.nan
    )  # share of false claims: judges err alike, favour nobody, and are called unequal, biased, an outlier
    calibrated: float = np.nan  # intervals of the error of calibration
    sliced: float = np.nan  # 1 if any difference between slices is called more than chance that is none
    shrunk: float = np.nan  # intervals of shrunk departures of systems on slices
    as_repeats: float = np.nan  # no promise: intervals of scores by several prompts, which count as repeats
    as_tasks: float = np.nan  # no promise: the same, which count as tasks
    noticed: float = np.nan  # no promise: 1 if a system that became better is said to have overtaken one


@dataclass(frozen=True)
class Ranked:
    """A world, how it is ranked, and what the scores then estimate."""

    world: truths.World
    method: str | podium.MethodSpec
    truth: truths.Truth
    level: Level | None = None
    units: UnitKind | None = None
    replicates: int = 400

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, rank, and compare with the truth."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", podium.errors.PodiumWarning)
            scores = self.world.draw(rng)
            ranking = podium.rank(
                scores,
                self.method,
                level=self.level,
                confidence_level=0.95,
                units=self.units,
                n_resamples=self.replicates,
                rng=int(rng.integers(2**32)),
                n_jobs=1,
            )
        order = [scores.systems.index(system) for system in ranking.systems]
        return _verdict(ranking, self.truth(self.world)[order], self.world.centres[order])


@dataclass(frozen=True)
class Dueled:
    """A world whose pairs are compared by Hoeffding intervals."""

    world: truths.World

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw, compare all pairs, and look whether the intervals hold the true chances of winning."""
        scores = self.world.draw(rng)
        upper = np.triu_indices(self.world.systems, 1)
        holds = []
        for simultaneous in (False, True):
            found = podium.pairwise(scores, simultaneous=simultaneous, n_jobs=1)
            order = [scores.systems.index(system) for system in found.systems]
            truth = self.world.chances()[np.ix_(order, order)]
            holds.append(((found.low <= truth) & (truth <= found.high))[upper])
        return Verdict(pair=float(holds[0].mean()), pairs=float(holds[1].all()))


Trial = Callable[[np.random.Generator], Verdict]


def _verdict(ranking: Ranking, truth: Floats, centres: Floats) -> Verdict:
    found = ranking.intervals
    if found is None:
        return Verdict()
    best = 1 + (centres > centres[:, None]).sum(axis=1)
    worst = centres.size - (centres < centres[:, None]).sum(axis=1)
    equal = centres == centres[:, None]
    any_unequal, any_equal = not equal.all(), equal.sum() > centres.size
    return Verdict(
        score=float(((found.score_low <= truth) & (truth <= found.score_high)).mean()),
        difference=_differences(ranking, truth),
        rank=float(((found.rank_low <= worst) & (best <= found.rank_high)).mean()) if any_unequal else np.nan,
        joint=float(((found.joint_rank_low <= worst) & (best <= found.joint_rank_high)).all())
        if any_unequal
        else np.nan,
        parted=float((equal & (found.tier != found.tier[:, None])).any()) if any_equal else np.nan,
        three=_three(ranking, centres) if centres.size > 3 else np.nan,
    )


def _three(ranking: Ranking, centres: Floats) -> float:
    """Whether all better systems than the third are in the set, and of those that equal it enough for three."""
    inside, third = np.isin(ranking.systems, ranking.top(3)), np.sort(centres)[-3]
    return float(inside[centres > third].all() and inside[centres >= third].sum() >= 3)


def _differences(ranking: Ranking, truth: Floats) -> float:
    """Share of the pairs whose interval holds; `Intervals.difference` of all pairs in one go."""
    found = ranking.intervals
    assert found is not None  # noqa: S101  # the caller looked
    i, j = np.triu_indices(truth.size, 1)
    low, high = quantiles(found.samples[i] - found.samples[j], [found.tail, 1 - found.tail])
    gap = truth[i] - truth[j]
    return float(((low <= gap) & (gap <= high)).mean())
