"""Pictures as files: whole, the same every time, and refused before the work."""

import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import rcParams

import podium
from podium import plots
from podium.errors import OutputError

MAGIC = {".svg": b"<?xml", ".pdf": b"%PDF-", ".png": b"\x89PNG", ".PNG": b"\x89PNG"}


def picture(path: Path) -> bytes:
    pairwise = podium.pairwise(podium.simulate.gumbel(4, 2, 50, dispersion=1.0, rng=0).scores)
    plots.save(plots.heatmap(pairwise), path)
    return path.read_bytes()


@pytest.mark.parametrize("suffix", MAGIC)
def test_files_are_of_their_format_and_the_same_every_time(tmp_path: Path, suffix: str) -> None:
    before = dict(rcParams)
    first, second = (picture(tmp_path / f"{name}{suffix}") for name in ("one", "two"))
    assert first.startswith(MAGIC[suffix])
    assert first == second
    assert b"Date" not in first
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["one", "two"], "no partial file is left"
    assert dict(rcParams) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a.gif", r"cannot be written as '\.gif'; use one of \.svg, \.pdf, \.png"),
        ("a", "cannot be written as ''"),
        ("no/a.svg", "there is no folder"),
        ("folder.svg", "is a folder"),
    ],
)
def test_what_cannot_be_written_is_said(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OutputError, match=message):
        picture(tmp_path / name)


def test_a_failure_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = picture(tmp_path / "a.svg")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OutputError, match="No space left on device; choose another place"):
        picture(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_bytes() == old
    assert len(list(tmp_path.iterdir())) == 1


def test_without_matplotlib_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import podium\n"
        "try: podium.plots.bump(podium.agree(podium.datasets.toy_table1()))\n"
        "except podium.errors.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "a picture needs matplotlib: pip install 'podium[plot]'\n"
