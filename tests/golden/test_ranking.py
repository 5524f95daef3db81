"""Every number of the golden file that does not rest on arbitrary tie order, for every shared table."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import PodiumWarning
from podium.ranking.result import Ranking
from podium.score.table import Scores
from podium.score.task import Task

pytestmark = pytest.mark.core

# The golden numbers are printed to 16 digits; sums of up to 2,000 ballots were added in another order.
TOLERANCE = 1e-9

TASK_TABLES = ["toy_table1", "glue", "superglue", "xtreme", "xtreme_as_published", "xtreme_missing_table5"]
INSTANCE_TABLES = ["DIALOG_pc", "DIALOG_tc", "FLICKR", "SUM_EVAL"]


def without(scores: Scores, cells: list[list[str]]) -> Scores:
    """Remove the listed (system, task) cells."""
    rows = {system: row for row, system in enumerate(scores.systems)}
    tasks = []
    for task in scores.tasks:
        values = task.values.copy()
        values[[rows[system] for system, name in cells if name == task.name]] = np.nan
        tasks.append(Task.cut(task.name, values))
    return Scores(scores.systems, tuple(tasks))


def by_system(ranking: Ranking, field: str) -> dict[str, float]:
    return {row["system"]: row[field] for row in ranking.rows()}


def expected_losses(ranking: Ranking, ballots: int) -> dict[str, float]:
    """Expected number of systems above, summed over ballots: how the missing-score paper prints Borda."""
    return {system: total - ballots for system, total in by_system(ranking, "rank_sum").items()}


def assert_agrees(entry: dict[str, Any], ours: dict[str, float]) -> None:
    theirs = entry["score"]
    assert set(theirs) == set(ours)
    for system, number in theirs.items():
        assert ours[system] == (None if number is None else pytest.approx(number, abs=TOLERANCE, rel=TOLERANCE))


def assert_order(entry: dict[str, Any], ranking: Ranking) -> None:
    """Same order, but for systems the golden file says are tied."""
    place = {system: index for index, system in enumerate(ranking.systems)}
    ranks = by_system(ranking, "midrank")
    last = len(place) + 1.0
    order = entry["order_best_first"]
    for better, worse in pairwise(order):
        assert (ranks[better] or last) <= (ranks[worse] or last)
    for group in entry["tie_groups"]:
        assert len({ranks[system] for system in group}) == 1


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("name", TASK_TABLES)
def test_task_level_tables(name: str, shared: Path, golden: dict[str, Any]) -> None:
    entries = golden["task_level"][name]
    scores = podium.read(shared / f"data/scores/{name}.csv")
    assert (len(scores.systems), len(scores.tasks)) == (entries["n_systems"], entries["n_tasks"])
    assert scores.n_cells - scores.n_scored == entries["n_missing"]
    described = podium.info(scores)
    assert sum(task.tied for task in described.tasks) == entries["tied_pairs_within_tasks"]
    borda, mean = (
        podium.rank(scores, "borda:missing=imputed", confidence_level=None),
        podium.rank(scores, "mean", confidence_level=None),
    )
    assert borda.level == "task"
    if "mean" in entries:
        assert_agrees(entries["mean"], by_system(mean, "score"))
        assert_order(entries["mean"], mean)
        assert_agrees(entries["sigma_star_average_ranks"], by_system(borda, "points"))
        assert_order(entries["sigma_star_average_ranks"], borda)
    for mask, entry in entries["himmi_one_level"].items():
        masked = scores if mask == "as_given" else without(scores, entry["masked_cells"])
        borda, mean = (
            podium.rank(masked, "borda:missing=imputed", confidence_level=None),
            podium.rank(masked, "mean", confidence_level=None),
        )
        closed = entry["closed_form_r_over_k_plus_1_midrank_ties"]
        assert_agrees(closed, expected_losses(borda, len(scores.tasks)))
        assert_order(closed, borda)
        assert_agrees(entry["mean_ignoring_missing"], by_system(mean, "score"))
        assert_order(entry["mean_ignoring_missing"], mean)


def levels(entries: dict[str, Any], scores: Scores) -> Iterator[tuple[str, Scores, dict[str, Any]]]:
    yield "complete", scores, entries["complete"]
    yield "masked", without(scores, entries["masked_20pct"]["masked_system_task"]), entries["masked_20pct"]


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("name", INSTANCE_TABLES)
def test_instance_level_tables(name: str, shared: Path, golden: dict[str, Any]) -> None:
    entries = golden["instance_level"][name]
    scores = podium.read(shared / f"data/scores/{name}.parquet")
    assert (list(scores.systems), list(scores.task_names)) == (entries["systems"], entries["tasks"])
    described = podium.info(scores)
    assert sum(task.tied for task in described.tasks) == entries["tied_pairs"]
    assert sum(task.pairs for task in described.tasks) == entries["total_pairs"]
    assert_agrees(entries["mean"], by_system(podium.rank(scores, "mean", confidence_level=None), "score"))
    for level in ("one", "two"):
        ranking = podium.rank(scores, "borda:missing=imputed", level=level, confidence_level=None)
        assert_agrees(entries[f"{level}_level_average_ranks"], by_system(ranking, "points"))
        assert_order(entries[f"{level}_level_average_ranks"], ranking)
    ballots: dict[Any, int] = {"one": scores.n_instances, "two": len(scores.tasks)}
    for _, table, entry in levels(entries["himmi"], scores):
        mean = podium.rank(table, "mean", confidence_level=None)
        assert_agrees(entry["mean_ignoring_missing"], by_system(mean, "score"))
        assert_order(entry["mean_ignoring_missing"], mean)
        for level, number in ballots.items():
            # the paper ranks a system inside a task that has no score of it
            ranking = podium.rank(table, podium.MethodSpec("borda", level, missing="placed"), confidence_level=None)
            closed = entry[f"{level}_level_closed_form_midrank_ties"]
            assert_agrees(closed, expected_losses(ranking, number))
            assert_order(closed, ranking)


def test_no_table_of_the_golden_file_is_left_out(golden: dict[str, Any]) -> None:
    assert set(golden["task_level"]) == set(TASK_TABLES)
    assert set(golden["instance_level"]) == set(INSTANCE_TABLES)


def test_xtreme_with_missing_scores_is_ranked_as_printed() -> None:
    ranking = podium.rank(podium.datasets.xtreme_missing(), "borda:missing=imputed", confidence_level=None)
    assert ranking.systems == ("M0", "M3", "M2", "M1", "M7", "M5", "M4", "M8", "M6", "M9")


def test_the_toy_table_divides_the_methods_as_printed() -> None:
    toy = podium.datasets.toy_table1()
    assert podium.rank(toy, "mean", confidence_level=None).systems == ("A", "B", "C")
    assert podium.rank(toy, "borda", confidence_level=None).systems == ("C", "B", "A")
    assert by_system(podium.rank(toy, "borda:missing=imputed", confidence_level=None), "rank_sum") == {
        "A": 13.0,
        "B": 12.0,
        "C": 11.0,
    }


def test_packaged_tables_equal_the_shared_ones(shared: Path) -> None:
    for packaged, file in (("toy-table1", "toy_table1"), ("xtreme-missing", "xtreme_missing_table5")):
        ours, theirs = podium.datasets.load(packaged), podium.read(shared / f"data/scores/{file}.csv")
        assert (ours.systems, ours.task_names) == (theirs.systems, theirs.task_names)
        for one, other in zip(ours.tasks, theirs.tasks, strict=True):
            np.testing.assert_array_equal(one.values, other.values)


def test_a_mean_over_missing_scores_warns() -> None:
    with pytest.warns(PodiumWarning, match="18 of 40 scores are missing"):
        podium.rank(podium.datasets.xtreme_missing(), "mean", confidence_level=None)
