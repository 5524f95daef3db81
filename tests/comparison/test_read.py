"""Tables of effects that are known already."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

import podium
from podium.errors import InputError, LabelError
from support.compared import analysed


def written(folder: Path, text: str) -> Path:
    path = folder / "effects.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "header", ["task,effect,variance", "study,yi,vi", "Dataset,Estimate,VAR", "name,effect size,variance"]
)
def test_usual_names(tmp_path: Path, header: str) -> None:
    given = podium.read_effects(written(tmp_path, f"{header}\na,0.1,0.01\nb,-0.3,0.04\n"))
    assert (given.tasks, given.kind, given.n, given.groups) == (("a", "b"), "given", (None, None), {})
    assert_allclose(given.effects, [0.1, -0.3])
    assert_allclose(given.variances, [0.01, 0.04])


def test_standard_errors_names_numbers_and_groups(tmp_path: Path) -> None:
    path = written(tmp_path, "where,delta,sigma,n,group\na,0.1,0.1,50,x\nb,-0.3,0.2,,y\nc,0.2,0.1,7,x\n")
    given = podium.read_effects(path, task_column="where", effect_column="delta", std_error_column="sigma")
    assert_allclose(given.variances, [0.01, 0.04, 0.01])
    assert given.n == (50, None, 7)
    assert given.groups == {"x": ["a", "c"], "y": ["b"]}


def test_correlations(tmp_path: Path) -> None:
    given = podium.read_effects(written(tmp_path, "task,r,n\na,0.5,103\nb,-0.2,28\n"))
    assert given.kind == "corr"
    assert_allclose(given.effects, np.arctanh([0.5, -0.2]))
    assert_allclose(given.variances, [0.01, 0.04])


@pytest.mark.parametrize("kind", ["md", "smd", "corr", "rd", "or"])
def test_what_a_comparison_writes_is_read_as_it_was(tmp_path: Path, kind: str) -> None:
    values = (np.random.default_rng(0).random((3, 2, 50)) > 0.4).astype(float)
    scores = podium.from_arrays({f"t{i}": table for i, table in enumerate(values)}, systems=["A", "B"])
    analysis = analysed(scores, control="A", treatment="B", effect=kind)
    path = tmp_path / "effects.parquet"
    analysis.to_frame("polars").write_parquet(path)
    given = podium.read_effects(path)
    again = podium.pool(given.effects, given.variances, tasks=given.tasks, kind=given.kind)
    assert again.kind == kind
    assert again.summary.effect == pytest.approx(analysis.summary.effect, rel=1e-12)
    assert again.summary.low == pytest.approx(analysis.summary.low, rel=1e-9)


def test_formats_and_integers(tmp_path: Path) -> None:
    path = tmp_path / "effects.jsonl"
    pl.DataFrame({"task": ["a", "b"], "effect": [1, 2], "variance": [1, 2]}).write_ndjson(path)
    assert_allclose(podium.read_effects(path).effects, [1, 2])


def test_rows_without_an_effect_are_left_out_and_said(tmp_path: Path) -> None:
    given = podium.read_effects(written(tmp_path, "task,effect,variance\na,0.1,0.01\nb,,0.1\nc,0.2,NA\n"))
    assert given.tasks == ("a",)
    assert given.notes == ("2 rows left out because effect or variance is missing: b, c",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("task,effect\na,1\n", "a column of effects and one of variances.* Its columns are 'task', 'effect'"),
        ("task,effect,variance\na,1,0\n", "line 2: the variance must be greater than 0"),
        ("task,effect,se\na,1,1\nb,1,-1\n", "line 3: the variance must be greater than 0"),
        ("task,effect,variance\na,x,0\n", "line 2: column 'effect' holds 'x'"),
        ("task,effect,variance\na,,\n", "no row has both an effect"),
        ("task,effect,variance\n", "no row|no rows|header line and at least one row"),
        ("task,effect,variance,n\na,1,1,-5\n", "line 2: n is -5; it must be a whole number"),
        ("task,effect,variance,n\na,1,1,2.7\n", "n is 2.7"),
        ("task,r,n\na,1,10\n", "line 2: a correlation must be between -1 and 1, but it is 1"),
        ("task,effect,variance,se\na,1,2,9\n", "line 2: the variance must be std_error²"),
        ("task,r,n\na,.5,3\n", "n must be greater than 3"),
        ("task,effect,variance,measure\na,1,1,md\nb,1,1,smd\n", "different measures \\(md, smd\\)"),
        ("task,effect,variance,measure\na,1,1,xx\n", "no measure 'xx'"),
        ("task,effect,variance,measure\na,-1,1,or\n", "line 2: an odds ratio must be above 0"),
    ],
)
def test_what_makes_no_sense(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        podium.read_effects(written(tmp_path, text))


def test_a_column_of_correlations_that_is_named_wins(tmp_path: Path) -> None:
    path = written(tmp_path, "task,effect,variance,rho,n\na,9,9,0.5,103\n")
    given = podium.read_effects(path, r_column="rho")
    assert given.kind == "corr"
    assert_allclose(given.variances, [0.01])
    with pytest.raises(InputError, match=r"r_column= \(--r-column\) and effect_column= .* are both named"):
        podium.read_effects(path, r_column="rho", effect_column="effect")


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, "task,effect,variance\na,1,1\n")
    with pytest.raises(LabelError, match="no column 'efect'; did you mean 'effect'"):
        podium.read_effects(path, effect_column="efect")
    with pytest.raises(
        TypeError,
        match=r"read_effects\(\) got an unexpected keyword argument 'effect'; a column is named with effect_column=",
    ):
        podium.read_effects(path, effect="effect")


def test_empty_groups_and_capital_measures(tmp_path: Path) -> None:
    given = podium.read_effects(
        written(tmp_path, "task,Std. Error,Effect Size,group,measure\na,0.1,1,x,OR\nb,0.1,2,,or\n")
    )
    assert (given.kind, given.groups) == ("or", {"x": ["a"]})


def test_numbers_of_instances_that_no_column_can_hold(tmp_path: Path) -> None:
    path = written(tmp_path, "task,effect,variance,n\na,0.1,1,1.8e307\n")
    with pytest.raises(InputError, match=r"n is 1.8e\+307; it must be a whole number of instances, at most 2\*\*53"):
        podium.read_effects(path)
    with pytest.raises(InputError, match=r"at most 2\*\*53, or None"):
        podium.pool([0.1], [0.01], n=[10**30])
