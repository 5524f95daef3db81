"""How far judges agree with people, whom they favour, and whether they know when they are right."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from podium.base.check import check_confidence, checked_number
from podium.base.errors import InputError, LabelError, MethodError
from podium.base.words import Doubt, few, how_many, with_names
from podium.judging.calibration import Certainty, calibration
from podium.judging.position import Position, position
from podium.judging.raters import Raters, biases, check_scales, doubts
from podium.judging.read import ROLES, JudgedAnswers, read_judged
from podium.judging.result import Judging
from podium.source.table import check_keywords


def judge(
    source: Any,
    judges: str | Iterable[str] | None = None,
    *,
    own: Mapping[str, str] | None = None,
    gold: Any = None,
    coverage: float = 0.8,
    confidence_level: float = 0.95,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
    **columns: Any,
) -> Judging:
    """Say how far judges agree with people on answers that both have judged, and whom they favour.

    A row is an answer, with a column for each judge; or a verdict, with a column that names the judge. Verdicts are
    words, 0 and 1, or scores. Answers to one item, or of one cluster, vary together. Each number has an interval for
    other items, see `podium.judging.coefficients`; p-values are adjusted by Holm's method. Of several judges, also:
    which agrees best with people, whether their panel (the majority, or the mean of scores) does better, and who
    differs more from the others than these do among themselves.

    If rows are battles, with two columns of systems and the choice of the judge, people are not needed. Battles that
    stand in both orders of the answers show how often a judge changes its choice with the order.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, "-", a frame, or a dictionary of columns.
    judges
        Columns of verdicts, or patterns of names; by default those called after a judge. The rows of a table with a
        column of judges say which judges there are.
    own
        By judge its own family, if that is not the one whose name is part of the judge's.
    gold
        A column, or another table with one row for each item, that says what people say, or what is right: then systems
        that answer questions are held against the right answers like judges against people.
    coverage
        Share of the answers, those of which a judge is surest, whose errors are counted.
    confidence_level
        Of intervals, and of everything that sentences say for sure.
    format, table
        As for `podium.read`.
    columns
        Names of columns, if they have other names: `human_column`, `judge_column`, `score_column`, `system_column`,
        `task_column`, `instance_column`, `cluster_column`, `length_column` of the length of answers. Those of
        `family_column`, the family of the system that answers, and `probability_column`, how sure a judge is to be
        right (one for each column of verdicts), have to be named.

    Returns
    -------
    Judging
        One row per judge, those that agree best with people first.

    Raises
    ------
    InputError
        The table cannot be read, nothing was judged by both, or scales differ; the message says where, and what to do.
    LabelError
        There is no such column, judge or family.
    MethodError
        A number is out of bounds.

    References
    ----------
    Zheng et al., Judging LLM-as-a-judge, 2023 (position and own family); Dubois et al. 2024 (length).

    Examples
    --------
    >>> import podium
    >>> people, judge = [1, 1, 1, 0, 0, 0, 1, 0, 1, 0] * 2, [1, 1, 1, 0, 0, 1, 1, 0, 0, 0] * 2
    >>> podium.judge({"human": people, "judge": judge}).sentences[0]
    'the judge agrees with people on 80% (κ 0.60, 0.09 to 0.85; 20 answers)'
    """
    check_keywords(judge, columns, [f"{role}_column" for role in ROLES])
    check_confidence(confidence_level)
    share = checked_number("coverage", coverage, most=1)
    if not isinstance(own, Mapping | None):
        raise MethodError(f"own is {own!r}; it must name families by judge, as in own={{'judge': 'gpt'}}")
    answers = read_judged(source, judges, own, gold=gold, format=format, table=table, columns=columns)
    for name in own or ():
        if name not in answers.judges:
            raise LabelError.unknown("judge", name, answers.judges)
    positions = dict(_positions(answers, confidence_level))
    if np.isnan(answers.people).all():
        if answers.sides is None:
            raise InputError("people have judged no answer; labels of people are needed to hold judges against")
        return Judging((), "", confidence_level, share, positions=positions, backend=answers.backend)
    without = [name for name, there in zip(answers.judges, answers.labelled, strict=True) if not there.any()]
    if len(without) == len(answers.judges):
        raise InputError(f"{few(without)} judged no answer that people have judged, too; nothing can be compared")
    check_scales(answers)
    raters = Raters.of(answers)
    judged = [raters.judged(rater, confidence_level) for rater in raters.known]
    differences, outliers = raters.differences(confidence_level), raters.outliers(confidence_level)
    people = answers.people[~np.isnan(answers.people)]
    notes = [with_names("no answer judged by people too, so left out: ", without)] if without else []
    notes += (
        [f"{how_many(answers.again, 'row')} the same as an earlier one, so not counted again"] if answers.again else []
    )
    if np.unique(people).size == 1:
        notes.append(Doubt("people always say the same, so agreement beyond chance is unknown"))
    return Judging(
        tuple(sorted(judged, key=lambda row: -np.nan_to_num(getattr(row, raters.measure).value, nan=-2.0))),
        raters.measure,
        confidence_level,
        share,
        points=100.0 if raters.binary else 1.0,
        differences=differences,
        outliers=outliers,
        biases=biases(answers, confidence_level),
        calibrations=dict(_calibrations(answers, share, confidence_level)),
        positions=positions,
        notes=(*notes, *doubts(answers)),
        backend=answers.backend,
    )


def _positions(answers: JudgedAnswers, confidence: float) -> Iterator[tuple[str, Position]]:
    """Yield what the order of answers does to each judge that has chosen anything."""
    for name, verdicts in zip(answers.judges, answers.verdicts, strict=True):
        there = np.flatnonzero(~np.isnan(verdicts))
        if there.size and answers.sides is not None:
            won = np.array([0.5, 1.0, 0.0])[verdicts[there].astype(np.int64)]
            first, second = answers.sides[:, there]
            item, unit = answers.item[there], answers.unit[there]
            yield name, position(answers.systems, first, second, won, item=item, unit=unit, confidence=confidence)


def _calibrations(answers: JudgedAnswers, coverage: float, confidence: float) -> Iterator[tuple[str, Certainty]]:
    """Yield calibrations of judges that say how sure they are."""
    for number, name in enumerate(answers.judges):
        there = answers.labelled[number] & ~np.isnan(answers.probability[number])
        if there.any():
            right = (answers.verdicts[number] == answers.people)[there].astype(np.float64)
            sure = answers.probability[number, there]
            yield name, calibration(answers.unit[there], sure, right, coverage, confidence)
