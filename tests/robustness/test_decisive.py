"""The fewest tasks where scores add up and some are missing: against all sets of tasks."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

import podium
from podium.errors import MethodError
from podium.robustness import decisive
from podium.robustness.influence_result import Decisive
from podium.score.table import Scores

pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")

NO = np.nan
#: Without t, which helps C most, nothing connects u with w; so t and w are the fewest, and not t, v and w.
DISCONNECTED = np.array([[0.0, 9.0, NO, NO], [5.0, 1.0, NO, NO], [9.0, NO, NO, 0.0], [7.0, NO, NO, NO]])


def table(values: NDArray[np.float64]) -> Scores:
    columns = {name: values[:, [column]] for column, name in enumerate("tuvwxy"[: values.shape[1]])}
    return podium.from_arrays(columns, systems=list("ABCDEF"[: len(values)]))


def drawn(seed: int) -> Scores:
    """Draw a table of which about half the scores are missing."""
    rng = np.random.default_rng(seed)
    n_tasks = 4 + seed % 2
    values = rng.integers(0, 10, size=(4, n_tasks)).astype(np.float64)
    values[rng.random(values.shape) < 0.5] = np.nan
    return table(values)


def fewest_by_trying_all(scores: Scores, leader: str, method: str) -> int | None:
    """Return the number of tasks in the smallest set without which the leader is not first."""
    for size in range(1, len(scores.tasks)):
        for names in combinations(scores.task_names, size):
            try:
                rest = podium.rank(scores.select(tasks=[f"!{name}" for name in names]), method, confidence=None)
            except MethodError:
                continue
            if rest.rank[rest.systems.index(leader)] > 1:
                return size
    return None


def test_a_smaller_set_is_found_where_the_order_passes_tables_that_are_not_ranked() -> None:
    scores = table(DISCONNECTED)
    found = podium.influence(scores, "borda:missing=imputed")
    (one,) = found.decisive
    assert (found.leader, set(one.units), one.first, one.smallest) == ("C", {"t", "w"}, ("A",), True)
    assert fewest_by_trying_all(scores, "C", "borda:missing=imputed") == 2
    assert not any("tried" in note for note in found.notes)


@pytest.mark.parametrize("method", ["borda:missing=imputed", "wins"])
def test_with_missing_scores_the_fewest_are_found(method: str) -> None:
    assert not any(check(drawn(seed), method) for seed in range(40))


@pytest.mark.parametrize("method", ["borda:missing=imputed", "wins"])
def test_what_was_not_tried_is_said(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisive, "_SIZES", 1)
    assert sum(check(drawn(seed), method) for seed in range(40)) > 0


@pytest.mark.parametrize("method", ["borda:missing=imputed", "copeland"])
def test_a_set_one_larger_than_all_that_were_tried_is_the_smallest(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where so few rankings can be afforded that an order is bisected."""
    monkeypatch.setattr(decisive, "_BUDGET", 0)
    tables = [drawn(seed) for seed in range(40)]
    assert sum(check(scores, method) for scores in tables) > 0
    proved = [scores for scores in tables if (found := found_in(scores, method)) and found.smallest]
    assert any(fewest_by_trying_all(scores, podium.influence(scores, method).leader, method) == 2 for scores in proved)


def found_in(scores: Scores, method: str) -> Decisive | None:
    try:
        return next(iter(podium.influence(scores, method).decisive), None)
    except MethodError:
        return None


def check(scores: Scores, method: str) -> bool:
    """Compare the set that is found with the smallest of all, and say whether a smaller one may have been missed."""
    try:
        found = podium.influence(scores, method)
    except MethodError:  # nothing connects the tasks
        return False
    fewest = fewest_by_trying_all(scores, found.leader, method)
    said = [note for note in found.notes if "larger sets were not all tried" in note]
    if not found.decisive:
        assert fewest is None or said
    else:
        (one,) = found.decisive
        assert fewest is not None
        assert one.smallest == (not said)
        assert len(one.units) == fewest if one.smallest else len(one.units) >= fewest
    if said and fewest is not None:
        survived = int(said[0].removeprefix("leaving out ").removeprefix("up to ").split()[0])
        assert survived < fewest
    return bool(said)
