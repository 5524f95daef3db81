import warnings
from typing import Any

import numpy as np
import pytest

import podium
from podium.errors import InputError, LabelError, MethodError
from podium.score.table import Scores


def table(**options: object) -> Scores:
    return podium.simulate.gumbel(4, 5, 12, dispersion=0.3, rng=0, **options).scores  # type: ignore[arg-type]


def test_the_numbers_are_those_of_a_study_and_of_the_influence() -> None:
    scores = table()
    robust = podium.stress(scores, repeats=3, jobs=1)
    study = podium.study(scores, podium.stresses.usual(scores), repeats=3, exhaustive=True, jobs=1)
    assert robust.study.to_dict() == study.to_dict()
    assert robust.influence is not None
    assert robust.influence.to_dict() == podium.influence(scores, "borda", level="balanced").to_dict()


def test_only_some_stresses_change_none_of_their_numbers() -> None:
    scores = table()
    whole, part = (podium.stress(scores, only=only, repeats=3, jobs=1) for only in (None, ["tasks", "missing"]))
    assert [one.name for one in part.study.swept] == ["missing", "tasks"]
    np.testing.assert_array_equal(part.study["tasks"].tau, whole.study["tasks"].tau)


def test_the_verdict_is_about_the_first_method() -> None:
    robust = podium.stress(podium.datasets.toy_table1(), ["mean", "borda"], only=["tasks"], repeats=3, jobs=1)
    assert robust.verdict[0] == "A is first by mean; C is first by borda"
    assert robust.influence is not None
    assert (robust.influence.method, robust.influence.leader) == ("mean", "A")


def test_nothing_need_be_left_out() -> None:
    assert podium.stress(table(), only=["missing"], repeats=2, leave_out=False, jobs=1).influence is None


def test_missing_scores_of_means_are_a_note_and_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robust = podium.stress(table(missing=0.2), ["mean"], only=["missing"], repeats=2, jobs=1)
    assert any("scores are missing, so systems" in note for note in robust.notes)


def test_a_table_of_two_systems_and_one_task_is_stressed_as_far_as_it_goes() -> None:
    robust = podium.stress(podium.from_dict({"A": {"t": 2.0}, "B": {"t": 1.0}}), repeats=2, jobs=1)
    assert [one.name for one in robust.study.swept] == ["clone"]
    assert robust.verdict[0] == "A is first by borda and mean"


def test_everything_is_in_the_dictionary() -> None:
    content = podium.stress(table(), only=["missing"], repeats=2, jobs=1).to_dict()
    assert content["kind"] == "robustness"
    assert content["study"]["kind"] == "study"
    assert content["influence"]["kind"] == "influence"


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
    assert podium.stress(table(), ["borda"], only="scale", leave_out=False, jobs=1).study.repeats == 200
    monkeypatch.setattr("podium.robustness.api.LARGE", 1)
    told: list[tuple[int, int | None]] = []
    progress: Any = lambda done, total: told.append((done, total))  # noqa: E731
    robust = podium.stress(table(), ["borda"], leave_out=False, jobs=1, progress=progress)
    assert robust.study.repeats == 10
    assert told[0] == (0, None), "while the stresses are chosen"


def test_what_cannot_be_is_refused_before_the_work() -> None:
    told: list[int] = []
    options: dict[str, Any] = {"repeats": 1, "jobs": 1, "progress": lambda done, _: told.append(done)}
    with pytest.raises(MethodError, match="keep is -1"):
        podium.stress(table(), keep=-1, **options)
    assert told == []


def test_stresses_that_do_not_go_with_the_scores_are_left_out_and_named() -> None:
    huge = podium.from_dict(
        {name: {"a": 1.7e308 * sign, "b": 1.6e308 * sign} for name, sign in (("X", 1), ("Y", -1), ("Z", 0.5))}
    )
    robust = podium.stress(huge, ["borda"], repeats=1, jobs=1)
    assert "corrupt" not in [one.name for one in robust.study.swept]
    assert any(
        note.startswith("stress 'corrupt' is left out: scores of task 'a' are too large") for note in robust.notes
    )
    with pytest.raises(MethodError, match="too large to be corrupted"):
        podium.stress(huge, ["borda"], only="corrupt", repeats=1, jobs=1)


def test_a_world_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match=r"not World; take the \.scores of it"):
        podium.stress(podium.simulate.gumbel(3, 2, 2, dispersion=1, rng=0))  # type: ignore[arg-type]


def test_one_method_and_one_stress_may_be_given_by_name() -> None:
    robust = podium.stress(table(), "mean", only="tasks", repeats=1, jobs=1)
    assert (robust.study.methods, [one.name for one in robust.study.swept]) == (("mean",), ["tasks"])


def test_a_notebook_shows_the_verdict_with_labels_escaped() -> None:
    robust = podium.stress(podium.from_dict({"<b>": {"t": 2.0}, "B": {"t": 1.0}}), "mean", repeats=1, jobs=1)
    assert "<li>&lt;b&gt; is first by mean</li>" in robust._repr_html_()
