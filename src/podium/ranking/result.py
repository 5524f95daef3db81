"""The answer: systems with aggregate score, rank, and how much of each was measured; frozen.

- Every system against every other: shares of comparisons won with intervals, and what majorities say; frozen.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Bools, Floats, Frozen, Ints, plain, plain_list
from podium.base.errors import MethodError
from podium.base.words import how_many
from podium.ranking.ballots import Level
from podium.ranking.family import families_of
from podium.ranking.method import Certificate, MethodResult
from podium.ranking.method.majority import Majorities
from podium.ranking.method_spec import in_words
from podium.ranking.variation import quantiles, share_of_top
from podium.report.result import Result
from podium.score.crossed import ByPrompt
from podium.score.family import family_names
from podium.score.place import best_first, competition_ranks, midranks
from podium.score.table import Scores

if TYPE_CHECKING:
    from podium.report.view import View

#: Columns of ranks, in which 0 stands for a system that has none.
_ZERO_IS_NONE = {"rank", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier"}


@dataclass(frozen=True, slots=True)
class RankedTask:
    """A task of a ranking: label, direction, weight, number of instances, and family, its own label if it is alone."""

    name: str
    higher_is_better: bool
    weight: float
    n_instances: int
    family: str


@dataclass(frozen=True, slots=True)
class StyleCoefficient:
    """Worth of a standard deviation of a covariate of answers: in log-odds of a battle, or in scores.

    With the ends of its interval, and the p-value of none.
    """

    covariate: str
    coefficient: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class Intervals(Frozen):
    """Uncertainty of a ranking of N systems from B bootstrap replicates.

    The intervals of a `Ranking` have its order of systems. Until `in_order` they have the order of the table.

    Attributes
    ----------
    confidence
        Of every interval and of the tiers, between 0 and 1.
    units
        What was drawn anew: "instances" within tasks, "tasks", "both", or "repeats" of the same instances; or
        "prompts", with items, see `podium.score.crossed`.
    replicates
        B.
    seed
        Of the draws.
    std_error
        Shape `(N,)`: standard deviation of the score over replicates, in its units.
    score_low, score_high
        Shape `(N,)`: interval of the score. Of means and Borda scores, Student's, corrected for skewness (Hall 1992);
        of other scores, the percentile interval, widened for small samples.
    rank_low, rank_high
        Shape `(N,)`: for each system by itself, the ranks it may truly have (1 is best); 0 where unranked.
    joint_rank_low, joint_rank_high
        Shape `(N,)`: the same for all systems together.
    share_first
        Shape `(N,)`: share of replicates in which the system is first; ties share. It is no probability of being the
        best: of equal systems the one that was lucky has the largest share. See `podium.Ranking.top`.
    tier
        Shape `(N,)`: 1 is best; every system of a tier is better than all systems of the tiers below, all pairs
        together; 0 where unranked.
    separated
        Shape `(N, N)`: whether i is better than j, all pairs together.
    may_be_first
        Shape `(N,)`: whether no other system is better, see `podium.Ranking.top`.
    critical
        How many standard errors a difference must exceed if all pairs are judged at once by Bonferroni, widened for
        small samples. `separated` goes by steps, which need less, and by exact tests of few units: see the design.
    samples
        Shape `(N, B)`: oriented (higher is better) in every replicate.
    rounding
        Shape `(N,)`: smaller differences between scores are none.
    tail
        Share of replicates left out below, and above, by a percentile interval widened for small samples.
    corrected_score, corrected_low, corrected_high
        Shape `(N,)`, in units of the score: the true score of the winner and its interval, corrected for having won,
        see `podium.ranking.intervals`. The first was probably lucky, so that its own score is too high. NaN but
        for the winner, and of the winner where it is not known; None where the method has none.
    """

    confidence: float
    units: str
    replicates: int
    seed: int
    std_error: Floats
    score_low: Floats
    score_high: Floats
    rank_low: Ints
    rank_high: Ints
    joint_rank_low: Ints
    joint_rank_high: Ints
    share_first: Floats
    tier: Ints
    separated: Bools
    may_be_first: Bools
    critical: float
    samples: Floats
    rounding: Floats
    tail: float
    corrected_score: Floats | None = None
    corrected_low: Floats | None = None
    corrected_high: Floats | None = None

    def in_order(self, order: Ints) -> Self:
        """Return the same for systems in another order."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays: dict[str, Any] = {name: one[order] for name, one in values.items() if isinstance(one, np.ndarray)}
        return replace(self, **{**arrays, "separated": self.separated[np.ix_(order, order)]})

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the fields of shape `(N,)`, by name."""
        names = ("std_error", "score_low", "score_high", "rank_low", "rank_high", "joint_rank_low", "joint_rank_high")
        corrected = () if self.corrected_score is None else ("corrected_score", "corrected_low", "corrected_high")
        return {name: getattr(self, name) for name in (*names, "share_first", "tier", "may_be_first", *corrected)}

    @property
    def tiered(self) -> bool:
        """Return whether there are two tiers or more."""
        return bool(self.tier.max() > 1)

    def to_dict(self) -> dict[str, Any]:
        """Return how they were made, as JSON can hold it."""
        return {name: getattr(self, name) for name in ("confidence", "units", "replicates", "seed")}

    @property
    def origin(self) -> str:
        """Say what was drawn, how often, and by which seed."""
        drawn = {"instances": "the instances", "tasks": "the tasks", "both": "tasks and instances"}
        drawn["repeats"] = "the repeats of the same instances"
        if self.units == "prompts":
            return f"the variance over items and prompts, with {self.replicates:,} normal draws, seed {self.seed}"
        return f"{self.replicates:,} bootstrap replicates of {drawn[self.units]}, seed {self.seed}"

    @property
    def explanation(self) -> tuple[str, ...]:
        """Return what was drawn, and what intervals mean, and tiers if there are several.

        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).intervals.explanation[1]
        'tier: every system of a tier is better than all systems of the tiers below (95%, all pairs together:
        stricter than ranks one by one)'
        """
        sure = f"{100 * self.confidence:g}%"
        together = f"{sure}, all pairs together: stricter than ranks one by one"
        ranks = f"{sure} ranks: where each system, by itself, may land with other data of this kind; {self.origin}"
        tier = f"tier: every system of a tier is better than all systems of the tiers below ({together})"
        return (ranks, tier) if self.tiered else (ranks,)

    def share_top(self, k: int) -> Floats:
        """Shape `(N,)`: share of replicates in which each system is among the best k; ties share the last places.

        Raises
        ------
        MethodError
            k is not between 1 and N.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).intervals.share_top(4)
        array([1., 1., 1., 1.])
        """
        _check_top(k, self.tier.size)
        return share_of_top(self.samples, k, self.rounding)

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """Percentile interval of how much better i is than j, in units of the score; both as places in the ranking.

        The quantiles of the difference over replicates, at the same tails as for scores. Both systems are scored on
        the same instances; this interval takes that into account, two intervals side by side do not. NaN where either
        is unranked. It is about this one pair; `separated` is about all pairs together.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> low, high = podium.rank(scores, "mean").intervals.difference(0, 3)
        >>> low < 3 < high
        True
        """
        low, high = quantiles(self.samples[[i]] - self.samples[[j]], [self.tail, 1 - self.tail])
        return float(low[0]), float(high[0])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ranking(Result):
    """Systems in order, best first; systems that share a rank are in order of their labels.

    Columns of its rows are what follows with shape `(N,)`, and with intervals that of `Intervals`, such as "rank_low",
    "rank_high", "share_first" and "tier".

    Attributes
    ----------
    method, level
        How it was made: "borda", "mean", …, and on which ballots: "task", "one", "balanced" or "two", or None.
    systems
        The N labels, best first; unranked systems last.
    score
        Shape `(N,)`: aggregate score, NaN where unranked.
    rank
        Shape `(N,)`: standard competition rank (1224), 1 is best, 0 where unranked.
    midrank
        Shape `(N,)`: the same with ties sharing the mean of their places, NaN where unranked.
    tasks_scored
        Shape `(N,)`: on how many of the T tasks the system has any score.
    coverage
        Shape `(N,)`: share of all (task, instance) cells in which the system has a score.
    n_tasks
        T.
    higher_is_better
        Direction of `score`.
    rank_sum, points, extras
        Shape `(N,)` or None, see `MethodResult`.
    certificate
        How good it is, of a consensus order; otherwise None.
    intervals
        How sure it is; None where that was not asked, or is not known.
    circle
        Of battles that no order fits, systems that each beat the next, and the last the first; otherwise empty.
    tasks
        The T tasks, with direction and weight, in the order of the table; empty where they are not known.
    means
        Shape `(N, T)`: mean score of each system on each task, NaN where it has none; None of very large tables,
        whose method does not count it.
    notes
        What to know before trusting it, in words.
    metric
        By what all tasks are scored, such as "nDCG@10"; empty if that is not known, or not one.
    caveat
        What the first place rests on, if some systems have much fewer scores than others; otherwise empty.
    families
        The family of each of the N systems, which the table folds into the best of each, see
        `podium.ranking.family.families_of`; otherwise empty.
    by_prompt
        Scores of the N systems by each prompt, if the table has these, see `podium.score.crossed.ByPrompt`.
    coefficients
        Of an adjusted ranking, what the covariates are worth; its `extras` are what it would be without adjustment.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> ranking = podium.rank(podium.datasets.toy_table1())
    >>> ranking.systems
    ('C', 'B', 'A')
    >>> ranking.rank
    array([1, 2, 3])
    """

    schema: ClassVar[str] = "ranking"
    _row_key: ClassVar[str] = "systems"
    _other_figures: ClassVar[Mapping[str, str]] = {
        "heatmap": "podium.pairwise(scores).plot('heatmap')",
        "bump": "podium.agree(scores).plot('bump')",
    }

    method: str
    level: str | None
    systems: tuple[str, ...]
    score: Floats
    rank: Ints
    midrank: Floats
    tasks_scored: Ints
    coverage: Floats
    n_tasks: int
    higher_is_better: bool = True
    rank_sum: Floats | None = None
    points: Floats | None = None
    extras: tuple[tuple[str, Floats], ...] = ()
    certificate: Certificate | None = None
    intervals: Intervals | None = None
    circle: tuple[str, ...] = ()
    tasks: tuple[RankedTask, ...] = ()
    means: Floats | None = None
    notes: tuple[str, ...] = ()
    metric: str = ""
    caveat: str = ""
    families: tuple[str, ...] = ()
    by_prompt: ByPrompt | None = None
    coefficients: tuple[StyleCoefficient, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def _beyond_rows(self) -> str:  # type: ignore[override]  # it depends
        worth = "-f json and -f table also have what covariates are worth"
        return f"these rows are the systems only; {worth}" if self.coefficients else ""

    @property
    def title(self) -> str:
        """Return method, level, and size, in words.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1()).title
        'borda, task-level: 3 systems, 6 tasks'
        """
        how, families = in_words(self.method, self.level), len(set(self.families))
        folded = f" in {families:,} families" if families else ""
        return f"{how}: {how_many(len(self), 'system')}{folded}, {how_many(self.n_tasks, 'task')}"

    @property
    def scope(self) -> str:
        """Say over what the intervals speak; empty without intervals.

        >>> import podium
        >>> podium.rank(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores).scope
        'on these 2 tasks'
        """
        if self.intervals is None:
            return ""
        number = sum(task.weight > 0 for task in self.tasks) or self.n_tasks
        of_instances = "on this task" if number == 1 else f"on these {number:,} tasks"
        of_instances += "" if self.by_prompt is None else f" by these {len(self.by_prompt.names):,} prompts"
        return {
            "instances": of_instances,
            "tasks": "over other tasks like these",
            "both": "over other tasks and instances like these",
            "repeats": "over other runs of these instances",
            "prompts": "for other items and other prompts",
        }[self.intervals.units]

    @property
    def sentence(self) -> str:
        """Say for a paper how the systems were ranked, which may be the best, what was drawn, and what is missing.

        >>> import podium
        >>> print(podium.rank(podium.datasets.toy_table1(), confidence_level=None).sentence)
        We rank 3 systems on 6 tasks by the Borda score, the expected share of the other systems that a system beats
        (level task, podium 0.1.0). We find: C is first; without intervals, nothing says how sure that is.
        """
        from podium.ranking.view import sentence_of  # noqa: PLC0415  # only where it is shown

        return sentence_of(self)

    def top(self, k: int = 1) -> tuple[str, ...]:
        """Return a set of systems that contains all of the best k, with the confidence of the intervals; best first.

        Of the best one: those that no other system is better than, each by one-sided tests of its own N − 1 pairs, so
        that the best one is among them with this confidence. Of several: those whose joint rank intervals reach k,
        which hold together (Mogstad, Romano, Shaikh & Wilhelm 2024, §3).

        Raises
        ------
        MethodError
            There are no intervals; or k is not between 1 and N.

        Examples
        --------
        >>> import podium
        >>> scores = podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores
        >>> podium.rank(scores).top()
        ('system 4',)
        """
        if self.intervals is None:
            raise MethodError(
                "without intervals nothing is known of who may be the best; .notes says why there are none"
            )
        _check_top(k, len(self))
        reach = self.intervals.joint_rank_low
        within = self.intervals.may_be_first if k == 1 else (reach >= 1) & (reach <= k)
        return tuple(system for system, there in zip(self.systems, within, strict=True) if there)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system, best first; None where a number does not exist.

        >>> import podium
        >>> podium.rank(podium.datasets.toy_table1(), method="mean").rows()[0]["system"]
        'A'
        """
        columns = {name: plain_list(array) for name, array in self._arrays().items()}
        for name in _ZERO_IS_NONE & columns.keys():
            columns[name] = [rank or None for rank in columns[name]]
        columns |= self._of_families()
        columns |= {} if self.by_prompt is None else self.by_prompt.columns
        return [
            {"system": system, **{name: values[index] for name, values in columns.items()}}
            for index, system in enumerate(self.systems)
        ]

    def _of_families(self) -> dict[str, list[Any]]:
        """Return columns on families, if there are any: the ranks of a family stand at its best member."""
        if not self.families:
            return {}
        found = families_of(self)
        columns: dict[str, list[Any]] = {"family": list(self.families)}
        for name, ranks in (
            ("family_rank", found.rank),
            ("family_rank_low", found.low),
            ("family_rank_high", found.high),
        ):
            columns[name] = [None] * len(self)
            for place, rank in zip(found.best.tolist(), ranks.tolist(), strict=True):
                columns[name][place] = rank or None
        return columns

    def _arrays(self) -> dict[str, NDArray[Any]]:
        columns = {name: getattr(self, name) for name in ("rank", "midrank", "score", "rank_sum", "points")}
        columns |= {**dict(self.extras), **({} if self.intervals is None else self.intervals.columns())}
        columns |= {"tasks_scored": self.tasks_scored, "coverage": self.coverage}
        return {name: array for name, array in columns.items() if array is not None and array.size}

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.ranking.view import view_ranking  # noqa: PLC0415  # only where it is shown

        return view_ranking(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("method", "level", "higher_is_better")},
            "n_systems": len(self),
            "n_tasks": self.n_tasks,
            **{name: said for name in ("metric", "caveat") if (said := getattr(self, name))},
            "certificate": None if self.certificate is None else asdict(self.certificate),
            **({"circle": list(self.circle)} if self.circle else {}),
            **({"coefficients": [plain(asdict(one)) for one in self.coefficients]} if self.coefficients else {}),
            "sentence": self.sentence,
            "intervals": None if self.intervals is None else self.intervals.to_dict(),
            "tasks": [{name: getattr(task, name) for name in task.__slots__} for task in self.tasks],
            "systems": self.rows(),
        }


