"""Notes are short, name at most five of many, and warnings point at the line that asked."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import podium
from podium.errors import MethodError, PodiumWarning
from podium.ranking import note as notes_about
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.method_spec import METHODS
from podium.score.table import Scores


def _wide() -> Scores:
    """Nine tasks of both directions, of few instances, with missing scores, an empty task and an unscored system."""
    rng = np.random.default_rng(0)
    arrays = {f"task {number}": rng.normal(size=(9, 4)).round(1) for number in range(9)}
    for array in arrays.values():
        array[rng.random(array.shape) < 0.3] = np.nan
        array[8] = np.nan
    arrays["task 3"][:] = np.nan
    arrays["task 5"][0] = arrays["task 5"][1] + 1e-12
    return podium.from_arrays(arrays, lower=[f"task {number}" for number in range(0, 9, 2)])


@pytest.mark.parametrize("method", [name for name in METHODS if name != "irt"])  # scores are not between 0 and 1
@pytest.mark.parametrize("units", ["instances", "tasks"])
@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_notes_are_short(method: str, units: str) -> None:
    spec = podium.MethodSpec(method, prior=1.0 if method == "bradley-terry" else 0.0)
    ranking = podium.rank(_wide(), spec, confidence=0.9, units=units, replicates=20)
    plan = podium.plan(_wide(), spec, confidence=0.9, units=units, replicates=20)
    influence = podium.influence(_wide(), spec)
    notes = {*ranking.notes, *plan.notes, *plan.summary, *influence.notes, *podium.pairwise(_wide()).notes}
    assert len(notes) > 2
    for note in notes:
        assert len(note) <= 140, note
        assert note.count("task ") <= 6, note


@pytest.mark.parametrize("ask", [podium.rank, podium.plan, podium.influence])
def test_a_warning_names_the_line_that_asked(ask: Callable[..., object]) -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always", PodiumWarning)
        ask(podium.datasets.xtreme_missing(), "mean")
    assert [one.filename for one in seen] == [__file__]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"confidence": None}, "confidence is None"),
        ({"units": "systems"}, "there are no units 'systems' to resample"),
        ({"units": "instances"}, "this table has no instances to resample"),
        ({"replicates": 10}, "10 replicates are too few"),
        ({"seed": 0.5}, "seed is 0.5"),
    ],
)
def test_a_bootstrap_that_cannot_be_is_refused(options: dict[str, object], complaint: str) -> None:
    given: dict[str, object] = {"confidence": 0.95, "units": None, "replicates": 1000, "seed": 0, **options}
    with pytest.raises(MethodError, match=complaint):
        Bootstrap.of(podium.datasets.toy_table1(), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", METHODS)
def test_what_to_do_about_lost_replicates_is_something_that_the_method_has(name: str) -> None:
    method = METHODS[name]
    said = notes_about.too_many_lost(1000, 1000, notes_about.about_lost(method))
    assert ("prior" in said) == ("prior" in method.options)
    assert len(said) <= 140


def test_a_system_without_any_score_counts_as_the_method_says() -> None:
    table = podium.from_arrays({"t": np.array([[3, 2, 1], [2, 1, 0], [np.nan] * 3])}, systems=["A", "B", "C"])
    for missing, fate in {
        "imputed": "placed in the middle",
        "placed": "placed on each task as one that beats half of the others",
    }.items():
        spec = podium.MethodSpec("borda", "two", missing=missing)  # type: ignore[arg-type]
        assert f"C: no score on any task, so {fate}" in podium.rank(table, spec, confidence=None).notes


@pytest.mark.parametrize(("failed", "shown"), [([3, 50], 1), ([], 0)])
def test_rare_failures_are_named(failed: list[int], shown: int) -> None:
    values = np.random.default_rng(5).normal(1.0, 0.05, (6, 100))
    values[0, failed] = 0.0
    notes = podium.rank(podium.from_arrays({"t": values}), "mean").notes
    assert [one.split(":")[0] for one in notes if "extreme" in one] == ["system 1"] * shown
