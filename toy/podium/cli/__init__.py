"""The command line: `podium rank scores.csv`."""

from podium.cli.entry import main

__all__ = ["main"]
