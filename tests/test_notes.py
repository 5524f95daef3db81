"""Whatever table is asked about, what podium says of it stays short: a note has at most 140 characters."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.base.words import LONG
from podium.difficulty.result import Difficulty, Measure
from podium.errors import PodiumError
from podium.ranking.method_spec import METHODS
from podium.score.table import Scores
from podium.score.task import Task
from support.examples import examples


def named(kind: str, number: int) -> list[str]:
    """Names of twenty letters, which is as long as usual ones are."""
    return [f"{kind}-{index}".ljust(20, "x") for index in range(number)]


@st.composite
def worlds(draw: st.DrawFn) -> Scores:
    """Tables with what notes are about: directions, holes, empty tasks and systems, clusters, weights, few scores."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    systems, tasks = draw(st.sampled_from([2, 3, 7, 15])), draw(st.sampled_from([1, 2, 6, 12]))
    names, gone = named("task", tasks), draw(st.sampled_from([0.0, 0.1, 0.5, 0.9]))
    digits, clustered = draw(st.sampled_from([0, 1, 12])), draw(st.booleans())
    shared, size = draw(st.booleans()), draw(st.sampled_from([1, 2, 5, 40]))
    arrays, instances, clusters = {}, {}, {}
    for name in names:
        number = size if shared else int(rng.integers(1, size + 1))
        scores = rng.normal(np.arange(systems)[:, None] / 3, 1.0, (systems, number))
        scores = (scores > 1).astype(float) if digits == 0 else scores.round(digits)
        scores[rng.random(scores.shape) < gone] = np.nan
        scores[rng.random(systems) < gone / 2] = np.nan
        arrays[name] = scores
        instances[name] = [f"item {index}" if shared else f"{name} {index}" for index in range(number)]
        clusters[name] = [f"cluster {index // 3}" for index in range(number)]
    if gone == 0.9:
        arrays[names[0]][:] = np.nan
    table = podium.from_arrays(
        arrays,
        systems=named("system", systems),
        instances=None if size == 1 else instances,
        clusters=clusters if clustered and size > 1 else None,
        lower=names[::2] if draw(st.booleans()) else (),
    )
    weights = {name: float(place % 4 > 0) for place, name in enumerate(names, 1)}
    return table.with_task_weights(weights) if draw(st.booleans()) else table


def said_by(ask: Callable[..., Any], *given: Any, **options: Any) -> list[str]:
    """What a result says; of an answer that there is none, nothing: errors may be longer."""
    try:
        result = ask(*given, **options)
    except PodiumError:
        return []
    return [*result.notes, *(note for part in result._parts() for note in part.notes)]


