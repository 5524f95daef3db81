"""Tables for documents: Markdown, and LaTeX with booktabs."""

import re
from collections.abc import Sequence

from podium.report.table import Table
from podium.report.view import View

_MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$&])")

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


def to_markdown(view: View) -> str:
    r"""Pipe tables under the title, notes as a list.

    >>> from podium.report.table import Column
    >>> table = Table((Column("system", ("a|b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_markdown(View("one system", (table,))), end="")
    one system
    <BLANKLINE>
    | system | score |
    | :--- | ---: |
    | a\|b | 1.5 |
    """
    verdict, notes = ("\n".join(f"- {_markdown_text(one)}" for one in some) for some in (view.verdict, view.remarks))
    blocks = [_markdown_text(view.title), verdict, *map(_pipe_table, view.tables), notes]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _pipe_table(table: Table) -> str:
    rule = tuple("---:" if column.right else ":---" for column in table.columns)
    body = [tuple(map(_markdown_text, row)) for row in table.rows]
    head = tuple(map(_markdown_text, table.head))
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *body])


def _markdown_text(text: str) -> str:
    return _MARKDOWN_SPECIAL.sub(r"\\\1", text)


def to_latex(view: View) -> str:
    r"""Booktabs tables; title, verdict and notes are comments, for the caption is the author's.

    >>> from podium.report.table import Column
    >>> table = Table((Column("system", ("a_b",)), Column("score", ("1.5",), right=True)))
    >>> print(to_latex(View("one system", (table,))), end="")
    % one system; needs \usepackage{booktabs}
    \begin{tabular}{lr}
    \toprule
    system & score \\
    \midrule
    a\_b & 1.5 \\
    \bottomrule
    \end{tabular}
    """
    lines = [f"% {view.title}; needs \\usepackage{{booktabs}}"]
    lines += [f"% {sentence}" for sentence in view.verdict]
    lines += [_tabular(table) for table in view.tables]
    lines += [f"% note: {note}" for note in view.remarks]
    return "\n".join(lines) + "\n"


def _tabular(table: Table) -> str:
    alignment = "".join("r" if column.right else "l" for column in table.columns)
    head, *body = (_latex_row(row) for row in [table.head, *table.rows])
    return "\n".join(
        [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    )


def _latex_row(cells: Sequence[str]) -> str:
    r"""Join cells; what begins with [ or * would be an option of the rule or of the \\ before it."""
    row = " & ".join(map(_latex_text, cells))
    return ("{}" if row.startswith(("[", "*")) else "") + row + r" \\"


def _latex_text(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(sign, sign) for sign in text)
