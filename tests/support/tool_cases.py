"""Files as tools and people write them, and what podium reads in them, as text: run to write down anew what it reads.

A transcript is of one tool, or of tables. Each case begins with `$` and a rule, goes on with `[file NAME]` and what
that holds, and ends with what is read: `[runs]`; `[read OPTIONS]` of the folder, or `[table OPTIONS]` of the first
file, these as JSON; `[trec OPTIONS]` of a run and qrels; `[locations]` of config.yaml. A `.parquet` file is given by
its rows, an `.eval` archive by its members.
"""

import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import podium
from podium.errors import PodiumError
from support.tools import read, runs

__all__ = ["CASES", "GENUINE", "TABLES", "Case", "cases", "genuine_runs"]

_HERE = Path(__file__).parents[1] / "source" / "tool"

#: Transcripts, each named for its tool; and those of tables.
CASES, TABLES = _HERE / "cases", _HERE.parent / "cases"

#: What is read in files that tools wrote, here and in the shared data, by folder.
GENUINE = _HERE / "genuine" / "runs.txt"

#: Where these folders are.
_FOLDERS = {"here": _HERE / "genuine", "shared": Path(__file__).parents[3] / "shared" / "data" / "formats"}

_MARK = re.compile(r"^\[(file|runs|read|table|trec|locations)(?: (.+))?\]\n", re.MULTILINE)
_UNENDED = "[no newline at the end]\n"

#: Scores, and runs, that are listed one by one; of more the sums are.
_FEW, _MANY = 12, 50


