"""Scores that an independent program made of the released SST-2 files (golden/difficulty.json, section formula)."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import podium
from podium import Splitting, Weighting
from podium.difficulty.result import Difficulty, Measure
from podium.errors import MethodError
from podium.score.table import Scores

pytestmark = pytest.mark.core

#: Sums of at most 872 numbers in another order.
EXACT = 1e-9


class Released:
    """The release as it was scored: the 794 rows of biases, 7 samples twice, in the order of the file."""

    def __init__(self, shared: Path) -> None:
        self.golden: dict[str, Any] = json.loads((shared / "data/golden/difficulty.json").read_text())
        self.models: list[str] = self.golden["about"]["models"]
        tables = {
            name: pq.read_table(shared / f"data/difficulty/sst2_{name}.parquet").to_pydict()
            for name in ("samples", "predictions", "spurious_bias")
        }
        rows = tables["predictions"]
        cells = list(zip(rows["model"], rows["sample_id"], strict=True))
        gold = dict(zip(tables["samples"]["sample_id"], tables["samples"]["gold"], strict=True))
        self.right = {cell: float(pred == gold[cell[1]]) for cell, pred in zip(cells, rows["pred"], strict=True)}
        self.sure = dict(zip(cells, rows["confidence"], strict=True))
        self.biases = tables["spurious_bias"]
        self.samples: list[int] = tables["samples"]["sample_id"]

    def table(self, cells: dict[tuple[str, int], float], samples: list[int]) -> Scores:
        values = [[cells[model, sample] for sample in samples] for model in self.models]
        return podium.from_arrays({"sst2": values}, systems=self.models)

    def customize(self, metric: str, **options: Any) -> podium.Customized:
        options = {"confidence_level": None} | options
        if metric == "WMProb":
            return podium.customize(
                self.table(self.right, self.samples), self.table(self.sure, self.samples), **options
            )
        bias = Measure("bias", np.array(self.biases[metric.replace("WSBias_algorithm", "bias_algo")]), "low")
        difficulty = Difficulty(np.arange(bias.values.size), (bias,))
        return podium.customize(self.table(self.right, self.biases["sample_id"]), difficulty, **options)

    def ordered(self, result: podium.Customized, values: Any) -> list[Any]:
        return [values[result.systems.index(model)] for model in self.models]


@pytest.fixture(scope="module")
def released(shared: Path) -> Released:
    return Released(shared)


METRICS = ("WSBias_algorithm1", "WSBias_algorithm2", "WMProb")


@pytest.mark.parametrize("metric", METRICS)
def test_seven_splits(released: Released, metric: str) -> None:
    wanted = released.golden["formula"][metric]["case1_7_equal_splits"]
    result = released.customize(metric, splits=Splitting(7, ties="order"), split_weights=Weighting(case=1))
    for model, score, within, rank in zip(
        released.models,
        released.ordered(result, result.ranking.score),
        released.ordered(result, result.split_scores),
        released.ordered(result, result.ranking.rank),
        strict=True,
    ):
        assert score == pytest.approx(wanted["score"][model], abs=EXACT)
        np.testing.assert_allclose(within / 100, wanted["split_scores"][model], atol=EXACT)
        assert rank == wanted["rank_score"][model]
    assert np.count_nonzero(result.rank_change) == wanted["ranks_changed"]
    # printed with three decimals
    assert result.inflation.min() == pytest.approx(wanted["reduction_vs_accuracy"]["percent_of_accuracy_min"], abs=6e-4)
    assert result.inflation.max() == pytest.approx(wanted["reduction_vs_accuracy"]["percent_of_accuracy_max"], abs=6e-4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("case", range(1, 10))
def test_all_cases_with_two_splits(released: Released, metric: str, case: int) -> None:
    wanted = released.golden["formula"][metric]["two_equal_splits"][f"case{case}"]
    if None in wanted.values():
        with pytest.raises(MethodError, match=r"divide by 0|1/B is undefined"):
            released.customize(metric, splits=Splitting(2, ties="order"), split_weights=Weighting(case=case))
        return
    result = released.customize(metric, splits=Splitting(2, ties="order"), split_weights=Weighting(case=case))
    scores = released.ordered(result, result.ranking.score)
    np.testing.assert_allclose(scores, [wanted[model] for model in released.models], atol=EXACT)


@pytest.mark.parametrize("metric", METRICS)
def test_shared_ties_are_the_mean_over_random_orders(released: Released, metric: str) -> None:
    """Of 1,000 or 2,000 orders: within five standard errors, the standard deviation being at most a quarter range."""
    wanted = released.golden["tie_sensitivity"][metric]
    result = released.customize(metric, splits=7, split_weights=Weighting(case=1))
    for model, score in zip(released.models, released.ordered(result, result.ranking.score), strict=True):
        spread = (wanted["score_max"][model] - wanted["score_min"][model]) / 4
        assert abs(score - wanted["score_mean"][model]) < 5 * spread / np.sqrt(1000) + EXACT


def test_plain_accuracy(released: Released) -> None:
    result = released.customize("WMProb")
    wanted = released.golden["accuracy_all_samples"]
    np.testing.assert_allclose(
        released.ordered(result, result.accuracy), [wanted[model] for model in released.models], atol=EXACT
    )
    assert released.ordered(result, result.accuracy_rank) == list(released.golden["rank_accuracy_all"].values())
