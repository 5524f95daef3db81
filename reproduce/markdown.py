"""Sections as Markdown."""

from collections.abc import Iterator, Sequence

from outcome import Finding, Section

__all__ = ["markdown", "overview"]


def markdown(section: Section) -> str:
    """One section: text, printed beside ours, more numbers, pictures."""
    return "\n".join(_lines(section))


def overview(sections: Sequence[Section]) -> str:
    """One line for each section: how many of its findings have which verdict."""
    rows = [("experiment", "verdict")]
    for section in sections:
        verdicts = [finding.verdict for finding in section.findings]
        counts = [f"{verdicts.count(verdict)} {verdict}" for verdict in dict.fromkeys(verdicts)]
        said = verdicts[0] if len(counts) == 1 else ", ".join(counts)
        rows.append((section.heading, said))
    return "\n".join(_table(rows))


def _lines(section: Section) -> Iterator[str]:
    yield from (f"### {section.heading}", "", section.text.strip(), "")
    yield from _table([("what", "printed", "podium", "verdict"), *map(_cells, section.findings)])
    yield ""
    if section.table:
        yield from (*_table(section.table), "")
    for file, text in section.pictures:
        yield from (f"![{text}](images/{file})", "")


def _cells(finding: Finding) -> tuple[str, str, str, str]:
    verdict = finding.verdict if not finding.why else f"{finding.verdict}: {finding.why}"
    return finding.what, finding.printed, finding.ours, verdict


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *body = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in body:
        cells = " | ".join(cell.replace("|", r"\|") for cell in row)
        yield f"| {cells} |"
