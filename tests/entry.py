"""The command line as a user meets it: the installed script, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("podium")

#: Three systems on three tasks, one of them better lower, one score missing.
WIDE = "system,rte,sst2,ter\nA,0.9,0.8,0.3\nB,0.7,0.9,\nC,0.5,0.6,0.1\n"


def run(folder: Path, *arguments: str | Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[str]:
    """Run `podium` in a folder, with everything piped."""
    done = subprocess.run(
        [SCRIPT, *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        env=os.environ | {"COLUMNS": "80"},
        timeout=120,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
    )


def wide(folder: Path) -> Path:
    """Write the wide table into a folder."""
    path = folder / "scores.csv"
    path.write_text(WIDE, encoding="utf-8")
    return path
