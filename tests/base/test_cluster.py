"""Clusters: how podium connects with one, and what it says where that fails."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import podium
from podium.base import cluster as place
from podium.base.cluster import in_force
from podium.errors import EngineError, InputError, LabelError, MethodError

pytest.importorskip("distributed")


def test_a_cluster_without_workers_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from distributed import LocalCluster

    monkeypatch.setattr(place, "_PATIENCE", 0.5)
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


def test_workers_that_differ_are_refused(tmp_path: Path) -> None:
    from distributed import LocalCluster

    (tmp_path / "podium-0.0.9.dist-info").mkdir()
    (tmp_path / "podium-0.0.9.dist-info" / "METADATA").write_text("Name: podium\nVersion: 0.0.9\n")
    with LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        address = empty.scheduler_address
        with (
            running("worker", address, "--no-nanny", "--no-dashboard", PYTHONPATH=str(tmp_path)),
            pytest.raises(EngineError, match=r"^worker tcp://.+ has podium 0\.0\.9, and this machine has podium \d"),
            podium.engine("dask", scheduler=address),
        ):
            pass


@pytest.mark.parametrize(
    ("other", "said"), [({"podium": None}, "has no podium, and"), ({"python": "2.7.1"}, r"has Python 2\.7, and")]
)
def test_workers_without_podium_or_with_another_python_are_refused(other: dict[str, Any], said: str) -> None:
    from distributed.versions import get_versions

    here = get_versions(["podium", "numba"])
    workers = {"tcp://10.0.0.1:1": here, "tcp://10.0.0.2:2": {"packages": here["packages"] | other}}
    scheduler = SimpleNamespace(addr="", versions=lambda **_: here, broadcast=lambda **_: workers)
    client = SimpleNamespace(scheduler=scheduler, sync=lambda function, **how: function(**how))
    with pytest.raises(EngineError, match=f"^worker tcp://10.0.0.2:2 {said} this machine has"):
        place.Cluster(client).check_versions()


@pytest.mark.whole
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_scheduler_that_dies_or_hangs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: int) -> None:
    said = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            running("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(said))
        )
        _until(said.exists)
        stack.enter_context(running("worker", "--scheduler-file", str(said), "--no-nanny", "--no-dashboard"))
        address = _address(said)
        began = time.monotonic()
        with podium.engine("dask", scheduler=address):
            cluster = in_force()
            assert cluster is not None
            monkeypatch.setattr(place, "_PATIENCE", 3)  # for so long a client waits for the answer of one that hangs
            threading.Timer(1, scheduler.send_signal, [how]).start()
            with pytest.raises(EngineError, match=rf"^the Dask scheduler at {address} is gone"):
                list(cluster.results([cluster.submit(time.sleep, 60)]))
        assert time.monotonic() - began < 40


def test_what_a_function_raises_on_a_worker_is_raised_here() -> None:
    with podium.engine("dask", workers=1):
        cluster = in_force()
        assert cluster is not None
        with pytest.raises(InputError, match="there is no file"):
            list(cluster.results([cluster.submit(podium.read, "nowhere.csv")]))


def test_a_bucket_that_refuses_workers_is_named() -> None:
    def refuse(name: str) -> None:
        raise InputError(f"{name} cannot be read: ACCESS_DENIED; give credentials")

    with podium.engine("dask", workers=1):
        cluster = in_force()
        assert cluster is not None
        with pytest.raises(
            InputError, match=r"^s3://x cannot be .* credentials; a worker says so, and workers need them"
        ):
            list(cluster.results([cluster.submit(refuse, "s3://x")]))


def test_workers_without_memory_are_not_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(dask_worker: Any) -> None:
        from distributed import Status

        dask_worker.memory_manager.memory_pause_fraction = 1e-9  # so that it stays so
        dask_worker.status = Status.paused

    monkeypatch.setattr(place, "_FULL", 1)
    monkeypatch.setattr(place, "_LOOK", 0.2)
    with podium.engine("dask", workers=2):
        cluster = in_force()
        assert cluster is not None
        cluster.client.run(fill)
        with pytest.raises(EngineError, match=r"all workers \(2\) have had no memory left for 1 s; give each more"):
            list(cluster.results([cluster.submit(str, 1)]))


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
    monkeypatch.setattr(place, "_CONNECT", 0.5)
    with (
        pytest.raises(EngineError, match=rf"no Dask scheduler answers at '{address}' within 0.5 s; start one"),
        podium.engine("dask", scheduler=address),
    ):
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
    with place._quiet():
        assert not any(logging.getLogger(name).isEnabledFor(logging.CRITICAL) for name in names)
    assert [logging.getLogger(name).getEffectiveLevel() for name in names] == before


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(LabelError, match=r"there is no engine 'dusk'; did you mean 'dask'\?"), podium.engine("dusk"):  # type: ignore[arg-type]
        pass
    for given in ({"scheduler": "tcp://127.0.0.1:1"}, {"workers": 2}, {"worker_memory": "1GB"}):
        with pytest.raises(MethodError, match="the local engine has no use for"), podium.engine(**given):
            pass
    with pytest.raises(InputError, match="memory is 'lots'"), podium.engine("dask", worker_memory="lots"):
        pass
    running = podium.engine("dask", scheduler="tcp://127.0.0.1:1", worker_memory="1GB")
    with pytest.raises(MethodError, match="have memory of their own"), running:
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
