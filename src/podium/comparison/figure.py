"""Draw comparisons: tasks that move the summary (Baujat), effects by a property (bubbles), mean ranks (Demšar)."""

from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import LabelError, MethodError
from podium.base.words import chance, fixed, how_many, percent
from podium.comparison.effects import EFFECTS
from podium.comparison.pooling import quantile
from podium.comparison.summary import DIAGNOSED
from podium.report.diagram import Diagram, cliques
from podium.report.drawing import COLOURS, FAINT, INK, label_points, number_axes, points
from podium.report.picture import footed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from podium.comparison.result import MetaAnalysis
    from podium.comparison.summary import Moderation
    from podium.comparison.task_tests import TaskComparison


#: Of axes of their own, and their margins, in inches.
_SIZE = (4.4, 3.2)
_MARGINS: dict[str, Any] = {"right": 0.2, "top": 0.12, "below": 0.46}

#: Radius of the largest bubble, and of the smallest, in inches.
_LARGE, _SMALL = 0.1, 0.03

#: Room beyond the last point, and around bubbles, as a share of the axes.
_BEYOND, _AROUND = 0.1, 0.08


def baujat(analysis: "MetaAnalysis", *, ax: "Axes | None" = None) -> "Axes":
    """Draw for each task how much it adds to heterogeneity, and how far the summary moves without it.

    Horizontal is the squared Pearson residual (y − μ)² / (v + τ²), the part of the task in Cochran's Q at τ²; vertical
    the squared move of the summary without the task, (μ − μ₋ᵢ)² / se₋ᵢ². A task that is influential by metafor's rules
    has another colour and mark. Names stand beside points where there is room; those that are farthest out come first.

    Parameters
    ----------
    analysis
        What `podium.compare` or `podium.pool` returns, of 2 to 500 tasks.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        There is a single task, or more than 500, or effects depend on each other.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Baujat, Mahé, Pignon & Hill, Statistics in Medicine 21, 2002; `baujat` of metafor.

    Examples
    --------
    >>> import podium
    >>> ax = baujat(podium.pool([0.1, 0.2, 0.9], [0.01] * 3, tasks=["rte", "sst2", "wnli"]))
    >>> sorted(text.get_text() for text in ax.texts)[:3]
    ["diamonds: influential by metafor's rules", 'rte', 'sst2']
    """
    if not analysis.diagnosed:
        raise MethodError(f"'baujat' needs {DIAGNOSED}; draw 'forest' instead")
    x, y = (np.array([getattr(task, name) for task in analysis.tasks]) ** 2 for name in ("pearson", "shift"))
    marked = np.array([bool(task.influential) for task in analysis.tasks])
    said = ["to the right: the task differs from the others; higher up: the summary moves more without it"]
    said += ["diamonds: influential by metafor's rules"] if marked.any() else []
    ax, say = footed(ax, said, _SIZE, left=0.62, **_MARGINS)
    across, upwards = ((0.0, (1 + _BEYOND) * (float(of.max()) or 1.0)) for of in (x, y))
    names = "squared Pearson residual (heterogeneity)", "squared move of the summary without it"
    number_axes(ax, across, upwards, names)
    for chosen, colour, mark, name in ((~marked, COLOURS[0], "o", "other"), (marked, COLOURS[1], "D", "influential")):
        points(ax, x[chosen], y[chosen], mark, color=colour, gid=name)
    far = x / (x.max() or 1.0) + y / (y.max() or 1.0)
    label_points(ax, x, y, [task.task for task in analysis.tasks], first=far)
    say()
    return ax


