"""Scores from files that the caller lists by system and task: TREC runs with qrels, or one score per line.

Runs rank documents for queries, and ir_measures computes a measure for each query.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_path
from podium.base.errors import InputError
from podium.base.words import LONG, Aside, few, how_many, with_names
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.direction import directed
from podium.source.file import Lines, finite
from podium.source.path import text_file
from podium.source.tool.retrieval import Documents, Evaluation, measure_named
from podium.source.tool.trec_listing import Listing, Qrels, Runs, listed, listed_in, located

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

#: How qrels are named.
_AS_QRELS = "name qrels with commas between them, as in --qrels a.qrels,b.qrels"

#: Topics that are numbers, and no more: of these, different ones are different.
_NUMBER = re.compile(r"0|[1-9]\d{0,17}", re.ASCII)

#: Queries of which at least one has a judged document, if runs and qrels belong together; fewer may have none.
_ENOUGH = 10

#: A label; trec_eval needs memory for every one up to the largest.
_INTEGER, _LARGEST_LABEL = re.compile(rb"[-+]?\d{1,4000}"), 10**6


def read_trec(
    runs: Runs,
    qrels: Qrels,
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
        System → task → file, system → files, or files, plain or compressed; see
        `podium.source.tool.trec_listing.listed`. Lines hold query, Q0, document, rank, score and tag, or query,
        document, rank and score, separated by white space.
    qrels
        Task → file, or files. Lines hold query, iteration, document and label (an integer), or the same without
        iteration.
    measure
        A measure of ir_measures, such as `nDCG@10`, `RR`, `AP`, `P(rel=2)@5`, `R@100` or `Judged@10`, in any case; or
        as trec_eval calls it, such as `ndcg_cut_10`, `map` or `P_5`.
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
        common or no judged document, a task has runs but no qrels, or the measure cannot be computed.
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
    ...     scores = read_trec(run, qrels, "recip_rank")
    >>> scores.tasks[0].values
    array([[0.5, 1. ]])
    """
    listing = listed(runs, qrels).select(tasks, systems)
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
    listing = located(file, listed_in(file).select(tasks, systems))
    if listing.qrels is None and measure is not None:
        raise InputError(f"{path} lists scores, not runs, so {measure} cannot be computed; leave out the measure")
    scores = _per_line(listing) if listing.qrels is None else _evaluated(listing, measure or "nDCG@10")
    return directed(scores, lower=lower, higher=higher)


