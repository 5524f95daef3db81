"""Margins: how much worse is still as good, in the units of scores or as a share of their scale."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from podium.base.check import as_number, matching
from podium.base.errors import InputError, MethodError
from podium.base.words import LONG, as_typed, with_names
from podium.score.table import Scores
from podium.score.task import Task, extent, scale_end

#: A margin below this share of a scale from 0 to 100 is likely meant for one from 0 to 1.
_TINY = 0.1


def margins_of(margin: Any, scores: Scores) -> tuple[float, dict[str, float]]:
    """Turn a margin into the units of some scores: for all tasks together, and for each by its label.

    Parameters
    ----------
    margin
        A number in the units of the scores; a text such as "1%", of the scale; or these by label or glob of tasks,
        with "*" for all others.
    scores
        Tables of both runs; all tasks that count have one scale.

    Raises
    ------
    MethodError
        It is no margin, is negative, or is in other units than the scores.
    InputError
        Tasks have different scales.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"rte": [[80.0, 90.0]], "wnli": [[50.0, 60.0]]}, systems=["A"])
    >>> margins_of({"*": "1%", "wnli": 2}, scores)
    (1.0, {'rte': 1.0, 'wnli': 2.0})
    """
    told = dict(margin) if isinstance(margin, Mapping) else {"*": margin}
    names = [task.name for task in scores.tasks if task.weight > 0]
    scale = _scale(scores)
    of_task = dict.fromkeys(names, math.nan)
    for pattern, value in sorted(told.items(), key=lambda pair: pair[0] != "*"):
        number = in_units(value, scale)
        of_task |= dict.fromkeys(matching("task", [pattern], names), number)
    if lacking := [name for name, value in of_task.items() if math.isnan(value)]:
        raise MethodError(with_names("no margin for ", lacking, "; give one for '*', all other tasks"))
    return in_units(told["*"], scale) if "*" in told else min(of_task.values()), of_task


def _scale(scores: Scores) -> float:
    """Return where scores run to: 1 or 100; infinite if they run elsewhere.

    Raises
    ------
    InputError
        Tasks differ in scale; or, if no scale is known, in metric.
    """
    scales = {task.name: scale_of(task) for task in scores.tasks if task.weight > 0}
    metrics = {name: scores.metric_of(name) for name in scales}
    kinds = sorted(set(scales.values()))
    what = "scale" if len(kinds) > 1 else "metric"
    of = {name: scales[name] if what == "scale" else metrics[name] for name in scales}
    if len(kinds) > 1 or (kinds == [math.inf] and all(metrics.values()) and len(set(metrics.values())) > 1):
        most = Counter(of.values()).most_common(1)[0][0]
        first = next(name for name in of if of[name] == most)
        odd = [name for name in of if of[name] != most]
        called = {name: f"{name} ({metric})" if metric else name for name, metric in metrics.items()}
        after = f": another {what} than {called[first]}, so one margin makes no sense for all"
        raise InputError(
            with_names("", [called[name] for name in odd], after, room=LONG)
            + f"; leave {'it' if len(odd) == 1 else 'them'} out with tasks= "
            f"(--tasks {as_typed(','.join(f'!{name}' for name in odd))}), or look at "
            f"{'it' if len(odd) == 1 else 'them'} in a gate of {'its' if len(odd) == 1 else 'their'} own"
        )
    if kinds == [math.inf] and len(scales) > 1:
        spread = [max(map(abs, extent(task))) for task in scores.tasks if task.weight > 0]
        if max(spread) > 10 * max(min(spread), 1e-300):
            raise InputError(
                "tasks have scales of their own, so one margin makes no sense for all; choose some (--tasks)"
            )
    return kinds[0]


def scale_of(task: Task) -> float:
    """Return where the scale of a task ends, see `podium.score.task.scale_end`.

    Raises
    ------
    InputError
        One system has scores up to 1, and another scores that run to 100.
    """
    scale = scale_end(task)
    if scale == 100 and 0 < np.fmax.reduce(task.values, axis=1, initial=0.0).min() <= 1:
        raise InputError(
            f"task {task.name!r} runs from 0 to 1 in one run and to 100 in the other; bring both to one scale"
        )
    return scale


def in_units(given: Any, scale: float) -> float:
    """Turn a margin into the units of scores with a scale; see `margins_of`."""
    number, share = _number_or_share(given)
    if not (math.isfinite(number) and number >= 0):
        raise MethodError(
            f"margin is {given!r}; it must be a number of at least 0, or a share of the scale such as '1%'"
        )
    if share and number > 100:
        raise MethodError(f"margin {given!r} is more than the whole scale; it must be a share of it, such as '1%'")
    if share and math.isinf(scale):
        raise MethodError(f"margin {given!r} is a share of a scale, and the scores have none from 0; give a number")
    if share:
        return number / 100 * scale
    if number and scale == 100 and number < _TINY:
        raise MethodError(
            f"margin {given!r} is in units of scores that run from 0 to 100; for {100 * number:g} points give "
            f"{100 * number:g}, or for so little '{number:g}%'"
        )
    if scale == 1 and number >= 1:
        points = "1 percentage point" if number == 1 else f"{number:g} percentage points"
        raise MethodError(
            f"margin {given!r} is in units of scores that run from 0 to 1; for {points} give "
            f"{number / 100:g} or '{number:g}%'"
        )
    return number


def written_number(given: Any) -> float:
    """Return a number, also one that is typed; NaN of anything else.

    >>> written_number(" 0.01"), written_number("much")
    (0.01, nan)
    """
    try:
        return float(given) if isinstance(given, str) else as_number(given)
    except ValueError:
        return math.nan


def _number_or_share(given: Any) -> tuple[float, bool]:
    """Return a number, NaN of anything else, and whether it is a share such as "1%"."""
    text = given.strip() if isinstance(given, str) else given
    share = isinstance(text, str) and text.endswith("%")
    return written_number(text.removesuffix("%") if share else text), share


def limit_in_units(given: Any, task: Task) -> float:
    """Turn a limit of a mean, a number or a share of the scale such as "80%", into the units of a task.

    Raises
    ------
    MethodError
        It is no such thing, or is in other units than the scores.
    """
    (number, share), scale, limit = _number_or_share(given), scale_of(task), f"must {task.name}={given}"
    if not math.isfinite(number):
        raise MethodError(f"{limit} (--must) is no number, and no share of the scale such as '80%'")
    if share and math.isinf(scale):
        raise MethodError(f"{limit} is a share of a scale, and the scores have none; give a number")
    if share:
        return number / 100 * scale
    if (scale == 1 and number > 1) or (scale == 100 and 0 < number < 1):
        meant = number / 100 if scale == 1 else 100 * number
        raise MethodError(
            f"{limit} (--must): the scores run from 0 to {scale:g}; for {meant * 100 / scale:g}% give {meant:g}"
        )
    return number
