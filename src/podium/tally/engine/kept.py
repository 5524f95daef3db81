"""Tallies that are kept: an engine that looks them up by a digest of what they are counted of, and counts the rest.

The digest is of the content of a stretch, and of what is counted how, by which versions. It knows neither the name nor
the place of the task. So tallies in a folder serve every table that has the same scores in it, and never a changed one.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from podium.base.archive import Archive, write_archive
from podium.base.errors import OutputError
from podium.base.file import replacing
from podium.tally.engine.engine import Engine, Shelf, using
from podium.tally.engine.stretch import Counting, Stretch, Tallies
from podium.tally.engine.version import versions
from podium.tally.moment import Means, Moments

#: Scores of a stretch, times replicates, below which it is counted sooner than looked up and kept.
_LEAST = 2**16

#: Tallies that are counted, once, sooner than the digest of their scores.
_QUICK = frozenset({Means, Moments})

#: Tallies that were found, and wait while others are counted.
_WAITING = 16

#: What stands behind the name of each file of a folder.
_ENDING = ".tally"

#: What the header of such a file calls it.
_KIND = "podium tallies"


@contextmanager
def kept(folder: str | Path) -> Iterator[None]:
    """Keep tallies in a folder, for all that is asked inside the `with` block; so nothing is counted twice.

    Results are the same bytes. It goes together with every engine. Several processes may use the folder at a time. A
    damaged file is counted again, and written anew. Nothing is removed: that is left to whoever owns the folder, who
    may delete any file of it at any time.

    Parameters
    ----------
    folder
        Made where it is not there.

    Raises
    ------
    OutputError
        The folder cannot be made, or a file in it cannot be written.

    Examples
    --------
    >>> import podium, tempfile
    >>> with kept(tempfile.mkdtemp()):
    ...     podium.rank(podium.datasets.toy_table1()).systems[0]
    'C'
    """
    with using(Folder(folder)):
        yield


class Recalling:
    """Looks tallies up, and has another engine count those that are not there.

    Parameters
    ----------
    engine
        What counts.
    shelf
        Where tallies are kept.
    """

    def __init__(self, engine: Engine, shelf: Shelf) -> None:
        self._engine, self._shelf = engine, shelf

    def fold(
        self, counting: Counting, stretches: Iterable[Stretch], tell: Callable[[int], None] | None = None
    ) -> Iterator[tuple[Stretch, Tallies]]:
        """Yield every stretch with its tallies."""
        looked = _Looked(self._shelf, counting, iter(stretches))
        while not looked.ended:
            for stretch, tallies in self._engine.fold(counting, looked.not_there(), tell):
                looked.keep(stretch, tallies)
                yield stretch, tallies
            for stretch, tallies in looked.taken():
                if tell is not None:
                    tell(stretch.size)
                yield stretch, tallies


@dataclass(slots=True, eq=False)
class _Looked:
    """Stretches that are looked up one after the other: a few that were found wait, so that the others are together."""

    shelf: Shelf
    counting: Counting
    rest: Iterator[Stretch]
    ended: bool = False
    found: list[tuple[Stretch, Tallies]] = field(default_factory=list)
    keys: dict[Stretch, str] = field(default_factory=dict)

    def not_there(self) -> Iterator[Stretch]:
        """Yield stretches that must be counted, until enough others wait."""
        for stretch in self.rest:
            tallies = self._look(stretch)
            if tallies is None:
                yield stretch
                continue
            self.found.append((stretch, tallies))
            if len(self.found) == _WAITING:
                return
        self.ended = True

    def _look(self, stretch: Stretch) -> Tallies | None:
        if not is_worth(self.counting, stretch):
            return None
        key = key_of(self.counting, stretch)
        tallies = self.shelf.get(key, self.counting.kinds)
        if tallies is None:
            self.keys[stretch] = key
        return tallies

    def keep(self, stretch: Stretch, tallies: Tallies) -> None:
        """Keep what was counted, where that is worth it."""
        if stretch in self.keys:
            self.shelf.put(self.keys.pop(stretch), tallies)

    def taken(self) -> list[tuple[Stretch, Tallies]]:
        """Return those that wait, which then wait no more."""
        taken, self.found = self.found, []
        return taken


def is_worth(counting: Counting, stretch: Stretch) -> bool:
    """Whether looking a stretch up takes less time than counting it."""
    quick = stretch.each_a_task or (counting.resampling is None and _QUICK.issuperset(counting.kinds))
    return not quick and stretch.size * counting.replicates >= _LEAST


def key_of(counting: Counting, stretch: Stretch) -> str:
    """Return a digest of all that the tallies of a stretch depend on.

    >>> import podium
    >>> from podium.tally.engine.stretch import stretches
    >>> from podium.tally.kernel import PLAIN
    >>> from podium.tally.tie import Ties
    >>> one, other = (next(stretches(podium.from_arrays({"t": [[1, score]]}))) for score in (0, 1))
    >>> len({key_of(Counting((Ties,), PLAIN), stretch) for stretch in (one, other, one)})
    2
    """
    digest = hashlib.sha256()
    arrays = [*stretch.parts, *(one for one in (stretch.weights, stretch.key) if isinstance(one, np.ndarray))]
    about = (
        versions(),
        [f"{kind.__module__}.{kind.__qualname__}" for kind in counting.kinds],
        getattr(counting.kernels, "__name__", "plain"),
        repr(counting.resampling),
        stretch.weights is None,
        None if isinstance(stretch.key, np.ndarray) else repr(stretch.key),
        (stretch.start, stretch.length, repr(float(stretch.tolerance)), stretch.falls),
        [(array.dtype.str, array.shape) for array in arrays],
    )
    digest.update(repr(about).encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:32]


class Folder:
    """A folder of tallies, a file for each stretch, named by its digest.

    Parameters
    ----------
    folder
        Made where it is not there.

    Raises
    ------
    OutputError
        It cannot be made.
    """

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"{folder} cannot be made: {error.strerror}; choose another place") from error

    def get(self, key: str, kinds: Iterable[type[Any]]) -> Tallies | None:
        """Return the tallies of a stretch; None where they are not there, or damaged."""
        try:
            with Archive(self._folder / f"{key}{_ENDING}") as archive:
                return from_arrays(kinds, archive) if archive.header == {"kind": _KIND, "key": key} else None
        except (ValueError, OSError):
            return None

    def put(self, key: str, tallies: Tallies) -> None:
        """Write tallies whole or not at all."""
        with replacing(self._folder / f"{key}{_ENDING}") as file:
            write_archive(file, {"kind": _KIND, "key": key}, as_arrays(tallies))


def as_arrays(tallies: Tallies, before: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the numbers of the tallies of a stretch, which is of one task, by kind and field."""
    for kind, (tally,) in tallies.items():
        for one in fields(kind):  # type: ignore[arg-type]  # every tally is a dataclass
            yield f"{before}{kind.__name__}.{one.name}", np.asarray(getattr(tally, one.name))


class _Named(Protocol):
    def __getitem__(self, name: str, /) -> NDArray[Any]: ...


def from_arrays(kinds: Iterable[type[Any]], arrays: _Named, before: str = "") -> Tallies:
    """Return tallies that are made of their numbers again; a ValueError says that some are damaged or not there."""
    return {
        kind: (kind(*(_plain(arrays[f"{before}{kind.__name__}.{one.name}"]) for one in fields(kind))),)
        for kind in kinds
    }


def _plain(array: NDArray[Any]) -> Any:
    """A number by itself, or an array."""
    return array if array.ndim else array.item()
