"""Pictures as files: whole, the same every time, and with names in any writing."""

import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, filterwarnings

from podium.base.check import checked_path
from podium.base.errors import OutputError, warn
from podium.base.file import check_writable, write
from podium.report.draw.canvas import check_installed
from podium.report.draw.lettering import boxes_for, lacking, room_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

#: Suffixes, and what files say of themselves: who wrote them, by which they are known again, and not when.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Creator": "podium", "Date": None},
    ".pdf": {"Creator": "podium", "CreationDate": None},
    ".png": {"Software": "podium"},
}

#: Suffixes of pictures.
PICTURES = frozenset(_METADATA)

#: Names of parts that do not change; words as text in SVG, to be found and copied; fonts in PDF.
_FIXED: Any = {"svg.hashsalt": "podium", "svg.fonttype": "none", "pdf.fonttype": 42}

#: Dots per inch of PNG, and what is left free around a picture, in inches.
_RESOLUTION, _PAD = 200, 0.1

#: A text of an SVG file: what begins it, and what it says.
_TEXT = re.compile(rb"(<text\b[^>]*>)([^<]*)")


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
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> path = Path(tempfile.mkdtemp()) / "ranks.svg"
    >>> save(podium.plots.ranks(ranking), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    check_installed()
    target = checked_path("path", path, error=OutputError)
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
    from matplotlib.text import Text  # noqa: PLC0415

    first = axes[0] if isinstance(axes, Sequence) else axes
    figure = first.get_figure(root=True)
    if figure is None:
        raise OutputError(f"{place}the axes were removed from their figure, so there is nothing to write")
    hollow = [text for text in figure.findobj(Text) if text.get_visible() and _lacking(text)]
    if hollow and suffix != ".svg":
        warn(boxes_for(frozenset().union(*map(_lacking, hollow))))
    content = BytesIO()
    with rc_context(_FIXED), catch_warnings():
        filterwarnings("ignore", "Glyph .* missing from", UserWarning)  # said above in our own words
        box: Any = _box(figure, hollow) if hollow and suffix == ".svg" else "tight"
        figure.savefig(content, format=suffix[1:], dpi=_RESOLUTION, bbox_inches=box, metadata=_METADATA[suffix])
    return _TEXT.sub(_spaced, content.getvalue()) if suffix == ".svg" else content.getvalue()


def _lacking(text: "Text") -> frozenset[str]:
    return lacking(text.get_text(), text.get_fontproperties())


def _box(figure: "Figure", hollow: Iterable["Text"]) -> "Bbox":
    """All that is drawn, in inches, with room for letters that only the reader's machine has."""
    from matplotlib.transforms import Bbox  # noqa: PLC0415  # an extra

    figure.draw_without_rendering()
    boxes = [figure.get_tightbbox()]
    for text in hollow:
        box = text.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
        room = max(room_of(line, text.get_fontproperties()) for line in text.get_text().split("\n"))
        more = max(0.0, room - max(box.width, box.height))
        before = {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_horizontalalignment()]
        if text.get_rotation():
            boxes.append(Bbox.from_extents(box.x0, box.y0, box.x1, box.y1 + more))
        else:
            boxes.append(Bbox.from_extents(box.x0 - before * more, box.y0, box.x1 + (1 - before) * more, box.y1))
    return Bbox.union(boxes).padded(_PAD)


def _spaced(found: "re.Match[bytes]") -> bytes:
    """Keep spaces at the ends of a text, and several in a row, which SVG would leave out."""
    return found[1] + re.sub(rb"^ | (?= |$)", "\u00a0".encode(), found[2])
