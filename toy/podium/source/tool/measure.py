"""Measures of retrieval by name, and their values per query, which ir_measures computes."""

import ast
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError, nearest
from podium.source.tool.trec_file import Qrels, Run

#: What providers of measures raise for parameters or rankings that they cannot take.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)


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
