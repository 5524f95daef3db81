"""Every table and figure of the papers, and what re-runs it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from findings import findings, sections
from outcome import Verdict

__all__ = ["PAPERS", "Item", "overview"]


@dataclass(frozen=True)
class Item:
    """One table or figure.

    Attributes
    ----------
    name
        As the paper calls it.
    script
        What re-runs it, of this folder; or empty.
    why
        Why nothing does; in few words.
    part
        Start of the findings that are about it, where the script has findings about others too; a regular expression.
    """

    name: str
    script: str = ""
    why: str = ""
    part: str = ""


_DRAWN = "drawn to explain, nothing to run"

PAPERS: Mapping[str, Sequence[Item]] = {
    "Sertkan et al.": (
        Item("Figure 1", "ranger_fig3"),
        Item("Figure 2", "ranger_fig2"),
        Item("Figure 3", "ranger_fig3"),
    ),
    "Himmi et al.": (
        Item("Figure 1", why=_DRAWN),
        Item("Figure 2", "himmi_fig2"),
        Item("Figure 3", "himmi_fig3"),
        Item("Figure 4", "himmi_fig4"),
        Item("Figure 5", "himmi_fig5"),
        Item("Figure 6", "himmi_fig6"),
        Item("Figures 7, 8 and 9 (B.3)", "himmi_fig7"),
        Item("Figure 9 (C.2)", "himmi_fig5"),
        Item("Figure 10", "himmi_fig10"),
        Item("Table 1", "himmi_table1"),
        Item("Table 2", "himmi_table2"),
        Item("Table 3", "himmi_table3"),
        Item("Table 4", "himmi_table4"),
        Item("Table 5", "himmi_c1"),
    ),
    "Mishra & Arunkumar": (
        Item("Figure 1", why=_DRAWN),
        Item("Figure 2", "mishra_fig2"),
        Item("Figure 3", "mishra_fig3"),
        Item("Figure 4", why="what users said (41% less work) was not released"),
        Item("Table 1", "mishra_table1"),
    ),
    "Colombo et al.": (
        Item("Figure 1", why=_DRAWN),
        Item("Figure 2", why=_DRAWN),
        Item("Figure 3", "colombo_fig3"),
        Item("Figure 4", "colombo_fig4"),
        Item("Figure 5", "colombo_fig5"),
        Item("Figure 6", "colombo_fig6"),
        Item("Figure 7", "colombo_fig7"),
        Item("Figure 8", "colombo_fig5", part="SGLUE"),
        Item("Figure 9", "colombo_fig5", part="RSUM"),
        Item("Table 1", "colombo_table1"),
        Item("Table 2", "colombo_table2"),
        Item("Table 3", "colombo_table3"),
        Item("Table 7", "colombo_table7"),
        Item("Table 8", "colombo_table8"),
    ),
}


def overview(folder: Path) -> str:
    """Each table and figure with its verdicts and pictures, from the tables in a folder."""
    return "\n".join(_lines(folder))


def _lines(folder: Path) -> Iterator[str]:
    pictures = {line["script"]: line["pictures"].splitlines() for line in sections(folder)}
    for paper, items in PAPERS.items():
        yield f"### {paper}\n"
        yield from (f"- {item.name}: {_verdicts(item, folder)}" for item in items)
        yield ""
        for script in dict.fromkeys(item.script for item in items):
            for file, _, text in (picture.partition(" ") for picture in pictures.get(script, [])):
                yield f"![{text}](images/{file})\n"


def _verdicts(item: Item, folder: Path) -> str:
    if not item.script:
        return f"not re-run, {item.why}"
    found = [line["verdict"] for line in findings(folder, item.script) if re.match(item.part, line["what"])]
    return f"[{', '.join(_counted(found))}](reproduction/{item.script}.csv)"


def _counted(found: Sequence[str]) -> Iterator[str]:
    for verdict in get_args(Verdict):
        if verdict in found:
            yield verdict if len(set(found)) == 1 else f"{found.count(verdict)} {verdict}"
