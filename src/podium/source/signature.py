"""Which format a file has: by the end of its name, or by its first bytes."""

from dataclasses import replace
from pathlib import Path

from podium.source.file import DAMAGE, File

#: By format: endings of file names, and module and class of the reader, imported only if needed.
READERS = {
    "csv": ((".csv",), "delimited", "DelimitedTable"),
    "tsv": ((".tsv", ".tab"), "delimited", "DelimitedTable"),
    "jsonl": ((".jsonl", ".ndjson", ".jsonlines", ".json"), "jsonl", "JsonLinesTable"),
    "parquet": ((".parquet", ".pq"), "parquet", "ParquetTable"),
    "feather": ((".feather", ".arrow", ".arrows", ".ipc"), "arrow", "FeatherTable"),
    "duckdb": ((".duckdb", ".ddb"), "duckdb", "DuckTable"),
}

#: Formats by name.
FORMATS = tuple(READERS)

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".xz": "xz"}

_COMPRESSION_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"), (b"\xfd7zXZ", "xz"))

_FORMAT_MAGIC = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "feather"),
    (0, b"\xff\xff\xff\xff", "feather"),
    (8, b"DUCK", "duckdb"),
)


def by_ending(name: str) -> tuple[str | None, str | None]:
    """Format and compression that a file name shows.

    >>> by_ending("runs.TSV.gz"), by_ending("scores")
    (('tsv', 'gzip'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    ending = path.with_suffix("").suffix if compression else path.suffix
    found = next((name for name, (endings, _, _) in READERS.items() if ending in endings), None)
    return found, compression


def sniffed(file: File) -> File:
    """Look at the first bytes for what the name does not show."""
    with file.raw() as raw:
        file = replace(file, compression=file.compression or _compression_of(raw.read(8)))
    if file.format:
        return file
    try:
        with file.open() as stream:
            head = bytes(stream.read(4096))
    except (*DAMAGE, ValueError):  # damaged: the reader explains why
        head = b""
    text = "jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")) else "csv"
    return replace(file, format=_binary(head) or text)


def _compression_of(head: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSION_MAGIC if head.startswith(magic)), None)


def _binary(head: bytes) -> str | None:
    """Format of a file that is not text."""
    return next((name for offset, magic, name in _FORMAT_MAGIC if head[offset:].startswith(magic)), None)


def disguise(head: bytes) -> str | None:
    """What a file really is if its name says text but it begins with these bytes; None if it can be text.

    >>> disguise(b"PAR1...")
    "holds parquet data, not text; rename it, or say format='parquet' (--input-format parquet)"
    """
    if (binary := _binary(head)) is not None:
        return f"holds {binary} data, not text; rename it, or say format={binary!r} (--input-format {binary})"
    if head.startswith(b"PK\x03\x04"):
        return "is an Excel file or a ZIP archive; save its sheet as CSV (UTF-8), or unpack it first"
    if (compression := _compression_of(head)) is not None:
        ending = next(ending for ending, name in _COMPRESSIONS.items() if name == compression)
        return f"is compressed with {compression}; rename it so that it ends in {ending}"
    return None
