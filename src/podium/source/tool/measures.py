"""Measures of retrieval: named, and computed by ir_measures for each query, from runs and qrels."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError, nearest
from podium.base.words import how_many
from podium.source.file import Lines, finite, reason
from podium.source.path import text_file

#: Errors of providers of measures if they do not accept parameters or rankings.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)

#: Measures that trec_eval calls otherwise; and how it writes a cutoff.
_TREC_EVAL = {"recip_rank": "RR", "ndcg_cut": "nDCG", "map_cut": "AP"}
_OF_TREC_EVAL = re.compile(r"(ndcg_cut|map_cut|P|recall|success)_(\d+)", re.IGNORECASE)

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


class Evaluation:
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
    """Find the measure with a name such as `nDCG@10`, `RR` or `P(rel=2)@5`; capitals and names of trec_eval as well.

    Raises
    ------
    InputError
        The text names no measure, several measures, or a measure that cannot be computed per query.
    MissingExtraError
        ir_measures is not installed.

    Examples
    --------
    >>> measure_named("P( rel = 2 ) @ 5"), measure_named("ndcg_cut_10"), measure_named("map")
    (P(rel=2)@5, nDCG@10, AP)
    """
    library = _library()
    text = str(text)  # also takes a measure of ir_measures
    spelled = _OF_TREC_EVAL.fullmatch(text.strip())
    name, parameters, at = _parsed(f"{spelled[1]}@{spelled[2]}" if spelled else text)
    known: dict[str, Any] = library.measures.registry
    folded = {**{one.casefold(): one for one in known}, **_TREC_EVAL}
    if (meant := name if name in known else folded.get(name.casefold())) is None:
        raise InputError(f"there is no measure {name!r}; {nearest(name, known)}")
    measure = known[meant]
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
    how = f"before: {' or '.join(filter(None, ways))}" if any(ways) else "with these parameters; choose others"
    raise InputError(f"measure {text!r} cannot be computed {how}")


def _refused(measure: Any, error: BaseException) -> InputError:
    return InputError(f"measure {measure} cannot be computed: {reason(error) or type(error).__name__}")


def read_run(path: str | Path) -> _Documents:
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


def read_qrels(path: str | Path) -> _Documents:
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
