"""How far work is: a bar on a terminal, a line now and then elsewhere, and a file for programs."""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

#: Work shorter than this, in seconds, needs no bar.
_PATIENCE = 1.0

#: Seconds between two notes of how far it is: in the file that PODIUM_PROGRESS names, and in a pipe.
_OFTEN, _SELDOM = 0.2, 10.0

#: Where Dask shows its workers, once it is said.
_links: set[str] = set()


class Bar:
    """Shows how far reading or counting is: on a terminal by a bar after a second, elsewhere by a line now and then.

    Parameters
    ----------
    label
        What is being done.
    quiet
        Never show anything.
    """

    #: Whether one is there.
    open: ClassVar[bool] = False

    def __init__(self, label: str, *, quiet: bool = False) -> None:
        self._label = label
        self._told = os.environ.get("PODIUM_PROGRESS")
        self._silent = quiet or not sys.stderr.isatty()
        self._writes = self._silent and not quiet and not self._told
        self._share, self._ended = "", Event()
        self._next = 0.0
        self._began = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def __enter__(self) -> Self:
        Bar.open = True
        if self._writes:
            Thread(target=self._write, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        Bar.open = False
        self._ended.set()
        if self._drawn is not None:
            self._drawn[0].stop()

    def _write(self) -> None:
        """Write a line every ten seconds, also while nothing is told."""
        while not self._ended.wait(_SELDOM):
            _say(f"{self._label}: {self._share}{time.monotonic() - self._began:.0f} s so far")

    def __call__(self, done: int, total: int | None) -> None:
        """Tell how much is done."""
        self._share = f"{done / total:.0%}, " if total and done < total else ""
        if self._told and total and time.monotonic() >= self._next:
            self._next = time.monotonic() + _OFTEN
            with suppress(OSError):  # who wants to know may be gone
                Path(self._told).write_text(f"{done} {total}", encoding="utf-8")
        if self._silent or (self._drawn is None and time.monotonic() - self._began < _PATIENCE):
            return
        if self._drawn is None:
            self._drawn = self._draw()
        progress, task = self._drawn
        progress.update(task, completed=done, total=total)

    def _draw(self) -> "tuple[Progress, TaskID]":
        from rich.console import Console  # noqa: PLC0415  # loaded by long work only
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

        from podium.base.cluster import in_force  # noqa: PLC0415  # loads NumPy

        if (cluster := in_force()) is not None:  # whose own bar would go to standard output, among results
            link = cluster.client.dashboard_link
            if link not in _links:
                _links.add(link)
                _say(f"note: Dask shows what workers do at {link}")
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,  # a result goes where the user sent it; a warning is shown above the bar
        )
        progress.start()
        return progress, progress.add_task(self._label, total=None)


def _say(sentence: str) -> None:
    """Write a line on standard error; if that is full, or its reader is gone, work goes on."""
    with suppress(OSError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
