"""Leaderboards weighted by difficulty, as arrays: orders, splits, weights, and sums along an order."""

from podium.customization.boxes import Box
from podium.customization.curves import Curves, Sums, check_powers
from podium.customization.factors import CASES, PLAIN, RULES, Factor, Weighting, case
from podium.customization.leads import lead_shares, weightings
from podium.customization.orders import Order
from podium.customization.partitions import Partition
from podium.customization.splitting import BOX_LEVELS, MOST_SPLITS, SPLITTINGS, TIES, Cuts, Splitting, cut

__all__ = [
    "BOX_LEVELS",
    "CASES",
    "MOST_SPLITS",
    "PLAIN",
    "RULES",
    "SPLITTINGS",
    "TIES",
    "Box",
    "Curves",
    "Cuts",
    "Factor",
    "Order",
    "Partition",
    "Splitting",
    "Sums",
    "Weighting",
    "case",
    "check_powers",
    "cut",
    "lead_shares",
    "weightings",
]
