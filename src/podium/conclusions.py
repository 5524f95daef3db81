"""What a summary of effects says, in sentences."""

from math import isfinite

from podium.summaries import Summary
from podium.wording import decimals, fixed, p_value, percent

__all__ = ["conclusion", "heterogeneity"]

#: Of 0/1 scores, differences are said in these.
_POINTS = (100.0, "percentage points")

#: By kind of effect: by what it is multiplied, and in what it is then counted.
_UNITS = {"rd": _POINTS, "smd": (1.0, "standard deviations")}

_ESTIMATORS = {"reml": "REML, ", "dl": "DerSimonian–Laird, ", "pm": "Paule–Mandel, ", "fixed": ""}
_INTERVALS = {"knapp-hartung": "Knapp–Hartung", "normal": "normal intervals"}


def conclusion(summary: Summary, kind: str, *, confidence: float, binary: bool = False) -> str:
    """Say how much better or worse the treatment is, how far tasks differ, and what to expect of a new one.

    Parameters
    ----------
    summary
        Of all tasks.
    kind
        Short name of the effect.
    confidence
        Of its intervals.
    binary
        Whether scores are 0 or 1, so that differences of means are said in percentage points.

    Examples
    --------
    >>> import podium
    >>> analysis = podium.pool([0.21, 0.19, 0.17], [0.001, 0.002, 0.001], kind="smd")
    >>> conclusion(analysis.summary, "smd", confidence=0.95).split("; ")[0]
    'on average 0.19 standard deviations better, 95% CI 0.14 to 0.24'
    """
    factor, unit = _POINTS if kind == "md" and binary else _UNITS.get(kind, (1.0, ""))
    places = decimals(factor * (summary.high - summary.low))

    def shown(value: float) -> str:
        return fixed(factor * value, places)

    ends = f"{percent(confidence)} CI {shown(summary.low)} to {shown(summary.high)}"
    average = _average(kind, summary.effect, f"{shown(abs(summary.effect))} {unit}".rstrip())
    parts = [f"{'on average ' if summary.k > 1 else ''}{average}, {ends}"]
    if summary.k > 1:
        parts.append(_differ(summary))
    if isfinite(summary.prediction_low):
        between = f"{shown(summary.prediction_low)} and {shown(summary.prediction_high)}"
        parts.append(f"on a new task expect between {between}")
    return "; ".join(parts)


def heterogeneity(summary: Summary, estimator: str, interval: str) -> str:
    """Say how effects were pooled, and how much they differ.

    >>> import podium
    >>> summary = podium.pool([0.1, 0.3, 0.2], [0.001, 0.002, 0.001]).summary
    >>> heterogeneity(summary, "reml", "normal").split(", H²")[0]
    'random effects (REML, normal intervals): τ² = 0.0083 (0.0012 to 0.39), I² = 87%'
    """
    random = "fixed effect" if estimator == "fixed" else "random effects"
    how = f"{random} ({_ESTIMATORS[estimator]}{_INTERVALS[interval]})"
    if summary.k == 1:
        return how
    p = p_value(summary.q_p)
    q = f"Q = {summary.q:.3g} ({summary.k - 1} df, p {p if p.startswith('<') else '= ' + p})"
    ends = f"({summary.tau2_low:.2g} to {summary.tau2_high:.2g})"
    tau2 = "" if estimator == "fixed" else f"τ² = {summary.tau2:.2g} {ends}, "
    return f"{how}: {tau2}I² = {percent(round(summary.i2, 2))}, H² = {summary.h2:.3g}, {q}"


def _average(kind: str, effect: float, size: str) -> str:
    """Size and direction of the summary, in the words of the measure."""
    if kind == "or":
        return f"{size} times the odds"
    if kind in {"corr", "given"}:
        return f"{'a correlation' if kind == 'corr' else 'an effect'} of {'−' if effect < 0 else ''}{size}"
    return f"{size} {'worse' if effect < 0 else 'better'}"


def _differ(summary: Summary) -> str:
    share = f"I² = {percent(round(summary.i2, 2))}"
    return f"tasks differ ({share})" if summary.i2 >= 0.005 else f"no sign that tasks differ ({share})"
