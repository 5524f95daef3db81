"""Leaderboards and instance weights from difficulty."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from podium.base.check import Rng, check_threads, seed_of
from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many
from podium.customization.customizer import Customizer, lead_shares_of
from podium.customization.result import Customized, Split, arbitrary, notes_on
from podium.customization.split import PLAIN, Splitting, Weighting
from podium.difficulty.result import Difficulty
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.degrees_of_freedom import DegreesOfFreedom
from podium.ranking.intervals import make_intervals, without_lost
from podium.ranking.method import MethodResult
from podium.ranking.note import of_clusters
from podium.ranking.result import Intervals, ranked
from podium.ranking.separation import by_p_values, p_values
from podium.score.place import ROUNDING, competition_ranks, places
from podium.score.table import Scores
from podium.score.units import LEAST_FREEDOM
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import Resampling, check_resampling


@keywords
def customize(
    scores: "ScoresLike",
    difficulty: Difficulty | Scores,
    *,
    measure: str | None = None,
    splits: int | Splitting = 7,
    split_weights: str | Sequence[float] | Weighting = "linear",
    strict: bool = False,
    confidence_level: float | None = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Customized:
    """Score systems with weights by difficulty, and a reward and a penalty for right and wrong answers.

    Instances are put in order of difficulty, the easy ones first, and divided into splits. With W the weight of an
    instance (of its split, or 1/B or B with B its difficulty) and s its score between 0 and 1,

        metric = Σ K W / Σ d W · 100,  K = e + (d − e) s

    where d is the reward, which an instance solved earns, and e the penalty; a partial score lies between them [MA21,
    Eq. 4, whose K is d or e]. Scores where lower is better count as 1 − s. Missing scores are left out, also of the
    denominator.

    Parameters
    ----------
    scores
        The table, with scores in [0, 1], or what becomes one: a path, a frame, a dictionary or arrays.
    difficulty
        How difficult its instances are; or, as Scores, how confident each system was of its own answers. The
        most confident answers are the last split [MA21, WMProb].
    measure
        Which measure, where `difficulty` has several.
    splits
        How many, 1 to 50, as many instances in each; or how to split, see `podium.Splitting`.
    split_weights
        Of the splits, from the easiest: "linear", "falling", "logarithmic", "square", "uniform", or one number for
        each; or of the instances "B" or "1/B". A right answer then earns 1 and a wrong one -1; for other rewards and
        penalties see `podium.Weighting`.
    strict
        Whether to refuse instances without difficulty, or difficulties without instance, rather than leave them out.
    confidence_level, n_resamples, rng
        Of intervals for scores and ranks, and tiers, from the bootstrap over instances; see `podium.rank`. A confidence
        of None is for no intervals. Splits are made anew in every replicate. The seed is also that of random splits and
        of the weightings behind `leads`.
    n_jobs
        Cores to work on; the result does not depend on it.
    progress
        Called with the number of replicates done and the number there are.

    Returns
    -------
    Customized
        Best first.

    Raises
    ------
    InputError
        A score is not in [0, 1]; nothing is rated; or, if strict, something is not.
    LabelError
        There is no such measure or column.
    MethodError
        An unknown rule; more splits than instances; 1/B where some B is 0; or powers of B where some are negative.
    WeightError
        Weights of splits that are negative, not finite, all zero, or not as many as splits.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1], [1, 1, 1, 0]]}, systems=["A", "B", "C"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> podium.customize(scores, bias, splits=2)
    Customized(weighted by bias: 3 systems, 2 splits (equal), weights linear, reward 1, penalty -1)
    • B is first; by accuracy B, C
    • B leads under 50% of all weightings of the splits
    rank  system  score  accuracy  moved  inflation  leads  leads (rising)  split 1
       1  B        66.7      75.0      =      11.1%    50%            100%      0.0
       2  C        33.3      75.0     −1      55.6%    50%              0%    100.0
       3  A       −33.3      50.0      =     166.7%     0%              0%    100.0
    1 note in .notes
    """
    seed = seed_of(rng)
    check_threads(n_jobs)
    check_resampling(confidence_level=confidence_level, units="instances", n_resamples=n_resamples, rng=seed)
    scores, splitting, weighting = as_scores(scores, **reading), Splitting.of(splits), Weighting.of(split_weights)
    customizer = Customizer.of(scores, difficulty, measure=measure, strict=strict)
    customizer.check(weighting)
    partition = customizer.split(splitting, seed=seed)
    sums = partition.sums(weighting)
    weights = weighting.split_weights(partition.count)
    result = MethodResult(100 * partition.overall(sums, weights), scale=100.0)
    if np.isnan(result.score).all():
        raise MethodError(
            "no system has a score in a split of positive weight, so that nothing could be earned; choose other weights"
        )
    rated = customizer.rated
    sure: Intervals | None = None
    doubts: list[str] = []
    if confidence_level is not None:
        bootstrap = Bootstrap(confidence_level, Resampling("instances", n_resamples, seed))
        freedom = customizer.freedom(partition, weighting)
        if freedom < LEAST_FREEDOM:
            number = f"as much as on {freedom + 1:.1f} of equal weight"
            doubts = [f"no intervals: too much depends on few instances ({number}) to tell how the answer would vary"]
        else:
            draws = bootstrap.resampling
            samples = 100 * customizer.replicate(partition, weighting, draws, threads=n_jobs, progress=progress)
            lost = np.array((np.isnan(samples) & ~np.isnan(result.score)[:, None]).any(axis=0))
            advice = "take fewer splits, or weights by which more counts"
            kept, doubts = without_lost(samples, bootstrap, advice, lost)
            if kept is not None:
                # where each system has an order of its own, an instance can be in another split for each: leads jump
                p = p_values(result, kept, df=freedom, units=bootstrap.units, smooth=not rated.own)
                separated = by_p_values(result.oriented_score, p, 1 - bootstrap.confidence)
                df = DegreesOfFreedom.alike(freedom, result.score.size)
                sure = make_intervals(result, kept, bootstrap, separated, df=df)
        doubts = [*doubts, *of_clusters(rated.scores)]
    ranking = ranked(
        result,
        rated.scores,
        "customized",
        splitting.level if len(rated.scores.tasks) > 1 else None,
        intervals=sure,
        notes=tuple(dict.fromkeys([*scores.notes, *notes_on(customizer, partition, weighting), *doubts])),
    )
    rows = np.array([rated.scores.systems.index(system) for system in ranking.systems])
    accuracy = 100 * customizer.accuracy(splitting)
    return Customized(
        ranking=ranking,
        measure=rated.name,
        hard=rated.hard,
        splits=tuple(
            Split(name, low, high, size, weight)
            for name, (low, high), size, weight in zip(
                partition.names, partition.ranges(), partition.sizes().tolist(), weights.tolist(), strict=True
            )
        ),
        by=splitting.by,
        weights=weighting.rule,
        reward=str(weighting.reward),
        penalty=str(weighting.penalty),
        split_scores=100 * partition.mean([one.within() for one in sums])[rows],
        split_accuracy=100 * partition.metric(PLAIN)[1][rows],
        accuracy=accuracy[rows],
        accuracy_rank=competition_ranks(places(accuracy, tolerance=100 * ROUNDING))[rows],
        leads=lead_shares_of(partition, sums, weighting, rising=False, seed=seed)[rows],
        leads_rising=lead_shares_of(partition, sums, weighting, rising=True, seed=seed)[rows],
        values=None if rated.own else np.sort(np.concatenate(rated.values)),
        notes=ranking.notes,
    )


@keywords
def weigh(
    scores: "ScoresLike",
    difficulty: Difficulty,
    *,
    measure: str | None = None,
    splits: int | Splitting = 7,
    split_weights: str | Sequence[float] | Weighting = "linear",
    strict: bool = False,
    rng: Rng = 0,
    **reading: Unpack[ReadingOptions],
) -> Scores:
    """Give instances weights by their difficulty, which Borda, Kemeny, effects and all other methods then use.

    An instance weighs what its split does, W of [MA21, Eq. 1–2]; one that lies in several splits, since a split ends
    among instances of its difficulty, weighs their mean in the right fractions. Instances that have weights already
    get the product. Scores may be on any scale.

    Parameters
    ----------
    scores
        As for `podium.rank`.
    difficulty, measure, splits, strict, rng
        As for `podium.customize`; splits cannot be those of a column.
    split_weights
        Of the splits, from the easiest: "linear", "falling", "logarithmic", "square", "uniform", or one number for
        each; or of the instances "B", their difficulty itself, or "1/B". Of a `podium.Weighting` the weights count;
        rewards and penalties are for `podium.customize`.

    Returns
    -------
    Scores
        The same table with instance weights, without instances that have no difficulty; a note says how many.

    Raises
    ------
    InputError
        Nothing is rated; or, if strict, something is not; or every system has difficulties of its own.
    LabelError
        There is no such measure.
    MethodError
        An unknown rule; more splits than instances; 1/B where some B is 0; B or 1/B where some are negative.
    WeightError
        Weights of splits that are negative, not finite, all zero, or not as many as splits.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021.

    Examples
    --------
    >>> import podium
    >>> from podium.difficulty.result import Difficulty, Measure
    >>> scores = podium.from_arrays({"t": [[1, 1, 0, 0], [0, 1, 1, 1]]}, systems=["A", "B"])
    >>> bias = Difficulty(np.arange(4), (Measure("bias", np.array([0.9, 0.8, 0.4, 0.1]), "low"),))
    >>> podium.weigh(scores, bias, splits=2).tasks[0].instance_weights
    array([1., 1., 2., 2.])
    """
    seed = seed_of(rng)
    given: Any = difficulty
    if isinstance(given, Scores):
        raise InputError(
            "confidences differ between systems, and an instance has one weight for all systems; use podium.customize"
        )
    splitting, weighting = Splitting.of(splits), Weighting(Weighting.of(split_weights).weights, 1, 0)
    if splitting.by == "manual":
        raise MethodError(
            "manual splits are for podium.customize; put the weights into a column, and use split_weights='B' "
            "(--split-weights B)"
        )
    customizer = Customizer.of(as_scores(scores, **reading), difficulty, measure=measure, strict=strict, bounded=False)
    customizer.check(weighting)
    partition = customizer.split(splitting, seed=seed)
    shares = partition.shares()
    rated = customizer.rated.scores
    b = np.concatenate(shares) @ weighting.split_weights(shares[0].shape[1])
    ends = np.cumsum([task.n_instances for task in rated.tasks])[:-1]
    tasks = []
    for task, own, values in zip(rated.tasks, np.split(b, ends), customizer.rated.values, strict=True):
        weight = own * values**weighting.power
        tasks.append(
            replace(task, instance_weights=weight if task.instance_weights is None else weight * task.instance_weights)
        )
    how = f"weights {weighting.rule} over {how_many(partition.count, 'split')} ({splitting.by})"
    said = [f"instances weighted by {customizer.rated.name} ({customizer.rated.hard} values are hard): {how}"]
    if weighting.power:
        said = [f"instances weighted by {weighting.rule} of {customizer.rated.name}"]
    else:
        said += arbitrary(customizer.rated.name, partition)
    return replace(rated, tasks=tuple(tasks), notes=(*rated.notes, *customizer.rated.notes, *said))
