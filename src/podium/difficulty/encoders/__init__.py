"""Encoders: from texts to embeddings."""

from podium.difficulty.encoders.encoding import Encoded, encode

__all__ = ["Encoded", "encode"]
