"""The command `watch`."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from podium.base.errors import MethodError
from podium.cli.app import command
from podium.cli.option.input import PlainReadOptions
from podium.cli.option.option import option
from podium.cli.output import print_content


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What a new run is held against, and how often."""

    heading: ClassVar[str] = "Method"

    baseline: Annotated[str, option("--baseline", metavar="SOURCE", meaning="The run before the change, finished.")]
    margin: Annotated[
        str,
        option(
            "--margin",
            metavar="N",
            meaning="How much worse is still as good: in units of the scores (0.01), or in percent of --bounds (1%).",
        ),
    ]
    bounds: Annotated[
        str, option("--bounds", metavar="LOW,HIGH", meaning="Least and largest score that there can be.")
    ] = "0,1"
    every: Annotated[float, option("--every", metavar="SECONDS", meaning="Time between two looks.")] = 30.0
    once: Annotated[bool, option("--once", meaning="Look once.")] = False
    confidence: Annotated[float, option("--confidence", metavar="P", meaning="That all looks together hold.")] = 0.95

    @property
    def arguments(self) -> dict[str, Any]:
        """What `podium.watch` is told.

        Raises
        ------
        MethodError
            Bounds are not two numbers.
        """
        try:
            low, high = map(float, self.bounds.split(","))
        except ValueError:
            raise MethodError(f"--bounds {self.bounds!r} is not of the form LOW,HIGH, as in 0,100") from None
        every = None if self.once else self.every
        return {"margin": self.margin, "bounds": (low, high), "every": every, "confidence": self.confidence}


@command
def watch(*, watch: WatchOptions, read: PlainReadOptions) -> int:
    """Watch a new run come in, and stop as soon as it is decided.

    \b
    podium watch runs/after --baseline runs/before --margin 0.01
    podium watch logs/pr --baseline logs/main --margin 1% --every 60
    podium watch after.csv --baseline before.csv --margin 1 --bounds 0,100 --once

    Prints a line at each look, and ends when the new run is worse by more than
    the margin, or not worse by more than it. Unfinished logs count as far as
    they are. The interval holds at all looks together, however often one looks,
    if the order of the items does not depend on how the runs differ: shuffle
    them. Exit codes: 0 not worse, 1 worse, 3 the run has ended, or was looked
    at once, and that is not known.
    """  # noqa: D301
    code = 3
    for look in read.watched(watch.baseline, watch.arguments):
        print_content(f"{look}\n")
        code = look.exit_code
    return code
