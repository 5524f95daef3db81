"""The core alone, installed as a user gets it: no extras, no test libraries. Run as a script."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import podium
from podium.difficulty.api import bias
from podium.difficulty.result import Texts
from podium.errors import MissingExtraError

ROWS = {"system": ["A", "B"] * 2, "task": ["t", "t", "u", "u"], "score": [0.9, 0.5, 0.8, 0.7]}


def main() -> None:
    """Go through what must work without extras, and what must say which extra it needs."""
    source = Path(podium.__file__).parent
    assert "site-packages" in source.parts, f"podium comes from {source}, not from the installed wheel"
    for extra in (
        "numba",
        "pandas",
        "polars",
        "duckdb",
        "matplotlib",
        "ir_measures",
        "yaml",
        "python_calamine",
        "torch",
    ):
        assert importlib.util.find_spec(extra) is None, f"{extra} is installed, so this proves nothing"
    assert podium.rank(podium.datasets.xtreme_missing(), confidence_level=None).systems[0] == "M0"
    with tempfile.TemporaryDirectory() as name:
        read_files(Path(name))
        count_without_compiler()
        use_command_line(Path(name))
        name_extras(Path(name))
    sys.stdout.write("the core alone works\n")


def read_files(folder: Path) -> None:
    """Write the rows as CSV and Parquet, and rank what is read back."""
    (folder / "scores.csv").write_text("system,t,u\nA,0.9,0.8\nB,0.5,0.7\n", encoding="utf-8")
    pq.write_table(pa.table(ROWS), folder / "scores.parquet")
    for file in ("scores.csv", "scores.parquet"):
        ranking = podium.rank(podium.read(folder / file), confidence_level=None)
        assert ranking.systems == ("A", "B"), file
    assert ranking.to_frame().column_names[0] == "system"


def count_without_compiler() -> None:
    """Rank a table that compiled loops would count, and be told so."""
    values = np.random.default_rng(1).normal(size=(64, 70_000)) + np.arange(64)[:, None]
    values[0, 0] = np.nan  # NumPy has complete ballots sooner
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ranking = podium.rank(podium.from_arrays({"t": values}), confidence_level=None)
    assert ranking.systems[0] == "system 64", ranking.systems
    assert any("[fast]" in str(one.message) for one in said), said


def use_command_line(folder: Path) -> None:
    """Show the demo, rank with the installed script; stress without pictures, which is said."""
    script = Path(sys.executable).with_name("podium")
    done = subprocess.run([script, "demo"], capture_output=True, text=True, check=True, cwd=folder)
    assert Path(done.stdout.splitlines()[-1]).samefile(folder / "podium-demo.html")
    command: list[str | Path] = [script, "rank", folder / "scores.parquet", "-f", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["systems"][0]["system"] == "A"
    command = [script, "stress", folder / "scores.csv", "--repeats", "2", "-o", folder / "stress"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    subprocess.run([script, "page", folder / "scores.csv", "--stress", "-q", "-o", folder / "page.html"], check=True)
    assert "A is first by borda and mean" in done.stdout
    assert "no pictures" in done.stderr
    assert "[plot]" in done.stderr
    assert (folder / "stress" / "report.html").exists()


def name_extras(folder: Path) -> None:
    """Ask for what is not installed."""
    ranking = podium.rank(podium.datasets.toy_table1(), confidence_level=None)
    must_name("pandas", lambda: ranking.to_frame("pandas"))
    must_name("store", lambda: podium.add(folder / "board", {"A": {"t": 0.9}, "B": {"t": 0.5}}))
    must_name("polars", lambda: ranking.to_frame("polars"))
    must_name("plot", lambda: podium.plots.heatmap(podium.pairwise(podium.datasets.toy_table1())))
    (folder / "scores.duckdb").write_bytes(b"not read, for nothing can read it")
    must_name("duckdb", lambda: podium.read(folder / "scores.duckdb", table="scores"))
    (folder / "scores.xlsx").write_bytes(b"PK\x03\x04")
    must_name("excel", lambda: podium.read(folder / "scores.xlsx"))
    (folder / "covid").write_text("q 0 d 1\n", encoding="utf-8")
    must_name("trec", lambda: podium.read_trec({"A": {"covid": folder / "covid"}}, {"covid": folder / "covid"}))
    must_name("trec", lambda: podium.read_locations(folder / "config.yaml"))
    words = Texts(np.arange(4), ("a", "b", "c", "d"), ("x", "y", "x", "y"))
    must_name("difficulty", lambda: bias(words))
    must_name("text", lambda: bias(words, encoder="hf:roberta-base"))


def must_name(extra: str, ask: Callable[[], object]) -> None:
    """Assert that the error names the extra that mends it."""
    try:
        ask()
    except MissingExtraError as error:
        said = str(error)
    else:
        said = "nothing"
    assert f"[{extra}]" in said, f"for want of {extra} podium said: {said}"


if __name__ == "__main__":
    main()
