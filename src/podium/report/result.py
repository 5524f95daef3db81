"""Which results there are to show, and how each is laid out."""

from collections.abc import Callable
from typing import Any

from podium.agreement.result import Agreement
from podium.agreement.view import agreement_sheet
from podium.comparison.family import Comparisons
from podium.comparison.result import MetaAnalysis
from podium.comparison.view import comparisons_sheet, meta_analysis_sheet
from podium.customization.result import Customized
from podium.customization.view import customized_sheet
from podium.description.result import Description
from podium.description.view import description_sheet
from podium.difficulty.result import Difficulty
from podium.difficulty.view import difficulty_sheet
from podium.planning.result import Plan
from podium.planning.view import plan_sheet
from podium.ranking.result import Ranking
from podium.ranking.view import ranking_sheet
from podium.report.table import Sheet
from podium.robustness.influence.result import Influence
from podium.robustness.influence.view import influence_sheet
from podium.robustness.result import Robustness
from podium.robustness.study.result import Study
from podium.robustness.study.view import study_sheet
from podium.robustness.view import robustness_sheet

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
