"""Scores from files that the caller lists by system and task: TREC runs with qrels, or one score per line.

Runs rank documents for queries, and ir_measures computes a measure for each query. Location files list all of them: a
YAML file, in the two layouts of Ranger.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_path, matching
from podium.base.errors import InputError, MissingExtraError, PodiumError, nearest
from podium.base.words import LONG, few, how_many, with_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.direction import directed
from podium.source.file import Lines, finite
from podium.source.path import text_file
from podium.source.tool.measures import Evaluation, measure_named, read_qrels, read_run

#: Keys of location files, and what is said of their layouts.
_SCORES, _RUNS, _JUDGED, _LABELS = "eval_metrics", "available_rankings", "qrels", "display_names"
_LAYOUTS = (
    f"expected {_SCORES} (system: task: file of one score per line), or {_JUDGED} (task: file) and {_RUNS} "
    f"(system: task: run); {_LABELS} (task: name) is optional"
)

#: Maximum depth of nested mappings in a location file.
_DEPTH = 3


def read_trec(
    runs: Mapping[str, Mapping[str, str | Path]],
    qrels: Mapping[str, str | Path],
    measure: str = "nDCG@10",
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
) -> Scores:
    r"""Evaluate runs: a score is the value of a measure for one query; instances are the queries of the qrels.

    A mean is taken over all queries of the qrels. A query that a run lacks scores 0, and `Scores.notes` says so;
    queries without qrels are left out. All measures of ir_measures give 0 to a query without documents; none of them
    is better lower. Scores of a task are missing if a system has no run for it.

    Documents are ranked by score; the rank in the run is ignored. Ties, in single precision, are broken by document
    name, last name first, as in trec_eval. The measure decides how documents without a label and negative labels
    count; for nDCG, both are not relevant.

    Parameters
    ----------
    runs
        System → task → file, plain or compressed. Its lines hold query, Q0, document, rank, score and tag, or query,
        document, rank and score, separated by white space.
    qrels
        Task → file. Its lines hold query, iteration, document and label (an integer), or the same without iteration.
    measure
        A measure of ir_measures, such as `nDCG@10`, `RR`, `AP`, `P(rel=2)@5`, `R@100` or `Judged@10`.
    tasks, systems
        Labels or globs to keep; `!glob` leaves out. Files of others are not opened.
    lower, higher
        Directions of tasks; see `read`.

    Returns
    -------
    Scores
        Float64. Systems are in the order of the runs, tasks in the order of the qrels, queries are sorted as text.

    Raises
    ------
    InputError
        A file cannot be read as a run or as qrels (the message names file and line), run and qrels have no query in
        common, a task has runs but no qrels, or the measure cannot be computed.
    LabelError
        A task or system that was named does not exist.
    MissingExtraError
        ir_measures is not installed.

    Notes
    -----
    Formats and ties: trec_eval 9.0. Measures: S. MacAvaney, C. Macdonald, I. Ounis, *Streamlining evaluation with
    ir-measures*, ECIR 2022.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.source.tool.trec import read_trec
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run, qrels = pathlib.Path(folder, "bm25.run"), pathlib.Path(folder, "covid.qrels")
    ...     _ = run.write_text("q1 Q0 d7 1 9.5 bm25\nq1 Q0 d2 2 9.1 bm25\nq2 Q0 d3 1 7.0 bm25\n")
    ...     _ = qrels.write_text("q1 0 d2 1\nq2 0 d3 2\n")
    ...     scores = read_trec({"BM25": {"covid": run}}, {"covid": qrels}, "RR")
    >>> scores.tasks[0].values
    array([[0.5, 1. ]])
    """
    listing = _Listing.of(runs, qrels).select(tasks, systems)
    scores = _evaluated(listing, measure)
    return directed(scores, lower=lower, higher=higher, said=dict.fromkeys(scores.task_names, True))


def read_locations(
    path: str | Path,
    measure: str | None = None,
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
) -> Scores:
    r"""Read the files that a YAML file lists, in either layout of the location files of Ranger.

    `eval_metrics` (system → task → file) lists files with one score per line. Line k of every file of a task is the
    same instance; such a file cannot have missing scores. `qrels` (task → file) and `available_rankings` (system →
    task → run) are evaluated as by `read_trec`. In both layouts, `display_names` (task → name) can choose the tasks,
    their order and their names; without it, all tasks with files are used. Scores of a task are missing if no file is
    listed for a system. `Scores.notes` says what is left out.

    A relative path starts at the folder of the YAML file. If the file is not there, podium looks in the current
    folder, and then in the folder above the YAML file, as in the examples of Ranger.

    Parameters
    ----------
    path
        The YAML file.
    measure
        Measure to compute from runs, as in `read_trec`; `nDCG@10` if None. For files of scores it must be None.
    tasks, systems
        Labels or globs to keep; `!glob` leaves out. Files of others are not opened.
    lower, higher
        Directions of tasks, by the names of the result; see `read`.

    Returns
    -------
    Scores
        Float64. Systems are in the order of the YAML file.

    Raises
    ------
    InputError
        The YAML file has neither layout, a listed file does not exist or cannot be read, files of one task have
        different numbers of lines, or a measure is given for scores.
    LabelError
        A task or system that was named does not exist.
    MissingExtraError
        PyYAML is not installed, or ir_measures is not installed and there are runs.

    Notes
    -----
    M. Sertkan, S. Althammer, S. Hofstätter, *Ranger: a toolkit for effect-size based multi-task evaluation*, 2023,
    section 4.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.source.tool.trec import read_locations
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, scores in (("bert.txt", "1\n0\n1\n"), ("distilbert.txt", "0\n0\n1\n")):
    ...         _ = pathlib.Path(folder, name).write_text(scores)
    ...     path = pathlib.Path(folder, "config.yaml")
    ...     _ = path.write_text("eval_metrics: {BERT: {rte: bert.txt}, DistilBERT: {rte: distilbert.txt}}")
    ...     read_locations(path)
    Scores(2 systems × 1 task, 3 instances, 0 of 6 scores missing)
    """
    file = checked_path("path", path)
    listing = _located(file, _listing(file).select(tasks, systems))
    if listing.qrels is None and measure is not None:
        raise InputError(f"{path} lists scores, not runs, so {measure} cannot be computed; leave out the measure")
    scores = _per_line(listing) if listing.qrels is None else _evaluated(listing, measure or "nDCG@10")
    return directed(scores, lower=lower, higher=higher)


def lists_file(path: str | Path, target: Path) -> bool:
    """Return whether a file is the YAML file or a file that it lists.

    >>> lists_file("config.yaml", Path("board.json"))
    False
    """
    if not target.is_file():
        return False
    try:
        listing = _listing(path)
    except PodiumError:  # the reader explains why
        return Path(path).is_file() and target.samefile(path)
    listed = [one for files in (*listing.files.values(), listing.qrels or {}) for one in files.values()]
    places = [place for one in listed for place in _places(Path(path), str(one))]
    return any(place.is_file() and target.samefile(place) for place in (Path(path), *places))


def lists_runs(path: str | Path) -> bool:
    """Return whether a YAML file lists runs (any measure can be computed), not scores.

    Raises
    ------
    InputError
        The YAML file has neither layout.
    MissingExtraError
        PyYAML is not installed.
    """
    return _listing(path).qrels is not None


@dataclass(frozen=True, slots=True)
class _Listing:
    """Files by system and task: checked, but not yet opened.

    Attributes
    ----------
    tasks
        Keys of the tasks, with their labels.
    files
        System → key of a task → path. A system may lack tasks.
    qrels
        Key of a task → path, for every task; None if the files hold scores.
    notes
        Notes about what is left out.
    """

    tasks: Mapping[str, str]
    files: Mapping[str, Mapping[str, str | Path]]
    qrels: Mapping[str, str | Path] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Any, qrels: Any = None, labels: Any = None) -> "_Listing":
        """Check the listed files.

        Parameters
        ----------
        files
            System → task → path.
        qrels
            Task → path.
        labels
            Task → label, for the tasks to use, in this order; None uses all tasks with files under their own names.

        Raises
        ------
        InputError
            Something is not a mapping, name or path; a task or system has no file; or two tasks have the same label.
        """
        rows = {
            _name("the name of a system", name): _paths(f"system {name!r}", row)
            for name, row in _mapping("files by system", files)
        }
        listed = list(dict.fromkeys(task for row in rows.values() for task in row))
        judged = None if qrels is None else _paths("the qrels", qrels)
        if labels is None:
            named = {task: task for task in judged or () if task in listed}  # in the order of the qrels
            named |= {task: task for task in listed}
        else:
            named = _display_names(labels)
        for task in named:
            if judged is not None and task not in judged:
                raise InputError(f"task {task!r} has no qrels; {nearest(task, judged)}")
            if task not in listed:
                raise InputError(f"no system has a file for task {task!r}; {nearest(task, listed)}")
        for system, row in rows.items():
            if not set(row) & set(named):
                raise InputError(f"system {system!r} has no file for any task; list one, or leave the system out")
        if not rows:
            raise InputError("no system is listed; list at least one")
        left = [task for task in dict.fromkeys([*listed, *(judged or ())]) if task not in named]
        why = "no system has a run" if labels is None else "not in display_names"
        note = with_names(f"{how_many(len(left), 'task')} left out ({why}): ", list(map(repr, left)), room=LONG)
        return cls(named, rows, judged, (note,) if left else ())

    def select(self, tasks: Iterable[str] | None, systems: Iterable[str] | None) -> "_Listing":
        """Keep the systems and tasks that match; labels or globs, `!glob` excludes.

        Raises
        ------
        LabelError
            A pattern matches nothing.
        """
        chosen = self
        if tasks is not None:
            keep = set(matching("task", tasks, tuple(self.tasks.values())))
            chosen = replace(chosen, tasks={key: label for key, label in self.tasks.items() if label in keep})
        if systems is not None:
            kept = matching("system", systems, tuple(self.files))
            chosen = replace(chosen, files={system: self.files[system] for system in kept})
        return chosen


def _mapping(what: str, given: Any) -> Iterable[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected a mapping from names to files or texts, not {_kind(given)}")
    return given.items()


def _paths(what: str, given: Any) -> dict[str, str | Path]:
    paths = {}
    for task, path in _mapping(what, given):
        if not (isinstance(path, str | Path) and str(path)):
            raise InputError(f"{what}, task {task!r}: expected the path of a file, not {_kind(path)}")
        paths[_name(f"{what}: the key of a task", task)] = path
    return paths


def _display_names(given: Any) -> dict[str, str]:
    labels: dict[str, str] = {}
    keys: dict[str, str] = {}
    for key, label in _mapping(_LABELS, given):
        name = _name(f"the display name of task {key!r}", label)
        if name in keys:
            raise InputError(
                f"tasks {keys[name]!r} and {key!r} have the display name {name!r}; give each task its own name"
            )
        keys[name] = key
        labels[_name("display_names: the key of a task", key)] = name
    if not labels:
        raise InputError("display_names is empty; name a task, or leave out display_names")
    return labels


def _name(what: str, given: Any) -> str:
    if not (isinstance(given, str) and given):
        raise InputError(f"{what} must be text, not {_kind(given)}; put it in quotes")
    return given


def _kind(given: Any) -> str:
    """Return the wrong value itself if it is short, else its type."""
    if given is None or given == "":
        return "nothing"
    return repr(given) if isinstance(given, str | int | float) else f"a {type(given).__name__}"


def _listing(path: str | Path) -> _Listing:
    """Return files that a YAML file lists in either layout."""
    found = _document(path)
    try:
        return _arranged(found)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _arranged(found: Any) -> _Listing:
    if not isinstance(found, dict):
        raise InputError(f"the file holds no mapping; {_LAYOUTS}")
    known = (_SCORES, _RUNS, _JUDGED, _LABELS)
    for key, value in found.items():
        if key not in known:
            raise InputError(f"the key {key!r} is unknown; {nearest(key, known)}")
        if not isinstance(value, dict):
            raise InputError(f"{key}: expected a mapping; fill it, or leave out the key")
    content = found.keys() - {_LABELS}
    if content == {_SCORES}:
        return _Listing.of(found[_SCORES], labels=found.get(_LABELS))
    if content == {_RUNS, _JUDGED}:
        return _Listing.of(found[_RUNS], found[_JUDGED], found.get(_LABELS))
    raise InputError(f"{_LAYOUTS}; found {' and '.join(map(str, found)) or 'nothing'}")


def _document(path: str | Path) -> Any:
    """Load a YAML file; no key may occur twice."""
    try:
        import yaml  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError("pyyaml", "trec", "reading a YAML") from error
    content = b"".join(Lines(text_file(path)).raw())
    try:
        _check_repeats(path, yaml.compose(content, yaml.SafeLoader))
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        why = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise InputError(f"{path}{where}: this is not YAML: {why}; correct it") from error


def _check_repeats(path: str | Path, node: Any, depth: int = _DEPTH) -> None:
    """Refuse repeated keys, because YAML would overwrite values silently."""
    if node is None or node.id != "mapping" or not depth:
        return
    seen: set[str] = set()
    for key, value in node.value:
        if key.id == "scalar" and key.value in seen:
            raise InputError(f"{path}, line {key.start_mark.line + 1}: {key.value!r} is listed twice; keep one")
        seen.add(str(key.value))
        _check_repeats(path, value, depth - 1)


def _located(path: Path, listing: _Listing) -> _Listing:
    """Find the files of the chosen tasks."""
    files = {
        system: {
            key: _find(path, str(row[key]), f"system {system!r}, task {key!r}") for key in listing.tasks if key in row
        }
        for system, row in listing.files.items()
    }
    qrels = listing.qrels and {
        key: _find(path, str(listing.qrels[key]), f"qrels, task {key!r}") for key in listing.tasks
    }
    return replace(listing, files=files, qrels=qrels)


def _places(path: Path, named: str) -> list[Path]:
    """Return possible places of a file that a YAML file names, most likely first."""
    file = Path(named).expanduser()
    if file.is_absolute():
        return [file]
    folder = path.expanduser().resolve().parent
    return list(dict.fromkeys(place / file for place in (folder, Path.cwd(), folder.parent)))


def _find(path: Path, named: str, what: str) -> Path:
    places = _places(path, named)
    for place in places:
        if place.exists():
            return place
    tried = ", ".join(str(place) for place in places)
    beside = sorted({entry.name for place in places if place.parent.is_dir() for entry in place.parent.iterdir()})
    hint = f"; {nearest(Path(named).name, beside)}" if beside else ""
    raise InputError(f"{path}: {what}: there is no file {named!r}; podium looked for {tried}{hint}")


def _per_line(listing: _Listing) -> Scores:
    """Read files with one score per line; the instance is the line number, from 0.

    Scores of a task are missing if a system has no file for it.

    Raises
    ------
    InputError
        A line does not hold a finite number, or the files of a task have different numbers of lines.
    """
    tasks = []
    systems = list(listing.files)
    for key, label in listing.tasks.items():
        columns = {system: _numbers(files[key]) for system, files in listing.files.items() if key in files}
        first = next(iter(columns))
        values = np.full((len(systems), columns[first].size), np.nan)
        for system, column in columns.items():
            if column.size != columns[first].size:
                raise InputError(
                    f"task {label!r}: {listing.files[first][key]} of system {first!r} has "
                    f"{how_many(columns[first].size, 'line')} and {listing.files[system][key]} of system {system!r} "
                    f"{how_many(column.size, 'line')}; systems are compared line by line, so give each the same lines"
                )
            values[systems.index(system)] = column
        tasks.append(Task.cut(label, values, systems=systems))
    return Scores(tuple(systems), tuple(tasks), notes=listing.notes)


def _numbers(path: str | Path) -> NDArray[np.float64]:
    lines = Lines(text_file(path))
    numbers: list[float] = []
    blank = 0
    for place, line in enumerate(lines.raw(), start=1):
        text = line.strip()
        if not text:
            blank = blank or place
            continue
        if blank:
            raise InputError(
                f"{lines.name}, line {blank} is blank; every line must hold a score, because lines are compared"
            )
        number = finite(text)
        if number is None:
            shown = text[:60].decode(errors="replace")
            what = f"{lines.name}, line {place}: {shown!r} is not a finite number"
            raise InputError(f"{what}; every line must hold one score and nothing else")
        numbers.append(number)
    if not numbers:
        raise InputError(f"{lines.name} is empty; it needs one score per line")
    return np.array(numbers)


def _evaluated(listing: _Listing, measure: str) -> Scores:
    """Compute a measure on every query of runs that are listed with qrels.

    Raises
    ------
    InputError
        A file cannot be read, or the measure cannot be computed.
    MissingExtraError
        ir_measures is not installed.
    """
    if listing.qrels is None:
        raise InputError("runs cannot be evaluated without qrels; list the qrels too")
    found = measure_named(measure)
    lacking: list[str] = []
    unjudged: list[str] = []
    tasks = []
    for key, label in listing.tasks.items():
        qrels = read_qrels(listing.qrels[key])
        queries = sorted(qrels)
        evaluation = Evaluation(found, qrels, queries)
        values = np.full((len(listing.files), len(queries)), np.nan)
        for row, (system, files) in enumerate(listing.files.items()):
            if key not in files:
                continue
            run = read_run(files[key])
            if run.keys().isdisjoint(qrels):
                raise InputError(
                    f"{files[key]} and {listing.qrels[key]} have no query in common: the run has {min(run)!r}, the "
                    f"qrels have {min(qrels)!r}; check that both belong to the same task"
                )
            values[row] = evaluation.values(run)
            where = f"system {system!r}, task {label!r}"
            lacking += _queries(where, [query for query in queries if query not in run], len(qrels))
            unjudged += _queries(where, sorted(query for query in run if query not in qrels), len(run))
        names: Any = np.array(queries, dtype=np.dtypes.StringDType())
        tasks.append(Task.cut(label, values, systems=list(listing.files), instances=names))
    notes = [with_names("queries that a run lacks score 0: ", lacking, most=2, room=LONG)] if lacking else []
    notes += [with_names("queries without qrels are left out: ", unjudged, most=2, room=LONG)] if unjudged else []
    return Scores(tuple(listing.files), tuple(tasks), notes=(*listing.notes, *notes))


def _queries(where: str, names: list[str], total: int) -> list[str]:
    """Number of queries of a run, with the first names; nothing if there are no queries."""
    return [f"{where}: {len(names):,} of {total:,} ({few(list(map(repr, names)), 1)})"] if names else []
