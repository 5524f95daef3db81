"""How large a picture is: a width that it keeps, and letters of a size, as journals ask for.

A picture is laid out for its letters, and for a page as wide as asked for; then all of it is drawn larger or smaller.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from io import BytesIO
from math import ceil, inf
from typing import TYPE_CHECKING, Any

from podium.base.errors import MethodError
from podium.report.drawing import LABELS, LARGEST, LONGEST

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inches of a unit of length; points are those of TeX, which prints the width of a column in them.
_UNITS = {"in": 1.0, "cm": 1 / 2.54, "mm": 1 / 25.4, "pt": 1 / 72.27}
_LENGTH = re.compile(rf"([0-9]*\.?[0-9]+)\s*({'|'.join(_UNITS)})")

#: Least and greatest width, in inches, and size of letters, in points.
_WIDTHS, _FONTS = (0.5, 60.0), (2.0, 72.0)

#: Axes are never narrower, in inches; and what is left free around a picture of a given width.
_LEAST, PAD = 1.2, 0.02

#: Inches that a picture has, while it is laid out for a width.
_PAGE: ContextVar[float | None] = ContextVar("page", default=None)

#: Columns that labels keep at least, and by how many they are shortened at a time.
_LABEL, _LESS = 8, 4

#: With this setting of Matplotlib, letters are as wide at any resolution.
UNHINTED: Any = {"text.hinting": "none"}


def inches(width: float | str) -> float:
    """Return a width in inches; a number has these already.

    Raises
    ------
    MethodError
        It is no length, or makes no sense.

    Examples
    --------
    >>> inches(3.3), inches("80mm") == inches("8 cm"), round(inches("240pt"), 3)
    (3.3, True, 3.321)
    """
    found = _LENGTH.fullmatch(width.strip()) if isinstance(width, str) else None
    length = float(found[1]) * _UNITS[found[2]] if found else width
    if isinstance(length, str | bool) or not isinstance(length, int | float):
        raise MethodError(f"width {width!r} is no length; write it as 3.3in, 84mm, 8.4cm or 240pt")
    if not _WIDTHS[0] <= length <= _WIDTHS[1]:
        raise MethodError(f"width {width!r} makes no sense; give one between {_WIDTHS[0]:g}in and {_WIDTHS[1]:g}in")
    return float(length)


def points(font: Any) -> float:
    """Return a size of letters in points.

    Raises
    ------
    MethodError
        It makes no sense.
    """
    if isinstance(font, bool) or not isinstance(font, int | float) or not _FONTS[0] <= font <= _FONTS[1]:
        raise MethodError(f"font {font!r} makes no sense; give points between {_FONTS[0]:g} and {_FONTS[1]:g}")
    return float(font)


def page() -> float:
    """Return the inches that a picture has; infinite unless a width is given."""
    given = _PAGE.get()
    return inf if given is None else given


def breadth(usual: float, beside: float) -> float:
    """Return the width of axes that have so many inches beside them: the usual one, unless the page has a width."""
    page = _PAGE.get()
    return usual if page is None else max(_LEAST, page - beside)


def sized(
    draw: "Callable[[], Axes | Sequence[Axes]]", width: float | None, font: float | None, name: str
) -> "tuple[Axes | Sequence[Axes], float]":
    """Draw a picture for a width in inches and letters in points; return it, and how much larger it is to be shown.

    For letters of a size names are shortened to fit. Without one letters are as large as usual, or smaller where names
    need more room than there is.

    Raises
    ------
    MethodError
        Words need more room than the width has.
    """
    from matplotlib import rc_context  # noqa: PLC0415  # an extra

    scale = 1.0 if font is None else font / LARGEST
    if width is None:
        return draw(), scale
    for most in range(LONGEST, LONGEST - 1 if font is None else _LABEL - 1, -_LESS):
        with _page(width / scale - 2 * PAD, most), rc_context(UNHINTED):
            axes = draw()
            figure: Any = (axes[0] if isinstance(axes, Sequence) else axes).get_figure(root=True)
            figure.draw_without_rendering()
            needed = float(figure.get_tightbbox().width) + 2 * PAD
        if needed * scale <= width:
            return axes, scale
    if font is not None:
        least = ceil(100 * needed * scale) / 100
        raise MethodError(
            f"with letters of {font:g} points the picture {name!r} needs a width of {least:.2f}in; give a larger "
            "width, smaller letters or shorter names"
        )
    return axes, width / needed


@contextmanager
def _page(width: float, most: int) -> Iterator[None]:
    token, before = _PAGE.set(width), LABELS.set(most)
    try:
        yield
    finally:
        _PAGE.reset(token)
        LABELS.reset(before)


#: Width and height of an SVG picture, which has its own measure inside.
_OF_SVG = re.compile(rb'(<svg [^>]*?width=")([\d.]+)(pt" height=")([\d.]+)', re.DOTALL)


def enlarged_svg(content: bytes, scale: float) -> bytes:
    """Return an SVG picture that is shown larger or smaller."""

    def written(number: bytes) -> bytes:
        return f"{float(number) * scale:.6f}".encode()

    return _OF_SVG.sub(lambda found: found[1] + written(found[2]) + found[3] + written(found[4]), content, count=1)


def write_pdf(figure: "Figure", content: BytesIO, scale: float, **options: Any) -> None:
    """Write a figure as PDF, larger or smaller; Matplotlib itself has one point for each point drawn."""
    from matplotlib.backends import backend_pdf  # noqa: PLC0415  # an extra

    parts: Any = backend_pdf  # has no types

    class Canvas(backend_pdf.FigureCanvasPdf):
        def print_pdf(self, filename: Any, *, bbox_inches_restore: Any = None, metadata: Any = None, **_: Any) -> None:
            dpi, self.figure.dpi = self.figure.dpi, 72
            width, height = self.figure.get_size_inches()
            file = parts.PdfFile(filename, metadata=metadata)
            try:
                file.newPage(scale * width, scale * height)
                file.width, file.height = width, height  # by which paths are cut
                file.output(scale, 0, 0, scale, 0, 0, parts.Op.concat_matrix)
                inner = parts.RendererPdf(file, dpi, height, width)
                renderer = parts.MixedModeRenderer(
                    self.figure, width, height, dpi, inner, bbox_inches_restore=bbox_inches_restore
                )
                self.figure.draw(renderer)
                renderer.finalize()
                file.finalize()
            finally:
                file.close()

    before = figure.canvas
    try:
        Canvas(figure).print_figure(content, format="pdf", **options)
    finally:
        figure.set_canvas(before)
