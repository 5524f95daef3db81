"""Large tables where Numba is not installed: the same answers, and a warning that names the extra."""

import numpy as np
import pytest

import podium
from podium.base import compile as compiling
from podium.errors import PodiumWarning


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "find_spec", lambda _: None)


@pytest.mark.usefixtures("without_numba")
def test_a_large_table_says_which_extra_is_faster() -> None:
    with pytest.warns(PodiumWarning, match=r"podium\[fast\]"):
        assert not compiling.compiling_pays(large=True)
    assert not compiling.compiling_pays(large=False)


def test_a_large_table_ranks_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(0).random((64, 70_000)).round(2)
    values[0, 0] = np.nan  # NumPy has complete ballots sooner
    scores = podium.from_arrays({"t": values})
    whole = podium.rank(scores, "borda", confidence=None).to_dict()
    monkeypatch.setattr(compiling, "find_spec", lambda _: None)
    with pytest.warns(PodiumWarning, match=r"podium\[fast\]"):
        assert podium.rank(scores, "borda", confidence=None).to_dict() == whole
