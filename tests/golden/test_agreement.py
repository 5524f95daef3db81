"""Agreement and dispersion of the golden file: what the papers' authors printed, and what follows from definitions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import podium
from podium.agreement import dispersion, kendall_tau, last_agreement, top_agreement

pytestmark = pytest.mark.core

# The golden numbers are printed to 16 digits.
TOLERANCE = 1e-9

TASK_TABLES = ["toy_table1", "glue", "superglue", "xtreme", "xtreme_as_published"]
INSTANCE_TABLES = ["DIALOG_pc", "DIALOG_tc", "FLICKR", "SUM_EVAL"]

Floats = NDArray[np.float64]


def published(entries: dict[str, Any], name: str) -> Floats:
    """Ranks as the authors' code gives them, here with 1 for the best; theirs counts up to N − 1."""
    return len(entries["mean"]["score"]) - np.array(entries[name]["authors_rank_vector"])


def by_midrank(entry: dict[str, Any]) -> Floats:
    """Turn aggregate scores, highest best, into something whose order is that of ranks."""
    return -np.array(list(entry["score"].values()))


def as_authors_break_ties(values: Floats) -> NDArray[np.int64]:
    """Places of scores, 0 for the lowest, by the quicksort of NumPy before 1.25, which decides between equal ones.

    Newer versions sort doubles with vector instructions, and equal ones differently; long doubles they still sort
    as they did.
    """
    return np.argsort(np.argsort(values.astype(np.longdouble)))


def inverse(ranks: Floats) -> Floats:
    """Turn ranks into the list of systems, which is the inverse permutation."""
    return np.argsort(ranks).astype(float)


@pytest.mark.parametrize("name", TASK_TABLES)
def test_dispersion_of_tasks_around_a_consensus(name: str, shared: Path, golden: dict[str, Any]) -> None:
    entries = golden["task_level"][name]
    expected = entries["dispersion"]
    scores = podium.read(shared / f"data/scores/{name}.csv")
    size = len(scores.systems)
    tasks = np.array([size - as_authors_break_ties(task.values[:, 0]) for task in scores.tasks], dtype=float)
    for method, entry in (("sigma_star", "sigma_star_authors"), ("mean", "mean")):
        consensus = published(entries, entry)
        found = dispersion(tasks, to=consensus)
        assert found.random == expected["expected_random"]
        assert found.to_consensus == pytest.approx(
            expected["kendall_distance_between_rank_vectors"][method], abs=TOLERANCE
        )
        # what Table 8 prints: the authors' function takes lists of systems, and is given ranks
        printed = dispersion([inverse(task) for task in tasks], to=inverse(consensus)).to_consensus
        assert printed == pytest.approx(expected["authors_distorsion_measure"][method], abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "column"), [("glue", "GLUE"), ("superglue", "SGLUE"), ("xtreme_as_published", "XTREM")]
)
def test_the_printed_dispersion_is_that_of_the_golden_file(name: str, column: str, golden: dict[str, Any]) -> None:
    measured = golden["task_level"][name]["dispersion"]["authors_distorsion_measure"]
    # printed with at most two decimals, and cut off rather than rounded
    printed = golden["paper_tables"]["table8"]["printed"][column]
    assert measured["sigma_star"] == pytest.approx(printed[0], abs=1)
    assert measured["mean"] == pytest.approx(printed[1], abs=1)


@pytest.mark.parametrize("name", TASK_TABLES)
def test_tau_between_mean_and_borda(name: str, golden: dict[str, Any]) -> None:
    entries = golden["task_level"][name]
    expected = entries["kendall_tau_rank_vectors"]
    authors = kendall_tau(published(entries, "mean"), published(entries, "sigma_star_authors"))
    assert authors == pytest.approx(expected["mean_vs_sigma_star_authors"], abs=TOLERANCE)
    ours = kendall_tau(by_midrank(entries["mean"]), by_midrank(entries["sigma_star_average_ranks"]))
    assert ours == pytest.approx(expected["mean_vs_sigma_star_average_ranks_tau_b"], abs=TOLERANCE)


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("name", TASK_TABLES)
def test_tau_between_mean_and_borda_from_the_scores(name: str, shared: Path, golden: dict[str, Any]) -> None:
    agreement = podium.agree(podium.read(shared / f"data/scores/{name}.csv"), ["mean", "borda"])
    entries = golden["task_level"][name]
    expected = entries["kendall_tau_rank_vectors"]["mean_vs_sigma_star_average_ranks_tau_b"]
    if name == "glue":
        # two systems have the same mean but for the last bit, which decides there, and is a tie here
        means = np.sort(list(entries["mean"]["score"].values()))
        assert np.count_nonzero(np.diff(means) < 1e-12) == 1
        rounded = {"score": {system: round(mean, 9) for system, mean in entries["mean"]["score"].items()}}
        borda = by_midrank(entries["sigma_star_average_ranks"])
        expected = stats.kendalltau(by_midrank(rounded), borda).statistic
    assert agreement.tau[0, 1] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("name", INSTANCE_TABLES)
def test_tau_between_levels(name: str, shared: Path, golden: dict[str, Any]) -> None:
    entries = golden["instance_level"][name]
    pairs = ("mean_vs_one_level", "mean_vs_two_level", "one_level_vs_two_level")
    for pair in pairs:
        one, other = (side if side == "mean" else f"{side}_authors" for side in pair.split("_vs_"))
        authors = kendall_tau(published(entries, one), published(entries, other))
        assert authors == pytest.approx(entries["kendall_tau_rank_vectors"][pair], abs=TOLERANCE)
    scores = podium.read(shared / f"data/scores/{name}.parquet")
    agreement = podium.agree(scores, ["mean", "borda:one", "borda:two"])
    for pair, place in zip(pairs, ((0, 1), (0, 2), (1, 2)), strict=True):
        expected = entries["kendall_tau_b_average_rank_scores"][pair]
        assert agreement.tau[place] == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("name", "column"), [("glue", "GLUE"), ("superglue", "SGLUE"), ("xtreme_as_published", "XT(as published columns)")]
)
def test_agreement_at_the_ends(name: str, column: str, golden: dict[str, Any]) -> None:
    entries = golden["task_level"][name]
    expected = golden["paper_tables"]["table2"]["without_score_column_authors_code_original_row_order"][column]
    ranks = published(entries, "mean"), published(entries, "sigma_star_authors")
    top = [top_agreement(*ranks, n) for n in (1, 3, 5, 10)]
    last = [last_agreement(*ranks, n) for n in (3, 5, 10)]
    assert top == pytest.approx(expected["top1,3,5,10"], abs=TOLERANCE)
    assert last == pytest.approx(expected["last3,5,10"], abs=TOLERANCE)
    assert kendall_tau(*ranks) == pytest.approx(expected["tau_rank"], abs=1e-7), "printed to seven digits"


def test_no_table_of_the_golden_file_is_left_out(golden: dict[str, Any]) -> None:
    tables = golden["task_level"]
    assert {name for name in tables if "dispersion" in tables[name]} == set(TASK_TABLES)
    assert {name for name in tables if "kendall_tau_rank_vectors" in tables[name]} == set(TASK_TABLES)
    assert set(golden["instance_level"]) == set(INSTANCE_TABLES)
