"""How much of the first place a stress loses, strength by strength, and what is settled about it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from podium.robustness.study.result import ROUNDING, Study

Floats = NDArray[np.float64]

#: Share of the cases with a lost first place from which on a strength is mentioned.
NOTABLE = 0.1

#: Share from which on the first place is lost in most cases: beyond a half, whatever the rounding.
MOST = 0.5 + 2 * ROUNDING

#: Shares that sentences tell apart: where nothing is notable, and at the first notable strength.
SMALL, LARGE = 0.05, (0.25, MOST)


@dataclass(frozen=True, slots=True, eq=False)
class Lost:
    """What is known of the first place by the first method, at each of S strengths.

    All intervals of a study together miss with a probability of at most 5 %, however often one looks, see
    `Study.interval`. Without stress nothing is lost.

    Attributes
    ----------
    mean, low, high
        Shape `(S,)`: share of the cases in which it is lost, a shared one counting in parts, and its interval.
    certain
        Shape `(S,)`: whether all cases were tried, so that nothing is left to chance.
    unranked
        Shape `(2, S)`: interval of the share of the cases in which no system can be ranked.
    stressed
        Indices of the strengths that change something.
    shared
        Whether a part of it is kept in many of the cases: others share it, or not all of the leaders have it.
    """

    mean: Floats
    low: Floats
    high: Floats
    certain: NDArray[np.bool_]
    unranked: Floats
    stressed: tuple[int, ...]
    shared: bool

    @classmethod
    def of(cls, study: Study, sweep: int) -> "Lost":
        """Read one stress of a study."""
        one = study.swept[sweep]
        kept = one.mean("kept")[0]
        low, high = (end[0] for end in study.interval(one, "kept", together=True))
        unranked = np.array([end[0] for end in study.interval(one, "unranked", together=True)])
        stressed = tuple(np.flatnonzero(one.strengths > 0).tolist())
        parts = (one.kept[0] > ROUNDING) & (one.kept[0] < 1 - ROUNDING)
        shared = (parts.sum(axis=1) / one.tries[0])[list(stressed)]
        often = bool(shared.size and shared.mean() > NOTABLE)
        return cls(1 - kept, 1 - high, 1 - low, one.certain, unranked, stressed, often)

    def side(self, s: int, line: float) -> int:
        """Say on which side of a line the share is at a strength: 1 above or on it, −1 below, 0 where it is open."""
        if self.low[s] >= line - ROUNDING:
            return 1
        return -1 if self.high[s] < line - ROUNDING else 0

    def first(self, line: float, *, surely: bool = False) -> int | None:
        """Return the first strength that reaches a line, or may do so; None where there is none."""
        return next((s for s in self.stressed if self.side(s, line) >= (1 if surely else 0)), None)

    @property
    def mentioned(self) -> list[int]:
        """Strengths to speak of: the first notable one, the first that loses most cases, and the first sure one."""
        found = [self.first(NOTABLE), self.first(MOST), self.first(MOST, surely=True)]
        return sorted({s for s in found if s is not None})

    @property
    def worst(self) -> float:
        """Line below which the share stays at all strengths, where nothing is notable."""
        return SMALL if self.first(SMALL) is None else NOTABLE

    @property
    def unsettled(self) -> list[int]:
        """Strengths that more repeats could settle something about."""
        return [s for s in self.stressed if self.open_lines(s) or self.maybe_unranked(s)]

    def open_lines(self, s: int) -> list[float]:
        """Lines that matter to what is said of a strength, while it is not known on which side the share is."""
        spoken = self.mentioned
        if spoken:
            lines = [MOST] * (s <= spoken[-1]) + [NOTABLE, *LARGE] * (s == spoken[0])
        else:
            lines = [SMALL] * (self.first(SMALL, surely=True) is None)
        return [line for line in dict.fromkeys(lines) if self.side(s, line) == 0]

    def maybe_unranked(self, s: int) -> bool:
        """Whether it is open if a strength that is mentioned often leaves no ranking."""
        return s in self.mentioned and bool(self.unranked[0, s] < NOTABLE <= self.unranked[1, s])
