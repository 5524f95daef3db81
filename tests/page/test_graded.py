"""What a page holds of single instances: every score and difficulty comes back, and no label or text."""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import podium
from podium.customization.match import rate
from podium.difficulty.result import Difficulty, Measure
from podium.errors import InputError
from podium.page.instances import Graded
from podium.tally.draw import Resampling, instance_keys
from support import entry
from support.bundle import contents, unpacked

DRAWN = Resampling("instances", 200, 0)


def goodness(content: Any, arrays: dict[str, Any], systems: int) -> list[np.ndarray[Any, Any]]:
    """Scores by task, as a browser reads them."""
    found = []
    for task in content["tasks"]:
        own, shape = arrays[f"goodness {task['task']}"], (systems, task["instances"])
        if task["levels"] is not None:
            bits = np.unpackbits(own, axis=1, bitorder="little")[:, : systems * task["instances"]]
            numbers = (bits * 2 ** np.arange(len(bits))[:, None]).sum(axis=0)
            own = np.array([np.nan if level is None else level for level in task["levels"]])[numbers]
        found.append(own.reshape(shape))
    return found


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
    found = goodness(made.content(), made.arrays(), 3)
    for index, own in zip(made.tasks, found, strict=True):
        task = scores.tasks[index]
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
    made = podium.make_page(scores, difficulty=difficulty)
    content, arrays = unpacked(made.more["difficulty"])
    assert "secret" not in json.dumps([{**unpacked(made.data)[0], "notes": []}, {**content, "measures": 0}])
    assert [measure["name"] for measure in content["measures"]] == ["bias", "failures"]
    assert "goodness 0" in arrays


def test_what_is_no_difficulty_of_instances_is_refused() -> None:
    scores, difficulty = world(0, 2, holes=False)
    with pytest.raises(InputError, match="expected Difficulty, not Scores"):
        podium.make_page(scores, difficulty=scores)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected Difficulty, not dict"):
        podium.make_page(scores, difficulty={})  # type: ignore[arg-type]
    other = podium.from_arrays({"t0": [[2.0, 0.5], [0.5, 0.5]]})
    with pytest.raises(InputError, match="rewards and penalties are for scores between 0"):
        podium.make_page(other, difficulty=Difficulty(np.arange(2), (Measure("bias", np.array([0.1, 0.2]), "low"),)))
    assert difficulty.measure("bias").hard == "low"


def write(folder: Path, *, columns: int) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{system},t,{at},{int(rng.random() < 0.6)},{rng.random():.2f}" for system in "abc" for at in range(40)]
    (folder / "s.csv").write_text("\n".join(["system,task,instance,accuracy,confidence", *rows]) + "\n", "utf-8")
    head = ",".join([*["instance", "bias", "similarity"][: columns + 1], "kind"])
    values = [",".join([str(at), *map(str, rng.random(columns).round(2)), "ab"[at % 2]]) for at in range(40)]
    (folder / "d.csv").write_text("\n".join([head, *values]) + "\n", "utf-8")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    sources = [] if words and not words[0].startswith("-") else ["s.csv"]
    return entry.run(folder, "page", *sources, "-o", "b.html", *words)


def held(folder: Path) -> Any:
    return contents((folder / "b.html").read_text("utf-8"))


@pytest.mark.parametrize(
    ("columns", "typed", "command"),
    [
        (1, [], "podium customize s.csv --difficulty d.csv --replicates 200"),
        (
            2,
            ["--hard=low"],
            "podium customize s.csv --difficulty d.csv --hard=low --replicates 200 --difficulty-column=bias",
        ),
        (
            2,
            ["--difficulty-column", "bias,similarity"],
            "podium customize s.csv --difficulty d.csv --replicates 200 --difficulty-column=bias",
        ),
        (2, ["--difficulty-column=bias", "--strict"], None),
    ],
)
def test_the_commands_of_a_page(tmp_path: Path, columns: int, typed: list[str], command: str | None) -> None:
    write(tmp_path, columns=columns)
    done = run(tmp_path, "--difficulty", "d.csv", *typed)
    assert done.returncode == 0, done.stderr
    assert "b.html holds difficulty and scores of 40 instances, in the order of the table: no names" in " ".join(
        done.stderr.split()
    )
    content = held(tmp_path)
    assert content["command"] == "podium rank s.csv --replicates 200"
    if command is None:
        command = shlex.join(["podium", "customize", "s.csv", "--difficulty", "d.csv", *typed, "--replicates", "200"])
    assert content["difficulty"]["measures"][0]["command"] == command


