"""Runs and qrels of two collections, evaluated as the golden file says they were."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.score.table import Scores

pytestmark = pytest.mark.core

#: Values of single queries are printed to 6 digits.
PRINTED = 5e-7

#: Means are printed to 16 digits, and were added in another order.
TOLERANCE = 1e-9

SYSTEMS = {"control": "tasb", "treatment": "colberter"}
TASKS = ("trec-covid", "nfcorpus")


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((shared / "data/golden/effects.json").read_text())["retrieval_shared"]
    return content


def evaluated(shared: Path, measure: str) -> Scores:
    folder = shared / "data/effects"
    runs = {role: {task: folder / f"{task}.{name}.run.gz" for task in TASKS} for role, name in SYSTEMS.items()}
    return podium.read_trec(runs, {task: folder / f"{task}.qrels.gz" for task in TASKS}, measure)


def test_ndcg_of_every_query(shared: Path, golden: dict[str, Any]) -> None:
    scores = evaluated(shared, "nDCG@10")
    assert (scores.task_names, scores.systems) == (TASKS, ("control", "treatment"))
    assert scores.notes == ("the measure is nDCG@10, see --measure",)
    for task in scores.tasks:
        printed = golden["per_query_ndcg10"][task.name]
        assert printed["columns"] == list(scores.systems)
        assert task.instances is not None
        queries = [str(query) for query in task.instances.tolist()]
        assert set(queries) == set(printed["values"])
        expected = np.array([printed["values"][query] for query in queries]).T
        np.testing.assert_allclose(task.values, expected, rtol=0, atol=PRINTED)


@pytest.mark.parametrize("effect", ["MD", "SMD"])
def test_means_of_ndcg(shared: Path, golden: dict[str, Any], effect: str) -> None:
    for task in evaluated(shared, "nDCG@10").tasks:
        printed = golden[effect]["tasks"][task.name]
        assert task.n_instances == printed["n"]
        means = task.values.mean(axis=1)
        assert means == pytest.approx([printed["control_mean"], printed["treatment_mean"]], rel=0, abs=TOLERANCE)


def test_share_of_judged_documents(shared: Path, golden: dict[str, Any]) -> None:
    for task in evaluated(shared, "Judged@10").tasks:
        printed = golden["judged_at_10"][task.name]
        means = task.values.mean(axis=1)
        assert means == pytest.approx([printed["control"], printed["treatment"]], rel=0, abs=TOLERANCE)


def test_order_of_lines_decides_no_tie(shared: Path, tmp_path: Path) -> None:
    # 16 scores of this run are tied with another of the query
    folder = shared / "data/effects"
    original = folder / "trec-covid.tasb.run.gz"
    lines = gzip.decompress(original.read_bytes()).splitlines(keepends=True)
    backwards = tmp_path / "backwards.run"
    backwards.write_bytes(b"".join(reversed(lines)))
    runs = {"forwards": {"covid": original}, "backwards": {"covid": backwards}}
    values = podium.read_trec(runs, {"covid": folder / "trec-covid.qrels.gz"}).tasks[0].values
    np.testing.assert_array_equal(values[0], values[1])
