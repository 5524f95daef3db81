"""Who leads where."""
