"""Where the released scores are, and what reading them needs."""

import json
import sys
from pathlib import Path
from typing import Any

import podium
from podium.score.table import Scores

__all__ = ["IMAGES", "golden", "not_released", "released"]

_DATA = Path(__file__).parents[2] / "shared" / "data"

#: Where pictures go.
IMAGES = Path(__file__).parents[1] / "docs" / "images"


def released(name: str, **columns: Any) -> Scores:
    """Read a released table, such as "glue.csv"; without the tables there is nothing to do, which is said.

    Columns are named as `podium.read` wants them, where it would not find them.

    >>> released("xtreme.csv")  # doctest: +SKIP
    Scores(15 systems × 4 tasks, 0 of 60 scores missing)
    """
    return podium.read(_there(_DATA / "scores" / name), **columns)


def golden() -> dict[str, Any]:
    """What the papers print, and what their released code gives on the released scores."""
    content: dict[str, Any] = json.loads(_there(_DATA / "golden" / "ranking.json").read_text("utf-8"))
    return content


def not_released(name: str) -> bool:
    """Whether no released file has this in its name, in capitals or not.

    >>> not_released("GEM"), not_released("glue")  # doctest: +SKIP
    (True, False)
    """
    folders = [_there(_DATA / folder) for folder in ("scores", "effects", "difficulty")]
    return not any(name.casefold() in path.name.casefold() for folder in folders for path in folder.iterdir())


def _there(path: Path) -> Path:
    if not path.exists():
        sys.exit(f"{path} is not there: the released scores are not part of podium; put them there, and run this again")
    return path
