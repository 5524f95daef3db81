"""Pictures: every label legible, every system there, and drawn where one wants them."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.lines import Line2D
from numpy.typing import NDArray

import podium
from podium import Agreement, Frontier, History, Judging, Pairwise, Ranking, Scores, Slices, TaskComparison, plots
from podium.customization.result import Customized
from podium.errors import MethodError, PodiumWarning
from support.pictures import check_texts, draw, overlapping, words
from support.results import example
from support.weighted import world

Results = tuple[Scores, Ranking, Pairwise, Agreement, Customized]

DRAWINGS: dict[str, Callable[[Results, Axes | None], Axes]] = {
    "heatmap": lambda results, ax: plots.heatmap(results[2], ax=ax),
    "ranks": lambda results, ax: plots.ranks(results[1], ax=ax),
    "cd": lambda results, ax: plots.cd(results[1], ax=ax),
    "critical_difference": lambda results, ax: plots.critical_difference(ranked(results[0]), ax=ax),
    "bump": lambda results, ax: plots.bump(results[3], whole=True, ax=ax),
    "correlations": lambda results, ax: plots.correlations(
        podium.correlate(unit(results[0]) if len(results[0].tasks) < 2 else results[0], n_resamples=50), ax=ax
    ),
    "calibration": lambda results, ax: plots.calibration(sure(results[0]), ax=ax),
    "slices": lambda results, ax: plots.slices(sliced(results[0]), ax=ax),
    "frontier": lambda results, ax: plots.frontier(priced(results[0]), ax=ax),
    "allocated": lambda _, ax: plots.allocated(example("Allocation"), ax=ax),  # type: ignore[arg-type]
    "predicted": lambda _, ax: plots.predicted(example("Subset"), ax=ax),  # type: ignore[arg-type]
    "history": lambda results, ax: plots.history(course(results[0]), whole=True, ax=ax),
    "parallel": lambda results, ax: plots.parallel(results[4], ax=ax),
    "moves": lambda results, ax: plots.moves(results[4], ax=ax),
    "worth": lambda results, ax: plots.worth(podium.tasks(unit(results[0])), ax=ax),
    "needed": lambda results, ax: plots.needed(podium.plan(results[0], n_resamples=200), ax=ax),
}


def unit(scores: Scores) -> Scores:
    """Two tasks whose scores lie between 0 and 1."""
    ranks = np.argsort(np.argsort(scores.tasks[0].values, axis=0), axis=0) / len(scores.systems)
    return podium.from_arrays({"t": ranks, "u": ranks[:, ::-1] / 2}, systems=scores.systems)


def ranked(scores: Scores) -> TaskComparison:
    """Tests of one score per task, six at least."""
    six = scores if len(scores.tasks) >= 6 else podium.from_arrays({f"t{k}": scores.tasks[0].values for k in range(6)})
    return podium.compare_task_scores(six.with_means(), control=six.systems[0])


def priced(scores: Scores) -> Frontier:
    """A cost for each system, the better the dearer."""
    costs = 3.0 ** np.arange(len(scores.systems))[:, None]
    tasks = (replace(task, covariates={"cost": costs + 0 * task.values}) for task in scores.tasks)
    return podium.frontier(replace(scores, tasks=tuple(tasks)), n_resamples=200)


def sure(scores: Scores) -> Judging:
    """Two judges that say how sure they are, one with the name of the first system."""
    rng = np.random.default_rng(0)
    people, names = rng.integers(0, 2, 80), (f"{scores.systems[0]} judge", "judge")
    judges = {name: np.where(rng.random(80) < 0.3, 1 - people, people) for name in names}
    given = {"human": people, **judges, "p": rng.random(80), "q": rng.random(80)}
    return podium.judge(given, list(names), probability_column=["p", "q"])


def sliced(scores: Scores) -> Slices:
    """Four slices, whose names are nearly as long as those of systems may be; on one of them the first is better."""
    rng, long = np.random.default_rng(0), {f"slice {k} of questions on law": 20 + 5 * k for k in range(4)}
    values = {name: rng.normal(size=(len(scores.systems), size)) for name, size in long.items()}
    next(iter(values.values()))[0] += 5
    return podium.slices(podium.from_arrays(values, systems=scores.systems).with_families(False), n_resamples=40)


def course(scores: Scores) -> History:
    """Versions of a table, to which systems come, and of which one leaves."""
    names = scores.systems
    steps = {"2026-01": scores.take(range(max(len(names) - 1, 2))), "2026-02": scores}
    return podium.history({**steps, "2026-03": scores.take(range(1, len(names)))}, n_resamples=200)


def results_of(scores: Scores) -> Results:
    return (
        scores,
        podium.rank(scores, confidence_level=0.95, n_resamples=200),
        podium.pairwise(scores),
        podium.agree(scores),
        world(len(scores.systems), names=scores.systems, confidence_level=0.95, n_resamples=200),
    )


@pytest.fixture(scope="module")
def four() -> Results:
    return results_of(podium.simulate.gumbel(4, 6, 60, dispersion=0.2, rng=0).scores)


@pytest.fixture(scope="module", params=["four", "SUM_EVAL.parquet", "glue.csv"])
def any_results(request: pytest.FixtureRequest) -> Results:
    if request.param == "four":
        chosen: Results = request.getfixturevalue("four")
        return chosen
    return results_of(podium.read(request.getfixturevalue("shared") / "data" / "scores" / request.param))


def look_of(line: Line2D) -> tuple[str, str, str]:
    """What tells a line from others."""
    return str(line.get_color()), repr(line._unscaled_dash_pattern), str(line.get_marker())  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def gallery(any_results: Results) -> dict[str, Axes]:
    """Every picture, drawn once."""
    return {name: draw(drawn(name, any_results)) for name in DRAWINGS}


def drawn(name: str, results: Results, ax: Axes | None = None) -> Axes:
    return DRAWINGS[name](results, ax)


@pytest.mark.parametrize("name", DRAWINGS)
def test_labels_do_not_overlap_and_are_not_cut(name: str, gallery: dict[str, Axes]) -> None:
    check_texts(gallery[name])


@pytest.mark.parametrize(
    "name", sorted(DRAWINGS.keys() - {"worth", "frontier", "correlations", "calibration", "allocated", "predicted"})
)  # of tasks; names where there is room
def test_every_system_is_named(name: str, any_results: Results, gallery: dict[str, Axes]) -> None:
    seen = [text.get_text() for text in words(gallery[name])]
    whole = [system for system in any_results[0].systems if len(system) <= 40 and system.isascii()]
    assert [system for system in whole if not any(system in text for text in seen)] == []
    labels = [text for text in seen if "…" in text or any(system in text for system in whole)]
    assert max(map(len, labels)) < 60


def test_the_heat_map_has_a_cell_for_every_pair(any_results: Results, gallery: dict[str, Axes]) -> None:
    pairwise = any_results[2]
    ax = gallery["heatmap"]
    (mesh,) = [artist for artist in ax.collections if isinstance(artist, QuadMesh)]
    n_systems = len(pairwise.systems)
    red, green, blue = np.moveaxis(np.asarray(mesh.get_facecolor())[:, :3].reshape(n_systems, n_systems, 3), 2, 0)
    assert ((green > np.maximum(red, blue)) == pairwise.separated).all()
    assert ((green < np.minimum(red, blue)) == pairwise.separated.T).all()
    numbers = [text.get_text() for text in ax.texts]
    assert len(numbers) == (n_systems * (n_systems - 1) if n_systems <= 16 else 0)
    if numbers:
        assert float(numbers[0]) == pytest.approx(pairwise.probability[0, 1], abs=0.0051)


def test_pairs_never_compared_are_crossed_out() -> None:
    ax = plots.heatmap(podium.pairwise(podium.datasets.xtreme_missing()))
    (crosses,) = [artist for artist in ax.collections if isinstance(artist, PathCollection)]
    probability = podium.pairwise(podium.datasets.xtreme_missing()).probability
    assert len(crosses.get_offsets()) == np.isnan(probability).sum() - 10  # type: ignore[arg-type]
    assert "never compared" in [text.get_text() for text in words(draw(ax))]


def test_the_heat_map_of_many_systems_is_a_picture_of_bounded_size() -> None:
    values = np.tile(np.arange(320.0)[:, None], (1, 40))
    values[10, 20:] = values[11, :20] = np.nan
    pairwise = podium.pairwise(podium.from_arrays(values))
    ax = plots.heatmap(pairwise)
    (image,) = ax.get_images()
    colours = np.asarray(image.get_array())
    red, green, blue = np.moveaxis(colours, 2, 0)
    assert ((green > np.maximum(red, blue)) == pairwise.separated).all()
    never = np.isnan(pairwise.probability)
    assert ((colours == 1.0).all(axis=2) == never).all()
    assert not ax.collections, "a cross for each such pair would take megabytes"
    assert never.sum() == 320 + 2
    assert "never compared" in [text.get_text() for text in words(draw(ax))]
    # 320 names of 0.13 inches would fill 42 inches, where there are 20: every third one stands at its row.
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == [f"{system}  {place}" for place, system in enumerate(pairwise.systems, 1)][::3]
    assert max(ax.get_figure(root=True).get_size_inches()) < 24  # type: ignore[union-attr]  # axes are in a figure


def test_whiskers_are_the_rank_intervals(any_results: Results, gallery: dict[str, Axes]) -> None:
    intervals = any_results[1].intervals
    assert intervals is not None
    ax = gallery["ranks"]
    thin, thick = (artist for artist in ax.collections if isinstance(artist, LineCollection))
    for lines, low, high in (
        (thin, intervals.joint_rank_low, intervals.joint_rank_high),
        (thick, intervals.rank_low, intervals.rank_high),
    ):
        ends = np.array(lines.get_segments())
        assert (ends[:, :, 0] == np.stack([low, high], axis=1)).all()
        assert (ends[:, :, 1] == np.arange(len(low))[:, None]).all()
    assert np.min(thick.get_linewidth()) > np.max(thin.get_linewidth())
    (points,) = ax.lines
    assert (np.asarray(points.get_xdata()) == any_results[1].rank).all()
    tiers = [str(tier + 1) for tier in range(intervals.tier.max())]
    assert [text.get_text() for text in ax.texts] == ([*tiers, "tier"] if len(tiers) > 1 else [])


def test_bars_join_whom_nothing_separates(any_results: Results, gallery: dict[str, Axes]) -> None:
    ranking = any_results[1]
    assert ranking.intervals is not None
    ax = gallery["cd"]
    bars = [np.asarray(line.get_xdata()) for line in ax.lines if line.get_gid() == "bar"]
    assert sum(line.get_gid() == "stem" for line in ax.lines) == len(ranking)
    runs = maximal_runs(ranking.intervals.separated)
    assert len(runs) > 1
    reach = 0.012 * np.ptp(ranking.score)
    ends = [(ranking.score[last] - reach, ranking.score[first] + reach) for first, last in runs]
    np.testing.assert_allclose(sorted(map(tuple, bars)), sorted(ends), atol=1e-9)


def maximal_runs(separated: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Brute force."""
    size = range(len(separated))
    free = {(i, j) for i in size for j in size[i + 1 :] if not separated[i : j + 1, i : j + 1].any()}
    return [(i, j) for i, j in free if not {(i - 1, j), (i, j + 1)} & free]


