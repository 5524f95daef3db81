"""Rows in any order and batches of any size give the same table."""

import threading
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.base.parallel import ahead
from podium.errors import InputError
from podium.score.table import Scores
from podium.score.task import PART
from podium.source.collect import collect
from podium.source.columnar import ArrowTable
from podium.source.labels import IntegerKeys, TextKeys
from podium.source.recognise import ReadSpec
from podium.source.table import Batch, ReadPlan

LABELS = st.one_of(
    st.integers(-3, 3), st.integers(0, 3 * PART).filter(lambda n: n % 5 < 2), st.sampled_from([2**62, -(2**62)])
)
CELLS = st.tuples(st.sampled_from("tuv"), st.sampled_from("ABC"), LABELS)
SCORES = st.dictionaries(CELLS, st.sampled_from([0.0, 0.1, 0.5, 1e300, None]), min_size=1, max_size=40)


class Batched(ArrowTable):
    """A table that comes in batches of a given size."""

    def __init__(self, table: Any, length: int) -> None:
        super().__init__("the table", table)
        self._length = length

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        first = 0
        for rows in self._table.select(plan.columns).to_batches(max_chunksize=self._length):
            yield Batch(rows, first, 0.5)
            first += rows.num_rows


def long_table(cells: list[tuple[Any, Any]], *, text: bool) -> Any:
    return pa.table(
        {
            "task": [cell[0] for cell, _ in cells],
            "system": [cell[1] for cell, _ in cells],
            "instance": [f"x{cell[2]}" if text else cell[2] for cell, _ in cells],
            "score": pa.array([score for _, score in cells], pa.float64()),
        }
    )


def read(table: Any, length: int) -> Scores:
    return collect([Batched(table, length)], ReadSpec.of())


def contents(scores: Scores) -> dict[str, Any]:
    """Everything, with systems and tasks in order of their names."""
    order = np.argsort(scores.systems)
    return {
        task.name: (
            np.asarray(task.instances).tolist(),
            task.values[order].tobytes(),
            task.scored[order].tolist(),
            [part.shape[1] for part in task.parts],
        )
        for task in sorted(scores.tasks, key=lambda task: task.name)
    }


@given(SCORES, st.randoms(use_true_random=False), st.integers(1, 50), st.booleans())
def test_order_and_batches_do_not_matter(cells: dict[Any, Any], random: Any, length: int, text: bool) -> None:
    rows = list(cells.items())
    plain = read(long_table(rows, text=text), len(rows))
    expected = contents(plain)
    random.shuffle(rows)
    shuffled = long_table(rows, text=text)
    assert contents(read(shuffled, length)) == expected


@given(SCORES)
def test_every_score_is_where_it_belongs(cells: dict[Any, Any]) -> None:
    scores = read(long_table(list(cells.items()), text=False), 7)
    found = {
        (task.name, scores.systems[system], int(instance)): task.values[system, column]
        for task in scores.tasks
        for column, instance in enumerate(np.asarray(task.instances))
        for system in range(len(scores.systems))
        if not np.isnan(task.values[system, column])
    }
    assert found == {cell: score for cell, score in cells.items() if score is not None}
    for task in scores.tasks:
        labels = np.asarray(task.instances)
        assert np.all(labels[1:] > labels[:-1])
        assert [part.shape[1] for part in task.parts[:-1]] == [PART] * (len(task.parts) - 1)
        assert all(part.flags.c_contiguous for part in task.parts)
        np.testing.assert_array_equal(task.scored, np.count_nonzero(~np.isnan(task.values), axis=1))


@given(st.lists(st.tuples(CELLS, st.sampled_from([0.0, -0.0, 0.5, None])), min_size=1, max_size=60), st.integers(1, 50))
def test_the_first_of_several_scores_is_kept(rows: list[tuple[Any, Any]], length: int) -> None:
    expected: dict[Any, float] = {}
    wrong = 0
    for cell, score in rows:
        if score is not None:
            wrong += expected.setdefault(cell, score) != score
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that most are left out
        table = Batched(long_table(rows, text=False), length)
        scores = collect([table], ReadSpec.of(keep_first=True))
    found = {
        (task.name, scores.systems[system], int(np.asarray(task.instances)[column])): task.values[system, column]
        for task in scores.tasks
        for system, column in np.argwhere(~np.isnan(task.values))
    }
    assert found == expected
    assert not any(np.signbit(task.values).any() for task in scores.tasks), "there is one zero"
    assert any(note.startswith(f"{wrong} row") and "contradict" in note for note in scores.notes) == (wrong > 0)


def test_labels_are_in_order_of_first_appearance_at_any_batch_size() -> None:
    categories = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2, 1]), pa.array(["a", "b", "c", "unused"]))
    table = pa.table({"task": categories, "system": categories, "score": [1.0, 2, 1, 3]})
    for length in (1, 2, 4):
        scores = read(table, length)
        assert scores.systems == scores.task_names == ("c", "a", "b")


@pytest.mark.parametrize("order", ["rows", "columns", "shuffled"])
@pytest.mark.parametrize("text", [False, True])
def test_tasks_of_several_parts(order: str, text: bool) -> None:
    n_systems, n_instances = 30, 2 * PART + 100
    values = np.random.default_rng(0).normal(size=(n_systems, n_instances))
    system, instance = (index.ravel() for index in np.indices(values.shape))
    if order == "columns":
        system, instance = system.reshape(values.shape).T.ravel(), instance.reshape(values.shape).T.ravel()
    if order == "shuffled":
        shuffle = np.random.default_rng(1).permutation(system.size)
        system, instance = system[shuffle], instance[shuffle]
    labels = pa.array(instance).cast(pa.string()) if text else pa.array(instance + 1)
    table = pa.table({"system": system, "instance": labels, "score": values[system, instance]})
    scores = read(table, 300_000)
    rows = [int(label) for label in scores.systems]
    columns = np.array([int(label) for label in np.asarray(scores.tasks[0].instances)]) - (0 if text else 1)
    np.testing.assert_array_equal(scores.tasks[0].values, values[rows][:, columns])
    assert [part.shape[1] for part in scores.tasks[0].parts] == [PART, PART, 100]


