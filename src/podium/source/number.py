"""Scores become floating-point numbers: plain ones, and those that a column of text writes with signs and marks."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from podium.base.arrays import Ints, pc, to_numpy
from podium.base.cluster import at_each, kept_at_each
from podium.base.words import LONG, Aside, Assumed, as_typed_list, beginning, how_many, with_names
from podium.score.task import Task, by_task, extent
from podium.source.descriptor import is_number
from podium.source.table import MISSING, TRUTH, RowError

#: Number of letters of a cell that an error shows.
_LONGEST = 60


class NotNumberError(RowError):
    """A value is a word that does not stand for a missing score."""


def to_numbers(array: Any, column: str, dtype: Any, style: "Style | None" = None) -> NDArray[Any]:
    """Convert a column of scores.

    Parameters
    ----------
    array
        Arrow array of numbers, truth values or text.
    column
        Its name, for errors.
    dtype
        float64 or float32.
    style
        How the rows before have written numbers.

    Raises
    ------
    NotNumberError
        A value is not a number, or is written in another way than others.
    RowError
        A value is infinite, or too large an integer.
    """
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    wanted = pa.from_numpy_dtype(dtype)
    if is_text(array.type):
        array = _parsed(array.cast(pa.large_string()), column, style or Style())
    if array.type != wanted:
        array = _cast(array, wanted, column)
    result = to_numpy(array, np.nan)
    _refuse_infinite(result, column)
    return result


def _refuse_infinite(numbers: NDArray[Any], column: str) -> None:
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        row = int(infinite[0])
        cure = "give a finite number, or leave the cell empty if it is missing"
        raise RowError(row, f"column {column!r} holds {numbers[row]}; {cure}")


def _cast(array: Any, wanted: Any, column: str) -> Any:
    if pa.types.is_integer(array.type) and any(abs(end or 0) > 2**53 for end in pc.min_max(array).as_py().values()):
        row = pc.index(pc.greater(pc.abs(array.cast(pa.float64(), safe=False)), 2.0**53), True).as_py()
        number = array[row].as_py()
        raise RowError(
            row, f"column {column!r} holds {number}, which no floating-point number stores exactly; use smaller numbers"
        )
    try:
        if pa.types.is_decimal(array.type):
            array = array.cast(pa.float64())
        return (array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array).cast(wanted, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        row = pc.index(pc.is_valid(array), True).as_py()
        raise _not_a_number(row, column, str(array[row].as_py())) from None


def is_text(kind: Any) -> bool:
    """Return whether an Arrow type is that of text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _parsed(texts: Any, column: str, style: "Style") -> Any:
    trimmed = pc.utf8_trim_whitespace(texts)
    small = pc.utf8_lower(trimmed)
    missing = pc.is_in(small, value_set=pa.array(MISSING, pa.large_string()))
    if style.headed:
        missing = pc.or_(missing, pc.equal(trimmed, column.strip()))
    present = pc.if_else(missing, None, trimmed)
    for word, number in TRUTH.items():
        present = pc.if_else(pc.equal(small, word), str(number), present)
    if column not in style.percent:
        with suppress(pa.ArrowInvalid):
            return present.cast(pa.float64())
    return style.read(present, column)


#: Symbols that belong to a number or change what it says; all others are marks, such as stars and daggers.
_SIGNS = r".,+\-−±%()\[\]<>=≈~∞$€£¥/:|\\"

#: What becomes simpler before a cell is looked at: markup of HTML, of LaTeX and of Markdown, blanks, and minus signs.
_SIMPLER = (
    (r"<sup>[^<]*</sup>|</?[A-Za-z]+[^<>]*>", ""),
    (r"\\pm|\+/[-−]", "±"),
    (r"\\[A-Za-z]+|[{}]", ""),
    (r"^\$(.*)\$$", r"\1"),
    (r"^[*_`]+([^*_`]+)[*_`]+$", r"\1"),
    ("％", "%"),
    (r"[\x{a0}\x{2009}\x{202f}]", " "),
    (rf"^[^\p{{L}}\p{{N}}–{_SIGNS}]+", ""),
    (r"^[−–]", "-"),
)

