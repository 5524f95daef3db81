"""Results of learners on tables of data: folds, failed and repeated ones, and directions."""

from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

import podium
from podium.source.logs import find_logs
from support.tools import scores

AUTOML = """id,task,framework,constraint,fold,type,result,metric,mode,version,params,utc,duration,seed,info,auc,logloss
t/1,adult,A,1h8c,0,binary,0.91,auc,aws,1.0,,2024-01-01T00:00:00,60.5,1,,0.91,
t/1,adult,A,1h8c,1,binary,,auc,aws,1.0,,2024-01-01T01:00:00,61.5,2,OutOfMemory,,
t/1,adult,A,1h8c,1,binary,0.93,auc,aws,1.0,,2024-01-02T00:00:00,62.5,2,,0.93,
t/1,adult,B,1h8c,0,binary,0.81,auc,aws,1.0,,2024-01-01T00:00:00,60.5,1,,0.81,
t/1,adult,B,1h8c,1,binary,,auc,aws,1.0,,2024-01-01T00:00:00,60.5,2,TimeOut,,
t/2,car,A,1h8c,0,multiclass,-0.9,neg_logloss,aws,1.0,,2024-01-01T00:00:00,60.5,1,,,0.9
t/2,car,B,1h8c,0,multiclass,-0.2,neg_logloss,aws,1.0,,2024-01-01T00:00:00,60.5,1,,,0.2
"""


def test_folds_of_the_automl_benchmark_are_instances(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(AUTOML, "utf-8")
    logs = find_logs(tmp_path, "automl-benchmark")
    assert logs is not None
    found = {(run.system, run.task): run for run in logs.read().runs}
    assert scores(found["A", "adult"]) == {0: 0.91, 1: 0.93}
    samples = found["A", "adult"].samples
    assert samples is not None
    assert sorted(samples.covariates["seconds"]) == [60.5, 62.5]
    assert found["B", "adult"].notes == ("folds without a result are missing: B on adult (1)",)
    table = podium.read(tmp_path / "results.csv")
    assert table.systems == ("A", "B")
    assert all(task.higher_is_better for task in table.tasks)
    assert podium.rank(podium.read(tmp_path / "results.csv", tasks=["car*"])).systems == ("B", "A")


def test_errors_of_tabarena_are_better_lower(tmp_path: Path) -> None:
    rows = [
        {"method": method, "dataset": data, "fold": fold, "metric_error": error, "time_train_s": 1.0, "imputed": False}
        for method, error in (("LGB", 0.1), ("RF", 0.2))
        for data in ("adult", "car")
        for fold in (0, 1)
    ]
    rows[-1]["imputed"] = True
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "results.parquet")
    found = podium.read(tmp_path)
    assert [(task.name, task.higher_is_better, task.n_instances) for task in found.tasks] == [
        ("adult", False, 2),
        ("car", False, 2),
    ]
    assert podium.rank(found).systems == ("LGB", "RF")
    assert "results of others that stand for failed ones count, as in TabArena: RF on car (1)" in found.notes
