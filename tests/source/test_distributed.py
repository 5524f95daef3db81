"""Tables that workers of a cluster read: what they give is what one machine gives, byte for byte."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import podium
from podium.base.cluster import SILENT, in_force, is_remote
from podium.errors import EngineError, InputError
from podium.score.table import Scores
from podium.score.task import PART
from podium.source import collect, distributed
from podium.source.board import BoardTable
from podium.source.table import ReadPlan
from podium.store.log import opened
from podium.store.place import Place
from podium.store.rows import Facts

pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from distributed import LocalCluster, Status

    made = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=SILENT)
    yield made
    try:
        made.close(timeout=5)
    except (TimeoutError, KeyError):  # Dask waits for workers that were killed, at times for ever
        made.status = Status.closed


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables are read by workers, too, in many pieces."""
    monkeypatch.setattr(collect, "LARGE", 0)
    monkeypatch.setattr(distributed, "_ROWS", 40)


@contextmanager
def on(cluster: Any) -> Iterator[None]:
    with podium.engine("dask", scheduler=cluster.scheduler_address):
        yield


def assert_same(found: Scores, expected: Scores) -> None:
    assert (found.systems, found.task_names, found.notes) == (expected.systems, expected.task_names, expected.notes)
    for one, other in zip(found.tasks, expected.tasks, strict=True):
        assert all(map(is_remote, one.parts))
        assert [np.asarray(part).tobytes() for part in one.parts] == [part.tobytes() for part in other.parts]
        np.testing.assert_array_equal(one.scored, other.scored)
        np.testing.assert_array_equal(np.asarray(one.instances), np.asarray(other.instances))
        assert (one.higher_is_better, one.family) == (other.higher_is_better, other.family)
        assert (one.clusters and one.clusters.labels) == (other.clusters and other.clusters.labels)
        if other.instance_weights is not None:
            np.testing.assert_array_equal(one.instance_weights, other.instance_weights)


def long_table(rng: np.random.Generator, systems: int, tasks: int, instances: int, *, text: bool) -> pa.Table:
    """Some scores of each kind, with clusters, weights, directions and holes."""
    task, system, instance = (
        axis.ravel() for axis in np.meshgrid(*map(np.arange, (tasks, systems, instances)), indexing="ij")
    )
    kept = rng.random(task.size) < 0.9
    kept[: systems * instances] = True
    task, system, instance = task[kept], system[kept], instance[kept]
    scores = np.where(rng.random(task.size) < 0.05, np.nan, rng.integers(0, 5, task.size) / 4)
    return pa.table(
        {
            "task": [f"task {number}" for number in task],
            "system": [f"system {number}" for number in system],
            "instance": [f"q{number}" for number in instance] if text else instance * 3,
            "score": pa.array(scores, from_pandas=True),
            "cluster": [f"page {number // 3}" for number in instance],
            "weight": 1.0 + instance % 2,
            "higher_is_better": task % 2 == 0,
        }
    )


