"""Battles: neither order nor sides nor files matter, what goes together, and strengths beside other programs."""

import csv
import json
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import choix
import evalica
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.errors import InputError, LabelError, MethodError
from support.tools import read, table, takers, written

Row = Sequence[object]


def battles(path: Path, rows: Iterable[Row], head: Row = ("left", "right", "winner")) -> Path:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    return path


def scores_of(path: Path, **asked: Any) -> dict[str, list[float]]:
    """Scores of each system, in order, without those that are missing."""
    found = table(podium.read(path, **asked))
    return {system: sorted(value for value in values if value == value) for (system, _), values in found.items()}  # noqa: PLR0124


THREE = (("A", "B", "left"), ("B", "C", "right"), ("A", "C", "tie"))


def test_two_orders_must_agree(shared: Path, tmp_path: Path) -> None:
    path = shared / "data/formats/arena/mt_bench_gpt-4_pair.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    won = [row["g1_winner"] if row["g1_winner"] == row["g2_winner"] else "tie" for row in rows]
    mean = (won.count("model_1") + won.count("tie") / 2) / len(rows)
    scores = podium.read(path)
    assert np.mean(table(scores)["phi-3", "battles"]) == pytest.approx(mean, abs=1e-12)
    assert "ties count as half a win: 7 tie, 13 where two orders disagree" in scores.notes
    rows[0]["g2_winner"] = "error"
    failed = podium.read(written(tmp_path / "pair.jsonl", rows))
    assert failed.n_instances == len(rows) - 1
    assert "left out, since they have no winner (empty, or error): 1 battle" in failed.notes


def test_formats_say_the_same(tmp_path: Path) -> None:
    head = ("model_a", "model_b", "winner", "turn")
    rows = [dict(zip(head, (*row[:2], "model_" + "ab"[row[2] == "right"], 1), strict=True)) for row in THREE]
    battles(tmp_path / "a.csv", [list(row.values()) for row in rows], head)
    (tmp_path / "a.tsv").write_text((tmp_path / "a.csv").read_text("utf-8").replace(",", "\t"), "utf-8")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    written(tmp_path / "a.json", rows)
    written(tmp_path / "a.jsonl", rows)
    found = {
        ending: table(podium.read(tmp_path / f"a.{ending}")) for ending in ("csv", "tsv", "parquet", "json", "jsonl")
    }
    assert all(repr(one) == repr(found["csv"]) for one in found.values())


def test_columns_that_the_caller_names(tmp_path: Path) -> None:
    rows = [(*row, language, f"p{number % 7}") for number, language in enumerate(("en", "de") * 6) for row in THREE]
    path = battles(tmp_path / "a.csv", rows, ("left", "right", "winner", "language", "passage"))
    scores = podium.read(path, task_column="language", cluster_column="passage")
    assert scores.task_names == ("de", "en")
    assert [task.n_instances for task in scores.tasks] == [18, 18]
    assert all(task.clusters is not None for task in scores.tasks)
    lines = [dict(zip(("left", "right", "winner", "language"), row[:4], strict=True)) for row in rows]
    assert podium.read(written(tmp_path / "a.jsonl", lines), task_column="language").task_names == ("de", "en")
    with pytest.raises(LabelError, match="column"):
        podium.read(path, task_column="lang")
    with pytest.raises(InputError, match="needs a column of systems"):
        podium.read(path, score_column="winner")


def test_judges_are_clusters_where_they_are_many_and_questions_where_not(tmp_path: Path) -> None:
    head = ("left", "right", "winner", "judge", "question_id")

    def drawn(judges: int, questions: int) -> Any:
        rows = [(*row, f"j{place % judges}", place % questions) for place in range(42) for row in THREE]
        return podium.read(battles(tmp_path / "a.csv", rows, head)).tasks[0].clusters

    assert len(drawn(7, 42)) == 7
    assert len(drawn(2, 21)) == 21
    assert drawn(2, 3) is None


