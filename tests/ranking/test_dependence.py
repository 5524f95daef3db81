"""Where coverage differs, a ranking says whose rank depends on how missing scores count."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import podium
from podium.ranking import api
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores

pytestmark = [pytest.mark.core, pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")]


def said(scores: Scores, method: str | MethodSpec = "borda") -> list[str]:
    """Notes on how ranks depend on missing scores."""
    return [note for note in podium.rank(scores, method, confidence=None).notes if "depend" in note]


def ranks(scores: Scores, missing: str | None) -> dict[str, int]:
    ranking = podium.rank(scores, MethodSpec("borda", missing=missing), confidence=None)  # type: ignore[arg-type]
    return dict(zip(ranking.systems, ranking.rank.tolist(), strict=True))


def skipped(share: float) -> Scores:
    """Twenty tasks, a part of which the best of eight systems skipped."""
    values = podium.simulate.gumbel(8, 20, 1, dispersion=0.7, rng=0).scores.tasks
    table = np.array([task.values[:, 0] for task in values]).T
    table[7, : int(share * 20)] = np.nan
    return podium.from_arrays(table)


@pytest.mark.parametrize("way", ["imputed", "model"])
def test_the_note_has_the_ranks_of_both_ways(way: str) -> None:
    scores = skipped(0.8)
    other = {"imputed": "model", "model": "imputed"}[way]
    (note,) = said(scores, MethodSpec("borda", missing=way))  # type: ignore[arg-type]
    one, two = ranks(scores, way), ranks(scores, other)
    moved = {system: abs(one[system] - two[system]) for system in one}
    most = max(moved.values())
    assert f"{sum(move > 0 for move in moved.values())} ranks depend" in note
    named = note.partition("; most ")[2].partition(":")[0]
    assert moved[named] == most
    assert f"{named}: {one[named]}, but {two[named]} with missing='{other}' (--missing {other})" in note
    assert len(note) <= 140


def test_the_note_stands_behind_the_one_on_missing_scores_before_what_the_table_says() -> None:
    scores = replace(skipped(0.8), notes=("2 scores are missing in the file",))
    missing, dependence, *others = podium.rank(scores, confidence=0.95).notes
    assert scores.notes[0] in others
    assert missing.startswith("16 of 160 scores are missing")
    assert "depend on how missing scores count" in dependence


def test_no_note_where_coverage_is_alike_or_no_rank_depends_on_it() -> None:
    assert not said(skipped(0.0))
    assert not said(skipped(0.1))
    assert not said(skipped(0.8), "mean")
    assert not said(podium.from_arrays([[3.0] * 4, [2.0] * 4, [1.0, 1.0, 1.0, np.nan]]))


def test_a_table_too_large_to_rank_twice_says_how_to_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_COMPARISONS", {False: 100, True: 100})
    (note,) = said(skipped(0.8))
    shows = "missing='imputed' (--missing imputed) shows whose rank depends on that"
    assert note == f"systems have 4 to 20 scores; {shows}"


def test_methods_of_pairs_set_imputed_against_direct() -> None:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(9, 30)) + np.arange(9)[:, None] / 3
    table[rng.random(table.shape) < np.linspace(0.9, 0, 9)[:, None]] = np.nan
    table[0, :2] = 9.0
    (note,) = said(podium.from_arrays(table), "wins")
    assert "with missing='direct'" in note


def test_the_sentence_says_what_the_first_place_rests_on() -> None:
    ranking = podium.rank(skipped(0.8))
    imputed = podium.rank(skipped(0.8), MethodSpec("borda", missing="imputed"))
    (first, caveat, *_) = ranking.view().verdict
    assert ranking.systems[0] != imputed.systems[0]
    assert first.startswith(f"{ranking.systems[0]} leads on what was run")
    assert caveat == ranking.caveat == ranking.to_dict()["caveat"]
    own = f"{ranking.systems[0]} has 20% of its own"
    assert caveat == (f"10% of the scores are missing, {own}, and with --missing imputed {imputed.systems[0]} is first")
    for complete in (skipped(0.0), skipped(0.1)):
        assert not podium.rank(complete).caveat
        assert "leads" not in podium.rank(complete).view().verdict[0]


def test_bounds_hold_whatever_is_missing() -> None:
    nan = float("nan")
    table = [[5, 5, 5, nan], [4, nan, 2, 3], [1, 1, nan, 1], [2, 2, 1, 2]]
    scores = podium.from_arrays(np.array(table), systems=list("ABCD"))
    ranking = podium.rank(scores, MethodSpec("borda", missing="bounds"))
    assert ranking.intervals is None
    rows = {row["system"]: row for row in ranking.rows()}
    seen: dict[str, list[tuple[float, int]]] = {name: [] for name in "ABCD"}
    for values in itertools.product(np.arange(-0.5, 6), repeat=3):
        full = np.array(table, dtype=np.float64)
        full[np.isnan(full)] = values
        found = podium.rank(podium.from_arrays(full, systems=list("ABCD")), confidence=None)
        for row in found.rows():
            seen[row["system"]].append((row["score"], row["rank"]))
    for name, pairs in seen.items():
        found_scores, found_ranks = zip(*pairs, strict=True)
        assert rows[name]["score_least"] == pytest.approx(min(found_scores))
        assert rows[name]["score_most"] == pytest.approx(max(found_scores))
        assert rows[name]["rank_best"] <= min(found_ranks)
        assert max(found_ranks) <= rows[name]["rank_worst"]
    assert (rows["A"]["rank_best"], rows["A"]["rank_worst"], rows["C"]["rank_best"]) == (1, 2, 2)
    assert "ranks in any case" in str(ranking.view().tables[0].columns)
    with pytest.raises(podium.errors.MethodError, match="is for rank at levels"):
        podium.rank(podium.simulate.gumbel(3, 2, 9, dispersion=1.0, rng=0).scores, "borda:two:missing=bounds")
