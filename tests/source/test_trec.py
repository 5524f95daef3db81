"""TREC runs and qrels: which lines are read, in whose order documents stand, and what is refused."""

import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import podium
from podium.errors import InputError, LabelError, MissingExtraError
from podium.score.table import Scores
from podium.score.units import units_among
from podium.source.tool.retrieval import measure_named
from support.entry import answer, run

QRELS = "q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\nq3 0 d1 1\n"
RUN = "q1 Q0 d2 1 3.5 tag\nq1 Q0 d1 2 2.5 tag\nq2 Q0 d3 1 9 tag\nq3 Q0 d4 1 1e-3 tag\n"

Run = dict[str, dict[str, float]]


def written(folder: Path, **files: str | bytes) -> dict[str, Path]:
    """Write files of these names."""
    paths = {name: folder / name for name in files}
    for name, content in files.items():
        paths[name].write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def values(folder: Path, run: str | bytes, qrels: str | bytes = QRELS, measure: str = "RR") -> dict[str, float]:
    """Evaluate one run: value by query."""
    paths = written(folder, run=run, qrels=qrels)
    task = podium.read_trec({"A": {"t": paths["run"]}}, {"t": paths["qrels"]}, measure).tasks[0]
    assert task.instances is not None
    return dict(zip(task.instances.tolist(), task.values[0].tolist(), strict=True))


@pytest.mark.parametrize(
    "run",
    [RUN.replace(" ", "\t").replace("\n", "\r\n"), b"\xef\xbb\xbf" + RUN.encode(), gzip.compress(RUN.encode())],
    ids=["tabs", "mark", "gzip"],
)
def test_forms_of_a_run(tmp_path: Path, run: str | bytes) -> None:
    assert values(tmp_path, run) == {"q1": 0.5, "q2": 1.0, "q3": 0.0}


def test_content_not_the_ending_tells_what_is_compressed(tmp_path: Path) -> None:
    files = {"a.run.gz": gzip.compress(RUN.encode()), "a.qrels.gz": QRELS.encode()}
    paths = written(tmp_path, **files)
    scores = podium.read_trec({"A": {"t": paths["a.run.gz"]}}, {"t": paths["a.qrels.gz"]}, "RR")
    assert scores.tasks[0].values.tolist() == [[0.5, 1.0, 0.0]]


def test_names_of_any_letters_stay_apart(tmp_path: Path) -> None:
    # white space beyond ASCII divides nothing, and 07 is another query than 7
    run = "07 Q0 d\u00a01 1 2 t\n7 Q0 d\u00a01 1 2 t\nü Q0 文 1 2 t\n"
    assert values(tmp_path, run, "07 0 d\u00a01 1\n7 0 d\u00a02 1\nü 0 文 1\n") == {"07": 1.0, "7": 0.0, "ü": 1.0}


RUN_ERRORS: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (RUN.encode() + b"q4 Q0 d\xff 1 1 tag\n", r"line 5: byte 8 of the line \(0xff\) is not UTF-8"),
    "UTF-16": (RUN.encode("utf-16"), "line 1: .* is not UTF-8"),
    "damaged": (gzip.compress(RUN.encode() * 99)[:-9], "is damaged"),
}


@pytest.mark.parametrize("name", RUN_ERRORS)
def test_runs_that_are_refused(tmp_path: Path, name: str) -> None:
    content, message = RUN_ERRORS[name]
    with pytest.raises(InputError, match=f"{tmp_path}/run.*{message}"):
        values(tmp_path, content)
    with pytest.raises(InputError, match=f"{tmp_path}/qrels.*line 1: byte 1 of the line"):
        values(tmp_path, RUN, b"\xff 0 d1 1\n")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    paths = written(tmp_path, bm25=RUN, qrels=QRELS)
    with pytest.raises(InputError, match=r"there is no file or folder '.*/bm52'; did you mean 'bm25'"):
        podium.read_trec({"A": {"t": tmp_path / "bm52"}}, {"t": paths["qrels"]})
    with pytest.raises(InputError, match="is a folder; name a file"):
        podium.read_trec({"A": {"t": paths["bm25"]}}, {"t": tmp_path})


