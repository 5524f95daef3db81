"""Embeddings from NumPy's own files, one row per row of a table."""

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from podium.errors import InputError
from podium.wording import counted

__all__ = ["read_embeddings"]

#: Rows that are checked together.
_STRETCH = 2**14


def read_embeddings(path: str | Path, n_rows: int, table: str) -> NDArray[Any]:
    """Map a .npy file into memory, or load the one array of an .npz file.

    Parameters
    ----------
    path
        The file.
    n_rows
        Rows that it must have.
    table
        What errors call the table whose rows they are.

    Returns
    -------
    NDArray
        Shape `(n_rows, D)`: finite numbers.

    Raises
    ------
    InputError
        There is no such file, or it does not hold that.
    """
    named = Path(path).expanduser()
    array = _loaded(named)
    if array.dtype.kind not in "fiu" or array.ndim != 2 or array.shape[1] == 0:
        raise InputError(
            f"{named}: embeddings must be numbers in two dimensions, one row per row of {table}, and this array has "
            f"shape {array.shape} and holds {array.dtype}"
        )
    if array.shape[0] != n_rows:
        raise InputError(
            f"{named} has {counted(array.shape[0], 'row')} and {table} has {counted(n_rows, 'row')}; they must be as "
            "many, in the same order"
        )
    for start in range(0, n_rows, _STRETCH):
        finite = np.isfinite(array[start : start + _STRETCH]).all(axis=1)
        if not finite.all():
            raise InputError(
                f"{named}, row {start + int(finite.argmin()) + 1}: the embedding is not finite; compute it anew"
            )
    return array


def _loaded(path: Path) -> NDArray[Any]:
    try:
        with path.open("rb") as raw:
            if raw.read(2) != b"PK":
                return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            raw.seek(0)
            return _only(path, np.load(raw, allow_pickle=False))
    except FileNotFoundError as error:
        raise InputError(f"there is no file {str(path)!r} with embeddings") from error
    except (OSError, EOFError, ValueError, BadZipFile) as error:
        raise InputError(f"{path} is damaged, or no .npy or .npz file of numbers; write it with numpy.save") from error


def _only(path: Path, archive: Any) -> NDArray[Any]:
    """The array of an archive that has one."""
    if len(archive.files) != 1:
        raise InputError(f"{path} holds {counted(len(archive.files), 'array')}; write one, of the embeddings")
    return np.asarray(archive[archive.files[0]])