def ranked(
    result: MethodResult,
    scores: Scores,
    method: str,
    level: str | None,
    *,
    intervals: Intervals | None = None,
    notes: Sequence[str] = (),
) -> Ranking:
    """Give the numbers of a method their labels back, in order, beside what is known of the table.

    Raises
    ------
    MethodError
        As of `MethodResult.dense_ranks`.
    """
    systems, tasks = scores.systems, scores.tasks
    place = result.dense_ranks(systems)
    order = np.array(best_first(place, systems), dtype=np.int64)
    scored = np.array([task.scored for task in tasks])
    remarks = result.remarks(systems) if result.remarks else []
    return Ranking(
        method=method,
        level=level,
        systems=tuple(systems[row] for row in order),
        score=result.score[order],
        rank=competition_ranks(place)[order],
        midrank=midranks(place)[order],
        tasks_scored=np.count_nonzero(scored, axis=0)[order],
        coverage=(scored.sum(axis=0) / scores.n_instances)[order],
        n_tasks=len(tasks),
        higher_is_better=result.higher_is_better,
        rank_sum=None if result.rank_sum is None else result.rank_sum[order],
        points=None if result.points is None else result.points[order],
        extras=tuple((name, array[order]) for name, array in result.extras),
        certificate=None if result.certificate is None else result.certificate.named(systems),
        intervals=None if intervals is None else intervals.in_order(order),
        tasks=tuple(
            RankedTask(task.name, task.higher_is_better, task.weight, task.n_instances, family)
            for task, family in zip(tasks, family_names(tasks), strict=True)
        ),
        notes=(*notes, *remarks),
        metric=scores.metric,
        backend=scores.backend,
    )


