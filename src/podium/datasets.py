"""Small tables that come with podium: two are printed in papers, and one is simulated, so that its truth is known."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from importlib import resources
from pathlib import Path

import numpy as np

from podium.base.check import is_one_of
from podium.base.errors import LabelError
from podium.score.table import Scores
from podium.score.task import Task
from podium.simulate.world import correlated
from podium.source.read import read

__all__ = ["demo", "load", "names", "toy_table1", "write_examples", "xtreme_missing"]

#: Tasks of the simulated table, and how hard their questions are.
_HARDNESS = {"code": 0.2, "law": -0.6, "math": 1.6, "news": -1.2, "science": 0.3}


def demo() -> Scores:
    """Eight simulated systems answer 150 questions of each of five tasks, right (1) or wrong (0).

    They are named in their true order: atlas is the best, heron the worst. Birch has no scores on math, the hardest
    task, so that the mean of what was run puts birch first. Drawn by `podium.simulate.correlated` with a fixed seed.

    Examples
    --------
    >>> demo()
    Scores(8 systems × 5 tasks, 750 instances, 150 of 6,000 scores missing)
    """
    systems = ("atlas", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron")
    world = correlated(len(systems), len(_HARDNESS), 150, correlation=0.75, noise=2.0, rng=8)
    tasks = []
    for (name, hardness), drawn in zip(_HARDNESS.items(), world.scores.tasks, strict=True):
        right = np.where(drawn.values[np.argsort(world.truth)] > hardness, 1.0, 0.0)
        if name == "math":
            right[systems.index("birch")] = np.nan
        tasks.append(Task.cut(name, right))
    return Scores(systems, tuple(tasks))


def toy_table1() -> Scores:
    """Three systems on six tasks where mean, pairwise wins and Borda disagree; lower is better on all tasks.

    Printed as Table 1 of Colombo et al. 2022. The results in the paper (mean A > B > C, pairwise wins form a cycle,
    Borda C > B > A) hold if lower is better.

    Examples
    --------
    >>> toy_table1()
    Scores(3 systems × 6 tasks, 0 of 18 scores missing)
    """
    return _packaged("toy_table1.csv").with_directions(lower=["*"])


def xtreme_missing() -> Scores:
    """Ten systems of the XTREME leaderboard on four task groups; 18 of 40 scores are missing, one system has none.

    Printed as Table 5 of Himmi et al. 2023.

    Examples
    --------
    >>> xtreme_missing()
    Scores(10 systems × 4 tasks, 18 of 40 scores missing)
    """
    return _packaged("xtreme_missing.csv")


def names() -> tuple[str, ...]:
    """Return names for `load`, and for `dataset:NAME` on the command line.

    >>> names()
    ('demo', 'toy-table1', 'xtreme-missing')
    """
    return tuple(_TABLES)


def load(name: str) -> Scores:
    """Load a built-in table by name.

    Raises
    ------
    LabelError
        There is no such table; the message suggests similar names.

    Examples
    --------
    >>> load("toy-table1").systems
    ('A', 'B', 'C')
    """
    if not is_one_of(name, _TABLES):
        raise LabelError.unknown("built-in data set", name, _TABLES)
    return _TABLES[name]()


def write_examples(folder: str | Path) -> None:
    """Write the small simulated files that the documentation uses into a folder, which is made if it is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_examples(folder)
    ...     read(f"{folder}/scores.csv")
    Scores(6 systems × 8 tasks, 800 instances, 0 of 4,800 scores missing)
    """
    with resources.as_file(resources.files("podium") / "data" / "examples.zip") as path, zipfile.ZipFile(path) as files:
        files.extractall(folder)


def _packaged(file: str) -> Scores:
    with resources.as_file(resources.files("podium") / "data" / file) as path:
        return replace(read(path), notes=())  # every column counts


_TABLES: dict[str, Callable[[], Scores]] = {"demo": demo, "toy-table1": toy_table1, "xtreme-missing": xtreme_missing}