@pytest.mark.parametrize("typed", [["-ob.html"], ["-q", "-o", "b.html"], ["-qo", "b.html"], ["-qob.html"]])
def test_no_command_of_a_page_writes_the_page(tmp_path: Path, typed: list[str]) -> None:
    write(tmp_path, columns=1)
    assert run(tmp_path, *typed).returncode == 0
    assert held(tmp_path)["command"] == "podium rank s.csv --replicates 200"


def test_a_page_does_not_publish_where_files_lie(tmp_path: Path) -> None:
    write(tmp_path, columns=1)
    (tmp_path / "sub").mkdir()
    (tmp_path / "d.csv").rename(tmp_path / "sub/d.csv")
    done = run(tmp_path, str(tmp_path / "s.csv"), f"--difficulty={tmp_path / 'sub/d.csv'}")
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) not in json.dumps(content := held(tmp_path))
    assert content["difficulty"]["measures"][0]["command"].startswith("podium customize s.csv --difficulty=sub/d.csv")
    assert "podium.read_difficulty('sub/d.csv'" in content["python"]["difficulty"]


@pytest.mark.parametrize("name", ["failures", "irt"])
def test_difficulty_from_the_scores_needs_no_table(tmp_path: Path, name: str) -> None:
    write(tmp_path, columns=1)
    assert run(tmp_path, "--difficulty", name).returncode == 0
    assert held(tmp_path)["difficulty"]["measures"][0]["name"] == name


def test_item_responses_of_several_tasks_have_scales_of_their_own() -> None:
    rng = np.random.default_rng(3)
    scores = podium.from_arrays({name: (rng.random((6, 30)) < 0.6).astype(float) for name in "ab"})
    made = [podium.item_response(scores), podium.item_response(scores, together=True), podium.failure_rate(scores)]
    levels = [Graded.of(scores, DRAWN, difficulty=difficulty).measures[0]["levels"] for difficulty in made]
    assert levels == [["two"], ["two", "one"], ["two", "one"]]


@pytest.mark.parametrize(
    ("typed", "own", "named"),
    [
        (["--probability-column", "confidence"], "podium customize s.csv --probability-column confidence", None),
        (
            ["--difficulty=d.csv", "--splits", "kind", "--probability-column=confidence"],
            "podium customize s.csv --probability-column=confidence",
            "podium customize s.csv --difficulty=d.csv",
        ),
    ],
)
def test_each_measure_has_its_command(tmp_path: Path, typed: list[str], own: str, named: str | None) -> None:
    write(tmp_path, columns=1)
    done = run(tmp_path, *typed)
    assert done.returncode == 0, done.stderr
    wanted = "difficulty, confidences, kind and scores" if named else "b.html holds confidences and scores"
    assert wanted in " ".join(done.stderr.split())
    commands = [measure["command"] for measure in held(tmp_path)["difficulty"]["measures"]]
    assert commands == [f"{one} --replicates 200" for one in (named, own) if one is not None]
    assert not [note for note in held(tmp_path)["notes"] if "not used" in note]
    assert held(tmp_path)["command"] == "podium rank s.csv --replicates 200"


def test_a_page_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    write(tmp_path, columns=1)
    (tmp_path / "s.csv").write_text("system,x,y\na,1,2\nb,2,1\nc,3,3\n", "utf-8")
    done = run(tmp_path, "--stress", "--instances")
    assert done.returncode == 2
    assert "one score per task and no instances" in " ".join(done.stderr.split())
    assert "trying changes" not in done.stderr


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--difficulty", "d.csv", "--splits", "3"], "readers weigh the instances; leave --splits out"),
        (["--difficulty", "irt", "--splits", "kind"], "readers weigh the instances; leave --splits out"),
        (["--probability-column", "sure"], "sure"),
        (["--probability-column", "confidence", "--hard", "low"], "--hard needs a table of difficulties"),
        (["--difficulty", "kinds.csv", "--splits", "my kind"], "name it with --difficulty-column, or"),
        (["--difficulty", "kinds.csv", "--splits", "my kind"], "use podium customize --splits 'my kind'"),
        (["--difficulty", "failures", "--hard", "low"], "--hard needs a table of difficulties, and there is none"),
        (["--hard", "low"], "--hard needs a table of weights"),
        (["--difficulty", "d.csv", "-o", "d.csv"], "name a file that ends in .html"),
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, typed: list[str], said: str) -> None:
    write(tmp_path, columns=1)
    (tmp_path / "kinds.csv").write_text("instance,my kind\n" + "".join(f"{at},a\n" for at in range(40)), "utf-8")
    done = run(tmp_path, *typed)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
