"""The re-run tables of Colombo et al. 2022: what is said to come out comes out, and is what the golden file has."""

import re
from importlib import import_module as script
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.agreement import kendall_tau

pytestmark = pytest.mark.whole

TABLES = ["table1", "table2", "table3", "fig4", "fig6", "table7", "table8"]
#: Findings that are not reproduced: misprints, and conclusions that do not hold on the true axes.
UNLIKE = {"GLUE, means", "XTREM, Borda sums", "XTREM, means", "the three methods have three different best systems"}
LEADERBOARDS = ["glue", "superglue", "xtreme", "xtreme_as_published"]

# The golden numbers are printed to 16 digits, those of an old pandas to four decimals.
TOLERANCE, FOUR_DECIMALS = 1e-9, 1e-4


@pytest.fixture(scope="module")
def sections(golden: dict[str, Any]) -> dict[str, Any]:
    assert golden
    return {name: script(f"colombo_{name}").section() for name in TABLES}


@pytest.fixture(scope="module")
def findings(sections: dict[str, Any]) -> list[Any]:
    return [finding for section in sections.values() for finding in section.findings]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def test_only_misprints_and_conclusions_drawn_on_exchanged_axes_are_not_reproduced(findings: list[Any]) -> None:
    assert {finding.what for finding in findings if finding.verdict == "not reproduced"} == UNLIKE


def test_only_what_rests_on_absent_scores_is_not_reproducible(findings: list[Any]) -> None:
    absent = [finding.what for finding in findings if finding.verdict == "not reproducible"]
    assert absent == ["both panels", "MLQE, SEVAL, TAC08, TAC09, TAC11"]


def test_what_is_reproduced_has_the_printed_numbers(findings: list[Any]) -> None:
    reproduced = [finding for finding in findings if finding.verdict == "reproduced"]
    assert len(reproduced) == 7
    for finding in reproduced:
        # an average of 100 random orders, beside its expectation; all else has two decimals
        away = 0.04 * numbers(finding.printed)[0] if "random" in finding.what else 0.0100001
        assert numbers(finding.ours) == pytest.approx(numbers(finding.printed), abs=away), finding.what


def test_what_needs_a_slip_says_which_and_does_not_come_out_without(findings: list[Any]) -> None:
    slips = [finding for finding in findings if finding.verdict == "reproduced only with a slip"]
    assert len(slips) == 38
    for finding in slips:
        assert finding.why
        assert finding.ours != finding.printed


def test_every_printed_number_of_the_golden_file_is_in_a_table(
    sections: dict[str, Any], golden: dict[str, Any]
) -> None:
    printed = golden["paper_tables"]
    expected = {
        "table2": sum(len(t["top1,3,5,10"]) + len(t["last3,5,10"]) + 1 for t in printed["table2"]["printed"].values()),
        "fig6": sum(len(column["printed_rows_as_labelled"]) for column in printed["fig6_table4"]["columns"].values()),
        "table7": len(printed["table3_7"]["printed"]["SGLUE_mean_rank"]),
        "table8": sum(map(len, printed["table8"]["printed"].values())),
    }
    for name, number in expected.items():
        shown = [f for f in sections[name].findings if "τ" not in f.printed and "sets" not in f.printed]
        assert sum(len(numbers(f.printed)) for f in shown if f.verdict != "not reproducible") == number
    lists = [key for key in printed["table3_7"]["printed"] if not key.startswith("SGLUE")]
    told = [f for f in sections["table3"].findings if "sums" in f.what or "positions" in f.what]
    assert sum(len(numbers(f.printed)) for f in told) == 10 * len(lists)


@pytest.mark.parametrize("name", LEADERBOARDS)
def test_ties_are_broken_as_by_thereleased_code(name: str, shared: Path, golden: dict[str, Any]) -> None:
    colombo = script("colombo")
    scores = podium.read(shared / f"data/scores/{name}.csv")
    tasks, entries = colombo.table(scores), golden["task_level"][name]
    for arranged, entry in (
        (np.arange(len(scores.systems)), "sigma_star_authors"),
        (colombo.by_mean(tasks), "sigma_star_as_published_rows_presorted_by_mean"),
    ):
        sums = colombo.borda(tasks[:, arranged])
        found = {scores.systems[i]: total for i, total in zip(arranged, sums, strict=True)}
        assert found == entries[entry]["score"]


@pytest.mark.parametrize("name", LEADERBOARDS)
def test_distances_of_thereleased_code(name: str, shared: Path, golden: dict[str, Any]) -> None:
    table8 = script("colombo_table8")
    scores = podium.read(shared / f"data/scores/{name}.csv")
    measured = golden["task_level"][name]["dispersion"]
    for inverse, entry in ((True, "authors_distorsion_measure"), (False, "kendall_distance_between_rank_vectors")):
        expected = [measured[entry][method] for method in ("sigma_star", "mean")]
        assert table8._by_sort(scores, inverse=inverse) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("name", ["DIALOG_pc", "DIALOG_tc", "FLICKR", "SUM_EVAL"])
