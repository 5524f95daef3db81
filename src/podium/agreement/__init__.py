"""How far rankings agree: distances, correlations, overlap at the ends, and the dispersion of many."""

from podium.agreement.dispersion import Dispersion, dispersion
from podium.agreement.footrule import spearman_footrule
from podium.agreement.kendall import kendall_distance, kendall_tau
from podium.agreement.overlap import last_agreement, rank_biased_overlap, top_agreement
from podium.agreement.sampling import SampledDispersion, dispersion_sampled

__all__ = [
    "Dispersion",
    "SampledDispersion",
    "dispersion",
    "dispersion_sampled",
    "kendall_distance",
    "kendall_tau",
    "last_agreement",
    "rank_biased_overlap",
    "spearman_footrule",
    "top_agreement",
]
