"""Tables on disk are those in memory, byte by byte, in whatever order rows come."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.base.spill import MEMORY, Spill, room_of
from podium.errors import InputError
from podium.score.table import Scores
from podium.score.task import PART
from podium.source import assembly
from podium.source.collect import collect
from podium.source.format.columnar import ArrowTable
from podium.source.recognise import Wishes
from support.entry import run
from support.stressed import assert_equal

ENOUGH = "4GB"


@pytest.fixture(params=["as they come", "brought together"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which rows come to their cells."""
    if request.param == "brought together":
        bring_together(monkeypatch)
    return str(request.param)


def bring_together(patch: pytest.MonkeyPatch) -> None:
    """Have all rows wait on disk."""
    patch.setattr(assembly, "_SHARE", 10**9)
    patch.setattr(assembly, "_jumps", lambda _columns, _systems: True)


def some_rows(seed: int, *, tasks: int = 3, systems: int = 4, instances: int = 50) -> dict[str, Any]:
    """Columns of a long table, in random order, with a few scores missing."""
    rng = np.random.default_rng(seed)
    task, system, instance = (grid.ravel() for grid in np.indices((tasks, systems, instances)))
    chosen = rng.permutation(task.size)[: int(0.9 * task.size)]
    return {
        "task": [f"t{number}" for number in task[chosen]],
        "system": [f"s{number}" for number in system[chosen]],
        "instance": instance[chosen],
        "score": np.where(rng.random(chosen.size) < 0.05, np.nan, rng.normal(size=chosen.size)),
        "weight": 1.0 + instance[chosen] % 3,
        "cluster": [f"c{number % 7}" for number in instance[chosen]],
        "cost": rng.random(chosen.size),
    }


def both(path: Path, **told: Any) -> tuple[Scores, Scores]:
    """The table in memory, and on disk."""
    here, there = podium.read(path, **told), podium.read(path, memory=ENOUGH, **told)
    assert all(room_of(part) is MEMORY for task in here.tasks for part in task.parts)
    for task in there.tasks:
        assert task.repeats is None or isinstance(room_of(task.repeats.values), Spill)
    assert all(isinstance(room_of(part), Spill) for task in there.tasks for part in task.parts)
    return here, there


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize(
    "told",
    [
        {},
        {"weight_column": "weight", "cluster_column": "cluster"},
        {"covariate_column": "cost"},
        {"tasks": ["t[01]"], "systems": ["!s2"]},
        {"repeat_column": "repeat"},
    ],
    ids=lambda told: " ".join(told) or "plain",
)
def test_every_kind_of_table_is_the_same(tmp_path: Path, told: dict[str, Any]) -> None:
    table = pa.table(some_rows(1))
    if "repeat_column" in told:
        number = np.random.default_rng(2).integers(0, 3, table.num_rows)
        again = table.append_column("repeat", pa.array(number))
        table = pa.concat_tables([again, again.set_column(7, "repeat", pa.array(number + 3))])
    pq.write_table(table, tmp_path / "long.parquet")
    here, there = both(tmp_path / "long.parquet", **told)
    assert_equal(here, there)
    for one, other in zip(here.tasks, there.tasks, strict=True):
        assert (one.clusters is None) == (other.clusters is None)
        if one.clusters is not None and other.clusters is not None:
            assert np.array_equal(one.clusters.numbers, other.clusters.numbers)
        assert all(
            np.array_equal(one.covariates[name], other.covariates[name], equal_nan=True) for name in one.covariates
        )
        assert one.covariates.keys() == other.covariates.keys()
    ranked = [podium.rank(scores, "borda", seed=3).to_dict() for scores in (here, there)]
    assert ranked[0] == ranked[1]


@pytest.mark.usefixtures("way")
def test_tasks_of_several_parts_are_the_same(tmp_path: Path) -> None:
    columns = some_rows(4, tasks=2, systems=3, instances=2 * PART + 77)
    pq.write_table(pa.table(columns), tmp_path / "long.parquet", row_group_size=20_000)
    here, there = both(tmp_path / "long.parquet")
    assert_equal(here, there)
    assert len(there.tasks[0].parts) == 3
    chosen = [scores.select(systems=["s2", "s0"]) for scores in (here, there)]
    assert_equal(*chosen)
    assert isinstance(room_of(chosen[1].tasks[0].values), Spill)


