"""A file that a tool may have written: its first bytes, its JSON, its lines, the members of its archive.

- JSON as tools write it: values may be of any type, and one of another type than is wanted is as good as missing.
- Values inside a JSON file, one at a time, so that it may be too large to hold.
"""

import csv
import hashlib
import io
import json
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TextIO, TypeVar

import orjson
import pyarrow as pa

from podium.base.errors import InputError, MissingExtraError
from podium.base.words import About, cut_line
from podium.source.file import reason

#: Bytes that show what a file is.
_HEAD = 2**16

#: Bytes that show whether the first line is only a bracket.
_OPENING = 256

#: Bytes of a line, and of a file, that are parsed to see what they hold.
_LINE, _WHOLE = 2**24, 2**24

#: Bytes of a JSON value that is held whole; in memory it is about ten times as large.
_HELD = 2**29

#: Bytes that a member of an archive may have, unpacked; a bomb has more.
_LARGEST = 2**31

#: How many times as large a member may be unpacked, if it is not small.
_MANY, _SMALL = 200, 2**26

#: Bytes of lines read at a time.
_BUFFER = 2**18

#: Bytes unpacked at a time.
_UNPACKED = 2**24

#: Letters read at once, that one value may have, and of a literal or an escaped letter that is cut off.
_LETTERS, _LONGEST, _CUT = 2**22, 2**29, 8

_BETWEEN = re.compile(r"[\s,]*")

#: What stands behind a number that goes on: nothing that is held yet, or a part of it.
_GOES_ON = frozenset(("", ".", "e", "E"))

_DECODE = json.JSONDecoder().raw_decode

_Value = TypeVar("_Value")

#: What a damaged member of an archive raises.
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, struct.error, NotImplementedError)

#: The compression of archives that `zipfile` knows only from Python 3.14 on.
_ZSTD = 93


