"""Jobs that count parts: whatever they are, in whatever order, their answer is that of `rank`, byte for byte."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import podium
from podium.errors import InputError, MethodError, OutputError, PodiumWarning
from podium.ranking.ahead import demands_of, settled
from podium.ranking.method_spec import MethodSpec
from podium.score.table import Scores
from podium.tally.engine import count as counting
from podium.tally.engine import kept, part, stretch
from podium.tally.engine.engine import using
from podium.tally.engine.kept import is_worth, key_of
from podium.tally.engine.part import Part, PartQuestion, digest_of, write_part
from podium.tally.engine.parts import AllParts
from podium.tally.engine.stretch import Tallies

pytestmark = pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")

#: Instances of a stretch, and of a block, in these tests.
SHORT, BLOCK = 16, 8

METHODS = (
    *("borda:task", "borda:one", "borda:balanced", "borda:two", "borda:missing=model", "borda:two:missing=placed"),
    *("mean", "median", "iqm", "wins:one", "wins:two:missing=direct", "copeland:balanced", "kemeny:task", "kemeny:two"),
)


@pytest.fixture(autouse=True, scope="module")
def short() -> Iterator[None]:
    """Small tables have many stretches, and each of them is worth keeping."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretch, "_LONGEST", SHORT)
        patch.setattr(stretch, "block_length", lambda _systems, at_most=None: min(at_most or BLOCK, BLOCK))
        patch.setattr(counting, "_SMALL", 0)
        patch.setattr(kept, "_LEAST", 0)
        yield


