"""Results as CSV: what each table or figure prints beside ours, more numbers of ours, and what was run."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from outcome import Section

__all__ = ["FINDING", "findings", "rows", "sections", "write"]

FINDING = ("what", "printed", "podium", "verdict", "why")
_SECTION = ("script", "section", "text", "pictures")


def write(made: Mapping[str, Section], folder: Path, scripts: Sequence[str]) -> None:
    """Write what scripts gave: the findings, more numbers, and a line in the list of all sections."""
    folder.mkdir(exist_ok=True)
    listed = {line["script"]: line for line in sections(folder)}
    for name, section in made.items():
        found = section.findings
        _save(folder / f"{name}.csv", [FINDING, *((f.what, f.printed, f.ours, f.verdict, f.why) for f in found)])
        if section.table:
            _save(folder / f"{name}-numbers.csv", section.table)
        pictures = "\n".join(f"{file} {text}" for file, text in section.pictures)
        line = (name, section.heading, section.text.strip(), pictures)
        listed[name] = dict(zip(_SECTION, line, strict=True))
    _save(folder / "sections.csv", [_SECTION, *(listed[name].values() for name in scripts if name in listed)])


def findings(folder: Path, name: str) -> list[dict[str, str]]:
    """Read the findings of a script."""
    return rows(folder / f"{name}.csv")


def sections(folder: Path) -> list[dict[str, str]]:
    """Read the list of all sections."""
    return rows(folder / "sections.csv")


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table; no rows if there is none yet."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _save(path: Path, lines: Iterable[Iterable[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)