def test_arguments_that_are_refused(tmp_path: Path) -> None:
    paths = written(tmp_path, run=RUN, qrels=QRELS)
    run, qrels = paths["run"], paths["qrels"]
    cases: list[tuple[Any, Any, str]] = [
        ({"A": {"u": run}}, {"t": qrels}, "task 'u' has no qrels; there are 't'"),
        ({"A": {"t": run}, "B": {}}, {"t": qrels}, "system 'B' has no file for any task"),
        ({}, {"t": qrels}, "no system is listed"),
        ({"A": 3}, {"t": qrels}, "expected paths of files, not 3"),
        ({"A": {"t": run}, "B": 3}, {"t": qrels}, "expected paths of files, not a dict"),
        ({"A": {"t": 3}}, {"t": qrels}, "system 'A', task 't': expected the path of a file, not 3"),
        ({3: {"t": run}}, {"t": qrels}, "the name of a system must be text, not 3; put it in quotes"),
        ([3], {"t": qrels}, "expected the path of a file, not 3"),
        ({"A": {"t": run}}, 3, "expected paths of files, not 3"),
    ]
    for runs, judged, message in cases:
        with pytest.raises(InputError, match=message):
            podium.read_trec(runs, judged)
    with pytest.raises(LabelError, match="there is no system 'B'"):
        podium.read_trec({"A": {"t": run}}, {"t": qrels}, systems=["B"])


@pytest.mark.parametrize(
    "text", ["nDCG@10", "P(rel=2)@5", "IPrec@0.1", "nDCG(dcg='exp-log2')@10", "nDCG(gains={1:5})@3"]
)
def test_measures_are_those_of_ir_measures(text: str) -> None:
    assert measure_named(text) == ir_measures.parse_measure(text)
    assert measure_named(ir_measures.parse_measure(text)) == ir_measures.parse_measure(text)


def test_ties_are_broken_by_document_last_first(tmp_path: Path) -> None:
    qrels = "q 0 d1 1\nq 0 d2 0\n"
    for measure in ("RR", "RR@10", "P@1", "Accuracy"):  # of four providers
        for lines in ("q Q0 d1 1 5 t\nq Q0 d2 2 5 t\n", "q Q0 d2 1 5 t\nq Q0 d1 2 5 t\n"):
            assert values(tmp_path, lines, qrels, measure)["q"] == {"RR": 0.5, "RR@10": 0.5}.get(measure, 0.0)
    # in the middle of them, and in single precision
    three = "q Q0 d1 1 5.0000001 t\nq Q0 d2 2 5 t\nq Q0 d3 3 5 t\n"
    assert values(tmp_path, three, "q 0 d1 1\n", "RR") == {"q": pytest.approx(1 / 3)}
    assert values(tmp_path, "q Q0 d1 1 1e300 t\nq Q0 d2 2 1e299 t\n", qrels) == {"q": 0.5}


def test_ranks_of_the_file_mean_nothing(tmp_path: Path) -> None:
    assert values(tmp_path, "q Q0 d2 1 1 t\nq Q0 d1 2 5 t\n", "q 0 d1 1\n") == {"q": 1.0}


def test_a_query_that_the_run_lacks_scores_0_and_one_without_qrels_is_left_out(tmp_path: Path) -> None:
    run = "q1 Q0 d1 1 2 t\nq8 Q0 d1 1 2 t\nq9 Q0 d1 1 2 t\n"
    for measure in ("RR", "Judged@10", "ERR@5", "RR@3", "Compat", "NumRet", "infAP"):  # of five providers
        found = values(tmp_path, run, measure=measure)
        assert list(found) == ["q1", "q2", "q3"]
        assert found["q1"] > 0
        assert (found["q2"], found["q3"]) == (0, 0)
    paths = written(tmp_path, run=run, full=RUN, qrels=QRELS)
    runs = {"A": {"t": paths["run"]}, "B": {"t": paths["full"]}}
    scores = podium.read_trec(runs, {"t": paths["qrels"]}, "RR")
    assert scores.tasks[0].values.tolist() == [[1, 0, 0], [0.5, 1, 0]]
    assert scores.notes == (
        "queries that a run lacks score 0: system 'A', task 't': 2 of 3 ('q2' and 1 more)",
        "queries without qrels are left out: system 'A', task 't': 2 of 3 ('q8' and 1 more)",
        "the measure is RR, see --measure",
    )


