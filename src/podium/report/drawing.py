"""What pictures are drawn with: sizes of text and lines, points that do not overlap, and lettering that fits."""

import importlib.util
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.errors import MissingExtraError
from podium.base.words import numeral, printable
from podium.report.view import shortened

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

#: Of what is below, at and above 0; they differ to colour-blind readers, too.
DIVERGING = ("#762a83", "#f7f7f7", "#1b7837")

#: Dashes and marks of lines, so that they differ in print as well.
_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.2, 1, 1.2)), (0, (2.5, 1)), (0, (7, 2)))

_MARKS = "os^DvPX"


def line_style(index: int) -> dict[str, Any]:
    """Return colour, dashes and mark of a line; the first six differ in each, and the first 36 in the first two.

    >>> line_style(0), line_style(6)["color"], line_style(6)["marker"]
    ({'color': '#0077bb', 'linestyle': '-', 'marker': 'o'}, '#0077bb', 'X')
    """
    turn = index // len(COLOURS)
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": _DASHES[(index + turn) % len(_DASHES)],
        "marker": _MARKS[index % len(_MARKS)],
    }


#: Numbers at an axis between these are written in full.
_SMALL, _LARGE = 1e-4, 1e9

#: Of what is said below a picture, in points.
NOTE_SIZE = 7.5

#: Largest letters, in points, and the height of a row of them, in letters.
LARGEST, _LEADING = 8.5, 1.45


def size_of(ax: "Axes") -> tuple[float, float]:
    """Return width and height of the axes in inches."""
    width, height = ax.get_figure(root=True).get_size_inches()  # type: ignore[union-attr]  # axes are in a figure
    place = ax.get_position()
    return float(width * place.width), float(height * place.height)


def row_height(rows: int) -> float:
    """Return inches for each of some rows, so that few are easy to read and many fit on a page.

    >>> row_height(4), row_height(105)
    (0.22, 0.135)
    """
    return min(0.22, max(0.135, 8.8 / rows))


def font_size(height: float) -> float:
    """Return points of letters in rows of a height in inches.

    >>> font_size(0.22)
    8.5
    """
    return min(LARGEST, 72 * height / _LEADING)


