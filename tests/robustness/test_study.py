"""Studies: numbers of a plain loop that depend on the seed alone; and what a study says of them, by hand."""

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom

import podium
from podium import agreement
from podium.base.parallel import generator
from podium.base.words import percents
from podium.errors import InputError, LabelError, MethodError, PodiumWarning
from podium.robustness.study_result import Study, SweepResult
from podium.robustness.verdict import share_interval
from podium.score.table import Scores
from podium.simulate import World
from podium.stresses import CloneSystem, DropSystems, DropTasks, RemoveCells, RemoveScores, Rescale, Sweep

METHODS = ("mean", "borda:one", "kemeny:task")


WORLD = podium.simulate.gumbel(5, 4, 6, dispersion=0.15, missing=0.1, rng=3)


CELLS = Sweep("cells", RemoveCells, (0, 0.5, 0.9), "share of cells")


SCALE = Sweep("scale", Rescale, (0, 9, 99), "enlargement")


WORDS: Any = (0, "a")


ONE_TASK = podium.datasets.toy_table1().select(tasks=["Task1"])


NOTHING = podium.from_arrays({"t": [[np.nan], [np.nan]]}, systems=["A", "B"])


SYSTEMS = Sweep("systems", DropSystems, (0, 1, 3), "systems left out")


CLONE = Sweep("clone", CloneSystem, (0, 2), "copies")


SWEEPS = (CELLS, SCALE, SYSTEMS, CLONE)


def run(
    table: Any = WORLD, sweeps: Any = (CELLS, SCALE), methods: Any = METHODS, repeats: int = 4, **options: Any
) -> Any:
    return podium.study(table, sweeps, methods, repeats=repeats, **{"n_jobs": 1, **options})


def worlds(dispersion: float) -> Callable[[np.random.Generator], World]:
    def world(rng: np.random.Generator) -> World:
        return podium.simulate.gumbel(5, 3, 5, dispersion=dispersion, rng=rng)

    return world  # one that other processes need not import


drawn = worlds(0.2)


def named(rng: np.random.Generator) -> World:
    return drawn(rng)


def same(first: SweepResult, second: SweepResult) -> None:
    for name in ("strengths", "tau", "kept", "first", "unplaced", "unranked", "emptied"):
        assert_array_equal(getattr(first, name), getattr(second, name), name)
    assert (first.error is None) == (second.error is None)
    if first.error is not None and second.error is not None:
        assert_array_equal(first.error, second.error)


