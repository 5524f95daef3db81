"""A run that was stopped goes on where it was, and ends as if it had not been."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from podium.difficulty.bias import Checkpoint, Rounds, bias_within
from podium.errors import InputError, MethodError, OutputError

RNG = np.random.default_rng(0)
GOLD = np.arange(60) % 2
EMBEDDINGS = GOLD[:, None] + RNG.normal(size=(60, 3))

#: Embeddings from a file; a checkpoint every so many seconds; tells each round, and waits a little after it.
SCRIPT = """
import functools, sys, time
import numpy as np
from podium.difficulty import bias as within
folder, seconds = sys.argv[1], float(sys.argv[2])
within.Checkpoint = functools.partial(within.Checkpoint, seconds=seconds)
def tell(done, total):
    print(done, flush=True)
    time.sleep(0.02)
within.bias_within(np.load(folder + "/embeddings.npy"), np.arange(60) % 2, rounds=10_000, jobs=1, progress=tell,
                   checkpoint=folder + "/bias.checkpoint")
"""


def run(rounds: int = 6, **options: Any) -> Any:
    return bias_within(EMBEDDINGS, GOLD, **{"rounds": rounds, "jobs": 1, **options})


def same(first: Any, second: Any) -> None:
    for name in ("correct", "evaluated", "bias"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.rounds == second.rounds


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "seconds"), [(signal.SIGKILL, 0.0), (signal.SIGINT, 1e9)])
def test_a_stopped_process_is_gone_on_with(tmp_path: Path, sent: signal.Signals, seconds: float) -> None:
    np.save(tmp_path / "embeddings.npy", EMBEDDINGS)
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(5)]
        process.send_signal(sent)
        rest, complaint = process.communicate(timeout=60)
    assert process.returncode == -sent, complaint
    told += map(int, rest.split())
    path = tmp_path / "bias.checkpoint"
    saved = json.loads(path.read_text())["rounds"]
    # after each round it is first written and then told
    assert told[-1] <= saved <= told[-1] + 1
    done: list[int] = []
    resumed = run(saved + 5, checkpoint=path, progress=lambda now, _: done.append(now))
    assert done == list(range(saved + 1, saved + 6))
    same(resumed, run(saved + 5))


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupted_run_is_gone_on_with(tmp_path: Path, jobs: int) -> None:
    path = tmp_path / "bias.checkpoint"

    def interrupt(done: int, _: int | None) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(9, checkpoint=path, progress=interrupt, jobs=jobs)
    assert json.loads(path.read_text())["rounds"] == 3
    same(run(9, checkpoint=path, jobs=3 - jobs), run(9))


def test_a_finished_run_is_not_done_again_and_can_be_longer(tmp_path: Path) -> None:
    path = tmp_path / "bias.checkpoint"
    first = run(4, checkpoint=path)
    done: list[int] = []
    same(run(4, checkpoint=str(path), progress=lambda now, _: done.append(now)), first)
    assert done == []
    same(run(7, checkpoint=path), run(7))
    with pytest.raises(MethodError, match="the checkpoint holds 7 rounds and rounds is 6; ask for 7 or more"):
        run(6, checkpoint=path)
    assert sorted(tmp_path.iterdir()) == [path], "nothing is left beside it"


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        ({"seed": 1}, "seed"),
        ({"size": 20}, "size"),
        ({"gold": 1 - GOLD}, "gold"),
        ({"embeddings": EMBEDDINGS + 1e-9}, "embeddings"),
        ({"embeddings": EMBEDDINGS[:50], "gold": GOLD[:50], "size": 10}, "embeddings, gold, size"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path, change: dict[str, Any], differs: str) -> None:
    path = tmp_path / "bias.checkpoint"
    run(2, checkpoint=path)
    before = path.read_bytes()
    asked = {"embeddings": EMBEDDINGS, "gold": GOLD, "rounds": 2, "checkpoint": path, "jobs": 1, **change}
    with pytest.raises(InputError, match=f"of another run, which differs in {differs}; delete it, or name another"):
        bias_within(**asked)
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["version of the algorithm", "version of scikit-learn"])
def test_a_checkpoint_of_other_versions_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bias.checkpoint"
    run(2, checkpoint=path)
    content = json.loads(path.read_text())
    content["origin"][name] = "0.1"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=f"which differs in {name}"):
        run(2, checkpoint=path)


def test_embeddings_are_told_by_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "bias.checkpoint"
    single = EMBEDDINGS.astype(np.float32)
    bias_within(single, GOLD, rounds=2, jobs=1, checkpoint=path)
    names = np.array(["bad", "good"])[GOLD]
    again = bias_within(np.asfortranarray(single.astype(float)), names, rounds=3, jobs=1, checkpoint=path)
    same(again, bias_within(single, GOLD, rounds=3, jobs=1))


def test_any_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "bias.checkpoint"
    run(2, checkpoint=path)
    whole = path.read_bytes()
    content = json.loads(whole)
    first = next(k for k, correct in enumerate(content["correct"]) if correct)
    changed = {
        "evaluated": [*content["evaluated"][:-1], content["evaluated"][-1] + 2],
        "correct": [9, *content["correct"][1:]],
        "rounds": -1,
        "unconverged": 0.5,
        "evaluations": None,
    }
    contents = [json.dumps({**content, name: value}).encode() for name, value in changed.items()]
    contents += [json.dumps({**content, "correct": content["correct"][:first]}).encode()]
    for damaged in (*contents, whole[:-1], whole[: len(whole) // 2], b"", b"\xff\x00", b"[]", b"{}", b"[" * 100_000):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"(is damaged|is no checkpoint).*; delete it, or name another file"):
            run(2, checkpoint=path)
        assert path.read_bytes() == damaged, "what is no checkpoint is not written over"


def test_a_place_that_cannot_be_written_is_found_out_before_the_work(tmp_path: Path) -> None:
    told: list[int] = []
    with pytest.raises(OutputError, match=r"there is no folder .*missing; create it first"):
        run(checkpoint=tmp_path / "missing" / "bias.checkpoint", progress=lambda now, _: told.append(now))
    with pytest.raises(InputError, match="cannot be read: Is a directory; name another file"):
        run(checkpoint=tmp_path, progress=lambda now, _: told.append(now))
    assert told == []


def test_it_is_kept_only_now_and_then(tmp_path: Path) -> None:
    path = tmp_path / "bias.checkpoint"
    rounds = Rounds(1, np.array([1, 0]), np.array([2, 0]), 3)
    Checkpoint(path, {}, seconds=1e9).keep(rounds)
    assert not path.exists()
    Checkpoint(path, {}, seconds=0.0).keep(rounds)
    found = Checkpoint(path, {}).load(2)
    assert (found.number, found.unconverged, found.correct.tolist(), found.evaluated.tolist()) == (1, 3, [1, 0], [2, 0])


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target)
    run(2, checkpoint=link)
    assert link.is_symlink()
    assert json.loads(target.read_text())["rounds"] == 2
