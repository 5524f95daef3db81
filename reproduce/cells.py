"""Tables of instances with whole cells removed, over and over, ranked by σ²ˡ, σˡ and mean.

The experiment of Himmi et al. 2023, §4.3: a cell is all scores of a system on a task.
"""

from functools import cache

import numpy as np
from released import released
from removals import Rankings, ranked, repeated

from podium.stresses import RemoveCells

__all__ = ["REPEATS", "SHARES", "TABLES", "WAYS", "cells"]

#: The tables of instances that were released here, under the paper's names.
TABLES = {"Dial. PC": "DIALOG_pc", "Dial. TC": "DIALOG_tc", "Flickr": "FLICKR", "SummEval": "SUM_EVAL"}
WAYS = ("borda:two:missing=imputed", "borda:one:missing=imputed", "mean")
#: η as in the released code, which has 100 repeats.
SHARES = np.linspace(0, 1, 21)
REPEATS = 30


@cache
def cells(name: str) -> Rankings:
    """Rank a table by all three methods, whole and with cells removed."""
    scores = released(f"{TABLES[name]}.parquet")
    return repeated(lambda rng, share: ranked(RemoveCells(share)(scores, rng), WAYS), SHARES, REPEATS)
