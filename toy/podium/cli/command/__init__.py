"""The commands, one file a topic."""
