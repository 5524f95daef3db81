"""JSON Schemas of all results, from their types and what they hold: `python -m support.schemas` in tests writes them.

A property is described as its attribute is. A number may be null, as NaN is no JSON, and an instance is a text or a
number. Anything else is what it is in the examples, and required if all of them have it.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

import podium
from podium.description.result import VARIANCES
from podium.difficulty.result import Difficulty, Measure
from podium.ranking.method_spec import METHODS
from podium.ranking.result import HeadToHead
from podium.report.result import Result
from support.results import EXAMPLES, bias, earlier, more_scores, priced, prompted, scores, task_scores

PLACE = Path(podium.__file__).with_name("data") / "schemas.json"

#: Objects whose names are those of systems, tasks, methods and the like.
MAPS = frozenset(
    {
        *(
            "budget",
            "scores",
            "scored",
            "mean",
            "std_error",
            "covariates",
            *VARIANCES,
            "mean_rank",
            "leaders",
            "breakdown",
        )
    }
)


#: Keys of rows that name a method or a system, or count splits.
_LABEL = re.compile(rf"^({'|'.join(METHODS)})\b|^score of |_\d+$")


def variants() -> Iterator[Result]:
    """Yield results that hold what the usual examples lack."""
    table, one = scores(), task_scores()
    roles: dict[str, Any] = {"control": "A_1", "treatment": "<b>B"}
    halves = {"a": ["<t0>", "<t1>", "<t2>"], "b": ["<t3>", "<t4>", "<t5>"]}
    sizes: Any = {"size": {f"<t{k}>": float(k) for k in range(6)}, "half": {f"<t{k}>": "ab"[k % 2] for k in range(6)}}
    holes = podium.from_dict({
        f"s{k}": {f"t{j}": float(k + j) for j in range(6) if (k, j) != (1, 2)} for k in range(4)
    })  # fmt: skip
    for method in ("mean", "kemeny", "bradley-terry", "irt"):
        yield podium.rank(table, method, confidence_level=None)
    long = np.random.default_rng(0)
    answers = (replace(task, covariates={"length": long.random(task.values.shape)}) for task in table.tasks)
    yield podium.rank(replace(table, tasks=tuple(answers)), "mean", adjust="length", confidence_level=None)
    yield podium.rank(prompted(), "mean", n_resamples=50)
    yield podium.compare(prompted(), **roles)
    yield podium.rank(one, n_resamples=50)
    yield podium.rank(one, system_families={"A_1": "<b>B"}, n_resamples=50)
    yield podium.correlate(one, table, names=["a", "b"], n_resamples=50)
    yield podium.rank(holes, "borda:missing=bounds", confidence_level=None)
    yield podium.compare(table, **roles, groups=halves, margin=0.1, diagnostics=True)
    yield podium.compare(table, **roles, effect="or", moderators=sizes)
    yield podium.compare(table, **roles, cluster={"x": ["<t0>", "<t1>"]}, beside={"BLEU": table})
    yield podium.compare_all(table, control="A_1", effect="smd", moderators=sizes)
    yield podium.compare_all(table.select(tasks=["<t0>"]), control="A_1")
    yield podium.pool([0.1, 0.3], [0.01, 0.02])
    yield podium.pool([0.1, 0.3, 0.2], [[0.02, 0.01, 0], [0.01, 0.04, 0], [0, 0, 0.01]])
    yield podium.compare(one, **roles)
    yield podium.gate(table.select(systems=["A_1"]), table.select(systems=["<b>B"]), margin="1%", tasks_too=True)
    yield podium.history({"old": earlier(), "new": table}, confidence_level=None)
    yield podium.plan(table, units="tasks", n_resamples=50)
    yield podium.allocate(holes, 3, settle="tiers", n_resamples=50)
    yield podium.allocate(table, 12, n_resamples=50)
    yield podium.customize(table, bias(), splits=2, confidence_level=None)
    yield podium.failures(table)
    yield podium.irt(table)
    toy = podium.datasets.toy_table1()
    yield podium.condorcet(toy)
    yield HeadToHead(podium.pairwise(toy), podium.condorcet(toy), ())
    yield podium.stress(one, ["mean", "borda"], only=["missing", "tasks"], repeats=5, n_jobs=1)
    yield podium.stress(table, ["mean", "borda:two"], only=["missing", "corrupt"], repeats=5, n_jobs=1)
    yield podium.influence(one, keep=3)
    yield podium.influence(toy, "mean")
    yield Difficulty(np.array(["a", "b"]), (Measure("bias", np.array([0.1, 0.2]), "low"),))
    yield podium.frontier(priced(), n_resamples=100)
    yield podium.subset(more_scores(), whole_tasks=3)
    varying = (replace(task, covariates={"s": np.abs(task.values).astype(np.float64) + 1}) for task in table.tasks)
    yield podium.frontier(replace(table, tasks=tuple(varying)), method="mean", n_resamples=100)
    yield podium.judge({"human": ["x", "y", "x", "x"], "judge": ["x", "y", "y", "x"]})
    yield podium.judge({"id": [1, 1, 2], "model_a": list("aba"), "model_b": list("bac"), "winner": list("aab")})
    yield podium.info(one)
    yield podium.info(podium.datasets.xtreme_missing())


def schemas() -> dict[str, Any]:
    """Return a schema for each kind of result."""
    kinds: dict[str, type[Result]] = {}
    for result in (*(make() for make in EXAMPLES.values()), *variants()):
        kinds[result.schema] = type(result)
        _HELD[result.schema].append(json.loads(result.render("json")))
    return {kind: _of_kind(kinds[kind], kind, _HELD[kind]) for kind in sorted(_HELD)}


#: What results hold, by their kind.
_HELD: dict[str, list[dict[str, Any]]] = defaultdict(list)


def _of_kind(made: type[Result], kind: str, held: Sequence[dict[str, Any]]) -> dict[str, Any]:
    found = _shape(held)
    said, types = _said_of(made), {one.name: str(one.type) for one in fields(made)}  # type: ignore[arg-type]  # each is one
    for name, one in found["properties"].items():
        if name in said:
            one["description"] = said[name]
        if "None" in types.get(name, "") and isinstance(one.get("type"), str):
            one["type"] = sorted({one["type"], "null"})
        if types.get(name) == str(int):
            one["type"] = "integer"
    found["properties"]["kind"] = {"const": kind}
    found["properties"]["schema_version"] = {"const": held[0]["schema_version"]}
    found["properties"]["podium_version"]["description"] = "Version of podium that made it."
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"podium.{made.__name__}"}
    return {**head, "description": str(made.__doc__).partition("\n")[0], **found}


def _said_of(made: type[Result]) -> dict[str, str]:
    """Return what the docstring of a type says of its attributes."""
    lines = re.findall(r"^    (\w+(?:, \w+)*)\n((?:        .*\n)+)", str(made.__doc__), flags=re.MULTILINE)
    return {name: " ".join(text.split()) for names, text in lines for name in names.split(", ")}


def _shape(values: Sequence[Any], name: str = "") -> dict[str, Any]:
    """Return a schema that all values of a name have."""
    kinds = {_kind(value) for value in values}
    if kinds & {"integer", "number"}:
        kinds = kinds - ({"integer"} if "number" in kinds else set()) | {"null"}
    if kinds == {"null"}:  # of what it may be otherwise, no example tells
        return {}
    if name == "instance":
        kinds = {"integer", "string"} | kinds & {"null"}
    shape: dict[str, Any] = {"type": min(kinds) if len(kinds) == 1 else sorted(kinds)}
    if objects := [value for value in values if isinstance(value, Mapping)]:
        shape |= _of_objects(objects, name)
    items = [item for value in values if isinstance(value, list) for item in value]
    return shape | ({"items": _shape(items, name)} if items else {})


def _of_objects(objects: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    if all("schema_version" in one for one in objects):  # a result inside another
        objects = _HELD[objects[0]["kind"]] or objects
    if name in MAPS:
        return {"additionalProperties": _shape([value for one in objects for value in one.values()], name)}
    names = [key for key in dict.fromkeys(key for one in objects for key in one) if not _LABEL.search(key)]
    return {
        "properties": {key: _shape([one[key] for one in objects if key in one], key) for key in names},
        "required": [key for key in names if all(key in one for one in objects)],
    }


#: Types of JSON, as schemas call them.
_KINDS: dict[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def written() -> str:
    """Return the file as it is to be."""
    return json.dumps(schemas(), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    PLACE.write_text(written(), encoding="utf-8")
