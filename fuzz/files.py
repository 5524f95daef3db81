"""Files and folders that hold tables, and what may happen to their bytes and to the way to them."""

import bz2
import gzip
import io
import lzma
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.feather as pa_feather
import pyarrow.parquet as pq
from material import LABELS, Table, delimited, json_lines

#: Endings, and the share of files that have them.
_ENDINGS = {
    ".csv": 40,
    ".tsv": 8,
    ".txt": 2,
    "": 2,
    ".jsonl": 12,
    ".json": 8,
    ".parquet": 8,
    ".feather": 4,
    ".duckdb": 2,
    ".csv.gz": 4,
}
_ENDINGS |= {".jsonl.bz2": 1, ".csv.xz": 1, ".csv.zst": 1, ".xlsx": 1, ".zip": 1, ".pkl": 1}
_ENDINGS |= {".md": 1, ".html": 1, ".yaml": 1}

_PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
}


def written(table: Table, path: Path, rng: random.Random) -> Path:
    """Write a table into a file whose ending is drawn; the file may say another ending than it has."""
    ending = rng.choices(list(_ENDINGS), list(_ENDINGS.values()))[0]
    content = _content(table, ending, rng, path)
    told = rng.choice(list(_ENDINGS)) if rng.random() < 0.03 else ending
    place = path.with_name(f"{path.name}{told}")
    place.write_bytes(content)
    return place


def _content(table: Table, ending: str, rng: random.Random, scratch: Path) -> bytes:
    first = ending.split(".")[1] if ending else "csv"
    if first in {"jsonl", "json"}:
        content = json_lines(table, rng)
    elif first in {"parquet", "feather", "duckdb"}:
        try:
            content = _columnar(table, first, scratch)
        except (pa.ArrowException, duckdb.Error, UnicodeError, TypeError, ValueError, OverflowError):
            content = delimited(table, ",", rng)
    else:
        content = delimited(table, "\t" if first == "tsv" else rng.choice(",,,,,,,,,;\t"), rng)
    for suffix, pack in _PACKED.items():
        if ending.endswith(suffix):
            content = pack(content)
    return content


def _columnar(table: Table, format_: str, scratch: Path) -> bytes:
    columns = [[row[place] if place < len(row) else None for row in table.rows] for place in range(len(table.header))]
    made = pa.table(list(map(_array, columns)), names=list(table.header))
    content = io.BytesIO()
    if format_ == "parquet":
        pq.write_table(made, content)
    elif format_ == "feather":
        pa_feather.write_feather(made, content)
    else:
        path = scratch.with_name(f".{scratch.name}.made")
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE scores AS SELECT * FROM made")
        content.write(path.read_bytes())
        path.unlink()
    return content.getvalue()


def _array(cells: list[Any]) -> Any:
    try:
        return pa.array(cells)
    except (pa.ArrowException, OverflowError):
        return pa.array([None if cell is None else str(cell) for cell in cells])


def torn(content: bytes, rng: random.Random) -> bytes:
    """Damage bytes in one way."""
    return rng.choice(_TEARS)(content, rng)


def _flipped(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _inserted(content: bytes, rng: random.Random) -> bytes:
    place = rng.randint(0, len(content))
    piece = rng.choice(
        (
            b"\0",
            b"\0" * 5000,
            b"\r",
            b"\n\n",
            b'"',
            b"\xff",
            b"\xef\xbb\xbf",
            b"\x1a",
            b"\xed\xa0\x80",
            b",",
            b"{",
            b"\x1b[2J",
        )
    )
    return content[:place] + piece + content[place:]


def _repeated(content: bytes, rng: random.Random) -> bytes:
    low, high = sorted(rng.randint(0, len(content)) for _ in range(2))
    return content[:high] + content[low:high] * rng.choice((1, 2, 200)) + content[high:]


#: Files that are nothing else.
_BARE = (
    b" ", b"\n", b"\xef\xbb\xbf", b"{}", b"[]", b"[[]]", b"null", b"PAR1", b"ARROW1", b"PK\x03\x04", b"\x1f\x8b",
    b"[" * 100_000,
)  # fmt: skip

_TEARS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flipped,
    _flipped,
    _inserted,
    _repeated,
    lambda content, rng: content[: rng.randint(0, len(content))],
    lambda content, rng: content[rng.randint(0, len(content)) :],
    lambda content, _: content + content,
    lambda content, rng: rng.randbytes(len(content)),
    lambda _content, _rng: b"",
    lambda _content, rng: rng.choice(_BARE),
)

