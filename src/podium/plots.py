"""Results as pictures, drawn with Matplotlib (`pip install 'podium[plot]'`): one function each, returning the axes."""

from podium.agreement.figure import bump
from podium.comparison.figure.forest import forest
from podium.customization.figure.histogram import difficulty_histogram
from podium.customization.figure.moves import moves
from podium.customization.figure.parallel import parallel
from podium.ranking.figure.heatmap import heatmap
from podium.ranking.figure.interval import critical_difference, rank_intervals
from podium.report.draw.canvas import check_installed, check_picture, save, to_svg
from podium.robustness.influence.figure import influence
from podium.robustness.study.figure import stability

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
