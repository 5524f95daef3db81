"""Leaderboards on which hard instances count more."""
