"""What is said below a forest plot: who is favoured on which side, how tasks differ, and how they are pooled."""

from collections.abc import Callable, Sequence
from math import isnan

from podium.meta_analyses import MetaAnalysis, Summary
from podium.plots.forest_numbers import p_text, share_text, significant

__all__ = ["favours", "remarks", "wrapped"]

_ESTIMATORS = {"reml": "REML", "dl": "DerSimonian–Laird", "pm": "Paule–Mandel"}

_INTERVALS = {"knapp-hartung": "Knapp–Hartung", "normal": "normal intervals"}

#: What τ² is the variance of, where it is not the effect as shown.
_SCALES = {"effect": "", "log": " (log scale)", "Fisher z": " (Fisher z)"}

#: Longest label of a system that is said to be favoured, in letters.
_SHORT = 24


def favours(analysis: MetaAnalysis) -> tuple[str, str]:
    """Say what lies left and right of no effect; nothing of a correlation, or where nobody said what is compared.

    Examples
    --------
    >>> favours(MetaAnalysis("BERT", "GPT", "md", "reml", "normal", 0.95, (), None))
    ('← favours BERT', 'favours GPT →')
    """
    names = (analysis.control, analysis.treatment)
    if analysis.kind == "corr" or not any(names):
        return "", ""
    if max(map(len, names)) > _SHORT:
        names = ("control", "treatment")
    return f"← favours {names[0]}", f"favours {names[1]} →"


def remarks(analysis: MetaAnalysis, *, cut: bool) -> list[list[str]]:
    """Sentences, each in parts: how tasks differ, how groups differ, how tasks are pooled, and what arrows mean."""
    said = [_heterogeneity(analysis.summary, analysis.measure.pooled_as)]
    if not isnan(analysis.between_q):
        df = len(analysis.subgroups) - 1
        said.append([f"between groups: Q = {_tenths(analysis.between_q)} ({df} df, {_p(analysis.between_p)})"])
    said += [_pooling(analysis), ["arrows: the interval goes on beyond the axis"] if cut else []]
    return [sentence for sentence in said if sentence]


def wrapped(parts: Sequence[str], fits: Callable[[str], bool], joint: str = ", ") -> list[str]:
    """Put parts on as few lines as they need, in their order; one that does not fit by itself has a line of its own.

    >>> wrapped(["one", "two", "three"], lambda line: len(line) <= 10)
    ['one, two,', 'three']
    """
    lines: list[str] = []
    for part in parts:
        if lines and fits(f"{lines[-1]}{joint}{part}"):
            lines[-1] += joint + part
        else:
            if lines:
                lines[-1] += joint.rstrip()
            lines.append(part)
    return lines


def _heterogeneity(summary: Summary, scale: str) -> list[str]:
    parts = []
    if not isnan(summary.tau2):
        ends = f" ({significant(summary.tau2_low)} to {significant(summary.tau2_high)})"
        known = not (isnan(summary.tau2_low) or isnan(summary.tau2_high))
        parts.append(f"τ²{_SCALES[scale]} = {significant(summary.tau2)}{ends if known else ''}")
    if not isnan(summary.i2):
        parts.append(f"I² = {share_text(summary.i2, 0)}")
    if not isnan(summary.q):
        parts.append(f"Q = {_tenths(summary.q)} ({summary.k - 1} df, {_p(summary.q_p)})")
    return parts


def _pooling(analysis: MetaAnalysis) -> list[str]:
    if len(analysis) == 1:
        return []
    interval = _INTERVALS[analysis.interval]
    if analysis.estimator == "fixed":
        return ["fixed effect", *([interval] if analysis.interval != "normal" else [])]
    return ["random effects", _ESTIMATORS[analysis.estimator], interval]


def _tenths(value: float) -> str:
    return f"{value:,.1f}" if value < 1e6 else significant(value, 2)


def _p(value: float) -> str:
    text = p_text(value)
    return f"p {text[0]} {text[1:]}" if text[0] == "<" else f"p = {text}"