def test_tables_of_other_things_are_no_battles(tmp_path: Path) -> None:
    others = (
        ("team_a", "score_a", "score_b"),
        ("model_a", "model_b", "score"),
        ("winner", "loser", "date"),
        ("left", "right", "center"),
        ("x", "y", "result"),
    )
    for head in others:
        assert not takers(battles(tmp_path / "a.csv", [("A", "B", "left")] * 3, head))
    essays = [("A", "B", f"I like answer {number} better") for number in range(9)]
    assert not takers(battles(tmp_path / "a.csv", essays, ("left", "right", "vote")))


@st.composite
def duels(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    rows = []
    for _ in range(draw(st.integers(3, 30))):
        one, other = draw(st.permutations("ABCDE"))[:2]
        rows.append((one, other, draw(st.sampled_from(("left", "right", "tie", "tie (bothbad)")))))
    return rows


@given(rows=duels(), seed=st.randoms(use_true_random=False))
def test_neither_order_nor_sides_matter(tmp_path_factory: pytest.TempPathFactory, rows: list[Any], seed: Any) -> None:
    folder = tmp_path_factory.mktemp("battles")
    other = {"left": "right", "right": "left"}
    swapped = [
        (two, one, other.get(word, word)) if seed.random() < 0.5 else (one, two, word) for one, two, word in rows
    ]
    seed.shuffle(swapped)
    straight, turned = (
        podium.read(battles(folder / f"{name}.csv", some)) for name, some in (("a", rows), ("b", swapped))
    )
    assert repr(table(straight)) == repr(table(turned))
    assert straight.notes == turned.notes


@given(rows=duels())
def test_means_are_win_rates_and_wins_those_against_each_other(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    path = battles(tmp_path_factory.mktemp("battles") / "a.csv", rows)
    winners = {"left": evalica.Winner.X, "right": evalica.Winner.Y}
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    said = [winners.get(row[2], evalica.Winner.Draw) for row in rows]
    rates = evalica.average_win_rate(first, second, said).scores
    pairs = podium.pairwise(path)
    assert dict(zip(pairs.systems, pairs.share, strict=True)) == pytest.approx(dict(rates), abs=1e-12)
    won = evalica.counting(first, second, said, win_weight=1.0, tie_weight=0.5).scores
    means = {system: np.sum(values) for system, values in scores_of(path).items()}
    assert means == pytest.approx(dict(won), abs=1e-12)


def test_strengths_are_those_of_other_programs(shared: Path, tmp_path: Path) -> None:
    path = shared / "data/formats/arena/llmfao.csv"
    with path.open(encoding="utf-8") as file:
        rows = [(row["left"], row["right"], row["winner"]) for row in csv.DictReader(file)]
    decided = [row for row in rows if row[2] != "tie"]
    halves = [
        (one, two, won) for one, two, word in rows for won in (("left", "right") if word == "tie" else (word,) * 2)
    ]
    for some in (decided, halves):  # evalica counts a tie as half a win of each
        ranking = podium.rank(battles(tmp_path / "a.csv", some), "bradley-terry", confidence_level=None)
        own = dict(zip(ranking.systems, ranking.score - ranking.score.mean(), strict=True))
        systems = sorted(own)
        lists = [[row[place] for row in some] for place in (0, 1)]
        said = [evalica.Winner.X if row[2] == "left" else evalica.Winner.Y for row in some]
        theirs = np.log(evalica.bradley_terry(*lists, said, tolerance=1e-13, limit=10_000).scores)
        assert own == pytest.approx(dict(theirs - theirs.mean()), abs=1e-9)
        games = [(one, two) if word == "left" else (two, one) for one, two, word in some]
        numbered = [tuple(systems.index(system) for system in game) for game in games]
        strengths = choix.ilsr_pairwise(len(systems), numbered, tol=1e-12, max_iter=1000)
        assert [own[system] for system in systems] == pytest.approx(list(strengths - strengths.mean()), abs=1e-9)
    by_model = podium.rank(path, "borda:missing=model", confidence_level=None)
    by_ties = podium.rank(path, "bradley-terry", confidence_level=None)
    assert by_model.systems == by_ties.systems


def test_every_question_takes_battles(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = ["A", "B", "C", "D", "E"]
    rows = [(*rng.choice(names, 2, replace=False), rng.choice(["left", "right", "tie"])) for _ in range(150)]
    scores = podium.read(battles(tmp_path / "a.csv", rows))
    assert podium.info(scores).title == "5 systems, 1 task, 150 battles of two systems each"
    for method in ("borda", "bradley-terry", "wins", "copeland", "kemeny"):
        ranking = podium.rank(scores, method, n_resamples=40)
        assert any("150 battles of two systems each" in note for note in ranking.notes)
        assert not any("missing" in note for note in ranking.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        notes = podium.rank(scores, "mean", n_resamples=40).notes
    assert any("against any opponents" in note for note in notes)
    several = [(*row, f"t{place % 4}") for place, row in enumerate(rows)]
    path = battles(tmp_path / "b.csv", several, ("left", "right", "winner", "kind"))
    for spec in ("borda", "borda:two", "wins", "bradley-terry"):
        assert podium.influence(podium.read(path, task_column="kind"), spec).systems
    stressed = podium.stress(scores, repeats=2, n_jobs=1)
    assert {swept.name for swept in stressed.study.swept} == {"instances", "systems"}
    assert not any("missing" in note for note in podium.plan(scores, n_resamples=40).notes)
    with pytest.raises(MethodError, match="these are battles"):
        podium.allocate(scores, 10)
    assert podium.condorcet(scores).winner == podium.condorcet(scores, missing="direct").winner
    with pytest.raises(MethodError, match="battles of two systems have no difficulty"):
        podium.failures(scores)
    with pytest.raises(InputError, match="a page of battles has no difficulty and no instances"):
        podium.page(scores, instances=True)


def test_files_are_joined_by_their_labels(tmp_path: Path) -> None:
    head = ("left", "right", "winner", "language", "judge")
    rows = [(*row, language, f"j{number}") for number, language in enumerate(("en", "de") * 4) for row in THREE]
    whole = podium.read(battles(tmp_path / "all.csv", rows, head), task_column="language")
    parts = [battles(tmp_path / "parts" / f"{n}.csv", rows[n::5], head) for n in range(5)]
    joined = podium.read(list(reversed(parts)), task_column="language")
    assert repr(table(joined)) == repr(table(whole))
    assert [task.clusters is not None for task in joined.tasks] == [True, True]
    assert joined.notes[:-1] == whole.notes[:-1]


@pytest.mark.parametrize(
    ("names", "kind"),
    [(("evaluator", "round"), "judges"), (("session_id", "id"), "judges"), (("id", "instruction"), "questions")],
)
def test_judges_and_questions_go_by_many_names(names: tuple[str, str], kind: str, tmp_path: Path) -> None:
    rows = [
        ("A", "B", ("left", "right")[row % 2], *(row if name in {"id", "round"} else row % 20 for name in names))
        for row in range(60)
    ]
    scores = podium.read(battles(tmp_path / "a.csv", rows, ("left", "right", "winner", *names)))
    clusters = scores.tasks[0].clusters
    assert clusters is not None
    assert len(clusters) == 20
    assert f"clusters are {kind}: battles" in " ".join(scores.notes)
    assert ("column 'round' not used" in scores.notes) == ("round" in names)


@pytest.mark.parametrize("kind", ["judges", "questions"])
def test_clusters_are_what_battles_say_the_same_of(kind: str, tmp_path: Path) -> None:
    taste = np.random.default_rng(0).permutation(np.arange(20) % 2)
    rows = [
        ("A", "B", ("left", "right")[taste[judge if kind == "judges" else question]], judge, question)
        for judge in range(20)
        for question in range(20)
    ]
    scores = podium.read(battles(tmp_path / "a.csv", rows, ("left", "right", "winner", "judge", "question_id")))
    assert f"clusters are {kind}: battles" in " ".join(scores.notes)


def test_win_rates_are_those_of_the_leaderboards(shared: Path) -> None:
    folder = shared / "data/formats/alpaca_eval"
    known: dict[tuple[str, str], float] = {}
    for annotator in ("alpaca_eval_gpt4", "weighted_alpaca_eval_gpt4_turbo"):
        with (folder / f"{annotator}_leaderboard.csv").open(encoding="utf-8") as file:
            known |= {
                (row["name"].replace(" ", "-"), annotator): float(row["win_rate"]) for row in csv.DictReader(file)
            }
    scores = read(folder)
    found = {cell: np.nanmean(values) for cell, values in table(scores).items() if not np.isnan(values).all()}
    both = known.keys() & found.keys()
    assert len(both) == 8
    assert {cell: found[cell] for cell in both} == pytest.approx({cell: known[cell] for cell in both}, abs=1e-9)
    assert found["text_davinci_003", "alpaca_eval_gpt4"] == 50
    assert {task.n_instances for task in scores.tasks} == {805}
    assert "Yi-34B-Chat: 2 annotations by alpaca_eval_gpt4 failed; missing, as in its win rate" in scores.notes


def test_covariates_of_answers_are_read_in_all_formats(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows, flat = [], []
    for first, second, _ in THREE * 40:
        winner = ("left", "right", "tie")[rng.integers(3)]
        tokens, heads = rng.integers(1, 900, size=2).tolist(), rng.integers(0, 3, size=(2, 2)).tolist()
        counts = {
            f"header_count_{side}": dict(zip(("h1", "h2"), own, strict=True))
            for side, own in zip("ab", heads, strict=True)
        }
        counts |= {f"sum_assistant_{side}_tokens": own for side, own in zip("ab", tokens, strict=True)}
        named = {
            "model_a": first,
            "model_b": second,
            "winner": {"left": "model_a", "right": "model_b"}.get(winner, winner),
        }
        rows.append({**named, "conv_metadata": counts})
        flat.append((*named.values(), *tokens, *map(sum, heads)))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "arena.parquet")
    written(tmp_path / "arena.jsonl", rows)
    written(tmp_path / "arena.json", rows)
    head = ("model_a", "model_b", "winner", "tokens_a", "tokens_b", "header_count_a", "header_count_b")
    battles(tmp_path / "arena.csv", flat, head)
    found = {
        path.suffix: podium.rank(str(path), "bradley-terry", adjust=["length", "markdown"])
        for path in sorted(tmp_path.iterdir())
    }
    assert len(found) == 4
    for ranking in found.values():
        assert ranking.score == pytest.approx(found[".csv"].score)
        worth = {one.covariate[-5:]: one.coefficient for one in ranking.coefficients}
        assert worth == pytest.approx({one.covariate[-5:]: one.coefficient for one in found[".csv"].coefficients})
    scores = podium.read(tmp_path / "arena.csv", covariate_column="tok*")
    covariate = scores.covariates["tokens"].values[0]
    assert np.nansum(covariate) == sum(row[3] + row[4] for row in flat)
    assert (np.isnan(covariate) == np.isnan(scores.tasks[0].values)).all()
    with pytest.raises(LabelError, match="there is no covariate 'cost'; there are 'tokens', 'header_count'"):
        podium.read(tmp_path / "arena.csv", covariate_column="cost")
    battles(tmp_path / "arena.csv", [(*row[:3], "many", *row[4:]) for row in flat], head)
    with pytest.raises(InputError, match="line 2: column 'tokens_a' holds 'many', which is not a number"):
        podium.read(tmp_path / "arena.csv", covariate_column="tokens")
