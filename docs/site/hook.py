"""What the site has beside the pages of docs/: mkdocs.yml names this file, and MkDocs calls its functions."""

from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are files of the repository's root."""
    from mkdocs.structure.files import File  # noqa: PLC0415  # tests read this file without MkDocs

    pages = config.extra["from_root"]
    for page, source in pages.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](")
        for name, path in pages.items():
            text = text.replace(f"]({path}", f"]({name}")
        files.append(File.generated(config, page, content=text))
    return files
