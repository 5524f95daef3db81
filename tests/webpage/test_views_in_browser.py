"""Views of a page in a real Chromium: they show what Python says, keys reach everything, and axe finds nothing."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import podium
from podium.base.words import fixed
from podium.score.table import Scores
from support.browser import in_chromium
from support.entry import answer, as_lines, printed

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

#: Labels that are no markup.
SYSTEMS = ["<b>a</b>", "M7", "名前", "d", "e"]


def read(file: Path, view: str, *asked: str) -> Any:
    return in_chromium("read-view.js", f"{file}#{view}", *asked)


def world() -> Scores:
    """Five systems on three tasks, one of them without some scores."""
    rng = np.random.default_rng(3)
    values = {name: np.round(rng.normal(np.arange(5)[:, None] / 3, 1.0, (5, 40)), 1) for name in ("rte", "T 1", "x")}
    values["rte"][1] = values["T 1"][3, :30] = np.nan
    scores = podium.from_arrays(values, systems=SYSTEMS, lower=["x"])
    return replace(scores, notes=("M7 has no scores on rte", "read as it is"))


def assert_clean(seen: Any) -> None:
    assert (seen["errors"], seen["axe"]) == ([], [])
    assert set(seen["requests"]) <= {"file", "blob"}


def test_other_views_say_who_is_left_out_on_the_leaderboard_only(tmp_path: Path) -> None:
    podium.page(podium.datasets.toy_table1(), n_resamples=40).save(tmp_path / "board.html")
    seen = read(tmp_path / "board.html", "v=agreement&x=A")
    assert_clean(seen)
    assert seen["leftOut"].startswith("Left out on the leaderboard only; here they count:")
    assert read(tmp_path / "board.html", "v=agreement&x=A", "button:take A back")["leftOut"] == ""


def test_the_data_are_those_that_info_shows(tmp_path: Path) -> None:
    scores = world()
    podium.page(scores, n_resamples=40).save(tmp_path / "board.html")
    matrix = "application:Systems by tasks; arrow keys move from cell to cell"
    seen = read(tmp_path / "board.html", "v=data", "button:missing", f"{matrix}@ArrowRight", "button:M7")
    assert_clean(seen)
    assert seen["sentence"] == "70 of 600 scores are missing, most of them of M7."
    assert [note.strip() for note in seen["list"]][1:] == list(scores.notes)
    assert seen["list"][0].strip().startswith("70 of 600 scores are missing; a page counts them as podium rank")
    assert (seen["focus"], seen["said"]) == ("holes", "M7 on T 1: scores on all 40 instances.")
    wanted = podium.info(scores)
    by_system, by_task = seen["tables"]
    rows = {system: row for system, *row in by_system[1:]}
    order = podium.rank(scores, "borda:missing=imputed", confidence_level=None).systems
    assert list(rows) == list(order)
    for system, counts in zip(wanted.systems, wanted.scored, strict=True):
        missing = wanted.n_instances - counts.sum()
        names = [task.name for task, count in zip(wanted.tasks, counts, strict=True) if count == 0]
        assert rows[system] == [f"{(counts > 0).sum()} of 3", str(missing), ", ".join(names)]
    told = sorted(wanted.tasks, key=lambda task: task.n_scored)
    for row, task in zip(by_task[1:], told, strict=True):
        missing = task.n_cells - task.n_scored
        share = f"{missing} ({100 * missing / task.n_cells:.1f}%)" if missing else "0"
        better, tied = "higher" if task.higher_is_better else "lower", f"{100 * task.tied / task.pairs:.1f}%"
        assert row == [task.name, better, "1", str(task.n_instances), share, tied, str(task.near)]


def test_without_holes_a_sentence_says_so(tmp_path: Path) -> None:
    podium.page(podium.datasets.toy_table1(), n_resamples=40).save(tmp_path / "board.html")
    seen = read(tmp_path / "board.html", "v=data")
    assert_clean(seen)
    assert seen["sentence"] == "All three systems have scores on all six tasks."
    assert len(seen["tables"]) == 1
    assert seen["tabs"] == ["Leaderboard", "Compare", "Agreement", "Data"]


def page_of(folder: Path, *typed: str) -> Path:
    """A page that the command makes of the world."""
    as_lines(world(), folder / "s.jsonl")
    answer(folder, "page", "s.jsonl", "--lower", "x", "--replicates", "40", "-q", "-o", "board.html", *typed)
    return folder / "board.html"


def test_the_ranks_are_those_that_the_command_prints(tmp_path: Path) -> None:
    page = page_of(tmp_path, "--task-weights", "rte=2", "--confidence=0.9", "--seed", "3")
    seen = read(page, "v=agreement", "option@End", "focused@ArrowUp", "focused@Enter")
    assert_clean(seen)
    assert seen["code"] == ["podium agree s.jsonl --lower x --task-weights rte=2"]
    wanted = printed(seen["code"][0], tmp_path)
    ranks, tau = seen["tables"]
    rows = [[row["system"], row["best"], row["worst"], *(row[way] for way in wanted["methods"])]
            for row in wanted["systems"]]  # fmt: skip
    assert ranks == [["system", "best", "worst", *wanted["methods"]], *[list(map(str, row)) for row in rows]]
    shown = [[fixed(value, 3).replace("0.", ".", 1) for value in row] for row in wanted["kendall_tau"]]
    assert [row[1:] for row in tau[1:]] == shown
    firsts = [{row["system"] for row in wanted["systems"] if row[way] == 1} for way in wanted["methods"]]
    assert all(any(name in seen["sentence"] for name in first) for first in firsts)
    last = [way for way in wanted["methods"] if "(missing=" not in way][-1]
    second = sorted(wanted["systems"], key=lambda row: (row[last], row["system"]))[-2]
    assert seen["said"].startswith(f"{second['system']}: at best rank {second['best']}, by ")
    assert f"; at worst {second['worst']}, by " in seen["said"]
    assert seen["address"].startswith("#v=agreement&n=")
    again = read(page, seen["address"].removeprefix("#"))
    assert again["said"] == seen["said"]


def test_robustness_is_that_which_stress_found(tmp_path: Path) -> None:
    scores = world()
    found = podium.stress(scores, ["borda", "mean"], only=["tasks", "scale"], repeats=10, leave_out=False, n_jobs=1)
    made = podium.page(scores, n_resamples=40, robustness=found, commands={"stress": "podium stress s.csv"})
    made.save(tmp_path / "board.html")
    seen = read(tmp_path / "board.html", "v=robustness")
    assert_clean(seen)
    assert (seen["code"], seen["tabs"]) == (
        ["podium stress s.csv"],
        ["Leaderboard", "Compare", "Agreement", "Robustness", "Data"],
    )
    assert [sentence.lower() for sentence in seen["list"]] == [f"{one}.".lower() for one in found.verdict]
    kept = {(row["stress"], row["strength"], row["method"]): row["mean"]
            for row in found.study.rows() if row["measure"] == "kept"}  # fmt: skip
    rows = [
        [swept.name, f"{strength:g}", *(fixed(kept[swept.name, strength, way], 3) for way in found.study.methods)]
        for swept in found.study.swept
        for strength in swept.strengths.tolist()
    ]
    shown = [[text if at < 2 else text.removeprefix("0") for at, text in enumerate(row)] for row in rows]
    assert seen["tables"][0][1:] == shown


def test_slices_are_those_that_the_command_prints(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(3), ["system,item,kind,tongue,score"]
    for item in range(240):
        kind, tongue = ["a:b", "</script><b>x", "法", "d"][item % 4], f"t {item // 4 % 2}"
        for at, system in enumerate(SYSTEMS):
            chance = 0.8 - at / 10 + (0.5 if (system, kind) == ("d", "a:b") else 0)
            rows.append(f"{system},{item},{kind},{tongue},{int(rng.random() < chance)}")
    (tmp_path / "s.csv").write_text("\n".join(rows), "utf-8")
    options = ("--slice-column", "kind,tongue", "--replicates=40", "-q", "-o", "board.html")
    answer(tmp_path, "page", "s.csv", *options)
    matrix = "application:Systems by slices; arrow keys move from cell to cell"
    pressed = (f"{matrix}@ArrowRight", "focused@ArrowDown", "save:CSV")
    seen = read(tmp_path / "board.html", "v=slices", *pressed)
    assert_clean(seen)
    assert seen["code"] == ["podium slices s.csv --slice-column kind,tongue --replicates=40"]
    assert seen["tabs"] == ["Leaderboard", "Compare", "Slices", "Agreement", "Data"]
    assert read(tmp_path / "board.html", "v=agreement")["code"] == ["podium agree s.csv"]
    found = podium.slices(tmp_path / "s.csv", slice_column=["kind", "tongue"], n_resamples=40)
    wanted, order = printed(seen["code"][0], tmp_path)["rows"], [found.systems[one] for one in found.order]
    assert wanted == found.rows()
    told = [seen["sentence"], *seen["list"]]
    assert [one.lower() for one in told] == [f"{one}.".lower() for one in found.sentences]
    by_system, *tables = seen["tables"]
    for shown, table in zip(tables, found.view().tables, strict=True):
        assert shown == [list(table.head), *([cell.strip() for cell in row] for row in table.rows)]
    cells = {(f"{row['by']}: {row['slice']}", row["system"]): row for row in wanted}
    assert by_system[0] == ["system", *dict.fromkeys(name for name, _ in cells)]
    assert [row[0] for row in by_system[1:]] == order
    for system, *texts in by_system[1:]:
        for name, text in zip(by_system[0][1:], texts, strict=True):
            row = cells[name, system]
            assert text == fixed(row["score"], 2).replace("0.", ".", 1) + ("*" if row["p"] <= 0.05 else "")
    assert sum(text.endswith("*") for row in by_system[1:] for text in row[1:]) > 0
    row = cells["kind: </script><b>x", order[1]]
    assert seen["said"].startswith(
        f"{order[1]} on </script><b>x: {row['score']:.3f}, shrunk {row['shrunk']:.3f}; departs"
    )
    saved = list(csv.DictReader((tmp_path / "saved.csv").read_text("utf-8").splitlines()))
    for one, row in zip(saved, wanted, strict=True):
        assert (one["slice"], one["system"], one["leads"]) == (row["slice"], row["system"], str(row["leads"]).lower())
        assert [float(one[name] or "nan") for name in ("departure", "ahead_p", "shrunk")] == pytest.approx(
            [row[name] if row[name] is not None else np.nan for name in ("departure", "ahead_p", "shrunk")],
            nan_ok=True,
            rel=1e-15,
        )


def test_the_history_is_that_which_history_found(tmp_path: Path) -> None:
    names = [*SYSTEMS, *(f"m {number}" for number in range(28))]
    rng = np.random.default_rng(3)
    drawn = rng.normal(-np.arange(33)[:, None] / 4, 1.0, (33, 60))
    tables = {}
    for label, gain, kept in (("May", 0.0, 32), ("June", 12.0, 33), ("July", 12.0, 33)):
        values = {"t": drawn[:kept], "u": drawn[:kept, ::-1].copy()}
        values["t"][31] += gain
        tables[label] = podium.from_arrays(values, systems=names[:kept])
    found = podium.history(tables, n_resamples=100)
    said, sources = {"history": "podium history b/"}, {"history": 'history = podium.history("b/")'}
    made = podium.page(tables["July"], n_resamples=40, history=found, commands=said, python=sources)
    made.save(tmp_path / "board.html")
    pressed = ("option@End", "focused@ArrowUp", "focused@Enter", "copy:As Python", "save:CSV", "save:LaTeX")
    seen = read(tmp_path / "board.html", "v=history&n=m%2027", *pressed)
    assert_clean(seen)
    assert seen["sentence"] == f"{found.view().verdict[0]}."
    assert (seen["code"], seen["copied"]) == (
        ["podium history b/"],
        ['import podium\n\nhistory = podium.history("b/")\nprint(history)\n'],
    )
    assert seen["tabs"] == ["Leaderboard", "Compare", "Agreement", "History", "Data"]
    by_rank, systems, events = seen["tables"]
    for shown, table in ((systems, found.view().tables[0]), (events, found.view().tables[1])):
        assert shown == [list(table.head), *(list(row) for row in table.rows[:30])]
    ranks = {(row["step"], row["system"]): row["rank"] for row in found.rows()}
    assert len(by_rank) == 1 + 30  # after another was picked, the one that was looked for is not drawn
    for system, *shown in by_rank[1:]:
        assert shown == [str(ranks.get((label, system), "–")) for label in tables]
    picked = by_rank[-1][0]
    assert seen["address"] == f"#v=history&n={picked.replace(' ', '%20')}"
    last = next(row for row in found.rows() if (row["step"], row["system"]) == ("July", picked))
    assert seen["said"].startswith(f"{picked}: rank {last['rank']} in July (95% rank")
    saved = list(csv.DictReader((tmp_path / "saved.csv").read_text("utf-8").splitlines()))
    names = ["step", "system", "rank", "rank_low", "rank_high"]
    assert saved == [{name: str(row[name]) for name in names} for row in found.rows()]
    assert r"95\% ranks" in (tmp_path / "saved.latex").read_text("utf-8")
    looked_for = read(tmp_path / "board.html", "v=history&n=m%2027")
    assert looked_for["tables"][0][31][0] == "m 27"
    assert looked_for["said"].endswith("; first ranked in June.")
