"""`podium compare` and `podium pool`: every format, what is drawn, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import podium
from podium.cli.messages import Bar
from podium.cli.output import Destination
from podium.comparison.forest import COLUMNS
from support.entry import run, run_script


def long_table(folder: Path, systems: int = 2, *, tasks: int = 4) -> Path:
    """Write 0/1 scores of some systems on 60 instances of each task."""
    rng = np.random.default_rng(0)
    rows = ["system,task,instance,score"]
    for task in range(tasks):
        hard = rng.normal(size=60)
        for system in range(systems):
            right = hard + 0.4 * system + rng.normal(size=60) > 0
            rows += [f"s{system},t{task},{item},{int(score)}" for item, score in enumerate(right)]
    path = folder / "scores.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def runs(folder: Path) -> Path:
    """Write two runs on two data sets of twelve queries, and a file that lists them."""
    rng = np.random.default_rng(1)
    for name in ("one", "two"):
        lines = [f"q{query} 0 d{doc} {(query + doc) % 3}" for query in range(12) for doc in range(8)]
        (folder / f"{name}.qrels").write_text("\n".join(lines), encoding="utf-8")
        for system in ("base", "new"):
            lines = [f"q{query} Q0 d{doc} 0 {rng.random()} x" for query in range(12) for doc in range(12)]
            (folder / f"{name}.{system}").write_text("\n".join(lines), encoding="utf-8")
    path = folder / "config.yaml"
    path.write_text(
        "qrels: {one: one.qrels, two: two.qrels}\n"
        "available_rankings:\n"
        "  base: {one: one.base, two: two.base}\n"
        "  new: {one: one.new, two: two.new}\n"
        "display_names: {one: First, two: Second}\n",
        encoding="utf-8",
    )
    return path


def test_of_two_systems_the_first_is_the_control(tmp_path: Path) -> None:
    path = long_table(tmp_path)
    said = run(tmp_path, "compare", path, "--control", "s0", "--treatment", "s1").stdout
    assert run(tmp_path, "compare", path).stdout == said
    assert run(tmp_path, "compare", path, "--control", "s0").stdout == said
    assert run(tmp_path, "compare", path, "--treatment", "s1").stdout == said
    assert run(tmp_path, "compare", path, "--control", "s1").stdout.startswith("s0 against s1")


def test_of_two_typed_systems_the_first_typed_is_the_control(tmp_path: Path) -> None:
    path = long_table(tmp_path, 3)
    first = run(tmp_path, "compare", path, "--systems", "s0,s1")
    turned = run_script(tmp_path, "compare", path, "--systems", "s1,s0")
    assert (turned.returncode, turned.stderr) == (0, "")
    assert first.stdout.startswith("s1 against s0")
    assert turned.stdout.startswith("s0 against s1")
    assert turned.stdout == run(tmp_path, "compare", path, "--control", "s1", "--treatment", "s0").stdout
    assert run(tmp_path, "compare", path, "--systems", "s1", "--systems", "s0").stdout == turned.stdout
    assert run(tmp_path, "compare", path, "--systems", "s1,s0,s*,!s2").stdout == turned.stdout


def test_all_takes_the_first_of_two_typed_systems_as_the_control(tmp_path: Path) -> None:
    path = long_table(tmp_path, 3)
    done = run(tmp_path, "compare", path, "--systems", "s1,s0", "--all")
    assert done.returncode == 0
    assert done.stdout == run(tmp_path, "compare", path, "--systems", "s1,s0", "--control", "s1", "--all").stdout


@pytest.mark.parametrize("asked", [[], ["--all"]])
def test_a_result_reaches_standard_output_after_the_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str]
) -> None:
    ended: list[str] = []
    monkeypatch.setattr(Bar, "__exit__", lambda *_: ended.append("bar"))
    monkeypatch.setattr(Destination, "deliver", lambda *_, **__: ended.append("result"))
    run(tmp_path, "compare", long_table(tmp_path), *asked)
    assert ended[-2:] == ["bar", "result"]


@pytest.mark.parametrize("pattern", ["s1,s[0]", "s[10]", "!s2", "s1,s*,!s2"])
def test_a_pattern_leaves_two_systems_in_the_order_of_the_table(tmp_path: Path, pattern: str) -> None:
    done = run(tmp_path, "compare", long_table(tmp_path, 3), "--systems", pattern)
    assert done.stdout.startswith("s1 against s0")


def test_a_named_role_counts_more_than_the_order_typed(tmp_path: Path) -> None:
    path = long_table(tmp_path, 3)
    for role in ("--control", "--treatment"):
        said = run(tmp_path, "compare", path, "--systems", "s1,s0", role, "s0").stdout
        assert said.startswith("s1 against s0" if role == "--control" else "s0 against s1")


def test_what_it_writes_is_pooled_again(tmp_path: Path) -> None:
    path = long_table(tmp_path)
    assert run(tmp_path, "compare", path, "-e", "or", "-o", "effects.csv").returncode == 0
    one = json.loads(run(tmp_path, "compare", path, "-e", "or", "-f", "json").stdout)["summary"]
    two = json.loads(run(tmp_path, "pool effects.csv -f json").stdout)["summary"]
    assert two == pytest.approx(one, rel=1e-9)


def shared_table(tmp_path: Path) -> Path:
    """Two systems on two metrics of the same items, and on two tasks with items of their own."""
    rng = np.random.default_rng(4)
    common = rng.normal(size=(2, 60))
    lines = ["task,system,instance,score"]
    for task in ("exact", "partial", "rte", "sst2"):
        noise = rng.normal(size=(2, 60))
        scores = common + noise / 2 if task in {"exact", "partial"} else noise
        own = "item" if task in {"exact", "partial"} else task
        lines += [f"{task},s{row},{own} {place},{scores[row, place]:.3f}" for row in (0, 1) for place in range(60)]
    path = tmp_path / "shared.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_tasks_that_share_instances_and_clusters(tmp_path: Path) -> None:
    path = shared_table(tmp_path)
    told = run(tmp_path, "compare", path)
    assert "tasks share instances (1 set), so their covariance is used" in " ".join(told.stdout.split())
    found = json.loads(run(tmp_path, "compare", path, "-f", "json", "--cluster", "glue=rte,sst2").stdout)
    assert found["interval"] == "cr2"
    assert found["dependence"]["clusters"] == [["exact", "partial"], ["rte", "sst2"]]
    assert [task["cluster"] for task in found["tasks"]] == ["exact", "exact", "rte", "rte"]


def test_clusters_of_known_effects(tmp_path: Path) -> None:
    effects = b"task,yi,vi,cluster\na,0.1,0.01,x\nb,0.3,0.02,x\nc,0.2,0.01,\nd,0.5,0.03,\n"
    of_column = json.loads(run(tmp_path, "pool - -f json", stdin=effects).stdout)
    typed = json.loads(run(tmp_path, "pool - -f json --cluster x=c,d", stdin=effects).stdout)
    named = json.loads(run(tmp_path, "pool - -f json --interval normal", stdin=effects).stdout)
    assert of_column["dependence"]["clusters"] == [["a", "b"], ["c"], ["d"]]
    assert typed["dependence"]["clusters"] == [["a"], ["b"], ["c", "d"]]
    assert named["dependence"] is None
    like = json.loads(run(tmp_path, "pool - -f json --like ranger", stdin=effects).stdout)
    said = "the column of clusters is not used, as {} takes effects as independent"
    assert said.format("--interval normal") in named["notes"]
    assert said.format("--like ranger") in like["notes"]
    assert not any("column of clusters" in note for one in (of_column, typed) for note in one["notes"])
    one = run(tmp_path, "pool - --cluster 'all=*'", stdin=effects)
    assert (one.returncode, one.stdout) == (2, "")
    assert "all 4 tasks are in cluster 'all'" in one.stderr


def test_runs_are_compared_with_the_share_judged_beside(tmp_path: Path) -> None:
    done = run(tmp_path, "compare", "--trec", runs(tmp_path), "--measure", "P@5", "--like", "ranger", "--verbose")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("new against base, mean difference: 2 tasks")
    assert "J@5" in done.stdout
    assert "DerSimonian–Laird, normal intervals" in done.stdout
    whole = run(tmp_path, "compare --trec config.yaml --measure AP")
    assert "J@" not in whole.stdout


def test_moderators_of_a_table_of_tasks(tmp_path: Path) -> None:
    long_table(tmp_path)
    (tmp_path / "tasks.csv").write_text("task,size,where\nt0,1,web\nt1,5,web\nt2,3,law\nt3,9,law\n", encoding="utf-8")
    ask = "compare scores.csv --task-table tasks.csv --moderator size -f json"
    content = json.loads(run(tmp_path, f"{ask} --plot bubble=size.svg --plot forest.svg").stdout)
    assert content["moderation"]["values"] == {"size": [1.0, 5.0, 3.0, 9.0]}
    assert all((tmp_path / name).stat().st_size > 5_000 for name in ("size.svg", "forest.svg"))
    every = run(tmp_path, f"{ask} --all --control s0")
    assert json.loads(every.stdout)["analyses"][0]["moderation"] == content["moderation"]


def test_moderators_of_a_table_of_effects(tmp_path: Path) -> None:
    rows = (b"a,0.1,0.01,5,x", b"b,0.3,0.01,9,y", b"c,0.2,0.02,7,y", b"d,0.5,0.02,12,x", b"e,0.4,0.01,9,x")
    text = b"\n".join((b"task,effect,variance,size,where", *rows, b""))
    done = run(tmp_path, "pool - --moderator size,where --diagnostics", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert "where: y vs x" in done.stdout
    assert "COVRATIO" in done.stdout


def test_the_plot_offers_what_the_library_draws() -> None:
    for name in COLUMNS:
        podium.plots.forest(podium.pool([0.1, 0.2], [0.1, 0.1]), left=[name])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("task,effect\na,1\n", "a column of effects and one of variances"),
        ("task,effect,variance\na,1,-1\n", "line 2: the variance must be greater than 0"),
        ("task,effect,variance\na,1,1\na,1,1\n", "task 'a' appears twice"),
        ("", "is empty"),
    ],
)
def test_effects_that_make_no_sense(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "effects.csv").write_text(table, encoding="utf-8")
    done = run(tmp_path, "pool effects.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def task_table(folder: Path) -> Path:
    """Write one score of three systems on each of seven tasks."""
    rows = ["system,t0,t1,t2,t3,t4,t5,t6", "base,70,91,86,52,90,56,81", "new,74,93,84,58,91,56,88"]
    path = folder / "tasks.csv"
    path.write_text("\n".join([*rows, "third,60,90,80,61,85,50,70"]) + "\n", encoding="utf-8")
    return path


def test_one_score_per_task_is_tested_over_tasks(tmp_path: Path) -> None:
    path = task_table(tmp_path)
    told = json.loads(run(tmp_path, "compare", path, "--systems", "base,new", "-f", "json", "--rope", "2").stdout)
    scores = podium.read(path, systems=["base", "new"])
    assert told == podium.compare_task_scores(scores, control="base", treatment="new", rope=2).to_dict()