def test_the_lines_are_the_ranks(any_results: Results, gallery: dict[str, Axes]) -> None:
    agreement = any_results[3]
    ax = gallery["bump"]
    tracks = np.array([line.get_ydata() for line in ax.lines])
    assert (tracks[:, 1:-1] == agreement.ranks.T).all()
    for end in (0, -1):
        assert sorted(tracks[:, end]) == list(range(1, len(agreement) + 1)), "each label has a row of its own"
    moving = [index for index, line in enumerate(ax.lines) if line.get_color() != "#c4c4c4"]
    assert moving == np.flatnonzero(agreement.spread > 0).tolist()
    looks = {look_of(ax.lines[index]) for index in moving}
    assert len(looks) == len(moving), "no two lines that move look alike"
    assert len({line.get_linewidth() for line in ax.lines[: len(moving)]}) == min(2, 1 + (len(moving) > 6))


def test_a_bump_chart_leaves_out_what_says_nothing_new_and_says_so(any_results: Results) -> None:
    agreement = any_results[3]
    ax = draw(plots.bump(agreement))
    said = " ".join(text.get_text() for text in words(ax))
    distinct = {tuple(row) for row in agreement.ranks.tolist()}
    systems = min(len(agreement), 30)
    tracks = np.array([line.get_ydata() for line in ax.lines])
    assert tracks.shape == (systems, max(len(distinct), 2) + 2)
    for end in (0, -1):
        assert sorted(tracks[:, end]) == list(range(1, systems + 1))
    assert ("the best 30 of 105 systems, by their mean rank" in said) == (len(agreement) > 30)
    assert (" as " in f" {said}") == (len(distinct) < len(agreement.methods))
    texts = words(ax)
    assert overlapping(texts) == []


