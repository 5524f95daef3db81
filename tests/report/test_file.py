"""Pictures as files: whole, the same every time, and refused before the work."""

import re
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from matplotlib import rcParams
from matplotlib.axes import Axes

import podium
from podium import plots
from podium.errors import OutputError, PodiumWarning
from support.browser import needs_chromium, seen
from support.pictures import figure_of
from support.writing import NAMES

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


@pytest.fixture
def written() -> Axes:
    """A picture of systems named in many writings, one letter of which is in no font."""
    return plots.heatmap(podium.pairwise(podium.from_dict({name: {"t": float(len(name))} for name in NAMES})))


def test_svg_keeps_names_as_text_whatever_fonts_there_are(written: Axes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        root = fromstring(plots.to_svg(written))  # noqa: S314  # drawn a moment before
    elements = list(root.iter("{http://www.w3.org/2000/svg}text"))
    texts = [str(element.text).replace("\u00a0", " ").replace("\u200e", "") for element in elements]
    for name in NAMES:
        assert [text for text in texts if text.startswith(f"{name}  ")], name
        assert [text for text in texts if text.endswith(f"  {name}")], name
    for element in elements:
        (fonts,) = re.findall("font-family: ([^;]*)", element.attrib["style"])
        assert fonts.startswith("'DejaVu Sans', ")
        assert "sans-serif" in fonts


@pytest.mark.parametrize("suffix", [".png", ".pdf"])
def test_letters_that_no_font_has_are_said_once(written: Axes, suffix: str, tmp_path: Path) -> None:
    with pytest.warns(PodiumWarning, match="no installed font has .*, so boxes are drawn; .*SVG") as said:
        plots.save(written, tmp_path / f"a{suffix}")
    assert len(said) == 1


@needs_chromium
def test_names_in_any_writing_are_inside_the_picture(written: Axes, tmp_path: Path) -> None:
    svg = plots.to_svg(written).partition("<svg")[2]
    script = """
        const whole = document.querySelector('svg').getBoundingClientRect();
        return [...document.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()])
          .filter(([_, box]) => box.left < whole.left || box.right > whole.right || box.top < whole.top)
          .map(([text]) => text);
    """
    assert seen(f"<svg{svg}", script, tmp_path) == []


def test_spaces_are_kept_in_svg() -> None:
    ax = plots.heatmap(podium.pairwise(podium.datasets.toy_table1()))
    figure_of(ax).text(0.1, 0.1, "  a   b ")
    assert ">\u00a0 a\u00a0\u00a0 b\u00a0</text>" in plots.to_svg(ax)


def test_without_matplotlib_the_extra_is_named() -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import podium\n"
        "try: podium.plots.bump(podium.agree(podium.datasets.toy_table1()))\n"
        "except podium.errors.MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"a picture needs matplotlib: pip install .*\[plot\]'\n", done.stdout)