def _check_top(k: int, n_systems: int) -> None:
    if k not in range(1, n_systems + 1):
        raise MethodError(f"there is no top {k!r}; k is a whole number between 1 and {n_systems}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Pairwise(Result):
    """Direct comparisons of all pairs of systems, with Hoeffding intervals.

    Attributes
    ----------
    systems
        The N labels, by `share`, best first; equals in order of their labels, systems never compared last.
    share
        Shape `(N,)`: mean over the opponents met of `probability`, NaN for a system never compared.
    probability
        Shape `(N, N)`: share of the comparisons of i and j that i won, ties counting half; only ballots that score
        both count. NaN where there are none, and on the diagonal.
    compared
        Shape `(N, N)`: number of these comparisons; where they weigh differently, the effective number
        (Σ w)² / Σ w², which is what the intervals rest on.
    radius
        Shape `(N, N)`: half-width of the intervals before they are cut to [0, 1]; infinite where nothing was compared.
    low, high
        Shape `(N, N)`: ends of the interval of the probability that i beats j; 0 and 1 where nothing was compared.
    separated
        Shape `(N, N)`: whether i is better than j beyond doubt, low > ½.
    level
        The ballots: "task", "one" or "two".
    confidence, sided, simultaneous
        What the intervals promise, see `podium.ranking.pairwise.radius`.
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> duels = podium.pairwise(podium.simulate.gumbel(3, 2, 100, dispersion=1.0, rng=0).scores)
    >>> duels.systems
    ('system 3', 'system 2', 'system 1')
    >>> duels.separated
    array([[False,  True,  True],
           [False, False,  True],
           [False, False, False]])
    """

    schema: ClassVar[str] = "pairwise"
    _row_key: ClassVar[str] = "pairs"

    systems: tuple[str, ...]
    share: Floats
    probability: Floats
    compared: Floats
    radius: Floats
    low: Floats
    high: Floats
    separated: Bools
    level: Level
    confidence: float
    sided: str
    simultaneous: bool
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per ordered pair of systems; None where a number does not exist.

        >>> import podium
        >>> podium.pairwise(podium.datasets.toy_table1()).rows()[0]["opponent"]
        'B'
        """
        columns = ("probability", "compared", "radius", "low", "high", "separated")
        numbers = {name: getattr(self, name).tolist() for name in columns}
        return [
            plain({"system": system, "opponent": opponent, **{name: rows[i][j] for name, rows in numbers.items()}})
            for i, system in enumerate(self.systems)
            for j, opponent in enumerate(self.systems)
            if i != j
        ]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.ranking.view import view_pairwise  # noqa: PLC0415  # only where it is shown

        return view_pairwise(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        shares = zip(self.systems, self.share.tolist(), strict=True)
        return {
            **{name: getattr(self, name) for name in ("level", "confidence", "sided", "simultaneous")},
            "n_systems": len(self.systems),
            "systems": [plain({"system": system, "share": share}) for system, share in shares],
            "pairs": self.rows(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Condorcet(Result):
    """The system that beats every other by majority, or what prevents one.

    Attributes
    ----------
    systems
        The N labels, by pairs won less pairs lost by majority, best first; equals in order of their labels.
    wins, losses
        Of each, how many others it beats by majority, and how many beat it; the rest are undecided.
    winner
        The system that beats every other by majority, or None.
    smith_set
        The smallest set whose every member beats every system outside by majority: the winner alone where there is
        one, and otherwise those between whom majorities do not decide. In the order of the table.
    schwartz_set
        Members of the Smith set that lose to none, directly or through others, whom they do not beat back in the same
        way. Smaller than the Smith set only where pairs are undecided.
    cycle
        A shortest cycle of majorities inside the Smith set, each beating the next and the last the first; of several
        the one whose systems come first in the table. None where there is none.
    undecided
        Pairs inside the Smith set in which neither beats the other: tied, or never compared. Without a winner
        and without a cycle, these are what prevents one.
    sentence
        The winner, or what prevents one, in words.
    level
        The ballots: "task", "one" or "two".
    notes
        What to know before trusting it, in words.
    backend
        Library of the frames that `to_frame` returns by default.

    Examples
    --------
    >>> import podium
    >>> podium.condorcet(podium.datasets.toy_table1())
    Condorcet(majorities, task-level: 3 systems, 3 in the Smith set)
    • no Condorcet winner: no majority between A and C
    system  in Smith set  in Schwartz set  beats  loses to  undecided
    C       yes           yes                  1         0          1
    B       yes           no                   1         1          0
    A       yes           no                   0         1          1
    """

    schema: ClassVar[str] = "condorcet"
    _row_key: ClassVar[str] = "systems"

    systems: tuple[str, ...]
    wins: tuple[int, ...]
    losses: tuple[int, ...]
    winner: str | None
    smith_set: tuple[str, ...]
    schwartz_set: tuple[str, ...]
    cycle: tuple[str, ...] | None
    undecided: tuple[tuple[str, str], ...]
    sentence: str
    level: str
    notes: tuple[str, ...] = ()
    backend: str = "pyarrow"

    def __len__(self) -> int:
        return len(self.systems)

    @property
    def title(self) -> str:
        """Return level and size, in words."""
        size = f"{how_many(len(self), 'system')}, {len(self.smith_set):,} in the Smith set"
        return f"{in_words('majorities', self.level)}: {size}"

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per system, most pairs won first.

        >>> import podium
        >>> podium.condorcet(podium.datasets.toy_table1()).rows()[0]
        {'system': 'C', 'smith': True, 'schwartz': True, 'wins': 1, 'losses': 0, 'undecided': 1}
        """
        return [
            {
                "system": system,
                "smith": system in self.smith_set,
                "schwartz": system in self.schwartz_set,
                "wins": wins,
                "losses": losses,
                "undecided": len(self) - 1 - wins - losses,
            }
            for system, wins, losses in zip(self.systems, self.wins, self.losses, strict=True)
        ]

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.ranking.view import view_condorcet  # noqa: PLC0415  # only where it is shown

        return view_condorcet(self)

    def _content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            **{name: getattr(self, name) for name in ("level", "winner", "sentence")},
            **{name: list(getattr(self, name)) for name in ("smith_set", "schwartz_set")},
            "cycle": None if self.cycle is None else list(self.cycle),
            "undecided": [list(pair) for pair in self.undecided],
            "systems": self.rows(),
        }


