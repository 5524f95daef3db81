"""Effect sizes and their summary beside the code released with Sertkan et al. 2023, on its own examples."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium.comparison.effects import EffectSize, Pairs, effect_sizes
from podium.comparison.pooling import Pooled, pool
from podium.score.table import Scores
from podium.tally.count import count
from podium.tally.moment import Comoments

pytestmark = pytest.mark.core

Floats = NDArray[np.float64]

# Relative and absolute. Sums were added in another order, and the golden file has 16 digits. Its p-values are
# differences from 1.
EXACT = (1e-9, 1e-15)
# Of scores rounded to 6 digits, differences are off by up to 1e-6, and so are their mean and their standard deviation;
# of the smallest one, 0.085, that is 1.2e-5, and twice that of a variance.
ROUNDED = (2.4e-5, 1.2e-5)

KINDS = {"MD": "md", "SMD": "smd", "CORR": "corr"}


@pytest.fixture(scope="session")
def golden(shared: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((shared / "data/golden/effects.json").read_text())
    return content


@pytest.fixture(scope="session")
def glue(shared: Path) -> Scores:
    return podium.read(shared / "data/effects/glue_accuracy.parquet")


def sizes(scores: Scores, treatment: str, control: str, kind: str) -> EffectSize:
    """Effects on all tasks, in one array; as the released code, with variances divided by n."""
    i, j = scores.systems.index(treatment), scores.systems.index(control)
    every = [effect_sizes(Pairs.of(tally), kind, ddof=0) for tally in count(scores, (Comoments,))[Comoments]]
    return EffectSize(*(np.array([getattr(one, field)[i, j] for one in every]) for field in EffectSize.__slots__))


def summed_up(effect: Floats, variance: Floats) -> Pooled:
    return pool(effect, variance, estimator="dl", interval="normal")


def assert_agrees(
    entry: dict[str, Any], names: tuple[str, ...], size: EffectSize, tolerance: tuple[float, float]
) -> None:
    """Compare the effects of all tasks, each as an analysis of its own, and their summary."""
    # Correlations are printed as such, pooled as Fisher's z.
    rtol, atol = tolerance
    scale = np.tanh if entry["effect_type"] == "CORR" else np.asarray
    tasks = [entry["tasks"][name] for name in names]
    assert len(tasks) == len(entry["tasks"])
    alone, summary = summed_up(size.effect[:, None], size.variance[:, None]), summed_up(size.effect, size.variance)
    task_by_task = {
        "effect": scale(size.effect),
        "variance": size.variance,
        "ci_low": scale(alone.low),
        "ci_high": scale(alone.high),
        "p": alone.p,
        "weight": summary.weight,
    }
    for name, ours in task_by_task.items():
        assert_allclose(ours, [task[name] for task in tasks], err_msg=name, rtol=rtol, atol=atol)
    together = {"effect": scale(summary.estimate), "ci_low": scale(summary.low), "ci_high": scale(summary.high)}
    for name, number in (together | {"p": summary.p}).items():
        assert_allclose(number, entry["summary"][name], err_msg=name, rtol=rtol, atol=atol)
    heterogeneity = {"Q": summary.q, "df": summary.k - 1, "tau2_dl": summary.tau2, "I2": summary.i2}
    for name, number in heterogeneity.items():
        assert_allclose(number, entry["heterogeneity"][name], err_msg=name, rtol=rtol, atol=atol)
    assert not size.limited.any()


@pytest.mark.parametrize("kind", KINDS)
def test_glue(golden: dict[str, Any], glue: Scores, kind: str) -> None:
    entry = golden["glue"]
    size = sizes(glue, entry["treatment"], entry["control"], KINDS[kind])
    assert_agrees(entry[kind], glue.task_names, size, EXACT)


@pytest.mark.parametrize("kind", KINDS)
def test_glue_with_systems_swapped_and_the_interval_of_knapp_and_hartung(
    golden: dict[str, Any], glue: Scores, kind: str
) -> None:
    entry = golden["glue"]
    size = sizes(glue, entry["control"], entry["treatment"], KINDS[kind])
    pooled = pool(size.effect, size.variance, estimator="dl", interval="knapp-hartung")
    low, high = (np.tanh((pooled.low, pooled.high)), (-pooled.high, -pooled.low))[kind != "CORR"]
    theirs = entry[kind]["independent_checks"]["knapp_hartung_interval_for_reference"]["pymare_default"]
    assert_allclose((low, high), theirs, rtol=1e-9)


@pytest.mark.parametrize("kind", ["MD", "SMD"])
def test_retrieval(golden: dict[str, Any], kind: str) -> None:
    entry = golden["retrieval_shared"]
    tasks = {name: np.array(list(queries["values"].values())).T for name, queries in entry["per_query_ndcg10"].items()}
    scores = podium.from_arrays(tasks, systems=("control", "treatment"))
    assert_agrees(entry[kind], scores.task_names, sizes(scores, "treatment", "control", KINDS[kind]), ROUNDED)


def test_the_golden_file_has_no_other_effects(golden: dict[str, Any]) -> None:
    assert {name for name in golden["glue"] if name.isupper()} == set(KINDS)
    assert {name for name in golden["retrieval_shared"] if name.isupper()} == {"MD", "SMD"}
    assert set(golden["edge_cases"]) == {"note", "homogeneous_effects"}


def test_effects_more_alike_than_chance_are_pooled_without_variance_between_tasks(golden: dict[str, Any]) -> None:
    entry = golden["edge_cases"]["homogeneous_effects"]
    pooled = summed_up(np.array(entry["effects"]), np.array(entry["variances"]))
    theirs = entry["pymare_dersimonian_laird"]
    assert pooled.tau2 == theirs["tau2"] == 0
    assert_allclose((pooled.estimate, pooled.low, pooled.high), [theirs[n] for n in ("summary", "ci_low", "ci_high")])
    # What is cut off is where the released code goes on, to weights below 0.
    assert entry["ranger"]["tau2"] < 0
    scaled = pool(entry["effects"], entry["variances"], estimator="dl", interval="knapp-hartung")
    assert_allclose((scaled.low, scaled.high), entry["knapp_hartung_interval_for_reference"]["pymare_default"])
