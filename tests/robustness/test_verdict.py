import re
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError, LabelError, MethodError
from podium.robustness.influence_result import Decisive, LeaveOneOut
from podium.robustness.study_result import Study, SweepResult
from podium.robustness.verdict import verdict
from podium.score.table import Scores
from support.robust import influence_of


def table(**options: object) -> Scores:
    return podium.simulate.gumbel(4, 5, 12, dispersion=0.3, rng=0, **options).scores  # type: ignore[arg-type]


def test_the_numbers_are_those_of_a_study_and_of_the_influence() -> None:
    scores = table()
    robust = podium.stress(scores, repeats=3, n_jobs=1)
    study = podium.study(scores, podium.stresses.usual(scores), repeats=3, exhaustive=True, n_jobs=1)
    assert robust.study.to_dict() == study.to_dict()
    assert robust.influence is not None
    assert robust.influence.to_dict() == podium.influence(scores, "borda", level="balanced").to_dict()


def test_only_some_stresses_change_none_of_their_numbers() -> None:
    scores = table()
    whole, part = (podium.stress(scores, only=only, repeats=3, n_jobs=1) for only in (None, ["tasks", "missing"]))
    assert [one.name for one in part.study.swept] == ["missing", "tasks"]
    np.testing.assert_array_equal(part.study.sweep("tasks").tau, whole.study.sweep("tasks").tau)


def test_the_verdict_is_about_the_first_method() -> None:
    robust = podium.stress(podium.datasets.toy_table1(), ["mean", "borda"], only=["tasks"], repeats=3, n_jobs=1)
    assert robust.verdict[0] == "A is first by mean; C is first by borda"
    assert robust.influence is not None
    assert (robust.influence.method, robust.influence.leader) == ("mean", "A")


def test_missing_scores_of_means_are_a_note_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robust = podium.stress(table(missing=0.2), ["mean"], only=["missing"], repeats=2, n_jobs=1)
    assert any("scores are missing, so systems" in note for note in robust.notes)


def test_a_table_of_two_systems_and_one_task_is_stressed_as_far_as_it_goes() -> None:
    robust = podium.stress(podium.from_dict({"A": {"t": 2.0}, "B": {"t": 1.0}}), repeats=2, n_jobs=1)
    assert [one.name for one in robust.study.swept] == ["clone"]
    assert robust.verdict[0] == "A is first by borda and mean"


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(LabelError, match=r"no stress 'mising'; did you mean 'missing'"):
        podium.stress(table(), only=["mising"])
    few = podium.from_dict({name: {"a": 1.0, "b": 2.0} for name in "ABC"})
    with pytest.raises(LabelError, match=r"'systems' does not fit this table, because it needs four systems"):
        podium.stress(few, only=["systems"])
    with pytest.raises(MethodError, match="no stress is chosen; choose some of"):
        podium.stress(table(), only=[])
    with pytest.raises(InputError, match="expected a path"):
        podium.stress(None)  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="there is no method 'meen'"):
        podium.stress(table(), ["meen"])


def test_large_tables_are_tried_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    assert podium.stress(table(), ["borda"], only="scale", leave_out=False, n_jobs=1).study.repeats == 200
    monkeypatch.setattr("podium.robustness.api.LARGE", 1)
    told: list[tuple[int, int | None]] = []
    progress: Any = lambda done, total: told.append((done, total))  # noqa: E731
    robust = podium.stress(table(), ["borda"], leave_out=False, n_jobs=1, progress=progress)
    assert robust.study.repeats == 10
    assert told[0] == (0, None), "while the stresses are chosen"


def test_what_cannot_be_is_refused_before_the_work() -> None:
    told: list[int] = []
    options: dict[str, Any] = {"repeats": 1, "n_jobs": 1, "progress": lambda done, _: told.append(done)}
    with pytest.raises(MethodError, match="keep is -1"):
        podium.stress(table(), keep=-1, **options)
    assert told == []


