"""What a picture needs: a library, and in some cases a ranking that says how sure it is."""

import importlib.util

from podium.errors import MethodError, MissingExtraError
from podium.intervals import Intervals
from podium.rankings import Ranking

__all__ = ["check_installed", "intervals_of"]


def check_installed() -> None:
    """Find out whether pictures can be drawn.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.
    """
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("matplotlib", "plot", "a picture")


def intervals_of(ranking: Ranking) -> Intervals:
    """Intervals of a ranking.

    Raises
    ------
    MethodError
        It has none: why, or how to ask for them.
    """
    if ranking.intervals is None:
        why = [note for note in ranking.notes if note.startswith("no intervals")]
        raise MethodError(
            f"this picture shows how sure the ranks are, and the ranking does not say: {why[0]}"
            if why
            else "this picture shows how sure the ranks are; pass confidence=0.95 to podium.rank to have that"
        )
    return ranking.intervals
