"""Results as pictures, drawn with Matplotlib (`pip install 'podium[plot]'`): one function each, returning the axes."""

from podium.plots.bars import critical_difference
from podium.plots.cells import heatmap
from podium.plots.lines import bump
from podium.plots.needs import check_installed
from podium.plots.saving import check_picture, save
from podium.plots.whiskers import rank_intervals

__all__ = ["bump", "check_installed", "check_picture", "critical_difference", "heatmap", "rank_intervals", "save"]
