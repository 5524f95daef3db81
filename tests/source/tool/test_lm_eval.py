"""Results and samples of lm-evaluation-harness, as versions 0.3 and 0.4 write them."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium.errors import InputError
from podium.source.read import read
from support.tools import runs, written

DATE = "2026-11-21T01-42-47.288903"


def results(model: str, **tasks: dict[str, Any]) -> dict[str, Any]:
    return {
        "results": tasks,
        "configs": {name: {"metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}]} for name in tasks},
        "versions": dict.fromkeys(tasks, 1.0),
        "n-shot": dict.fromkeys(tasks, 0),
        "higher_is_better": {name: {"acc": True, "acc_norm": True} for name in tasks},
        "config": {"model_args": f"pretrained={model}"},
        "model_name": model,
    }


def in_folder(folder: Path, given: dict[str, Any], samples: dict[str, list[dict[str, Any]]], date: str = DATE) -> Path:
    written(folder / f"results_{date}.json", given)
    for task, rows in samples.items():
        written(folder / f"samples_{task}_{date}.jsonl", rows)
    return folder


def sample(number: int, acc: Any, **more: Any) -> dict[str, Any]:
    known = {"doc_id": number, "doc": {"q": number}, "target": "x", "resps": [], "filter": "none", "metrics": ["acc"]}
    return {**known, "doc_hash": f"hash {number}", "acc": acc, **more}


def test_means_of_samples_are_what_the_harness_says(shared: Path) -> None:
    found = [run for run in runs(shared / "data" / "formats" / "lm-eval" / "v0.4_samples") if run.samples is not None]
    assert len(found) == 3 * 6
    for run in found:
        assert run.mean is not None
        mean = float(np.average(run.samples.scores, weights=run.samples.weights))
        own = math.exp(mean) if run.metric == "word_perplexity" else mean
        if run.metric == "word_perplexity":
            assert own == pytest.approx(run.mean, rel=1e-9)
        else:
            assert own == pytest.approx(run.mean, abs=1e-9)


def test_averages_of_old_versions_are_read(shared: Path) -> None:
    scores = read(shared / "data" / "formats" / "lm-eval" / "legacy_v0.3")
    assert (len(scores.systems), len(scores.tasks), scores.task_level) == (8, 65, True)
    row = scores.systems.index("facebook/opt-125m")
    given = json.loads((shared / "data" / "formats" / "lm-eval" / "legacy_v0.3" / "opt-125m.json").read_text("utf-8"))
    for task in scores.tasks:
        expected = given["results"][task.name].get("ppl", given["results"][task.name].get("acc"))
        assert task.values[row, 0] == expected
    assert [task.name for task in scores.tasks if not task.higher_is_better] == ["lambada_openai"]


def test_metrics_are_chosen(shared: Path) -> None:
    folder = shared / "data" / "formats" / "lm-eval" / "v0.4_samples"
    scores = read(folder, metric=["acc*"])
    assert scores.task_names == ("local_mc/acc", "local_mc/acc_norm")
    assert any(note.startswith("left out, since they have no such metric: local_gen") for note in scores.notes)


def test_the_newest_run_counts_and_all_are_repeats(tmp_path: Path) -> None:
    for date, acc in (("2026-01-01T00-00-00.0", 0.0), ("2026-02-01T00-00-00.0", 1.0)):
        rows = {"qa": [sample(number, acc) for number in range(3)]}
        in_folder(tmp_path / "m", results("m", qa={"acc,none": acc}), rows, date)
    newest = read(tmp_path)
    assert newest.tasks[0].values.tolist() == [[1.0, 1.0, 1.0]]
    assert "only the newest whole run of several counts (--runs all takes all): m on qa" in newest.notes
    every = read(tmp_path, runs="all")
    assert every.tasks[0].values.tolist() == [[0.5, 0.5, 0.5]]


def test_the_last_of_two_runs_in_one_file_counts(tmp_path: Path) -> None:
    rows = [sample(0, 0.0), sample(1, 0.0), sample(0, 1.0), sample(1, 1.0)]
    scores = read(in_folder(tmp_path / "m", results("m", qa={"acc,none": 1.0}), {"qa": rows}))
    assert scores.tasks[0].values.tolist() == [[1.0, 1.0]]
    assert any("of samples that stand twice the last one counts" in note for note in scores.notes)


def test_a_run_that_is_still_going_is_read(tmp_path: Path) -> None:
    folder = in_folder(tmp_path / "org__m", results("m"), {"qa": [sample(0, 1.0), sample(1, 0.0)]})
    (folder / f"results_{DATE}.json").unlink()
    log = folder / f"samples_qa_{DATE}.jsonl"
    log.write_text(log.read_text("utf-8")[:-20], "utf-8")
    scores = read(tmp_path)
    assert (scores.systems, scores.tasks[0].values.tolist()) == (("org/m",), [[1.0]])
    assert any("line is cut off and left out" in note for note in scores.notes)


def test_a_broken_line_in_the_middle_is_said_and_the_means_count(tmp_path: Path) -> None:
    folder = in_folder(tmp_path / "m", results("m", qa={"acc,none": 1.0}), {"qa": [sample(0, 1.0), sample(1, 0.0)]})
    log = folder / f"samples_qa_{DATE}.jsonl"
    first, second = log.read_text("utf-8").splitlines()
    log.write_text(f"{first}\n{second[:30]}\n{first}\n", "utf-8")
    scores = read(tmp_path)
    assert scores.tasks[0].values.tolist() == [[1.0]]
    assert any("line 2 is not JSON" in note for note in scores.notes)
    (folder / f"results_{DATE}.json").unlink()
    with pytest.raises(InputError, match=r"samples_qa_.*, line 2 is not JSON"):
        read(tmp_path)


def test_the_same_label_with_another_question_is_an_error(tmp_path: Path) -> None:
    in_folder(tmp_path / "a", results("a", qa={"acc,none": 1.0}), {"qa": [sample(0, 1.0)]})
    in_folder(tmp_path / "b", results("b", qa={"acc,none": 1.0}), {"qa": [sample(0, 1.0, doc_hash="other")]})
    with pytest.raises(InputError, match=r"task 'qa': instance 0 differs between .*a.*samples.* and .*b.*samples"):
        read(tmp_path)


def test_systems_without_samples_make_all_be_compared_by_means(tmp_path: Path) -> None:
    in_folder(tmp_path / "a", results("a", qa={"acc,none": 0.5}), {"qa": [sample(0, 1.0), sample(1, 0.0)]})
    in_folder(tmp_path / "b", results("b", qa={"acc,none": 0.25}), {})
    scores = read(tmp_path)
    assert scores.tasks[0].values.tolist() == [[0.5], [0.25]]
    note = "compared by means, since some systems have no samples: qa (1 system of 2 with samples)"
    assert note in scores.notes


def test_settings_tell_systems_and_tasks_of_one_name_apart(tmp_path: Path) -> None:
    for folder, arguments in (("a", "pretrained=m"), ("b", "pretrained=m,dtype=float16")):
        given = results("m", qa={"acc,none": 0.5})
        given["config"]["model_args"] = arguments
        in_folder(tmp_path / folder, given, {})
    shots = results("n", qa={"acc,none": 0.5})
    shots["n-shot"]["qa"] = 5
    in_folder(tmp_path / "c", shots, {})
    scores = read(tmp_path)
    assert scores.systems == ("m", "m (dtype float16)", "n")
    assert scores.task_names == ("qa (n-shot 0)", "qa (n-shot 5)")


def test_groups_are_left_out_beside_their_tasks(tmp_path: Path) -> None:
    given = results("m", part={"acc,none": 0.5}, whole={"acc,none": 0.5}, alone={"acc,none": 0.1})
    given["group_subtasks"] = {"whole": ["part"], "alone": ["absent"]}
    assert read(in_folder(tmp_path / "m", given, {})).task_names == ("alone", "part")


def test_limits_are_noted(tmp_path: Path) -> None:
    given = results("m", qa={"acc,none": 0.5})
    given["n-samples"] = {"qa": {"original": 1000, "effective": 10}}
    assert "only some samples were run (--limit): qa (10 of 1,000)" in read(in_folder(tmp_path / "m", given, {})).notes


def test_what_is_said_of_tools_is_refused_of_tables(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("system,rte\nA,0.5\nB,0.6\n", "utf-8")
    with pytest.raises(InputError, match=r"metric= \(--metric\) is about the results of a tool"):
        read(path, metric=["acc"])
    with pytest.raises(InputError, match=r"there is no tool 'lm_eval'; did you mean 'lm-eval'"):
        read(path, tool="lm_eval")


def as_before(folder: Path) -> Path:
    """A run of 0.4.2: one list a task, named by the arguments of the model, and groups that do not name their tasks."""
    folder.mkdir(parents=True, exist_ok=True)
    acc, acc_norm = {"metric": "acc"}, {"metric": "ter", "higher_is_better": False}
    filters = [{"name": "strict", "filter": []}, {"name": "flexible", "filter": []}]
    given = {
        "results": {
            "all_math": {"acc,strict": 0.25, "alias": "all_math"},
            "gsm8k": {"acc,strict": 0.25, "acc,flexible": 1.0, "ter,strict": 2.0, "alias": " - gsm8k"},
        },
        "groups": {"all_math": {"acc,strict": 0.25, "alias": "all_math"}},
        "configs": {"gsm8k": {"metric_list": [acc, acc_norm], "filter_list": filters}},
        "versions": {"gsm8k": 3.0},
        "n-shot": {"gsm8k": 5},
        "config": {"model": "hf", "model_args": "pretrained=org/a,dtype=float"},
    }
    (folder / "results.json").write_text(json.dumps(given, indent=2), "utf-8")
    row = {"doc": {"q": "1"}, "target": "x", "arguments": [["1", {}]], "resps": [["a"]], "filtered_resps": ["a"]}
    rows = [{"doc_id": i, **row, "acc": float(i == 0), "ter": 2.0} for i in range(4)]
    rows += [{"doc_id": i, **row, "acc": 1.0, "ter": 2.0} for i in range(4)]
    samples = folder / "pretrained__org__a,dtype__float_gsm8k.jsonl"
    samples.write_text(json.dumps(rows, indent=2), "utf-8")
    return folder


def test_files_of_the_first_versions_of_0_4_are_joined_by_the_arguments_of_the_model(tmp_path: Path) -> None:
    found = runs(as_before(tmp_path))
    assert {(run.system, run.task) for run in found} == {("org/a", "gsm8k")}
    sampled = {run.metric: run for run in found if run.samples is not None}
    for metric, mean in (("acc,strict", 0.25), ("acc,flexible", 1.0), ("ter,strict", 2.0)):
        samples = sampled[metric].samples
        assert samples is not None
        assert sampled[metric].mean == np.mean(samples.scores) == mean
        assert samples.instances.tolist() == [0, 1, 2, 3]
    assert sampled["ter,strict"].higher_is_better is False
    assert sampled["acc,strict"].place == 0
    assert read(tmp_path, metric=["acc,*"]).task_names == ("gsm8k/acc,strict", "gsm8k/acc,flexible")


def test_samples_of_the_first_versions_alone_have_the_name_of_the_folder(tmp_path: Path) -> None:
    as_before(tmp_path / "org__a")
    results = tmp_path / "org__a" / "results.json"
    results.write_bytes(results.read_bytes()[:-9])
    assert "stand twice" in str(read(tmp_path).notes)
    results.unlink()
    (first, _) = runs(tmp_path)
    assert first.system == "org/a"
    assert "stand twice" in first.notes[0]


def test_samples_without_a_filter_stand_once_for_each(tmp_path: Path) -> None:
    given = results("a", gsm8k={"acc,strict": 0.5, "acc,flexible": 1.0})
    given["configs"]["gsm8k"]["filter_list"] = [{"name": "strict"}, {"name": "flexible"}]
    old = [sample(number, float(score)) for scores in ([0, 1], [1, 1]) for number, score in enumerate(scores)]
    for row in old:
        del row["filter"], row["metrics"]
        row |= {"prompt_hash": "x", "target_hash": "y"}
    found = runs(in_folder(tmp_path, given, {"gsm8k": old}))
    assert [(run.metric, float(np.mean(run.samples.scores))) for run in found if run.samples is not None] == [
        ("acc,strict", 0.5),
        ("acc,flexible", 1.0),
    ]
    assert not any(run.notes for run in found)


def test_samples_may_be_kept_with_the_results(tmp_path: Path) -> None:
    given = results("a", qa={"acc,none": 0.5})
    in_folder(tmp_path, {**given, "samples": {"qa": [sample(0, 1.0), sample(1, 0.0)]}}, {})
    assert read(tmp_path).tasks[0].values.tolist() == [[1.0, 0.0]]


def test_samples_may_be_one_list_that_is_named_by_its_date(tmp_path: Path) -> None:
    in_folder(tmp_path, results("a", qa={"acc,none": 0.5}), {})
    rows = [sample(0, 1.0), sample(1, 0.0)]
    for row in rows:
        del row["filter"], row["metrics"]
    (tmp_path / f"samples_qa_{DATE}.json").write_text(json.dumps(rows, indent=2), "utf-8")
    (found,) = (run for run in runs(tmp_path) if run.samples is not None)
    assert (found.system, found.task, found.metric, found.mean) == ("a", "qa", "acc", 0.5)
    assert np.mean(found.samples.scores) == 0.5


def of_perplexity(metric: str, mean: float | None) -> dict[str, Any]:
    given = results("m", lm={} if mean is None else {f"{metric},none": mean})
    given["configs"] = {"lm": {"metric_list": [{"metric": metric}]}}
    given["higher_is_better"] = {"lm": {metric: False}}
    return given


@pytest.mark.parametrize(
    ("metric", "logged", "expected"),
    [
        ("word_perplexity", ([-30.0, 10], [-80.0, 30]), math.exp(110 / 40)),
        ("byte_perplexity", ([-30.0, 10], [-80.0, 30]), math.exp(110 / 40)),
        ("bits_per_byte", ([-30.0, 10], [-80.0, 30]), 110 / 40 / math.log(2)),
        ("perplexity", (-3.0, -1.0), math.exp(2)),
    ],
)
def test_perplexities_of_samples_are_compared_with_perplexities(
    tmp_path: Path, metric: str, logged: tuple[Any, ...], expected: float
) -> None:
    rows = [sample(number, 0, metrics=[metric], **{metric: one}) for number, one in enumerate(logged)]
    in_folder(tmp_path / "A", of_perplexity(metric, None), {"lm": rows})
    (tmp_path / "A" / f"results_{DATE}.json").unlink()
    in_folder(tmp_path / "B", of_perplexity(metric, 5.0), {})
    scores = read(tmp_path, lower="lm")
    assert dict(zip(scores.systems, scores.tasks[0].values[:, 0], strict=True)) == {
        "A": pytest.approx(expected, rel=1e-12),
        "m": 5.0,
    }


def test_a_log_likelihood_that_is_logged_as_perplexity_is_better_nearer_to_0(tmp_path: Path) -> None:
    for name, logged in (("good", -0.5), ("bad", -9.0)):
        rows = [sample(number, 0, metrics=["perplexity"], perplexity=logged) for number in range(3)]
        given = of_perplexity("perplexity", math.exp(-logged)) | {"model_name": name}
        in_folder(tmp_path / name, given, {"lm": rows})
    scores = read(tmp_path)
    assert not scores.tasks[0].higher_is_better
    means = dict(zip(scores.systems, scores.tasks[0].values.mean(axis=1), strict=True))
    assert means == {"good": 0.5, "bad": 9.0}


def test_dates_in_names_and_in_seconds_are_compared_as_times(tmp_path: Path) -> None:
    in_folder(tmp_path / "old", results("m", qa={"acc,none": 0.1}), {}, "2026-01-01T00-00-00.000000")
    new = tmp_path / "new" / "results.json"
    new.parent.mkdir()
    new.write_text(json.dumps(results("m", qa={"acc,none": 0.9}) | {"date": 1769904000.0}), "utf-8")  # February 2026
    assert read(tmp_path).tasks[0].values.tolist() == [[0.9]]
    assert {run.made for run in runs(tmp_path)} == {"2026-01-01T00:00:00.000000+00:00", "2026-02-01T00:00:00+00:00"}


@pytest.mark.parametrize("date", [None, "soon", float("nan"), 1e300, {}, [1]])
def test_a_date_that_is_none_is_none(tmp_path: Path, date: Any) -> None:
    (tmp_path / "results.json").write_text(json.dumps(results("m", qa={"acc,none": 0.9}) | {"date": date}), "utf-8")
    assert [run.made for run in runs(tmp_path)] == [date if isinstance(date, str) else ""]


def test_a_newer_run_without_a_value_is_missing(tmp_path: Path) -> None:
    in_folder(tmp_path / "A", results("A", qa={"acc,none": 0.9, "alias": "qa"}), {}, "2026-01-01T00-00-00.0")
    newer = results("A", qa={"acc,none": "N/A", "acc_stderr,none": "N/A", "alias": "qa"})
    in_folder(tmp_path / "A", newer, {}, "2026-02-01T00-00-00.0")
    in_folder(tmp_path / "B", results("B", qa={"acc,none": 0.5}), {})
    scores = read(tmp_path)
    assert dict(zip(scores.systems, scores.tasks[0].values[:, 0], strict=True)) == {
        "A": pytest.approx(math.nan, nan_ok=True),
        "B": 0.5,
    }
    assert "the newest run has no score, which is missing: A on qa" in scores.notes


def test_scores_as_text_are_read_if_they_are_numbers(tmp_path: Path) -> None:
    rows = [sample(0, "1"), sample(1, 0.5), sample(2, "1_0"), sample(3, "good"), sample(4, None)]
    found = runs(in_folder(tmp_path / "a", results("a", qa={"acc,none": 0.5}), {"qa": rows}))
    (run,) = (run for run in found if run.samples is not None)
    assert dict(zip(run.samples.instances.tolist(), run.samples.scores.tolist(), strict=True)) == {0: 1, 1: 0.5}
    assert run.notes == (f"scores that are no numbers are missing: samples_qa_{DATE}.jsonl (2)",)


def test_tasks_are_found_by_the_names_that_files_can_have(tmp_path: Path) -> None:
    given = results("a", **{"q/a": {"acc,none": 1.0}, "q:a": {"acc,none": 0.0}})
    found = runs(in_folder(tmp_path / "a", given, {"q_a": [sample(0, 1.0)]}))
    assert [run.task for run in found if run.samples is not None] == ["q/a"]


def test_results_and_samples_of_lmms_eval(tmp_path: Path) -> None:
    given = results("m", ai2d={"acc,none": 0.5, "acc_stderr_clt,none": 0.1}, mme={"acc,none": 0.25})
    (tmp_path / "20260101_120000_results.json").write_text(json.dumps(given, indent=2), "utf-8")
    about = {"target": "A", "filtered_resps": ["A"], "input": "x", "token_counts": [{"output_tokens": 1}]}
    scored: dict[str, list[Any]] = {"ai2d": [1.0, 0.0], "mme": [{"id": 1}, {"id": 2}]}
    for task, scores in scored.items():
        lines = [{"doc_id": at, "doc_hash": f"h{at}", "acc": score, **about} for at, score in enumerate(scores)]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / f"20260101_120000_samples_{task}.jsonl").write_text(text, "utf-8")
    found = runs(tmp_path)
    assert {run.made for run in found} == {"2026-01-01T12:00:00+00:00"}
    assert {run.system for run in found} == {"m"}
    assert {run.metric for run in found} == {"acc"}
    (sampled,) = (run for run in found if run.samples is not None)
    assert (sampled.task, sampled.samples.scores.tolist()) == ("ai2d", [1, 0])
    assert {run.task: run.mean for run in found} == {"ai2d": 0.5, "mme": 0.25}
