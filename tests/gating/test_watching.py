"""A new run is watched while it comes in: what is said holds at every look, and needs no more than there is."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.cli.app import app
from podium.errors import InputError, MethodError
from podium.gating.watching import Baseline, Bets, Watched

RNG = np.random.default_rng(0)


def bets(differences: Any, *, size: float = 2000.0) -> Bets:
    values = np.asarray(differences, dtype=np.float64)
    return Bets(values, np.ones(values.size), size=size, confidence=0.95)


def run(scores: Mapping[str, Any], system: str = "m", **told: Any) -> podium.Scores:
    values = {name: [list(map(float, each))] for name, each in scores.items()}
    return podium.from_arrays(values, systems=[system], **told)


def look(old: podium.Scores, after: Mapping[str, Mapping[str, float]], **told: Any) -> Watched:
    return Baseline(old, margin=0.02, **told).look(after)


def named(values: Any) -> dict[str, float]:
    return {str(place): float(value) for place, value in enumerate(values)}


@pytest.mark.parametrize(("better", "worse"), [(0.02, 0.02), (0.2, 0.25), (0.0, 0.01)])
def test_it_errs_in_at_most_five_percent_over_two_thousand_looks(better: float, worse: float) -> None:
    """The law: a bet against the true mean seldom wins 1/α, however long it goes on."""
    rng, mean, wrong, worlds = np.random.default_rng(1), better - worse, 0, 400
    shape = bets([0.0])
    for _ in range(worlds):
        drawn = rng.random(2000)
        differences = (drawn < better).astype(float) - ((drawn >= better) & (drawn < better + worse))
        for sign in (1, -1):
            bet = shape.shares[:, None] * ((1 + sign * differences) / (1 + sign * mean) - 1)
            won = np.log(np.maximum(1 + bet, 1e-300)).cumsum(axis=1)
            wrong += bool((np.logaddexp.reduce(shape.weights[:, None] + won, axis=0) >= shape.level).any())
            assert shape.level == pytest.approx(np.log(40))
    assert wrong <= worlds * 0.05 + 2 * np.sqrt(worlds * 0.05 * 0.95)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=40), st.randoms())
def test_order_changes_nothing_and_the_mirror_image_turns_it(values: list[float], random: Any) -> None:
    mixed = values.copy()
    random.shuffle(mixed)
    low, high = bets(values).interval()
    assert bets(mixed).interval() == pytest.approx((low, high), abs=1e-9)
    assert bets([-value for value in values]).interval() == pytest.approx((-high, -low), abs=1e-9)
    assert -1 <= low <= np.mean(values) + 1e-9
    assert np.mean(values) - 1e-9 <= high <= 1
    for mean in (-0.5, 0.0, 0.3):
        assert bets(values).rejects(mean, above=True) == (low > mean)
        assert bets(values).rejects(mean, above=False) == (high < mean)


def test_what_is_needed_is_what_then_suffices() -> None:
    values = np.repeat([1.0, 0.0, -1.0], [4, 90, 6])
    growth = bets(values).growth(0.05)
    assert 1 < growth < 20
    whole = int(np.ceil(growth))
    assert bets(np.tile(values, whole)).rejects(0.05, above=False)
    assert not bets(np.tile(values, int(growth))).rejects(0.05, above=False)
    assert bets([0.0] * 10).growth(0.0) == np.inf


def test_equal_runs_are_known_to_be_about_equal() -> None:
    """Without any discordant item, it takes little more than log(2/α) / margin of them."""
    alike = [1.0] * 2000
    old = run({"t": alike})
    looks = [size for size in range(50, 500, 10) if look(old, {"t": named(alike[:size])}).exit_code == 0]
    assert np.log(40) / 0.02 < looks[0] < 1.6 * np.log(40) / 0.02


def test_clusters_count_as_one_when_all_their_items_are_there() -> None:
    names = [f"doc {place // 5}" for place in range(500)]
    old = run({"t": [1.0] * 500}, clusters={"t": names})
    seen = look(old, {"t": named([0.0] * 23)})
    assert (seen.items, seen.waiting, seen.of) == (20, 3, 500)
    assert seen.effect == -1
    alone = look(run({"t": [1.0] * 100}), {"t": named([0.0] * 4)})
    assert (seen.low, seen.high) == pytest.approx((alone.low, alone.high), abs=1e-9)


def test_tasks_weigh_the_same_whatever_their_size_and_order() -> None:
    old = run({"a": [1.0] * 300, "b": [1.0] * 100})
    first = look(old, {"a": named([1.0] * 300)})
    assert (first.verdict, first.items, first.waiting) == ("go on", 0, 300)
    both = {"a": named([1.0] * 300), "b": named([0.0] * 100)}
    assert look(old, both).effect == pytest.approx(-0.5)
    weighed = look(old.with_task_weights({"a": 3}), both)
    assert weighed.effect == pytest.approx(-0.25)
    half = look(old, {"a": named([1.0] * 300), "b": named([0.0] * 50)})
    assert half.items == 200
    assert half.effect == pytest.approx(-0.5)


def test_metrics_of_the_same_items_are_one_unit() -> None:
    labels = {name: [f"doc {place}" for place in range(60)] for name in ("a", "b")}
    old = run({"a": [1.0] * 60, "b": [1.0] * 60}, instances=labels)
    after = {name: dict.fromkeys(labels[name][:30], 0.0) for name in labels}
    one = look(run({"t": [1.0] * 60}), {"t": named([0.0] * 30)})
    both = look(old, after)
    assert (both.items, both.of) == (60, 120)
    assert (both.low, both.high) == pytest.approx((one.low, one.high), abs=1e-9)


def test_directions_bounds_and_what_is_missing() -> None:
    old = podium.from_arrays({"t": [[50.0, np.nan, 20.0, 30.0]]}, systems=["m"], lower=["t"])
    after = {"t": {"0": 40.0, "1": 10.0, "2": np.nan, "9": 3.0}}
    seen = Baseline(old, margin="1%", bounds=(0, 100)).look(after)
    assert (seen.margin, seen.items, seen.of) == (1.0, 1, 3)
    assert seen.effect == pytest.approx(10.0)
    with pytest.raises(MethodError, match=r"a score of 50, and bounds are 0 and 1.*--bounds"):
        Baseline(old, margin=0.01)
    with pytest.raises(MethodError, match="bounds are"):
        Baseline(old, margin=0.01, bounds=(1, 0))
    with pytest.raises(InputError, match="no scored instances"):
        Baseline(podium.from_arrays({"t": [[np.nan, np.nan], [1.0, 1.0]]}).select(systems=["system 1"]), margin=0.1)


def test_an_item_with_repeats_to_come_does_not_count_yet(tmp_path: Path) -> None:
    for name, rows in (("old", 3), ("new", 2)):
        lines = [f"m,qa,q{item},{run},1" for item in range(40) for run in range(rows if item > 9 else 3)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["system,task,instance,run,score", *lines]))
    seen = next(podium.watch(tmp_path / "old.csv", tmp_path / "new.csv", margin=0.1, repeat_column="run"))
    assert (seen.items, seen.of) == (10, 40)


def test_arguments_that_make_no_sense_are_refused() -> None:
    old = run({"t": [1.0] * 30})
    with pytest.raises(MethodError, match="every is 0"):
        podium.watch(old, old, margin=0.1, every=0)
    with pytest.raises(MethodError, match="margin is -1"):
        podium.watch(old, old, margin=-1)
    with pytest.raises(InputError, match="the baseline and the new run"):
        podium.watch("runs/old", "runs/old", margin=0.1)


def table(path: Path, scores: Any) -> Path:
    lines = [f"m,qa,q{place},{score}" for place, score in enumerate(scores)]
    path.write_text("\n".join(["system,task,instance,score", *lines]) + "\n")
    return path


def command(*arguments: Any) -> int:
    code: int = app.main(["watch", *map(str, arguments)], prog_name="podium", standalone_mode=False)
    return code


def test_one_look_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = table(tmp_path / "old.csv", [1] * 300)
    for scores, code, said in (
        ([1] * 300, 0, "stop: not worse by more than 0.05"),
        ([0, 1] * 150, 1, "stop: worse by more than 0.05"),
        ([1, 0, 1], 3, "3 of 300 instances: difference −0.3"),
    ):
        new = table(tmp_path / "new.csv", scores)
        assert command(new, "--baseline", old, "--margin", "0.05", "--once") == code
        shown = capsys.readouterr().out
        assert shown.count("\n") == 1
        assert said in shown
    with pytest.raises(InputError, match="there is no file"):
        command(tmp_path / "no.csv", "--baseline", old, "--margin", "0.05", "--once")
    with pytest.raises(MethodError, match="of the form LOW,HIGH"):
        command(new, "--baseline", old, "--margin", "1", "--bounds", "0")
    with pytest.raises(InputError, match="one new run"):
        command(new, old, "--baseline", old, "--margin", "1")


def test_an_interruption_ends_with_its_own_code(tmp_path: Path) -> None:
    old, new = table(tmp_path / "old.csv", [1] * 300), table(tmp_path / "new.csv", [1] * 20)
    typed = [sys.executable, "-m", "podium", "watch", str(new), "--baseline", str(old), "--margin", "0.05"]
    with subprocess.Popen(typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert "go on" in running.stdout.readline()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=60) == 130


def test_it_waits_for_a_run_to_begin_and_stops_by_itself(tmp_path: Path) -> None:
    old, new = table(tmp_path / "old.csv", [1] * 300), tmp_path / "new.csv"
    looks = podium.watch(str(old), str(new), margin=0.05, every=0.01)
    first = next(looks)
    assert (first.items, first.verdict) == (0, "go on")
    assert "go on (after: there is no file" in str(first)
    table(new, [1] * 20)
    assert "go on: about" in str(next(looks))
    table(new, [1] * 300)
    assert [each.verdict for each in looks] == ["not worse"]
    table(new, [1, 0] * 2 + [1] * 296)
    [last] = podium.watch(str(old), str(new), margin=0.01)
    assert last.ended
    assert "the run has ended: unknown whether it is worse by more than 0.01" in str(last)


def test_runs_that_do_not_match_are_refused_at_once(tmp_path: Path) -> None:
    rows = [{"system": "m", "task": "t", "instance": f"q{place}", "score": 1} for place in range(60)]
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("\n".join(map(json.dumps, rows)))
    new.write_text("\n".join(json.dumps({**row, "instance": f"other {row['instance']}"}) for row in rows[:50]))
    with pytest.raises(InputError, match="no label in common"):
        next(podium.watch(str(old), str(new), margin=0.05, every=1))


def test_a_task_that_has_not_begun_is_named(tmp_path: Path) -> None:
    rows = [{"system": "m", "task": task, "instance": f"q{place}", "score": 1} for task in "ab" for place in range(60)]
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("\n".join(map(json.dumps, rows)))
    new.write_text("\n".join(map(json.dumps, rows[:50])))
    seen = next(podium.watch(str(old), str(new), margin=0.05))
    assert str(seen) == "0 of 120 instances; go on (nothing yet of b)"
    new.write_text(json.dumps(rows[0]))
    assert str(next(podium.watch(str(old), str(new), margin=0.05))) == "0 of 120 instances; go on (nothing yet of a, b)"


def test_items_without_a_score_may_have_failed() -> None:
    rng = np.random.default_rng(0)
    labels = {name: [f"{name} {k}" for k in range(400)] for name in ("qa", "safety")}
    values = {"qa": (rng.random((1, 400)) < 0.5).astype(float), "safety": np.ones((1, 400))}
    better = {"qa": np.ones((1, 400)), "safety": np.where(np.arange(400) < 250, 1.0, np.nan)[None]}
    old = podium.from_arrays(values, systems=["m"], instances=labels)
    assert [look.verdict for look in podium.watch(old, old, margin=0.1)] == ["not worse"]
    baseline = Baseline(old, margin=0.1)
    coming = {name: dict(zip(labels[name], own[0].tolist(), strict=True)) for name, own in better.items()}
    assert baseline.look(coming, ended=True).verdict == "not worse", "qa makes up for 150 failures"
    coming["qa"] = dict(zip(labels["qa"], values["qa"][0].tolist(), strict=True))
    found = Baseline(old, margin=0.1).look(coming, ended=True)
    assert (found.verdict, found.said) == ("go on", "150 instances have no score, and it may be worse if they failed")
