"""Where the released scores are, and what reading them needs."""

import json
import sys
from pathlib import Path
from typing import Any

import podium
from podium.score.table import Scores

__all__ = ["IMAGES", "clone", "file", "golden", "not_released", "released"]

_DATA = Path(__file__).parents[2] / "shared" / "data"

#: Where repositories that authors released with a paper are cloned to, by their own names.
_CLONES = Path(__file__).parents[1] / "clones"
_REPOSITORIES = {
    "ranger": "https://github.com/MeteSertkan/ranger",
    "Leaderboard-Customization": "https://github.com/swarooprm/Leaderboard-Customization",
}

#: Where pictures go.
IMAGES = Path(__file__).parents[1] / "docs" / "images"


def released(name: str, **columns: Any) -> Scores:
    """Read a released table, such as "glue.csv"; without the tables there is nothing to do, which is said.

    Columns are named as `podium.read` wants them, where it would not find them.

    >>> released("xtreme.csv")  # doctest: +SKIP
    Scores(15 systems × 4 tasks, 0 of 60 scores missing)
    """
    return podium.read(file(f"scores/{name}"), **columns)


def file(name: str) -> Path:
    """Where a released file is, such as "effects/glue_accuracy.parquet"."""
    return _there(_DATA / name)


def clone(name: str) -> Path:
    """Where a repository is that was released with a paper; without it there is nothing to do, which is said."""
    path = _CLONES / name
    if not path.exists():
        sys.exit(f"{path} is not there: run `git clone {_REPOSITORIES[name]} clones/{name}`, and this again")
    return path


def golden() -> dict[str, Any]:
    """What the papers print, and what their released code gives on the released scores."""
    content: dict[str, Any] = json.loads(file("golden/ranking.json").read_text("utf-8"))
    return content


def not_released(name: str) -> bool:
    """Whether no released file has this in its name, in capitals or not.

    >>> not_released("GEM"), not_released("glue")  # doctest: +SKIP
    (True, False)
    """
    folders = [file(folder) for folder in ("scores", "effects", "difficulty")]
    return not any(name.casefold() in path.name.casefold() for folder in folders for path in folder.iterdir())


def _there(path: Path) -> Path:
    if not path.exists():
        sys.exit(f"{path} is not there: the released scores are not part of podium; put them there, and run this again")
    return path
