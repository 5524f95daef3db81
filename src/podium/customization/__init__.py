"""Leaderboards weighted by difficulty, as arrays: orders, splits, weights, and sums along an order."""

from podium.customization.boxes import Box
from podium.customization.curves import Curves, Sums, check_powers
from podium.customization.factors import CASES, PLAIN, RULES, Factor, Weighting, case
from podium.customization.leads import lead_shares, weightings
from podium.customization.orders import Order
from podium.customization.partitions import Partition
from podium.customization.splitting import MOST_SPLITS, SPLITTINGS, Cuts, Splitting, cut

__all__ = [
    "CASES",
    "MOST_SPLITS",
    "PLAIN",
    "RULES",
    "SPLITTINGS",
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
