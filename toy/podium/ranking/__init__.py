"""Which systems are best, and how sure we are."""
