"""Columns of repeats and of clusters, in every layout; and what is wrong with some."""

import re
import shlex
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.score.task import PART
from podium.source import collect
from support.entry import answer, run

LONG = """system,task,item,seed,score
A,t,2,s1,1
A,t,2,s2,0
A,t,10,s1,1
B,t,10,s2,1
B,t,10,s1,0
B,t,10,s3,0
B,t,2,s1,
A,u,1,s1,1
B,u,1,s9,0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text)
    return path


def test_a_long_table(tmp_path: Path) -> None:
    scores = podium.read(write(tmp_path, LONG), repeat_column="seed")
    t, u = scores.tasks
    assert np.asarray(t.instances).tolist() == [2, 10], "integers, in their order"
    assert_array_equal(t.values, [[0.5, 1], [np.nan, 1 / 3]])
    assert_array_equal(t.scored, [2, 1])
    assert_array_equal(u.values, [[1], [0]])
    assert scores.notes == (
        "1 of 9 runs has no score: 'B' on 't' (1)",
        "each score is the mean of 1–3 repeats (column 'seed')",
    )
    best = podium.read(write(tmp_path, LONG), repeat_column="seed", statistic="max", tasks=["t"])
    assert_array_equal(best.tasks[0].values, [[1, 1], [np.nan, 1]])


def test_names_and_frames(tmp_path: Path) -> None:
    frame = pl.read_csv(write(tmp_path, LONG.replace("seed", "Repeat").replace(",10,", ",ten,")))
    scores = podium.from_frame(frame, statistic="pass@1")
    assert np.asarray(scores.tasks[0].instances).tolist() == ["2", "ten"]
    assert_array_equal(scores.tasks[0].values, [[0.5, 1], [np.nan, 1 / 3]])


def test_a_wide_table_and_one_without_instances(tmp_path: Path) -> None:
    text = "model,seed,rte,sst2\nA,1,1,2\nA,2,2,\nB,1,3,4\n"
    scores = podium.read(write(tmp_path, text), repeat_column="seed")
    assert scores.task_level
    assert scores.task_names == ("rte", "sst2")
    assert [task.values.tolist() for task in scores.tasks] == [[[1.5], [3]], [[2], [4]]]
    long = "model,task,seed,score\nA,rte,1,1\nA,rte,2,2\nB,rte,1,3\n"
    assert podium.read(write(tmp_path, long), repeat_column="seed").tasks[0].values.tolist() == [[1.5], [3]]


def test_weights_and_clusters_are_those_of_instances(tmp_path: Path) -> None:
    rows = [
        f"{system},{item},{seed},p{item % 3},{item + 1},{(item + seed) % 2}"
        for system in "AB" for item in range(6) for seed in range(3)
    ]  # fmt: skip
    path = write(tmp_path, "\n".join(["system,item,seed,cluster,w,score", *rows]))
    task = podium.read(path, repeat_column="seed", instance_column="item", weight_column="w").tasks[0]
    assert task.instance_weights is not None
    assert task.clusters is not None
    assert task.instance_weights.tolist() == [1, 2, 3, 4, 5, 6]
    assert task.clusters.labels == ("p0", "p1", "p2", "p0", "p1", "p2")
    wrong = write(tmp_path, path.read_text().replace("B,4,2,p1", "B,4,2,p0").replace("A,4,2,p1", "A,4,2,p0"))
    with pytest.raises(InputError, match="task 'score', instance '4': its repeats have different clusters"):
        podium.read(wrong, repeat_column="seed", instance_column="item", weight_column="w")


@pytest.mark.parametrize("labels", ["number", "text", "far apart"])
def test_rows_of_repeats_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 2, size=(2, 3000, 4))
    name = {"number": "{}", "text": "q{}", "far apart": "{}000000000000000"}[labels]
    rows = [
        f"{system},{name.format(item)},{seed},{values[system, item, seed]}"
        for system, item, seed in rng.permutation(list(np.ndindex(2, 3000, 4))).tolist()
    ]
    path = write(tmp_path, "\n".join(["system,instance,repeat,score", *rows]))
    monkeypatch.setattr(collect, "LARGE", 1)
    scores = podium.read(path, statistic="pass@3")
    expected = podium.from_arrays({"score": values.astype(float)}, statistic="pass@3").tasks[0].values
    step = 10**15 if labels == "far apart" else 1
    places = [int(str(label).removeprefix("q")) // step for label in np.asarray(scores.tasks[0].instances).tolist()]
    assert_array_equal(scores.tasks[0].values, expected[list(map(int, scores.systems))][:, places])


@pytest.mark.parametrize(
    ("text", "statistic", "said"),
    [
        (
            LONG,
            "pass@2",
            "task 't', system 'A', instance '10': 'pass@2' needs 2 repeats, and there is 1; choose a small",
        ),
        (
            LONG.replace("s2,0", "s2,0.5"),
            "majority",
            "task 't', system 'A', instance '2': a repeat scores 0.5, and 'maj",
        ),
        (LONG, "median", "there is no statistic 'median' over repeats"),
        (LONG.replace("B,t,10,s1,0", "B,t,10,,0"), None, "line 6: there is no repeat in column 'seed'"),
        (
            LONG + "A,t,2,s2,1\n",
            None,
            r"task 't', system 'A', instance '2', repeat 's2': 0 \(.*scores.csv, line 3\) and 1 \(.*line 11\)",
        ),
    ],
)
def test_bad_repeats_are_refused(tmp_path: Path, text: str, statistic: str | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        podium.read(write(tmp_path, text), repeat_column="seed", statistic=statistic)


def test_a_column_whose_name_says_so_and_that_tells_rows_apart_numbers_repeats(tmp_path: Path) -> None:
    said = "column 'seed' tells rows of a system apart, so these are repeats; to keep only the first: keep_first=True"
    scores = podium.read(write(tmp_path, LONG))
    assert scores.notes[0].startswith(said)
    assert_array_equal(scores.tasks[0].values, podium.read(write(tmp_path, LONG), repeat_column="seed").tasks[0].values)
    assert podium.read(write(tmp_path, LONG), keep_first=True).tasks[0].values[0, 1] == 1
    assert podium.read(write(tmp_path, LONG), statistic="max", tasks="t").tasks[0].values[0, 0] == 1
    wide = "model,Run ID,rte\nA,1,1\nA,2,2\nB,1,3\n"
    assert podium.read(write(tmp_path, wide)).tasks[0].values.tolist() == [[1.5], [3]]
    folds = "id,task,framework,fold,result,metric,seed\nt/1,adult,A,0,0.9,auc,11\nt/1,adult,A,1,0.7,auc,11\n"
    scores = podium.read(write(tmp_path, folds + "t/2,car,A,0,0.5,auc,11\nt/2,car,B,0,0.7,auc,11\n"))
    assert (scores.systems, scores.task_level) == (("A", "B"), True)
    assert scores.tasks[0].values[0, 0] == pytest.approx(0.8)
    assert "column 'id' numbers the tasks and was left out" in scores.notes


def test_an_error_advises_what_works(tmp_path: Path) -> None:
    for text, flags in (
        (LONG.replace("seed", "nr"), ["--system-column system,nr", "--repeat-column", "--statistic mean"]),
        (
            "name,size,date,a,b\nA,xl,1999-01-01,1,2\nA,xl,1999-01-02,3,3\nB,s,1999-01-01,5,6\n",
            ["--repeat-column date"],
        ),
        ("model,sample_id,doc_id,ok\nA,1,1,1\nA,2,1,0\nA,1,2,0\nB,1,1,1\nB,2,1,1\n", ["--instance-column doc_id"]),
        ("model,task,score\nA,t,0.5000001\nA,t,0.5000003\nB,t,1\n", ["--statistic mean", "--keep-first"]),
    ):
        path = write(tmp_path, text)
        error = run(tmp_path, "rank", path).stderr
        for flag in flags:
            assert flag in error
        offered = re.findall(r"\((--[^)]*)\)(?: and [a-z_]+='\w+' \((--[^)]*)\))?", error)
        for typed in offered:
            done = run(tmp_path, "rank", path, *shlex.split(" ".join(typed)))
            assert done.returncode == 0, (typed, done.stderr)
    assert "--repeat-column" not in error, "no column tells rows apart"


def test_rows_with_the_same_labels_may_be_repeats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = [(system, task, item, float(rng.integers(9))) for system in "AB" for task in "tu" for item in range(40)] * 3
    rows = [(system, task, item, score + number) for number, (system, task, item, score) in enumerate(rows)]
    rng.shuffle(rows)
    frame = pa.table(dict(zip(("system", "task", "item", "score"), zip(*rows, strict=True), strict=True)))
    monkeypatch.setattr("podium.source.format.columnar._BATCH", 7)
    scores = podium.from_frame(frame, statistic="mean")
    cells: dict[tuple[str, str, int], list[float]] = {}
    for system, task, item, score in rows:
        cells.setdefault((system, task, int(item)), []).append(float(score))
    for (system, task, item), some in cells.items():
        got = scores.tasks[scores.task_names.index(task)].values[scores.systems.index(system), item]
        assert got == pytest.approx(np.mean(some))
    assert "each score is the mean of 3 repeats (rows with the same labels)" in scores.notes
    with pytest.raises(InputError, match=r"statistic='max' \(--statistic\) is over repeats, and no two rows are such"):
        podium.read(write(tmp_path, "system,task,score\nA,t,1\n"), statistic="max")


def test_an_unknown_column_of_repeats(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="'seed'"):
        podium.read(write(tmp_path, LONG), repeat_column="sead")


def test_the_same_row_twice_counts_once(tmp_path: Path) -> None:
    scores = podium.read(write(tmp_path, LONG + "A,t,2,s2,0\n"), repeat_column="seed")
    assert scores.tasks[0].values[0, 0] == 0.5
    assert "1 row repeats an earlier score; each score counts once" in scores.notes


def test_predictions_with_repeats(tmp_path: Path) -> None:
    text = "system,id,seed,prediction,gold\nA,1,1,x,x\nA,1,2,y,x\nB,1,1,x,x\nB,1,2,x,x\n"
    scores = podium.read(write(tmp_path, text), gold="gold", repeat_column="seed", statistic="pass^2")
    assert scores.tasks[0].values.tolist() == [[0], [1]]


def test_on_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, LONG)
    done = run(tmp_path, "rank", path, "--repeat-column", "seed", "--statistic", "max", "-f", "json")
    assert done.returncode == 0, done.stderr
    assert "each score is the max of 1–3 repeats (column 'seed')" in done.stdout
    lost = "model,task,seed,score\na,t,1,0.9\na,t,2,\na,t,3,OOM\nb,t,1,0.8\nb,t,2,0.85\nb,t,3,0.84\n"
    assert "note: 2 of 6 runs have no score: 'a' on 't' (2)" in answer(tmp_path, "info", write(tmp_path, lost))


def test_draws_of_repeats_on_the_command_line(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        f"{system},{item},{seed},{rng.random() < item / 20:d}"
        for system in "ABC" for item in range(20) for seed in range(4)
    ]  # fmt: skip
    path = write(tmp_path, "\n".join(["system,instance,seed,score", *rows]))
    ask = ("rank", path, "--repeat-column", "seed", "--units", "repeats", "--replicates", "100")
    done = run(tmp_path, *ask, "--explain")
    assert done.returncode == 0, done.stderr
    assert "note: intervals are for other repeats of the same instances" in done.stdout
    assert "100 bootstrap replicates of the repeats of the same instances, seed 0" in done.stdout
    done = run(tmp_path, *ask, "--statistic", "pass@4")
    assert done.returncode == 2
    assert "4 repeats are too few to show how 'pass@4' varies" in done.stderr
    once = write(tmp_path, "system,instance,score\nA,1,1\nA,2,0\nB,1,0\nB,2,0\n")
    done = run(tmp_path, "rank", once, "--units", "repeats")
    assert done.returncode == 2
    assert "no task has repeats to draw; name their column with --repeat-column" in done.stderr


#: Instances that are of passages.
PASSAGES = """system,task,item,passage,score
A,t,1,p,1
B,t,1,p,0
A,t,3,q,1
A,t,2,p,0
B,t,2,p,1
A,u,1,z,1
B,u,1,z,1
"""


def labels(scores: Scores) -> dict[str, tuple[str, ...] | None]:
    return {task.name: None if task.clusters is None else task.clusters.labels for task in scores.tasks}


def test_a_long_table_of_clusters(tmp_path: Path) -> None:
    path = write(tmp_path, PASSAGES)
    assert labels(podium.read(path)) == {"t": None, "u": None}
    scores = podium.read(path, cluster_column="passage")
    assert labels(scores) == {"t": ("p", "p", "q"), "u": ("z",)}
    assert scores.notes == ()
    assert labels(podium.read(path, cluster_column="passage", tasks=["t"])) == {"t": ("p", "p", "q")}


def test_a_column_of_that_very_name_is_used(tmp_path: Path) -> None:
    renamed = PASSAGES.replace("passage", "Cluster")
    assert labels(podium.read(write(tmp_path, renamed))) == {"t": ("p", "p", "q"), "u": ("z",)}
    frame = pl.read_csv(write(tmp_path, renamed))
    assert labels(podium.from_frame(frame)) == {"t": ("p", "p", "q"), "u": ("z",)}
    assert labels(podium.from_frame(frame.rename({"Cluster": "x"}), cluster_column="x"))["u"] == ("z",)


def test_a_wide_table(tmp_path: Path) -> None:
    text = "model,instance,cluster,rte,sst2\nA,1,p,1,2\nA,2,q,1,2\nB,1,p,3,4\nB,2,q,3,4\n"
    scores = podium.read(write(tmp_path, text))
    assert labels(scores) == {"rte": ("p", "q"), "sst2": ("p", "q")}
    named = podium.read(write(tmp_path, text.replace("cluster", "who")), cluster_column="who")
    assert labels(named) == labels(scores)


def test_without_instances_a_column_called_cluster_is_left_alone(tmp_path: Path) -> None:
    scores = podium.read(write(tmp_path, "system,task,cluster,score\nA,t,p,1\nB,t,q,0\n"))
    assert (labels(scores), scores.notes) == ({"t": None}, ("column 'cluster' not used",))
    assert podium.read(write(tmp_path, "system,rte,cluster\nA,1,2\nB,3,4\n")).task_names == ("rte", "cluster")


def test_a_task_of_two_parts(tmp_path: Path) -> None:
    size = PART + 50
    rows = [f"{s},{i},c{i * 7 % 40},{(i * s) % 5}" for i in range(size) for s in (1, 2)]
    path = write(tmp_path, "\n".join(["system,instance,cluster,score", *rows]) + "\n")
    assert labels(podium.read(path))["score"] == tuple(f"c{i * 7 % 40}" for i in range(size))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PASSAGES.replace("A,t,2,p,0", "A,t,2,,0"), "line 5: there is no cluster in column 'passage'"),
        (
            PASSAGES.replace("B,t,2,p,1", "B,t,2,q,1"),
            "line 6: the instance is in cluster 'q' here and 'p' in another row; give it one cluster for all systems",
        ),
        (PASSAGES.replace("item", "other"), "clusters in column 'passage' are of instances.*--instance-column"),
        (
            "system,task,item,passage,score\nA,t,1,p,1\nA,u,1,q,1\nB,t,1,p,1\n",
            "instance '1' is in cluster 'p' on task 't' and in cluster 'q' on task 'u'",
        ),
    ],
)
def test_bad_clusters_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        podium.read(write(tmp_path, text), cluster_column="passage")


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match=r"no column 'pasage'.*'passage'"):
        podium.read(write(tmp_path, PASSAGES), cluster_column="pasage")
    with pytest.raises(InputError, match="has two roles"):
        podium.read(write(tmp_path, PASSAGES), cluster_column="item", instance_column="item")
