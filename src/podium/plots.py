"""Results as pictures, drawn with Matplotlib (the extra `plot`): one function each, returning the axes.

They are named as on the command line and in `Result.plot`, which shows them in a notebook.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any
from warnings import warn

from podium.agreement.correlations import correlations
from podium.agreement.view import bump
from podium.base.errors import MethodError
from podium.benchmark.result import worth
from podium.comparison.figure import baujat, bubble, critical_difference
from podium.comparison.forest import forest
from podium.customization.figure import moves, parallel
from podium.customization.histogram import difficulty_histogram as difficulty
from podium.judging.result import reliability as calibration
from podium.pareto.figure import frontier
from podium.planning.figure import allocated, needed
from podium.ranking.figure import cd, heatmap
from podium.ranking.figure import rank_intervals as ranks
from podium.report.drawing import check_installed
from podium.report.picture import check_picture, save, to_svg
from podium.robustness.figure import influence, stability
from podium.selection.result import predicted
from podium.slicing.figure import slices_map as slices
from podium.timeline.figure import history

__all__ = [
    "allocated",
    "baujat",
    "bubble",
    "bump",
    "calibration",
    "cd",
    "check_installed",
    "check_picture",
    "correlations",
    "critical_difference",
    "difficulty",
    "forest",
    "frontier",
    "heatmap",
    "history",
    "influence",
    "moves",
    "needed",
    "parallel",
    "predicted",
    "ranks",
    "save",
    "slices",
    "stability",
    "to_svg",
    "worth",
]


def _checked(name: str, draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return a drawing that says which result it takes if it gets something else."""
    annotation = next(iter(signature(draw).parameters.values())).annotation
    kinds = getattr(annotation, "__name__", str(annotation)).split(" | ")

    @wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        if args and not any(kind.__name__ in kinds for kind in type(args[0]).__mro__):
            raise MethodError(
                f"podium.plots.{name} takes a {' or '.join(kinds)}, and not a {type(args[0]).__name__}; "
                "rank or compare the scores first, and draw what that returns"
            )
        return draw(*args, **options)

    drawn.__name__ = drawn.__qualname__ = name
    return drawn


#: Old names that still work, with a warning, and what they are now.
_RENAMED = {"rank_intervals": "ranks", "difficulty_histogram": "difficulty"}


def __getattr__(name: str) -> Any:
    """Find what has another name now."""
    if name not in _RENAMED:
        raise AttributeError(f"module 'podium.plots' has no attribute {name!r}")
    warn(
        f"podium.plots.{name} is now podium.plots.{_RENAMED[name]}; use the new name", DeprecationWarning, stacklevel=2
    )
    return globals()[_RENAMED[name]]


for _name in set(__all__) - {"check_installed", "check_picture", "save", "to_svg"}:
    globals()[_name] = _checked(_name, globals()[_name])
