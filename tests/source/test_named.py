"""Sources with names: what they become, how items are matched, and what is refused."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.source.memory import as_scores
from podium.source.named import joined, read_sources
from podium.source.path import labels_of
from support.entry import run


def log(
    folder: Path,
    scores: Mapping[str, Sequence[float]],
    *,
    model: str = "demo/m",
    texts: Mapping[str, Sequence[str]] | None = None,
    shots: int = 0,
    made: str = "2026-10-01T10-00-00.000000",
    metric: str = "acc",
    cut: bool = False,
) -> Path:
    """Write what lm-evaluation-harness leaves of a run: results, and samples of each task."""
    home = folder / model.replace("/", "__")
    home.mkdir(parents=True)
    results: dict[str, Any] = {
        "results": {task: {f"{metric},none": sum(own) / len(own)} for task, own in scores.items()},
        "configs": {task: {"metric_list": [{"metric": metric}]} for task in scores},
        "versions": dict.fromkeys(scores, 1.0),
        "n-shot": dict.fromkeys(scores, shots),
        "higher_is_better": {task: {metric: True} for task in scores},
        "config": {"model": "hf", "model_args": f"pretrained={model}"},
        "model_name": model,
    }
    (home / f"results_{made}.json").write_text(json.dumps(results), encoding="utf-8")
    for task, own in scores.items():
        asked = texts[task] if texts else [f"{task} {place}" for place in range(len(own))]
        lines = [
            json.dumps({
                "doc_id": place, "doc": {"q": text}, "target": "a", "resps": [], "filtered_resps": [],
                "filter": "none", "metrics": [metric], "doc_hash": text, metric: score,
            })
            for place, (text, score) in enumerate(zip(asked, own, strict=True))
        ]  # fmt: skip
        text = "\n".join(lines) + "\n"
        (home / f"samples_{task}_{made}.jsonl").write_text(text[:-40] if cut else text, encoding="utf-8")
    return folder


RIGHT, WRONG = [1.0] * 12 + [0.0] * 4, [1.0] * 8 + [0.0] * 8


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A folder with a run before a change, and one after it, of one model."""
    log(tmp_path / "old", {"qa": WRONG, "nli": WRONG})
    log(tmp_path / "new", {"qa": RIGHT, "nli": RIGHT}, made="2026-10-02T10-00-00.000000")
    return tmp_path


def test_a_source_of_one_system_has_its_name(two: Path) -> None:
    read = podium.read({"before": str(two / "old"), "after": str(two / "new")})
    assert read.systems == ("before", "after")
    assert read.task_names == ("nli", "qa")
    ranked = run(two, "rank", "before=old", "after=new", "-f", "csv").stdout
    assert [line.split(",")[0] for line in ranked.splitlines()] == ["system", "after", "before"]


def test_that_only_the_newest_run_of_a_folder_counts_stands_before_the_verdict(two: Path) -> None:
    log(two / "runs" / "old", {"qa": WRONG, "nli": WRONG})
    log(two / "runs" / "new", {"qa": RIGHT, "nli": RIGHT}, made="2026-10-03T10-00-00.000000")
    view = podium.gate(two / "old", two / "runs", margin=0.1).view()
    assert view.verdict[0].startswith("after: only the newest whole run of several counts")


def test_of_several_systems_each_has_the_name_of_its_source() -> None:
    old, new = ({"A": {"t": 1.0, "u": score}, "B": {"t": 2.0, "u": 1.0}} for score in (0.0, 3.0))
    ranking = podium.rank({"old": podium.from_dict(old), "new": podium.from_dict(new)})
    assert sorted(ranking.systems) == ["new: A", "new: B", "old: A", "old: B"]


