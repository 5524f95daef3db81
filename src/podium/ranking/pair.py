"""Every system against every other: shares of comparisons won with intervals, and what majorities say; frozen."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import plain
from podium.base.words import how_many
from podium.ranking.method.majority import Majorities
from podium.ranking.method_spec import in_words
from podium.report.result import Result
from podium.report.view import View

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairwise(Result):
    """Direct comparisons of all pairs of systems, with Hoeffding intervals.

    Attributes
    ----------
    systems
        The N labels, by `share`, best first; equals in order of their labels, systems never compared last.
    share
        Shape `(N,)`: mean over the opponents met of `probability`, NaN for a system never compared.
    probability
        Shape `(N, N)`: share of the comparisons of i and j that i won, ties counting half; only ballots that score
        both count. NaN where there are none, and on the diagonal.
    compared
        Shape `(N, N)`: number of these comparisons; where they weigh differently, the effective number
        (Σ w)² / Σ w², which is what the intervals rest on.
    radius
        Shape `(N, N)`: half-width of the intervals before they are cut to [0, 1]; infinite where nothing was compared.
    low, high
        Shape `(N, N)`: ends of the interval of the probability that i beats j; 0 and 1 where nothing was compared.
    separated
        Shape `(N, N)`: whether i is better than j beyond doubt, low > ½.
    level
        The ballots: "task", "one" or "two".
    confidence, sided, simultaneous
        What the intervals promise, see `podium.ranking.distance.radius`.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels.systems
    ('system 3', 'system 2', 'system 1')
    >>> duels.separated
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """

    schema: ClassVar[str] = "pairwise"
    row_key: ClassVar[str] = "pairs"

    systems: tuple[str, ...]
    share: Floats
    probability: Floats
    compared: Floats
    radius: Floats
    low: Floats
    high: Floats
    separated: NDArray[np.bool_]
    level: str
    confidence: float
    sided: str
    simultaneous: bool
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.systems)

    def __repr__(self) -> str:
        pairs = len(self) * (len(self) - 1) // 2
        return (
            f"Pairwise({in_words(f'{len(self)} systems', self.level)}: "
            f"{int(self.separated.sum())} of {pairs} pairs separated at {self.confidence:.6g})"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per ordered pair of systems; None where a number does not exist.

        >>> import podium
        >>> podium.pairwise(podium.datasets.toy_table1()).rows()[0]["opponent"]
        'B'
        """
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        columns = ("probability", "compared", "radius", "low", "high", "separated")
        numbers = {name: getattr(self, name).tolist() for name in columns}
        for i, system in enumerate(self.systems):
            for j, opponent in enumerate(self.systems):
                if i != j:
                    values = {name: rows[i][j] for name, rows in numbers.items()}
                    yield plain({"system": system, "opponent": opponent, **values})

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "level": self.level,
            "confidence": self.confidence,
            "sided": self.sided,
            "simultaneous": self.simultaneous,
            "n_systems": len(self),
            "systems": [
                plain({"system": system, "share": share})
                for system, share in zip(self.systems, self.share.tolist(), strict=True)
            ],
            "pairs": self.rows(),
        }


