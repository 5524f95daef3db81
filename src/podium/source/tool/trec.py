"""Scores from TREC runs and qrels: one measure for each query, which ir_measures computes."""

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError, nearest
from podium.base.words import few
from podium.score.table import Scores, Task
from podium.source.read import Finish
from podium.source.tool.listing import Listing
from podium.source.tool.trec_file import Qrels, Run, read_qrels, read_run

#: What providers of measures raise for parameters or rankings that they cannot take.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)


def read_trec(
    runs: Mapping[str, Mapping[str, str | Path]],
    qrels: Mapping[str, str | Path],
    measure: str = "nDCG@10",
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
) -> Scores:
    r"""Evaluate runs: a score is the value of a measure for one query; instances are the queries of the qrels.

    A mean is one over all queries of the qrels: one that a run lacks scores 0, which `Scores.notes` tells, and queries
    without qrels are left out. 0 is what a query without documents is worth to every measure of ir_measures; for one
    that is better lower it would be a gift, but none is in use. Scores of a task are missing where a system has no
    run for it.

    Documents are ranked by score, whatever rank the run says; ties, in single precision, are broken by document name,
    last first, as trec_eval does. How a measure treats documents without a label, and negative labels, is its own
    matter: to nDCG both are not relevant.

    Parameters
    ----------
    runs
        System → task → file, plain or compressed, whose lines hold query, Q0, document, rank, score and tag, or query,
        document, rank and score, divided by white space.
    qrels
        Task → file, whose lines hold query, iteration, document and label, an integer; the iteration may be absent.
    measure
        One measure of ir_measures, such as `nDCG@10`, `RR`, `AP`, `P(rel=2)@5`, `R@100` or `Judged@10`.
    tasks, systems
        Those to keep: labels or globs, `!glob` excludes. Files of others are not opened.
    lower, higher, weights, tie_tolerance
        Directions and weights; see `read`.

    Returns
    -------
    Scores
        Float64. Systems in the order of the runs, tasks in that of the qrels, queries sorted as text.

    Raises
    ------
    InputError
        A file cannot be read as a run or as qrels; the message names file and line. Or the two have no query in
        common, a task has runs and no qrels, or the measure cannot be computed.
    LabelError
        A task or system was named that does not exist.
    MissingExtraError
        ir_measures is not installed.
    WeightError
        A weight is negative or not finite, or all are zero.

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
    listing = Listing.of(runs, qrels).select(tasks=tasks, systems=systems)
    return Finish(lower, higher, weights, tie_tolerance).of(evaluate(listing, measure))


def evaluate(listing: Listing, measure: str) -> Scores:
    """Compute a measure on every query of runs that are listed with qrels.

    Raises
    ------
    InputError
        A file cannot be read, or the measure cannot be computed.
    MissingExtraError
        ir_measures is not installed.
    """
    if listing.qrels is None:
        raise InputError("runs cannot be evaluated without qrels; list them too")
    found = measure_named(measure)
    lacking: list[str] = []
    unjudged: list[str] = []
    tasks = []
    for key, label in listing.tasks.items():
        qrels = read_qrels(listing.qrels[key])
        evaluation = Evaluation(found, qrels)
        values = np.full((len(listing.files), len(qrels)), np.nan)
        for row, (system, files) in enumerate(listing.files.items()):
            if key not in files:
                continue
            run = read_run(files[key])
            _check_common(files[key], run, listing.qrels[key], qrels)
            values[row] = evaluation.values(run)
            where = f"system {system!r}, task {label!r}"
            lacking += _queries(where, [query for query in evaluation.queries if query not in run], len(qrels))
            unjudged += _queries(where, sorted(query for query in run if query not in qrels), len(run))
        names: Any = np.array(evaluation.queries, dtype=np.dtypes.StringDType())
        tasks.append(Task.cut(label, values, systems=list(listing.files), instances=names))
    notes = [f"queries of the qrels that a run lacks score 0: {few(lacking)}"] if lacking else []
    notes += [f"queries of a run without qrels are left out: {few(unjudged)}"] if unjudged else []
    return Scores(tuple(listing.files), tuple(tasks), notes=(*listing.notes, *notes))


def _check_common(run_path: str | Path, run: Run, qrels_path: str | Path, qrels: Qrels) -> None:
    if run.keys().isdisjoint(qrels):
        raise InputError(
            f"{run_path} and {qrels_path} have no query in common: the run has {min(run)!r}, the qrels {min(qrels)!r}; "
            "are they of one task?"
        )


def _queries(where: str, names: list[str], total: int) -> list[str]:
    """Count queries of a run, with the first few names; nothing where there are none."""
    return [f"{where}: {len(names):,} of {total:,} ({few(list(map(repr, names)), 3)})"] if names else []


class Evaluation:
    """One measure on the queries of one task.

    Documents of a query are ranked by score, highest first; scores that are equal in single precision tie, and ties
    are broken by document name, last first. That is the order of trec_eval; here it holds for every measure.

    Parameters
    ----------
    measure
        As `measure_named` returns it.
    qrels
        Labels of the documents, by query; the label of a document that is not mentioned is what the measure takes it
        to be, which is 0 for nearly all.

    Attributes
    ----------
    queries
        The K queries of the qrels, sorted.

    Raises
    ------
    InputError
        The measure cannot be computed.
    """

    def __init__(self, measure: Any, qrels: Qrels) -> None:
        self.measure = measure
        self.queries = sorted(qrels)
        # some providers take numbers only for names of queries
        self._numbers = {query: str(number) for number, query in enumerate(self.queries)}
        try:
            self._evaluator = _library().evaluator(
                [measure], {self._numbers[query]: _graded(qrels[query]) for query in qrels}
            )
        except _REFUSALS as error:
            raise _refused(measure, error) from error

    def values(self, run: Run) -> NDArray[np.float64]:
        """Return the value of each query, shape `(K,)`, in order of `queries`.

        Queries without qrels are left out. A query that the run lacks has the value 0, and so has one for which the
        measure is not defined.

        Raises
        ------
        InputError
            The measure cannot be computed on these documents.
        """
        numbers = self._numbers
        ranked = {numbers[query]: _ranked(documents) for query, documents in run.items() if query in numbers}
        values = np.zeros(len(self.queries))
        try:
            for metric in self._evaluator.iter_calc(ranked):
                if metric.query_id in ranked:
                    values[int(metric.query_id)] = metric.value
        except _REFUSALS as error:
            raise _refused(self.measure, error) from error
        return values


def _graded(labels: Mapping[str, int]) -> dict[str, int]:
    """Take all labels below 0 for −1, which they mean: some providers crash on others."""
    return {document: max(label, -1) for document, label in labels.items()}


def _ranked(documents: Mapping[str, float]) -> dict[str, float]:
    """Put places for scores, the more the better, so that no provider breaks ties in a way of its own."""
    with np.errstate(over="ignore"):
        single = np.array(list(documents.values())).astype(np.float32)
    order = sorted(zip(single.tolist(), documents, strict=True))
    return {document: float(place) for place, (_, document) in enumerate(order, start=1)}


def measure_named(text: str) -> Any:
    """Find the measure that a text such as `nDCG@10`, `RR` or `P(rel=2)@5` names.

    Raises
    ------
    InputError
        The text names no measure, or several, or one that cannot be computed per query from runs and qrels.
    MissingExtraError
        ir_measures is not installed.

    Examples
    --------
    >>> measure_named("P( rel = 2 ) @ 5")
    P(rel=2)@5
    """
    library = _library()
    text = str(text)  # a measure of ir_measures says its own name
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
    """Divide NAME(parameter=value, …)@value; ir_measures' own way does without what Python 3.14 still has."""
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
    """Refuse what the measure does not take, some of which would end the process."""
    known = measure.SUPPORTED_PARAMS
    for name, value in given.items():
        if name not in known:
            hint = nearest(name, known) if known else "it has none"
            raise InputError(f"measure {text!r}: {measure} has no parameter {name!r}; {hint}")
        counts = name == "cutoff"
        if not known[name].validate(value) or (counts and not (type(value) is int and 0 < value < 2**31)):
            hint = "; give a whole number from 1" if counts else ""
            raise InputError(f"measure {text!r}: {name} cannot be {value!r}{hint}")
    for name, parameter in known.items():
        if parameter.required and name not in given:
            hint = f"{measure}@10" if name == "cutoff" else f"{measure}({name}=…)"
            raise InputError(f"measure {text!r} needs a value of {name}, as in {hint}")


def _check_support(text: str, measure: Any, library: Any) -> None:
    if library.providers.registry["pyndeval"].supports(measure):
        raise InputError(f"measure {text!r} is about subtopics, which podium does not read; choose another")
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
