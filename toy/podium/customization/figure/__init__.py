"""Pictures of leaderboards weighted by difficulty."""
