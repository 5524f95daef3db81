"""Make a page of a table: what a browser needs to ask it, from the answers of other questions."""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from podium.agreement.api import agree
from podium.agreement.view import drawn_in, verdict
from podium.base.check import Rng, seed_of
from podium.base.errors import InputError, MethodError, PodiumWarning
from podium.base.parallel import Progress
from podium.base.words import how_many, weightiest_first
from podium.comparison.task_tests import ROUNDINGS
from podium.customization.api import weigh
from podium.description.api import info
from podium.description.result import Description
from podium.difficulty.result import Difficulty, Texts
from podium.ranking.api import check_rankable, rank
from podium.ranking.bootstrap import Bootstrap
from podium.ranking.method_spec import MethodSpec, method_of
from podium.ranking.note import misleading
from podium.ranking.result import Ranking
from podium.report.formats import table_layout
from podium.robustness.api import Robustness
from podium.robustness.figure import Spread, places_of_strengths
from podium.robustness.verdict import keeps_first_place
from podium.score.family import family_names
from podium.score.table import Scores, of_battles
from podium.slicing.figure import PALE, Cells
from podium.slicing.result import Slices
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords
from podium.tally.draw import FLIPS, Resampling, task_key
from podium.timeline.figure import drawn_in as drawn_of
from podium.timeline.figure import legend
from podium.timeline.result import History
from podium.timeline.view import courses
from podium.webpage.duels import TaskDuels, ranking_of
from podium.webpage.groups import Groups, preset_weights
from podium.webpage.instances import Graded, instance_scores
from podium.webpage.properties import properties_of
from podium.webpage.shares import TaskMeans, TaskShares, pairs
from podium.webpage.shell import Page, packed

#: Comparisons of two systems on an instance up to which methods of pairs take less than half a minute.
_MOST = 2 * 10**10

#: Systems that are drawn of a history, and those that were first once.
_DRAWN = 30

#: How a page counts missing scores, as a method of other questions.
IMPUTED = "borda:missing=imputed"

#: Code that leaves the harder half of each task by a measure.
_HARDER = "scores = podium.weigh(scores, difficulty, measure={0!r}, splits=2, split_weights=[0, 1])"

#: Methods that make no comparison of every two systems.
_SUMS = ("borda", "mean", "median", "iqm")


