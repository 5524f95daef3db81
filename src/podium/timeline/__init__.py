"""How ranks, scores and tiers went over versions of a table, and which changes are more than noise."""
