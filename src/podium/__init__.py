"""Rank systems from evaluation results: which are best, how sure are we, does it depend on how we ask.

>>> import podium
>>> podium.rank(podium.datasets.toy_table1())
Ranking(borda, task-level: 3 systems, 6 tasks)
• any of the 3 systems may be the best (95% confidence, over other tasks like these)
rank  95% ranks  system   score  tasks scored
   1        1–3  C       0.5833           6/6
   2        1–3  B       0.5000           6/6
   3        1–3  A       0.4167           6/6
"""

from importlib import import_module

# `typing` is slow to load, and so early in a command an interruption would be a traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any

    from podium import agreement, boards, datasets, errors, plots, simulate, stresses
    from podium.agreement.api import agree, correlate
    from podium.agreement.correlations import Correlations
    from podium.agreement.result import Agreement
    from podium.base.cluster import engine
    from podium.benchmark.api import tasks
    from podium.benchmark.result import Benchmark
    from podium.board.api import add
    from podium.board.result import Added
    from podium.comparison.api import compare, compare_all, compare_task_scores, pool
    from podium.comparison.read import read_effects
    from podium.comparison.result import Comparison, Comparisons, MetaAnalysis
    from podium.comparison.task_tests import TaskComparison
    from podium.customization.api import customize, weigh
    from podium.customization.customizer import Customizer
    from podium.customization.result import Customized
    from podium.customization.split import Splitting, Weighting
    from podium.description.api import info
    from podium.description.formats import Findings, find_results
    from podium.description.result import Description
    from podium.difficulty.api import bias, failures, irt, similarity
    from podium.difficulty.read import read_difficulty, read_texts
    from podium.difficulty.result import Difficulty, Texts
    from podium.gating.api import gate
    from podium.gating.result import Gate
    from podium.gating.watching import Watched, watch
    from podium.judging.api import judge
    from podium.judging.result import Judging
    from podium.pareto.api import frontier
    from podium.pareto.result import Frontier
    from podium.planning.api import allocate, plan, plan_items, plan_labels
    from podium.planning.items import ItemPlan, LabelPlan
    from podium.planning.result import Allocation, Plan
    from podium.ranking.api import rank
    from podium.ranking.method_spec import MethodSpec
    from podium.ranking.pairwise import condorcet, pairwise
    from podium.ranking.result import Pairwise, Ranking
    from podium.robustness.api import Robustness, stress
    from podium.robustness.influence import influence
    from podium.robustness.influence_result import Influence
    from podium.robustness.study import study
    from podium.robustness.study_result import Study
    from podium.score.table import Scores
    from podium.selection.api import predict, subset
    from podium.selection.result import Prediction, Subset
    from podium.slicing.api import slices
    from podium.slicing.result import Slices
    from podium.source.arrays import from_arrays, from_dict
    from podium.source.memory import ScoresLike, convert, from_frame
    from podium.source.read import read
    from podium.source.tool.trec import read_locations, read_trec
    from podium.timeline.api import history
    from podium.timeline.result import History
    from podium.webpage.api import page
    from podium.webpage.shell import Page

__all__ = [
    "Added",
    "Agreement",
    "Allocation",
    "Benchmark",
    "Comparison",
    "Comparisons",
    "Correlations",
    "Customized",
    "Customizer",
    "Description",
    "Difficulty",
    "Findings",
    "Frontier",
    "Gate",
    "History",
    "Influence",
    "ItemPlan",
    "Judging",
    "LabelPlan",
    "MetaAnalysis",
    "MethodSpec",
    "Page",
    "Pairwise",
    "Plan",
    "Prediction",
    "Ranking",
    "Robustness",
    "Scores",
    "ScoresLike",
    "Slices",
    "Splitting",
    "Study",
    "Subset",
    "TaskComparison",
    "Texts",
    "Watched",
    "Weighting",
    "add",
    "agree",
    "agreement",
    "allocate",
    "bias",
    "boards",
    "compare",
    "compare_all",
    "compare_task_scores",
    "condorcet",
    "convert",
    "correlate",
    "customize",
    "datasets",
    "engine",
    "errors",
    "failures",
    "find_results",
    "from_arrays",
    "from_dict",
    "from_frame",
    "frontier",
    "gate",
    "history",
    "influence",
    "info",
    "irt",
    "judge",
    "page",
    "pairwise",
    "plan",
    "plan_items",
    "plan_labels",
    "plots",
    "pool",
    "predict",
    "rank",
    "read",
    "read_difficulty",
    "read_effects",
    "read_locations",
    "read_texts",
    "read_trec",
    "similarity",
    "simulate",
    "slices",
    "stress",
    "stresses",
    "study",
    "subset",
    "tasks",
    "watch",
    "weigh",
]

