"""`podium.pool`: effects that are known already."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.words import significant
from podium.comparison.pooling import pool as pool_effects
from podium.errors import InputError, LabelError, MethodError


def test_it_is_what_pooling_says_on_the_scale_that_is_shown() -> None:
    y, v = np.array([0.2, 0.5, 0.3]), np.array([0.01, 0.02, 0.005])
    bare = pool_effects(y, v)
    kind: Any
    for kind, shown in (("given", lambda x: x), ("smd", lambda x: x), ("corr", np.tanh), ("or", np.exp)):
        analysis = podium.pool(y, v, kind=kind)
        summary = analysis.summary
        assert (summary.effect, summary.low, summary.high, summary.prediction_high) == pytest.approx(
            tuple(float(shown(x)) for x in (bare.estimate, bare.low, bare.high, bare.prediction_high))
        )
        assert (summary.tau2, summary.i2, summary.p) == pytest.approx(tuple(map(float, (bare.tau2, bare.i2, bare.p))))
        assert [one.effect for one in analysis.tasks] == pytest.approx(shown(y).tolist())
        assert [one.weight for one in analysis.tasks] == pytest.approx(bare.weight.tolist())


def test_labels_numbers_and_notes_come_along() -> None:
    analysis = podium.pool([0.1, 0.2], [1, 2], tasks=["a", "b"], n=[10, None], notes=["one row left out"])
    assert [(one.task, one.n) for one in analysis.tasks] == [("a", 10), ("b", None)]
    assert analysis.notes[0] == "one row left out"


def test_a_task_that_turns_the_answer_is_named() -> None:
    analysis = podium.pool([0.5, 0.5, 0.55, -1.5], [0.04] * 4, interval="normal")
    assert analysis.summary.low < 0 < analysis.summary.high
    assert "without task 4, the interval of the summary would no longer contain 0 (no effect)" in analysis.notes
    steady = podium.pool([0.5, 0.5, 0.55, 0.5], [0.01] * 4, interval="normal")
    assert not any(note.startswith("without") for note in steady.notes)
    lost = podium.pool([0.05, 0.05, 0.05, 0.9], [0.04] * 4, estimator="fixed", interval="normal")
    assert "without task 4, the interval of the summary would contain 0 (no effect)" in lost.notes


def test_effects_more_alike_than_by_chance_draw_a_note() -> None:
    alike = podium.pool([0.1, 0.11, 0.09], [0.01, 0.02, 0.02], interval="knapp-hartung")
    assert any("so plain Knapp–Hartung may be too narrow" in note for note in alike.notes)
    apart = podium.pool([0.1, 0.5, -0.3], [0.01, 0.02, 0.02], interval="knapp-hartung")
    assert not any("too narrow" in note for note in apart.notes)
    assert not any("too narrow" in note for note in podium.pool([0.1, 0.11, 0.09], [0.01, 0.02, 0.02]).notes)


def test_effects_that_agree_by_chance_look_no_surer_than_their_variances() -> None:
    near, equal = (podium.pool(y, [0.01] * 3).summary for y in ([0.3, 0.301, 0.299], [0.3] * 3))
    ends = (equal.low, equal.high, equal.prediction_low, equal.prediction_high)
    assert (near.low, near.high, near.prediction_low, near.prediction_high) == pytest.approx(ends, abs=1e-12)
    assert equal.low == pytest.approx(0.3 - 4.302653 * np.sqrt(0.01 / 3))


def test_an_interval_that_may_be_too_narrow_is_named() -> None:
    def said(ratio: float, k: int = 3, **how: Any) -> list[str]:
        analysis = podium.pool([0.1, 0.5, -0.3, 0.2, 0.7, 0.3][:k], [0.01, *[0.01 * ratio] * (k - 1)], **how)
        return [note for note in analysis.notes if "may be too narrow" in note]

    assert said(99) == said(5, interval="adhoc") == said(2, interval="knapp-hartung") == said(250, k=6) == []
    assert said(99, estimator="fixed", interval="normal") == []
    one_blunt = podium.pool([0.1, 0.5, -0.3, 0.2], [0.01, 0.01, 0.01, 10.0])
    assert not any("may be too narrow" in note for note in one_blunt.notes)
    hint = "with 3 tasks and variances that differ 1 : 150, this interval may be too narrow; take it as a hint"
    safe = "with 3 tasks and variances that differ 1 : 50, this interval may be too narrow; the default interval is not"
    assert said(150) == said(150, interval="adhoc") == [hint]
    assert said(50, interval="adhoc") == said(50, interval="knapp-hartung") == [safe]
    few = "with 3 tasks, this interval may be too narrow; the default interval is not"
    assert said(50, interval="normal") == said(1, interval="normal") == [few]
    assert all(len(note) <= 140 for note in said(3e12, interval="adhoc"))


def test_an_interval_of_the_variance_between_tasks_that_looks_wrong_is_explained() -> None:
    alike = podium.pool([0.3, 0.301, 0.299], [0.01] * 3)
    assert (alike.summary.tau2_low, alike.summary.tau2_high) == (0, 0)
    assert alike.details[0][0] == "τ² = 0 (no interval: effects are more alike than chance predicts)"
    apart = podium.pool([-4.7, -1.5, 0.2, -0.1, 0.1], [2.0, 2.0, 0.01, 0.01, 0.02])
    low, tau2, high = apart.summary.tau2_low, apart.summary.tau2, apart.summary.tau2_high
    assert not low <= tau2 <= high
    assert apart.details[0][0] == f"τ² = {significant(tau2)}"


def test_an_end_below_zero_keeps_its_sign() -> None:
    analysis = podium.pool([0.31, 0.05, 0.2, 0.1, 0.28], [0.0175, 0.01, 0.02, 0.015, 0.02])
    below = replace(analysis, summary=replace(analysis.summary, low=-0.0014, high=0.37))
    above = replace(analysis, summary=replace(analysis.summary, low=0.0014, high=0.37))
    assert "95% CI −0.001 to 0.37" in below.conclusion
    assert "95% CI 0.00 to 0.37" in above.conclusion
    for one, shown in ((below, "[−0.001, 0.37]"), (above, "[0.00, 0.37]")):
        assert f"  {shown}" in one.render()


def test_what_another_tool_does() -> None:
    y, v = [0.1, 0.5, -0.2, 0.3], [0.01, 0.02, 0.03, 0.01]
    like, same = podium.pool(y, v, like="ranger"), podium.pool(y, v, estimator="dl", interval="normal")
    assert like.to_dict() == same.to_dict()
    assert podium.pool(y, v, like="ranger", interval="knapp-hartung").interval == "knapp-hartung"
    cut = "τ² is cut off at 0; Ranger's released code goes below 0 here, so its numbers differ"
    assert cut not in like.notes
    assert cut in podium.pool([0.1, 0.11, 0.09], [0.01] * 3, like="ranger").notes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([], []), InputError, "at least one"),
        (([1.0, 2.0], [1.0]), InputError, "2 effects and 1 variances"),
        (([1.0], [0.0]), InputError, "variance 0.0; .* above 0"),
        (([np.nan], [1.0]), InputError, "effect nan"),
        (([1e120, 2e120], [1.0, 1.0]), InputError, r"'task 1' has effect 1e\+120 .* larger units"),
        (([1.0, 2.0], [1e200, 1e200]), InputError, "larger units"),
        (([1.0], [np.inf]), InputError, "variance inf"),
        (([[1.0]], [[1.0]]), InputError, "shape"),
        ((["a"], [1.0]), InputError, "effects must be a list of numbers"),
        (([1.0, 2.0], [[1.0], [1.0, 2.0]]), InputError, "variances must be a list of numbers"),
    ],
)
def test_numbers_that_make_no_sense(arguments: tuple[object, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        podium.pool(*arguments)  # type: ignore[arg-type]


def test_words_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="'a' appears twice"):
        podium.pool([1, 2], [1, 1], tasks=["a", "a"])
    for n in ([-3, 2], [2.5, 2]):
        with pytest.raises(InputError, match=r"n is .*; it must be a whole number"):
            podium.pool([1, 2], [1, 1], n=n)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="2 effects and 1 labels"):
        podium.pool([1, 2], [1, 1], tasks=["a"])
    with pytest.raises(MethodError, match="no kind of effect 'mda'"):
        podium.pool([1], [1], kind="mda")  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="no task 'c'"):
        podium.pool([1, 2], [1, 1], tasks=["a", "b"], groups={"x": ["c"]})


def test_ratios_too_large_for_a_number_are_infinite() -> None:
    summary = podium.pool([0.0, 3.0, 9.0], [0.1] * 3, kind="or", confidence_level=0.99999).summary
    assert summary.high == np.inf


def test_masked_effects_are_refused_and_not_pooled() -> None:
    with pytest.raises(InputError, match="effect nan"):
        podium.pool(np.ma.array([1.0, 9.0], mask=[False, True]), [1, 1])


def test_of_very_many_tasks_none_is_left_out_in_turn() -> None:
    many = podium.pool(np.zeros(501), np.ones(501))
    assert many.without == ()
    assert "there are 501 tasks, too many to leave each one out in turn" in many.notes
    assert len(podium.pool(np.arange(500.0), np.ones(500), estimator="dl").without) == 500


def test_groups_that_make_no_sense() -> None:
    with pytest.raises(LabelError, match="group 'x' names no task"):
        podium.pool([1, 2], [1, 1], groups={"x": []})
    with pytest.raises(LabelError, match="groups are given as headings"):
        podium.pool([1, 2], [1, 1], groups=["x"])  # type: ignore[arg-type]
    with pytest.raises(LabelError, match="named by text"):
        podium.pool([1, 2], [1, 1], tasks=[1, 2])  # type: ignore[list-item]


def test_other_tasks_come_last() -> None:
    analysis = podium.pool([1, 2, 3], [1, 1, 1], tasks=["a", "b", "c"], groups={"x": ["b", "c"]})
    assert [group.name for group in analysis.subgroups] == ["x", "other tasks"]


def test_how_effects_were_pooled_is_explained() -> None:
    analysis = podium.pool([0.1, 0.3, 0.2], [0.01, 0.02, 0.01], groups={"one": ["task 1"]})
    assert len(analysis.details) == 3
    assert analysis.view().notes == analysis.notes
    assert analysis.view().explain[-1] == "random effects, REML, Knapp–Hartung (factor ≥ 1, 1.8 df)"
