"""Cases that the kernels of the page and Python answer alike: run to write them anew."""

import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.stats import chi2, norm, t

import podium
from podium.agreement.view import _slots, drawn_in
from podium.base.errors import MethodError, NoMaximumError, PodiumWarning
from podium.base.statistics import holm, shaffer
from podium.comparison.result import MetaAnalysis
from podium.comparison.task_tests import ROUNDINGS
from podium.customization.split import Splitting, Weighting, lead_shares, weightings
from podium.difficulty.result import Difficulty, Measure
from podium.ranking.bootstrap import Bootstrap
from podium.score.family import family_names
from podium.score.place import competition_ranks, places
from podium.score.table import Scores, of_battles
from podium.score.task import mean_scores
from podium.score.units import sharing, units_among
from podium.source import aggregate, descriptor, direction, recognise, table
from podium.source import number as written
from podium.tally.draw import Resampling
from podium.webpage.duels import WAYS as STRENGTHS
from podium.webpage.duels import TaskDuels
from podium.webpage.instances import Graded, instance_scores
from podium.webpage.shares import TaskMeans, TaskShares, pairs
from podium.webpage.shell import packed

Floats = NDArray[np.float64]

FOLDER = Path(__file__).parents[2] / "web/cases"

WORDS = FOLDER.parent / "public/words.json"

REPLICATES = 60


def _instances(seed: int, **arguments: Any) -> Scores:
    """Six systems on four tasks of 105 to 315 instances, some systems alike."""
    rng = np.random.default_rng(seed)
    strength = np.array([0.8, 0.4, 0.4, 0.2, 0.2, 0.0])
    values = {f"t{task}": rng.normal(strength[:, None], 1.0, (6, 105 * (1 + task % 3))) for task in range(4)}
    return podium.from_arrays(values, systems=list("fedcba"), **arguments)


def _with_holes(seed: int) -> Scores:
    rng = np.random.default_rng(seed)
    values = {f"t{task}": np.round(rng.normal(np.arange(5)[:, None] / 3, 1.0, (5, 40)), 1) for task in range(3)}
    for own in values.values():
        own[rng.random(own.shape) < 0.2] = np.nan
    values["t0"][1] = np.nan
    return podium.from_arrays(values, systems=list("abcde"))


def _metrics(seed: int) -> Scores:
    """Three metrics of the same items, and clusters."""
    rng = np.random.default_rng(seed)
    items = 112 if seed % 2 else 70
    common = rng.normal(np.linspace(0, 1, 5)[:, None], 1.0, (5, items))
    values = {f"m{metric}": common + rng.normal(0, 0.4, common.shape) for metric in range(3)}
    labels = [f"item {item}" for item in range(items)]
    clusters = [f"c{item // 2}" for item in range(items)] if seed % 2 else None
    return podium.from_arrays(
        values,
        systems=list("abcde"),
        instances=dict.fromkeys(values, labels),
        clusters=None if clusters is None else dict.fromkeys(values, clusters),
    )


def _noise(seed: int, n_tasks: int, n_instances: int) -> Scores:
    """Equal systems; some replicates draw nothing of a task."""
    rng = np.random.default_rng(seed)
    values = {f"t{task:02}": rng.normal(size=(4, n_instances)) for task in range(n_tasks)}
    return podium.from_arrays(values, systems=list("abcd"))


def _tasks(seed: int, n_tasks: int, *, empty: bool = False) -> Scores:
    rng = np.random.default_rng(seed)
    rows = {name: rng.normal(at, 0.7, n_tasks) for at, name in enumerate("abcdef")}
    table = {name: {f"t{task}": float(value) for task, value in enumerate(row)} for name, row in rows.items()}
    del table["c"]["t1"], table["d"]["t2"]
    if empty:
        for row in table.values():
            row["t0"] = float("nan")
    return podium.from_dict(table)


def _leaderboard(seed: int) -> Scores:
    """Thirty systems on ten tasks, whose names are in another order; some tasks lack some systems."""
    rng = np.random.default_rng(seed)
    values = rng.normal(np.linspace(3, 0, 30)[:, None], 1.0, (30, 10))
    values[rng.random(values.shape) < 0.05] = np.nan
    names = [f"t{task}" for task in (3, 1, 2, 0, 9, 8, 7, 6, 5, 4)]
    return podium.from_dict({f"s{at:02}": dict(zip(names, row, strict=True)) for at, row in enumerate(values.tolist())})


def _families(seed: int, n_tasks: int, n_families: int) -> Scores:
    """Twelve systems on tasks of fewer families, in an order that is not that of names."""
    rng = np.random.default_rng(seed)
    of = rng.permuted(np.arange(n_tasks) % n_families)
    values = rng.normal(np.linspace(1.5, 0, 12)[:, None], 1.0, (12, n_families))[:, of]
    values += rng.normal(0, 0.5, values.shape)
    names = [f"{'zyxwv'[family % 5]}{family:02}/part {task}" for task, family in enumerate(of.tolist())]
    table = podium.from_dict(
        {f"s{at:02}": dict(zip(names, row, strict=True)) for at, row in enumerate(values.tolist())}
    )
    tasks = [replace(task, family=task.name.split("/")[0]) for task in table.tasks]
    return replace(table, tasks=tuple(tasks))


def _instances_of_many(seed: int) -> Scores:
    """Thirty systems on three metrics of the same five items and on one of their own."""
    rng = np.random.default_rng(seed)
    values = {f"m{at}": rng.normal(np.linspace(3, 0, 30)[:, None], 1.0, (30, 5)) for at in (2, 0, 1)}
    values["a"] = rng.normal(np.linspace(3, 0, 30)[:, None], 1.0, (30, 6))
    values["m0"][rng.random((30, 5)) < 0.1] = np.nan
    labels = {name: [f"{name[0]} {at}" for at in range(own.shape[1])] for name, own in values.items()}
    return podium.from_arrays(values, systems=[f"s{at:02}" for at in range(30)], instances=labels)


