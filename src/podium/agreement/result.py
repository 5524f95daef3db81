"""Rankings of the same systems, side by side: how far they agree, and which systems move; frozen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats, plain_list
from podium.base.errors import MethodError
from podium.base.words import LONG, Doubt, few, weighing_as, with_names
from podium.ranking.distance import kendall_distance, kendall_tau, rank_biased_overlap, top_agreement
from podium.ranking.result import Ranking
from podium.report.result import Result
from podium.score.place import competition_ranks, places

if TYPE_CHECKING:
    from podium.report.view import View

#: Numbers of best systems whose agreement is looked at, where there are more systems than that.
TOP = (1, 3, 5, 10)

#: What a row says of a system before its ranks.
_FIELDS = ("system", "best", "worst", "spread")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agreement(Result):
    """M rankings of N systems, side by side; the systems that move most stand first.

    Attributes
    ----------
    methods
        The M names of the rankings.
    systems
        The N systems that all of them rank, by spread, then by best rank.
    ranks
        Shape `(M, N)`: competition ranks (1224) among these systems, 1 is best.
    tau
        Shape `(M, M)`: Kendall's τ-b; NaN where a ranking ties all systems.
    distance
        Shape `(M, M)`: normalised Kendall distance, from 0 (same) to 1 (reversed); ties at ½.
    top_n
        The D numbers n whose agreement is looked at.
    top
        Shape `(D, M, M)`: share of the n best systems in common.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> agreement = podium.agree(podium.datasets.toy_table1(), ["mean", "borda"])
    >>> agreement.methods
    ('mean', 'borda:task')
    >>> agreement.tau
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    schema: ClassVar[str] = "agreement"
    _beyond_rows: ClassVar[str] = (
        "these rows are the systems only; -f json and -f table also have tau-b and the pairs of rankings"
    )
    _row_key: ClassVar[str] = "systems"

    methods: tuple[str, ...]
    systems: tuple[str, ...]
    ranks: NDArray[np.int64]
    tau: Floats
    distance: Floats
    top_n: tuple[int, ...]
    top: Floats
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    @classmethod
    def of(
        cls,
        rankings: Mapping[str, Ranking] | Sequence[Ranking],
        *,
        top_n: Sequence[int] = TOP,
        notes: Sequence[str] = (),
    ) -> "Agreement":
        """Compare rankings that exist already, on the systems that all of them rank.

        Parameters
        ----------
        rankings
            By name; or a sequence, named by method and level.
        top_n
            Numbers of best systems to look at; those that leave no system out are left out themselves.
        notes
            More to say.

        Raises
        ------
        MethodError
            Fewer than two rankings, fewer than two systems in common, or names that are not unique.

        Examples
        --------
        >>> import podium
        >>> toy = podium.datasets.toy_table1()
        >>> half = podium.rank(toy.select(tasks=["Task1", "Task2", "Task3"]))
        >>> Agreement.of({"half": half, "whole": podium.rank(toy)}).tau[0, 1]
        np.float64(1.0)
        """
        named = _named(rankings)
        systems, left_out = _common(named)
        ranks = np.array([_ranks(ranking, systems) for ranking in named.values()])
        order = sorted(range(len(systems)), key=lambda i: (-np.ptp(ranks[:, i]), ranks[:, i].min(), systems[i]))
        ranks = _frozen(ranks[:, order])
        depths = tuple(n for n in top_n if n < len(systems))
        return cls(
            methods=tuple(named),
            systems=tuple(systems[i] for i in order),
            ranks=ranks,
            tau=_pairwise(ranks, kendall_tau),
            distance=_pairwise(ranks, lambda a, b: kendall_distance(a, b, normalised=True)),
            top_n=depths,
            top=_tops(ranks, depths),
            notes=(*gathered({name: ranking.notes for name, ranking in named.items()}), *left_out, *notes),
            backend=next(iter(named.values())).backend,
        )

    @property
    def best(self) -> NDArray[np.int64]:
        """Shape `(N,)`: best rank of each system."""
        best: NDArray[np.int64] = self.ranks.min(axis=0)
        return best

    @property
    def worst(self) -> NDArray[np.int64]:
        """Shape `(N,)`: worst rank of each system."""
        worst: NDArray[np.int64] = self.ranks.max(axis=0)
        return worst

    @property
    def spread(self) -> NDArray[np.int64]:
        """Shape `(N,)`: worst rank minus best, by which the systems are sorted."""
        return self.worst - self.best

    def overlap(self, p: float = 0.9) -> Floats:
        """Shape `(M, M)`: rank-biased overlap of every two rankings, 1 where they agree; see `rank_biased_overlap`.

        Parameters
        ----------
        p
            Between 0 and 1: the less, the more the first places weigh.

        Raises
        ------
        MethodError
            `p` is out of range.

        Examples
        --------
        >>> import podium
        >>> podium.agree(podium.datasets.toy_table1(), ["mean", "borda"]).overlap().round(4)
        array([[1.   , 0.855],
               [0.855, 1.   ]])
        """
        return _pairwise(self.ranks, partial(rank_biased_overlap, p=p))

    def pairs(self) -> list[tuple[int, int]]:
        """Return indices of the pairs of rankings, the least agreeing first, in the order of τ-b; undefined ones last.

        >>> import podium
        >>> agreement = podium.agree(podium.datasets.xtreme_missing(), ["mean", "median", "wins"])
        >>> [[agreement.methods[index] for index in pair] for pair in agreement.pairs()]
        [['median', 'wins:task'], ['mean', 'wins:task'], ['mean', 'median']]
        """
        pairs = list(combinations(range(len(self.methods)), 2))
        return sorted(pairs, key=lambda pair: (np.isnan(self.tau[pair]), self.tau[pair]))

    def __len__(self) -> int:
        return len(self.systems)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system, the widest spread first, with its rank in every ranking by name.

        >>> import podium
        >>> podium.agree(podium.datasets.toy_table1(), ["mean", "borda"]).rows()[0]
        {'system': 'A', 'best': 1, 'worst': 3, 'spread': 2, 'mean': 1, 'borda:task': 3}
        """
        columns = (self.systems, self.best.tolist(), self.worst.tolist(), self.spread.tolist(), *self.ranks.tolist())
        return [dict(zip((*_FIELDS, *self.methods), row, strict=True)) for row in zip(*columns, strict=True)]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.agreement.view import view_agreement  # noqa: PLC0415  # only where it is shown

        return view_agreement(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "n_systems": len(self),
            "methods": list(self.methods),
            "kendall_tau": plain_list(self.tau),
            "kendall_distance": plain_list(self.distance),
            "top_agreement": [
                {"n": n, "agreement": plain_list(matrix)} for n, matrix in zip(self.top_n, self.top, strict=True)
            ],
            "systems": self.rows(),
        }


def _named(rankings: Mapping[str, Ranking] | Sequence[Ranking]) -> dict[str, Ranking]:
    if isinstance(rankings, Mapping):
        named = dict(rankings)
    else:
        named = {_name(ranking): ranking for ranking in rankings}
        if len(named) < len(rankings):
            names = [_name(ranking) for ranking in rankings]
            twice = next(name for name in names if names.count(name) > 1)
            raise MethodError(f"{twice!r} appears twice; leave one out, or give rankings by name: Agreement.of({{…}})")
    if taken := set(named) & set(_FIELDS):
        raise MethodError(f"a ranking is named {min(taken)!r}, like a column of the result; choose another name")
    if len(named) < 2:
        raise MethodError(
            f"agreement needs two or more rankings, and there is {f'only {min(named)}' if named else 'none'}"
        )
    return named


def _name(ranking: Ranking) -> str:
    return ranking.method if ranking.level is None else f"{ranking.method}:{ranking.level}"


def _common(named: Mapping[str, Ranking]) -> tuple[list[str], list[str]]:
    """Find the systems that all rankings rank, and say which others are left out, and why."""
    ranked = {name: _placed(ranking) for name, ranking in named.items()}
    missing: dict[tuple[str, ...], list[str]] = {}
    systems = []
    for system in dict.fromkeys(system for ranking in named.values() for system in ranking.systems):
        without = [name for name, places in ranked.items() if system not in places]
        if without:
            missing.setdefault(tuple(without), []).append(system)
        else:
            systems.append(system)
    notes = [
        with_names("left out: ", out, f" (no rank by {few(names, 3)}); systems behind them move up")
        for names, out in missing.items()
    ]
    if len(systems) < 2:
        raise MethodError(
            f"the rankings have {len(systems)} systems in common, too few to compare; " + "; ".join(notes)
        )
    return systems, notes


def _placed(ranking: Ranking) -> dict[str, int]:
    """Return the ranks of the systems that have one."""
    return {system: place for system, place in zip(ranking.systems, ranking.rank.tolist(), strict=True) if place}


def _ranks(ranking: Ranking, systems: Sequence[str]) -> NDArray[np.int64]:
    placed = _placed(ranking)
    return competition_ranks(places(-np.array([placed[system] for system in systems], dtype=np.float64)))


def _pairwise(ranks: NDArray[np.int64], compare: Callable[[Any, Any], float]) -> Floats:
    """Compare every two rankings; the order of the two does not matter."""
    result = np.empty((len(ranks), len(ranks)))
    for i in range(len(ranks)):
        for j in range(i + 1):
            result[i, j] = result[j, i] = compare(ranks[i], ranks[j])
    return _frozen(result)


def _tops(ranks: NDArray[np.int64], depths: Sequence[int]) -> Floats:
    """Shape `(D, M, M)`: agreement on the best n systems for each depth n."""
    top = np.empty((len(depths), len(ranks), len(ranks)))
    for index, depth in enumerate(depths):
        top[index] = _pairwise(ranks, partial(top_agreement, n=depth))
    return _frozen(top)


def gathered(notes: Mapping[str, Sequence[str]]) -> list[str]:
    """Every note once, with the rankings it belongs to unless that is all of them; long ones with their number."""
    said: dict[str, list[str]] = {}
    for name, own in notes.items():
        for note in own:
            said.setdefault(note, []).append(name)
    gathered = []
    for note, names in said.items():
        whom = min(few(names, 2), few(names, 3), key=len) + ": "  # a third name may be shorter than "and 1 more"
        if len(whom) + len(note) > LONG and len(names) > 1:
            whom = f"{len(names)} rankings: "
        whole = note if len(names) == len(notes) else whom + note
        gathered.append(Doubt(whole) if isinstance(note, Doubt) else weighing_as(note, whole))  # misleads in one only
    return gathered


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array
