"""Himmi et al. 2023, Fig. 3: scores missing from Gumbel worlds of which one task is rescaled."""

from functools import cache

import numpy as np
from numpy.typing import NDArray
from outcome import Claim, Picture, Section, judged, stated
from removals import ranked, taus

import podium
from podium.stresses import RemoveScores, Rescale, compose

__all__ = ["section"]

Floats = NDArray[np.float64]

SIZE, DISPERSION, REPEATS = 20, 0.05, 100
SCALES = (1, 2, 5, 10, 100)
SHARES = (0.0, 0.2, 0.5, 0.8, 0.95)
#: A difference of τ below this is none.
SAME = 0.01
WAYS = ("borda:two:missing=imputed", "borda:one:missing=imputed", "mean")


def section() -> Section:
    """Rank worlds with every share removed and every scale of one task."""
    ranks, tau = _worlds()
    moved = np.abs(ranks[:, :, :, :2] - ranks[:, :1, :, :2]).max()
    at = tau.mean(axis=2)
    falls = bool((np.diff(at[:, :, 2], axis=1) < 0).all())
    return Section(
        "Himmi et al., Fig. 3: scaling and missing scores",
        f"Gumbel worlds of {SIZE} systems, {SIZE} tasks and {SIZE} instances of each (§3.1), φ = {DISPERSION}; a "
        f"share η of the scores is removed, and one task multiplied by λ; {REPEATS} worlds. τ is between the "
        "rankings with and without all this.",
        [
            judged("curves", Picture(), at, shown="the table below", note="φ, λ and η are in the picture only"),
            judged(
                "scaling has no impact on σˡ and σ²ˡ",
                Claim("none", lambda change: change == 0),
                float(moved),
                shown=f"largest change of a rank by λ from {SCALES[0]} to {SCALES[-1]}, whatever is missing: {moved:g}",
            ),
            judged(
                "scaling progressively disrupts mean",
                Claim("with λ", bool),
                falls,
                shown=f"τ of mean falls from {at[0, 0, 2]:.2f} to {at[0, -1, 2]:.2f} with nothing missing"
                + (", and with every λ at every η" if falls else ", but not with every λ at every η"),
                note=stated(
                    "with λ = 1, where all tasks have one scale, mean holds as well as σ²ˡ",
                    {"mean holds as well as σ²ˡ": (at[:, 0, 2] > at[:, 0, 0] - SAME).all()},
                ),
            ),
        ],
        _table(at),
    )


@cache
def _worlds() -> tuple[Floats, Floats]:
    """Midranks `(η, λ, R, M, N)`, and τ with those of the untouched worlds `(η, λ, R, M)`."""
    ranks = np.empty((len(SHARES), len(SCALES), REPEATS, len(WAYS), SIZE))
    untouched = np.empty((REPEATS, len(WAYS), SIZE))
    for r in range(REPEATS):
        world = podium.simulate.gumbel(SIZE, SIZE, SIZE, dispersion=DISPERSION, rng=r).scores
        untouched[r] = ranked(world, WAYS)
        for s, share in enumerate(SHARES):
            for k, scale in enumerate(SCALES):
                stress = compose(Rescale(scale - 1), RemoveScores(share))  # the same task and scores at every strength
                ranks[s, k, r] = ranked(stress(world, np.random.default_rng([3, r])), WAYS)
    flat = np.broadcast_to(untouched, ranks.shape).reshape(-1, SIZE)
    return ranks, taus(ranks.reshape(-1, SIZE), flat).reshape(ranks.shape[:-1])


def _table(at: Floats) -> list[list[str]]:
    head = ["mean τ of σ²ˡ and of mean", *(f"λ = {scale}" for scale in SCALES)]
    rows = [
        [f"η = {share:g}", *(f"{at[s, k, 0]:.2f}, {at[s, k, 2]:.2f}" for k in range(len(SCALES)))]
        for s, share in enumerate(SHARES)
    ]
    return [head, *rows]