def test_orderings_of_thereleased_code(name: str, shared: Path, golden: dict[str, Any]) -> None:
    colombo, fig6 = script("colombo"), script("colombo_fig6")
    scores = podium.read(shared / f"data/scores/{name}.parquet")
    column = golden["paper_tables"]["fig6_table4"]["columns"][name]
    pairs = {"mean_vs_one_level": (0, 1), "mean_vs_two_level": (0, 2), "one_vs_two_level": (1, 2)}
    for entry, read, tolerance in (
        ("computed", np.asarray, TOLERANCE),
        ("computed_with_pandas_1_5_default_float_parser", colombo.parsed, FOUR_DECIMALS),
    ):
        lists = [colombo.order(sums) for sums in fig6.released_code(scores, read)]
        for pair, (i, j) in pairs.items():
            assert kendall_tau(lists[i], lists[j]) == pytest.approx(column[entry][pair], abs=tolerance), (entry, pair)


def test_agreement_of_thereleased_code(golden: dict[str, Any]) -> None:
    table2 = script("colombo_table2")
    for name, (_, read_as, average) in table2.BENCHMARKS.items():
        expected = golden["paper_tables"]["table2"]["reproduced_as_published"][name]
        *_, (top, last, tau) = table2._slips(table2.released(f"{read_as}.csv"), average).values()
        assert top == pytest.approx(expected["top1,3,5,10"], abs=TOLERANCE)
        assert last == pytest.approx(expected["last3,5,10"], abs=TOLERANCE)
        assert tau == pytest.approx([expected["tau"]], abs=1e-7), "printed to seven digits"


def test_what_two_orders_have_in_common_at_the_top() -> None:
    fig4 = script("colombo_fig4")
    up = np.arange(1.0, 13.0)
    swapped = np.array([2.0, 1.0, *up[2:]])
    found = fig4._of_ranks([up, swapped, up[::-1]])
    # of the first 1, 3, 5 and 10 of 12 and of the last ones
    assert found.common == {
        "σ²ˡ, mean": pytest.approx(0.8 / 4),
        "σ²ˡ, σˡ": pytest.approx(0.8 / 4),
        "mean, σˡ": pytest.approx(3 / 4),
    }
    assert found.tau == -1
    best_first = np.argsort(up)
    assert fig4._of_lists([best_first, best_first, best_first]).common["mean, σˡ"] == 1
    np.testing.assert_array_equal(fig4._ranks_of(np.array([2, 0, 1])), [2.0, 3.0, 1.0])


def test_an_old_pandas_reads_leading_zeros_as_digits() -> None:
    parsed = script("colombo").parsed
    exact = np.array([[0.5, -2.0], [1e-7, 12.25]])
    np.testing.assert_array_equal(parsed(exact), exact)
    long = np.array([0.012345678901234567])
    assert parsed(long) != long
    assert parsed(long) == pytest.approx(long, abs=1e-16)


def test_methods_break_together_where_corrupted_tasks_are_no_louder() -> None:
    study = script("colombo_fig3").studied((1.0,), repeats=3, jobs=1)
    assert study.breakdown("error") == {"φ = 1": {"mean": 11, "borda:one": 11, "borda:two": 11}}


def test_borda_does_not_hear_how_loud_a_task_is() -> None:
    fig7 = script("colombo_fig7")
    louder = fig7.SIZE - 1
    study = fig7.studied(fig7.READINGS[0], fig7.METHODS, repeats=2, jobs=1)
    assert fig7._unmoved(study).verdict == "reproduced"
    for phi in fig7.PHIS:  # once more than (T − 1) φ times as loud, it turns the mean round
        errors = study.sweep(f"φ = {phi:g}").error.mean(axis=2)[0]
        assert errors[[factor < 0.5 * louder * phi for factor in fig7.FACTORS]] == pytest.approx(0, abs=0.2)
        assert errors[[factor > 2 * louder * phi for factor in fig7.FACTORS]] == pytest.approx(1, abs=0.1)


def test_instances_in_the_place_of_systems() -> None:
    scores = podium.simulate.gumbel(3, 2, 5, dispersion=0.5, rng=0).scores
    turned = script("colombo_fig5").exchanged(scores)
    assert (len(turned.systems), len(turned.tasks), turned.tasks[0].n_instances) == (5, 2, 3)
    np.testing.assert_array_equal(turned.tasks[1].values, scores.tasks[1].values.T)
