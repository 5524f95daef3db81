"""File formats: each offers named columns in batches."""
