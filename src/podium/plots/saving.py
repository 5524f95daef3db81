"""Pictures as files: SVG, PDF or PNG, the same bytes for the same picture."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.errors import OutputError
from podium.plots.needs import check_installed
from podium.writing import check_writable, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["check_picture", "save"]

#: Suffixes, and what would differ from one time to the next.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {},
}

#: Names of parts that do not change; letters as outlines in SVG, as fonts in PDF.
_FIXED: Any = {"svg.hashsalt": "podium", "svg.fonttype": "path", "pdf.fonttype": 42}

#: Dots per inch of PNG.
_RESOLUTION = 200


def check_picture(path: Path) -> None:
    """Find out before the work whether a picture can be written into a file after it.

    Raises
    ------
    OutputError
        The suffix is of no known format, or the file cannot be written.
    """
    if path.suffix.lower() not in _METADATA:
        raise OutputError(f"{path}: a picture cannot be written as {path.suffix!r}; use one of {', '.join(_METADATA)}")
    check_writable(path)


def save(ax: "Axes", path: str | Path) -> None:
    """Write the figure of some axes as SVG, PDF or PNG, as the suffix says; the file is whole or not there.

    Parameters
    ----------
    ax
        What a function of `podium.plots` returned, or other axes.
    path
        File.

    Raises
    ------
    OutputError
        The suffix is of no known format, or the file cannot be written.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium, tempfile
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores, confidence=0.95)
    >>> path = Path(tempfile.mkdtemp()) / "ranks.svg"
    >>> save(podium.plots.rank_intervals(ranking), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    check_installed()
    target = Path(path)
    check_picture(target)
    from matplotlib import rc_context  # noqa: PLC0415  # an extra

    figure = ax.get_figure(root=True)
    if figure is None:
        raise OutputError(f"{target}: the axes were removed from their figure, so there is nothing to write")
    suffix = target.suffix.lower()
    content = BytesIO()
    with rc_context(_FIXED):
        figure.savefig(content, format=suffix[1:], dpi=_RESOLUTION, bbox_inches="tight", metadata=_METADATA[suffix])
    write(content.getvalue(), target)
