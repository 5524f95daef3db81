"""What is replaced without `--force`: files of podium, empty ones, devices and pipes; nothing else."""

from pathlib import Path

import pytest

import podium
from podium.cli.overwrite import check_replaceable
from podium.errors import OutputError
from podium.report.format import FORMATS
from support.entry import WIDE, run, wide

#: Right or wrong on six tasks of eight instances, for every command.
ROWS = ["task,system,instance,score"] + [
    f"t{task},{system},{instance},{int((task + instance + shift) % 3 > 0)}"
    for task in range(6)
    for shift, system in enumerate("ABC")
    for instance in range(8)
]

COMMANDS = {
    "rank": ("scores.csv",),
    "pairwise": ("scores.csv",),
    "agree": ("scores.csv",),
    "plan": ("scores.csv",),
    "info": ("scores.csv",),
    "compare": ("scores.csv", "--control", "A", "--treatment", "B"),
    "compare --all": ("scores.csv", "--control", "A"),
    "pool": ("effects.csv",),
    "customize": ("scores.csv", "--difficulty", "failures", "--splits", "2"),
    "stress": ("scores.csv", "--only", "missing", "--repeats", "1", "--jobs", "1"),
    "difficulty failures": ("scores.csv",),
    "difficulty irt": ("scores.csv",),
    "difficulty similarity": ("--train", "texts.csv", "--test", "texts.csv"),
    "difficulty bias": ("--test", "texts.csv", "--gold-column", "gold", "--jobs", "1"),
}

#: A file of each kind that podium did not write.
FOREIGN: dict[str, bytes] = {
    "csv": WIDE.encode(),
    "json": b'{"schema_version": 1, "scores": []}',
    "jsonl": b'{"system": "A", "task": "t", "score": 1}\n',
    "parquet": b"PAR1 of somebody else PAR1",
    "table": b"system  rte\nA       0.9\n",
    "markdown": b"# My project\n\nRanks 6 systems.\n",
    "latex": b"\\documentclass{article}\n",
    "html": b"<!DOCTYPE html>\n<html><head><title>podium</title></head></html>",
    ".svg": b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>podium</title></svg>',
    ".png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    ".pdf": b"%PDF-1.4\n/Creator (LaTeX)\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table of every kind."""
    (tmp_path / "scores.csv").write_text("\n".join(ROWS))
    (tmp_path / "effects.csv").write_text("task,effect,variance\na,0.1,0.01\nb,0.2,0.01\nc,0.4,0.02\n")
    texts = [
        f'{k},"{word} one two {"good" if k % 2 else "bad"} {k}",{k % 2}' for k, word in enumerate("abcdefghij" * 3)
    ]
    (tmp_path / "texts.csv").write_text("\n".join(["instance,text,gold", *texts]))
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_result_of_every_format_is_known_again(folder: Path, command: str) -> None:
    typed = [*command.split(), *COMMANDS[command], "-q"]
    for format_ in FORMATS if command == "rank" else ("table", "csv", "jsonl"):  # others begin alike for all
        done = run(folder, *typed, "-f", format_, "-o", "result.x")
        assert done.returncode == 0, done.stderr
        check_replaceable(folder / "result.x", format_)
        for other in set(FORMATS) - {format_, "table", "markdown"}:
            with pytest.raises(OutputError):
                check_replaceable(folder / "result.x", other)
        (folder / "result.x").unlink()


def test_results_that_python_alone_writes_are_known_again(tmp_path: Path) -> None:
    scores = podium.simulate.gumbel(4, 3, 20, dispersion=0.5, rng=0).scores
    sweep = podium.stresses.Sweep("scale", podium.stresses.Rescale, (0, 1), "enlargement")
    studied = podium.study(scores, [sweep], ["mean"], repeats=1, jobs=1)
    for result in (podium.influence(scores), podium.condorcet(scores), podium.pairwise(scores), studied):
        for format_ in FORMATS:
            result.save(tmp_path / "result.x", format_)
            check_replaceable(tmp_path / "result.x", format_)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_pictures_are_known_again(folder: Path, suffix: str) -> None:
    typed = ["agree", "scores.csv", "-q", "--plot", f"bump{suffix}"]
    assert run(folder, *typed).returncode == 0
    assert run(folder, *typed).returncode == 0


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_podium_did_not_write_stays_without_force(folder: Path, kind: str) -> None:
    path = folder / f"mine{kind if kind.startswith('.') else ''}"
    path.write_bytes(FOREIGN[kind])
    where = ["--plot", path.name] if kind.startswith(".") else ["-f", kind, "-o", path.name]
    refused = run(folder, "pairwise", "scores.csv", *where)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        f"error: {path.name} is there, and does not look like a file that podium wrote; name another file, or replace "
        "it with --force\n"
    )
    assert path.read_bytes() == FOREIGN[kind]
    assert run(folder, "pairwise", "scores.csv", *where, "--force").returncode == 0
    assert path.read_bytes() != FOREIGN[kind]
    assert run(folder, "pairwise", "scores.csv", *where).returncode == 0


def test_it_is_found_out_before_the_work(folder: Path) -> None:
    (folder / "mine.json").write_text("{}")
    done = run(folder, "rank", "nowhere.csv", "-o", "mine.json")
    assert "mine.json is there" in done.stderr


@pytest.mark.parametrize("name", ["report.html", "ranking.json", "ranking.csv", "ranks.svg"])
def test_a_folder_with_one_file_of_others_is_not_filled(folder: Path, name: str) -> None:
    (folder / "out").mkdir()
    (folder / "out" / name).write_text("mine")
    done = run(folder, "rank", "scores.csv", "-o", "out/")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"out/{name} is there, and does not look like a file that podium wrote" in done.stderr
    assert [path.name for path in (folder / "out").iterdir()] == [name]
    assert run(folder, "rank", "scores.csv", "-o", "out/", "--force").returncode == 0
    assert run(folder, "rank", "scores.csv", "-o", "out/").returncode == 0


def test_what_is_empty_or_no_file_is_free(tmp_path: Path) -> None:
    wide(tmp_path)
    (tmp_path / "board.csv").touch()
    assert run(tmp_path, "rank", "scores.csv", "-q", "-o", "board.csv").returncode == 0
    assert run(tmp_path, "rank", "scores.csv", "-q", "-f", "csv", "-o", "/dev/null").returncode == 0


def test_what_is_read_is_not_replaced_with_force(tmp_path: Path) -> None:
    wide(tmp_path)
    done = run(tmp_path, "rank", "scores.csv", "-o", "scores.csv", "--force")
    assert done.returncode == 2
    assert "scores.csv is read as input" in done.stderr
