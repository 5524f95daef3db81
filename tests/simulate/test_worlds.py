from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from podium.errors import InputError
from podium.simulate import World, correlated, gumbel, mallows

pytestmark = pytest.mark.core

WORLDS: dict[str, Callable[..., World]] = {
    "gumbel": partial(gumbel, dispersion=0.5),
    "mallows": partial(mallows, dispersion=0.5),
    "correlated": partial(correlated, correlation=0.5),
}
every_world = pytest.mark.parametrize("draw", WORLDS.values(), ids=WORLDS.keys())


@every_world
def test_tasks_may_differ_in_size(draw: Callable[..., World]) -> None:
    world = draw(4, 3, [5, 1, 20_000], rng=0)
    assert [task.n_instances for task in world.scores.tasks] == [5, 1, 20_000]
    assert [task.scored.tolist() for task in world.scores.tasks] == [[5] * 4, [1] * 4, [20_000] * 4]
    assert sorted(world.truth.tolist()) == [1, 2, 3, 4]


@every_world
def test_one_size_is_that_size_for_all(draw: Callable[..., World]) -> None:
    for one, each in zip(draw(4, 3, 6, rng=1).scores.tasks, draw(4, 3, (6, 6, 6), rng=1).scores.tasks, strict=True):
        assert_array_equal(one.values, each.values)


@every_world
def test_scales_multiply_the_scores_of_their_tasks(draw: Callable[..., World]) -> None:
    plain, scaled = draw(4, 3, 6, rng=2), draw(4, 3, 6, scales=[1, 100, 0.5], rng=2)
    for factor, one, other in zip([1, 100, 0.5], plain.scores.tasks, scaled.scores.tasks, strict=True):
        assert_allclose(other.values, factor * one.values, rtol=1e-15)
    assert_array_equal(plain.truth, scaled.truth)


@every_world
def test_the_last_tasks_are_better_lower(draw: Callable[..., World]) -> None:
    plain, turned = draw(4, 3, 6, rng=3), draw(4, 3, 6, lower=2, rng=3)
    assert turned.scores.higher_is_better.tolist() == [True, False, False]
    for sign, one, other in zip([1, -1, -1], plain.scores.tasks, turned.scores.tasks, strict=True):
        assert_array_equal(other.values, sign * one.values)
    for block, same in zip(plain.scores.blocks(), turned.scores.blocks(), strict=True):
        assert_array_equal(block.values, same.values)


@every_world
def test_missing_scores_are_missing_and_others_stay(draw: Callable[..., World]) -> None:
    plain, holed = draw(5, 2, 400, rng=4).scores, draw(5, 2, 400, missing=0.3, rng=4).scores
    # Binomial standard error 0.007; four of them.
    assert 1 - holed.n_scored / holed.n_cells == pytest.approx(0.3, abs=0.03)
    for one, other in zip(plain.tasks, holed.tasks, strict=True):
        assert_array_equal(np.where(np.isnan(other.values), np.nan, one.values), other.values)


@every_world
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"systems": 0}, "systems is 0; it must be a whole number, at least 1"),
        ({"systems": 2.5}, "systems is 2.5"),
        ({"tasks": 0}, "tasks is 0"),
        ({"instances": 0}, "instances is 0"),
        ({"instances": [3, 0]}, r"instances\[1\] is 0"),
        ({"instances": [3]}, "instances has 1 numbers for 2 tasks"),
        ({"scales": [1, 0]}, r"scales\[1\] is 0; it must be a number above 0"),
        ({"scales": [np.nan, 1]}, r"scales\[0\] is nan"),
        ({"scales": [1, 2, 3]}, "scales has 3 numbers for 2 tasks"),
        ({"lower": 3}, "3 tasks are to be better lower, but there are 2"),
        ({"lower": -1}, "lower is -1"),
        ({"missing": 1.5}, "missing is 1.5; it must be a number from 0 to 1"),
        ({"missing": np.nan}, "missing is nan"),
    ],
)
def test_worlds_out_of_range_are_refused(draw: Callable[..., World], bad: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        draw(**{"systems": 2, "tasks": 2, "instances": 3, "rng": 0, **bad})


@every_world
def test_a_seed_is_any_whole_number_and_nothing_else(draw: Callable[..., World]) -> None:
    def first(rng: Any) -> Any:
        return draw(4, 2, 3, rng=rng).scores.tasks[0].values

    for seed in (0, 7, 2**64 - 1):
        assert_array_equal(first(seed), first(np.random.default_rng(seed)))
    assert_array_equal(first(-1), first(2**64 - 1))
    assert_array_equal(first(np.int64(-5)), first(-5))
    for bad in (None, 1.5, "1", [1, 2], np.random.PCG64(0)):
        with pytest.raises(InputError, match=r"rng is .*; it must be a numpy.random.Generator, or a whole number"):
            first(bad)


@pytest.mark.parametrize(
    ("draw", "bad"),
    [
        (gumbel, {"dispersion": -1.0}),
        (mallows, {"dispersion": -1.0}),
        (mallows, {"dispersion": np.inf}),
        (correlated, {"correlation": 1.1}),
        (correlated, {"correlation": -0.1}),
        (correlated, {"correlation": 0.5, "noise": -1}),
    ],
)
def test_parameters_out_of_range_are_refused(draw: Callable[..., World], bad: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{list(bad)[-1]} is"):
        draw(2, 1, 1, rng=0, **bad)
