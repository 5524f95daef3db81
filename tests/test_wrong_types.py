"""Arguments of a wrong type are refused by podium's own errors, and never by those of what happens to meet them."""

import contextlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import podium
from podium.difficulty.result import Difficulty, Measure, Texts
from podium.errors import PodiumError
from podium.source.table import FileColumns
from podium.stresses import Rescale, Sweep
from support.results import judged

RIGHT = (np.random.default_rng(0).random((2, 3, 30)) > 0.5).astype(float)

SCORES = podium.from_arrays({"t": RIGHT[0], "u": RIGHT[1]}, systems=["A", "B", "C"])

HARD = Difficulty(np.arange(30), (Measure("bias", np.linspace(0, 1, 30), "low"),))

SWEEP = Sweep("scale", Rescale, (0, 9), "enlargement of one task")

#: Every verb that takes scores or effects, and what it is quick with.
VERBS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "agree": (podium.agree, {"scores": SCORES}),
    "allocate": (podium.allocate, {"scores": SCORES, "budget": 5, "n_resamples": 100}),
    "compare": (podium.compare, {"scores": SCORES, "control": "A", "treatment": "B"}),
    "compare_all": (podium.compare_all, {"scores": SCORES, "control": "A"}),
    "condorcet": (podium.condorcet, {"scores": SCORES}),
    "correlate": (podium.correlate, {"scores": SCORES, "n_resamples": 100}),
    "customize": (podium.customize, {"scores": SCORES, "difficulty": HARD, "n_resamples": 100, "splits": 3}),
    "describe": (podium.info, {"scores": SCORES}),
    "history": (podium.history, {"steps": {"May": SCORES, "June": SCORES}, "n_resamples": 100}),
    "influence": (podium.influence, {"scores": SCORES}),
    "pairwise": (podium.pairwise, {"scores": SCORES}),
    "plan": (podium.plan, {"scores": SCORES, "n_resamples": 100}),
    "plan_labels": (podium.plan_labels, {"scores": judged(), "reach": 0.1}),
    "pool": (podium.pool, {"effects": [0.1, 0.2, 0.3], "variances": [0.1, 0.1, 0.1]}),
    "rank": (podium.rank, {"scores": SCORES, "n_resamples": 100}),
    "stress": (podium.stress, {"scores": SCORES, "methods": ["mean"], "only": ["scale"], "repeats": 2, "n_jobs": 1}),
    "study": (podium.study, {"scores": SCORES, "sweeps": [SWEEP], "methods": ["mean"], "repeats": 2, "n_jobs": 1}),
    "weigh": (podium.weigh, {"scores": SCORES, "difficulty": HARD, "splits": 3}),
}

WRONG = [None, 3, -1, 2.5, "x", ["x"], {"x": 1}, object(), float("nan"), True, b"x", {1, 2}]

#: Called with progress, or known by their own tests.
_NOT_TRIED = {"progress", "columns", "options"}


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_no_other_error_comes_of_a_wrong_type(verb: str) -> None:
    act, usual = VERBS[verb]
    for name in names_of(act):
        for given in WRONG:
            with contextlib.suppress(PodiumError):
                act(**usual | {name: given})


#: Scores, ranks and texts that the following take.
TEXTS = Texts(np.arange(4), embeddings=np.eye(4), gold=("1", "0", "1", "0"))

RANKING = podium.rank(SCORES, n_resamples=100)

