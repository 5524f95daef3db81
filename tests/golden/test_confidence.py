"""Hoeffding intervals of the golden file: numbers of comparisons, radii, and how many pairs they decide."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import podium
from podium.ranking.ballots import pool_one_level
from podium.ranking.pairwise import radius
from podium.score.table import Scores
from podium.score.task import Task
from podium.tally.count import count
from podium.tally.duel import Duels

pytestmark = pytest.mark.core

# The golden numbers are printed with 12 decimals.
TOLERANCE = 1e-9


def entries(golden: dict[str, Any], shared: Path) -> Iterator[tuple[Scores, dict[str, Any]]]:
    """Every table of which the file has intervals, masked as there."""
    for name, tables in golden["task_level"].items():
        scores = podium.read(shared / f"data/scores/{name}.csv")
        for mask, entry in tables["himmi_one_level"].items():
            if "confidence" in entry:
                yield masked(scores, [] if mask == "as_given" else entry["masked_cells"]), entry["confidence"]
    for name, tables in golden["instance_level"].items():
        scores = podium.read(shared / f"data/scores/{name}.parquet")
        entry = tables["himmi"]["masked_20pct"]
        yield masked(scores, entry["masked_system_task"]), entry["confidence"]


def masked(scores: Scores, cells: list[list[str]]) -> Scores:
    """Remove the listed (system, task) cells; as in the file, higher is better throughout."""
    rows = {system: row for row, system in enumerate(scores.systems)}
    tasks = []
    for task in scores.tasks:
        values = task.values.copy()
        values[[rows[system] for system, name in cells if name == task.name]] = np.nan
        tasks.append(Task.cut(task.name, values))
    return Scores(scores.systems, tuple(tasks))


def decided(probability: np.ndarray[Any, Any], c: np.ndarray[Any, Any]) -> int:
    """Pairs whose interval does not hold ½, as the authors count them."""
    upper = np.triu_indices(len(c), 1)
    return int((~((probability - c < 0.5) & (probability + c > 0.5)))[upper].sum())


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_intervals_are_those_of_the_golden_file(golden: dict[str, Any], shared: Path) -> None:
    seen = without_ties = 0
    for scores, entry in entries(golden, shared):
        pooled = pool_one_level(count(scores, [Duels])[Duels], scores.task_weights)
        assert pooled.weight == entry["L"]
        if not pooled.ties.any():  # of two tied systems, the authors let the later one in the file win
            assert_allclose(pooled.expected / pooled.weight, entry["M_hat"], atol=TOLERANCE)
            without_ties += 1
        # The authors do not count a tie as a comparison; podium does, so ties are taken out again here.
        untied = pooled.compared - pooled.ties
        assert_array_equal(untied, entry["z"])
        theirs = np.array([[np.inf if c is None else c for c in row] for row in entry["c"]])
        np.fill_diagonal(theirs, np.inf)  # they put 0 where a system would meet itself
        ours = radius(untied, confidence=1 - entry["delta"], sided="one")
        assert_allclose(ours, theirs, atol=TOLERANCE)
        assert decided(np.array(entry["M_hat"]), ours) == entry["n_pairs_half_outside_interval"]
        seen += 1
    assert (seen, without_ties) == (13, 4)


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_pairwise_gives_the_same_radii_where_nothing_ties(golden: dict[str, Any], shared: Path) -> None:
    for scores, entry in entries(golden, shared):
        duels = podium.pairwise(scores, confidence_level=1 - entry["delta"], sided="one")
        place = [scores.systems.index(system) for system in duels.systems]
        theirs = np.array([[np.nan if c is None else c for c in row] for row in entry["c"]])[np.ix_(place, place)]
        same = duels.compared == np.array(entry["z"])[np.ix_(place, place)]
        np.fill_diagonal(same, val=False)
        known = same & ~np.isnan(theirs)
        assert_allclose(duels.radius[known], theirs[known], atol=TOLERANCE)
        assert np.isinf(duels.radius[same & np.isnan(theirs)]).all()
