"""Every kind of result can be shown by every door: formats, frames, files, notebooks and pictures."""

import csv
import importlib
import io
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from matplotlib.axes import Axes

import podium
from podium.base.words import Aside
from podium.board.result import Added, BoardInfo, BoardLog, Checked, Compacted, Event
from podium.cli.options import _PICTURES
from podium.description.formats import Finding, LeftOut
from podium.difficulty.result import Difficulty, Measure
from podium.errors import LabelError, OutputError
from podium.plots import to_svg
from podium.ranking.result import HeadToHead
from podium.report.formats import FORMATS, ROW_FORMATS, format_for
from podium.report.result import Result
from support.html import Reader
from support.shown import rendered

TEXT = {".txt", ".md", ".markdown", ".tex", ".html", ".htm"}
SUFFIXES = TEXT | {".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq"}


@cache
def scores() -> podium.Scores:
    """Four systems on six tasks, right or wrong on each of 40 instances, with labels that formats must escape."""
    drawn = podium.simulate.gumbel(4, 6, 40, dispersion=0.5, rng=0).scores
    right = {f"<t{k}>": (task.values > np.median(task.values)).astype(float) for k, task in enumerate(drawn.tasks)}
    return replace(podium.from_arrays(right, systems=["A_1", "<b>B", "C & D", "C|E"]), backend="polars")


@cache
def earlier() -> podium.Scores:
    """An earlier version of the table: one of its tasks, and one of its systems, are not there yet."""
    return scores().select(tasks=["!<t0>"], systems=["!C|E"])


@cache
def findings() -> podium.Findings:
    """Results of a tool, a table, and what was left out, with labels that formats must escape."""
    tool = Finding("<t>", "A_1", 1200, 30, 2, 15, ("instances", "means"), ("<b>acc", "f1|x"))
    table = Finding("C & D.csv", "csv", 1, None, None, None, ("wide",), ("system", "rte"))
    return podium.Findings((tool, table), (LeftOut("C|E.json", 2, "no results of a tool"),), backend="polars")


@cache
def task_scores() -> podium.Scores:
    """One score per task of the same systems."""
    means = {task.name: task.values.mean(axis=1, keepdims=True) for task in scores().tasks}
    return replace(podium.from_arrays(means, systems=scores().systems), backend="polars")


def bias() -> Difficulty:
    """How often each of the 40 instances is easy for a bad reason."""
    return Difficulty(np.arange(40), (Measure("bias", np.linspace(0, 1, 40), "low"),))


SWEEP = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 1, 9), "enlargement of one task")

EVENT = Event(3, "2026-10-01 12:00:00", "add", 1200, 1, 0, 4, 6, "C|E/")

