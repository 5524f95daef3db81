"""Item response: how hard instances are, and how well they separate systems, from who solves them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from podium.base.errors import ConvergenceError, InputError, MethodError
from podium.base.frozen import Frozen
from podium.difficulty.ability import Abilities, rescaled
from podium.difficulty.item import Answers, Items

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ItemResponse(Frozen):
    """Instances and systems on one scale: system i solves instance j with chance 1 / (1 + exp(−a_j (θ_i − b_j))).

    Attributes
    ----------
    difficulty
        Shape `(K,)`: b, the ability that solves the instance with chance ½; high is hard. NaN where there is no score.
    discrimination
        Shape `(K,)`: a > 0, how sharply the instance separates systems; NaN where no system has a score.
    ability
        Shape `(N,)`: posterior means of θ; high is good. 0 for a system without scores.
    ability_sd
        Shape `(N,)`: posterior standard deviations of θ, taking a and b for known.
    log_likelihood
        Of the scores, abilities integrated out, priors of the items left out; in natural logs.
    iterations
        Of EM.
    """

    difficulty: Floats
    discrimination: Floats
    ability: Floats
    ability_sd: Floats
    log_likelihood: float
    iterations: int


def fit_item_response(
    scores: ArrayLike,
    *,
    tolerance: float = 1e-4,
    max_iterations: int = 500,
    progress: Callable[[int, int], None] | None = None,
) -> ItemResponse:
    """Fit the two-parameter logistic model: difficulty and discrimination of every instance.

    P(system i solves instance j) = 1 / (1 + exp(−a_j (θ_i − b_j))), θ_i ~ N(0, 1). A score s counts as
    s log P + (1 − s) log(1 − P), a quasi-likelihood where it is neither 0 nor 1. With abilities integrated out, and
    with priors log a ~ N(0, 0.5²) and b ~ N(0, 2²), the posterior of (log a, b) is maximised by EM (Bock & Aitkin
    1981, Psychometrika 46, 443–459). Priors are needed: an instance that all systems solve, or none, has no likeliest
    difficulty. They say little to fifty systems, and a lot to five.

    Origin and unit of the scale are a matter of convention, here of priors: with many instances per system, of those
    of the items, so that the middle discrimination is about 1.

    Parameters
    ----------
    scores
        Shape `(N, K)`, systems in rows: between 0 and 1, higher is better, NaN where there is none. Missing scores
        are left out of the likelihood, which is right if scores are not missing because of their values.
    tolerance
        EM ends when no log a and no b changes by more.
    max_iterations
        After which it is an error.
    progress
        Called with the number of iterations done and the most there may be.

    Raises
    ------
    InputError
        Scores are no table of numbers between 0 and 1, or there are none.
    MethodError
        Fewer than 2 systems have scores, or an option is not positive.
    ConvergenceError
        There were too few iterations.

    Examples
    --------
    >>> scores = [[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0.5]]
    >>> fit_item_response(scores).difficulty.round(1) + 0.0
    array([-2. ,  0. ,  0. ,  1.5])
    """
    from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is something to fit

    values = _checked(scores)
    if not (tolerance > 0 and max_iterations > 0):
        raise MethodError(f"tolerance is {tolerance} and max_iterations {max_iterations}; both must be positive")
    answered = ~np.isnan(values).all(axis=0)
    # Products are small, and their sums must not depend on the number of threads.
    with threadpool_limits(limits=1, user_api="blas"):
        answers = Answers(np.ascontiguousarray(values if answered.all() else values[:, answered]))
        items, iterations = _maximised(answers, tolerance, max_iterations, progress)
        abilities = Abilities.given(items, answers, np.zeros(len(values)))
    difficulty, discrimination = np.full((2, answered.size), np.nan)
    difficulty[answered], discrimination[answered] = items.difficulty, items.slope
    return ItemResponse(
        difficulty, discrimination, abilities.mean, np.sqrt(abilities.variance), abilities.log_likelihood, iterations
    )


def _maximised(
    answers: Answers, tolerance: float, max_iterations: int, progress: Callable[[int, int], None] | None
) -> tuple[Items, int]:
    """Alternate between abilities and items, and move both to the scale that suits their priors."""
    items, mode, change = Items.start(answers), np.zeros(len(answers.scores)), np.inf
    for iteration in range(1, max_iterations + 1):
        abilities = Abilities.given(items, answers, mode)
        better = items.fitted(answers, abilities.nodes)
        origin, log_unit = rescaled(better, abilities)
        better, mode = better.moved(origin, log_unit), (abilities.mode - origin) * np.exp(-log_unit)
        change, items = better.change(items), better
        if progress is not None:
            progress(iteration, max_iterations)
        if change <= tolerance:
            return items, iteration
    raise ConvergenceError(
        f"difficulties still change by {change:.2g} after {max_iterations} iterations; take failures as difficulty, or "
        "fit with a larger max_iterations or tolerance by podium.difficulty.response.fit_item_response"
    )


def _checked(scores: ArrayLike) -> Floats:
    given = np.asarray(scores)
    if given.ndim != 2:
        raise InputError(f"scores have shape {given.shape}; they need one row per system and one column per instance")
    if given.dtype.kind not in "fiub":
        raise InputError(f"scores are {given.dtype}, not real numbers")
    values = given.astype(np.float64, copy=False)
    wrong = (values < 0) | (values > 1)
    if wrong.any():
        row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise InputError(
            f"the score in row {row}, column {column} is {values[row, column]:g}, not between 0 and 1; rescale scores "
            "so that 0 is wrong and 1 is right"
        )
    scored = int((~np.isnan(values).all(axis=1)).sum())
    if not scored:
        raise InputError("there are no scores to fit instances to")
    if scored < 2:
        raise MethodError("a single system has scores; difficulty shows in several, best in ten or more")
    return values
