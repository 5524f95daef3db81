"""Who is best where hard instances count more."""
