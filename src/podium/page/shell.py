"""The front end as it was built, with the data of a page: all in one file, or in pieces that a server has.

- A page as a folder for any web server: a browser fetches each file when it needs it.
"""

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from podium.base.errors import OutputError
from podium.base.file import write

#: Where the data stand in it.
_PLACE = "<!--data-->"

#: A part of the data, as text in which nothing can be taken for markup, or the address of where it lies.
_HELD = '<script type="application/octet-stream" id="podium-{}">{}</script>'
_ELSEWHERE = '<script type="application/octet-stream" id="podium-{}" data-at="{}"></script>'

_FOUND = re.compile(r'<script type="application/octet-stream" id="podium-(\w+)">([A-Za-z0-9+/=]*)</script>')

_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)

_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)

#: Code as compressed text.
_CODE = '<script type="application/octet-stream" data-code="{}">{}</script>'

_GENERATOR = '<meta name="generator" content="podium" />'

_POLICY = '<meta http-equiv="Content-Security-Policy" content="{}" />'

#: What any page needs: its own worker, its icon and its pictures.
_NEEDED = "default-src 'none'; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'"


def whole() -> str:
    """The front end as one page, without data."""
    return _static("page.html")


def _static(name: str) -> str:
    return files("podium.page").joinpath("static", name).read_text("utf-8")


def with_parts(page: str, parts: Mapping[str, str]) -> str:
    """Return a page with data in it: each part as text in base 64, by its name.

    >>> with_parts("<body><!--data--></body>", {"data": "AA=="})
    '<body><script type="application/octet-stream" id="podium-data">AA==</script></body>'
    """
    return page.replace(_PLACE, "\n".join(_HELD.format(name, text) for name, text in parts.items()), 1)


def parts_of(page: str) -> dict[str, str]:
    """Return the data of a page, by name.

    >>> parts_of(with_parts("<body><!--data--></body>", {"data": "AA=="}))
    {'data': 'AA=='}
    """
    return dict(_FOUND.findall(page))


@cache
def _packed() -> str:
    """The page that unpacks and runs itself, without data. Its policy allows just its own two scripts."""
    built, loader = Pieces.at("", ""), _static("loader.js")
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in (loader, built.script))
    policy = _POLICY.format(f"{_NEEDED}; script-src {allowed}")
    code = "\n".join(
        _CODE.format(name, _text(text)) for name, text in (("style", built.style), ("script", built.script))
    )
    html = _STYLE.sub("", whole()).replace(_GENERATOR, f"{policy}\n    {_GENERATOR}", 1)
    return _SCRIPT.sub(lambda _: f"{code}\n<script>{loader}</script>", html)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _text(code: str) -> str:
    return base64.b64encode(gzip.compress(code.encode(), compresslevel=9, mtime=0)).decode()


def at_addresses(script: str, style: str, parts: Mapping[str, str]) -> str:
    """Return a page for a web server that has only files: it asks for its code, and for each part when it needs it.

    Parameters
    ----------
    script, style
        Addresses of the code.
    parts
        Addresses of the data, by name.

    Examples
    --------
    >>> 'id="podium-data" data-at="data.bin"' in at_addresses("page.js", "page.css", {"data": "data.bin"})
    True
    """
    policy = _POLICY.format(f"{_NEEDED}; script-src 'self'; style-src 'self'; connect-src 'self'")
    early = f'<link rel="preload" as="fetch" href="{parts["data"]}" crossorigin />'  # beside the code, not after it
    html = Pieces.at(script, style).html.replace(_GENERATOR, f"{policy}\n    {_GENERATOR}\n    {early}", 1)
    return html.replace(_PLACE, "\n".join(_ELSEWHERE.format(*part) for part in parts.items()), 1)


def in_one_file(parts: Mapping[str, bytes]) -> str:
    """Return a page that works from a disk, with all parts of its data in it."""
    return with_parts(_packed(), {name: base64.b64encode(part).decode() for name, part in parts.items()})


@dataclass(frozen=True, slots=True)
class Pieces:
    """A page without data that asks a server for its script and its style, and these.

    Attributes
    ----------
    html, script, style
        The three pieces.
    """

    html: str
    script: str
    style: str

    @classmethod
    def at(cls, script: str, style: str) -> "Pieces":
        """Cut the front end into pieces.

        Parameters
        ----------
        script, style
            Addresses at which a server has these pieces.

        Examples
        --------
        >>> "<style>" in Pieces.at("/page.js", "/page.css").html
        False
        """
        scripts, styles = _SCRIPT.findall(whole()), _STYLE.findall(whole())
        html = _SCRIPT.sub(f'<script src="{script}"></script>', whole())
        html = _STYLE.sub(f'<link rel="stylesheet" href="{style}" />', html)
        # the build keeps the end of a script out of its text
        return cls(html, "\n".join(scripts), "\n".join(styles))


#: What a server shows for the folder.
INDEX = "index.html"

#: Names of the other files; they change with the content, so that a browser may keep them for ever.
_OURS = re.compile(r"(page|data|difficulty|instances)-[0-9a-f]{16}\.(js|css|bin)")


def save_folder(folder: Path, parts: Mapping[str, bytes]) -> None:
    """Write a page into a folder, which is made where there is none.

    The index comes last, so that a reader gets the page before or this one; files of the one before then go.

    Parameters
    ----------
    folder
        Where.
    parts
        The data of the page, by name.

    Raises
    ------
    OutputError
        A file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp()) / "site"
    >>> save_folder(folder, {"data": b"what a browser reads"})
    >>> [path.name.partition("-")[0] for path in sorted(folder.iterdir())]
    ['data', 'index.html', 'page', 'page']
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}; choose another place") from error
    code = Pieces.at("", "")
    files = {name: _named(name, "bin", part) for name, part in parts.items()}
    script, style = _named("page", "js", code.script.encode()), _named("page", "css", code.style.encode())
    for name, part in parts.items():
        write(part, folder / files[name])
    write(code.script, folder / script)
    write(code.style, folder / style)
    write(at_addresses(script, style, files), folder / INDEX)
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in {*files.values(), script, style}:
            path.unlink(missing_ok=True)


def _named(name: str, suffix: str, content: bytes) -> str:
    return f"{name}-{hashlib.sha256(content).hexdigest()[:16]}.{suffix}"
