"""Small tables that come with podium: two printed in the papers, and worlds of Gumbel scores with a known truth."""

from collections.abc import Callable
from importlib import resources

import numpy as np

from podium.errors import InputError, LabelError
from podium.scores import Scores, Task
from podium.sources import read

__all__ = ["gumbel", "load", "names", "toy_table1", "xtreme_missing"]


def toy_table1() -> Scores:
    """Three systems on six tasks on which mean, pairwise wins and Borda disagree; lower is better throughout.

    Printed as Table 1 of Colombo et al. 2022, whose reading of it (mean A > B > C, pairwise a cycle, Borda
    C > B > A) holds with lower scores better.

    Examples
    --------
    >>> toy_table1()
    Scores(3 systems × 6 tasks, 0 of 18 scores missing)
    """
    return _packaged("toy_table1.csv").with_directions(lower=["*"])


def xtreme_missing() -> Scores:
    """Ten systems of the XTREME leaderboard on four task groups, 18 of 40 scores missing; one system has none.

    Printed as Table 5 of Himmi et al. 2023.

    Examples
    --------
    >>> xtreme_missing()
    Scores(10 systems × 4 tasks, 18 of 40 scores missing)
    """
    return _packaged("xtreme_missing.csv")


def gumbel(
    systems: int,
    tasks: int,
    instances: int,
    *,
    dispersion: float,
    missing: float = 0.0,
    rng: np.random.Generator | int,
) -> Scores:
    """Draw scores with a known truth: system n scores Gumbel(φ n, 1) on every instance, so the last is the best.

    The difference of two systems is logistic, so system n + 1 beats system n on an instance with probability
    1 / (1 + exp(−φ)) (Colombo et al. 2022, §4.1).

    Parameters
    ----------
    systems, tasks, instances
        Numbers of systems, of tasks, and of instances of each task.
    dispersion
        φ ≥ 0: 0 makes all systems equal.
    missing
        Share of scores, between 0 and 1, removed completely at random.
    rng
        Generator, or seed of one.

    Raises
    ------
    InputError
        A number is out of range.

    Examples
    --------
    >>> gumbel(4, 2, 100, dispersion=1.0, missing=0.25, rng=0)
    Scores(4 systems × 2 tasks, 200 instances, 204 of 800 scores missing)
    """
    if min(systems, tasks, instances) < 1:
        raise InputError("a world needs at least one system, one task and one instance")
    if not (dispersion >= 0 and 0 <= missing <= 1):
        raise InputError(f"dispersion {dispersion} must be ≥ 0, and missing {missing} between 0 and 1")
    generator = np.random.default_rng(rng)
    centres = dispersion * np.arange(1, systems + 1)[:, None]

    def draw() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        values = generator.gumbel(centres, size=(systems, instances))
        return np.where(generator.random(values.shape) < missing, np.nan, values)

    return Scores(_numbered("system", systems), tuple(Task.cut(name, draw()) for name in _numbered("task", tasks)))


def names() -> tuple[str, ...]:
    """Names that `load`, and `dataset:NAME` on the command line, understand.

    >>> names()
    ('toy-table1', 'xtreme-missing')
    """
    return tuple(_TABLES)


def load(name: str) -> Scores:
    """Load a built-in table by name.

    Raises
    ------
    LabelError
        There is no such table; the nearest names are given.

    Examples
    --------
    >>> load("toy-table1").systems
    ('A', 'B', 'C')
    """
    if name not in _TABLES:
        raise LabelError.unknown("built-in data set", name, _TABLES)
    return _TABLES[name]()


def _packaged(file: str) -> Scores:
    with resources.as_file(resources.files("podium") / "data" / file) as path:
        return read(path)


def _numbered(kind: str, number: int) -> tuple[str, ...]:
    """Labels that sort in order of their numbers."""
    width = len(str(number))
    return tuple(f"{kind} {index:0{width}d}" for index in range(1, number + 1))


_TABLES: dict[str, Callable[[], Scores]] = {"toy-table1": toy_table1, "xtreme-missing": xtreme_missing}
