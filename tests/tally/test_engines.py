"""The laws of engines, for each: the same bytes as one stretch after the other, each once, few at a time."""

import logging
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from functools import reduce
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import podium
from podium.errors import EngineError, LabelError, MethodError, PodiumWarning
from podium.ranking.method_spec import METHODS
from podium.score.table import Block, Scores, block_length
from podium.score.task import PART
from podium.tally import count as counting
from podium.tally import dask, stretch
from podium.tally.count import PLAIN, count
from podium.tally.dask import SILENT, Handed, Hands, quiet
from podium.tally.draw import Resampling
from podium.tally.duel import Duels
from podium.tally.moment import Comoments, Means, Moments
from podium.tally.position import Positions, Ties
from podium.tally.stretch import Counting, Local, Stretch, Tallies, Tree, merged, stretches
from podium.tally.tally import Kernels, Tally

pytest.importorskip("distributed")

KINDS: tuple[type[Tally], ...] = (Comoments, Duels, Moments, Positions, Ties)

#: Instances of a stretch, and of a block, in these tests.
SHORT, BLOCK = 256, 64


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small tables have many stretches, and are sent."""
    monkeypatch.setattr(stretch, "_LONGEST", SHORT)
    monkeypatch.setattr(stretch, "block_length", lambda _systems, at_most=None: min(at_most or BLOCK, BLOCK))
    monkeypatch.setattr(counting, "_SMALL", 0)
    monkeypatch.setattr(dask, "_SCORES", 6 * SHORT)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from distributed import LocalCluster, Status

    made = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=SILENT)
    yield made
    try:
        made.close(timeout=5)
    except (TimeoutError, KeyError):  # Dask waits for workers that were killed, at times for ever
        made.status = Status.closed


@pytest.fixture
def table() -> Scores:
    """Weights, missing scores, clusters, tasks of one instance, one that falls, and odd numbers of stretches."""
    rng = np.random.default_rng(0)
    sizes = {"a": 5 * SHORT + 17, "b": 40, "c": 1, "d": 1, "e": 2 * SHORT, "f": 700}
    arrays = {name: rng.normal(size=(6, size)).round(1) for name, size in sizes.items()}
    arrays["a"][rng.random(arrays["a"].shape) < 0.2] = np.nan
    clusters = {"f": [f"passage {index // 7}" for index in range(700)]}
    scores = podium.from_arrays(arrays, lower=["e"], clusters=clusters)
    return scores.with_instance_weights({"a": rng.integers(1, 4, sizes["a"]), "d": [3]})


ENGINES = (
    "local, 1 thread",
    "local, 3 threads",
    "dask, 2 workers",
    *(pytest.param(f"dask, {workers}", marks=pytest.mark.whole) for workers in ("1 worker", "4 workers")),
)


@pytest.fixture(scope="module", params=ENGINES)  # so that workers are started once, and not for each test
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def threads_of(name: str) -> int:
    return int(re.findall(r"\d", name)[0])


@contextmanager
def engine(name: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    kind, number = name.partition(",")[0], threads_of(name)
    if kind == "local":
        yield Local(number)
        return
    cluster = request.getfixturevalue("cluster")
    cluster.scale(number)
    cluster.wait_for_workers(number)
    with podium.engine("dask", scheduler=cluster.scheduler_address, workers=number):
        yield counting._in_force.get()


def as_bytes(tallies: Tallies) -> dict[str, list[list[bytes]]]:
    return {
        kind.__name__: [
            [np.asarray(getattr(tally, field.name)).tobytes() for field in fields(tally)] for tally in of_tasks
        ]
        for kind, of_tasks in tallies.items()
    }


def in_a_tree(tallies: list[Tallies]) -> Tallies:
    """Merge neighbours pairwise, as the design says it."""
    while len(tallies) > 1:
        tallies = [reduce(merged, tallies[first : first + 2]) for first in range(0, len(tallies), 2)]
    return tallies[0]


def test_stretches_come_once_each_with_the_tallies_that_folding_gives(
    name: str, table: Scores, request: pytest.FixtureRequest
) -> None:
    plain = Counting(KINDS, PLAIN)
    drawn = Counting((Positions, Means), PLAIN, Resampling("instances", replicates=9, seed=3))
    keys = cast("Resampling", drawn.resampling).keys(table.tasks)
    with engine(name, request) as opened:
        for work, cut in ((plain, list(stretches(table))), (drawn, list(stretches(table, keys=keys)))):
            expected = {(one.task, one.place): as_bytes(work.fold(one)) for one in cut}
            told: list[int] = []
            found = list(opened.fold(work, iter(cut), told.append))
            assert {(one.task, one.place): as_bytes(tallies) for one, tallies in found} == expected
            assert len(found) == len(cut) > 10
            assert sum(told) == table.n_cells


def test_few_stretches_are_held_at_a_time(name: str, table: Scores, request: pytest.FixtureRequest) -> None:
    taken = given = most = 0

    def noted() -> Iterator[Stretch]:
        nonlocal taken, most
        for one in stretches(table):
            taken += 1
            most = max(most, taken - given)
            yield one

    with engine(name, request) as opened:
        for _ in opened.fold(Counting((Moments,), PLAIN), noted()):
            given += 1
    assert taken == given
    assert most <= 2 * threads_of(name) + 4, "two messages a thread, of which one is short"


@pytest.mark.parametrize("leaves", [1, 2, 3, 5, 8, 13])
def test_the_tree_depends_on_the_number_of_leaves_alone(leaves: int) -> None:
    rng = np.random.default_rng(leaves)
    tallies: list[Tallies] = [{Moments: (Moments(*rng.random((3, 4))),)} for _ in range(leaves)]
    expected = as_bytes(in_a_tree(tallies))
    for order in (np.arange(leaves), np.arange(leaves)[::-1], rng.permutation(leaves)):
        tree = Tree(leaves)
        *before, last = [tree.put(place, tallies[place]) for place in order.tolist()]
        assert before == [None] * (leaves - 1)
        assert last is not None
        assert as_bytes(last) == expected
    tree = Tree(leaves)
    waiting = []
    for place in range(leaves):
        tree.put(place, tallies[place])
        waiting.append(len(tree._waiting))
    assert max(waiting) <= np.log2(leaves)


def test_a_task_is_merged_in_a_tree_of_its_stretches(table: Scores) -> None:
    cut = list(stretches(table))
    assert [one.siblings for one in cut][:6] == [6] * 6
    counts = count(table, (Moments,), kernels=PLAIN)[Moments]
    for task in (0, 4, 5):
        whole = in_a_tree([Counting((Moments,), PLAIN).fold(one) for one in cut if one.task == task])
        assert as_bytes({Moments: (counts[task],)}) == as_bytes(whole)


def test_stretches_are_borders_of_parts_and_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for systems, longest in ((2, 16), (20, 16), (60, 8), (512, 1), (3_000, 0.5), (10_000, 2)):
        assert stretch._longest(systems) == longest * PART
        assert stretch._longest(systems) % block_length(systems) == 0


@pytest.mark.filterwarnings("ignore::podium.errors.PodiumWarning")
def test_every_method_gives_the_same_bytes(name: str, table: Scores, request: pytest.FixtureRequest) -> None:
    scores = table.with_directions(higher=["e"]).with_task_weights({"b": 2})

    methods = METHODS if name == "dask, 2 workers" else ("mean", "borda")

    def answers() -> Iterator[str | bytes]:
        for method in methods:
            if METHODS[method].fitted is False:
                yield podium.rank(scores, method, replicates=40).render("json")
        yield podium.compare_all(scores.select(tasks=["a", "e", "f"]), control="system 1").render("json")
        yield podium.describe(scores).render("json")
        yield podium.pairwise(scores).render("json")

    expected = list(answers())
    with engine(name, request):
        assert list(answers()) == expected


@pytest.mark.whole
def test_repeats_give_the_same_bytes(request: pytest.FixtureRequest) -> None:
    cube = np.random.default_rng(1).integers(0, 2, (4, 3 * SHORT, 3)).astype(float)
    scores = podium.from_arrays({"t": cube})
    expected = podium.rank(scores, units="repeats", replicates=40).render("json")
    with engine("dask, 2 workers", request):
        assert podium.rank(scores, units="repeats", replicates=40).render("json") == expected


@pytest.mark.whole
def test_workers_that_are_killed_change_no_byte(cluster: Any, table: Scores, request: pytest.FixtureRequest) -> None:
    expected = as_bytes({Moments: count(table, (Moments,), kernels=PLAIN)[Moments]})
    kills = iter([1, 3])
    wanted = next(kills)
    seen = 0

    def kill(_done: int, _total: int | None) -> None:
        nonlocal seen, wanted
        seen += 1
        if seen == wanted:
            os.kill(next(pid for nanny in cluster.workers.values() if (pid := nanny.pid)), signal.SIGKILL)
            wanted = next(kills, 0)

    with engine("dask, 2 workers", request):
        found = as_bytes({Moments: count(table, (Moments,), kernels=PLAIN, progress=kill)[Moments]})
    assert (found, wanted) == (expected, 0)


@pytest.mark.whole
def test_scores_that_kill_each_worker_are_not_sent_for_ever(table: Scores, request: pytest.FixtureRequest) -> None:
    class Deadly(Moments):
        __slots__ = ()

        @classmethod
        def of(cls, block: Block, kernels: Kernels) -> "Deadly":  # noqa: ARG003
            os._exit(1)

    with (
        engine("dask, 1 worker", request),
        pytest.raises(EngineError, match=r"^4 workers died while they counted the same scores"),
    ):
        count(table, (Deadly,))


@pytest.mark.whole
def test_an_interruption_leaves_no_work_behind(cluster: Any, table: Scores, request: pytest.FixtureRequest) -> None:
    def interrupt(_done: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    with engine("dask, 1 worker", request), pytest.raises(KeyboardInterrupt):
        count(table, (Moments,), progress=interrupt)
    deadline = time.monotonic() + 10
    while cluster.scheduler.tasks and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not cluster.scheduler.tasks


@pytest.mark.whole
def test_a_mistake_on_a_worker_is_the_same_mistake(table: Scores, request: pytest.FixtureRequest) -> None:
    class Wrong(Moments):
        __slots__ = ()

        @classmethod
        def of(cls, block: Block, kernels: Kernels) -> "Wrong":  # noqa: ARG003
            raise ZeroDivisionError("of all things")

    with engine("dask, 1 worker", request), pytest.raises(ZeroDivisionError, match="of all things"):
        count(table, (Wrong,))


@pytest.mark.whole
def test_a_slow_cluster_is_mentioned(
    table: Scores, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Slow(Moments):
        __slots__ = ()

        @classmethod
        def of(cls, block: Block, kernels: Kernels) -> "Slow":
            time.sleep(0.1)
            return super().of(block, kernels)

    monkeypatch.setattr(dask, "_PATIENCE", 0.2)  # for so long a scheduler may take to answer on a busy machine
    monkeypatch.setattr(dask, "_LOOK", 0.01)
    with (
        engine("dask, 1 worker", request),
        pytest.warns(PodiumWarning, match=r"no worker of the cluster has answered for"),
    ):
        count(table.select(tasks=["a"]), (Slow,))


def test_a_cluster_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(dask, "_PATIENCE", 0.5)
    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as empty,
        pytest.raises(EngineError, match=r"should have 2 workers, and after 0.5 s has none; start workers with"),
        podium.engine("dask", scheduler=empty.scheduler_address, workers=2),
    ):
        pass


@contextmanager
def running(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of Dask meanwhile."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("module", "said"),
    [
        ("__version__ = '0.0.9'", r"has podium 0\.0\.9, and this machine has podium \d"),
        ("raise ImportError('damaged')", r"has no podium, and this machine has podium \d"),
    ],
)
def test_workers_that_differ_are_refused(module: str, said: str, tmp_path: Path) -> None:
    from distributed import LocalCluster

    (tmp_path / "podium").mkdir()
    (tmp_path / "podium" / "__init__.py").write_text(module)
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        address = empty.scheduler_address
        started = running("worker", address, "--no-nanny", "--no-dashboard", PYTHONPATH=str(tmp_path))
        with (
            started,
            pytest.raises(EngineError, match=rf"^worker tcp://.+ {said}"),
            podium.engine("dask", scheduler=address),
        ):
            pass


@pytest.mark.whole
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_dies_or_hangs_is_named(
    table: Scores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: int
) -> None:
    monkeypatch.setattr(dask, "_CONNECT", 3)  # for so long a client looks for a scheduler that is gone
    monkeypatch.setattr(dask, "_LIFE", 3)  # and waits for the answer of one that hangs
    place = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            running("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(place))
        )
        _until(place.exists)
        stack.enter_context(running("worker", "--scheduler-file", str(place), "--no-nanny", "--no-dashboard"))
        address = _address(place)

        def kill(_done: int, _total: int | None) -> None:
            scheduler.send_signal(how)

        began = time.monotonic()
        with (
            pytest.raises(EngineError, match=rf"^the connection with the scheduler {address} is lost"),
            podium.engine("dask", scheduler=address),
        ):
            count(table, (Moments,), progress=kill)
        assert time.monotonic() - began < 20


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _address(place: Path) -> str:
    import json

    return str(json.loads(place.read_text())["address"])


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "http://127.0.0.1:80", "tcp://127.0.0.1:99999"])
def test_a_scheduler_that_is_not_there_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "_CONNECT", 0.5)
    with (
        pytest.raises(EngineError, match=rf"no Dask scheduler answers at '{address}' within 0.5 s; start one"),
        podium.engine("dask", scheduler=address),
    ):
        pass


@pytest.mark.whole
def test_a_scheduler_that_dies_before_it_is_asked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def once(scheduler: str, seconds: float) -> str:  # noqa: ARG001  # it has answered, and is gone by now
        return scheduler

    monkeypatch.setattr(dask, "answering", once)
    monkeypatch.setattr(dask, "_CONNECT", 0.5)
    said = r"^the connection with the scheduler tcp://127\.0\.0\.1:1 is lost"
    with pytest.raises(EngineError, match=said), podium.engine("dask", scheduler="tcp://127.0.0.1:1"):
        pass


@pytest.mark.whole
def test_workers_of_this_machine_say_nothing_when_a_terminal_interrupts(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_INTERRUPTED)
    command = [sys.executable, str(script)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        said = process.communicate(timeout=60)
    assert (process.returncode, *said) == (0, "interrupted\n", "")


_INTERRUPTED = """
import time
import podium
if __name__ == "__main__":
    try:
        with podium.engine("dask", workers=1):
            print("begun", flush=True)
            time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_no_logger_of_dask_says_what_podium_says() -> None:
    names = ("distributed", "distributed.client", "distributed.gc", "distributed.worker", "tornado.application")
    before = [logging.getLogger(name).getEffectiveLevel() for name in names]
    with quiet():
        assert not any(logging.getLogger(name).isEnabledFor(logging.CRITICAL) for name in names)
    assert [logging.getLogger(name).getEffectiveLevel() for name in names] == before


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(LabelError, match=r"there is no engine 'dusk'; did you mean 'dask'\?"), podium.engine("dusk"):
        pass
    for given in ({"scheduler": "tcp://127.0.0.1:1"}, {"workers": 2}):
        with pytest.raises(MethodError, match="the local engine has no use for"), podium.engine(**given):
            pass
    with pytest.raises(MethodError, match="workers is 0"), podium.engine("dask", workers=0):
        pass


