"""A table under a stress: changed by chance, or into one of all possible cases."""

import hashlib
from collections.abc import Callable

import numpy as np

from podium.base.errors import MethodError, PodiumError
from podium.base.parallel import generator
from podium.robustness.stress.stress import Cases, Sweep
from podium.score.table import Scores, check_scores

#: First number of the keys of generators that stress.
_STRESSES = 1


def chance(seed: int, sweep: Sweep, repeat: int) -> np.random.Generator:
    """Return the random numbers of a stress in a repeat, the same at all its strengths."""
    return generator(seed, _STRESSES, _hashed(sweep.name), repeat)


def stressed(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress.

    Raises
    ------
    MethodError
        It cannot be applied, or the stressed table has no system in common with the table.
    """
    return _changed(scores, sweep, strength, lambda: applied(scores, sweep, strength, rng))


def case_of(scores: Scores, sweep: Sweep, strength: float, number: int) -> Scores:
    """Return one of the cases of a stress that lists them; MethodError as by `stressed`."""
    return _changed(scores, sweep, strength, lambda: _listed(scores, sweep, strength).nth(number))


def cases_of(scores: Scores, sweep: Sweep, strength: float) -> Cases | None:
    """List all that a stress can do, or None where it cannot say; without stress there is the table alone."""
    if not strength:
        return Cases(0, 0, lambda _: scores)
    listing = getattr(sweep.stress(strength), "cases", None)
    return None if listing is None else listing(scores)


def _listed(scores: Scores, sweep: Sweep, strength: float) -> Cases:
    found = cases_of(scores, sweep, strength)
    if found is None:
        raise MethodError("its cases cannot be listed")
    return found


def _changed(scores: Scores, sweep: Sweep, strength: float, change: Callable[[], Scores]) -> Scores:
    try:
        changed = change()
    except PodiumError as error:
        raise MethodError(f"stress {sweep.name!r} at {strength:g}: {error}") from error
    if set(scores.systems).isdisjoint(changed.systems):
        raise MethodError(
            f"stress {sweep.name!r} at {strength:g} leaves none of the systems, so there is nothing to compare"
        )
    return changed


def applied(scores: Scores, sweep: Sweep, strength: float, rng: np.random.Generator) -> Scores:
    """Apply a stress; the error of one that cannot be applied says why, and does not name the stress."""
    changed = sweep.stress(strength)(scores, rng)
    check_scores(changed)
    return changed


def _hashed(name: str) -> int:
    """Make a number of a name, the same in every process."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