@keywords
def page(
    scores: "ScoresLike",
    *,
    difficulty: Difficulty | None = None,
    confidences: Scores | None = None,
    splits: str | None = None,
    instances: bool = False,
    texts: Texts | None = None,
    robustness: Robustness | None = None,
    history: History | None = None,
    slices: Slices | None = None,
    groups: Mapping[str, str] | None = None,
    weight_presets: Mapping[str, Mapping[str, float]] | None = None,
    properties: Mapping[str, Mapping[str, Any]] | None = None,
    title: str = "scores",
    confidence_level: float = 0.95,
    n_resamples: int = 200,
    rng: Rng = 0,
    commands: Mapping[str, str] | None = None,
    python: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Page:
    """Make a page on which a reader ranks the systems of a table by weights and methods of their own, with intervals.

    The page holds aggregate numbers: of each task the share of other systems that each system beats, its mean score,
    how these vary over bootstrap replicates, and the lowest and highest score. It holds no texts, and other scores of
    single instances, without names, in two cases: the mean of a task with one instance is its score; and exact tests
    need all scores if there are at most 200 instances or clusters, or if a few have nearly all the weight. Notes,
    commands and `python` stand on it as they are. It also holds the ranks by the methods of `podium.agree`.

    A missing score counts as with `MethodSpec("borda", missing="imputed")`, under any weights; a history should, too. A
    reader can also see the ranking of `podium.rank`, whose scores by a model are in the page for the weights as given.
    Battles of two systems are ranked by Bradley–Terry, and the page holds who won how often against whom.

    With a `difficulty` a reader also weighs the table by it, in all ways of `podium.customize`. The page then holds,
    for every instance in the order of the table, its difficulty by each measure, its weight and the score of each
    system; still no label and no text. A leaderboard of the harder half of each task, by the first measure, is in it,
    too. Who has the same data can tell which instance is which. With `confidences` each
    system has an order of its own, and the page holds how sure it was of each answer.

    With `instances` a reader also compares two systems task by task, as `podium.compare` does, and sees on which
    instances they disagree. The page then holds the score of each system on each instance, and the names of these; with
    `texts` also what they say. Without instances two systems are compared by their means, as
    `podium.compare_task_scores` does.

    With a `robustness` a reader sees what would change the winner. Its verdict may name instances. With a `history` a
    reader sees how ranks went over versions of the table. The page then names systems and tasks of all steps. With
    `slices` a reader sees who leads where.

    Tasks in `groups` stand under one weight and one column, which opens to its tasks. More than 60 tasks are grouped by
    their names where nothing is given: those that begin alike, or end alike, if these are more.

    Parameters
    ----------
    scores
        As for `podium.rank`.
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
    slices
        What `podium.slices` found in the same table.
    groups
        Groups by the names of their tasks, or by globs: `{"mmlu_*": "MMLU"}`. A name wins over globs, and the first
        glob over others. Tasks without a group are together in "other"; a task alone in its group stands by itself.
        An empty dictionary makes no groups.
    weight_presets
        Weights that readers choose by a name, with the weight of each task or glob; other tasks weigh 0 by it:
        `{"coding": {"humaneval": 2, "mbpp*": 1}}`.
    properties
        What is known of systems beside scores, by name and system, such as `{"license": {"A": "MIT"}}`: texts, dates,
        numbers and links (http and https only), by which readers filter, colour and sort. Covariates of the scores are
        there without it. The page publishes them.
    title
        What the page is called.
    confidence_level
        Of intervals of ranks and scores.
    n_resamples, rng
        Bootstrap replicates, as of `podium.rank`; their number decides how large the page is.
    commands
        What prints the same ranking ("rank"), the table by difficulty ("customize") and by confidence ("confidence"), a
        comparison ("compare"), the ranks by other methods ("agree"), the robustness ("stress"), the history
        ("history"), the slices ("slices") and what the table holds ("info"): to be copied from the page, which adds
        weights and systems itself.
    python
        Python code that makes `scores`, and with it `difficulty`, `confidences`, `robustness` and `slices`, and by
        itself `history`, by these names: to be copied as well.
    progress
        Called with the number of replicates counted and the number there are.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one; it has no instances, and they are wanted; the robustness
        is, or the slices are, of other systems, or the history ends with others; or, with a difficulty or confidences,
        as of `podium.customize`.
    LabelError, WeightError
        There is no such column of splits; no task is in a group; or a preset is not of these tasks, or weighs nothing.
    MethodError
        As of `podium.rank`; groups are no dictionary of names, or presets none of weights; or splits are named without
        a difficulty, or texts given without instances.

    Examples
    --------
    >>> import podium
    >>> made = podium.page(podium.datasets.xtreme_missing(), title="XTREME", n_resamples=40)
    >>> made.html.startswith("<!doctype html>")
    True
    """
    seed = seed_of(rng)
    scores, said = as_scores(scores, **reading), commands or {}
    named = preset_weights(scores.task_names, weight_presets or {})
    drawn = Resampling("instances", n_resamples, seed)
    rated: dict[str, Any] = {"difficulty": difficulty, "confidences": confidences, "splits": splits}
    grouped, single = _parts(scores, drawn, rated, instances=instances, texts=texts, groups=groups, commands=said)
    _check_answers(robustness, slices, history, scores)
    bootstrap = Bootstrap.of(scores, confidence=confidence_level, units=None, replicates=n_resamples, seed=seed)
    kept: dict[str, Any] = {"groups": groups, "weight_presets": weight_presets, "properties": properties}
    half = _harder_half(scores, difficulty, python or {}, bootstrap, title=title, **kept)
    shares, description, battles = TaskShares.of(scores, bootstrap, progress), info(scores), of_battles(scores)
    usual, ranking = ranking_of(scores) if battles else (str(MethodSpec("borda").on(scores).level), None)
    agreement, ranks, note = agreed(scores, said.get("agree", ""))
    absent = 0 if battles else scores.n_cells - scores.n_scored
    by_model = {} if battles else modelled(scores, confidence_level, n_resamples, seed)
    notes = list(scores.notes if ranking is None else ranking.notes)
    if absent:
        rest = "and, if asked, by a model for weights as given" if by_model else "not by a model"
        how = f"scores are missing; a page counts them as podium rank --missing imputed does, {rest}"
        notes.insert(0, f"{absent:,} of {scores.n_cells:,} {how}")
        if history is not None and not _counted_alike(history.steps[-1].ranking, shares):
            notes.insert(1, f"the history counts missing scores otherwise; make it with the method {IMPUTED!r}")
    notes = list(weightiest_first(dict.fromkeys([*notes, note] if note else notes)))
    unit = "cluster" if any(task.clusters is not None for task in scores.tasks) else "instance"
    listed = [splits or name if name == "splits" else name for name, given in rated.items() if given is not None]
    known = properties_of(scores, properties)
    held = _held(scores, shares, unit, rated=listed, named=single.get("instances", (None,))[0])
    if history is not None:
        held += f"; ranks of {how_many(len(history.systems), 'system')} in {how_many(len(history.steps), 'step')}"
    if known:
        held += f"; of systems {', '.join(one.name for one in known)}"
    if robustness is not None:
        held += "; the verdict may name instances"
    content: dict[str, Any] = {
        "title": title,
        "digest": _digest(scores, description.means),
        "systems": list(scores.systems),
        "tasks": [
            {name: getattr(task, name) for name in ("name", "weight", "pairs", "tied", "near")}
            | {"higherIsBetter": task.higher_is_better, "instances": task.n_instances}
            for task in description.tasks
        ],
        "usual": usual,
        "confidence": confidence_level,
        "replicates": n_resamples,
        "seed": seed,
        "drawn": f"{unit}s",
        "notes": notes,
        "notesOnMeans": misleading(scores, method_of(MethodSpec("mean"))),
        "imputed": absent > 0,
        "modelled": bool(by_model),
        **{key: said.get(name, "") for key, name in (("command", "rank"), ("infoCommand", "info"))},
        "python": dict(python or {}),
        "varying": shares.content(),
        "holds": held,
        "presets": named,
        "properties": [one.content() for one in known],
        "compare": {"command": said.get("compare", ""), **_closeness(scores)},
        "agreed": agreement,
        "stressed": None if robustness is None else stressed(robustness) | {"command": said.get("stress", "")},
        "versioned": None if history is None else versioned(history) | {"command": said.get("history", "")},
        "counted": None,
        "hard": difficulty.measures[0].name if difficulty is not None and half else "",
        "pairwiseCommand": said.get("pairwise", "") if battles else None,
        **({"groups": [], "groupedBy": "given"} if grouped is None else grouped.content()),
    }
    arrays = {**shares.arrays(), **_cells(description), **ranks, **by_model}
    if not scores.task_level:
        means = TaskMeans.of(scores, shares)
        content["counted"] = means.content()
        arrays |= means.arrays()
    if battles:
        arrays |= TaskDuels.of(scores, drawn, progress).arrays()
    if (won := pairs(scores)) is not None:
        arrays["pairs"] = won
    if history is not None:
        arrays |= tracks(history)
    more = {name: packed(*one) for name, one in single.items()} | half
    more |= {} if slices is None else {"slices": packed(sliced(slices) | {"command": said.get("slices", "")}, {})}
    return Page(packed(content, arrays), more, tuple(notes), held)


def _harder_half(
    scores: Scores, difficulty: Difficulty | None, python: Mapping[str, str], bootstrap: Bootstrap, **options: Any
) -> dict[str, bytes]:
    """Return the data of a page of the harder half of each task, by the first measure; none unless all have one."""
    if difficulty is None:
        return {}
    name = difficulty.measures[0].name
    try:
        harder = weigh(scores, difficulty, measure=name, splits=2, split_weights=[0, 1])
    except MethodError:  # a task has a single instance
        return {}
    if harder.task_names != scores.task_names:
        return {}
    lines = [python.get(made, "") for made in ("scores", "difficulty")]
    code = {"scores": "\n".join([*lines, _HARDER.format(name)])} if all(lines) else {}
    made = page(
        harder,
        python=code,
        confidence_level=bootstrap.confidence,
        n_resamples=bootstrap.resampling.replicates,
        rng=bootstrap.resampling.seed,
        **options,
    )
    return {"hard": made.data}


def empty_page(*, title: str, confidence_level: float, n_resamples: int, rng: Rng = 0) -> Page:
    """Make a page without a table: its readers drop files of scores on it, which stay on their computers.

    The arguments are those of `page`; there are no presets, and each task of a file has one score per system.

    Examples
    --------
    >>> empty_page(title="Ours", confidence_level=0.95, n_resamples=200)
    Page(no data; .save('page.html') writes it)
    """
    seed, held = seed_of(rng), "no data"
    Bootstrap(confidence_level, Resampling("tasks", n_resamples, seed))  # checks them
    drawn = {
        "units": "tasks",
        "draws": f"{int(task_key(seed, b'')):016x}",
        "flips": f"{int(task_key(seed, FLIPS)):016x}",
    }
    lists = ("systems", "tasks", "notes", "notesOnMeans", "presets", "properties", "groups")
    content: dict[str, Any] = {
        **{key: [] for key in lists},
        **dict.fromkeys(("agreed", "stressed", "versioned", "counted")),
        **dict.fromkeys(("command", "infoCommand"), ""),
        "title": title,
        "digest": held,
        "usual": "task",
        "confidence": confidence_level,
        "replicates": n_resamples,
        "seed": seed,
        "drawn": "instances",
        "imputed": False,
        "python": {},
        "varying": {name: [] for name in ("groups", "scored", "byName", "families", "lone")}
        | drawn
        | {"units": "tasks"},
        "holds": held,
        "compare": {"command": "", "byTask": True, "reach": 0.0, "rounding": _rounding(np.float64), "families": []},
        "groupedBy": "given",
    }
    none = np.empty((0, 0))
    return Page(packed(content, {"shares": none, "means": none}), {}, (), held)


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
    """Refuse at once what `page` would refuse; the arguments are the same.

    Raises
    ------
    PodiumError
        As of `page`.
    """
    rated, drawn = (
        {"difficulty": difficulty, "confidences": confidences, "splits": splits},
        Resampling("instances", 1, 0),
    )
    _parts(scores, drawn, rated, instances=instances, texts=texts, groups=groups, commands={})


def _parts(
    scores: Scores,
    drawn: Resampling,
    rated: Mapping[str, Any],
    *,
    instances: bool,
    texts: Texts | None,
    groups: Mapping[str, str] | None,
    commands: Mapping[str, str],
) -> tuple[Groups | None, dict[str, tuple[dict[str, Any], dict[str, NDArray[Any]]]]]:
    """Check a table; return the groups of its tasks, and what the page holds of single instances, by name."""
    check_rankable(scores)
    if of_battles(scores) and (instances or any(given is not None for given in rated.values())):
        raise InputError(
            "a battle is an instance of two systems only, so a page of battles has no difficulty and no instances; "
            "leave out --difficulty, --probability-column and --instances"
        )
    grouped = Groups.of(scores.task_names, groups)
    found: dict[str, tuple[dict[str, Any], dict[str, NDArray[Any]]]] = {}
    if texts is not None and not instances:
        raise MethodError("texts are shown where two systems disagree, which needs instances; add them (--instances)")
    if rated["splits"] is not None and rated["difficulty"] is None:
        raise MethodError(f"column {rated['splits']!r} of splits belongs to a difficulty, and there is none")
    if any(given is not None for given in rated.values()):
        graded = Graded.of(scores, drawn, commands=commands, **rated)
        found["difficulty"] = graded.content(), graded.arrays()
    if instances:
        found["instances"] = instance_scores(scores, drawn, texts)
    return grouped, found


def _held(scores: Scores, shares: TaskShares, unit: str, *, rated: Sequence[str], named: Any) -> str:
    """Say what a page holds, and what it does not."""
    single = sum(group.units.number for group in shares.groups) if shares.single else 0
    texts, ending = "no texts", ", no right answers"
    if rated or named is not None:
        listed = " and ".join(filter(None, [", ".join(rated), "scores"]))
        rest = "with their names" if named is not None else "in the order of the table: no names"
        what = f"{listed} of {how_many(scores.n_instances, 'instance')}, {rest}"
        if named is not None and named["texts"] is not None:
            number = sum(text is not None for own in named["texts"] for text in own)
            texts, ending = f"and the texts of {how_many(number, 'instance')}", ": no right answers"
    elif single:
        what = f"aggregate numbers, and the scores of {how_many(single, unit)}: no names"
    else:
        what = "aggregate numbers only"
    between = ", " if ": no" in what or texts != "no texts" else ": "
    return f"{what}{between}{texts}{ending}"


def _closeness(scores: Scores) -> dict[str, Any]:
    """Return up to where two scores of a task are equal: a share of their size, as `TaskScores` has it, and a tie.

    And the number of the family of each task, each of which counts once in tests over tasks.
    """
    kind = np.result_type(*(part.dtype for task in scores.tasks for part in task.parts))
    single = scores.task_level
    reach = scores.effective_tie_tolerance if single else 0.0
    families = np.unique(family_names(scores.tasks), return_inverse=True)[1].tolist()
    rounding = _rounding(kind if single else np.float64)
    return {"byTask": single, "rounding": rounding, "reach": reach, "families": families}


def _rounding(kind: Any) -> float:
    return ROUNDINGS * float(np.finfo(kind).eps)


def _digest(scores: Scores, means: NDArray[np.float64]) -> str:
    """Return a short text of names and means that hardly two tables share."""
    names = "\n".join([*scores.systems, *scores.task_names])
    return hashlib.sha256(names.encode() + means.tobytes()).hexdigest()[:8]


def _cells(description: Description) -> dict[str, NDArray[Any]]:
    """Mean scores, and how many scores they are of, unless all means are of all instances of their task."""
    means = description.means.astype(np.float64)
    whole = np.where(np.isnan(means), 0, [task.n_instances for task in description.tasks])
    if (whole == description.scored).all():
        return {"means": means}
    least = np.uint8 if description.scored.max() <= np.iinfo(np.uint8).max else np.int32
    return {"means": means, "scored": description.scored.astype(least)}


def agreed(scores: Scores, command: str) -> tuple[dict[str, Any] | None, dict[str, NDArray[Any]], str]:
    """Rank by all methods that are quick; of a large table, by sums over its ballots only.

    Returns
    -------
    Answer, methods, places of systems, which are drawn, notes and the command that prints the same; ranks, shape
    `(M, N)`, and Kendall's τ-b, shape `(M, M)`; and what is left out, and why. None and no arrays if no two methods
    rank these systems.

    Examples
    --------
    >>> import podium
    >>> content, arrays, note = agreed(podium.datasets.toy_table1(), "podium agree")
    >>> content["systems"], arrays["agreement ranks"].shape, note
    ([0, 2, 1], (7, 3), '')
    """
    large = scores.n_instances * len(scores.systems) ** 2 > _MOST
    note = "this table is large, so the page compares few methods; podium agree has all" if large else ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PodiumWarning)  # its notes say the same
            found = agree(scores, _SUMS if large else None)
    except MethodError as why:
        return None, {}, f"this page compares no methods: {why}"
    place = {system: at for at, system in enumerate(scores.systems)}
    columns, drawn, left_out = drawn_in(found, whole=False)
    content = {
        "verdict": list(verdict(found, counted=True)),
        "columns": columns,
        "drawn": drawn,
        "leftOut": left_out,
        "methods": list(found.methods),
        "systems": [place[system] for system in found.systems],
        "notes": list(found.notes),
        "command": f"{command} --methods {','.join(_SUMS)}" if large and command else command,
    }
    ranks = found.ranks.astype(np.uint8 if found.ranks.max() <= np.iinfo(np.uint8).max else np.int32)
    return content, {"agreement ranks": ranks, "agreement tau": found.tau}, note