def round_ticks(low: float, high: float, most: float, *, whole: bool = False) -> tuple[list[float], list[str]]:
    """Return round numbers in a range, about so many, with their texts.

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


def cell_axes(ax: "Axes", rows: int, columns: int) -> None:
    """Make axes those of cells, the first row on top, whose names stand on the left and above."""
    strip(ax)
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.tick_params(length=0, pad=2, top=False, labeltop=True, bottom=False, labelbottom=False)


def number_axes(
    ax: "Axes",
    horizontal: tuple[float, float],
    vertical: tuple[float, float],
    names: tuple[str, str],
    *,
    logarithmic: bool = False,
) -> None:
    """Draw axes of numbers at the bottom and at the left: names, ends, round numbers, and no frame around.

    Parameters
    ----------
    ax
        Axes.
    horizontal, vertical
        Ends of the axes.
    names
        What the one below shows, and the one at the left.
    logarithmic
        Whether the horizontal axis, of positive numbers, shows powers of ten, and as many parts of these as fit.
    """
    width, height = size_of(ax)
    strip(ax, "bottom", "left")
    below, left = Lettering.of(names, most=60).texts
    font = Lettering.of(names).font(NOTE_SIZE)
    label_below(ax, below, font)
    ax.set_ylabel(left, fontproperties=font, color=INK, labelpad=3, parse_math=False)
    ax.set_ylim(vertical)
    ax.set_yticks(*round_ticks(*vertical, height / 0.5), fontsize=NOTE_SIZE)
    if not logarithmic:
        ax.set_xlim(horizontal)
        ax.set_xticks(*round_ticks(*horizontal, width / 0.7), fontsize=NOTE_SIZE)
        return
    left, right = np.log10(horizontal).tolist()
    most, powers = width / 0.6, np.arange(np.floor(left), right)
    parts = next((parts for parts in ((1, 2, 5), (1, 3)) if len(parts) * (right - left) <= most), (1,))
    values = np.outer(10 ** powers[:: max(1, int((right - left) / most))], parts).ravel()
    values = values[(left <= np.log10(values)) & (np.log10(values) <= right)]
    ax.set_xscale("log")
    ax.set_xlim(horizontal)
    ax.set_xticks(values, [numeral(value) for value in values], fontsize=NOTE_SIZE)
    ax.minorticks_off()


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


#: Longest label, in letters; Chinese ones count twice, for they are twice as wide.
LONGEST = 40

#: Longest label while a picture is laid out for a width.
LABELS: ContextVar[int] = ContextVar("labels", default=LONGEST)

#: Nothing is drawn for characters of these categories, and for those that choose between forms of a letter.
_UNDRAWN, _FORMS = frozenset({"Cc", "Cf"}), range(0xFE00, 0xFE10)

#: Left-to-right mark, which is not drawn.
_MARK = "\u200e"

#: As wide as letters that no font has: wide ones, and others.
_WIDE, _NARROW = "W", "n"

#: How the names of letters begin that one family of fonts has.
_CJK = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA", "FULLWIDTH", "IDEOGRAPHIC"})


@dataclass(frozen=True, slots=True)
class Lettering:
    """Labels ready to be drawn.

    Attributes
    ----------
    texts
        One per label, as different from each other as the labels are.
    family
        Fonts that have their letters, to be tried in this order.
    """

    texts: tuple[str, ...]
    family: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str], *, most: int | None = None) -> "Lettering":
        """Shorten labels to so many columns and find fonts for them; every picture does this first.

        By default labels have `LONGEST` columns, or fewer where the picture has a width.

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.
        """
        check_installed()
        whole = [printable(label) for label in labels]
        short = shortened(whole, LABELS.get() if most is None else most)
        times = Counter(short)
        texts = [_kept_apart(cut if times[cut] == 1 else text) for cut, text in zip(short, whole, strict=True)]
        return cls(tuple(texts), _fonts_for(frozenset("".join(texts))))

    def font(self, size: float, *, bold: bool = False) -> "FontProperties":
        """Fonts of a size in points."""
        from matplotlib.font_manager import FontProperties  # noqa: PLC0415  # an extra

        return FontProperties(family=list(self.family), size=size, weight="bold" if bold else "normal")

    def width(self, size: float, *, extra: str = "") -> float:
        """Inches of the widest text at a size in points, with something added to each."""
        font = self.font(size)
        return max(_width_of(line, font) for text in self.texts for line in (text + extra).split("\n"))


def _kept_apart(text: str) -> str:
    """Put marks around a text that is read from right to left, so that a number beside it stays at its side."""
    return f"{_MARK}{text}{_MARK}" if any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text) else text


def room_of(text: str, font: "FontProperties") -> float:
    """Return inches to keep for a text on one line: a little more than it is wide, as pixels may round letters up."""
    return 1.03 * _width_of(text, font)


def _width_of(text: str, font: "FontProperties") -> float:
    """Inches of a text on one line; a letter that the fonts lack is taken to be as wide as usual."""
    from matplotlib.textpath import text_to_path  # noqa: PLC0415  # an extra

    like = {ord(letter): _like(letter) for letter in lacking(text, font)}
    return text_to_path.get_text_width_height_descent(text.translate(like), font, False)[0] / 72


def _like(letter: str) -> str:
    """Return what is as wide as a letter."""
    if unicodedata.category(letter).startswith("M"):
        return ""
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW


def lacking(text: str, font: "FontProperties") -> frozenset[str]:
    """Return letters of a text that none of some fonts has."""
    if text.isascii():
        return frozenset()
    drawn = frozenset(
        letter for letter in text if unicodedata.category(letter) not in _UNDRAWN and ord(letter) not in _FORMS
    )
    return _without(drawn, tuple(font.get_family()))


def boxes_for(letters: Iterable[str]) -> str:
    """Say that no font has some letters, and what to do.

    >>> boxes_for("型模")
    'no installed font has 型模, so boxes are drawn; install Noto Sans CJK, or write SVG, which keeps them as text'
    """
    shown = sorted(letters)
    some = "".join(shown[:5]) + ("…" if len(shown) > 5 else "")
    fonts = sorted({font for letter in shown if (font := _font_with(letter))})
    names = " and ".join(fonts) if len(fonts) < 3 else "all Noto fonts"
    install = f"install {names}, or write" if fonts else "write"
    return f"no installed font has {some}, so boxes are drawn; {install} SVG, which keeps them as text"


def _font_with(letter: str) -> str:
    """Name a free font that has a letter; nothing where there may be none."""
    script = unicodedata.name(letter, "").partition(" ")[0]
    if script in _CJK:
        return "Noto Sans CJK"
    if unicodedata.category(letter)[0] in "LM" and script:
        return f"Noto Sans {script.title()}"
    return "Symbola" if script else ""


@lru_cache(maxsize=16)
def _fonts_for(letters: frozenset[str]) -> tuple[str, ...]:
    """Families that have the letters, the configured ones first."""
    from matplotlib import rcParams  # noqa: PLC0415  # an extra

    families = tuple(rcParams["font.family"])
    absent = _without(letters - {_MARK}, families)
    for family, path in _installed():
        if not absent:
            break
        if covered := _covered(path, absent):
            families += (family,)
            absent -= covered
    return families


def _without(letters: frozenset[str], families: Sequence[str]) -> frozenset[str]:
    """Letters that none of some families has."""
    from matplotlib.font_manager import FontProperties, findfont  # noqa: PLC0415  # an extra

    for family in families:
        letters -= _covered(findfont(FontProperties(family=[family])), letters)
    return letters


def _installed() -> Iterator[tuple[str, str]]:
    """Upright fonts of normal weight, by name and file, in an order that does not depend on the machine's."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415  # an extra

    upright = {
        (font.name, font.fname)
        for font in fontManager.ttflist
        # a font of last resort has boxes for all letters there are
        if font.style == "normal" and font.weight in {400, "normal", "regular"} and "Last Resort" not in font.name
    }
    yield from sorted(upright)


