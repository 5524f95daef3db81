"""One table ranked in several ways."""

import warnings

import numpy as np
import pytest

import podium
from podium.errors import MethodError
from podium.ranking.method_spec import LEVELS, METHODS


def test_ranks_are_those_of_each_ranking() -> None:
    scores = podium.simulate.gumbel(8, 3, 5, dispersion=0.3, rng=1).scores
    ways = ["mean", "borda:one", "borda:two"]
    agreement = podium.agree(scores, ways)
    assert agreement.methods == tuple(ways)
    for way, ranks in zip(ways, agreement.ranks, strict=True):
        expected = {row["system"]: row["rank"] for row in podium.rank(scores, way, confidence_level=None).rows()}
        assert dict(zip(agreement.systems, ranks.tolist(), strict=True)) == expected


def test_every_quick_method_is_asked_by_default_and_levels_where_they_differ() -> None:
    quick = set(METHODS) - {"kemeny", "irt"}
    tasks_only = podium.agree(podium.datasets.toy_table1())
    assert {way.partition(":")[0] for way in tasks_only.methods} == quick
    assert len(tasks_only.methods) == len(quick)
    with_instances = podium.agree(podium.simulate.gumbel(4, 2, 5, dispersion=1, rng=0).scores)
    assert {f"borda:{level}" for level in LEVELS} <= set(with_instances.methods)


def test_warnings_of_methods_become_notes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agreement = podium.agree(podium.datasets.xtreme_missing(), ["mean", "median", "borda"])
    assert any(note.startswith("mean, median: 18 of 40 scores are missing, so systems") for note in agreement.notes)
    left_out = "left out: M5 (no rank by mean, median, borda:task);"
    assert any(note.startswith(left_out) for note in agreement.notes)
    assert "M5" not in agreement.systems


def test_a_default_method_that_cannot_rank_the_scores_is_left_out_and_said() -> None:
    huge = podium.from_dict(
        {"A": dict.fromkeys("xy", 1.7e308) | dict.fromkeys("abc", 1.0), "B": dict.fromkeys("abcxy", 2.0)}
    )
    agreement = podium.agree(huge)
    assert "mean" not in agreement.methods
    assert any(note.startswith("mean is left out: the scores of system 'A' are too large") for note in agreement.notes)
    with pytest.raises(MethodError, match="too large"):
        podium.agree(huge, ["borda", "mean"])


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        (["mean", "borda:"], "there is no level ''"),
        (["mean"], "there is only mean"),
        (["borda", "borda:task"], "'borda:task' appears twice"),
    ],
)
def test_unknown_and_useless_choices_are_named(methods: list[str], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        podium.agree(podium.datasets.toy_table1(), methods)


def test_threads_change_nothing_and_progress_ends_at_the_end() -> None:
    scores = podium.simulate.gumbel(6, 3, 40, dispersion=0.2, rng=2).scores
    told: list[tuple[int, int | None]] = []
    one = podium.agree(scores, n_jobs=1, progress=lambda done, total: told.append((done, total)))
    three = podium.agree(scores, n_jobs=3)
    assert one.to_dict() == three.to_dict()
    assert told[-1][0] == told[-1][1]
    assert all(np.diff([done for done, _ in told]) >= 0)


def test_a_method_with_options_is_another_way() -> None:
    scores = podium.datasets.xtreme_missing()
    found = podium.agree(scores, ["wins", podium.MethodSpec("wins", missing="direct"), "mean"])
    assert found.methods == ("wins:task", "wins:task (missing=direct)", "mean")
    assert found.tau[0, 1] < 1
