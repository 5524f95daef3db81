"""Rank systems from evaluation results: which are best, how sure are we, does it depend on how we ask.

>>> import podium
>>> podium.rank(podium.datasets.toy_table1())
Ranking(borda, task-level: 3 systems, 6 tasks)
   1  C  0.5833
   2  B  0.5000
   3  A  0.4167
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from podium import datasets, errors
from podium.leaderboard import rank
from podium.rankings import Ranking
from podium.scores import Scores
from podium.sources import from_arrays, from_dict, from_frame, read

if TYPE_CHECKING:
    from podium import agreement, plots, simulate, stresses
    from podium.agreeing import agree
    from podium.annotation import failures, item_response, similarity, spurious_bias
    from podium.comparing import compare, compare_all
    from podium.comparisons import Comparisons
    from podium.concordance import Agreement
    from podium.customized import Customized
    from podium.customizer import Customizer
    from podium.customizing import customize
    from podium.description import Description, describe
    from podium.difficulties import Difficulty
    from podium.influences import Influence
    from podium.jackknife import influence
    from podium.meta_analyses import MetaAnalysis
    from podium.pairing import condorcet, pairwise
    from podium.pairings import Pairwise
    from podium.planning import plan
    from podium.plans import Plan
    from podium.robustness import Robustness
    from podium.sources.difficulty import read_difficulty
    from podium.sources.effects import read_effects
    from podium.sources.locations import read_locations
    from podium.sources.texts import read_texts
    from podium.sources.trec import read_trec
    from podium.stressing import stress
    from podium.studies import Study
    from podium.studying import study
    from podium.synthesis import pool
    from podium.texts import Texts
    from podium.weighing import weigh

__all__ = [
    "Agreement",
    "Comparisons",
    "Customized",
    "Customizer",
    "Description",
    "Difficulty",
    "Influence",
    "MetaAnalysis",
    "Pairwise",
    "Plan",
    "Ranking",
    "Robustness",
    "Scores",
    "Study",
    "Texts",
    "agree",
    "agreement",
    "compare",
    "compare_all",
    "condorcet",
    "customize",
    "datasets",
    "describe",
    "errors",
    "failures",
    "from_arrays",
    "from_dict",
    "from_frame",
    "influence",
    "item_response",
    "pairwise",
    "plan",
    "plots",
    "pool",
    "rank",
    "read",
    "read_difficulty",
    "read_effects",
    "read_locations",
    "read_texts",
    "read_trec",
    "similarity",
    "simulate",
    "spurious_bias",
    "stress",
    "stresses",
    "study",
    "weigh",
]

__version__ = "0.1.0"

#: Where to find what is loaded when it is first asked for: most who rank want little of it, and all want to start.
_LATER = {
    "Agreement": "concordance",
    "Comparisons": "comparisons",
    "Customized": "customized",
    "Customizer": "customizer",
    "Description": "description",
    "Difficulty": "difficulties",
    "Influence": "influences",
    "MetaAnalysis": "meta_analyses",
    "Pairwise": "pairings",
    "Plan": "plans",
    "Robustness": "robustness",
    "Study": "studies",
    "Texts": "texts",
    "agree": "agreeing",
    "compare": "comparing",
    "compare_all": "comparing",
    "condorcet": "pairing",
    "customize": "customizing",
    "describe": "description",
    "failures": "annotation",
    "influence": "jackknife",
    "item_response": "annotation",
    "pairwise": "pairing",
    "plan": "planning",
    "pool": "synthesis",
    "read_difficulty": "sources.difficulty",
    "read_effects": "sources.effects",
    "read_locations": "sources.locations",
    "read_texts": "sources.texts",
    "read_trec": "sources.trec",
    "similarity": "annotation",
    "spurious_bias": "annotation",
    "stress": "stressing",
    "study": "studying",
    "weigh": "weighing",
}


def __getattr__(name: str) -> Any:
    """Load what is first asked for."""
    if name in {"agreement", "plots", "simulate", "stresses"}:
        return import_module(f"podium.{name}")
    if name not in _LATER:
        raise AttributeError(f"module 'podium' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"podium.{_LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