def bubble(analysis: "MetaAnalysis", *, moderator: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw effects against a moderator of numbers, with the line that is fitted and its interval.

    A bubble for each task, its area in proportion to its weight 1 / (v + τ²) in the regression. Where there are more
    moderators, the line is for their mean, and for groups as frequent as they are. Ratios and correlations are drawn
    on the scale they are pooled on, on which the line is straight.

    Parameters
    ----------
    analysis
        What `podium.compare` or `podium.pool` returns with `moderators`.
    moderator
        Which one; None takes the first that has numbers.
    ax
        Where to draw; None makes a figure.

    Raises
    ------
    MethodError
        There is no moderator of numbers.
    LabelError
        There is none of this name.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Thompson & Higgins, Statistics in Medicine 21, 2002; `regplot` of metafor.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([0.1, 0.2, 0.25, 0.5], [0.001] * 4, moderators={"size": [1, 2, 3, 4]})
    >>> bubble(analysis).get_xlabel()
    'size'
    """
    found = analysis.moderation
    pairs = [] if found is None else zip(found.moderators, found.values, strict=True)
    numbers = {name: values for name, values in pairs if not isinstance(values[0], str)}
    if found is None or not numbers:
        raise MethodError("there is no moderator of numbers to draw; give one with moderators= (--moderator)")
    name = next(iter(numbers)) if moderator is None else moderator
    if name not in numbers:
        raise LabelError.unknown("moderator of numbers", str(name), numbers)
    x = np.array(numbers[name], dtype=np.float64)
    scale = EFFECTS[analysis.kind].scale
    y = np.asarray(scale.pooled(np.array([task.effect for task in analysis.tasks])))
    weight = 1 / (np.array([task.variance for task in analysis.tasks]) + found.tau2)
    radius = np.maximum(_LARGE * np.sqrt(weight / weight.max()), _SMALL)
    pad = _AROUND * np.ptp(x)
    at = np.linspace(x.min() - pad, x.max() + pad, 101)
    line, low, high = _line(found, name, at, analysis.confidence)
    said = [f"band: {percent(analysis.confidence)} interval of the mean effect; area of a bubble: its weight"]
    if len(found.moderators) > 1:
        said.append("line: at the mean of the other moderators")
    ax, say = footed(ax, said, _SIZE, left=0.66, **_MARGINS)
    # all effects and the line are seen, and of its interval what lies between them
    heights = np.concatenate([y, line, np.clip(low, y.min(), None), np.clip(high, None, y.max())])
    room = 1.5 * _AROUND * (float(np.ptp(heights)) or 1.0)
    upwards, names = (
        (float(heights.min()) - room, float(heights.max()) + room),
        (name, analysis.measure.name + scale.of_axis),
    )
    number_axes(ax, (float(at[0]), float(at[-1])), upwards, names)
    ax.axhline(0, color=FAINT, linewidth=0.7, linestyle=(0, (1, 2)), zorder=1)
    ax.fill_between(at, low, high, color=COLOURS[0], alpha=0.13, linewidth=0, zorder=1, gid="interval")
    ax.plot(at, line, color=COLOURS[0], linewidth=1.4, zorder=2, gid="line")
    ax.scatter(x, y, s=(144 * radius) ** 2, color=COLOURS[0], alpha=0.55, edgecolors=INK, linewidths=0.5, zorder=3)
    label_points(ax, x, y, [task.task for task in analysis.tasks], first=weight, radius=radius)
    say()
    return ax


def _line(found: "Moderation", name: str, at: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
    """Return what is expected at some values of a moderator, others as they are on average, and its interval.

    Its degrees of freedom are the least of the coefficients.
    """
    values = dict(zip(found.moderators, found.values, strict=True))
    rows = np.ones((at.size, len(found.coefficients)))
    for column, one in enumerate(found.coefficients[1:], start=1):
        of_tasks = values[one.moderator]
        numbers = [float(value) if one.group is None else float(value == one.group) for value in of_tasks]
        rows[:, column] = at if one.moderator == name else np.mean(numbers)
    mean: Floats = rows @ np.array([one.estimate for one in found.coefficients])
    error = np.sqrt(np.einsum("ap,pq,aq->a", rows, np.array(found.covariance), rows))
    df = np.array([min(one.df for one in found.coefficients)])
    reach = quantile(df, confidence)[0] * error
    return mean, mean - reach, mean + reach


def critical_difference(comparison: "TaskComparison", *, ax: "Axes | None" = None) -> "Axes":
    """Draw systems along their mean ranks, best at the right, with Nemenyi's critical difference, as Demšar does.

    Systems on a bar do not differ: their mean ranks are closer than the critical difference
    CD = q √(k (k + 1) / 12 n), with q the quantile of the studentized range over √2 (of `Friedman`) of k systems on n
    tasks. Tasks count as independent draws, and noise inside a task is not counted; mean ranks and CD depend on which
    systems are in the table. `podium.plots.cd` draws the same with tests that depend on neither.

    Parameters
    ----------
    comparison
        What `podium.compare_task_scores` returns of three systems or more on six tasks or more.
    ax
        Where to draw; None makes a figure of the size that the systems need.

    Raises
    ------
    MethodError
        There is no Friedman test: a treatment was named, or systems or tasks are too few.
    MissingExtraError
        Matplotlib is not installed.

    References
    ----------
    Demšar, JMLR 7, 2006, §3.2.2 and Fig. 1; Nemenyi 1963.

    Examples
    --------
    >>> import podium
    >>> scores = podium.simulate.gumbel(4, 8, 1, dispersion=1.0, rng=0).scores
    >>> critical_difference(podium.compare_task_scores(scores, control="system 1")).get_xlabel()
    'mean rank over 8 tasks, best at the right'
    """
    found = comparison.friedman
    if found is None:
        raise MethodError(
            "'cd' needs mean ranks: three systems or more that six tasks score, and no treatment (--all without "
            "--treatment)"
        )
    order = sorted(found.mean_rank, key=lambda system: (found.mean_rank[system], system))
    ranks = np.array([found.mean_rank[system] for system in order])
    families = any(one.families < len(one) for one in comparison.treatments)
    over = f"{found.n_tasks:,} families of tasks" if families else how_many(found.n_tasks, "task")
    joined = cliques(ranks[None, :] - ranks[:, None] > found.critical_difference)
    sure = percent(comparison.confidence)
    bars = "systems on one bar: mean ranks closer than CD" if joined else "no bars: all mean ranks differ by CD or more"
    differ = "systems differ" if found.f_p < 1 - comparison.confidence else "no sign that systems differ"
    said = [
        f"{bars} (Nemenyi, {sure}, all pairs)",
        f"{differ} (Friedman, Iman–Davenport {chance(found.f_p)})",
        "tasks count as independent draws, and noise inside a task does not count",
        "ranks and CD depend on which systems are in the table",
    ]
    return Diagram(
        ranks,
        order,
        [fixed(rank, 2) for rank in ranks.tolist()],
        joined,
        f"mean rank over {over}, best at the right",
        falls=True,
        ends=(1.0, float(ranks.size)),
        yardstick=(found.critical_difference, f"CD = {fixed(found.critical_difference, 2)}"),
    ).draw(ax, said)
