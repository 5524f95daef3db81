"""Comparisons of two systems, as Ranger makes them and as podium does."""

from typing import Any, Literal

import podium
from podium.comparison.result import MetaAnalysis
from podium.score.table import Scores

__all__ = ["against", "minus"]


def against(
    scores: Scores, control: str, treatment: str, effect: Any = "md", way: Literal["ranger", "reml"] = "ranger"
) -> MetaAnalysis:
    """Compare a treatment with a control; "reml" is with the interval of Knapp and Hartung."""
    how: Any = {"like": "ranger"} if way == "ranger" else {"estimator": "reml", "interval": "knapp-hartung"}
    found = podium.compare(scores, control=control, treatment=treatment, effect=effect, **how)
    if not isinstance(found, MetaAnalysis):
        raise TypeError("one score per task says nothing about the variance of an effect")
    return found


def minus(text: str) -> str:
    """Put the sign of less in the place of hyphens."""
    return text.replace("-", "−")
