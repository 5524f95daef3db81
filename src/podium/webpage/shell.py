"""A page: the front end as it was built, with data, as one file, as a folder, or in pieces for a server."""

import base64
import gzip
import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Frozen
from podium.base.check import checked_path
from podium.base.errors import OutputError
from podium.base.file import write

#: Kinds of numbers that a browser has arrays for, by their names in the header.
KINDS = {"float64": "<f8", "int32": "<i4", "int8": "|i1", "uint8": "|u1"}

#: Arrays begin at multiples of so many bytes, as a browser wants them.
_ALIGNED = 8

#: Steps that the largest departure of a replicate is cut into: some twentieth of a standard deviation each.
_STEPS = 63

#: Different scores of a task up to which their numbers are written, in as many bits as these need.
_MOST_LEVELS = 256


def packed(content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return content and arrays as bytes, compressed; the same bytes each time.

    Uncompressed they are the length of the header in eight bytes, little end first; the header, JSON in ASCII with
    `content` and for each of the `arrays` its name, kind, shape and first byte; and the arrays, each from a multiple of
    eight on; equal ones of a kind stand there once. Bytes are counted from the end of the header, which is filled up
    with spaces to a multiple of eight. Where more than half of an array is one number, this is `usual` in the header,
    null for NaN; the array is then a bit for each of its numbers, 1 of others, and these (see `_others`).

    Parameters
    ----------
    content
        Plain values, without NaN.
    arrays
        Arrays of `KINDS`, by name.

    Raises
    ------
    ValueError
        A number of the content is not finite.

    Examples
    --------
    >>> whole = gzip.decompress(packed({"a": 1}, {"b": np.array([2, 3], dtype=np.int8)}))
    >>> int.from_bytes(whole[:8], "little"), list(whole[-8:-5])
    (96, [2, 3, 0])
    """
    listed, body = [], bytearray()
    known: dict[tuple[str, bytes], int] = {}
    for name, array in arrays.items():
        kind = array.dtype.name
        usual, own = _others(np.ascontiguousarray(array, dtype=KINDS[kind]).ravel())
        first = known.setdefault((kind, own), len(body))
        listed.append({"name": name, "kind": kind, "shape": array.shape, "first": first, **usual})
        if first == len(body):
            body += own + bytes(-len(own) % _ALIGNED)
    header = json.dumps({"content": content, "arrays": listed}, allow_nan=False).encode()
    header += b" " * (-len(header) % _ALIGNED)
    return gzip.compress(len(header).to_bytes(8, "little") + header + bytes(body), compresslevel=9, mtime=0)


def _others(numbers: NDArray[Any]) -> tuple[dict[str, float | None], bytes]:
    """Return the number that most of some numbers are, and bytes that say which are others; none, and all numbers."""
    if numbers.dtype != np.float64 or not numbers.size:
        return {}, numbers.tobytes()
    bits = numbers.view(np.uint64)  # each NaN is itself
    middle = np.partition(bits, bits.size // 2)[bits.size // 2]  # more than half are this, or no number is
    others = bits != middle
    usual = float(middle.view(np.float64))
    if 2 * others.sum() >= bits.size or np.isinf(usual):
        return {}, numbers.tobytes()
    plane = np.packbits(others, bitorder="little").tobytes()
    plane += bytes(-len(plane) % _ALIGNED)
    return {"usual": None if np.isnan(usual) else usual}, plane + numbers[others].tobytes()


def in_steps(values: NDArray[np.float64], centre: NDArray[np.float64]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return departures from a centre as small whole numbers of steps, and the size of the steps.

    A step is the largest departure over 63, some twentieth of a standard deviation of bootstrap replicates. Rounding to
    whole steps adds less than a thousandth to their variance, which so many replicates do not know to a tenth.

    Parameters
    ----------
    values
        Shape `(…, B)`.
    centre
        Shape `(…)`.

    Examples
    --------
    >>> in_steps(np.array([[0.5, 0.563, 0.469]]), np.array([0.5]))
    (array([[  0,  63, -31]], dtype=int8), array([0.001]))
    """
    departures = values - centre[..., None]
    step = np.abs(departures).max(axis=-1) / _STEPS
    whole = np.divide(departures, step[..., None], out=np.zeros_like(departures), where=step[..., None] > 0)
    return np.rint(whole).astype(np.int8), step


def in_levels(values: NDArray[np.float64]) -> tuple[list[float | None] | None, NDArray[Any]]:
    """Return different values, None for NaN, and their numbers in bits: shape `(bits, bytes)`.

    None and the values themselves where more than 256 differ.

    Examples
    --------
    >>> in_levels(np.array([[0.0, 1.0, 1.0]]))
    ([0.0, 1.0], array([[6]], dtype=uint8))
    """
    levels, numbers = np.unique(values.ravel(), return_inverse=True)
    if levels.size > _MOST_LEVELS:
        return None, values
    bits = range(max((levels.size - 1).bit_length(), 1))
    planes = [np.packbits((numbers >> bit & 1).astype(np.uint8), bitorder="little") for bit in bits]
    return [None if np.isnan(level) else level for level in levels.tolist()], np.stack(planes)


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


def _static(name: str) -> str:
    """Read a file of the front end; `page.html` is the page without data, `desk.html` what a server shows before it."""
    return files("podium.webpage").joinpath("static", name).read_text("utf-8")


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
    """Return the page that unpacks and runs itself, without data. Its policy allows just its own two scripts."""
    built, loader = Pieces.at("", ""), _static("loader.js")
    allowed = " ".join(
        f"'sha256-{_text(hashlib.sha256(script.encode()).digest())}'" for script in (loader, built.script)
    )
    policy = _POLICY.format(f"{_NEEDED}; script-src {allowed}")
    code = "\n".join(
        _CODE.format(name, _text(gzip.compress(code.encode(), compresslevel=9, mtime=0)))
        for name, code in (("style", built.style), ("script", built.script))
    )
    head = f"{policy}\n    <script>{loader}</script>\n    {_GENERATOR}"  # first: it says if what follows is not whole
    html = _STYLE.sub("", _static("page.html")).replace(_GENERATOR, head, 1)
    return _SCRIPT.sub(lambda match: match[0] if match[1] == loader else code, html)


@cache
def _words() -> bytes:
    """Return the names and signs by which the page reads a file that is dropped on it, as a part of its data."""
    return packed(json.loads(_static("words.json")), {})


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


def in_one_file(parts: Mapping[str, bytes]) -> str:
    """Return a page that works from a disk, with all parts of its data in it."""
    return with_parts(_packed(), {name: _text(part) for name, part in parts.items()})


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
    def at(cls, script: str, style: str, name: str = "page") -> "Pieces":
        """Cut the front end into pieces.

        Parameters
        ----------
        script, style
            Addresses at which a server has these pieces.
        name
            "page"; or "desk", what a server shows before it: tables, questions and answers.

        Examples
        --------
        >>> "<style>" in Pieces.at("/page.js", "/page.css").html
        False
        """
        whole = _static(f"{name}.html")
        scripts, styles = _SCRIPT.findall(whole), _STYLE.findall(whole)
        html = _SCRIPT.sub(f'<script src="{script}"></script>', whole)
        html = _STYLE.sub(f'<link rel="stylesheet" href="{style}" />', html)
        # the build keeps the end of a script out of its text
        return cls(html, "\n".join(scripts), "\n".join(styles))


#: What a server shows for the folder.
INDEX = "index.html"

#: Names of the other files; they change with the content, so that a browser may keep them for ever.
_OURS = re.compile(r"(page|data|difficulty|hard|instances|slices|words)-[0-9a-f]{16}\.(js|css|bin)")


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
    content = {("page", "js"): code.script.encode(), ("page", "css"): code.style.encode()}
    content |= {(name, "bin"): part for name, part in parts.items()}
    names = {
        (name, suffix): f"{name}-{hashlib.sha256(own).hexdigest()[:16]}.{suffix}"
        for (name, suffix), own in content.items()
    }
    for key, own in content.items():
        write(own, folder / names[key])
    policy = _POLICY.format(f"{_NEEDED}; script-src 'self'; style-src 'self'; connect-src 'self'")
    early = f'<link rel="preload" as="fetch" href="{names["data", "bin"]}" crossorigin />'  # beside the code
    html = Pieces.at(names["page", "js"], names["page", "css"]).html
    html = html.replace(_GENERATOR, f"{policy}\n    {_GENERATOR}\n    {early}", 1)
    elsewhere = "\n".join(_ELSEWHERE.format(name, names[name, "bin"]) for name in parts)
    write(html.replace(_PLACE, elsewhere, 1), folder / INDEX)
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in names.values():
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Page(Frozen):
    """A leaderboard that its reader can ask, as one file that needs no server and no network.

    Attributes
    ----------
    data
        What the leaderboard needs, as `podium.webpage.shell.packed` made it.
    more
        What other views need besides, by name: "difficulty", "hard", "instances" and "slices", as far as they are in
        the page.
    notes
        What to know before trusting it, in words.
    holds
        What is in it, in words.

    Examples
    --------
    >>> import podium
    >>> made = podium.page(podium.datasets.xtreme_missing(), title="XTREME", n_resamples=40)
    >>> len(made.html) < 450_000
    True
    """

    data: bytes
    more: Mapping[str, bytes]
    notes: tuple[str, ...]
    holds: str

    def __repr__(self) -> str:
        return f"Page({self.holds}; .save('page.html') writes it)"

    def _repr_html_(self) -> str:
        """Return the page in a frame, for notebooks."""
        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 48rem; border: 0"></iframe>'

    @property
    def html(self) -> str:
        """Return the file. Data are base64 text, in which nothing can be taken for markup."""
        return in_one_file(self._parts)

    @property
    def _parts(self) -> dict[str, bytes]:
        return {"data": self.data, **self.more, "words": _words()}

    def save(self, path: str | Path) -> None:
        """Write one file that works from a disk, whole or not at all; or fill a folder for a web server.

        Browsers fetch a file of the folder when they need it: first what the leaderboard needs.

        Parameters
        ----------
        path
            Name of the file; or of a folder, with a slash behind it where it is not there yet.

        Raises
        ------
        OutputError
            It cannot be written, or its name ends in no .html.
        """
        target = checked_path("path", path, error=OutputError)
        if target.is_dir() or str(path).endswith(("/", os.sep)):
            save_folder(target, self._parts)
        elif target.suffix.lower() not in {".html", ".htm"}:
            raise OutputError(f"{path}: a page is HTML; end its name in .html, or in a slash for a folder")
        else:
            write(in_one_file(self._parts), target)
