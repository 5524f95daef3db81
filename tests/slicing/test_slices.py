"""Slices: departures and their errors by the definition, and what must not matter."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t as student

import podium
from podium import Scores
from podium.base.statistics import holm
from podium.errors import InputError, MethodError
from support.entry import answer, printed, run

Floats = NDArray[np.float64]


def table(values: Floats, of: NDArray[Any], clusters: NDArray[Any] | None = None) -> Scores:
    """Instances in slices, each a family of one task."""
    kept = {f"s{one}": np.flatnonzero(of == one) for one in np.unique(of).tolist()}
    labels = {name: [f"i{place}" for place in own.tolist()] for name, own in kept.items()}
    groups = {} if clusters is None else {name: [f"c{one}" for one in clusters[own]] for name, own in kept.items()}
    found = podium.from_arrays(
        {name: values[:, own] for name, own in kept.items()}, instances=labels, clusters=groups or None
    )
    return found.with_families(False)


def spread(x: Floats, sizes: list[int]) -> tuple[float, float]:
    """Variance within parts of a row, and how well it is known; both of one unit."""
    parts = np.split(x, np.cumsum(sizes)[:-1])
    moved = np.concatenate([part - part.mean() for part in parts])
    carried = (moved**2).sum() ** 2 / (moved**4).sum()
    n = moved.size
    return float((moved**2).sum()), min(n - 1, 2 * n / max(n / carried - 1, 1e-9)) if carried >= 4 else 0.0


def welch(x: Floats, order: list[NDArray[Any]], s: int) -> tuple[float, float, float, float]:
    """One-sided p-values of a row on part s, and of it less elsewhere; both variances at least that of all parts."""
    whole, whole_df = spread(np.concatenate([x[own] for own in order]), [own.size for own in order])
    freedom = x.size - len(order)
    errors, df = [], []
    for parts in ([order[s]], order[:s] + order[s + 1 :]):
        n = sum(own.size for own in parts)
        squares, known = spread(np.concatenate([x[own] for own in parts]), [own.size for own in parts])
        errors.append(max(squares / (n - 1), whole / freedom) / n)
        df.append(known if squares / (n - 1) > whole / freedom else min(whole_df, freedom))
    here = x[order[s]].mean()
    value = here - x[np.concatenate(order[:s] + order[s + 1 :])].mean()
    both = sum(errors) ** 2 / sum(error**2 / known for error, known in zip(errors, df, strict=True))
    reach = student.isf(0.025, both) * np.sqrt(sum(errors))
    return value, student.sf(value / np.sqrt(sum(errors)), both), student.sf(here / np.sqrt(errors[0]), df[0]), reach


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(3, 5), st.integers(2, 4))
def test_departures_and_changes_of_the_lead_are_those_of_the_definition(seed: int, n: int, n_slices: int) -> None:
    rng = np.random.default_rng(seed)
    of = rng.permutation(np.repeat(np.arange(n_slices), rng.integers(30, 60, n_slices)))
    values = rng.normal(size=(n, of.size)) + rng.normal(size=of.size)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.slicing.api.holm", lambda p: p)
        (cut,) = podium.slices(table(values, of), method="mean", n_resamples=40).cuts
    order = [np.flatnonzero(of == one) for one in range(n_slices)]
    assert np.allclose(cut.score, [values[:, own].mean(axis=1) for own in order])
    for s, own in enumerate(order):
        elsewhere = values[:, np.setdiff1d(np.arange(of.size), own)].mean(axis=1)
        first = int(np.argmax(elsewhere))
        assert cut.elsewhere[s] == f"system {first + 1}"
        for i in range(n):
            value, above, _, reach = welch(values[i] - values.mean(axis=0), order, s)
            assert np.allclose([cut.departure[s, i], cut.p[s, i]], [value, 2 * min(above, 1 - above)])
            assert np.allclose(cut.departure_high[s, i] - cut.departure[s, i], reach)
            if i != first:
                _, more, ahead, _ = welch(values[i] - values[first], order, s)
                assert np.isclose(cut.ahead_p[s, i], max(more, ahead))


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["borda", "mean"]))
def test_a_slice_is_led_as_its_ranking_says_and_its_name_and_place_change_nothing(seed: int, method: Any) -> None:
    rng = np.random.default_rng(seed)
    of, strength = rng.integers(0, 3, 90), rng.normal(size=(4, 1))
    values = (rng.random((4, 90)) < 1 / (1 + np.exp(-strength))).astype(float)
    if method == "borda":
        values[rng.random(values.shape) < 0.1] = np.nan
    scores = table(values, of)
    (cut,) = podium.slices(scores, method=method).cuts
    for at, name in enumerate(cut.slices):
        ranking = podium.rank(scores.select(tasks=[name]), method)
        assert sorted(cut.leaders[at]) == sorted(
            s for s, r in zip(ranking.systems, ranking.rank, strict=True) if r == 1
        )
        assert cut.may_be_best[at] == (ranking.top() if ranking.intervals is not None else None)
    turned = {"s0": "z", "s1": "a", "s2": "m"}
    renamed = replace(scores, tasks=tuple(replace(one, name=turned[one.name]) for one in scores.tasks[::-1]))
    (other,) = podium.slices(renamed, method=method).cuts
    for name in ("score", "departure", "departure_low", "p", "ahead_p", "shrunk", "shrunk_low"):
        assert np.allclose(getattr(cut, name), getattr(other, name)[::-1], equal_nan=True)


def test_p_values_are_adjusted_together_and_two_systems_are_one_difference() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3):
        scores = table(rng.normal(size=(n, 80)), np.repeat([0, 1, 2, 3], 20))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("podium.slicing.api.holm", lambda p: p)
            (given,) = podium.slices(scores, n_resamples=40).cuts
        (cut,) = podium.slices(scores, n_resamples=40).cuts
        once = given.p[:, :1] if n == 2 else given.p
        adjusted = holm(np.concatenate([once.ravel(), given.ahead_p.ravel()]))
        assert np.allclose(cut.p[:, : once.shape[1]].ravel(), adjusted[: once.size])
        assert np.allclose(cut.ahead_p.ravel(), adjusted[once.size :], equal_nan=True)
        assert n > 2 or np.array_equal(cut.p[:, 0], cut.p[:, 1])


def test_a_unit_that_crosses_slices_counts_once() -> None:
    rng = np.random.default_rng(3)
    of, cluster = np.repeat([0, 1], 60), np.tile(np.arange(60), 2)
    own = rng.normal(size=(3, 60))
    values = own[:, cluster] + 0.1 * rng.normal(size=(3, 120))  # nearly the same on both slices
    apart, crossing = (
        podium.slices(table(values, of, clusters), method="mean", n_resamples=40).cuts[0]
        for clusters in (None, cluster)
    )
    assert np.allclose(apart.departure, crossing.departure)
    lengths = [cut.departure_high - cut.departure_low for cut in (apart, crossing)]
    assert (lengths[1] < 0.25 * lengths[0]).all()  # what a cluster adds to both cancels


def test_small_slices_are_shrunk_more_and_equal_ones_wholly() -> None:
    rng = np.random.default_rng(1)
    of = np.repeat([0, 1, 2, 3, 4, 5], [400, 400, 400, 400, 12, 12])
    lead = rng.normal(0, 0.4, (4, 6))
    values = lead[:, of] + rng.normal(size=(4, of.size))
    (cut,) = podium.slices(table(values, of), method="mean", n_resamples=40).cuts
    kept = np.abs(cut.shrunk_departure).mean(axis=1) / np.abs(cut.departure).mean(axis=1)
    assert (kept[:4] > 0.6).all()
    assert (kept[4:] < kept[:4].min()).all()
    assert 0.2 < cut.spread < 0.7
    (alike,) = podium.slices(table(rng.normal(size=(4, of.size)), of), method="mean", n_resamples=40).cuts
    assert np.abs(alike.shrunk_departure).max() < 0.3 * np.abs(alike.departure).max()
    assert ((alike.shrunk_low < 0) & (alike.shrunk_high > 0)).all()


def law(path: Path) -> None:
    """Write answers of three systems in three categories and two languages; medium leads in law."""
    rng = np.random.default_rng(1)
    category = np.repeat(["art", "law", "math"], [120, 90, 120])
    rate = {"large": np.where(category == "law", 0.5, 0.85), "medium": np.where(category == "law", 0.9, 0.6)}
    rows = [
        {"model": model, "item": f"q{k}", "category": name, "language": "ed"[k % 2] + "n", "score": int(hit)}
        for model, chance in {**rate, "small": np.full(category.size, 0.4)}.items()
        for k, (name, hit) in enumerate(zip(category.tolist(), rng.random(category.size) < chance, strict=True))
    ]
    pl.DataFrame(rows).write_csv(path)


def test_a_command_says_where_the_lead_changes(tmp_path: Path) -> None:
    law(tmp_path / "scores.csv")
    typed = "podium slices scores.csv --slice-column category,language"
    said = answer(tmp_path, f"{typed.removeprefix('podium ')} -f table")
    assert "large leads in 2 of 3 slices by category; medium in 1" in said
    assert "the lead changes by more than chance on law, where medium is ahead of large (p < 0.001)" in said
    assert "not used" not in said  # each column is, once
    found = printed(typed, tmp_path)
    assert [cut["by"] for cut in found["cuts"]] == ["category", "language"]
    assert found["cuts"][0]["slices"][1]["ahead"] == ["medium"]
    frame = podium.slices(pl.read_csv(tmp_path / "scores.csv"), slice_column=["category", "language"])
    assert frame.sentences == tuple(found["sentences"])
    read = {by: podium.read(tmp_path / "scores.csv", slice_column=by) for by in ("category", "language")}
    assert podium.slices(read).rows() == frame.rows()
    assert read["category"].task_names == ("art", "law", "math")


def test_slices_of_the_same_items_may_be_prompts_and_names_with_commas_are_apart(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(2, 20, 3)) + np.arange(2)[::-1, None, None]
    system, item, template = (axis.ravel() for axis in np.indices(values.shape))
    names = np.array(["Qwen, 7B", "Phi, 3"])[system]
    rows = {"system": names, "item": item, "template": template.astype(str), "score": values.ravel()}
    found = podium.slices(pl.DataFrame(rows), slice_column="template", n_resamples=40)
    typed = "podium rank takes prompt_column='template' (--prompt-column template)"
    assert f"all slices by 'template' hold the same items; if they are prompts, {typed}" in found.notes
    assert found.sentences[0].startswith("Qwen, 7B leads")
    small = podium.slices(pl.DataFrame(rows).filter(pl.col("item") < 4), slice_column="template", n_resamples=40)
    assert "Phi, 3; Qwen, 7B" in small.render("table")
    law(tmp_path / "scores.csv")
    assert not any("prompts" in note for note in podium.slices(tmp_path / "scores.csv", slice_column="category").notes)


def test_battles_are_sliced_by_a_column_and_other_commands_take_it_too(tmp_path: Path) -> None:
    rows = [f"{'ab'[k % 2]},{'bc'[k % 3 % 2]},{'ab'[k % 5 % 2]},{'ed'[k % 4 // 2]}n" for k in range(240)]
    kept = [row.replace(",a,", ",model_a,").replace(",b,", ",model_b,", 1) for row in rows if row[0] != row[2]]
    (tmp_path / "battles.csv").write_text("\n".join(["model_a,model_b,winner,language", *kept]) + "\n")
    found = podium.slices(tmp_path / "battles.csv", slice_column="language")
    assert [sorted(cut.slices) for cut in found.cuts] == [["dn", "en"]]
    law(tmp_path / "scores.csv")
    typed = "podium compare scores.csv --slice-column category --control large --treatment medium"
    assert [row["task"] for row in printed(typed, tmp_path)["tasks"]] == ["art", "law", "math"]


def test_what_makes_no_slices_is_refused(tmp_path: Path) -> None:
    law(tmp_path / "scores.csv")
    whole = pl.read_csv(tmp_path / "scores.csv")

    def refused(frame: Any, words: str, kind: type[Exception] = MethodError) -> None:
        with pytest.raises(kind, match=words):
            podium.slices(frame, slice_column="category")

    refused(whole.with_columns(category=pl.lit("one")), "only one slice by 'category', 'one'")
    refused(whole.with_columns(category=pl.col("item")), "'category' has 330 labels, and slices are 60 at most")
    empty = pl.when(pl.col("item") == "q7").then(None).otherwise("category").alias("category")
    refused(whole.with_columns(empty), "there is no slice in column 'category'", InputError)
    other = pl.when((pl.col("item") == "q7") & (pl.col("model") == "small")).then(pl.lit("law")).otherwise("category")
    wrong = "instance 'q7' is in slice 'art' for some systems and in 'law' for others"
    refused(whole.with_columns(other.alias("category")), wrong, InputError)
    refused(whole.group_by("model", "category").agg(pl.col("score").mean()), "one score for each system")
    with pytest.raises(InputError, match="these scores are read already"):
        podium.slices(podium.read(tmp_path / "scores.csv"), slice_column="category")
    with pytest.raises(MethodError, match="no sums over instances; slice by 'borda' or 'mean'"):
        podium.slices(whole, slice_column="category", method="kemeny")
    said = run(tmp_path, "slices - --slice-column category,language")
    assert said.returncode == 2
    assert "standard input (-) can be read only once" in said.stderr


def test_slices_of_few_instances_are_shown_and_not_tested() -> None:
    rng = np.random.default_rng(0)
    found = podium.slices(table(rng.normal(size=(3, 70)), np.repeat([0, 1, 2, 3], [30, 35, 4, 1])), n_resamples=40)
    (cut,) = found.cuts
    assert np.isnan(cut.p[2:]).all()
    assert cut.may_be_best[3] is None
    assert "too few instances vary to test s2, s3: their leaders are no more than that" in found.notes
    assert found.rows()[-1]["p"] is None