#: A number, then what may stand behind it: %, how sure it is, and marks of footnotes.
_WRITTEN = (
    r"(?i)^(?P<number>[-+]?(?:\d[\d.,' ]*\d|\d|\.\d+)(?:e[-+]?\d+)?)"
    r"(?P<behind>\s*%?(?:\s*_?±\s*\d[\d.,]*\s*%?|"
    r"\s*_?[(\[]\s*(?:±|n\s*=|s\.?[ed]\.?\s*=?|std\s*=?|95\s*% ci:?)?\s*[-+↑↓▲▼]?\d[\d.,\s%;+\-−–±↑↓▲▼]*[)\]])*"
    rf"(?:\s*\^?\(?[^\p{{L}}\p{{N}}\s{_SIGNS}]+\)?|[¹²³⁰-⁹ᵃ-ᶿ]+|\^\(?[a-z0-9]{{1,2}}\)?|\[\^?[a-z]\])*)\s*$"
)

#: Numbers with a comma: between thousands, certainly so, and before decimals.
_THOUSANDS, _CERTAIN, _DECIMALS = (
    r"^[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$",
    r",\d{3}[.,]",
    r"^[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+$",
)

#: Words for scores that do not exist, or that a run did not live to give.
_NO_SCORE = (
    r"(?i)^(?:n[./]?a\.?|n/?[dr]|t\.?b\.?[acd]\.?|todo|pending|unknown|missing|skipped|"
    r"not (?:available|applicable|reported|run|tested|evaluated|measured)|oo[mt]|out[ -]of[ -](?:memory|time)|"
    r"time[d -]*out|tle|mle|err(?:or)?|fail(?:ed|ure|s)?|"
    r"crash(?:ed)?|killed|abort(?:ed)?|cancel+ed|diverged?|d\.?n\.?[frs]\.?|did not (?:finish|run|start)|exception)"
    r"(?:[^\p{L}].*)?$"
)

#: Signs alone that stand for no score; a check mark or infinity says something.
_NO_SIGN = r"^[^\p{L}\p{N}∞✓✔☑✅]+$"


