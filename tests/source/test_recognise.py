"""Long or wide, which column is which, and which columns describe systems."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import podium
from podium.base.words import Doubt
from podium.errors import InputError, LabelError
from podium.source.descriptor import contents
from podium.source.direction import reversed_tasks
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


PARTS = "task,split,version,metric,system,score\nt,dev,1,f1,A,1\nt,test,1,f1,A,2\nu,dev,1,f1,B,3\n"
METRIC = "all scores belong to one metric, 'f1'"
WEIGHTED = "system,task,score,Weight,x\nA,t,1,2,1\nB,t,1,2,1\n"
KEEP = "; tasks=['*', 'NAME'] (--tasks '*,NAME') counts one"
ARENA = (
    "model,score,rating_q025,rating_q975,CI,avg_tokens,date\n"
    'A,82.63,80.75,84.6,"(-1.88, +1.97)",662.0,2024-07-31\n'
    'B,79.35,77.25,80.62,"(-2.10, +1.27)",567.0,2024-07-31\n'
)

#: Tables, what the caller says, the tasks, and the notes.
TABLES: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("name,system,task,score\nx,A,rte,1\ny,B,rte,2\n", {}, "rte", ["column 'name' not used"]),
    (
        "who,what,which,acc,f\nA,rte,1,1,9\nB,rte,1,2,8\n",
        {"system_column": "who", "task_column": "what", "instance_column": "which", "score_column": "acc"},
        "rte",
        ["column 'f' not used"],
    ),
    ("system,score\nA,1\nB,2\n", {}, "score", ["tasks: score"]),
    ("system,instance,score,value\nA,1,1,2\nB,1,3,4\n", {"layout": "wide"}, "score value", ["tasks: score, value"]),
    (
        PARTS,
        {"task_column": ["task", "split", "version"]},
        "t:dev t:test u:dev",
        ["tasks are named task:split", METRIC],
    ),
    (
        f"{PARTS}u,dev,1,em,B,4\n",
        {"task_column": ("task", "split")},
        "t:dev:f1 t:test:f1 u:dev:f1 u:dev:em",
        ["column 'version' not used", "tasks are named task:split:metric"],
    ),
    (
        "task,metric,system,score\nt,acc,A,1\nt,f1,A,2\nu,acc,B,3\n",
        {},
        "t:acc t:f1 u:acc",
        ["there are 2 metrics, so tasks are named task:metric"],
    ),
    ("task,metric,system,score\nt,f1,A,1\nu,f1,B,3\n", {}, "t u", [METRIC]),
    ("metric,system,score\nacc,A,1\nf1,B,2\n", {}, "acc f1", ["no column names tasks, so each of 2 metrics is a task"]),
    (
        "instance,system,score\n1,A,1\n2,B,2\n",
        {},
        "score",
        ["no column names tasks, so all scores belong to task 'score'"],
    ),
    *(
        (
            f"{name},system,rte\n0,A,1\n1,B,2\n",
            {},
            "rte",
            [f"column {name!r} holds row numbers and was ignored", "tasks: rte"],
        )
        for name in ("", "Unnamed: 0", "__index_level_0__")
    ),
    (",rte\nA,1\nB,2\n", {}, "rte", ["tasks: rte"]),
    (
        WEIGHTED,
        {},
        "t",
        [
            "columns 'Weight', 'x' not used",
            "if 'Weight' holds instance weights, use weight_column='Weight' (--weight-column Weight)",
        ],
    ),
    (WEIGHTED, {"weight_column": "Weight"}, "t", ["column 'x' not used"]),
    (WEIGHTED, {"weight_column": "x"}, "t", ["column 'Weight' not used"]),
    ("system,team,rte,sst2\nA,x,1,2\nB,y,3,4\n", {"tasks": ["!team"]}, "rte sst2", ["tasks: rte, sst2"]),
    ("system,a,b,\nA,1,2,\nB,2,3,\n", {}, "a b", ["column '' is empty and was ignored", "tasks: a, b"]),
    (
        "rank,system,a\n1,A,1\n2,B,2\n",
        {},
        "a",
        ["tasks: a; not counted: rank; tasks=['*', 'rank'] (--tasks '*,rank') counts it"],
    ),
    ("model,dataset,acc,f1\nA,wiki,1,2\nB,news,3,4\n", {"tasks": ["!dataset"]}, "acc f1", ["tasks: acc, f1"]),
    ("model,doc_id,f1,em\nA,1,.5,0\nA,2,.5,1\nB,1,1,1\n", {}, "f1 em", ["tasks: f1, em"]),
    (
        "model,paper_id,f1,em\nA,12,.5,0\nB,13,1,1\n",
        {},
        "f1 em",
        ["tasks: f1, em; not counted: paper_id; tasks=['*', 'paper_id'] (--tasks '*,paper_id') counts it"],
    ),
    (
        "model,task,accuracy,accuracy_stderr,n,latency\nA,rte,0.7,.1,277,3\nB,rte,0.6,.1,277,2\n",
        {},
        "rte",
        ["columns 'accuracy_stderr', 'n' not used"],
    ),
    (
        "system,rte,sst2\nA,1,\nB,2,3\nA,1,4\n",
        {},
        "rte sst2",
        ["1 cell repeats an earlier score; each score counts once", "tasks: rte, sst2"],
    ),
    ("system,rte,sst2\nA,1,\nB,2,3\nA,,4\n", {}, "rte sst2", ["tasks: rte, sst2"]),  # an empty cell repeats nothing
    ("system,task,score\n A,t,1\nA,u,1\nB,t ,2\n B ,u,3\n", {}, "t u", []),
    (ARENA, {}, "score", [f"tasks: score; not counted: rating_q025, rating_q975, CI, avg_tokens, date{KEEP}"]),
    (
        ARENA,
        {"tasks": ["!date", "!CI"]},
        "score",
        [f"tasks: score; not counted: rating_q025, rating_q975, avg_tokens{KEEP}"],
    ),
    (
        (
            "model,length_controlled_winrate,win_rate,avg_length,link,samples,filter\n"
            "A,89.8,97.6,2049,,https://example.org/a.json,minimal\n"
            "B,94.0,,2113,https://example.org/b,https://example.org/b.json,community\n"
        ),
        {},
        "length_controlled_winrate win_rate",
        [f"tasks: length_controlled_winrate, win_rate; not counted: avg_length, link, samples, filter{KEEP}"],
    ),
    (
        (
            "Model,Average ⬆️,ARC(25-shot),MMLU(5-shot),#Params (B),Hub License,Precision,URL\n"
            "A,63.4,61.6,55.4,40.0,apache-2.0,GPTQ,https://example.org/a\n"
            "B,62.3,57.8,55.3,,mit,8bit,https://example.org/b\n"
        ),
        {},
        "ARC(25-shot) MMLU(5-shot)",
        [
            "task 'Average ⬆️' is an average by its name and was left out; --tasks '*,Average ⬆️' keeps it",
            "tasks: ARC(25-shot), MMLU(5-shot); not counted: Average ⬆️, #Params (B), Hub License, Precision, URL"
            + KEEP,
        ],
    ),
    (
        "system,rte,when\nA,1,2024-07-31\nB,2,2024-08-01\n",
        {},
        "rte",
        ["tasks: rte; not counted: when; tasks=['*', 'when'] (--tasks '*,when') counts it"],
    ),
]


@pytest.mark.parametrize(("text", "said", "tasks", "notes"), TABLES)
def test_what_a_table_holds_is_seen_and_said(
    table: Writer, text: str, said: dict[str, Any], tasks: str, notes: list[str]
) -> None:
    scores = read(table(text), **said)
    assert (scores.systems, scores.task_names) == (("A", "B"), tuple(tasks.split()))
    assert list(scores.notes) == notes


#: Tables, what the caller says, and what an error says.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("system,rte\nA,1\n", {"layout": "broad"}, "no layout 'broad'"),
    ("system,rte\nA,1\n", {"layout": "long"}, "a long table needs a column of scores"),
    *(
        (
            "system,rte,sst2\nA,1,2\n",
            {"layout": "wide", f"{role}_column": "rte"},
            rf"a wide table has no column of {role}s; leave out {role}_column= \(--",
        )
        for role in ("task", "metric", "score", "weight")
    ),
    (
        "task,split,system,score\nx:a,b,A,1\nx,a:b,A,2\n",
        {"task_column": ["task", "split"]},
        "task 'x:a:b' appears twice",
    ),
    (PARTS, {"task_column": ["task", "task"]}, "column 'task' has two roles, task and task 2"),
    (
        PARTS,
        {"score_column": ["score", "split"]},
        r"score_column= \(--score-column\) takes one column, not 'score', 'split'",
    ),
    (PARTS, {"task_column": ["task", "splat"]}, "there is no column 'splat'"),
    (
        "task,split,Subset,system,score\nt,a,x,A,1\nt,b,x,A,2\n",
        {},
        r"if columns 'split', 'Subset' divide tasks, use .*--task-column task,split,S",
    ),
    (
        "system,instance,score,w\nA,2,1,2\nB,2,1,3\n",
        {"weight_column": "w"},
        "line 3: the instance has weight 3 here and 2 in another row",
    ),
    ("system,instance,score,w\nA,2,1,\n", {"weight_column": "w"}, "line 2: there is no weight in column 'w'"),
    ("system,rte\nA,1\n", {"system_column": "sistem"}, "no column 'sistem'; did you mean 'system'"),
    ("task,system,score\nt,A,1\n", {"score_column": "acc"}, "no column 'acc'; there are 'task', 'system', 'score'"),
    ("system\nA\n", {}, "'system' is the only column"),
    ("a,b\n1,2\n", {}, "no column names the systems"),
    ("task,score\nt,1\n", {"task_column": "task"}, "a long table needs a column of systems"),
    ("system,task,score\nA,t,1\n", {"score_column": "task"}, "line 2: column 'task' holds 't', which is not"),
    (
        "system,s,score\nA,t,1\n",
        {"task_column": "s", "instance_column": "s"},
        "column 's' has two roles, task and instance",
    ),
    ("system,rte\nA,1\n", {"tasks": ["rtee"]}, "no task 'rtee'; did you mean 'rte'"),
    ("task,M1,M2\nrte,1,2\nsst2,2,1\n", {}, "column 'task' seems to name tasks"),
    ("model,rank,params\nA,1,7\nB,2,8\n", {}, "no column of scores is left: columns 'rank', 'params' hold none by"),
    ("model,license\nA,mit\n", {"tasks": ["license"]}, "line 2: column 'license' holds 'mit'"),
    (
        "model,task,acc,f1\nA,rte,1,2\n",
        {},
        r"'acc', 'f1' may all hold scores; name it with score_column='acc' \(--score-column acc\), or, if 'task'",
    ),
    ("model,task,link\nA,rte,b\n", {}, "no column of numbers is left for scores"),
    ("model,id,prediction,confidence\nA,1,x,.5\n", {}, r"'prediction' seems to hold predictions.* gold= \(--gold\)"),
    ("dataset,who,f1\nrte,A,1\n", {}, r"name the column of systems with system_column='who' \(--system-column who\)"),
    (
        "dataset,metric,mode,A,B\nrte,acc,gen,1,2\n",
        {},
        r"with system_column= \(--system-column\), or, if columns are systems, say transpose=True",
    ),
    ("id,home,away,winner\n1,A,B,A\n", {}, "each row seems to say which of two systems won"),
    ("sample_id,text,gold\n1,abc,0\n", {}, "no column names the systems"),
    ("x,y,who,rte\n1,2,A,3\n", {}, "no column names the systems"),
    *(
        (text, {}, "the first row names columns, but it holds .*so it may be scores; .*--system-column m1")
        for text in ("m1,1,5\nm2,2,4\n", "m1,0.71,0.93\nm2,0.6,0.9\n", "m1,rte,0.5\nm2,rte,0.4\n")
    ),
]


@pytest.mark.parametrize(("text", "said", "message"), REFUSED)
def test_what_makes_no_sense_or_cannot_be_known_is_asked(
    table: Writer, text: str, said: dict[str, Any], message: str
) -> None:
    with pytest.raises((InputError, LabelError), match=message):
        read(table(text), **said)


def test_a_wide_table_may_have_instances(table: Writer) -> None:
    assert read(table("who,rte,sst2\nA,1,\nB,2,3\n")).task_level
    scores = read(table("system,example_id,bleu\nA,2,1\nA,1,2\nB,1,3\n"))
    np.testing.assert_array_equal(scores.tasks[0].values, [[2, 1], [3, np.nan]])
    assert np.asarray(scores.tasks[0].instances).tolist() == [1, 2]


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
    assert read(table(PARTS), tasks=["t:*"], task_column=["task", "split"]).task_names == ("t:dev", "t:test")


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
    assert scores.task_names == (("x", "y") if kind == "task" else (header.rsplit(",", maxsplit=1)[-1],))
    assert scores.n_instances == (1 if kind == "task" else 2) or kind == "task"


def test_an_id_is_no_task(table: Writer) -> None:
    scores = read(table("model,sample_id,doc_id,correct\na,s1,7,1\na,s2,7,0\nb,s1,7,0\nb,s2,8,1\n"))
    assert (scores.task_names, scores.tasks[0].n_instances) == (("correct",), 2)


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


def test_instance_weights(table: Writer) -> None:
    scores = read(table("system,instance,score,w\nA,2,1,2\nB,2,1,2\nB,1,1,3\n"), weight_column="w")
    assert scores.tasks[0].instance_weights is not None
    assert scores.tasks[0].instance_weights.tolist() == [3, 2]


def test_files_must_agree(table: Writer, tmp_path: Path) -> None:
    wide = table("system,rte\nA,1\n", "wide.csv")
    long = table("system,task,score\nA,t,1\n", "long.csv")
    deep = table("system,task,instance,score\nA,t,1,1\n", "deep.csv")
    with pytest.raises(InputError, match=r"wide\.csv is a wide table and .*long\.csv is a long table"):
        read([wide, long])
    with pytest.raises(InputError, match=r"deep\.csv has a column of instances but .*long\.csv has none"):
        read([long, deep])
    (tmp_path / "both").mkdir()
    table("system,rte,kind\nA,1,x\n", "both/a.csv")
    table("system,rte,kind\nB,2,3\n", "both/b.csv")
    with pytest.raises(InputError, match=r"a\.csv, line 2: column 'kind' holds 'x'"):
        read(tmp_path / "both")
    table("system,rte,kind\nB,2,y\n", "both/b.csv")
    assert read(tmp_path / "both").notes == (
        "tasks: rte; not counted: kind; tasks=['*', 'kind'] (--tasks '*,kind') counts it",
    )


def test_selection(table: Writer) -> None:
    wide = table("system,team,rte,sst2\nA,x,1,2\nB,y,3,4\n")
    assert read(wide, tasks="s*2", systems="B").tasks[0].values.tolist() == [[4]]
    long = table("system,task,score\nA,t,1\nB,t,1\nB,u,2\n")
    assert read(long, tasks=["!t"], systems=["!A"]).systems == ("B",)
    arena = table(ARENA)
    assert read(arena, tasks=["avg_tokens", "score"]).task_names == ("score", "avg_tokens")
    assert read(arena, tasks=["rating*"]).task_names == ("rating_q025", "rating_q975")
    assert read(arena, tasks=["*", "avg_tokens"]).task_names == ("score", "avg_tokens")
    assert read(arena, tasks=["*"]).task_names == ("score",)


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


def test_what_is_read_has_its_keywords_in_help_and_completion_and_other_names_lead_to_them() -> None:
    shown = inspect.signature(podium.rank).parameters
    assert {"method", "lower", "weights", "system_column", "layout"} <= shown.keys()
    assert "reading" not in shown
    assert "How `scores` are read" in (inspect.getdoc(podium.rank) or "")
    for wrong, right in {"lower_is_better": "lower", "random_state": "rng", "n_bootstrap": "n_resamples"}.items():
        with pytest.raises(TypeError, match=rf"{wrong}'; did you mean '{right}'\?"):
            podium.rank({"A": {"t": 1}, "B": {"t": 0}}, **{wrong: 1})  # type: ignore[arg-type]


def test_directions(table: Writer) -> None:
    path = table("system,TER,valLoss,winter\nA,1,1,1\nB,1,1,1\n")
    scores = read(path, lower=["TER", "val*"])
    assert scores.higher_is_better.tolist() == [False, False, True]
    assert read(path, higher="*").higher_is_better.all()
    by_name = read(path)
    assert by_name.higher_is_better.tolist() == [False, False, True]
    assert by_name.notes == (
        (
            "lower is better on 'TER', 'valLoss', by their names; "
            "higher=['TER', 'valLoss'] (--higher TER,valLoss) turns them round"
        ),
        "tasks: TER ↓, valLoss ↓, winter",
    )
    turned = read(path, higher=["TER"])
    assert turned.higher_is_better.tolist() == [True, False, True]
    assert turned.notes == (
        "lower is better on 'valLoss', by its name; higher=['valLoss'] (--higher valLoss) turns it round",
        "tasks: TER, valLoss ↓, winter",
    )


def test_the_first_that_says_a_direction_decides(table: Writer) -> None:
    text = "system,task,score,direction\nA,wer,1,higher\nB,wer,2,higher\nA,rte,1,lower\nB,rte,2,lower\n"
    assert read(table(text)).higher_is_better.tolist() == [True, False], "a column, not the name"
    told = read(table(text), higher=["rte"], lower=["wer"])
    assert told.higher_is_better.tolist() == [False, True], "the caller, not the column"
    assert told.notes[-1] == "higher is better, as you say, though the files say lower: rte"
    rows = "x,8.2,16.1,7.2,1.3\ny,7.44,15.95,5.29,1.08\nz,14.02,24.24,13.5,4.32\n"
    averaged = read(table(f"model,Average WER,AMI,Earnings22,Gigaspeech\n{rows}"), higher=["AMI"])
    assert averaged.higher_is_better.tolist() == [True, False, False], "the name of their average"


def test_a_metric_counts_only_where_it_ends_the_name(table: Writer) -> None:
    languages = [f"bible/{one}_Latn-{other}_Latn" for one in ("ter", "wer", "eng") for other in ("mer", "cer", "fra")]
    scores = read(table(f"system,{','.join(languages)}\nA{',1' * 9}\nB{',2' * 9}\n"))
    assert scores.higher_is_better.all()
    errors = [f"set {number}/wer" for number in range(300)]
    scores = read(table(f"system,{','.join(errors)}\nA{',1' * 300}\nB{',2' * 300}\n"))
    assert not scores.higher_is_better.any()
    assert "lower is better on 'set 0/wer'" in scores.notes[0]


def test_frames_are_seen_alike() -> None:
    frame = {"model": ["A", "B"], "rte": [1.0, 2.0], "license": ["mit", "gpl"], "Rank": [2, 1], "notes": ["x", "y"]}
    scores = podium.from_frame(pa.table(frame))
    assert scores.task_names == ("rte",)
    assert scores.notes == (f"tasks: rte; not counted: license, Rank, notes{KEEP}",)
    blanks = podium.from_frame(pa.table({"system": [" A", "B"], "task": ["t", "t"], "score": [1.0, 2.0]}))
    assert (blanks.systems, blanks.notes) == (("A", "B"), ())
    masked = np.ma.array([[1, 100], [3, 4]], mask=[[False, True], [False, False]])
    assert podium.from_arrays({"t": masked}).n_scored == 3


@pytest.mark.parametrize(
    "cells", [["85.1", "OOM"], ["7B", "13B"], ["93.1±0.2"], ["85%"], ["0,5", "x"], ["1e-5", "x"], []]
)
def test_cells_that_may_be_scores_are_not_text(cells: list[str]) -> None:
    assert contents(cells) is None


def test_rows_that_are_named_like_benchmarks_are_asked_about(table: Writer) -> None:
    text = "GPT-4,Claude\nMMLU,86.4,84.1\nGSM8K,92.0,90.5\nours,67.0,71.2\n"
    with pytest.raises(InputError, match=r"transpose=True \(--transpose\); if rows are systems, call their column"):
        read(table(f",{text}"))
    with pytest.raises(InputError, match=r"if rows are systems, say system_column='who' \(--system-column who\)"):
        read(table(f"who,{text}"))
    assert read(table(f"model,{text}")).systems == read(table(f"who,{text}"), system_column="who").systems
    assert read(table(f",{text}"), transpose=True).systems == ("GPT-4", "Claude")


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


def test_a_task_against_all_others_is_asked_about_unless_someone_said_its_direction(table: Writer) -> None:
    rows = "\n".join(f"s{at},{80 + at},{70 + 2 * at % 9},{60 + at},{12.5 - at}" for at in range(8))
    path = table(f"system,MNLI,RTE,BoolQ,LibriSpeech\n{rows}\n")
    (said,) = [note for note in read(path).notes if isinstance(note, Doubt)]
    assert said.startswith(
        "'LibriSpeech' orders the systems in reverse to other tasks: is lower better there? --lower Lib"
    )
    for scores in (read(path, lower=["LibriSpeech"]), read(path, higher="*"), read(path, tasks=["!LibriSpeech"])):
        assert not [note for note in scores.notes if isinstance(note, Doubt)]
    assert not reversed_tasks(podium.datasets.xtreme_missing())


def test_a_wide_and_a_long_table_cannot_be_mixed(table: Writer, tmp_path: Path) -> None:
    wide, long = table("system,t\nA,1\nB,2\n"), tmp_path / "long.csv"
    long.write_text("system,task,instance,score\nA,t,1,1\nB,t,1,0\n")
    with pytest.raises(InputError, match=r"cannot be mixed; leave one out, .*: podium convert .* -o long\.csv"):
        read([str(wide), str(long)])


@pytest.mark.parametrize("words", [{0.0: "0", 1.0: "1"}, {0.0: "False", 1.0: "True"}])
def test_results_in_text_are_the_scores_and_no_other_number(words: dict[float, str]) -> None:
    frame = pa.table({
        "model": ["A", "A", "B", "B"],
        "task": ["t"] * 4,
        "question": ["x", "y"] * 2,
        "is_correct": [words[score] for score in (1.0, 1.0, 0.0, 1.0)],
        "grade": [0.1, 0.2, 0.9, 0.8],
    })  # fmt: skip
    assert podium.from_frame(frame).tasks[0].values.tolist() == [[1, 1], [0, 1]]


@pytest.mark.parametrize("other", ["grade", "latency_s", "confidence"])
def test_results_that_are_words_are_refused(table: Writer, other: str) -> None:
    with pytest.raises(InputError, match="'is_correct' holds 'yes', which is not a number"):
        read(table(f"model,task,question,is_correct,{other}\nA,t,x,yes,.1\nB,t,x,no,.9\n"))


def test_yes_and_no_of_systems_are_no_task_of_a_frame() -> None:
    frame = pa.table({"model": ["A", "B"], "mmlu": [80.0, 70.0], "gsm": [60.5, 61.0], "open": [True, False]})
    assert podium.from_frame(frame).task_names == ("mmlu", "gsm")
