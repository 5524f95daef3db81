"""`podium.plan`: what it takes from the ranking, the bootstrap and the duels."""

import copy
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium import plots
from podium.errors import InputError, MethodError
from podium.planning.figure import _FAR
from podium.planning.power import growth_needed
from podium.ranking.method_spec import METHODS
from podium.ranking.pairwise import comparisons_needed, radius
from podium.report.formats import render
from podium.score.table import Scores
from support.pictures import draw
from support.worlds import tables


def world(*, rng: int = 0, systems: int = 5, instances: int = 60) -> Scores:
    return podium.simulate.gumbel(systems, 4, instances, dispersion=0.15, rng=rng).scores


@pytest.mark.parametrize("method", ["borda", "mean", "copeland"])
@pytest.mark.parametrize("units", ["instances", "both"])
def test_it_rests_on_the_ranking_and_its_replicates(method: str, units: Any) -> None:
    scores = world().with_task_weights({"task 1": 2})
    # four tasks are too few to be drawn anew
    scores = replace(scores, tasks=(*scores.tasks, *(replace(t, name=f"more {t.name}") for t in scores.tasks)))
    plan = podium.plan(scores, method, units=units, n_resamples=200, rng=3)
    ranking = podium.rank(scores, method, units=units, confidence_level=0.95, n_resamples=200, rng=3)
    sure = ranking.intervals
    assert sure is not None
    assert plan.systems == ranking.systems
    assert_array_equal(plan.separated, sure.separated)
    goodness = ranking.score
    for i in range(len(plan.systems)):
        for j in range(len(plan.systems)):
            error = np.std(sure.samples[i] - sure.samples[j], ddof=1)
            assert plan.std_error[i, j] == pytest.approx(error)
            assert plan.difference[i, j] == pytest.approx(goodness[i] - goodness[j])
    told = ~np.isnan(plan.growth)
    first_step = growth_needed(plan.difference, plan.std_error, sure.critical)
    if method == "copeland":
        assert_allclose(plan.growth[told], first_step[told])
    else:
        assert (plan.growth[told] <= first_step[told] * (1 + 1e-9)).all()
    # of scores that do not move in steps, what exceeds the critical value is separated, and stepdown adds to it
    if method == "mean" and units == "instances":
        beyond = plan.difference > sure.critical * plan.std_error
        assert not (beyond & ~plan.separated).any()
    assert plan.size == (60 if units == "instances" else 8)


def test_lower_is_better_turns_the_differences() -> None:
    scores = world().with_directions(lower=["*"])
    plan = podium.plan(scores, "mean", n_resamples=100)
    assert (np.diagonal(plan.difference, 1) > 0).all()


def test_comparisons_are_those_of_the_duels() -> None:
    scores = world()
    plan, duels = podium.plan(scores, n_resamples=100), podium.pairwise(scores, simultaneous=True)
    place = [duels.systems.index(system) for system in plan.systems]
    both = np.ix_(place, place)
    assert_array_equal(plan.compared, duels.compared[both])
    assert_array_equal(plan.probability, duels.probability[both])
    won = plan.probability > 0.5
    assert_array_equal(plan.compared > plan.comparisons, duels.separated[both])
    assert_allclose(plan.comparisons[won], comparisons_needed(plan.probability[won], simultaneous_pairs=10))
    assert np.isinf(plan.comparisons[plan.probability <= 0.5]).all()
    for row in plan.rows():
        if row["comparisons_needed"] is not None:
            bounds = [radius(np.full((5, 5), row["comparisons_needed"] - k), simultaneous=True)[0, 1] for k in (0, 1)]
            assert bounds[0] < row["probability"] - 0.5 <= bounds[1] * (1 + 1e-9)


def test_surer_and_closer_take_more() -> None:
    scores = world()
    plans = [
        podium.plan(scores, "mean", n_resamples=200, confidence_level=confidence, power=power)
        for confidence, power in [(0.9, 0.8), (0.95, 0.8), (0.95, 0.9)]
    ]
    upper = np.triu_indices(5, 1)
    for less, more in pairwise(plans):
        assert (less.growth[upper] < more.growth[upper]).all()
    assert (plans[0].comparisons[upper] <= plans[1].comparisons[upper]).all()


def test_more_instances_ask_for_as_many() -> None:
    # the same world seen on 8 times the instances: what is needed stays what it was, up to chance
    small, large = (podium.plan(world(rng=3, systems=2, instances=size), "mean") for size in (2000, 16_000))
    assert large.growth[0, 1] * large.size == pytest.approx(small.growth[0, 1] * small.size, rel=0.35)


