"""Long or wide, which column is which, and which columns describe systems."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import podium
from podium.errors import InputError, LabelError
from podium.score.table import Scores
from podium.source.descriptor import contents
from podium.source.read import read
from support.entry import answer

Writer = Callable[..., Path]


@pytest.fixture
def table(tmp_path: Path) -> Writer:
    def write(text: str, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize("system", ["system", "Model", "model_name", "METHOD", "run", "team", "submission", "name"])
@pytest.mark.parametrize("instance", ["instance", "id", "Example ID", "qid", "doc-id"])
def test_synonyms_make_a_long_table(table: Writer, system: str, instance: str) -> None:
    scores = read(table(f"Dataset,{system},{instance},Value\nrte,A,x,1\nrte,B,x,2\n"))
    assert (scores.systems, scores.task_names, scores.n_instances) == (("A", "B"), ("rte",), 1)


def test_the_first_synonym_wins(table: Writer) -> None:
    scores = read(table("name,system,task,score\nx,A,rte,1\ny,B,rte,2\n"))
    assert scores.systems == ("A", "B")
    assert scores.notes == ("column 'name' not used",)


def test_a_wide_table_has_a_column_per_task(table: Writer) -> None:
    scores = read(table("who,rte,sst2\nA,1,\nB,2,3\n"))
    assert (scores.systems, scores.task_names, scores.task_level) == (("A", "B"), ("rte", "sst2"), True)
    assert scores.tasks[0].instances is None


def test_a_wide_table_may_have_instances(table: Writer) -> None:
    scores = read(table("system,example_id,bleu\nA,2,1\nA,1,2\nB,1,3\n"))
    np.testing.assert_array_equal(scores.tasks[0].values, [[2, 1], [3, np.nan]])
    assert np.asarray(scores.tasks[0].instances).tolist() == [1, 2]


def test_columns_are_mapped(table: Writer) -> None:
    path = table("who,what,which,acc,f\nA,rte,1,1,9\nB,rte,1,2,8\n")
    scores = read(path, system_column="who", task_column="what", instance_column="which", score_column="acc")
    assert scores.tasks[0].values.tolist() == [[1], [2]]
    assert scores.notes == ("column 'f' not used",)


def test_a_layout_can_be_said(table: Writer) -> None:
    path = table("system,instance,score,value\nA,1,1,2\nB,1,3,4\n")
    assert read(path).task_names == ("score",)
    assert read(path, layout="wide").task_names == ("score", "value")
    with pytest.raises(InputError, match="no layout 'broad'"):
        read(path, layout="broad")
    with pytest.raises(InputError, match="a long table needs a column of scores"):
        read(table("system,rte\nA,1\n"), layout="long")


@pytest.mark.parametrize("role", ["task", "metric", "score", "weight"])
def test_a_role_that_a_wide_table_lacks_is_refused(table: Writer, role: str) -> None:
    with pytest.raises(InputError, match=rf"a wide table has no column of {role}s; leave out {role}_column= \(--"):
        read(table("system,rte,sst2\nA,1,2\n"), layout="wide", **{f"{role}_column": "rte"})  # type: ignore[arg-type]


def test_a_system_and_a_score_alone_are_one_task(table: Writer) -> None:
    assert read(table("system,score\nA,1\nB,2\n")).task_names == ("score",)


def test_several_columns_name_tasks(table: Writer) -> None:
    text = "task,split,version,metric,system,score\nt,dev,1,f1,A,1\nt,test,1,f1,A,2\nu,dev,1,f1,B,3\n"
    scores = read(table(text), task_column=["task", "split", "version"])
    assert scores.task_names == ("t:dev", "t:test", "u:dev")
    assert scores.notes == ("tasks are named task:split", "all scores belong to one metric, 'f1'")
    both = read(table(text.replace("B,3", "B,3\nu,dev,1,em,B,4")), task_column=("task", "split"))
    assert both.task_names == ("t:dev:f1", "t:test:f1", "u:dev:f1", "u:dev:em")
    assert both.notes == ("column 'version' not used", "tasks are named task:split:metric")
    assert read(table(text), tasks=["t:*"], task_column=["task", "split"]).task_names == ("t:dev", "t:test")


def test_several_columns_are_of_systems_and_tasks_only(table: Writer) -> None:
    path = table("task,split,system,score\nx:a,b,A,1\nx,a:b,A,2\n")
    with pytest.raises(InputError, match="task 'x:a:b' appears twice"):
        read(path, task_column=["task", "split"])
    with pytest.raises(InputError, match="column 'task' has two roles, task and task 2"):
        read(path, task_column=["task", "task"])
    with pytest.raises(InputError, match=r"score_column= \(--score-column\) takes one column, not 'score', 'split'"):
        read(path, score_column=["score", "split"])  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="there is no column 'splat'"):
        read(path, task_column=["task", "splat"])


def test_several_columns_name_systems(table: Writer) -> None:
    wide = "name,pretrained,A,B\nViT,laion,1,2\nViT,openai,3,4\nCNN,laion,5,6\n"
    with pytest.raises(InputError, match=r"system_column=\['name', 'pretrained'\] \(--system-column name,pretrained\)"):
        read(table(wide))
    scores = read(table(wide), system_column=["name", "pretrained"])
    assert (scores.systems, scores.task_names) == (("ViT:laion", "ViT:openai", "CNN:laion"), ("A", "B"))
    typed = answer(table(wide).parent, "rank", "scores.csv", "--system-column", "name,pretrained", "-f", "json")
    assert "ViT:openai" in typed
    long = "name,size,task,score\nViT,b,t,1\nViT,l,t,2\n"
    assert read(table(long), system_column=["name", "size"], systems="*:l").systems == ("ViT:l",)


@pytest.mark.parametrize(
    "text",
    [
        "model,variable,value\na,A,1\nb,A,2\na,B,3\nb,B,4\n",
        "who,variable,value\na,A,1\nb,A,2\na,B,3\nb,B,4\n",
        "id,variable,value\na,A,1\nb,A,2\na,B,3\nb,B,4\n",
        "level_0,level_1,0\na,A,1\nb,A,2\na,B,3\nb,B,4\n",
        "model,name,value\na,A,1\nb,A,2\na,B,3\nb,B,4\n",
        "model,task_id,doc_id,correct\na,A,1,1\nb,A,1,2\na,B,1,3\nb,B,1,4\n",
        "framework,dataset,seconds,result\na,A,7,1\nb,A,9,2\na,B,7,3\nb,B,7,4\n",
    ],
)
def test_names_that_say_something_only_beside_others(table: Writer, text: str) -> None:
    scores = read(table(text))
    assert (scores.systems, scores.task_names) == (("a", "b"), ("A", "B"))
    assert [task.values.ravel().tolist() for task in scores.tasks] == [[1, 2], [3, 4]]


def test_an_id_is_no_task(table: Writer) -> None:
    scores = read(table("model,sample_id,doc_id,correct\na,s1,7,1\na,s2,7,0\nb,s1,7,0\nb,s2,8,1\n"))
    assert (scores.task_names, scores.tasks[0].n_instances) == (("correct",), 2)
    assert read(table("model,doc_id,f1,em\na,1,.5,0\na,2,.5,1\nb,1,1,1\n")).task_names == ("f1", "em")
    assert read(table("model,paper_id,f1,em\na,12,.5,0\nb,13,1,1\n")).task_names == ("f1", "em")


@pytest.mark.parametrize("kind", ["with instances", "without"])
def test_the_first_of_contradicting_scores_is_kept(table: Writer, kind: str) -> None:
    item = ",item" if kind == "with instances" else ""
    rows = [f"t,{system}{',7' if item else ''},{score}" for system, score in (("A", 3), ("A", 2), ("B", 5), ("A", 3))]
    path = table("\n".join([f"task,system{item},score", *rows]))
    message = "keep one score of each pair, .*or always keep the first with keep_first=True"
    with pytest.raises(InputError, match=message):
        read(path)
    scores = read(path, keep_first=True)
    assert scores.tasks[0].values.tolist() == [[3], [5]]
    assert set(scores.notes) == {
        "1 row contradicts an earlier score and was left out",
        "1 row repeats an earlier score; each score counts once",
    }


def test_parts_of_tasks_are_offered_where_scores_contradict_each_other(table: Writer) -> None:
    path = table("task,split,Subset,system,score\nt,a,x,A,1\nt,b,x,A,2\n")
    with pytest.raises(
        InputError, match=r"if columns 'split', 'Subset' divide tasks, use .*--task-column task,split,S"
    ):
        read(path)


def test_metrics_name_tasks(table: Writer) -> None:
    several = read(table("task,metric,system,score\nt,acc,A,1\nt,f1,A,2\nu,acc,A,3\n"))
    assert several.task_names == ("t:acc", "t:f1", "u:acc")
    assert several.notes == ("there are 2 metrics, so tasks are named task:metric",)
    single = read(table("task,metric,system,score\nt,acc,A,1\nu,acc,A,3\n"))
    assert single.task_names == ("t", "u")
    assert single.notes == ("all scores belong to one metric, 'acc'",)
    alone = read(table("metric,system,score\nacc,A,1\nf1,A,2\n"))
    assert alone.task_names == ("acc", "f1")
    unnamed = read(table("instance,system,score\n1,A,1\n2,A,2\n"))
    assert unnamed.notes == ("no column names tasks, so all scores belong to task 'score'",)


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "__index_level_0__"])
def test_a_row_number_is_no_task(table: Writer, name: str) -> None:
    scores = read(table(f"{name},system,rte\n0,A,1\n1,B,2\n"))
    assert scores.task_names == ("rte",)
    assert scores.notes == (f"column {name!r} holds row numbers and was ignored", "tasks: rte")


def test_an_unnamed_column_of_names_is_the_systems(table: Writer) -> None:
    assert read(table(",rte\nA,1\nB,2\n")).systems == ("A", "B")


def test_instance_weights(table: Writer) -> None:
    scores = read(table("system,instance,score,w\nA,2,1,2\nB,2,1,2\nB,1,1,3\n"), weight_column="w")
    assert scores.tasks[0].instance_weights is not None
    assert scores.tasks[0].instance_weights.tolist() == [3, 2]
    with pytest.raises(InputError, match=r"line 3: the instance has weight 3 here and 2 in another row"):
        read(table("system,instance,score,w\nA,2,1,2\nB,2,1,3\n"), weight_column="w")
    with pytest.raises(InputError, match=r"line 2: there is no weight in column 'w'"):
        read(table("system,instance,score,w\nA,2,1,\n"), weight_column="w")


def test_a_column_that_sounds_like_weights_is_asked_about(table: Writer) -> None:
    path = table("system,task,score,Weight,x\nA,t,1,2,1\nB,t,1,2,1\n")
    assert read(path).notes == (
        "columns 'Weight', 'x' not used",
        "if 'Weight' holds instance weights, use weight_column='Weight' (--weight-column Weight)",
    )
    assert read(path, weight_column="Weight").notes == ("column 'x' not used",)
    assert read(path, weight_column="x").notes == ("column 'Weight' not used",)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("system,rte\nA,1\n", {"system_column": "sistem"}, "no column 'sistem'; did you mean 'system'"),
        ("task,system,score\nt,A,1\n", {"score_column": "acc"}, "no column 'acc'; there are 'task', 'system', 'score'"),
    ],
)
def test_an_unknown_column_is_an_error(table: Writer, text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(LabelError, match=message):
        read(table(text), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("system\nA\n", {}, "'system' is the only column"),
        ("a,b\n1,2\n", {}, "no column names the systems"),
        ("task,score\nt,1\n", {"task_column": "task"}, "a long table needs a column of systems"),
        ("system,task,score\nA,t,1\n", {"score_column": "task"}, "line 2: column 'task' holds 't', which is not"),
        (
            "system,s,score\nA,t,1\n",
            {"task_column": "s", "instance_column": "s"},
            "column 's' has two roles, task and instance",
        ),
    ],
)
def test_roles_that_cannot_be_filled(table: Writer, text: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(table(text), **options)  # type: ignore[arg-type]


def test_files_must_agree(table: Writer) -> None:
    wide = table("system,rte\nA,1\n", "wide.csv")
    long = table("system,task,score\nA,t,1\n", "long.csv")
    deep = table("system,task,instance,score\nA,t,1,1\n", "deep.csv")
    with pytest.raises(InputError, match=r"wide\.csv is a wide table and .*long\.csv is a long table"):
        read([wide, long])
    with pytest.raises(InputError, match=r"deep\.csv has a column of instances but .*long\.csv has none"):
        read([long, deep])


def test_selection_in_a_wide_table_leaves_text_alone(table: Writer) -> None:
    path = table("system,team,rte,sst2\nA,x,1,2\nB,y,3,4\n")
    assert read(path, tasks=["!team"]).task_names == ("rte", "sst2")
    assert read(path, tasks="s*2", systems="B").tasks[0].values.tolist() == [[4]]
    with pytest.raises(LabelError, match="no task 'rtee'; did you mean 'rte'"):
        read(path, tasks=["rtee"])


def test_selection_in_a_long_table(table: Writer) -> None:
    path = table("system,task,score\nA,t,1\nB,t,1\nB,u,2\n")
    assert read(path, tasks=["!t"], systems=["!A"]).systems == ("B",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"system": "model"}, "a column is named with system_column="),
        ({"sytem": "model"}, "did you mean 'systems'?"),
        ({"layot": "wide"}, "did you mean 'layout'?"),
        ({"weights": {"t": 2}}, "the scores that it returns have with_task_weights()"),
    ],
)
def test_keywords_that_do_not_exist(table: Writer, given: dict[str, Any], message: str) -> None:
    for reader, source in ((read, table("system,rte\nA,1\n")), (podium.from_frame, pa.table({"system": ["A"]}))):
        with pytest.raises(TypeError) as caught:
            reader(source, **given)
        assert (
            str(caught.value)
            == f"{reader.__name__}() got an unexpected keyword argument {next(iter(given))!r}; {message}"
        )


def test_a_frame_holds_no_predictions() -> None:
    named: dict[str, Any] = {"prediction_column": "answer"}
    with pytest.raises(TypeError, match=r"from_frame\(\) got .* 'prediction_column'; did you mean"):
        podium.from_frame(pa.table({"system": ["A"]}), **named)


def test_directions(table: Writer) -> None:
    path = table("system,TER,valLoss,winter\nA,1,1,1\nB,1,1,1\n")
    scores = read(path, lower=["TER", "val*"])
    assert scores.higher_is_better.tolist() == [False, False, True]
    assert read(path, higher="*").higher_is_better.all()
    by_name = read(path)
    assert by_name.higher_is_better.tolist() == [False, False, True]
    assert by_name.notes == (
        "lower is better on 'TER', 'valLoss', by their names (--higher TER,valLoss turns them round)",
        "tasks: TER ↓, valLoss ↓, winter",
    )
    turned = read(path, higher=["TER"])
    assert turned.higher_is_better.tolist() == [True, False, True]
    assert turned.notes == (
        "lower is better on 'valLoss', by its name (--higher valLoss turns it round)",
        "tasks: TER, valLoss ↓, winter",
    )


def test_a_metric_counts_only_where_it_ends_the_name(table: Writer) -> None:
    languages = [f"bible/{one}_Latn-{other}_Latn" for one in ("ter", "wer", "eng") for other in ("mer", "cer", "fra")]
    scores = read(table(f"system,{','.join(languages)}\nA{',1' * 9}\nB{',2' * 9}\n"))
    assert scores.higher_is_better.all()
    errors = [f"set {number}/wer" for number in range(300)]
    scores = read(table(f"system,{','.join(errors)}\nA{',1' * 300}\nB{',2' * 300}\n"))
    assert not scores.higher_is_better.any()
    assert "lower is better on 'set 0/wer'" in scores.notes[0]


def test_scores_of_systems_in_several_rows_meet(table: Writer) -> None:
    scores = read(table("system,rte,sst2\nA,1,\nB,2,3\nA,,4\n"))
    assert isinstance(scores, Scores)
    assert scores.tasks[1].values.tolist() == [[4], [3]]
    assert scores.notes == ("tasks: rte, sst2",), "an empty cell repeats nothing"
    again = read(table("system,rte,sst2\nA,1,\nB,2,3\nA,1,4\n"))
    assert again.notes[0] == "1 cell repeats an earlier score; each score counts once"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("system,a,b,\nA,1,2,\nB,2,3,\n", "column '' is empty and was ignored"),
        (",system,a,b\n7,A,1,2\n3,B,2,3\n", "column '' holds row numbers and was ignored"),
        ("rank,system,a\n1,A,1\n2,B,2\n", "tasks: a; not counted: rank (--tasks '*,rank' counts it)"),
    ],
)
def test_columns_that_are_no_tasks_are_noted(tmp_path: Path, text: str, note: str) -> None:
    (tmp_path / "scores.csv").write_text(text)
    scores = read(tmp_path / "scores.csv")
    assert any(note in line for line in scores.notes)
    assert "" not in scores.task_names


def test_rows_that_are_tasks_are_not_taken_for_systems(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("task,M1,M2\nrte,1,2\nsst2,2,1\n")
    with pytest.raises(InputError, match="column 'task' seems to name tasks"):
        read(tmp_path / "scores.csv")


def test_white_space_around_labels_makes_no_other_system(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("system,task,score\nA ,x,1\nB,x,2\nA,y,1\nB,y,2\n")
    assert read(tmp_path / "scores.csv").systems == ("A", "B")


def test_masked_values_are_missing() -> None:
    masked = np.ma.array([[1, 100], [3, 4]], mask=[[False, True], [False, False]])
    assert podium.from_arrays({"t": masked}).n_scored == 3


def test_blanks_around_labels_are_cut_off_and_counted(tmp_path: Path) -> None:
    text = "system,task,score\n A,t,1\nA,u,1\nB,t ,2\n B ,u,3\n"
    noted = ("blanks around 2 labels of systems were cut off", "blanks around 1 label of tasks were cut off")
    path = tmp_path / "a.csv"
    path.write_text(text)
    rows = [line.split(",") for line in text.splitlines()[1:]]
    frame = pa.table({name: [row[place] for row in rows] for place, name in enumerate(("system", "task"))})
    frame = frame.append_column("score", pa.array([1.0, 1.0, 2.0, 3.0]))
    for scores in (read(path), podium.from_frame(frame)):
        assert scores.systems == ("A", "B")
        assert scores.notes == noted
    path.write_text(text.replace(" ", ""))
    assert read(path).notes == ()


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
