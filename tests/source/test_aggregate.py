"""Averages, sums, ranks and numbers of rows among tasks and systems: left out where certain, asked about where not."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import podium
from podium.base.words import as_options, as_typed
from podium.errors import InputError
from podium.score.table import Scores

TASKS = ("a", "b", "c")


def made(columns: dict[str, Any], names: Sequence[str] | None = None, **wishes: Any) -> Scores:
    n = len(next(iter(columns.values())))
    labels = names or [f"m{number}" for number in range(n)]
    return podium.from_frame(pa.table({"system": labels, **columns}), **wishes)


def some(n: int, n_tasks: int = 3, *, decimals: int = 1, seed: int = 0) -> NDArray[np.float64]:
    return np.random.default_rng(seed).normal(60, 12, (n, n_tasks)).round(decimals)


def by_task(values: NDArray[np.float64]) -> dict[str, Any]:
    return {f"t{number}": column for number, column in enumerate(values.T)}


@pytest.mark.parametrize("name", ["GLUE", "Score", "Overall", "total"])
@pytest.mark.parametrize(("decimals", "n"), [(1, 12), (2, 8), (9, 4)])
def test_the_mean_of_the_others_is_left_out(name: str, decimals: int, n: int) -> None:
    values = some(n, decimals=decimals)
    scores = made({name: values.mean(axis=1).round(decimals), **by_task(values)})
    assert scores.task_names == ("t0", "t1", "t2")
    assert scores.notes[:-1] == (
        f"task {name!r} is the mean of the others and was left out; --tasks {as_typed('*,' + name)} keeps it",
    )


def test_the_sum_of_the_others_is_left_out() -> None:
    values = some(8)
    scores = made({**by_task(values), "points": values.sum(axis=1)})
    assert scores.task_names == ("t0", "t1", "t2")
    assert "is the sum of the others" in scores.notes[0]


def test_a_mean_with_holes_is_that_of_what_is_there() -> None:
    values = some(12)
    values[::4, 1] = np.nan
    average = np.nanmean(values, axis=1).round(2)
    assert made({**by_task(values), "GLUE": average}).task_names == ("t0", "t1", "t2")


def test_a_weighted_mean_called_score_is_left_out() -> None:
    """As GLUE has it: two metrics of one task weigh half, and the diagnostic task nothing."""
    values = some(40, 6)
    weights = np.array([0.25, 0.25, 0.25, 0.125, 0.125, 0])
    scores = made({"Score": (values @ weights).round(1), **by_task(values)})
    assert len(scores.tasks) == 6
    assert "task 'Score' is a weighted mean of others" in scores.notes[0]
    assert len(made({"other": (values @ weights).round(1), **by_task(values)}).tasks) == 7


@given(
    st.integers(0, 2**32 - 1),
    st.integers(3, 20),
    st.integers(3, 8),
    st.integers(0, 3),
    st.sampled_from((0, 0.9, 0.999)),
)
def test_scores_are_not_left_out_by_chance(seed: int, n: int, n_tasks: int, decimals: int, shared: float) -> None:
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(n, 1))
    values = 60 + 12 * (np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.normal(size=(n, n_tasks)))
    assert len(made(by_task(values.round(decimals))).tasks) == n_tasks


@pytest.mark.parametrize("scale", [(0, 2), (0, 5), (1, 6)])
def test_whole_numbers_of_few_levels_are_no_means(scale: tuple[int, int]) -> None:
    for seed in range(30):
        values = np.random.default_rng(seed).integers(*scale, (9, 4)).astype(float)
        assert len(made(by_task(values)).tasks) == 4


def test_equal_tasks_are_no_means() -> None:
    column = some(9)[:, 0]
    assert made({"a": column, "b": column, "c": column}).task_names == TASKS


def test_order_and_scale_do_not_matter() -> None:
    values = some(9)
    columns = {**by_task(values), "board": values.mean(axis=1).round(1)}
    kept = made(columns).task_names
    for change in (0.01, 0.1):  # decimals stay decimals
        assert made({name: np.asarray(column) * change for name, column in columns.items()}).task_names == kept
    assert sorted(made(dict(reversed(columns.items()))).task_names) == sorted(kept)


def test_numbers_and_ranks_of_systems_are_left_out() -> None:
    values = some(7, 2)
    numbered = made({"place in table": np.arange(1, 8), **by_task(values)})
    assert "numbers the systems from 1 to 7" in numbered.notes[0]
    ranks = np.empty(7)
    ranks[np.argsort(-values[:, 0])] = np.arange(1, 8)
    assert "'placed' ranks the systems by another column" in made({**by_task(values), "placed": ranks}).notes[0]
    shuffled = np.array([3, 1, 2, 7, 5, 6, 4])
    assert len(made({**by_task(values), "t": shuffled}).tasks) == 3, "it ranks by nothing else"
    assert len(made({"a": np.arange(1, 8), "b": np.arange(7, 0, -1)}).tasks) == 2, "all tasks may hold ranks"


def test_one_large_number_for_all_is_no_task() -> None:
    columns = {**by_task(some(4)), "asked": [1319] * 4, "solved": [100] * 4, "grade": [5] * 4}
    scores = made(columns)
    assert scores.task_names == ("t0", "t1", "t2", "solved", "grade")
    assert "'asked' is 1319 for every system" in scores.notes[0]


def test_a_row_of_averages_is_left_out() -> None:
    values = some(5, 4, decimals=2)
    rows = np.vstack((values, values.mean(axis=0).round(2)))
    systems = [*"ABCDE", "Average"]
    scores = made(by_task(rows), systems)
    assert scores.systems == tuple("ABCDE")
    assert scores.notes[:-1] == (
        "system 'Average' is the average of the others and was left out; --systems '*,Average' keeps it",
    )
    assert made(by_task(rows), systems, systems=["Average", "A"]).systems == ("A", "Average")
    assert made(by_task(rows), [*"ABCDE", "merged"]).systems == (*"ABCDE", "merged"), "only a name like an average's"
    rows[-1] += 1
    with pytest.raises(InputError, match=r"system 'Average' may be made of the other .*systems=\['!Average'\]"):
        made(by_task(rows), systems)
    assert made(by_task(rows), systems, systems=["!Average"]).systems == tuple("ABCDE")
    assert len(made(by_task(rows), systems, systems="*").systems) == 6


def test_averages_of_groups_are_found_where_a_row_does_not_fit_and_say_what_is_better() -> None:
    values = some(12, 6)
    group = values[:, 2:5].mean(axis=1).round(1)
    group[3] += 5
    scores = made({**by_task(values), "WER, avg": group, "params": np.arange(12.0) ** 3})
    assert scores.task_names == ("t0", "t1", "t2", "t3", "t4", "t5")
    assert scores.higher_is_better.tolist() == [True, True, False, False, False, True]
    said = "task 'WER, avg' is the mean of t2, t3, t4 in all but 1 of 12 rows and was left out"
    assert scores.notes[0].startswith(said)
    assert scores.notes[-1].endswith(
        "tasks: t0, t1, t2 ↓, t3 ↓, t4 ↓, t5; not counted: WER, avg; params; "
        "tasks=['*', 'NAME'] (--tasks '*,NAME') counts one"
    )


def test_the_note_on_columns_is_short() -> None:
    long = {f"benchmark {number} of a long suite": [0.5, 0.4] for number in range(9)}
    scores = made({**long, **{f"total parameters of part {number} (B)": [7.5, 8.5] for number in range(9)}})
    assert len(scores.tasks) == 9
    note = scores.notes[-1]
    assert len(as_options(note)) <= 140
    assert note.startswith("tasks: benchmark 0 of a long suite")


def test_long_tables_have_averages_too(tmp_path: Path) -> None:
    values = some(4, 3, decimals=2)
    rows = [("A", "B", "C", "D")[row] + f",t{task},{values[row, task]}" for row in range(4) for task in range(3)]
    rows += [f"{'ABCD'[row]},Average,{values[row].mean():.2f}" for row in range(4)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["model,task,score", *rows]))
    assert podium.read(path).task_names == ("t0", "t1", "t2")
    assert podium.read(path, tasks=["!Average"]).notes == ()
    assert podium.read(path, tasks=["Average"]).task_names == ("Average",)


def test_a_file_that_says_nothing_of_the_sort_stays_as_it_is() -> None:
    for scores in map(podium.datasets.load, podium.datasets.names()):
        columns = {task.name: task.values[:, 0] for task in scores.tasks}
        again = made(columns, scores.systems)
        assert again.task_names == scores.task_names
        assert again.systems == scores.systems
        assert again.notes[:-1] == ()


@pytest.mark.parametrize("extreme", [1e308, -1e308, 1e-320])
def test_extreme_scores_do_no_harm(extreme: float) -> None:
    values = some(4)
    values[2, 1] = extreme
    with np.errstate(all="raise", under="ignore"):
        assert len(made({**by_task(values), "Overall": values[:, 0]}, tasks=["*"]).tasks) == 4
