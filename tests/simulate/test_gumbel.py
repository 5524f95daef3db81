import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.simulate import gumbel


def test_a_world_follows_its_seed() -> None:
    first, again, other = (gumbel(4, 2, 50, dispersion=0.5, missing=0.2, rng=seed).scores for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.tasks[1].values, again.tasks[1].values)
    assert not np.array_equal(first.tasks[1].values, other.tasks[1].values)


def test_neighbours_win_as_often_as_the_logistic_says() -> None:
    scores = gumbel(2, 1, 40_000, dispersion=0.7, rng=0).scores
    better = (scores.tasks[0].values[1] > scores.tasks[0].values[0]).mean()
    # Binomial standard error 0.0024; four of them.
    assert better == pytest.approx(1 / (1 + np.exp(-0.7)), abs=0.01)


def test_the_last_system_is_the_best() -> None:
    ranking = podium.rank(gumbel(12, 3, 400, dispersion=0.5, missing=0.3, rng=3).scores)
    assert ranking.systems == tuple(f"system {index:02d}" for index in range(12, 0, -1))


def test_the_share_of_missing_scores_is_kept() -> None:
    scores = gumbel(10, 2, 1_000, dispersion=0.1, missing=0.3, rng=0).scores
    assert 1 - scores.n_scored / scores.n_cells == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("bad", [{"systems": 0}, {"dispersion": -1.0}, {"missing": 1.5}])
def test_worlds_out_of_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        gumbel(**{"systems": 2, "tasks": 1, "instances": 1, "dispersion": 0.1, "rng": 0, **bad})  # type: ignore[arg-type]
