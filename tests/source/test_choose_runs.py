"""What counts of several runs: whole before limited, newest before older, parts together, and nothing by chance.

- Clusters that a tool names for some instances, beside files that name none.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import podium
from podium.errors import InputError
from podium.score.table import Scores
from podium.score.units import units_among
from podium.source.choose_runs import choose_runs
from podium.source.run_table import as_table, in_clusters
from podium.source.tool.run import Run, Samples, labels


def run(where: str = "a/x.json", made: str = "", **told: object) -> Run:
    return Run(where, "A", "qa", "acc", made=made, **told)  # type: ignore[arg-type]


def samples(names: list[str], scores: list[float]) -> Samples:
    return Samples(labels(names), np.array(scores))


def counted(*runs: Run) -> list[str]:
    return [one.where for one in choose_runs(runs).runs["A", "qa"]]


def means(*runs: Run) -> list[float | None]:
    """Means of A, where B has a mean alone."""
    chosen = choose_runs([*runs, Run("b", "B", "qa", "acc", 0.5)])
    return [one.mean for one in chosen.runs["A", "qa"]]


def scores_of(*runs: Run) -> Scores:
    table = as_table(choose_runs(runs))
    return podium.from_frame(table, family_column="family" if "family" in table.column_names else None)


@pytest.mark.parametrize(("digests", "sets"), [(("a", "b"), 2), (("a", "a"), 1), ((None, None), 1)])
def test_numbered_documents_of_tasks_are_the_same_if_their_hashes_are(
    digests: tuple[str | None, ...], sets: int
) -> None:
    runs = []
    for task, digest in zip(("qa", "code"), digests, strict=True):
        hashes = None if digest is None else labels([f"{digest}{number}" for number in range(20)])
        one = Samples(labels(range(20)), np.arange(20) % 2.0, digests=hashes)
        runs += [Run(f"{system}/{task}", system, task, "acc", samples=one) for system in "AB"]
    assert len(units_among(scores_of(*runs).tasks)) == sets
    translated = [replace(one, task=f"qa_{'en' if one.task == 'qa' else 'de'}") for one in runs]
    assert len(units_among(scores_of(*translated).tasks)) == 1, "numbers of translations may mean the same questions"


def test_the_newest_counts_in_any_order() -> None:
    old, new = run("a/1", "2026-01-01T00:00:00", mean=0.1), run("a/2", "2026-01-02T00:00:00", mean=0.2)
    assert counted(old, new) == counted(new, old) == ["a/2"]


def test_times_of_other_zones_are_compared_as_times() -> None:
    early, late = run("a/1", "2026-01-01T12:00:00+00:00", mean=0.1), run("a/2", "2026-01-01T10:00:00-08:00", mean=0.2)
    assert counted(early, late) == ["a/2"]


def test_a_whole_run_counts_before_a_newer_one_that_was_limited() -> None:
    whole, limited = run("a/1", "2026-01-01", mean=0.1), run("a/2", "2026-01-02", mean=0.2, whole=False)
    assert counted(whole, limited) == ["a/1"]
    assert counted(limited) == ["a/2"]


def test_nothing_says_which_of_two_undated_runs_counts() -> None:
    with pytest.raises(InputError, match=r"A was run on qa several times, .* newest: a/x, b/x; .*--runs all"):
        choose_runs([run("a/x", mean=0.1), run("b/x", mean=0.2)])
    assert len(choose_runs([run("a/x", mean=0.1), run("b/x", mean=0.2)], runs="all").runs["A", "qa"]) == 2


def test_runs_of_different_instances_are_parts_of_one() -> None:
    parts = [run("a/x", samples=samples(["1", "2"], [0, 1])), run("b/x", samples=samples(["3"], [1]))]
    table = as_table(choose_runs(parts))
    assert table.column_names == ["system", "task", "score", "instance"]
    assert dict(zip(table["instance"].to_pylist(), table["score"].to_pylist(), strict=True)) == {"1": 0, "2": 1, "3": 1}


def test_repeats_of_later_runs_are_numbered_on() -> None:
    def epochs(where: str, score: float, count: int) -> Run:
        instances = labels(["1"] * count)
        return run(where, samples=Samples(instances, np.full(count, score), repeats=np.arange(1, count + 1)))

    table = as_table(choose_runs([epochs("a/1", 1, 5), epochs("b/2", 0, 2), epochs("c/3", 0, 3)], runs="all"))
    repeats = table["repeat"].to_pylist()
    assert len(set(repeats)) == len(repeats) == 10


def test_parts_of_one_run_have_one_mean_with_the_weight_of_their_samples() -> None:
    small, large = samples(["1", "2"], [1, 1]), samples([str(number) for number in range(3, 21)], [0] * 18)
    assert means(run("a/x", samples=small), run("b/x", samples=large)) == [pytest.approx(0.1, abs=1e-12)]
    own = means(run("a/x", samples=small, mean=0.8), run("b/x", samples=large, mean=0.2))
    assert own == [pytest.approx((2 * 0.8 + 18 * 0.2) / 20, abs=1e-12)]
    weighed = Samples(labels(["1", "2"]), np.array([1.0, np.nan]), weights=np.array([3.0, 7.0]))
    assert means(run("a/x", samples=weighed), run("b/x", samples=samples(["3"], [0]))) == [pytest.approx(0.75)]
    nothing = samples(["1"], [np.nan])
    assert means(run("a/x", samples=nothing), run("b/x", samples=samples(["3"], [0.5]))) == [0.5]
    (mean,) = means(run("a/x", samples=nothing), run("b/x", samples=samples(["3"], [np.nan])))
    assert mean is not None
    assert np.isnan(mean)


def test_means_of_logarithms_are_on_the_scale_of_the_tool() -> None:
    one, two = samples(["1", "2"], [3, 4]), samples(["3", "4", "5"], [3, 2, 4])
    assert means(run(samples=one, logarithms=True)) == [pytest.approx(np.exp(3.5))]
    parts = [run("a/x", samples=one, mean=float(np.exp(3.5)), logarithms=True), run(samples=two, logarithms=True)]
    assert means(*parts) == [pytest.approx(np.exp(16 / 5))]


def test_a_metric_is_named_as_its_scores_are() -> None:
    one = run(samples=samples(["1", "2"], [3, 4]), logarithms=True)
    assert choose_runs([one]).notes == ("qa is scored by log acc",)
    assert choose_runs([one, replace(one, metric="f1", metric_order=1)]).notes == (
        "qa is scored by log acc; the files have f1 too (--metric)",
    )
    by_means = choose_runs([one, Run("b", "B", "qa", "acc", 20.0)])
    assert not any("log" in note for note in by_means.notes)
    several = [run(mean=0.5), replace(run(mean=0.4), metric="f1", metric_order=1)]
    several += [replace(one, task="lm", metric={"acc": "f1"}.get(one.metric, "em")) for one in several]
    said = "tasks are scored by f1 (lm), acc (qa); the files have em, f1 too (--metric)"
    assert choose_runs(several).notes == (said,)


def test_samples_and_a_mean_that_were_made_together_are_one_run() -> None:
    sampled, mean = run("a/x", samples=samples(["1"], [0.5])), run("a/y", mean=0.5)
    assert counted(mean, sampled) == ["a/x"]
    assert len(choose_runs([mean, sampled], runs="all").runs["A", "qa"]) == 1


@pytest.mark.parametrize("made", ["", "2026-01-01"])
def test_several_runs_of_one_time_are_several(made: str) -> None:
    first, second = run("a/x", made, mean=0.9), run("a/y", made, mean=0.1)
    with pytest.raises(InputError, match=r"nothing says which run is the newest: a/x, a/y"):
        choose_runs([first, second])
    assert len(choose_runs([first, second], runs="all").runs["A", "qa"]) == 2
    sampled = [run(where, made, samples=samples(["1"], [score])) for where, score in (("a/x", 0), ("a/y", 1))]
    with pytest.raises(InputError, match=r"nothing says which run is the newest: a/x, a/y"):
        choose_runs(sampled)
    assert counted(run("a/w", "2025-01-01", mean=0.3), first, run("b/z", "2026-01-02", mean=0.2)) == ["b/z"]


def test_of_runs_with_the_same_scores_one_counts() -> None:
    same = [run(where, "2026-01-01", samples=samples(["1", "2"], [0, np.nan])) for where in ("a/x", "a/y")]
    chosen = choose_runs(same)
    assert [one.where for one in chosen.runs["A", "qa"]] == ["a/x"]
    assert "of runs with the same scores one counts (--runs all takes all): A on qa" in chosen.notes
    assert counted(run("a/x", mean=np.nan), run("a/y", mean=np.nan)) == ["a/x"]


def test_runs_with_other_seeds_are_repeats() -> None:
    def seeded(seed: str, mean: float, day: int) -> Run:
        return run(f"a/{seed}-{day}", f"2026-01-0{day}", mean=mean, settings={"random_seed": seed})

    runs = [seeded("1", 0.1, 1), seeded("1", 0.2, 2), seeded("2", 0.3, 1)]
    chosen = choose_runs(runs)
    assert {cell: [one.mean for one in found] for cell, found in chosen.runs.items()} == {("A", "qa"): [0.2, 0.3]}
    assert "runs with other seeds are repeats: A on qa (2)" in chosen.notes
    assert as_table(chosen)["repeat"].to_pylist() == [0, 1]
    assert {system: len(found) for (system, _), found in choose_runs(runs, runs="all").runs.items()} == {"A": 3}
    of_task = [run(f"a/{seed}", mean=0.1 * int(seed), task_settings={"seed": seed}) for seed in "12"]
    assert list(choose_runs(of_task).runs) == [("A", "qa")]


@pytest.mark.parametrize("mean", [None, float("nan")])
def test_a_run_without_a_score_may_be_the_newest(mean: float | None) -> None:
    chosen = choose_runs([run("a/1", "2026-01-01", mean=0.9), run("a/2", "2026-01-02", mean=mean)])
    assert as_table(chosen)["score"].to_pylist() == [pytest.approx(np.nan, nan_ok=True)]
    assert "the newest run has no score, which is missing: A on qa" in chosen.notes


def test_settings_that_differ_between_tasks_are_named() -> None:
    def of(task: str, **settings: str) -> Run:
        return Run(f"a/{task}", "A", task, "acc", 0.5, settings=settings)

    note = "settings that differ between the tasks of a system: A (temperature)"
    chosen = choose_runs([of("t1", temperature="0", seed="1"), of("t2", temperature="1", seed="2")])
    assert {system for system, _ in chosen.runs} == {"A"}
    assert note in chosen.notes
    assert not choose_runs([of("t1", temperature="0", seed="1"), of("t2", temperature="0", seed="2")]).notes
    apart = choose_runs([of("t1", temperature="0", top_p="1"), of("t1", temperature="1", top_p="1")])
    assert {system for system, _ in apart.runs} == {"A (temperature 0)", "A (temperature 1)"}
    assert note not in apart.notes


def test_what_is_not_known_of_a_run_makes_no_other_task() -> None:
    known = Run("a/x", "A", "qa", "acc", 0.1, task_settings={"n-shot": "5"})
    chosen = choose_runs([known, Run("b/x", "B", "qa", "acc", 0.2)])
    assert {task for _, task in chosen.runs} == {"qa"}


def test_systems_with_other_metrics_are_named() -> None:
    runs = [Run("a", name, "qa", "acc", 0.1) for name in "AB"] + [Run("c", "C", "qa", "f1", 0.2)]
    assert "left out, since they have other metrics (--metric): C" in choose_runs(runs).notes


def test_infinite_scores_are_missing_and_named() -> None:
    chosen = choose_runs([run(samples=samples(["1", "2"], [float("inf"), 1]))])
    assert np.isnan(as_table(chosen)["score"].to_pylist()[0])
    assert "infinite scores are missing: A on qa" in chosen.notes


@pytest.mark.parametrize("metric", ["bits_per_byte", "brier_score", "avg_toxicity_score", "wer"])
def test_metrics_that_are_better_lower_are_known(metric: str) -> None:
    chosen = choose_runs([Run("a", "A", "qa", metric, 0.1)])
    assert chosen.directions == {"qa": False}
    assert f"lower is better, by the name of the metric: qa ({metric})" in chosen.notes
    assert (
        f"lower is better, by the name of the metric: {metric}" in choose_runs([Run("a", "A", metric, metric, 1)]).notes
    )


def test_directions_that_contradict_each_other_are_refused() -> None:
    runs = [Run("a", name, "qa", "m", 0.1, higher_is_better=name == "A") for name in "AB"]
    with pytest.raises(InputError, match="task 'qa': higher is better in some files, and lower in others"):
        choose_runs(runs)


def test_tasks_whose_instances_differ_can_be_left_out() -> None:
    def of(system: str, task: str, digest: str) -> Run:
        samples = Samples(labels(["1"]), np.array([0.5]), digests=labels([digest]))
        return Run(f"{system}/{task}.json", system, task, "acc", samples=samples)

    same = [of(system, "same", "x") for system in ("A", "B")]
    other = [of(system, task, system) for task in ("b", "c") for system in ("A", "B")]
    with pytest.raises(InputError, match=r"task 'b': instance '1' .* of 1 more task\).*--tasks '!b,!c'\)"):
        choose_runs([*same, *other])
    with pytest.raises(InputError, match=r"leave out tasks with tasks= \(--tasks '!c'\)"):
        choose_runs([*same, *other], tasks=["!b"])
    assert len(choose_runs([*same, *other], tasks=["same"]).runs) == 6


def clustered_run(system: str, task: str, clusters: Sequence[str] | None = None, size: int = 4) -> Run:
    told = None if clusters is None else labels(clusters)
    samples = Samples(labels(range(size)), np.arange(size, dtype=np.float64), clusters=told)
    return Run(f"{system}-{task}", system, task, "acc", samples=samples)


def scores(*runs: Run) -> Scores:
    return podium.from_frame(as_table(choose_runs(runs)))


def names(runs: Sequence[Run]) -> list[str]:
    (found,) = runs
    assert found.samples is not None
    assert found.samples.clusters is not None
    return list(found.samples.clusters)


def test_without_clusters_nothing_changes() -> None:
    runs = {("A", "t"): [clustered_run("A", "t")]}
    assert in_clusters(runs) is runs


def test_a_system_without_clusters_has_those_of_the_others() -> None:
    found = in_clusters({("A", "t"): [clustered_run("A", "t", "xxyy")], ("B", "t"): [clustered_run("B", "t")]})
    assert names(found["B", "t"]) == ["x", "x", "y", "y"]


def test_tasks_with_the_same_labels_have_the_same_clusters() -> None:
    (task, other) = scores(
        clustered_run("A", "t", "xxyy"),
        clustered_run("A", "u"),
        clustered_run("B", "t", "xxyy"),
        clustered_run("B", "u"),
    ).tasks
    assert task.clusters is not None
    assert other.clusters is not None
    assert task.clusters.labels == other.clusters.labels


def test_tasks_that_merely_number_their_instances_alike_are_apart() -> None:
    (task, other, third) = scores(
        clustered_run("A", "t", "xxyy"), clustered_run("A", "u", "vwwv"), clustered_run("A", "v", size=2)
    ).tasks
    assert task.clusters is not None
    assert other.clusters is not None
    assert third.clusters is not None
    assert [sorted(set(one.clusters.labels)) for one in (task, other, third) if one.clusters is not None] == [
        ["x", "y"],
        ["v", "w"],
        ["v: 0", "v: 1"],
    ]
    assert task.instances is not None
    assert other.instances is not None
    assert task.instances.tolist() != other.instances.tolist()


@pytest.mark.parametrize("order", [1, -1])
def test_means_stand_beside_clusters(order: int) -> None:
    means = [Run("c", system, task, "acc", 0.5) for system in "AB" for task in "uv"]
    found = scores(*[clustered_run("A", "t", "xxyy"), clustered_run("B", "t", "xxyy"), *means][::order])
    assert found.n_scored == found.n_cells == 12
