import numpy as np
import pytest

import podium
from podium.score.table import Scores
from podium.score.task import Task


def test_shape_holes_directions_and_ties() -> None:
    table = Scores(
        ("A", "B", "C"),
        (
            Task.cut("x", np.array([[0.3, 1.0], [0.1 + 0.2, 1.0], [0.7, np.nan]])),
            Task.cut("wer", np.array([[1.0], [2.0], [3.0]]), higher_is_better=False, weight=2.0),
        ),
        notes=("a note",),
    )
    description = podium.info(table)
    assert (description.n_instances, description.n_cells, description.n_scored) == (3, 9, 8)
    x, wer = description.tasks
    assert (x.n_instances, x.n_cells, x.n_scored, x.pairs, x.tied, x.near) == (2, 6, 5, 4, 1, 1)
    assert (wer.higher_is_better, wer.weight, wer.pairs, wer.tied, wer.near) == (False, 2.0, 3, 0, 0)
    assert description.scored.tolist() == [[2, 1], [2, 1], [1, 1]]
    assert description.notes[0] == "a note"


def test_near_ties_that_the_tolerance_makes_ties_are_ties() -> None:
    table = Scores(("A", "B"), (Task.cut("x", np.array([[0.3], [0.1 + 0.2]])),), tie_tolerance=1e-6)
    (task,) = podium.info(table).tasks
    assert (task.tied, task.near) == (1, 0)


def test_variances_between_instances_and_repeats_are_told_where_there_are_repeats() -> None:
    cube = np.array([[[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0], [1.0, 0.0]]])
    found = podium.info(podium.from_arrays({"t": cube, "u": cube[:, :, 0]}, systems=["A", "B"]))
    assert found.tasks[0].variances == pytest.approx((1 / 6 / 2, 1 / 6))
    assert [row.get("variance_between_repeats") for row in found.rows()] == [pytest.approx(1 / 6), None]
    systems = found.to_dict()["systems"]
    assert systems[0]["variance_between_instances"] == {"t": pytest.approx(1 / 6)}
    assert systems[1]["variance_between_repeats"] == {"t": pytest.approx(1 / 6)}
    assert "var. between repeats" in str(found.render("table"))
    assert found.to_frame().column_names[-6:-4] == ["variance_between_repeats", "two_runs"]
    plain = podium.info(podium.from_arrays({"u": cube[:, :, 0]}))
    assert "variance" not in str(plain.to_dict())


def test_noise_is_split_into_instances_and_runs() -> None:
    rng = np.random.default_rng(0)
    cube = rng.normal(size=(3, 50, 1)) + rng.normal(size=(3, 50, 4)) + rng.normal(size=(3, 1, 4))
    found = podium.info(podium.from_arrays({"t": cube}))
    row, runs = found.rows()[0], cube.mean(axis=1).var(axis=1, ddof=1)
    alone = (cube.var(axis=2, ddof=1) / 50**2).sum(axis=1)
    errors, common = (found.std_errors[:, 0] ** 2).mean(), ((runs - alone) / 4).mean()
    assert row["std_error"] == pytest.approx(np.sqrt(errors + common))
    assert row["run_share"] == pytest.approx(runs.mean() / 4 / (errors + common))
    assert row["items_doubled"] == pytest.approx(np.sqrt(errors / 2 + common))
    assert row["runs_doubled"] == pytest.approx(np.sqrt(errors + common - runs.mean() / 8))
    sentences = found.view().verdict
    assert sentences[1].startswith("two single runs of one system differ by up to ")
    assert "twice the instances would cut standard errors by " in sentences[2]
    once = podium.info(podium.from_arrays({"t": cube[..., 0]}))
    assert once.notes[-1] == "runs are not repeated, so standard errors are for other instances only"
    assert "two_runs" not in once.rows()[0]


def test_clusters_are_counted_where_there_are_some() -> None:
    values = np.ones((2, 3))
    found = podium.info(podium.from_arrays({"t": values, "u": values}, clusters={"t": ["p", "q", "q"]}))
    assert [row["n_clusters"] for row in found.rows()] == [2, None]
    assert [row["n_clusters"] for row in found.to_dict()["tasks"]] == [2, None]
    assert "clusters" in str(found.render("table"))
    assert "n_clusters" not in podium.info(podium.from_arrays({"t": values})).rows()[0]


def test_means_have_standard_errors_where_there_are_instances() -> None:
    values = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 1.0, np.nan, 0.0]])
    scores = podium.from_arrays({"t": values, "u": values[:, :1]}, systems=["A", "B"])
    description = podium.info(scores)
    np.testing.assert_allclose(description.means, [[0.5, 0.0], [2 / 3, 1.0]])
    np.testing.assert_allclose(description.std_errors, [[np.sqrt(1 / 12), np.nan], [1 / 3, np.nan]])
    system = description.to_dict()["systems"][1]
    assert system["mean"] == {"t": pytest.approx(2 / 3), "u": 1.0}
    assert system["std_error"] == {"t": pytest.approx(1 / 3), "u": None}
    assert "0.50 (0.29)" in str(description.render("markdown"))
    assert "std_error" not in podium.info(podium.datasets.xtreme_missing()).to_dict()["systems"][0]
