"""Large tables where Numba is not installed: the same answers, and a warning that names the extra."""

import numpy as np
import pyarrow as pa
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


@pytest.mark.parametrize("kind", ["text", "integer"])
def test_a_large_file_reads_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = 30_000
    place = np.arange(40 * n)
    frame = pa.table(
        {
            "system": np.char.add("s", (place // n).astype(str)).tolist(),
            "instance": [f"item {k}" for k in place % n] if kind == "text" else (place % n).tolist(),
            "score": np.random.default_rng(0).random(place.size).round(2).tolist(),
        }
    )
    whole = podium.from_frame(frame)
    monkeypatch.setattr(compiling, "find_spec", lambda _: None)
    with pytest.warns(PodiumWarning, match=r"podium\[fast\]"):
        again = podium.from_frame(frame)
    np.testing.assert_array_equal(whole.tasks[0].values, again.tasks[0].values)
    np.testing.assert_array_equal(whole.tasks[0].instances, again.tasks[0].instances)
