"""Ten models on two sets of film reviews, as released with Mishra & Arunkumar 2021, and their leaderboards.

SST-2: 872 reviews, 794 rows of spurious bias (seven reviews twice). IMDb: 872 reviews, 785 with a bias.
"""

import csv
import pickle
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from released import clone, file
from workbook import sheets

import podium
from podium.difficulty.result import Difficulty, Measure
from podium.score.table import Scores

__all__ = ["CASE_1", "METRICS", "MODELS", "SPLITS", "Reviews", "board", "reviews"]

MODELS = (
    "bow-sum",
    "word2vec-sum",
    "glove-sum",
    "word2vec-lstm",
    "glove-lstm",
    "word2vec-cnn",
    "glove-cnn",
    "bert-base",
    "bert-large",
    "roberta-large",
)
METRICS = ("WSBias, Algorithm 1", "WSBias, Algorithm 2", "WMProb")
SPLITS = 7
#: Of Table 1: right and wrong answers count alike.
CASE_1 = podium.Weighting(case=1)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reviews:
    """What the ten models, in the order of `MODELS`, said of one set of reviews.

    Attributes
    ----------
    right
        Shape `(10, K)`: 1 where a model is right, else 0.
    sure
        Shape `(10, K)`: the larger of the probabilities of the two labels.
    biased
        Which reviews have a bias, by place; one may come twice.
    bias
        Shape `(2, len(biased))`: their bias by Algorithms 1 and 2.
    """

    right: Floats
    sure: Floats
    biased: NDArray[np.int64]
    bias: Floats

    def of(self, metric: str) -> tuple[Scores, Difficulty | Scores]:
        """Scores, and what they are weighted by, of one of `METRICS`."""
        if metric == "WMProb":
            return _table(self.right), _table(self.sure)
        measure = Measure("bias", self.bias[METRICS.index(metric)], "low")
        return _table(self.right[:, self.biased]), Difficulty(np.arange(self.biased.size), (measure,))


@cache
def reviews(name: str) -> Reviews:
    """Read "SST-2" or "IMDb"."""
    return _sst2() if name == "SST-2" else _imdb(clone("Leaderboard-Customization") / "AAAI IF/app/static/data/IMDb")


@cache
def board(name: str, metric: str, splits: int = SPLITS, weighting: podium.Weighting = CASE_1) -> podium.Customized:
    """The leaderboard by one of `METRICS`; the paper's has seven splits of as many reviews each, and Case 1."""
    return podium.customize(*reviews(name).of(metric), splits=splits, split_weights=weighting, confidence_level=None)


def _table(values: Floats) -> Scores:
    return podium.from_arrays({"reviews": values}, systems=MODELS)


def _sst2() -> Reviews:
    samples, predictions, bias = (
        pq.read_table(file(f"difficulty/sst2_{name}.parquet")).to_pydict()
        for name in ("samples", "predictions", "spurious_bias")
    )
    at = [
        (MODELS.index(model), sample)
        for model, sample in zip(predictions["model"], predictions["sample_id"], strict=True)
    ]
    said, sure = np.empty((2, len(MODELS), len(samples["gold"])))
    for values, column in ((said, "pred"), (sure, "confidence")):
        values[tuple(zip(*at, strict=True))] = predictions[column]
    right = (said == np.array(samples["gold"])).astype(np.float64)
    return Reviews(right, sure, np.array(bias["sample_id"]), np.array([bias["bias_algo1"], bias["bias_algo2"]]))


def _imdb(folder: Path) -> Reviews:
    gold = [row["label"] for row in _rows(folder / "IMDb-dev.csv")]
    answers = sheets(folder / "PLOTS.xlsx")
    right = [[row["LABEL"] == label for row, label in zip(answers[model], gold, strict=True)] for model in MODELS]
    sure = [[max(float(row["P1"]), float(row["P2"])) for row in answers[model]] for model in MODELS]
    # the column of these files called index has slipped by a row towards the end; id is the place among the reviews
    biased = [int(row["id"]) for row in _rows(folder / "algo1data.csv")]
    bias = [_by_row(folder / f"algo{number}.pkl") for number in (1, 2)]
    return Reviews(np.array(right, dtype=np.float64), np.array(sure), np.array(biased), np.array(bias))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def _by_row(path: Path) -> list[float]:
    """Numbers that are pickled as a dictionary from places."""
    with path.open("rb") as content:
        values: dict[int, float] = _Numbers(content).load()
    return [float(values[place]) for place in range(len(values))]


class _Numbers(pickle.Unpickler):
    """Nothing but dictionaries of numbers: a pickle may otherwise run anything."""

    def find_class(self, module: str, name: str) -> Any:
        if (module.replace("._core", ".core"), name) in {("numpy.core.multiarray", "scalar"), ("numpy", "dtype")}:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is no number")