def _partly_shared(seed: int, items: int, *, large: float = 1.0) -> Scores:
    """Metrics of items, each of which lacks some of them, and one task of its own, on a scale of its own."""
    rng = np.random.default_rng(seed)
    common = rng.normal(np.linspace(0.8, 0, 7)[:, None], 1.0, (7, items))
    values, labels = {}, {}
    for metric in (2, 0, 1):
        there = rng.permutation(np.flatnonzero(rng.random(items) < 0.8))
        values[f"m{metric}"] = common[:, there] + rng.normal(0, 0.4, (7, there.size))
        labels[f"m{metric}"] = [f"item {item:03}" for item in there]
    values["alone"] = large * rng.normal(np.linspace(0, 0.8, 7)[:, None], 1.0, (7, max(items // 4, 9)))
    labels["alone"] = [f"other {item}" for item in range(values["alone"].shape[1])]
    return podium.from_arrays(values, systems=list("gfedcba"), instances=labels)


def _lone(seed: int, *, plain: int, lone: int) -> Scores:
    """Some tasks of instances, and some of a single one."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(1, 0, 6)[:, None]
    values = {f"t{at}": rng.normal(strength, 1.0, (6, 12)) for at in range(plain)}
    values |= {f"one {at}": rng.normal(strength, 1.0, (6, 1)) for at in reversed(range(lone))}
    values["one 1"][2] = np.nan
    return podium.from_arrays(values, systems=list("fedcba"))


def _weighted(seed: int, *, clusters: bool) -> Scores:
    """Weighted instances, perhaps in clusters, with holes, on tasks of both directions; scores that are near tie."""
    rng = np.random.default_rng(seed)
    sizes = (40, 64, 52)
    values = {f"t{task}": np.round(rng.normal(np.arange(5)[:, None] / 4, 1.0, (5, size)), 1)
              for task, size in enumerate(sizes)}  # fmt: skip
    for own in values.values():
        own[rng.random(own.shape) < 0.3] = np.nan
    values["t1"][2, 2:] = np.nan
    values["t2"][3] = np.nan
    named = {name: [f"{name} {at // 2}" for at in range(own.shape[1])] for name, own in values.items()}
    scores = podium.from_arrays(values, systems=list("abcde"), lower=["t1"], clusters=named if clusters else None)
    weighed = [replace(task, instance_weights=rng.integers(1, 4, task.n_instances) / 2) for task in scores.tasks]
    return replace(scores, tasks=tuple(weighed)).with_tie_tolerance(0.0 if clusters else 0.15)


def worlds() -> Iterator[tuple[str, Scores]]:
    """Tables by name."""
    yield "instances", _instances(0)
    yield "instances, equal systems", _instances(3)
    yield "instances with holes and ties", _with_holes(1)
    yield "metrics of the same items", _metrics(2)
    yield "metrics of the same items in clusters", _metrics(3)
    yield "very few instances of many tasks", _noise(7, 25, 3)
    yield "few instances", _noise(10, 3, 15)
    yield "few instances of many systems", _instances_of_many(11)
    yield "weighted instances, both directions", _weighted(12, clusters=False)
    yield "weighted instances in clusters", _weighted(13, clusters=True)
    yield "instances that tasks share in part", _partly_shared(14, 60)
    yield "one of unlike scales", _partly_shared(15, 40, large=20.0)
    yield "tasks of one instance", _lone(16, plain=9, lone=8)
    yield "tasks of one instance weigh most", _lone(17, plain=2, lone=7)
    yield "tasks", _tasks(4, 18)
    yield "tasks, one without a score", _tasks(8, 19, empty=True)
    yield "few tasks", _tasks(5, 12)
    yield "many tasks", _tasks(6, 60)
    yield "many systems on few tasks", _leaderboard(9)
    yield "fourteen families", _families(18, 21, 14)
    yield "thirty families", _families(19, 37, 30)
    yield "families of tasks", _families(20, 170, 150)


def battles(seed: int, number: int, judges: int, *, systems: int = 6, ties: float = 0.2) -> Scores:
    """Battles of systems, some of which meet rarely, in three categories; judges have tastes and are clusters."""
    rng = np.random.default_rng(seed)
    often = (1 + np.arange(systems)) / systems / (systems + 1) * 2
    strength, taste = np.linspace(1.2, 0, systems), rng.normal(0, 0.4, (max(judges, 1), systems))
    names = [f"s{(at * 5) % systems}" for at in range(systems)]
    values, clusters, labels = {}, {}, {}
    for task, size in zip(("coding", "chat", "German"), (number, number // 2, number // 4), strict=True):
        pairs = np.array([rng.choice(systems, 2, replace=False, p=often) for _ in range(size)])
        judge = rng.integers(max(judges, 1), size=size)
        lead = (strength + taste[judge])[np.arange(size)[:, None], pairs] if judges else strength[pairs]
        won = rng.random(size) < 1 / (1 + np.exp(lead[:, 1] - lead[:, 0]))
        result = np.where(rng.random(size) < ties, 0.5, won)
        values[task] = np.full((systems, size), np.nan)
        values[task][pairs[:, 0], np.arange(size)] = result
        values[task][pairs[:, 1], np.arange(size)] = 1 - result
        clusters[task] = [f"judge {at}" for at in judge]
        labels[task] = [f"{task} {at}" for at in range(size)]
    return podium.from_arrays(values, systems=names, instances=labels, clusters=clusters if judges else None)


def battle_worlds() -> Iterator[tuple[str, Scores]]:
    """Tables of battles by name."""
    yield "battles of few judges", battles(21, 240, 30)
    yield "battles of many judges", battles(22, 600, 260)
    yield "battles without judges", battles(23, 400, 0, ties=0.0)
    yield "battles of many systems", battles(24, 160, 0, systems=14)


def case(name: str, scores: Scores, *, single: bool = False) -> dict[str, Any]:
    """A table, and its ranking by some weights; `single` holds what single units add, however many these are."""
    bootstrap = Bootstrap.of(scores, confidence=0.95, units=None, replicates=REPLICATES, seed=0)
    made = TaskShares.of(scores, bootstrap)
    made = replace(made, single=made.replicates is not None and (single or made.single))
    rng = np.random.default_rng(len(name))
    n_tasks = len(scores.tasks)
    weights = [np.ones(n_tasks), rng.integers(1, 5, n_tasks) / 2.0, np.maximum(rng.integers(-1, 4, n_tasks), 0) + 0.25]
    weights.append(((np.arange(n_tasks) + 1) % 2).astype(np.float64))  # every other task
    return {
        "name": name,
        "names": list(scores.systems),
        "confidence": bootstrap.confidence,
        **_tallies(scores, made),
        "rankings": [_ranking(scores, way, own) for way in ways(scores) for own in weights],
        "subsets": _subsets(scores, weights[1]),
    }


def _subsets(scores: Scores, weights: Floats) -> list[dict[str, Any]]:
    """Rankings of some systems, and whether a page needs scores of instances for these."""
    known = scores.task_level or pairs(scores) is not None
    every = range(len(scores.systems))
    several = [[row for row in every if row not in without] for without in ({0}, {1, every[-1]})]
    return [
        {
            "kept": kept,
            "needs": not (known or way in {"task", "mean", *STRENGTHS}),
            **_ranking(scores.take(kept), way, weights),
        }
        for kept in several
        if len(kept) > 1  # one system has no ranking
        for way in ways(scores)
    ]


#: Ways to rank on the page, as `podium.rank` takes them.
WAYS: dict[str, Any] = {
    **{level: f"borda:{level}:missing=imputed" for level in ("balanced", "one", "two", "task")},
    "mean": "mean",
}


def ways(scores: Scores) -> list[str]:
    """Those of a table; where each task has one score, all levels are one."""
    if of_battles(scores):
        return [*STRENGTHS, "mean"]
    return ["task", "mean"] if scores.task_level else list(WAYS)


def _tallies(scores: Scores, made: TaskShares) -> dict[str, Any]:
    """What a page holds, with all its digits."""
    means = np.array([mean_scores(task)[0] * (1 if task.higher_is_better else -1) for task in scores.tasks]).T
    held = pairs(scores)
    found = {
        **_shares(made),
        "means": _plain(means.ravel()),
        "reach": scores.effective_tie_tolerance,
        "pairs": None if held is None else held.ravel().tolist(),
    }
    if scores.task_level:
        return found
    if of_battles(scores):
        duels = TaskDuels.of(scores, made.resampling)
        drawn = None if duels.drawn is None else duels.drawn.ravel().tolist()
        found["battles"] = {"cells": duels.duels.ravel().tolist(), "numbers": duels.number.tolist(), "drawn": drawn}
    counted = TaskMeans.of(scores, made)
    arrays = counted.arrays()
    if made.drawn_ballots is not None and made.means is not None:
        found["varying"] |= {"ballots": made.drawn_ballots.ravel().tolist(), "means": _plain(made.means.ravel())}
    instances = {
        **counted.content(),
        "sizes": [task.n_instances for task in scores.tasks],
        "ballots": made.ballots.tolist(),
        "byOrder": counted.by_order.ravel().tolist(),
        "exponents": counted.scale.ravel().tolist(),
        "units": arrays.get("scored units", np.stack([task.scored for task in scores.tasks], axis=1)).ravel().tolist(),
    }
    return {**found, "instances": instances, **({} if of_battles(scores) else {"table": _table(scores, made)})}


def _table(scores: Scores, made: TaskShares) -> list[dict[str, Any]]:
    """Every score, and what draws it."""
    content, arrays = instance_scores(scores, made.resampling)
    return [
        {
            "scores": _plain((task.values if task.higher_is_better else -task.values).ravel()),
            "weights": None if task.instance_weights is None else task.instance_weights.tolist(),
            "units": arrays[f"units {at}"].tolist() if f"units {at}" in arrays else None,
            "draw": held["draw"],
            "draws": arrays[f"draws {at}"].ravel().tolist() if f"draws {at}" in arrays else None,
        }
        for at, (task, held) in enumerate(zip(scores.tasks, content["tasks"], strict=True))
    ]


def _shares(made: TaskShares) -> dict[str, Any]:
    """Shares and replicates with all their digits."""
    varying = made.content()
    if made.replicates is not None:
        drawn = ~np.isnan(made.replicates).all(axis=0)
        varying["drawn"] = drawn.astype(int).ravel().tolist()
        varying["shares"] = np.where(drawn, made.replicates, 0.0).ravel().tolist()
    arrays = made.arrays()
    for name in ("contributions", "mean contributions", "unit shares"):
        if name in arrays:
            varying[name] = arrays[name].tolist()
    systems, tasks = made.shares.shape
    return {
        "systems": systems,
        "tasks": tasks,
        "replicates": made.resampling.replicates,
        "shares": made.shares.ravel().tolist(),
        "varying": varying,
    }


def _ranking(scores: Scores, way: str, weights: Floats) -> dict[str, Any]:
    """A ranking, in the direction in which higher is better."""
    weighed = scores.with_task_weights(dict(zip(scores.task_names, weights.tolist(), strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)  # a mean leaves out what is missing
        try:
            ranking = podium.rank(weighed, (WAYS | STRENGTHS)[way], n_resamples=REPLICATES)
        except NoMaximumError:
            return {"way": way, "weights": weights.tolist(), "score": None, "rank": [0] * len(scores.systems)}
    back = [ranking.systems.index(system) for system in scores.systems]
    columns: dict[str, Any] = {"score": ranking.score, "rank": ranking.rank}
    if (found := ranking.intervals) is not None:
        names = ("std_error", "score_low", "score_high", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high")
        columns |= {name: getattr(found, name) for name in (*names, "tier", "may_be_first")}
    if not ranking.higher_is_better:
        columns["score"] = -columns["score"]
        if "score_low" in columns:
            columns["score_low"], columns["score_high"] = -columns["score_high"], -columns["score_low"]
    answer = {name: _plain(np.asarray(column)[back]) for name, column in columns.items()}
    return {"way": way, "weights": weights.tolist(), **answer}


def _plain(column: np.ndarray[Any, Any]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in column.tolist()]


def graded_worlds() -> Iterator[tuple[str, Scores, Difficulty, Scores]]:
    """Tables with difficulties and confidences, by name: ties, holes, weights, tasks of some weight.

    Some instances are not rated, some answers have no confidence, and one system has fewer than most recipes want.
    """
    for seed, name in enumerate(("right or wrong", "one task with ties", "holes and partial scores", "weights")):
        rng = np.random.default_rng(seed)
        sizes = (90,) if name == "one task with ties" else (40, 61, 83)
        values = {f"t{task}": (rng.random((4, size)) < 0.7).astype(float) for task, size in enumerate(sizes)}
        options: dict[str, Any] = {"lower": []}
        if name == "holes and partial scores":
            values = {task: np.where(rng.random(own.shape) < 0.2, np.nan, own / 2 + rng.random(own.shape) / 2)
                      for task, own in values.items()}  # fmt: skip
            options["lower"] = ["t1"]
        labels = {task: [f"{task} {at:03}" for at in range(own.shape[1])] for task, own in values.items()}
        scores = podium.from_arrays(values, systems=list("dacb"), instances=labels, **options)
        if name == "weights":
            weighed = [
                replace(task, instance_weights=rng.integers(1, 4, task.n_instances) / 2) for task in scores.tasks
            ]
            scores = replace(scores, tasks=tuple(weighed)).with_task_weights({"t0": 2.0, "t2": 0.5})
        rated = np.array([label for own in labels.values() for label in own])
        easy = rng.beta(3, 1, rated.size)
        easy[rng.random(rated.size) < 0.1] = np.nan
        hard = np.round(rng.random(rated.size), 1) + 0.1
        measures = (Measure("bias", easy if len(sizes) > 1 else np.round(easy, 1), "low"), Measure("irt", hard, "high"))
        kinds = rng.choice(["10", "9", "100"] if name == "weights" else ["a tale", "news", "law"], rated.size)
        sure = {task: np.round(0.1 + 0.9 * rng.random(own.shape), 2) for task, own in values.items()}
        for own in sure.values():
            own[rng.random(own.shape) < 0.1] = np.nan
            own[2, 2:] = np.where(name == "right or wrong", np.nan, own[2, 2:])
        confidences = podium.from_arrays(sure, systems=list("dacb"), instances=labels)
        yield name, scores, Difficulty(rated, measures, extras=(("kind", kinds),)), confidences


#: How to split and weigh, in the words of `podium.Splitting` and `podium.Weighting`.
RECIPES: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"splits": 7}, {}),
    ({"splits": 7, "level": "one"}, {"weights": "square", "penalty": 0}),
    ({"splits": 5, "by": "width"}, {"weights": "logarithmic", "case": 4}),
    ({"splits": 4, "by": "width", "level": "one"}, {"case": 9}),
    ({"splits": [0.3, 0.4, 0.7]}, {"weights": [1, 2, 0, 5.5], "reward": 2, "penalty": -0.25}),
    ({"splits": [0.5], "level": "one"}, {"case": 8}),
    ({"splits": 6, "by": "random"}, {"weights": "falling"}),
    ({"splits": 3, "by": "random", "level": "one"}, {"weights": "uniform", "case": 5}),
    ({"splits": 3, "ties": "order"}, {"case": 7}),
    ({"splits": 2}, {"case": 6}),
    ({"splits": 1}, {"weights": "1/B", "reward": "B", "penalty": "-1/B"}),
)


#: Splits that a column names.
MANUAL: tuple[tuple[dict[str, Any], dict[str, Any]], ...] = (
    ({"splits": "kind"}, {}),
    ({"splits": "kind", "level": "one"}, {"weights": "square", "case": 5}),
)


def graded_case(name: str, scores: Scores, difficulty: Difficulty, confidences: Scores) -> dict[str, Any]:
    """A table with difficulties, confidences and named splits, and what Python makes of it by all recipes."""
    drawn = Resampling("instances", REPLICATES, 0)
    graded = Graded.of(scores, drawn, difficulty=difficulty, confidences=confidences, splits="kind")
    splits, own = graded.splits or (), graded.confidences or ()
    tasks = [
        {
            "name": scores.task_names[index],
            "weight": scores.tasks[index].weight,
            "instances": graded.goodness[at].shape[1],
            "goodness": _plain(graded.goodness[at].ravel()),
            "values": [_plain(row) for row in (*graded.values[at], own[at].ravel())],
            "splits": [*splits[at].tolist(), None],
            "weights": None if (weights := graded.weights[at]) is None else weights.tolist(),
            "keys": [measure["keys"][index] for measure in graded.measures],
        }
        for at, index in enumerate(graded.tasks)
    ]
    kept = ("name", "hard", "own", "levels", "splits", "notes")
    measures = [{name: one[name] for name in kept} for one in graded.measures]
    answers = []
    for number, one in enumerate(measures):
        for splitting, weighting in RECIPES if one["own"] else (*RECIPES, *MANUAL):
            given, measure = (confidences, None) if one["own"] else (difficulty, one["name"])
            made = customized(scores, given, measure, Splitting(**splitting), Weighting(**weighting))
            answers.append(
                {"measure": number, **_recipe(splitting, weighting, (one["splits"] or {}).get("names", [])), **made}
            )
    return {"name": name, "systems": len(scores.systems), "measures": measures, "tasks": tasks, "answers": answers}


def _recipe(splitting: dict[str, Any], weighting: dict[str, Any], named: list[str]) -> dict[str, Any]:
    split, weigh = Splitting(**splitting), Weighting(**weighting)
    factors = {name: {"number": one.number, "power": one.power} for name, one in
               (("reward", weigh.reward), ("penalty", weigh.penalty))}  # fmt: skip
    return {
        "splitting": {"by": split.by, "count": len(split.numbers) or len(named), "marks": split.marks,
                      "ties": split.ties, "level": split.level},
        "weighting": {"weights": weigh.weights, **factors},
    }  # fmt: skip


def customized(
    scores: Scores, difficulty: Difficulty | Scores, measure: str | None, splitting: Splitting, weighting: Weighting
) -> dict[str, Any]:
    """What `podium.customize` answers, in the order of the systems of the table."""
    made = podium.customize(
        scores, difficulty, measure=measure, splits=splitting, split_weights=weighting, n_resamples=REPLICATES
    )
    back = [made.systems.index(system) for system in scores.systems]
    columns: dict[str, Any] = {
        "score": made.ranking.score,
        "rank": made.ranking.rank,
        "accuracy": made.accuracy,
        "accuracyRank": made.accuracy_rank,
        "inflation": made.inflation,
        "splitScores": made.split_scores,
        "splitAccuracy": made.split_accuracy,
    }
    answer: dict[str, Any] = {name: _plain(np.asarray(column)[back].ravel()) for name, column in columns.items()}
    answer["sizes"] = [split.instances for split in made.splits]
    answer["ranges"] = [_plain(np.array([split.low, split.high])) for split in made.splits]
    if (found := made.ranking.intervals) is not None:
        names = ("std_error", "score_low", "score_high", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high")
        answer["intervals"] = {
            one: _plain(np.asarray(getattr(found, one))[back]) for one in (*names, "tier", "may_be_first")
        }
    return answer


def compared_worlds() -> Iterator[tuple[str, Scores]]:
    """Tables to compare two systems of, by name; the first two are compared in both directions."""
    rng = np.random.default_rng(21)

    def right(*sizes: int, share: float = 0.6) -> dict[str, Floats]:
        return {f"t{at}": (rng.random((4, size)) < share + 0.05 * at).astype(float) for at, size in enumerate(sizes)}

    yield "right or wrong", podium.from_arrays(right(40, 61, 83, 400))
    yield "one task", podium.from_arrays(right(50))
    yield "two tasks", podium.from_arrays(right(50, 30))
    yield "many tasks", podium.from_arrays(right(*rng.integers(10, 60, 40).tolist(), share=0.3))
    apart = {f"t{at}": rng.normal(at % 3, 1.0, (4, 30)) + np.array([0, at / 9, 0, 0])[:, None] for at in range(9)}
    yield "numbers", podium.from_arrays(apart, lower=["t2", "t5"])
    holes = {name: np.where(rng.random(own.shape) < 0.2, np.nan, own) for name, own in right(40, 61, 83, 12).items()}
    holes["t3"][0] = np.nan  # one of the two has no score
    yield "holes", podium.from_arrays(holes).with_task_weights({"t1": 0.0, "t2": 3.0})
    equal = right(30, 20, 25, 40)
    equal["t1"][1] = equal["t1"][0]  # no difference
    equal["t2"][:2] = [[1.0], [0.0]]  # always the same
    equal["t3"][:2] = 1.0  # nothing varies
    yield "equal differences", podium.from_arrays(equal)
    rare = {f"t{at}": np.ones((4, size)) for at, size in enumerate((50, 60, 70, 80))}
    for at, own in enumerate(rare.values()):
        own[0, :at] = 0.0  # on the first no difference
    yield "rare failures", podium.from_arrays(rare)
    weighed = podium.from_arrays({f"t{at}": rng.normal(size=(4, 50)) for at in range(4)})
    tasks = [replace(task, instance_weights=rng.integers(0, 4, 50) / 2) for task in weighed.tasks]
    yield "weights of instances", replace(weighed, tasks=tuple(tasks))
    clusters = {f"t{at}": [f"c{at} {place // 4}" for place in range(60)] for at in range(3)} | {"t3": ["one"] * 60}
    yield "clusters", podium.from_arrays(right(60, 60, 60, 60), clusters=clusters)
    sharp = {f"t{at}": rng.normal(10.0 ** (at % 4), 0.1 ** (at % 3), (4, 25)) for at in range(7)}
    yield "sharp and blunt", podium.from_arrays(sharp)
    items = {name: [f"item {at}" for at in range(50)] for name in ("t0", "t1")}
    yield "shared instances", podium.from_arrays(right(50, 50, 40, 60), instances=items)
    yield "few numbers", podium.from_arrays({"t0": rng.normal(0.5, 1.0, (4, 5)), "t1": rng.normal(0.9, 1.0, (4, 8))})
    parts = {f"t{at}": [f"item {at + place}" for place in range(size)] for at, size in enumerate((70, 60, 1, 1))}
    yield "instances shared in part", podium.from_arrays(right(70, 60, 1, 1), instances=parts)
    yield "more tasks than are left out in turn", podium.from_arrays(right(*[12] * 101, share=0.3))


def compared_case(scores: Scores) -> dict[str, Any]:
    """A table with instances, and what Python says of its first two systems in both directions."""
    units = units_among(scores.tasks)
    unit = {index: of.tolist() for group in units for index, of in zip(group.tasks, group.of, strict=True)}
    tasks = [
        {
            "name": task.name,
            "weight": task.weight,
            "units": unit[index],
            "instances": task.n_instances,
            "higherIsBetter": task.higher_is_better,
            "scores": _plain(task.values.ravel()),
            "weights": None if task.instance_weights is None else task.instance_weights.tolist(),
            "clusters": None if task.clusters is None else task.clusters.numbers.tolist(),
        }
        for index, task in enumerate(scores.tasks)
    ]
    found = [(0, 1, 0.95), (1, 0, 0.9)]
    answers = [_compared(scores, *one) for one in found]
    groups = [{"tasks": group.tasks, "number": group.number} for group in units]
    return {"systems": len(scores.systems), "tasks": tasks, "units": groups, "answers": answers}


def _compared(scores: Scores, control: int, treatment: int, confidence: float) -> dict[str, Any]:
    one, other = scores.systems[control], scores.systems[treatment]
    on_suite = podium.compare(scores, control=one, treatment=other, confidence_level=confidence)
    assert isinstance(on_suite, MetaAnalysis)
    # a page has no summary of tasks that share instances
    apart = tuple(replace(task, instances=None) for task in scores.tasks)
    scores = replace(scores, tasks=apart) if sharing(scores.tasks) else scores
    made = podium.compare(scores, control=one, treatment=other, confidence_level=confidence)
    assert isinstance(made, MetaAnalysis)
    try:
        standardised = podium.compare(scores, one, other, effect="smd", confidence_level=confidence)
    except MethodError:  # no standard deviation
        standardised = None
    columns = ("task", "n", "control_mean", "treatment_mean", "effect", "variance", "low", "high", "weight", "better",
               "worse")  # fmt: skip
    numbers = ("k", "effect", "df", "low", "high", "prediction_low", "prediction_high", "tau2", "i2", "q", "q_p")
    return {
        "control": control,
        "treatment": treatment,
        "confidence": confidence,
        "binary": made.binary,
        "tasks": [{name: row[name] for name in columns} for row in made.rows()],
        "summary": {name: made._content()["summary"][name] for name in numbers},
        "suite": {name: value for name, value in on_suite._content()["suite"].items() if name != "noise"},
        "smd": None
        if standardised is None
        else [[row["task"], row["effect"], row["variance"]] for row in standardised.rows()],
        # a page has no influence diagnostics
        "notes": [note for note in made.notes if not note.startswith("the summary depends much on ")],
    }


def tested_worlds() -> Iterator[tuple[str, Scores]]:
    """Tables of one score per task, by name."""
    rng = np.random.default_rng(22)

    def table(values: Floats, **options: Any) -> Scores:
        columns = [f"t{at}" for at in range(values.shape[1])]
        rows = {f"s{at}": dict(zip(columns, row.tolist(), strict=True)) for at, row in enumerate(values)}
        return podium.from_dict(rows, **options)

    yield "shares", table(np.round(rng.random((4, 12)), 2))
    yield "percent", table(np.round(100 * rng.random((4, 3)), 1))
    yield "ties and holes", table(np.where(rng.random((4, 25)) < 0.15, np.nan, rng.integers(1, 5, (4, 25)) / 5))
    yield "no common scale", table(rng.normal(size=(4, 9)) * 10.0 ** np.arange(9)).with_task_weights({"t3": 0.0})
    yield "both directions", table(rng.random((4, 9))).with_directions(lower=["t1", "t2"])
    yield "tie tolerance", table(np.round(rng.random((4, 30)), 1)).with_tie_tolerance(0.2)
    yield "always as much", table(np.linspace(0.1, 0.8, 8) + np.array([[0.0], [0.1], [0.2], [0.0]]))
    of_family = np.round(rng.random((4, 11)), 2)
    yield "families", table(of_family).with_families({"first": "t[0-3]", "second": ["t4", "t7"]})
    yield "600 tasks", table(np.round(rng.random((2, 600)), 1))


def tested_case(scores: Scores) -> dict[str, Any]:
    """A table of one score per task, and what Python says of its first two systems in both directions."""
    made = [
        podium.compare_task_scores(scores, control=f"s{one}", treatment=f"s{1 - one}", confidence_level=0.9)
        for one in (0, 1)
    ]
    names = ("wins", "ties", "losses", "sign_p", "rank_sum", "wilcoxon_p", "mean", "low", "high", "t_p")
    answers = [
        {
            **{name: one.rows()[0][name] for name in names},
            "tasks": [scores.task_names.index(task.task) for task in one.treatments[0].tasks],
            "differences": [task.difference for task in one.treatments[0].tasks],
        }
        for one in made
    ]
    return {
        "systems": len(scores.systems),
        "means": _plain(np.concatenate([task.values for task in scores.tasks], axis=1).ravel()),
        "higherIsBetter": scores.higher_is_better.tolist(),
        "weights": scores.task_weights.tolist(),
        "rounding": ROUNDINGS * float(np.finfo(np.float64).eps),
        "reach": scores.effective_tie_tolerance,
        "families": np.unique(family_names(scores.tasks), return_inverse=True)[1].tolist(),
        "answers": answers,
    }


def distributions() -> dict[str, Any]:
    """Normal, Student's and χ² distributions, by SciPy."""
    freedoms = (1.0, 1.001, 1.2, 1.9, 2.0, 3.0, 5.0, 7.5, 30.0, 499.0, 1e6)
    squares = [(x, v) for v in (1, 2, 3, 8, 39, 500, 1501) for x in (0.0, 1e-3 * v, 0.7 * v, 1.0 * v, 1.5 * v + 3)]
    shares = (1e-300, 1e-12, 1e-4, 0.025, 0.25, 0.5)
    return {
        "normal": [[x, float(norm.cdf(x))] for x in (-37.5, -8.0, -2.6, -2.5, -1.0, 0.0, 0.3, 2.5, 6.0)],
        "normal quantile": [[p, float(norm.ppf(p))] for p in (*shares, 0.975, 0.999)],
        "student tail": [[x, v, float(t.sf(x, v))] for v in freedoms for x in (0.0, 0.5, 2.0, 4.5, 30.0)],
        "student quantile": [[p, v, float(t.ppf(p, v))] for v in freedoms for p in (1e-12, 1e-4, 0.025, 0.25)],
        "chi squared tail": [[x, v, float(chi2.sf(x, v))] for x, v in squares],
    }


def several() -> list[dict[str, Any]]:
    """p-values of all pairs, and which are significant by Shaffer's and by Holm's steps."""
    rng = np.random.default_rng(7)
    made = []
    for items in (2, 3, 5, 9, 12):
        p = rng.random(items * (items - 1) // 2) ** 4 * 0.2
        judged = {"holm": (holm(p) <= 0.05).tolist(), "shaffer": (shaffer(p, items) <= 0.05).tolist()}
        made.append({"items": items, "p": p.tolist(), **judged})
    return made


def boards() -> Iterator[tuple[str, Floats, Floats]]:
    """Shares of others beaten, systems × tasks, and weights of tasks, by name."""
    rng = np.random.default_rng(11)
    for name, systems, tasks in (("two tasks", 6, 2), ("many tasks", 5, 30), ("many systems", 40, 4), ("both", 15, 8)):
        values = rng.normal(np.linspace(0, 1, systems)[:, None], 0.8, (systems, tasks))
        yield name, _places(values), np.ones(tasks)
    values = np.round(rng.normal(size=(12, 5)))
    values[3] = values[4]
    yield "ties and equal systems", _places(values), np.array([1.0, 0.0, 2.0, 0.5, 1.0])


def _places(values: Floats) -> Floats:
    """Share of the other systems that each system beats on each task, ties half."""
    beaten = np.sign(values[:, None] - values[None]).sum(axis=1)
    shares: Floats = (beaten / (len(values) - 1) + 1) / 2
    return shares


def weighting() -> list[dict[str, Any]]:
    """Who can be first by any weights, how often, and how far away the weights are that put a system somewhere."""
    made = []
    for name, shares, weights in boards():
        systems, tasks = shares.shape
        first = np.mean([lead_shares(shares @ weightings(tasks, rising=False, seed=seed)) for seed in range(8)], axis=0)
        wishes = [(system, rank) for system in range(0, systems, 2) for rank in (1, 2, systems // 2, systems)]
        nearest = [{"system": i, "rank": r, "moved": moved(shares, weights, i, r)} for i, r in wishes]
        made.append(
            {"name": name, "systems": systems, "tasks": tasks, "shares": shares.ravel().tolist()}
            | {"weights": weights.tolist(), "first": first.tolist(), "nearest": nearest}
            | {"margin": [margin(shares, system) for system in range(systems)]}
        )
    return made


def margin(shares: Floats, system: int) -> float:
    """The largest lead over all others, by the best weights; below 0 where no weights put the system first."""
    leads = shares[system] - np.delete(shares, system, axis=0)
    others, tasks = leads.shape
    bound = np.column_stack([-leads, np.ones(others)])
    sums = np.append(np.ones(tasks), 0.0)[None]
    limits = [*[(0, None)] * tasks, (None, None)]
    found = linprog(np.append(np.zeros(tasks), -1.0), bound, np.zeros(others), sums, [1.0], limits)
    return float(np.round(-found.fun, 9))


def moved(shares: Floats, weights: Floats, system: int, rank: int) -> float | None:
    """Share of all weight that has to move so that the system has the rank; None where no weights do."""
    now = weights / weights.sum()
    score = (shares @ now).round(12)
    best = sorted(set(range(len(shares))) - {system}, key=lambda other: (-score[other], other))
    up = rank <= 1 + (score > score[system]).sum()
    leads = shares[system] - shares[best[rank - 1 :]] if up else shares[best[: rank - 1]] - shares[system]
    leads = leads[(leads != 0).any(axis=1)]
    if not len(leads):
        return 0.0
    cost = np.ones(2 * len(now))
    limits = [*[(0.0, None)] * len(now), *[(0.0, float(weight)) for weight in now]]
    sums = np.append(np.ones(len(now)), -np.ones(len(now)))[None]
    found = linprog(cost, np.hstack([-leads, leads]), leads @ now - 1e-6, sums, [0.0], limits)
    return None if found.status == 2 else float(found.fun) / 2


def agreements() -> list[dict[str, Any]]:
    """Rankings side by side: which of them are drawn, and where."""
    rng = np.random.default_rng(17)
    made = []
    for systems, methods in ((4, 2), (9, 5), (45, 7)):
        rows = rng.permuted(np.tile(np.arange(systems), (methods, 1)), axis=1)
        rows[0] = rows[-1] = np.arange(systems) // 2  # two rankings that are the same, and tie
        ranked = {f"m{at}": _ranking_of(row) for at, row in enumerate(rows)}
        agreement = podium.Agreement.of(ranked)
        columns, drawn, _ = drawn_in(agreement, whole=False)
        among = np.array([competition_ranks(places(-row)) for row in agreement.ranks[np.ix_(columns, drawn)]])
        names = tuple(agreement.systems[at] for at in drawn)
        ends = {"left": _slots(among, names), "right": _slots(among[::-1], names)}
        table = {"systems": systems, "methods": methods, "ranks": agreement.ranks.ravel().tolist()}
        made.append(
            {**table, "names": list(names), "columns": columns, "drawn": drawn, "among": among.tolist(), **ends}
        )
    return made


def _ranking_of(row: NDArray[Any]) -> podium.Ranking:
    """A ranking in which lower numbers are better."""
    table = {f"s{system}": {"t": float(-value)} for system, value in enumerate(row.tolist())}
    return podium.rank(podium.from_dict(table), "mean", confidence_level=None)


def bundle() -> bytes:
    """A page's content and arrays of every kind."""
    arrays = {
        "float64": np.array([[0.1, -1e300, np.nan], [np.inf, 5e-324, -0.0]]),
        "mostly NaN": np.where(np.arange(70) % 9 == 8, np.arange(70) / 7, np.nan),
        "mostly one": np.where(np.arange(70) % 32 == 31, np.nan, 0.5),
        "int32": np.array([[-(2**31)], [2**31 - 1]], dtype=np.int32),
        "int8": np.arange(-128, 128, dtype=np.int16).astype(np.int8).reshape(2, 2, 64),
        "uint8": np.zeros((0, 3), dtype=np.uint8),
    }
    return packed({"text": "Ünï\u2028</script>\U0001f600", "number": 0.1, "none": None}, arrays)


def reads() -> Iterator[tuple[str, str, list[str]]]:
    """Files that the page reads as `podium.read` does: name, text, and the tasks of the page, if it has some."""
    wide = "model,params,MMLU,WER (%),latency (ms),Average\n"
    wide += "A,7,81.5,12.1,30,40\nB,13,79.0,11.9,45,41\nC,70,90.25,9,80,44\n"
    yield "wide.csv", wide, []
    yield "beside.csv", wide, ["WER (%)", "MMLU", "other"]
    marks = "System;GLUE;BLEU;note\n**A**;84,3 ± 0,2;1.234,5;x\nB*;91,5;OOM;y\nC;—;12;z\n"
    yield "marks.csv", marks, []
    yield "percent.tsv", "name\trte\tsst2\nA\t91.5%\t80%\nB\t88%\tn/a\n名前\t70.25 %\t81%\n", []
    yield "thousands.csv", "team|elo|points\nA|1,204|3\nB|998|4\nC|12,345.5|5\n", []
    yield "titled.csv", "Results of May\n\nsystem,rte,sst2\nA,0.5,0.25\nB,.75,1e-1\n", []
    yield "index.csv", ",system,a b,c\n0,A,1,2\n1,B,3,\n", []
    means = "agent,t1,t2,t3,all\nA,1.3,2.5,6.1,3.3\nB,4.0,5.2,6.7,5.3\nC,7.9,9.4,2.5,6.6\nD,0.1,1.6,5.5,2.4\n"
    yield "mean.csv", means + "E,9.1,5.2,3.1,5.8\nF,7.7,7.1,0.5,5.1\n", []
    yield "chance.csv", "agent,t1,t2,t3,all\nA,1,2,6,3\nB,4,5,6,5\nC,7,9,2,6\nD,0,1,5,2\n", []
    yield "neg.csv", "model,neg_log_loss,valLoss,FID ↓,F1 ⬆,cost\nA,-1,2,3,4,5\nB,-2,1,1,1,7\n", []
    yield "flags.csv", "model,open,acc,f1\nA,true,0.5,0.2\nB,false,0.25,0.5\n", []
    yield "long.csv", "system,task,score\nA,rte,0.5\nA,wer,0.1\nB,wer,0.3\nB,rte,\n", []
    yield "long-beside.csv", "model,dataset,acc,date\nA,rte,0.5,2024\nB,sst2,1,2025\n", ["sst2", "rte"]
    yield "loss.csv", "model,benchmark,loss\nA,b,0.5\nA,a,1\nB,b,0.4\nB,a,2\n", []
    metrics = "model,task,metric,value\nA,rte,acc,0.5\nA,rte,wer,0.25\nB,rte,acc,0.75\nB,rte,wer,0.5\n"
    yield "metrics.csv", metrics, []
    yield "metric.csv", "model,metric,value\nA,acc,0.5\nA,wer,0.25\nB,acc,0.75\nB,wer,0.5\n", []
    said = "model,task,score,higher_is_better\nA,rte,1,True\nA,ter,2,no\nB,rte,3,true\nB,ter,1,0\n"
    yield "said.csv", said, []
    lines = '{"model": "A", "rte": 0.1, "sst2": null}\n'
    lines += '{"sst2": 1e-3, "model": "B", "constructor": 2, "rte": 0.30000000000000004}\n'
    yield "wide.jsonl", lines, []
    yield "long.jsonl", '{"system": "A", "task": "t", "score": 1}\n\n{"system": "B", "task": "t", "score": true}\n', []
    yield "cr.csv", 'system,"a, b",c\r\n"A ""x""",1,2\r\n"B\r\nb",3,4\r\n', []


def read_case(file: str, text: str, known: list[str]) -> dict[str, Any]:
    """What `podium.read` finds; systems and tasks in their order."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / file
        path.write_bytes(text.encode())
        scores = podium.read(path, tasks=[name for name in known if name != "other"] or None)
    values = np.hstack([task.values for task in scores.tasks])
    return {
        "file": file,
        "text": text,
        "known": known,
        "systems": list(scores.systems),
        "tasks": {task.name: task.higher_is_better for task in scores.tasks},
        "scores": [[None if np.isnan(one) else one for one in row] for row in values.tolist()],
    }


def words() -> dict[str, Any]:
    """What the reader of files in the page knows of names and numbers, from the rules of `podium.source`."""
    signs = {"simpler": written._SIMPLER, "written": written._WRITTEN, "thousands": written._THOUSANDS}
    signs |= {"certain": written._CERTAIN, "decimals": written._DECIMALS}
    signs |= {"noScore": written._NO_SCORE, "noSign": written._NO_SIGN}
    heads = {"names": descriptor._BY_NAME, "heads": descriptor._HEADS, "counts": descriptor._WHOLE}
    patterns = {"down": direction._DOWN, "up": direction._UP, "aside": direction._ASIDE, "speed": descriptor._SPEED}
    patterns |= {"bound": descriptor._BOUND}
    sets = {"lower": direction._LOWER, "abbreviated": direction._ABBREVIATED, "behindLower": direction._UNITS}
    sets |= {"turned": direction.TURNED, "behind": descriptor._BEHIND, "scores": descriptor._SCORES}
    sets |= {"sure": descriptor._SURE, "costs": descriptor.COSTS}
    sets |= {"results": descriptor._RESULTS, "notSystems": descriptor._NOT_SYSTEMS}
    sets |= {"averages": aggregate._AVERAGES, "doubtful": aggregate._DOUBTFUL}
    return {
        "usual": table.USUAL | {"wide": recognise._WIDE_INSTANCE},
        "missing": table.MISSING,
        "numbersOf": descriptor._NUMBERS_OF,
        "beginnings": [[_pattern(start), what] for start, what in descriptor._BEGINNINGS.items()],
        "units": descriptor._UNITS,
        "saying": direction.SAYING,
        "directions": direction._WORDS,
        "truth": direction._TRUTH,
        "rows": sorted(aggregate._ROWS),
        **signs,
        **heads,
        **{name: _pattern(made) for name, made in patterns.items()},
        **{name: sorted(made) for name, made in sets.items()},
    }


def _pattern(made: "re.Pattern[str]") -> str:
    return f"{'(?i)' if made.flags & re.IGNORECASE else ''}{made.pattern}"


def contents() -> dict[str, Any]:
    """Content of every file, by its path."""
    rankings = {f"ranking/{_file(name)}": case(name, own) for name, own in (*worlds(), *battle_worlds())}
    graded = {f"customize/{_file(world[0])}": graded_case(*world) for world in graded_worlds()}
    compared = {f"compare/{_file(name)}": compared_case(table) for name, table in compared_worlds()}
    tested = {f"task-tests/{_file(name)}": tested_case(table) for name, table in tested_worlds()}
    others = {
        "agreement": agreements(),
        "distribution": distributions(),
        "multiplicity": several(),
        "read": [read_case(*one) for one in reads()],
        "weighting": weighting(),
    }
    return {f"{name}.json": content for name, content in others.items()} | rankings | graded | compared | tested


def _file(name: str) -> str:
    return f"{name.replace(', ', '-').replace(' ', '-')}.json"


def _text(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for folder in ("ranking", "customize", "compare", "task-tests"):
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
    (FOLDER / "bundle.bin").write_bytes(bundle())
    for path, content in contents().items():
        (FOLDER / path).write_text(_text(content), encoding="utf-8", newline="\n")
    WORDS.write_text(_text(words()), encoding="utf-8", newline="\n")
