"""Files that are written whole or not at all."""

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
