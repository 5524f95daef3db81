"""Small tables that come with podium, printed in the papers."""

from podium.source.dataset import load, names, toy_table1, xtreme_missing

__all__ = ["load", "names", "toy_table1", "xtreme_missing"]
