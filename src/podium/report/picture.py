"""Pictures as files: a page around axes, with its foot, and the formats that they are saved in."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import signature
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, filterwarnings

from podium.base.check import checked_path
from podium.base.errors import LabelError, MethodError, OutputError, nearest, warn
from podium.base.file import check_writable
from podium.base.file import write as write_file
from podium.report.drawing import (
    INK,
    NOTE_SIZE,
    Lettering,
    boxes_for,
    check_installed,
    lacking,
    room_of,
    size_of,
    write,
)
from podium.report.size import UNHINTED, breadth, enlarged_svg, inches, points, sized, write_pdf

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    from podium.report.result import Result
    from podium.report.view import Figure as Drawable
    from podium.report.view import View


#: Height of a line, in inches.
_LINE = 0.145


def new_axes(  # a size and four margins
    width: float,
    height: float,
    *,
    left: float = 0.1,
    right: float = 0.1,
    top: float = 0.1,
    bottom: float = 0.1,
    rigid: bool = False,
) -> "Axes":
    """Return axes of a figure of their own, all in inches; pyplot does not know it, so they show themselves.

    A page of a given width has wider or narrower ones, unless they are `rigid`.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  # an extra

    width = width if rigid else breadth(width, left + right)
    whole, high = left + width + right, bottom + height + top
    figure = Figure(figsize=(whole, high))
    axes = figure.add_axes((left / whole, bottom / high, width / whole, height / high))
    axes._repr_svg_ = lambda: to_svg(axes)  # type: ignore[attr-defined]  # for notebooks
    return axes


def wrapped(parts: Sequence[str], fits: Callable[[str], bool], joint: str = ", ") -> list[str]:
    """Put parts on as few lines as they need, in their order; one that does not fit by itself has a line of its own.

    >>> wrapped(["one", "two", "three"], lambda line: len(line) <= 10)
    ['one, two,', 'three']
    """
    lines: list[str] = []
    for part in parts:
        if lines and fits(f"{lines[-1]}{joint}{part}"):
            lines[-1] += joint + part
        else:
            if lines:
                lines[-1] += joint.rstrip()
            lines.append(part)
    return lines


def lines_of(sentences: Sequence[str], width: float, joint: str = " ") -> list[str]:
    """Return lines of at most so many inches, each sentence from a new one; they end at a joint if they can."""
    if not sentences:
        return []
    fonts = Lettering.of(sentences, most=10**6)
    font = fonts.font(NOTE_SIZE)

    def fits(line: str) -> bool:
        return room_of(line, font) <= width

    parts = [line for text in fonts.texts for line in wrapped(text.split(joint), fits, joint)]
    return [line for part in parts for line in wrapped(part.split(" "), fits, " ")]


def height_of(lines: Sequence[str]) -> float:
    """Return inches that lines take."""
    return _LINE * len(lines)


def remark(ax: "Axes", lines: Sequence[str], *, left: float, below: float) -> None:
    """Write lines, so many inches left of the axes and below them."""
    if not lines:
        return
    width, height = size_of(ax)
    font = Lettering.of(lines, most=10**6).font(NOTE_SIZE)
    for row, line in enumerate(lines):
        write(ax, (-left / width, -(below + _LINE * row) / height), line, font, "axes", va="top")


def footed(  # a size and four margins
    ax: "Axes | None",
    sentences: Sequence[str],
    size: tuple[float, float],
    *,
    left: float,
    right: float,
    top: float,
    below: float,
    rigid: bool = False,
) -> "tuple[Axes, Callable[[], None]]":
    """Return axes with room for sentences so many inches below them, and what writes these there.

    Parameters
    ----------
    ax
        Where to draw; None makes a figure of a size in inches and margins around it.
    sentences
        Each on a line of its own, or on several.
    size, left, right, top, below, rigid
        Of axes in a figure of their own, see `new_axes`.
    """
    if ax is not None:
        return ax, partial(remark, ax, lines_of(sentences, size_of(ax)[0]), left=0.0, below=below)
    width = size[0] if rigid else breadth(size[0], left + right)
    lines = lines_of(sentences, left + width + right - 2 * _PAD)
    bottom = below + height_of(lines) + 0.1
    ax = new_axes(width, size[1], left=left, right=right, top=top, bottom=bottom, rigid=True)
    return ax, partial(remark, ax, lines, left=left - _PAD, below=below)