@pytest.mark.parametrize("name", DRAWINGS)
def test_axes_that_are_given_are_drawn_on(name: str, four: Results) -> None:
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    before = dict(rcParams)
    assert drawn(name, four, right) is right
    assert figure.axes == [left, right]
    assert not left.has_data()
    assert right.has_data()
    assert dict(rcParams) == before


def test_letters_are_smaller_where_axes_are(four: Results) -> None:
    small = Figure(figsize=(4, 0.8)).add_axes((0.2, 0.2, 0.7, 0.6))
    sizes = [drawn("ranks", four, ax).get_yticklabels()[0].get_fontsize() for ax in (small, None)]
    assert float(sizes[0]) < 6 < float(sizes[1])


@pytest.mark.parametrize("name", ["ranks", "cd"])
def test_intervals_are_needed(name: str) -> None:
    scores = podium.datasets.toy_table1()
    results = (
        scores,
        podium.rank(scores, confidence_level=0.5),
        podium.pairwise(scores),
        podium.agree(scores),
        world(3),
    )
    assert drawn(name, results).has_data()
    bare = (scores, podium.rank(scores, confidence_level=None), *results[2:])
    with pytest.raises(
        MethodError, match=r"no intervals to draw; ask for them with confidence_level=0\.95 \(--intervals\)"
    ):
        drawn(name, bare)
    few = podium.rank(scores.select(tasks=["Task1", "Task2"]), confidence_level=0.5)
    with pytest.raises(MethodError, match="no intervals to draw: 2 tasks cannot show"):
        drawn(name, (scores, few, *results[2:]))


