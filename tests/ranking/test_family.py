"""Families of systems: what is claimed of them follows from separated pairs of members, and from nothing else."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import podium
from podium.errors import LabelError, MethodError
from podium.ranking.family import families_of
from support.entry import answer, run


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.sampled_from([0.0, 1.0, 3.0]), st.booleans())
def test_families_are_as_good_as_their_best_members(seed: int, number: int, spread: float, holes: bool) -> None:
    rng = np.random.default_rng(seed)
    values = spread * rng.normal(size=(number, 1)) + rng.normal(size=(number, 10)).round(1)
    if holes:
        values[0] = np.nan
    scores = podium.from_arrays(values)
    family = {system: f"f{rng.integers(3)}" for system in scores.systems[1:]} | {scores.systems[0]: "first"}
    if len(set(family.values())) < 2 or (holes and number < 3):
        return
    ranking = podium.rank(scores, system_families=family)
    plain = podium.rank(scores)
    assert (ranking.systems, ranking.rank.tolist()) == (plain.systems, plain.rank.tolist())
    found = families_of(ranking)
    members = {name: [k for k, s in enumerate(ranking.systems) if family[s] == name] for name in found.names}
    assert found.members.tolist() == [len(members[name]) for name in found.names]
    sure = ranking.intervals
    if sure is None:
        return
    for f, one in enumerate(found.names):
        best = min(members[one])
        assert found.best[f] == best
        for g, other in enumerate(found.names):
            rivals = [k for k in members[other] if ranking.rank[k]]
            better = f != g and bool(rivals) and all(any(sure.separated[i, j] for i in members[one]) for j in rivals)
            assert found.better[f, g] == better
        if ranking.rank[best]:
            above = {ranking.families[k] for k in range(number) if 0 < ranking.rank[k] < ranking.rank[best]}
            assert found.rank[f] == 1 + len(above - {one})
            assert found.low[f] <= found.rank[f] <= found.high[f]
        else:
            assert found.rank[f] == found.low[f] == found.high[f] == 0


def test_families_of_one_are_the_systems() -> None:
    scores = podium.datasets.demo()
    ranking = podium.rank(scores, system_families={})
    found, sure = families_of(ranking), ranking.intervals
    assert sure is not None
    assert found.names == ranking.systems
    assert found.rank.tolist() == ranking.rank.tolist()
    assert (found.low.tolist(), found.high.tolist()) == (sure.joint_rank_low.tolist(), sure.joint_rank_high.tolist())
    said = ranking.sentence.replace(" in 8 families, each as good as its best,", "")
    assert said == podium.rank(scores).sentence


def test_equal_systems_make_no_family_better_however_many_it_has() -> None:
    rng, false = np.random.default_rng(0), 0
    family = {f"system {k:02}": "many" if k > 3 else f"one {k}" for k in range(1, 21)}
    for _ in range(40):
        scores = podium.from_arrays(rng.normal(size=(20, 10)), systems=sorted(family))
        ranking = podium.rank(scores, "mean", system_families=family, n_resamples=200)
        false += bool(families_of(ranking).better.any())
    assert false <= 5  # in 40 worlds more than that have a chance of 1% where claims fail in 5%


def test_the_table_has_a_line_for_each_family_and_frames_have_all_systems() -> None:
    scores = podium.datasets.demo()
    ranking = podium.rank(scores, system_families={"atlas": "trees", "birch": "trees", "delta": "trees"})
    folded, whole = ranking.view().tables
    assert folded.rows[0][2:4] == ("trees", "atlas")
    assert len(folded.rows) == 6
    assert len(whole.rows) == 8
    assert whole.detail
    assert ranking.title == "borda, balanced: 8 systems in 6 families, 5 tasks"
    assert ranking.view().verdict[0].startswith("trees is first (95% confidence")
    assert "without a family, so each by itself: cedar, fjord, ember, grove, heron" in ranking.notes
    rows = ranking.rows()
    assert [row["family"] for row in rows[:3]] == ["trees", "trees", "cedar"]
    assert [row["family_rank"] for row in rows[:3]] == [1, None, 2]
    assert rows[2]["family_rank_high"] >= 2
    sure = podium.rank(scores, system_families={"atlas": "birch"}, confidence_level=None)
    assert sure.view().tables[0].rows[0][1:4] == ("birch", "atlas", sure.view().tables[0].rows[0][3])


@pytest.mark.parametrize(
    ("families", "error", "text"),
    [
        ({"nobody": "x"}, LabelError, "nobody"),
        ({"atlas": 3}, MethodError, "names by system"),
        ("base", MethodError, "names by system"),
        (dict.fromkeys(podium.datasets.demo().systems, "x"), MethodError, "all systems are in the family 'x'"),
    ],
)
def test_families_that_make_no_sense_are_refused(families: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        podium.rank(podium.datasets.demo(), system_families=families)  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    rows = [["big-ft", "big"], ["big-s", "big"], ["small", ""], ["tiny-1", "tiny"], ["tiny-2", "N/A"]]
    lines = [[*row, *(f"{4 - k + rng.normal():.3f}" for _ in range(8))] for k, row in enumerate(rows)]
    with (tmp_path / "wide.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["system", "base", *(f"t{k}" for k in range(8))], *lines])
    long = [["model", "base", "task", "score"]]
    long += [[row[0], row[1], f"t{k}", row[2 + k]] for row in lines for k in range(8)]
    with (tmp_path / "long.csv").open("w", newline="") as file:
        csv.writer(file).writerows(long)
    return tmp_path


@pytest.mark.parametrize("file", ["wide.csv", "long.csv"])
def test_a_column_says_which_systems_are_of_one_family(folder: Path, file: str) -> None:
    told = answer(folder, f"rank {file} --system-family base")
    assert "5 systems in 4 families, 8 tasks" in told
    assert "big-ft" in told
    assert "big-s " not in told
    assert "without a family, so each by itself: small, tiny-2" in told
    assert "base" not in told.split("note: ", 1)[1]
    assert "big-s" in answer(folder, f"rank {file} --system-family base --wide")
    rows = list(csv.DictReader(answer(folder, f"rank {file} --system-family base -f csv").splitlines()))
    assert {row["system"]: row["family"] for row in rows}["big-s"] == "big"


def test_a_family_that_cannot_be_read_is_refused(folder: Path) -> None:
    for typed, error in (
        ("wide.csv --system-family bas", "did you mean 'base'"),
        ("dataset:demo --system-family x", "files"),
    ):
        done = run(folder, f"rank {typed}")
        assert (done.returncode, error in done.stderr) == (2, True)
