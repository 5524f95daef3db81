"""Every table and figure of the papers, and what re-runs it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from markdown import table, verdicts
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


def overview(sections: Mapping[str, str]) -> str:
    """One line for each table and figure, from the sections of the page, by script."""
    rows = [("paper", "table or figure", "verdict", "command")]
    for paper, items in PAPERS.items():
        rows += (_line(paper, item, sections) for item in items)
    return "\n".join(table(rows))


def _line(paper: str, item: Item, sections: Mapping[str, str]) -> tuple[str, str, str, str]:
    if not item.script:
        return paper, item.name, f"not re-run: {item.why}", ""
    section = sections.get(item.script, "")
    found = [verdict for what, verdict in verdicts(section) if re.match(item.part, what)]
    return paper, item.name, ", ".join(_counted(found)), f"`python reproduce/reproduce.py --only {item.script}`"


def _counted(found: Sequence[str]) -> Iterator[str]:
    for verdict in get_args(Verdict):
        if verdict in found:
            yield verdict if len(set(found)) == 1 else f"{found.count(verdict)} {verdict}"
