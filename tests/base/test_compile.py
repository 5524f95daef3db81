"""Large tables where Numba is not installed: the same answers, and a warning that names the extra."""

import numpy as np
import pytest

import podium
from podium.base import parallel
from podium.errors import PodiumWarning
from podium.tally import count


def test_a_large_table_ranks_the_same_and_says_which_extra_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count, "_COMPILE_ABOVE", 10_000)
    values = np.random.default_rng(0).random((8, 1000)).round(2)
    values[0, 0] = np.nan  # NumPy has complete ballots sooner
    scores, small = podium.from_arrays({"t": values}), podium.from_arrays({"t": values[:, :9]})
    whole = podium.rank(scores, "borda", confidence_level=None).to_dict()
    monkeypatch.setattr(parallel, "find_spec", lambda _: None)
    with pytest.warns(PodiumWarning, match=r"\[fast\]"):
        assert podium.rank(scores, "borda", confidence_level=None).to_dict() == whole
    podium.rank(small, "borda", confidence_level=None)  # without a warning
