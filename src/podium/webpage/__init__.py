"""The page: a leaderboard that a reader can ask, in one file that works without a network."""