__version__ = "0.1.0"

#: Packages and modules that are public as they are.
_MODULES = frozenset({"agreement", "boards", "datasets", "errors", "plots", "simulate", "stresses"})

#: Where every other public name is defined. It is loaded when it is first asked for, so that podium starts at once.
_PLACES = {
    "Added": "board.result",
    "Agreement": "agreement.result",
    "Allocation": "planning.result",
    "Benchmark": "benchmark.result",
    "Comparison": "comparison.result",
    "Comparisons": "comparison.result",
    "Correlations": "agreement.correlations",
    "Customized": "customization.result",
    "Customizer": "customization.customizer",
    "Description": "description.result",
    "Difficulty": "difficulty.result",
    "Findings": "description.formats",
    "Frontier": "pareto.result",
    "Gate": "gating.result",
    "History": "timeline.result",
    "Influence": "robustness.influence_result",
    "ItemPlan": "planning.items",
    "Judging": "judging.result",
    "LabelPlan": "planning.items",
    "MetaAnalysis": "comparison.result",
    "MethodSpec": "ranking.method_spec",
    "Page": "webpage.shell",
    "Pairwise": "ranking.result",
    "Plan": "planning.result",
    "Prediction": "selection.result",
    "Ranking": "ranking.result",
    "Robustness": "robustness.api",
    "Scores": "score.table",
    "ScoresLike": "source.memory",
    "Splitting": "customization.split",
    "Study": "robustness.study_result",
    "Slices": "slicing.result",
    "Subset": "selection.result",
    "TaskComparison": "comparison.task_tests",
    "Texts": "difficulty.result",
    "Watched": "gating.watching",
    "Weighting": "customization.split",
    "add": "board.api",
    "agree": "agreement.api",
    "allocate": "planning.api",
    "bias": "difficulty.api",
    "compare": "comparison.api",
    "compare_all": "comparison.api",
    "compare_task_scores": "comparison.api",
    "condorcet": "ranking.pairwise",
    "convert": "source.memory",
    "correlate": "agreement.api",
    "customize": "customization.api",
    "engine": "base.cluster",
    "failures": "difficulty.api",
    "find_results": "description.formats",
    "from_arrays": "source.arrays",
    "from_dict": "source.arrays",
    "from_frame": "source.memory",
    "frontier": "pareto.api",
    "gate": "gating.api",
    "history": "timeline.api",
    "influence": "robustness.influence",
    "info": "description.api",
    "irt": "difficulty.api",
    "judge": "judging.api",
    "page": "webpage.api",
    "pairwise": "ranking.pairwise",
    "plan": "planning.api",
    "plan_items": "planning.api",
    "plan_labels": "planning.api",
    "pool": "comparison.api",
    "predict": "selection.api",
    "rank": "ranking.api",
    "read": "source.read",
    "read_difficulty": "difficulty.read",
    "read_effects": "comparison.read",
    "read_locations": "source.tool.trec",
    "read_texts": "difficulty.read",
    "read_trec": "source.tool.trec",
    "similarity": "difficulty.api",
    "stress": "robustness.api",
    "study": "robustness.study",
    "slices": "slicing.api",
    "subset": "selection.api",
    "tasks": "benchmark.api",
    "watch": "gating.watching",
    "weigh": "customization.api",
}

#: Old names that still work, with a warning, and what they are now.
_RENAMED = {
    "describe": "info",
    "failure_rate": "failures",
    "item_response": "irt",
    "make_page": "page",
    "spurious_bias": "bias",
}


def __getattr__(name: str) -> "Any":
    """Load what is first asked for."""
    if name in _RENAMED:
        from warnings import warn  # noqa: PLC0415  # rarely wanted

        warn(f"podium.{name} is now podium.{_RENAMED[name]}; use the new name", DeprecationWarning, stacklevel=2)
        return __getattr__(_RENAMED[name])
    if name in _MODULES:
        return import_module(f"podium.{name}")
    if name not in _PLACES:
        raise AttributeError(f"module 'podium' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"podium.{_PLACES[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
