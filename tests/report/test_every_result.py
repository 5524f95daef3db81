"""Every kind of result can be shown by every door: formats, frames, files, notebooks and pictures."""

import csv
import importlib
import io
import json
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, cast

import jsonschema
import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from matplotlib.axes import Axes

import podium
from golden.output.transcripts import FROZEN
from podium.base.words import Doubt
from podium.cli.options import _PICTURES
from podium.errors import LabelError, MethodError, OutputError
from podium.plots import to_svg
from podium.report.formats import FORMATS, ROW_FORMATS, format_for
from podium.report.result import Result, json_schemas
from podium.source.recognise import Unused
from support.html import Reader
from support.results import EXAMPLES, example, scores
from support.schemas import schemas
from support.shown import rendered

TEXT = {".txt", ".md", ".markdown", ".tex", ".html", ".htm"}
SUFFIXES = TEXT | {".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq"}


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
    assert example(name).to_dict().items() >= {"title": view.title, "sentences": list(view.verdict)}.items()
    assert all(map(str.strip, view.verdict))
    assert view.verdict


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


def test_what_is_not_there_is_a_key_error_and_what_makes_no_sense_a_value_error() -> None:
    scores = podium.datasets.toy_table1()
    with pytest.raises(KeyError) as missing:
        podium.rank(scores)["alpha"]
    assert str(missing.value).startswith("there is no column 'alpha'; there are 'system', 'rank'")
    wrongs: list[dict[str, Any]] = [{"method": "elo"}, {"rng": "x"}]
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"there is no method 'elo'|rng is 'x'; .* RandomState"):
            podium.rank(scores, **wrong)
    with pytest.raises(OutputError, match=r"use one of \.txt, .*, \.pq, \.pdf, \.png, \.svg, or name"):
        podium.rank(scores).save("board.docx")
    first, second = (podium.rank(scores, rng=np.random.RandomState(3)) for _ in range(2))
    assert first.to_dict() == second.to_dict() != podium.rank(scores).to_dict()


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
def test_notes_that_may_change_a_conclusion_come_first_and_others_last(name: str) -> None:
    result: Any = replace(cast("Any", example(name)), notes=(Unused(["a"]), "another", Doubt("doubt")))
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
            LabelError, match=r"^(there is no figure of this .*; (there are|did you) .|.* has no figures)"
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
    with pytest.raises(LabelError, match=r"'x\.png' is a file; use \.plot\(\)\.save\('x\.png'\)"):
        example("Ranking").plot("x.png")
    with pytest.raises(MethodError, match=r"no intervals to draw; .* \(what can be drawn: 'heatmap', 'bump'\)"):
        podium.rank(scores(), confidence_level=None).plot("cd")
    nothing: Any = ["ranks"]
    with pytest.raises(LabelError, match="there is no figure of this ranking"):
        example("Ranking").plot(nothing)


def test_figures_have_one_name_everywhere() -> None:
    names = {figure.name for name in EXAMPLES for figure in example(name).view().figures}
    assert names | {"bubble"} == set(_PICTURES), "one is of an analysis with moderators"
    assert names - {"kept"} <= set(podium.plots.__all__)
    for old, new in {"rank_intervals": "ranks", "difficulty_histogram": "difficulty"}.items():
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


@pytest.mark.parametrize("name", EXAMPLES)
def test_its_json_has_its_schema_and_damaged_json_has_not(name: str) -> None:
    validator = jsonschema.Draft202012Validator(type(example(name)).json_schema())
    held = json.loads(example(name).render("json"))
    validator.validate(held)
    for key in held:
        if key in validator.schema["required"]:
            assert not validator.is_valid({other: value for other, value in held.items() if other != key}), key
    assert not validator.is_valid({**held, "kind": "another"})
    assert not validator.is_valid({**held, "notes": "one"})


def test_whatever_commands_answer_in_json_has_its_schema() -> None:
    known, seen = json_schemas(), set()
    for path in FROZEN.glob("*.txt"):
        for found in re.findall(r"(?ms)^\{\n.*?^\}\n", path.read_text("utf-8")):
            if (held := json.loads(found)).get("kind"):
                jsonschema.validate(held, known[held["kind"]])
                seen.add(held["kind"])
    assert len(seen) > 12


