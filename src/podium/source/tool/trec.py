"""Scores from files that the caller lists by system and task: TREC runs with qrels, or one score per line.

Runs rank documents for queries, and ir_measures computes a measure for each query. Location files list all of them: a
YAML file, in the two layouts of Ranger.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
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

#: Errors of providers of measures if they do not accept parameters or rankings.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)

#: By query and document, the score of a run or the label of qrels.
_Documents = dict[str, dict[str, Any]]

#: Columns of query, document and value, by the number of columns of a line; and what is said of these numbers.
_Form = tuple[Mapping[int, tuple[int, int, int]], str]
_RUN: _Form = (
    {6: (0, 2, 4), 4: (0, 1, 3)},
    "a run has 6 (query Q0 document rank score tag) or 4 (query document rank score)",
)
_QRELS: _Form = (
    {4: (0, 2, 3), 3: (0, 1, 2)},
    "qrels have 4 (query iteration document label) or 3 (query document label)",
)

#: Documents of a run never have these names; qrels have them in this column.
_ITERATIONS = frozenset(("0", "Q0"))

#: trec_eval needs memory for every label up to the largest.
_LARGEST_LABEL = 10**6

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
    """Possible places of a file that a YAML file names, most likely first."""
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
            raise InputError(
                f"{lines.name}, line {place}: {_shown(text[:60])} is not a finite number; every line must hold one "
                "score and nothing else"
            )
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
        qrels = _read_qrels(listing.qrels[key])
        queries = sorted(qrels)
        evaluation = _Evaluation(found, qrels, queries)
        values = np.full((len(listing.files), len(queries)), np.nan)
        for row, (system, files) in enumerate(listing.files.items()):
            if key not in files:
                continue
            run = _read_run(files[key])
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


class _Evaluation:
    """One measure on the queries of one task.

    Documents of a query are ranked by score, highest first. Scores that are equal in single precision are tied, and
    ties are broken by document name, last name first. This is the order of trec_eval, used here for every measure. The
    measure decides the label of documents without one; nearly all take 0.

    Raises
    ------
    InputError
        The measure cannot be computed.
    """

    def __init__(self, measure: Any, qrels: _Documents, queries: list[str]) -> None:
        self.measure = measure
        # some providers accept only numbers as names of queries, and crash on labels below −1, which mean the same
        self._numbers = {query: str(number) for number, query in enumerate(queries)}
        graded = {
            self._numbers[query]: {document: max(label, -1) for document, label in labels.items()}
            for query, labels in qrels.items()
        }
        try:
            self._evaluator = _library().evaluator([measure], graded)
        except _REFUSALS as error:
            raise _refused(measure, error) from error

    def values(self, run: _Documents) -> NDArray[np.float64]:
        """Return the value of each query, shape `(K,)`, in order.

        Queries without qrels are left out. The value is 0 if the run lacks the query, or if the measure is not defined.

        Raises
        ------
        InputError
            The measure cannot be computed on these documents.
        """
        numbers = self._numbers
        ranked = {numbers[query]: _ranked(documents) for query, documents in run.items() if query in numbers}
        values = np.zeros(len(numbers))
        try:
            for metric in self._evaluator.iter_calc(ranked):
                if metric.query_id in ranked:
                    values[int(metric.query_id)] = metric.value
        except _REFUSALS as error:
            raise _refused(self.measure, error) from error
        return values


def _ranked(documents: Mapping[str, float]) -> dict[str, float]:
    """Replace scores by places (higher is better), so that all providers break ties in the same way."""
    with np.errstate(over="ignore"):
        single = np.array(list(documents.values())).astype(np.float32)
    order = sorted(zip(single.tolist(), documents, strict=True))
    return {document: float(place) for place, (_, document) in enumerate(order, start=1)}


def measure_named(text: str) -> Any:
    """Find the measure with a name such as `nDCG@10`, `RR` or `P(rel=2)@5`.

    Raises
    ------
    InputError
        The text names no measure, several measures, or a measure that cannot be computed per query.
    MissingExtraError
        ir_measures is not installed.

    Examples
    --------
    >>> measure_named("P( rel = 2 ) @ 5")
    P(rel=2)@5
    """
    library = _library()
    text = str(text)  # also takes a measure of ir_measures
    name, parameters, at = _parsed(text)
    known: dict[str, Any] = library.measures.registry
    if name not in known:
        raise InputError(f"there is no measure {name!r}; {nearest(name, known)}")
    measure = known[name]
    if at is not None:
        parameters[measure.AT_PARAM] = at
    _check_parameters(text, measure, parameters)
    found = measure(**parameters)
    _check_support(text, found, library)
    return found


def _library() -> Any:
    try:
        import ir_measures  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError("ir-measures", "trec", "evaluating runs") from error
    return ir_measures


def _parsed(text: str) -> tuple[str, dict[str, Any], Any]:
    """Split NAME(parameter=value, …)@value; the parser of ir_measures fails on Python 3.14."""
    try:
        node = ast.parse(text.strip(), mode="eval").body
        at = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at, node = ast.literal_eval(node.right), node.left
        parameters: dict[str, Any] = {}
        if isinstance(node, ast.Call) and not node.args:
            parameters = {str(one.arg): ast.literal_eval(one.value) for one in node.keywords}
            node = node.func
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise _unreadable(text) from None
    if not isinstance(node, ast.Name):
        raise _unreadable(text)
    return node.id, parameters, at


def _unreadable(text: str) -> InputError:
    several = len(re.findall(r"[^\s,;]+", re.sub(r"\(.*?\)", "", text))) > 1
    why = "names several measures; give one" if several else "names no measure; write one"
    return InputError(f"{text!r} {why}, such as nDCG@10 or P(rel=2)@5")


def _check_parameters(text: str, measure: Any, given: Mapping[str, Any]) -> None:
    """Refuse parameters that the measure does not accept; some of them would end the process."""
    known = measure.SUPPORTED_PARAMS
    for name, value in given.items():
        if name not in known:
            hint = nearest(name, known) if known else "it has no parameters"
            raise InputError(f"measure {text!r}: {measure} has no parameter {name!r}; {hint}")
        counts = name == "cutoff"
        if not known[name].validate(value) or (counts and not (type(value) is int and 0 < value < 2**31)):
            hint = "; give a whole number from 1 up" if counts else ""
            raise InputError(f"measure {text!r}: {name} cannot be {value!r}{hint}")
    for name, parameter in known.items():
        if parameter.required and name not in given:
            hint = f"{measure}@10" if name == "cutoff" else f"{measure}({name}=…)"
            raise InputError(f"measure {text!r} needs a value of {name}, as in {hint}")


def _check_support(text: str, measure: Any, library: Any) -> None:
    if library.providers.registry["pyndeval"].supports(measure):
        raise InputError(f"measure {text!r} needs subtopics, which podium does not read; choose another measure")
    pipeline = library.DefaultPipeline
    if pipeline.supports(measure):
        return
    ways = [provider.install_instructions() for provider in pipeline.providers if provider.supports(measure)]
    raise InputError(
        f"measure {text!r} cannot be computed"
        + (f" before: {' or '.join(filter(None, ways))}" if any(ways) else " with these parameters; choose others")
    )


def _refused(measure: Any, error: BaseException) -> InputError:
    reason = str(error).strip().partition("\n")[0] or type(error).__name__
    return InputError(f"measure {measure} cannot be computed: {reason}")


def _read_run(path: str | Path) -> _Documents:
    """Read a run: the documents of each query with their scores; ranks and tags are ignored, as in trec_eval.

    Raises
    ------
    InputError
        A line does not belong to a run, or a query has a document twice.
    """
    lines = Lines(text_file(path))
    run: _Documents = {}
    for where, query, document, text in _rows(lines, _RUN):
        score = finite(text)
        _add(run, where, query, document, score)
        if score is None:
            raise InputError(f"{where}: the score {_shown(text)} is not a finite number; correct it")
    if all(document in _ITERATIONS for documents in run.values() for document in documents):
        raise InputError(
            f"{lines.name}: every document is called 0 or Q0, so this file seems to hold qrels; name a run"
        )
    return run


def _read_qrels(path: str | Path) -> _Documents:
    """Read qrels: the judged documents of each query with their labels.

    Raises
    ------
    InputError
        A line does not belong to qrels, or a query has a document twice.
    """
    lines = Lines(text_file(path))
    qrels: _Documents = {}
    for where, query, document, text in _rows(lines, _QRELS):
        label = _whole(text)
        _add(qrels, where, query, document, label)
        if label is None:
            how = "correct it, or remove the line if it is a header" if where.endswith(", line 1") else "correct it"
            raise InputError(f"{where}: the label {_shown(text)} is not an integer; {how}")
        if abs(label) > _LARGEST_LABEL:
            raise InputError(f"{where}: the label {label} is too large; the last column must hold the relevance label")
    return qrels


def _add(found: _Documents, where: str, query: str, document: str, value: Any) -> None:
    """Add a document of a query.

    Raises
    ------
    InputError
        It is there already.
    """
    documents = found.setdefault(query, {})
    if document in documents:
        swapped = "; this file seems to hold qrels, not a run" if document in _ITERATIONS else "; keep one of the lines"
        raise InputError(f"{where}: query {query!r} has document {document!r} twice{swapped}")
    documents[document] = value


def _rows(lines: Lines, form: _Form) -> Iterator[tuple[str, str, str, bytes]]:
    """Yield place, query, document and value; only ASCII white space separates cells, as in trec_eval."""
    width = query = document = value = 0
    widths, columns = form
    for number, line in enumerate(lines.raw(), start=1):
        cells, where = line.split(), f"{lines.name}, line {number}"
        if not cells:
            continue
        if len(cells) != width:
            if width or len(cells) not in widths:
                expected = f"earlier lines have {width}" if width else columns
                raise InputError(f"{where}: {how_many(len(cells), 'column')}, but {expected}; correct the line")
            width = len(cells)
            query, document, value = widths[width]
        try:
            yield where, cells[query].decode(), cells[document].decode(), cells[value]
        except UnicodeDecodeError as error:  # which counts the bytes of the cell, not of the line
            shift = line.index(error.object)
            whole = UnicodeDecodeError("utf-8", line, shift + error.start, shift + error.end, "")
            raise lines.not_utf8(number, whole) from error
    if not width:
        raise InputError(f"{lines.name} is empty; {columns} columns")


def _whole(text: bytes) -> int | None:
    try:
        return None if b"_" in text else int(text)
    except ValueError:
        return None


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="replace"))