@pytest.mark.usefixtures("way")
def test_wide_tables_and_tables_without_instances_are_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    names = {"system": [f"s{number % 5}" for number in range(200)], "instance": np.arange(200) // 5}
    wide = names | {f"t{number}": rng.normal(size=200) for number in range(6)}
    pq.write_table(pa.table(wide), tmp_path / "wide.parquet")
    assert_equal(*both(tmp_path / "wide.parquet"))
    means = {"system": ["A", "B", "C"]} | {f"t{number}": rng.normal(size=3) for number in range(40)}
    pq.write_table(pa.table(means), tmp_path / "means.parquet")
    assert_equal(*both(tmp_path / "means.parquet"))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("keep", [False, True])
def test_contradictions_are_named_alike(tmp_path: Path, keep: bool) -> None:
    rows = "task,system,instance,score\nt,A,1,0.5\nt,B,1,0.25\nt,A,2,1\nt,A,1,0.75\nt,A,2,1\n"
    (tmp_path / "long.csv").write_text(rows)
    if keep:
        assert_equal(*both(tmp_path / "long.csv", keep_first=True))
        return
    errors = []
    for memory in (None, ENOUGH):
        with pytest.raises(InputError, match="contradicts") as error:
            podium.read(tmp_path / "long.csv", memory=memory)
        errors.append(str(error.value))
    assert errors[0] == errors[1]


@pytest.mark.usefixtures("way")
def test_errors_name_the_row_though_it_waited(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("task,system,instance,score,w\nt,A,1,0.5,1\nt,B,1,0.25,1\n")
    (tmp_path / "b.csv").write_text("task,system,instance,score,w\nt,C,2,0.5,1\nt,C,1,0.25,2\n")
    with pytest.raises(InputError, match=r"b\.csv, line 3: the instance has weight 2 here and 1 in another row"):
        podium.read([tmp_path / "a.csv", tmp_path / "b.csv"], weight_column="w", memory=ENOUGH)


@given(
    st.lists(
        st.tuples(
            st.tuples(st.sampled_from("tuv"), st.sampled_from("ABC"), st.integers(-3, 3) | st.integers(0, 3 * PART)),
            st.sampled_from([0.0, 0.1, 1e300, None]),
        ),
        min_size=1,
        max_size=40,
    ),
    st.booleans(),
)
@pytest.mark.filterwarnings("ignore:.* left out")
def test_any_order_gives_the_same_table(rows: list[Any], together: bool) -> None:
    names = ("task", "system", "instance")
    table = pa.table(
        {name: [cell[place] for cell, _ in rows] for place, name in enumerate(names)}
        | {"score": pa.array([score for _, score in rows], pa.float64())}
    )
    with pytest.MonkeyPatch.context() as patch:
        if together:
            bring_together(patch)
        here, there = (
            collect([ArrowTable("the table", table)], Wishes.of(memory=memory, keep_first=True))
            for memory in (None, ENOUGH)
        )
        assert_equal(here, there)


@pytest.mark.usefixtures("way")
def test_a_file_may_have_no_column_of_cost(tmp_path: Path) -> None:
    table = pa.table(some_rows(7))
    pq.write_table(table.slice(0, 200), tmp_path / "a.parquet")
    pq.write_table(table.slice(200).drop_columns(["cost"]), tmp_path / "b.parquet")
    for names in (("a", "b"), ("b", "a")):
        here, there = (
            podium.read([tmp_path / f"{name}.parquet" for name in names], memory=memory) for memory in (None, ENOUGH)
        )
        assert_equal(here, there)
        for one, other in zip(here.tasks, there.tasks, strict=True):
            assert np.array_equal(one.covariates["cost"], other.covariates["cost"], equal_nan=True)


def test_rows_that_jump_are_told() -> None:
    rng, many = np.random.default_rng(0), 2**16
    assert assembly._jumps(rng.permutation(many * 100)[:many], rng.integers(0, 100, many, dtype=np.int32))
    rows = np.arange(many)
    assert not assembly._jumps(rows, np.zeros(many, dtype=np.int32))  # one system after the other
    assert not assembly._jumps(rows // 100, (rows % 100).astype(np.int32))  # one instance after the other


def test_the_command_prints_the_same(tmp_path: Path) -> None:
    pq.write_table(pa.table(some_rows(6)), tmp_path / "long.parquet")
    plain, spilled = (run(tmp_path, "rank", "long.parquet", *more) for more in ((), ("--memory", "1GB")))
    assert plain.returncode == 0
    assert spilled.stdout == plain.stdout
    small = run(tmp_path, "rank", "long.parquet", "--memory", "1MB")
    assert small.returncode == 2
    assert "1 MB of memory is too little" in small.stderr
