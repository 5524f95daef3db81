"""Tables as people keep them: in spreadsheets, Markdown, pages and JSON, below titles and above notes, and turned."""

import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import podium
from podium.errors import InputError, LabelError
from support.entry import answer, run
from support.tools import survives

#: What all tables here hold, but for their names: b is better on A, and a on B.
SCORES = {"A": [0.25, 0.5], "B": [2, 1.5]}

Rows = Sequence[Sequence[str | float | None]]

ROWS: Rows = [["model", "A", "B"], ["a", 0.25, 2], ["b", 0.5, 1.5]]

CSV = "model,A,B\na,0.25,2\nb,0.5,1.5\n"

MARKDOWN = "| model | A | B |\n|:--|--:|:-:|\n| a | 0.25 | 2 |\n| b | 0.5 | 1.5 |\n"

HTML = "<table><tr><th>model<th>A<th>B<tr><td>a<td>0.25<td>2</tr><tr><td>b</td><td>0.5</td><td>1.5</table>"

SYSTEMS = {"a": {"A": 0.25, "B": 2}, "b": {"A": 0.5, "B": 1.5}}

RECORDS = [{"model": "a", "A": 0.25, "B": 2}, {"model": "b", "A": 0.5, "B": 1.5}]


def excel(path: Path, sheets: Mapping[str, Rows], merged: Sequence[str] = ()) -> Path:
    """Write a spreadsheet; cells are merged in every sheet."""
    main, here = (
        "http://schemas.openxmlformats.org",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    )
    kind = f'xmlns="{main}/spreadsheetml/2006/main"'
    links = f'<Relationships xmlns="{main}/package/2006/relationships">'
    numbers = range(1, len(sheets) + 1)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{main}/package/2006/content-types"/>')
        book.writestr(
            "_rels/.rels",
            f'{links}<Relationship Id="r" Type="{here}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        names = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
        book.writestr("xl/workbook.xml", f'<workbook {kind} xmlns:r="{here}"><sheets>{names}</sheets></workbook>')
        there = "".join(
            f'<Relationship Id="r{i}" Type="{here}/worksheet" Target="worksheets/{i}.xml"/>' for i in numbers
        )
        book.writestr("xl/_rels/workbook.xml.rels", f"{links}{there}</Relationships>")
        for i, rows in enumerate(sheets.values(), 1):
            cells = "".join(
                f'<row r="{at}">'
                + "".join(_cell(f"{chr(65 + place)}{at}", one) for place, one in enumerate(row))
                + "</row>"
                for at, row in enumerate(rows, 1)
            )
            spans = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
            spans = spans and f"<mergeCells>{spans}</mergeCells>"
            book.writestr(
                f"xl/worksheets/{i}.xml", f"<worksheet {kind}><sheetData>{cells}</sheetData>{spans}</worksheet>"
            )
    return path


def _cell(place: str, value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def open_document(path: Path, rows: Rows) -> Path:
    """Write a spreadsheet of the other kind."""
    ours = "urn:oasis:names:tc:opendocument:xmlns"
    kind = f'xmlns:office="{ours}:office:1.0" xmlns:table="{ours}:table:1.0" xmlns:text="{ours}:text:1.0"'
    cell = '<table:table-cell office:value-type="{}"{}><text:p>{}</text:p></table:table-cell>'
    cells = [
        [
            cell.format("string", "", one)
            if isinstance(one, str)
            else cell.format("float", f' office:value="{one}"', one)
            for one in row
        ]
        for row in rows
    ]
    body = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in cells)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        book.writestr("META-INF/manifest.xml", '<manifest:manifest xmlns:manifest="' + f'{ours}:manifest:1.0"/>')
        book.writestr(
            "content.xml",
            f'<office:document-content {kind}><office:body><office:spreadsheet><table:table table:name="S">{body}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    return path


def holds(path: Path, tasks: Sequence[str] = ("A", "B"), **options: Any) -> tuple[str, ...]:
    """Read what all these tables hold, and return the notes."""
    scores = podium.read(path, **options)
    assert scores.systems == ("a", "b")
    assert scores.task_names == tuple(tasks)
    assert [task.values[:, 0].tolist() for task in scores.tasks] == list(SCORES.values())[: len(tasks)]
    return scores.notes


def test_a_line_that_says_the_delimiter_in_quotes(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f'"sep=,"\r\n{CSV}', "utf-8", newline="")
    holds(tmp_path / "a.csv")


def test_one_run_a_file(tmp_path: Path) -> None:
    for name, scores in SYSTEMS.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"model": name, "scores": scores}, indent=1))
    holds(tmp_path)


def test_spreadsheets(tmp_path: Path) -> None:
    holds(excel(tmp_path / "a.xlsx", {"S": ROWS}))
    holds(open_document(tmp_path / "a.ods", ROWS))
    aside: Rows = [[None, "Results of May"], [], *([None, *row] for row in ROWS)]
    holds(excel(tmp_path / "c.xlsx", {"S": aside}))
    titled: Rows = [["Results of May"], [], *ROWS, [], ["means of three seeds"]]
    sheets: dict[str, Rows] = {"Config": [["name", "value"], ["seed", 3]], "Results": titled, "Read me": [["text"]]}
    assert holds(excel(tmp_path / "b.xlsx", sheets, ["A1:C1"]))[:-1] == (
        "lines beside the table are not read: Results of May; means of three seeds",
        "sheet Results is read; sheet= (--sheet) names another: Config, Read me",
    )


