"""A column of clusters, in every layout; and what is wrong with some."""

from pathlib import Path

import pandas as pd
import pytest

import podium
from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.score.task import PART

LONG = """system,task,item,passage,score
A,t,1,p,1
B,t,1,p,0
A,t,3,q,1
A,t,2,p,0
B,t,2,p,1
A,u,1,z,1
B,u,1,z,1
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "scores.csv"
    path.write_text(text)
    return path


def labels(scores: Scores) -> dict[str, tuple[str, ...] | None]:
    return {task.name: None if task.clusters is None else task.clusters.labels for task in scores.tasks}


def test_a_long_table(tmp_path: Path) -> None:
    path = write(tmp_path, LONG)
    assert labels(podium.read(path)) == {"t": None, "u": None}
    scores = podium.read(path, cluster_column="passage")
    assert labels(scores) == {"t": ("p", "p", "q"), "u": ("z",)}
    assert scores.notes == ()
    assert labels(podium.read(path, cluster_column="passage", tasks=["t"])) == {"t": ("p", "p", "q")}


def test_a_column_of_that_very_name_is_used(tmp_path: Path) -> None:
    renamed = LONG.replace("passage", "Cluster")
    assert labels(podium.read(write(tmp_path, renamed))) == {"t": ("p", "p", "q"), "u": ("z",)}
    frame = pd.read_csv(write(tmp_path, renamed))
    assert labels(podium.from_frame(frame)) == {"t": ("p", "p", "q"), "u": ("z",)}
    assert labels(podium.from_frame(frame.rename(columns={"Cluster": "x"}), cluster_column="x"))["u"] == ("z",)


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
        (LONG.replace("A,t,2,p,0", "A,t,2,,0"), "line 5: there is no cluster in column 'passage'"),
        (
            LONG.replace("B,t,2,p,1", "B,t,2,q,1"),
            "line 6: the instance is in cluster 'q' here and 'p' in another row; give it one cluster for all systems",
        ),
        (LONG.replace("item", "other"), "clusters in column 'passage' are of instances.*--instance-column"),
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
        podium.read(write(tmp_path, LONG), cluster_column="pasage")
    with pytest.raises(InputError, match="has two roles"):
        podium.read(write(tmp_path, LONG), cluster_column="item", instance_column="item")
