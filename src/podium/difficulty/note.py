"""What to know of a difficulty before trusting it, in words."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.words import how_many
from podium.difficulty.bias import WithinBias
from podium.difficulty.result import Texts

#: Systems below which parameters of instances are said to be rough.
_MANY = 100

#: Systems from which b orders instances better than failures do, and from which suspects are found; validation.md.
_ENOUGH, _SUSPECTED = 50, 50

_CIRCULAR = "do not weight a leaderboard of the same systems by them if you have scores of others"


def notes_within(inside: WithinBias, instances: int) -> list[str]:
    """Say what a bias within a test set is, and where it is missing."""
    models = how_many(2 * inside.rounds, "linear model")
    trained = f"trained on {inside.size:,} of {how_many(instances, 'instance')} each"
    said = [f"bias: share of {models}, {trained}, that solve an instance they were not trained on"]
    said += _unconverged(inside.unconverged, f" of {2 * inside.rounds:,}")
    if never := int((inside.evaluated == 0).sum()):
        said.append(f"no bias for {how_many(never, 'instance')} that no round held out; use more rounds")
    return said


def notes_across(train: Texts, unseen: int, unconverged: int, *, probabilities: bool) -> list[str]:
    """Say what a bias across sets is, and what was not learnt."""
    learnt = f"trained on {how_many(len(train), 'instance')} of {train.name}"
    said = [f"bias: share of four classifiers, {learnt}, that are right"]
    if probabilities:
        said = [f"bias: mean probability of the right answer by four classifiers, {learnt}"]
    if unseen:
        said.append(
            f"bias 0 for {how_many(unseen, 'instance')} with a right answer that the training set does not have"
        )
    return said + _unconverged(unconverged)


def _unconverged(number: int, of: str = "") -> list[str]:
    return [f"{number:,}{of} fits stopped before they converged"] if number else []


def notes_on_failures(systems: int, values: NDArray[np.float64]) -> list[str]:
    """Say whose failures they are, and how many instances have none."""
    notes = [f"failures of {how_many(systems, 'system')}; {_CIRCULAR}"]
    if bare := int(np.isnan(values).sum()):
        notes.append(f"no failures for {how_many(bare, 'instance')} without a score")
    return notes


def _on_suspects(systems: int, columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """Say how many suspects are there by mistake, and that few systems miss many."""
    listed = columns["suspects"]
    false = float((1 - columns["suspect"][listed]).sum())
    notes = ["no suspects: there is no instance on which better systems clearly do worse"]
    if listed.any():
        notes = [
            f"suspects: better systems do worse; check their labels. Of {listed.sum()} about {false:.1f} by chance"
        ]
    if systems < _SUSPECTED:
        notes.append(
            f"{how_many(systems, 'system')} find few wrong labels; 50 find most, but few of very easy or hard instances"
        )
    return notes


def notes_on_items(systems: int, tasks: int, columns: Mapping[str, NDArray[Any]]) -> list[str]:
    """Say on how many answers difficulties rest, which have none, and whether tasks can be compared."""
    notes = _on_suspects(systems, columns) if "suspects" in columns else []
    notes.append(f"difficulties from {how_many(systems, 'system')}; {_CIRCULAR}")
    if systems < _MANY:
        notes.append(
            f"{how_many(systems, 'system')} are few to estimate two numbers per instance from, so these are rough"
        )
    if systems < _ENOUGH:
        notes.append(
            f"with so few systems, b says no more than the share of failures; from {_ENOUGH} systems on it says more"
        )
    for why, end in (("all solve it", "easy"), ("none solves it", "hard")):
        if number := int((columns["estimate"] == why).sum()):
            notes.append(f"no estimate for {how_many(number, 'instance')}: {why}; b only puts it at the {end} end")
    if tasks > 1:
        notes.append(
            "every task has its own scale; item_response(scores, together=True), or `podium difficulty irt "
            "--together`, puts all tasks on one"
        )
    return notes
