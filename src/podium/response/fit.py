"""Item response: how hard instances are, how well they separate systems, and which of them have suspect labels."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from podium.base.arrays import Bools, Floats, Frozen
from podium.base.errors import ConvergenceError, InputError, MethodError
from podium.base.words import how_many
from podium.response.item import LOG_SLOPE_SD, Abilities, Answers, Information, Items, Nodes, chance, rescaled
from podium.score.table import Scores, of_battles

#: Share of the listed instances that are expected to be no suspects.
FALSE_SHARE = 0.1

#: At least this share of instances is taken to have nothing to do with ability. Where some truly have not, scores alone
#: tell them badly from gently rising or falling ones, and without this too many would be listed.
LEAST_RANDOM = 0.05

#: Distance of the points at which a and c are tried: half of what N scores say of c at best, but within these.
_FINEST, _COARSEST = 0.2, 0.6

#: Points reach this many standard deviations of the priors.
_REACH = 3.0

#: Least standard deviation of the prior of c.
_LEAST_SPREAD = 1.0

#: Steps of EM for the three shares, and the change after which there are no more.
_STEPS, _SETTLED = 1000, 1e-8

#: Instances looked at together.
_AT_ONCE = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Suspects:
    """Instances on which better systems do worse, by how likely that is of each of K.

    Attributes
    ----------
    probability
        Shape `(K,)`: posterior probability of s = −1; NaN where all systems have one score, 1 or 0.
    slope
        Shape `(K,)`: posterior mean of s a, the discrimination with its sign; NaN there, too.
    shares
        Of all instances, by estimate: those with s = 1, 0 and −1; NaN where no instance settles anything.
    """

    probability: Floats
    slope: Floats
    shares: tuple[float, float, float]

    @property
    def listed(self) -> Bools:
        """Shape `(K,)`: the most that can be listed so that 10% of them are expected to be there by mistake.

        With the mean of 1 − probability over those listed: the Bayesian false discovery rate (Newton, Noueiry, Sarkar
        & Ahlquist 2004, Biostatistics 5, 155–176).
        """
        order = np.argsort(-np.nan_to_num(self.probability, nan=-1.0), kind="stable")
        known = self.probability[order[: int((~np.isnan(self.probability)).sum())]]
        false = np.cumsum(1 - known) / np.arange(1, known.size + 1)
        chosen = np.zeros(self.probability.size, dtype=np.bool_)
        chosen[order[: int(np.searchsorted(false, FALSE_SHARE, side="right"))]] = True
        return chosen

    def spread(self, answered: Bools) -> "Suspects":
        """Return the same among other instances, which have no score; shape `(K,)`, true for those that have."""
        probability, slope = np.full((2, answered.size), np.nan)
        probability[answered], slope[answered] = self.probability, self.slope
        return Suspects(probability, slope, self.shares)


def suspects(items: Items, answers: Answers, abilities: Abilities) -> Suspects:
    """Ask of every instance whether better systems do worse on it, given the abilities of a fit to all.

    Examples
    --------
    >>> from podium.response.fit import Calibration
    >>> rng = np.random.default_rng(0)
    >>> ability, difficulty = rng.normal(size=(60, 1)), rng.normal(size=300)
    >>> scores = (rng.random((60, 300)) < 1 / (1 + np.exp(1.5 * (difficulty - ability)))).astype(np.float64)
    >>> scores[:, :4] = 1 - scores[:, :4]  # four wrong labels
    >>> fit = Calibration.of(Answers(scores))
    >>> np.flatnonzero(suspects(fit.items, fit.answers, fit.abilities).listed)
    array([0, 1, 2, 3])
    """
    settled = answers.settle
    if not settled.any():
        unknown = np.full(settled.size, np.nan)
        return Suspects(unknown, unknown, (np.nan, np.nan, np.nan))
    middle = abilities.mean.mean()
    odds = items.slope[settled] * (middle - items.difficulty[settled])
    grids = _grids(abilities.nodes, float(middle), float(odds.mean()), max(float(odds.std()), _LEAST_SPREAD))
    evidence, slopes = _weighed(grids, answers.scores.compress(settled, axis=1))
    shares = _shares(evidence)
    posterior = evidence * shares
    posterior /= posterior.sum(axis=1, keepdims=True)
    probability, slope = np.full((2, settled.size), np.nan)
    probability[settled], slope[settled] = posterior[:, 2], (posterior * slopes).sum(axis=1)
    return Suspects(probability, slope, tuple(shares.tolist()))


#: Log chances to solve and to fail at G points of (s a, c), the log prior of each point, and its s a.
_Grid = tuple[Floats, Floats, Floats, Floats]


def _grids(nodes: Nodes, middle: float, mean: float, spread: float) -> list[_Grid]:
    """Return the points of s = 1, 0 and −1."""
    step = float(np.clip(2 / np.sqrt(len(nodes.places)), _FINEST, _COARSEST))
    log_slope, log_of_slope = _points(0.0, LOG_SLOPE_SD, step)
    odds, log_of_odds = _points(mean, spread, step)
    grids = []
    for sign in (1.0, 0.0, -1.0):
        slope = sign * np.exp(log_slope) if sign else np.zeros(1)
        weight = (log_of_slope if sign else np.zeros(1))[:, None] + log_of_odds
        table = np.empty((weight.size, len(nodes.places)))
        for system, (places, shares) in enumerate(zip(*nodes, strict=True)):
            logit = slope[:, None, None] * (places - middle) + odds[:, None]
            table[:, system] = (chance(logit)[0] @ shares).ravel()
        grids.append((np.log(table), np.log1p(-table), weight.ravel(), np.repeat(slope, odds.size)))
    return grids


def _weighed(grids: list[_Grid], scores: Floats) -> tuple[Floats, Floats]:
    """Shape `(K, 3)` each: marginal likelihoods, the largest of an instance 1; and posterior means of s a."""
    evidence, slopes = np.empty((2, scores.shape[1], 3))
    for start in range(0, scores.shape[1], _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        there = ~np.isnan(scores[:, part])
        solved = np.where(there, scores[:, part], 0.0)
        failed = there - solved
        log_evidence = np.empty((solved.shape[1], 3))
        for which, (solve, fail, prior, slope) in enumerate(grids):
            joint = solved.T @ solve.T + failed.T @ fail.T + prior
            highest = joint.max(axis=1, keepdims=True)
            shares = np.exp(joint - highest)
            total = shares.sum(axis=1)
            log_evidence[:, which] = highest[:, 0] + np.log(total)
            slopes[part, which] = shares @ slope / total
        evidence[part] = np.exp(log_evidence - log_evidence.max(axis=1, keepdims=True))
    return evidence, slopes


def _points(mean: float, spread: float, step: float) -> tuple[Floats, Floats]:
    """Evenly spaced points of a normal distribution, and the logs of their probabilities."""
    number = int(np.ceil(_REACH * spread / step))
    off: Floats = np.arange(-number, number + 1, dtype=np.float64) * step
    log: Floats = -((off / spread) ** 2) / 2
    return mean + off, log - float(np.log(np.exp(log).sum()))


def _shares(evidence: Floats) -> Floats:
    """Return the shares of s = 1, 0 and −1 that make the scores of all instances most likely, by EM."""
    shares = np.array([0.9, 0.05, 0.05])
    for _ in range(_STEPS):
        posterior = evidence * shares
        posterior /= posterior.sum(axis=1, keepdims=True)
        new = posterior.mean(axis=0)
        if new[1] < LEAST_RANDOM:
            new *= (1 - LEAST_RANDOM) / (1 - new[1])
            new[1] = LEAST_RANDOM
        change = np.abs(new - shares).max()
        shares = new
        if change <= _SETTLED:
            break
    return shares


def solved(scores: Scores, what: str) -> list[Floats]:
    """Return one array `(N, K)` per task: 1 is solved, 0 is failed, NaN where there is no score; `what` needs them.

    Raises
    ------
    MethodError
        There are no instances, scores are of battles, or one is not between 0 and 1.

    Examples
    --------
    >>> import podium
    >>> solved(podium.from_arrays({"error": [[0.25, 1]]}, lower=["error"]), "this")[0]
    array([[0.75, 0.  ]])
    """
    if scores.task_level:
        raise MethodError(f"these scores are of whole tasks; {what} needs one score per instance")
    if of_battles(scores):
        raise MethodError("battles of two systems have no difficulty: half of each is always won")
    for task in scores.tasks:
        outside = (task.values < 0) | (task.values > 1)
        if outside.any():
            row, column = np.argwhere(outside)[0]
            where = f"task {task.name!r}, system {scores.systems[row]!r}"
            raise MethodError(
                f"{where}: a score of {task.values[row, column]:g} does not lie between 0 (failed) and 1 "
                "(solved); divide percentages by 100, or leave the task out with tasks= (--tasks)"
            )
    values = (task.values if task.higher_is_better else 1 - task.values for task in scores.tasks)
    return [own.astype(np.float64, copy=False) for own in values]


#: A smaller sum of squares is what rounding leaves of none.
_LEAST = 1e-6


def misfit(items: Items, answers: Answers, abilities: Abilities) -> Floats:
    """Shape `(K,)`: z of more surprising scores than the model expects of an instance, about N(0, 1) where it holds.

    The surprise of an instance is Σ_i (s_i − P_i)², the numerator of its infit mean square; the model expects
    Σ_i P_i (1 − P_i). As s² = s, their difference is Σ_i (1 − 2 P_i) (s_i − P_i). To allow for a and b being fitted,
    1 − 2 P is replaced by its residual r from a regression on 1 and θ with weights P (1 − P) (Hosmer, Hosmer, le
    Cessie & Lemeshow 1997, Statistics in Medicine 16, 965–980): z = Σ r (s − P) / √(Σ P (1 − P) r²). NaN where a score
    is neither 0 nor 1, where all systems have one score, and where fewer than three systems are scored.

    Examples
    --------
    >>> from podium.response.fit import Calibration
    >>> rng = np.random.default_rng(0)
    >>> ability, difficulty = rng.normal(size=(50, 1)), rng.normal(size=100)
    >>> right = rng.random((50, 100)) < 1 / (1 + np.exp(difficulty - ability))
    >>> fit = Calibration.of(Answers(right.astype(np.float64)))
    >>> z = misfit(fit.items, fit.answers, fit.abilities)
    >>> bool(abs(z.mean()) < 0.3), bool(0.8 < z.std() < 1.2)
    (True, True)
    """
    found = np.full(items.difficulty.size, np.nan)
    ability = abilities.mean[:, None]
    for part, scores, given in answers.cut(ability.size):
        chances, _ = chance(items.slope[part] * (ability - items.difficulty[part]))
        weight = chances * (1 - chances) * given
        total = weight.sum(axis=0)
        middle = (weight * ability).sum(axis=0) / total
        off = ability - middle
        lean = 1 - 2 * chances
        mean = (weight * lean).sum(axis=0) / total
        width = (weight * off**2).sum(axis=0)
        rise = np.divide((weight * off * lean).sum(axis=0), width, out=np.zeros_like(width), where=width > _LEAST)
        rest = lean - mean - rise * off
        spread = (weight * rest**2).sum(axis=0)
        known = (given.sum(axis=0) > 2) & (spread > _LEAST) & ~((scores > 0) & (scores < 1)).any(axis=0)
        surprise = (rest * (scores - chances) * given).sum(axis=0)
        found[part] = np.where(known, surprise / np.sqrt(np.where(known, spread, 1.0)), np.nan)
    found[~answers.settle] = np.nan
    return found


#: Of estimates of items: what is equal but for the rounding of sums is equal, and ties.
_DECIMALS = 10

#: Newton steps from where EM ended; the last changes parameters by less than this.
_NEWTON, _FIT_SETTLED = 8, 1e-7


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
    difficulty_se, discrimination_se
        Shape `(K,)`: standard errors of b and a, from the observed information of all items together; NaN where all
        systems have one score, so that only the prior says where the instance is, and where errors are not asked for.
    ability_se
        Shape `(N,)`: standard errors of the abilities, with what is not known of a and b; NaN where not asked for.
    misfit
        Shape `(K,)`: see `podium.response.fit`.
    suspects
        Instances on which better systems do worse; None where not asked for.
    """

    difficulty: Floats
    discrimination: Floats
    ability: Floats
    ability_sd: Floats
    log_likelihood: float
    iterations: int
    difficulty_se: Floats
    discrimination_se: Floats
    ability_se: Floats
    misfit: Floats
    suspects: Suspects | None = None

    def information(self, ability: ArrayLike) -> Floats:
        """Shape `(M, K)`: how much each instance says of a system of each of M abilities, a² P (1 − P).

        Summed over instances this is the information of the test: an ability θ is known to about 1 / √(1 + Σ).

        Examples
        --------
        >>> fit = fit_item_response([[1, 1, 1, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 0]])
        >>> fit.information([0.0, 1.0]).sum(axis=1).round(2)
        array([0.69, 0.66])
        """
        at = np.atleast_1d(np.asarray(ability, dtype=np.float64))[:, None]
        chances, _ = chance(self.discrimination * (at - self.difficulty))
        held: Floats = self.discrimination**2 * chances * (1 - chances)
        return held

    @property
    def mean_information(self) -> Floats:
        """Shape `(K,)`: how much each instance says of these systems, on average."""
        mean: Floats = self.information(self.ability).mean(axis=0)
        return mean