def modelled(scores: Scores, confidence: float, replicates: int, seed: int) -> dict[str, NDArray[Any]]:
    """Return the ranking in which a model says how missing scores count, in the order of the table; empty without one.

    Scores, shape `(N,)`; and if there are intervals, of the scores `(3, N)`: standard error and ends; and of the ranks
    `(6, N)`: ends alone and of all together, tiers, and whether the system may be first.

    Examples
    --------
    >>> import podium
    >>> {name: one.shape for name, one in modelled(podium.datasets.xtreme_missing(), 0.95, 40, 0).items()}
    {'model scores': (10,)}
    >>> modelled(podium.datasets.toy_table1(), 0.95, 40, 0)
    {}
    """
    if scores.n_scored == scores.n_cells or MethodSpec("borda").on(scores).missing != "model":
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PodiumWarning)  # the page has notes of its own
        found = rank(scores, confidence_level=confidence, n_resamples=replicates, rng=seed)
    place = {system: at for at, system in enumerate(found.systems)}
    order = [place[system] for system in scores.systems]
    arrays: dict[str, NDArray[Any]] = {"model scores": found.score[order]}
    if (sure := found.intervals) is not None:
        ends = ("std_error", "score_low", "score_high")
        ranks = ("rank_low", "rank_high", "joint_rank_low", "joint_rank_high", "tier", "may_be_first")
        arrays["model ends"] = np.array([getattr(sure, name)[order] for name in ends])
        arrays["model ranks"] = np.array([getattr(sure, name)[order] for name in ranks]).astype(np.int32)
    return arrays


