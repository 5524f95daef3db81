"""Inspect stops a real evaluation, of a mock model, as soon as podium knows enough."""

import asyncio
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import podium
from podium.errors import InputError, MethodError
from podium.gating.inspect_early import EarlyStopping

SAMPLES = 400

#: Inspect warns of what its own libraries do.
pytestmark = pytest.mark.filterwarnings("default")


def evaluated(folder: Path, right: Sequence[bool], *, log_buffer: int | None = None, **told: Any) -> Any:
    """Run a task of Inspect whose model is right where it is told to be, and return its log."""
    inspect_ai = pytest.importorskip("inspect_ai", reason="needs Inspect: pip install 'podium[inspect]'")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import match
    from inspect_ai.solver import solver

    def said(_: object) -> Any:
        """What the mock model says first, with a usage, for which Inspect else asks the network."""
        output = ModelOutput.from_content("mockllm/model", "no answer yet")
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    @solver  # type: ignore[untyped-decorator]
    def answer() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            answered = "yes" if right[int(state.sample_id)] else "no"
            state = await generate(state)
            state.output.completion = answered
            return state

        return solve

    model = get_model("mockllm/model", custom_outputs=map(said, itertools.count()))
    samples = [Sample(id=number, input=f"question {number}", target="yes") for number in range(len(right))]
    task = inspect_ai.Task(MemoryDataset(samples), solver=answer(), scorer=match(), name="qa", **told)
    return inspect_ai.eval(
        task, model=model, log_dir=str(folder), display="none", max_samples=4, log_buffer=log_buffer
    )[0]


@pytest.fixture(scope="module")
def old() -> Any:
    return np.random.default_rng(0).random(SAMPLES) < 0.8


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory, old: Any) -> Path:
    folder = tmp_path_factory.mktemp("before")
    assert evaluated(folder, old).status == "success"
    return folder


@pytest.mark.parametrize("wanted", [(0.3, 0.02, "worse"), (0.0, 0.1, "not worse")])
def test_a_decided_evaluation_stops(tmp_path: Path, baseline: Path, old: Any, wanted: tuple[float, float, str]) -> None:
    share, margin, verdict = wanted
    broken = np.random.default_rng(1).random(SAMPLES) < share
    stopping = EarlyStopping(str(baseline), margin=margin)
    log = evaluated(tmp_path, old & ~broken, early_stopping=stopping)
    assert log.status == "success"
    assert stopping.look is not None
    assert stopping.look.verdict == verdict
    early = log.results.early_stopping
    assert early.manager == "podium"
    assert early.metadata["verdict"] == verdict
    assert f"stop: {verdict} by more than" in early.early_stops[0].reason
    ran = len(log.samples)
    assert stopping.look.items <= ran < SAMPLES / 2
    assert ran + len(early.early_stops) == SAMPLES
    found = podium.read(str(tmp_path))
    assert any("stopped early" in note for note in found.notes)
    look = next(podium.watch(str(baseline), str(tmp_path), margin=margin))
    assert look.verdict == verdict
    assert look.items == ran


def test_it_stops_only_at_what_it_is_told(tmp_path: Path, baseline: Path, old: Any) -> None:
    stopping = EarlyStopping(str(baseline), margin=0.1, stop="worse")
    log = evaluated(tmp_path, old, early_stopping=stopping)
    assert len(log.samples) == SAMPLES
    assert log.results.early_stopping.early_stops == []


def test_a_log_that_has_not_ended_is_watched_and_not_gated(tmp_path: Path, baseline: Path, old: Any) -> None:
    class Broken(list[bool]):
        """Answers, until one cannot be given; beforehand, what a look at the unfinished log says."""

        looks: ClassVar[list[podium.Watched]] = []

        def __getitem__(self, place: Any) -> Any:
            if place == 300:
                self.looks.append(next(podium.watch(str(baseline), str(tmp_path), margin=0.001)))
                raise RuntimeError("no answer")
            return super().__getitem__(place)

    log = evaluated(tmp_path, Broken(old.tolist()), log_buffer=10)
    assert log.status == "error"
    [during] = Broken.looks
    assert during.verdict == "go on"
    assert not during.ended
    assert 200 < during.items <= 300
    with pytest.raises(InputError, match="was cut off or has not ended"):
        podium.gate(str(baseline), str(tmp_path), margin=0.05)
    look = next(podium.watch(str(baseline), str(tmp_path), margin=0.05))
    assert look.verdict == "not worse"
    assert during.items <= look.items < SAMPLES


class Sample:
    """What the class needs of a sample of Inspect."""

    def __init__(self, label: int) -> None:
        self.id = label


class Spec:
    """What it needs of a task."""

    task = "qa"


class Scored:
    """What it needs of a score."""

    def __init__(self, value: object) -> None:
        self.score = self
        self.value = value


def driven(stopping: EarlyStopping, scores: Sequence[object], order: Sequence[int]) -> None:
    """Call what Inspect calls, without it."""

    async def drive() -> None:
        spec: Any = Spec()
        samples: Any = [Sample(number) for number in range(len(scores))]
        await stopping.start_task(spec, samples, 1)
        for number in order:
            given: Any = {"match": Scored(scores[number])}
            await stopping.complete_sample(number, 1, given)

    asyncio.run(drive())


def table(right: int, of: int = 300) -> podium.Scores:
    return podium.from_arrays({"qa": [[1.0] * right + [0.0] * (of - right)]}, systems=["old"])


def test_slow_samples_are_waited_for_and_lost_ones_are_not() -> None:
    scores = ["C"] * 300
    stopping = EarlyStopping(table(300), margin=0.05, patience=20)
    driven(stopping, scores, range(1, 21))
    assert stopping.look is None or stopping.look.items == 0
    driven(stopping, scores, range(1, 300))
    assert stopping.look is not None
    assert stopping.look.verdict == "not worse"


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(MethodError, match="stop is"):
        EarlyStopping(table(200), margin=0.01, stop="maybe")
    with pytest.raises(MethodError, match="patience"):
        EarlyStopping(table(200), margin=0.01, patience=0)
    with pytest.raises(MethodError, match="a score of 2"):
        driven(EarlyStopping(table(200), margin=0.01), [2.0] * 300, range(5))
    two = podium.from_arrays({"a": [[1.0, 0.0]], "b": [[1.0, 0.0]]}, systems=["old"])
    with pytest.raises(InputError, match="has no task 'qa'"):
        driven(EarlyStopping(two, margin=0.01), [1.0, 0.0], range(2))
    other = podium.from_arrays({"qa": [[1.0, 0.0]]}, systems=["old"], instances={"qa": ["x", "y"]})
    with pytest.raises(InputError, match="no score of any sample"):
        driven(EarlyStopping(other, margin=0.01), [1.0, 0.0], range(2))
