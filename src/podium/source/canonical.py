"""The canonical long table, which `podium convert` writes: its columns and rows, how they are written, and read again.

Such a table says all that a ranking depends on. So its weights count without being asked for, each task has the
direction that stands beside it, and no task is taken for an average of others. Its rows are in such an order that
reading them gives the same scores.
"""

import csv
import io
import lzma
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, from_numpy, same, texts
from podium.base.check import matching
from podium.base.errors import OutputError
from podium.base.parallel import Progress
from podium.score.repeat import Statistic
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.direction import DIRECTIONS
from podium.source.file import by_ending
from podium.source.recognise import Layout, ReadSpec, Unused
from podium.source.table import ReadPlan, SourceTable

#: Instances whose labels are text, though all are numbers, in files that hold nothing but text.
TEXT_INSTANCE = "instance_label"

#: Columns in their order; what follows them are covariates.
COLUMNS = (
    *("task", "system", "instance", TEXT_INSTANCE, "repeat", "score", "weight", "cluster", "direction", "statistic"),
    "family",
)


def is_canonical(names: Sequence[str]) -> bool:
    """Return whether a table with these columns may be one that podium wrote.

    >>> is_canonical(["task", "system", "score", "direction"]), is_canonical(["task", "system", "score"])
    (True, False)
    """
    return list(names[:2]) == ["task", "system"] and {"score", "direction"} <= set(names)


def is_canonical_file(source: Any) -> bool:
    """Return whether a source is one Parquet file here that podium wrote, by its columns.

    >>> is_canonical_file("nowhere.parquet")
    False
    """
    listed = source if isinstance(source, list | tuple) else [source]
    if len(listed) != 1 or not isinstance(listed[0], str | Path):
        return False
    path = Path(listed[0]).expanduser()
    if path.suffix.lower() not in {".parquet", ".pq"} or not path.is_file():
        return False
    from pyarrow import ArrowException  # noqa: PLC0415  # only to read
    from pyarrow.parquet import read_schema  # noqa: PLC0415  # the same

    try:
        return is_canonical(read_schema(path).names)
    except (OSError, ArrowException):  # the reader explains why
        return False


def canonical_layouts(tables: Sequence[SourceTable], spec: ReadSpec) -> tuple[list[Layout], str | None] | None:
    """Return the roles of the columns, and the statistic of repeats; None unless podium wrote all of the tables.

    A table for which the caller names columns is read as any other.
    """
    if spec.columns or spec.layout == "wide" or not all(is_canonical(table.names) for table in tables):
        return None
    if any(not head(table, "direction") <= set(DIRECTIONS) for table in tables):
        return None
    statistics = [word for table in tables if "statistic" in table.names for word in head(table, "statistic")]
    return [_canonical_layout(table, spec.covariates) for table in tables], min(statistics, default=None)


def _canonical_layout(table: SourceTable, patterns: Sequence[str] | None) -> Layout:
    names = table.names
    others = {column.name: column.kind for column in table.columns if column.name not in COLUMNS}
    covariates = [name for name, kind in others.items() if kind not in {"text", "nested"}]
    unused = [name for name in others if name not in covariates]  # somebody added them
    roles = {name: name for name in COLUMNS if name in names and name != "statistic"}
    if (text := roles.pop(TEXT_INSTANCE, None)) is not None:
        roles.setdefault("instance", text)
    beside = tuple(covariates if patterns is None else matching("column", patterns, covariates))
    return Layout.of(roles, covariates=beside, notes=(Unused(unused),) if unused else ())


def head(table: SourceTable, column: str) -> set[str]:
    """Return words in the first rows of a column of labels."""
    first = next(iter(table.batches(ReadPlan((column,), ()))), None)
    return set() if first is None else {str(word) for word in first.rows.column(column).unique().to_pylist()}


#: Cells, scored or missing, that become rows at once; and rows that are handed on together, as far as there are more.
_CELLS, _ROWS = 2**20, 2**17

_INTEGER = re.compile(r"-?\d+(\.0)?")


