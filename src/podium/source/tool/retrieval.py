"""Evaluations of retrieval: what `trec_eval -q` and ir_measures print, query by query, and reports of ranx."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from podium.base.words import About, few
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
