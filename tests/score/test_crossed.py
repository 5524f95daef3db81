"""Items crossed with prompts: variance components as of an analysis of variance, and intervals that hold for others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import podium
from podium import Scores
from podium.comparison.suite import suite_effect
from podium.errors import InputError, MethodError
from podium.score.crossed import crossed
from support.compared import analysed
from support.entry import run

Floats = NDArray[np.float64]


def prompted(*values: Floats, cluster: NDArray[np.int64] | None = None) -> Scores:
    """Scores `(N, K, P)` of each task; the prompts of all have the same labels."""
    tables = []
    for task, own in enumerate(values):
        system, item, prompt = (one.ravel() for one in np.indices(own.shape))
        labels = {"system": [f"m{one}" for one in system], "task": [f"t{task}"] * own.size, "item": item + 1000 * task}
        columns = labels | {"prompt": [f"p{one:02}" for one in prompt], "score": own.ravel()}
        tables.append(pa.table(columns | ({} if cluster is None else {"cluster": cluster[item]})))
    return podium.from_frame(pa.concat_tables(tables), prompt_column="prompt")


def drawn(seed: int, items: int = 30, prompts: int = 6, systems: int = 3) -> Floats:
    rng = np.random.default_rng(seed)
    item, own = rng.normal(size=(1, items, 1)), rng.normal(size=(systems, items, 1)) / 2
    by_prompt = rng.normal(size=(systems, 1, prompts)) / 2
    return np.asarray(item + own + by_prompt + rng.normal(size=(systems, items, prompts)))


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(2, 9))
def test_variances_are_those_of_an_analysis_of_variance(seed: int, items: int, prompts: int) -> None:
    x = drawn(seed, items, prompts)
    found = crossed(prompted(x))
    for i in range(3):
        for j in range(3):
            d = x[i] - x[j] if i != j else x[i]
            of_items = prompts * d.mean(axis=1).var(ddof=1)
            of_prompts = items * d.mean(axis=0).var(ddof=1)
            rest = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
            of_cells = (rest**2).sum() / ((items - 1) * (prompts - 1))
            parts = np.array([of_items, of_prompts, of_cells]) / d.size
            assert [found.items[i, j], found.prompts[i, j], found.cells[i, j]] == pytest.approx(parts)
            assert found.variance[i, j] == pytest.approx(max(parts[0] + parts[1] - parts[2], *parts[:2]))
    own = np.diag(found.variance) ** 2 / sum(
        np.diag(part) ** 2 / df
        for part, df in (
            (found.items, items - 1),
            (found.prompts, prompts - 1),
            (found.cells, (items - 1) * (prompts - 1)),
        )
    )
    assert np.diag(found.df) == pytest.approx(own)


def test_prompts_of_several_tasks_are_one_draw_and_clusters_one_item() -> None:
    x = drawn(1)
    one, two = crossed(prompted(x)), crossed(prompted(x, x))
    assert two.prompts == pytest.approx(one.prompts)
    assert two.items == pytest.approx(one.items / 2)
    twice = prompted(np.repeat(x, 2, axis=1), cluster=np.arange(60) // 2)
    assert crossed(twice).variance == pytest.approx(one.variance)
    assert crossed(twice).df == pytest.approx(one.df)


def test_means_are_ranked_with_intervals_for_other_prompts() -> None:
    scores = prompted(drawn(2) + np.array([0.0, 0.3, 2.0])[:, None, None])
    found, ranking = crossed(scores), podium.rank(scores, "mean")
    assert ranking.systems[0] == "m2"
    assert ranking.intervals is not None
    assert (ranking.intervals.units, ranking.scope) == ("prompts", "for other items and other prompts")
    rows = [scores.systems.index(system) for system in ranking.systems]
    assert ranking.intervals.std_error**2 == pytest.approx(np.diag(found.variance)[rows])
    assert ranking.by_prompt is not None
    assert ranking.by_prompt.scores[0] == pytest.approx(scores.tasks[0].repeats.values[2].mean(axis=0))  # type: ignore[union-attr]
    assert ranking.rows()[0]["prompt_low"] == pytest.approx(ranking.by_prompt.scores[0].min())
    of_repeats = podium.rank(scores, "mean", units="instances").intervals
    assert of_repeats is not None
    assert (of_repeats.std_error < ranking.intervals.std_error).all()
    borda = podium.rank(scores)
    assert borda.intervals is not None
    assert (borda.method, borda.level, borda.intervals.units) == ("borda", "balanced", "prompts")
    assert 0 <= borda.intervals.score_low.min() <= borda.intervals.score_high.max() <= 1


def test_two_systems_are_compared_for_other_prompts() -> None:
    x = drawn(4) + np.array([0.0, 0.3, 2.0])[:, None, None]
    scores = prompted(x, x[:, ::-1] + 1)
    found, analysis = crossed(scores), analysed(scores, control="m0", treatment="m1")
    suite = analysis.suite
    assert suite is not None
    assert suite.std_error**2 == pytest.approx(found.variance[0, 1])
    assert suite.effect == pytest.approx((x[1] - x[0]).mean())
    assert suite.by_prompts is not None
    assert suite.by_prompts[0] == np.count_nonzero((x[1] - x[0]).mean(axis=0) > 0)
    assert analysis.on_suite.startswith("on these 2 tasks, for other items and other prompts: 0.")
    assert f"better by {suite.by_prompts[0]} of 6 prompts" in analysis.on_suite
    assert any("single and other tasks are by these prompts" in note for note in analysis.notes)
    every = podium.compare_all(scores, control="m0")
    assert isinstance(every, podium.Comparisons)
    assert every.suites[1] == suite
    alone = analysed(prompted(x[..., :4]), control="m0", treatment="m1")
    assert alone.suite is not None
    assert alone.suite.by_prompts is None
    assert any("4 prompts are too few" in note for note in alone.notes)
    with pytest.raises(MethodError, match="effect 'smd' is not known of other prompts; use 'md'"):
        podium.compare(scores, "m0", "m1", effect="smd")


def test_a_gate_holds_for_other_prompts(tmp_path: Path) -> None:
    x = drawn(4, systems=2)
    scores = prompted(x, x[:, ::-1] + 1)
    old, new = scores.take([0]), scores.take([1])
    found, suite = podium.gate(old, new, margin=0.1), analysed(scores, control="m0", treatment="m1").suite
    assert found.suite == suite
    assert (found.items_needed, [one.task for one in found.tasks]) == (0, ["t1", "t0"])
    joined = podium.compare({"one": old, "other": new})
    assert isinstance(joined, podium.MetaAnalysis)
    assert joined.suite == suite
    lost = x.copy()
    lost[1, 3, 2] = np.nan  # its place has the worst score
    for margin, verdict in ((0.9, "pass"), (0.8, "cannot tell")):
        lacking = podium.gate(prompted(x).take([0]), prompted(lost).take([1]), margin=margin, must={"t0": "-9"})
        assert lacking.verdict == verdict
    assert "after has no score by some prompt on 1 instance of before" in str(lacking)
    few = podium.gate(prompted(x[:1, :, :4]), prompted(x[1:, :, :4]), margin=0.1, names=("m0", "new"))
    assert any("4 prompts are too few" in note for note in few.notes)
    assert few.suite is not None
    assert few.suite.by_prompts is None
    with pytest.raises(MethodError, match=r"other tasks are judged by these prompts only; use over='suite'"):
        podium.gate(old, new, margin=0.1, over="tasks")
    with pytest.raises(MethodError, match=r"a budget is judged by these prompts only; .* use repeat_column="):
        podium.gate(old, new, margin=0.1, budget={"cost": 1.1})
    with pytest.raises(InputError, match="watched by one prompt"):
        list(podium.watch(old, new, margin=0.1))
    with pytest.raises(InputError, match="some sources have prompts, and some have none"):
        podium.gate(old, podium.from_arrays({"t0": [[1.0] * 30]}, systems=["m1"]), margin=0.1)
    (tmp_path / "p.csv").write_text(TABLE)
    typed = "gate p.csv --prompt-column prompt --control one --treatment other --margin 1"
    assert "for other items and other prompts" in run(tmp_path, typed).stdout


@pytest.mark.parametrize(("items", "prompts"), [(30, 5), (30, 20)])
def test_what_never_failed_passes_no_run_that_fails_rarely(items: int, prompts: int) -> None:
    shipped = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        often = rng.random(items) < 0.05  # such items fail by three of five prompts: 3% in all
        fails = rng.random((items, prompts)) < 0.6 * often[:, None]
        suite = suite_effect(prompted(np.stack([np.ones(fails.shape), 1.0 - fails])), "m0", "m1")
        assert suite.low < 0 <= suite.high
        shipped += suite.low > -0.03
    assert shipped == 0


def test_a_frontier_holds_for_other_prompts() -> None:
    scores = prompted(drawn(2) + np.array([0.0, 0.3, 3.0])[:, None, None])
    (task,) = scores.tasks
    costs = {"cost": np.broadcast_to([[1.0], [2.0], [3.0]], task.values.shape), "tokens": task.values**2}
    known = replace(scores, tasks=(replace(task, covariates=costs),))
    found, ranking = podium.frontier(known, "cost"), podium.rank(scores)
    assert ranking.intervals is not None
    assert found.ranking.scope == ranking.scope == "for other items and other prompts"
    assert np.array_equal(found.ranking.intervals.separated, ranking.intervals.separated)  # type: ignore[union-attr]
    assert any("costs are those by these prompts" in note for note in found.notes)
    with pytest.raises(MethodError, match="cost 'tokens' was measured by these prompts only"):
        podium.frontier(known, ["cost", "tokens"])
    with pytest.raises(MethodError, match="how far a score is below the best is judged by these prompts only"):
        podium.frontier(known, "cost", margin=0.1)


def test_lower_may_be_better() -> None:
    x = drawn(2) + np.array([0.0, 0.3, 2.0])[:, None, None]
    higher, lower = podium.rank(prompted(x), "mean"), podium.rank(prompted(-x).with_directions(lower=["*"]), "mean")
    assert lower.systems == higher.systems
    one, other = higher.by_prompt, lower.by_prompt
    assert one is not None
    assert other is not None
    assert one.best.tolist() == other.best.tolist()
    sign = 1 if lower.higher_is_better else -1
    assert sign * other.scores == pytest.approx(one.scores)


def test_the_best_prompt_is_scored_without_its_luck() -> None:
    best, honest = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = crossed(prompted((rng.random((2, 40, 8)) < 0.5).astype(float))).by_prompt
        assert found is not None
        best.append(found.scores.max(axis=1))
        honest.append(found.best_score)
    assert np.mean(best) > 0.58
    assert np.mean(honest) == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("prompts", "shared", "rest"), [(5, 0.6, 1.0), (8, 0.1, 1.0)])
def test_equal_systems_lie_in_their_intervals(prompts: int, shared: float, rest: float) -> None:
    inside, apart, too_sure = [], 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        by_prompt = rng.normal(size=(3, 1, prompts)) * shared
        x = rng.normal(size=(3, 40, 1)) / 2 + by_prompt + rng.normal(size=(3, 40, prompts)) * rest
        scores = prompted(x)
        found = podium.rank(scores, "mean", n_resamples=100).intervals
        alone = podium.rank(scores, "mean", n_resamples=100, units="instances").intervals
        assert found is not None
        assert alone is not None
        inside.append(((found.score_low <= 0) & (found.score_high >= 0)).mean())
        apart, too_sure = apart + int(found.separated.any()), too_sure + int(alone.separated.any())
    assert 0.91 <= np.mean(inside) <= 0.99
    assert apart <= 60 * 0.05 + 4
    assert shared < 0.2 or too_sure > 15


TABLE = "system,item,prompt,seed,score\n" + "".join(
    f"{system},{item},{prompt},{seed},{(item * 7 + ord(prompt) * 3 + seed + len(system)) % 5}\n"
    for system in ("one", "other")
    for item in range(12)
    for prompt in "abcdef"
    for seed in (1, 2)
)


def test_repeats_of_a_prompt_are_one_score(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(TABLE)
    scores = podium.read(tmp_path / "p.csv", prompt_column="prompt", repeat_column="seed")
    (task,) = scores.tasks
    assert task.repeats is not None
    assert (scores.prompts, task.repeats.values.shape) == (tuple("abcdef"), (2, 12, 6))
    assert task.repeats.values[0, 3, 2] == np.mean([(21 + ord("c") * 3 + seed + 3) % 5 for seed in (1, 2)])
    assert task.repeats.values.mean(axis=2) == pytest.approx(task.values)
    by_name = podium.read(tmp_path / "p.csv", prompt_column="prompt")  # the seed tells rows apart
    assert by_name.tasks[0].values == pytest.approx(task.values)
    assert podium.read(tmp_path / "p.csv", prompt_column="prompt", repeat_column="seed", statistic="max").prompts


def test_what_not_all_systems_have_is_left_out() -> None:
    x = drawn(0)
    x[1, 4, 2], x[2, :, 5] = np.nan, np.nan
    ranking = podium.rank(prompted(x), "mean")
    assert ranking.notes[:2] == (
        "left out, since not all systems have them: prompts p05",
        "1 item left out: not every system has a score by every prompt",
    )
    kept = np.delete(x, 4, axis=1)[..., :5]
    same = podium.rank(prompted(kept), "mean")
    assert ranking.score == pytest.approx(same.score)
    assert ranking.intervals is not None
    assert same.intervals is not None
    assert ranking.intervals.std_error == pytest.approx(same.intervals.std_error)
    x[1, :, 1:] = np.nan
    with pytest.raises(InputError, match=r"all systems share 1 prompt, .* such as 'm1'"):
        podium.rank(prompted(x), "mean")


def test_few_prompts_say_nothing_of_others() -> None:
    ranking = podium.rank(prompted(drawn(0, prompts=4)), "mean")
    assert ranking.scope == "on this task by these 4 prompts"
    assert any("4 prompts are too few to say what others would show (5 are needed)" in note for note in ranking.notes)
    with pytest.raises(InputError, match="all scores are by one prompt, 'p00'"):
        podium.rank(prompted(drawn(0, prompts=1)), "mean")


def test_what_prompts_are_not_for_is_refused_with_advice_that_works(tmp_path: Path) -> None:
    scores = prompted(drawn(0))
    with pytest.raises(MethodError, match=r"use method 'mean' \(-m mean\) or 'borda', not 'kemeny'"):
        podium.rank(scores, "kemeny")
    with pytest.raises(MethodError, match="leave level 'two' out"):
        podium.rank(scores, "borda:two")
    with pytest.raises(MethodError, match="prompts are no repeats"):
        podium.rank(scores, "mean", units="repeats")
    for verb in (podium.stress, podium.agree, podium.pairwise):
        with pytest.raises(InputError, match=r"only rank, compare, gate and frontier .* use repeat_column="):
            verb(scores)
    (tmp_path / "p.csv").write_text(TABLE)
    said = run(tmp_path, "agree p.csv --prompt-column prompt").stderr
    assert "use --repeat-column instead of --prompt-column" in said
    plain = TABLE.replace("prompt,seed", "template,seed").splitlines()
    (tmp_path / "q.csv").write_text("\n".join(line for line in plain if ",2," not in line[-4:]))
    assert "if column 'template' names prompts, use --prompt-column template" in run(tmp_path, "rank q.csv").stderr
    said = run(tmp_path, "rank q.csv --prompt-column template").stdout
    assert "(95% confidence, for other items and other prompts)" in said
    rows = [f"{system},{task},{prompt},1\n" for system in "AB" for task in "tu" for prompt in "xy"]
    (tmp_path / "none.csv").write_text("system,task,prompt,score\n" + "".join(rows))
    assert "has one item" in run(tmp_path, "rank none.csv --prompt-column prompt").stderr
    frame = {
        "system": ["A", "A", "B", "B"],
        "item": [1, 2, 1, 2],
        "prompt": ["What?", "Why?"] * 2,
        "score": [0, 1, 1, 1],
    }
    assert podium.from_frame(pa.table(frame)).prompts == ()  # texts of items
