"""Rankings beside each other: named, reduced to the systems they share, and shown."""

import json
import math

import pytest

import podium
from podium import Agreement, Ranking
from podium.errors import MethodError

Table = dict[str, dict[str, float]]


def ranking(order: str) -> Ranking:
    """Rank systems of one letter, best first; `-` parts ties, so that "A-BC" has B and C tied."""
    groups = order.split("-")
    return podium.rank(
        podium.from_dict({system: {"x": -float(place)} for place, group in enumerate(groups) for system in group}),
        confidence_level=None,
    )


def test_who_moves_most_stands_first() -> None:
    agreement = Agreement.of({"one": ranking("A-B-C-D"), "other": ranking("B-C-A-D")})
    assert agreement.systems == ("A", "B", "C", "D")
    assert agreement.spread.tolist() == [2, 1, 1, 0]
    assert agreement.rows()[0] == {"system": "A", "best": 1, "worst": 3, "spread": 2, "one": 1, "other": 3}
    assert agreement.tau[0, 1] == pytest.approx((4 - 2) / 6)
    assert agreement.distance[0, 1] == pytest.approx(2 / 6)
    assert agreement.top_n == (1, 3)
    assert agreement.top[:, 0, 1].tolist() == [0, 1]


def test_matrices_are_symmetric_and_agree_with_themselves() -> None:
    agreement = Agreement.of({"1": ranking("A-B-C"), "2": ranking("C-AB"), "3": ranking("ABC")})
    for matrix, itself in ((agreement.distance, 0), (agreement.top[0], 1)):
        assert (matrix == matrix.T).all()
        assert set(matrix.diagonal()) == {itself}
    assert agreement.tau[:2, :2].diagonal().tolist() == [1, 1]
    assert math.isnan(agreement.tau[0, 2]), "a ranking that ties everybody has no correlation"
    assert agreement.pairs() == [(0, 1), (0, 2), (1, 2)]


def test_systems_that_one_ranking_lacks_are_left_out_and_said() -> None:
    agreement = Agreement.of({"old": ranking("A-B-C"), "new": ranking("D-C-A-E")})
    assert set(agreement.systems) == {"A", "C"}
    assert agreement.ranks.tolist() == [[1, 2], [2, 1]]
    assert agreement.notes == (
        "left out: B (no rank by new); systems behind them move up",
        "left out: D, E (no rank by old); systems behind them move up",
    )


def test_rankings_without_names_are_named_by_method_and_level() -> None:
    toy = podium.datasets.toy_table1()
    assert Agreement.of(
        [podium.rank(toy, confidence_level=None), podium.rank(toy, "mean", confidence_level=None)]
    ).methods == ("borda:task", "mean")
    with pytest.raises(MethodError, match="'mean' appears twice"):
        Agreement.of([podium.rank(toy, "mean", confidence_level=None), podium.rank(toy, "mean", confidence_level=None)])


@pytest.mark.parametrize(
    ("rankings", "message"),
    [
        ({"one": "A-B"}, "there is only one"),
        ({}, "there is none"),
        ({"one": "A-B", "other": "A-C"}, "have 1 systems in common"),
        ({"one": "A-B", "worst": "B-A"}, "named 'worst', like a column"),
    ],
)
def test_what_cannot_be_compared_is_refused(rankings: dict[str, str], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        Agreement.of({name: ranking(order) for name, order in rankings.items()})


def test_notes_are_said_once_with_the_rankings_they_belong_to() -> None:
    holes: Table = {"A": {"x": 1, "y": 2}, "B": {"x": 2}, "C": {"x": 0, "y": 1}}
    agreement = podium.agree(podium.from_dict(holes), ["mean", "median", "borda"])
    about = [note for note in agreement.notes if "1 of 6 scores are missing" in note]
    assert [note.partition(":")[0] for note in about] == ["mean, median", "borda"]


def test_the_dictionary_is_json_and_complete() -> None:
    agreement = Agreement.of({"1": ranking("A-B-C"), "2": ranking("ABC")})
    content = json.loads(json.dumps(agreement.to_dict(), allow_nan=False))
    assert (content["schema_version"], content["kind"], content["n_systems"]) == (1, "agreement", 3)
    assert content["kendall_tau"] == [[1, None], [None, None]]
    assert content["top_agreement"] == [{"n": 1, "agreement": [[1, 0.5], [0.5, 1]]}]
    assert [row["system"] for row in content["systems"]] == list(agreement.systems)