def test_a_run_and_its_qrels_are_of_one_collection(tmp_path: Path) -> None:
    queries = [str(number) for number in range(1, 21)]  # as every track numbers its topics
    qrels = {name: "".join(f"{query} 0 {name}{query} 1\n" for query in queries) for name in ("covid", "antique")}
    files = {f"{name}.qrels": text for name, text in qrels.items()}
    for name, judged in (("own", 20), ("better", 20), ("half", 9), ("other", 0)):
        found = ("covid" if place < judged else "x" for place in range(20))
        lines = (f"{query} Q0 {one}{query} 1 1.0 t\n" for query, one in zip(queries, found, strict=True))
        files[f"{name}.run"] = "".join(lines)
    written(tmp_path, **files)
    for typed in ("compare own.run better.run --qrels antique.qrels", "rank *.run --qrels covid.qrels"):
        done = run(tmp_path, typed)
        assert done.returncode == 2
        assert re.search(r"\w+.run has no document that \w+.qrels judges, in 20 queries of both; check", done.stderr)
    notes = json.loads(answer(tmp_path, "compare own.run half.run --qrels covid.qrels -f json"))["notes"]
    said = (
        "most queries have no judged document; are these their qrels? system 'half', task 'covid': 11 of 20 ('10' and "
    )
    assert any(note.startswith(said) for note in notes)
    assert "the measure is nDCG@10, see --measure" in notes
    # a gate takes runs as a comparison does
    for named in ("half.run own.run", "before=half.run after=own.run"):
        gate = json.loads(answer(tmp_path, f"gate {named} --qrels covid.qrels --margin 0.01 -f json"))
        assert (gate["verdict"], gate["suite"]["better"]) == ("pass", 11)
    # of two qrels the second is a run, unless a comma joins them
    done = run(tmp_path, "compare own.run half.run --qrels covid.qrels antique.qrels --control own --all")
    assert (done.returncode, "as in --qrels a.qrels,b.qrels" in done.stderr) == (2, True)
    done = run(tmp_path, "gate half.run own.run --qrels covid.qrels --margin -0.01")
    assert (done.returncode, done.stderr.partition(";")[0]) == (
        2,
        "error: --margin -0.01: a number below 0 makes no sense here",
    )


def test_notes_stay_short(tmp_path: Path) -> None:
    paths = written(tmp_path, run=RUN, qrels=QRELS + "".join(f"x{number} 0 d 1\n" for number in range(2000)))
    runs = {f"S{number}": {"t": paths["run"]} for number in range(7)}
    note, _ = podium.read_trec(runs, {"t": paths["qrels"]}).notes
    assert "system 'S0', task 't': 2,000 of 2,003 ('x0' and 1,999 more)" in note
    assert note.endswith(" and 6 more")
    assert len(note) <= 140


@pytest.mark.skipif(not Path("/usr/bin/perl").exists(), reason="ERR is computed by a script in Perl")
def test_queries_keep_their_names_whatever_the_provider(tmp_path: Path) -> None:
    # the provider of ERR drops what stands before a dash
    run = "a-1 Q0 d1 1 2 t\nb-1 Q0 d1 1 2 t\n"
    found = values(tmp_path, run, "a-1 0 d1 1\nb-1 0 d1 3\n", "ERR@5")
    assert 0 < found["a-1"] < found["b-1"]


def test_a_task_without_a_run_is_missing(tmp_path: Path) -> None:
    paths = written(tmp_path, run=RUN, qrels=QRELS)
    runs: Mapping[str, Mapping[str, Path]] = {"A": {"t": paths["run"]}, "B": {"u": paths["run"], "t": paths["run"]}}
    qrels = {"u": paths["qrels"], "unused": tmp_path / "nowhere", "t": paths["qrels"]}
    scores = podium.read_trec(runs, qrels, "RR")
    assert scores.task_names == ("u", "t")
    assert [task.scored.tolist() for task in scores.tasks] == [[0, 3], [3, 3]]
    assert scores.notes[:-1] == ("1 task left out (no system has a run): 'unused'",)
    only = podium.read_trec(runs, qrels, "RR", systems=["A"], tasks=["u"])
    assert (only.task_names, only.tasks[0].scored.tolist()) == (("u",), [0])