_SCRIPT = """
import podium
with podium.engine("dask", workers=1):
    print(podium.rank({"A": {"t": 1, "u": 1}, "B": {"t": 0, "u": 1}}).systems)
"""


def test_a_script_without_a_guard_is_told_to_have_one(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(_SCRIPT)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "if __name__ == '__main__'" in done.stderr
    body = _SCRIPT.replace("\n", "\n    ")
    script.write_text(f"if __name__ == '__main__':{body}")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "('A', 'B')\n", "")


@pytest.mark.whole
def test_the_command_line_counts_on_a_cluster(cluster: Any, tmp_path: Path, table: Scores) -> None:
    source = tmp_path / "scores.csv"
    rows = ["system,task,instance,score"]
    for task in table.tasks[:2]:
        for system, values in zip(table.systems, task.values, strict=True):
            rows += [
                f"{system},{task.name},{place},{value}" for place, value in enumerate(values) if not np.isnan(value)
            ]
    source.write_text("\n".join(rows))
    command = [sys.executable, "-m", "podium", "rank", str(source), "-f", "json"]
    alone = subprocess.run(command, capture_output=True, check=True)
    options = ["--engine", "dask", "--scheduler", cluster.scheduler_address]
    there = subprocess.run([*command, *options], capture_output=True, check=True)
    assert (there.stdout, there.stderr) == (alone.stdout, alone.stderr)