#: Of a sample of a line, from it to its text, between columns, of a row, and above and below all, in inches.
_SAMPLE, _GAP, _APART, _ROW, _ABOVE, _BELOW = 0.34, 0.06, 0.2, 0.165, 0.05, 0.08


@dataclass(frozen=True, slots=True)
class Key:
    """Names of lines, in columns.

    Attributes
    ----------
    names
        To be drawn.
    columns
        How many stand side by side.
    """

    names: Lettering
    columns: int

    @classmethod
    def of(cls, labels: Sequence[str], breadth: float) -> "Key":
        """Arrange names on so many inches.

        >>> Key.of(["mean", "borda:one", "borda:two"], 3.0).columns
        2
        """
        names = Lettering.of(labels)
        each = _SAMPLE + _GAP + 1.03 * names.width(NOTE_SIZE) + _APART
        return cls(names, max(1, min(len(labels), int((breadth + _APART) / each))))

    @property
    def height(self) -> float:
        """Inches of all rows."""
        return _ABOVE + _ROW * ceil(len(self.names.texts) / self.columns) + _BELOW

    def draw(self, figure: "Figure", styles: Sequence[dict[str, Any]], left: float) -> None:
        """Write names beside samples of their lines, at the top of a figure, so many inches from the left."""
        from matplotlib.lines import Line2D  # noqa: PLC0415  # an extra

        pairs = zip(self.names.texts, styles, strict=True)
        point = NOTE_SIZE / 72
        key = figure.legend(
            handles=[Line2D([], [], label=name, **style) for name, style in pairs],
            loc="upper left",
            bbox_to_anchor=(left / figure.get_figwidth(), 1 - _ABOVE / figure.get_figheight()),
            ncols=self.columns,
            prop=self.names.font(NOTE_SIZE),
            frameon=False,
            borderaxespad=0,
            borderpad=0,
            labelspacing=_ROW / point - 1.16,
            handlelength=_SAMPLE / point,
            handletextpad=_GAP / point,
            columnspacing=_APART / point,
        )
        for text in key.get_texts():
            text.set_parse_math(False)


#: Width and height of panels, by how many stand side by side.
_SIZES = {1: (3.8, 2.4), 2: (2.9, 1.8), 3: (2.08, 1.4)}

#: Panels that would be narrower stand below each other, in inches.
_NARROWEST = 1.4

#: Left of the first panel, between panels side by side, and right of the last.
_LEFT, _BETWEEN, _RIGHT = 0.55, 0.24, 0.12

#: Names above panels, numbers below them, and from there to the next row; all in inches.
_NAME, _NUMBERS, _NEXT = 0.22, 0.2, 0.14


