"""Tables for documents: Markdown, and LaTeX with booktabs."""

import re

from podium.report.table import Grid, Sheet

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$])")

_LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    "→": r"$\rightarrow$",
    "²": r"$^2$",
    "τ": r"$\tau$",
    "±": r"$\pm$",
    "×": r"$\times$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def to_markdown(sheet: Sheet) -> str:
    r"""Pipe tables under the title, notes as a list.

    >>> from podium.report.table import Column
    >>> grid = Grid((Column("system", ("a|b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_markdown(Sheet("one system", (grid,))), end="")
    one system
    <BLANKLINE>
    | system | score |
    | :--- | ---: |
    | a\|b | 1.5 |
    """
    verdict, notes = ("\n".join(f"- {_markdown_text(one)}" for one in some) for some in (sheet.verdict, sheet.notes))
    blocks = [_markdown_text(sheet.title), verdict, *map(_pipe_table, sheet.grids), notes]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _pipe_table(grid: Grid) -> str:
    rule = tuple("---:" if column.right else ":---" for column in grid.columns)
    body = [tuple(map(_markdown_text, row)) for row in grid.rows]
    head = tuple(map(_markdown_text, grid.head))
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


def to_latex(sheet: Sheet) -> str:
    r"""Booktabs tables; title, verdict and notes are comments, for the caption is the author's.

    >>> from podium.report.table import Column
    >>> grid = Grid((Column("system", ("a_b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_latex(Sheet("one system", (grid,))), end="")
    % one system; needs \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    system & score \\
    \midrule
    a\_b & 1.5 \\
    \bottomrule
    \end{tabular}
    """
    lines = [f"% {sheet.title}; needs \\usepackage{{booktabs}}"]
    lines += [f"% {sentence}" for sentence in sheet.verdict]
    lines += [_tabular(grid) for grid in sheet.grids]
    lines += [f"% note: {note}" for note in sheet.notes]
    return "\n".join(lines) + "\n"


def _tabular(grid: Grid) -> str:
    alignment = "".join("r" if column.right else "l" for column in grid.columns)
    head, *body = (" & ".join(map(_latex_text, row)) + r" \\" for row in [grid.head, *grid.rows])
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(sign, sign) for sign in text)