@pytest.mark.whole
def test_values_are_handed_to_processes_of_this_machine() -> None:
    from podium.tally.dask import Hands, possible, taken

    if not possible():
        pytest.skip("this system has no memory without a name")
    hands = Hands()
    for size in (3, 5_000, 100, 100_000):
        value: dict[str, Any] = {"a": np.arange(size), "b": [np.ones((2, size), np.float32), None], "c": "text"}
        place = hands.over(value)
        code = "import sys, pickle, podium.tally.dask as h; p = pickle.load(sys.stdin.buffer); v = h.taken(p); "
        code += "print(v['a'].sum(), v['b'][0].sum(), v['a'].flags.writeable)"
        other = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(place), capture_output=True, check=True)
        assert other.stdout.decode().split() == [f"{value['a'].sum()}", f"{2.0 * size}", "False"]
        assert np.array_equal(taken(place)["a"], value["a"])
        hands.back(place)
    hands.close()
    dask._mapped.cache_clear()
    assert not memory()


def memory() -> list[str]:
    """Files without a name that this process has open."""
    links = []
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # that of the folder itself
            links.append(str(path.readlink()))
    return [link for link in links if "memfd:podium" in link]


@pytest.mark.whole
def test_workers_of_this_machine_give_the_same_bytes_and_leave_no_memory(table: Scores) -> None:
    def answers() -> list[str | bytes]:
        return [podium.rank(table, method, replicates=40).render("json") for method in ("borda", "wins:two")]

    expected = answers()
    others = {child.pid for child in multiprocessing.active_children()}  # of the cluster of other tests
    with podium.engine("dask", workers=2):
        assert answers() == expected
        one = max(child.pid or 0 for child in multiprocessing.active_children() if child.pid not in others)
        killer = threading.Timer(0.05, os.kill, [one, signal.SIGKILL])
        killer.start()
        assert answers() == expected
        killer.join()
        assert answers() == expected
        assert memory()
    assert not memory()


def test_light_work_stays_where_the_scores_are(table: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    over = Hands.over

    def noted(self: Hands, value: object) -> Handed:
        sent.append(value)
        return over(self, value)

    monkeypatch.setattr(Hands, "over", noted)
    with podium.engine("dask", workers=1):
        count(table, (Positions, Ties, Moments))
        assert sent == []
        count(table, (Duels,))
        assert sent != []


@pytest.mark.whole
def test_a_client_that_has_given_its_scheduler_up_says_that_it_is_gone(
    table: Scores, request: pytest.FixtureRequest
) -> None:
    with engine("dask, 1 worker", request) as opened:

        def close(_done: int, _total: int | None) -> None:
            opened._client.close()

        with pytest.raises(EngineError, match=r"^the connection with the scheduler .* is lost; see whether it still"):
            count(table, (Moments,), progress=close)
