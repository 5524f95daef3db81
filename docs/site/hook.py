"""What the site has beside the pages of docs/: mkdocs.yml names this file, and MkDocs calls its functions."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

#: A paragraph of nothing but names.
_NAMES = re.compile(r"^(?:`podium[\w.]+`(?:,\s|\n\n|\n?\Z))+", re.MULTILINE)

#: A block of code, or a name in a sentence that is no link.
_NAME = re.compile(r"^```.*?^```$|(?<!\[)`(podium\.[\w.]+)`", re.MULTILINE | re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add pages from the root of the repository and from notebooks."""
    from mkdocs.structure.files import File  # noqa: PLC0415  # not where types are checked

    pages = config.extra["from_root"]
    for page, source in pages.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](")
        for name, path in pages.items():
            text = text.replace(f"]({path}", f"]({name}")
        files.append(File.generated(config, page, content=text))
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for name, content in _told(notebook):
            files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Make public names links to their docstrings."""
    if page.file.src_uri == "api.md":
        return _NAMES.sub(_docstrings, markdown)
    if not page.file.src_uri.startswith("notebooks/"):
        markdown = markdown.replace(".ipynb)", ".md)")
    public = set(re.findall(r"`(podium\.[\w.]+)`", (ROOT / "docs" / "api.md").read_text("utf-8")))
    return _NAME.sub(lambda name: f"[{name[0]}][{name[1]}]" if name[1] in public else name[0], markdown)


def on_page_content(html: str, **_: Any) -> str:
    r"""Show `|` in cells, where it is written `\|` so that it ends none; lines end there, and not inside an option."""
    return re.sub(r"<td.*?</td>", lambda cell: _whole_options(cell[0].replace("\\|", "|<wbr>")), html, flags=re.DOTALL)


def _whole_options(cell: str) -> str:
    return re.sub(r"--[\w-]+(?=[^<>]*</code>)", r"<span>\g<0></span>", cell)


def _told(notebook: Path) -> Iterator[tuple[str, str]]:
    """Give the pictures of a notebook and its page, by their places in the site."""
    parts = []
    for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            shown = output.get("data", {"text/plain": output.get("text")})
            if drawing := shown.get("image/svg+xml"):
                picture = f"{notebook.stem}-{cell['id']}.svg"
                yield f"images/notebooks/{picture}", "".join(drawing)
                parts.append(f"![What the cell draws](../images/notebooks/{picture})")
            else:
                parts.append(f"``` {{.text .output}}\n{''.join(shown['text/plain']).rstrip()}\n```")
    parts.append(f"[This page as a notebook]({notebook.name})")
    yield f"notebooks/{notebook.stem}.md", "\n\n".join(parts)


def _docstrings(names: re.Match[str]) -> str:
    return "".join(f"::: {name}\n\n" for name in re.findall(r"[\w.]+", names[0]))
