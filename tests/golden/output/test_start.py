"""What `import podium` loads: whoever wants one thing does not wait for all."""

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
