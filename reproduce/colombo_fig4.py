"""Colombo et al. 2022, Figure 4: systems that mean, one-level and two-level Borda have in common at the top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from colombo import Counts, Floats, order, ranks
from colombo_fig6 import COLUMNS, METHODS, SLIPS, released_code
from matplotlib.figure import Figure
from outcome import Claim, Finding, Picture, Section, judged, stated
from released import IMAGES, released

import podium
from podium.agreement import kendall_tau, top_agreement
from podium.report.drawing import line_style
from podium.score.place import midranks, places
from podium.score.table import Scores

PICTURE = "reproduce-colombo-fig4.svg"
#: Numbers of systems at the top, as in Table 2.
TOPS = (1, 3, 5, 10)
#: Pairs of methods, by their places in `METHODS`.
PAIRS = {"σ²ˡ, mean": (0, 2), "σ²ˡ, σˡ": (1, 2), "mean, σˡ": (0, 1)}
#: More than these shares in common are many, and almost all; τ below this is low.
MANY, ALMOST, LOW = 0.5, 0.9, 0.4
#: At most this share is hardly any.
FEW = 0.2

TEXT = f"""
The share that two methods have in common of the first n, n = {", ".join(map(str, TOPS))} where there are more, and τ
of those in common. The text has no number, and the picture's axes are not in it.