def test_equals_are_never_separated_and_say_so() -> None:
    rng = np.random.default_rng(0)
    row = rng.integers(0, 9, 40)
    scores = podium.from_arrays({"t": [row, row, row - 4.0]}, systems=["A", "B", "C"])
    plan = podium.plan(scores, "mean", n_resamples=100)
    first, second = plan.neighbours()
    assert (first["difference"], first["growth"], first["units_needed"]) == (0.0, None, None)
    assert first["comparisons_needed"] is None
    assert plan.summary == (
        "to separate A from B: no amount of data, as the difference is 0",
        "A and C are separated already",
    )
    assert second["separated"]
    assert "never" in render(plan)
    assert "never" in [text.get_text().strip() for text in plots.needed(plan).texts]


def test_too_few_units_leave_the_comparisons() -> None:
    plan = podium.plan(podium.datasets.xtreme_missing())
    assert np.isnan(plan.std_error).all()
    assert np.isnan(plan.growth[np.triu_indices(10, 1)]).all()
    assert any(note.startswith("no intervals: 4 tasks cannot show") for note in plan.notes)
    assert plan.rows()[0]["comparisons_now"] == 2
    assert plan.rows()[0]["comparisons_needed"] == 15
    json.dumps(plan.to_dict(), allow_nan=False)


@given(tables())
def test_a_plan_counts_what_is_missing_and_goes_through_json_and_copies(scores: Scores) -> None:
    try:
        plan = podium.plan(scores, n_resamples=40)
    except MethodError:
        return  # nothing to rank by
    missing = scores.n_cells - scores.n_scored
    assert any("podium allocate" in note for note in plan.notes) == (missing > 0)
    content = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert len(content["pairs"]) == len(plan.systems) * (len(plan.systems) - 1) // 2
    assert copy.deepcopy(plan).rows() == plan.rows()
    turned = replace(scores, tasks=scores.tasks[::-1])
    assert podium.plan(turned, n_resamples=40, n_jobs=2).to_dict() == plan.to_dict()


@pytest.mark.parametrize("method", [name for name in METHODS if name != "irt"])  # scores are not between 0 and 1
def test_every_method_can_be_planned_with(method: str) -> None:
    plan = podium.plan(world(systems=3), method, n_resamples=60)
    assert len(plan.neighbours()) == 2
    assert plan.summary[0].startswith(("about", "to separate", plan.systems[0]))


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_a_system_without_a_rank_has_no_numbers() -> None:
    row = np.random.default_rng(0).normal(size=(2, 30))
    scores = podium.from_arrays({"t": [*row, np.full(30, np.nan)]}, systems=["A", "B", "C"])
    plan = podium.plan(scores, "mean", n_resamples=60)
    last = plan.neighbours()[-1]
    assert (last["other"], last["difference"], last["growth"], last["probability"]) == ("C", None, None, None)
    assert plan.sentence(1, 2).endswith("unknown, as they are never scored together")


def test_what_makes_no_sense_is_refused() -> None:
    for power in (0.0, 0.4, 1.0, 1.5, float("nan")):
        with pytest.raises(MethodError, match="power is"):
            podium.plan(world(), power=power)
    with pytest.raises(MethodError, match=r"confidence_level \(--confidence\) is 2"):
        podium.plan(world(), confidence_level=2)
    with pytest.raises(MethodError, match="no method"):
        podium.plan(world(), "brda")
    with pytest.raises(InputError, match="expected a path"):
        podium.plan(None)  # type: ignore[arg-type]


def test_lines_end_at_what_is_needed() -> None:
    plan = podium.plan(podium.simulate.gumbel(12, 5, 200, dispersion=0.1, rng=0).scores, n_resamples=300)
    ax = draw(plots.needed(plan))
    growth, apart = np.diagonal(plan.growth, 1), np.diagonal(plan.separated, 1)
    assert 0 < apart.sum() < 11
    tracks = [np.asarray(line.get_xydata())[0] for line in ax.lines if line.get_marker() == "o"]
    dots = {float(y): float(x) for x, y in tracks}
    for place in range(11):
        wanted = plan.size if apart[place] else growth[place] * plan.size
        assert dots.get(place + 0.5, growth[place] > _FAR and wanted) == pytest.approx(wanted)
    assert "ring: separated already" in [text.get_text() for text in ax.texts]


def test_without_intervals_there_is_nothing_to_draw() -> None:
    plan = podium.plan(podium.from_arrays(np.array([[[1.0]], [[2.0]]]), systems=["A", "B"]), n_resamples=200)
    with pytest.raises(MethodError, match="too little data for a bootstrap"):
        plots.needed(plan)
