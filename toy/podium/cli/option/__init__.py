"""Options of the command line, by topic."""
