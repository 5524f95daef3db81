"""Difficulty of instances, as arrays: from embeddings and right answers, from the training set, from scores."""

from podium.difficulty.across import CLASSIFIERS, AcrossBias, bias_across
from podium.difficulty.response import ItemResponse, fit_item_response
from podium.difficulty.similarity import top_similarity
from podium.difficulty.within import WithinBias, bias_within, usual_size

__all__ = [
    "CLASSIFIERS",
    "AcrossBias",
    "ItemResponse",
    "WithinBias",
    "bias_across",
    "bias_within",
    "fit_item_response",
    "top_similarity",
    "usual_size",
]
