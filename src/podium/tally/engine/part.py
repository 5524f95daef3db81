"""Parts: shares of all that a question has counted, by jobs that know nothing of each other, in a file each.

A job counts its share of the stretches of a table, and writes their tallies under their digests (`kept.py`). Whoever
has all files asks the question again, with these tallies on the shelf. So there is no second way to an answer.
"""

import hashlib
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from podium.base.archive import Archive, write_archive
from podium.base.errors import MethodError, OutputError, warn
from podium.base.file import replacing
from podium.base.parallel import Progress
from podium.score.table import Scores
from podium.score.units import instance_set
from podium.tally.engine.count import Demand, adding_up
from podium.tally.engine.engine import in_force
from podium.tally.engine.kept import Recalling, as_arrays
from podium.tally.engine.local import Local
from podium.tally.engine.stretch import Stretch, Tallies
from podium.tally.engine.version import versions

#: What stands behind the name of each file.
ENDING = ".part"

#: The most digits of a number of parts: a million parts are more than queues have jobs.
_DIGITS = 6

#: What the header of a file calls it.
KIND = "podium part"


@dataclass(frozen=True, slots=True)
class Part:
    """One of n parts, numbered from 1.

    Examples
    --------
    >>> Part.typed("3/16")
    Part(number=3, of=16)
    >>> Part.typed("0/16")
    Traceback (most recent call last):
    podium.errors.MethodError: the part is '0/16'; write NUMBER/PARTS, such as 1/16 for the first of 16
    """

    number: int
    of: int

    @classmethod
    def typed(cls, text: str) -> Self:
        """Read NUMBER/PARTS.

        Raises
        ------
        MethodError
            It is something else.
        """
        number, _, of = text.partition("/")
        if number.isdecimal() and of.isdecimal() and max(len(number), len(of)) > _DIGITS:
            raise MethodError(f"the part is {text[:20]!r}; there are at most {10**_DIGITS - 1:,} parts")
        if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
            raise MethodError(f"the part is {text!r}; write NUMBER/PARTS, such as 1/16 for the first of 16")
        return cls(int(number), int(of))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def share(self, cut: Iterable[Stretch], total: int) -> Iterator[Stretch]:
        """Yield the stretches of this part, neighbours in the table: those whose middle lies in its share of scores.

        >>> import podium
        >>> from podium.tally.engine.stretch import stretches
        >>> scores = podium.from_arrays({name: [[1, 0], [0, 1]] for name in "abc"})
        >>> [[stretch.task for stretch in Part(number, 2).share(stretches(scores), 12)] for number in (1, 2)]
        [[0], [1, 2]]
        """
        before = 0
        for stretch in cut:
            middle = 2 * before + stretch.size
            before += stretch.size
            if middle * self.of // (2 * total) == self.number - 1:
                yield stretch


@dataclass(frozen=True, slots=True)
class PartQuestion:
    """What parts are counted for.

    Attributes
    ----------
    asked
        All that the answer depends on beside the table, by name, as plain values.
    command
        What asks it, without the part and the folder.
    table
        Digest of the table, see `digest_of`.
    made
        Versions of what counts.
    """

    asked: Mapping[str, Any]
    command: str
    table: str
    made: Mapping[str, str] = field(default_factory=versions)

    def name_of(self, part: Part) -> str:
        """Name of the file of a part; other settings, tables and versions have other names."""
        about = json.dumps([self.asked, self.table, self.made, part.of], sort_keys=True)
        return f"{hashlib.sha256(about.encode()).hexdigest()[:16]}-{part.number}-of-{part.of}{ENDING}"

    def command_of(self, part: Part, folder: Path) -> str:
        """Return what makes a part."""
        return f"{self.command} --part {part} -o {shlex.quote(str(folder))}"


def digest_of(scores: Scores) -> str:
    """Return a digest of all that rankings of a table depend on: scores, labels, directions, weights and clusters.

    >>> import podium
    >>> one, other = podium.from_dict({"A": {"t": 1}, "B": {"t": 0}}), podium.from_dict({"A": {"t": 1}, "B": {"t": 1}})
    >>> digest_of(one) == digest_of(one), digest_of(one) == digest_of(other)
    (True, False)
    """
    digest = hashlib.sha256(repr((scores.systems, float(scores.tie_tolerance))).encode())
    for task in scores.tasks:
        clusters = None if task.clusters is None else task.clusters.hashes[task.clusters.numbers]
        repeats = None if task.repeats is None else task.repeats.values
        arrays = [one for one in (*task.parts, task.instance_weights, clusters, repeats) if one is not None]
        about = task.name, task.higher_is_better, float(task.weight), instance_set(task)
        digest.update(repr((about, [(array.dtype.str, array.shape) for array in arrays])).encode())
        for array in arrays:
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:32]


def write_part(
    folder: Path,
    part: Part,
    question: PartQuestion,
    demands: Sequence[Demand],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> tuple[Path, int | None]:
    """Count a part and write it, whole or not at all; unless it is there.

    Parameters
    ----------
    folder
        Made where it is not there.
    part, question
        Which part, and of what.
    demands
        All that the question has counted. What is counted sooner than sent is left out.
    threads, progress
        As for `count`.

    Returns
    -------
    Its file, and how many tallies it holds; None where it was there.

    Raises
    ------
    OutputError
        It cannot be written.
    """
    path = folder / question.name_of(part)
    if path.exists():
        if is_whole(path):
            return path, None
        warn(f"{path} was damaged, and is counted anew")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}; choose another place") from error
    header = {"kind": KIND, "part": part.number, "parts": part.of, **asdict(question)}
    work = [demand for demand in demands if not demand.small]
    total = sum(demand.scores.n_cells for demand in work) // part.of
    taken = _Taken()
    with replacing(path) as file:
        tell = None if progress is None else adding_up(progress, total)
        write_archive(file, header, _counted(part, work, taken, threads, tell))
    return path, len(taken.keys)


def _counted(part: Part, demands: Sequence[Demand], taken: "_Taken", threads: int | None, tell: Any) -> Any:
    """Count a share of what is demanded, and yield the numbers of the tallies by digest, kind and field."""
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is work

    engine = Recalling(in_force() or Local(threads), taken)
    for demand in demands:
        share = part.share(demand.cut(), demand.scores.n_cells)
        drawn = demand.resampling is not None
        with threadpool_limits(limits=1, user_api="blas") if drawn else nullcontext():  # as `in_runs` does
            for _ in engine.fold(demand.counting, share, tell):
                for key, tallies in taken.fresh():
                    yield from as_arrays(tallies, f"{key}/")


@dataclass(slots=True, eq=False)
class _Taken:
    """A shelf from which tallies go into a file; it gives none back."""

    keys: set[str] = field(default_factory=set)
    _fresh: list[tuple[str, Tallies]] = field(default_factory=list)

    def get(self, key: str, kinds: Iterable[type[Any]]) -> None:
        """Return None: all are counted."""

    def put(self, key: str, tallies: Tallies) -> None:
        """Take tallies, those of equal stretches once."""
        if key not in self.keys:
            self.keys.add(key)
            self._fresh.append((key, tallies))

    def fresh(self) -> list[tuple[str, Tallies]]:
        """Return what was not yet written."""
        fresh, self._fresh = self._fresh, []
        return fresh


def is_whole(path: Path) -> bool:
    """Whether a file can be read to its end, and every checksum is right."""
    try:
        with Archive(path) as archive:
            archive.check()
    except (ValueError, OSError):
        return False
    return True
