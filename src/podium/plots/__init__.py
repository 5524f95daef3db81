"""Results as pictures, drawn with Matplotlib (`pip install 'podium[plot]'`): one function each, returning the axes."""

from podium.plots.bump import bump
from podium.plots.critical_difference import critical_difference
from podium.plots.difficulty_histogram import difficulty_histogram
from podium.plots.forest import forest
from podium.plots.heatmap import heatmap
from podium.plots.influence import influence
from podium.plots.moves import moves
from podium.plots.needs import check_installed
from podium.plots.parallel import parallel
from podium.plots.rank_intervals import rank_intervals
from podium.plots.saving import check_picture, save, to_svg
from podium.plots.stability import stability

__all__ = [
    "bump",
    "check_installed",
    "check_picture",
    "critical_difference",
    "difficulty_histogram",
    "forest",
    "heatmap",
    "influence",
    "moves",
    "parallel",
    "rank_intervals",
    "save",
    "stability",
    "to_svg",
]
