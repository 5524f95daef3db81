"""How far rankings agree: distances, correlations, overlap at the ends, and the dispersion of many."""

from podium.ranking.distance import (
    Dispersion,
    SampledDispersion,
    dispersion,
    dispersion_sampled,
    kendall_distance,
    kendall_tau,
    last_agreement,
    rank_biased_overlap,
    top_agreement,
)

__all__ = [
    "Dispersion",
    "SampledDispersion",
    "dispersion",
    "dispersion_sampled",
    "kendall_distance",
    "kendall_tau",
    "last_agreement",
    "rank_biased_overlap",
    "top_agreement",
]