def test_the_unranked_are_shown_as_such() -> None:
    rng = np.random.default_rng(1)
    table = {f"s{index}": {f"t{task}": index + rng.normal() for task in range(8)} for index in range(4)}
    scores = podium.from_dict(table | {"none": {"t1": float("nan")}})
    with pytest.warns(PodiumWarning, match="missing"):
        ranking = podium.rank(scores, "mean", confidence_level=0.9)
    ranks = [text.get_text() for text in words(draw(plots.ranks(ranking)))]
    assert {"none", "not ranked"} <= set(ranks)
    assert "not ranked: none" in [text.get_text() for text in words(draw(plots.cd(ranking)))]


def test_where_all_are_separated_no_bar_is_promised() -> None:
    scores = podium.simulate.gumbel(3, 6, 100, dispersion=2.0, rng=0).scores
    said = [text.get_text() for text in words(draw(plots.cd(podium.rank(scores, n_resamples=200))))]
    assert "no bars: all systems are separated (95%, all pairs; podium's tests, not Nemenyi's)" in said


def test_demsar_s_diagram_joins_mean_ranks_closer_than_the_critical_difference() -> None:
    drawn = podium.simulate.gumbel(60, 12, 1, dispersion=0.2, rng=0).scores
    tests = podium.compare_task_scores(drawn, control="system 01")
    found = tests.friedman
    assert found is not None
    ax = draw(tests.plot("cd").axes)  # type: ignore[arg-type]  # one
    ranks = sorted(found.mean_rank.values())
    stems = [line for line in ax.lines if line.get_gid() == "stem"]
    assert [np.asarray(line.get_xdata())[0] for line in stems] == ranks
    (yardstick,) = [line for line in ax.lines if line.get_gid() == "yardstick"]
    assert np.ptp(yardstick.get_xdata()) == pytest.approx(found.critical_difference)
    # by hand: every pair is closer than that if and only if a bar is over both
    reach = 0.012 * (60 - 1)
    bars = [np.sort(np.asarray(line.get_xdata())) for line in ax.lines if line.get_gid() == "bar"]
    inside = [[low + reach < rank + 1e-9 and rank - 1e-9 < high - reach for rank in ranks] for low, high in bars]
    joined = {(i, j) for row in inside for i in range(60) for j in range(i) if row[i] and row[j]}
    closer = {(i, j) for i in range(60) for j in range(i) if ranks[i] - ranks[j] <= found.critical_difference}
    assert joined == closer
    texts = words(ax)
    assert overlapping(texts) == []
    said = [text.get_text() for text in texts]
    assert f"CD = {found.critical_difference:.2f}" in said
    assert "ranks and CD depend on which systems are in the table" in said
    with pytest.raises(MethodError, match="'cd' needs mean ranks"):
        plots.critical_difference(podium.compare_task_scores(drawn, control="system 01", treatment="system 02"))


