"""Tests over tasks against numbers printed in Demšar 2006, and computed by autorank and baycomp."""

import numpy as np
import pytest
from scipy import stats

import podium
from podium.comparison.rank_tests import friedman, range_quantile

#: AUC on 14 data sets of C4.5, of C4.5 with m, with cf and with both tuned: Demšar, JMLR 7, 2006, Tables 2 and 6.
DATA_SETS = (
    "adult",
    "breast cancer",
    "breast cancer wisconsin",
    "cmc",
    "ionosphere",
    "iris",
    "liver disorders",
    "lung cancer",
    "lymphography",
    "mushroom",
    "primary tumor",
    "rheum",
    "voting",
    "wine",
)
AUC = {
    "C4.5": (0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619, 0.972, 0.957),
    "C4.5+m": (0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978),
    "C4.5+cf": (0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.975, 0.946),
    "C4.5+m+cf": (0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.970),
}

#: Two of them tie on "voting" as printed, and not as ranked there.
VOTING = (4, 1, 2, 3)


def demsar() -> podium.Scores:
    return podium.from_dict({name: dict(zip(DATA_SETS, row, strict=True)) for name, row in AUC.items()})


def test_demsar_s_comparison_of_two() -> None:
    found = podium.compare_task_scores(demsar(), control="C4.5", treatment="C4.5+m").treatments[0]
    assert (found.wins, found.ties, found.losses) == (10, 2, 2)
    # There R⁺ = 93 and R⁻ = 12, as the ranks 1.5 and 1.5 of the two zeros are split, and are here left out.
    zeros = 3
    assert found.rank_sum == 93 - zeros / 2 - 2 * found.wins
    # By the table of critical values, there p < 0.05; SciPy 1.17.1 with all 2¹² signs: 0.00732421875.
    assert found.wilcoxon_p == pytest.approx(0.00732421875, abs=1e-15)
    assert found.sign_p == pytest.approx(stats.binomtest(10, 12).pvalue)
    differences = np.subtract(AUC["C4.5+m"], AUC["C4.5"])
    theirs = stats.ttest_1samp(differences, 0)
    ends = theirs.confidence_interval(0.95)
    assert (found.t_p, found.low, found.high) == pytest.approx((theirs.pvalue, ends.low, ends.high))


def test_demsar_s_comparison_of_four() -> None:
    ranks = stats.rankdata(-np.array(list(AUC.values())), axis=0)
    ranks[:, DATA_SETS.index("voting")] = VOTING
    found = friedman(ranks, tuple(AUC), confidence=0.95)
    assert [round(rank, 3) for rank in found.mean_rank.values()] == [3.143, 2.000, 2.893, 1.964]
    k, n = ranks.shape
    without_ties = found.chi2 * ((ranks**2).sum() - n * k * (k + 1) ** 2 / 4) / (n * k * (k**2 - 1) / 12)
    assert without_ties == pytest.approx(9.28, abs=0.01)  # not corrected for ties there
    assert (n - 1) * without_ties / (n * (k - 1) - without_ties) == pytest.approx(3.69, abs=0.01)
    assert found.f_df == (3, 39)
    assert found.critical_difference == pytest.approx(1.25, abs=0.005)
    assert friedman(ranks, tuple(AUC), confidence=0.9).critical_difference == pytest.approx(1.12, abs=0.005)


def test_the_whole_way_to_friedman_from_scores() -> None:
    found = podium.compare_task_scores(demsar(), control="C4.5").friedman
    assert found is not None
    theirs = stats.friedmanchisquare(*AUC.values())
    assert (found.chi2, found.p) == pytest.approx((theirs.statistic, theirs.pvalue))


def test_demsar_s_table_of_critical_values() -> None:
    # Table 5a: quantiles of the studentized range over √2, for 2 to 10 classifiers
    printed = (1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164)
    assert [range_quantile(k, 0.95) / np.sqrt(2) for k in range(2, 11)] == pytest.approx(printed, abs=0.001)


def test_autorank_s_published_example() -> None:
    # The example of its README, computed by autorank 1.3.0: Friedman's test, and then Nemenyi's.
    rng = np.random.RandomState(42)
    columns = [rng.normal(mean, 0.3, 50).clip(0, 1) for mean in (0.2, 0.3, 0.5, 0.8, 0.85, 0.9)]
    scores = podium.from_arrays(
        {f"task {k}": np.array(columns)[:, [k]] for k in range(50)}, systems=[f"pop_{k}" for k in range(6)]
    )
    comparison = podium.compare_task_scores(scores, control="pop_0")
    found = comparison.friedman
    assert found is not None
    assert list(found.mean_rank.values()) == pytest.approx([5.40, 4.71, 3.95, 2.47, 2.29, 2.18])
    assert found.p == pytest.approx(2.3412212612346733e-28)
    # autorank has quantiles of the range with four digits.
    assert found.critical_difference == pytest.approx(1.0662484349869374, rel=5e-5)
    (against,) = [one for one in comparison.treatments if one.treatment == "pop_1"]
    # SciPy 1.17.1, exact; autorank has half the p-value of its normal approximation, 0.00116, as it asks for one side.
    assert against.wilcoxon_p == pytest.approx(0.001888293420549303)


#: Differences, and the probabilities of worse, equal and better by baycomp 1.0.3, `SignedRankTest` with 400,000 draws.
BAYCOMP = (
    (np.subtract(AUC["C4.5+m"], AUC["C4.5"]), 0.0151, (0.0, 0.73626, 0.26374)),
    (np.subtract(AUC["C4.5+m"], AUC["C4.5"]), 0.0051, (0.00002, 0.05067, 0.94931)),
    (np.subtract(AUC["C4.5+m"], AUC["C4.5"]), 0.0303, (0.0, 0.99131, 0.00869)),
    (np.array([1.691, -0.466, 0.033, 0.408, -0.789, 0.002, -0.001, -1.755]), 0.25, (0.33043, 0.53312, 0.13645)),
    (np.array([2.066, -0.029, 1.141, 0.12, 0.868, -0.453]), 0.0, (0.06341, 0.0, 0.93659)),
)


@pytest.mark.parametrize(("differences", "rope", "theirs"), BAYCOMP)
def test_baycomp_s_probabilities(differences: np.ndarray, rope: float, theirs: tuple[float, ...]) -> None:
    scores = podium.from_arrays({f"t{k}": [[0.0], [one]] for k, one in enumerate(differences)}, systems=["A", "B"])
    found = podium.compare_task_scores(scores, control="A", treatment="B", rope=rope).treatments[0]
    # Draws of Dirichlet weights, 400,000 there and 50,000 in pairs here: four standard errors of ½ are 0.012.
    assert (found.worse, found.equal, found.better) == pytest.approx(theirs, abs=0.012)
