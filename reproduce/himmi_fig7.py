"""Himmi et al. 2023, Appendix B.3, Fig. 7, 8 and 9: how many systems and sentences the collected tables have."""

from collections.abc import Mapping

from cells import TABLES
from outcome import Absent, Numbers, Picture, Section, Words, judged
from released import released
from removals import TABLES as LEADERBOARDS

from podium.score.table import Scores

__all__ = ["section"]


def section() -> Section:
    """Count what was released."""
    boards = {name: released(f"{file}.csv") for name, (file, _) in LEADERBOARDS.items()}
    tables = {name: released(f"{file}.parquet") for name, file in TABLES.items()}
    scores = sum(table.n_scored for table in boards.values()) + sum(map(_scores, tables.values()))
    systems = [len(table.systems) for table in (*boards.values(), *tables.values())]
    sentences = sorted(len(table.systems) * table.tasks[0].n_instances for table in tables.values())
    absent = Absent(["COCO", "GEM", "TAC", "WebNLG", "WMT"], "most of the collection was not released")
    return Section(
        "Himmi et al., Fig. 7, 8 and 9 of Appendix B.3: the size of the collection",
        "The tables at hand were released by Colombo et al. A sentence is what one system says to one instance.",
        [
            judged("bars by data set", Picture("three pictures"), absent, shown="the table below"),
            judged("scores", Words("over 131 million"), absent, shown=f"{scores:,} at hand"),
            judged(
                "systems of a data set",
                Numbers.read("2 to 60"),
                absent,
                shown=f"{min(systems)} to {max(systems)} at hand",
                note=f"GLUE, which the paper takes too, has {len(boards['GLUE'].systems)}",
            ),
            judged(
                "sentences of the smaller data sets",
                Words("several hundred"),
                absent,
                shown=f"{', '.join(map(str, sentences))} at hand",
            ),
        ],
        [["table", "systems", "tasks", "instances", "sentences"], *_rows(boards, tables)],
    )


def _scores(table: Scores) -> int:
    return sum(int(task.scored.sum()) for task in table.tasks)


def _rows(boards: Mapping[str, Scores], tables: Mapping[str, Scores]) -> list[list[str]]:
    rows = [[name, str(len(table.systems)), str(len(table.tasks)), "", ""] for name, table in boards.items()]
    for name, table in tables.items():
        systems, instances = len(table.systems), table.tasks[0].n_instances
        rows.append([name, str(systems), str(len(table.tasks)), str(instances), str(systems * instances)])
    return rows
