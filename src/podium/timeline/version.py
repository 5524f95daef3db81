"""One version of a table: counted, ranked, and drawn anew."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from podium.ranking.bootstrap import Bootstrap
from podium.ranking.counted import CountedScores
from podium.ranking.freedom import LEAST_FREEDOM, degrees_of_freedom
from podium.ranking.method_spec import MethodSpec
from podium.ranking.rankable import check_rankable
from podium.ranking.result import Ranking
from podium.ranking.uncertainty import own_freedom_of
from podium.score.place import ROUNDING
from podium.score.table import Scores

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RankedVersion:
    """One version of a table, counted and ranked.

    Attributes
    ----------
    counted
        The table.
    spec
        How it was ranked, its level settled.
    ranking
        The ranking, with intervals where there are any.
    bootstrap
        What was drawn; None where intervals are not wanted.
    """

    counted: CountedScores
    spec: MethodSpec
    ranking: Ranking
    bootstrap: Bootstrap | None

    @property
    def scores(self) -> Scores:
        """The table."""
        return self.counted.given

    @property
    def units(self) -> str | None:
        """What was drawn; None where nothing was."""
        return None if self.bootstrap is None else self.bootstrap.units

    @property
    def ranked(self) -> set[str]:
        """The systems that have a rank."""
        ranks = self.ranking.rank.tolist()
        return {system for system, rank in zip(self.ranking.systems, ranks, strict=True) if rank}

    def ranked_as(self, spec: MethodSpec) -> bool:
        """Whether it is ranked in this way; a model of missing scores ranks a complete table as any other does."""
        ways = {self.spec.missing, spec.missing}
        return self.spec == spec or (ways == {None, "model"} and replace(self.spec, missing=spec.missing) == spec)

    def goodness(self, systems: Sequence[str]) -> Floats:
        """Shape `(N,)`: scores of some systems, higher is better."""
        score = self.ranking.score[self._rows(systems)]
        return score if self.ranking.higher_is_better else -score

    def ranks(self, systems: Sequence[str]) -> Ints:
        """Shape `(N,)`: ranks of some systems."""
        return self.ranking.rank[self._rows(systems)]

    def _rows(self, systems: Sequence[str]) -> Ints:
        row = {system: index for index, system in enumerate(self.ranking.systems)}
        return np.array([row[system] for system in systems], dtype=np.int64)

    def drawn(self, systems: Sequence[str]) -> "Drawn | None":
        """Return replicates of some systems, those of the intervals; None where there are no intervals."""
        found = self.ranking.intervals
        if found is None or self.bootstrap is None:
            return None
        rows = self._rows(systems)
        freedom = _freedom(self.counted, self.spec, self.bootstrap.units, systems)
        return Drawn(self.counted, self.goodness(systems), found.samples[rows], found.rounding[rows], freedom)

    def drawn_of(self, scores: Scores, systems: Sequence[str]) -> "Drawn | None":
        """Draw replicates of a part of the table; None where it has too few units.

        Raises
        ------
        MethodError
            The part cannot be ranked.
        """
        if self.bootstrap is None:
            return None
        check_rankable(scores)
        counted = CountedScores.of(scores, [self.spec], threads=self.counted.threads)
        if degrees_of_freedom(counted.by_name, self.bootstrap.units, self.spec.level) < LEAST_FREEDOM:
            return None
        standing = counted.standing(self.spec)
        samples = counted.replicates(self.spec, self.bootstrap.resampling)
        sign = 1.0 if standing.higher_is_better else -1.0
        row = {system: index for index, system in enumerate(scores.systems)}
        rows = np.array([row[system] for system in systems], dtype=np.int64)
        scale = np.broadcast_to(np.asarray(standing.scale, dtype=np.float64), standing.score.shape)
        freedom = _freedom(counted, self.spec, self.bootstrap.units, systems)
        return Drawn(counted, standing.goodness[rows], sign * samples[rows], ROUNDING * scale[rows], freedom)


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Scores of N systems, and of their replicates; higher is better.

    Attributes
    ----------
    counted
        The table.
    goodness, rounding, freedom
        Shape `(N,)`: scores, the differences that are none, and degrees of freedom of standard errors.
    samples
        Shape `(N, B)`.
    """

    counted: CountedScores
    goodness: Floats
    samples: Floats
    rounding: Floats
    freedom: Floats


def _freedom(counted: CountedScores, spec: MethodSpec, units: str, systems: Sequence[str]) -> Floats:
    """Shape `(N,)`: degrees of freedom of all, or of a system where it has fewer."""
    whole = degrees_of_freedom(counted.by_name, units, spec.level)
    own, _ = own_freedom_of(counted, spec, units)
    if own is None:
        return np.full(len(systems), whole)
    row = {system: index for index, system in enumerate(counted.by_name.systems)}
    return np.minimum(own[[row[system] for system in systems]], whole)