def ranks(scores: Scores, way: str) -> tuple[dict[str, float], str]:
    """Rank of each system, and what went wrong, if anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)
        try:
            rows = podium.rank(scores, way, confidence_level=None).rows()
        except MethodError:
            return dict.fromkeys(scores.systems, 1.0), "unranked"
    wrong = "" if all(row["rank"] for row in rows) else "unplaced"
    return {row["system"]: row["rank"] or len(rows) + 1 for row in rows}, wrong


def plainly(ground: Scores, truth: dict[str, int], stressed: Scores, way: str) -> dict[str, Any]:
    """What a stress did, by the functions that everybody calls."""
    (before, _), (after, wrong) = ranks(ground, way), ranks(stressed, way)
    common = [system for system in ground.systems if system in after]
    a, b, t = ([table[system] for system in common] for table in (before, after, truth))
    tau = agreement.kendall_tau(a, b)
    leaders = {system for system in common if before[system] == min(a)}
    first = [system for system in common if after[system] == min(b)]
    return {
        "tau": 0.0 if np.isnan(tau) else tau,
        "error": agreement.kendall_distance(t, b, normalised=True),
        "kept": len(leaders.intersection(first)) / len(first),
        "first": np.array([(system in first) / len(first) for system in ground.systems]),
        "unplaced": wrong == "unplaced",
        "unranked": wrong == "unranked",
    }


def key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


def test_numbers_are_those_of_a_plain_loop() -> None:
    repeats = 3
    study = run(sweeps=SWEEPS, repeats=repeats, rng=5)
    truth = dict(zip(WORLD.scores.systems, WORLD.truth.tolist(), strict=True))
    told = 0
    for sweep in SWEEPS:
        one = study.sweep(sweep.name)
        for s, strength in enumerate(sweep.strengths):
            tables = [
                sweep.stress(strength)(WORLD.scores, generator(5, 1, key(sweep.name), repeat))
                for repeat in range(repeats)
            ]
            for m, way in enumerate(METHODS):
                found = [plainly(WORLD.scores, truth, table, way) for table in tables]
                assert_allclose(one.tau[m, s], [f["tau"] for f in found], rtol=1e-15)
                assert_allclose(one.error[m, s], [f["error"] for f in found], rtol=1e-15)
                assert_array_equal(one.kept[m, s], [f["kept"] for f in found])
                assert_allclose(one.first[m, s], np.mean([f["first"] for f in found], axis=0), rtol=1e-15)
                assert one.unplaced[m, s] == pytest.approx(np.mean([f["unplaced"] for f in found]))
                assert one.unranked[m, s] == pytest.approx(np.mean([f["unranked"] for f in found]))
                told += sum(f["tau"] < 1 for f in found)
    assert told > 20, "stresses do something"
    assert study.leaders == tuple(
        tuple(system for system, rank in ranks(WORLD.scores, way)[0].items() if rank == 1) for way in METHODS
    )


def test_a_world_for_every_repeat() -> None:
    study = run(drawn, sweeps=[SCALE], methods=["mean"], repeats=6, rng=5)
    one = study.sweep("scale")
    for repeat in range(6):
        world = drawn(generator(5, 0, repeat))
        truth = dict(zip(world.scores.systems, world.truth.tolist(), strict=True))
        for s, strength in enumerate(SCALE.strengths):
            stressed = Rescale(strength)(world.scores, generator(5, 1, key("scale"), repeat))
            found = plainly(world.scores, truth, stressed, "mean")
            assert one.tau[0, s, repeat] == pytest.approx(found["tau"])
            assert one.error[0, s, repeat] == pytest.approx(found["error"])
            assert one.kept[0, s, repeat] == found["kept"]
    assert study.leaders == ()
    assert len(set(one.error[0, 0].tolist())) > 1, "worlds differ"


@pytest.mark.parametrize("table", [WORLD, WORLD.scores, drawn], ids=["world", "scores", "worlds"])
def test_without_stress_nothing_moves(table: Any) -> None:
    study = run(table, sweeps=SWEEPS)
    for one in study.swept:
        assert_array_equal(one.tau[:, 0], 1)
        assert_array_equal(one.kept[:, 0], 1)
        assert not one.emptied[0]
    assert study.has_truth == (table is not WORLD.scores)


def test_processes_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in (WORLD, drawn):
        alone = run(table, repeats=6)
        for one, other in zip(alone.swept, run(table, repeats=6, n_jobs=2).swept, strict=True):
            same(one, other)
        monkeypatch.setattr("podium.robustness.study.LARGE", 1)
        for one, other in zip(alone.swept, run(table, repeats=6, n_jobs=2).swept, strict=True):
            same(one, other)
        monkeypatch.undo()


@pytest.mark.parametrize("batch", [0.0, 0.5, 1e9])
@pytest.mark.parametrize("large", [1, 10**9])
def test_every_world_is_drawn_once(batch: float, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[float] = []

    def counted(rng: np.random.Generator) -> World:
        world = drawn(rng)
        times.append(float(world.scores.tasks[0].values[0, 0]))
        return world

    monkeypatch.setattr("podium.robustness.study._BATCH", batch)
    monkeypatch.setattr("podium.robustness.study.LARGE", large)
    run(counted, sweeps=[replace(SCALE, name=str(number)) for number in range(9)], methods=["mean"], repeats=3)
    assert len(set(times)) == 3
    assert len(times) == 4, "one more, to see whether all is well"


@pytest.mark.parametrize("large", [1, 10**9])
def test_linear_algebra_has_one_thread_wherever_numbers_come_from(large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from threadpoolctl import threadpool_info, threadpool_limits

    def threads() -> int:
        return max(int(library["num_threads"]) for library in threadpool_info())

    seen: list[int] = []

    def watched(scores: Scores, rng: np.random.Generator) -> Scores:
        seen.append(threads())
        return RemoveScores(0.5)(scores, rng)

    def world(rng: np.random.Generator) -> World:
        seen.append(threads())
        return drawn(rng)

    monkeypatch.setattr("podium.robustness.study.LARGE", large)
    with threadpool_limits(limits=2):
        assert threads() == 2
        run(world, sweeps=[Sweep("watched", lambda _: watched, (1,), "none")], methods=["mean"], repeats=2)
    beforehand = [2] if large > 1 else []  # a large table is not stressed only to see whether that can be done
    assert sorted(seen) == [1, 1, 1, 1, 1, *beforehand]


def test_the_progress_of_a_large_table_begins_before_its_first_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int | None]] = []
    monkeypatch.setattr("podium.robustness.study.LARGE", 1)
    run(repeats=1, progress=lambda done, total: told.append((done, total)))
    assert told == [(done, 6) for done in range(7)]


@pytest.mark.parametrize("table", [WORLD, drawn], ids=["world", "worlds"])
def test_what_else_is_studied_does_not_matter(table: Any) -> None:
    whole = run(table, repeats=4)
    same(run(table, sweeps=[SCALE], repeats=4).sweep("scale"), whole.sweep("scale"))
    same(run(table, sweeps=[SCALE, CELLS], repeats=4).sweep("scale"), whole.sweep("scale"))
    fewer = run(table, [replace(CELLS, strengths=(0.5, 0.9))], ["kemeny:task", "mean"]).sweep("cells")
    assert_array_equal(fewer.tau, whole.sweep("cells").tau[[2, 0]][:, [1, 2]])
    assert_array_equal(fewer.kept, whole.sweep("cells").kept[[2, 0]][:, [1, 2]])
    assert_array_equal(fewer.first, whole.sweep("cells").first[[2, 0]][:, [1, 2]])
    longer = run(table, repeats=6).sweep("cells")
    assert_array_equal(longer.tau[..., :4], whole.sweep("cells").tau)
    assert_array_equal(longer.kept[..., :4], whole.sweep("cells").kept)


@pytest.mark.parametrize("strengths", [[0, 1, 2], range(3), np.arange(3)])
def test_strengths_may_be_any_sequence(strengths: Any) -> None:
    one: Any = 3
    sweep = Sweep("tasks", DropTasks, strengths, "tasks left out")
    assert sweep == Sweep("tasks", DropTasks, (0, 1, 2), "tasks left out")
    assert repr(sweep.strengths) == "(0, 1, 2)"
    assert run(sweeps=[sweep]).sweep("tasks").strengths.tolist() == [0, 1, 2]
    with pytest.raises(MethodError, match=r"strengths of stress 'tasks' are 3; give several, as in \(0, 1, 2\)"):
        Sweep("tasks", DropTasks, one, "tasks left out")


def test_names_and_seeds_do_matter() -> None:
    first = run(sweeps=[CELLS]).sweep("cells")
    assert (first.tau != run(sweeps=[replace(CELLS, name="holes")]).sweep("holes").tau).any()
    assert (first.tau != run(sweeps=[CELLS], rng=1).sweep("cells").tau).any()


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    numbers: Any = {"rng": np.int64(-3), "repeats": np.uint8(2), "n_jobs": np.int64(1)}
    study = run(**numbers)
    same(study.sweep("cells"), run(rng=-3, repeats=2).sweep("cells"))
    assert json.loads(json.dumps(study.to_dict()))["seed"] == -3


def test_every_outcome_is_told() -> None:
    told: list[tuple[int, int | None]] = []
    run(repeats=3, progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told)
    assert told[-1] == (18, 18)  # strengths of two stresses


def test_what_a_stress_empties_is_counted_and_said() -> None:
    study = run(sweeps=[Sweep("missing", RemoveScores, (0, 0.95, 1.0), "share")], methods=["mean", "borda:two"])
    one = study.sweep("missing")
    assert_array_equal(one.emptied[[0, 2]], [0, 1])
    assert_array_equal(one.unranked[:, [0, 2]], [[0, 1], [0, 1]])
    assert_array_equal(one.unplaced[:, [0, 2]], 0)
    # nothing to rank by: all tie
    assert_array_equal(one.tau[:, 2], 0)
    assert_array_equal(one.error[:, 2], 0.5)
    assert_array_equal(one.kept[:, 2], 0.2)
    assert_array_equal(one.first[:, 2], 0.2)
    low = study.interval(one, "emptied")[0][2]
    assert 0 < low < 1, "it is left to chance"
    ends = percents(low, 1.0)
    empty = f"missing at 1: a system or task has no score left in {ends} of the cases"
    assert study.notes == (f"{empty}; no system can be ranked by mean ({ends}), borda:two ({ends})",)
    several = ["mean", "borda:two", "copeland:two", "median", "iqm"]
    first, second = run(sweeps=[Sweep("missing", RemoveScores, (0, 1.0), "share")], methods=several).notes
    assert first == empty, "a note that would be too long is two"
    assert second.startswith(
        f"missing at 1: no system can be ranked by mean ({ends}), borda:two ({ends}), copeland:two ({ends}) and"
    )


def test_what_a_method_cannot_rank_is_said() -> None:
    methods = ["mean", "bradley-terry"]
    toy, sweeps = podium.datasets.toy_table1(), [Sweep("tasks", DropTasks, (0, 5), "tasks left out")]
    study = run(toy, sweeps, methods)
    assert_array_equal(study.sweep("tasks").unranked, [[0, 0], [0, 1]])
    assert_array_equal(study.sweep("tasks").unplaced, 0)
    assert_array_equal(study.sweep("tasks").tau[1, 1], 0)
    assert study.notes == ("tasks at 5: no system can be ranked by bradley-terry (30–100%)",)
    listed = run(
        podium.datasets.toy_table1(), [Sweep("tasks", DropTasks, (0, 5), "tasks left out")], methods, 9, exhaustive=True
    )
    assert listed.notes == ("tasks at 5: no system can be ranked by bradley-terry (100%)",)
    bare = run(podium.datasets.xtreme_missing(), [SCALE], ["borda", "mean"])
    assert_array_equal(bare.sweep("scale").unplaced, [[1, 1, 1], [1, 1, 1]])
    assert_array_equal(bare.sweep("scale").unranked, 0)
    assert len(bare.notes) == 1
    assert bare.notes[0].startswith("even without stress, some systems have no place by ")


def test_usual_methods_fit_the_table() -> None:
    assert run(methods=None, repeats=1).methods == ("borda:balanced", "borda:two", "mean")
    small = podium.datasets.toy_table1()
    assert run(small, sweeps=[SCALE], methods=None, repeats=1).methods == ("borda", "mean")
    assert run(methods="median", repeats=1).methods == ("median",)
    assert run(small, sweeps=[SCALE], methods=["kemeny", "mean"], repeats=1).methods == ("kemeny", "mean")


def refuse(_scores: Scores, _rng: np.random.Generator) -> Scores:
    raise MethodError("it will not do")


def renamed(scores: Scores, _: np.random.Generator) -> Scores:
    return replace(scores, systems=tuple("abcde"))


def no_table(_: float) -> Any:
    return lambda scores, _: scores.systems


def strange(rng: np.random.Generator) -> World:
    world = drawn(rng)
    return world if rng.random() < 0.3 else replace(world, scores=renamed(world.scores, rng))


@pytest.mark.parametrize(
    ("asked", "error", "complaint"),
    [
        ({"sweeps": []}, MethodError, r"no stresses to study; give some, such as podium.stresses.usual\(scores\)"),
        ({"sweeps": [replace(CELLS, strengths=())]}, MethodError, "stress 'cells' has no strengths; give some"),
        ({"sweeps": [replace(SCALE, strengths=(999, 9, 0))]}, MethodError, "'scale' do not increase"),
        ({"sweeps": [replace(SCALE, strengths=(0, 9, 9))]}, MethodError, "do not increase; give them from weak to st"),
        ({"sweeps": [replace(SCALE, strengths=WORDS)]}, MethodError, "a strength of stress 'scale' is 'a'; give fi"),
        ({"sweeps": [replace(SCALE, strengths=(0, np.nan))]}, MethodError, "a strength of stress 'scale' is nan; give"),
        ({"sweeps": [replace(SCALE, strengths=(0, np.inf))]}, MethodError, "a strength of stress 'scale' is inf; give"),
        ({"sweeps": [replace(SCALE, strengths=(0, 10**400))]}, MethodError, "a strength of stress 'scale' is 1000000"),
        ({"sweeps": [CELLS, CELLS]}, MethodError, "stress 'cells' is given twice; remove one, or give it another"),
        ({"sweeps": [replace(SCALE, strengths=(-2, 0))]}, MethodError, "stress 'scale' at -2: the enlargement is -2"),
        ({"sweeps": [replace(SYSTEMS, strengths=(0, 9))]}, MethodError, "stress 'systems' at 9: .*systems"),
        ({"sweeps": [replace(CELLS, stress=lambda _: refuse)]}, MethodError, "stress 'cells' at 0: it will not do"),
        ({"sweeps": [replace(CELLS, stress=no_table)]}, MethodError, "stress 'cells' at 0: expected Scores, not tuple"),
        ({"sweeps": [replace(CELLS, stress=lambda _: renamed)]}, MethodError, "leaves none of the systems, so"),
        ({"methods": []}, MethodError, "no methods to study; give some, such as 'mean' and 'borda'"),
        ({"methods": ["maen"]}, MethodError, "there is no method 'maen'; did you mean 'mean'"),
        ({"methods": ["borda:on"]}, MethodError, "there is no level 'on'; did you mean 'one'"),
        ({"methods": ["mean", "borda", "mean"]}, MethodError, "method 'mean' is given twice"),
        ({"methods": [3]}, LabelError, "methods are named by text, such as '3', not by 3"),
        ({"repeats": 0}, MethodError, "repeats is 0; it must be a whole number, at least 1"),
        ({"repeats": 2.5}, MethodError, "repeats is 2.5; it must be a whole number"),
        ({"rng": "x"}, MethodError, "rng is 'x'; it must be a whole number"),
        ({"n_jobs": 0}, MethodError, "n_jobs is 0; it must be a whole number, at least 1"),
        ({"table": None}, InputError, "expected a path, a frame, a dictionary, arrays or podium.Scores, not NoneType"),
        ({"table": lambda rng: rng}, InputError, "a function that draws a World, not one that returns Generator"),
        ({"table": strange, "repeats": 9}, InputError, "the world of repeat . has other systems than that of repeat 0"),
        ({"table": WORLD.scores.select(systems=["system 1"])}, MethodError, "there is only one system, 'system 1'"),
        ({"table": NOTHING}, MethodError, "every score is missing"),
        ({"table": ONE_TASK, "methods": ["bradley-terry"]}, MethodError, "the likelihood has no maximum"),
    ],
)
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_what_cannot_be_is_refused(asked: dict[str, Any], error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        run(**asked)


def test_a_stress_that_fails_late_says_where() -> None:
    def late(scores: Scores, rng: np.random.Generator) -> Scores:
        if rng.random() < 0.5:
            raise MethodError("it will not do")
        return scores

    sweep = Sweep("late", lambda _: late, (1,), "nothing")
    for jobs in (1, 2):
        with pytest.raises(MethodError, match="stress 'late' at 1: it will not do"):
            run(sweeps=[sweep], methods=["mean"], repeats=30, n_jobs=jobs)


def test_methods_with_options_are_told_apart() -> None:
    specs = [podium.MethodSpec("wins", missing=missing) for missing in (None, "direct")]
    found = run(methods=specs, repeats=2)
    assert found.methods == ("wins", "wins (missing=direct)")


def test_all_cases_are_those_of_a_plain_loop() -> None:
    toy = podium.datasets.toy_table1()
    study = podium.stress(toy, ["borda"], only="tasks", repeats=20, leave_out=False, n_jobs=1).study
    (one,) = study.swept
    assert one.tries.tolist() == [1, 6, 15, 20, 15, 6]
    for s, lost in enumerate(range(6)):
        kept = []
        for some in combinations(range(6), 6 - lost):
            rows = podium.rank(replace(toy, tasks=tuple(toy.tasks[t] for t in some)), confidence_level=None).rows()
            first = [row["system"] for row in rows if row["rank"] == 1]
            kept.append(("C" in first) / len(first))
        assert one.mean("kept")[0, s] == pytest.approx(np.mean(kept))


def test_intervals_of_shares_hold_at_least_as_often_as_they_say() -> None:
    for p in (0.01, 0.1, 0.37, 0.5):
        number = np.arange(41)
        low, high = share_interval(number / 40, 40, 0.05)
        missed = binom.pmf(number, 40, p)[(low > p) | (high < p)].sum()
        assert missed <= 0.05


def swept(*, error: bool = True) -> SweepResult:
    """Two methods, three strengths, four repeats, two systems."""
    tau = np.array([[[1, 1, 1, 1], [1, 1, 1, -1], [1, -1, -1, -1]], [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0.0]]])
    return SweepResult(
        name="cells",
        axis="share of cells removed",
        strengths=np.array([0.0, 0.5, 0.9]),
        tau=tau,
        error=(1 - tau) / 2 if error else None,
        kept=np.array([[[1, 1, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0]], [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0.5]]]),
        first=np.array([[[1, 0], [0.75, 0.25], [0.25, 0.75]], [[1, 0], [1, 0], [0.875, 0.125]]]),
        unplaced=np.array([[0, 0, 0.25], [0, 0, 0]]),
        unranked=np.array([[0, 0, 0.5], [0, 0, 0]]),
        emptied=np.array([0, 0, 0.5]),
    )


def study(**changes: Any) -> Study:
    fields = {
        "systems": ("A", "B"),
        "methods": ("mean", "borda:one"),
        "leaders": (("A",), ("A",)),
        "swept": (swept(),),
        "repeats": 4,
        "seed": 7,
        "notes": ("something",),
    }
    return Study(**{**fields, **changes})


def test_a_mean_of_a_half_is_a_half_whatever_the_rounding() -> None:
    thirds = np.random.default_rng(1).permutation(np.repeat([1 / 3, 2 / 3], 50))
    assert thirds.mean() < 0.5  # by rounding
    shared = replace(swept(), kept=np.broadcast_to(thirds, (2, 3, 100)))
    assert study(swept=(shared,)).breakdown("kept") == {"cells": {"mean": None, "borda:one": None}}


def test_rows_have_mean_spread_and_quantiles() -> None:
    rows = study().rows()
    assert len(rows) == 3 * 2 * 3
    row = next(r for r in rows if (r["strength"], r["method"], r["measure"]) == (0.9, "mean", "tau"))
    assert row == {
        "stress": "cells",
        "strength": 0.9,
        "method": "mean",
        "measure": "tau",
        "mean": -0.5,
        "low": pytest.approx(-0.5 - 3.18245 / 2, abs=1e-5),  # Student, three degrees of freedom
        "high": pytest.approx(-0.5 + 3.18245 / 2, abs=1e-5),
        "sd": 1.0,  # squared deviations 2.25, 0.25, 0.25, 0.25, over 3
        "q05": -1.0,
        "q25": -1.0,
        "median": -1.0,
        "q75": -0.5,  # a quarter of the way from −1 to 1, and at 95 % by 0.85 of it
        "q95": pytest.approx(0.7),
        "repeats": 4,
        "listed": 0,
        "unplaced": 0.25,
        "unranked": 0.5,
        "emptied": 0.5,
    }


def test_breakdown_is_the_first_strength_past_the_bound() -> None:
    assert study().breakdown() == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("tau") == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("error") == {"cells": {"mean": None, "borda:one": None}}  # at ¾ at most
    assert study().breakdown("kept", at=0.8) == {"cells": {"mean": 0.5, "borda:one": None}}
    assert study().breakdown("kept", at=0.75) == {"cells": {"mean": 0.9, "borda:one": None}}
    assert study().breakdown("error", at=0.12) == {"cells": {"mean": 0.5, "borda:one": 0.9}}
    assert study().breakdown("error", at=0.125) == {"cells": {"mean": 0.5, "borda:one": None}}


def test_winners_are_who_is_ever_first() -> None:
    rows = study().winners()
    assert {(r["strength"], r["method"], r["system"]): r["first"] for r in rows} == {
        (0.0, "mean", "A"): 1,
        (0.5, "mean", "A"): 0.75,
        (0.5, "mean", "B"): 0.25,
        (0.9, "mean", "A"): 0.25,
        (0.9, "mean", "B"): 0.75,
        (0.0, "borda:one", "A"): 1,
        (0.5, "borda:one", "A"): 1,
        (0.9, "borda:one", "A"): 0.875,
        (0.9, "borda:one", "B"): 0.125,
    }
    assert {r["stress"] for r in rows} == {"cells"}


def test_without_truth_there_are_no_errors() -> None:
    silent = study(swept=(swept(error=False),))
    assert not silent.has_truth
    assert {row["measure"] for row in silent.rows()} == {"tau", "kept"}
    assert set(silent.to_dict()["breakdown"]) == {"tau", "kept"}
    with pytest.raises(MethodError, match="no truth in this study, so it has no errors; ask for 'tau' or 'kept'"):
        silent.breakdown("error")


def test_of_one_repeat_there_is_no_spread() -> None:
    one = swept()
    others = ("name", "axis", "strengths", "first", "unplaced", "unranked", "emptied")
    short = SweepResult(**{
        **{name: getattr(one, name) for name in others},
        **{name: getattr(one, name)[..., :1] for name in ("tau", "error", "kept")},
    })  # fmt: skip
    assert {row["sd"] for row in study(swept=(short,), repeats=1).rows()} == {None}


def test_stresses_and_measures_are_known_by_name() -> None:
    assert study().sweep("cells").axis == "share of cells removed"
    with pytest.raises(LabelError, match="there is no stress 'cell'; did you mean 'cells'"):
        study().sweep("cell")
    with pytest.raises(LabelError, match="there is no measure 'taus'; did you mean 'tau'"):
        study().breakdown("taus")
    with pytest.raises(ValueError, match="read-only"):
        study().sweep("cells").tau[0, 0, 0] = 2
