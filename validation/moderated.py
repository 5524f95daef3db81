"""Trials of moderators that are noise: how often a meta-regression finds one that is not there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from section import Row, Section
from trials import Verdict

from podium.comparison.moderators import regress

Floats = NDArray[np.float64]

#: Names of verdicts, and intervals.
_INTERVALS = {
    "noise": "satterthwaite",
    "noise_adhoc": "adhoc",
    "noise_plain": "knapp-hartung",
    "noise_normal": "normal",
}


@dataclass(frozen=True)
class Moderated:
    """Analyses of k effects that depend on nothing, with moderators drawn anew for each.

    Variances lie evenly in log, the largest `ratio` times the smallest, in any order. One trial is many analyses at
    once, of which it gives the shares that have p < 0.05.

    Attributes
    ----------
    kind
        "number", normal; "skewed", lognormal, so that few tasks decide; "groups", three as large as can be; or "both",
        a number and groups.
    """

    kind: str
    k: int
    ratio: float
    tau2: float
    analyses: int = 500

    def __call__(self, rng: np.random.Generator) -> Verdict:
        """Draw effects and moderators, and ask whether they go together."""
        variance = np.geomspace(1 / np.sqrt(self.ratio), np.sqrt(self.ratio), self.k)
        variances = rng.permuted(np.tile(variance, (self.analyses, 1)), axis=1)
        effects = rng.normal(0, np.sqrt(variances + self.tau2))
        design = self._design(rng)
        found = {
            name: float((regress(effects, variances, design, interval=interval).qm_p < 0.05).mean())
            for name, interval in _INTERVALS.items()
        }
        return Verdict(**found)

    def _design(self, rng: np.random.Generator) -> Floats:
        number = rng.normal(size=(self.analyses, self.k))
        group = np.arange(self.k) % 3
        columns = [np.ones((self.analyses, self.k))]
        columns += [np.exp(1.5 * number) if self.kind == "skewed" else number] * (self.kind != "groups")
        columns += [np.tile(group == one, (self.analyses, 1)) for one in (1, 2)] * (self.kind in {"groups", "both"})
        return np.stack(columns, axis=2)


_WORDS = {"number": "a number", "skewed": "a skewed number", "groups": "three groups", "both": "a number and groups"}


def _rows() -> Iterator[Row]:
    for kind, words in _WORDS.items():
        for k in (5, 8, 12, 20):
            for ratio in (1, 10, 100):
                if k == 5 and kind == "both":  # one task beyond the coefficients
                    continue
                trials = tuple(Moderated(kind, k, ratio, tau2) for tau2 in (0.25, 1.0, 4.0))
                yield Row(f"{words}, k {k}, variances 1 : {ratio}", trials, worlds=10)


def sections() -> tuple[Section, ...]:
    """Moderators that are noise."""
    text = (
        "Effects on k tasks do not depend on a moderator. How often has it p < 0.05 in `moderators=`? Variances differ "
        "as said, and τ² is 0.25, 1 or 4; moderators are one number, three groups, or both. The first column is the "
        "default; the others are other intervals, and no promise is made of them."
    )
    others = ("noise_adhoc", "noise_plain", "noise_normal")
    return (Section("Moderators that are noise", text, ("noise", *others), tuple(_rows()), unpromised=others),)
