"""The options of commands that count many scores: where these are counted."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

import click

import podium
from podium.cli.option.option import choice, option
from podium.tally.engine.engine import ENGINES


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """Where scores are counted."""

    heading: ClassVar[str] = "Limits"

    engine: Annotated[
        str, choice(ENGINES, "--engine", meaning="What counts: threads of this machine, or a Dask cluster.")
    ] = "local"
    scheduler: Annotated[
        str | None,
        option(
            "--scheduler",
            metavar="ADDRESS",
            meaning="Cluster of --engine dask, as tcp://10.0.0.1:8786. Default: processes of this machine.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        option(
            "--workers",
            metavar="N",
            min=1,
            meaning="Processes of dask; with --scheduler, how many to wait for. Default: one per core, or 1.",
        ),
    ] = None

    def use(self) -> None:
        """Put the engine in force until the command ends.

        Raises
        ------
        LabelError, MethodError, MissingExtraError, EngineError
            As of `podium.engine`.
        """
        chosen = podium.engine(self.engine, scheduler=self.scheduler, workers=self.workers)
        click.get_current_context().with_resource(chosen)
