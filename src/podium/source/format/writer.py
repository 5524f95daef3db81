"""Tables of rows written piece by piece, in each format that scores are kept in."""

import csv
import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq


@contextmanager
def writing(
    file: BinaryIO,
    format: str,  # noqa: A002  # the word people use
    compression: str | None,
    schema: Any,
) -> Iterator[Callable[[Any], object]]:
    """Write Arrow tables of one schema into a file; yields what takes one after the other.

    Parameters
    ----------
    file
        Open for writing.
    format
        "parquet", "feather", "csv", "tsv" or "jsonl".
    compression
        Of text, see `podium.source.file.by_ending`.
    schema
        Arrow schema of the tables.
    """
    with _compressed(file, compression) as stream:
        if format in {"csv", "tsv"}:
            delimiter = "\t" if format == "tsv" else ","
            header = io.StringIO()
            csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(schema.names)
            stream.write(header.getvalue().encode())
            yield lambda rows: stream.write(_cells(rows, delimiter))
        elif format == "jsonl":
            yield lambda rows: stream.write(_lines(rows))
        elif format == "parquet":
            with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
                yield writer.write_table
        else:
            with pa.ipc.new_file(stream, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
                yield writer.write_table


@contextmanager
def _compressed(file: BinaryIO, compression: str | None) -> Iterator[Any]:
    if compression == "xz":
        with lzma.open(file, "wb") as stream:
            yield stream
    elif compression is not None:
        copy = os.fdopen(os.dup(file.fileno()), "wb")  # Arrow closes what it has written
        with copy, pa.CompressedOutputStream(pa.PythonFile(copy, mode="w"), compression) as stream:
            yield stream
    else:
        yield file


def _cells(rows: Any, delimiter: str) -> bytes:
    """Lines of cells; text has quotes around it only where some of it needs them."""
    for style in ("none", "needed"):
        text = pa.BufferOutputStream()
        options = pa_csv.WriteOptions(include_header=False, delimiter=delimiter, quoting_style=style)
        try:
            pa_csv.write_csv(rows, text, options)
            break
        except pa.ArrowInvalid:  # a cell holds what ends a cell
            continue
    content: bytes = text.getvalue().to_pybytes()
    return content


def _lines(rows: Any) -> bytes:
    import orjson  # noqa: PLC0415  # only for this format

    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows.to_pylist())
