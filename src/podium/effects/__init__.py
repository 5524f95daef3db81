"""Effects: how much two systems differ on each task, and what several such differences amount to."""

from podium.effects.heterogeneity import ESTIMATORS
from podium.effects.multiplicity import benjamini_hochberg, holm
from podium.effects.pairs import Pairs
from podium.effects.pooling import INTERVALS, Pooled, check_pooling, pool
from podium.effects.sizes import EFFECT_SIZES, LEAST, EffectSize, effect_sizes, mcnemar

__all__ = [
    "EFFECT_SIZES",
    "ESTIMATORS",
    "INTERVALS",
    "LEAST",
    "EffectSize",
    "Pairs",
    "Pooled",
    "benjamini_hochberg",
    "check_pooling",
    "effect_sizes",
    "holm",
    "mcnemar",
    "pool",
]