def test_stresses_that_do_not_go_with_the_scores_are_left_out_and_named() -> None:
    huge = podium.from_dict(
        {name: {"a": 1.7e308 * sign, "b": 1.6e308 * sign} for name, sign in (("X", 1), ("Y", -1), ("Z", 0.5))}
    )
    robust = podium.stress(huge, ["borda"], repeats=1, n_jobs=1)
    assert "corrupt" not in [one.name for one in robust.study.swept]
    assert any(
        note.startswith("stress 'corrupt' is left out: scores of task 'a' are too large") for note in robust.notes
    )
    with pytest.raises(MethodError, match="too large to be corrupted"):
        podium.stress(huge, ["borda"], only="corrupt", repeats=1, n_jobs=1)


def test_a_world_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match=r"not World; take the \.scores of it"):
        podium.stress(podium.simulate.gumbel(3, 2, 2, dispersion=1, rng=0))  # type: ignore[arg-type]


def test_one_method_and_one_stress_may_be_given_by_name() -> None:
    robust = podium.stress(table(), "mean", only="tasks", repeats=1, n_jobs=1)
    assert (robust.study.methods, [one.name for one in robust.study.swept]) == (("mean",), ["tasks"])


def swept(
    name: str, kept: list[float], strengths: list[float], methods: int = 1, *, listed: bool = True
) -> SweepResult:
    """A hundred cases, of which the first method keeps the first place in so many; others keep all."""
    shape = (methods, len(strengths), 100)
    held = np.ones(shape)
    held[0] = np.arange(100) < np.round(100 * np.array(kept))[:, None]
    none = np.zeros(shape[:2])
    return SweepResult(
        *(name, name, np.array(strengths), held.copy(), None, held, np.zeros((*shape[:2], 2)), none, none, none[0]),
        listed=np.full(len(strengths), listed),
    )


def study(
    *stresses: SweepResult, leaders: tuple[tuple[str, ...], ...] = (("A",),), methods: tuple[str, ...] = ("borda",)
) -> Study:
    return Study(("A", "B"), methods, leaders, stresses, 100, 0)


def test_methods_that_put_the_same_system_first_are_named_together() -> None:
    methods = ("borda:two", "borda:one", "mean")
    one = swept("missing", [1.0, 1.0], [0.0, 0.5], methods=3)
    said = verdict(study(one, leaders=(("A",), ("A",), ("B", "C")), methods=methods), None)
    assert said[0] == "A is first by borda:two and borda:one; B, C share the first place by mean"
    assert said[1] == "the next sentences are about the first place by borda:two"


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([1.0, 1.0, 1.0], "A stays first in all cases, even if 50% of the scores are missing"),
        ([1.0, 0.95, 0.92], "A stays first in at least 92% of all cases, even if 50% of the scores are missing"),
        ([1.0, 0.95, 0.7], "if 50% of the scores are missing, A stays first in 70% of all cases"),
        (
            [1.0, 0.8, 0.2],
            (
                "if 20% of the scores are missing, A stays first in 80% of all cases; "
                "if 50% of the scores are missing, in 20% of all cases"
            ),
        ),
        ([1.0, 0.3, 0.2], "if 20% of the scores are missing, A stays first in 30% of all cases"),
    ],
)
def test_a_stress_is_summed_up_by_when_the_first_place_is_in_danger(kept: list[float], said: str) -> None:
    assert verdict(study(swept("missing", kept, [0.0, 0.2, 0.5])), None)[1] == said


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([1.0, 1.0], "A stays first in at least 94% of the trials, even if 1 task is left out"),
        ([1.0, 0.85], "if 1 task is left out, A stays first in about 85% of the trials (73 to 93%)"),
        ([1.0, 0.51], "if 1 task is left out, A stays first in about half of the trials (37 to 65%)"),
        ([1.0, 0.0], "if 1 task is left out, A stays first in at most 6% of the trials"),
    ],
)
def test_what_chance_decides_has_an_interval(kept: list[float], said: str) -> None:
    one = swept("tasks", kept, [0.0, 1.0], listed=False)
    assert verdict(study(one), None)[1] == said
    ends = study(one).interval(one, together=True)
    alone = study(one).interval(one)
    assert ends[0][0, 1] <= alone[0][0, 1] <= kept[1] <= alone[1][0, 1] <= ends[1][0, 1]
    for number in re.findall(r"\d+(?=%| to)", said.partition("trials (")[2]):
        assert any(abs(100 * float(end[0, 1]) - int(number)) < 1 for end in ends), "the sentence rounds outwards"


