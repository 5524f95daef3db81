"""Boards: which scores were added when, and whether all of them are still there."""
