"""What a page says of other methods is what `podium.agree` says."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import podium
from podium.page import api
from podium.page.api import agreed
from support import page_cases as cases
from support.bundle import unpacked

WORLDS = dict(cases.worlds())


@pytest.mark.parametrize("name", ["instances with holes and ties", "tasks", "many tasks"])
def test_it_holds_the_ranks_by_all_methods(name: str) -> None:
    scores = WORLDS[name]
    made = podium.make_page(scores, replicates=40, commands={"agree": "podium agree s.csv"})
    content, arrays = unpacked(made.data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = podium.agree(scores)
    told = content["agreement"]
    assert told["methods"] == list(wanted.methods)
    assert [scores.systems[at] for at in told["systems"]] == list(wanted.systems)
    assert (told["notes"], told["command"]) == (list(wanted.notes), "podium agree s.csv")
    assert_array_equal(arrays["agreement ranks"], wanted.ranks)
    assert_array_equal(arrays["agreement tau"], wanted.tau)


def test_of_many_systems_ranks_keep_their_digits() -> None:
    rng = np.random.default_rng(0)
    scores = podium.from_arrays({f"t{task}": rng.normal(size=(300, 1)) for task in range(6)})
    assert_array_equal(agreed(scores, "")[1]["agreement ranks"], podium.agree(scores).ranks)


def test_a_large_table_is_ranked_by_few_methods_and_a_note_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_MOST", 100)
    made = podium.make_page(WORLDS["instances"], replicates=40, commands={"agree": "podium agree s.csv"})
    told = unpacked(made.data)[0]["agreement"]
    assert told["methods"] == ["borda:balanced", "mean", "median", "iqm"]
    assert told["command"] == "podium agree s.csv --methods borda,mean,median,iqm"
    assert "compares few methods" in made.notes[-1]


def test_where_no_two_methods_rank_a_note_says_why() -> None:
    scores = podium.from_dict({"A": {"t": 1.0, "u": 2.0}, "B": {}})
    made = podium.make_page(scores, replicates=40)
    content, arrays = unpacked(made.data)
    assert "agreement" not in content
    assert "agreement ranks" not in arrays
    assert made.notes[-1].startswith("this page compares no methods: ")
