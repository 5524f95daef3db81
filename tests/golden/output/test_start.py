"""What `import podium` and a first ranking load: whoever wants one thing does not wait for all."""

import json
import subprocess
import sys

import pytest

HEAVY = ("numba", "scipy", "pyarrow", "matplotlib", "highspy", "joblib", "narwhals", "pandas", "sklearn", "click")


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    code = "import json, sys, podium; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


@pytest.mark.parametrize("name", HEAVY)
def test_import_podium_does_not_load(name: str, loaded: set[str]) -> None:
    assert "podium" in loaded
    assert name not in loaded


def test_a_small_table_is_ranked_with_intervals_before_any_of_them_is_loaded() -> None:
    code = (
        "import json, sys, podium\n"
        "table = podium.from_arrays([[[k * (i + 3) % 7 for k in range(t, 40)] for t in [0] * 5] for i in range(4)])\n"
        "assert podium.rank(table).intervals and podium.rank({'A': {'t': 1}, 'B': {'t': 2}}).notes\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert set(HEAVY).isdisjoint(json.loads(done.stdout))
