"""Moderators as users give them, what is said of them, and influence diagnostics in results."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import podium
from podium.base.statistics import holm
from podium.comparison.moderators import Designs, regress
from podium.comparison.pooling import INTERVALS, pool
from podium.comparison.random_effects import ESTIMATORS
from podium.comparison.read import read_moderators
from podium.errors import InputError, LabelError, MethodError

EFFECTS = [0.10, 0.22, 0.31, 0.42, 0.49, 0.63, 0.70, 0.79, 0.93, 1.02]
SIZE = list(range(1, 11))
TASKS = [f"t{row}" for row in range(10)]


def pooled(moderators: Any = None, **options: Any) -> podium.MetaAnalysis:
    return podium.pool(EFFECTS, [0.001] * 10, tasks=TASKS, moderators=moderators, **options)


def test_values_come_in_order_or_by_task() -> None:
    by_task = dict(zip(TASKS, SIZE, strict=True)) | {"another": 5}
    every = [pooled({"size": given}).moderation for given in (SIZE, tuple(SIZE), np.array(SIZE), by_task)]
    assert all(one == every[0] for one in every)
    assert every[0] is not None
    assert [one.moderator for one in every[0].coefficients] == ["intercept", "size"]


def test_groups_are_compared_with_the_first_in_order() -> None:
    found = pooled({"domain": ["web", "law", "news", "law", "web"] * 2}).moderation
    assert found is not None
    assert [(one.group, one.reference) for one in found.coefficients[1:]] == [("news", "law"), ("web", "law")]
    lawful, rest = np.mean([EFFECTS[row] for row in (1, 3, 6, 8)]), np.mean([EFFECTS[row] for row in (0, 4, 5, 9)])
    assert_allclose(found.coefficients[0].estimate, lawful)
    assert_allclose(found.coefficients[2].estimate, rest - lawful)


def test_what_follows_is_said_first_and_the_coefficients_stand_below() -> None:
    analysis = pooled({"size": SIZE})
    assert analysis.moderated.startswith("effects differ with size (F(1, 8) = ")
    assert analysis.moderated.endswith("p < 0.001), which explains 100% of the variance between tasks")
    view = analysis.view()
    assert view.verdict == (analysis.conclusion, analysis.moderated)
    assert view.tables[1].head == ("moderator", "coefficient", "95% CI", "SE", "t", "p")
    assert any(note.startswith("with moderators τ² = 0") for note in view.explain)
    noise = pooled({"noise": [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]}).moderated
    assert noise.startswith("no sign that effects differ with noise (F(1, 8) = ")
    assert pooled({"a": SIZE}, interval="normal").moderated.startswith("effects differ with a (χ²(1) = ")
    assert not pooled().moderated


def test_files_have_everything() -> None:
    content = pooled({"size": SIZE, "domain": ["a", "b"] * 5}).to_dict()
    assert json.loads(json.dumps(content)) == content
    found = content["moderation"]
    assert found["values"] == {"size": [float(one) for one in SIZE], "domain": ["a", "b"] * 5}
    assert len(found["coefficients"]) == len(found["covariance"]) == 3
    assert pooled(interval="normal", moderators={"size": SIZE}).to_dict()["moderation"]["qm_df"] is None
    assert pooled().to_dict()["moderation"] is None


@pytest.mark.parametrize(
    ("moderators", "error", "message"),
    [
        ({"size": [7] * 10}, MethodError, r"moderator 'size' is 7 on all 10 tasks, .* leave it out"),
        ({"where": ["web"] * 10}, MethodError, r"moderator 'where' is web on all 10 tasks"),
        ({"size": [1, None, *SIZE[2:]]}, InputError, r"moderator 'size' has no value for t1; give one, or leave"),
        ({"size": {"t0": 1}}, InputError, r"no value for t1, t2, t3, t4, t5 and 4 more"),
        ({"size": [float("nan"), *SIZE[1:]]}, InputError, "no value for t0"),
        ({"size": [float("inf"), *SIZE[1:]]}, InputError, "moderator 'size' is inf on task 't0'; give a finite number"),
        ({"size": np.array(3.0)}, InputError, "give one value for each task"),
        ({"size": set(SIZE)}, InputError, "give one value for each task"),
        ({"size": [10**400, *SIZE[1:]]}, InputError, "moderator 'size' is inf on task 't0'; give a finite number"),
        ({"size": [1e300, *SIZE[1:]]}, InputError, r"'size' is 1e\+300 on task 't0'; .* from 1e-150 to 1e150"),
        ({"size": [-1e-300, *SIZE[1:]]}, InputError, r"'size' is -1e-300 on task 't0'; .* other units"),
        ({"size": ["", *"abcdefghi"]}, InputError, "no value for t0"),
        ({"size": ["big", *SIZE[1:]]}, InputError, r"'big' on task 't0'; give only numbers, or only texts"),
        ({"size": SIZE[1:]}, InputError, "moderator 'size' has 9 values for 10 tasks"),
        ({"size": 3}, InputError, "moderator 'size' is 3; give one value for each task"),
        ({"size": "large"}, InputError, "moderator 'size' is 'large'; give one value for each task"),
        (["size"], InputError, "moderators are given by name"),
        (
            {"a": SIZE, "b": [2 * one + 1 for one in SIZE]},
            MethodError,
            "moderator 'b' follows from 'a' .* leave one of",
        ),
        ({"a": ["x", "y"] * 5, "b": ["u", "v"] * 5}, MethodError, "group 'v' of moderator 'b' follows from 'a'"),
        ({"name": TASKS}, MethodError, r"'name' needs 10 coefficients, and there are 10 tasks; .* 11 tasks or more"),
    ],
)
def test_what_makes_no_sense_is_named(moderators: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pooled(moderators)


def test_large_numbers_far_from_zero_are_told_apart() -> None:
    year = pooled({"year": [2000 + one for one in SIZE]}).moderation
    size = pooled({"size": SIZE}).moderation
    assert year is not None
    assert size is not None
    assert_allclose(year.coefficients[1].estimate, size.coefficients[1].estimate, rtol=1e-9)
    assert year.qm_p == pytest.approx(size.qm_p, rel=1e-6)


def test_notes_say_where_an_interval_fails_and_where_tasks_are_few() -> None:
    often, few = "looks real too often with this interval", "show large differences only"

    def said(ratio: float, interval: Any = None, k: int = 10, *, size: Any = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)) -> str:
        variance = np.geomspace(0.001, 0.001 * ratio, k)
        analysis = podium.pool(EFFECTS[:k], variance, moderators={"size": size[:k]}, interval=interval)
        assert all(len(note) <= 140 for note in analysis.notes)
        return " ".join(analysis.notes)

    assert often not in said(1000)
    assert often in said(11, "adhoc")
    assert often not in said(9, "adhoc")
    assert often in said(6, "knapp-hartung")
    assert often in said(1.1, "normal")
    assert few in said(1, k=9)
    assert few not in said(1, k=10)
    assert few not in said(1, k=9, size=SIZE), "the moderator is seen"


def test_compare_takes_values_by_task_and_every_analysis_has_them() -> None:
    scores = podium.simulate.gumbel(3, 6, 100, dispersion=0.5, rng=0).scores
    size = {task: row for row, task in enumerate(scores.task_names)}
    one = podium.compare(scores, control="system 1", treatment="system 2", moderators={"size": size})
    every = podium.compare_all(scores, control="system 1", moderators={"size": size})
    assert isinstance(one, podium.MetaAnalysis)
    assert isinstance(every, podium.Comparisons)
    assert one.moderation is not None
    assert [again.moderation for again in every.analyses if again.treatment == "system 2"] == [one.moderation]
    alike = holm(np.array([again.moderation.qm_p for again in every.analyses if again.moderation]))
    assert [row["qm_holm"] for row in every.rows()] == alike.tolist()
    titles = [column.name for column in every.view().tables[-1].columns]
    assert titles[-3:] == ["F", "F p", "F Holm p"]
    plain = podium.compare_all(scores, control="system 1")
    assert "qm_p" not in plain.rows()[0]
    assert "F p" not in [column.name for column in plain.view().tables[-1].columns]
    short = {task: value for task, value in size.items() if task != "task 6"}
    with pytest.raises(InputError, match="no value for task 6"):
        podium.compare(scores, control="system 1", treatment="system 2", moderators={"size": short})
    with pytest.raises(MethodError, match="moderators needs scores of instances"):
        podium.compare(podium.datasets.toy_table1(), control="A", treatment="C", moderators={"size": size})


# Diagnostics


def test_every_task_has_its_diagnostics_and_tables_show_them_on_request() -> None:
    quiet, asked = pooled(), pooled(diagnostics=True)
    assert quiet.tasks == asked.tasks
    assert [task.hat for task in quiet.tasks] == [task.weight for task in quiet.tasks]
    assert len(quiet.view().tables) == 1
    head = ("task", "residual", "hat", "DFFITS", "Cook", "COVRATIO", "τ²", "Q")
    assert asked.view().tables[1].head[: len(head)] == head
    assert asked.rows()[0]["cook"] == asked.tasks[0].cook


def test_diagnostics_are_on_the_scale_of_pooling() -> None:
    ratio = podium.pool(EFFECTS, [0.001] * 10, kind="or")
    assert [task.studentised for task in ratio.tasks] == [task.studentised for task in pooled().tasks]


def test_one_task_and_very_many_have_none() -> None:
    for k in (1, 501):
        analysis = podium.pool([0.1] * k, [0.01] * k, diagnostics=True)
        assert np.isnan(analysis.tasks[0].cook)
        assert analysis.tasks[0].influential is None
        assert len(analysis.view().tables) == 1
        assert analysis.view().notes[0].startswith("no diagnostics: they need 2 to 500 tasks")
        assert analysis.rows()[0]["cook"] is None


def test_effects_that_depend_on_each_other_have_none() -> None:
    analysis = pooled(diagnostics=True, cluster={"few": ["t0", "t1"]})
    assert analysis.tasks[0].influential is None
    assert analysis.view().notes[0] == (
        "no diagnostics: they need 2 to 500 tasks whose effects are independent; take one of each set (--tasks)"
    )
    with pytest.raises(MethodError, match="'baujat' needs 2 to 500 tasks whose effects are independent"):
        analysis.plot("baujat")
    with pytest.raises(MethodError, match="moderators"):
        pooled({"size": SIZE}, cluster={"few": ["t0", "t1"]})


def test_a_note_names_who_moves_the_summary() -> None:
    far = [*np.linspace(-0.1, 0.1, 11), 1.5]
    assert "the summary depends much on task 12; report it with and without it" in podium.pool(far, [0.01] * 12).notes
    few = podium.pool([0.0, 0.1, 1.5], [0.01] * 3)
    assert few.tasks[2].influential
    assert not any("depends much" in note for note in few.notes)


# Files


def written(folder: Path, text: str) -> Path:
    path = folder / "tasks.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_of_a_table_of_effects_are_moderators(tmp_path: Path) -> None:
    path = written(tmp_path, "task,effect,variance,size,n,domain\na,0.1,0.01,5,9,x\nb,,0.01,6,9,y\nc,0.3,0.01,,9,z\n")
    given = podium.read_effects(path, moderators=["size", "domain", "n"])
    assert given.moderators["domain"] == ["x", "z"]
    assert given.moderators["n"] == [9.0, 9.0]
    assert given.moderators["size"][0] == 5.0
    assert np.isnan(float(given.moderators["size"][1]))
    with pytest.raises(LabelError, match="there is no column 'sise'; did you mean 'size'"):
        podium.read_effects(path, moderators=["sise"])


def test_a_column_may_be_called_as_a_role_that_another_has(tmp_path: Path) -> None:
    path = written(tmp_path, "name,delta,se,effect\na,0.1,0.1,5\nb,0.2,0.1,6\n")
    given = podium.read_effects(path, effect_column="delta", moderators=["effect"])
    assert_allclose(given.effects, [0.1, 0.2])
    assert given.moderators == {"effect": [5.0, 6.0]}


def test_a_table_of_tasks(tmp_path: Path) -> None:
    path = written(tmp_path, "dataset,size,domain\nrte,2490,web\nsst2,,film\n")
    assert read_moderators(path, ["size", "domain"]) == {
        "size": {"rte": 2490.0},
        "domain": {"rte": "web", "sst2": "film"},
    }
    with pytest.raises(InputError, match=r"tasks\.csv.*task 'a' has a row already; keep one"):
        read_moderators(written(tmp_path, "task,size\na,1\na,2\n"), ["size"])
    with pytest.raises(InputError, match='needs a column "task"'):
        read_moderators(written(tmp_path, "size,big\n1,2\n"), ["size"])


def test_what_is_sure_depends_on_the_confidence() -> None:
    found = {c: pooled({"size": SIZE}, confidence_level=c) for c in (0.5, 0.95, 0.999999999)}
    moderation = found[0.95].moderation
    assert moderation is not None
    assert 1e-9 < moderation.qm_p < 0.5
    assert found[0.5].moderated.startswith("effects differ with size")
    assert found[0.999999999].moderated.startswith("no sign that effects differ with size")


Floats = NDArray[np.float64]

estimators, intervals = st.sampled_from(sorted(ESTIMATORS)), st.sampled_from(INTERVALS)


def world(seed: int, k: int = 9, p: int = 3, *, ratio: float = 20.0) -> tuple[Floats, Floats, Floats]:
    """Effects of four analyses, their variances, and a design of p columns for each."""
    rng = np.random.default_rng(seed)
    variance = rng.permuted(np.tile(np.geomspace(0.02, 0.02 * ratio, k), (4, 1)), axis=1)
    design = np.concatenate([np.ones((4, k, 1)), rng.normal(size=(4, k, p - 1))], axis=2)
    effect = 0.3 + design[..., 1:].sum(axis=2) * 0.2 + rng.normal(0, np.sqrt(variance + 0.05))
    return effect, variance, design


@given(seed=st.integers(0, 10**6), estimator=estimators, interval=intervals)
def test_without_properties_it_is_the_mean(seed: int, estimator: str, interval: str) -> None:
    y, v, design = world(seed)
    ours = regress(y, v, design[..., :1], estimator=estimator, interval=interval)
    mean = pool(y, v, estimator=estimator, interval=interval)
    for name in ("estimate", "std_error", "low", "high", "df", "p"):
        assert_allclose(getattr(ours, name)[:, 0], getattr(mean, name), rtol=1e-8, err_msg=name)
    for name in ("tau2", "tau2_low", "tau2_high", "i2", "h2"):
        assert_allclose(getattr(ours, name), getattr(mean, name), rtol=1e-8, atol=1e-12, err_msg=name)
    assert_allclose(ours.qe, mean.q)


def likelihood(tau2: float, y: Floats, v: Floats, x: Floats) -> float:
    """Restricted likelihood as it is written, without a factorisation."""
    w = np.diag(1 / (v + tau2))
    moments = x.T @ w @ x
    rest = y - x @ np.linalg.solve(moments, x.T @ w @ y)
    value: float = -0.5 * (np.log(v + tau2).sum() + np.linalg.slogdet(moments)[1] + rest @ w @ rest)
    return value


@given(seed=st.integers(0, 10**6))
def test_reml_is_at_the_highest_maximum(seed: int) -> None:
    y, v, design = world(seed, k=6)
    found = regress(y, v, design).tau2
    grid = np.append(0.0, np.geomspace(1e-5, 20.0, 400))
    for row in range(len(y)):
        best = likelihood(float(found[row]), y[row], v[row], design[row])
        assert best >= max(likelihood(tau2, y[row], v[row], design[row]) for tau2 in grid) - 1e-9


@given(seed=st.integers(0, 10**6), tau2=st.floats(0.001, 5.0))
def test_the_slope_is_that_of_the_likelihood(seed: int, tau2: float) -> None:
    y, v, design = world(seed)
    designs, at, step = Designs.of(y, v, design), np.full(4, tau2), 1e-5 * tau2
    slope, curvature = designs.fit(at).slope
    numerical = np.subtract(*map(designs.restricted_log_likelihood, (at + step, at - step))) / (2 * step)
    assert_allclose(slope, numerical, rtol=1e-4, atol=1e-4)
    assert_allclose(
        curvature, (designs.fit(at + step).slope[0] - designs.fit(at - step).slope[0]) / (2 * step), rtol=1e-3
    )


@given(seed=st.integers(0, 10**6), interval=intervals, power=st.integers(-40, 40))
def test_units_of_a_property_only_change_its_coefficient(seed: int, interval: str, power: int) -> None:
    y, v, design = world(seed)
    units = np.array([1.0, 3.0 * 2.0**power, 1.0])
    left, right = regress(y, v, design, interval=interval), regress(y, v, design * units, interval=interval)
    assert_allclose(right.estimate * units, left.estimate, rtol=1e-7, atol=1e-10)
    for name in ("p", "df", "tau2", "qm_p"):
        assert_allclose(getattr(right, name), getattr(left, name), rtol=1e-6, atol=1e-10, err_msg=name)


def test_no_analysis_hears_of_another() -> None:
    y, v, design = world(3)
    together = regress(y, v, design)
    for row in range(len(y)):
        alone = regress(y[row : row + 1], v[row : row + 1], design[row])
        assert_allclose(alone.estimate[0], together.estimate[row], rtol=1e-10)
        assert_allclose(alone.tau2[0], together.tau2[row], rtol=1e-8, atol=1e-12)


def test_alike_variances_have_all_degrees_of_freedom_and_unequal_ones_fewer() -> None:
    y, v, design = world(5)
    alike = regress(y, np.full_like(v, 0.1), design, estimator="fixed", interval="satterthwaite")
    assert_allclose(alike.df, 6.0)
    found = regress(y, v, design, estimator="fixed", interval="satterthwaite")
    assert ((found.df >= 1.0) & (found.df <= 6.0)).all()
    assert (found.qm_df < 6.0).all()


def test_a_task_that_alone_decides_a_coefficient_is_no_trouble() -> None:
    y, v = np.array([[0.1, 0.2, 0.3, 0.9]]), np.full((1, 4), 0.01)
    design = np.stack([np.ones(4), [0.0, 0.0, 0.0, 1.0]], axis=1)
    fit = regress(y, v, design)
    assert_allclose(fit.estimate[0], [0.2, 0.7], rtol=1e-10)
    assert np.isfinite(fit.df).all()
    assert (fit.df >= 1).all()


def test_effects_on_a_line_leave_nothing() -> None:
    x = np.array([1.0, 2.0, 3.0, 5.0])
    fit = regress([(0.1 + 0.2 * x).tolist()], [[0.01] * 4], np.stack([np.ones(4), x], axis=1))
    assert_allclose(fit.estimate[0], [0.1, 0.2], rtol=1e-9)
    assert fit.tau2[0] == 0


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((1, 3), (1, 4), (3, 2)), "effects have shape"),
        (((1, 3), (1, 3), (4, 2)), "the design"),
        (((1, 2), (1, 2), (2, 2)), "2 tasks are too few for 2 coefficients"),
    ],
)
def test_what_does_not_fit_is_refused(shapes: tuple[tuple[int, ...], ...], message: str) -> None:
    with pytest.raises(MethodError, match=message):
        regress(*(np.ones(shape) for shape in shapes))