def fit_item_response(
    scores: ArrayLike,
    *,
    tolerance: float = 1e-4,
    max_iterations: int = 500,
    progress: Callable[[int, int], None] | None = None,
    errors: bool = False,
    suspect: bool = False,
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
    errors
        Whether standard errors are found, too: from the observed information of the marginal posterior (Louis 1982,
        JRSS B 44, 226–233), see `podium.response.item`.
    suspect
        Whether instances are looked for on which better systems do worse, see `podium.response.fit`.

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
    values = checked(scores)
    if not (tolerance > 0 and max_iterations > 0):
        raise MethodError(f"tolerance is {tolerance} and max_iterations {max_iterations}; both must be positive")
    answered = np.asarray(~np.isnan(np.fmax.reduce(values, axis=0)))
    answers = Answers(np.ascontiguousarray(values) if answered.all() else values.compress(answered, axis=1))
    fit = Calibration.of(answers, tolerance=tolerance, max_iterations=max_iterations, progress=progress, errors=errors)
    items = np.full((5, answered.size), np.nan)
    items[4, answered] = misfit(fit.items, answers, fit.abilities)
    items[:2, answered] = fit.items.difficulty.round(_DECIMALS) + 0.0, fit.items.slope.round(_DECIMALS)  # no −0
    ability_se = np.full(len(values), np.nan)
    if fit.information is not None:
        log_slope_se, difficulty_se = fit.information.std_errors()
        settled = answers.settle
        items[2:4, answered] = np.where(settled, [difficulty_se, fit.items.slope * log_slope_se], np.nan)
        ability_se = np.sqrt(np.diag(fit.information.covariance))
    return ItemResponse(
        items[0],
        items[1],
        fit.abilities.mean,
        np.sqrt(fit.abilities.variance),
        fit.abilities.log_likelihood,
        fit.iterations,
        items[2],
        items[3],
        ability_se,
        items[4],
        suspects(fit.items, answers, fit.abilities).spread(answered) if suspect else None,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Items at the maximum of their posterior, abilities given these, and how well both are known if that was asked."""

    items: Items
    answers: Answers
    abilities: Abilities
    iterations: int
    information: Information | None = None

    @classmethod
    def of(
        cls,
        answers: Answers,
        *,
        steady: bool = False,
        tolerance: float = 1e-4,
        max_iterations: int = 500,
        progress: Callable[[int, int], None] | None = None,
        errors: bool = False,
    ) -> "Calibration":
        """Fit instances that all have a score, see `fit_item_response`; those of the model `steady` are equally steep.

        Raises
        ------
        ConvergenceError
            There were too few iterations, or nothing to converge to.
        """
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is something to fit

        # Products are small, and their sums must not depend on the number of threads.
        with threadpool_limits(limits=1, user_api="blas"):
            start = Items.start(answers, steady=steady)
            items, iterations = _maximised(start, answers, tolerance, max_iterations, progress)
            abilities = Abilities.given(items, answers, np.zeros(len(answers.scores)))
            information: Information | None = None
            with suppress(ConvergenceError):  # then nothing is known of the errors
                information = Information.at(items, answers, abilities) if errors else None
        return cls(items, answers, abilities, iterations, information)

    def exact(self) -> "Calibration":
        """Go to the very maximum, to which EM comes in ever smaller steps, by Newton's method; with the information.

        Raises
        ------
        ConvergenceError
            Steps do not settle, or the scores do not settle items and abilities.
        """
        from threadpoolctl import threadpool_limits  # noqa: PLC0415  # only where there is something to fit

        fit = self
        with threadpool_limits(limits=1, user_api="blas"):
            for _ in range(_NEWTON):
                information = fit.information or Information.at(fit.items, fit.answers, fit.abilities)
                items = information.newton()
                abilities = Abilities.given(items, fit.answers, fit.abilities.mode)
                change = items.change(fit.items)
                fit = replace(fit, items=items, abilities=abilities, information=None)
                if change <= _FIT_SETTLED:
                    return replace(fit, information=Information.at(items, fit.answers, abilities))
        raise ConvergenceError(
            f"abilities do not settle: instances still change by {change:.2g} after {how_many(_NEWTON, 'step')} of "
            "Newton's method; add systems or instances, or take the one-parameter model (irt:1pl)"
        )


def _maximised(
    items: Items, answers: Answers, tolerance: float, max_iterations: int, progress: Callable[[int, int], None] | None
) -> tuple[Items, int]:
    """Alternate between abilities and items, and move both to the scale that suits their priors."""
    mode, change = np.zeros(len(answers.scores)), np.inf
    for iteration in range(1, max_iterations + 1):
        abilities = Abilities.given(items, answers, mode)
        better = items.fitted(answers, abilities.nodes)
        origin, log_unit = rescaled(better, abilities, answers.weights)
        better, mode = better.moved(origin, log_unit), (abilities.mode - origin) * np.exp(-log_unit)
        change, items = better.change(items), better
        if progress is not None:
            progress(iteration, max_iterations)
        if change <= tolerance:
            return items, iteration
    raise ConvergenceError(
        f"difficulties still change by {change:.2g} after {max_iterations} iterations; take failures as difficulty, or "
        "fit with a larger max_iterations or tolerance by podium.response.fit.fit_item_response"
    )


def checked(scores: ArrayLike) -> Floats:
    """Refuse what is no table of scores between 0 and 1 of several systems."""
    given = np.asarray(scores)
    if given.ndim != 2:
        raise InputError(f"scores have shape {given.shape}; they need one row per system and one column per instance")
    if given.dtype.kind not in "fiub":
        raise InputError(f"scores are {given.dtype}, not real numbers")
    values = given.astype(np.float64, copy=False)
    if np.fmin.reduce(values, axis=None, initial=0.0) < 0 or np.fmax.reduce(values, axis=None, initial=1.0) > 1:
        wrong = (values < 0) | (values > 1)
        row, column = np.unravel_index(int(wrong.argmax()), wrong.shape)
        raise InputError(
            f"the score in row {row}, column {column} is {values[row, column]:g}, not between 0 and 1; rescale scores "
            "so that 0 is wrong and 1 is right"
        )
    scored = int((~np.isnan(np.fmax.reduce(values, axis=1, initial=np.nan))).sum())
    if not scored:
        raise InputError("there are no scores to fit instances to")
    if scored < 2:
        raise MethodError(
            "only one system has scores; difficulty needs at least two, better ten: add the scores of other systems"
        )
    return values
