"""Encoders: from texts to embeddings."""
