"""Tables as people keep them, with what is right of each in `corpus.txt`, and changes that must change nothing."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import podium
from podium.base.words import Counted
from podium.source.descriptor import described
from podium.source.table import SourceColumn
from source.test_documents import excel
from support.entry import printed, run


@dataclass(frozen=True, slots=True)
class Case:
    """A table, and what is right of it."""

    name: str
    text: str
    order: str
    asks: str
    said: dict[str, str]

    def written(self, folder: Path) -> Path:
        path = folder / self.name
        rows = [line.split("\t") for line in self.text.splitlines()]
        if path.suffix == ".xlsx":
            return excel(path, {"Sheet1": [list(map(_cell, row)) for row in rows]})
        path.write_text(self.text, encoding="utf-8")
        return path

    def listed(self, what: str) -> list[str]:
        return self.said[what].split(" | ") if what in self.said else []


def _cell(text: str) -> str | float | None:
    return float(text) if re.fullmatch(r"[\d.]+", text) else text or None


def _case(block: str) -> Case:
    table, said = re.split(r"^--- ", block, flags=re.MULTILINE)
    name, text = table.split("\n", 1)
    first, *more = said.strip().split("\n")
    known = dict(line.split(" ", 1) for line in more)
    asks = first.removeprefix("asks ") if first.startswith("asks ") else ""
    return Case(name, text, known.get("order", "") if asks else first, asks, known)


ALL = [_case(one) for one in Path(__file__).with_name("corpus.txt").read_text("utf-8").split("\n=== ")[1:]]
CORPUS = [case for case in ALL if not case.name.startswith("shared/")]


def ranked(systems: Sequence[str], ranks: Sequence[int | None]) -> str:
    groups: dict[int | None, list[str]] = {}
    for system, rank in zip(systems, ranks, strict=True):
        groups.setdefault(rank, []).append(system)
    return " > ".join(map(" = ".join, groups.values()))


def check(path: Path, case: Case) -> None:
    """Check the answer on the command line and, where nothing is to be typed, what the columns are taken for."""
    command = f"podium rank {path.name} {case.said.get('try', '')}"
    if case.asks:
        done = run(path.parent, "rank", path.name)
        assert done.returncode == 2
        assert case.asks in " ".join(done.stderr.split())
        if not case.order:
            return
    got = printed(command, path.parent)
    assert ranked(*([one[key] for one in got["systems"]] for key in ("system", "rank"))) == case.order
    tasks = [one["name"] + (" ↓" if not one["higher_is_better"] else "") for one in got["tasks"]]
    assert not case.listed("tasks") or tasks == case.listed("tasks")
    assert any(case.said.get("note", "") in note for note in got["notes"])
    if case.listed("out") and "try" not in case.said:
        why = next(note.why for note in podium.read(path).notes if isinstance(note, Counted))
        assert not [name for name in case.listed("out") if why[name] == "a score"]


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_tables_are_read_right_or_asked_about(tmp_path: Path, case: Case) -> None:
    check(case.written(tmp_path), case)


@pytest.mark.parametrize("case", [case for case in ALL if case not in CORPUS], ids=lambda case: case.name)
def test_tables_beside_the_project(shared: Path, case: Case) -> None:
    check(shared / "data" / "tables" / case.name.removeprefix("shared/"), case)


Grid = list[list[str]]


def grid_of(case: Case) -> Grid:
    delimiter = "\t" if case.name.endswith(".tsv") else ","
    return [row for row in csv.reader(case.text.splitlines(), delimiter=delimiter) if row]


def _tasks(case: Case) -> dict[str, str]:
    """Columns of tasks, and their arrows."""
    return {name.removesuffix(" ↓"): "↓" if name.endswith(" ↓") else "↑" for name in case.listed("tasks")}


def _is_plain(case: Case) -> bool:
    """Whether it is a wide table of plain scores, no times or prices, with the names in the first line."""
    measured = any(described(SourceColumn(name, "number")) for name in _tasks(case))
    if measured or case.asks or "try" in case.said or not case.name.endswith((".csv", ".tsv")):
        return False
    names, *rows = grid_of(case)
    places = [names.index(name) for name in _tasks(case) if names.count(name) == 1]
    plain = all(len(row) == len(names) and re.fullmatch(r"-?\d+(\.\d+)?", row[at]) for row in rows for at in places)
    return plain and 0 < len(places) == len(_tasks(case)) and len(rows) == len(re.split(" [>=] ", case.order))


PLAIN = [case for case in CORPUS if _is_plain(case)]

#: Names of columns that are no scores, and numbers of theirs.
PROPERTIES = st.sampled_from(
    (
        *(("Params (B)", "%.1f"), ("License", "mit%d"), ("Release date", "2025-01-%02d"), ("cost_usd", "%.2f")),
        *(("n_samples", "%d00"), ("Latency (ms)", "%.1f"), ("GFLOPs", "%.2f"), ("Throughput (img/s)", "%.1f")),
        *(("train_time_s", "%.1f"), ("batch_size", "%d"), ("Rank", "%d"), ("run_id", "a%d"), ("max_tokens", "%d000")),
        *(("#GPUs", "%d"), ("peak_mem_gb", "%.1f"), ("notes", ""), ("Price ($/M tokens)", "%.2f"), ("stderr", "0.%d1")),
    )
)


def with_property(rows: Grid, _: Case, data: st.DataObject) -> None:
    name, form = data.draw(PROPERTIES)
    assume(name not in rows[0])
    numbers = data.draw(st.permutations(range(1, len(rows))))
    for row, cell in zip(rows, [name, *(form % number if form else "" for number in numbers)], strict=True):
        row.append(cell)


def with_average(rows: Grid, case: Case, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(("Average", "Avg.", "Mean", "avg_score", "Overall Average", "Mean (Task)")))
    assume(name not in rows[0] and not any(row[0] == "Mean" for row in rows))
    places = [rows[0].index(one) for one in _tasks(case)]
    assume(len(places) > 1)
    rows[0].insert(1, name)
    for row in rows[1:]:
        row.insert(1, f"{sum(float(row[place]) for place in places) / len(places):.2f}")


def with_note(rows: Grid, _: Case, data: st.DataObject) -> None:
    note = data.draw(st.sampled_from(("* own runs", "† trained on more data", "Note: of May", "Source: their papers")))
    rows.append([note, *[""] * (len(rows[0]) - 1)])


def with_arrow(rows: Grid, case: Case, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(_tasks(case))))
    rows[0][rows[0].index(name)] += data.draw(st.sampled_from((" ", ""))) + _tasks(case)[name]


def in_style(rows: Grid, case: Case, data: st.DataObject) -> None:
    style = data.draw(st.sampled_from(("%s%%", "**%s**", "%s ± 0.1", "%s (0.2)", "%s†", "comma")))
    places = [rows[0].index(one) for one in _tasks(case)]
    for row in rows[1:]:
        for place, cell in enumerate(row):
            if style == "comma" and re.fullmatch(r"-?\d+\.\d+", cell):
                row[place] = cell.replace(".", ",")
            elif style != "comma" and place in places:
                row[place] = style % cell


@given(
    st.sampled_from(PLAIN), st.sampled_from((with_property, with_average, with_note, with_arrow, in_style)), st.data()
)
def test_what_changes_no_score_changes_no_ranking(case: Case, change: Callable[..., None], data: st.DataObject) -> None:
    rows = grid_of(case)
    change(rows, case, data)
    with TemporaryDirectory() as folder:
        path = Path(folder, case.name)
        with path.open("w", newline="", encoding="utf-8") as stream:
            csv.writer(stream, delimiter=";" if case.name.endswith(".csv") else "\t").writerows(rows)
        ranking = podium.rank(podium.read(path))
    assert ranked(ranking.systems, ranking.rank.tolist()) == case.order
    assert len(ranking.tasks) == len(_tasks(case))
