"""What `trec_eval -q` prints, and reports of ranx."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import podium
from podium.source.logs import find_logs
from support.tools import mean, runs, scores, written

GENUINE = Path(__file__).parent / "genuine" / "ranx-0.3.21.json"


def printed(run: str, **queries: tuple[float, float]) -> str:
    """What trec_eval prints, in its widths: measures of queries, then of all."""
    lines = []
    for query, (average, precision) in queries.items():
        lines += [("num_ret", query, "500"), ("map", query, f"{average:6.4f}"), ("P_5", query, f"{precision:6.4f}")]
    count = len(queries)
    means = [sum(column) / count for column in zip(*queries.values(), strict=True)]
    lines += [("runid", "all", run), ("num_q", "all", str(count))]
    lines += [("map", "all", f"{means[0]:6.4f}"), ("gm_map", "all", "0.1"), ("P_5", "all", f"{means[1]:6.4f}")]
    return "".join(f"{measure:<22}\t{query}\t{value}\n" for measure, query, value in lines)


FIRST = printed("bm25", q301=(0.25, 0.4), q302=(0.75, 0.6))
SECOND = printed("dense", q301=(0.5, 0.4), q302=(1.0, 0.8))


def test_queries_and_means(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(FIRST, "utf-8")
    found = runs(tmp_path)
    assert [(one.system, one.task, one.metric, one.mean) for one in found] == [
        ("bm25", "trec_eval", "map", 0.5),
        ("bm25", "trec_eval", "P_5", 0.5),
    ]
    assert scores(found[0]) == {"q301": 0.25, "q302": 0.75}
    for one in found:
        assert mean(one) == pytest.approx(one.mean, abs=1e-4)


def test_runs_are_compared(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_text(FIRST, "utf-8")
    (tmp_path / "b.eval").write_text(SECOND, "utf-8")
    assert podium.rank(podium.read(tmp_path)).systems == ("dense", "bm25")


def test_runs_of_several_collections(tmp_path: Path) -> None:
    for folder in ("robust", "web"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(FIRST, "utf-8")
        (tmp_path / folder / "b.txt").write_text(SECOND, "utf-8")
    assert set(podium.read(tmp_path).task_names) == {"robust", "web"}


def test_a_query_that_a_run_lacks_scores_0(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("map\tq1\t0.45\nmap\tq2\t0.4\nmap\tall\t0.425\n", "utf-8")
    (tmp_path / "b.txt").write_text("map\tq1\t0.55\nmap\tall\t0.55\n", "utf-8")
    (tmp_path / "c.txt").write_text("map\tq1\t0.3\n", "utf-8")
    found = podium.read(tmp_path)
    assert found.systems == ("a", "b", "c")
    assert "queries that a run lacks score 0: b (q2), c (q2)" in found.notes
    assert podium.rank(found, method="mean").score == pytest.approx([0.425, 0.275, 0.15])


def test_runs_of_other_topics_lack_no_queries(tmp_path: Path) -> None:
    for name, query in (("a", "q1"), ("b", "q1"), ("c", "w1")):
        (tmp_path / f"{name}.txt").write_text(f"map\t{query}\t0.5\n", "utf-8")
    assert not any("lacks" in note for run in runs(tmp_path) for note in run.notes)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    for end in range(len(FIRST)):
        (tmp_path / "a.txt").write_text(FIRST[:end], "utf-8")
        logs = find_logs(tmp_path)
        if logs is not None:
            assert all(
                score in (0.25, 0.75, 0.4, 0.6)
                for run in logs.read().runs
                if run.samples
                for score in run.samples.scores
            )
    (tmp_path / "a.txt").write_text(FIRST[:-3], "utf-8")
    assert "is cut off" in runs(tmp_path)[0].notes[0]


def test_a_report_of_ranx() -> None:
    given = json.loads(GENUINE.read_text("utf-8"))
    found = runs(GENUINE)
    assert [(one.system, one.metric, one.place) for one in found] == [
        ("bm25", "mrr", 0),
        ("bm25", "ndcg@10", 1),
        ("dense", "mrr", 0),
        ("dense", "ndcg@10", 1),
    ]
    assert [one.mean for one in found] == [given[one.system]["scores"][one.metric] for one in found]


BY_QUERY = "q1\tnDCG@10\t0.2500\nq1\tAP(rel=2)\t0.5\nq2\tnDCG@10\t0.7500\nq2\tAP(rel=2)\t1e-01\nq1\tNumRet\t9\n"
SUMMARY = "all\tnDCG@10\t0.5000\nall\tAP(rel=2)\t0.3\n"


def test_what_ir_measures_prints(tmp_path: Path) -> None:
    rows = [line.split("\t") for line in (BY_QUERY + SUMMARY).splitlines()]
    lines = [{"query_id": query, "measure": measure, "value": float(value)} for query, measure, value in rows]
    (tmp_path / "bm25.txt").write_text(BY_QUERY + SUMMARY, "utf-8")
    written(tmp_path / "dense.jsonl", lines)
    found = runs(tmp_path)
    assert [(one.system, one.task, one.metric, one.mean) for one in found] == [
        ("bm25", "ir_measures", "nDCG@10", 0.5),
        ("bm25", "ir_measures", "AP(rel=2)", 0.3),
        ("dense", "ir_measures", "nDCG@10", 0.5),
        ("dense", "ir_measures", "AP(rel=2)", 0.3),
    ]
    for one in found:
        assert mean(one) == pytest.approx(one.mean, abs=1e-9)
        assert list(scores(one)) == ["q1", "q2"]


@pytest.mark.parametrize("asked", [[], ["-o", "jsonl"], ["-n"], ["-p", "-1"]])
def test_what_the_command_of_ir_measures_prints(tmp_path: Path, asked: list[str]) -> None:
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n", "utf-8")
    (tmp_path / "run").write_text("q1 Q0 d2 0 2 x\nq1 Q0 d1 1 1 x\nq2 Q0 d3 0 2 x\nq2 Q0 d4 1 1 x\n", "utf-8")
    command = [sys.executable, "-m", "ir_measures", "qrels", "run", "RR AP(rel=2) P@2 NumRet", "-q", *asked]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=100).stdout
    (tmp_path / "bm25.txt").write_text(said, "utf-8")
    found = {one.metric: one for one in runs(tmp_path / "bm25.txt")}
    assert found.keys() == {"RR", "AP(rel=2)", "P@2"}
    assert scores(found["RR"]) == {"q1": 0.5, "q2": 1.0}
    for one in found.values():
        assert one.mean is None if "-n" in asked else mean(one) == pytest.approx(one.mean, abs=1e-9)


@pytest.mark.parametrize("ending", ["txt", "tsv"])
def test_means_that_ir_measures_prints(tmp_path: Path, ending: str) -> None:
    for number, name in enumerate(("a", "b")):
        (tmp_path / f"{name}.{ending}").write_text(f"AP\t0.{number + 2}\nRR@10\t0.5\n", "utf-8")
    names = [str(tmp_path / f"{name}.{ending}") for name in "ab"]
    assert podium.read(names).tasks[0].values.tolist() == [[0.2], [0.3]]


def test_damaged_output_of_ir_measures(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for end in range(len(BY_QUERY)):
        path.write_text(BY_QUERY[:end], "utf-8")
        logs = find_logs(path)
        found = [] if logs is None else list(logs.read().runs)
        values = [score for one in found if one.samples for score in one.samples.scores]
        assert set(values) <= {0.25, 0.5, 0.75, 0.1}
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"query_id": "q1", "measure": "AP", "value": 0.5}\n{"query_id": "q2", "mea', "utf-8")
    assert "no line of ir_measures, is left out: a.jsonl, line 2" in runs(lines)[0].notes[0]
