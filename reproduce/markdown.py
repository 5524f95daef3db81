"""Sections as Markdown, and their verdicts read from it."""

import re
from collections.abc import Iterator, Sequence

from outcome import Finding, Section

__all__ = ["markdown", "table", "verdicts"]

_HEAD = ("what", "printed", "podium", "verdict")


def markdown(section: Section) -> str:
    """One section: text, printed beside ours, more numbers, pictures."""
    return "\n".join(_lines(section))


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines of a table, the first row its heading."""
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in body:
        cells = " | ".join(cell.replace("|", r"\|") for cell in row)
        yield f"| {cells} |"


def verdicts(text: str) -> Iterator[tuple[str, str]]:
    """What is printed, and how it fares, of a section as Markdown.

    >>> found = Finding("a | b", "1", "2", "not reproduced", "for a reason: chance")
    >>> list(verdicts(markdown(Section("Table 1", "text", [found]))))
    [('a | b', 'not reproduced')]
    """
    head, _, body = text.partition("\n".join(table([_HEAD])) + "\n")
    for line in body.partition("\n\n")[0].splitlines() if head != text else []:
        cells = [cell.replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        yield cells[0].strip(), cells[3].partition(":")[0].strip()


def _lines(section: Section) -> Iterator[str]:
    yield from (f"### {section.heading}", "", section.text.strip(), "")
    yield from table([_HEAD, *map(_cells, section.findings)])
    yield ""
    if section.table:
        yield from (*table(section.table), "")
    for file, text in section.pictures:
        yield from (f"![{text}](images/{file})", "")


def _cells(finding: Finding) -> tuple[str, str, str, str]:
    verdict = finding.verdict if not finding.why else f"{finding.verdict}: {finding.why}"
    return finding.what, finding.printed, finding.ours, verdict
