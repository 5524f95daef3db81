"""`podium.compare` of scores of instances, which gives a meta-analysis."""

from typing import Any

import podium


def analysed(scores: podium.Scores, **options: Any) -> podium.MetaAnalysis:
    analysis = podium.compare(scores, **options)
    assert isinstance(analysis, podium.MetaAnalysis)
    return analysis


def all_analysed(scores: podium.Scores, **options: Any) -> podium.Comparisons:
    comparisons = podium.compare_all(scores, **options)
    assert isinstance(comparisons, podium.Comparisons)
    return comparisons
