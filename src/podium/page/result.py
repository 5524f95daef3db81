"""A page: what a browser runs, with the data of a table, as one HTML file or as a folder."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from podium.base.arrays import Frozen
from podium.base.check import checked_path
from podium.base.errors import OutputError
from podium.base.file import write
from podium.page.shell import in_one_file, save_folder


@dataclass(frozen=True, slots=True, eq=False)
class Page(Frozen):
    """A leaderboard that its reader can ask, as one file that needs no server and no network.

    Attributes
    ----------
    data
        What the leaderboard needs, as `podium.page.bundle.packed` made it.
    more
        What other views need besides, by name: "difficulty" and "instances", where they are in the page.
    notes
        What to know before trusting it, in words.
    holds
        What is in it, in words.

    Examples
    --------
    >>> import podium
    >>> made = podium.make_page(podium.datasets.xtreme_missing(), title="XTREME", replicates=40)
    >>> len(made.html) < 450_000
    True
    """

    data: bytes
    more: Mapping[str, bytes]
    notes: tuple[str, ...]
    holds: str

    @property
    def html(self) -> str:
        """The file. Data are base64 text, in which nothing can be taken for markup."""
        return in_one_file({"data": self.data, **self.more})

    def save(self, path: str | Path) -> None:
        """Write one file that works from a disk, whole or not at all; or fill a folder for a web server.

        Browsers fetch a file of the folder when they need it: first what the leaderboard needs.

        Parameters
        ----------
        path
            Name of the file; or of a folder, with a slash behind it where it is not there yet.

        Raises
        ------
        OutputError
            It cannot be written.
        """
        target = checked_path("path", path, error=OutputError)
        parts = {"data": self.data, **self.more}
        if target.is_dir() or str(path).endswith(("/", os.sep)):
            save_folder(target, parts)
        else:
            write(in_one_file(parts), target)
