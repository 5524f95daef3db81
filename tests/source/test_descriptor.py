"""Columns that describe systems, and the usual names of columns of long tables."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import podium
from podium.errors import InputError
from podium.source.descriptor import contents
from podium.source.read import read

Writer = Callable[[str], Path]


@pytest.fixture
def table(tmp_path: Path) -> Writer:
    def write(text: str) -> Path:
        path = tmp_path / "scores.csv"
        path.write_text(text, "utf-8")
        return path

    return write


ARENA = (
    "model,score,rating_q025,rating_q975,CI,avg_tokens,date\n"
    'A,82.63,80.75,84.6,"(-1.88, +1.97)",662.0,2024-07-31\n'
    'B,79.35,77.25,80.62,"(-2.10, +1.27)",567.0,2024-07-31\n'
)
ALPACA = (
    "model,length_controlled_winrate,win_rate,avg_length,link,samples,filter\n"
    "A,89.8,97.6,2049,,https://example.org/a.json,minimal\n"
    "B,94.0,,2113,https://example.org/b,https://example.org/b.json,community\n"
)
BOARD = (
    "Model,Average ⬆️,ARC(25-shot),MMLU(5-shot),#Params (B),Hub License,Precision,URL\n"
    "A,63.4,61.6,55.4,40.0,apache-2.0,GPTQ,https://example.org/a\n"
    "B,62.3,57.8,55.3,,mit,8bit,https://example.org/b\n"
)


KEEP = "(--tasks '*,NAME' counts one)"


@pytest.mark.parametrize(
    ("text", "tasks", "notes"),
    [
        (ARENA, ("score",), (f"tasks: score; not counted: rating_q025, rating_q975, CI, avg_tokens, date {KEEP}",)),
        (
            ALPACA,
            ("length_controlled_winrate", "win_rate"),
            (f"tasks: length_controlled_winrate, win_rate; not counted: avg_length, link, samples, filter {KEEP}",),
        ),
        (
            BOARD,
            ("ARC(25-shot)", "MMLU(5-shot)"),
            (
                "task 'Average ⬆️' is an average by its name and was left out; --tasks '*,Average ⬆️' keeps it",
                "tasks: ARC(25-shot), MMLU(5-shot); not counted: Average ⬆️, #Params (B), Hub License, Precision, URL "
                + KEEP,
            ),
        ),
        (
            "system,rte,when\nA,1,2024-07-31\nB,2,2024-08-01\n",
            ("rte",),
            ("tasks: rte; not counted: when (--tasks '*,when' counts it)",),
        ),
    ],
)
def test_leaderboards_keep_their_tasks(
    table: Writer, text: str, tasks: tuple[str, ...], notes: tuple[str, ...]
) -> None:
    scores = read(table(text))
    assert scores.task_names == tasks
    assert scores.notes == notes


def test_what_is_named_is_kept(table: Writer) -> None:
    path = table(ARENA)
    assert read(path, tasks=["avg_tokens", "score"]).task_names == ("score", "avg_tokens")
    assert read(path, tasks=["rating*"]).task_names == ("rating_q025", "rating_q975")
    assert read(path, tasks=["*", "avg_tokens"]).task_names == ("score", "avg_tokens")
    assert read(path, tasks=["*"]).task_names == ("score",)
    left = read(path, tasks=["!date", "!CI"])
    assert left.task_names == ("score",)
    assert left.notes == (f"tasks: score; not counted: rating_q025, rating_q975, avg_tokens {KEEP}",)


def test_a_frame_leaves_out_the_same() -> None:
    frame = {"model": ["A", "B"], "rte": [1.0, 2.0], "license": ["mit", "gpl"], "Rank": [2, 1], "notes": ["x", "y"]}
    scores = podium.from_frame(pa.table(frame))
    assert scores.task_names == ("rte",)
    assert scores.notes == (f"tasks: rte; not counted: license, Rank, notes {KEEP}",)


def test_several_files_decide_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,rte,kind\nA,1,x\n")
    (tmp_path / "b.csv").write_text("system,rte,kind\nB,2,3\n")
    with pytest.raises(InputError, match=r"a\.csv, line 2: column 'kind' holds 'x'"):
        read(tmp_path)
    (tmp_path / "b.csv").write_text("system,rte,kind\nB,2,y\n")
    assert read(tmp_path).notes == ("tasks: rte; not counted: kind (--tasks '*,kind' counts it)",)


@pytest.mark.parametrize(
    "cells", [["85.1", "OOM"], ["7B", "13B"], ["93.1±0.2"], ["85%"], ["0,5", "x"], ["1e-5", "x"], []]
)
def test_cells_that_may_be_scores_are_not_text(cells: list[str]) -> None:
    assert contents(cells) is None


def test_a_table_without_scores_is_refused(table: Writer) -> None:
    with pytest.raises(InputError, match="no column of scores is left: columns 'rank', 'params' hold none by name"):
        read(table("model,rank,params\nA,1,7\nB,2,8\n"))
    with pytest.raises(InputError, match="line 2: column 'license' holds 'mit'"):
        read(table("model,license\nA,mit\n"), tasks=["license"])


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("model,task,accuracy", "task"),
        ("name,dataset,f1", "task"),
        ("Model ID,Benchmark Name,some metric", "task"),
        ("run,question_id,correct", "instance"),
        ("llm,task_id,passed", "instance"),
        ("model,query,ndcg", "instance"),
    ],
)
def test_common_long_tables(table: Writer, header: str, kind: str) -> None:
    scores = read(table(f"{header}\nA,x,1\nB,x,0\nA,y,1\nB,y,1\n"))
    assert scores.systems == ("A", "B")
    if kind == "task":
        assert scores.task_names == ("x", "y")
    else:
        assert scores.task_names == (header.rsplit(",", maxsplit=1)[-1],)
        assert scores.n_instances == 2


def test_the_only_usual_result_is_the_score(table: Writer) -> None:
    text = "model,task,accuracy,accuracy_stderr,n,latency\nA,rte,0.7,.1,277,3\nB,rte,0.6,.1,277,2\n"
    scores = read(table(text))
    assert scores.tasks[0].values.tolist() == [[0.7], [0.6]]
    assert scores.notes == ("columns 'accuracy_stderr', 'n', 'latency' not used",)


def test_rows_that_are_named_like_benchmarks_are_asked_about(table: Writer) -> None:
    text = "GPT-4,Claude\nMMLU,86.4,84.1\nGSM8K,92.0,90.5\nours,67.0,71.2\n"
    with pytest.raises(InputError, match=r"transpose=True \(--transpose\); if rows are systems, call their column"):
        read(table(f",{text}"))
    with pytest.raises(InputError, match=r"if rows are systems, say system_column='who' \(--system-column who\)"):
        read(table(f"who,{text}"))
    assert read(table(f"model,{text}")).systems == read(table(f"who,{text}"), system_column="who").systems
    assert read(table(f",{text}"), transpose=True).systems == ("GPT-4", "Claude")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "model,task,acc,f1\nA,rte,1,2\n",
            r"'acc', 'f1' may all hold scores; name it with score_column='acc' \(--score-column acc\), or, if 'task'",
        ),
        ("model,task,link\nA,rte,b\n", "no column of numbers is left for scores"),
        (
            "model,id,prediction,confidence\nA,1,x,.5\n",
            r"'prediction' seems to hold predictions.* with gold= \(--gold\)",
        ),
        ("dataset,who,f1\nrte,A,1\n", r"name the column of systems with system_column='who' \(--system-column who\)"),
        (
            "dataset,metric,mode,A,B\nrte,acc,gen,1,2\n",
            r"with system_column= \(--system-column\), or, if columns are systems, say transpose=True",
        ),
        ("id,home,away,winner\n1,A,B,A\n", "each row seems to say which of two systems won"),
        ("sample_id,text,gold\n1,abc,0\n", "no column names the systems"),
        ("x,y,who,rte\n1,2,A,3\n", "no column names the systems"),
    ],
)
def test_what_cannot_be_known_is_asked(table: Writer, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(table(text))


def test_a_column_of_tasks_can_be_left_out(table: Writer) -> None:
    path = table("model,dataset,acc,f1\nA,wiki,1,2\nB,news,3,4\n")
    assert read(path, tasks=["!dataset"]).task_names == ("acc", "f1")


@pytest.mark.parametrize("text", ["m1,1,5\nm2,2,4\n", "m1,0.71,0.93\nm2,0.6,0.9\n", "m1,rte,0.5\nm2,rte,0.4\n"])
def test_a_table_without_header_loses_no_row(table: Writer, text: str) -> None:
    with pytest.raises(
        InputError, match=r"the first row names columns, but it holds .*so it may be scores; .*--system-column m1"
    ):
        read(table(text))


@pytest.mark.parametrize("text", ["model,2019,2020\nA,1,2\nB,2,3\n", ",0,1\nA,1,2\nB,2,3\n", "x,0.5,0.75\nA,1,2\n"])
def test_numbers_may_name_tasks(table: Writer, text: str) -> None:
    named = read(table(text), system_column=text.partition(",")[0])
    assert len(named.tasks) == 2
    if not text.startswith("x"):
        assert read(table(text)).systems == named.systems == ("A", "B")


@pytest.mark.parametrize("score", ["score", "acc"])
def test_an_id_that_numbers_rows_is_no_instance(table: Writer, score: str) -> None:
    rows = "1,A,.5\n2,B,.4\n3,C,.6\n"
    scores = read(table(f"id,model,{score}\n{rows}"))
    assert (scores.task_level, scores.n_scored) == (True, 3)
    assert "column 'id' numbers the rows and was left out" in scores.notes
    assert read(table(f"id,model,{score}\n1,A,.5\n2,B,.4\n")).task_level
    shared = read(table(f"id,model,{score}\n{rows}1,B,.5\n"))
    assert shared.n_instances == 3
    with pytest.raises(InputError, match="no two systems have a score on the same instance of column 'id', so nothing"):
        read(table(f"id,model,{score}\n{rows}"), instance_column="id")