def _check_answers(
    robustness: Robustness | None, slices: Slices | None, history: History | None, scores: Scores
) -> None:
    """Refuse answers of another kind, or about another table."""
    _check_same(robustness, Robustness, "the robustness is", "podium.stress(scores)", scores)
    _check_same(slices, Slices, "the slices are", "podium.slices(scores)", scores)
    _check_history(history, scores)


def _check_same(found: Any, kind: type[Any], what: str, made: str, scores: Scores) -> None:
    """Refuse what is no answer of its kind, or that of another table."""
    if found is None:
        return
    if not isinstance(found, kind):
        raise InputError(f"expected {kind.__name__}, not {type(found).__name__}; make it with {made}")
    if set(found.study.systems if isinstance(found, Robustness) else found.systems) != set(scores.systems):
        raise InputError(f"{what} of other systems; make it of the same table with {made}")


def stressed(robustness: Robustness) -> dict[str, Any]:
    """Return verdict, curves and notes as plain values.

    A curve is the mean share of the first place that a method keeps, with its interval, by the strength of a stress.

    Examples
    --------
    >>> import podium
    >>> found = podium.stress(podium.datasets.toy_table1(), ["borda"], only=["tasks"], repeats=20, n_jobs=1)
    >>> made = stressed(found)
    >>> made["stresses"][0]["strengths"], made["stresses"][0]["breakdown"]
    ([0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [3.0])
    """
    study, curves = robustness.study, []
    broken = study.breakdown("kept")
    for one in study.swept:
        spread = Spread.of(study, one, "kept")
        curves.append(
            {
                "name": one.name,
                "axis": one.axis,
                "strengths": one.strengths.tolist(),
                "places": places_of_strengths(one.strengths)[0].tolist(),
                **{name: getattr(spread, name).tolist() for name in ("mean", "low", "high")},
                "breakdown": [broken[one.name][way] for way in study.methods],
            }
        )
    return {
        "headline": keeps_first_place(study),
        "verdict": list(robustness.verdict),
        "notes": list(robustness.notes),
        "methods": list(study.methods),
        "leaders": list(map(list, study.leaders)),
        "repeats": study.repeats,
        "tried": study.tried,
        "stresses": curves,
    }


