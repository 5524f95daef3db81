"""Score against cost: what is claimed follows from separated pairs and from costs, and from nothing else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t as student

import podium
from podium import Scores
from podium.errors import InputError, LabelError, MethodError
from support.entry import answer, printed, run

Floats = NDArray[np.float64]


def priced(values: Floats, *costs: Floats) -> Scores:
    """A task a column, and costs of one number for each system."""
    scores = podium.from_arrays(values)
    names = {f"cost {k}": cost for k, cost in enumerate(costs)}
    tasks = (replace(task, covariates={name: cost[:, None] for name, cost in names.items()}) for task in scores.tasks)
    return replace(scores, tasks=tuple(tasks))


def claims(scores: Scores, confidence: float, costs: list[Floats]) -> dict[str, str]:
    """What holds of each system, by the definition, pair by pair."""
    ranking = podium.rank(scores, confidence_level=confidence, rng=0)
    assert ranking.intervals is not None
    better = ranking.intervals.separated
    row = [scores.systems.index(system) for system in ranking.systems]
    found = {}
    for i, system in enumerate(ranking.systems):
        others = [j for j in range(len(row)) if j != i]
        dearer = [[cost[row[j]] > cost[row[i]] for cost in costs] for j in others]
        if any(better[j, i] and not any(more) for j, more in zip(others, dearer, strict=True)):
            found[system] = "dominated"
        elif all(better[i, j] or any(more) for j, more in zip(others, dearer, strict=True)):
            found[system] = "surely"
        else:
            found[system] = "perhaps"
    return found


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(1, 2), st.sampled_from([0.0, 1.0, 3.0]))
def test_claims_are_those_of_the_definition(seed: int, n_systems: int, n_costs: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    values = spread * rng.normal(size=(n_systems, 1)) + rng.normal(size=(n_systems, 12))
    costs = [rng.integers(4, size=n_systems).astype(np.float64) for _ in range(n_costs)]
    scores = priced(values, *costs)
    found = podium.frontier(scores, [f"cost {k}" for k in range(n_costs)])
    assert dict(zip(found.systems, found.frontier, strict=True)) == claims(scores, 0.95, costs)
    for system, by in zip(found.systems, found.dominated_by, strict=True):
        assert by is None or all(c[scores.systems.index(by)] <= c[scores.systems.index(system)] for c in costs)

    # neither the order of systems nor the unit of costs matters
    again = podium.frontier(
        priced(values, *(7 * cost + 1 for cost in costs)).take(rng.permutation(n_systems).tolist()), "cost 0"
    )
    one = podium.frontier(scores, "cost 0")
    assert dict(zip(again.systems, again.frontier, strict=True)) == dict(zip(one.systems, one.frontier, strict=True))


def measured(rng: np.random.Generator, apart: float) -> Scores:
    """Four systems on 60 instances, with seconds on each: the later, the better and slower."""
    step = apart * np.arange(4)[:, None]
    scores = podium.from_arrays({"t": step + rng.normal(size=(4, 60))})
    seconds = np.exp(step + rng.normal(size=(4, 60)))
    return replace(scores, tasks=(replace(scores.tasks[0], covariates={"seconds": seconds}),))


def test_costs_of_instances_share_the_error_with_scores() -> None:
    scores = measured(np.random.default_rng(0), 0.9)
    found = podium.frontier(scores)
    assert found.ranking.intervals is not None
    assert found.ranking.intervals.confidence == pytest.approx(0.975)
    assert set(found.frontier) == {"surely"}
    task = scores.tasks[0]
    costs = replace(scores, tasks=(task.with_values(-task.covariates["seconds"]),))
    cheaper = podium.rank(costs, "mean", confidence_level=0.975).intervals
    assert cheaper is not None
    assert cheaper.separated.sum() == found.costs[0].cheaper.sum() == 6
    alike = podium.frontier(measured(np.random.default_rng(0), 0.0))
    assert set(alike.frontier) == {"perhaps"}


def test_a_margin_holds_for_all_pairs_together() -> None:
    rng = np.random.default_rng(1)
    scores = podium.from_arrays({"t": np.array([[0.0], [0.1], [1.0]]) + 0.5 * rng.normal(size=(3, 400))})
    tasks = tuple(
        replace(task, covariates={"cost": np.repeat([[2.0], [1.0], [0.5]], 400, axis=1)}) for task in scores.tasks
    )
    scores = replace(scores, tasks=tasks)
    values = scores.tasks[0].values
    behind = values[2] - values[:2]
    reach = student.ppf(1 - 0.025 / 2 / 3, 399) * behind.std(axis=1, ddof=1) / np.sqrt(400)  # half of α, three pairs
    low, high = behind.mean(axis=1) - reach, behind.mean(axis=1) + reach
    for margin in (0.5, float(low.min()) * 0.98, float(high.max()) * 1.02):
        found = podium.frontier(scores, margin=margin, method="mean", n_resamples=4000)
        said = dict(zip(found.systems, found.rows(), strict=True))
        for place in (0, 1):
            wanted = "surely" if high[place] < margin else "no" if low[place] > margin else "perhaps"
            assert said[scores.systems[place]]["within_margin"] == wanted
    assert found.cheapest() == (scores.systems[2], ())


def test_budgets_take_the_best_of_what_is_affordable() -> None:
    values = np.array([[0.9], [0.5], [0.1]]) + 0.01 * np.arange(12)
    scores = priced(values, np.array([10.0, 3.0, 1.0]))
    assert podium.frontier(scores, budget=3).best() == ("system 2",)
    assert podium.frontier(scores, budget={"cost 0": 20}).best() == ("system 1",)
    with pytest.raises(MethodError, match="no system fits the budget"):
        podium.frontier(scores, budget=0.5)
    speeds = replace(
        scores, tasks=tuple(replace(task, covariates={"tokens/s": task.covariates["cost 0"]}) for task in scores.tasks)
    )
    fast = podium.frontier(speeds, budget=3)
    assert fast.best() == ("system 1",)
    assert fast.frontier == ("surely", "dominated", "dominated")


def test_a_system_without_a_cost_is_ranked_and_named() -> None:
    values = np.array([[0.9], [0.5], [0.1]]) + 0.01 * np.arange(12)
    found = podium.frontier(priced(values, np.array([np.nan, 3.0, 0.0])))
    assert found.systems == ("system 3", "system 2")
    assert found.rows()[0]["rank"] == 3
    assert [note for note in found.notes if "system 1" in note]
    assert [note for note in found.notes if "is 0 for system 3" in note]


@pytest.mark.parametrize(
    ("cost", "error", "said"),
    [([np.nan, np.nan, 1.0], InputError, "fewer than two"), ([-1.0, 2.0, 3.0], InputError, "below 0 for system 1")],
)
def test_bad_costs_are_named(cost: list[float], error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        podium.frontier(priced(np.eye(3, 6), np.array(cost)))


def test_unknown_costs_are_named() -> None:
    scores = priced(np.eye(3, 6), np.ones(3), np.ones(3))
    with pytest.raises(MethodError, match="'cost 0', 'cost 1'"):
        podium.frontier(scores)
    with pytest.raises(LabelError, match="no cost 'price'"):
        podium.frontier(scores, "price")
    with pytest.raises(LabelError, match="cost 0"):
        podium.frontier(scores, "cost 0", budget={"cost 7": 1})


def test_the_command_answers_and_refuses(tmp_path: Path) -> None:
    rows = [f"m{k},{2.0**k},{','.join(str(50 + 9 * k + j) for j in range(8))}" for k in range(4)]
    Path(tmp_path, "s.csv").write_text("\n".join(["model,cost,a,b,c,d,e,f,g,h", *rows]), encoding="utf-8")
    found = printed("podium frontier s.csv --method mean --margin 0 --budget cost=3", tmp_path)
    assert [row["frontier"] for row in found["systems"]] == ["surely"] * 4
    assert (found["cheapest"], found["best"]) == ("m3", ["m1"])
    assert [row["cost"] for row in found["systems"]] == [1.0, 2.0, 4.0, 8.0]
    answer(tmp_path, "frontier", "s.csv", "--plot", "f.svg")
    assert "surely dominated" in Path(tmp_path, "f.svg").read_text("utf-8")
    drawn = podium.plots.frontier(podium.frontier(Path(tmp_path, "s.csv")))
    assert {f"m{k}" for k in range(4)} < {text.get_text() for text in drawn.texts}
    for wrong in ("--budget cost=0.1", "--budget price=1", "--cost price", "--margin -1", "--budget cost"):
        done = run(tmp_path, f"frontier s.csv {wrong}")
        assert (done.returncode, done.stdout) == (2, ""), wrong