@st.composite
def worlds(draw: st.DrawFn) -> Scores:
    """Tables of all kinds: missing scores, weights, clusters, repeats, directions, tasks of one instance."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_systems = draw(st.integers(2, 5))
    sizes = draw(st.lists(st.sampled_from([1, 7, 16, 33, 70]), min_size=1, max_size=4))
    repeats = draw(st.sampled_from([None, None, 3]))
    shape = () if repeats is None else (repeats,)
    arrays = {f"t{place}": rng.integers(0, 4, (n_systems, size, *shape)) / 2 for place, size in enumerate(sizes)}
    if share := draw(st.sampled_from([0.0, 0.0, 0.3])):
        for values in arrays.values():
            values[rng.random(values.shape) < share] = np.nan
            values[0] = np.nan_to_num(values[0])
    clusters = None
    if draw(st.booleans()):
        clusters = {name: [f"c{place // 5}" for place in range(values.shape[1])] for name, values in arrays.items()}
    lower = ["t0"] if draw(st.booleans()) else []
    scores = podium.from_arrays(arrays, lower=lower, clusters=clusters)
    if draw(st.booleans()):
        scores = scores.with_instance_weights({"t0": rng.integers(1, 4, sizes[0])})
    if draw(st.booleans()):
        scores = scores.with_task_weights({"t0": 2.5})
    return scores.with_tie_tolerance(draw(st.sampled_from([0.0, 0.5])))


@dataclass(frozen=True)
class Asked:
    """What `rank` is told."""

    method: str = "borda"
    confidence: float | None = 0.95
    units: str | None = None
    replicates: int = 40
    seed: int = 0

    @property
    def told(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("confidence", "units", "replicates", "seed")}

    def rank(self, scores: Scores) -> str:
        return str(podium.rank(scores, self.method, **self.told).render("json"))

    def write(self, scores: Scores, folder: Path, one: Part) -> tuple[Path, int | None]:
        demands = list(demands_of(scores, *settled(scores, self.method, **self.told)))
        return write_part(folder, one, PartQuestion(self.told, "podium tally s.csv", digest_of(scores)), demands)


@dataclass
class Watched:
    """A shelf that notes what is asked of another."""

    shelf: Any = None
    asked: set[str] = field(default_factory=set)
    missed: set[str] = field(default_factory=set)

    def get(self, key: str, kinds: Iterable[type[Any]]) -> Tallies | None:
        self.asked.add(key)
        found: Tallies | None = None if self.shelf is None else self.shelf.get(key, kinds)
        if found is None:
            self.missed.add(key)
        return found

    def put(self, key: str, tallies: Tallies) -> None:
        """Keep nothing."""


questions = st.builds(
    Asked,
    st.sampled_from(METHODS),
    st.sampled_from([None, 0.95, 0.95]),
    st.sampled_from([None, "instances", "tasks", "both", "repeats"]),
)


def possible(scores: Scores, asked: Asked) -> bool:
    try:
        asked.rank(scores)
    except MethodError:
        return False
    return True


LARGE = podium.from_arrays({name: np.random.default_rng(3).integers(0, 3, (4, 70)) / 2 for name in ("a", "b")})

#: What is lost and run again in these examples.
CHANCE = random.Random(0)  # noqa: S311  # no secret

#: A system with few scores, whose rank may depend on how missing ones count.
HOLES = LARGE._with_tasks(
    lambda task: task.with_values(np.where(np.arange(70) % 2 * np.array([[1], [0], [0], [0]]), np.nan, task.values))
)


@given(worlds(), questions, st.integers(1, 6), st.randoms(use_true_random=False))
@example(LARGE, Asked("borda:two"), 3, CHANCE)
@example(LARGE, Asked("kemeny:one", units="both"), 2, CHANCE)
@example(LARGE, Asked("kemeny:one"), 2, CHANCE)
@example(LARGE, Asked("bradley-terry"), 2, CHANCE)
def test_parts_give_the_bytes_of_the_whole(scores: Scores, asked: Asked, of: int, chance: random.Random) -> None:
    if not possible(scores, asked):
        return
    order = [*range(1, of + 1)]
    chance.shuffle(order)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        paths = [asked.write(scores, folder, Part(number, of))[0] for number in order]
        for number in order[: chance.randint(0, of)]:  # lost, or rerun
            if chance.random() < 0.5:
                paths[order.index(number)].unlink()
            again, held = asked.write(scores, folder, Part(number, of))
            assert again in paths
            assert held is None or not again.exists() or again.stat().st_size
        with AllParts(folder) as parts, using(watched := Watched(parts)):
            parts.check_table(scores)
            found = asked.rank(scores)
        assert found == asked.rank(scores)
        assert watched.missed == set(), "nothing is counted that parts might have counted"


@given(worlds(), questions)
@example(LARGE, Asked("kemeny:one"))
@example(LARGE, Asked("kemeny:task", units="both"))
@example(HOLES, Asked("wins:two"))
@example(HOLES, Asked("borda"))
def test_what_will_be_counted_is_known_ahead(scores: Scores, asked: Asked) -> None:
    if not possible(scores, asked):
        return
    with using(watched := Watched()):
        asked.rank(scores)
    demands = list(demands_of(scores, *settled(scores, asked.method, **asked.told)))
    ahead = {key_of(work.counting, one) for work in demands for one in work.cut() if is_worth(work.counting, one)}
    assert watched.asked == ahead


@given(worlds(), st.integers(1, 9))
def test_every_stretch_is_in_one_part(scores: Scores, of: int) -> None:
    whole = [(one.task, one.place) for one in stretch.stretches(scores)]
    shares = [
        [(one.task, one.place) for one in Part(number, of).share(stretch.stretches(scores), scores.n_cells)]
        for number in range(1, of + 1)
    ]
    assert [*chain.from_iterable(shares)] == whole


def test_shares_of_a_large_table_are_even() -> None:
    scores = podium.from_arrays({f"t{place:02}": np.zeros((3, 10 + place)) for place in range(40)})
    sizes = [
        sum(one.size for one in Part(number, 8).share(stretch.stretches(scores), scores.n_cells))
        for number in range(1, 9)
    ]
    assert max(sizes) <= 1.35 * scores.n_cells / 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2, 3):
        Asked().write(LARGE, tmp_path, Part(number, 3))
    return tmp_path


def test_bytes_of_a_part_do_not_depend_on_the_day(folder: Path, tmp_path: Path) -> None:
    (path, *_) = sorted(folder.iterdir())
    before = path.read_bytes()
    assert Asked().write(LARGE, folder, Part(1, 3)) == (path, None)
    path.unlink()
    assert Asked().write(LARGE, folder, Part(1, 3))[0] == path
    assert path.read_bytes() == before
    assert tmp_path == folder


def test_a_missing_part_is_named_with_the_command_that_makes_it(folder: Path) -> None:
    paths = sorted(folder.iterdir())
    paths[1].unlink()
    with pytest.raises(InputError, match=rf"lacks part 2 of 3; run: podium tally s.csv --part 2/3 -o {folder}$"):
        AllParts(folder)
    paths[0].unlink()
    with pytest.raises(InputError, match=r"lacks parts 1, 2 of 3; run: .* --part 1/3 .*, and so on$"):
        AllParts(folder)
    paths[2].unlink()
    with pytest.raises(InputError, match="holds no parts; make them with podium tally"):
        AllParts(folder)


@pytest.mark.parametrize("keep", [0, 1, 500, -1])
def test_a_truncated_part_is_named_and_made_again(folder: Path, keep: int) -> None:
    path = sorted(folder.iterdir())[1]
    whole = path.read_bytes()
    path.write_bytes(whole[:keep])
    with pytest.raises(InputError, match=rf"^{path}: damaged, or no part.*; delete it, and run: .* --part 2/3 -o "):
        AllParts(folder)
    with pytest.warns(PodiumWarning, match="was damaged, and is counted anew"):
        Asked().write(LARGE, folder, Part(2, 3))
    assert path.read_bytes() == whole


def test_a_flipped_bit_is_noticed_or_changes_nothing(folder: Path) -> None:
    path, expected, rng = sorted(folder.iterdir())[1], Asked().rank(LARGE), np.random.default_rng(0)
    whole = path.read_bytes()
    noticed = 0
    for place in rng.integers(0, len(whole), 150).tolist():
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            with AllParts(folder) as parts, using(parts):
                assert Asked().rank(LARGE) == expected
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017  # either is right
            noticed += 1
    assert noticed > 100


def test_other_settings_tables_and_numbers_of_parts_are_named(folder: Path) -> None:
    other = folder / "other"
    for asked, scores, of, said in (
        (Asked(replicates=50), LARGE, 3, "--replicates"),
        (Asked(), LARGE.with_task_weights({"a": 2}), 3, "the table"),
        (Asked(), LARGE, 4, "the number of parts"),
    ):
        path, _ = asked.write(scores, other, Part(1, of))
        path.rename(folder / path.name)
        with pytest.raises(InputError, match=f"are parts of different questions: they differ in {said}; keep those"):
            AllParts(folder)
        (folder / path.name).unlink()


def test_another_table_is_refused(folder: Path) -> None:
    (row, *rest) = LARGE.tasks[0].parts
    changed = row.copy()
    changed[0, 0] += 1
    other = podium.from_arrays({"a": changed, "b": LARGE.tasks[1].values})
    assert rest == []
    with AllParts(folder) as parts:
        parts.check_table(LARGE)
        for scores in (other, LARGE.with_directions(lower=["a"]), LARGE.take([1, 0, 2, 3]), LARGE.select(tasks=["a"])):
            with pytest.raises(InputError, match="the table is not the one that the parts in"):
                parts.check_table(scores)


def test_another_version_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podium.tally.engine.parts.versions", lambda: {"podium": "9.9"})
    with pytest.raises(InputError, match=r"part was counted with podium \d.*, and this machine has podium 9.9; use"):
        AllParts(folder)


def test_what_is_no_part_is_refused() -> None:
    for text in ("0/3", "4/3", "1", "1/", "a/b", "first/sixteenth", "-1/3", "1/3/4", "1.0/2"):
        with pytest.raises(MethodError, match="write NUMBER/PARTS, such as 1/16 for the first of 16"):
            Part.typed(text)
    assert Part.typed("1/999999").of == 999_999
    for text in ("1/1000000", "1/" + 5000 * "9", 5000 * "9" + "/1"):  # Python reads no number of so many digits
        with pytest.raises(MethodError, match=r"^the part is '.{1,20}'; there are at most 999,999 parts$"):
            Part.typed(text)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name, said in (("file", "is a file"), ("nothing", "is not there")):
        with pytest.raises(InputError, match=f"{name} {said}; name the folder into which podium tally -o has written"):
            AllParts(tmp_path / name)


def test_other_files_are_called_so(folder: Path) -> None:
    question = PartQuestion({"sources": ["other.csv"]} | Asked().told, "podium tally other.csv", digest_of(LARGE))
    write_part(folder, Part(1, 3), question, [])
    with pytest.raises(InputError, match="they differ in the files; keep those"):
        AllParts(folder)


def test_a_method_that_is_fitted_to_the_whole_is_refused() -> None:
    with pytest.raises(MethodError, match="fitted to the whole table, so jobs cannot count parts"):
        list(demands_of(LARGE, MethodSpec("irt")))


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file/parts cannot be made: Not a directory; choose another place"):
        Asked().write(LARGE, tmp_path / "file" / "parts", Part(1, 1))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that is worth counting in parts: 3 tasks with some 2 million draws each."""
    path = tmp_path_factory.mktemp("table") / "scores.parquet"
    rng = np.random.default_rng(0)
    arrays = {f"t{place}": rng.integers(0, 3, (4, 15_000)) / 2 for place in range(3)}
    labels = {name: [f"i{place:05}" for place in range(15_000)] for name in arrays}
    podium.convert(podium.from_arrays(arrays, instances=labels), path)
    return path