class Style:
    """The way in which texts of a table write numbers, as far as rows have shown: all cells of a column must agree.

    >>> style = Style()
    >>> to_numbers(pa.array(["84,3 ± 0,2", "**91,5**", "OOM"]), "A", np.float64, style)
    array([84.3, 91.5,  nan])
    >>> style.notes()[0]
    "1 cell holds a word and no score, and counts as missing: 'OOM'"
    """

    def __init__(self, *, headed: bool = False) -> None:
        #: Whether rows may name the columns once more, as in a wide table.
        self.headed = headed
        #: What a comma stands before: "decimals", "thousands", or "" while none was met.
        self.comma = ""
        #: By column of such texts: whether numbers have a % sign.
        self.percent: dict[str, bool] = {}
        self._words: Counter[str] = Counter()
        self._behind: dict[str, str] = {}
        self._unsure = ""

    def look(self, texts: Any) -> None:
        """Learn from any column of the table whether commas stand before decimals."""
        if self.comma or not is_text(texts.type):
            return
        if pc.any(pc.match_substring_regex(texts, r"^\W*\d*,(\d\d?|\d{4,}|)\D*$")).as_py():
            numbers = self._split(texts)[0]
            self.comma = "decimals" if self._decimals(numbers) else ""

    def notes(self) -> list[str]:
        """Return notes on words instead of scores, and on what was not read of cells."""
        notes: list[str] = []
        if self._words:
            count = self._words.total()
            before = f"{how_many(count, 'cell')} {'holds a word' if count == 1 else 'hold words'} and no score, and "
            before += f"{'counts' if count == 1 else 'count'} as missing: "
            words = [f"{word!r}{f' ({count:,})' if count > 1 else ''}" for word, count in self._words.most_common()]
            notes.append(Assumed(with_names(before, words, room=LONG)))
        if self._behind:
            one = next(iter(self._behind.values()))
            columns = [repr(name) for name in self._behind]
            notes.append(
                Aside(with_names(f"only the number of a cell, as in {one!r}, was read in ", columns, room=LONG))
            )
        if self._unsure:
            how = "; if not, write decimals with a point"
            notes.append(Assumed(f"commas are taken to divide thousands, as in {self._unsure!r}{how}"))
        return notes

    @staticmethod
    def _split(texts: Any) -> tuple[Any, Any]:
        """Return the number of each cell and what stands behind it; null where a cell is no number."""
        for pattern, simple in _SIMPLER:
            texts = pc.replace_substring_regex(texts, pattern, simple)
        parts = pc.extract_regex(pc.utf8_trim_whitespace(texts), _WRITTEN)
        # blanks and apostrophes divide thousands
        numbers = pc.struct_field(parts, "number")
        grouped = pc.match_substring_regex(numbers, r"^[-+]?[1-9]\d{0,2}([ ']\d{3})+([.,]\d+)?$")
        numbers = pc.if_else(grouped, pc.replace_substring_regex(numbers, "[ ']", ""), numbers)
        return pc.replace_substring(numbers, "+", ""), pc.struct_field(parts, "behind")

    @staticmethod
    def _decimals(numbers: Any) -> bool:
        """Return whether a comma in these numbers cannot divide thousands."""
        decimals = pc.match_substring_regex(numbers, _DECIMALS)
        return bool(pc.any(pc.and_not(decimals, pc.match_substring_regex(numbers, _THOUSANDS))).as_py())

    def read(self, texts: Any, column: str) -> Any:
        """Read texts, some of them no plain numbers.

        Raises
        ------
        NotNumberError
            A cell is no number, or is written in another way than others.
        """
        numbers, behind = self._split(texts)
        no_sign = pc.match_substring_regex(texts, _NO_SIGN)
        words = pc.and_(numbers.is_null(), pc.match_substring_regex(texts, _NO_SCORE))
        known = column in self.percent or numbers.null_count < len(numbers)
        absent = pc.fill_null(pc.or_(no_sign, words), fill_value=False) if known else pc.is_null(texts)
        numbers = pc.if_else(absent, None, numbers)
        if (row := _first(pc.and_(pc.and_(pc.is_valid(texts), pc.invert(absent)), numbers.is_null()))) is not None:
            raise _not_a_number(row, column, texts[row].as_py())
        self._agree_on_percent(texts, numbers, behind, column)
        plain = self._without_commas(texts, numbers, column)
        self._words.update(word.strip() for word in texts.filter(words).to_pylist())
        if (row := _first(pc.match_substring_regex(behind, r"[^\s%]"))) is not None:
            self._behind.setdefault(column, texts[row].as_py())
        try:
            return plain.cast(pa.float64())
        except pa.ArrowInvalid:
            row = next(row for row, text in enumerate(plain.to_pylist()) if text is not None and not is_number(text))
            raise _not_a_number(row, column, texts[row].as_py()) from None

    def _agree_on_percent(self, texts: Any, numbers: Any, behind: Any, column: str) -> None:
        signs = pc.if_else(numbers.is_null(), None, pc.match_substring(behind, "%"))
        if signs.null_count == len(signs):
            return
        all_have = self.percent.setdefault(column, pc.any(signs).as_py())
        if (row := _first(pc.not_equal(signs, all_have))) is not None:
            which = "no % sign" if all_have else "a % sign"
            raise _written(row, column, texts, f" with {which}, unlike other cells")

    def _without_commas(self, texts: Any, numbers: Any, column: str) -> Any:
        commas = pc.match_substring(numbers, ",")
        if not pc.any(commas).as_py():
            return numbers
        if not self.comma and not self._decimals(numbers):
            self.comma = "thousands"
            if not pc.any(pc.match_substring_regex(numbers, _CERTAIN)).as_py() and pc.all(commas).as_py():
                self._unsure = texts[_first(commas)].as_py()
        self.comma = self.comma or "decimals"
        if self.comma == "thousands":
            wrong = pc.and_not(commas, pc.match_substring_regex(numbers, _THOUSANDS))
            plain = pc.replace_substring(numbers, ",", "")
        else:
            whole = pc.match_substring_regex(numbers, rf"{_DECIMALS}|^[-+]?\d+$")
            wrong = pc.invert(whole)
            plain = pc.replace_substring(pc.replace_substring(numbers, ".", ""), ",", ".")
        if (row := _first(wrong)) is not None:
            points = pc.and_(wrong, pc.match_substring(numbers, "."))
            if self.comma == "decimals" and (pc.sum(points).as_py() or 0) > pc.sum(commas).as_py():
                raise _written(_first(commas) or 0, column, texts, ", but elsewhere points stand before decimals")
            raise _written(row, column, texts, f", but elsewhere commas stand before {self.comma}")
        return plain


