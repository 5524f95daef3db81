"""What is known of systems beside scores, as a page takes it from tables."""

from pathlib import Path
from typing import Any

import pytest

import podium
from podium.errors import MethodError
from podium.webpage.properties import Property
from support.bundle import contents
from support.entry import answer, run

TABLE = """model,cost,tokens/s,license,released,link,family,comment,a,b,c,d,e,f
x,1,20,MIT,2026-01-02,https://x.org,A,fine,51.0,43.2,60.4,38.8,55.1,47.0
y,2,,MIT,2026-02-03,javascript:alert(1),A,good,62.1,55.0,70.9,51.2,66.4,57.3
z,9,30,NA,,,B,bad,58.9,50.3,68.0,48.1,63.6,55.5
w,4,10,none,2026-04-05,ftp://x,B,dull,75.3,66.8,82.6,64.0,78.2,70.1
"""


def known(folder: Path, *options: str) -> dict[str, Any]:
    answer(folder, "page", "t.csv", "--quiet", "--replicates", "40", *options)
    content = contents((folder / "board.html").read_text("utf-8"))
    return {one["name"]: one for one in content["properties"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "t.csv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_columns_with_usual_names_are_properties(folder: Path) -> None:
    found = known(folder)
    assert {name: one["kind"] for name, one in found.items()} == {
        **dict.fromkeys(("cost", "tokens/s"), "number"),
        "license": "text",
        "released": "date",
        "link": "link",
        "family": "text",  # two systems share a family
    }
    assert found["link"]["values"] == ["https://x.org", None, None, None]
    assert found["tokens/s"]["values"] == [20.0, None, 30.0, 10.0]
    assert (found["cost"]["higherIsBetter"], found["tokens/s"]["higherIsBetter"]) == (False, True)
    assert found["license"]["values"] == ["MIT", "MIT", None, None]


def test_columns_are_named_and_none_is_none(folder: Path) -> None:
    assert known(folder, "--property", "comment").keys() == {"comment", "cost", "tokens/s"}
    assert "comment" not in known(folder, "--property", "none")
    refused = run(folder, "page t.csv --property licence")
    assert (refused.returncode, "did you mean 'license'?" in refused.stderr) == (2, True)


def test_of_several_rows_only_what_they_share_is_known(folder: Path) -> None:
    rows = [
        f"{s},{task},{k + j},{lic}"
        for k, (s, lic) in enumerate([("x", "MIT"), ("y", "BSD")])
        for j, task in enumerate("abcdef")
    ]
    rows.append("y,g,3,GPL")
    (folder / "t.csv").write_text("\n".join(["system,task,score,license", *rows]), encoding="utf-8")
    assert known(folder, "--property", "license")["license"]["values"] == ["MIT", None]
    assert known(folder) == {}


def test_python_gives_properties_by_name_and_system() -> None:
    toy = podium.datasets.toy_table1()
    made = podium.page(toy, properties={"license": {"A": "MIT"}, "size": {"A": 7, "B": 13.5}}, n_resamples=40)
    assert made.holds.endswith("; of systems license, size")
    assert Property.of("size", [7, 13.5, None]) == Property("size", "number", (7.0, 13.5, None))
    wrong: Any = ["license"]
    with pytest.raises(MethodError, match="values by name and system"):
        podium.page(toy, properties=wrong)