_ENCODINGS = (
    "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be", "latin-1", "cp1252", "cp037", "utf-7", "utf-8-sig",
    "shift-jis",
)  # fmt: skip


def encoded(content: bytes, rng: random.Random) -> bytes:
    """Write text in another encoding, or with a mark before it."""
    return content.decode("utf-8", "replace").encode(rng.choice(_ENCODINGS), "replace")


def moved(path: Path, rng: random.Random) -> tuple[str, bytes]:
    """Let a file be reached in another way; what to type for it, and what is piped in."""
    return rng.choice(_WAYS)(path, rng)


def _by_folder(path: Path, rng: random.Random) -> tuple[str, bytes]:
    return rng.choice((".", str(path.parent), "./")), b""


def _deep(path: Path, rng: random.Random) -> tuple[str, bytes]:
    deep = path.parent.joinpath(*["d" * rng.choice((1, 50))] * rng.choice((3, 30)))
    deep.mkdir(parents=True)
    path.rename(deep / path.name)
    return rng.choice((path.parent.name, ".", "**/*", str(deep / path.name))), b""


def _by_pattern(path: Path, rng: random.Random) -> tuple[str, bytes]:
    patterns = (f"*{path.suffix}", "*", "[", "*.nothing", f"{path.name[:3]}*", "**", "{a,b}", "s[!o]*")
    return rng.choice(patterns), b""


def _linked(path: Path, rng: random.Random) -> tuple[str, bytes]:
    (path.parent / "way").symlink_to(rng.choice((path.name, "way", "nowhere.csv")))
    return rng.choice(("way", ".", "*")), b""


def _piped(path: Path, rng: random.Random) -> tuple[str, bytes]:
    return rng.choice(("-", "-", "/dev/stdin")), path.read_bytes()


def _renamed(path: Path, rng: random.Random) -> tuple[str, bytes]:
    names = [label for label in LABELS if label not in {"", ".", "-", "~"} and not {"\0", "/", "\ud800"} & set(label)]
    renamed = path.with_name(rng.choice([name for name in names if len(name) < 200]) + path.suffix)
    path.rename(renamed)
    return rng.choice((renamed.name, f"./{renamed.name}")), b""


def _no_file(path: Path, rng: random.Random) -> tuple[str, bytes]:
    (path.parent / "table.csv").mkdir()
    path.chmod(0)
    return rng.choice(("table.csv", "table.csv/", f"{path.name}/", f"{path.name}/x.csv", path.name)), b""


def _elsewhere(_path: Path, rng: random.Random) -> tuple[str, bytes]:
    devices = ("/dev/null", "/dev/zero", "/proc/self/mem", "/proc/self/environ", "/dev/tty")
    links = ("https://example.org/a.csv", "s3://b/c.parquet", "file:///etc/passwd", "hf://datasets/x", "http://[::1")
    return rng.choice((*devices, *links)), b""


_WAYS = (_by_folder, _deep, _by_pattern, _linked, _linked, _piped, _piped, _renamed, _no_file, _elsewhere)


def undecodable(folder: Path) -> str:
    """Write a table whose file name is no text, and return the name as Python types it."""
    name = os.fsdecode(b"caf\xe9.csv")
    (folder / name).write_text("system,a,b\nA,1,2\nB,2,1\n", encoding="utf-8")
    return name
