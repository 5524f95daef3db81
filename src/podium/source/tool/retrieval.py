"""Evaluations of retrieval: what `trec_eval -q` and ir_measures print, query by query, and reports of ranx."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from podium.base.words import About, few
from podium.source.tool.content import Content, parsed
from podium.source.tool.run import Repeated, Run, Tool

#: A line of trec_eval: measure, query or "all", value.
_OF_TREC_EVAL = re.compile(r"([A-Za-z]\w*(?:[.\-]\w+)*)\s*\t(\S+)\t(\S+)\s*")

#: Measures that trec_eval prints, by how they begin.
_KNOWN = re.compile(
    r"(runid|num_q|num_ret|num_rel|num_rel_ret|num_nonrel\w*|map(_\w+)?|gm_map|gm_bpref|Rprec(_mult\w*)?|bpref|"
    r"recip_rank|iprec_at_recall_\S+|P_\S+|relative_P\S*|recall_\S+|relstring\S*|infAP|set_\w+|success_\S+|11pt_avg|"
    r"G|Rndcg|ndcg(_\w+)?|binG|utility|yaap)"
)

#: Measures that count, or whose values of queries are logarithms.
_NO_SCORE = ("num_", "gm_", "runid", "relstring", "utility")

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

#: What stands for all queries, where others stand for one.
_ALL = "all"


def _whole_lines(content: Content) -> list[str]:
    """The first lines of a text, without one that may be cut off."""
    text = content.head[:4096].decode("utf-8", errors="replace")
    return text[: text.rfind("\n") + 1].splitlines()[:_SHOWN]


def _is_of_trec_eval(content: Content) -> bool:
    found = [_OF_TREC_EVAL.fullmatch(line) for line in _whole_lines(content)]
    return bool(found) and all(one is not None and _KNOWN.fullmatch(one[1]) for one in found)


@dataclass(slots=True)
class _Printed:
    """What a file says: values by measure, means, and the name of the run."""

    content: Content
    system: str
    scores: dict[str, Repeated] = field(default_factory=dict)
    means: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def _together(_path: str) -> str:
    """The unit of all files, since what their tasks are depends on which names of runs come again."""
    return ""


def _read_trec_eval(contents: Sequence[Content]) -> Iterator[Run]:
    yield from _runs([_parsed(content) for content in contents], "trec_eval")


def _runs(files: Sequence[_Printed], one_task: str) -> Iterator[Run]:
    """Take a file for a system; where names come again, each folder is a task."""
    again = max(Counter(file.system for file in files).values(), default=0) > 1
    tasks = [file.content.path.resolve().parent.name if again else one_task for file in files]
    for task in dict.fromkeys(tasks):
        _fill([file for file, name in zip(files, tasks, strict=True) if name == task])
    for file, task in zip(files, tasks, strict=True):
        notes = ("runs of one name are in several files: each folder is a task",) if again else ()
        names = dict.fromkeys([*file.scores, *file.means])
        for place, metric in enumerate(names):
            yield Run(
                file.content.name,
                file.system,
                task,
                metric,
                mean=file.means.get(metric),
                samples=file.scores[metric].samples() if metric in file.scores else None,
                higher_is_better=True,
                place=place,
                settings={"file": file.content.path.stem},
                notes=(*notes, *file.notes),
            )


def _fill(files: Sequence[_Printed]) -> None:
    """A query that a run lacks scores 0, as with qrels; runs that share no query with others are of other topics."""
    for metric in dict.fromkeys(chain.from_iterable(file.scores for file in files)):
        having = [file for file in files if metric in file.scores]
        counts = Counter(chain.from_iterable(file.scores[metric].instances for file in having))
        shared = [file for file in having if any(counts[query] > 1 for query in file.scores[metric].instances)]
        queries = dict.fromkeys(chain.from_iterable(file.scores[metric].instances for file in shared))
        for file in shared:
            if lacking := file.scores[metric].fill(queries, 0.0):
                file.means.pop(metric, None)  # it is over the queries of the run alone
                file.notes.append(About("queries that a run lacks score 0", f"{file.system} ({few(lacking, 2)})"))


TREC_EVAL = Tool("trec-eval", "trec_eval", _is_of_trec_eval, _together, _read_trec_eval)


def _parsed(content: Content) -> _Printed:
    file = _Printed(content, content.path.stem)
    with content.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            found = _OF_TREC_EVAL.fullmatch(line.decode("utf-8", errors="replace").rstrip("\r\n"))
            if found is None or not line.endswith(b"\n"):
                about = f"{content.path.name}, line {number}"
                file.notes.append(About("what is cut off, or no line of trec_eval, is left out", about))
                continue
            measure, query, value = found[1], found[2], found[3]
            if measure == "runid":
                file.system = value
            elif not measure.startswith(_NO_SCORE):
                if query == _ALL:
                    file.means[measure] = float(value)
                else:
                    file.scores.setdefault(measure, Repeated()).add(query, float(value))
    file.notes = file.notes[:1]
    return file


def _is_of_ir_measures(content: Content) -> bool:
    if content.keys:
        return {"measure", "value"} <= content.keys <= _NAMES and _of_json(content.first_line) is not None
    lines = _whole_lines(content)
    return bool(lines) and all(_OF_IR_MEASURES.fullmatch(line) for line in lines)


def _of_json(given: object) -> tuple[str, str, float] | None:
    """Query, measure and value; None for other JSON."""
    if not isinstance(given, dict) or not {"measure", "value"} <= given.keys():
        return None
    measure, value = given["measure"], given["value"]
    if not isinstance(measure, str) or not re.fullmatch(_MEASURE, measure) or not isinstance(value, int | float):
        return None
    return str(given.get("query_id", _ALL)), measure, float(value)


def _of_text(line: str) -> tuple[str, str, float] | None:
    found = _OF_IR_MEASURES.fullmatch(line)
    return None if found is None else (found[1] or _ALL, found[2], float(found[3]))


def _read_ir_measures(contents: Sequence[Content]) -> Iterator[Run]:
    yield from _runs([_printed(content) for content in contents], "ir_measures")


IR_MEASURES = Tool("ir-measures", "ir_measures", _is_of_ir_measures, _together, _read_ir_measures)


def _printed(content: Content) -> _Printed:
    """What a file says of one run, which has the name of the file."""
    file = _Printed(content, content.path.stem)
    with content.path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            where = f"{content.name}, line {number}"
            is_whole = line.endswith(b"\n")
            if not is_whole and line.startswith(b"{") and not line.endswith(b"}"):
                found = None
            elif line.startswith(b"{"):
                found = _of_json(parsed(line, where))
            else:
                found = _of_text(line.decode("utf-8", errors="replace").rstrip("\r\n")) if is_whole else None
            if found is None:
                about = f"{content.path.name}, line {number}"
                file.notes.append(About("what is cut off, or no line of ir_measures, is left out", about))
            elif not found[1].startswith("Num"):
                query, measure, value = found
                if query == _ALL:
                    file.means[measure] = value
                else:
                    file.scores.setdefault(measure, Repeated()).add(query, value)
    file.notes = file.notes[:1]
    return file


def _is_of_ranx(content: Content) -> bool:
    return content.has(metrics=[str], model_names=[str], stat_test=str)


def _read_ranx(contents: Sequence[Content]) -> Iterator[Run]:
    """Each report is a task, by the name of its file."""
    for content in contents:
        given = content.json
        for model in given["model_names"]:
            scores = given[model]["scores"]
            for place, metric in enumerate(given["metrics"]):
                yield Run(
                    content.name,
                    str(model),
                    content.path.stem,
                    str(metric),
                    mean=float(scores[metric]),
                    higher_is_better=True,
                    place=place,
                )


RANX = Tool("ranx", "ranx", _is_of_ranx, str, _read_ranx)


TOOLS = (TREC_EVAL, IR_MEASURES, RANX)