def test_what_is_asked_of_a_result_as_of_a_frame_leads_to_a_frame() -> None:
    ranking = example("Ranking")
    with pytest.raises(LabelError, match=r"several columns: \.to_pandas\(\)\[\['system', 'rank'\]\]"):
        ranking[["system", "rank"]]  # type: ignore[call-overload]
    with pytest.raises(AttributeError, match=r"no attribute 'head'; \.to_pandas\(\) makes a frame"):
        ranking.head()  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"figure 'ranks' got an unexpected .* 'widht'; did you mean 'width'"):
        ranking.plot("ranks", widht="3in")
    with pytest.raises(LabelError, match=r"several with one control: podium\.compare_all"):
        podium.compare(podium.datasets.demo(), "atlas", ["birch", "cedar"])  # type: ignore[arg-type]


def test_at_a_prompt_an_error_shows_no_lines_of_podium(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    with pytest.raises(LabelError) as caught:
        podium.rank(pl.DataFrame({"system": ["A"], "t": [1]}), score_column="u")
    assert len(caught.traceback) == 2
    assert caught.value.__suppress_context__


def test_schemas_are_those_of_the_types_and_examples() -> None:
    assert json_schemas() == schemas(), "run `python -m support.schemas` in tests"


@pytest.mark.parametrize("name", EXAMPLES)
def test_latex_of_every_result_has_only_letters_that_plain_latex_knows(name: str) -> None:
    body = "\n".join(line for line in rendered(example(name), "latex").splitlines() if not line.startswith("%"))
    assert sorted(set(re.findall(r"[^\x00-\x7f]", body))) == []


#: Every sign that a table may have beside the names of its systems and tasks.
_SIGNS = "95% & #1_a ~^{}<>| −–…→←↑↓±×·∞√≤≥≈≠²⁻¹ αβγδεζηθικλμνξπρστυφχψω ΓΔΘΛΞΠΣΥΦΨΩ ½ § é"


def test_latex_is_a_float_with_the_best_in_bold_and_compiles(tmp_path: Path) -> None:
    ranking = example("Ranking")
    assert r"\caption{95\% of R\&D: $\chi$$^{2}$}" in rendered(ranking, "latex", caption="95% of R&D: χ²")
    with pytest.raises(OutputError, match=r"label \(--label\) 'tab:50%' has '%'"):
        ranking.render("latex", label="tab:50%")
    text = rendered(ranking, "latex", caption="Scores in \\% of $n$", label="tab:one", bold=True, digits=2)
    assert text.index(r"\begin{table}") < text.index(r"\caption{Scores in \% of $n$}") < text.index(r"\label{tab:one}")
    best = {row["system"] for row in ranking if row["system"] in cast("podium.Ranking", ranking).top()}
    assert text.count(r"\textbf{") == 2 * len(best)
    numbers = re.findall(r"\\textbf\{(\d\.\d+)\}", text)
    assert numbers == [f"{row['score']:.2f}" for row in ranking if row["system"] in best]
    assert rendered(ranking, "markdown", bold=True).count("**") == 4 * len(best)
    for wrong, format_ in (({"caption": "x"}, "html"), ({"bold": True}, "table"), ({"digits": 2}, "json")):
        with pytest.raises(OutputError, match=rf"{next(iter(wrong))} \(--{next(iter(wrong))}\) is for .*latex"):
            ranking.render(format_, **wrong)
    if (latex := shutil.which("pdflatex")) is None:
        pytest.skip("the text is as it should be; no LaTeX is installed to compile it")
    names = ("Ranking", "TaskComparison", "Comparisons", "Description", "Agreement", "Gate", "History")
    tables = [rendered(example(name), "latex", caption=_SIGNS, label="tab:one", digits=3) for name in names]
    head = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "all.tex").write_text(head + "\n".join(tables) + "\n\\end{document}\n", encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout[-2000:]