def test_a_shared_first_place_counts_in_parts() -> None:
    one = swept("missing", [1.0, 1.0, 1.0], [0.0, 0.2, 0.5])
    kept = np.array(one.kept)
    kept[0, 1, :60], kept[0, 2] = 0.5, 1 / 3
    assert verdict(study(replace(one, kept=kept)), None)[1:] == (
        "if 20% of the scores are missing, A stays first in 70% of all cases; a shared first place counts in parts",
        "if 50% of the scores are missing, A stays first in 33% of all cases; a shared first place counts in parts",
    )


def test_of_many_leaders_and_of_long_names_sentences_stay_short() -> None:
    one = swept("missing", [1.0, 1.0], [0.0, 0.5])
    for leaders, who in ((("A", "B"), "the leaders stay"), (("A" * 40,), "the leader stays")):
        said = verdict(study(one, leaders=(leaders,)), None)[1]
        assert said == f"{who} first in all cases, even if 50% of the scores are missing"


def test_strengths_of_every_usual_stress_have_words() -> None:
    said = {
        "corrupt": (2, "the orders of 2 tasks are reversed"),
        "scale": (9, "one task's scores are 10 times as large"),
        "cells": (0.3, "30% of the (system, task) results are missing"),
        "instances": (0.004, "<1% of the instances are left out"),
        "hard": (0.5, "50% of the scores are missing, more of them on hard instances"),
        "tasks": (1, "1 task is left out"),
        "systems": (3, "3 systems are left out (if the leader is among them, the next one counts)"),
        "clone": (1, "one system is entered 2 times"),
        "mine": (0.25, "mine is at 0.25"),
    }
    for name, (strength, words) in said.items():
        sentence = verdict(study(swept(name, [1.0, 0.5], [0.0, strength])), None)[1]
        assert sentence == f"if {words}, A stays first in 50% of all cases"


def test_a_stress_of_strength_zero_alone_says_nothing() -> None:
    assert verdict(study(swept("missing", [1.0], [0.0])), None) == ("A is first by borda",)


def test_tasks_and_instances_that_decide_are_named() -> None:
    said = verdict(study(swept("missing", [1.0], [0.0])), influence_of(6, 4))
    assert said[1] == "the first place depends on task task 1: without it C is first"
    assert said[2] == "the first place depends on instance item 1 of task 1: without it C is first"


def test_where_no_single_task_decides_the_smallest_set_is_named() -> None:
    influence = influence_of(6, 0)
    assert influence.tasks is not None
    tasks = replace(influence.tasks, lead=np.full(6, 0.02), first=(("A",),) * 6, lost=0, shared=0)
    few = Decisive("tasks", ("task 1", "task 2"), 6, ("B",), smallest=True)
    many = Decisive("instances", tuple(map(str, range(7))), 1000, ("B",), smallest=False)
    instances = replace(tasks, tasks=("t",) * 6)
    influence = replace(influence, tasks=tasks, instances=instances, decisive=(few, many))
    said = verdict(study(swept("missing", [1.0], [0.0])), influence)
    assert said[1:] == (
        "the leader stays first when any one task is left out",
        "leaving out 2 of 6 tasks (task 1, task 2) puts B first; no smaller set does",
        "the leader stays first when any one instance is left out",
        "leaving out 7 of 1,000 instances (1%), the ones that help the leader most, puts B first",
    )


def test_the_steadiest_method_comes_last() -> None:
    one = swept("missing", [1.0, 0.5], [0.0, 0.5], methods=2)
    said = verdict(study(one, leaders=(("A",), ("A",)), methods=("borda", "mean")), None)
    assert said[-1] == "mean keeps its order best under these stresses, by mean tau; then borda"


def test_methods_that_are_equally_steady_are_named_together() -> None:
    one = swept("missing", [1.0, 1.0], [0.0, 0.5], methods=2)
    said = verdict(study(one, leaders=(("A",), ("A",)), methods=("borda", "mean")), None)
    assert said[-1] == "all methods keep their order equally well under these stresses"


