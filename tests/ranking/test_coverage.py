"""Whether intervals keep their promise where the truth is known; `make validation` asks at length."""

import numpy as np

import podium
from podium.ranking.result import Intervals

WORLDS, SYSTEMS = 200, 8


def found(instances: int, dispersion: float, world: int) -> Intervals:
    scores = podium.simulate.gumbel(SYSTEMS, 1, instances, dispersion=dispersion, rng=world).scores
    ranking = podium.rank(scores, "mean", confidence=0.95, replicates=200, seed=world, threads=1)
    assert ranking.intervals is not None
    order = np.array([scores.systems.index(system) for system in ranking.systems])
    return ranking.intervals.in_order(np.argsort(order))


def test_scores_and_differences_are_covered() -> None:
    truth = 0.1 * np.arange(1, SYSTEMS + 1) + np.euler_gamma
    holds, gaps = np.zeros((2, WORLDS))
    for world in range(WORLDS):
        sure = found(20, 0.1, world)
        holds[world] = ((sure.score_low <= truth) & (truth <= sure.score_high)).mean()
        low, high = sure.difference(5, 2)
        gaps[world] = low <= 0.3 <= high
    # 1,600 independent score intervals: 2% is what is allowed, three binomial errors are 1.6%
    assert abs(holds.mean() - 0.95) < 0.02 + 3 * np.sqrt(0.05 * 0.95 / (WORLDS * SYSTEMS))
    # 200 differences: the same, and three binomial errors of 1.5%
    assert abs(gaps.mean() - 0.95) < 0.02 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_equal_systems_are_seldom_parted() -> None:
    parted = np.mean([found(20, 0.0, world).separated.any() for world in range(WORLDS)])
    # at most 5%, and three binomial errors of 1.5%
    assert parted < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_equal_systems_on_few_tasks_are_seldom_parted() -> None:
    # ten systems on ten tasks: too few to know from them how 45 differences go together
    rng = np.random.default_rng(0)
    parted = []
    for world in range(WORLDS):
        scores = podium.from_arrays(rng.normal(size=(10, 10)))
        ranking = podium.rank(scores, "mean", confidence=0.95, replicates=200, seed=world, threads=1)
        assert ranking.intervals is not None
        parted.append(ranking.intervals.separated.any())
    # the same; the quantile of the largest difference over replicates would part them in a fifth of the worlds
    assert np.mean(parted) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_joint_rank_intervals_hold_the_true_ranks() -> None:
    true_rank = SYSTEMS - np.arange(SYSTEMS)
    held = [
        bool(((sure.joint_rank_low <= true_rank) & (true_rank <= sure.joint_rank_high)).all())
        for sure in (found(100, 0.1, world) for world in range(WORLDS // 2))
    ]
    # at least 95%, less three binomial errors of 2.2%
    assert np.mean(held) > 0.95 - 3 * np.sqrt(0.05 * 0.95 / len(held))


def test_equal_systems_are_seldom_parted_by_scores_that_jump() -> None:
    # the default: on each task an order, which is luck; beside its standard error luck looks large in a fifth of worlds
    parted = []
    for world in range(WORLDS):
        scores = podium.simulate.gumbel(4, 5, 50, dispersion=0.0, rng=world).scores
        ranking = podium.rank(scores, confidence=0.95, replicates=200, seed=world, threads=1)
        assert ranking.intervals is not None
        parted.append(ranking.intervals.separated.any())
    assert np.mean(parted) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / WORLDS)


def test_groups_joined_by_a_single_task_are_seldom_parted() -> None:
    rng, worlds = np.random.default_rng(0), 60
    wrong = 0
    for _ in range(worlds):
        values = rng.normal(size=(10, 30))
        values[:5, 16:] = values[5:, :15] = np.nan
        found = podium.rank(podium.from_arrays(values), replicates=200).intervals
        assert found is not None
        wrong += bool(found.separated.any())
    # a third of the worlds, if the task counts as one of 30
    assert wrong / worlds <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / worlds)
