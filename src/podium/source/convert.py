"""Write scores as one long table, piece by piece, from which the same scores are read again."""

import csv
import io
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from podium.base.errors import OutputError, warn
from podium.base.file import replacing
from podium.base.parallel import Progress
from podium.base.words import LONG, with_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.file import by_ending
from podium.source.given import ScoresLike, as_scores

#: Formats that are written; and those in which numbers are text.
_FORMATS, _OF_TEXT = ("parquet", "feather", "csv", "tsv", "jsonl"), ("csv", "tsv", "jsonl")


def convert(scores: "ScoresLike", path: str | Path, *, progress: Progress | None = None) -> Scores:
    """Write scores as one long table: a row per score, with all that a ranking depends on.

    Columns are task, system, score and direction ("higher" or "lower"); where there are any also instance, repeat,
    weight (of the instance), cluster, the statistic of repeats, the family of the task, and covariates. `read`
    recognises such a table by these columns, and rankings of it are the same to the last digit. A score is empty if it
    is missing.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, such as a folder that a tool wrote, a frame, a dictionary or arrays, see
        `podium.ScoresLike`.
    path
        File that ends in .parquet, .feather, .csv, .tsv or .jsonl; text also in .gz, .zst, .bz2 or .xz behind it. It is
        written whole or not at all.
    progress
        Called with the number of cells written, scored or missing, and the number there are.

    Returns
    -------
    Scores
        What was written.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    OutputError
        The file cannot be written, its ending names no format, or a covariate has the name of another column.

    Warns
    -----
    PodiumWarning
        The table does not hold something that rankings depend on, such as weights of tasks.

    Examples
    --------
    >>> import tempfile
    >>> import podium
    >>> path = Path(tempfile.mkdtemp(), "scores.csv")
    >>> podium.convert({"A": {"rte": 0.7}, "B": {"rte": None}}, path)
    Scores(2 systems × 1 task, 1 of 2 scores missing)
    >>> print(path.read_text())
    task,system,score,direction
    rte,A,0.7,higher
    rte,B,,higher
    <BLANKLINE>
    """
    format, compression = format_of(path)  # noqa: A001  # the word people use
    scores = as_scores(scores)
    from podium.source.canonical import LongTable  # noqa: PLC0415  # the same

    table = LongTable(scores, format)
    if lost := lost_of(scores, text=format in _OF_TEXT):
        warn(with_names("the table does not hold ", lost, ", without which it may rank otherwise", room=LONG))
    with replacing(Path(path)) as file, _writing(file, format, compression, table.schema) as write:
        for rows in table.pieces(progress):
            write(rows)
    return scores


def lost_of(scores: Scores, *, text: bool) -> list[str]:
    """What rankings depend on, and a long table does not hold."""
    tasks = scores.tasks
    there = {
        "weights of tasks": (scores.task_weights != 1).any(),
        f"the tie tolerance {scores.tie_tolerance:g}": scores.tie_tolerance > 0,
        "single precision": text and any(map(_is_rounded, tasks)),
        "blanks around names": any(name != name.strip() for name in (*scores.systems, *scores.task_names)),
        "that instances have no labels": any(task.instances is None and task.n_instances > 1 for task in tasks),
    }
    return [what for what, is_there in there.items() if is_there]


def format_of(path: str | Path) -> tuple[str, str | None]:
    """Format and compression of a file that is to be written.

    Raises
    ------
    OutputError
        Its ending names no format that podium writes tables in.

    Examples
    --------
    >>> format_of("scores.csv.gz")
    ('csv', 'gzip')
    """
    found, compression = by_ending(Path(path).name)
    packed = compression is not None and found in {"parquet", "feather"}
    if found not in _FORMATS or packed or Path(path).suffix.lower() == ".json":
        raise OutputError(
            f"{path}: name a file that ends in .parquet, .feather, .csv, .tsv or .jsonl; text also with .gz, .zst, "
            ".bz2 or .xz behind it"
        )
    return found, compression


def _is_rounded(task: Task) -> bool:
    """Whether scores in single precision are rounded, so that ties within a tolerance depend on it."""
    return any(part.dtype == np.float32 and (np.nan_to_num(part) % 0.25 != 0).any() for part in task.parts)


@contextmanager
def _writing(
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
