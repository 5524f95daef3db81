"""Time of stressing a table over and over.

python benchmarks/stressing.py
"""

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import measure
from measure import Row

import podium
from podium.stresses import RemoveCells, Sweep

#: Of a table like that of the dialogue benchmark in Himmi et al. 2023.
SYSTEMS, TASKS, INSTANCES = 4, 19, 60
METHODS = ("mean", "borda:one", "borda:two")
#: CPU seconds of the code released with that paper for one repeat at one share of missing scores, on such a table.
PAPERS_CODE = 21.0


def rows() -> Iterator[Row]:
    yield one_table()
    glue = Path(__file__).parents[2] / "shared/data/scores/glue.csv"
    if glue.exists():
        command = [str(Path(sysconfig.get_path("scripts")) / "podium"), "stress", str(glue)]
        seconds = measure.processes({"stress": command}, rounds=1)["stress"]
        what = "`podium stress glue.csv`: 200 repeats, whole process by the clock"
        yield Row(what, f"{seconds:.1f} s", "allowed: 10 s", seconds / 10, "≤ 1")


def one_table() -> Row:
    scores = podium.simulate.gumbel(SYSTEMS, TASKS, INSTANCES, dispersion=0.1, rng=0).scores
    shares = tuple(share / 10 for share in range(10))
    sweep = Sweep("cells", RemoveCells, shares, "share of systems' tasks removed")
    repeats = 100
    seconds = measure.cpu_seconds(lambda: podium.study(scores, [sweep], METHODS, repeats=repeats, n_jobs=1), rounds=1)
    each = seconds / repeats / len(shares)
    return Row(
        f"a study of {repeats} repeats × {len(shares)} shares missing × {len(METHODS)} methods, {SYSTEMS} systems × "
        f"{TASKS} tasks × {INSTANCES} instances, per stressed table",
        f"{1e3 * each:.1f} CPU ms",
        f"released code of Himmi et al.: {PAPERS_CODE:.0f} CPU s",
        PAPERS_CODE / each,
        "≥ 100 × faster",
    )


if __name__ == "__main__":
    for row in rows():
        print(row, flush=True)
