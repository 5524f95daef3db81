"""Results are not written over what they are made of."""

from collections.abc import Iterable
from pathlib import Path

from podium.errors import OutputError
from podium.sources.locations import lists_file
from podium.sources.paths import takes_in

__all__ = ["spare"]


def spare(target: Path | None, sources: Iterable[str | Path | None], *, locations: Path | None = None) -> None:
    """Refuse to write over what is read.

    Parameters
    ----------
    target
        Where to write, or None.
    sources
        What is read, as typed; None where nothing is.
    locations
        A location file, with what it lists; or None.

    Raises
    ------
    OutputError
        The target is one of the files to be read.
    """
    if target is None:
        return
    read = [str(source) for source in sources if source is not None]
    if any(takes_in(source, target) for source in read) or (locations and lists_file(locations, target)):
        raise OutputError(f"{target} is read as input and would be overwritten; choose another place")