def labelled(found: Majorities, beats: Bools, scores: Scores, *, level: str) -> Condorcet:
    """Give what was found the labels of a table back; `beats` says who has a majority over whom."""
    labels = scores.systems

    def named(systems: Iterable[int]) -> tuple[str, ...]:
        return tuple(labels[index] for index in systems)

    wins, losses = beats.sum(axis=1).tolist(), beats.sum(axis=0).tolist()
    order = sorted(range(len(labels)), key=lambda i: (losses[i] - wins[i], labels[i]))
    return Condorcet(
        systems=named(order),
        wins=tuple(wins[i] for i in order),
        losses=tuple(losses[i] for i in order),
        winner=None if found.winner is None else labels[found.winner],
        smith_set=named(found.smith_set),
        schwartz_set=named(found.schwartz_set),
        cycle=None if found.cycle is None else named(found.cycle),
        undecided=tuple((labels[i], labels[j]) for i, j in found.undecided),
        sentence=found.sentence(labels),
        level=level,
        notes=scores.notes,
        backend=scores.backend,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeadToHead(Result):
    """Comparisons of all pairs, and what their majorities say.

    Attributes
    ----------
    pairs, majorities
        The two answers, about the same ballots.
    notes
        What to know before trusting them, in words.
    """

    schema: ClassVar[str] = "head-to-head"
    _beyond_rows: ClassVar[str] = "these rows are the pairs only; -f json and -f table also have the systems"
    _row_key: ClassVar[str] = "pairs"
    _part_schemas: ClassVar[tuple[str, ...]] = (Pairwise.schema, Condorcet.schema)

    pairs: Pairwise
    majorities: Condorcet
    notes: tuple[str, ...]

    @property
    def backend(self) -> str:  # type: ignore[override]  # that of the pairs
        """Library of the frames that `to_frame` returns by default."""
        return self.pairs.backend

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each ordered pair of systems."""
        return self.pairs.rows()

    def _content(self) -> dict[str, Any]:
        """Return the pairs, and beside them what their majorities say."""
        pairs, majorities = self.pairs._content(), self.majorities._content()  # noqa: SLF001  # results as well
        return {**pairs, "condorcet": majorities}

    def _parts(self) -> tuple[Result, ...]:
        """Return the two answers."""
        return (self.pairs, self.majorities)

    def view(self) -> "View":
        """Return what it looks like: title, verdict, tables, notes and figures."""
        from podium.ranking.view import view_head_to_head  # noqa: PLC0415  # only where it is shown

        return view_head_to_head(self)