def test_a_source_of_several_systems_is_no_side_of_a_comparison(two: Path) -> None:
    (two / "scores.csv").write_text("model,qa,code\nA,0.5,0.4\nB,0.6,0.5\n", "utf-8")
    (two / "more.csv").write_text("model,qa,code\nC,0.5,0.4\n", "utf-8")
    refused = run(two, "compare", "before=scores.csv", "after=more.csv")
    said = "before holds 2 systems: A, B; name the folder of one, or two of all with --control and --treatment"
    assert (refused.returncode, said in refused.stderr) == (2, True)
    assert run(two, "compare", "before=scores.csv", "after=more.csv", "--control", "before: A", "--all").returncode == 0


def test_two_runs_of_one_model_are_called_by_what_differs_in_their_paths(two: Path) -> None:
    found = run(two, "compare", "old", "new")
    assert found.stdout.startswith("new against old, mean difference (acc): 2 tasks")
    assert labels_of(["runs/old/m.json", "runs/new/m.json"]) == ["old", "new"]
    gate = json.loads(run(two / "new", "gate", "../old", ".", "--margin", "0.01", "-f", "json").stdout)
    assert (gate["before"], gate["after"]) == ("old", "new")
    assert "in each source: 3 files of lm-evaluation-harness read" in gate["notes"]


def test_a_file_that_is_there_wins_over_a_name(tmp_path: Path) -> None:
    (tmp_path / "a=b.csv").write_text("system,t,u\nx,1,2\ny,2,3\n", encoding="utf-8")
    assert run(tmp_path, "rank", "a=b.csv").returncode == 0


def test_runs_of_a_folder_are_systems_if_asked(two: Path) -> None:
    read = podium.read(str(two), runs="apart")
    assert set(read.systems) == {"demo/m (new)", "demo/m (old)"}
    same = two / "same"
    log(same, {"qa": RIGHT}, made="2026-10-01T10-00-00.000000")
    for file in log(same / "x", {"qa": WRONG}, made="2026-11-01T10-00-00.000000").rglob("*.json*"):
        file.rename(same / "demo__m" / file.name)
    assert podium.read(str(same), runs="apart").systems == ("demo/m (2026-10-01)", "demo/m (2026-11-01)")


def test_items_are_matched_by_their_texts(tmp_path: Path) -> None:
    asked = [f"question {place}" for place in range(16)]
    log(tmp_path / "old", {"qa": WRONG}, texts={"qa": asked})
    log(tmp_path / "new", {"qa": [0.0, *RIGHT[:-1]]}, texts={"qa": ["a new one", *asked[:-1]]})
    read = podium.read({"old": str(tmp_path / "old"), "new": str(tmp_path / "new")})
    (task,) = read.tasks
    values = dict(zip(task.instances.tolist(), task.values.T.tolist(), strict=True))  # type: ignore[union-attr]
    assert values["0"] == [1.0, 1.0], "the first question of old is the second of new"
    assert sum(all(score == score for score in pair) for pair in values.values()) == 15  # noqa: PLR0124
    assert read.notes[0] == "questions of new that are not in old: qa (1)"
    with pytest.raises(InputError, match="questions of new that are not in old: qa"):
        podium.read({"old": str(tmp_path / "old"), "new": str(tmp_path / "new")}, strict=True)


def test_shots_that_changed_are_said_first(tmp_path: Path) -> None:
    log(tmp_path / "old", {"qa": WRONG})
    log(tmp_path / "new", {"qa": RIGHT}, shots=5)
    found = run(tmp_path, "compare", "old=old", "new=new")
    assert "note: n-shot is 0 in old and 5 in new on qa" in found.stdout
    assert run(tmp_path, "compare", "old=old", "new=new", "--strict").returncode == 2


def test_without_common_labels_as_many_items_are_matched_by_position() -> None:
    labels = [[f"{name}-{place}" for place in range(6)] for name in "ab"]
    tables = [podium.from_arrays({"t": [[1, 0, 1, 1, 0, 1]]}, systems=["m"], instances={"t": own}) for own in labels]
    joined = podium.compare({"a": tables[0], "b": tables[1]}, control="a", treatment="b")
    assert "matched by the order of their labels, as no label is in both sources: t" in joined.notes
    assert joined.tasks[0].n == 6  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ({"qa": WRONG}, {"nli": RIGHT}, "no task in common: old has qa; new has nli"),
        ({"qa": WRONG}, None, "there is no file"),
    ],
)
def test_what_cannot_be_compared_is_named(tmp_path: Path, old: Any, new: Any, complaint: str) -> None:
    log(tmp_path / "old", old)
    if new is not None:
        log(tmp_path / "new", new)
    with pytest.raises(InputError, match=complaint):
        podium.read({"old": str(tmp_path / "old"), "new": str(tmp_path / "new")})


