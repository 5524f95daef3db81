"""Measures of retrieval: named, and computed by ir_measures for each query, from runs and qrels."""

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError, nearest
from podium.source.file import reason

#: Errors of providers of measures if they do not accept parameters or rankings.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)

#: Measures that trec_eval calls otherwise; and how it writes a cutoff.
_TREC_EVAL = {"recip_rank": "RR", "ndcg_cut": "nDCG", "map_cut": "AP"}
_OF_TREC_EVAL = re.compile(r"(ndcg_cut|map_cut|P|recall|success)_(\d+)", re.IGNORECASE)

#: By query and document, the score of a run or the label of qrels.
Documents = dict[str, dict[str, Any]]


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

    def __init__(self, measure: Any, qrels: Documents, queries: list[str]) -> None:
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

    def values(self, run: Documents) -> NDArray[np.float64]:
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
