"""What is kept of an interrupted run, beside its output."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from podium.cli.destination import Destination

__all__ = ["Partial"]


@dataclass(frozen=True, slots=True)
class Partial:
    """A file that a run is kept in until it is done.

    Attributes
    ----------
    path
        File, or None where nothing is kept.
    """

    path: Path | None

    @classmethod
    def beside(cls, output: Path | None) -> Self:
        """Name it after the output, unless that is none, a device or a pipe.

        >>> Partial.beside(Path("difficulty.parquet")).path.name
        'difficulty.parquet.partial'
        """
        if output is None or (output.exists() and not output.is_file()):
            return cls(None)
        return cls(output.with_name(f"{output.name}.partial"))

    def announce(self, destination: Destination) -> None:
        """Say that an earlier run is gone on with."""
        if self.path is not None and self.path.exists():
            destination.mention(f"going on from {self.path}")

    @contextmanager
    def kept(self, destination: Destination) -> Iterator[None]:
        """Say, when work is interrupted, that it is not lost."""
        try:
            yield
        except KeyboardInterrupt:
            if self.path is not None and self.path.exists():
                destination.mention(f"what is done is kept in {self.path}; the same command goes on from it")
            raise

    def remove(self) -> None:
        """Remove it, when the result is written."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