#: One example of each kind.
EXAMPLES: dict[str, Callable[[], Result]] = {
    "Added": lambda: Added("b&c", 3, 1200, 0, 5, 0, 1, 0, 4, 6, backend="polars"),
    "BoardInfo": lambda: BoardInfo(
        "b&c", 3, "2026-10-01 12:00:00", 4, 1200, 2, 9000, 4, 6, "mean", {"<t0>": (True, False)}, backend="polars"
    ),
    "BoardLog": lambda: BoardLog("b&c", (EVENT,), backend="polars"),
    "Checked": lambda: Checked("b&c", 3, 9, 1200, "b&c: C|E.parquet is missing", backend="polars"),
    "Compacted": lambda: Compacted("b&c", 3, (9, 1), (9000, 3000), 2, 100, backend="polars"),
    "Agreement": lambda: podium.agree(scores(), ["mean", "borda"]),
    "Comparisons": lambda: podium.compare_all(scores(), control="A_1"),
    "Condorcet": lambda: podium.condorcet(scores()),
    "Customized": lambda: podium.customize(scores(), bias(), splits=3, confidence_level=0.9, n_resamples=100),
    "Description": lambda: podium.info(scores()),
    "Findings": findings,
    "Difficulty": lambda: podium.failure_rate(scores()),
    "Gate": lambda: podium.gate(
        scores().select(systems=["A_1"]), scores().select(systems=["<b>B"]), margin=0.1, names=("A_1", "<b>B")
    ),
    "HeadToHead": lambda: HeadToHead(podium.pairwise(scores()), podium.condorcet(scores()), ()),
    "History": lambda: podium.history({"<b>old": earlier(), "new": scores()}, confidence_level=0.9, n_resamples=100),
    "Influence": lambda: podium.influence(scores(), keep=3),
    "MetaAnalysis": lambda: podium.compare(scores(), control="A_1", treatment="<b>B"),
    "Pairwise": lambda: podium.pairwise(scores()),
    "ItemPlan": lambda: replace(podium.plan_items(500, 0.005, rate=0.99, correlation=0.9), backend="polars"),
    "Plan": lambda: podium.plan(scores(), n_resamples=100),
    "Ranking": lambda: podium.rank(scores(), confidence_level=0.9, n_resamples=100),
    "Robustness": lambda: podium.stress(scores(), ["mean", "borda"], only=["scale"], repeats=2, n_jobs=1),
    "TaskComparison": lambda: podium.compare_task_scores(task_scores(), control="A_1"),
    "Study": lambda: podium.study(scores(), [SWEEP], ["mean", "borda"], repeats=2, n_jobs=1),
}


def kinds(kind: Any) -> Iterator[type[Result]]:
    """Every class below one; a dataclass with slots is made twice, and the second is the one in its module."""
    for one in kind.__subclasses__():
        if hasattr(one, "schema") and vars(importlib.import_module(one.__module__)).get(one.__name__) == one:
            yield one
        yield from kinds(one)


