"""Sentences about what to know before trusting a history."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podium.base.words import LONG, Aside, few, how_many, one_a_kind, with_names
from podium.report.width import shorten

if TYPE_CHECKING:
    from podium.timeline.result import HistoryStep

#: Letters of the label of a step in a note.
_LABEL = 24


def of_history(steps: Sequence["HistoryStep"], confidence: float | None, changed: int) -> list[str]:
    """For how many changed steps stars are adjusted; what was not tested and why; then notes of the rankings, once."""
    notes = []
    if confidence is not None and changed > 1:
        wrong = f"{100 * (1 - confidence):.3g}%"
        notes.append(
            f"stars are adjusted for {changed} steps with changes: at most {wrong} of histories have a false one"
        )
    later = steps[1:]
    untested: dict[str, list[str]] = {}
    for step in later:
        if confidence is not None and not step.tested:
            untested.setdefault(step.untested, []).append(shorten(step.label, _LABEL))
    for why, labels in untested.items():
        if len(labels) == len(later):
            notes.append(f"no change is tested: {why}")
        else:
            notes.append(with_names("not tested against the step before: ", labels, f"; {why}", room=LONG))
    shared = [shorten(step.label, _LABEL) for step in later if step.tested == "shared"]
    if shared:
        notes.append(with_names("changes are tested on what both steps have scores on: ", shared, room=LONG))
    return [*notes, *_of_rankings(steps)]


def of_suites(orders: Sequence[tuple[str, dict[str, int], dict[str, int]]], suite: str) -> list[str]:
    """In which steps the order would be another one by the other suite, and who would be first in the last of these.

    Parameters
    ----------
    orders
        The label of a step, and the ranks of its systems, by the suite that was chosen and by the other.
    suite
        "own" or "joined".
    """
    changed = [(label, own, other) for label, own, other in orders if own != other]
    if not changed:
        return []
    label, own, other = shorten(changed[-1][0], _LABEL), changed[-1][1], changed[-1][2]
    by = "by all tasks seen so far" if suite == "own" else "by the tasks of the step"
    by += f", suite= (--suite) {'joined' if suite == 'own' else 'own'},"
    first, now = (few([name for name, rank in ranks.items() if rank == 1], 2) for ranks in (other, own))
    if first != now:
        said = f"{by} {first} would be first in {label}, not {now}"
        if len(said) <= LONG:
            return [said]
    return [
        with_names(f"{by} the order is another one in ", [shorten(one, _LABEL) for one, _, _ in changed], room=LONG)
    ]


def _of_rankings(steps: Sequence["HistoryStep"]) -> list[str]:
    """Notes of the rankings: with the step, or once where all steps have it."""
    said: dict[str, list[str]] = {}
    asides: set[str] = set()
    for step in steps:
        for one in step.ranking.notes:
            said.setdefault(str(one), []).append(step.label)
            if isinstance(one, Aside):
                asides.add(str(one))
    notes = []
    for text, labels in said.items():
        whole = text if len(labels) == len(steps) else _of_steps(labels, text)
        notes.append(Aside(whole) if text in asides else whole)
    return one_a_kind(notes)


def _of_steps(labels: Sequence[str], text: str) -> str:
    """A note with the steps that it is about, as far as there is room for them."""
    first, more = shorten(labels[0], _LABEL), f" and {len(labels) - 1} more"
    whole = f"{first}{more if len(labels) > 1 else ''}: {text}"
    if len(whole) <= LONG:
        return whole
    short = f"{how_many(len(labels), 'step')}: {text}"
    return short if len(short) <= LONG else text