def _per_line(listing: Listing) -> Scores:
    """Read files with one score per line; the instance is the line number, from 0.

    Scores of a task are missing if a system has no file for it.
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
            what = f"{lines.name}, line {blank} is blank"
            raise InputError(f"{what}; every line must hold a score, because lines are compared")
        number = finite(text)
        if number is None:
            what = f"{lines.name}, line {place}: {_shown(text[:60])} is not a finite number"
            raise InputError(f"{what}; every line must hold one score and nothing else")
        numbers.append(number)
    if not numbers:
        raise InputError(f"{lines.name} is empty; it needs one score per line")
    return np.array(numbers)


def _evaluated(listing: Listing, measure: str) -> Scores:
    """Compute a measure on every query of runs that are listed with qrels."""
    if listing.qrels is None:
        raise InputError("runs cannot be evaluated without qrels; list the qrels too")
    found = measure_named(measure)
    lacking: list[str] = []
    unjudged: list[str] = []
    blind: list[str] = []
    tasks, family, judged = list[Task](), list[str](), dict[str, Any]()
    for key, label in listing.tasks.items():
        qrels = _documents(Lines(text_file(listing.qrels[key])), _QRELS, _label)
        queries = sorted(qrels)
        evaluation = Evaluation(found, qrels, queries)
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
            shared = [query for query in queries if query in run]
            unknown = [query for query in shared if run[query].keys().isdisjoint(qrels[query])]
            if len(unknown) == len(shared) >= _ENOUGH:
                raise InputError(
                    f"{files[key]} has no document that {listing.qrels[key]} judges, in {len(shared):,} queries of "
                    "both; check that both belong to the same task, or leave the run out"
                )
            values[row] = evaluation.values(run)
            where = f"system {system!r}, task {label!r}"
            blind += _queries(where, unknown, len(shared)) if 2 * len(unknown) > len(shared) else []
            lacking += _queries(where, [query for query in queries if query not in run], len(qrels))
            unjudged += _queries(where, sorted(query for query in run if query not in qrels), len(run))
        names: Any = np.array(queries, dtype=np.dtypes.StringDType())
        tasks.append(Task.cut(label, values, systems=list(listing.files), instances=names))
        family.append(next((task for task, other in judged.items() if other == qrels), label))
        judged.setdefault(label, qrels)
    notes = [with_names("queries that a run lacks score 0: ", lacking, most=2, room=LONG)] if lacking else []
    notes += [with_names("queries without qrels are left out: ", unjudged, most=2, room=LONG)] if unjudged else []
    notes += (
        [with_names("most queries have no judged document; are these their qrels? ", blind, most=2, room=LONG)]
        if blind
        else []
    )
    notes.append(Aside(f"the measure is {found}, see --measure"))
    if len(set(family)) > 1:
        tasks = list(map(_of_collection, tasks, family))
    return Scores(tuple(listing.files), tuple(tasks), notes=(*listing.notes, *notes), metric=str(found))


def _of_collection(task: Task, name: str) -> Task:
    """Return a task whose topics are those of one of several collections; numbers of others are other topics."""
    topics = [] if task.instances is None else task.instances.tolist()
    if all(_NUMBER.fullmatch(topic) for topic in topics):
        return replace(task, family=name, instances=np.array(topics, dtype=np.int64))
    return replace(task, family=name)


def _queries(where: str, names: list[str], total: int) -> list[str]:
    """Number of queries of a run, with the first names; nothing if there are no queries."""
    return [f"{where}: {len(names):,} of {total:,} ({few(list(map(repr, names)), 1)})"] if names else []


def _read_run(path: str | Path) -> Documents:
    """Read a run: the documents of each query with their scores; ranks and tags are ignored, as in trec_eval."""
    lines = Lines(text_file(path))
    run = _documents(lines, _RUN, _score)
    if all(document in _ITERATIONS for documents in run.values() for document in documents):
        what = f"{lines.name}: every document is called 0 or Q0"
        raise InputError(f"{what}, so this file seems to hold qrels, not a run: {_AS_QRELS}")
    return run


def _documents(lines: Lines, form: _Form, value: Callable[[str, bytes], float]) -> Documents:
    """Read the documents of each query with what `value` makes of a place and a text; none may be there twice."""
    found: Documents = {}
    for where, query, document, text in _rows(lines, form):
        documents = found.setdefault(query, {})
        if document in documents:
            swapped = f"this file seems to hold qrels, not a run: {_AS_QRELS}"
            cure = swapped if document in _ITERATIONS else "keep one of the lines"
            raise InputError(f"{where}: query {query!r} has document {document!r} twice; {cure}")
        documents[document] = value(where, text)
    return found


def _score(where: str, text: bytes) -> float:
    if (score := finite(text)) is None:
        raise InputError(f"{where}: the score {_shown(text)} is not a finite number; correct it")
    return score


def _label(where: str, text: bytes) -> int:
    if not _INTEGER.fullmatch(text):
        how = "correct it, or remove the line if it is a header" if where.endswith(", line 1") else "correct it"
        raise InputError(f"{where}: the label {_shown(text)} is not an integer; {how}")
    if abs(label := int(text)) > _LARGEST_LABEL:
        raise InputError(f"{where}: the label {label} is too large; the last column must hold the relevance label")
    return label


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


def _shown(text: bytes) -> str:
    return repr(text.decode(errors="replace"))