def test_a_sheet_is_named(tmp_path: Path) -> None:
    other: Rows = [["model", "A", "B"], ["a", 0.25, 6], ["b", 0.5, 7]]
    path = excel(tmp_path / "a.xlsx", {"dev": other, "test set": ROWS})
    with pytest.raises(
        InputError, match=r"2 sheets, and which .*: dev, test set; name it, as with sheet='dev' \(--sheet dev\)"
    ):
        podium.read(path)
    with pytest.raises(LabelError, match="there is no sheet 'test'"):
        podium.read(path, sheet="test")
    holds(path, sheet="test set")
    assert answer(tmp_path, "rank", "a.xlsx", "--sheet", "dev") != answer(
        tmp_path, "rank", "a.xlsx", "--sheet", "test set"
    )


def test_of_several_tables_of_a_page_one_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "README.md"
    path.write_text(
        f"## Dev\n{MARKDOWN.replace('0.25', '7')}\n## Test\n{MARKDOWN}\n| key | meaning |\n|--|--|\n| x | y |\n"
    )
    (tmp_path / "b.md").write_text(MARKDOWN.replace("0.5", "x"))
    with pytest.raises(InputError, match=r"line 4: column 'A' holds 'x'"):
        podium.read(tmp_path / "b.md")
    with pytest.raises(
        InputError, match=r"1 \(Dev\), 2 \(Test\), 3 \(Test\); name it, as with table='1' \(--table 1\)"
    ):
        podium.read(path)
    holds(path, table="2")
    holds(path, table="Test")
    (tmp_path / "a.html").write_text(f"<h2>Setup</h2><table><tr><td>x<td>y</table><h2>Results</h2>{HTML}")
    assert "table 2 (Results) is read; table= (--table) names another: 1 (Setup)" in holds(tmp_path / "a.html")
    (tmp_path / "a.json").write_text(json.dumps({"dev": RECORDS[:1], "test": RECORDS}))
    holds(tmp_path / "a.json", table="test")


def test_in_a_folder_tables_come_before_documents(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    (tmp_path / "README.md").write_text(f"{MARKDOWN.replace('0.25', '7')}")
    holds(tmp_path)
    (tmp_path / "a.csv").unlink()
    (tmp_path / "README.md").write_text(MARKDOWN)
    holds(tmp_path)


def test_names_in_two_rows_make_families(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",QQP,,RTE\nmodel,f1,acc,acc\na,0.25,2,1\nb,0.5,1.5,1\n")
    notes = podium.rank(tmp_path / "a.csv").notes
    assert any(note.startswith("families of tasks, by their names: QQP (2)") for note in notes)


def test_names_in_two_rows_of_merged_cells(tmp_path: Path) -> None:
    rows: Rows = [[None, "QQP", None], ["model", "f1", "acc"], *ROWS[1:]]
    holds(excel(tmp_path / "a.xlsx", {"S": rows}, ["B1:C1"]), tasks=("QQP/f1", "QQP/acc"))
    html = HTML.replace("<tr><th>model<th>A<th>B", "<tr><th rowspan=2>model<th colspan=2>QQP<tr><th>f1<th>acc")
    (tmp_path / "a.html").write_text(html)
    holds(tmp_path / "a.html", tasks=("QQP/f1", "QQP/acc"))


def _parquet(path: Path) -> None:
    pq.write_table(pa.table({"task": ["A", "B"], "a": [0.25, 2], "b": [0.5, 1.5]}), path)


TURNED: dict[str, Callable[[Path], Any]] = {
    "a.csv": lambda path: path.write_text("benchmark,a,b\nA,0.25,0.5\nB,2,1.5\n"),
    "a.md": lambda path: path.write_text("| task | a | b |\n|---|---|---|\n| A | 0.25 | 0.5 |\n| B | 2 | 1.5 |\n"),
    "a.xlsx": lambda path: excel(path, {"S": [["dataset", "a", "b"], ["A", 0.25, 0.5], ["B", 2, 1.5]]}),
    "a.jsonl": lambda path: path.write_text('{"task": "A", "a": 0.25, "b": 0.5}\n{"task": "B", "a": 2, "b": 1.5}\n'),
    "a.parquet": _parquet,
}


@pytest.mark.parametrize("name", TURNED)
def test_a_table_of_rows_of_tasks_is_turned_as_its_error_says(tmp_path: Path, name: str) -> None:
    TURNED[name](tmp_path / name)
    refused = run(tmp_path, "rank", name)
    assert refused.returncode != 0
    assert "--transpose" in " ".join(refused.stderr.split())
    holds(tmp_path / name, transpose=True)
    assert answer(tmp_path, "rank", name, "--transpose")


#: Nine times what has another name in YAML, which grows without end.
_MANY = ", ".join(f"k{number}: *{{0}}" for number in range(9))

HOSTILE = {
    "a.html": "<table><tr><td colspan=9999 rowspan=9999>model<td rowspan=x>A<tr><td>a</table></table>",
    "b.html": "<table><tr><td>model<td>A<tr><td>a<td>1<table><tr><td></table><!-- ",
    "c.html": "<td>1</td><tr>",
    "a.md": "| <table> | <td colspan=x> |\n|--|--|\n| &#x; | <!-- |\n",
    "b.md": "|\n|-|\n|\n",
    "a.yaml": "&a [*a]",
    "b.yaml": "a: &a [x]\n" + "".join(f"{two}: &{two} {{{_MANY.format(one)}}}\n" for one, two in pairwise("abcdefgh")),
    "c.yaml": "%",
    "a.json": "[" * 100_000,
    "b.json": '{"a": {"b": {}}, "c": [[]], "d": [{}]}',
    "c.json": '[{"model": "\\ud800", "A": 1e999}]',
    "a.xlsx": "PK\x03\x04",
    "a.csv": "\n|||\n||\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_documents_are_read_or_refused_soon(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(HOSTILE[name])
    survives(tmp_path / name)
