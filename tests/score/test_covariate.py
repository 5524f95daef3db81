"""What is known beside scores stays with its system, task and instance, and changes no ranking."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import podium
from podium.errors import InputError, PodiumError
from podium.stresses import Subsample

NAN = float("nan")


def table(**columns: list[float | None]) -> pa.Table:
    cells = [(task, system, instance) for task in "tu" for system in "AB" for instance in (1, 2)]
    tasks, systems, instances = (list(part) for part in zip(*cells, strict=True))
    named = {"task": tasks, "system": systems, "instance": instances}
    return pa.table({**named, "score": [1, 0, 1, 1, 0, 0, 1, 0], **columns})


COST = [1.0, 3.0, None, 2.0, 5.0, 5.0, None, None]


def test_usual_names_are_covariates_and_others_are_not() -> None:
    scores = podium.from_frame(table(cost=COST, Seconds=[1.0] * 8, votes=[3.0] * 8))
    assert list(scores.covariates) == ["cost", "Seconds"]
    assert scores.notes == ("column 'votes' not used",)
    np.testing.assert_array_equal(scores.tasks[0].covariates["cost"], [[1, 3], [NAN, 2]])
    # of systems: tasks count alike, and what is missing does not count
    np.testing.assert_array_equal(scores.covariates["cost"].of_systems(), [(2 + 5) / 2, 2])


def test_columns_are_named_by_patterns_which_take_numbers_only() -> None:
    words = pa.array(["x"] * 8)
    frame = table(cost=COST, price_in=COST, price_out=COST).append_column("price_words", words)
    assert list(podium.from_frame(frame, covariate_column="price*").covariates) == ["price_in", "price_out"]
    assert list(podium.from_frame(frame, covariate_column=["cost", "price_in"]).covariates) == ["cost", "price_in"]
    assert not podium.from_frame(frame, covariate_column=["*", "!cost", "!price*"]).covariates
    with pytest.raises(InputError, match=r"row 1: column 'price_words' holds 'x'|'x'"):
        podium.from_frame(frame, covariate_column="price_words")
    with pytest.raises(InputError, match="column 'score' holds scores, so it is no covariate"):
        podium.from_frame(frame, covariate_column="score")


def test_columns_of_a_wide_table_that_describe_systems_are_covariates() -> None:
    columns = {"rte": [0.5, 0.6], "wins": [1.0, 2.0], "params": [7.0, None], "seed": [1, 2]}
    wide = pa.table({"system": ["A", "B"], **columns})
    scores = podium.from_frame(wide)
    assert (scores.task_names, list(scores.covariates)) == (("rte", "wins"), ["params"])
    assert str(scores.covariates["params"].of_systems()) == "[ 7. nan]"
    named = podium.from_frame(wide, covariate_column="wins")
    assert (named.task_names, list(named.covariates)) == (("rte",), ["wins"])


def test_they_stay_with_their_systems_and_tasks() -> None:
    scores = podium.from_frame(table(cost=COST))
    chosen = scores.select(systems=["B"], tasks=["t"])
    np.testing.assert_array_equal(chosen.covariates["cost"].values[0], [[NAN, 2]])
    np.testing.assert_array_equal(scores.take([1, 0]).covariates["cost"].of_systems(), [2, 3.5])
    turned = scores.with_directions(lower=["u"]).with_task_weights({"t": 2}).with_tie_tolerance(0.1).by_name()
    np.testing.assert_array_equal(turned.covariates["cost"].of_systems(), [3.5, 2])


def test_they_stay_with_their_instances() -> None:
    scores = podium.from_frame(table(cost=[1.0, 2.0] * 4))
    cut = Subsample(0.5)(scores, np.random.default_rng(0))
    for task in cut.tasks:
        assert task.instances is not None
        assert task.n_instances == 1
        np.testing.assert_array_equal(task.covariates["cost"], np.full((2, 1), task.instances[0]))


def test_other_scores_have_none_of_the_old_ones() -> None:
    task = podium.from_frame(table(cost=COST)).tasks[0]
    assert not task.with_values(task.values[:, :1], instances=None).covariates
    with pytest.raises(InputError, match=r"covariate 'cost' has shape \(2, 1\)"):
        replace(task, covariates={"cost": np.ones((2, 1))})


def test_of_repeats_they_are_means() -> None:
    frame = table(cost=COST).append_column("repeat", pa.array([1, 2] * 4)).drop(["instance"])
    frame = frame.append_column("instance", pa.array([1] * 8))
    np.testing.assert_array_equal(podium.from_frame(frame).covariates["cost"].values[0], [[2], [2]])


def test_they_change_no_ranking_and_no_note() -> None:
    with_cost, without = podium.from_frame(table(cost=COST)), podium.from_frame(table())
    assert podium.rank(with_cost).render("json") == podium.rank(without).render("json")


def test_rows_may_have_different_ones() -> None:
    first, second = table(cost=COST).slice(0, 4), table(seconds=COST).slice(4)
    together = pa.concat_tables([first, second], promote_options="default")
    covariates = podium.from_frame(together).covariates
    np.testing.assert_array_equal(covariates["cost"].of_systems(), [2, 2])
    np.testing.assert_array_equal(covariates["seconds"].of_systems(), [5, NAN])


def test_what_is_not_finite_is_an_error_that_names_the_column() -> None:
    with pytest.raises(PodiumError, match="column 'cost' holds inf"):
        podium.from_frame(table(cost=[float("inf")] * 8))


def test_a_description_has_their_means_and_what_is_missing() -> None:
    description = podium.info(podium.from_frame(table(cost=COST, seconds=[2.0] * 8)))
    cost, seconds = description.covariates
    assert (cost.name, cost.unit, seconds.unit) == ("cost", "", "s")
    assert [one.missing.tolist() for one in (cost, seconds)] == [[0, 3], [0, 0]]
    assert description._content()["systems"][1]["covariates"] == {"cost": 2, "seconds": 2}
    shown = description.view().tables[-1]
    assert list(shown.rows) == [("A", "3.500", "2.000"), ("B", "2.000 (3 missing)", "2.000")]


def test_many_systems_are_described_by_their_range() -> None:
    names = [f"s{number}" for number in range(50)]
    frame = pa.table(
        {"task": ["t"] * 50, "system": names, "score": [0.5] * 50, "cost": [None, *map(float, range(1, 50))]}
    )
    shown = podium.info(podium.from_frame(frame)).view().tables[-1]
    assert list(shown.rows) == [("cost", "49/50", "1.000", "25.00", "49.00")]