class Content:
    """One file, opened as far as it takes to see what it holds.

    Parameters
    ----------
    path
        The file.
    part
        What was taken of it when it was looked at, if its tool does so: see `Tool.part`.
    asked
        Columns that the caller names, by role, see `Tool.columns`.

    Attributes
    ----------
    name
        What errors call it.
    """

    def __init__(self, path: str | Path, part: Any = None, asked: Mapping[str, Any] | None = None) -> None:
        self.name = str(path)
        self.part = part
        self.asked = asked or {}

    @cached_property
    def path(self) -> Path:
        """Return the file."""
        return Path(self.name)

    @cached_property
    def _start(self) -> bytes:
        # Without a buffer: a folder may have a hundred thousand files, and most are smaller than this.
        with open(self.name, "rb", buffering=0) as stream:  # noqa: PTH123  # as above
            return stream.read(_HEAD)

    @property
    def _is_small(self) -> bool:
        return len(self._start) < _HEAD

    def _bytes(self) -> bytes:
        """Return all bytes; those of a small file are read once."""
        return self._start if self._is_small else self.path.read_bytes()

    @property
    def digest(self) -> bytes:
        """Return what tells whether two files hold the same."""
        return hashlib.sha256(self._bytes()).digest()

    @cached_property
    def head(self) -> bytes:
        """Return the first bytes, without a byte order mark and blanks before the first letter."""
        return self._start.removeprefix(b"\xef\xbb\xbf").lstrip()

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return names at the top of a JSON object, or of that on the first line; none if it is something else."""
        value = self.first_line
        if value is None and self.head[:1] == b"{":
            try:
                is_held = self._is_small or self.path.stat().st_size <= _WHOLE
                value = self.json if is_held else self._names()
            except InputError:
                value = self._names()
        return frozenset(value) if isinstance(value, dict) else frozenset()

    def _names(self) -> dict[str, None]:
        """Return names at the top of a JSON object that is cut off, damaged, or too large to hold."""
        found: dict[str, None] = {}
        with self.path.open(encoding="utf-8-sig", errors="replace") as stream, suppress(InputError, EOFError):
            letters = _Letters(stream, self.name)
            for name in letters.names():
                found[name] = None
                letters.value()
        return found

    @cached_property
    def json(self) -> Any:
        """Return the value that the file holds.

        Raises
        ------
        InputError
            It is not JSON, or cut off.
        """
        is_one_line = (
            self._is_small and self.first_line is not None and self.head.find(b"\n") in (-1, len(self.head) - 1)
        )
        return self.first_line if is_one_line else self.value()

    @cached_property
    def excess(self) -> str:
        """Return what is wrong with one JSON value that is too large to hold; empty for all others."""
        if self._is_small or (size := self.path.stat().st_size) <= _HELD:
            return ""
        what = f"{self.name} is one JSON value of {size / 2**20:,.0f} MiB, and podium holds at most {_HELD >> 20}"
        return f"{what}; let the tool write JSON lines, or several files"

    def value(self) -> Any:
        """Return the same value, not kept: of many or large files only one at a time then takes memory.

        Raises
        ------
        InputError
            It is not JSON, cut off, or so large that its value would not fit into memory.
        """
        if not self._is_small and self.excess:
            raise InputError(self.excess)
        return parsed(self._bytes(), self.name)

    def has(self, *names: str, **kinds: Any) -> bool:
        """Return whether it is a JSON object with these members, some of these kinds; `[kind]` is a list of such."""
        if not {*names, *kinds} <= self.keys:
            return False
        given = self.first_line if isinstance(self.first_line, dict) else self.json
        return all(_is(given.get(name), kind) for name, kind in kinds.items())

    @cached_property
    def first_line(self) -> Any:
        """Return the value of the first line that is not empty; None if it is very long, or not JSON by itself."""
        if self.head[:1] not in (b"{", b"[") or self.head[:_OPENING].split(b"\n", 1)[0].strip() in (b"{", b"["):
            return None
        line, found, _ = self.head.partition(b"\n")
        if not found and not self._is_small:
            with self.path.open("rb") as stream:
                line = next((line for line in iter(lambda: stream.readline(_LINE), b"") if not line.isspace()), b"")
        try:
            return parsed(line.removeprefix(b"\xef\xbb\xbf"), self.name)
        except InputError:
            return None

    def lines(self) -> Iterator[tuple[int, Any]]:
        """Number and value of every line; the last one may be cut off, and is then None.

        Raises
        ------
        InputError
            Another line is not JSON.
        """
        before, last = 0, b""
        with self.path.open("rb", buffering=_BUFFER) as stream:
            for number, line in enumerate(stream, start=1):
                if line.isspace():
                    continue
                if before:
                    try:
                        yield before, orjson.loads(last)
                    except orjson.JSONDecodeError:
                        yield before, parsed(last, f"{self.name}, line {before}")
                before, last = number, line
        if not before:
            return
        try:
            yield before, parsed(last, f"{self.name}, line {before}")
        except InputError:
            if last.endswith(b"\n"):
                raise
            yield before, None

    def records(self) -> tuple[list[Any], tuple[str, ...]]:
        """Return values of all lines, and what is to be said if the last one is cut off.

        Raises
        ------
        InputError
            Another line is not JSON.
        """
        numbered = list(self.lines())
        cut = next((number for number, value in numbered if value is None), 0)
        return [value for _, value in numbered if value is not None], (cut_line(self.path.name, cut),) if cut else ()

    @property
    def first_element(self) -> Any:
        """Return the first object of the list that a file holds, mostly from its first bytes; None if there is none."""
        start = self.head[1:].lstrip()
        if self.head[:1] != b"[" or start[:1] != b"{":
            return None
        try:
            return _DECODE(start.decode("utf-8", "replace"))[0]
        except (ValueError, RecursionError):
            return next(self.elements(), None)

    def elements(self) -> Iterator[Any]:
        """Return elements of the list that a file holds; the last one is None if the file is cut off.

        Raises
        ------
        InputError
            An element is no JSON.
        """
        return self._streamed(_Letters.elements)

    def named_values(self, inside: str = "") -> Iterator[tuple[str, Any] | None]:
        """Yield names and values at the top of the object that a file holds; the last is None if the file is cut off.

        Of the list that is called `inside` there is one for each element.

        Raises
        ------
        InputError
            A value is no JSON.
        """
        return self._streamed(lambda letters: letters.members(inside))

    def _streamed(self, values: "Callable[[_Letters], Iterator[_Value]]") -> "Iterator[_Value | None]":
        """Yield values one at a time; the last one is None if the file is cut off."""
        with self.path.open(encoding="utf-8-sig", errors="replace") as stream:
            try:
                yield from values(_Letters(stream, self.name))
            except EOFError:
                yield None

    def yaml(self, part: bytes | None = None) -> Any:
        """Return the value of YAML: of the whole file, or of a part.

        Raises
        ------
        InputError
            It is not YAML, or PyYAML is not installed.
        """
        try:
            import yaml  # noqa: PLC0415  # an extra
        except ImportError as error:
            raise InputError(str(MissingExtraError("pyyaml", "yaml", f"reading {self.name}"))) from error
        given = self.path.read_bytes() if part is None else part
        try:
            return yaml.load(given, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  # both are safe
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise InputError(f"{self.name} is not YAML: {reason(error)}; correct it") from error

    @cached_property
    def schema(self) -> Any:
        """Return the Arrow schema of a Parquet file; None if it is none, or damaged."""
        if not self.head.startswith(b"PAR1"):
            return None
        from pyarrow import parquet  # noqa: PLC0415  # only where there is a Parquet file

        try:
            return parquet.read_schema(self.path)
        except (pa.ArrowException, OSError):
            return None

    @cached_property
    def columns(self) -> list[str]:
        """Return names of the columns of a table in CSV or Parquet; none of another file."""
        if self.head.startswith(b"PAR1"):
            return [] if self.schema is None else list(self.schema.names)
        first = self.head.split(b"\n", 1)[0] if self.name.lower().endswith(".csv") else b""
        text = first.decode("utf-8", "replace").partition("\r")[0]  # a carriage return alone ends a line, too
        return next(csv.reader([text]), [])

    def rows(self, names: Sequence[str] | None = None) -> list[Mapping[str, Any]]:
        """Return rows of such a table, whose cells are texts in CSV; of Parquet only the columns of these names.

        Raises
        ------
        InputError
            It is damaged.
        """
        if self.head.startswith(b"PAR1"):
            return list(self.parquet(names).to_pylist())
        csv.field_size_limit(2**31 - 1)
        try:
            stream = io.StringIO(self.path.read_text("utf-8-sig"), newline="")
            return list(csv.DictReader(stream, delimiter="\t" if self.path.suffix == ".tsv" else ","))
        except (UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{self.name} is no table: {error}; copy it again") from error

    def parquet(self, names: Sequence[str] | None = None) -> Any:
        """Return the columns of these names, or all, of a Parquet file, as an Arrow table.

        Raises
        ------
        InputError
            It is damaged.
        """
        from pyarrow import parquet  # noqa: PLC0415  # only where there is a Parquet file

        try:
            return parquet.ParquetFile(self.path).read(columns=names)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.name} is damaged: {reason(error)}; copy it again") from error

    @cached_property
    def members(self) -> dict[str, zipfile.ZipInfo]:
        """Return members of a ZIP archive by name; none if it is not one.

        Raises
        ------
        InputError
            It is damaged, or its end is missing.
        """
        if not self.head.startswith(b"PK\x03\x04"):
            return {}
        try:
            with zipfile.ZipFile(self.path) as archive:
                return {info.filename: info for info in archive.infolist()}
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise InputError(f"{self.name} is a damaged archive, or cut off; copy it again") from error

    def member(self, name: str) -> Any:
        """Return the JSON value of a member of the archive.

        Raises
        ------
        InputError
            It is damaged, or too large.
        """
        where = f"{self.name}, {name}"
        try:
            return parsed(self._unpacked(self.members[name], where), where)
        except _DAMAGED as error:
            raise InputError(f"{where} is damaged: {reason(error)}; copy the log again") from error

    def _unpacked(self, info: zipfile.ZipInfo, where: str) -> bytes:
        if info.file_size > max(_MANY * info.compress_size, _SMALL):
            raise InputError(f"{where} is more than {_MANY} times as large unpacked, which no log is")
        if info.compress_type != _ZSTD:
            with zipfile.ZipFile(self.path) as archive, archive.open(info) as stream:
                return _limited(stream, where)
        with self.path.open("rb") as archive_bytes:
            archive_bytes.seek(info.header_offset)
            # The name and the extra field of the local header may be longer than those of the directory.
            name, extra = struct.unpack("<HH", archive_bytes.read(30)[26:30])
            archive_bytes.seek(name + extra, 1)
            packed = archive_bytes.read(info.compress_size)
        return _limited(pa.CompressedInputStream(pa.BufferReader(packed), "zstd"), where)


class _Letters:
    """The letters of a JSON file, held as far as one value goes.

    Raises
    ------
    EOFError
        The file is cut off.
    InputError
        It is not JSON.
    """

    def __init__(self, stream: TextIO, name: str) -> None:
        self.stream, self.name = stream, name
        self.held, self.place = "", 0

    def _more(self) -> bool:
        """Hold more letters, twice as many of a long value; tell whether there were any."""
        more = self.stream.read(max(_LETTERS, len(self.held) - self.place))
        if more:
            self.held, self.place = self.held[self.place :] + more, 0
        return bool(more)

    def _sign(self) -> str:
        """Return the next letter behind blanks and commas."""
        while True:
            self.place = _BETWEEN.match(self.held, self.place).end()  # type: ignore[union-attr]  # it matches nothing, too
            if self.place < len(self.held):
                return self.held[self.place]
            if not self._more():
                raise EOFError

    def _skip(self, sign: str) -> None:
        if self._sign() != sign:
            raise InputError(f"{self.name} is not JSON: {self.held[self.place :][:40]!r} stands where {sign!r} should")
        self.place += 1

    def value(self) -> Any:
        """Return the next value."""
        self._sign()
        while True:
            try:
                value, end = _DECODE(self.held, self.place)
            except RecursionError as error:
                raise InputError(f"{self.name} is not JSON: {reason(error)}") from error
            except json.JSONDecodeError as error:
                goes_on = error.msg.startswith("Unterminated string") or error.pos >= len(self.held) - _CUT
                if not goes_on or len(self.held) > _LONGEST:
                    raise InputError(f"{self.name} is not JSON: {reason(error)}") from error
                if not self._more():
                    raise EOFError from error
            else:
                if self.held[end : end + 1] not in _GOES_ON or not self._more():
                    self.place = end
                    return value

    def elements(self) -> Iterator[Any]:
        """Yield elements of a list."""
        self._skip("[")
        while self._sign() != "]":
            yield self.value()
        self._skip("]")

    def names(self) -> Iterator[str]:
        """Yield the names of the members of an object; between them the caller takes the value."""
        self._skip("{")
        while self._sign() != "}":
            name = self.value()
            if not isinstance(name, str):
                raise InputError(f"{self.name} is not JSON: {str(name)[:40]} is no name")
            self._skip(":")
            yield name

    def members(self, inside: str) -> Iterator[tuple[str, Any]]:
        """Yield names and values of an object; elements of one of its lists one by one."""
        for name in self.names():
            if name == inside and self._sign() == "[":
                yield from ((name, element) for element in self.elements())
            else:
                yield name, self.value()


def _is(value: Any, kind: Any) -> bool:
    if isinstance(kind, list):
        return isinstance(value, list) and all(isinstance(part, kind[0]) for part in value)
    return isinstance(value, kind)


def _limited(stream: Any, where: str) -> bytes:
    parts, size = [], 0
    while part := stream.read(_UNPACKED):
        size += len(part)
        if size > _LARGEST:
            raise InputError(f"{where} has more than {_LARGEST >> 30} GiB unpacked, which no log has")
        parts.append(part)
    return b"".join(parts)


def having(*names: str, **kinds: Any) -> Callable[[Content], bool]:
    """Return what says whether a file is a JSON object with these members, see `Content.has`."""
    return lambda content: content.has(*names, **kinds)


def once(contents: Sequence[Content]) -> tuple[list[Content], tuple[str, ...]]:
    """Return files without copies, and notes on these: a copy is no other system."""
    kept: dict[bytes, Content] = {}
    copies = [content for content in contents if kept.setdefault(content.digest, content) is not content]
    notes = (About("copies of other files are left out", content.path.name) for content in copies)
    return list(kept.values()), tuple(notes)


#: A number in plain decimals.
_DECIMAL = re.compile(r"\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*", re.ASCII | re.IGNORECASE)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return the object, or an empty one.

    >>> mapping({"acc": 1}), mapping(None)
    ({'acc': 1}, {})
    """
    return value if isinstance(value, dict) else {}


