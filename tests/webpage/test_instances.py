"""Scores and difficulties of single instances come back from a page exactly, with names only if they are wanted."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from golden.output.transcripts import TABLES
from podium.customization.match import rate
from podium.difficulty.result import Difficulty, Measure, Texts
from podium.errors import InputError, MethodError
from podium.tally.draw import Resampling, instance_keys
from podium.webpage.instances import Graded
from podium.webpage.shell import packed
from support import entry
from support.bundle import contents, unpacked

DRAWN = Resampling("instances", 200, 0)


def unpacked_levels(own: Any, levels: list[float | None] | None, shape: tuple[int, int]) -> Any:
    """Scores of a task, as a browser reads them."""
    if levels is not None:
        bits = np.unpackbits(own, axis=1, bitorder="little")[:, : shape[0] * shape[1]]
        numbers = (bits * 2 ** np.arange(len(bits))[:, None]).sum(axis=0)
        own = np.array([np.nan if level is None else level for level in levels])[numbers]
    return own.reshape(shape)


def world(seed: int, kinds: int, *, holes: bool) -> tuple[podium.Scores, Difficulty]:
    rng = np.random.default_rng(seed)
    values = {f"t{task}": rng.integers(0, kinds, (3, 4 + 3 * task)) / max(kinds - 1, 1) for task in range(3)}
    if holes:
        for own in values.values():
            own[rng.random(own.shape) < 0.3] = np.nan
            own[:, 0] = 1.0
    labels = {name: [f"secret {at}" for at in range(own.shape[1])] for name, own in values.items()}
    scores = podium.from_arrays(values, systems=list("abc"), instances=labels, lower=["t1"])
    rated = np.array([f"secret {at}" for at in range(8)])
    one, other = rng.random(8), np.round(rng.random(8), 1)
    one[0] = np.nan
    return scores, Difficulty(rated, (Measure("bias", one, "low"), Measure("failures", other, "high")))


@given(seed=st.integers(0, 99), kinds=st.sampled_from([2, 3, 300]), holes=st.booleans())
def test_scores_and_difficulties_come_back_exactly(seed: int, kinds: int, holes: bool) -> None:
    scores, difficulty = world(seed, kinds, holes=holes)
    made = Graded.of(scores, DRAWN, difficulty=difficulty)
    content, arrays = made.content(), made.arrays()
    for index, held in zip(made.tasks, content["tasks"], strict=True):
        task = scores.tasks[index]
        own = unpacked_levels(arrays[f"goodness {index}"], held["levels"], task.values.shape)
        assert_array_equal(own, task.values if task.higher_is_better else 1 - task.values)
    for number, measure in enumerate(difficulty.measures):
        rated = rate(scores, difficulty, measure.name)
        values = [made.values[made.tasks.index(scores.task_names.index(name))] for name in rated.scores.task_names]
        for own, wanted in zip(values, rated.values, strict=True):
            assert_array_equal(own[number][~np.isnan(own[number])], wanted)


def test_confidences_and_named_splits_come_back() -> None:
    scores, difficulty = world(0, 2, holes=True)
    rng = np.random.default_rng(2)
    sure = podium.from_arrays(
        {task.name: np.where(np.isnan(task.values), np.nan, rng.random(task.values.shape)) for task in scores.tasks},
        systems=list("abc"),
        instances={task.name: task.instances for task in scores.tasks if task.instances is not None},
    )
    kinds = np.array([["3", "10", "1"][at % 3] for at in range(8)])
    named = Difficulty(difficulty.instances, difficulty.measures, extras=(("kind", kinds),))
    made = Graded.of(scores, DRAWN, difficulty=named, confidences=sure, splits="kind")
    content, arrays = made.content(), made.arrays()
    assert [measure["own"] for measure in content["measures"]] == [False, False, True]
    assert [measure["splits"] for measure in content["measures"]] == [
        {"column": "kind", "names": ["1", "3", "10"]}
    ] * 2 + [None]
    for index in made.tasks:
        assert_array_equal(arrays[f"confidence {index}"], sure.tasks[index].values)
    rated = rate(scores, named, "bias")
    for name, places in zip(rated.scores.task_names, rated.places, strict=True):
        index = scores.task_names.index(name)
        numbers = arrays[f"splits {index}"][0]
        assert [["1", "3", "10"][number] for number in numbers[numbers >= 0]] == kinds[places].tolist()


def test_random_splits_are_known_from_a_key() -> None:
    scores, difficulty = world(0, 2, holes=False)
    made = Graded.of(scores, DRAWN, difficulty=difficulty)
    customizer = podium.Customizer.of(scores, difficulty, measure="bias")
    partition = customizer.split(podium.Splitting(2, "random"))
    for name, box in zip(customizer.rated.scores.task_names, partition.boxes, strict=True):
        key = made.measures[0]["keys"][scores.task_names.index(name)]
        keys = instance_keys(np.uint64(int(key["split"], 16)), 0, box.parts[0].places.size)
        assert_array_equal(np.argsort(keys, kind="stable"), box.parts[0].places)


def test_a_page_holds_no_labels_and_names_each_instance_by_its_place_only() -> None:
    scores, difficulty = world(0, 2, holes=True)
    made = podium.page(scores, difficulty=difficulty)
    content, arrays = unpacked(made.more["difficulty"])
    assert "secret" not in json.dumps([{**unpacked(made.data)[0], "notes": []}, {**content, "measures": 0}])
    assert [measure["name"] for measure in content["measures"]] == ["bias", "failures"]
    assert "goodness 0" in arrays


def test_what_is_no_difficulty_of_instances_is_refused() -> None:
    scores, difficulty = world(0, 2, holes=False)
    with pytest.raises(InputError, match="expected Difficulty, not Scores"):
        podium.page(scores, difficulty=scores)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected Difficulty, not dict"):
        podium.page(scores, difficulty={})  # type: ignore[arg-type]
    other = podium.from_arrays({"t0": [[2.0, 0.5], [0.5, 0.5]]})
    with pytest.raises(InputError, match="rewards and penalties are for scores between 0"):
        podium.page(other, difficulty=Difficulty(np.arange(2), (Measure("bias", np.array([0.1, 0.2]), "low"),)))
    assert difficulty.measure("bias").hard == "low"


def test_a_page_does_not_publish_where_files_lie(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    table, hard = (Path(shutil.copy(TABLES / name, tmp_path / "sub")) for name in ("predictions.csv", "difficulty.csv"))
    gold = shutil.copy(TABLES / "gold.csv", tmp_path)
    typed = (f"--gold={gold}", f"--difficulty={hard}", "--difficulty-column=bias", "-o", "b.html")
    done = entry.run(tmp_path, "page", table, *typed)
    assert done.returncode == 0, done.stderr
    content = contents((tmp_path / "b.html").read_text("utf-8"))
    assert str(tmp_path) not in json.dumps(content)
    command = content["difficulty"]["measures"][0]["command"]
    assert command.startswith("podium customize sub/predictions.csv --gold=gold.csv --difficulty=sub/difficulty.csv")
    assert "podium.read_difficulty('sub/difficulty.csv'" in content["python"]["difficulty"]


def metrics(seed: int, kinds: int, *, holes: bool) -> podium.Scores:
    """Two metrics of the same items, a task whose instances are numbers, and one that only counts them."""
    rng = np.random.default_rng(seed)
    values = {f"t{task}": rng.integers(0, kinds, (3, 9)) / 7 - 2 for task in range(4)}
    if holes:
        for own in values.values():
            own[rng.random(own.shape) < 0.3] = np.nan
    labels: dict[str, Any] = {name: [f"secret {at}" for at in range(9)] for name in ("t0", "t1")}
    labels["t2"] = list(range(7, 16))
    scores = podium.from_arrays(values, systems=list("abc"), instances=labels, lower=["t1"])
    weights, clusters = (
        rng.integers(0, 4, 9) / 2.0 + 0.5,
        podium.from_arrays(values, clusters={"t3": list("aabbccdde")}),
    )
    changed = (
        replace(scores.tasks[2], instance_weights=weights),
        replace(scores.tasks[3], clusters=clusters.tasks[3].clusters),
    )
    return replace(scores, tasks=(*scores.tasks[:2], *changed))


@given(seed=st.integers(0, 99), kinds=st.sampled_from([2, 3, 10**6]), holes=st.booleans())
def test_scores_names_weights_and_clusters_come_back(seed: int, kinds: int, holes: bool) -> None:
    scores = metrics(seed, kinds, holes=holes)
    held, arrays = unpacked(podium.page(scores, instances=True, n_resamples=40).more["instances"])
    for index, task in enumerate(scores.tasks):
        assert_array_equal(
            unpacked_levels(arrays[f"scores {index}"], held["tasks"][index]["levels"], task.values.shape), task.values
        )
        names = held["names"][held["tasks"][index]["names"]]
        found = [str(names + at) for at in range(9)] if isinstance(names, int) else names
        assert found == [str(at + 1) if task.instances is None else str(task.instances[at]) for at in range(9)]
    assert [one["names"] for one in held["tasks"]] == [0, 0, 1, 2]
    assert [one["tasks"] for one in held["shared"]] == [[0, 1]]
    assert_array_equal(arrays["instance weights 2"], scores.tasks[2].instance_weights)
    assert scores.tasks[3].clusters is not None
    assert_array_equal(arrays["clusters 3"], scores.tasks[3].clusters.numbers)
    assert not {"instance weights 0", "clusters 0"} & arrays.keys()


def test_texts_stand_beside_names(tmp_path: Path) -> None:
    scores = metrics(0, 3, holes=False)
    rows = "".join(f'secret {at},"text {at}, of <b>{at}</b>"\n' for at in range(2, 12)) + "8,eight\n"
    (tmp_path / "texts.csv").write_text(f"instance,text\n{rows}", "utf-8")
    texts = podium.read_texts(tmp_path / "texts.csv")
    made = podium.page(scores, instances=True, texts=texts, n_resamples=40)
    held = unpacked(made.more["instances"])[0]
    wanted = [None if at < 2 else f"text {at}, of <b>{at}</b>" for at in range(9)]
    assert held["texts"] == [wanted, [None, "eight", *[None] * 7], ["eight" if at == 8 else None for at in range(9)]]
    assert made.holds.endswith("with their names, and the texts of 9 instances: no right answers")
    assert unpacked(podium.page(scores, instances=True, n_resamples=40).more["instances"])[0]["texts"] is None
    with pytest.raises(MethodError, match="which needs instances"):
        podium.page(scores, texts=texts, n_resamples=40)
    with pytest.raises(InputError, match="no instance of the scores has a text"):
        podium.page(scores, instances=True, texts=Texts(np.array(["x"]), ("y",)), n_resamples=40)
    with pytest.raises(InputError, match="embeddings and no texts"):
        podium.page(scores, instances=True, texts=Texts(np.arange(9), embeddings=np.ones((9, 2))), n_resamples=40)


def test_a_page_holds_instances_only_where_they_are_wanted() -> None:
    scores = metrics(0, 10**6, holes=False)
    plain, full = podium.page(scores), podium.page(scores, instances=True)
    content, arrays = unpacked(plain.data)
    assert plain.more == {}
    assert "secret" not in json.dumps(content)
    assert not [name for name in arrays if name.startswith(("scores", "instance", "clusters"))]
    adds = "aggregate numbers, and the scores of 23 clusters: no names, no texts, no right answers"
    assert plain.holds == adds == content["holds"]
    assert podium.page(podium.datasets.toy_table1()).holds == "aggregate numbers only: no texts, no right answers"
    assert full.holds == "scores of 36 instances, with their names: no texts, no right answers"
    rated = Difficulty(np.array([f"secret {at}" for at in range(9)]), (Measure("bias", np.arange(9) / 9, "low"),))
    right = podium.from_arrays({"t": np.eye(9)[:3]}, instances={"t": [f"secret {at}" for at in range(9)]})
    both = podium.page(right, difficulty=rated, instances=True)
    assert both.holds == "difficulty and scores of 9 instances, with their names: no texts, no right answers"


def test_a_table_without_instances_has_none_to_put_in() -> None:
    with pytest.raises(InputError, match="one score per task and no instances; leave instances out"):
        podium.page(podium.datasets.xtreme_missing(), instances=True)


def test_equal_arrays_stand_once() -> None:
    one = np.arange(1000.0) ** 2
    content, arrays = unpacked(packed({}, {"a": one, "b": one.copy(), "c": one + 1, "none": one[:0], "also": one[:0]}))
    assert content == {}
    assert_array_equal(arrays["a"], arrays["b"])
    assert_array_equal(arrays["c"], one + 1)
    assert len(arrays["none"]) == len(arrays["also"]) == 0
    assert len(packed({}, {"a": one, "b": one})) < 1.1 * len(packed({}, {"a": one}))
