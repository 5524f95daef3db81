"""Bradley–Terry with ties and covariates: strengths and what answers are like make battles most likely."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from podium.base.arrays import Bools, Floats, Ints
from podium.base.errors import InputError
from podium.base.words import few

#: Newton steps at most; the length of one that is none; and a coefficient, in log-odds, that grows without end.
_STEPS, _NONE, _ENDLESS = 100, 1e-11, 20.0

#: What is left of a covariate, as a share of its variance, if systems and other covariates explain all of it.
_TOLD = 1e-8


def check_told_apart(left: Floats, total: Floats, names: Sequence[str]) -> Floats:
    """Return the share of each covariate that does not follow from systems and others before it; refuse one of 0.

    Parameters
    ----------
    left
        Shape `(C, C)`: products of what the systems leave of covariates.
    total
        Shape `(C,)`: their own squares.
    names
        C labels, for errors.

    Raises
    ------
    InputError
        There is one.

    Examples
    --------
    >>> check_told_apart(np.ones((2, 2)), np.ones(2), ["lists", "bold"])
    Traceback (most recent call last):
    podium.errors.InputError: 'bold' follows from which system answers and 'lists', so it cannot be told apart; leave it
    out of adjust= (--adjust)
    """
    rest, shares = left / np.sqrt(np.outer(total, total)), np.zeros(len(names))
    for place, name in enumerate(names):
        shares[place] = pivot = rest[place, place]
        if pivot <= _TOLD:
            others = f" and {few(list(map(repr, names[:place])))}" if place else ""
            what = f"{name!r} follows from which system answers{others}, so it cannot be told apart"
            raise InputError(f"{what}; leave it out of adjust= (--adjust)")
        rest = rest - np.outer(rest[place], rest[place]) / pivot
    return shares


@dataclass(frozen=True, slots=True, eq=False)
class CovariateBattles:
    """Battles with covariates, and the likelihood of Davidson's model of these.

    With log-odds η = θ_i − θ_j + β · x, the first wins with a probability in proportion to exp(η / 2), the second to
    exp(−η / 2), and they tie to ν. Parameters are N strengths θ, C coefficients β and, if there are ties, log ν.

    Attributes
    ----------
    pair, won, mass
        Shapes `(2, B)`, `(B,)` and `(B,)`: who fights, the share that the first won, and what a battle weighs.
    features
        Shape `(C, B)`: x, of the first less the second.
    n_systems
        N.
    halves
        Whether a tie is half a win and half a loss, as in Arena's code, and not a third outcome.
    """

    pair: Ints
    won: Floats
    features: Floats
    mass: Floats
    n_systems: int
    halves: bool = False

    @property
    def _tied(self) -> Bools:
        return np.asarray((self.won == 0.5) & (not self.halves))

    def _cross(self, weight: Floats) -> tuple[Floats, Floats, Floats]:
        """Return Zᵀ diag(weight) Z for systems `(N, N)`, systems and covariates `(N, C)`, and covariates `(C, C)`."""
        n, (first, second), x = self.n_systems, self.pair, self.features
        met = np.bincount(first * n + second, weight, n * n).reshape(n, n)
        met = met + met.T
        both = [np.bincount(first, weight * one, n) - np.bincount(second, weight * one, n) for one in x]
        return np.diag(met.sum(axis=1)) - met, np.array(both).reshape(len(x), n).T, (x * weight) @ x.T

    def told_apart(self, names: Sequence[str]) -> Floats:
        """Return shares of covariates that do not follow from systems and each other, see `check_told_apart`.

        Raises
        ------
        InputError
            One follows from these.
        """
        systems, both, covariates = self._cross(self.mass)
        left = covariates - both.T @ np.linalg.pinv(systems, rcond=1e-12, hermitian=True) @ both
        return check_told_apart(left, np.diag(covariates), names)

    def _slopes(self, parameters: Floats) -> tuple[float, Floats, tuple[Floats, Floats, float]]:
        """Return the log-likelihood; its derivatives by η and log ν, `(2, B)`; and negative second ones, of battles."""
        n, last = self.n_systems, self.n_systems + len(self.features)
        odds = parameters[self.pair[0]] - parameters[self.pair[1]] + parameters[n:last] @ self.features
        log_nu = float(parameters[last]) if parameters.size > last else -math.inf
        top = np.maximum(np.abs(odds) / 2, log_nu)
        win, lose = np.exp(odds / 2 - top), np.exp(-odds / 2 - top)
        tie = np.exp(log_nu - top)
        total = win + lose + tie
        win, lose, tie = win / total, lose / total, tie / total
        won, tied = self.won - 0.5, self._tied
        likely = won * odds - top - np.log(total) + (tied * log_nu if tied.any() else 0.0)
        slopes = self.mass * np.stack([won - (win - lose) / 2, tied - tie])
        decided = self.mass * (win + lose - (win - lose) ** 2) / 4
        mixed, of_tie = -self.mass * tie * (win - lose) / 2, float((self.mass * tie * (1 - tie)).sum())
        return float((self.mass * likely).sum()), slopes, (decided, mixed, of_tie)

    def moved(self, parameters: Floats, unit: Ints) -> Floats:
        """Shape `(U, P)`: derivatives of the log-likelihood by the parameters, summed over the battles of each unit."""
        n, size, number = self.n_systems, parameters.size, int(unit.max()) + 1
        (by_odds, by_tie), sums = self._slopes(parameters)[1], np.zeros((number, size))
        for sign, side in zip((1, -1), self.pair, strict=True):
            sums[:, :n] += sign * np.bincount(unit * n + side, by_odds, number * n).reshape(number, n)
        for place, x in enumerate(self.features, start=n):
            sums[:, place] = np.bincount(unit, by_odds * x, number)
        if size > n + len(self.features):
            sums[:, -1] = np.bincount(unit, by_tie, number)
        return sums

    def _information(self, seconds: tuple[Floats, Floats, float], size: int) -> Floats:
        """Shape `(P, P)`: negative second derivatives; the level of strengths, which is free, is fixed."""
        decided, mixed, of_tie = seconds
        systems, both, covariates = self._cross(decided)
        n, last = self.n_systems, self.n_systems + len(covariates)
        found = np.zeros((size, size))
        found[:n, :n] = systems + np.trace(systems) / n**2
        found[:n, n:last], found[n:last, :n], found[n:last, n:last] = both, both.T, covariates
        if size > last:
            by_system = np.bincount(self.pair[0], mixed, n) - np.bincount(self.pair[1], mixed, n)
            found[last, :last] = found[:last, last] = np.concatenate([by_system, self.features @ mixed])
            found[last, last] = of_tie
        return found

    def with_opponent(self, prior: float) -> "CovariateBattles":
        """Return the same with one more system, which each fights so often, and wins and loses half of it."""
        n = self.n_systems
        pair = np.array([np.tile(np.arange(n), 2), np.full(2 * n, n)])
        return CovariateBattles(
            pair=np.concatenate([self.pair, pair], axis=1),
            won=np.concatenate([self.won, np.repeat([1.0, 0.0], n)]),
            features=np.concatenate([self.features, np.zeros((len(self.features), 2 * n))], axis=1),
            mass=np.concatenate([self.mass, np.full(2 * n, prior / 2)]),
            n_systems=n + 1,
            halves=self.halves,
        )

    def most_likely(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Climb from equal strengths by Newton steps, halved until the likelihood rises.

        Parameters
        ----------
        names
            The covariates, for errors.

        Returns
        -------
        The parameters `(P,)`, and the inverse of the information `(P, P)`.

        Raises
        ------
        InputError
            A coefficient grows without end.
        """
        n, last, ties = self.n_systems, self.n_systems + len(self.features), float((self.mass * self._tied).sum())
        parameters = np.zeros(last + (ties > 0))
        if ties:
            parameters[last] = math.log(2 * ties / (float(self.mass.sum()) - ties))
        for _ in range(_STEPS):
            here, _, seconds = self._slopes(parameters)
            information = self._information(seconds, parameters.size)
            step = np.linalg.solve(information, self.moved(parameters, np.zeros_like(self.pair[0]))[0])
            share = 1.0
            while share > _NONE and self._slopes(parameters + share * step)[0] < here - 1e-13 * abs(here):
                share /= 2
            parameters = parameters + share * step
            if np.abs(step).max() <= _NONE * (1 + np.abs(parameters).max()):
                return parameters, np.asarray(np.linalg.inv(information), np.float64)
            if np.abs(parameters[n:last]).max(initial=0.0) > _ENDLESS:
                break
        name = names[int(np.abs(parameters[n:last]).argmax())]
        what = f"{name!r} decides who wins in all battles, or nearly, so its coefficient has no end"
        raise InputError(f"{what}; leave it out of adjust= (--adjust)")
