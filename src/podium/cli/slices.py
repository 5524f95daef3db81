"""The command that says who leads on which slice of the instances."""

from typing import Any

import podium
from podium.cli.app import command
from podium.cli.options import CountOptions, confidence_option, plot_option, replicates_option, seed_option
from podium.cli.rank import MethodOptions
from podium.cli.read import ReadOptions
from podium.tally.draw import check_resampling


@command
def slices(
    *,
    method: MethodOptions,
    confidence: float = confidence_option(),
    replicates: int = replicates_option("Number of bootstrap replicates of each slice.", 1000),
    seed: int = seed_option(),
    read: ReadOptions,
    show: CountOptions,
    plot: list[str] | None = plot_option(("slices",)),
) -> None:
    """Say who leads on which slice, and what is more than chance.

    \b
    podium slices scores.csv --slice-column category
    podium slices scores.csv --slice-column category,language --plot map.svg
    podium slices runs/ --family STEM=physics,maths --family law=*law

    Without a column, families of tasks are the slices. A slice is compared with the others together, relative to the
    mean of the systems; p-values are adjusted for all that is looked at. Scores of small slices are shrunk.
    """  # noqa: D301
    draws: dict[str, Any] = {"n_resamples": replicates, "rng": seed}
    check_resampling(confidence_level=confidence, units=None, **draws)
    destination = show.destination(plot, ("slices",))
    scores: Any = {column: one.load(destination) for column, one in read.by_slice_column.items()}
    with show.bar("slicing") as bar:
        found = podium.slices(
            scores or read.load(destination),
            method=method.spec,
            confidence_level=confidence,
            **draws,
            n_jobs=show.threads,
            progress=bar,
        )
    destination.deliver(found)
