"""Difficulty of instances, with their labels: from texts, from a training set, and from scores."""

from podium.annotation.bias import spurious_bias
from podium.annotation.distance import similarity
from podium.annotation.responses import failures, item_response

__all__ = ["failures", "item_response", "similarity", "spurious_bias"]
