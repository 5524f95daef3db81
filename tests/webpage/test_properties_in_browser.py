"""What is known of systems beside scores, on a page in a real Chromium: filters, links, and score against cost."""

import csv
from pathlib import Path
from typing import Any

import pytest

from support.browser import in_chromium
from support.entry import answer, printed

pytestmark = [pytest.mark.usefixtures("browser"), pytest.mark.whole]

#: Columns whose names and values are markup, or links that no page should follow.
HOSTILE = """model,cost,license,<i>k</i>,link,rte,sst2,mnli,boolq,copa,wsc,qnli
tiny,0.1,"<img src=x onerror=alert(1)>",2,javascript:alert(1),60.1,80.2,55.0,61,50,40,62.0
"<b>small",0.5,mit,1,https://x.org/b?a=1&b='2',70.3,88.1,66.0,70,60,55,71.2
medium,1.5,mit,5,"data:text/html,<b>",69.9,87.0,67.0,71,59,54,70.9
large,6,mit,7,,80.1,93.1,78.0,80,75,70,82.2
"""


@pytest.fixture
def priced(tmp_path: Path) -> Path:
    answer(tmp_path, "example")
    return tmp_path / "example"


def test_readers_filter_sort_and_colour_by_what_is_known(priced: Path) -> None:
    answer(priced, "page", "priced.csv", "--quiet")
    seen = in_chromium("try-properties.js", priced / "board.html", "license", "MIT", "cost", "1")
    with (priced / "priced.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    free = {row["model"] for row in rows if row["license"] == "MIT"}
    dear = {row["model"] for row in rows if float(row["cost"]) >= 1}
    assert set(seen["texts"]) == free
    assert (seen["refused"], set(seen["both"]), set(seen["again"])) == ("", free & dear, free & dear)
    assert "f=" in seen["link"]
    costs = {row["model"]: float(row["cost"]) for row in rows}
    assert [costs[name] for name in seen["sorted"]] == sorted(costs.values())
    assert (seen["legend"], seen["colours"]) == (["MIT", "Apache-2.0"], 3)  # and those without one
    assert sorted(seen["links"]) == sorted([row["link"], "noopener noreferrer", "_blank"] for row in rows)
    assert "https://example.org/small" in seen["card"]
    assert seen["said"][0].startswith("small")
    assert seen["said"][0] != seen["said"][1]
    assert seen["hovered"] == seen["said"][0]
    assert "v=compare" in seen["compared"]
    assert (seen["errors"], seen["filtered"], seen["cost"]) == ([], [], [])


def test_the_best_of_each_family_is_shown_with_its_rank_among_all(tmp_path: Path) -> None:
    families = {"a1": "alpha", "a2": "alpha", "b1": "beta", "c1": "", "b2": "beta", "a3": "alpha", "d1": ""}
    lines = [
        f"{name},{family},{','.join(str(70 - at + task % 3) for task in range(7))}"
        for at, (name, family) in enumerate(families.items())
    ]
    (tmp_path / "board.csv").write_text("\n".join(["model,family,rte,sst2,mnli,boolq,copa,wsc,qnli", *lines]), "utf-8")
    answer(tmp_path, "page", "board.csv", "-o", "board.html", "--quiet")
    page = tmp_path / "board.html"
    whole, best = (in_chromium("read-page.js", page, *keys) for keys in ([], ["choose:Best of each:family"]))
    assert (best["errors"], best["axe"]) == ([], [])
    assert best["rows"] == [
        row for row in whole["rows"] if any(f": {name}," in row for name in ("a1", "b1", "c1", "d1"))
    ]
    again = in_chromium("read-page.js", f"{page}{best['address']}")
    assert again["rows"] == best["rows"]


@pytest.mark.parametrize("cost", ["cost", "params (B)"])
@pytest.mark.parametrize("method", [[], ["--method", "mean"]])
def test_score_against_cost_is_that_of_the_command(priced: Path, cost: str, method: list[str]) -> None:
    answer(priced, "page", "priced.csv", "--quiet")
    how = "" if not method else "&m=mean"
    seen = in_chromium("read-view.js", f"{priced / 'board.html'}#v=cost{how}", f"select:Cost:{cost}")
    assert (seen["errors"], seen["axe"]) == ([], [])
    command = f"podium frontier priced.csv --replicates 200 --cost '{cost}' {' '.join(method)}"
    wanted: dict[str, Any] = printed(command, priced)
    (table,) = seen["tables"]
    names = ("system", "cost", "rank", "frontier", "dominated_by")
    assert [(row[0], float(row[1]), int(row[2]), row[6], row[7]) for row in table[1:]] == [
        tuple(row[name] if row[name] is not None else "–" for name in names) for row in wanted["systems"]
    ]
    surely = [row["system"] for row in wanted["systems"] if row["frontier"] == "surely"]
    assert seen["sentence"].startswith(f"Surely on the frontier: {surely[0]}")
    assert all(system in seen["sentence"] for system in surely)


def test_hostile_properties_run_nothing(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HOSTILE, encoding="utf-8")
    answer(tmp_path, "page", "h.csv", "--quiet", "--property", "license,<i>k</i>,link,cost", "--tasks", "!<i>k</i>")
    seen = in_chromium("try-properties.js", tmp_path / "board.html", "license", "<img", "<i>k</i>", "1")
    assert (seen["errors"], set(seen["requests"]) <= {"file", "blob"}) == ([], True)
    assert seen["texts"] == ["tiny"]
    assert seen["links"] == [["https://x.org/b?a=1&b='2'", "noopener noreferrer", "_blank"]]
    assert "<img src=x onerror=alert(1)>" in seen["legend"]


def test_properties_that_are_not_there_are_named(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(HOSTILE, encoding="utf-8")
    answer(tmp_path, "page", "h.csv", "--quiet", "--property", "none")
    assert "license" not in (tmp_path / "board.html").read_text("utf-8")
