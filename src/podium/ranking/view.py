"""How a ranking is shown."""

from typing import TYPE_CHECKING

from podium.base.words import span
from podium.report.table import DASH, Grid, Sheet, labels_column, numbers_column, printable, score_texts

if TYPE_CHECKING:
    from podium.ranking.result import Ranking


def ranking_sheet(ranking: "Ranking") -> Sheet:
    """Lay out a ranking.

    >>> import podium
    >>> ranking_sheet(podium.rank(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 6 tasks'
    """
    rows = ranking.rows()
    ranks = [row["rank"] for row in rows]
    columns = [
        numbers_column("rank", [DASH if rank is None else str(rank) for rank in ranks]),
        labels_column("system", ranking.systems),
        numbers_column("score", score_texts([row["score"] for row in rows], ranks)),
        numbers_column("tasks scored", [f"{row['tasks_scored']}/{ranking.n_tasks}" for row in rows]),
    ]
    notes = ranking.notes
    if ranking.intervals is not None:
        percent = f"{100 * ranking.intervals.confidence:g}%"
        columns[1:1] = [
            numbers_column(f"{percent} ranks", [span(row["rank_low"], row["rank_high"]) for row in rows]),
            numbers_column("tier", [DASH if row["tier"] is None else str(row["tier"]) for row in rows]),
        ]
        notes = (*notes, ranking.intervals.explanation)
    title = ranking.title + ("" if ranking.higher_is_better else "; lower is better")
    return Sheet(title, (Grid(tuple(columns)),), tuple(map(printable, notes)))
