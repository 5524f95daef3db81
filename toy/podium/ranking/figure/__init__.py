"""Pictures of rankings."""