def sliced(slices: Slices) -> dict[str, Any]:
    """Return what is said, what cells show, from −1 (worse) to 1 (better), and tables, as plain values.

    Examples
    --------
    >>> import podium
    >>> made = sliced(podium.slices(podium.simulate.gumbel(3, 4, 50, dispersion=1.0, rng=0).scores))
    >>> made["systems"], made["shades"][0], made["texts"][0]
    (['system 3', 'system 2', 'system 1'], [0.145, -0.182, -0.255, 0.291], ['.85', '.76', '.74', '.89'])
    """
    view, cells, rows = slices.view(), Cells.of(slices), slices.rows()
    shades = np.round(np.where(cells.sure, 1.0, PALE) * cells.share, 3)
    return {
        "title": view.title,
        "verdict": list(view.verdict),
        "notes": list(view.notes),
        "explain": list(view.explain),
        "systems": cells.systems,
        "slices": cells.slices,
        "shades": [[None if np.isnan(one) else one for one in row] for row in shades.tolist()],
        "leads": cells.leads.tolist(),
        "texts": [
            [f"{text}*" if sure else text for text, sure in zip(*row, strict=True)]
            for row in zip(cells.texts, cells.sure.tolist(), strict=True)
        ],
        "said": [[slices.about(cut, at, row) for cut, at, _ in slices.every()] for row in slices.order],
        "tables": [table_layout(table) for table in view.tables],
        "rows": {
            "head": list(rows[0]),
            "rows": [
                ["" if one is None else str(one).lower() if isinstance(one, bool) else one for one in row.values()]
                for row in rows
            ],
        },
    }


