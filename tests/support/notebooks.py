"""The notebooks of the site: every cell is run in order, and its output stored as Jupyter stores it.

    python tests/support/notebooks.py     write what cells show into docs/notebooks/ anew (`make examples` does it too)

Words and pictures are stored. What a notebook makes of a result, a table of HTML, is not: it is long, and who runs the
notebook sees it. Cells run in this process, so no part of Jupyter is needed.
"""

import ast
import io
import json
import re
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))

#: Words of a picture; they stand beside their outlines, which differ between versions of Matplotlib.
_WORDS = re.compile(r"<!--(.*?)-->")


def retold(notebook: str, folder: Path) -> str:
    """Return a notebook with what its cells show now, run in a folder; a cell that fails is an error."""
    content = json.loads(notebook)
    names: dict[str, Any] = {}
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    with chdir(folder):
        for number, cell in enumerate(cells, 1):
            cell |= {"execution_count": number, "outputs": _outputs("".join(cell["source"]), names, number)}
    return json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    """Run a cell: what it prints, and its value if its last line is an expression."""
    body = ast.parse(source)
    end = body.body[-1]
    last = ast.Expression(end.value) if isinstance(end, ast.Expr) else None
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(ast.Module(body.body[:-1] if last else body.body, []), "a cell", "exec"), names)  # noqa: S102  # our own
        value = None if last is None else eval(compile(last, "a cell", "eval"), names)  # noqa: S307  # the same
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": _lines(text)})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_svg_"):
            data["image/svg+xml"] = _lines(value._repr_svg_())
        outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return outputs


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def undrawn(notebook: str) -> dict[str, Any]:
    """Return a notebook with the words of its pictures alone."""
    content: dict[str, Any] = json.loads(notebook)
    for cell in content["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if "image/svg+xml" in data:
                data["image/svg+xml"] = _WORDS.findall("".join(data["image/svg+xml"]))
    return content


def main() -> None:
    """Write all notebooks anew."""
    for path in NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            path.write_text(retold(path.read_text("utf-8"), Path(folder)), "utf-8", newline="\n")


if __name__ == "__main__":
    sys.path.pop(0)  # this folder; its html.py is not Python's
    main()