def listed(value: Any) -> list[Any]:
    """Return the list, or an empty one.

    >>> listed([1]), listed("a")
    ([1], [])
    """
    return value if isinstance(value, list) else []


def number(value: Any) -> float | None:
    """Return the number or truth as a number; None if it is something else.

    >>> number(1), number(True), number("1")
    (1.0, 1.0, None)
    """
    if not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def plain_number(value: Any) -> float | None:
    """Return the same, or the number that a text writes in plain decimals.

    >>> plain_number("0.5"), plain_number(True), plain_number("1_0"), plain_number("nan")
    (0.5, 1.0, None, None)
    """
    return float(value) if isinstance(value, str) and _DECIMAL.fullmatch(value) else number(value)


def text(value: Any) -> str:
    """Return the text, or that of a number; else an empty one.

    >>> text("a"), text(1), text(None)
    ('a', '1', '')
    """
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def at(given: Any, path: str) -> Any:
    """Return the value at a path of keys; None if there is none.

    >>> at({"stats": {"mean": 0.5}}, "stats.mean"), at({"stats": 1}, "stats.mean")
    (0.5, None)
    """
    for name in path.split("."):
        if not isinstance(given, dict):
            return None
        given = given.get(name)
    return given


def words(given: Any, paths: Mapping[str, str]) -> dict[str, str]:
    """Return the texts and numbers at paths as texts, under other names; what is missing or empty is left out.

    >>> words({"data": {"split": "test", "n": 3}}, {"data.split": "split", "data.name": "name"})
    {'split': 'test'}
    """
    found = {called: text(at(given, path)) for path, called in paths.items()}
    return {name: said for name, said in found.items() if said}


