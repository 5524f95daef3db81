"""What a reader takes from each view, in a real Chromium: commands and Python that print the same, tables, pictures."""

import csv
import re
import struct
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from support.browser import in_chromium
from support.entry import answer, printed

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

SYSTEMS = ["<b>a</b>", "名前 & co", "c", "d"]

SAVED = tuple(f"save:{name}" for name in ("CSV", "LaTeX", "SVG", "PNG"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all views, beside the table that it is of."""
    made = tmp_path_factory.mktemp("shared")
    rng = np.random.default_rng(9)
    rows = [
        f'"{system}",{task},{at},{int(rng.random() < 0.95 - 0.25 * number)},{rng.random():.2f}'
        for number, system in enumerate(SYSTEMS)
        for task in ("rte", "a b")
        for at in range(40)
    ]
    (made / "s.csv").write_text("\n".join(["system,task,instance,accuracy,confidence", *rows]) + "\n", "utf-8")
    typed = ["--difficulty", "failures", "--probability-column", "confidence", "--instances", "--stress"]
    answer(made, "page", "s.csv", "-o", "board.html", "-q", "--replicates", "60", "--seed", "3", *typed)
    return made


def read(folder: Path, script: str, view: str, *asked: str) -> Any:
    seen = in_chromium(f"{script}.js", f"{folder / 'board.html'}#{view}", *asked)
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert set(seen["requests"]) <= {"file", "blob", "data"}
    return seen


def table(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "saved.csv").read_text("utf-8").splitlines()))


def run(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the last line but one makes, which the last prints."""
    monkeypatch.chdir(folder)
    made: dict[str, Any] = {}
    exec(code, made)  # noqa: S102  # what the page tells the reader to run
    return made[code.rstrip().rpartition("print(")[2].rstrip(")")]


def assert_equal(found: list[dict[str, str]], wanted: list[dict[str, Any]], names: list[str], **close: Any) -> None:
    assert len(found) == len(wanted)
    for row, other in zip(found, wanted, strict=True):
        for name in names:
            if isinstance(other[name], str):
                assert row[name] == other[name]
            else:
                number = None if row[name] == "" else float(row[name])
                assert number == (None if other[name] is None else pytest.approx(other[name], **close)), name


def assert_drawn(folder: Path, figures: int) -> None:
    """The picture is one file with its figures in it, and the same in dots."""
    drawn = fromstring((folder / "saved.svg").read_bytes())  # noqa: S314  # drawn a moment before
    assert len(drawn.findall("{*}svg")) == figures
    assert drawn.findall(".//{*}text")
    size = struct.unpack(">II", (folder / "saved.png").read_bytes()[16:24])
    assert size == (2 * int(drawn.attrib["width"]), 2 * int(drawn.attrib["height"]))
    assert re.match(r"% .+\n\\begin\{tabular\}", (folder / "saved.latex").read_text("utf-8"))


@pytest.mark.parametrize("recipe", ["failures;thresholds=0.3,0.6;square;1;-0.5", "confidence;equal=3;1,2,0.5;B;-B;one"])
def test_by_difficulty(recipe: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = read(folder, "read-difficulty", f"v=difficulty&df={recipe}", "copy:As command", "copy:As Python", *SAVED)
    command, code = seen["copied"]
    assert command == seen["command"]
    made, found = printed(command, folder), run(code, folder, monkeypatch)
    numbers = ["rank", "score", "accuracy", "accuracy_rank", "inflation", "split_1", "split_2", "split_3"]
    numbers += ["score_low", "score_high", "rank_low", "rank_high", "tier"]
    for rows in (made["systems"], found.rows()):
        assert_equal(table(folder), rows, ["system", *numbers], rel=1e-10)
    assert_drawn(folder, 3)


def test_compare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    view = "v=compare&a=c&b=%3Cb%3Ea%3C%2Fb%3E"
    command, code = read(folder, "read-view", view, "copy:As command", "copy:As Python", *SAVED)["copied"]
    made, found = printed(command, folder), run(code, folder, monkeypatch)
    names = ["task", "n", "control_mean", "treatment_mean", "effect", "low", "high", "weight", "better", "worse"]
    for rows in (made["tasks"], found.rows()):
        assert_equal(table(folder), rows, names, rel=1e-12)
    assert_drawn(folder, 1)


def test_agreement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = read(folder, "read-view", "v=agreement", "copy:As command", "copy:As Python", *SAVED)
    made, found = printed(seen["copied"][0], folder), run(seen["copied"][1], folder, monkeypatch)
    names = ["system", "best", "worst", "spread", *made["methods"]]
    for rows in (made["systems"], found.rows()):
        assert_equal(table(folder), rows, names)
    assert_drawn(folder, 1)


def test_robustness(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = read(folder, "read-view", "v=robustness", "copy:As command", "copy:As Python", *SAVED)
    assert seen["copied"][0] == seen["code"][0]
    found = run(seen["copied"][1], folder, monkeypatch)
    rows = {(row["stress"], str(float(row["strength"])), row["method"]): row for row in found.study.rows()
            if row["measure"] == "kept"}  # fmt: skip
    saved = table(folder)
    assert len(saved) == len(rows)
    for row in saved:
        wanted = rows[row["stress"], str(float(row["strength"])), row["method"]]
        assert float(row["mean"]) == pytest.approx(wanted["mean"], rel=1e-12)
    assert_drawn(folder, len(found.study.swept))


def test_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("copy:As command", "copy:As Python", "save:CSV", "save:LaTeX")
    seen = read(folder, "read-view", "v=data", *asked)
    made, found = printed(seen["copied"][0], folder), run(seen["copied"][1], folder, monkeypatch)
    names = ["weight", "n_instances", "n_cells", "n_scored", "pairs", "tied", "near"]
    assert_equal(table(folder), found.rows(), ["task", *names])
    assert_equal(table(folder), made["tasks"], names)
    assert {row["higher_is_better"] for row in table(folder)} == {"true"}
