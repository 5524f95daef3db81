"""Labels: short, different, and free of surprises."""

import warnings

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import podium
from podium import plots
from podium.report.drawing import Lettering, boxes_for, lacking, room_of
from support.writing import NOWHERE


def test_long_labels_are_cut_in_the_middle_and_wide_letters_count_twice() -> None:
    assert Lettering.of(["国" * 20, "国" * 21]).texts == ("国" * 20, "国" * 10 + "…" + "国" * 9)


def test_labels_stay_different() -> None:
    labels = ["a" * 30 + middle + "b" * 30 for middle in ("x", "y")] + ["c" * 60]
    texts = Lettering.of(labels).texts
    assert len(set(texts)) == 3
    assert max(map(len, texts)) == 40
    same = ["a" * 60 + "x" + "b" * 60, "a" * 60 + "y" + "b" * 60, "c"]
    assert Lettering.of(same).texts == tuple(same)


def test_numbers_stay_beside_names_that_are_read_from_the_right() -> None:
    assert Lettering.of(["דגם", "نموذج", "x"]).texts == ("\u200eדגם\u200e", "\u200eنموذج\u200e", "x")
    font = Lettering.of(["דגם"]).font(10)
    assert room_of("\u200eדגם\u200e", font) == pytest.approx(room_of("דגם", font), rel=0.01)


def test_letters_that_no_font_has_have_room() -> None:
    font = Lettering.of([NOWHERE]).font(10)
    assert lacking(f"a{NOWHERE}\u200d", font) == {NOWHERE}
    assert room_of(NOWHERE, font) == room_of("n", font)
    wide = {"型", "😀"} & lacking("型😀", font)  # whichever this machine has no font for
    assert all(room_of(letter, font) > 0.95 * 10 / 72 for letter in wide)


@pytest.mark.parametrize(
    ("letters", "advice"),
    [
        ("模型モ한", "has モ型模한, so boxes are drawn; install Noto Sans CJK, or write SVG"),
        ("दव", "install Noto Sans Devanagari, or"),
        ("ع型", "install Noto Sans Arabic and Noto Sans CJK, or"),
        ("🏆", "install Symbola, or"),
        ("𓅃દव🏆", "install all Noto fonts, or"),
        (NOWHERE, f"has {NOWHERE}, so boxes are drawn; write SVG, which keeps them as text"),
        ("一二三四五六七", "has 一七三二五…, so"),
    ],
)
def test_what_helps_is_said_by_script(letters: str, advice: str) -> None:
    assert advice in boxes_for(letters)
    assert len(boxes_for(letters)) <= 140


def test_another_font_helps_out() -> None:
    # an arrow that the default font lacks, and others that come with Matplotlib have
    lettering = Lettering.of(["⤀"])
    assert lettering.texts == ("⤀",)
    assert len(lettering.family) == len(Lettering.of(["a"]).family) + 1
    figure = Figure()
    figure.text(0.5, 0.5, "⤀ a", fontproperties=lettering.font(9))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    figure.text(0.5, 0.2, "⤀ a")
    with pytest.warns(UserWarning, match="missing from font"):
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]


def test_names_of_any_kind_are_drawn_as_they_are() -> None:
    names = ["$x^2$", "two\nlines", "back\\slash", "_under", "a$b", "%d {}"]
    scores = podium.from_dict({name: {"t": float(place)} for place, name in enumerate(names)})
    ax = plots.heatmap(podium.pairwise(scores))
    figure = ax.get_figure(root=True)
    assert isinstance(figure, Figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown[::-1] == [f"{name}  {6 - place}" for place, name in enumerate([names[0], r"two\nlines", *names[2:]])]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels())