def without_minus_one(tasks: Sequence[Task], patterns: Sequence[str] | None) -> tuple[tuple[Task, ...], list[str]]:
    """Return tasks without scores of −1 that stand for "not measured", and a note on them.

    All other scores of such a task are 0 to 1, 1 to 10, or 0 to 100. −1 beside 0, ½ and 1 alone is that of a loss.
    """
    low = [task for task in tasks if extent(task)[0] == -1]
    others = by_task(low, at_each([part for task in low for part in task.parts], _others))
    stray = [task for task, found in zip(low, others, strict=True) if _is_stray(found)]
    if not stray:
        return tuple(tasks), []
    given = [part for task in stray for part in task.parts]
    found = (by_task(stray, one) for one in kept_at_each(given, [_measured] * len(given)))
    made, count = {}, 0
    for task, parts, absent in zip(stray, *found, strict=True):
        missing = np.sum(absent, axis=0)
        count += int(missing.sum())
        made[task.name] = task.with_parts(parts, scored=task.scored - missing)
    names = list(map(repr, made))
    kept = ["*", *(one for one in patterns or () if one.startswith("!"))]
    how = f"; if it is a score: tasks={kept} (--tasks {as_typed_list(kept)})"
    before = f"−1 counts as missing ({how_many(count, 'cell')}), as no other score is below 0: "
    return tuple(made.get(task.name, task) for task in tasks), [Assumed(with_names(before, names, how, room=LONG))]


def _measured(part: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return a part without −1, and how many of them each system had."""
    absent = part == -1
    return np.where(absent, part.dtype.type(np.nan), part), np.count_nonzero(absent, axis=1)


def _others(part: NDArray[Any]) -> tuple[float, float, bool]:
    """Return the least and the greatest score of a part but −1, and whether all are 0, ½ or 1."""
    scores = part[(part != -1) & ~np.isnan(part)]
    low, high = np.min(scores, initial=np.inf), np.max(scores, initial=-np.inf)
    return float(low), float(high), bool(np.isin(scores, (0, 0.5, 1)).all())


def _is_stray(others: Sequence[tuple[float, float, bool]]) -> bool:
    """Return whether −1 stands for "not measured" in a task, by what its parts have beside it."""
    least, most = min(low for low, _, _ in others), max(high for _, high, _ in others)
    if most <= 1:
        return bool(least >= 0) and not all(of_battles for _, _, of_battles in others)
    return bool(least >= (1 if most <= 10 else 0) and most <= 100)


def _first(holds: Any) -> int | None:
    """Return the first row where this holds."""
    row = holds.index(True).as_py()
    return None if row < 0 else row


def _shown(value: str) -> str:
    return repr(beginning(value, _LONGEST))


def _written(row: int, column: str, texts: Any, how: str) -> NotNumberError:
    what = f"column {column!r} holds {_shown(texts[row].as_py())}{how}"
    return NotNumberError(row, f"{what}; write all numbers of the column alike, as in 1234.5")


def _not_a_number(row: int, column: str, value: str) -> NotNumberError:
    advice = "if the score is missing, leave the cell empty or write NA"
    if value.strip() == column:
        advice = "if the names of the columns stand here once more, delete the row"
    return NotNumberError(row, f"column {column!r} holds {_shown(value)}, which is not a number; {advice}")
