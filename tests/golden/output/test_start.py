"""What `import podium`, the help and a first ranking load: whoever wants one thing does not wait for all."""

import subprocess
import sys

import pytest

from golden.output.transcripts import TABLES

HEAVY = "numba scipy pyarrow matplotlib highspy joblib narwhals pandas polars duckdb sklearn"

SLICES = "agreement comparison customization difficulty planning robustness source.tool"

ARRAYS = "podium.from_arrays([[[k * (i + 3) % 7 for k in range(t, 40)] for t in [0] * 5] for i in range(4)])"


def command(*words: str) -> str:
    """Code that runs a command."""
    return (
        f"import sys\nsys.argv = {['podium', *words]!r}\nfrom podium.cli import main\n"
        "try: main()\nexcept SystemExit as end: assert not end.code"
    )


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        pytest.param("import podium", f"{HEAVY} click", id="import"),
        pytest.param(f"import podium; assert podium.rank({ARRAYS}).intervals", f"{HEAVY} click", id="intervals"),
        pytest.param(
            "import podium; podium.rank({n: dict.fromkeys('abcdefgh', k) for k, n in enumerate('ABC')})",
            f"{HEAVY} numpy.ma concurrent.futures podium.source.read podium.source.recognise podium.report.view",
            id="dictionary",
        ),
        pytest.param(command("--help"), f"{HEAVY} numpy rich", id="help"),
        pytest.param(command("--version"), f"{HEAVY} numpy rich", id="version"),
        pytest.param(
            command("rank", str(TABLES / "wide.csv"), "--lower", "ter,latency"),
            "numba matplotlib rich pandas polars duckdb scipy pyarrow.compute "
            + " ".join(f"podium.{name}" for name in SLICES.split()),
            id="small table",
        ),
        pytest.param(command("rank", str(TABLES / "long.csv")), "pandas polars duckdb", id="names of instances"),
    ],
)
def test_little_is_loaded(code: str, absent: str) -> None:
    code += f"\nimport sys\nprint(sorted(set({absent.split()!r}) & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100)
    assert done.stderr.splitlines()[-1] == "[]"