def versions(scores: Scores) -> dict[str, Scores]:
    """Steps with long labels, in which systems and tasks come and go."""
    tasks = scores.task_names
    fewer = scores.select(tasks=[f"!{tasks[0]}"]) if len(tasks) > 1 else scores
    labels = named("version", 3)
    return dict(zip(labels, (scores, fewer.take(range(1, len(scores.systems))), scores), strict=True))


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@examples(1)
@given(worlds(), st.sampled_from(list(METHODS)), st.sampled_from(["instances", "tasks"]), st.integers(0, 99))
def test_notes_are_short(scores: Scores, method: str, units: str, seed: int) -> None:
    spec = podium.MethodSpec(method)
    first, *others = scores.systems
    few = {"n_resamples": 100, "rng": seed}
    found = [
        *said_by(podium.rank, scores, spec, units=units, **few),
        *said_by(podium.plan, scores, spec, units=units, **few),
        *said_by(podium.allocate, scores, 20, method=spec, **few),
        *said_by(podium.influence, scores, spec),
        *said_by(podium.pairwise, scores),
        *said_by(podium.condorcet, scores),
        *said_by(podium.agree, scores),
        *said_by(podium.correlate, scores, **few),
        *said_by(podium.correlate, scores, scores.take(range(1, len(scores.systems))), names=named("table", 2), **few),
        *said_by(podium.rank, scores, spec, system_families={first: others[0]}, confidence_level=None),
        *said_by(podium.history, versions(scores), spec, units=units, **few),
        *said_by(podium.history, versions(scores), spec, units=units, suite="joined", **few),
        *said_by(podium.compare, scores, control=first, treatment=others[0]),
        *said_by(podium.compare_all, scores, control=first),
        *said_by(podium.info, scores),
    ]
    assert [note for note in found if len(note) > LONG] == []


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@examples(1)
@given(worlds(), st.integers(0, 2**32 - 1), st.sampled_from(["width", "equal", "thresholds"]))
def test_notes_on_what_is_hard_are_short(scores: Scores, seed: int, by: Any) -> None:
    binary = podium.from_arrays(
        {task.name: (task.values > 0).astype(float) + 0 * task.values for task in scores.tasks},
        systems=scores.systems,
        instances={task.name: labels_of(task) for task in scores.tasks},
    )
    rng = np.random.default_rng(seed)
    labels = list(dict.fromkeys(label for task in scores.tasks for label in labels_of(task)))
    some = [label for label in labels if rng.random() < 0.8] + named("unknown", 3)
    hard = Difficulty(np.array(some), (Measure("bias", rng.random(len(some)).round(1), "low"),))
    splitting = podium.Splitting((0.3, 0.7) if by == "thresholds" else 4, by)
    assert [note for note in said_by(podium.customize, binary, hard, splits=splitting) if len(note) > LONG] == []


def labels_of(task: Task) -> list[str]:
    return [str(label) for label in (range(task.n_instances) if task.instances is None else task.instances)]


def cycle_of(number: int) -> Scores:
    """Each system beats the next, and the last the first, by two votes of three; other pairs are undecided."""
    systems = np.array(named("system", number))
    votes = [[place, (place + 1) % number] for place in range(number)]
    table = np.full((number, 3 * number), np.nan)
    for place, pair in enumerate(votes):
        table[pair, 3 * place : 3 * place + 3] = [[1, 1, 0], [0, 0, 1]]
    return podium.from_arrays({"task": table}, systems=systems.tolist())


@pytest.mark.parametrize("number", [3, 4, 9])
def test_a_cycle_of_many_systems_is_shortened(number: int) -> None:
    (said,) = [note for note in podium.rank(cycle_of(number), "copeland").notes if "Condorcet" in note]
    first, second, last = (f"system-{index}".ljust(20, "x") for index in (0, 1, number - 1))
    whole = f"no Condorcet winner: {first} > {second} > {last} > {first}"
    short = f"no Condorcet winner: {first} > {second} > … > {first}, a cycle of {number}"
    assert said.partition(";")[0] == (whole if number == 3 else short)
    assert len(said) <= LONG


@pytest.mark.parametrize("method", ["copeland:missing=direct", "borda:missing=model"])
def test_groups_that_never_meet_are_named_in_short(method: str) -> None:
    table = np.full((12, 30), np.nan)
    for group in range(3):
        table[group * 4 : group * 4 + 4, group * 10 : group * 10 + 10] = np.random.default_rng(0).normal(size=(4, 10))
    for width in (3, 20):
        systems = [f"s{index}".ljust(width, "x") for index in range(12)]
        notes = podium.rank(podium.from_arrays({"t": table}, systems=systems), method, confidence_level=None).notes
        (said,) = [note for note in notes if f"{{{systems[0]}" in note]
        assert len(said) <= LONG
        assert ("and 1 more" if width == 3 else "and 2 more") in said.rpartition("}")[2]


def test_a_method_without_an_answer_is_left_out_in_short() -> None:
    table = np.repeat(np.arange(9.0)[:, None], 5, axis=1)
    said = podium.agree(podium.from_arrays({"t": table}, systems=named("system", 9))).notes
    (note,) = [note for note in said if "left out" in note]
    assert note == "bradley-terry is left out: the likelihood has no maximum; rank by this alone to see why"
