"""A page is called after its only source."""

import pytest

from podium.cli.page import title_of


@pytest.mark.parametrize(
    ("sources", "title"),
    [
        (["a/scores.csv"], "scores"),
        (["scores.csv.gz"], "scores"),
        (["runs.v2.parquet"], "runs.v2"),
        (["-"], "scores"),
        (["a.csv", "b.csv"], "scores"),
    ],
)
def test_the_title_is_the_name_without_its_endings(sources: list[str], title: str) -> None:
    assert title_of(sources) == title
