"""Ways to rank, one file a method."""
