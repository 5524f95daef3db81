"""How to rank: the options of `rank` and `plan`, and the list of methods that `agree` and `stress` take."""

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, get_args

from podium.base.errors import MethodError
from podium.cli.option.option import choice, offer, option, split
from podium.ranking.ballot import Missing
from podium.ranking.method import METHODS
from podium.ranking.method_spec import LEVELS, MODELS, MethodSpec, Model


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """Which method ranks, and what it is told."""

    heading: ClassVar[str] = "Method"

    method: Annotated[str, choice(tuple(METHODS), "--method", "-m", meaning="How to rank.")] = "borda"
    level: Annotated[
        str | None,
        choice(
            LEVELS,
            "--level",
            meaning="What votes: each task by its mean (task); each instance (one), also so that all tasks weigh alike "
            "(balanced); or the instances of each task and then the tasks (two). Default: task without instances, one "
            "for bradley-terry, else balanced.",
        ),
    ] = None
    missing: Annotated[
        Missing | None,
        choice(
            get_args(Missing),
            "--missing",
            meaning="For borda, a missing score counts at its chances by a model of strengths, so that a strong system "
            "that skipped tasks is not pulled to the middle (model); or so, with the ranks that hold however it would "
            "come out (bounds). It counts at its expected value (imputed), or, for methods of pairs, not at all "
            "(direct). For borda at level two, a system without a score on a task is ranked there, too (placed). "
            "Default: model for borda, else imputed; direct for bradley-terry, and for battles that no model fits.",
        ),
    ] = None
    prior: Annotated[
        float,
        option(
            "--prior",
            metavar="X",
            min=0.0,
            meaning="For bradley-terry: add X games of each system against one imagined opponent.",
        ),
    ] = 0.0
    time_limit: Annotated[
        float | None,
        option(
            "--time-limit",
            metavar="SECONDS",
            min=0.0,
            meaning="For kemeny: stop after this time with the best order so far.",
        ),
    ] = None

    model: Annotated[
        Model | None,
        choice(
            MODELS,
            "--model",
            meaning="For irt: each instance has a difficulty and a discrimination (2pl), or a difficulty (1pl). "
            "Default: 2pl.",
        ),
    ] = None

    def __post_init__(self) -> None:
        _ = self.spec  # what makes no sense is refused before anything is read

    @property
    def spec(self) -> MethodSpec:
        """The method, with its level and options, typed behind a colon or by themselves."""
        typed = MethodSpec.of(self.method, self.level)
        given = {name: getattr(self, name) for name in ("missing", "prior", "time_limit", "model")}
        for name, value in given.items():
            if value and getattr(typed, name):
                raise MethodError(f"{self.method!r} and --{name} say the same thing twice; leave one of them out")
        return replace(typed, **{name: value for name, value in given.items() if value is not None})


@dataclass(frozen=True, slots=True)
class MethodListOptions:
    """Which methods are compared."""

    heading: ClassVar[str] = "Method"

    methods: Annotated[
        list[str] | None,
        option(
            "--methods",
            "-m",
            metavar="METHODS",
            autocompletion=offer(tuple(METHODS)),
            meaning=f"Methods to compare: {', '.join(METHODS)}. A level follows a colon: borda:one; so does "
            "what becomes of missing scores: borda:missing=imputed. Default: the usual ones of the command.",
        ),
    ] = None

    def __post_init__(self) -> None:
        MethodSpec.several(split(self.methods))

    @property
    def names(self) -> list[str] | None:
        """METHOD or METHOD:LEVEL, as typed; None for the usual ones."""
        return split(self.methods) or None
