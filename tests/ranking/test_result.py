"""Rankings as results: ties, labels, rows; and the bars of pictures."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

import podium
from podium.errors import LabelError, MethodError, OutputError
from podium.ranking.method import MethodResult
from podium.ranking.result import Ranking, ranked
from podium.report.diagram import cliques, stacked


@pytest.fixture
def ranking() -> Ranking:
    return podium.rank(podium.datasets.xtreme_missing(), confidence_level=None)


def of(score: list[float], **details: Any) -> Ranking:
    size = len(score)
    scores = podium.from_arrays({"t": np.ones((size, 1))}, systems=[f"s{size - index}" for index in range(size)])
    return ranked(MethodResult(np.array(score), **details), scores, "mean", None)


def test_ties_share_a_rank_and_stand_in_order_of_their_labels() -> None:
    ranking = of([1.0, 3.0, 1.0, np.nan])
    assert ranking.systems == ("s3", "s2", "s4", "s1")
    assert ranking.rank.tolist() == [1, 2, 2, 0]
    assert ranking.midrank.tolist()[:3] == [1.0, 2.5, 2.5]
    assert [row["rank"] for row in ranking.rows()] == [1, 2, 2, None]


def test_the_lowest_is_first_where_lower_is_better() -> None:
    assert of([1.0, 3.0], higher_is_better=False).systems == ("s2", "s1")


def test_the_order_does_not_depend_on_rounding() -> None:
    assert of([0.1 + 0.2, 0.3]).rank.tolist() == [1, 1]
    assert of([0.3 + 1e-9, 0.3]).rank.tolist() == [1, 2]


def test_the_size_of_one_system_does_not_blur_the_others() -> None:
    assert of([1e15, 0.9, 0.1], scale=np.array([1e15, 0.9, 0.1])).rank.tolist() == [1, 2, 3]


def test_scores_too_large_to_be_averaged_are_refused() -> None:
    huge = podium.from_arrays({"x": [[1.7e308, -1.7e308], [1.0, 2.0]]}, systems=["A", "B"])
    with pytest.raises(MethodError, match="'A' are too large to be averaged"):
        podium.rank(huge, "mean", confidence_level=None)
    assert podium.rank(huge, level="one", confidence_level=None).rank.tolist() == [1, 1]


def test_the_dictionary_is_json_and_complete(ranking: Ranking) -> None:
    content = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert content["schema_version"] == 1
    assert (content["method"], content["level"], content["n_tasks"]) == ("borda", "task", 4)
    first = content["systems"][0]
    assert (first["system"], first["rank"], first["tasks_scored"], first["coverage"]) == ("M0", 1, 3, 0.75)
    assert first["rank_sum"] + first["points"] == pytest.approx(4 * 9)  # of ten systems one has no score


def test_a_result_names_its_tasks_with_direction_and_weight() -> None:
    toy = podium.datasets.toy_table1().with_task_weights({"Task2": 3}).with_directions(higher=["Task1"])
    tasks = podium.rank(toy, "borda", confidence_level=None).to_dict()["tasks"]
    assert [task["name"] for task in tasks] == list(toy.task_names)
    assert tasks[0] == {"name": "Task1", "higher_is_better": True, "weight": 1.0, "n_instances": 1, "family": "Task1"}
    assert tasks[1] == {"name": "Task2", "higher_is_better": False, "weight": 3.0, "n_instances": 1, "family": "Task2"}


def test_one_is_not_many() -> None:
    scores = podium.from_dict({"A": {"x": [1.0, 2.0]}, "B": {"x": [2.0, 3.0]}})
    assert repr(podium.rank(scores, confidence_level=None)).startswith("Ranking(borda, balanced: 2 systems, 1 task)")
    assert repr(scores) == "Scores(2 systems × 1 task, 2 instances, 0 of 4 scores missing)"
    assert repr(scores.select(systems=["A"])).startswith("Scores(1 system × 1 task, 2 instances")


def test_long_rankings_are_cut_short_when_printed() -> None:
    ranking = podium.rank(podium.simulate.gumbel(15, 2, 3, dispersion=1, rng=0).scores, confidence_level=None)
    assert repr(ranking).splitlines()[-1].strip() == "… 5 more"
    assert len(ranking) == 15


def test_intervals_are_shown_where_there_are_any() -> None:
    scores = podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores
    plain, sure = podium.rank(scores, "mean", confidence_level=None), podium.rank(scores, "mean", confidence_level=0.9)
    assert "tier" not in repr(plain) + plain._repr_html_()
    assert repr(sure).splitlines()[2:4] == [
        "rank  90% ranks  tier  system     score  tasks scored",
        "   1          1     1  system 3  3.5041           2/2",
    ]
    number = '<td class="number">3</td>'
    assert sure._repr_html_().index(">90% ranks</button>") < sure._repr_html_().index(">tier</button>")
    assert f'{number}{number}{number}<th scope="row" class="short">system 1</th>' in sure._repr_html_()
    assert "1,000 bootstrap replicates" in sure._repr_html_()
    assert sure.to_frame("pyarrow").column_names[4:8] == ["std_error", "score_low", "score_high", "rank_low"]


@given(hnp.arrays(np.bool_, st.integers(0, 8).map(lambda size: (size, size))))
def test_cliques_are_the_maximal_intervals_without_separation(apart: NDArray[np.bool_]) -> None:
    separated = np.triu(apart, 1)
    size = len(separated)
    free = {
        (first, last)
        for first in range(size)
        for last in range(first + 1, size)
        if not separated[first : last + 1, first : last + 1].any()
    }
    maximal = {run for run in free if not {(run[0] - 1, run[1]), (run[0], run[1] + 1)} & free}
    assert set(cliques(separated)) == maximal
    assert len(cliques(separated)) == len(maximal)


spans = st.tuples(st.integers(0, 20), st.integers(0, 5)).map(lambda span: (float(span[0]), float(sum(span))))


@given(st.lists(spans, max_size=12))
def test_bars_on_a_level_do_not_touch_and_levels_are_few(bars: list[tuple[float, float]]) -> None:
    level = stacked(bars)
    for i, one in enumerate(bars):
        for j, other in enumerate(bars[:i]):
            assert level[i] != level[j] or one[1] < other[0] or other[1] < one[0]
    depth = max((sum(left <= at <= right for left, right in bars) for at, _ in bars), default=0)
    assert max(level, default=-1) + 1 == depth


def test_one_tier_is_no_column_and_the_sentence_says_what_is_separated() -> None:
    orders = [("middle", "best", "worst"), ("best", "worst", "middle"), ("best", "middle", "worst")] * 4
    table = {name: {f"task {at}": 3.0 - order.index(name) for at, order in enumerate(orders)} for name in orders[0]}
    ranking = podium.rank(podium.from_dict(table))
    view, sure = ranking.view(), ranking.intervals
    assert sure is not None
    assert set(sure.tier.tolist()) == {1}
    assert view.verdict[-1].endswith("separated, all pairs together: best is better than worst")
    assert "tier" not in view.tables[0].head
    assert not any(sentence.startswith("tier") for sentence in view.explain)
    assert view.chosen(2, ["tier"]).tables[0].rows == [("best", "1"), ("middle", "1"), ("… 1 more", "")]
    assert ranking.to_dict()["systems"][2]["tier"] == 1


def test_of_several_tiers_the_largest_says_how_many_of_its_pairs_are_separated() -> None:
    values = np.random.default_rng(0).random((12, 60)) + 0.08 * np.arange(12.0)[:, None]
    values[11] += 2
    ranking = podium.rank(podium.from_arrays({"t": values}))
    sure = ranking.intervals
    assert sure is not None
    assert sorted(np.bincount(sure.tier)[1:].tolist()) == [1, 11]
    apart = sum(bool(sure.separated[i, j]) for i in range(1, 12) for j in range(1, 12))
    assert 0 < apart < 55
    assert ranking.view().verdict[1].startswith(f"tier 2 holds 11 systems; {apart} of its 55 pairs are separated")


@pytest.mark.parametrize(("lead", "said"), [(0.0, "too small to say more"), (0.3, " (")])
def test_the_adjusted_score_of_a_winner_is_an_interval_where_its_lead_is_tiny(lead: float, said: str) -> None:
    scores = np.random.default_rng(0).normal(size=(4, 60))
    scores[1] += lead
    ranking = podium.rank(podium.from_arrays({"t": scores}, systems=list("ABCD")), "mean", n_resamples=200)
    assert ranking.systems[0] == "B"
    first = ranking[0]
    share = (first["corrected_score"] - first["corrected_low"]) / (first["corrected_high"] - first["corrected_low"])
    told = next(line for line in ranking.view().explain if "winner's curse" in line)
    assert (share < 0.1) == ("too small to say more" in told)
    assert said in told


def test_the_sentence_for_a_paper_has_what_one_must_say() -> None:
    table = podium.datasets.xtreme_missing()
    said, wide = podium.rank(table, units="tasks").sentence, podium.datasets.demo()
    assert said.startswith("We rank 10 systems on 4 tasks by the Borda score")
    assert f"podium {podium.__version__}" in said
    assert "18 of 40 scores are missing; each counts as its chance to win" in said
    ranking = podium.rank(wide, n_resamples=200, rng=7)
    for part in (f"{wide.n_instances:,} instances", "level balanced", "95%", "200 bootstrap replicates", "seed 7"):
        assert part in ranking.sentence
    assert all(system in ranking.sentence for system in ranking.top())


@pytest.mark.parametrize("method", ["borda:balanced", "borda:two", "wins:task", "kemeny"])
def test_columns_of_tasks_are_the_means_of_the_table_and_the_best_of_each_is_bold(method: str) -> None:
    values = {task: np.random.default_rng(seed).normal(size=(3, 40)) for seed, task in enumerate(("b", "a"))}
    values["b"][0, 5:] = np.nan
    scores = podium.from_arrays(values, systems=["Z", "A", "M"], lower=["b"])
    ranking = podium.rank(scores, method, confidence_level=None)
    means = {task: dict(zip(scores.systems, np.nanmean(rows, axis=1), strict=True)) for task, rows in values.items()}
    assert ranking.means is not None
    for row, system in zip(ranking.means, ranking.systems, strict=True):
        np.testing.assert_allclose(row, [means[task.name][system] for task in ranking.tasks], rtol=1e-12)
    best = {"b": min(means["b"].values()), "a": max(means["a"].values())}
    first = [row["system"] for row in ranking if row["rank"] == 1]
    for format_, bold, minus in (("latex", r"\textbf{{{}}}", "$-$"), ("markdown", "**{}**", "−")):
        text = ranking.render(format_, bold=True, digits=3, columns=["[ab]"])
        for system in scores.systems:
            cells = [
                (bold if means[task][system] == best[task] else "{}").format(f"{means[task][system]:.3f}")
                for task in ("b", "a")
            ]
            between = " & " if format_ == "latex" else " | "
            name = bold.format(system) if system in first else system
            assert between.join([name, *cells]).replace("-", minus) in text
    with pytest.raises(OutputError, match="columns is for table, github, html, latex, markdown, and not for csv"):
        ranking.render("csv", columns="a")
    with pytest.raises(LabelError, match="there is no column 'rnk'; did you mean 'rank'"):
        ranking.render(columns="rnk")


def test_a_column_says_who_may_be_the_best_if_the_first_tier_is_wider(shared: Path) -> None:
    scores = podium.read(shared / "data/scores/SUM_EVAL.parquet")
    people, every = podium.rank(scores.select(tasks=["H:*"])), podium.rank(scores)
    assert people.intervals is not None
    assert np.count_nonzero(people.intervals.tier == 1) > len(people.top()) > 1
    assert "may be best" in people.view().tables[0].head
    assert "may be best" not in every.view().tables[0].head
    few = podium.rank(scores, units="tasks").sentence
    assert "M11 is first; there are no intervals, as the ranking depends too much on a few of 9 families" in few


def test_a_column_says_who_may_be_the_best_if_the_sentence_does_not_name_all() -> None:
    values = np.random.default_rng(0).normal(size=(20, 12)) + np.linspace(0, 4, 20)[:, None]
    ranking = podium.rank(podium.from_arrays(values, systems=[f"system {index:02}" for index in range(20)]))
    best = ranking.top()
    assert 6 < len(best) < 20
    shown = [row["system"] for row in ranking.rows() if row["may_be_first"]]
    assert tuple(shown) == best
    table = ranking.view().tables[0]
    column = table.columns[table.head.index("may be best")]
    assert [cell == "yes" for cell in column.cells] == [system in best for system in ranking.systems]
    assert all(system in ranking.sentence for system in best)
    few = podium.rank(podium.from_arrays(values[::5]))
    assert "may be best" not in few.view().tables[0].head
    assert "may be best" in few.view().tables[0].choice


def test_the_sentence_says_that_families_are_drawn_whole() -> None:
    values = np.random.default_rng(0).normal(size=(4, 14))
    tasks = ["MRPC-a", "MRPC-b", "MNLI-m", "MNLI-mm", *"pqrstuvwxy"]
    said = podium.rank(podium.from_arrays(values, tasks=tasks)).sentence
    assert "Tasks of one data set are drawn together, as 12 families." in said


def test_all_tasks_are_chosen_by_one_word_and_have_the_digits_of_the_data() -> None:
    table = {"A": {"x": 72.6, "y": 0.12341}, "B": {"x": 75.0, "y": 0.5}}
    ranking = podium.rank(podium.from_dict(table), confidence_level=None)
    shown = ranking.view().chosen(columns=["rank", "tasks"]).tables[0]
    assert shown.head == ("rank", "system", "x", "y")
    assert [row[2:] for row in shown.rows] == [("75.0", "0.5000"), ("72.6", "0.1234")]
    named = podium.rank(podium.from_dict({"A": {"tasks": 1, "x": 2}, "B": {"tasks": 2, "x": 3}}), confidence_level=None)
    assert named.view().chosen(columns=["tasks"]).tables[0].head == ("system", "tasks")


def test_a_picture_of_the_first_ranks_says_how_many_are_not_there() -> None:
    ranking = podium.rank(podium.simulate.gumbel(6, 2, 50, dispersion=1.0, rng=0).scores)
    ax = podium.plots.ranks(ranking, top=2)
    assert [label.get_text() for label in ax.get_yticklabels()] == list(ranking.systems[:2])
    assert ax.get_xlabel() == "rank; 4 more systems not shown"
    assert podium.plots.ranks(ranking, top=9).get_xlabel() == "rank"
    with pytest.raises(MethodError, match="top"):
        podium.plots.ranks(ranking, top=0)
