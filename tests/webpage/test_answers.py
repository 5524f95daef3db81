"""What a page says of other methods, the data, robustness and a history is what podium answers."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.errors import InputError
from podium.robustness.figure import Spread
from podium.score.table import Scores
from podium.webpage import api
from podium.webpage.api import agreed
from support import page_cases as cases
from support.bundle import contents, unpacked
from support.entry import WIDE, run

WORLDS = dict(cases.worlds())


@pytest.mark.parametrize("name", ["instances with holes and ties", "tasks", "many tasks"])
def test_it_holds_the_ranks_by_all_methods(name: str) -> None:
    scores = WORLDS[name]
    made = podium.page(scores, n_resamples=40, commands={"agree": "podium agree s.csv"})
    content, arrays = unpacked(made.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = podium.agree(scores)
    told = content["agreed"]
    assert told["methods"] == list(wanted.methods)
    assert [scores.systems[at] for at in told["systems"]] == list(wanted.systems)
    assert (told["notes"], told["command"]) == (list(wanted.notes), "podium agree s.csv")
    assert_array_equal(arrays["agreement ranks"], wanted.ranks)
    assert_array_equal(arrays["agreement tau"], wanted.tau)


def test_of_many_systems_ranks_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    scores = podium.from_arrays({f"t{task}": rng.normal(size=(300, 1)) for task in range(6)})
    assert_array_equal(agreed(scores, "")[1]["agreement ranks"], podium.agree(scores).ranks)


def test_a_large_table_is_ranked_by_few_methods_and_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_MOST", 100)
    made = podium.page(WORLDS["instances"], n_resamples=40, commands={"agree": "podium agree s.csv"})
    told = unpacked(made.data)[0]["agreed"]
    assert told["methods"] == ["borda:balanced", "mean", "median", "iqm"]
    assert told["command"] == "podium agree s.csv --methods borda,mean,median,iqm"
    assert "compares few methods" in made.notes[-1]


def test_where_no_two_methods_rank_a_note_says_why() -> None:
    scores = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {}})
    made = podium.page(scores, n_resamples=40)
    content, arrays = unpacked(made.data)
    assert content["agreed"] is None
    assert "agreement ranks" not in arrays
    assert made.notes[-1].startswith("this page compares no methods: ")


def scored_of(content: Any, arrays: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """How many scores each cell has, as a browser finds it."""
    sizes = [task["instances"] for task in content["tasks"]]
    return arrays.get("scored", np.where(np.isnan(arrays["means"]), 0, sizes))


@pytest.mark.parametrize("name", ["instances", "instances with holes and ties", "tasks, one without a score"])
def test_it_holds_how_many_scores_and_ties_there_are(name: str) -> None:
    scores = WORLDS[name]
    content, arrays = unpacked(podium.page(scores, n_resamples=40).data)
    wanted = podium.info(scores)
    assert_array_equal(scored_of(content, arrays), wanted.scored)
    assert_array_equal(arrays["means"], wanted.means)
    for told, task in zip(content["tasks"], wanted.tasks, strict=True):
        assert (told["pairs"], told["tied"], told["near"]) == (task.pairs, task.tied, task.near)
        assert (told["name"], told["instances"], told["weight"]) == (task.name, task.n_instances, task.weight)
    assert ("scored" in arrays) == (name == "instances with holes and ties")


def test_it_holds_the_verdict_and_the_curves() -> None:
    scores = podium.datasets.toy_table1()
    found = podium.stress(scores, ["borda", "mean"], only=["tasks", "scale"], repeats=10, n_jobs=1)
    made = podium.page(scores, n_resamples=40, robustness=found, commands={"stress": "podium stress s.csv"})
    told = unpacked(made.data)[0]["stressed"]
    assert told["command"] == "podium stress s.csv"
    assert told["verdict"] == list(found.verdict)
    assert told["notes"] == list(found.notes)
    assert told["leaders"] == [list(leaders) for leaders in found.study.leaders]
    broken = found.study.breakdown("kept")
    for stress, swept in zip(told["stresses"], found.study.swept, strict=True):
        assert (stress["name"], stress["axis"]) == (swept.name, swept.axis)
        assert stress["breakdown"] == list(broken[swept.name].values())
        np.testing.assert_array_equal(stress["strengths"], swept.strengths)
        spread = Spread.of(found.study, swept, "kept")
        np.testing.assert_array_equal(stress["mean"], swept.mean("kept"))
        np.testing.assert_array_equal([stress["low"], stress["high"]], [spread.low, spread.high])


def test_what_is_no_answer_of_these_systems_is_refused() -> None:
    scores = podium.datasets.toy_table1()
    found = podium.stress(scores, ["borda"], only=["tasks"], repeats=2, n_jobs=1)
    with pytest.raises(InputError, match="the robustness is of other systems"):
        podium.page(podium.datasets.xtreme_missing(), robustness=found)
    sliced = podium.slices(podium.simulate.gumbel(3, 4, 50, dispersion=1.0, rng=0).scores, n_resamples=40)
    with pytest.raises(InputError, match="the slices are of other systems"):
        podium.page(scores, slices=sliced)
    with pytest.raises(InputError, match="expected Robustness, not bool"):
        podium.page(scores, robustness=True)  # type: ignore[arg-type]


def test_the_command_stresses_by_its_seed_and_says_what_the_page_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stress = podium.stress

    def quick(scores: podium.Scores, *, rng: int, progress: Any) -> podium.Robustness:
        return stress(scores, ["borda"], only=["tasks"], repeats=3, n_jobs=1, rng=rng, progress=progress)

    monkeypatch.setattr(podium, "stress", quick)
    (tmp_path / "s.csv").write_text(WIDE, "utf-8")
    options = "--stress --seed 3 --lower=ter --confidence 0.9 --replicates=40 --task-weights rte=2"
    done = run(tmp_path, "page", "s.csv", *options.split())
    assert done.returncode == 0, done.stderr
    assert "no right answers; the verdict may name instances" in done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    assert content["stressed"]["command"] == "podium stress s.csv --seed 3 --lower=ter --task-weights rte=2"
    assert content["agreed"]["command"] == "podium agree s.csv --lower=ter --task-weights rte=2"
    scores = podium.read(tmp_path / "s.csv", lower=["ter"]).with_task_weights({"rte": 2})
    wanted = stress(scores, ["borda"], only=["tasks"], repeats=3, n_jobs=1, rng=3)
    assert content["stressed"]["verdict"] == list(wanted.verdict)


def version(seed: int, systems: str, gain: float = 0.0, tasks: str = "xy") -> Scores:
    """A table in which D is last, unless it gains."""
    rng = np.random.default_rng(seed)
    drawn = {task: rng.normal(size=(6, 60)) for task in "xyz"}
    rows = ["ABCDEF".index(system) for system in systems]
    levels = [gain - 3.0 if system == "D" else -float(row) for system, row in zip(systems, rows, strict=True)]
    values = {task: drawn[task][rows] + np.array(levels)[:, None] for task in tasks}
    labels = {task: [f"{task}{number}" for number in range(60)] for task in tasks}
    return podium.from_arrays(values, systems=list(systems), instances=labels)


@pytest.fixture(scope="module")
def steps() -> dict[str, Scores]:
    """Three versions: one in which D gains, and one in which F comes with a task and C is gone."""
    return {"May": version(3, "ABCD"), "June": version(3, "ABCD", gain=6.0), "July": version(3, "ABDF", 6.0, "xyz")}


def test_it_holds_the_ranks_intervals_and_marks_of_every_step(steps: dict[str, Scores]) -> None:
    found = podium.history(steps, n_resamples=200)
    commands = {"history": "podium history b/"}
    made = podium.page(steps["July"], n_resamples=40, history=found, commands=commands)
    content, arrays = unpacked(made.data)
    told = content["versioned"]
    assert told["command"] == "podium history b/"
    assert told["title"] == "borda, balanced: 3 steps, 5 systems"
    for name in ("verdict", "notes", "explain"):
        assert told[name] == list(getattr(found.view(), name))
    assert made.holds.endswith(" no texts, no right answers; ranks of 5 systems in 3 steps")
    assert told["systems"] == list(found.systems)
    assert sorted(told["systems"]) == list("ABCDF")
    rows = {(row["step"], row["system"]): row for row in found.rows()}
    for at, step in enumerate(told["steps"]):
        assert step["label"] == list(steps)[at]
        for column, system in enumerate(told["systems"]):
            row = rows.get((step["label"], system))
            held = [int(arrays[f"history {name}"][at, column]) for name in ("ranks", "low", "high")]
            assert held == ([0, 0, 0] if row is None else [row["rank"], row["rank_low"], row["rank_high"]])
    named = [
        {name: [told["systems"][one] for one in step[name]] for name in ("entered", "left", "overtook")}
        for step in told["steps"]
    ]
    assert named == [
        {"entered": [], "left": [], "overtook": []},
        {"entered": [], "left": [], "overtook": ["D"]},
        {"entered": ["F"], "left": ["C"], "overtook": []},
    ]


def test_all_steps_are_told_where_the_terminal_shows_the_last() -> None:
    tables = {f"version {at}": version(at, "ABCD") for at in range(16)}
    found = podium.history(tables, confidence_level=None)
    made = podium.page(tables["version 15"], n_resamples=40, history=found)
    content, arrays = unpacked(made.data)
    assert len(content["versioned"]["tables"][1]["rows"]) > len(found.view().tables[1].rows)
    assert content["versioned"]["confidence"] is None
    assert {name for name in arrays if name.startswith("history")} == {"history ranks"}


def test_many_systems_have_wider_numbers() -> None:
    values = {"t": np.random.default_rng(1).normal(size=(300, 3))}
    found = podium.history({"a": podium.from_arrays(values), "b": podium.from_arrays(values)}, confidence_level=None)
    made = podium.page(podium.from_arrays(values), n_resamples=40, history=found)
    ranks = unpacked(made.data)[1]["history ranks"]
    assert ranks[0].tolist() == found.steps[0].ranking.rank.tolist()
    assert ranks.max() > 255


def test_what_is_no_history_that_ends_with_this_table_is_refused(steps: dict[str, Scores]) -> None:
    found = podium.history(steps, confidence_level=None)
    with pytest.raises(InputError, match="the last step of the history has other systems than the table"):
        podium.page(steps["May"], history=found)
    with pytest.raises(InputError, match=r"expected a History, not bool; make it with podium\.history"):
        podium.page(steps["May"], history=True)  # type: ignore[arg-type]
    last = steps[list(steps)[-1]]
    with pytest.raises(InputError, match="the last step of the history has other tasks than the table"):
        podium.page(last.select(tasks=last.task_names[:1]), history=found)
    podium.page(steps["May"], n_resamples=40, history=replace(found, steps=found.steps[:1]))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, steps: dict[str, Scores]) -> Path:
    """A folder with a board of four versions: one system, four, a gain, and a new system."""
    folder = tmp_path_factory.mktemp("boarded")
    podium.add(folder / "b", steps["May"].select(systems=["A"]))
    podium.add(folder / "b", steps["May"])
    podium.add(folder / "b", steps["June"], on_conflict="replace")
    podium.add(folder / "b", steps["July"], on_conflict="replace")
    return folder


def test_versions_of_a_board_are_steps_as_the_command_on_the_page_prints_them(board: Path) -> None:
    done = run(board, "page", "b", "--history", "--confidence", "0.9", "--seed=3", "--replicates", "40")
    assert done.returncode == 0, done.stderr
    assert "ranks of 5 systems in 3 steps" in done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    told = content["versioned"]
    assert told["command"] == "podium history b --confidence 0.9 --seed=3 --missing imputed"
    assert content["command"] == "podium rank b --confidence 0.9 --seed=3 --replicates 40"
    made = "history = podium.history('b', method='borda:missing=imputed', confidence_level=0.9, rng=3)"
    assert content["python"]["history"] == made
    found = podium.history(board / "b", "borda:missing=imputed", confidence_level=0.9, rng=3)
    assert not any("the history counts missing scores otherwise" in note for note in content["notes"])
    by_model = podium.page(podium.read(board / "b"), history=podium.history(board / "b"), n_resamples=40)
    assert by_model.notes[1].startswith("the history counts missing scores otherwise")
    assert [step["label"] for step in told["steps"]] == ["version 1", "version 2", "version 3"]
    assert (told["verdict"], told["notes"]) == (list(found.view().verdict), list(found.view().notes))
    assert told["notes"][0].startswith("before version 1 there were fewer than two systems")
    assert told["tables"][0]["rows"] == [list(row) for row in found.view().tables[0].rows]


def test_as_of_and_options_of_reading_hold_for_every_step(board: Path) -> None:
    done = run(board, "page", "b", "--history", "--as-of", "2", "--tasks", "x", "-q", "--replicates=40")
    assert done.returncode == 0, done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    told = content["versioned"]
    assert told["command"] == "podium history b --as-of 2 --tasks x"
    assert "history" not in content["python"]
    tables = {f"version {number}": podium.read(board / "b", as_of=number, tasks=["x"]) for number in (1, 2)}
    found = podium.history(tables)
    assert told["verdict"] == list(found.view().verdict)
    printed = run(board, "history", "b", "--as-of", "2", "--tasks", "x")
    assert printed.stdout.splitlines()[0] == told["title"] == found.title
    assert f"• {told['verdict'][0]}" in printed.stdout


def test_files_are_steps_of_the_page_of_the_last_and_only_its_history_names_the_others(tmp_path: Path) -> None:
    for name, score in (("may", 1), ("june", 4)):
        (tmp_path / f"{name}.csv").write_text(f"system,x,y\nA,3,3\nB,2,2\nC,{score},{score}\n", encoding="utf-8")
    done = run(tmp_path, "page", "old=may.csv", "june.csv", "--history", "--replicates", "40")
    assert done.returncode == 0, done.stderr
    content = contents((tmp_path / "board.html").read_text("utf-8"))
    told, python = content["versioned"], content["python"]
    assert (told["command"], content["command"]) == (
        "podium history old=may.csv june.csv",
        "podium rank june.csv --replicates 40",
    )
    assert content["title"] == "june"
    assert f"• {told['verdict'][0]}" in run(tmp_path, *told["command"].split()[1:]).stdout
    assert python["scores"] == "scores = podium.read('june.csv')"
    made = "history = podium.history({'old': 'may.csv', 'june': 'june.csv'}, confidence_level=0.95, rng=0)"
    assert python["history"] == made
    assert told["verdict"][0].startswith("C (+1.0000) took first place from A (−0.5000) in june")


def test_large_tables_have_no_intervals_and_it_says_so(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.cli.page.LONG", 0)
    done = run(board, "page", "b", "--history", "--replicates=40")
    assert "the history has no intervals, because they would take long" in done.stderr
    content = contents((board / "board.html").read_text("utf-8"))
    assert content["versioned"]["confidence"] is None
    assert (
        content["python"]["history"]
        == "history = podium.history('b', method='borda:missing=imputed', confidence_level=None, rng=0)"
    )


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["b", "--history", "--each", "day"], "has 1 version with two systems; add more (podium add), or --each"),
        (["b", "--history", "--as-of", "1"], "has 1 version with two systems; choose a later --as-of"),
        (["b", "--each", "day"], "--each is about the versions that --history shows; add --history"),
    ],
)
def test_what_has_no_versions_is_refused(board: Path, typed: list[str], said: str) -> None:
    done = run(board, "page", *typed, "-o", "none.html")
    assert done.returncode == 2
    assert said in done.stderr
    assert not (board / "none.html").exists()
