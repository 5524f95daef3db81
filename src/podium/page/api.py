"""Make a page of a table."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress
from podium.base.words import how_many
from podium.comparison.task_tests import ROUNDINGS
from podium.description.api import describe
from podium.description.result import Description
from podium.difficulty.result import Difficulty, Texts
from podium.page.agreed import Agreed
from podium.page.bundle import packed
from podium.page.group import Groups
from podium.page.instances import Graded, InstanceScores
from podium.page.result import Page
from podium.page.shares import TaskMeans, TaskShares, pairs
from podium.page.stressed import check_robustness, stressed
from podium.page.versioned import check_history, held_of, tracks, versioned
from podium.ranking.api import check_rankable
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import misleading
from podium.robustness.api import Robustness
from podium.score.table import Scores, of_battles
from podium.source.given import ScoresLike, as_scores
from podium.tally.draw import Resampling
from podium.timeline.result import History

#: What a page says of each task.
_OF_TASKS = ("name", "weight", "higher_is_better", "n_instances", "pairs", "tied", "near")


def make_page(
    scores: "ScoresLike",
    *,
    difficulty: Difficulty | None = None,
    confidences: Scores | None = None,
    splits: str | None = None,
    instances: bool = False,
    texts: Texts | None = None,
    robustness: Robustness | None = None,
    history: History | None = None,
    groups: Mapping[str, str] | None = None,
    title: str = "scores",
    confidence: float = 0.95,
    replicates: int = 200,
    seed: int = 0,
    commands: Mapping[str, str] | None = None,
    python: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Page:
    """Make a page on which a reader ranks the systems of a table by weights and methods of their own, with intervals.

    The page holds tallies only: of each task the share of other systems that each system beats, its mean score, how
    these vary over bootstrap replicates, and the lowest and highest score. It holds no text, and no other score of a
    single instance, but in two cases: of a task that has one instance the score is the mean; and few instances need an
    exact test, so of at most 200 in all, and of more if few have most of the weight, the page holds what each adds to
    shares and means. Notes, commands and `python` stand on it as they are. It also holds the ranks by the methods of
    `podium.agree`.

    With a `difficulty` a reader also weighs the table by it, in all ways of `podium.customize`. The page then holds,
    for every instance in the order of the table, its difficulty by each measure, its weight and the score of each
    system; still no label and no text. Who has the same data can tell which instance is which. With `confidences` each
    system has an order of its own, and the page holds how sure it was of each answer.

    With `instances` a reader also compares two systems task by task, as `podium.compare` does, and sees on which
    instances they disagree. The page then holds the score of each system on each instance, and the names of these; with
    `texts` also what they say. Without instances two systems are compared by their means, as
    `podium.compare_task_scores` does.

    With a `robustness` a reader sees what would change the winner. Its verdict may name instances. With a `history` a
    reader sees how ranks went over versions of the table. The page then names systems and tasks of all steps.

    Tasks in `groups` stand under one weight and one column, which opens to its tasks. More than 60 tasks are grouped by
    their names where nothing is given: those that begin alike, or end alike, if these are more.

    Parameters
    ----------
    scores
        The table, or what becomes one: a path, a frame, a dictionary or arrays, see `podium.ScoresLike`.
    difficulty
        How difficult the instances are, by one or several measures; scores must then lie in [0, 1].
    confidences
        How confident each system was of its own answers, as of `podium.customize`.
    splits
        A column of `difficulty` that says which split an instance is in; the page then holds the names of the splits.
    instances
        Whether to put scores of single instances, with their names, into the page.
    texts
        What the instances say, to be read where two systems disagree. The page publishes them.
    robustness
        What `podium.stress` found in the same table.
    history
        What `podium.history` found; its last step has the systems of the table.
    groups
        Groups by the names of their tasks, or by globs: `{"mmlu_*": "MMLU"}`. A name wins over globs, and the first
        glob over others. Tasks without a group are together in "other"; a task alone in its group stands by itself.
        An empty dictionary makes no groups.
    title
        What the page is called.
    confidence
        Of intervals of ranks and scores.
    replicates, seed
        Bootstrap replicates, as of `podium.rank`; their number decides how large the page is.
    commands
        What prints the same ranking ("rank"), the table by difficulty ("customize") and by confidence ("confidence"), a
        comparison ("compare"), the ranks by other methods ("agree"), the robustness ("stress"), the history ("history")
        and what the table holds ("info"): to be copied from the page, which adds weights and systems itself.
    python
        Python code that makes `scores`, and with it `difficulty`, `confidences` and `robustness`, and by itself
        `history`, by these names: to be copied as well.
    progress
        Called with the number of replicates counted and the number there are.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one; it has no instances, and they are wanted; the robustness
        is that of other systems, or the history ends with others; or, with a difficulty or confidences, as of
        `podium.customize`.
    LabelError
        There is no such column of splits; or no task is in a group.
    MethodError
        As of `podium.rank`; groups are no dictionary of names; or splits are named without a difficulty, or texts given
        without instances.

    Examples
    --------
    >>> import podium
    >>> made = podium.make_page(podium.datasets.xtreme_missing(), title="XTREME", replicates=40)
    >>> made.html.startswith("<!doctype html>")
    True
    """
    scores, said = as_scores(scores), commands or {}
    check_rankable(scores)
    _refuse_battles(scores)
    grouped = Groups.of(scores.task_names, groups)
    if robustness is not None:
        check_robustness(robustness, scores)
    if history is not None:
        check_history(history, scores)
    rated: _Rated = {"difficulty": difficulty, "confidences": confidences, "splits": splits}
    drawn = Resampling("instances", replicates, seed)
    single = _single(scores, drawn, instances=instances, texts=texts, commands=said, **rated)
    bootstrap = Bootstrap.of(scores, confidence=confidence, units=None, replicates=replicates, seed=seed)
    shares = TaskShares.of(scores, bootstrap, progress)
    description, agreed = describe(scores), Agreed.of(scores)
    notes = tuple(filter(None, dict.fromkeys((*_of_missing(scores), *scores.notes, agreed.note))))
    listed = [
        *(name for name in ("difficulty", "confidences") if rated[name] is not None),
        *([splits] if splits else []),
    ]
    named = next((one for one in single.values() if isinstance(one, InstanceScores)), None)
    held = _held(scores, shares, rated=listed, named=named, stressed=robustness is not None, history=history)
    content: dict[str, Any] = {
        "title": title,
        "systems": list(scores.systems),
        "tasks": [{name: getattr(task, name) for name in _OF_TASKS} for task in description.tasks],
        "level": str(MethodSpec("borda").on(scores).level),
        "confidence": confidence,
        "replicates": replicates,
        "seed": seed,
        "drawn": f"{_drawn(scores)}s",
        "notes": list(notes),
        "notes_on_means": misleading(scores, method_of(MethodSpec("mean"))),
        "command": said.get("rank", ""),
        "imputed": scores.n_scored < scores.n_cells,
        "info": said.get("info", ""),
        "python": dict(python or {}),
        "varying": shares.content(),
        "holds": held,
        "compare": {"command": said.get("compare", ""), **_closeness(scores)},
        **agreed.content(scores.systems, said.get("agree", "")),
    }
    arrays = {**shares.arrays(), **_cells(description), **agreed.arrays()}
    if not scores.task_level:
        means = TaskMeans.of(scores, shares)
        content["means"] = means.content()
        arrays |= means.arrays()
    if (won := pairs(scores)) is not None:
        arrays["pairs"] = won
    if robustness is not None:
        content["robustness"] = {**stressed(robustness), "command": said.get("stress", "")}
    if history is not None:
        content["history"] = {**versioned(history), "command": said.get("history", "")}
        arrays |= tracks(history)
    if grouped is not None:
        content["groups"] = grouped.content()
    more = {name: packed(one.content(), one.arrays()) for name, one in single.items()}
    return Page(packed(content, arrays), more, notes, held)


def _of_missing(scores: Scores) -> list[str]:
    """Say how the page counts missing scores; nothing if there are none."""
    absent = scores.n_cells - scores.n_scored
    how = "scores are missing; here each counts as its expected result, not by a model (--missing imputed)"
    return [f"{absent:,} of {scores.n_cells:,} {how}"] if absent else []


def _refuse_battles(scores: Scores) -> None:
    """Refuse battles: a page ranks tasks one by one, and a model of battles ranks all of them together.

    Raises
    ------
    InputError
        The table holds battles.
    """
    if of_battles(scores):
        raise InputError(
            "a page can not rank battles of two systems, since it has no model of who meets whom; "
            "make a report instead: podium rank FILE -o report.html"
        )


def _drawn(scores: Scores) -> str:
    return "cluster" if any(task.clusters is not None for task in scores.tasks) else "instance"


def check_page(
    scores: Scores,
    *,
    difficulty: Difficulty | None,
    confidences: Scores | None,
    splits: str | None,
    instances: bool,
    texts: Texts | None,
    groups: Mapping[str, str] | None,
) -> None:
    """Refuse at once what `make_page` would refuse; the arguments are the same.

    Raises
    ------
    PodiumError
        As of `make_page`.
    """
    check_rankable(scores)
    _refuse_battles(scores)
    Groups.of(scores.task_names, groups)
    rated: _Rated = {"difficulty": difficulty, "confidences": confidences, "splits": splits}
    _single(scores, Resampling("instances", 1, 0), instances=instances, texts=texts, commands={}, **rated)


class _Rated(TypedDict):
    """How difficult instances are, as `make_page` takes it."""

    difficulty: Difficulty | None
    confidences: Scores | None
    splits: str | None


def _single(
    scores: Scores,
    drawn: Resampling,
    *,
    instances: bool,
    texts: Texts | None,
    commands: Mapping[str, str],
    **rated: Unpack[_Rated],
) -> dict[str, Graded | InstanceScores]:
    """What a page holds of single instances, by the name of the part."""
    found: dict[str, Graded | InstanceScores] = {}
    if texts is not None and not instances:
        raise MethodError("texts are shown where two systems disagree, which needs instances; add them (--instances)")
    if rated["splits"] is not None and rated["difficulty"] is None:
        raise MethodError(f"column {rated['splits']!r} of splits belongs to a difficulty, and there is none")
    if rated["difficulty"] is not None or rated["confidences"] is not None:
        found["difficulty"] = Graded.of(scores, drawn, commands=commands, **rated)
    if instances:
        found["instances"] = InstanceScores.of(scores, texts)
    return found


def _held(
    scores: Scores,
    shares: TaskShares,
    *,
    rated: Sequence[str],
    named: InstanceScores | None,
    stressed: bool,
    history: History | None,
) -> str:
    """Say what a page holds, and what it does not."""
    single = sum(group.units.number for group in shares.groups) if shares.single else 0
    texts = "no texts"
    if rated or named is not None:
        listed = " and ".join(filter(None, [", ".join(rated), "scores"]))
        rest = "with their names" if named is not None else "in the order of the table: no names"
        what = f"{listed} of {how_many(scores.n_instances, 'instance')}, {rest}"
        if named is not None and named.texts is not None:
            texts = f"and the texts of {how_many(named.n_texts, 'instance')}"
    elif single:
        what = f"tallies, and what each of {how_many(single, _drawn(scores))} adds: no names"
    else:
        what = "tallies only"
    between = ", " if ": no" in what or texts != "no texts" else ": "
    ending = ": no gold answers" if texts != "no texts" else ", no gold answers"
    more = [f"; {held_of(history)}"] if history is not None else []
    more += ["; the verdict may name instances"] if stressed else []
    return f"{what}{between}{texts}{ending}{''.join(more)}"


def _closeness(scores: Scores) -> dict[str, Any]:
    """Up to where two scores of a task are equal: a share of their size, as `TaskScores` has it, and a tie."""
    kind = np.result_type(*(part.dtype for task in scores.tasks for part in task.parts))
    single = scores.task_level
    rounding = ROUNDINGS * float(np.finfo(kind if single else np.float64).eps)
    return {"by_task": single, "rounding": rounding, "reach": scores.reach if single else 0.0}


def _cells(description: Description) -> dict[str, NDArray[Any]]:
    """Mean scores, and how many scores they are of, unless all means are of all instances of their task."""
    means = description.means.astype(np.float64)
    whole = np.where(np.isnan(means), 0, [task.n_instances for task in description.tasks])
    if (whole == description.scored).all():
        return {"means": means}
    least = np.uint8 if description.scored.max() <= np.iinfo(np.uint8).max else np.int32
    return {"means": means, "scored": description.scored.astype(least)}