@dataclass(frozen=True)
class Case:
    """A rule of reading, files by their names, and how they are read; all of it as it is written down."""

    text: str
    rule: str
    files: dict[str, str]
    asked: list[tuple[str, str]]

    def write(self, folder: Path) -> Path:
        """Write the files into a folder."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".parquet":
                pq.write_table(pa.Table.from_pylist([json.loads(line) for line in text.splitlines()]), path)
            elif path.suffix == ".eval" and text.startswith("{"):
                with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                    for member, value in json.loads(text).items():
                        archive.writestr(member, json.dumps(value))
            else:
                path.write_text(text.removesuffix(f"\n{_UNENDED}"), "utf-8", newline="")
        return folder

    def told(self, folder: Path) -> str:
        """Write down the case with what is read."""
        self.write(folder)
        parts = [f"$ {self.rule}\n", *(f"[file {name}]\n{text}" for name, text in self.files.items())]
        for kind, options in self.asked:
            parts.append(f"[{kind} {options}".rstrip() + "]\n" + self._read(folder, kind, json.loads(options or "{}")))
        return "".join(parts)

    def _read(self, folder: Path, kind: str, options: dict[str, Any]) -> str:
        """Write down what is read in one way; right answers may be in a file here."""
        ask: Callable[..., Any] = partial(read, folder if kind == "read" else folder / next(iter(self.files)))
        if kind == "runs":
            return _runs_as_text(folder, **options)
        if kind == "trec":
            ask = partial(podium.read_trec, {"A": {"t": folder / "run"}}, {"t": folder / "qrels"})
        if kind == "locations":
            ask = partial(podium.read_locations, folder / "config.yaml")
        if (folder / str(options.get("gold"))).is_file():
            options["gold"] = folder / options["gold"]
        return _table_as_text(folder, partial(ask, **options))


def cases(name: str, folder: Path = CASES) -> list[Case]:
    """Cases of a tool, or of tables."""
    found = []
    for text in re.split(r"^(?=\$ )", (folder / f"{name}.txt").read_text("utf-8"), flags=re.MULTILINE)[1:]:
        rule, *parts = _MARK.split(text)
        marks = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
        files = {name: content for kind, name, content in marks if kind == "file"}
        asked = [(kind, options or "") for kind, options, _ in marks if kind != "file"]
        found.append(Case(text.rstrip("\n") + "\n", rule[2:].rstrip("\n"), files, asked))
    return found


def genuine_runs(name: str) -> str:
    """Write down the runs in a folder of genuine files, such as `here/promptfoo`."""
    where, _, folder = name.partition("/")
    return _runs_as_text(_FOLDERS[where] / folder)


def _table_as_text(folder: Path, ask: Callable[[], Any]) -> str:
    """Scores by task and system, and notes; or an error."""
    try:
        scores = ask()
    except PodiumError as error:
        return f"error: {_without(folder, str(error))}\n"
    lines = []
    for task in scores.tasks:
        told: dict[str, Any] = {"task": task.name} | ({} if task.higher_is_better else {"lower": True})
        told |= {"scores": dict(zip(scores.systems, map(_few, task.values), strict=True))}
        told |= {} if task.instances is None else {"instances": task.instances.tolist()[:_FEW]}
        told |= {} if task.clusters is None else {"clusters": len(task.clusters.names)}
        told |= {} if task.instance_weights is None else {"weights": _few(task.instance_weights)}
        lines.append(_line(told))
    return "".join([*lines, *(f"note: {_without(folder, note)}\n" for note in scores.notes)])


def _runs_as_text(folder: Path, tool: str | None = None) -> str:
    """Write down runs, a line each; of many those by one metric that have only means share a line."""
    lines: list[str] = []
    alone: dict[str, list[Any]] = {}
    found = runs(folder, tool=tool)
    for run in found:
        if run.samples is None and len(found) > _MANY:
            alone.setdefault(run.metric, []).append(run)
        else:
            lines.append(_line(_run(run, folder)))
    for metric, some in alone.items():
        counts = {name: len({getattr(run, name) for run in some}) for name in ("system", "task")}
        lines.append(_line({"metric": metric, **counts, "means": _sum([run.mean for run in some])}))
    return "".join(lines)


def _run(run: Any, folder: Path) -> dict[str, Any]:
    told = {name: getattr(run, name) for name in ("system", "task", "metric")}
    usual = {"mean": None, "higher_is_better": None, "metric_order": 0, "made": "", "family": "", "logarithms": False}
    usual |= {"whole": True, "ended": True}
    told |= {name: value for name, other in usual.items() if (value := getattr(run, name)) != other}
    told |= {name: found for name in ("settings", "task_settings", "covariates") if (found := dict(getattr(run, name)))}
    if run.samples is not None:
        told["scores"] = _few(run.samples.scores)
        for name in ("instances", "repeats", "weights", "clusters"):
            if (array := getattr(run.samples, name)) is not None:
                told[name] = array.tolist() if array.size <= _FEW else len(set(array.tolist()))
        if run.samples.digests is not None:
            told["texts"] = len(set(run.samples.digests.tolist()))
        told |= {name: _few(array) for name, array in run.samples.covariates.items()}
    return told | ({"notes": [_without(folder, note) for note in run.notes]} if run.notes else {})


def _few(values: Any) -> Any:
    return [_plain(value) for value in values.tolist()] if values.size <= _FEW else _sum(values.tolist())


def _sum(values: list[Any]) -> dict[str, Any]:
    there = [value for value in values if value is not None and value == value]  # noqa: PLR0124  # NaN
    return {"count": len(values), "missing": len(values) - len(there), "sum": _plain(float(np.sum(there)))}


def _plain(value: Any) -> Any:
    """Twelve digits, which every processor gives; None for NaN."""
    if isinstance(value, float):
        return None if np.isnan(value) else float(f"{value:.12g}")
    return value


def _line(told: dict[str, Any]) -> str:
    told = {name: _plain(value) for name, value in told.items()}
    return json.dumps(told, ensure_ascii=False, default=str) + "\n"


def _without(folder: Path, text: str) -> str:
    """Leave out where the folder is, also of a path that is cut off at its beginning."""
    return re.sub(rf"[^\s'\"(]*/{re.escape(folder.name)}/", "", text)


def main(names: list[str]) -> None:
    """Write transcripts anew: those of some tools, or all, and what is read in genuine files."""
    for path in sorted([*CASES.glob("*.txt"), *TABLES.glob("*.txt")]):
        if not names or path.stem in names:
            with tempfile.TemporaryDirectory() as place:
                some = enumerate(cases(path.stem, path.parent))
                told = [case.told(Path(place) / str(number) / "here") for number, case in some]
            path.write_text("\n".join(told), "utf-8", newline="\n")
    if not names:
        folders = re.findall(r"^\$ (.+)$", GENUINE.read_text("utf-8"), re.MULTILINE)
        GENUINE.write_text("\n".join(f"$ {name}\n{genuine_runs(name)}" for name in folders), "utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
