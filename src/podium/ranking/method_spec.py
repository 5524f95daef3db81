"""Which method to use and how: its name, level, and options."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

from podium.base.check import is_one_of, texts
from podium.base.errors import MethodError, nearest, unknown
from podium.ranking.ballots import Level, Missing
from podium.ranking.battle import circle_of
from podium.ranking.method import Method
from podium.ranking.method.average import IQM, MEAN, MEDIAN
from podium.ranking.method.borda import BORDA
from podium.ranking.method.bradley_terry import BRADLEY_TERRY
from podium.ranking.method.irt import IRT
from podium.ranking.method.kemeny import KEMENY
from podium.ranking.method.majority import COPELAND, WINS
from podium.score.table import Scores, of_battles
from podium.tally.tally import Tally

LEVELS: tuple[Level, ...] = get_args(Level)

MethodName = Literal["borda", "mean", "median", "iqm", "wins", "copeland", "kemeny", "bradley-terry", "irt"]

#: Every way to rank, by name.
METHODS: dict[str, Method] = {
    "borda": BORDA,
    "mean": MEAN,
    "median": MEDIAN,
    "iqm": IQM,
    "wins": WINS,
    "copeland": COPELAND,
    "kemeny": KEMENY,
    "bradley-terry": BRADLEY_TERRY,
    "irt": IRT,
}

Model = Literal["1pl", "2pl"]

#: Item response models: parameters of each instance.
MODELS: tuple[Model, ...] = get_args(Model)

#: Ratings that people ask for, and that are not methods here.
_RATINGS = ("elo", "Elo", "glicko", "trueskill", "bt")

#: How missing scores of battles count, unless somebody says how.
_OF_BATTLES: tuple[Missing, ...] = ("model", "direct")


#: Pairs of systems, on each task that has instances, and comparisons of pairs, up to which a model is the default.
_PAIRS_HELD, _COMPARISONS = 2**22, 10**10


def level_of(scores: Scores, level: Level | None, default: Level) -> Level:
    """Settle the level: as asked; otherwise task where there is nothing below, and the default where there is.

    Raises
    ------
    MethodError
        There is no such level.
    """
    if level is None:
        return "task" if scores.task_level else default
    _check_name("level", level, LEVELS)
    return level


@dataclass(frozen=True, slots=True)
class MethodSpec:
    """A method with its level and options, for `podium.rank` and all that ranks.

    Attributes
    ----------
    name
        Of the method, see `podium.rank`.
    level
        "task", "one", "balanced" or "two", see `podium.rank`; None for the usual one, and for methods that have none.
    missing
        How a missing score counts. "model", for "borda" and its default: at its expectation under a Bradley–Terry model
        of all ballots, so a system that is run on less is not pulled to the middle; "imputed": at its expectation over
        all rankings that fit the ballot, as Himmi et al. 2023 do (the default of methods of pairs, except for
        "bradley-terry"); "direct", for methods of pairs: a ballot does not count for a pair if it does not score both;
        "placed", for "borda" at level "two": as "imputed", but a system without any score on a task is ranked inside
        that task, at the share ½, as Himmi et al. 2023, §2.2.3 do; "bounds", for "borda": by the model, and beside it
        the ranks that hold however the missing scores would come out, without intervals. "direct" for "borda": each
        other system counts alike, at the share of the comparisons with it that were won; one that was never met, by the
        model. Of battles, instances on which only two systems have scores, the default is "model", or if one strength a
        system does not explain them, "direct".
    prior
        For "bradley-terry": games of each system against one imagined opponent, half of them won; 0 is
        maximum likelihood.
    time_limit
        For "kemeny": seconds after which the search stops; the certificate says how good the best order so far is.
        None for no limit.
    model
        For "irt": "2pl", an instance has a difficulty and a discrimination (the default), or "1pl", a difficulty.

    Raises
    ------
    MethodError
        An unknown method, level, model or way to count missing scores; or an option that the method does not have.

    Examples
    --------
    >>> import podium
    >>> podium.rank(podium.datasets.toy_table1(), podium.MethodSpec("kemeny", missing="direct")).systems
    ('C', 'B', 'A')
    >>> str(podium.MethodSpec("borda", level="one"))
    'borda:one'
    >>> podium.MethodSpec("mean", prior=1.0)
    Traceback (most recent call last):
    podium.errors.MethodError: method 'mean' has no option 'prior'; it is for 'bradley-terry'
    """

    name: str = "borda"
    level: Level | None = None
    missing: Missing | None = None
    prior: float = 0.0
    time_limit: float | None = None
    model: Model | None = None

    def __post_init__(self) -> None:
        _check_name("method", self.name, tuple(METHODS))
        method = method_of(self)
        if self.level is not None:
            if method.level is None:
                raise _without_levels(self.name, f"level={self.level!r}")
            _check_name("level", self.level, LEVELS)
        for option in self._options:
            if option not in method.all_options:
                takers = ", ".join(repr(name) for name, other in METHODS.items() if option in other.all_options)
                raise MethodError(f"method {self.name!r} has no option {option!r}; it is for {takers}")
        if self.missing is not None and not is_one_of(self.missing, method.missing):
            raise MethodError(
                f"method {self.name!r} has no way {self.missing!r} to count missing scores; "
                f"{nearest(str(self.missing), method.missing)}"
            )
        if self.model is not None:
            _check_name("model", self.model, MODELS)

    @classmethod
    def of(
        cls, given: "MethodName | str | MethodSpec", level: Level | None = None, missing: Missing | None = None
    ) -> "MethodSpec":
        """Take a method, or its name, with a level, a model or `missing=WAY` after a colon; or with these beside it.

        Raises
        ------
        MethodError
            There is no such method, level or way; the method has no levels; or one of them is said twice.

        Examples
        --------
        >>> MethodSpec.of("borda:one").level
        'one'
        >>> MethodSpec.of("borda:missing=model")
        MethodSpec(name='borda', level=None, missing='model', prior=0.0, time_limit=None, model=None)
        >>> MethodSpec.of("irt:1pl").model
        '1pl'
        """
        spec = given if isinstance(given, MethodSpec) else cls._typed(given)
        beside: dict[str, Any] = {"level": level, "missing": missing}
        beside = {name: value for name, value in beside.items() if value is not None}
        for name, value in beside.items():
            if getattr(spec, name) is not None:
                raise MethodError(f"{given!r} and {name}={value!r} say the same thing twice; leave one of them out")
        return replace(spec, **beside)

    @classmethod
    def _typed(cls, given: Any) -> "MethodSpec":
        """Read METHOD, METHOD:LEVEL, METHOD:MODEL, METHOD:missing=WAY or METHOD:LEVEL:missing=WAY."""
        if not (isinstance(given, str) and ":" in given):
            return cls(given)
        name, *parts = given.split(":")
        missing: Any = None
        if parts and parts[-1].startswith("missing="):
            missing = parts.pop().removeprefix("missing=")
        if not parts:
            return cls(name, missing=missing)
        own: Any = ":".join(parts)
        if "model" in method_of(cls(name)).options:
            return cls(name, missing=missing, model=own)
        if method_of(cls(name)).level is None:
            raise _without_levels(name, repr(f":{own}"))
        return cls(name, own, missing)

    @classmethod
    def several(cls, methods: "str | MethodSpec | Iterable[str | MethodSpec]") -> "tuple[MethodSpec, ...]":
        """Read a list of methods, also of a single one.

        Raises
        ------
        LabelError
            One is neither text nor a `MethodSpec`.
        MethodError
            As of `of`.
        """
        several = isinstance(methods, Iterable) and not isinstance(methods, str)
        listed: list[Any] = list(methods) if several else [methods]  # type: ignore[arg-type]  # just found out
        texts("method", [one for one in listed if not isinstance(one, MethodSpec)])
        return tuple(map(cls.of, listed))

    def __str__(self) -> str:
        """Name, level and options, as results name a method among several."""
        level = "" if self.level is None else f":{self.level}"
        options = ", ".join(f"{name}={str(value).removesuffix('.0')}" for name, value in self._options.items())
        return f"{self.name}{level}" + (f" ({options})" if options else "")

    @property
    def _options(self) -> dict[str, Any]:
        """Return the options that are given."""
        given = {
            "missing": self.missing,
            "prior": self.prior or None,
            "time_limit": self.time_limit,
            "model": self.model,
        }
        return {name: value for name, value in given.items() if value is not None}

    def on(self, scores: Scores) -> Self:
        """Return the same way with level and missing scores settled for a table: where it enters, and nowhere below.

        If a score is missing, "borda" goes by the model, unless pairs of systems are too many. Of battles, in which
        each ballot orders two systems, what is imputed would outweigh what is known, also by methods of pairs; and a
        model that does not fit them says nothing.
        """
        method = method_of(self)
        settled = self if method.level is None else replace(self, level=level_of(scores, self.level, method.level))
        ways = [way for way in _OF_BATTLES if way in method.missing]
        if self.missing or not ways or ways[0] == method.missing[0] or scores.n_scored == scores.n_cells:
            return settled
        if of_battles(scores):
            return replace(settled, missing=ways[0] if ways[0] == "direct" or circle_of(scores) is None else "direct")
        # all pairs of systems can be compared in seconds and in memory, as a model of missing scores needs
        n_systems = len(scores.systems)
        held = n_systems**2 * (1 if scores.task_level else len(scores.tasks))
        fits = held <= _PAIRS_HELD and n_systems * scores.n_scored <= _COMPARISONS
        return replace(settled, missing="model") if ways[0] == "model" and fits else settled


def summed_basis(spec: MethodSpec, units: str) -> MethodSpec:
    """Return the way to rank whose scores are sums over units, on the same ballots: the mean itself, otherwise Borda.

    >>> str(summed_basis(MethodSpec("kemeny", "two"), "instances"))
    'borda:balanced'
    """
    if spec.name == "mean":
        return spec
    level = spec.level or ("balanced" if units == "instances" else "task")
    if level == "two" or (level == "task" and units == "instances"):
        level = "balanced"
    return MethodSpec("borda", level, "model" if spec.missing == "model" else None)


def sums_over_units(spec: MethodSpec, units: str) -> bool:
    """Return whether the scores themselves are sums over units, see `summed_basis`.

    >>> sums_over_units(MethodSpec("mean"), "tasks"), sums_over_units(MethodSpec("kemeny", "task"), "tasks")
    (True, False)
    """
    basis = summed_basis(spec, units)
    own = (basis.name, basis.level) == (spec.name, spec.level)
    return own and spec.missing != "direct" and units != "repeats"  # replicates of repeats are widened


def moves_in_steps(spec: MethodSpec, units: str) -> bool:
    """Return whether scores move in steps when units are drawn, so that a bootstrap says too little of how they vary.

    >>> moves_in_steps(MethodSpec("borda", "two"), "instances"), moves_in_steps(MethodSpec("borda", "one"), "instances")
    (True, False)
    """
    return method_of(spec).steps or spec.level == "two" or (spec.level == "task" and units == "instances")


def in_words(name: str, level: str | None) -> str:
    """Name a way to rank with its level, as titles do.

    >>> in_words("borda", "two"), in_words("borda", "balanced"), in_words("mean", None)
    ('borda, two-level', 'borda, balanced', 'mean')
    """
    if level is None:
        return name
    return f"{name}, {level}" if level == "balanced" else f"{name}, {level}-level"


def method_of(spec: MethodSpec) -> Method:
    """Return what ranks."""
    return METHODS[spec.name].variant(spec.missing, spec.model)


def needs_of(spec: MethodSpec) -> tuple[type[Tally], ...]:
    """Kinds of tallies that the method needs, its level being settled."""
    return method_of(spec).needs(spec.level)


def _check_name(what: str, name: str, names: Sequence[str]) -> None:
    if not is_one_of(name, names):
        if what == "method" and name in _RATINGS:  # which estimate the strengths of that model
            names = sorted(names, key="bradley-terry".__ne__)
        raise MethodError(unknown(what, name, names))


def _without_levels(name: str, given: str) -> MethodError:
    return MethodError(f"method {name!r} has no levels; leave {given} out, or use 'borda'")
