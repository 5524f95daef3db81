"""Scores of single instances come back from a page exactly, with their names; a page without them holds none."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from podium.difficulty.result import Difficulty, Measure, Texts
from podium.errors import InputError, MethodError
from podium.page.shell import packed
from support.bundle import contents, unpacked
from support.entry import printed, run


def world(seed: int, kinds: int, *, holes: bool) -> podium.Scores:
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


def scores_of(content: Any, arrays: dict[str, Any], task: int, shape: tuple[int, int]) -> Any:
    """Scores of a task, as a browser reads them."""
    own, levels = arrays[f"scores {task}"], content["tasks"][task]["levels"]
    if levels is None:
        return own.reshape(shape)
    bits = np.unpackbits(own, axis=1, bitorder="little")[:, : shape[0] * shape[1]]
    numbers = (bits * 2 ** np.arange(len(bits))[:, None]).sum(axis=0)
    return np.array([np.nan if level is None else level for level in levels])[numbers].reshape(shape)


@given(seed=st.integers(0, 99), kinds=st.sampled_from([2, 3, 10**6]), holes=st.booleans())
def test_scores_names_weights_and_clusters_come_back(seed: int, kinds: int, holes: bool) -> None:
    scores = world(seed, kinds, holes=holes)
    held, arrays = unpacked(podium.make_page(scores, instances=True, replicates=40).more["instances"])
    for index, task in enumerate(scores.tasks):
        assert_array_equal(scores_of(held, arrays, index, task.values.shape), task.values)
        names = held["names"][held["tasks"][index]["names"]]
        found = [str(names + at) for at in range(9)] if isinstance(names, int) else names
        assert found == [str(at + 1) if task.instances is None else str(task.instances[at]) for at in range(9)]
    assert [one["names"] for one in held["tasks"]] == [0, 0, 1, 2]
    assert held["shared"] == 1
    assert_array_equal(arrays["instance weights 2"], scores.tasks[2].instance_weights)
    assert scores.tasks[3].clusters is not None
    assert_array_equal(arrays["clusters 3"], scores.tasks[3].clusters.numbers)
    assert not {"instance weights 0", "clusters 0"} & arrays.keys()


def test_texts_stand_beside_names(tmp_path: Path) -> None:
    scores = world(0, 3, holes=False)
    rows = "".join(f'secret {at},"text {at}, of <b>{at}</b>"\n' for at in range(2, 12)) + "8,eight\n"
    (tmp_path / "texts.csv").write_text(f"instance,text\n{rows}", "utf-8")
    texts = podium.read_texts(tmp_path / "texts.csv")
    made = podium.make_page(scores, instances=True, texts=texts, replicates=40)
    held = unpacked(made.more["instances"])[0]
    wanted = [None if at < 2 else f"text {at}, of <b>{at}</b>" for at in range(9)]
    assert held["texts"] == [wanted, [None, "eight", *[None] * 7], ["eight" if at == 8 else None for at in range(9)]]
    assert made.holds.endswith("with their names, and the texts of 9 instances: no gold answers")
    assert unpacked(podium.make_page(scores, instances=True, replicates=40).more["instances"])[0]["texts"] is None
    with pytest.raises(MethodError, match="which needs instances"):
        podium.make_page(scores, texts=texts, replicates=40)
    with pytest.raises(InputError, match="no instance of the scores has a text"):
        podium.make_page(scores, instances=True, texts=Texts(np.array(["x"]), ("y",)), replicates=40)
    with pytest.raises(InputError, match="embeddings and no texts"):
        podium.make_page(scores, instances=True, texts=Texts(np.arange(9), embeddings=np.ones((9, 2))), replicates=40)


def test_a_page_holds_instances_only_where_they_are_wanted() -> None:
    scores = world(0, 10**6, holes=False)
    plain, full = podium.make_page(scores), podium.make_page(scores, instances=True)
    content, arrays = unpacked(plain.data)
    assert plain.more == {}
    assert "secret" not in json.dumps(content)
    assert not [name for name in arrays if name.startswith(("scores", "instance", "clusters"))]
    adds = "tallies, and what each of 23 clusters adds: no names, no texts, no gold answers"
    assert plain.holds == adds == content["holds"]
    assert podium.make_page(podium.datasets.toy_table1()).holds == "tallies only: no texts, no gold answers"
    assert full.holds == "scores of 36 instances, with their names: no texts, no gold answers"
    rated = Difficulty(np.array([f"secret {at}" for at in range(9)]), (Measure("bias", np.arange(9) / 9, "low"),))
    right = podium.from_arrays({"t": np.eye(9)[:3]}, instances={"t": [f"secret {at}" for at in range(9)]})
    both = podium.make_page(right, difficulty=rated, instances=True)
    assert both.holds == "difficulty and scores of 9 instances, with their names: no texts, no gold answers"


def test_a_table_without_instances_has_none_to_put_in() -> None:
    with pytest.raises(InputError, match="one score per task and no instances; leave instances out"):
        podium.make_page(podium.datasets.xtreme_missing(), instances=True)


def test_equal_arrays_stand_once() -> None:
    one = np.arange(1000.0) ** 2
    content, arrays = unpacked(packed({}, {"a": one, "b": one.copy(), "c": one + 1, "none": one[:0], "also": one[:0]}))
    assert content == {}
    assert_array_equal(arrays["a"], arrays["b"])
    assert_array_equal(arrays["c"], one + 1)
    assert len(arrays["none"]) == len(arrays["also"]) == 0
    assert len(packed({}, {"a": one, "b": one})) < 1.1 * len(packed({}, {"a": one}))


def write(folder: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{system},{task},{at},{int(rng.random() < 0.6)}" for system in "abc" for task in "tu" for at in range(40)]
    (folder / "200").write_text("\n".join(["system,task,instance,accuracy", *rows]) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("typed", "held", "command"),
    [
        (
            [],
            "tallies, and what each of 40 instances adds: no names, no texts, no gold answers",
            "podium compare 200 --input-format csv",
        ),
        (
            ["--instances", "--seed", "3", "--replicates=50", "--confidence", "0.9", "--task-weights", "t=2"],
            "scores of 80 instances, with their names: no texts, no gold answers",
            "podium compare 200 --input-format csv --confidence 0.9",
        ),
        (
            ["--difficulty", "failures", "--instances"],
            "difficulty and scores of 80 instances, with their names: no texts, no gold answers",
            "podium compare 200 --input-format csv",
        ),
    ],
)
def test_the_command_says_what_a_page_holds(tmp_path: Path, typed: list[str], held: str, command: str) -> None:
    write(tmp_path)
    done = run(tmp_path, "page", "200", "--input-format", "csv", "-o", "b.html", *typed)
    assert done.returncode == 0
    assert f"b.html holds {held}" in " ".join(done.stderr.split())
    html = (tmp_path / "b.html").read_text("utf-8")
    content = contents(html)
    assert content["compare"]["command"] == command
    assert content["holds"] == held
    assert printed(f"{command} --control a --treatment b", tmp_path)["summary"]["k"] == 2
