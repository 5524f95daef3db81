"""Labels as they are drawn: on one line, not too long, and in fonts that have their letters."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from podium.base.errors import warn
from podium.base.words import printable
from podium.report.draw.canvas import check_installed

if TYPE_CHECKING:
    from matplotlib.font_manager import FontProperties

#: Longest label, in letters; Chinese ones count twice, for they are twice as wide.
_LONGEST = 40

#: Drawn for a letter that no font has.
_HOLLOW = "□"


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
    def of(cls, labels: Sequence[str], *, most: int = _LONGEST) -> "Lettering":
        """Shorten labels to so many columns and find fonts for them; every picture does this first.

        Raises
        ------
        MissingExtraError
            Matplotlib is not installed.

        Warns
        -----
        PodiumWarning
            No installed font has some of the letters, which are drawn as □.
        """
        check_installed()
        whole = [printable(label) for label in labels]
        short = [shorten(text, most) for text in whole]
        times = Counter(short)
        texts = [cut if times[cut] == 1 else text for cut, text in zip(short, whole, strict=True)]
        family, lacking = _fonts_for(frozenset("".join(texts)))
        if lacking:
            some = "".join(sorted(lacking)[:5]) + ("…" if len(lacking) > 5 else "")
            warn(f"no installed font has {some}, so {_HOLLOW} is drawn; install one that does, such as Noto Sans CJK")
        hollow = str.maketrans(dict.fromkeys(lacking, _HOLLOW))
        return cls(tuple(text.translate(hollow) for text in texts), family)

    def font(self, size: float, *, bold: bool = False) -> "FontProperties":
        """Fonts of a size in points."""
        from matplotlib.font_manager import FontProperties  # noqa: PLC0415  # an extra

        return FontProperties(family=list(self.family), size=size, weight="bold" if bold else "normal")

    def width(self, size: float, *, extra: str = "") -> float:
        """Inches of the widest text at a size in points, with something added to each."""
        font = self.font(size)
        return max(_width_of(line, font) for text in self.texts for line in (text + extra).split("\n"))


def room_of(text: str, font: "FontProperties") -> float:
    """Inches to keep for a text on one line: a little more than it is wide, for pixels may round its letters up."""
    return 1.03 * _width_of(text, font)


def shorten(text: str, most: int = _LONGEST) -> str:
    """Leave out the middle of a text that is too long.

    >>> shorten("Microsoft D365 AI", most=10)
    'Micro…5 AI'
    """
    if _columns(text) <= most:
        return text
    tail = _head(text[::-1], (most - 1) // 2)[::-1]
    return f"{_head(text, most - 1 - _columns(tail))}…{tail}"


def _width_of(text: str, font: "FontProperties") -> float:
    """Inches of a text on one line."""
    from matplotlib.textpath import text_to_path  # noqa: PLC0415  # an extra

    return text_to_path.get_text_width_height_descent(text, font, False)[0] / 72


def _head(text: str, most: int) -> str:
    """Beginning of a text, of so many columns."""
    while _columns(text) > most:
        text = text[:-1]
    return text


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


@lru_cache(maxsize=16)
def _fonts_for(letters: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Families that have the letters, the configured ones first, and the letters that none of them has."""
    from matplotlib import rcParams  # noqa: PLC0415  # an extra
    from matplotlib.font_manager import FontProperties, findfont  # noqa: PLC0415

    families = tuple(rcParams["font.family"])
    lacking = letters - _covered(findfont(FontProperties(family=list(families))), letters)
    for family, path in _installed():
        if not lacking:
            break
        if covered := _covered(path, lacking):
            families += (family,)
            lacking -= covered
    return families, lacking


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
