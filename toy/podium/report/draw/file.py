"""Pictures as files: SVG, PDF or PNG, the same bytes for the same picture."""

import importlib.util
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podium.base.errors import MissingExtraError, OutputError
from podium.base.file import check_writable, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def check_installed() -> None:
    """Find out whether pictures can be drawn.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "a picture")


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


def save(axes: "Axes | Sequence[Axes]", path: str | Path) -> None:
    """Write the figure of some axes as SVG, PDF or PNG, as the suffix says; the file is whole or not there.

    Parameters
    ----------
    axes
        What a function of `podium.plots` returned, or other axes; of several, all of the figure of the first.
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
    write(_content(axes, target.suffix.lower(), f"{target}: "), target)


def to_svg(axes: "Axes | Sequence[Axes]") -> str:
    """Figure of some axes as the text of an SVG file, as `podium.report.format.html` takes it.

    Parameters
    ----------
    axes
        As in `save`.

    Raises
    ------
    OutputError
        The axes are of no figure.
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> to_svg(podium.plots.bump(podium.agree(podium.datasets.toy_table1())))[:5]
    '<?xml'
    """
    check_installed()
    return _content(axes, ".svg", "").decode()


def _content(axes: "Axes | Sequence[Axes]", suffix: str, place: str) -> bytes:
    """Bytes of a file; `place` begins an error."""
    from matplotlib import rc_context  # noqa: PLC0415  # an extra

    first = axes[0] if isinstance(axes, Sequence) else axes
    figure = first.get_figure(root=True)
    if figure is None:
        raise OutputError(f"{place}the axes were removed from their figure, so there is nothing to write")
    content = BytesIO()
    with rc_context(_FIXED):
        figure.savefig(content, format=suffix[1:], dpi=_RESOLUTION, bbox_inches="tight", metadata=_METADATA[suffix])
    return content.getvalue()