The figure rests on the same exchanged axes as Figure 6. On the true ones the two levels of Borda have almost all
systems in common, wherever one cuts. The mean has them too for dialogues, in part for captions, and for summaries
hardly any of the first five.
"""


@dataclass(frozen=True)
class Tops:
    """What three methods have in common, of one set.

    Attributes
    ----------
    common
        Mean share over `TOPS`, by pair.
    tau
        Of what mean and two-level Borda have in common of the longest top.
    """

    common: Mapping[str, float]
    tau: float


def section() -> Section:
    """Compare tops on the true axes; then of instances, as in the released tables."""
    tables = {name: released(f"{name}.parquet") for name in COLUMNS}
    true = [_of_ranks([ranks(scores, way) for way in METHODS]) for scores in tables.values()]
    lists = [[order(sums)[::-1] for sums in released_code(scores, SLIPS[_SLIP])] for scores in tables.values()]
    swapped = [_of_lists(found) for found in lists]
    _draw(tables, lists)
    return Section(
        "Colombo et al., Figure 4: the same systems at the top",
        stated(TEXT, _held(true, tables["SUM_EVAL"])),
        [judged("both panels", Picture(), true, shown="the picture below"), *_claims(true, swapped)],
        table=[
            ("share in common", *PAIRS, *(f"instances: {pair}" for pair in PAIRS)),
            *(
                (COLUMNS[name], *(f"{one.common[pair]:.2f}" for one in both for pair in PAIRS))
                for name, *both in zip(COLUMNS, true, swapped, strict=True)
            ),
        ],
        pictures=[(PICTURE, "Share in common of the first n by three pairs of methods, of systems and of instances")],
    )


def _held(true: Sequence[Tops], summaries: Scores) -> Mapping[str, bool]:
    """What the text says in words."""
    levels = [one.common["σ²ˡ, σˡ"] for one in true]
    *dialogues, captions, _ = (one.common["σ²ˡ, mean"] for one in true)
    mean, _, two = (ranks(summaries, way) for way in METHODS)
    return {
        "almost all systems in common": min(levels) > ALMOST,
        "The mean has them too for dialogues": min(dialogues) > ALMOST,
        "in part for captions": MANY < captions < ALMOST,
        "hardly any of the first five": top_agreement(two, mean, 5) <= FEW,
    }


_SLIP = next(iter(SLIPS))


def _claims(true: Sequence[Tops], swapped: Sequence[Tops]) -> list[Finding]:
    """The three sentences of section 5.3, on the true axes."""
    many = [one.common["σ²ˡ, mean"] for one in true]
    taus = [one.tau for one in true]
    levels = [one.common["σ²ˡ, σˡ"] for one in true]
    return [
        judged(
            "two-level Borda and mean have many top systems in common",
            Claim("a high number", lambda sets: all(one.common["σ²ˡ, mean"] > MANY for one in sets)),
            true,
            {"instances for systems": swapped, f"{_MISNAMED}": [_misnamed(one) for one in swapped]},
            shown=f"{_each(many)} of them",
            note=f"a high number is read as more than {MANY:.0%}",
        ),
        judged(
            "but rank these differently",
            Claim("low", lambda sets: all(one.tau < LOW for one in sets)),
            true,
            {"instances for systems, τ between lists": swapped},
            shown=f"τ {_each(taus)}",
            note=f"low is read as below {LOW}",
        ),
        judged(
            "one-level Borda has other systems at the top than two-level Borda",
            Claim("disagrees", lambda sets: all(one.common["σ²ˡ, σˡ"] < one.common["σ²ˡ, mean"] for one in sets)),
            true,
            {"instances for systems": swapped, _MISNAMED: [_misnamed(one) for one in swapped]},
            shown=f"{_each(levels)} in common",
            note=stated("on the true axes they agree", {"they agree": min(levels) > ALMOST}),
        ),
    ]


_MISNAMED = "instances for systems, and mean and one-level Borda exchanged, as two rows of Figure 6 are"


def _misnamed(one: Tops) -> Tops:
    """One-level Borda called the mean, and the mean one-level Borda."""
    mean, level, other = (one.common[pair] for pair in PAIRS)
    return Tops(dict(zip(PAIRS, (level, mean, other), strict=True)), one.tau)


def _of_ranks(found: Sequence[Floats]) -> Tops:
    tops = [top for top in TOPS if top < len(found[0])]
    common = {
        pair: float(np.mean([top_agreement(found[i], found[j], top) for top in tops])) for pair, (i, j) in PAIRS.items()
    }
    mean, two = found[0], found[2]
    both = (mean <= tops[-1]) & (two <= tops[-1])
    return Tops(common, kendall_tau(mean[both], two[both]))


def _of_lists(found: Sequence[Counts]) -> Tops:
    """As of ranks, but τ is between the lists, as in Figure 6."""
    best = [_ranks_of(one) for one in found]
    return Tops(_of_ranks(best).common, kendall_tau(found[0][: TOPS[-1]], found[2][: TOPS[-1]]))


def _ranks_of(listed: Counts) -> Floats:
    """Ranks of a list from the best down."""
    return midranks(places(-np.argsort(listed).astype(np.float64)))


def _each(numbers: Sequence[float]) -> str:
    return ", ".join(f"{number:.2f} ({name})" for number, name in zip(numbers, COLUMNS.values(), strict=True))


def _draw(tables: Mapping[str, Scores], lists: Sequence[Sequence[Counts]]) -> None:
    """A column for each set: systems above, instances below."""
    figure = Figure(figsize=(7.2, 3.6), layout="constrained")
    axes = figure.subplots(2, len(tables), sharey=True)
    for column, (name, scores) in enumerate(tables.items()):
        rows = [ranks(scores, way) for way in METHODS], [_ranks_of(one) for one in lists[column]]
        for ax, found, what in zip(axes[:, column], rows, ("systems", "instances"), strict=True):
            n = np.arange(1, len(found[0]) + 1)
            for m, (pair, (i, j)) in enumerate(PAIRS.items()):
                shares = [top_agreement(found[i], found[j], int(top)) for top in n]
                ax.plot(n, shares, **{**line_style(m), "marker": None}, linewidth=1.2, label=pair)
            ax.set_title(f"{COLUMNS[name]}, {what}", fontsize=8)
            ax.tick_params(labelsize=7)
            ax.spines[["top", "right"]].set_visible(False)
            ax.set_ylim(-0.03, 1.03)
    figure.supxlabel("first n", fontsize=8)
    figure.supylabel("share in common", fontsize=8)
    figure.legend(
        *axes[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=8, frameon=False
    )
    podium.plots.save(axes[0, 0], IMAGES / PICTURE)
