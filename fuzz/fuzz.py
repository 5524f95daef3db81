"""Run podium on damaged input, ten thousand times, and say where it does not end as it should.

python fuzz/fuzz.py [--cases N] [--seed S] [--workers W]     many cases
python fuzz/fuzz.py --seed S --case N                        one case again, in a folder that stays

Each case runs in a process of its own, a copy (fork) of one that has loaded everything, through the real entry point.
"""

import argparse
import json
import os
import resource
import select
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import cases
import verdict
from cases import Case
from verdict import Outcome

import podium
from podium.cli import entry

#: Seconds after which a case is ended, and megabytes of address space beyond what the libraries take.
_AT_MOST, _ADDRESSES = 60, 3072

#: Bytes that a pipe holds while nobody reads.
_PIPE = 60_000


def warm() -> None:
    """Load what commands load, so that each case has it at once."""
    import matplotlib.backends.backend_agg  # noqa: PLC0415
    import matplotlib.backends.backend_pdf  # noqa: PLC0415
    import matplotlib.backends.backend_svg  # noqa: F401, PLC0415
    import rich.progress  # noqa: F401, PLC0415
    import scipy.optimize  # noqa: PLC0415
    import scipy.stats  # noqa: F401, PLC0415
    import sklearn.linear_model  # noqa: F401, PLC0415

    for name in podium.__all__:
        getattr(podium, name)
    cases.commands()


def play(case: Case, folder: Path) -> Outcome:
    """Run a case in a child of this process, with real descriptors."""
    out, err, read = (folder.parent / name for name in ("stdout", "stderr", "read"))
    pty = os.openpty() if "terminal" in (case.stdout, case.stderr) else None
    child = os.fork()
    if not child:
        _child(case, folder, (out, err, read), pty)
    terminal = b""
    if pty is not None:
        os.close(pty[1])
        terminal = _shown(pty[0])
    _, status, usage = os.wait4(child, 0)
    return Outcome(
        os.waitstatus_to_exitcode(status),
        _written(case.stdout, out, terminal),
        _written(case.stderr, err, terminal),
        seconds=usage.ru_utime + usage.ru_stime,
        megabytes=usage.ru_maxrss / 1024,
        read=_noted(read),
    )


def _written(to: str, path: Path, terminal: bytes) -> bytes | None:
    return terminal if to == "terminal" else path.read_bytes() if path.exists() else None


def _child(case: Case, folder: Path, places: tuple[Path, Path, Path], pty: tuple[int, int] | None) -> NoReturn:
    """Become what a shell would have started, and end as it would."""
    code = 99
    try:
        os.setsid()
        signal.alarm(_AT_MOST)
        with Path("/proc/self/statm").open() as file:
            used = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + _ADDRESSES * 2**20,) * 2)
        os.chdir(folder)
        os.environ["COLUMNS"] = str(case.width)
        os.environ.update(case.environment or {})
        if pty is not None:
            os.close(pty[0])
            _set_width(pty[1], case.width)
        _lead(case, places, pty)
        if case.fresh:
            os.environ["PYTHONIOENCODING"] = case.encoding
            os.execv(sys.executable, [sys.executable, "-m", "podium", *case.arguments])  # noqa: S606  # the program itself
        _remember_read(places[2])
        sys.argv = ["podium", *case.arguments]
        entry.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 98
    except BaseException:  # noqa: BLE001  # which the program should not let through
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):
                stream.flush()
        os._exit(code)


def _set_width(terminal: int, width: int) -> None:
    import termios  # noqa: PLC0415  # of terminals alone

    termios.tcsetwinsize(terminal, (50, width))  # type: ignore[attr-defined,unused-ignore]  # from Python 3.11


def _lead(case: Case, places: tuple[Path, Path, Path], pty: tuple[int, int] | None) -> None:
    """Let the standard descriptors lead where the case says, and make Python's streams of them."""
    wanted = [None if case.stdin is None else _piped(case.stdin, places[0].with_name("stdin"))]
    for to, path in ((case.stdout, places[0]), (case.stderr, places[1])):
        wanted.append(_opened(to, path, pty))
    for number, opened in enumerate(wanted):
        if opened is None:
            os.close(number)
        else:
            os.dup2(opened, number)
    names = ("stdin", "stdout", "stderr")
    for number, (name, opened) in enumerate(zip(names, wanted, strict=True)):
        errors = "backslashreplace" if number == 2 else "strict"
        stream = (
            None if opened is None else os.fdopen(number, "w" if number else "r", encoding=case.encoding, errors=errors)
        )
        setattr(sys, name, stream)


