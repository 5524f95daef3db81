"""Studies, influences and robustness made by hand, to be shown: what falls with strength falls, and shares add up."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from podium.robustness.api import Robustness
from podium.robustness.influence_result import Decisive, Influence, LeaveOneOut
from podium.robustness.study_result import Study, SweepResult

__all__ = ["AXES", "influence_of", "robustness_of", "study_of", "swept_of"]

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)

#: Stresses with strengths and axes.
AXES: dict[str, tuple[tuple[float, ...], str]] = {
    "corrupt": ((0, 1, 2, 3, 5, 7, 10, 15), "tasks whose scores are replaced by noise that favours the worst"),
    "scale": ((0, 1, 9, 99, 999), "one task's scores enlarged (9: ten times)"),
    "missing": (SHARES, "share of scores removed"),
    "cells": (SHARES, "share of systems × tasks removed"),
    "instances": (SHARES, "share of instances removed"),
    "hard": (SHARES, "share of instances removed, the hardest first"),
    "tasks": ((0, 1, 2, 3, 4, 5, 6), "tasks left out"),
    "systems": ((0, 1, 2, 4, 8, 16), "systems left out, the leader never"),
    "clone": ((0, 1, 2, 5, 10, 20), "copies of the weakest rival, each with a little noise"),
    "sample": ((0, 1, 10, 100, 1000, 10_000, 100_000), "instances drawn anew"),
}


def swept_of(
    name: str,
    methods: int = 2,
    systems: int = 5,
    repeats: int = 40,
    *,
    strengths: Sequence[float] | None = None,
    truth: bool = False,
    scale: float = 1.0,
) -> SweepResult:
    """Draw what a stress does: tau falls along a curve, the first place goes to one of the others ever more often."""
    usual, axis = AXES[name]
    strengths = usual if strengths is None else strengths
    rng = np.random.default_rng([methods, systems, repeats, *name.encode()])
    hurt = np.linspace(0, 1, len(strengths))[:, None] * (scale / np.arange(1, methods + 1))[:, None, None]
    tau = np.clip(np.cos(2.2 * hurt) + 0.3 * hurt * rng.normal(size=(methods, len(strengths), repeats)), -1, 1)
    lost = rng.random(tau.shape) < hurt
    winner = np.where(lost, rng.integers(1, systems, tau.shape), 0) if systems > 1 else np.zeros(tau.shape, np.int64)
    first = np.stack([(winner == index).mean(axis=2) for index in range(systems)], axis=2)
    strong = np.zeros(len(strengths))
    strong[-1] = 0.25
    return SweepResult(
        name=name,
        axis=axis,
        strengths=np.array(strengths, dtype=np.float64),
        tau=tau,
        error=(1 - tau) / 2 if truth else None,
        kept=(winner == 0).astype(np.float64),
        first=first,
        unplaced=np.tile(strong, (methods, 1)),
        unranked=np.tile(strong / 2, (methods, 1)),
        emptied=strong,
    )


def study_of(
    names: Sequence[str] = ("corrupt", "scale", "missing"),
    methods: Sequence[str] = ("mean", "borda:two"),
    systems: Sequence[str] = ("A", "B", "C", "D", "E"),
    repeats: int = 40,
    **options: Any,
) -> Study:
    """Methods under stresses."""
    swept = tuple(swept_of(name, len(methods), len(systems), repeats, **options) for name in names)
    return Study(tuple(systems), tuple(methods), ((systems[0],),) * len(methods), swept, repeats, 0)


def influence_of(
    tasks: int = 6, instances: int = 0, *, systems: Sequence[str] = ("A", "B", "C"), **others: Any
) -> Influence:
    """What a first place depends on: the first task, and the first instance, decide it; the second have it shared."""
    rng = np.random.default_rng([tasks, instances])

    def without(units: Sequence[str], of: Sequence[str] | None, spread: float) -> LeaveOneOut | None:
        if not units:
            return None
        lead = np.sort(0.04 + spread * rng.normal(size=len(units)))
        lead[0] = -0.01
        first: list[tuple[str, ...]] = [(systems[0],)] * len(units)
        first[0] = (systems[-1],)
        if len(units) > 1:
            lead[1], first[1] = 0.0, (systems[0], systems[-1])
        return LeaveOneOut.among(lead, units, lead, 1 - np.abs(lead), first, tasks=of)

    told: dict[str, Any] = {
        "method": "borda",
        "level": "two",
        "systems": tuple(systems),
        "leader": systems[0],
        "leaders": (systems[0],),
        "lead": 0.04,
        "tasks": without([f"task {index + 1}" for index in range(tasks)], None, 0.01),
        "instances": without(
            [f"item {index + 1}" for index in range(instances)],
            [f"task {index % max(tasks, 1) + 1}" for index in range(instances)],
            0.001,
        ),
        "decisive": (Decisive("tasks", ("task 1",), tasks, (systems[-1],), smallest=True),) if tasks else (),
    }
    return Influence(**(told | others))


def robustness_of(study: Study, influence: Influence | None = None, **others: Any) -> Robustness:
    """Both with a verdict."""
    verdict = ("A is first under every stress that was tried but one.", "Without task 1, C is first.")
    return Robustness(study, influence, **({"verdict": verdict, "notes": ("tasks count alike",)} | others))
