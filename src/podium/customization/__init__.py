"""Leaderboards weighted by difficulty, as arrays: orders, splits, weights, and sums along an order."""