def _piped(content: bytes, path: Path) -> int:
    """Where so much can be read: a pipe if it holds all, or else a file."""
    if len(content) <= _PIPE:
        reader, writer = os.pipe()
        os.write(writer, content)
        os.close(writer)
        return reader
    path.write_bytes(content)
    return os.open(path, os.O_RDONLY)


def _opened(to: str, path: Path, pty: tuple[int, int] | None) -> int | None:
    if to == "closed":
        return None
    if to == "full":
        return os.open("/dev/full", os.O_WRONLY)
    if to == "broken":
        reader, writer = os.pipe()
        os.close(reader)
        return writer
    if to == "terminal" and pty is not None:
        return pty[1]
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def _remember_read(place: Path) -> None:
    """Write down how much `podium.read` finds, beside what the command does with it."""
    read = podium.read

    def reading(*arguments: Any, **options: Any) -> Any:
        scores = read(*arguments, **options)
        with suppress(OSError, UnicodeError):
            place.write_text("\n".join([str(scores.n_scored), str(len(scores.systems)), *scores.notes]), "utf-8")
        return scores

    podium.read = reading


def _noted(place: Path) -> tuple[int, int, list[str]] | None:
    if not place.exists():
        return None
    scores, systems, *notes = place.read_text("utf-8").split("\n")
    return int(scores), int(systems), notes


def _shown(controller: int) -> bytes:
    """Everything that is written on a terminal until nobody has it open."""
    parts = []
    with suppress(OSError):
        while select.select([controller], [], [], _AT_MOST)[0] and (part := os.read(controller, 65536)):
            parts.append(part)
    os.close(controller)
    return b"".join(parts).replace(b"\r\n", b"\n")


def tried(seed: int, number: int, home: Path) -> tuple[Case, Outcome, list[str]]:
    """Make a case, run it and judge it, in a folder of its own below another."""
    folder = home / "work"
    folder.mkdir(parents=True)
    case = cases.made(seed, number, folder)
    outcome = play(case, folder)
    return case, outcome, verdict.wrong(case, outcome, folder)


def _worker(chosen: argparse.Namespace, worker: int) -> Counter[str]:
    """Run every so-many-th case, and say at once what is wrong."""
    counts: Counter[str] = Counter()
    for number in range(chosen.first + worker, chosen.first + chosen.cases, chosen.workers):
        home = Path(tempfile.mkdtemp(prefix="fuzz-"))
        try:
            case, outcome, problems = tried(chosen.seed, number, home)
        finally:
            shutil.rmtree(home, ignore_errors=True)
        counts[f"exit {outcome.code}"] += 1
        counts["cases"] += 1
        counts["wrong"] += bool(problems)
        if problems:
            typed = shlex.join(case.arguments)
            again = f"python fuzz/fuzz.py --seed {chosen.seed} --case {number}"
            _say(
                "\n".join([f"{again}    # podium {typed[:300]!a}", *(f"    {problem[:400]!a}" for problem in problems)])
            )
    return counts


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _all(chosen: argparse.Namespace) -> int:
    """Share the cases among workers, and count."""
    start = time.monotonic()
    readers = []
    for worker in range(chosen.workers):
        reader, writer = os.pipe()
        if not os.fork():
            counts = _worker(chosen, worker)
            os.write(writer, json.dumps(counts).encode())
            os._exit(0)
        os.close(writer)
        readers.append(reader)
    total: Counter[str] = Counter()
    for reader in readers:
        with os.fdopen(reader) as told:
            total.update(json.load(told))
    for _ in readers:
        os.wait()
    _say(f"seed {chosen.seed}: {dict(sorted(total.items()))} in {time.monotonic() - start:.0f} s")
    return 1 if total["wrong"] or total["cases"] < chosen.cases else 0


def _one(chosen: argparse.Namespace) -> int:
    """Run a case again, show all of it, and keep its folder."""
    home = Path(tempfile.mkdtemp(prefix="fuzz-"))
    case, outcome, problems = tried(chosen.seed, chosen.case, home)
    _say(f"cd {home}/work\npodium {shlex.join(case.arguments)!a}")
    for path in sorted((home / "work").rglob("*")):
        _say(f"    {str(path.relative_to(home / 'work'))!a}")
    _say(f"{case!a}\n{outcome!a}\n" + "\n".join(f"{problem!a}" for problem in problems))
    return 1 if problems else 0


def main() -> int:
    """Do what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--case", type=int, help="run this one alone")
    chosen = parser.parse_args()
    warm()
    return _all(chosen) if chosen.case is None else _one(chosen)


if __name__ == "__main__":
    sys.exit(main())
