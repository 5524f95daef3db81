"""Every question takes what becomes a score table, and says what does not."""

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import podium
from podium.difficulty.result import Difficulty, Measure
from podium.errors import InputError, PodiumWarning
from podium.report.result import Result
from podium.source.memory import as_scores

RIGHT = (np.random.default_rng(0).random((3, 2, 30)) < [[[0.3]], [[0.5]], [[0.8]]]).astype(float)

SYSTEMS, TASKS = ("A", "B", "C"), ("rte", "sst2")

HARD = Difficulty(np.arange(30), (Measure("bias", np.linspace(0, 1, 30), "low"),))

SWEEP = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 9), "enlargement of one task")

#: Every verb that takes scores.
VERBS: dict[str, Callable[[Any], Any]] = {
    "agree": podium.agree,
    "compare": partial(podium.compare, control="A", treatment="C"),
    "compare_all": partial(podium.compare_all, control="A"),
    "condorcet": podium.condorcet,
    "correlate": partial(podium.correlate, n_resamples=100),
    "customize": partial(podium.customize, difficulty=HARD, n_resamples=100),
    "describe": podium.info,
    "failures": podium.failures,
    "influence": podium.influence,
    "irt": podium.irt,
    "pairwise": podium.pairwise,
    "plan": partial(podium.plan, n_resamples=100),
    "rank": partial(podium.rank, n_resamples=100),
    "stress": partial(podium.stress, only=["scale"], repeats=2, leave_out=False, n_jobs=1),
    "study": partial(podium.study, sweeps=[SWEEP], methods=["mean"], repeats=2, n_jobs=1),
    "weigh": partial(podium.weigh, difficulty=HARD),
}


def columns() -> dict[str, list[Any]]:
    """A wide table."""
    rows = [(system, instance) for system in range(3) for instance in range(30)]
    return {
        "system": [SYSTEMS[system] for system, _ in rows],
        "instance": [instance for _, instance in rows],
        **{name: [float(RIGHT[system, k, instance]) for system, instance in rows] for k, name in enumerate(TASKS)},
    }


def table() -> podium.Scores:
    """The same, made by hand."""
    return podium.from_frame(pa.table(columns()))


def nested() -> dict[str, dict[str, dict[int, float]]]:
    """The same as dictionaries."""
    return {
        system: {task: dict(enumerate(RIGHT[i, k].tolist())) for k, task in enumerate(TASKS)}
        for i, system in enumerate(SYSTEMS)
    }


def written(folder: Path) -> Path:
    """The same in a file."""
    path = folder / "scores.csv"
    pd.DataFrame(columns()).to_csv(path, index=False)
    return path


def same(scores: podium.Scores) -> bool:
    """Whether the numbers are those."""
    return all(np.array_equal(np.concatenate(task.parts, axis=1), RIGHT[:, k]) for k, task in enumerate(scores.tasks))


def shown(answer: Any) -> Any:
    """What is compared."""
    return answer.to_dict() if isinstance(answer, Result) else repr(answer)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_answers_of_a_path_and_a_frame_as_of_a_table(verb: str, tmp_path: Path) -> None:
    wanted = shown(VERBS[verb](table()))
    assert shown(VERBS[verb](str(written(tmp_path)))) == wanted
    assert shown(VERBS[verb](pd.DataFrame(columns()))) == wanted


def test_whatever_becomes_a_table_is_one(tmp_path: Path) -> None:
    path = written(tmp_path)
    frame = pa.table(columns())
    given: Any
    for given in (
        *(path, str(path), [path], [str(path)], (path,), str(tmp_path / "*.csv"), tmp_path),
        *(frame, frame.to_batches()[0], pa.RecordBatchReader.from_batches(frame.schema, frame.to_batches())),
        *(pd.DataFrame(columns()), pl.DataFrame(columns()), pl.LazyFrame(columns()), nested()),
    ):
        scores = as_scores(given)
        assert (scores.systems, scores.task_names) == (SYSTEMS, TASKS)
        assert same(scores)
    assert as_scores(scores) is scores


def test_arrays_become_tables() -> None:
    for given in (RIGHT, RIGHT.tolist(), tuple(RIGHT), {"task 1": RIGHT[:, 0], "task 2": RIGHT[:, 1].tolist()}):
        scores = as_scores(given)
        assert (scores.systems, scores.task_names) == (("system 1", "system 2", "system 3"), ("task 1", "task 2"))
        assert same(scores)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (3, "expected a path, a frame, a dictionary, arrays or podium.Scores, not int$"),
        (None, "not NoneType$"),
        (b"scores.csv", "not bytes$"),
        ([{"system": "A", "rte": 1.0}], "not list of dictionaries; make a frame of it$"),
        (podium.simulate.gumbel(2, 2, 3, dispersion=1.0, rng=0), "not World; take the .scores of it$"),
        (podium.datasets, "not module$"),
        (HARD, "not Difficulty$"),
        ("nowhere.csv", "nowhere.csv"),
        ([], "array"),
        ({}, "no systems|nothing|empty"),
        ([["A", 1]], "is not an array of numbers"),
        (np.ones(3), r"shape \(3,\)"),
        (pd.Series([1.0]), "Series is not a data frame"),
        ({"A": {"rte": "x"}}, "'x' is not a number"),
        ({"A": 0.5}, "task 'A'"),
    ],
)
def test_what_does_not_is_refused(given: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        podium.rank(given)


def test_a_warning_points_at_the_line_that_asked(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("system,wer,rte\nA,0.5,0.5\nB,0.25,0.75\n", "utf-8")
    (tmp_path / "twice.csv").write_text("system,task,score\nA,rte,1\nA,rte,2\nA,rte,3\n", "utf-8")
    rank, read = partial(podium.rank, method="mean"), partial(podium.read, keep_first=True)
    for ask, name in ((rank, "scores.csv"), (read, "twice.csv")):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            ask(tmp_path / name)
        assert [(one.category, one.filename) for one in seen] == [(PodiumWarning, __file__)]


def test_intervals_are_there_unless_they_are_not_wanted() -> None:
    for answer in (podium.rank(table()), podium.customize(table(), HARD).ranking):
        assert answer.intervals is not None
        assert answer.intervals.confidence == 0.95
    assert podium.rank(table(), confidence_level=None).intervals is None
    assert podium.customize(table(), HARD, confidence_level=None).ranking.intervals is None


def test_only_public_names_are_offered() -> None:
    assert set(dir(podium)) == {*podium.__all__, "__version__"}


@pytest.mark.parametrize("verb", ["history", "rank", "study"])
def test_verbs_take_what_reading_takes(verb: str, tmp_path: Path) -> None:
    def history(scores: Any, **reading: Any) -> podium.History:
        return podium.history({"May": scores, "June": scores}, n_resamples=100, **reading)

    ask: Any = {**VERBS, "history": history}[verb]
    chosen = table().select(tasks=TASKS[:2]).with_directions(lower=TASKS[:1]).with_task_weights({TASKS[0]: 2})
    reading: Any = {"tasks": TASKS[:2], "lower": TASKS[:1], "weights": {TASKS[0]: 2}}
    assert ask(str(written(tmp_path)), **reading).rows() == ask(chosen).rows()


def test_a_world_is_read_already() -> None:
    with pytest.raises(TypeError, match="lower= is about reading, and a world is read already"):
        podium.study(podium.simulate.gumbel(3, 2, 30, dispersion=1.0, rng=0), [SWEEP], lower=["task 1"])