@cache
def every_kind() -> dict[str, type[Result]]:
    """All kinds of result, whatever module they are in."""
    for module in pkgutil.walk_packages(podium.__path__, "podium."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return {one.__name__: one for one in kinds(Result) if one.__module__.startswith("podium.")}


@cache
def example(name: str) -> Result:
    """The example of a kind, made once."""
    return EXAMPLES[name]()


def test_every_kind_has_an_example_and_a_name_of_its_own() -> None:
    assert set(every_kind()) == set(EXAMPLES)
    assert all(type(example(name)) is kind for name, kind in every_kind().items())
    assert len({kind.schema for kind in every_kind().values()}) == len(EXAMPLES)


def display(shown: Any) -> dict[str, str]:
    """What a notebook makes of the value of a cell, by the names of methods that IPython looks for."""
    kinds = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_", "text/plain": "__repr__"}
    return {kind: getattr(shown, method)() for kind, method in kinds.items() if hasattr(shown, method)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_has_a_view(name: str) -> None:
    view = example(name).view()
    assert view.title
    assert view.tables
    assert all(table.columns and table.rows for table in view.tables)
    assert len({figure.name for figure in view.figures}) == len(view.figures)


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_a_table(name: str) -> None:
    result: Any = example(name)
    rows = result.rows()
    assert (len(result), list(result), result[-1], result[:1]) == (len(rows), rows, rows[-1], rows[:1])
    assert result.columns == tuple(rows[0])
    for column in result.columns:
        assert [None if one != one else one for one in result[column].tolist()] == [row[column] for row in rows]  # noqa: PLR0124  # NaN
    assert result.to_pandas().shape == result.to_polars().shape == (len(rows), len(rows[0]))
    assert pl.DataFrame(result).shape == (len(rows), len(rows[0]))
    with pytest.raises(LabelError, match="there is no column"):
        result["no such column"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_is_printed_as_a_short_table(name: str) -> None:
    lines = repr(example(name)).splitlines()
    assert lines[0] == f"{name}({example(name).view().title})"
    assert len(lines) <= 20
    assert all(len(line) <= 88 for line in lines[1:] if not line.startswith("•"))


def test_what_one_may_use_has_no_underscore_and_a_docstring() -> None:
    shown = {name for name in dir(example("Ranking")) if not name.startswith("_")}
    attributes = set(re.findall(r"(?m)^    (\w+(?:, \w+)*)$", f"{podium.Ranking.__doc__}\n{Result.__doc__}"))
    told = {name for line in attributes for name in line.split(", ")}
    assert not [name for name in shown - told if not getattr(podium.Ranking, name).__doc__]
    assert not shown & {"about", "content", "of", "parts", "row_key", "schema_version"}


@pytest.mark.parametrize("name", EXAMPLES)
def test_notes_that_change_no_conclusion_come_last(name: str) -> None:
    result: Any = replace(cast("Any", example(name)), notes=(Aside("column 'a' not used"), "doubt", "another"))
    assert result.notes == ("doubt", "another", "column 'a' not used")
    if name != "HeadToHead":  # shows the notes of its parts
        shown = result.view().notes
        assert (shown[0], shown[-1]) == ("doubt", "column 'a' not used")


#: Each result in three formats that differ most, and one in all; all are saved as Parquet by a test below.
SHOWN = [*product(EXAMPLES, ("json", "csv", "html")), *(("Ranking", format_) for format_ in FORMATS)]


@pytest.mark.parametrize(("name", "format_"), list(dict.fromkeys(SHOWN)))
def test_it_has_every_format(name: str, format_: str) -> None:
    result = example(name)
    text = rendered(result, format_)
    assert text.strip()
    assert "nan" not in text.lower().split()
    if format_ not in {"json", *ROW_FORMATS, "table", "latex"}:
        assert "<b>" not in text
    if format_ == "json":
        assert json.loads(text) == json.loads(json.dumps(result.to_dict()))
    if format_ in ROW_FORMATS:
        count = {"csv": len(list(csv.reader(io.StringIO(text)))) - 1}.get(format_, text.count("\n"))
        assert count - 2 * (format_ == "parquet") == len(result.rows())


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_notebook_shows_a_fragment_with_labels_escaped(name: str) -> None:
    result = example(name)
    shown, view = result._repr_html_(), result.view()
    assert Reader(shown).said("p") == [view.title]
    assert shown.count("<table ") == len(view.tables)
    assert shown.count("<li>") == len(view.verdict) + len(view.notes) + len(view.explain)
    assert not [tag for tag in ("<b>", "<t1>", "<html", "<script") if tag in shown]


@pytest.mark.parametrize("name", EXAMPLES)
def test_documents_say_how_to_read_it_and_text_does_not(name: str) -> None:
    result = example(name)
    for sentence in result.view().explain:
        assert sentence in rendered(result, "latex")
        assert sentence not in rendered(result)


@pytest.mark.parametrize(("name", "library"), list(product(EXAMPLES, ("pandas", "polars", "pyarrow"))))
def test_it_is_a_frame_of_every_library(name: str, library: Any) -> None:
    frame = example(name).to_frame(library)
    assert type(frame).__module__.startswith(library)
    columns = list(getattr(frame, "column_names", None) or frame.columns)
    assert (len(frame), columns) == (len(example(name).rows()), list(example(name).rows()[0]))


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_frame_is_of_the_library_that_the_scores_came_from(name: str) -> None:
    assert type(example(name).to_frame()).__module__.startswith("polars")


@pytest.mark.parametrize("suffix", sorted(SUFFIXES))
def test_it_is_saved_as_every_suffix_says(suffix: str, tmp_path: Path) -> None:
    result, path = example("Ranking"), tmp_path / f"result{suffix}"
    result.save(path)
    content = result.render(format_for(path))
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_of_its_figures_draws(name: str) -> None:
    result = example(name)
    for figure in result.view().figures:
        picture = result.plot(figure.name)
        drawn = picture.axes
        assert isinstance(drawn if isinstance(drawn, Axes) else drawn[0], Axes)
        assert (picture.name, picture.title) == (figure.name, figure.title)
        assert f".save('{figure.name}.svg')" in repr(picture)
        shown = display(picture)
        assert set(shown) == {"image/svg+xml", "text/plain"}
        assert shown["image/svg+xml"] == to_svg(drawn)
    for asked in ("portrait", "", None) if not result.view().figures else ("portrait", ""):
        with pytest.raises(
            LabelError, match=r"^(there is no figure of this .*; (there are|did you) .|.* has no figures$)"
        ):
            result.plot(asked)


@pytest.mark.parametrize("name", ["Ranking", "Description"])
def test_its_first_figure_is_saved_as_the_suffix_says(name: str, tmp_path: Path) -> None:
    result = example(name)
    for suffix, magic in ((".svg", b"<?xml"), (".PNG", b"\x89PNG"), (".pdf", b"%PDF-")):
        if result.view().figures:
            result.save(tmp_path / f"result{suffix}")
            assert (tmp_path / f"result{suffix}").read_bytes().startswith(magic)
        else:
            with pytest.raises(LabelError, match=f"a result of kind '{result.schema}' has no figures"):
                result.save(tmp_path / f"result{suffix}")
    with pytest.raises(OutputError, match=r"the suffix '\.xyz' does not say"):
        result.save(tmp_path / "result.xyz")


def test_a_figure_of_another_result_is_pointed_at() -> None:
    for name, verb in (("heatmap", "pairwise"), ("bump", "agree")):
        with pytest.raises(LabelError, match=rf"'{name}' is not of a ranking; draw it with podium\.{verb}\(scores\)"):
            example("Ranking").plot(name)
        assert name in [figure.name for figure in getattr(podium, verb)(scores()).view().figures]
    nothing: Any = ["ranks"]
    with pytest.raises(LabelError, match="there is no figure of this ranking"):
        example("Ranking").plot(nothing)


def test_figures_have_one_name_everywhere() -> None:
    names = {figure.name for name in EXAMPLES for figure in example(name).view().figures}
    assert names | {"bubble"} == set(_PICTURES), "one is of an analysis with moderators"
    assert names - {"kept"} <= set(podium.plots.__all__)
    for old, new in {
        "rank_intervals": "ranks",
        "critical_difference": "cd",
        "difficulty_histogram": "difficulty",
    }.items():
        with pytest.warns(DeprecationWarning, match=rf"is now podium\.plots\.{new}"):
            assert getattr(podium.plots, old) is getattr(podium.plots, new)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_empty_text_is_no_library(name: str) -> None:
    with pytest.raises(LabelError):
        cast("Any", example(name)).to_frame("")


@pytest.mark.parametrize(
    "name",
    ["Agreement", "Comparisons", "Customized", "Description", "HeadToHead", "History", "MetaAnalysis", "Robustness"],
)
def test_it_says_what_is_not_among_its_rows(name: str) -> None:
    assert re.match("these rows are the .* only; -f json .*also ha", example(name)._beyond_rows)


@pytest.mark.parametrize("name", EXAMPLES)
def test_sentences_about_it_are_short(name: str) -> None:
    view = example(name).view()
    assert [sentence for sentence in (*view.explain, *view.notes) if len(sentence) > 140] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_parts_are_of_the_kinds_that_it_names(name: str) -> None:
    result = example(name)
    assert tuple(part.schema for part in result._parts()) == (result._part_schemas or (result.schema,))


def test_a_file_of_rows_says_all_that_is_not_among_the_rows(tmp_path: Path) -> None:
    for name in EXAMPLES:
        example(name).save(tmp_path / "result.parquet")
        about = json.loads(pq.read_schema(tmp_path / "result.parquet").metadata[b"podium"])
        assert (about["kind"], about["notes"]) == (example(name).schema, list(example(name).notes))


def test_every_suffix_is_known() -> None:
    assert {format_for(Path(f"result{suffix}")) for suffix in SUFFIXES} == set(FORMATS) - {"github"}
