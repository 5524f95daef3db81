"""What is drawn on: axes of a size in inches, letters that fit into a row, words in places of all kinds; and files."""

import importlib.util
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_path
from podium.base.errors import MissingExtraError, OutputError
from podium.base.file import check_writable
from podium.base.file import write as write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.font_manager import FontProperties
    from matplotlib.text import Text


def apart(wanted: Sequence[float], gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Move places to have distances, in their order, so that the sum of squares of the moves is least.

    Less n gaps, places must not fall, which is isotonic regression; its solution cut at bounds is the best within them.

    Parameters
    ----------
    wanted
        Where the labels would be best, in any order; equal ones keep theirs.
    gap
        Least distance between neighbours; made smaller where so many do not fit.
    low, high
        Between which all places lie.

    Examples
    --------
    >>> apart([5.0, 1.0, 5.0], 2.0, 0.0, 10.0).tolist()
    [4.0, 1.0, 6.0]
    >>> apart([9.0, 9.5, 10.0], 2.0, 0.0, 10.0).tolist()
    [6.0, 8.0, 10.0]
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415  # SciPy is slow to import

    places = np.asarray(wanted, dtype=np.float64)
    if places.size < 2:
        return places.clip(low, high)
    order = np.argsort(places, kind="stable")
    steps = min(gap, (high - low) / (places.size - 1)) * np.arange(places.size)
    moved = np.empty_like(places)
    moved[order] = isotonic_regression(places[order] - steps).x.clip(low, max(low, high - steps[-1])) + steps
    return moved


#: Of text and of what matters; of what only guides the eye.
INK, FAINT = "#222222", "#8c8c8c"

#: For lines that stand out, in this order; distinct for colour-blind readers too.
COLOURS = ("#0077bb", "#cc3311", "#009988", "#ee7733", "#aa3377", "#33a0cc")

#: Numbers at an axis between these are written in full.
_SMALL, _LARGE = 1e-4, 1e9

#: Of what is said below a picture, in points.
NOTE_SIZE = 7.5

#: Largest letters, in points, and the height of a row of them, in letters.
_LARGEST, _LEADING = 8.5, 1.45


def new_axes(
    width: float, height: float, *, left: float = 0.1, right: float = 0.1, top: float = 0.1, bottom: float = 0.1
) -> "Axes":
    """Axes of a figure of their own, all in inches; pyplot does not know it."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra

    whole, high = left + width + right, bottom + height + top
    figure = Figure(figsize=(whole, high))
    return figure.add_axes((left / whole, bottom / high, width / whole, height / high))


def size_of(ax: "Axes") -> tuple[float, float]:
    """Width and height of the axes in inches."""
    width, height = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr]  # axes are in a figure
    place = ax.get_position()
    return float(width * place.width), float(height * place.height)


def row_height(rows: int) -> float:
    """Inches for each of some rows, so that few are easy to read and many fit on a page.

    >>> row_height(4), row_height(105)
    (0.22, 0.135)
    """
    return min(0.22, max(0.135, 8.8 / rows))


def font_size(height: float) -> float:
    """Points of letters in rows of a height in inches.

    >>> font_size(0.22)
    8.5
    """
    return min(_LARGEST, 72 * height / _LEADING)


def round_ticks(low: float, high: float, most: float, *, whole: bool = False) -> tuple[list[float], list[str]]:
    """Round numbers in a range, about so many, with their texts.

    Parameters
    ----------
    low, high
        Ends of the range.
    most
        How many there is room for; there may be fewer.
    whole
        Whether they are counts.

    Examples
    --------
    >>> round_ticks(-60.0, 80.0, 5)
    ([-50.0, 0.0, 50.0], ['−50', '0', '50'])
    >>> round_ticks(0.0, 1.0, 2)
    ([0.0, 0.5, 1.0], ['0.0', '0.5', '1.0'])
    """
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415  # an extra

    locator = MaxNLocator(max(1, int(most)), steps=[1, 2, 2.5, 5, 10], integer=whole)
    ticks = [float(tick) for tick in locator.tick_values(low, high) if low <= tick <= high]
    if not _SMALL < max(map(abs, ticks), default=1.0) < _LARGE:
        return ticks, [f"{tick:.6g}".replace("-", "−") for tick in ticks]
    places = max((len(f"{tick:.10f}".rstrip("0").partition(".")[2]) for tick in ticks), default=0)
    return ticks, [f"{tick:z,.{places}f}".replace("-", "−") for tick in ticks]


def strip(ax: "Axes", *kept: str) -> None:
    """Take the frame away except for some sides."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_color(FAINT)
        spine.set_linewidth(0.8)
    ax.tick_params(color=FAINT, labelcolor=INK, width=0.8, length=3)


#: What a place is counted in: the data; parts of the axes; or parts of them in one direction, for rows and for columns.
Frame = Literal["data", "axes", "rows", "columns"]


def write(
    ax: "Axes",
    place: tuple[float, float],
    text: str,
    font: "FontProperties | float",
    frame: Frame = "data",
    **style: Any,
) -> "Text":
    """Write a text as it is, no sign of it a formula.

    Parameters
    ----------
    ax, place, frame
        Where: of "rows", x is a part of the axes and y counts rows; of "columns", the other way round.
    text, font
        What, and in which letters, or in which size.
    style
        Other properties, as Matplotlib calls them.
    """
    frames = {"data": ax.transData, "axes": ax.transAxes}
    frames |= {"rows": ax.get_yaxis_transform(), "columns": ax.get_xaxis_transform()}
    letters = {"fontsize" if isinstance(font, float | int) else "fontproperties": font}
    style = {"color": INK, "parse_math": False, **letters, **style}
    return ax.text(*place, text, transform=frames[frame], **style)


def label_rows(ax: "Axes", texts: Sequence[str], font: "FontProperties") -> None:
    """Let rows count downwards over the horizontal axis, with a label at the left of each."""
    strip(ax, "bottom")
    ax.set_ylim(len(texts) - 0.5, -0.5)
    ax.set_yticks(range(len(texts)), texts, fontproperties=font, parse_math=False)
    ax.tick_params(axis="y", length=0)


def label_below(ax: "Axes", text: str, font: "FontProperties | None" = None) -> None:
    """Say below the numbers of the horizontal axis what they are."""
    style: dict[str, Any] = {"fontsize": NOTE_SIZE} if font is None else {"fontproperties": font, "parse_math": False}
    ax.set_xlabel(text, color=INK, labelpad=2, **style)


#: From the axes up to what stands above them, in inches.
LIFT = 0.06


def legend(ax: "Axes", **style: Any) -> None:
    """Say above the axes, or elsewhere, what lines and marks are; properties as Matplotlib calls them."""
    usual = {"borderaxespad": 0, "borderpad": 0, "frameon": False, "fontsize": NOTE_SIZE, "handlelength": 1.4}
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1 + LIFT / size_of(ax)[1])}
    ax.legend(**{**place, **usual, **style})


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

#: Suffixes of pictures.
PICTURES = frozenset(_METADATA)

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
    >>> ranking = podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    >>> path = Path(tempfile.mkdtemp()) / "ranks.svg"
    >>> save(podium.plots.ranks(ranking), path)
    >>> path.read_text()[:5]
    '<?xml'
    """
    check_installed()
    target = checked_path("path", path, error=OutputError)
    check_picture(target)
    write_file(_content(axes, target.suffix.lower(), f"{target}: "), target)


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