class LongTable:
    """Rows of scores, task by task, system by system.

    A missing score has a row only where its task, system or instance has no other, or a covariate is known.

    Parameters
    ----------
    scores
        The scores.
    format
        What they are written as: "csv" and "tsv" do not tell text from numbers, and only "parquet" and "feather" have
        single precision.

    Attributes
    ----------
    schema
        Arrow schema of the rows.

    Raises
    ------
    OutputError
        A covariate has the name of another column.
    """

    def __init__(self, scores: Scores, format: str) -> None:  # noqa: A002  # the word people use
        self._scores = scores
        self.schema = pa.schema(list(_columns(scores, format)))

    def pieces(self, progress: Progress | None = None) -> Iterator[Any]:
        """Yield the rows, as Arrow tables of some size."""
        waiting: list[Any] = []
        done, total = 0, self._scores.n_cells
        for task, systems, instances, scores, there in _blocks(self._scores):
            made = _columns_of_block(task, self._scores.systems[systems], instances, scores, there)
            for name, covariate in task.covariates.items():
                made[name] = partial(_covariate, covariate[systems, instances], there)
            unknown = partial(pa.nulls, int(np.count_nonzero(there)))
            columns = [made.get(field.name, unknown)().cast(field.type) for field in self.schema]
            waiting.append(pa.Table.from_arrays(columns, schema=self.schema))
            done += there.shape[0] * there.shape[1]
            if done == total or sum(len(rows) for rows in waiting) >= _ROWS:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting = []
            if progress is not None:
                progress(done, total)


def _columns(scores: Scores, format: str) -> Iterator[tuple[str, Any]]:  # noqa: A002  # as above
    """Yield names and types of the columns."""
    tasks, text, number = scores.tasks, pa.string(), pa.float64()
    covariates = dict.fromkeys(name for task in tasks for name in task.covariates)
    if taken := [name for name in covariates if name in COLUMNS]:
        raise OutputError(f"covariate {taken[0]!r} has the name of another column; read it under another name")
    statistics = {task.repeats.statistic.name for task in tasks if task.repeats is not None}
    single = format in {"parquet", "feather"} and all(part.dtype == np.float32 for task in tasks for part in task.parts)
    yield from (("task", text), ("system", text))
    if any(task.instances is not None or task.n_instances > 1 for task in tasks):
        yield _instances(tasks, format)
    if statistics:
        yield "repeat", pa.int64()
    yield "score", pa.float32() if single else number
    if any(task.instance_weights is not None for task in tasks):
        yield "weight", number
    if any(task.clusters is not None for task in tasks):
        yield "cluster", text
    yield "direction", text
    if statistics - {Statistic().name}:
        yield "statistic", text
    if any(task.family is not None for task in tasks):
        yield "family", text
    yield from ((name, number) for name in covariates)


def _instances(tasks: Sequence[Task], format: str) -> tuple[str, Any]:  # noqa: A002  # as above
    """Name and type of the column of instances."""
    labels = [task.instances for task in tasks if task.instances is not None]
    if all(one.dtype.kind in "iu" for one in labels):
        return "instance", pa.int64()
    look_like_numbers = all(_INTEGER.fullmatch(str(label)) for one in labels for label in one)
    return (TEXT_INSTANCE if look_like_numbers and format in {"csv", "tsv"} else "instance"), pa.string()


