"""What one sees of a picture: its texts, and whether they get into each other's way."""

import warnings
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

__all__ = ["boxes", "check_texts", "draw", "figure_of", "overlapping", "parts_of", "said", "words"]


def figure_of(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def draw(ax: Axes) -> Axes:
    """Make Matplotlib place everything, as for PNG; painting it takes as long again, and nobody looks."""
    figure = figure_of(ax)
    FigureCanvasAgg(figure)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)  # this machine may have no font for Chinese
        figure.draw_without_rendering()
    return ax


def words(ax: Axes) -> list[Text]:
    """Every text that one can see."""
    return [text for text in figure_of(ax).findobj(Text) if text.get_visible() and text.get_text()]


def boxes(texts: list[Text]) -> NDArray[np.float64]:
    """Left, lower, right and upper end of each text that was drawn, in pixels."""
    return np.array([text.get_window_extent().extents for text in texts])


def overlapping(texts: list[Text]) -> list[tuple[str, str]]:
    """Pairs of texts that were drawn over each other."""
    ends = boxes(texts)
    meet = (ends[:, None, :2] < ends[None, :, 2:]).all(axis=2)
    return [(texts[i].get_text(), texts[j].get_text()) for i, j in np.argwhere(np.triu(meet & meet.T, 1))]


def said(ax: Axes) -> list[str]:
    return [text.get_text() for text in words(ax)]


def parts_of(ax: Axes, name: str) -> list[Any]:
    """What was drawn under a name, in order."""
    return [artist for artist in ax.findobj(Artist) if artist.get_gid() == name]


def check_texts(ax: Axes) -> None:
    """Every text is whole, and none is drawn over another."""
    texts, ends = words(ax), boxes(words(ax))
    width, height = figure_of(ax).canvas.get_width_height()
    cut = (ends.min(axis=1) < 0) | (ends[:, 2] > width) | (ends[:, 3] > height)
    assert [text.get_text() for text, out in zip(texts, cut, strict=True) if out] == []
    assert overlapping(texts) == []
