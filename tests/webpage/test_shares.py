"""What a browser gets ranks the table, and every replicate, by any weights; the kernels' cases are up to date."""

import gzip
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import podium
from podium.errors import MethodError
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.bootstrap import replicates as drawn_replicates
from podium.ranking.counted import CountedScores
from podium.ranking.degrees_of_freedom import degrees_of_freedom
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.score.units import drawn_as, one_unit
from podium.webpage.shares import TaskShares
from podium.webpage.shell import in_steps, packed
from support import page_cases as cases

WORLDS = dict(cases.worlds())


def shares_of(scores: Scores) -> tuple[TaskShares, Bootstrap]:
    bootstrap = Bootstrap.of(scores, confidence=0.95, units=None, replicates=40, seed=3)
    return TaskShares.of(scores, bootstrap), bootstrap


@pytest.mark.parametrize("name", WORLDS)
@given(seed=st.integers(0, 100))
def test_shares_give_scores_and_replicates_by_any_weights(name: str, seed: int) -> None:
    scores = WORLDS[name]
    weights = np.random.default_rng(seed).integers(0, 4, len(scores.tasks)) + 0.5
    made, bootstrap = shares_of(scores)
    weighed = scores.with_task_weights(dict(zip(scores.task_names, weights.tolist(), strict=True)))
    spec = MethodSpec("borda", missing="imputed").on(weighed)
    counted = CountedScores.for_rankings(weighed, [spec])
    assert_allclose(made.shares @ weights / weights.sum(), counted.result(spec).score, rtol=1e-12)
    replicates = drawn_replicates(counted, spec, bootstrap.resampling)
    masses = weighed.task_weights if bootstrap.units == "instances" else None
    factors = bootstrap.resampling.task_draws(drawn_as(weighed.tasks, bootstrap.units), masses)
    if bootstrap.units == "tasks" or made.replicates is None:
        drawn, values = factors, made.shares[:, :, None]
    else:
        there = ~np.isnan(made.replicates).all(axis=0)
        drawn, values = factors * there, np.where(there, made.replicates, 0.0)
    found = np.einsum("tb,ntb->nb", weights[:, None] * drawn, np.broadcast_to(values, (*made.shares.shape, 40)))
    assert_allclose(found / (weights @ drawn), replicates, rtol=1e-12)


@pytest.mark.parametrize("name", [name for name, scores in WORLDS.items() if not any(map(one_unit, scores.tasks))])
@given(seed=st.integers(0, 100))
def test_groups_give_degrees_of_freedom_by_any_weights(name: str, seed: int) -> None:
    scores = WORLDS[name]
    weights = np.random.default_rng(seed).integers(0, 4, len(scores.tasks)) + 0.5
    made, _ = shares_of(scores)
    weighed = scores.with_task_weights(dict(zip(scores.task_names, weights.tolist(), strict=True)))
    of = [weights[list(one.units.tasks)] for one in made.groups]
    variances = np.array([own @ one.gram @ own for own, one in zip(of, made.groups, strict=True)])
    units = np.array([own.sum() ** 2 for own in of]) / variances
    found = variances.sum() ** 2 / (variances**2 / (units - 1)).sum()
    assert found == pytest.approx(degrees_of_freedom(weighed, "instances", "balanced"), rel=1e-8)


def test_the_cases_of_the_kernels_are_those_of_today() -> None:
    contents = cases.contents()
    kept = {path.relative_to(cases.FOLDER).as_posix() for path in cases.FOLDER.rglob("*.json")}
    assert kept == contents.keys()
    for path, content in contents.items():
        assert_alike(json.loads((cases.FOLDER / path).read_text("utf-8")), json.loads(json.dumps(content)), path)
    assert json.loads(cases.WORDS.read_text("utf-8")) == json.loads(json.dumps(cases.words())), "what the page reads by"


def test_the_bundle_is_that_of_today() -> None:
    assert gzip.decompress((cases.FOLDER / "bundle.bin").read_bytes()) == gzip.decompress(cases.bundle())


@given(seed=st.integers(0, 1000))
def test_steps_are_near_enough(seed: int) -> None:
    rng = np.random.default_rng(seed)
    centre = rng.random((3, 4))
    values = centre[..., None] + rng.normal(0, rng.choice([0.0, 1e-9, 1.0], (3, 4, 1)), (3, 4, 50))
    whole, step = in_steps(values, centre)
    assert_allclose(centre[..., None] + whole * step[..., None], values, rtol=0, atol=step.max() / 2 + 1e-15)
    varies = values.std(axis=-1) > 1e-8
    ratio = (whole * step[..., None]).std(axis=-1)[varies] / values.std(axis=-1)[varies]
    assert_allclose(ratio, 1.0, atol=0.01)


def test_a_number_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        packed({"a": float("nan")}, {})


def assert_alike(kept: Any, made: Any, where: str) -> None:
    """The same but for the last digits, which depend on the processor."""
    if isinstance(made, dict):
        assert kept.keys() == made.keys(), where
        for name, value in made.items():
            assert_alike(kept[name], value, f"{where} {name}")
    elif isinstance(made, list) and made and isinstance(made[0], dict | list | str):
        assert len(kept) == len(made), where
        for one, other in zip(kept, made, strict=True):
            assert_alike(one, other, where)
    elif isinstance(made, str) or made is None:
        assert kept == made, where
    else:
        assert_allclose(np.array(kept, dtype=float), np.array(made, dtype=float), rtol=1e-11, atol=1e-13, err_msg=where)


def test_single_units_are_in_a_page_only_if_an_exact_test_needs_them() -> None:
    rng = np.random.default_rng(0)
    for size, n_systems, single in ((50, 4, True), (51, 4, False), (50, 700, False), (12, 700, True)):
        scores = podium.from_arrays({f"t{task}": rng.normal(size=(n_systems, size)) for task in range(4)})
        made, _ = shares_of(scores)
        assert made.single == single
        assert ("contributions" in made.arrays()) == single


def test_a_task_that_weighs_nothing_may_be_weighed_on_the_page() -> None:
    scores = WORLDS["instances"]
    muted, bootstrap = scores.with_task_weights({"t0": 0.0}), shares_of(scores)[1]
    one, other = (TaskShares.of(table, bootstrap).arrays() for table in (muted, scores))
    assert one["departures"].tobytes() == other["departures"].tobytes()


def test_what_no_encoding_has_is_written() -> None:
    made = podium.page(podium.datasets.xtreme_missing(), title="\ud800", n_resamples=40)
    assert "podium-data" in made.html


def test_a_ranking_of_one_system_is_refused() -> None:
    with pytest.raises(MethodError, match="there is only one system, 'A'"):
        podium.page(podium.from_dict({"A": {"t": 1.0, "u": 2.0}}))
