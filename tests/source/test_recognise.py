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
from podium.errors import InputError
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


KEEP = "; tasks=['*', 'NAME'] (--tasks '*,NAME') counts one"


def test_columns_of_systems_are_typed_with_commas_between(table: Writer) -> None:
    path = table("name,pretrained,A,B\nViT,laion,1,2\nViT,openai,3,4\nCNN,laion,5,6\n")
    typed = answer(path.parent, "rank", "scores.csv", "--system-column", "name,pretrained", "-f", "json")
    assert "ViT:openai" in typed


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


def test_yes_and_no_of_systems_are_no_task_of_a_frame() -> None:
    frame = pa.table({"model": ["A", "B"], "mmlu": [80.0, 70.0], "gsm": [60.5, 61.0], "open": [True, False]})
    assert podium.from_frame(frame).task_names == ("mmlu", "gsm")