def typed(*words: str, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "podium", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120, **options)


def test_the_command_line_counts_in_jobs(table: Path) -> None:
    options = ["scores.parquet", "--method", "borda:two", "--replicates", "60", "--task-weights", "t0=2", "--intervals"]
    whole = typed("rank", *options, "-f", "json", cwd=table.parent)
    said = [typed("tally", *options, "--part", f"{number}/2", "-o", "parts/", cwd=table.parent) for number in (2, 1)]
    assert [one.returncode for one in said] == [0, 0], said
    assert "-2-of-2.part holds " in said[0].stderr
    again = typed("tally", *options, "--part", "2/2", "-o", "parts/", cwd=table.parent)
    assert "-2-of-2.part is there, and is not counted again" in again.stderr
    merged = typed("merge", "parts/", "-f", "json", "--plot", "ranks=r.svg", cwd=table.parent)
    assert (merged.stdout, merged.stderr) == (whole.stdout, whole.stderr)
    assert (table.parent / "r.svg").is_file()
    (lost,) = (table.parent / "parts").glob("*-1-of-2.part")
    lost.unlink()
    refused = typed("merge", "parts/", cwd=table.parent)
    assert refused.returncode == 2
    command = refused.stderr.partition("run: podium ")[2].split()
    assert typed(*command, cwd=table.parent).returncode == 0
    assert lost.is_file()
    moved = typed("merge", str(table.parent / "parts"), cwd=table.parent.parent)
    assert "cannot be read: " in moved.stderr
    assert "run podium merge where the jobs ran" in moved.stderr