def test_another_metric_is_named_with_what_to_do(tmp_path: Path) -> None:
    log(tmp_path / "old", {"qa": WRONG})
    log(tmp_path / "new", {"qa": RIGHT}, metric="exact_match")
    with pytest.raises(InputError, match="scored by acc in old and by exact_match in new; name one that both have"):
        podium.read({"old": str(tmp_path / "old"), "new": str(tmp_path / "new")})


def test_repeats_weights_and_clusters_are_joined() -> None:
    told = {"instances": {"t": ["a", "b", "c"]}, "clusters": {"t": ["x", "x", "y"]}}
    values = [[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]]
    old, new = (podium.from_arrays({"t": values}, systems=["m"], **told) for _ in range(2))  # type: ignore[arg-type]
    analysis = podium.compare({"old": old, "new": new}, control="old", treatment="new")
    assert analysis.suite is not None  # type: ignore[attr-defined]
    assert analysis.suite.noise > 0  # type: ignore[attr-defined]


def test_a_single_run_of_an_instance_is_joined_with_repeats_of_it() -> None:
    several = podium.from_arrays({"t": [[[1.0, 0.0], [1.0, 1.0]]]}, systems=["m"], instances={"t": ["a", "b"]})
    one = podium.from_arrays({"t": [[0.0, 1.0]]}, systems=["m"], instances={"t": ["a", "b"]})
    for sources in ({"old": several, "new": one}, {"new": one, "old": several}):
        read = joined(read_sources(sources, lambda given, _: as_scores(given)))
        assert {name: read.tasks[0].values[row].tolist() for row, name in enumerate(read.systems)} == {
            "old": [0.5, 1.0],
            "new": [0.0, 1.0],
        }


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_file_without_systems_is_one_system(tmp_path: Path, ending: str) -> None:
    for name, own in (("old", WRONG), ("new", RIGHT)):
        rows = [{"id": f"q{place}", "correct": score} for place, score in enumerate(own)]
        lines = [f"{row['id']},{row['correct']}" for row in rows] if ending == "csv" else list(map(json.dumps, rows))
        text = "\n".join(["id,correct", *lines] if ending == "csv" else lines) + "\n"
        (tmp_path / f"{name}.{ending}").write_text(text, encoding="utf-8")
    done = run(tmp_path, "gate", f"old.{ending}", f"new.{ending}", "--margin", "0.5", "-f", "json")
    assert json.loads(done.stdout)["suite"]["effect"] == 0.25
    assert run(tmp_path, "rank", f"old.{ending}").returncode == 2, "by itself it must say what its rows are"


def test_labels_in_order_count_as_people_do() -> None:
    """Item 10 follows item 9, whether or not numbers are padded."""
    values = np.random.default_rng(0).integers(0, 2, (1, 40)).astype(float)
    plain = podium.from_arrays({"t": values}, systems=["m"], instances={"t": [f"o{k}" for k in range(40)]})
    padded = podium.from_arrays({"t": values}, systems=["m"], instances={"t": [f"n{k:03}" for k in range(40)]})
    found = podium.compare({"a": plain, "b": padded}, control="a", treatment="b")
    assert isinstance(found, podium.MetaAnalysis)
    assert found.suite is not None
    assert (found.suite.better, found.suite.worse) == (0, 0)
    with pytest.raises(InputError, match="matched by the order of their labels"):
        joined(read_sources({"a": plain, "b": padded}, lambda given, _: as_scores(given)), strict=True)
