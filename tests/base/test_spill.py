"""Arrays on disk: what they hold, where they are, and what is said where they cannot be."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from podium.base import spill
from podium.base.spill import MEMORY, Spill, bytes_of, resident, room_of
from podium.errors import InputError


@pytest.fixture
def room() -> Spill:
    return Spill(2**40)


def test_arrays_keep_what_is_written_when_their_pages_are_let_go(room: Spill) -> None:
    arrays = [room.zeros((number, 1000), np.float32) for number in range(1, 300)]
    for number, array in enumerate(arrays):
        assert not array.any()
        array[...] = number
    room.release()
    for number, array in enumerate(arrays):
        assert (array == number).all()
        assert array.flags.c_contiguous


def test_large_arrays_have_files_of_their_own_and_small_ones_share(
    room: Spill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spill, "_FIRST", 2**12)
    small, more, large = (room.empty(size, np.uint8) for size in (100, 100, 2**14))
    assert small.base is more.base
    assert large.base is not small.base
    small[:], more[:], large[:] = 1, 2, 3
    assert (small == 1).all()
    assert (more == 2).all()


def test_an_array_without_numbers_needs_no_file(room: Spill) -> None:
    assert room.empty((0, 5), np.float64).shape == (0, 5)


def test_views_are_where_their_arrays_are(room: Spill) -> None:
    array = room.zeros((4, 6), np.float64)
    for view in (array[1:], array.T, array.reshape(-1)[::2], np.asarray(array)):
        assert room_of(view) is room
    assert room_of(array.copy()) is MEMORY


def test_files_and_threads_go_with_the_last_array() -> None:
    def held() -> tuple[int, int]:
        watching = [thread for thread in threading.enumerate() if thread.name == "podium-spill"]
        return len(watching), len(list(Path("/proc/self/fd").iterdir()))

    time.sleep(0.1)  # for what other tests leave
    before = held()
    array = Spill(2**40).zeros(10, np.float64)
    assert held() == (before[0] + 1, before[1] + 1)
    array[:] = 7  # the room is kept by its array
    assert (array == 7).all()
    del array
    deadline = time.monotonic() + 10
    while held() != before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert held() == before


HELD = """
import numpy as np
from podium.base.spill import Spill, resident
room = Spill(400_000_000)
arrays = [room.empty((128, 2**14), np.float64) for _ in range(48)]  # 805 MB
for number, array in enumerate(arrays):
    array[...] = number
assert all((array == number).all() for number, array in enumerate(arrays))
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


def test_memory_is_kept_where_arrays_are_larger() -> None:
    done = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True)
    assert int(done.stdout) * 1024 <= 400_000_000


FULL = """
import resource
import numpy as np
from podium.base.spill import Spill
from podium.errors import InputError
resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
try:
    Spill(2**40).zeros(2**20, np.float64)
except InputError as error:
    print(error)
"""


def test_a_full_disk_is_an_error_before_anything_is_written() -> None:
    done = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=True)
    assert "the table does not fit into " in done.stdout
    assert "TMPDIR" in done.stdout


def test_too_little_memory_is_refused() -> None:
    with pytest.raises(InputError, match=r"^100 MB of memory is too little.*--memory 500MB"):
        Spill(100_000_000)


@pytest.mark.parametrize(
    ("given", "size"),
    [
        ("2GB", 2 * 10**9),
        ("512mib", 2**29),
        ("1.5 GiB", 3 * 2**29),
        ("4k", 4000),
        ("4Ki", 4096),
        ("700000000", 7 * 10**8),
        (12, 12),
    ],
)
def test_sizes_are_read(given: str | int, size: int) -> None:
    assert bytes_of(given) == size


@pytest.mark.parametrize("given", ["", "much", "1XB", "-2GB", "nan", True])
def test_what_is_no_size_is_refused(given: str | int) -> None:
    with pytest.raises(InputError, match="write a size such as 2GB"):
        bytes_of(given)


def test_what_this_process_holds_is_known_on_linux() -> None:
    assert (resident() or 0) > 2**20


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match=r"TMPDIR is '.*nowhere', which is no folder"):
        Spill(2**40)


def test_where_there_is_less_room_than_it_would_like_a_smaller_file_will_do(
    room: Spill, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def reserve(number: int, start: int, size: int) -> None:
        asked.append(size)
        if size > 3 * 2**20:
            raise OSError(28, "No space left on device")
        os.truncate(number, start + size)

    monkeypatch.setattr(os, "posix_fallocate", reserve)
    array = room.zeros(2**17, np.float64)
    array[:] = 3
    assert array.sum() == 3 * 2**17
    assert asked == [2**26, 2**25, 2**24, 2**23, 2**22, 2**21]
    with pytest.raises(InputError, match="No space left on device"):
        room.zeros(2**20, np.float64)


def test_pages_are_let_go_while_arrays_are_made(room: Spill, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_FIRST", 2**12)
    monkeypatch.setattr(spill, "_LARGEST", 2**12)
    stop, wrong = threading.Event(), []

    def let_go() -> None:
        while not stop.is_set():
            try:
                room.release()
            except RuntimeError as error:
                wrong.append(error)

    thread = threading.Thread(target=let_go)
    thread.start()
    arrays = [room.zeros(2**9, np.float64) for _ in range(300)]
    for number, array in enumerate(arrays):
        array[:] = number
    stop.set()
    thread.join()
    assert not wrong
    assert all((array == number).all() for number, array in enumerate(arrays))
