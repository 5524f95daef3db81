"""Ways to rank, one file a method, and their names."""

from podium.ranking.method.average import IQM, MEAN, MEDIAN
from podium.ranking.method.borda import BORDA
from podium.ranking.method.bradley_terry import BRADLEY_TERRY
from podium.ranking.method.irt import IRT
from podium.ranking.method.kemeny import KEMENY
from podium.ranking.method.majority import COPELAND, WINS
from podium.ranking.method.method import Method

#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": BORDA,
    "mean": MEAN,
    "median": MEDIAN,
    "iqm": IQM,
    "wins": WINS,
    "copeland": COPELAND,
    "kemeny": KEMENY,
    "bradley-terry": BRADLEY_TERRY,
    "irt": IRT,
}
