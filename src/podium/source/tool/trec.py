"""Scores from TREC runs and qrels: one measure for each query."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from podium.base.errors import InputError
from podium.base.words import few
from podium.score.table import Scores, Task
from podium.source.read import Finish
from podium.source.tool.listing import Listing
from podium.source.tool.measure import Evaluation, measure_named
from podium.source.tool.trec_file import Qrels, Run, read_qrels, read_run


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
