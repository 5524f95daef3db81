"""Histories: laws, sums of causes, paired standard errors, and what is more than noise."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import podium
from podium.errors import InputError, LabelError, MethodError, NoMaximumError
from podium.timeline.result import HistoryStep
from support.versions import FEW, table

Floats = NDArray[np.float64]


def drawn(seed: int, n_systems: int = 6, n_tasks: int = 3, size: int = 60) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    return {f"t{task}": rng.normal(size=(n_systems, size)) for task in range(n_tasks)}


def rerun(values: dict[str, Floats], row: int, seed: int, gain: float = 0.0) -> dict[str, Floats]:
    rng = np.random.default_rng(seed)
    changed = {task: rows.copy() for task, rows in values.items()}
    for rows in changed.values():
        rows[row] = rng.normal(size=rows.shape[1]) + gain
    return changed


def essence(step: HistoryStep) -> object:
    """What is said of a step, without the last digits."""
    moves = [
        (name, move.rank, *(round(number, 9) for number in (move.change, move.std_error)), move.surely)
        for name, move in step.moves
    ]
    pairs = [(one.winner, one.loser, round(one.p, 9), one.surely, one.cause) for one in step.overtakings]
    return moves, pairs, step.tested, step.entered, step.left


@pytest.mark.parametrize("method", ["borda", "mean", "borda:one", "borda:two", "kemeny", "copeland"])
def test_the_same_table_twice_is_no_change(method: str) -> None:
    scores = table(drawn(0, 4, 2, 20), "ABCD")
    step = podium.history({"a": scores, "b": scores}, method, **FEW).steps[1]
    assert step.overtakings == ()
    assert all((move.rank, move.change, move.rescored) == (0, 0.0, 0) for _, move in step.moves)
    assert not any(move.surely for _, move in step.moves)
    assert step.tested == ("all" if method in {"borda", "mean", "borda:one"} else "")


def test_what_gains_much_is_noticed_and_what_stayed_is_known_exactly() -> None:
    values = drawn(1)
    last = podium.rank(table(values), "mean", confidence_level=None).systems[-1]
    later = rerun(values, "ABCDEF".index(last), 2, gain=2.0)
    step = podium.history({"a": table(values), "b": table(later)}, "mean", **FEW).steps[1]
    sure = [one for one in step.overtakings if one.surely]
    assert {one.winner for one in sure} == {last}
    assert {one.cause for one in sure} == {"scores"}
    assert len(sure) == 5
    moves = dict(step.moves)
    assert {name for name, move in moves.items() if move.std_error > 1e-12} == {last}
    assert (moves[last].rank, moves[last].rescored, moves[last].surely) == (5, 180, True)


@pytest.mark.parametrize("method", ["mean", "borda"])
def test_a_changed_score_is_said_without_a_rank_swap_unless_other_systems_may_cause_it(method: str) -> None:
    values = drawn(1)
    first = podium.rank(table(values), method, confidence_level=None).systems[0]
    later = rerun(values, "ABCDEF".index(first), 2, gain=3.0)
    for end, field in ((6, "ABCDEF"), (5, "ABCDE")):
        after = table({task: rows[:end] for task, rows in later.items()}, field)
        history = podium.history({"a": table(values), "b": after}, method, **FEW)
        step, moves = history.steps[1], dict(history.steps[1].moves)
        named = {name for name, move in moves.items() if move.score_surely}
        tested = end == 6 or method == "mean"
        assert named == ({first} if tested else set()), "what others lose by borda is not said of them"
        assert not [one for one in step.overtakings if one.winner == first]
        assert all((move.p == move.p) == tested for move in moves.values())  # NaN is not tested
        said = f"in b the score changed by more than noise: {first} +"
        assert any(sentence.startswith(said) for sentence in history.view().verdict) == tested
    five = podium.history({name: table((values, later)[name in "bd"]) for name in "abcde"}, method, **FEW)
    alone = podium.history({"a": table(values), "b": table(later)}, method, **FEW)
    once, often = (dict(one.steps[1].moves)[first].p for one in (alone, five))
    assert often == pytest.approx(4 * once)


@pytest.mark.parametrize(("gain", "surely"), [(0.15, False), (0.2, True)])  # p of one step: 0.021 and 0.006
def test_p_values_are_adjusted_for_the_steps_in_which_scores_changed(gain: float, surely: bool) -> None:
    values = drawn(1)
    last = podium.rank(table(values), "mean", confidence_level=None).systems[-1]
    before, after = table(values), table(rerun(values, "ABCDEF".index(last), 2, gain=gain))
    two = podium.history({"a": before, "b": after}, "mean", **FEW).steps[1]
    steps = {"a": before, "b": after, "same": after, "c": before, "d": after}
    long = podium.history(steps, "mean", **FEW)
    assert long.steps[2].overtakings == ()
    for step in (long.steps[1], long.steps[4]):
        expected = {(one.winner, one.loser): min(3 * one.p, 1.0) for one in two.overtakings}
        assert {(one.winner, one.loser): one.p for one in step.overtakings} == pytest.approx(expected)
        assert {one.surely for one in step.overtakings} == {surely}
        named = {name for one in step.overtakings if one.surely for name in (one.winner, one.loser)}
        assert {name for name, move in step.moves if move.surely} == named
    assert {one.surely for one in two.overtakings} == {True}
    assert "stars are adjusted for 3 steps with changes: at most 5% of histories have a false one" in long.notes


def test_the_standard_error_is_that_of_paired_instances() -> None:
    values = drawn(3, n_tasks=2, size=200)
    later = {task: rows + 0.1 * np.random.default_rng(4).normal(size=rows.shape) for task, rows in values.items()}
    step = podium.history({"a": table(values), "b": table(later)}, "mean", n_resamples=2000, n_jobs=1).steps[1]
    for row, (_, move) in enumerate(step.moves):
        difference = np.array([later[task][row] - values[task][row] for task in values])
        by_hand = np.sqrt((difference.var(axis=1, ddof=1) / 200).sum()) / 2
        assert move.std_error == pytest.approx(by_hand, rel=0.08)  # 2,000 replicates know it to 1.6 %
        assert move.change == pytest.approx(difference.mean(), abs=1e-12)


def test_few_units_need_the_test_of_signs() -> None:
    values = drawn(5, 2, 1, 200)
    for changed, surely in ((5, False), (7, True)):
        before = {"t0": values["t0"] + np.array([[0.5], [0.0]])}
        later = {"t0": before["t0"].copy()}
        later["t0"][1, :changed] += 100.0
        step = podium.history({"a": table(before, "AB"), "b": table(later, "AB")}, "mean", **FEW).steps[1]
        assert [one.surely for one in step.overtakings] == [surely]


@pytest.mark.parametrize("method", ["borda", "mean"])
@pytest.mark.parametrize("size", [20, 60])
def test_causes_add_up_and_time_turned_round_turns_them_round(method: str, size: int) -> None:
    one = table(drawn(6, size=size))
    values = rerun(drawn(6, size=size), 1, 7, gain=1.0)
    del values["t0"]
    values["new"] = np.random.default_rng(8).normal(size=(6, size))
    other = table({task: np.vstack([rows[1:], 2 + rows[:1]]) for task, rows in values.items()}, "BCDEFN")
    there = podium.history({"a": one, "b": other}, method, **FEW).steps[1]
    back = podium.history({"b": other, "a": one}, method, **FEW).steps[1]
    assert (there.entered, there.left, there.tasks_added, there.tasks_retired) == (("N",), ("A",), ("new",), ("t0",))
    for (name, move), (same, turned) in zip(there.moves, back.moves, strict=True):
        assert name == same
        assert move.by_scores + move.by_suite + move.by_field == pytest.approx(move.change, abs=1e-12)
        forth = np.array([move.change, move.by_scores, move.by_suite, move.by_field])
        np.testing.assert_allclose(forth, [-turned.change, -turned.by_scores, -turned.by_suite, -turned.by_field])
        assert (move.by_field != 0) == (method == "borda")


@given(st.permutations(range(6)), st.sampled_from(["borda", "mean"]), st.integers(0, 3))
def test_the_order_of_systems_changes_nothing(order: list[int], method: str, seed: int) -> None:
    values, later = drawn(seed, size=20), rerun(drawn(seed, size=20), 2, seed + 1, gain=1.0)
    named = "".join("ABCDEF"[row] for row in order)
    steps = podium.history({"a": table(values), "b": table(later)}, method, **FEW).steps
    mixed = podium.history(
        {
            "a": table({task: rows[order] for task, rows in values.items()}, named),
            "b": table({task: rows[order] for task, rows in later.items()}, named),
        },
        method,
        **FEW,
    ).steps
    assert essence(mixed[1]) == essence(steps[1])


def test_other_names_change_names_only() -> None:
    values, later = drawn(9), rerun(drawn(9), 0, 10, gain=1.5)
    steps = podium.history({"a": table(values), "b": table(later)}, **FEW).steps
    other = podium.history({"a": table(values, "UVWXYZ"), "b": table(later, "UVWXYZ")}, **FEW).steps
    turned = str.maketrans("UVWXYZ", "ABCDEF")
    assert [(one.winner.translate(turned), one.loser.translate(turned), one.p) for one in other[1].overtakings] == [
        (one.winner, one.loser, one.p) for one in steps[1].overtakings
    ]


def test_who_leaves_and_comes_back_is_known() -> None:
    scores = table(drawn(11))
    without = scores.take(range(5))
    history = podium.history([("1", scores), ("2", without), ("3", scores)], **FEW)
    assert [(step.entered, step.left, step.returned) for step in history.steps] == [
        ((), (), ()),
        ((), ("F",), ()),
        (("F",), (), ("F",)),
    ]
    assert history.first_seen()["F"] == "1"
    row = next(row for row in history.rows() if (row["step"], row["system"]) == ("3", "F"))
    assert (row["entered"], row["rank_change"], row["score_change"]) == (True, None, None)


def test_what_few_tasks_add_is_tested_on_what_both_have() -> None:
    rows = np.random.default_rng(12).normal(size=(5, 8))
    values = {f"t{k}": rows[:, [k]] for k in range(8)}
    before, after = (table({k: v for k, v in values.items() if k != out}, "ABCDE") for out in ("t0", "t1"))
    history = podium.history({"a": before, "b": after}, **FEW)
    assert history.steps[1].tested == "shared"
    assert not any(one.surely for one in history.steps[1].overtakings), "nothing changed on what both have"
    assert "tested only by the scores that both steps have: b" in history.notes


def test_a_task_of_one_score_is_no_sample() -> None:
    values = drawn(13)
    later = {**values, "alone": np.arange(6.0)[:, None] * 1000}
    step = podium.history({"a": table(values), "b": table(later)}, "mean", **FEW).steps[1]
    assert step.overtakings
    assert step.tested == "shared"
    assert not any(one.surely for one in step.overtakings)


def test_too_few_units_are_not_tested() -> None:
    values = drawn(14, 3, 1, 4)
    history = podium.history({"a": table(values), "b": table(rerun(values, 0, 15, gain=9.0))}, "mean", **FEW)
    assert [step.tested for step in history.steps] == ["", ""]
    assert "no change is tested: there are too few units for intervals" in history.notes
    assert all(move.surely is None for _, move in history.steps[1].moves)


def test_a_joined_suite_keeps_scores_on_tasks_that_were_retired() -> None:
    values = drawn(16, 4, 3, 20)
    short = {task: rows for task, rows in values.items() if task != "t0"}
    more = {task: np.vstack([rows, rows[:1] + 1]) for task, rows in short.items()}
    steps = {"a": table(values, "ABCD"), "b": table(short, "ABCD"), "c": table(more, "ABCDE")}
    own = podium.history(steps, "mean", **FEW)
    joined = podium.history(steps, "mean", suite="joined", **FEW)
    assert [step.ranking.n_tasks for step in own.steps] == [3, 2, 2]
    assert [step.ranking.n_tasks for step in joined.steps] == [3, 3, 3]
    np.testing.assert_array_equal(joined.steps[1].ranking.score, joined.steps[0].ranking.score)
    scored = dict(zip(joined.steps[2].ranking.systems, joined.steps[2].ranking.tasks_scored.tolist(), strict=True))
    assert scored == {"A": 3, "B": 3, "C": 3, "D": 3, "E": 2}
    gone = {"a": steps["a"], "b": steps["a"].take([1, 2, 3]), "c": steps["b"]}
    back = podium.history(gone, "mean", suite="joined", **FEW).steps[2]
    assert set(back.ranking.tasks_scored.tolist()) == {3}, "A has its score on t0 of long ago"


def test_a_note_says_what_the_suite_changes() -> None:
    before = {"A": {"t": 1.0, "u": 0.0, "v": 0.2}, "B": {"t": 0.0, "u": 0.5, "v": 0.3}}
    after = {system: {task: row[task] for task in ("u", "v")} for system, row in before.items()}
    own = podium.history({"May": before, "June": after}, "mean")
    assert "by all tasks seen so far, suite= (--suite) joined, A would be first in June, not B" in own.notes
    joined = podium.history({"May": before, "June": after}, "mean", suite="joined")
    assert "by the tasks of the step, suite= (--suite) own, B would be first in June, not A" in joined.notes


def test_names_of_systems_that_tie_are_no_other_order() -> None:
    before = {"A": {"t": 1.0, "u": 0.5, "v": 0.5}, "B": {"t": 1.0, "u": 0.5, "v": 0.5}, "C": {"t": 0.0, "u": 0.0}}
    after = {system: {"u": before[system]["u"]} for system in ("B", "A", "C")}
    history = podium.history({"May": before, "June": after}, "mean", confidence_level=None)
    assert not any("suite=" in text for text in history.notes)


def test_who_shares_first_place_is_said() -> None:
    alone = {"A": {"t": 2.0, "u": 1.0}, "B": {"t": 1.0, "u": 1.0}, "C": {"t": 0.0, "u": 0.0}}
    shared = {**alone, "B": {"t": 2.0, "u": 1.0}}
    told = [
        podium.history(dict(steps), "mean", confidence_level=None).view().verdict[0]
        for steps in (
            {"c": alone, "d": shared},
            {"c": shared, "d": alone},
            {"c": shared, "d": shared},
            {"c": alone, "d": alone},
        )
    ]
    assert told == [
        "A, B share first place in d; before, A was alone",
        "A is first alone in d",
        "A, B share first place in both steps",
        "A is first in both steps",
    ]


def test_names_that_hold_commas_stay_whole_in_rows() -> None:
    values = drawn(33, 3, 1, 60)
    names = ["big, old", "new, small", "C"]
    one, other = (
        podium.from_arrays({"t0": values["t0"] + np.array(add)[:, None]}, systems=names)
        for add in ([9.0, 8.0, 0.0], [9.0, 8.0, 20.0])
    )
    row = next(r for r in podium.history({"a": one, "b": other}, "mean", **FEW).rows() if r["overtook"])
    assert (row["system"], set(row["overtook"].split(" | "))) == ("C", set(names[:2]))


def test_systems_appear_at_their_dates() -> None:
    scores = table(drawn(17))
    dates = {
        "A": "2026-03-02",
        "B": "2026-01-05",
        "C": "2026-01-05",
        "D": "2026-02-01T00:00:00+00:00",
        "E": "2026-03-02",
    }
    history = podium.history(scores, dates=dates, **FEW)
    assert [step.label for step in history.steps] == ["2026-01-05", "2026-02-01", "2026-03-02"]
    assert [step.entered for step in history.steps] == [(), ("D",), ("A", "E")]
    assert "no date, so there from the first step on: F" in history.notes
    direct = podium.rank(scores.take([1, 2, 3, 5]), **FEW)
    assert history.steps[1].ranking.to_dict() == direct.to_dict()


def test_steps_before_there_are_two_systems_are_left_out_and_said() -> None:
    scores = table(drawn(18, 3, 1, 20), "ABC")
    history = podium.history(scores, dates={"A": "2025", "B": "2026-01", "C": "2026-02"}, **FEW)
    assert [step.label for step in history.steps] == ["2026-01", "2026-02"]
    assert "before 2026-01 there were fewer than two systems, so the history begins there" in history.notes


@pytest.mark.parametrize(
    ("steps", "told", "said"),
    [
        ({"a": podium.datasets.toy_table1()}, {}, "two steps or more, and there is one"),
        ([("a", podium.datasets.toy_table1())] * 2, {}, "two steps are called 'a'"),
        ("board.csv", {}, "there is no file 'board.csv'"),
        (podium.datasets.toy_table1(), {}, "steps are a dictionary"),
        (podium.datasets.toy_table1(), {"dates": {"A": "soon"}}, "system 'A': 'soon' is no date"),
        (podium.datasets.toy_table1(), {"dates": {"X": "2026"}}, "no system of the table has a date"),
        (podium.datasets.toy_table1(), {"dates": {"A": "2026"}}, "all systems have one date, 2026"),
    ],
)
def test_what_are_no_steps_is_refused(steps: object, told: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        podium.history(steps, **told)  # type: ignore[arg-type]


def test_errors_name_the_step() -> None:
    alone = podium.datasets.toy_table1().take([0])
    with pytest.raises(MethodError, match="step 'June': there is only one system, 'A'"):
        podium.history({"May": podium.datasets.toy_table1(), "June": alone})
    with pytest.raises(MethodError, match="there is no suite 'joint'; did you mean 'joined'"):
        podium.history({"May": alone, "June": alone}, suite="joint")  # type: ignore[arg-type]


def test_instances_that_both_have_are_compared_by_label() -> None:
    values = drawn(19, 3, 1, 70)
    labels = [f"item {k}" for k in range(70)]
    before = table({"t0": values["t0"][:, :60]}, "ABC", instances={"t0": labels[:60]})
    after = table({"t0": values["t0"][:, 10:]}, "ABC", instances={"t0": labels[10:]})
    step = podium.history({"a": before, "b": after}, "mean", **FEW).steps[1]
    assert all(move.rescored == 0 and move.by_scores == 0 for _, move in step.moves)
    assert not any(one.surely for one in step.overtakings)


def test_results_are_the_same_for_any_number_of_threads() -> None:
    steps = {"a": table(drawn(20)), "b": table(rerun(drawn(20), 1, 21))}
    one, many = (podium.history(steps, n_resamples=100, n_jobs=threads) for threads in (1, 4))
    assert one.render("json") == many.render("json")


def test_rankings_are_those_of_rank() -> None:
    steps = {"a": table(drawn(22)), "b": table(rerun(drawn(22), 1, 23))}
    history = podium.history(steps, **FEW)
    for label, step in zip(steps, history.steps, strict=True):
        assert step.ranking.to_dict() == podium.rank(replace(steps[label]), **FEW).to_dict()


def test_steps_without_a_system_in_common_have_no_changes() -> None:
    history = podium.history({"a": table(drawn(24, 3)), "b": table(drawn(25, 3), "XYZ")}, **FEW)
    assert (history.steps[1].entered, history.steps[1].left) == (("X", "Y", "Z"), ("A", "B", "C"))
    assert (history.steps[1].moves, history.steps[1].tested) == ((), "")
    assert "no change is tested: the steps have too little in common" in history.notes


def test_of_steps_without_a_task_in_common_all_is_the_suite() -> None:
    values = drawn(26, 4, 2, 100)
    one, other = (table({task: values[task]}, "ABCD") for task in values)
    step = podium.history({"a": one, "b": other}, "mean", **FEW).steps[1]
    assert all(move.by_suite == move.change and move.by_scores == 0 for _, move in step.moves)
    assert not any(one.surely for one in step.overtakings)


def test_errors_of_any_kind_name_the_step() -> None:
    lost = table({"t": np.array([[1.0, 1.0], [0.0, 0.0]])}, "AB")
    with pytest.raises(NoMaximumError, match="step 'a': the likelihood has no maximum"):
        podium.history({"a": lost, "b": lost}, "bradley-terry", confidence_level=None)


def test_clusters_are_drawn_together_in_both() -> None:
    values = drawn(27, 3, 1, 100)
    later = {"t0": values["t0"] + np.repeat(np.random.default_rng(28).normal(size=(3, 10)), 10, axis=1)}
    of = [f"c{k // 10}" for k in range(100)]
    one, other = (podium.from_arrays(rows, systems=list("ABC"), clusters=of) for rows in (values, later))
    step = podium.history({"a": one, "b": other}, "mean", n_resamples=2000, n_jobs=1).steps[1]
    for row, (_, move) in enumerate(step.moves):
        by_hand = (later["t0"][row] - values["t0"][row]).reshape(10, 10).mean(axis=1).std(ddof=1) / np.sqrt(10)
        assert move.std_error == pytest.approx(by_hand, rel=0.25)  # of 10 clusters, Poisson draws vary in number


def test_what_units_add_is_not_needed_where_many_scores_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    values = drawn(29, 3, 1, 200)
    few = {"t0": values["t0"].copy()}
    few["t0"][2, :40] += 9.0
    all_of_it = {"t0": values["t0"] + np.array([[0.0], [0.0], [9.0]]) + 0.01 * drawn(30, 3, 1, 200)["t0"]}
    monkeypatch.setattr("podium.timeline.change.HELD", 1)
    values["t0"][2] -= 1.0
    few["t0"][2] -= 1.0
    steps = [podium.history({"a": table(values), "b": table(later)}, "mean", **FEW) for later in (few, all_of_it)]
    assert steps[0].steps[1].overtakings
    assert not any(one.surely for one in steps[0].steps[1].overtakings), "40 scores are too few without the exact test"
    assert all(one.surely for one in steps[1].steps[1].overtakings)


def test_battles_have_ranks_and_no_tests() -> None:
    rng = np.random.default_rng(31)
    values = np.full((4, 80), np.nan)
    for instance in range(80):
        one, other = rng.permutation(4)[:2]
        values[[one, other], instance] = [1.0, 0.0]
    battles = podium.from_arrays({"arena": values}, systems=list("ABCD"))
    history = podium.history({"a": battles, "b": battles}, **FEW)
    assert "no change is tested: scores of battles depend on who met whom" in history.notes


def test_sentences_are_short_whatever_the_names() -> None:
    values = drawn(32, 3, 1, 60)
    values["t0"] += np.array([[2.0], [1.0], [0.0]])
    later = {"t0": values["t0"] + np.array([[0.0], [0.0], [9.0]])}
    names = [f"{letter}{'n' * 90}{letter}" for letter in "ABC"]
    one, other = (podium.from_arrays(rows, systems=names) for rows in (values, later))
    view = podium.history({"old " * 20: one, "new " * 20: other}, **FEW).view()
    assert "took first place from" in view.verdict[0]
    assert max(map(len, (*view.verdict, *view.notes))) <= 140


def test_a_name_that_came_later_is_an_error_that_names_the_step(tmp_path: Path) -> None:
    board = str(tmp_path)
    podium.add(board, {"A": {"t": 0.5}, "B": {"t": 0.4}})
    podium.add(board, {"A": {"u": 0.5}, "B": {"u": 0.4}})
    steps = {str(number): partial(podium.read, board, as_of=number, lower=["u"]) for number in (0, 1)}
    with pytest.raises(LabelError, match=r"^0: there is no task 'u'; .*; the options count for every step$"):
        podium.history(list(steps.items()))


def test_who_stays_first_is_named_with_who_may_be_as_good() -> None:
    won = np.arange(60) < 33
    table = podium.from_arrays({"t": np.array([1.0 + won, 2.0 - won, 0.0 * won])}, systems=["A", "B", "C"])
    history = podium.history({"October": table, "November": table})
    assert history.steps[1].first == ("A",)
    assert history.view().verdict == ("A is first in both steps; in November B may be as good",)


def test_of_one_system_what_both_steps_have_is_compared() -> None:
    values = drawn(34, 1, 2, 8)
    before, after = (table({"t0": values[name]}, "A") for name in ("t0", "t1"))
    none = table({"t0": np.full((1, 8), np.nan)}, "A")

    def told(one: podium.Scores, other: podium.Scores, **how: Any) -> tuple[HistoryStep, str]:
        history = podium.history({"a": one, "b": other}, **{**FEW, **how})
        podium.plots.history(history)
        return history.steps[1], history.view().verdict[0]

    step, said = told(before, after)
    ((_, move),) = step.moves
    half = 2.364624 * move.std_error  # Student's quantile with 7 degrees of freedom
    assert move.df == 7
    assert said.endswith(f"95% CI {move.change - half:.1f} to {move.change + half:.1f}".replace("-", "−"))
    assert "CI" not in told(before, after, confidence_level=None)[1]
    for pair in ((before, none), (none, none)):
        assert told(*pair)[1] == "b and a cannot be compared: A has no score in one of them"
    step, said = told(before, table(values, "A"))
    ((_, move),) = step.moves
    assert (move.by_scores, step.tested) == (0, "shared")
    assert move.by_suite == pytest.approx(move.change)
    assert said == "b: as good as a on what both have"
    said = told(before, table({"t1": values["t1"]}, "A"))[1]
    assert said == "b and a have no scores in common, so their means are not compared"
