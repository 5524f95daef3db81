"""What the site has beside the pages of docs/: mkdocs.yml names this file, and MkDocs calls its functions."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]

#: A paragraph of nothing but names.
_NAMES = re.compile(r"^(?:`podium[\w.]+`(?:,\s|\n\n|\n?\Z))+", re.MULTILINE)

#: Functions in a module of the same name, where a reader of the source alone finds the module.
_IN_OWN_MODULE = {"podium.agreement.dispersion": "podium.agreement.dispersion.dispersion"}


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are files of the repository's root."""
    from mkdocs.structure.files import File  # noqa: PLC0415  # not where types are checked

    pages = config.extra["from_root"]
    for page, source in pages.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](")
        for name, path in pages.items():
            text = text.replace(f"]({path}", f"]({name}")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Put the docstrings in the place of their names."""
    if page.file.src_uri != "api.md":
        return markdown
    return _NAMES.sub(_docstrings, markdown)


def _docstrings(names: re.Match[str]) -> str:
    return "".join(f"::: {_IN_OWN_MODULE.get(name, name)}\n\n" for name in re.findall(r"[\w.]+", names[0]))