def test_repeats_and_contradictions() -> None:
    generator = np.random.default_rng(0)
    missing = generator.random(8000) < 0.3
    table = pa.table(
        {
            "system": np.tile(np.repeat(np.arange(2), 2000), 2),
            "instance": np.tile(np.arange(2000), 4),
            "score": pa.array(np.tile(generator.normal(size=4000), 2), mask=missing),
        }
    )
    twice = int((~missing).reshape(2, 4000).all(axis=0).sum())
    notes = (f"{twice:,} rows repeat earlier scores; each score counts once",)
    results = [read(table, length) for length in (100, 8000)]
    assert all(scores.notes[-1:] == notes for scores in results)
    assert contents(results[0]) == contents(results[1])
    wrong = table["score"].to_pylist()
    first = next(row for row in range(4000) if wrong[row] is not None and wrong[row + 4000] is not None)
    wrong[first + 4000] = 99.0
    table = table.set_column(2, "score", pa.array(wrong))
    with pytest.raises(InputError, match=rf"\(the table, row {first + 1}\) and 99 \(the table, row {first + 4001}\)"):
        read(table, 3000)


@given(st.lists(st.text(max_size=3).map(lambda text: text + "."), max_size=80), st.integers(1, 30))
def test_texts_are_numbered_in_order_of_appearance(texts: list[str], length: int) -> None:
    keys, number = TextKeys(), {text: place for place, text in enumerate(dict.fromkeys(texts))}
    repeated = texts * 30
    for start in range(0, len(repeated), length * 17):
        for kind in (pa.string(), pa.large_string()):
            batch = pa.array(repeated, kind)[start : start + length * 17]
            assert keys.encode(batch, "x").tolist() == [number[text] for text in batch.to_pylist()]
    if number:
        labels, order = keys.sort(np.arange(len(number)))
        assert labels.tolist() == sorted(number)
        assert [list(number)[place] for place in order.tolist()] == sorted(number)
        assert keys.label(0) == texts[0]


def test_sparse_integers_are_read_all_the_same() -> None:
    labels = np.arange(3000) * 1_000_003
    table = pa.table({"system": np.repeat([1, 2], 3000), "instance": np.tile(labels, 2), "score": np.arange(6000.0)})
    task = read(table, 1000).tasks[0]
    assert task.instances is not None
    np.testing.assert_array_equal(task.instances, labels)
    np.testing.assert_array_equal(task.values, np.arange(6000.0).reshape(2, 3000))


def test_the_least_integers_are_read_in_any_order() -> None:
    least = -(2**63)
    table = pa.table({"system": ["A"] * 3, "instance": [least + 5, least, 7], "score": [1.0, 2.0, 3.0]})
    for length in (1, 3):
        task = read(table, length).tasks[0]
        assert np.asarray(task.instances).tolist() == [least, least + 5, 7]
        assert task.values.tolist() == [[2.0, 1.0, 3.0]]


def test_integers_beyond_64_bits_are_labels_too() -> None:
    table = pa.table({"system": ["A", "A"], "instance": pa.array([2**64 - 1, 1], pa.uint64()), "score": [1.0, 2.0]})
    assert np.asarray(read(table, 1).tasks[0].instances).tolist() == ["1", str(2**64 - 1)]
    assert IntegerKeys().label(7) == "7"


def test_reading_ahead_passes_errors_on() -> None:
    def broken() -> Iterator[int]:
        yield 1
        message = "broken"
        raise ValueError(message)

    items = ahead(broken())
    assert next(items) == 1
    with pytest.raises(ValueError, match="broken"):
        next(items)


def test_reading_ahead_stops_when_nobody_reads_on() -> None:
    taken = []

    def source() -> Iterator[int]:
        for number in range(1000):
            taken.append(number)
            yield number

    threads = threading.active_count()
    items = ahead(source(), depth=3)
    assert [next(items), next(items)] == [0, 1]
    del items
    assert threading.active_count() <= threads
    assert 2 <= len(taken) <= 2 + 3, "two were asked for, and three may be ahead"


def test_tasks_without_instances_are_written_side_by_side() -> None:
    rng = np.random.default_rng(0)
    scores = np.where(rng.random((5_000, 4)) < 0.7, np.nan, rng.random((5_000, 4)))
    scores[:, 0] = 1.0
    task, system = np.nonzero(~np.isnan(scores))
    order = rng.permutation(task.size)
    columns = {
        "system": pa.array([f"s{number}" for number in system[order].tolist()]),
        "task": pa.array([f"t{number}" for number in task[order].tolist()]),
        "score": pa.array(scores[task, system][order]),
    }
    table = read(pa.table(columns), 4_000)
    assert len(table.tasks) == 5_000
    place = [table.systems.index(f"s{number}") for number in range(4)]
    for one in table.tasks[::83]:
        np.testing.assert_array_equal(one.values[place, 0], scores[int(one.name[1:])])
        assert one.values.flags.c_contiguous
        assert not one.values.flags.writeable
        assert one.scored[place].tolist() == (~np.isnan(scores[int(one.name[1:])])).astype(int).tolist()
