"""From batches of a table to `Scores`: labels, keys, cells."""
