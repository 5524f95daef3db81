"""Arrow files and streams, Feather among them."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from podium.base.errors import InputError
from podium.source.format.arrow import column_of
from podium.source.path import DAMAGE, File
from podium.source.table import Batch, ReadPlan, check_names

#: Bytes of a row, to guess how many there are.
_ROW = 24


class FeatherTable:
    """An Arrow IPC file or stream.

    Parameters
    ----------
    file
        Where it is.

    Raises
    ------
    InputError
        It is damaged, or names a column twice.
    """

    def __init__(self, file: File) -> None:
        self.name = file.name
        self.size = file.size
        self.n_rows = file.size // _ROW
        self._file = file
        try:
            head = next(self._batches(), None)
            schema = self._opened().schema
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error
        check_names(file.name, schema.names)
        self.columns = tuple(
            column_of(field.name, field.type, pa.array([]) if head is None else head.column(index)[:100])
            for index, field in enumerate(schema)
        )

    def _opened(self) -> Any:
        source = self._file.open_random()
        if source.read(6) == b"ARROW1":
            source.seek(0)
            return ipc.open_file(source)
        source.seek(0)
        return ipc.open_stream(source)

    def _batches(self) -> Iterator[Any]:
        reader = self._opened()
        if hasattr(reader, "num_record_batches"):
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)
        else:
            yield from reader

    def _damaged(self, error: BaseException) -> InputError:
        if self._file.size == 0:
            return InputError(f"{self.name} is empty")
        reason = str(error).strip().partition("\n")[0]
        return InputError(
            f"{self.name} is damaged or not an Arrow or Feather file: {reason}; write or download it again"
        )

    def find_columns(self) -> None:
        """All columns are known."""

    def batches(self, plan: ReadPlan) -> Iterator[Batch]:
        """Read the columns of the plan, in order."""
        first = 0
        try:
            for rows in self._batches():
                yield Batch(rows.select(plan.columns), first, min(1.0, (first + rows.num_rows) * _ROW / self.size))
                first += rows.num_rows
        except (pa.ArrowException, *DAMAGE) as error:
            raise self._damaged(error) from error

    def where(self, row: int) -> str:
        """Count rows from 1."""
        return f"row {row + 1}"
