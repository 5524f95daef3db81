"""Plans of labels: as many as bring human scores as near as is wanted, of items drawn at random."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import podium
from podium.errors import InputError, MethodError
from support.entry import printed, run
from support.results import judged


def world(items: int, labelled: int) -> tuple[podium.Scores, NDArray[np.float64]]:
    """Two systems on one task, with all that people would say."""
    rng = np.random.default_rng(1)
    truth = (rng.random((2, items)) < [[0.5], [0.7]]).astype(np.float64)
    judge = np.where(rng.random(truth.shape) < 0.9, truth, 1 - truth)
    labels = np.where(np.isin(np.arange(items), rng.choice(items, labelled, replace=False)), truth, np.nan)
    return with_labels(podium.from_arrays({"t": judge}), labels), truth


def with_labels(scores: podium.Scores, labels: NDArray[np.float64]) -> podium.Scores:
    return replace(scores, tasks=(replace(scores.tasks[0], covariates={"human": labels}),), human="human")


def test_labels_that_are_planned_bring_what_is_wanted() -> None:
    scores, truth = world(3000, 80)
    plan = podium.plan_labels(scores, 0.025, method="mean")
    assert plan.then.max() == pytest.approx(0.025, abs=2e-4)
    labels = scores.tasks[0].covariates["human"].copy()
    places = [int(instance) for _, instance in plan.items]
    assert len(set(places)) == len(places) <= plan.left == 2920
    assert np.isnan(labels[:, places]).all()
    labels[:, places] = truth[:, places]
    found = podium.rank(with_labels(scores, labels), "mean").intervals
    assert found is not None
    assert (found.score_high - found.score_low).max() / 2 == pytest.approx(0.025, rel=0.1)
    again = podium.plan_labels(with_labels(scores, labels), 0.03, method="mean")
    assert (again.items, again.summary[0][:24]) == ((), "every human score is kno")


def test_more_labels_than_items_are_not_planned() -> None:
    plan = podium.plan_labels(judged(), 0.02, method="mean")
    assert len(plan.items) == plan.left == 100
    assert "add items" in plan.summary[0]
    assert (podium.plan_labels(judged(), 0.02).then < plan.then).all()  # Borda scores move less
    one, other = (podium.plan_labels(judged(), 0.09, method="mean", rng=seed).items for seed in (0, 1))
    assert 0 < len(one) == len(other) < 100
    assert one != other


def test_what_cannot_be_planned_is_refused(tmp_path: Path) -> None:
    scores = judged()
    with pytest.raises(MethodError, match=r"reach= .* must be above 0"):
        podium.plan_labels(scores, 0)
    with pytest.raises(MethodError, match=r"reach= \(--labels\) is nan"):
        podium.plan_labels(scores, math.nan)
    with pytest.raises(InputError, match="no labels by people"):
        podium.plan_labels(replace(scores, human=""), 0.1)
    few = [
        replace(task, covariates={"human": np.where(np.arange(80) < 4, task.values, np.nan)}) for task in scores.tasks
    ]
    with pytest.raises(MethodError, match=r"A_1.* a plan needs 10 labels of each"):
        podium.plan_labels(replace(scores, tasks=tuple(few)), 0.1, method="mean")
    podium.datasets.write_examples(tmp_path)
    command = "podium plan judged.csv --human-column human -m mean --labels 0.06 -f json"
    plan = podium.plan_labels(tmp_path / "judged.csv", 0.06, method="mean", human_column="human")
    assert printed(command, tmp_path)["items"] == plan.rows()
    assert "bring every human score within 0.06" in run(tmp_path, *command.split()[1:-2]).stdout