def _check_history(history: History | None, scores: Scores) -> None:
    """Refuse what is no history, or one that ends with another table."""
    if history is None:
        return
    if not isinstance(history, History):
        raise InputError(f"expected a History, not {type(history).__name__}; make it with podium.history(steps)")
    last = history.steps[-1].ranking
    tasks = {task.name for task in last.tasks}
    if history.suite == "joined":  # it also has tasks that were retired
        tasks &= set(scores.task_names)
    for what, found, wanted in (("systems", set(last.systems), scores.systems), ("tasks", tasks, scores.task_names)):
        if found != set(wanted):
            raise InputError(
                f"the last step of the history has other {what} than the table; make the page of the table of that step"
            )


def _counted_alike(ranking: Ranking, shares: TaskShares) -> bool:
    """Return whether a ranking has the scores of the page as it opens, or is made in another way on purpose."""
    scores = shares.scores
    usual = MethodSpec("borda").on(scores)
    if (ranking.method, ranking.level) != (usual.name, usual.level):
        return True
    weights = np.array([task.weight for task in scores.tasks])
    own = dict(zip(scores.systems, shares.shares @ weights / weights.sum(), strict=True))
    ranked = ranking.rank > 0
    there = [own[system] for system, known in zip(ranking.systems, ranked, strict=True) if known]
    return bool(np.allclose(there, ranking.score[ranked], rtol=0, atol=1e-9))