@dataclass(frozen=True, slots=True)
class Panels:
    """A grid of panels.

    Attributes
    ----------
    columns
        How many stand side by side.
    feet
        For each, the lines below it.
    """

    columns: int
    feet: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, labels: Sequence[str]) -> "Panels":
        """Arrange a panel for every label of a horizontal axis.

        >>> Panels.of(["strength"] * 4).columns, Panels.of(["strength"] * 10).columns
        (2, 3)
        """
        columns = 2 if len(labels) == 4 else min(len(labels), 3)
        while columns > 1 and cls(columns, ()).width < _NARROWEST:
            columns -= 1
        room = cls(columns, ()).width + _BETWEEN / 2
        return cls(columns, tuple(tuple(lines_of([label], room)) for label in labels))

    @property
    def width(self) -> float:
        """Inches of a panel."""
        between = (self.columns - 1) * _BETWEEN
        return breadth(self.columns * _SIZES[self.columns][0], _LEFT + between + _RIGHT) / self.columns

    @property
    def left(self) -> float:
        """Inches left of the first panel."""
        return _LEFT

    @property
    def breadth(self) -> float:
        """Inches of all of it."""
        return _LEFT + self.columns * self.width + (self.columns - 1) * _BETWEEN + _RIGHT

    @property
    def lowest(self) -> int:
        """Return the first panel of the last row."""
        return (len(self.feet) - 1) // self.columns * self.columns

    def below(self, index: int) -> float:
        """Inches that numbers and labels take below the panels in the row of one."""
        first = index // self.columns * self.columns
        return _NUMBERS + height_of(max(self.feet[first : first + self.columns], key=len)) + _NEXT

    def draw(self, head: float, foot: float) -> "tuple[Figure, list[Axes]]":
        """Axes of a figure of their own, with so many inches above and below all of them."""
        from matplotlib.figure import Figure  # noqa: PLC0415  # an extra

        high = _SIZES[self.columns][1]
        rows = range(0, len(self.feet), self.columns)
        whole = head + sum(_NAME + high + self.below(row) for row in rows) + foot
        figure = Figure(figsize=(self.breadth, whole))
        axes, top = [], whole - head
        for row in rows:
            for place in range(min(self.columns, len(self.feet) - row)):
                left = _LEFT + place * (self.width + _BETWEEN)
                corner = left / self.breadth, (top - _NAME - high) / whole
                axes.append(figure.add_axes((*corner, self.width / self.breadth, high / whole)))
            top -= _NAME + high + self.below(row)
        return figure, axes

    def label(self, ax: "Axes", index: int, name: str, vertical: str) -> None:
        """Write the name above a panel, what its axis is below, and what the vertical one is at the left end only."""
        names = Lettering.of([name], most=28)
        bold = names.font(NOTE_SIZE + 0.5, bold=True)
        ax.set_title(names.texts[0], loc="left", fontproperties=bold, color=INK, parse_math=False, pad=4)
        feet = Lettering.of(self.feet[index], most=10**6)
        ax.set_xlabel(
            "\n".join(feet.texts), fontproperties=feet.font(NOTE_SIZE), color=INK, labelpad=2, parse_math=False
        )
        if index % self.columns:
            ax.tick_params(labelleft=False)
        else:
            ax.set_ylabel(vertical, fontsize=NOTE_SIZE, color=INK, labelpad=2)


#: Suffixes, and what files say of themselves: who wrote them, by which they are known again, and not when.
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Creator": "podium", "Date": None},
    ".pdf": {"Creator": "podium", "CreationDate": None},
    ".png": {"Software": "podium"},
}

#: Suffixes of pictures.
PICTURES = frozenset(_METADATA)

#: Names of parts that do not change; words as text in SVG, to be found and copied; fonts in PDF.
_FIXED: Any = {"svg.hashsalt": "podium", "svg.fonttype": "none", "pdf.fonttype": 42, **UNHINTED}

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
    target = _target(path)
    write_file(_content(axes, target.suffix.lower(), f"{target}: "), target)


def _target(path: str | Path) -> Path:
    """Return the file of a picture, which can be drawn and written."""
    check_installed()
    target = checked_path("path", path, error=OutputError)
    check_picture(target)
    return target