@given(st.data())
@settings(
    max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture], phases=[Phase.explicit, Phase.generate]
)
def test_any_cut_of_a_table_gives_the_same_bytes(cluster: Any, tmp_path_factory: Any, data: st.DataObject) -> None:
    draw = data.draw
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    text, shuffled, width = draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 3))
    table = long_table(rng, draw(st.integers(2, 4)), draw(st.integers(1, 4)), draw(st.integers(6, 60)), text=text)
    table = table.select(table.schema.names[: 4 + width])
    if shuffled:
        table = table.take(pa.array(rng.permutation(len(table))))
    folder = tmp_path_factory.mktemp("cut")
    ends = sorted({0, len(table), *draw(st.lists(st.integers(1, max(len(table) - 1, 1)), max_size=3))})
    for number, (start, end) in enumerate(pairwise(ends)):
        pq.write_table(table[start:end], folder / f"{number}.parquet", row_group_size=draw(st.integers(10, 90)))
    how: dict[str, Any] = {"weight_column": "weight"} if width > 1 else {}
    expected = podium.read(folder, **how)
    with on(cluster):
        found = podium.read(folder, **how)
        assert_same(found, expected)
        assert (
            podium.rank(found, "mean", n_resamples=40).to_dict()
            == podium.rank(expected, "mean", n_resamples=40).to_dict()
        )


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks of three systems, one of several parts, whose rows stand in any order."""
    rng = np.random.default_rng(1)
    task = np.repeat([0, 1], [3 * (2 * PART + 900), 900])
    instance = np.concatenate([np.tile(np.arange(2 * PART + 900), 3), np.tile(np.arange(300), 3)])
    system = np.concatenate([np.repeat(np.arange(3), 2 * PART + 900), np.repeat(np.arange(3), 300)])
    score = (rng.normal(size=task.size) + 0.1 * system).round(2)
    table = pa.table({"task": task.astype(str), "system": system.astype(str), "instance": instance, "score": score})
    path = tmp_path_factory.mktemp("parts") / "scores.parquet"
    pq.write_table(table.take(pa.array(rng.permutation(task.size)[:90_000])), path, row_group_size=9_000)
    return path


def test_every_question_has_the_same_answer(cluster: Any, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "_ROWS", 20_000)
    monkeypatch.setattr(distributed, "_SCORES", 3 * PART)
    questions: dict[str, Any] = {
        "borda": lambda scores: podium.rank(scores, "borda", n_resamples=40),  # by the model, which makes a table
        "mean, tasks": lambda scores: podium.rank(scores, "mean", units="tasks", n_resamples=40),
        "wins": lambda scores: podium.rank(scores, "wins", n_resamples=40),
        "pairwise": podium.pairwise,
        "agree": lambda scores: podium.agree(scores, methods=["mean", "borda", "wins"]),
        "describe": podium.info,
        "compare": lambda scores: podium.compare(scores, control="0", treatment="2"),
    }
    expected = podium.read(parts)
    answers = {name: ask(expected).to_dict() for name, ask in questions.items()}
    with on(cluster):
        found = podium.read(parts)
        assert_same(found, expected)
        assert len(found.tasks[0].parts) == 3
        for name, ask in questions.items():
            assert ask(found).to_dict() == answers[name], name
        assert_same(found.select(systems=["2", "0"]), expected.select(systems=["2", "0"]))


def test_files_of_text_wide_tables_and_boards_are_read(cluster: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    wide = ["system,instance,a,b", *(f"s{k % 3},{k // 3},{rng.random():.3f},{rng.random():.2f}" for k in range(240))]
    (tmp_path / "wide.csv").write_text("\n".join(wide))
    rows = [f'{{"system": "s{k % 3}", "task": "t", "instance": "q{k // 3}", "score": {k % 7}}}' for k in range(240)]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    podium.add(tmp_path / "board", podium.read(tmp_path / "rows.jsonl"))
    podium.add(tmp_path / "board", podium.read(tmp_path / "wide.csv"))
    for name in ("wide.csv", "rows.jsonl", "board"):
        expected = podium.read(tmp_path / name)
        with on(cluster):
            assert_same(podium.read(tmp_path / name), expected)


def test_what_workers_cannot_read_is_read_here(cluster: Any, tmp_path: Path) -> None:
    rows = [f"s{k % 2},t,{k // 4},{k // 2 % 2},{k % 5}" for k in range(80)]
    (tmp_path / "repeats.csv").write_text("\n".join(["system,task,instance,repeat,score", *rows]))
    (tmp_path / "means.csv").write_text("system,t,u\nA,1,2\nB,2,1\n")
    with on(cluster):
        for name in ("repeats.csv", "means.csv"):
            assert not is_remote(podium.read(tmp_path / name).tasks[0].parts[0])


def test_bad_partitions_are_named(cluster: Any, tmp_path: Path) -> None:
    good = pa.table(
        {"system": ["A", "B"] * 50, "task": ["t"] * 100, "instance": np.arange(100) // 2, "score": [0.5] * 100}
    )
    pq.write_table(good, tmp_path / "0.parquet")
    bad = tmp_path / "1.parquet"
    cases = {
        r"1\.parquet": good.drop_columns(["system"]),
        r"1\.parquet, row 1: there is no system": good.set_column(0, "system", pa.array([None] + ["A"] * 99)),
        "contradict": good.set_column(3, "score", pa.array([0.25] * 100)),
    }
    for said, table in cases.items():
        pq.write_table(table, bad)
        with on(cluster), pytest.raises(InputError, match=said):
            podium.read(tmp_path)
    whole = (tmp_path / "0.parquet").read_bytes()
    bad.write_bytes(whole[:300] + bytes(len(whole) - 400) + whole[-100:])
    with on(cluster), pytest.raises(InputError, match=r"1\.parquet"):
        podium.read(tmp_path)
    pq.write_table(good[:0], bad)
    with on(cluster), pytest.raises(InputError, match=r"1\.parquet has columns but no rows"):
        podium.read(tmp_path)


@pytest.mark.parametrize("text", [False, True])
def test_rows_that_contradict_each_other_are_named(cluster: Any, tmp_path: Path, text: bool) -> None:
    labels = [f"q{99 - k // 2}" if text else 99 - k // 2 for k in range(100)]
    for number in range(2):
        rows = {"system": ["A", "B"] * 50, "task": ["t"] * 100, "instance": labels, "score": [float(number)] * 100}
        pq.write_table(pa.table(rows), tmp_path / f"{number}.parquet")
    with pytest.raises(InputError, match=r"row 1.* and .*row 1") as here:
        podium.read(tmp_path)
    with on(cluster), pytest.raises(InputError) as there:
        podium.read(tmp_path)
    assert sorted(str(here.value).splitlines()) == sorted(str(there.value).splitlines())


def test_a_column_that_tells_repeats_apart_is_tried(cluster: Any, tmp_path: Path) -> None:
    rows = [f"s{k % 2},t,{k // 4},{k // 2 % 2},{k % 5}" for k in range(80)]
    (tmp_path / "seeds.csv").write_text("\n".join(["system,task,instance,seed,score", *rows]))
    expected = podium.read(tmp_path / "seeds.csv")
    with on(cluster):
        found = podium.read(tmp_path / "seeds.csv")
    assert found.notes == expected.notes
    np.testing.assert_array_equal(found.tasks[0].values, expected.tasks[0].values)


def test_rows_of_a_board_are_numbered_through_its_files(tmp_path: Path) -> None:
    for system in ("a", "b", "c"):
        podium.add(tmp_path / "board", {system: {"t": {str(k): k / 10 for k in range(7)}}})
    whole = BoardTable(opened(Place.of(tmp_path / "board")), Facts())
    plan = ReadPlan(("system",), ("score",))
    starts = [batch.first for piece in whole.pieces(1) for batch in piece.batches(plan)]
    assert starts == [0, 7, 14]


def test_small_files_and_small_tasks_go_together(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "_ROWS", 2**17)
    rng = np.random.default_rng(4)
    table = long_table(rng, 3, 40, 5, text=True).select(["task", "system", "instance", "score"])
    for number in range(27):
        pq.write_table(table[number * 20 : (number + 1) * 20], tmp_path / f"{number:02}.parquet")
    expected = podium.read(tmp_path)
    with on(cluster):
        found = podium.read(tmp_path)
        assert_same(found, expected)
        assert len({task.parts[0].held.key for task in found.tasks}) == 1  # type: ignore[attr-defined]  # remote arrays
        for method in ("mean", "borda"):
            assert (
                podium.rank(found, method, n_resamples=40).to_dict()
                == podium.rank(expected, method, n_resamples=40).to_dict()
            )


def test_labels_that_are_numbers_in_one_file_and_texts_in_another_are_texts(cluster: Any, tmp_path: Path) -> None:
    for number, labels in enumerate((np.arange(60), np.array([f"q{k}" for k in range(60)]))):
        rows = {
            "system": ["A"] * 60 + ["B"] * 60,
            "task": ["t"] * 120,
            "instance": [*labels.tolist(), *labels.tolist()],
        }
        pq.write_table(pa.table({**rows, "score": np.arange(120) % 7 / 2}), tmp_path / f"{number}.parquet")
    expected = podium.read(tmp_path)
    with on(cluster):
        assert_same(podium.read(tmp_path), expected)


def test_the_first_of_several_scores_is_kept(cluster: Any, tmp_path: Path) -> None:
    for number in range(3):
        rows = {"system": ["A", "B"] * 60, "task": ["t"] * 120, "instance": np.arange(120) // 2}
        pq.write_table(pa.table({**rows, "score": [float(number)] * 120}), tmp_path / f"{number}.parquet")
    with on(cluster):
        found = podium.read(tmp_path, keep_first=True)
        assert not np.asarray(found.tasks[0].parts[0]).any()
        assert "240 rows contradict an earlier score and were left out" in found.notes[-1]


def test_what_a_mean_counts_as_missing_is_missing_there_too(cluster: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    scores = rng.random(300).round(2)
    scores[rng.random(300) < 0.1] = -1  # not measured
    names = {"system": ["A", "B", "C"] * 100, "task": ["t"] * 297 + ["alone"] * 3, "instance": np.arange(300) // 3}
    pq.write_table(pa.table({**names, "score": scores}), tmp_path / "scores.parquet", row_group_size=50)
    expected = podium.read(tmp_path / "scores.parquet")
    with on(cluster):
        found = podium.read(tmp_path / "scores.parquet")
        assert_same(found, expected)
        answers = [podium.rank(scores, "mean", confidence_level=None).to_dict() for scores in (found, expected)]
        assert answers[0] == answers[1]
        part: Any = found.tasks[0].parts[0]
        assert len(part) == 3
        assert np.array_equal(-part, -expected.tasks[0].parts[0], equal_nan=True)


def test_tasks_of_one_instance_are_counted_here(cluster: Any, tmp_path: Path) -> None:
    rows = [f"s{k % 3},t{k // 3},q,{k % 7 / 2}" for k in range(90)]
    (tmp_path / "single.csv").write_text("\n".join(["system,task,instance,score", *rows]))
    expected = podium.read(tmp_path / "single.csv")
    with on(cluster):
        found = podium.read(tmp_path / "single.csv")
        assert_same(found, expected)
        assert podium.rank(found, n_resamples=40).to_dict() == podium.rank(expected, n_resamples=40).to_dict()


def test_an_instance_has_one_weight_in_all_pieces(cluster: Any, tmp_path: Path) -> None:
    for number in range(2):
        rows = {"system": [f"s{number}"] * 60, "task": ["t"] * 60, "instance": np.arange(60)}
        values = {"score": [0.5] * 60, "weight": [1.0 + number] * 60}
        pq.write_table(pa.table(rows | values), tmp_path / f"{number}.parquet")
    with on(cluster), pytest.raises(InputError, match="task 't': the instance has weight"):
        podium.read(tmp_path, weight_column="weight")


def test_files_that_workers_cannot_see_are_named(cluster: Any, tmp_path: Path) -> None:
    with on(cluster):
        used = in_force()
        assert used is not None
        work = used.submit(Path.read_bytes, tmp_path / "elsewhere.parquet")
        with pytest.raises(InputError, match="workers need the files by the same names"):
            next(used.results([work]))


def test_workers_that_are_killed_change_no_byte(cluster: Any, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "_ROWS", 20_000)
    expected = podium.rank(podium.read(parts), "mean", n_resamples=40).to_dict()
    with on(cluster):
        found = podium.read(parts)
        os.kill(int(next(iter(cluster.workers.values())).pid), signal.SIGKILL)  # what it holds is read once more
        assert podium.rank(found, "mean", n_resamples=40).to_dict() == expected


def test_scores_are_gone_with_their_cluster(cluster: Any, parts: Path) -> None:
    with on(cluster):
        found = podium.read(parts)
    with pytest.raises(EngineError, match=r"is gone, and what its workers held with it"):
        podium.rank(found, "mean")
