"""Files that are written whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from podium.base.file import check_writable, write
from podium.errors import OutputError


def test_a_link_that_leads_to_itself_is_refused_and_kept(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OutputError, match="loop cannot be written: Too many levels of symbolic links; choose another"):
        check_writable(loop)
    with pytest.raises(OutputError, match="symbolic links"):
        write("1  A", loop)
    assert loop.is_symlink()


def test_a_link_to_a_file_that_is_not_there_yet_makes_the_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "board.txt")
    write("1  A", tmp_path / "link")
    assert (tmp_path / "board.txt").read_text() == "1  A"


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "board [1].csv"
    code = "import os, pathlib, sys, podium.base.file as file\n"
    code += "with file.replacing(pathlib.Path(sys.argv[1])) as opened:\n"
    code += "    opened.write(b'half'); opened.flush(); os._exit(9)"
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.endswith(".partial")
    living = left.with_name(left.name.replace(left.name.split(".")[-2], f"{os.getppid()}-1"))
    living.touch()
    write("whole", path)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([living.name, path.name])
    assert path.read_text() == "whole"
