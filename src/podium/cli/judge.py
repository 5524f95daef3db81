"""The command that holds judges against people."""

from dataclasses import asdict, dataclass

import podium
from podium.base.errors import MethodError
from podium.cli.app import METHOD, READING, argument, column, command, option, split
from podium.cli.options import OutputOptions, confidence_option, plot_option
from podium.cli.read import INPUT_FORMAT, TABLE, refuse_overwriting


@dataclass(frozen=True, slots=True)
class JudgeColumnOptions:
    """Options of the columns of a table of judged answers."""

    human_column: str | None = column("label by people", METHOD)
    judge_column: str | None = column("name of the judge, if a row is one verdict")
    score_column: str | None = column("verdict, if a row is one verdict")
    system_column: str | None = column("system that answers")
    task_column: str | None = column("task")
    instance_column: str | None = column("item that is answered")
    cluster_column: str | None = column("cluster of items that vary together")
    length_column: str | None = column("length of the answer")
    family_column: str | None = column("family of the system that answers", METHOD)


@command
def judge(
    source: str = argument("SOURCE", "A table of judged answers, or - for standard input."),
    *,
    judge: list[str] | None = option(METHOD, "NAMES", "Columns of verdicts. Default: those called after a judge."),
    own: list[str] | None = option(METHOD, "JUDGE=FAMILY", "Own family of a judge. Default: the one in its name."),
    gold: str | None = option(READING, "FILE|COLUMN", "What is right: a table with a row for each item, or a column."),
    probability_column: list[str] | None = option(
        METHOD, "COLUMN", "How sure each judge is to be right, 0 to 1; several with commas."
    ),
    coverage: float = option(METHOD, "N", "Count errors among this share of answers, the surest.", default=0.8),
    confidence: float = confidence_option(),
    input_format: str | None = INPUT_FORMAT,
    table: str | None = TABLE,
    columns: JudgeColumnOptions,
    show: OutputOptions,
    plot: list[str] | None = plot_option(("calibration",)),
) -> None:
    """Hold a judge against people: agreement, bias, and certainty.

    \b
    podium judge judged.csv --human-column human
    podium judge judged.csv --judge gpt,claude --family-column family
    podium judge verdicts.csv --judge-column model --score-column verdict
    podium judge judged.csv --probability-column sure --plot calibration.svg
    podium judge predictions.csv --gold samples.csv --judge-column system

    A row is an answer, or a verdict with a column that names the judge. If rows are battles, with two columns of
    systems and who wins, people are not needed: those in both orders show what the order of the answers does.
    """  # noqa: D301
    destination = show.destination(plot, ("calibration",))
    refuse_overwriting(destination, [source, gold])
    families = dict(one.rpartition("=")[::2] for one in split(own))
    if "" in families:
        raise MethodError(f"--own {','.join(split(own))!r} is not of the form JUDGE=FAMILY, as in --own judge=gpt")
    found = podium.judge(
        source,
        split(judge) or None,
        own=families,
        gold=gold,
        coverage=coverage,
        confidence_level=confidence,
        format=input_format,
        table=table,
        probability_column=split(probability_column) or None,
        **asdict(columns),
    )
    destination.deliver(found)