def to_svg(axes: "Axes | Sequence[Axes]") -> str:
    """Return the figure of some axes as the text of an SVG file, as `podium.report.html` takes it.

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


def _content(
    axes: "Axes | Sequence[Axes]", suffix: str, place: str, scale: float = 1.0, width: float | None = None
) -> bytes:
    """Return the bytes of a file, of a scale and a width in inches; `place` begins an error."""
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
        keeping = hollow if suffix == ".svg" else []
        inside = None if width is None else width / scale
        box: Any = _box(figure, keeping, inside) if keeping or width is not None else "tight"
        options: dict[str, Any] = {"dpi": _RESOLUTION, "bbox_inches": box, "metadata": _METADATA[suffix]}
        if suffix == ".pdf" and scale != 1:
            write_pdf(figure, content, scale, **options)
        else:
            if suffix == ".png":
                options |= {"dpi": _RESOLUTION * scale, "pil_kwargs": {"dpi": (_RESOLUTION, _RESOLUTION)}}
            figure.savefig(content, format=suffix[1:], **options)
    if suffix != ".svg":
        return content.getvalue()
    svg = _TEXT.sub(_spaced, content.getvalue())
    return svg if scale == 1 else enlarged_svg(svg, scale)


def _lacking(text: "Text") -> frozenset[str]:
    return lacking(text.get_text(), text.get_fontproperties())


def _box(figure: "Figure", hollow: Iterable["Text"], width: float | None) -> "Bbox":
    """Return all that is drawn, in inches, with room for letters that only the reader's machine has.

    If a width is given, it has that.
    """
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
    whole = Bbox.union(boxes)
    if width is None:
        return whole.padded(_PAD)
    return whole.padded((width - whole.width) / 2, _PAD / 2)


def _spaced(found: "re.Match[bytes]") -> bytes:
    """Keep spaces at the ends of a text, and several in a row, which SVG would leave out."""
    return found[1] + re.sub(rb"^ | (?= |$)", "\u00a0".encode(), found[2])


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Picture:
    """A picture that `Result.plot` draws. A notebook shows it as it is; elsewhere it is saved.

    Attributes
    ----------
    name, title
        As one asks for it, and what it shows.
    axes
        What Matplotlib knows it by, to be changed before it is saved.
    scale, width
        How much larger it is shown than it is drawn, and the inches that it has then; None for what it takes.

    Examples
    --------
    >>> import podium
    >>> podium.agree(podium.datasets.toy_table1()).plot("bump")
    Picture(bump: Ranks by method; .save('bump.svg') writes it)
    """

    name: str
    title: str
    axes: "Axes | Sequence[Axes]"
    scale: float = 1.0
    width: float | None = None

    def save(self, path: str | Path) -> None:
        """Write it as SVG, PDF or PNG, as the suffix says; the file is whole or not there.

        Raises
        ------
        OutputError
            The suffix is of no known format, or the file cannot be written.
        """
        target = _target(path)
        write_file(_content(self.axes, target.suffix.lower(), f"{target}: ", self.scale, self.width), target)

    def __repr__(self) -> str:
        return f"Picture({self.name}: {self.title}; .save({self.name + '.svg'!r}) writes it)"

    def _repr_svg_(self) -> str:
        """Return it as SVG, for notebooks."""
        return self.to_svg()

    def to_svg(self) -> str:
        """Return it as the text of an SVG file."""
        return _content(self.axes, ".svg", "", self.scale, self.width).decode()


def picture_of(result: "Result", view: "View", name: str | None, options: Mapping[str, Any]) -> Picture:
    """Draw a figure of the view of a result, the first unless one is named; see `Result.plot`.

    Raises
    ------
    LabelError
        There is no such figure; results of some kinds have none.
    MethodError
        There is nothing to draw; the error names the figures that can be drawn.
    """
    figures = {figure.name: figure for figure in view.figures}
    elsewhere = result._other_figures  # noqa: SLF001  # for errors only, as below
    if isinstance(name, str) and name in elsewhere:
        raise LabelError(f"figure {name!r} is not of a {result.schema}; draw it with {elsewhere[name]}")
    if not figures:
        others = "".join(f"; draw {other!r} with {how}" for other, how in elsewhere.items()) or result._to_draw  # noqa: SLF001
        raise LabelError(f"a result of kind {result.schema!r} has no figures{others}")
    name = next(iter(figures)) if name is None else name
    if name not in list(figures):  # whatever is given
        if Path(str(name)).suffix.lower() in PICTURES:
            file = str(name)
            raise LabelError(f"plot takes the name of a figure, and {file!r} is a file; use .plot().save({file!r})")
        raise LabelError.unknown(f"figure of this {result.schema}", name, figures)
    try:
        return draw_figure(figures[name], **options)
    except MethodError as error:
        can = [repr(other) for other in (*filter(lambda one: _draws(figures[one]), figures), *elsewhere)]
        if not can or repr(name) in can:  # it is an option that makes no sense
            raise
        raise MethodError(f"{error} (what can be drawn: {', '.join(can)})") from None


def _draws(figure: "Drawable") -> bool:
    """Return whether a figure can be drawn."""
    try:
        figure.draw()
    except MethodError:
        return False
    return True


def draw_figure(
    figure: "Drawable", *, width: float | str | None = None, font: float | None = None, **options: Any
) -> Picture:
    """Draw a figure, of a width such as "3.3in" and with letters of a size in points, if that is asked for.

    Raises
    ------
    MethodError
        There is nothing to draw; or a width or a size makes no sense, or is too small for all words.
    TypeError
        The figure has no such option.
    """
    known = [*signature(figure.draw).parameters, "width", "font"]
    if wrong := next((option for option in options if option not in known), None):
        raise TypeError(f"figure {figure.name!r} got an unexpected keyword argument {wrong!r}; {nearest(wrong, known)}")
    room, letters = None if width is None else inches(width), None if font is None else points(font)
    axes, scale = sized(partial(figure.draw, **options), room, letters, figure.name)
    return Picture(figure.name, figure.title, axes, scale, room)
