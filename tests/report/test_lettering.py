"""Labels: short, different, and free of surprises."""

import warnings

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import podium
from podium import plots
from podium.errors import PodiumWarning
from podium.report.draw.lettering import Lettering, shorten

#: In no font: a private use of Unicode.
NOWHERE = "\U0010fffd"


@pytest.mark.parametrize("most", [3, 10, 40])
def test_short_texts_keep_both_ends(most: int) -> None:
    text = "".join(chr(ord("A") + index % 50) for index in range(90))
    cut = shorten(text, most)
    head, _, tail = cut.partition("…")
    assert len(cut) == most
    assert text.startswith(head)
    assert text.endswith(tail)
    assert abs(len(head) - len(tail)) <= 1
    assert shorten(text[:most], most) == text[:most]


def test_wide_letters_count_twice() -> None:
    assert shorten("国" * 20) == "国" * 20
    assert shorten("国" * 21) == "国" * 10 + "…" + "国" * 9


def test_labels_stay_different() -> None:
    labels = ["a" * 30 + middle + "b" * 30 for middle in ("x", "y")] + ["c" * 60]
    assert Lettering.of(labels).texts == (labels[0], labels[1], "c" * 20 + "…" + "c" * 19)


def test_letters_that_no_font_has_are_hollow_and_said() -> None:
    with pytest.warns(PodiumWarning, match="no installed font has .*, so □ is drawn"):
        lettering = Lettering.of([f"a{NOWHERE}", "b"])
    assert lettering.texts == ("a□", "b")


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