#: Everything else that users call with more than one number, and what it is quick with.
MAKERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "MethodSpec": (podium.MethodSpec, {"name": "borda"}),
    "Splitting": (podium.Splitting, {}),
    "Weighting": (podium.Weighting, {}),
    "correlated": (
        podium.simulate.correlated,
        {"systems": 2, "tasks": 2, "instances": 3, "correlation": 0.5, "rng": 0},
    ),
    "dispersion": (podium.agreement.dispersion, {"ranks": [[1, 2], [2, 1]]}),
    "dispersion_sampled": (podium.agreement.dispersion_sampled, {"ranks": [[1, 2], [2, 1]], "rng": 0}),
    "kendall_distance": (podium.agreement.kendall_distance, {"a": [1, 2], "b": [2, 1]}),
    "kendall_tau": (podium.agreement.kendall_tau, {"a": [1, 2], "b": [2, 1]}),
    "top_agreement": (podium.agreement.top_agreement, {"a": [1, 2], "b": [2, 1], "n": 1}),
    "rank_biased_overlap": (podium.agreement.rank_biased_overlap, {"a": [1, 2], "b": [2, 1]}),
    "failures": (podium.failures, {"scores": SCORES}),
    "from_arrays": (podium.from_arrays, {"arrays": {"t": [[1.0, 0.0], [0.0, 1.0]]}}),
    "from_dict": (podium.from_dict, {"scores": {"A": {"t": 1.0}, "B": {"t": 0.5}}}),
    "from_frame": (podium.from_frame, {"frame": pa.table({"system": ["A", "B"], "t": [1.0, 0.5]})}),
    "gumbel": (podium.simulate.gumbel, {"systems": 2, "tasks": 2, "instances": 3, "dispersion": 1.0, "rng": 0}),
    "load": (podium.datasets.load, {"name": "toy-table1"}),
    "mallows": (podium.simulate.mallows, {"systems": 2, "tasks": 2, "instances": 3, "dispersion": 1.0, "rng": 0}),
    "plot": (RANKING.plot, {"name": "ranks"}),
    "render": (RANKING.render, {"format": "csv"}),
    "save": (RANKING.save, {"path": "board.csv"}),
    "similarity": (podium.similarity, {"test": TEXTS, "train": TEXTS}),
    "to_frame": (RANKING.to_frame, {"backend": "pyarrow"}),
    "with_directions": (SCORES.with_directions, {}),
    "with_instance_weights": (SCORES.with_instance_weights, {"weights": {}}),
    "with_task_weights": (SCORES.with_task_weights, {"weights": {}}),
    "with_tie_tolerance": (SCORES.with_tie_tolerance, {"tolerance": 0.1}),
    "select": (SCORES.select, {}),
}

#: Names of columns, which are keywords.
_COLUMNS = tuple(FileColumns.__annotations__)

READERS: dict[str, tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]] = {
    "judge": (podium.judge, {"source": "judged.csv"}, ("human_column", "judge_column", "probability_column")),
    "read": (podium.read, {"source": "scores.csv"}, _COLUMNS),
    "read_difficulty": (podium.read_difficulty, {"source": "difficulty.csv"}, ()),
    "read_effects": (podium.read_effects, {"source": "effects.csv"}, ("task_column", "r_column")),
    "read_locations": (podium.read_locations, {"path": "config.yaml"}, ()),
    "read_texts": (podium.read_texts, {"source": "texts.csv"}, ()),
    "read_trec": (podium.read_trec, {"runs": {"A": {"t": "run"}}, "qrels": {"t": "qrels"}}, ()),
}

FILES = {
    "scores.csv": "system,task,instance,score\nA,t,1,1\nB,t,1,0\n",
    "difficulty.csv": "instance,bias\n1,0.5\n",
    "judged.csv": "id,human,judge\n1,1,1\n2,0,0\n3,1,0\n",
    "effects.csv": "task,effect,variance\na,1,1\nb,2,1\n",
    "config.yaml": "eval_metrics: {A: {t: a}, B: {t: b}}\n",
    "a": "1\n0\n",
    "b": "0\n0\n",
    "texts.csv": "id,text,label\n1,good,1\n",
    "run": "q1 d1 1 9\n",
    "qrels": "q1 0 d1 1\n",
}


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("maker", MAKERS)
def test_no_other_error_comes_of_what_makes_tables_and_pictures(
    maker: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    act, usual = MAKERS[maker]
    act(**usual)
    assert wrong(act, usual, names_of(act)) == []


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
@pytest.mark.parametrize("reader", READERS)
def test_no_other_error_comes_of_reading(reader: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    act, usual, more = READERS[reader]
    act(**usual)
    names = {*inspect.signature(act).parameters, *more} - _NOT_TRIED
    assert wrong(act, usual, names) == []


#: What every function takes that takes scores.
_OF_SCORES = ("tasks", "systems", "lower", "higher", "families", "weights", "tie_tolerance")


def names_of(act: Callable[..., Any]) -> set[str]:
    """Names of the arguments of a function, in place of the options of reading those that scores have too."""
    parameters = inspect.signature(inspect.unwrap(act)).parameters.values()
    names = {one.name for one in parameters if one.kind is not inspect.Parameter.VAR_POSITIONAL} - _NOT_TRIED
    return names - {"reading"} | ({*_OF_SCORES} if "reading" in names else set())


def wrong(act: Callable[..., Any], usual: Mapping[str, Any], names: Iterable[str]) -> list[tuple[str, Any, str]]:
    """Try every name with every wrong value, and list the errors that are not podium's own."""
    found = []
    for name in sorted(names):
        for given in WRONG:
            try:
                act(**{**usual, name: given})
            except PodiumError:
                pass
            except Exception as error:  # noqa: BLE001  # this is what is looked for
                found.append((name, given, repr(error)))
    return found


def test_any_whole_number_is_a_seed_where_names_are_shuffled() -> None:
    few = podium.from_arrays(np.random.default_rng(0).random((6, 6)))
    assert podium.rank(few, rng=-1, n_resamples=100).intervals is not None
