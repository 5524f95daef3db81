"""Which format a file has: by the end of its name, or by its first bytes."""

import re
from dataclasses import replace
from pathlib import Path

from podium.source.file import DAMAGE, POINTER, File

#: Bytes that show what a text is, and lines that show whether it is of TREC.
_START, _SHOWN = 4096, 5

#: By format: endings of file names, and module and class of the reader, imported only if needed.
READERS = {
    "csv": ((".csv",), "delimited", "DelimitedTable"),
    "tsv": ((".tsv", ".tab"), "delimited", "DelimitedTable"),
    "jsonl": ((".jsonl", ".ndjson", ".jsonlines", ".json"), "document", "json_table"),
    "parquet": ((".parquet", ".pq"), "columnar", "ParquetTable"),
    "feather": ((".feather", ".arrow", ".arrows", ".ipc"), "columnar", "FeatherTable"),
    "duckdb": ((".duckdb", ".ddb"), "columnar", "DuckTable"),
    "excel": ((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "document", "document"),
    "markdown": ((".md", ".markdown"), "document", "document"),
    "html": ((".html", ".htm"), "document", "document"),
    "yaml": ((".yaml", ".yml"), "document", "document"),
}

#: Formats of documents, which may hold more than a table of scores; in a folder they are read if there are no others.
DOCUMENTS = ("excel", "markdown", "html", "yaml")

#: Formats of files that may hold several tables.
SEVERAL = ("duckdb", "jsonl", *DOCUMENTS)

_ENDINGS = {ending: name for name, (endings, _, _) in READERS.items() for ending in endings}

#: Formats by name.
FORMATS = tuple(READERS)

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".xz": "xz"}

_COMPRESSION_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bz2"), (b"\xfd7zXZ", "xz"))

_FORMAT_MAGIC = (
    (0, b"PAR1", "parquet"),
    (0, b"ARROW1", "feather"),
    (0, b"\xff\xff\xff\xff", "feather"),
    (8, b"DUCK", "duckdb"),
    (0, b"PK\x03\x04", "excel"),
    (0, b"\xd0\xcf\x11\xe0", "excel"),
)

#: How a page begins, and what is below the names of a Markdown table.
_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype|html|head|body|table|div|meta)\b", re.IGNORECASE | re.DOTALL)
_RULED = re.compile(rb"\|[^\n]*\n(?=[^\n]*-)(?=[^\n]*[|+])[ \t|+:-]+\r?(\n|\Z)")


def by_ending(name: str) -> tuple[str | None, str | None]:
    """Format and compression that a file name shows.

    >>> by_ending("runs.TSV.gz"), by_ending("scores")
    (('tsv', 'gzip'), (None, None))
    """
    path = Path(name.lower())
    compression = _COMPRESSIONS.get(path.suffix)
    ending = path.with_suffix("").suffix if compression else path.suffix
    return _ENDINGS.get(ending), compression


def sniffed(file: File) -> File:
    """Look at the first bytes for what the name does not show."""
    with file.raw() as raw:
        file = replace(file, compression=file.compression or _compression_of(raw.read(8)))
    if file.format:
        return file
    try:
        with file.open() as stream:
            head = bytes(stream.read(_START))
    except (*DAMAGE, ValueError):  # damaged: the reader explains why
        head = b""
    return replace(file, format=_binary(head) or _of_text(head.removeprefix(b"\xef\xbb\xbf")) or "csv")


def _compression_of(head: bytes) -> str | None:
    return next((name for magic, name in _COMPRESSION_MAGIC if head.startswith(magic)), None)


def _binary(head: bytes) -> str | None:
    """Format of a file that is not text."""
    return next((name for offset, magic, name in _FORMAT_MAGIC if head[offset:].startswith(magic)), None)


def _of_text(head: bytes) -> str | None:
    """Format of a text, if it is no table with lines and delimiters."""
    head = head[:_START]
    if head.lstrip().startswith((b"{", b"[")):
        return "jsonl"
    if _HTML.match(head):
        return "html"
    return "markdown" if b"|" in head and _RULED.search(head) else None


def disguise(head: bytes, format: str = "csv") -> str | None:  # noqa: A002  # the word people use
    """What a file really is if its name says text of a format but it begins otherwise; None if it can be that.

    >>> disguise(b"PAR1...")
    "holds parquet data, not text; rename it, or say format='parquet' (--input-format parquet)"
    """
    if (binary := _binary(head)) is not None:
        return f"holds {binary} data, not text; rename it, or say format={binary!r} (--input-format {binary})"
    if (compression := _compression_of(head)) is not None:
        ending = next(ending for ending, name in _COMPRESSIONS.items() if name == compression)
        return f"is compressed with {compression}; rename it so that it ends in {ending}"
    other = None if format in DOCUMENTS else _of_text(head)
    if other == "html":
        return (
            "is an HTML page; download the file itself (on GitHub: Raw), or read the tables of the page with "
            "format='html' (--input-format html)"
        )
    if other == "markdown":
        return "holds a Markdown table; rename it, or say format='markdown' (--input-format markdown)"
    return _of_others(head)


def _of_others(head: bytes) -> str | None:
    """What a pointer to another file, or a run or judgements of TREC are, which hold no scores."""
    if head.startswith(POINTER):
        return "only points to a file of Git LFS; fetch that with git lfs pull"
    lines = [line.split() for line in head[:_START].splitlines()[:_SHOWN] if line.strip()]
    if lines and all(len(line) == 6 and line[1].upper() == b"Q0" for line in lines):
        what = (
            "is a run of TREC, which ranks documents and holds no scores; list it under available_rankings, and qrels"
        )
    elif lines and all(len(line) == 4 and line[1] in {b"0", b"Q0"} and line[3].isdigit() for line in lines):
        what = "holds judgements of TREC, and no scores; list it under qrels, and runs under available_rankings"
    else:
        return None
    return f"{what}, in a YAML file, and type podium rank --trec FILE"
