"""What one sees of a picture: its texts, and whether they get into each other's way."""

import warnings

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from numpy.typing import NDArray

__all__ = ["boxes", "draw", "figure_of", "overlapping", "words"]


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
