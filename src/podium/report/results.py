"""Which results there are to show, and how each is laid out."""

from collections.abc import Callable
from typing import Any

from podium.comparisons import Comparisons
from podium.concordance import Agreement
from podium.customized import Customized
from podium.description import Description
from podium.difficulties import Difficulty
from podium.influences import Influence
from podium.meta_analyses import MetaAnalysis
from podium.plans import Plan
from podium.rankings import Ranking
from podium.report.agreement import agreement_sheet
from podium.report.customized import customized_sheet
from podium.report.difficulty import difficulty_sheet
from podium.report.grid import Sheet, description_sheet, ranking_sheet
from podium.report.influence import influence_sheet
from podium.report.meta_analysis import comparisons_sheet, meta_analysis_sheet
from podium.report.plan import plan_sheet
from podium.report.robustness import robustness_sheet
from podium.report.study import study_sheet
from podium.robustness import Robustness
from podium.studies import Study

__all__ = ["Result", "sheet"]

Result = (
    Ranking
    | Description
    | Agreement
    | Plan
    | MetaAnalysis
    | Comparisons
    | Customized
    | Difficulty
    | Study
    | Influence
    | Robustness
)


_LAYOUTS: dict[type, Callable[[Any], Sheet]] = {
    Ranking: ranking_sheet,
    Description: description_sheet,
    Agreement: agreement_sheet,
    Plan: plan_sheet,
    MetaAnalysis: meta_analysis_sheet,
    Comparisons: comparisons_sheet,
    Customized: customized_sheet,
    Difficulty: difficulty_sheet,
    Study: study_sheet,
    Influence: influence_sheet,
    Robustness: robustness_sheet,
}


def sheet(result: Result) -> Sheet:
    """Lay out a result for the text formats.

    >>> import podium
    >>> sheet(podium.rank(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 6 tasks'
    """
    return _LAYOUTS[type(result)](result)
