"""Labels as they are drawn: on one line, not too long, and in fonts that have their letters."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from podium.base.words import printable
from podium.report.draw.canvas import check_installed
from podium.report.width import shortened

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

#: Longest label, in letters; Chinese ones count twice, for they are twice as wide.
LONGEST = 40

#: Nothing is drawn for characters of these categories, and for those that choose between forms of a letter.
_UNDRAWN, _FORMS = frozenset({"Cc", "Cf"}), range(0xFE00, 0xFE10)

#: Left-to-right mark, which is not drawn.
_MARK = "\u200e"

#: As wide as letters that no font has: wide ones, and others.
_WIDE, _NARROW = "W", "n"

#: How the names of letters begin that one family of fonts has.
_CJK = frozenset({"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "KATAKANA-HIRAGANA", "FULLWIDTH", "IDEOGRAPHIC"})


@dataclass(frozen=True, slots=True)
class Lettering:
    """Labels ready to be drawn.

    Attributes
    ----------
    texts
        One per label, as different from each other as the labels are.
    family
        Fonts that have their letters, to be tried in this order.
    """

    texts: tuple[str, ...]
    family: tuple[str, ...]

    @classmethod
    def of(cls, labels: Sequence[str], *, most: int = LONGEST) -> "Lettering":
        """Shorten labels to so many columns and find fonts for them; every picture does this first.

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.
        """
        check_installed()
        whole = [printable(label) for label in labels]
        short = shortened(whole, most)
        times = Counter(short)
        texts = [_kept_apart(cut if times[cut] == 1 else text) for cut, text in zip(short, whole, strict=True)]
        return cls(tuple(texts), _fonts_for(frozenset("".join(texts))))

    def font(self, size: float, *, bold: bool = False) -> "FontProperties":
        """Fonts of a size in points."""
        from matplotlib.font_manager import FontProperties  # noqa: PLC0415  # an extra

        return FontProperties(family=list(self.family), size=size, weight="bold" if bold else "normal")

    def width(self, size: float, *, extra: str = "") -> float:
        """Inches of the widest text at a size in points, with something added to each."""
        font = self.font(size)
        return max(_width_of(line, font) for text in self.texts for line in (text + extra).split("\n"))


def _kept_apart(text: str) -> str:
    """Put marks around a text that is read from right to left, so that a number beside it stays at its side."""
    return f"{_MARK}{text}{_MARK}" if any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in text) else text


def room_of(text: str, font: "FontProperties") -> float:
    """Inches to keep for a text on one line: a little more than it is wide, for pixels may round its letters up."""
    return 1.03 * _width_of(text, font)


def _width_of(text: str, font: "FontProperties") -> float:
    """Inches of a text on one line; a letter that the fonts lack is taken to be as wide as usual."""
    from matplotlib.textpath import text_to_path  # noqa: PLC0415  # an extra

    like = {ord(letter): _like(letter) for letter in lacking(text, font)}
    return text_to_path.get_text_width_height_descent(text.translate(like), font, False)[0] / 72


def _like(letter: str) -> str:
    """Return what is as wide as a letter."""
    if unicodedata.category(letter).startswith("M"):
        return ""
    return _WIDE if unicodedata.east_asian_width(letter) in "WF" else _NARROW


def lacking(text: str, font: "FontProperties") -> frozenset[str]:
    """Letters of a text that none of some fonts has."""
    if text.isascii():
        return frozenset()
    drawn = frozenset(
        letter for letter in text if unicodedata.category(letter) not in _UNDRAWN and ord(letter) not in _FORMS
    )
    return _without(drawn, tuple(font.get_family()))


def boxes_for(letters: Iterable[str]) -> str:
    """Say that no font has some letters, and what to do.

    >>> boxes_for("型模")
    'no installed font has 型模, so boxes are drawn; install Noto Sans CJK, or write SVG, which keeps them as text'
    """
    shown = sorted(letters)
    some = "".join(shown[:5]) + ("…" if len(shown) > 5 else "")
    fonts = sorted({font for letter in shown if (font := _font_with(letter))})
    names = " and ".join(fonts) if len(fonts) < 3 else "all Noto fonts"
    install = f"install {names}, or write" if fonts else "write"
    return f"no installed font has {some}, so boxes are drawn; {install} SVG, which keeps them as text"


def _font_with(letter: str) -> str:
    """Name a free font that has a letter; nothing where there may be none."""
    script = unicodedata.name(letter, "").partition(" ")[0]
    if script in _CJK:
        return "Noto Sans CJK"
    if unicodedata.category(letter)[0] in "LM" and script:
        return f"Noto Sans {script.title()}"
    return "Symbola" if script else ""


@lru_cache(maxsize=16)
def _fonts_for(letters: frozenset[str]) -> tuple[str, ...]:
    """Families that have the letters, the configured ones first."""
    from matplotlib import rcParams  # noqa: PLC0415  # an extra

    families = tuple(rcParams["font.family"])
    absent = _without(letters - {_MARK}, families)
    for family, path in _installed():
        if not absent:
            break
        if covered := _covered(path, absent):
            families += (family,)
            absent -= covered
    return families


def _without(letters: frozenset[str], families: Sequence[str]) -> frozenset[str]:
    """Letters that none of some families has."""
    from matplotlib.font_manager import FontProperties, findfont  # noqa: PLC0415  # an extra

    for family in families:
        letters -= _covered(findfont(FontProperties(family=[family])), letters)
    return letters


def _installed() -> Iterator[tuple[str, str]]:
    """Upright fonts of normal weight, by name and file, in an order that does not depend on the machine's."""
    from matplotlib.font_manager import fontManager  # noqa: PLC0415  # an extra

    upright = {
        (font.name, font.fname)
        for font in fontManager.ttflist
        # a font of last resort has boxes for all letters there are
        if font.style == "normal" and font.weight in {400, "normal", "regular"} and "Last Resort" not in font.name
    }
    yield from sorted(upright)


def _covered(path: str, letters: frozenset[str]) -> frozenset[str]:
    from matplotlib.font_manager import get_font  # noqa: PLC0415  # an extra

    try:
        font = get_font(path)
    except (OSError, RuntimeError):  # a file that is damaged, or has pictures for letters
        return frozenset()
    return frozenset(letter for letter in letters if font.get_char_index(ord(letter)))