def without(lead: list[float], kept: int | None = None) -> LeaveOneOut:
    every = np.array(lead)
    units = [f"i{index}" for index in range(len(lead))][:kept]
    first = [("B",) if value < 0 else ("A", "B") if value == 0 else () if np.isnan(value) else ("A",) for value in lead]
    size = len(units)
    return LeaveOneOut.among(every, units, every[:size], np.ones(size), first[:size], tasks=["t"] * size)


STAYS = "the leader stays first when any one"


DEPENDS = "the first place depends on"


@pytest.mark.parametrize(
    ("leads", "kept", "said"),
    [
        ([0.1, 0.2], None, [f"{STAYS} instance is left out"]),
        ([-0.1, 0.2], 0, [f"{DEPENDS} 1 instance"]),
        ([-0.1] * 50, 20, [f"{DEPENDS} instances i0, i1, i2, i3, i4 and 45 more: without any one of them B is first"]),
        (
            [0.0] * 31,
            20,
            [
                f"{STAYS} instance is left out",
                "the leader shares the first place without i0, i1, i2, i3, i4 and 26 more",
            ],
        ),
        ([np.nan, 1], None, ["without i0 the systems cannot be ranked", f"{STAYS} of the other instances is left out"]),
        ([np.nan], None, ["without i0 the systems cannot be ranked"]),
    ],
)
def test_instances_that_are_not_listed_count_too(leads: list[float], kept: int | None, said: list[str]) -> None:
    influence = replace(influence_of(6, 0), tasks=None, instances=without(leads, kept), decisive=())
    assert list(verdict(study(swept("missing", [1.0], [0.0])), influence)[1:]) == said


def test_a_shared_first_place_is_not_said_to_be_lost_by_one_of_them() -> None:
    shared = replace(influence_of(3, 4), leaders=("A", "C"), decisive=())
    said = verdict(study(swept("missing", [1.0], [0.0])), shared)
    assert said[1:] == ("the first place changes when one of these tasks is left out: task 1, task 3",)


def test_a_tenth_is_a_tenth_whatever_the_rounding() -> None:
    said = verdict(study(swept("tasks", [1.0, 0.9, 0.0], [0.0, 1.0, 2.0])), None)[1]
    assert (
        said == "if 1 task is left out, A stays first in 90% of all cases; if 2 tasks are left out, in 0% of all cases"
    )


def test_of_rankings_that_tie_all_systems_none_is_steadiest() -> None:
    flat = swept("missing", [0.0, 0.0], [0.0, 0.5], methods=2)
    flat = replace(flat, tau=np.zeros_like(flat.tau))
    assert len(verdict(study(flat, leaders=(("A",), ("A",)), methods=("borda", "mean")), None)) == 3


def test_cases_without_a_ranking_are_counted() -> None:
    one = swept("tasks", [1.0, 0.8, 0.3], [0.0, 1.0, 2.0])
    one = replace(one, unranked=np.array([[0.0, 0.0, 0.4]]))
    assert verdict(study(one), None)[1:] == (
        (
            "if 1 task is left out, A stays first in 80% of all cases; "
            "if 2 tasks are left out (no system can be ranked in 40%), in 30% of all cases"
        ),
    )


def test_a_lost_order_of_few_repeats_is_no_difference_between_methods() -> None:
    rng = np.random.default_rng(0)
    one = swept("tasks", [1.0, 0.8], [0.0, 1.0], methods=3, listed=False)
    tau = 0.5 + 0.1 * rng.normal(size=one.tau.shape)
    tau[1] += 0.001
    tau[2] -= 0.3
    methods, leaders = ("borda", "mean", "kemeny"), (("A",),) * 3
    said = verdict(study(replace(one, tau=tau), leaders=leaders, methods=methods), None)[-1]
    assert said == "borda and mean keep their order best under these stresses, by mean tau; then kemeny"
    few = replace(study(replace(one, tau=tau[..., :2], kept=one.kept[..., :2])), repeats=2)
    said = verdict(replace(few, leaders=leaders, methods=methods), None)[-1]
    assert said == "no method is known to keep its order better than another under these stresses, by mean tau"