def _covered(path: str, letters: frozenset[str]) -> frozenset[str]:
    from matplotlib.font_manager import get_font  # noqa: PLC0415  # an extra

    try:
        font = get_font(path)
    except (OSError, RuntimeError):  # a file that is damaged, or has pictures for letters
        return frozenset()
    return frozenset(letter for letter in letters if font.get_char_index(ord(letter)))


#: Where a name stands, seen from its point: right first, then left, above, below, and in the corners.
_SIDES = np.array([(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)])

#: Radius of a point, in inches.
_POINT = 0.035


def points(ax: "Axes", x: Floats, y: Floats, mark: str = "o", **style: Any) -> None:
    """Draw points, also those at the ends of the axes; properties as Matplotlib calls them."""
    ax.plot(x, y, mark, **{"color": COLOURS[0], "markersize": 144 * _POINT, "clip_on": False, "zorder": 3, **style})


#: Between a point and its name, in inches; height of a line, in letters.
_GAP, _LINE = 0.03, 1.25

#: Longest name, in letters.
_LONGEST = 28


def label_points(
    ax: "Axes", x: Floats, y: Floats, labels: Sequence[str], *, first: Floats, radius: Floats | float = 1.3 * _POINT
) -> None:
    """Write names beside points, where there is room for them.

    Call it when limits and size of the axes are settled.

    Parameters
    ----------
    ax
        Axes.
    x, y, labels
        Points, and their names.
    first
        Who chooses a place first: the largest.
    radius
        Of each point, in inches.
    """
    from matplotlib.patheffects import withStroke  # noqa: PLC0415  # an extra

    names = Lettering.of(labels, most=_LONGEST)
    font, high = names.font(NOTE_SIZE), _LINE * NOTE_SIZE / 72
    span, radius = np.array(size_of(ax)), np.broadcast_to(radius, x.shape)
    centres = _inches(ax, np.stack([x, y], axis=1), span)
    taken = np.concatenate([centres - radius[:, None], centres + radius[:, None]], axis=1)
    for one in np.argsort(-first, kind="stable").tolist():
        half = np.array([room_of(names.texts[one], font), high]) / 2
        away = half + (radius[one] + _GAP) * np.where(np.abs(_SIDES).sum(axis=1) > 1, 0.7, 1.0)[:, None]
        middles = centres[one] + _SIDES * away
        boxes = np.concatenate([middles - half, middles + half], axis=1)
        inside = np.all(boxes[:, :2] >= 0, axis=1) & np.all(boxes[:, 2:] <= span, axis=1)
        meets = np.any(_meet(boxes, taken), axis=1)
        free = np.flatnonzero(inside & ~meets)
        if not free.size:
            continue
        x_share, y_share = (middles[free[0]] / span).tolist()
        said = write(ax, (x_share, y_share), names.texts[one], font, "axes", ha="center", va="center", zorder=4)
        said.set_path_effects([withStroke(linewidth=2, foreground="white")])  # lines may run below
        taken = np.concatenate([taken, boxes[free[:1]]])


def _meet(some: Floats, others: Floats) -> NDArray[np.bool_]:
    """Say whether boxes, by their lower left and upper right ends, overlap; shape `(some, others)`."""
    apart = (some[:, None, :2] >= others[:, 2:]) | (some[:, None, 2:] <= others[:, :2])
    meet: NDArray[np.bool_] = ~np.any(apart, axis=2)
    return meet


def _inches(ax: "Axes", points: Floats, span: Floats) -> Floats:
    """From data to inches from the lower left corner of the axes."""
    shares: Floats = ax.transAxes.inverted().transform(ax.transData.transform(points))
    return shares * span