def numbers(given: Any, paths: Mapping[str, str]) -> dict[str, float]:
    """Return the numbers at paths, under other names; what is missing or no number is left out.

    >>> numbers({"usage": {"in": 3, "out": None}}, {"usage.in": "input_tokens", "usage.out": "output_tokens"})
    {'input_tokens': 3.0}
    """
    found = ((called, at(given, path)) for path, called in paths.items())
    numbered = ((called, None if isinstance(value, bool) else number(value)) for called, value in found)
    return {called: value for called, value in numbered if value is not None}


#: Letters of a setting, or of a question, that can stand in a name.
SHORT = 60


def short_settings(given: Any, without: Collection[str] = ()) -> dict[str, str]:
    """Return settings that are one short value, as texts; others make no name.

    >>> short_settings({"temperature": 0.5, "prompt": "x" * 99, "stop": None})
    {'temperature': '0.5'}
    """
    pairs = mapping(given).items()
    shown = ((str(name), str(value)) for name, value in pairs if isinstance(value, str | int | float))
    return {name: value for name, value in shown if len(value) <= SHORT and name not in without}


def digest_of(asked: str, size: int = 8) -> str:
    """Return a digest that tells texts apart."""
    return hashlib.blake2b(asked.encode(errors="surrogatepass"), digest_size=size).hexdigest()


def label_of(shown: str, asked: str | None = None) -> str:
    """Return a label of a question: its beginning, and a digest of all that was asked.

    >>> label_of("What is  1 + 1?")
    'What is 1 + 1? (9037047e)'
    """
    return f"{' '.join(shown.split())[:SHORT]} ({digest_of(shown if asked is None else asked, 4)})"


def written_number(value: Any) -> float | None:
    """Return the number, or that which a text writes in any way that Python knows; None if it is something else.

    >>> written_number("1e-3"), written_number(2), written_number("-"), written_number("nan")
    (0.001, 2.0, None, nan)
    """
    try:
        return float(value) if isinstance(value, str) else number(value)
    except ValueError:
        return None


def parsed(content: bytes, where: str) -> Any:
    """Parse JSON, with NaN and Infinity, which Python's own tools write.

    Raises
    ------
    InputError
        It is not JSON.

    Examples
    --------
    >>> parsed(b'{"acc": NaN}', "a.json")
    {'acc': nan}
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise InputError(f"{where} is not JSON, or cut off: {reason(error)}") from error
