"""Notes of an influence: who shares the first place, and what cannot be left out."""

from collections.abc import Sequence

from podium.base.words import few, how_many
from podium.robustness.influence.instance import InstanceDeletion
from podium.robustness.influence.result import LeaveOneOut

#: Names of what cannot be left out.
NAMES = 5


def not_left_out(without: LeaveOneOut | None, instances: Sequence[str] = ()) -> list[str]:
    """Say what cannot be left out, by name; of instances, the first few."""
    if without is None or not without.unranked:
        return []
    tasks = [unit for unit, outcome in zip(without.units, without.outcome, strict=True) if outcome == "unranked"]
    names, kind = (instances, "instance") if without.tasks is not None else (tasks, "task")
    said = f"{how_many(without.unranked, kind)} cannot be left out, because then the systems cannot be ranked"
    return [f"{said}: {few(names, NAMES, total=without.unranked)}"]


def not_all_tried(tried: int, found: bool) -> list[str]:
    """Say up to which number of tasks all sets were tried, if a set may have been missed (`tried` above 0)."""
    if not tried:
        return []
    proved = f"the first place survives leaving out any {how_many(tried, 'task')}; larger sets were not all tried"
    return [f"{proved}, {'so fewer than were found may decide' if found else 'and none was found that decides'}"]


def notes_of(leaders: Sequence[str], deletion: InstanceDeletion) -> list[str]:
    """What to know beside the notes of the ranking."""
    notes = []
    if len(leaders) > 1:
        notes.append(f"{few(leaders)} share the first place; the results are about {leaders[0]}, the first by name")
    if deletion.too_many:
        many, title = how_many(len(deletion), "instance"), deletion.case.method.title
        notes.append(f"{many} are too many for the {title}, so only tasks are left out; method 'borda' can handle more")
        return notes
    if alike := deletion.numbered_alike:
        notes.append(f"{few(alike)}: instances with the same number count as the same; give them labels if they differ")
    return notes
