"""Which results there are to show, and how each is laid out."""

from podium.comparisons import Comparisons
from podium.concordance import Agreement
from podium.description import Description
from podium.meta_analyses import MetaAnalysis
from podium.plans import Plan
from podium.rankings import Ranking
from podium.report.agreement import agreement_sheet
from podium.report.grid import Sheet, description_sheet, ranking_sheet
from podium.report.meta_analysis import comparisons_sheet, meta_analysis_sheet
from podium.report.plan import plan_sheet

__all__ = ["Result", "sheet"]

Result = Ranking | Description | Agreement | Plan | MetaAnalysis | Comparisons


def sheet(result: Result) -> Sheet:  # one for each kind
    """Lay out a result for the text formats.

    >>> import podium
    >>> sheet(podium.rank(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 6 tasks'
    """
    match result:
        case Ranking():
            return ranking_sheet(result)
        case Description():
            return description_sheet(result)
        case Agreement():
            return agreement_sheet(result)
        case Plan():
            return plan_sheet(result)
        case MetaAnalysis():
            return meta_analysis_sheet(result)
        case Comparisons():
            return comparisons_sheet(result)
