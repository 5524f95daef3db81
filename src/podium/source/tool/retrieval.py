"""Retrieval: measures that ir_measures computes, and what it, `trec_eval -q` and ranx print of other evaluations."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from podium.base.arrays import Floats
from podium.base.errors import InputError, MissingExtraError, nearest
from podium.base.words import About, few
from podium.source.file import reason
from podium.source.tool.content import Content, having, parsed
from podium.source.tool.run import Repeated, Run, Tool, all_files, each_metric

#: A line of trec_eval: measure, query or "all", value.
_OF_TREC_EVAL = re.compile(r"([A-Za-z]\w*(?:[.\-]\w+)*)\s*\t(\S+)\t(\S+)\s*")

#: Measures that trec_eval prints, by how they begin.
_KNOWN = re.compile(
    r"(runid|num_q|num_ret|num_rel|num_rel_ret|num_nonrel\w*|map(_\w+)?|gm_map|gm_bpref|Rprec(_mult\w*)?|bpref|"
    r"recip_rank|iprec_at_recall_\S+|P_\S+|relative_P\S*|recall_\S+|relstring\S*|infAP|set_\w+|success_\S+|11pt_avg|"
    r"G|Rndcg|ndcg(_\w+)?|binG|utility|yaap)"
)

#: Measures that count, or whose values of queries are logarithms.
_NO_SCORE = ("num_", "gm_", "relstring", "utility", "Num")

#: Measures of ir_measures, with what they depend on and how many documents count.
_MEASURE = (
    r"(?:Accuracy|M?AP(?:_IA)?|BPM|B[Pp]ref|Compat|n?ERR_IA|ERR|[α]_n?DCG|alpha_n?DCG|n?NRBP|P_IA|StRecall|INS[TQ]|infAP"
    r"|IPrec|Judged|[nN]DCG|NERR(?:8|9|10|11)|Num(?:Q|Rel|Ret|RelRet)|P|Precision|R|Recall|RBP|R[Pp]rec|M?RR|SDCG"
    r"|Set(?:P|RelP|R|F|AP)|Success)(?:\([^\t]*\))?(?:@[\d.]+)?"
)

#: A line of ir_measures: the query, unless only means are printed, the measure and its value.
_OF_IR_MEASURES = re.compile(rf"(?:([^\t]+)\t)?({_MEASURE})\t(-?(?:\d[\d.]*(?:e[-+]?\d+)?|nan|inf))")

#: Names of the members of a JSON line.
_NAMES = frozenset(("query_id", "measure", "value"))

#: Lines that show what a file is, and bytes that hold them.
_SHOWN = 20

#: What stands for all queries; others stand for one.
_ALL = "all"


def _whole_lines(content: Content) -> list[str]:
    """Return the first lines of a text, without one that may be cut off."""
    shown = content.head[:4096].decode("utf-8", errors="replace")
    return shown[: shown.rfind("\n") + 1].splitlines()[:_SHOWN]


def _is_of_trec_eval(content: Content) -> bool:
    found = [_OF_TREC_EVAL.fullmatch(line) for line in _whole_lines(content)]
    return bool(found) and all(one is not None and _KNOWN.fullmatch(one[1]) for one in found)


def _is_of_ir_measures(content: Content) -> bool:
    if content.keys:
        return {"measure", "value"} <= content.keys <= _NAMES and _of_json(content.first_line) is not None
    lines = _whole_lines(content)
    return bool(lines) and all(_OF_IR_MEASURES.fullmatch(line) for line in lines)


#: Measure, query and value of a line; None for another line.
_Line = tuple[str, str, str | float] | None


def _of_trec_eval(line: bytes, _: str) -> _Line:
    found = _OF_TREC_EVAL.fullmatch(line.decode("utf-8", errors="replace").rstrip("\r\n"))
    return (found[1], found[2], found[3]) if found and line.endswith(b"\n") else None


def _of_ir_measures(line: bytes, where: str) -> _Line:
    is_whole = line.endswith(b"\n")
    if line.startswith(b"{"):
        return _of_json(parsed(line, where)) if is_whole or line.endswith(b"}") else None
    found = _OF_IR_MEASURES.fullmatch(line.decode("utf-8", errors="replace").rstrip("\r\n")) if is_whole else None
    return (found[2], found[1] or _ALL, found[3]) if found else None


def _of_json(given: Any) -> _Line:
    if not isinstance(given, dict) or not {"measure", "value"} <= given.keys():
        return None
    measure, value = given["measure"], given["value"]
    if not isinstance(measure, str) or not re.fullmatch(_MEASURE, measure) or not isinstance(value, int | float):
        return None
    return measure, str(given.get("query_id", _ALL)), float(value)


@dataclass(slots=True)
class _Printed:
    """A file of printed measures: values by measure, means, and the name of the run."""

    content: Content
    system: str
    scores: dict[str, Repeated] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, content: Content, tool: str, split: Callable[[bytes, str], _Line]) -> "_Printed":
        """Read the lines of a file, of a run that has its name if it names no other."""
        file = cls(content, content.path.stem)
        with content.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                found = split(line, f"{content.name}, line {number}")
                if found is None:
                    where = f"{content.path.name}, line {number}"
                    file.notes.append(About(f"what is cut off, or no line of {tool}, is left out", where))
                elif found[0] == "runid":
                    file.system = str(found[2])
                elif not found[0].startswith(_NO_SCORE):
                    measure, query, value = found
                    if query == _ALL:
                        file.means[measure] = float(value)
                    else:
                        file.scores.setdefault(measure, Repeated()).add(query, float(value))
        file.notes = file.notes[:1]
        return file


def _read(tool: str, split: Callable[[bytes, str], _Line], contents: Sequence[Content]) -> Iterator[Run]:
    """Take a file for a system; if names come again, each folder is a task."""
    files = [_Printed.of(content, tool, split) for content in contents]
    again = max(Counter(file.system for file in files).values(), default=0) > 1
    tasks: dict[str, list[_Printed]] = {}
    for file in files:
        tasks.setdefault(file.content.path.resolve().parent.name if again else tool, []).append(file)
    notes = ("runs of one name are in several files: each folder is a task",) if again else ()
    for task, printed in tasks.items():
        _fill(printed)
        for file in printed:
            run = Run(file.content.name, file.system, task, "", higher_is_better=True, notes=(*notes, *file.notes))
            run = replace(run, settings={"file": file.content.path.stem})
            yield from each_metric(run, file.means, file.scores)


_read_trec_eval = partial(_read, "trec_eval", _of_trec_eval)
_read_ir_measures = partial(_read, "ir_measures", _of_ir_measures)


def _fill(files: Sequence[_Printed]) -> None:
    """Give 0 to queries that a run lacks, as with qrels; runs that share no query with others are of other topics."""
    for metric in dict.fromkeys(chain.from_iterable(file.scores for file in files)):
        having = [file for file in files if metric in file.scores]
        counts = Counter(chain.from_iterable(file.scores[metric].instances for file in having))
        shared = [file for file in having if any(counts[query] > 1 for query in file.scores[metric].instances)]
        queries = dict.fromkeys(chain.from_iterable(file.scores[metric].instances for file in shared))
        for file in shared:
            if lacking := file.scores[metric].fill(queries, 0.0):
                file.means.pop(metric, None)  # it is over the queries of the run alone
                file.notes.append(About("queries that a run lacks score 0", f"{file.system} ({few(lacking, 2)})"))


def _read_ranx(content: Content) -> Iterator[Run]:
    """Yield scores of a report, which is a task, by the name of its file."""
    given: Mapping[str, Any] = content.json
    for model in given["model_names"]:
        scores = given[model]["scores"]
        run = Run(content.name, str(model), content.path.stem, "", higher_is_better=True)
        yield from each_metric(run, {str(metric): float(scores[metric]) for metric in given["metrics"]})


TOOLS = (
    Tool("trec-eval", "trec_eval", _is_of_trec_eval, _read_trec_eval, unit=all_files),
    Tool("ir-measures", "ir_measures", _is_of_ir_measures, _read_ir_measures, unit=all_files),
    Tool("ranx", "ranx", having(metrics=[str], model_names=[str], stat_test=str), _read_ranx),
)


#: Errors of providers of measures if they do not accept parameters or rankings.
_REFUSALS = (ArithmeticError, AssertionError, LookupError, OSError, RuntimeError, TypeError, ValueError)

#: Measures that trec_eval calls otherwise; and how it writes a cutoff.
_TREC_EVAL = {"recip_rank": "RR", "ndcg_cut": "nDCG", "map_cut": "AP"}
_CUTOFF = re.compile(r"(ndcg_cut|map_cut|P|recall|success)_(\d+)", re.IGNORECASE)

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

    def values(self, run: Documents) -> Floats:
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
    spelled = _CUTOFF.fullmatch(text.strip())
    name, parameters, at = _split_up(f"{spelled[1]}@{spelled[2]}" if spelled else text)
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


def _split_up(text: str) -> tuple[str, dict[str, Any], Any]:
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