def test_the_measure_is_named_by_titles_axes_and_json(tmp_path: Path) -> None:
    topics = [f"q{topic}" for topic in range(12)]
    qrels = "".join(f"{topic} 0 d1 1\n" for topic in topics)
    for name, share in (("a", 3), ("b", 2)):
        hits = "".join(f"{topic} Q0 d{1 if place % share else 2} 1 1 t\n" for place, topic in enumerate(topics))
        (tmp_path / f"{name}.run").write_text(hits, encoding="utf-8")
    (tmp_path / "t.qrels").write_text(qrels, encoding="utf-8")
    scores = podium.read_trec(sorted(tmp_path.glob("*.run")), tmp_path / "t.qrels", "recip_rank")
    found = podium.compare(scores, "a", "b")
    assert (scores.metric, found.to_dict()["metric"], podium.rank(scores).to_dict()["metric"]) == ("RR",) * 3
    assert isinstance(found, podium.MetaAnalysis)
    assert found.title == "b against a, mean difference (RR): 1 task"
    assert podium.plots.forest(found).get_xlabel() == "mean difference (RR)"
    assert podium.plots.cd(podium.rank(scores, "mean")).get_xlabel() == "mean: RR, best at the right"
    assert "metric" not in podium.rank(podium.datasets.demo()).to_dict()


@pytest.mark.parametrize("same", [False, True])
def test_topics_of_two_collections_with_the_same_numbers_are_not_the_same(tmp_path: Path, same: bool) -> None:
    qrels = {name: "".join(f"{topic} 0 {'d' if same else name} 1\n" for topic in range(1, 31)) for name in "uv"}
    run = "".join(f"{topic} Q0 {name} {topic} 1 t\n" for topic in range(1, 31) for name in "uvd")
    paths = written(tmp_path, run=run, **qrels)
    names = {name: paths[name] for name in "uv"}
    scores = podium.read_trec({"A": dict.fromkeys("uv", paths["run"])}, names, "RR")
    assert len(units_among(scores.tasks)) == (1 if same else 2)
    assert sorted(map(str, scores.tasks[0].instances)) == sorted(map(str, range(1, 31)))  # type: ignore[arg-type]


def test_files_of_others_are_not_opened(tmp_path: Path) -> None:
    paths = written(tmp_path, run=RUN, qrels=QRELS)
    gone = tmp_path / "gone"
    runs = {"A": {"t": paths["run"], "u": gone}, "B": {"t": gone, "u": gone}}
    scores = podium.read_trec(runs, {"t": paths["qrels"], "u": gone}, tasks=["t"], systems=["!B"])
    assert (scores.systems, scores.task_names) == (("A",), ("t",))


_NAMES = st.sampled_from(["1", "10", "2", "a-b", "é", "Z"])
_RUNS = st.dictionaries(
    _NAMES,
    st.dictionaries(
        st.sampled_from([f"d{number}" for number in range(8)]), st.sampled_from([0.1, 0.25, 1.0, 7.0]), min_size=1
    ),
    min_size=1,
)
_QRELS = st.dictionaries(
    _NAMES,
    st.dictionaries(st.sampled_from([f"d{number}" for number in range(8)]), st.integers(-1, 3), min_size=1),
    min_size=1,
)


def _lines(content: Mapping[str, Mapping[str, float]], form: str, order: random.Random) -> str:
    lines = [form.format(query, document, value) for query, row in content.items() for document, value in row.items()]
    order.shuffle(lines)
    return "".join(lines)


@given(one=_RUNS, other=_RUNS, qrels=_QRELS, order=st.randoms(), measure=st.sampled_from(["nDCG@3", "AP", "P@2", "RR"]))
def test_neither_lines_nor_systems_have_an_order(
    one: Run, other: Run, qrels: dict[str, dict[str, int]], order: random.Random, measure: str
) -> None:
    one.setdefault(min(qrels), {"d1": 1.0})
    other.setdefault(min(qrels), {"d2": 1.0})
    with TemporaryDirectory() as name:
        first = _scores(Path(name), {"A": one, "B": other}, qrels, measure, order)
        second = _scores(Path(name), {"B": other, "A": one}, qrels, measure, order)
    np.testing.assert_array_equal(first.tasks[0].values, second.tasks[0].values[::-1])
    # as ir_measures alone has it, which gives those that a run lacks too
    parsed = ir_measures.parse_measure(measure)
    expected = {metric.query_id: metric.value for metric in ir_measures.iter_calc([parsed], qrels, one)}
    assert first.tasks[0].instances is not None
    assert first.tasks[0].instances.tolist() == sorted(qrels)
    assert first.tasks[0].values[0].tolist() == [expected[query] for query in sorted(qrels)]


