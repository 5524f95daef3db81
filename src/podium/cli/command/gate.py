"""The command `gate`."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import podium
from podium.base.errors import InputError, MethodError
from podium.cli.app import command
from podium.cli.option.input import PlainReadOptions
from podium.cli.option.option import choice, option, split
from podium.cli.option.output import ShowOptions
from podium.gating.api import OVER, UNSURE


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What the new run must keep."""

    heading: ClassVar[str] = "Method"

    margin: Annotated[
        list[str] | None,
        option(
            "--margin",
            metavar="N",
            meaning="How much worse still passes: in units of the scores (0.01), or in percent of their scale (1%). "
            "For some tasks GLOB=N, as in 'safety/*=0'.",
        ),
    ] = None
    over: Annotated[
        str, choice(OVER, "--over", meaning="Holds for these tasks (suite), or for other tasks like these (tasks).")
    ] = "suite"
    tasks_too: Annotated[
        bool, option("--tasks-too", meaning="Fail, too, if one task is worse by more than its margin (Holm).")
    ] = False
    must: Annotated[
        list[str] | None,
        option("--must", metavar="GLOB=N", meaning="Least mean of the new run on some tasks, as in 'safety/*=1.0'."),
    ] = None
    budget: Annotated[
        list[str] | None,
        option("--budget", metavar="NAME=N", meaning="Most of a covariate, as in cost=1.1x,seconds=1.2x."),
    ] = None
    unsure: Annotated[str | None, choice(UNSURE, "--unsure", meaning="What CANNOT TELL counts as.")] = None
    baseline_age: Annotated[
        str | None, option("--baseline-age", metavar="30d", meaning="How old the baseline may be, by its log.")
    ] = None
    per_week: Annotated[
        int | None, option("--per-week", metavar="N", min=1, meaning="Adjust for so many gates a week.")
    ] = None
    control: Annotated[
        str | None, option("--control", metavar="SYSTEM", meaning="Of one table: the system to hold against.")
    ] = None
    treatment: Annotated[str | None, option("--treatment", metavar="SYSTEM", meaning="Of one table: the new one.")] = (
        None
    )
    confidence: Annotated[float, option("--confidence", metavar="P", meaning="Confidence of all intervals.")] = 0.95
    strict: Annotated[bool, option("--strict", meaning="Refuse runs whose questions, or ways to ask them, differ.")] = (
        False
    )

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.gate` is told.

        Raises
        ------
        MethodError
            There is no margin, or something is not of the form NAME=N.
        """
        if not self.margin:
            raise MethodError("how much worse still passes? give --margin, such as 0.01, 1% (of the scale) or 0")
        margins = dict(_pair("--margin", text) if "=" in text else ("*", text) for text in self.margin)
        return {
            "margin": margins,
            "over": self.over,
            "tasks_too": self.tasks_too,
            "must": dict(_pair("--must", text) for text in self.must or ()),
            "budget": dict(_pair("--budget", text) for text in split(self.budget)),
            "unsure": self.unsure,
            "baseline_age": self.baseline_age,
            "per_week": self.per_week,
            "confidence": self.confidence,
            "strict": self.strict,
        }


def _pair(option_name: str, text: str) -> tuple[str, str]:
    """Read `NAME=N`; the last = counts, as names may have one."""
    name, equals, value = text.rpartition("=")
    if not (equals and name and value):
        raise MethodError(f"{option_name} {text!r} is not of the form NAME=N")
    return name.strip(), value.strip()


@command
def gate(*, gate: GateOptions, read: PlainReadOptions, show: ShowOptions) -> int:
    """Hold a new run against a baseline: PASS, FAIL or CANNOT TELL.

    \b
    podium gate before=main/ after=pr/ --margin 0.01
    podium gate before=main/ after=pr/ --margin 1% --must 'safety/*=1.0'
    podium gate main/ pr/ --margin 0.01 --budget cost=1.1x -f github
    podium gate scores.csv --control old --treatment new --margin 0.01

    The first source is the baseline. It passes if the new run is better, or not
    worse by more than the margin; it fails if it is worse for sure; otherwise
    the scores cannot tell. Exit codes: 0 pass, 1 fail, 3 cannot tell.
    """  # noqa: D301
    told = gate.arguments
    destination = show.destination()
    read.refuse_overwriting(destination)
    if len(read.sources) == 1:
        before, after = (gate.control, gate.treatment)
        if before is None or after is None:
            raise InputError(
                "there is one source; name a baseline and a new run, as in before=main/ after=pr/; or, of one table, "
                "--control and --treatment"
            )
        scores = read.scores(quiet=show.quiet)
        runs = tuple(scores.select(systems=[name]) for name in (before, after))
        found = podium.gate(*runs, names=(before, after), **told)
    else:
        found = read.gated(told, quiet=show.quiet)
    destination.deliver(found)
    return found.exit_code
