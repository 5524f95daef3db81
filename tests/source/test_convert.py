"""A converted table gives the scores that it was written from, and the same rankings to the last byte."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.errors import InputError, OutputError, PodiumError, PodiumWarning
from podium.score.table import Scores
from podium.score.task import Task
from podium.source import canonical
from podium.source.canonical import format_of

ENDINGS = ("parquet", "feather", "csv", "tsv", "jsonl", "csv.gz", "tsv.xz", "jsonl.zst", "csv.bz2")

#: Names that are hard to write, or to read again.
NAMES = ("A", "b c", "a,b", 'say "x"', "1", "07", "NA", "null", "two\nlines", "é", "-", "tab\there", "'", "{}", "mean")

GENUINE = (
    *("big_bench", "every_eval_ever", "explainaboard", "helm/benchmark_output", "inspect_ai/converter_samples"),
    *("inspect_ai/mockllm_eval_zstd", "inspect_ai/mockllm_json", "lighteval", "lm-eval", "mteb", "opencompass"),
    *("alpaca_eval", "arena/mt_bench_gpt-4_pair.jsonl"),
)


def again(scores: Scores, path: Path) -> Scores:
    """Write scores, and read them again."""
    assert podium.convert(scores, path) is scores
    return podium.read(path)


def assert_same(first: Scores, second: Scores) -> None:
    """See that nothing differs that a ranking depends on, nor what stands beside it."""
    assert first.systems == second.systems
    assert first.task_names == second.task_names
    for one, other in zip(first.tasks, second.tasks, strict=True):
        np.testing.assert_array_equal(one.values, other.values)
        assert one.higher_is_better == other.higher_is_better
        assert parts(one) == parts(other)
        assert list(one.covariates) == list(other.covariates)
        for name, values in one.covariates.items():
            np.testing.assert_array_equal(values, other.covariates[name])


def parts(task: Task) -> list[Any]:
    """What else is known of a task, as plain values."""
    repeats = task.repeats
    return [
        None if task.instances is None else [task.instances.dtype.kind, *task.instances.tolist()],
        None if task.instance_weights is None else task.instance_weights.tolist(),
        None if task.clusters is None else task.clusters.labels,
        None if repeats is None else (repeats.statistic, repeats.values.shape, np.nan_to_num(repeats.values).tolist()),
    ]


def ranked(scores: Scores) -> list[Any]:
    """The ranking by several levels, with intervals; what the notes say of files is another matter."""
    levels: tuple[Any, ...] = ("task", "balanced") if not scores.task_level else ("task",)
    found: list[Any] = []
    for level in levels:
        try:
            found += podium.rank(scores, level=level, n_resamples=100, rng=3).rows()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PodiumWarning)  # that means are of different tasks
                found += podium.rank(scores, "mean", confidence_level=None).rows()
        except PodiumError as error:  # one system, or no score
            found.append(str(error))
    return found


@st.composite
def tables(draw: st.DrawFn) -> Scores:
    """Scores as reading gives them: any labels, gaps, weights, clusters, repeats, directions and covariates."""
    systems = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    tasks = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    labels = (st.sampled_from([*NAMES, "2", "10"]), st.integers(-3, 2**40), st.integers(0, 12).map(str))
    repeats = draw(st.integers(1, 3)) if draw(st.booleans()) else 0
    labelled = repeats > 0 or draw(st.booleans())
    most = 5 if labelled else 1
    instances = draw(st.lists(draw(st.sampled_from(labels)), min_size=1, max_size=most, unique=True))
    cells = [(t, s, i, r) for t in tasks for s in systems for i in instances for r in range(max(repeats, 1))]
    number = st.one_of(st.none(), st.sampled_from([0.0, 1.0])) if repeats else st.one_of(st.none(), _numbers())
    weights, groups = ({i: draw(one) for i in instances} for one in (st.floats(0.5, 3), st.sampled_from("pqr")))
    kept = draw(st.permutations(draw(st.lists(st.sampled_from(cells), min_size=1, unique=True))))
    one = pa.float32() if draw(st.booleans()) else pa.float64()
    columns: dict[str, Any] = {"task": [c[0] for c in kept], "system": [c[1] for c in kept]}
    if labelled:
        columns["instance"] = [c[2] for c in kept]
        columns["cluster"] = [groups[c[2]] for c in kept]
        columns["weight"] = [weights[c[2]] for c in kept]
    if repeats:
        columns["repeat"] = [c[3] for c in kept]
    columns["score"] = pa.array([draw(number) for _ in kept], one)
    columns["cost"] = pa.array([draw(st.one_of(st.none(), _numbers())) for _ in kept], pa.float64())
    left_out = draw(st.sets(st.sampled_from(["cluster", "weight", "cost"])))
    frame = pa.table({name: values for name, values in columns.items() if name not in left_out})
    options: dict[str, Any] = {"weight_column": "weight"} if "weight" in frame.column_names else {}
    if repeats:
        options["statistic"] = draw(st.sampled_from(["mean", "max", "majority", "pass@1"]))
    lower = draw(st.lists(st.sampled_from(sorted(set(columns["task"]))), unique=True))
    scores = podium.from_frame(frame, tasks="*", systems="*", **options)
    return scores.with_directions(lower=[name for name in scores.task_names if name in lower])


def _numbers() -> st.SearchStrategy[float]:
    return st.sampled_from([0.0, 0.5, -3.0, 0.1, 1e-30, 123456.7, 1 / 3, 2**20 + 0.5])


@given(scores=tables(), ending=st.sampled_from(ENDINGS))
def test_any_scores_are_read_again_as_they_were(
    scores: Scores, ending: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("converted") / f"scores.{ending}"
    rounded = [task.parts[0].dtype == np.float32 and (np.nan_to_num(task.values) % 0.25).any() for task in scores.tasks]
    if any(rounded) and ending not in {"parquet", "feather"}:
        with pytest.warns(PodiumWarning, match="does not hold single precision"):
            read = again(scores, path)
    else:
        read = again(scores, path)
    if ending in {"parquet", "feather"}:
        assert [task.parts[0].dtype for task in read.tasks] == [task.parts[0].dtype for task in scores.tasks]
    assert_same(scores, read)
    assert ranked(scores) == ranked(read)
    assert again(read, path.with_name(f"again.{ending}")) is not read
    assert path.read_bytes() == path.with_name(f"again.{ending}").read_bytes()


@pytest.mark.parametrize("folder", GENUINE)
def test_what_tools_wrote_ranks_alike_from_its_table(folder: str, shared: Path, tmp_path: Path) -> None:
    scores = podium.read(shared / "data" / "formats" / folder)
    wanted = ranked(scores)
    for ending in ENDINGS[:5]:
        read = again(scores, tmp_path / f"scores.{ending}")
        assert_same(scores, read)
        assert ranked(read) == wanted


def test_files_in_any_order_give_the_same_table(shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "data/formats/inspect_ai/mockllm_eval_zstd").rglob("*.eval"))
    assert len(files) > 2
    contents = set()
    for number, order in enumerate((files, files[::-1])):
        podium.convert(podium.read(order), tmp_path / f"{number}.csv")
        contents.add((tmp_path / f"{number}.csv").read_bytes())
    assert len(contents) == 1


def test_rows_in_any_order_rank_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = {"t": rng.random((3, 5)), "u": rng.random((3, 4))}
    labels = {"t": [1, 2, 10, 30, 4], "u": [1, 2, 3, 4]}
    scores = podium.from_arrays(values, systems=["A", "B", "C"], instances=labels, lower=["u"])
    podium.convert(scores, tmp_path / "scores.csv")
    header, *lines = (tmp_path / "scores.csv").read_text().splitlines()
    (tmp_path / "mixed.csv").write_text("\n".join([header, *rng.permutation(lines)]) + "\n")
    assert ranked(podium.read(tmp_path / "mixed.csv")) == ranked(scores)


def test_tasks_that_were_kept_are_kept_again(tmp_path: Path) -> None:
    table = {f"s{number}": {"a": number / 7, "b": 1 - number / 9, "Overall": number / 8} for number in range(6)}
    table |= {"mean": {"a": 0.5, "b": 0.5, "Overall": 0.5}}
    scores = podium.from_dict(table)
    assert again(scores, tmp_path / "scores.csv").task_names == ("a", "b", "Overall")
    with pytest.raises(
        InputError, match="may be made of the other systems"
    ):  # of a table that says nothing of directions podium asks
        podium.from_frame(podium_frame(tmp_path / "scores.csv").drop(["direction"]))


def podium_frame(path: Path) -> pa.Table:
    return pa_csv.read_csv(path)


def test_a_missing_system_task_and_instance_stay(tmp_path: Path) -> None:
    nothing = float("nan")
    values = {"t": [[nothing] * 3, [1, nothing, 0]], "u": [[nothing], [nothing]]}
    scores = podium.from_arrays(values, systems=["none", "A"], instances={"t": ["x", "y", "z"], "u": ["x"]})
    for ending in ENDINGS:
        assert_same(scores, again(scores, tmp_path / f"scores.{ending}"))


def test_many_instances_are_written_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canonical, "_CELLS", 2**16)
    monkeypatch.setattr(canonical, "_ROWS", 2**14)
    rng = np.random.default_rng(0)
    values = np.where(rng.random((9, 40_000)) < 0.3, np.nan, rng.random((9, 40_000)))
    scores = podium.from_arrays({"t": values}, instances=rng.permutation(40_000))
    sizes = [len(piece) for piece in canonical.LongTable(scores, "parquet").pieces()]
    assert len(sizes) == 5
    assert max(sizes) <= 2**16 + 2**14
    assert_same(scores, again(scores, tmp_path / "scores.parquet"))


def test_progress_ends_at_all_cells(tmp_path: Path) -> None:
    told: list[tuple[int, int | None]] = []
    podium.convert({"A": {"t": 1.0, "u": 2.0}}, tmp_path / "a.csv", progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 2), (2, 2)]


# What the table says.


def test_a_small_table_as_text(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    podium.convert(podium.from_dict({"A": {"rte": 0.1, "ter": 2}, "B": {"rte": None}}, lower=["ter"]), path)
    assert path.read_text() == "task,system,score,direction\nrte,A,0.1,higher\nrte,B,,higher\nter,A,2,lower\n"


def test_labels_that_look_like_numbers_stay_text(tmp_path: Path) -> None:
    scores = podium.from_arrays({"t": [[1, 0, 1], [0, 1, 1]]}, instances=np.array(["1", "10", "2"]))
    read = again(scores, tmp_path / "scores.csv")
    assert_same(scores, read)
    assert (tmp_path / "scores.csv").read_text().startswith("task,system,instance_label,score,direction\n")
    # whoever names a column has the table read as any other
    assert podium.read(tmp_path / "scores.csv", score_column="score").tasks[0].n_instances == 3


def test_the_statistic_of_repeats_is_in_the_table_and_can_be_another(tmp_path: Path) -> None:
    rows = [(i, r, float((i + r) % 3 == 0)) for i in range(4) for r in range(3)]
    frame = pa.table(
        {
            "task": ["t"] * 12,
            "system": ["A"] * 12,
            "instance": [one[0] for one in rows],
            "repeat": [one[1] for one in rows],
            "score": [one[2] for one in rows],
        }
    )
    scores = podium.from_frame(frame, statistic="pass@2")
    path = tmp_path / "scores.csv"
    assert_same(scores, again(scores, path))
    assert "pass@2" in path.read_text()
    assert_same(podium.from_frame(frame), podium.read(path, statistic="mean"))


def test_what_has_no_room_is_said(tmp_path: Path) -> None:
    scores = podium.from_dict({"A": {"rte": 0.7, "b": 1.0}}).with_task_weights({"rte": 2}).with_tie_tolerance(0.1)
    with pytest.warns(PodiumWarning, match=r"does not hold weights of tasks, the tie tolerance 0.1, without"):
        podium.convert(scores, tmp_path / "scores.csv")


def test_a_covariate_cannot_be_called_as_another_column(tmp_path: Path) -> None:
    scores = podium.from_dict({"A": {"rte": 0.7}})
    named = replace(scores, tasks=(replace(scores.tasks[0], covariates={"score": np.ones((1, 1))}),))
    with pytest.raises(OutputError, match="covariate 'score' has the name of another column"):
        podium.convert(named, tmp_path / "scores.csv")


# Reading directions.


def lines(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(["task,system,score,direction", *rows]) + "\n", "utf-8")
    return path


def test_a_word_that_is_no_direction_is_refused_late_and_another_column_left_alone_early(tmp_path: Path) -> None:
    many = [f"t{number},A,1,lower" for number in range(200_000)]
    with pytest.raises(InputError, match=r"line 200002: 'en-de' in column 'direction' is not 'higher' or 'lower'"):
        podium.read(lines(tmp_path / "late.csv", *many, "t,B,2,en-de"))
    early = podium.read(lines(tmp_path / "early.csv", "t,A,1,en-de", "t,B,2,en-de"))
    assert early.notes == ("column 'direction' not used",)


# Writing files.


def test_an_error_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("before")

    def broken(*_: object) -> Any:
        yield pa.table({"task": ["t"], "system": ["A"], "score": [1.0], "direction": ["higher"]})
        raise RuntimeError("no more")

    monkeypatch.setattr(canonical.LongTable, "pieces", broken)
    with pytest.raises(RuntimeError, match="no more"):
        podium.convert({"A": {"t": 1.0}}, path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.json", "a.xlsx", "a", "a.parquet.gz", "a.duckdb", "a.feather.zst"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(OutputError, match="name a file that ends in"):
        format_of(name)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="there is no folder"):
        podium.convert({"A": {"t": 1.0}}, tmp_path / "no" / "a.csv")