def _scores(folder: Path, runs: dict[str, Run], qrels: Any, measure: str, order: random.Random) -> Scores:
    contents = {system: _lines(run, "{0} Q0 {1} 0 {2} tag\n", order) for system, run in runs.items()}
    paths = written(folder, qrels=_lines(qrels, "{0} 0 {1} {2}\n", order), **contents)
    return podium.read_trec({system: {"t": paths[system]} for system in runs}, {"t": paths["qrels"]}, measure)


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    with pytest.raises(MissingExtraError, match=r"evaluating runs needs ir-measures: pip install .*\[trec\]"):
        values(tmp_path, RUN)


def test_the_extra_is_loaded_when_runs_are_read() -> None:
    code = "import sys, json, podium; print(json.dumps(sorted({'ir_measures', 'yaml', 'pyarrow'} & set(sys.modules))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_labels_far_below_zero_are_not_relevant(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 -2\nq2 0 d1 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q1 Q0 d1 1 1.0 t\nq2 Q0 d1 1 1.0 t\n", encoding="utf-8")
    for measure in ("nDCG@10", "AP", "P@5"):
        scores = podium.read_trec({"a": {"t": tmp_path / "run"}}, {"t": tmp_path / "qrels"}, measure)
        assert scores.tasks[0].values[0].tolist() == [0.0, 0.2 if measure == "P@5" else 1.0]


@pytest.mark.parametrize(
    ("files", "qrels", "systems"),
    [
        (["run.a", "run.b"], ["q"], ["run.a", "run.b"]),
        (["bm25.run", "dense.run.gz"], ["q"], ["bm25", "dense"]),
        (["covid.bm25.run", "covid.v2.run"], ["covid.qrels"], ["bm25", "v2"]),
        (["covid.bm25.run", "web.bm25.run"], ["covid.qrels", "qrels.web.txt"], ["bm25"]),
        (["a/covid.run", "a/web.run", "b/covid.run", "b/web.run"], ["covid", "web"], ["a", "b"]),
        (["covid/bm25.txt", "covid-19/bm25.txt"], ["covid.tsv", "covid-19.tsv"], ["bm25"]),
    ],
)
def test_runs_find_their_qrels_and_names_by_their_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: list[str], qrels: list[str], systems: list[str]
) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(RUN, encoding="utf-8")
    (tmp_path / "judged").mkdir()
    for name in qrels:
        (tmp_path / "judged" / name).write_text(QRELS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    scores = podium.read_trec(files, "judged", "recip_rank")
    assert list(scores.systems) == systems
    assert len(scores.tasks) == len(qrels)
    assert {task.values[0].tolist()[0] for task in scores.tasks} == {0.5}
    named = podium.read_trec({"x": files[: len(qrels)]}, [f"judged/{name}" for name in qrels], "RR")
    assert named.systems == ("x",)


def test_runs_that_no_name_tells_apart_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, **dict.fromkeys(("a.run", "b.run"), RUN), covid=QRELS, web=QRELS)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"a\.run does not say which qrels it belongs to; .*: covid, web"):
        podium.read_trec(["a.run"], ["covid", "web"])
    with pytest.raises(InputError, match=r"a\.run and b\.run are both runs of 'x' on 'covid'"):
        podium.read_trec({"x": ["a.run", "b.run"]}, "covid")
    with pytest.raises(InputError, match=r"there is no file 'c\.run'"):
        podium.read_trec("c.run", "covid")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        *((one, "nDCG@10") for one in ("nDCG@10", "ndcg@10", "NDCG@10", "ndcg_cut_10")),
        *((one, "AP") for one in ("AP", "map", "ap", "MAP")),
        *((one, "P@5") for one in ("P_5", "P@5", "p@5", "precision@5")),
        *((one, "RR") for one in ("recip_rank", "RR", "rr", "MRR")),
        *((one, "R@100") for one in ("recall_100", "R@100", "recall@100")),
    ],
)
def test_a_measure_has_the_names_that_tools_give_it(typed: str, name: str) -> None:
    assert str(measure_named(typed)) == name
