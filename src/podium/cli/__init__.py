"""The command line: `podium rank scores.csv`."""

from podium.cli.guard import main

__all__ = ["main"]
