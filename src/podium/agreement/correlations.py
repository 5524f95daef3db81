"""How tables, or the tasks of one, agree on the order of systems; frozen. And what it looks like."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from podium.agreement.correlation import JOINED
from podium.base.arrays import Floats, Ints, plain_list
from podium.base.words import DASH, are, few, fixed, how_many
from podium.ranking.correlation import FEWEST
from podium.ranking.figure import ROOM, label_cells, square_axes
from podium.ranking.method_spec import in_words
from podium.report.drawing import DIVERGING, INK, Lettering, size_of
from podium.report.picture import lines_of, remark
from podium.report.result import Result
from podium.report.view import Column, Figure, Table, View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Rows of a table, and clusters of a sentence.
_ROWS, _CLUSTERS, _NAMED = 10, 4, 4

_READING = (
    "tau-b: Kendall's, 1 is the same order of systems, 0 none, -1 the reverse; its interval is for other systems",
    "noise, with itself: tau-b expected of two with the same true order, as other instances or tasks change both",
    "chance: exceeded by at most 5% of unrelated orders",
)
_CLUSTER = f"cluster: tau-b is {JOINED:g} or more in the mean between its members (average linkage)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Correlations(Result):
    """Agreement of K tables or tasks on the order of N systems; of more than two, in the order of a dendrogram.

    Attributes
    ----------
    between
        "tables" or "tasks".
    names, systems
        The K names, and the N labels.
    method, level
        How systems are ranked, see `podium.rank`.
    confidence
        Of intervals.
    ranks
        Shape `(K, N)`: competition ranks, 1 is best; 0 where a system has none.
    common
        Shape `(K, K)`: systems that both rank.
    tau, tau_low, tau_high
        Shape `(K, K)`: Kendall's τ-b and its interval, see `podium.ranking.correlation.tau_b`; NaN where not known.
    expected
        Shape `(K, K)`: τ-b that noise lets one expect of the same true order, see
        `podium.agreement.correlation.repeated`; on the diagonal, of two samples. NaN where noise is not known.
    chance
        Shape `(K, K)`: point that at most 5% of unrelated orders exceed.
    cluster
        Shape `(K,)`: from 1; names of one cluster agree, τ-b 0.8 or more in the mean; of six systems or more.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> tables = [podium.simulate.gumbel(8, 3, 50, dispersion=0.3, rng=seed).scores for seed in (0, 1)]
    >>> podium.correlate(*tables, names=["a", "b"]).tau.round(2)
    array([[1.  , 0.93],
           [0.93, 1.  ]])
    """

    schema: ClassVar[str] = "correlations"
    _row_key: ClassVar[str] = "pairs"

    between: str
    names: tuple[str, ...]
    systems: tuple[str, ...]
    method: str
    level: str | None
    confidence: float
    ranks: Ints
    common: Ints
    tau: Floats
    tau_low: Floats
    tau_high: Floats
    expected: Floats
    chance: Floats
    cluster: Ints
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.names) * (len(self.names) - 1) // 2

    @property
    def title(self) -> str:
        """Return what was compared, and how systems are ranked."""
        number = how_many(len(self.names), self.between.removesuffix("s"))
        return f"{number}, {how_many(len(self.systems), 'system')}: {in_words(self.method, self.level)}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say how far two agree; or of more, which form clusters, and how many pairs are beyond chance."""
        if len(self.names) == 2:
            return self._of_two()
        pairs = list(combinations(range(len(self.names)), 2))
        taus = np.array([self.tau[pair] for pair in pairs])
        beyond = sum(self.tau[pair] > self.chance[pair] for pair in pairs)
        said = []
        if not np.isnan(taus).all():
            mean, least, most = (fixed(of(taus), 2) for of in (np.nanmean, np.nanmin, np.nanmax))
            reach = f"tau-b is {mean} in the mean ({least} to {most})"
            unrelated = 0.05 * np.count_nonzero(~np.isnan(taus))
            number = f"{unrelated:.2g}" if unrelated < 10 else f"{unrelated:,.0f}"
            said.append(
                f"{beyond:,} of {len(pairs):,} pairs of {self.between} {are(beyond)} more alike than chance; "
                f"of unrelated ones up to {number} would be (5%); {reach}"
            )
        groups = sorted((list(group) for group in self.groups() if len(group) > 1), key=len, reverse=True)
        if groups:
            more = [how_many(len(groups) - _CLUSTERS, "other cluster")] if len(groups) > _CLUSTERS else []
            shown = [few([self.names[one] for one in group], _NAMED) for group in groups[:_CLUSTERS]]
            said.append(f"clusters: {'; '.join([*shown, *more])}")
        return tuple(said) or ("no two have systems enough in common",)

    def _of_two(self) -> tuple[str, ...]:
        value, low, high, chance, noise = (
            float(matrix[0, 1]) for matrix in (self.tau, self.tau_low, self.tau_high, self.chance, self.expected)
        )
        both, number = " and ".join(self.names), how_many(int(self.common[0, 1]), "system")
        if math.isnan(value):
            return (f"{both}: tau-b of {number} does not exist, as one of the two ties all of them",)
        alike = f"{'more' if value > chance else 'no more'} alike than chance"
        reach = f"({fixed(low, 2)} to {fixed(high, 2)})" if low == low else "(no interval)"  # noqa: PLR0124  # NaN differs from itself
        expected = (
            "what noise lets one expect is not known"
            if math.isnan(noise)
            else f"noise alone lets one expect about {noise:.2f}"
        )
        said = f"{both} order {number} {alike}: tau-b {fixed(value, 2)} {reach}; {expected}"
        return (f"{said}; chance gives up to {chance:.2f}",)

    def groups(self) -> Iterator[list[int]]:
        """Yield the places of the members of each cluster."""
        for one in dict.fromkeys(self.cluster.tolist()):
            yield np.flatnonzero(self.cluster == one).tolist()

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per pair; None where a number does not exist."""
        numbers = {
            name: plain_list(getattr(self, name))
            for name in ("common", "tau", "tau_low", "tau_high", "expected", "chance")
        }
        return [
            {"first": self.names[i], "second": self.names[j], **{name: own[i][j] for name, own in numbers.items()}}
            for i, j in combinations(range(len(self.names)), 2)
        ]

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        ranks = [[rank or None for rank in own] for own in self.ranks.T.tolist()]
        return {
            **{name: getattr(self, name) for name in ("between", "method", "level", "confidence")},
            "names": list(self.names),
            "clusters": self.cluster.tolist(),
            "expected_again": plain_list(np.diagonal(self.expected)),
            "pairs": self.rows(),
            "systems": [{"system": system, "ranks": own} for system, own in zip(self.systems, ranks, strict=True)],
        }

    def view(self) -> View:
        """Return what it looks like: title, verdict, tables, notes and figures."""
        if len(self.names) == 2:
            return View(self.title, (self._moves(),), self.notes, self.sentences, explain=_READING)
        figure = Figure("correlations", "Tau-b of every two", partial(correlations, self))
        tables = (self._likes(), self._matrix())
        reading = (*_READING, _CLUSTER) if self._clustered() else _READING
        return View(self.title, tables, self.notes, self.sentences, (figure,), reading)

    def _clustered(self) -> bool:
        """Say whether any two have systems enough in common to form a cluster."""
        return bool((self.common[np.triu_indices(len(self.names), 1)] >= FEWEST).any())

    def _moves(self) -> Table:
        moves = self.ranks[1] - self.ranks[0]
        order = sorted(range(len(self.systems)), key=lambda one: (-abs(moves[one]), self.ranks[0, one]))
        columns = (
            Column.labels("system", [self.systems[one] for one in order]),
            *(
                Column.numbers(f"rank by {name}", [str(own[one] or DASH) for one in order], named=True)
                for name, own in zip(self.names, self.ranks, strict=True)
            ),
        )
        return Table(columns, "systems that move most").cut(_ROWS)

    def _likes(self) -> Table:
        apart = np.where(np.eye(len(self.names), dtype=np.bool_), np.nan, self.tau)
        again = np.diagonal(self.expected)
        means, most, least = list[float](), list[str](), list[str]()
        for row in apart:
            known = np.flatnonzero(~np.isnan(row))
            means.append(float(row[known].mean()) if known.size else math.nan)
            for texts, sign in ((most, 1), (least, -1)):
                found = known[np.argmax(sign * row[known])] if known.size else None
                texts.append(DASH if found is None else f"{self.names[found]} ({fixed(row[found], 2)})")
        columns = (
            Column.labels(self.between.removesuffix("s"), self.names),
            *((Column.numbers("cluster", list(map(str, self.cluster.tolist()))),) if self._clustered() else ()),
            Column.numbers("mean tau-b", _shown(means)),
            Column.words("most like", most, 1),
            Column.words("least like", least, 2),
            *(() if np.isnan(again).all() else (Column.numbers("with itself", _shown(again.tolist()), 1),)),
        )
        return Table(columns)

    def _matrix(self) -> Table:
        columns = (
            Column.numbers(name, _shown(own.tolist()), named=True)
            for name, own in zip(self.names, self.tau.T, strict=True)
        )
        return Table((Column.labels("Kendall tau-b", self.names), *columns), "Kendall tau-b", detail=True)


def _shown(values: list[float]) -> list[str]:
    return [fixed(value, 2) for value in values]


def correlations(found: Correlations, *, ax: "Axes | None" = None) -> "Axes":
    """Draw τ-b of every two as coloured cells, in the order of a dendrogram, with a frame around each cluster.

    Green where they order systems alike, purple where they reverse; a cell without colour has too few systems.

    Parameters
    ----------
    found
        What `podium.correlate` returns.
    ax
        Where to draw; None makes a figure of the size that names need.

    Raises
    ------
    MissingExtraError
        Matplotlib is not installed.

    Examples
    --------
    >>> import podium
    >>> found = podium.correlate(podium.simulate.gumbel(8, 3, 50, dispersion=0.3, rng=0).scores)
    >>> len(podium.plots.correlations(found).get_yticks())
    3
    """
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415  # an extra
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    names = Lettering.of(found.names)
    framed = [one for one in found.groups() if len(one) > 1]
    said = "tau-b: green, the same order; purple, the reverse" + ("; frames: clusters" if framed else "")
    ax, side, named = square_axes(ax, names, widest=2.6, below=0.5)
    edges = np.arange(len(found.names) + 1) - 0.5
    scale = LinearSegmentedColormap.from_list("tau", DIVERGING)
    ax.pcolormesh(
        edges, edges, found.tau, cmap=scale, vmin=-1, vmax=1, edgecolors="white", linewidth=min(0.8, 3 * side)
    )
    if side >= ROOM:
        for i, j in np.argwhere(~np.isnan(found.tau)):
            ink = "white" if abs(found.tau[i, j]) > 0.6 else INK
            text = fixed(found.tau[i, j], 2).replace("0.", ".")
            ax.text(j, i, text, ha="center", va="center_baseline", fontsize=min(7.5, 72 * side / 3.2), color=ink)
    for one in framed:
        corner = min(one) - 0.5
        ax.add_patch(Rectangle((corner,) * 2, *[len(one)] * 2, fill=False, edgecolor=INK, zorder=3, clip_on=False))
    label_cells(ax, names, side, named=named)
    remark(ax, lines_of([said], max(size_of(ax)[0], 2.6)), left=max(0.0, 2.6 - size_of(ax)[0]), below=0.08)
    return ax
