"""How often each strength of each stress is tried: at first, and where a sentence of the verdict is not settled."""

from math import sqrt
from typing import NamedTuple

from podium.robustness.study.change import cases_of
from podium.robustness.study.lost import Lost
from podium.robustness.study.result import Study
from podium.robustness.study.trial import Setup, Turn

#: Cases of a stress up to which all are tried, in place of chance; and no more than the most repeats.
LISTED = 4096


class Tries(NamedTuple):
    """How often a strength is tried, by chance or every case once; what is beyond `whole` is for the first method."""

    number: int
    whole: int
    listed: bool = False


#: Repeats from which on a mean shows whether more of them are of use.
_ENOUGH = 3200

#: Tries of every strength of every sweep.
Plan = tuple[tuple[Tries, ...], ...]


def first_plan(setup: Setup, repeats: int, most: int | None) -> Plan:
    """Return so many repeats of every strength; where there may be more, those of few cases are listed.

    All methods rank all of these.
    """

    def tries(sweep_index: int, strength: float) -> Tries:
        every = None
        if most is not None and setup.unstressed is not None:
            every = cases_of(setup.unstressed.scores, setup.sweeps[sweep_index], strength)
        number = None if every is None or most is None else every.number(min(most, LISTED))
        return Tries(repeats, repeats) if number is None else Tries(number, number, listed=True)

    return tuple(
        tuple(tries(index, strength) for strength in sweep.strengths) for index, sweep in enumerate(setup.sweeps)
    )


def turns_of(plan: Plan) -> list[Turn]:
    """Return all turns, those of repeat 0 first, then those of repeat 1, and so on.

    >>> [tuple(turn) for turn in turns_of(((Tries(2, 1), Tries(1, 1, listed=True)),))]
    [(0, 0, 0, False, False), (0, 0, 1, True, False), (1, 0, 0, False, True)]
    """
    longest = max(tries.number for row in plan for tries in row)
    return [
        Turn(repeat, sweep, strength, tries.listed, repeat >= tries.whole)
        for repeat in range(longest)
        for sweep, row in enumerate(plan)
        for strength, tries in enumerate(row)
        if repeat < tries.number
    ]


def longer_plan(plan: Plan, study: Study) -> Plan:
    """Return twice as many repeats where the verdict is not settled; the same plan where it is, or none are left.

    A strength has at most `most_repeats`, and all strengths together have twice as many beyond the first repeats. The
    verdict is about the first method, so it alone ranks what is added.
    """
    longer = [list(row) for row in plan]
    alone = len(study.methods) == 1
    left = 2 * study.most_repeats - sum(max(0, _drawn(tries) - study.repeats) for row in plan for tries in row)
    lost = [Lost.of(study, k) for k in range(len(plan))]
    unsettled = [(k, s) for k, row in enumerate(plan) for s in lost[k].unsettled if not row[s].listed]
    useful = [(k, s) for k, s in unsettled if _may_settle(lost[k], s, plan[k][s].number, study.most_repeats)]
    for k, s in sorted(useful, key=lambda place: plan[place[0]][place[1]].number):
        number = plan[k][s].number
        more = min(2 * number, study.most_repeats) - number
        if more <= left:
            longer[k][s] = Tries(number + more, number + more if alone else plan[k][s].whole)
            left -= more
    return tuple(map(tuple, longer))


def _may_settle(lost: Lost, s: int, number: int, most: int) -> bool:
    """Whether the most repeats may settle a strength; they hardly can where lines are close to the mean of many."""
    if number < _ENOUGH or lost.maybe_unranked(s):
        return True
    reach = (lost.high[s] - lost.low[s]) / 2 * sqrt(number / most)  # of the interval after the most repeats
    return any(abs(lost.mean[s] - line) > reach / 2 for line in lost.open_lines(s))


def _drawn(tries: Tries) -> int:
    """How often chance decides."""
    return 0 if tries.listed else tries.number