def versioned(history: History) -> dict[str, Any]:
    """Return verdict, tables, notes and what is marked in each step, as plain values; systems are numbers.

    Examples
    --------
    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> made = versioned(podium.history({"May": before, "June": {**before, "C": {"t": 1.0, "u": 0.9}}}))
    >>> made["systems"], made["steps"][1]
    (['C', 'A', 'B'], {'label': 'June', 'entered': [0], 'left': [], 'overtook': []})
    """
    view, systems, steps = history.view(), history.systems, []
    drawn, left_out = drawn_of(history, _DRAWN)
    for step in history.steps:
        overtook = {one.winner for one in step.overtakings if one.surely}
        marked = {"entered": step.entered, "left": step.left, "overtook": overtook}
        places = {name: sorted(map(systems.index, some)) for name, some in marked.items()}
        steps.append({"label": step.label, **places})
    return {
        "title": view.title,
        "verdict": list(view.verdict),
        "notes": list(view.notes),
        "explain": list(view.explain),
        "confidence": history.confidence,
        "systems": list(systems),
        "said": courses(history),
        "drawn": [systems.index(system) for system in drawn],
        "legend": legend(history, left_out),
        "steps": steps,
        "tables": [table_layout(table.whole or table) for table in view.tables],
    }


def tracks(history: History) -> dict[str, NDArray[Any]]:
    """Return ranks, and both ends of their intervals where there are some, shape `(T, N)` each; 0 where none is.

    Systems are in the order of `History.systems`.

    Examples
    --------
    >>> import podium
    >>> before = {"A": {"t": 0.9, "u": 0.8}, "B": {"t": 0.7, "u": 0.6}}
    >>> tracks(podium.history({"May": before, "June": {**before, "C": {"t": 1.0, "u": 0.9}}}))["history ranks"].tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    place = {system: at for at, system in enumerate(history.systems)}
    found = np.zeros((3, len(history.steps), len(place)), dtype=np.int32)
    for at, step in enumerate(history.steps):
        columns = [place[system] for system in step.ranking.systems]
        found[0, at, columns] = step.ranking.rank
        if (sure := step.ranking.intervals) is not None:
            found[1, at, columns], found[2, at, columns] = sure.rank_low, sure.rank_high
    small = found.astype(np.uint8) if found.max() <= np.iinfo(np.uint8).max else found
    arrays = {"history ranks": small[0]}
    return {**arrays, "history low": small[1], "history high": small[2]} if found[1].any() else arrays
