"""The command `pool`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated

import podium
from podium.cli.app import command
from podium.cli.option.comparison import PICTURES, EffectColumnOptions, ForestOptions, ModeratorOptions, PoolingOptions
from podium.cli.option.input import refuse_overwriting
from podium.cli.option.option import check_choice, option
from podium.cli.option.output import ShowOptions
from podium.cli.option.read import InputFormat, Table
from podium.source.file import FORMATS


@command
def pool(
    source: Annotated[str, option(metavar="SOURCE", meaning="A table of effects, or - for standard input.")],
    *,
    input_format: InputFormat = None,
    table: Table = None,
    columns: EffectColumnOptions,
    pooling: PoolingOptions,
    moderation: ModeratorOptions,
    forest: ForestOptions,
    show: ShowOptions,
) -> None:
    """Combine known effects into one summary.

    \b
    podium pool effects.csv
    podium pool effects.csv --effect-column delta --std-error-column sigma
    podium pool effects.csv --diagnostics --plot baujat=baujat.pdf
    podium pool effects.csv --moderator size,domain
    podium pool correlations.csv --estimator dl --interval normal -f latex

    The table has one effect per row. Columns are recognised by their usual names: effect (estimate, yi) with variance
    (vi) or std_error (se), or correlations r with numbers n; and task (study), n, group, cluster.
    """  # noqa: D301
    check_choice("input format", input_format, FORMATS)
    moderation.check_pictures(forest.pictures)
    destination = show.destination(forest.pictures, PICTURES)
    refuse_overwriting(destination, [source])
    given = podium.read_effects(
        source, format=input_format, table=table, moderators=moderation.columns, **asdict(columns)
    )
    analysis = podium.pool(
        given.effects,
        given.variances,
        tasks=given.tasks,
        kind=given.kind,
        n=given.n,
        groups=given.groups,
        moderators=given.moderators,
        diagnostics=moderation.diagnostics,
        notes=(*given.notes, *_unused(given.clusters, pooling)),
        **pooling.arguments | {"cluster": _clusters(given.clusters, pooling)},
    )
    destination.deliver(analysis, styles=forest.styles)


def _clusters(of_column: Mapping[str, Sequence[str]], pooling: PoolingOptions) -> Mapping[str, Sequence[str]]:
    """Clusters of the column, unless clusters, an interval or a tool to imitate are typed."""
    typed = pooling.arguments["cluster"]
    return typed if typed or _independent(pooling) else of_column


def _unused(of_column: Mapping[str, Sequence[str]], pooling: PoolingOptions) -> list[str]:
    """Say that clusters of the column have no use, if so."""
    why = _independent(pooling)
    return [f"the column of clusters is not used, as {why} takes effects as independent"] if of_column and why else []


def _independent(pooling: PoolingOptions) -> str:
    """What is typed that takes effects as independent: an interval, or a tool to imitate; empty if neither is."""
    given = {"interval": pooling.interval, "like": pooling.like}
    return next((f"--{name} {value}" for name, value in given.items() if value is not None), "")