#: Widths that are asked for, in inches.
WIDTHS = {"84mm": 84 / 25.4, 5: 5.0}


@pytest.mark.parametrize("width", WIDTHS)
def test_a_picture_has_the_width_that_is_asked_for(width: float | str, four: Results, tmp_path: Path) -> None:
    inches = WIDTHS[width]
    for result, name in ((four[1], "ranks"), (four[1], "cd"), (four[2], "heatmap"), (four[3], "bump")):
        picture = result.plot(name, width=width)
        for suffix in (".svg", ".pdf", ".png"):
            picture.save(tmp_path / f"p{suffix}")
        svg = re.search(r'<svg [^>]*width="([\d.]+)pt"', (tmp_path / "p.svg").read_text("utf-8"))
        pdf = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ", (tmp_path / "p.pdf").read_bytes())
        assert svg is not None
        assert pdf is not None
        assert (float(svg[1]), float(pdf[1])) == pytest.approx((72 * inches, 72 * inches), abs=0.01)
        assert int.from_bytes((tmp_path / "p.png").read_bytes()[16:20]) == pytest.approx(200 * inches, abs=1)
        assert overlapping(words(draw(picture.axes))) == []  # type: ignore[arg-type]  # one


def test_letters_have_the_size_that_is_asked_for_or_an_error_says_how_wide_it_is(four: Results) -> None:
    picture = four[1].plot("ranks", width="3.3in", font=8)
    assert isinstance(picture.axes, Axes)
    label = picture.axes.get_yticklabels()[0]
    assert picture.scale * float(label.get_fontsize()) == pytest.approx(8)
    # so is a line of text in the file
    scaled = re.search(r'<svg [^>]*width="([\d.]+)pt"[^>]*viewBox="0 0 ([\d.]+) ', picture.to_svg())
    assert scaled is not None
    assert float(scaled[1]) / float(scaled[2]) == pytest.approx(picture.scale)
    with pytest.raises(MethodError, match=r"letters of 20 points the picture 'bump' needs a width of \d+\.\d\din;"):
        four[3].plot("bump", width="3.3in", font=20)
    for wrong in ("3.3", "wide", 0.1, True):
        with pytest.raises(MethodError, match=r"no length; write it as 3\.3in|makes no sense"):
            four[1].plot("ranks", width=wrong)


def test_long_names_are_shortened_as_far_as_a_width_needs_and_nothing_is_cut_off(tmp_path: Path) -> None:
    names = [f"team {number} of a company | model {number} with many tricks" for number in range(12)]
    ranking = podium.rank(np.random.default_rng(0).random((12, 40)), systems=names, n_resamples=99)
    for width in (3.3, 3.6, 4.2):
        picture = ranking.plot("ranks", width=width, font=8)
        assert isinstance(picture.axes, Axes)
        shown = [label.get_text() for label in picture.axes.get_yticklabels()]
        assert len(set(shown)) == 12
        assert 8 <= min(map(len, shown)) <= max(map(len, shown)) <= 40
        picture.save(tmp_path / "p.png")
        pixels = imread(tmp_path / "p.png")
        assert pixels[:, [0, -1], :3].min() == 1


def test_a_picture_of_something_else_says_what_it_takes() -> None:
    for drawing in ("critical_difference", "forest", "needed"):
        with pytest.raises(MethodError, match=rf"podium\.plots\.{drawing} takes a \w+.*, and not a Scores; rank or"):
            getattr(plots, drawing)(podium.datasets.toy_table1())