@contextmanager
def _started(*words: str, cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", "podium", *words], cwd=cwd, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_job_that_is_killed_leaves_no_half_part(table: Path, tmp_path: Path) -> None:
    options = ["tally", str(table), "--replicates", "400", "--intervals", "--part", "1/1", "-o", "parts"]
    with _started(*options, cwd=tmp_path) as process:
        deadline = time.monotonic() + 60
        while not [*tmp_path.glob("parts/.*.partial")]:  # it has begun to write
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert [*tmp_path.glob("parts/*.part")] == []
    assert "holds no parts" in typed("merge", "parts", cwd=tmp_path).stderr
    assert typed(*options, cwd=tmp_path).returncode == 0
    whole = typed("rank", str(table), "--replicates", "400", "--intervals", "-f", "json", cwd=tmp_path)
    assert typed("merge", "parts", "-f", "json", cwd=tmp_path).stdout == whole.stdout


def test_standard_input_is_refused(tmp_path: Path) -> None:
    refused = typed("tally", "-", "--part", "1/1", "-o", "parts", cwd=tmp_path, input="")
    assert (refused.returncode, "merge reads the table again" in refused.stderr) == (2, True)


def test_pictures_of_intervals_need_replicates(table: Path, tmp_path: Path) -> None:
    options = ["tally", str(table), "--no-intervals", "--part", "1/1", "-o", "parts"]
    assert typed(*options, cwd=tmp_path).returncode == 0
    refused = typed("merge", "parts", "--plot", "cd=cd.svg", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "shows intervals" in refused.stderr
    assert part.ENDING == ".part"