def _columns_of_block(
    task: Task, systems: Sequence[str], kept: slice, scores: NDArray[Any], there: Bools
) -> dict[str, Callable[[], Any]]:
    """Make Arrow columns of some systems on the `kept` instances of a task; `there` says which scores have a row."""
    places = np.nonzero(there)
    system, instance = map(from_numpy, places[:2])
    labels: Any = np.arange(task.n_instances) if task.instances is None else task.instances
    labels = labels[kept]
    weights = np.ones(task.n_instances) if task.instance_weights is None else task.instance_weights
    statistic = Statistic() if task.repeats is None else task.repeats.statistic
    words = {
        "task": task.name,
        "direction": DIRECTIONS[0] if task.higher_is_better else DIRECTIONS[1],
        "statistic": statistic.name,
        "family": task.family or "",
    }

    def instances() -> Any:
        whole = labels.dtype.kind in "iu"
        return (from_numpy(labels.astype(np.int64)) if whole else texts(list(labels))).take(instance)

    def clusters() -> Any:
        if task.clusters is None:  # an instance without one is a cluster of its own
            return texts([f"{task.name}: {label}" for label in labels.tolist()]).take(instance)
        return texts([task.clusters.names[number] for number in task.clusters.numbers[kept].tolist()]).take(instance)

    return {
        **{name: partial(same, word, places[0].size) for name, word in words.items()},
        "system": lambda: texts(list(systems)).take(system),
        "instance": instances,
        TEXT_INSTANCE: instances,
        "repeat": lambda: from_numpy(places[2] + 1 if there.ndim == 3 else np.ones(places[0].size, dtype=np.int64)),
        "score": lambda: from_numpy(scores[there], nan_is_null=True),
        "weight": lambda: from_numpy(weights[kept]).take(instance),
        "cluster": clusters,
    }


def _covariate(known: Floats, there: Bools) -> Any:
    """Return values of a covariate, of repeats at the first alone."""
    values = np.full(there.shape, np.nan)
    (values if values.ndim == 2 else values[:, :, 0])[...] = known
    return from_numpy(values[there], nan_is_null=True)


def _blocks(scores: Scores) -> Iterator[tuple[Task, slice, slice, NDArray[Any], Bools]]:
    """Cut a table, so that tasks, systems and instances first appear in their order.

    Yield a task, some of its systems and instances, their scores (and repeats), and which of these have a row.
    """
    for place, task in enumerate(scores.tasks):
        start = 0
        for part in task.parts:
            stop = start + part.shape[1]
            values = part if task.repeats is None else task.repeats.values[:, start:stop]
            step = max(_CELLS // max(values[0].size, 1), 1)
            nobody = np.isnan(part).all(axis=0)
            for first in range(0, len(values), step):
                chosen = values[first : first + step]
                there = ~np.isnan(chosen)
                once = there if there.ndim == 2 else there[:, :, 0]
                if first == 0:
                    once[0] |= nobody
                if first == start == 0 and there.ndim == 3:
                    there[0, 0] = True  # all repeats; there may be more than any system has
                if place == start == 0:
                    once[:, 0] |= ~once.any(axis=1)
                for covariate in task.covariates.values():
                    once |= ~np.isnan(covariate[first : first + step, start:stop])
                yield task, slice(first, first + len(chosen)), slice(start, stop), chosen, there
            start = stop


#: Formats that are written; and those in which numbers are text.
_WRITTEN, FORMATS_OF_TEXT = ("parquet", "feather", "csv", "tsv", "jsonl"), ("csv", "tsv", "jsonl")


def lost_of(scores: Scores, *, text: bool) -> list[str]:
    """Return what rankings depend on, and a long table does not hold."""
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
    """Return the format and compression of a file that is to be written.

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
    if found not in _WRITTEN or packed or Path(path).suffix.lower() == ".json":
        what = f"{path}: name a file that ends in .parquet, .feather, .csv, .tsv or .jsonl"
        raise OutputError(f"{what}; text also with .gz, .zst, .bz2 or .xz behind it")
    return found, compression


def _is_rounded(task: Task) -> bool:
    """Return whether scores in single precision are rounded, so that ties within a tolerance depend on it."""
    return any(part.dtype == np.float32 and (np.nan_to_num(part) % 0.25 != 0).any() for part in task.parts)


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
            import orjson  # noqa: PLC0415  # only for this format

            def write_lines(rows: Any) -> object:
                lines = (orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows.to_pylist())
                return stream.write(b"".join(lines))

            yield write_lines
        elif format == "parquet":
            import pyarrow.parquet as pq  # noqa: PLC0415  # only for this format

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
    """Return lines of cells; text has quotes around it only where some of it needs them."""
    import pyarrow.csv as pa_csv  # noqa: PLC0415  # only for this format

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
