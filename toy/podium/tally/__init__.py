"""Counting: mergeable sufficient statistics of ballots, one small object per task."""
