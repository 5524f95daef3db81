"""Meta-analyses made by hand, to be shown: effects pooled by precision, with a spread that is said, not computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.comparison.result import MetaAnalysis
from podium.comparison.summary import Subgroup, Summary, TaskEffect

__all__ = ["NOTHING", "analysis_of", "random_analysis"]

nan = math.nan

#: A summary of nothing.
NOTHING = Summary(0, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan)


def summary_of(effects: NDArray[np.float64], errors: NDArray[np.float64], shown: Callable[[float], float]) -> Summary:
    """Weigh by precision; only where there are several is there anything to say about their spread."""
    weights = errors**-2.0
    mean, error = float(weights @ effects / weights.sum()), float(weights.sum() ** -0.5)
    low, high, wide_low, wide_high = (shown(mean + times * error) for times in (-2, 2, -6, 6))
    alone = replace(NOTHING, k=len(effects), effect=shown(mean), std_error=error, low=low, high=high, p=0.01)
    if len(effects) == 1:
        return alone
    wide = replace(alone, prediction_low=wide_low, prediction_high=wide_high, i2=0.793, h2=4.8)
    return replace(wide, tau2=4e-4, tau2_low=1e-4, tau2_high=2e-3, q=28.98, q_p=1e-5)


def analysis_of(
    effects: Sequence[float],
    errors: Sequence[float],
    *,
    kind: str = "md",
    names: Sequence[str] = (),
    groups: Sequence[str | None] = (),
    **others: Any,
) -> MetaAnalysis:
    """Pool effects (logarithms of them, of odds ratios) with intervals of two standard errors either way."""
    y, error = np.array(effects, dtype=np.float64), np.array(errors, dtype=np.float64)
    shown = math.exp if kind == "or" else float
    weights = error**-2.0 / (error**-2.0).sum()
    tasks = tuple(
        TaskEffect(
            task=names[index] if names else f"task {index + 1}",
            n=100 * (index + 1),
            control_only=0,
            treatment_only=0,
            control_mean=0.5,
            treatment_mean=0.5 + effect,
            effect=shown(effect),
            variance=spread**2,
            low=shown(effect - 2 * spread),
            high=shown(effect + 2 * spread),
            p=0.0312,
            weight=float(weights[index]),
            group=groups[index] if groups else None,
        )
        for index, (effect, spread) in enumerate(zip(y.tolist(), error.tolist(), strict=True))
    )
    subgroups = tuple(
        Subgroup(name, summary_of(y[member], error[member], shown))
        for name in dict.fromkeys(groups)
        if name is not None and (member := np.array([group == name for group in groups])).any()
    )
    told: dict[str, Any] = {"control": "BERT", "treatment": "DistilBERT", "confidence": 0.95} | others
    return MetaAnalysis(
        kind=kind,
        estimator="reml",
        interval="knapp-hartung",
        tasks=tasks,
        summary=summary_of(y, error, shown),
        subgroups=subgroups,
        **told,
    )


def random_analysis(count: int, **others: Any) -> MetaAnalysis:
    rng = np.random.default_rng(count)
    return analysis_of(rng.normal(0.05, 0.05, count).tolist(), rng.uniform(0.01, 0.06, count).tolist(), **others)
