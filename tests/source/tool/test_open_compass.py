"""Results of OpenCompass: scores, answers that were dumped, repeats and damage."""

from pathlib import Path
from typing import Any

from support.tools import read, runs, table, takers, written


def result(root: Path, model: str, task: str, given: dict[str, Any], time: str = "20260102_030405") -> Path:
    return written(root / time / "results" / model / f"{task}.json", given)


def test_the_genuine_run(shared: Path) -> None:
    folder = shared / "data/formats/opencompass"
    scores = read(folder)
    found = table(scores)
    assert scores.systems == ("fake-alpha", "fake-beta")
    assert found["fake-alpha", "local_gen_a"] == [86.66666666666667]
    # predictions and the summary hold the same results once more
    assert "4 files of OpenCompass read" in [str(note) for note in scores.notes]
    rows = next(folder.rglob("summary*.csv")).read_text().split()
    assert [[f"{found[system, task][0]:.2f}" for system in scores.systems] for task in scores.task_names] == [
        row.split(",")[-2:] for row in rows[1:]
    ]


def test_right_answers_are_scores_in_percent_where_they_make_the_metric(tmp_path: Path) -> None:
    details = {"type": "GEN", **{str(i): {"pred": "a", "correct": i < 3} for i in range(4)}}
    result(tmp_path, "x", "gsm8k", {"extract_rate": 10.0, "accuracy": 75.0, "details": details})
    scores = read(tmp_path, metric="*")
    assert table(scores) == {("x", "gsm8k/accuracy"): [100, 100, 100, 0], ("x", "gsm8k/extract_rate"): [10]}


def test_answers_of_several_runs_are_repeats(tmp_path: Path) -> None:
    details = [{"example_abbr": f"algebra_{i}", "correct": [True, i == 0]} for i in range(2)]
    given = {"accuracy (2 runs average)": 75.0, "G-Pass@2_1.0": 50.0, "algebra/G-Pass@2_1.0": 50.0, "details": details}
    path = result(tmp_path, "x", "math", given)
    found = runs(path)
    assert [run.metric for run in found] == ["accuracy (2 runs average)", "G-Pass@2_1.0"]
    assert found[0].samples.instances.tolist() == ["algebra_0", "algebra_0", "algebra_1", "algebra_1"]
    assert found[0].samples.repeats.tolist() == [1, 2, 1, 2]
    assert found[0].samples.scores.mean() == 75


def test_other_evaluators_name_it_otherwise_and_answers_may_have_none(tmp_path: Path) -> None:
    details = [{"is_correct": True}, {"is_correct": None}, {"cascade_correct": False}]
    path = result(tmp_path, "x", "kor", {"accuracy": 50.0, "details": details})
    (run,) = runs(path)
    assert str(run.samples.scores.tolist()) == "[100.0, nan, 0.0]"


def test_the_newest_of_two_runs_counts(tmp_path: Path) -> None:
    result(tmp_path, "x", "kor", {"score": 50}, "20260102_030405")
    result(tmp_path, "x", "kor", {"score": 60}, "20260103_030405")
    assert table(read(tmp_path)) == {("x", "kor"): [60]}


def test_a_summary_counts_only_without_results(shared: Path, tmp_path: Path) -> None:
    summary = next((shared / "data/formats/opencompass").rglob("summary*.csv"))
    assert not takers(summary)
    words = summary.read_text() + "all,-,naive_average,gen,83.3,50\nmmlu,-,accuracy,gen,1,2\nc,1,f1,gen,-,7\n"
    words += "ceval-stem,-,naive_average,gen,1,2\nceval-physics,ab12,accuracy,gen,-,3\n"
    (tmp_path / summary.name).write_text(words)
    found = table(read(tmp_path, tool="opencompass"))
    assert str(found.pop(("fake-alpha", "c"))) == "[nan]"
    assert str(found.pop(("fake-alpha", "ceval-physics"))) == "[nan]"
    assert found == {
        ("fake-alpha", "local_gen_a"): [86.67],
        ("fake-alpha", "local_gen_b"): [80],
        ("fake-beta", "local_gen_a"): [40],
        ("fake-beta", "local_gen_b"): [60],
        ("fake-beta", "c"): [7],
        ("fake-alpha", "mmlu"): [1],  # none of its parts is there
        ("fake-beta", "mmlu"): [2],
        ("fake-beta", "ceval-physics"): [3],
    }