@dataclass(frozen=True, slots=True)
class Condorcet(Result):
    """The system that beats every other by majority, or what prevents one.

    Attributes
    ----------
    systems
        The N labels, by pairs won less pairs lost by majority, best first; equals in order of their labels.
    wins, losses
        Of each, how many others it beats by majority, and how many beat it; the rest are undecided.
    winner
        The system that beats every other by majority, or None.
    smith_set
        The smallest set whose every member beats every system outside by majority: the winner alone where there is
        one, and otherwise those between whom majorities do not decide. In the order of the table.
    schwartz_set
        Members of the Smith set that lose to none, directly or through others, whom they do not beat back in the same
        way. Smaller than the Smith set only where pairs are undecided.
    cycle
        A shortest cycle of majorities inside the Smith set, each beating the next and the last the first; of several
        the one whose systems come first in the table. None where there is none.
    undecided
        Pairs inside the Smith set in which neither beats the other: tied, or never compared. Without a winner
        and without a cycle, these are what prevents one.
    sentence
        The winner, or what prevents one, in words.
    level
        The ballots: "task", "one" or "two".
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> podium.condorcet(podium.datasets.toy_table1())
    Condorcet(no Condorcet winner: no majority between A and C)
    """

    schema: ClassVar[str] = "condorcet"
    row_key: ClassVar[str] = "systems"

    systems: tuple[str, ...]
    wins: tuple[int, ...]
    losses: tuple[int, ...]
    winner: str | None
    smith_set: tuple[str, ...]
    schwartz_set: tuple[str, ...]
    cycle: tuple[str, ...] | None
    undecided: tuple[tuple[str, str], ...]
    sentence: str
    level: str
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @classmethod
    def of(
        cls,
        found: Majorities,
        beats: NDArray[np.bool_],
        labels: Sequence[str],
        *,
        level: str,
        notes: Iterable[str] = (),
        backend: str = "pyarrow",
    ) -> "Condorcet":
        """Give what was found the labels back; `beats` says who has a majority over whom."""

        def named(systems: Iterable[int]) -> tuple[str, ...]:
            return tuple(labels[index] for index in systems)

        wins, losses = beats.sum(axis=1).tolist(), beats.sum(axis=0).tolist()
        order = sorted(range(len(labels)), key=lambda i: (losses[i] - wins[i], labels[i]))
        return cls(
            systems=named(order),
            wins=tuple(wins[i] for i in order),
            losses=tuple(losses[i] for i in order),
            winner=None if found.winner is None else labels[found.winner],
            smith_set=named(found.smith_set),
            schwartz_set=named(found.schwartz_set),
            cycle=None if found.cycle is None else named(found.cycle),
            undecided=tuple((labels[i], labels[j]) for i, j in found.undecided),
            sentence=found.sentence(labels),
            level=level,
            notes=tuple(notes),
            backend=backend,
        )

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def title(self) -> str:
        """Level and size, in words."""
        size = f"{how_many(len(self), 'system')}, {len(self.smith_set):,} in the Smith set"
        return f"{in_words('majorities', self.level)}: {size}"

    def __repr__(self) -> str:
        return f"Condorcet({self.sentence})"

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per system, most pairs won first.

        >>> import podium
        >>> podium.condorcet(podium.datasets.toy_table1()).rows()[0]
        {'system': 'C', 'smith': True, 'schwartz': True, 'wins': 1, 'losses': 0, 'undecided': 1}
        """
        return [
            {
                "system": system,
                "smith": system in self.smith_set,
                "schwartz": system in self.schwartz_set,
                "wins": wins,
                "losses": losses,
                "undecided": len(self) - 1 - wins - losses,
            }
            for system, wins, losses in zip(self.systems, self.wins, self.losses, strict=True)
        ]

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "level": self.level,
            "winner": self.winner,
            "sentence": self.sentence,
            "smith_set": list(self.smith_set),
            "schwartz_set": list(self.schwartz_set),
            "cycle": None if self.cycle is None else list(self.cycle),
            "undecided": [list(pair) for pair in self.undecided],
            "systems": self.rows(),
        }


@dataclass(frozen=True, slots=True, eq=False)
class HeadToHead(Result):
    """Comparisons of all pairs, and what their majorities say.

    Attributes
    ----------
    pairs, majorities
        The two answers, about the same ballots.
    notes
        What to know before trusting them, in words.
    """

    schema: ClassVar[str] = "head-to-head"
    row_key: ClassVar[str] = "pairs"
    part_schemas: ClassVar[tuple[str, ...]] = (Pairwise.schema, Condorcet.schema)

    pairs: Pairwise
    majorities: Condorcet
    notes: tuple[str, ...]

    @property
    def backend(self) -> str:  # type: ignore[override]  # that of the pairs
        """Library of the frames that `to_frame` returns by default."""
        return self.pairs.backend

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each ordered pair of systems."""
        return self.pairs.rows()

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return "these rows are the pairs only; -f json and -f table also have the systems"

    def content(self) -> dict[str, Any]:
        """Return the pairs, and beside them what their majorities say."""
        return {**self.pairs.content(), "condorcet": self.majorities.content()}

    def parts(self) -> tuple[Result, ...]:
        """Return the two answers."""
        return (self.pairs, self.majorities)

    def view(self) -> View:
        """Return the view of the pairs, with the winner or what prevents one."""
        return replace(self.pairs.view(), verdict=self.majorities.view().verdict)
