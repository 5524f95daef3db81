"""Families of tasks: guessed from names, said by callers, known by readers; and what counts each once."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.errors import InputError, LabelError, MethodError
from podium.comparison.rank_tests import wilcoxon
from podium.score.family import family_names, family_notes, relation_notes, zero_notes
from podium.score.units import units_among

GLUE = (
    *("CoLA", "SST-2", "MRPC-a", "MRPC-b", "STS-B-a", "STS-B-b", "QQP-a", "QQP-b", "MNLI-m", "MNLI-mm"),
    *("QNLI", "RTE", "WNLI", "AX"),
)
SUPERGLUE = (
    *("BoolQ", "CB-a", "CB-b", "COPA", "MultiRC-a", "MultiRC-b", "ReCoRD-a", "ReCoRD-b", "RTE", "WiC", "WSC"),
    *("AX-b", "AX-g-b", "AX-g-a"),
)


def table(names: Any, n_systems: int = 2, seed: int = 0) -> podium.Scores:
    return podium.from_arrays(np.random.default_rng(seed).normal(size=(n_systems, len(names))), tasks=list(names))


def groups(names: Any) -> set[frozenset[str]]:
    """Families of several tasks."""
    families = family_names(table(names).tasks)
    found = (frozenset(n for n, f in zip(names, families, strict=True) if f == one) for one in families)
    return {group for group in found if len(group) > 1}


def test_names_of_glue_and_superglue() -> None:
    glue, superglue = (family_names(table(names).tasks) for names in (GLUE, SUPERGLUE))
    assert list(dict.fromkeys(glue)) == ["CoLA", "SST-2", "MRPC", "STS-B", "QQP", "MNLI", "QNLI", "RTE", "WNLI", "AX"]
    assert (len(set(superglue)), superglue[-3:]) == (10, ("AX-b", "AX-g", "AX-g"))


@pytest.mark.parametrize(
    "names",
    [
        ("xnli_en_acc", "xnli_de_acc", "xnli_fr_f1"),
        ("flores::eng_Latn-deu_Latn", "flores::fra_Latn-eng_Latn"),
        ("wmt-en-de", "wmt-en-fr"),
        ("qa/test/f1", "qa/dev/em"),
        ("SQuAD EM", "SQuAD (F1)", "SQuAD: exact match"),
        ("NQ [R@100]", "NQ [nDCG@10]"),
        ("truthfulqa_mc1", "truthfulqa_mc2"),
        ("mmlu_0_shot", "MMLU (5-shot)"),
        ("MNLI", "MNLI-mm"),
        ("SciFact", "SciFact-NL", "SciFact-PL"),
        ("acc", "macro-F1", "ROUGE-L", "BLEU-4"),
        ("part/of/0", "part/of/1", "part/of/2"),
    ],
)
def test_tasks_of_one_data_set(names: tuple[str, ...]) -> None:
    assert groups((*names, "RTE", "BoolQ")) == {frozenset(names)}
    assert groups((*names[::-1], "BoolQ", "RTE")) == {frozenset(names)}


@pytest.mark.parametrize(
    "names",
    [
        ("arc_easy", "arc_challenge"),
        ("gsm8k", "gsm8k_cot"),
        ("task_1", "task_2", "task/1", "task/2", "task-a", "task-b"),
        ("AIME/24", "AIME/25"),
        ("STS12", "STS13", "SST-2", "SST-5"),
        ("SemEval-a", "SemEval-b", "SemEval-c"),
        ("mmlu_anatomy", "mmlu_astronomy", "mmlu_1", "mmlu_2"),
        ("winogrande_xl", "winogrande_xs"),
        ("french", "german", "hard_6", "hard_english_6"),
        ("RTE (acc)", "QNLI (acc)"),
        ("Structured Prediction", "Question Answering"),
    ],
)
def test_different_data_sets_are_apart(names: tuple[str, ...]) -> None:
    assert groups(names) == set()


def test_what_is_said_wins_and_false_undoes_the_guess() -> None:
    scores = table(GLUE)
    said = scores.with_families({"similarity": ["MRPC-*", "STS*"], "CoLA": "CoLA"})
    assert family_names(said.tasks)[:6] == ("CoLA", "SST-2", *["similarity"] * 4)
    assert family_names(said.tasks)[-6:-4] == ("MNLI", "MNLI")
    assert family_names(scores.with_families(False).tasks) == GLUE
    assert family_notes(scores.with_families(False).tasks) == []
    assert all(len(note) <= 140 for note in (*family_notes(scores.tasks), *family_notes(said.tasks)))
    assert "by their names: MNLI (2), MRPC (2)" in family_notes(scores.tasks)[0]


@pytest.mark.parametrize(
    ("families", "error", "words"),
    [
        ({"x": "nope"}, LabelError, "there is no task 'nope'"),
        ({"x": "MRPC*", "y": "*-a"}, LabelError, "task 'MRPC-a' is in two families, 'x' and 'y'"),
        ({"x": "*"}, InputError, "all 14 tasks are in family 'x', so there is nothing to draw"),
        ({"RTE": "MRPC*"}, LabelError, "family 'RTE' has the name of a task that is not in it"),
        ({" ": "MRPC*"}, InputError, "a family is named by text"),
        (["MRPC*"], InputError, "families are a dictionary"),
    ],
)
def test_families_that_make_no_sense(families: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("*", r"\*")):
        table(GLUE).with_families(families)


def test_weights_of_families_are_means_of_those_of_their_tasks() -> None:
    scores = table(["q-a", "q-b", "q-m", "r", "s"]).with_families({"q": "q-*"})
    weighed = scores.with_task_weights({"q-a": 3, "q-m": 0}).with_family_weights()
    assert weighed.task_weights.tolist() == [1.5, 0.5, 0, 1, 1]
    assert scores.task_weights.tolist() == [1] * 5


def test_readers_know_families(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    rows = ["A,q,test,1,x", "B,q,test,2,x", "A,q,dev,2,", "B,q,dev,1,", "A,r,test,1,x", "B,r,test,3,x"]
    rows += ["A,s,test,1,y", "B,s,test,2,y"]
    path.write_text("system,task,split,score,from\n" + "\n".join(rows) + "\n")
    named = podium.read(path, task_column=["task", "split"])
    assert [task.family for task in named.tasks] == ["q", "q", None, None]
    given = podium.read(path, task_column=["task", "split"], family_column="from")
    assert [task.family for task in given.tasks] == ["x", None, "x", "y"]
    podium.convert(given, tmp_path / "again.csv")
    assert [task.family for task in podium.read(tmp_path / "again.csv").tasks] == ["x", None, "x", "y"]
    path.write_text(path.read_text().replace("B,r,test,3,x", "B,r,test,3,y"))
    with pytest.raises(InputError, match=r"line 7: task 'r:test' is in family 'y' here and in 'x' elsewhere"):
        podium.read(path, task_column=["task", "split"], family_column="from")
    (tmp_path / "wide.csv").write_text("system,q,r\nA,1,2\nB,2,3\n")
    with pytest.raises(InputError, match="no column of families"):
        podium.read(tmp_path / "wide.csv", family_column="r")


def test_tests_over_tasks_count_a_family_once() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 100, size=(2, 9)) / 100
    names = [f"d{number}" for number in range(7)]
    copied = [*names, "d0 again", "d1 again"]
    values[:, 7:] = values[:, :2] - [[0.0], [0.02]]
    scores = podium.from_arrays(values, systems=["A", "B"], tasks=copied)
    said = scores.with_families({"zero": "d0*", "one": "d1*"})
    found = podium.compare_task_scores(said, control="A", treatment="B").treatments[0]
    difference = values[1] - values[0]
    mean = np.array([*(difference[:2] + difference[7:]) / 2, *difference[2:7]])
    alone = podium.from_arrays(np.stack([np.zeros(7), mean]), systems=["A", "B"], tasks=names)
    once = podium.compare_task_scores(alone, control="A", treatment="B", rope=0.01).treatments[0]
    assert (found.wilcoxon_p, found.families, len(found)) == (wilcoxon(mean)[1], 7, 9)
    for name in ("wins", "losses", "ties", "sign_p", "rank_sum"):
        assert getattr(found, name) == getattr(once, name)
    for name in ("mean", "low", "high", "t_p"):
        assert getattr(found, name) == pytest.approx(getattr(once, name))
    with pytest.raises(MethodError, match="only tasks of one family"):
        podium.compare(said.select(tasks=["d0*"]), control="A", treatment="B")


def test_copies_of_a_column_change_no_test_if_they_are_a_family() -> None:
    values: Any = np.random.default_rng(4).uniform(size=(5, 8))
    once = podium.from_arrays(values, tasks=list("abcdefgh"))
    copied = podium.from_arrays(np.hstack([values, values[:, :1]]), tasks=[*"abcdefgh", "copy"])
    said = copied.with_families({"first": ["a", "copy"]})
    one, other = (podium.compare_task_scores(scores, control="system 1") for scores in (once, said))
    assert one.friedman is not None
    assert other.friedman is not None
    assert (one.friedman.p, one.friedman.mean_rank) == (other.friedman.p, other.friedman.mean_rank)
    assert np.array_equal(one.holm, other.holm)
    assert [tests.better for tests in one.treatments] == pytest.approx([tests.better for tests in other.treatments])


def test_effects_of_a_family_are_one_cluster() -> None:
    rng = np.random.default_rng(5)
    names = ["q-a", "q-b", "r", "s", "t"]
    arrays = {name: rng.normal(size=(2, 40)) for name in names}
    scores = podium.from_arrays(arrays, systems=["A", "B"])
    apart = scores.with_families(False)
    guessed: Any = podium.compare(scores, control="A", treatment="B")
    said: Any = podium.compare(apart, control="A", treatment="B", cluster={"q": ["q-*"]})
    unrelated: Any = podium.compare(apart, control="A", treatment="B")
    assert (guessed.summary.low, guessed.summary.high) == (said.summary.low, said.summary.high)
    assert any("q (2), each is one cluster" in note for note in guessed.notes)
    assert unrelated.summary.low != guessed.summary.low
    with pytest.raises(MethodError, match="tasks of one family are not"):
        podium.compare(
            scores, control="A", treatment="B", moderators={"size": {name: k for k, name in enumerate(names)}}
        )


def test_families_are_left_out_as_one() -> None:
    scores = table(GLUE, 4)
    names = set(family_names(scores.tasks))
    found = podium.influence(scores)
    assert found.tasks is not None
    assert set(found.tasks.units) == names
    direct = podium.rank(scores.select(tasks=["!MNLI*"]))
    without = dict(zip(found.tasks.units, found.tasks.first, strict=True))["MNLI"]
    assert without == tuple(sorted(s for s, r in zip(direct.systems, direct.rank, strict=True) if r == 1))
    for number in range(10):
        left = podium.stresses.DropTasks(number)(scores, np.random.default_rng(1))
        assert len(set(family_names(left.tasks))) == 10 - number
        assert {name.partition("-")[0] for name in left.task_names} <= {name.partition("-")[0] for name in GLUE}
        assert {"MNLI-m", "MNLI-mm"} <= set(left.task_names) or not {"MNLI-m", "MNLI-mm"} & set(left.task_names)
    assert podium.plan(scores).size == 10


def test_columns_that_go_together_are_named_and_others_are_not() -> None:
    rng = np.random.default_rng(6)

    def values(n_systems: int, n_tasks: int) -> Any:
        return rng.normal(size=(n_systems, n_tasks)) + rng.choice([0, 1]) * rng.normal(size=(n_systems, 1))

    false = sum(bool(relation_notes(podium.from_arrays(values(30, 10)).tasks)) for _ in range(60))
    assert false <= 3
    named = 0
    for _ in range(20):
        made = values(40, 10)
        made[:, 3] = made[:, 7] + 0.2 * made[:, 3]
        (*notes,) = relation_notes(podium.from_arrays(made).tasks)
        named += bool(notes) and "task 4 and task 8" in notes[0]
        order = rng.permutation(40).tolist()
        assert relation_notes(podium.from_arrays(made).take(order).tasks) == notes
    assert named >= 17
    assert relation_notes(podium.from_arrays(values(19, 10)).tasks) == []
    assert relation_notes(podium.from_arrays(values(30, 5)).tasks) == []


def test_zeros_are_named_where_the_system_does_well_elsewhere_and_not_at_a_floor(shared: Path) -> None:
    (said,) = zero_notes(podium.read(shared / "data/scores/glue.csv").tasks)
    assert said.endswith("STS-B-a (1), AX (1)")  # and not CoLA, where ten systems guess
    assert zero_notes(podium.read(shared / "data/scores/superglue.csv").tasks) == []  # the baseline that guesses has 0
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(40, 1))
    values = (quality + 0.5 * rng.normal(size=(40, 8)) + 1).clip(min=0)
    assert zero_notes(podium.from_arrays(values).tasks) == []
    values[quality.argmax(), 2] = 0
    assert [note[-10:] for note in zero_notes(podium.from_arrays(values).tasks)] == ["task 3 (1)"]
    assert zero_notes(podium.from_arrays(values, lower=["*"]).tasks) == []  # there 0 is the best


def test_numbers_are_shared_between_families_if_scores_on_them_go_together(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    for common in (True, False):
        shared = rng.normal(size=(4, 1, 40))
        values = np.concatenate([shared if common else rng.normal(size=(4, 1, 40)) for _ in range(4)], axis=1)
        values[:, 3] *= -1
        scores = podium.from_arrays(values, tasks=["ab", "cd", "ef", "gh"], lower=["gh"])
        for told in (scores.with_families({"one": ["ab", "cd"], "two": ["ef", "gh"]}), scores.with_families(False)):
            units = sum(group.number for group in units_among(told.tasks))
            assert (units == 40) == common
            podium.convert(told, tmp_path / "scores.csv")
            assert sum(group.number for group in units_among(podium.read(tmp_path / "scores.csv").tasks)) == units
