"""Who is best for the money."""
