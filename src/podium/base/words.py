"""Numbers and names in sentences."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import ceil, floor, isfinite, isinf, isnan, log10
from shlex import quote
from typing import Any, Self

#: Stands where a number does not exist.
DASH = "–"

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

#: Most decimals that are shown.
_MOST = 12

#: Characters that a note or a sentence of a verdict has at most.
LONG = 140

#: Characters of a note with names; the name of the ranking or system that it is about may come before it.
NAMED = 108


#: Control characters could move the cursor or recolour the screen; direction overrides reorder a line.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Doubt(str):
    """A note without which a reader may conclude what is not so; results list these first.

    >>> weightiest_first(["3 of 8 scores are missing", Doubt("scales differ")])
    ('scales differ', '3 of 8 scores are missing')
    """

    __slots__ = ()


class Misleading(Doubt):
    """A note without which the answer itself misleads; what is shown says it before the answer.

    >>> weightiest_first(["3 of 8 scores are missing", Misleading("scales differ")])
    ('scales differ', '3 of 8 scores are missing')
    """

    __slots__ = ()


class Aside(str):
    """A note that changes nothing a reader may conclude, such as how columns were read; results list these last.

    >>> "m: " + Aside("column 'date' not used")
    "m: column 'date' not used"
    """

    __slots__ = ()


class Assumed(str):
    """A note on what reading took cells or rows for; results list these before what they say of themselves.

    >>> Assumed("−1 counts as missing")
    '−1 counts as missing'
    """

    __slots__ = ()


class About(str):
    """A note on one of many, such as a file or a task; those of a kind make one note, see `one_a_kind`.

    >>> About("cut off", "a.json")
    'cut off: a.json'
    """

    __slots__ = ("kind", "subject")

    kind: str
    subject: str

    def __new__(cls, kind: str, subject: str) -> Self:
        """Make the note."""
        note = super().__new__(cls, f"{kind}: {subject}")
        note.kind, note.subject = kind, subject
        return note

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """Make the same note in another process."""
        return type(self), (self.kind, self.subject)


#: Columns of each kind that the note on a wide table names, and letters of one that it types.
_COUNTED, _TYPED = 6, 20


class Counted(str):
    """The note on a wide table: which columns count, and which do not, as many as leave it short.

    Attributes
    ----------
    why
        For each column of the table, what it is taken for.
    tasks
        Those that count.
    lower
        Tasks where lower is better by their names.

    Examples
    --------
    >>> Counted({"mmlu": "a score", "wer": "a score", "params": "a size"}, ["mmlu", "wer"], ["wer"])
    "tasks: mmlu, wer ↓; not counted: params; tasks=['*', 'params'] (--tasks '*,params') counts it"
    """

    __slots__ = ("lower", "tasks", "why")

    why: dict[str, str]
    tasks: tuple[str, ...]
    lower: tuple[str, ...]  # type: ignore[assignment]  # not letters of a text

    def __new__(cls, why: Mapping[str, str], tasks: Sequence[str], lower: Iterable[str] = ()) -> Self:
        """Write the note."""
        down, there = set(lower), set(tasks)
        names = [f"{name} ↓" if name in down and not {"↓", "⬇"} & set(name) else name for name in tasks]
        out = [name for name in why if name not in there]
        rest, room = "", LONG
        if out:
            short = len(out) == 1 and len(out[0]) <= _TYPED
            typed, it = ("*," + out[0].replace(",", r"\,"), "it") if short else ("*,NAME", "one")
            how = f"; tasks={['*', out[0] if short else 'NAME']} (--tasks {as_typed(typed)}) counts {it}"
            room += len(how) - len(as_options(how))
            rest = with_names("; not counted: ", out, how, most=_COUNTED, room=LONG // 2 + len(how))
        said = with_names("tasks: ", names, rest, most=_COUNTED, room=room)
        note = super().__new__(cls, said)
        note.why, note.tasks, note.lower = dict(why), tuple(tasks), tuple(lower)
        return note

    def among(self, names: Sequence[str]) -> "Counted":
        """Return the note on some of the tasks; the caller knows which others he left out."""
        there = set(names)
        why = {name: what for name, what in self.why.items() if name in there or name not in self.tasks}
        return Counted(why, names, [name for name in self.lower if name in there])

    def without(self, name: str) -> "list[Counted]":
        """Return the note without a column that is read by itself."""
        return [Counted({one: what for one, what in self.why.items() if one != name}, self.tasks, self.lower)]

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what copies are made of."""
        return type(self), (self.why, self.tasks, self.lower)


def one_a_kind(notes: Iterable[str]) -> list[str]:
    """Return each note once, and of those that are about one of many only one a kind, with the first few names.

    >>> one_a_kind(["all read", About("cut off", "a.json"), "all read", About("cut off", "b.json")])
    ['all read', 'cut off: a.json, b.json']
    """
    kinds: dict[str, list[str]] = {}
    for note in dict.fromkeys(notes):
        if isinstance(note, About):
            kinds.setdefault(note.kind, []).append(note.subject)
        else:
            kinds.setdefault(note, [])
    return [_of_kind(kind, subjects) if subjects else kind for kind, subjects in kinds.items()]


def _of_kind(kind: str, subjects: Sequence[str]) -> str:
    """Return a note on several, whose names lose their beginnings where it would be too long."""
    more = f" and {len(subjects) - 1:,} more" if len(subjects) > 1 else ""
    most = LONG - len(kind) - 2 - len(more)
    return with_names(f"{kind}: ", [ending(subject, most) for subject in subjects], room=LONG)


def ending(name: str, most: int) -> str:
    """Return the end of a name that has more letters than fit, since the ends of paths tell them apart.

    >>> ending("/runs/today/a.json", 10), ending("a.json", 10)
    ('…ay/a.json', 'a.json')
    """
    return name if len(name) <= most else "…" + name[len(name) - max(most, 2) + 1 :]


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text that has more letters than fit.

    >>> beginning("left out: a.json", 10), beginning("a.json", 10)
    ('left out:…', 'a.json')
    """
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def cut_line(file: str, number: int) -> About:
    """Note that the last line of a file is cut off.

    >>> cut_line("a.jsonl", 7)
    'the last line is cut off and left out (has the run ended?): a.jsonl, line 7'
    """
    return About("the last line is cut off and left out (has the run ended?)", f"{file}, line {number:,}")


def weighing_as(note: str, text: str) -> str:
    """Return a text, such as a note with a name before it, that stands where the note does.

    >>> weightiest_first(["others", weighing_as(Doubt("scales differ"), "mean: scales differ")])
    ('mean: scales differ', 'others')
    """
    for kind in (Misleading, Doubt):
        if isinstance(note, kind):
            return kind(text)
    return Aside(text) if isinstance(note, Aside) else text


def in_each(what: str, note: str) -> str:
    """Return a note that stands of each source or step; if it begins with a number, say that this is of each.

    >>> in_each("source", Aside("4 files read")), in_each("step", "scales differ")
    ('in each source: 4 files read', 'scales differ')
    """
    return Aside(f"in each {what}: {note}") if isinstance(note, Aside) and note[0].isdigit() else note


def weightiest_first(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes by what they change: which columns count, doubts, what cells were taken for, others, what is aside.

    >>> weightiest_first([Aside("column 'date' not used"), "3 of 8 scores are missing"])
    ('3 of 8 scores are missing', "column 'date' not used")
    """
    place: dict[Any, int] = {Counted: 0, Doubt: 1, Assumed: 2, Aside: 4}
    return tuple(sorted(notes, key=lambda note: next((place[kind] for kind in place if isinstance(note, kind)), 3)))


def printable(text: str) -> str:
    r"""Spell out characters that would break a line or steer a terminal.

    >>> print(printable("a\tb"))
    a\tb
    """
    return _UNPRINTABLE.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


def as_typed(text: str) -> str:
    """Write a text as one types it in a shell, in one line.

    >>> print(as_typed("a b"), as_typed("rte"))
    'a b' rte
    """
    return quote(printable(text))


def as_typed_list(names: Iterable[str]) -> str:
    r"""Write names as one types several in a shell, with commas between; a comma in a name has a backslash.

    >>> print(as_typed_list(["a", "b,c"]))
    'a,b\,c'
    """
    return as_typed(",".join(name.replace(",", r"\,") for name in names))


#: What is passed in Python, and behind it in brackets what one types instead: a flag, or an option with its value.
_SHELL = r"(?:'[^']*'|[^()'])"
_BOTH = re.compile(
    rf"(?:\b[a-z_]+=(?:True|False|None)?(?: or |, )?)+ \((--{_SHELL}*)\)"
    rf"|\b[a-z_]+=(?:'[^']*'|\[[^\]]*\]|\{{[^}}]*\}}|[\w.+-]+) \((--[\w-]+ {_SHELL}+)\)"
)


def as_options(text: str) -> str:
    """Leave out of a message what is passed in Python, where it says also what one types.

    >>> as_options("leave them out with tasks=['!date'] (--tasks '!date'), or say families=False (--family none)")
    "leave them out with --tasks '!date', or say --family none"
    >>> as_options("over='task' (--over) must be 'suite' or 'tasks'")
    "over='task' (--over) must be 'suite' or 'tasks'"
    """
    return _BOTH.sub(lambda found: found[1] or found[2], text)


def how_many(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> how_many(1, "task"), how_many(1200, "system")
    ('1 task', '1,200 systems')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def are(number: float) -> str:
    """Return the verb that goes with a number: "is" or "are"."""
    return "is" if number == 1 else "are"


def few(names: Sequence[str], most: int = 5, *, total: int | None = None) -> str:
    """List the first few names, and say how many more there are; `total` counts also those without a known name.

    >>> few(["a", "b", "c"], 2), few(["a", "b"], total=1200), few(["a, 8B", "b"])
    ('a, b and 1 more', 'a, b and 1,198 more', 'a, 8B; b')
    """
    rest = (len(names) if total is None else total) - len(names[:most])
    return _between(names[:most]).join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def _between(names: Sequence[str]) -> str:
    """Return what parts names: a semicolon, if one without quotes or braces has a comma."""
    return "; " if any(", " in name and name[0] not in "'\"{" for name in names) else ", "


def with_names(
    before: str, names: Sequence[str], after: str = "", *, most: int = 5, total: int | None = None, room: int = NAMED
) -> str:
    """Write a note with names in it, as many as leave it short: at least one, and at most `most`; see `few`.

    >>> with_names("left out: ", ["a", "b", "c"])
    'left out: a, b, c'
    >>> with_names("left out: ", ["a" * 60, "b" * 60, "c" * 60]).partition("a ")[2]
    'and 2 more'
    """
    left = room - len(before) - len(after)
    fits = (number for number in range(most, 1, -1) if len(few(names, number, total=total)) <= left)
    return before + few(names, next(fits, 1), total=total) + after


def with_groups(before: str, groups: Sequence[Sequence[str]], after: str = "") -> str:
    """Write a note with up to two groups of names in braces, each with up to two of its names, where that is short.

    >>> with_groups("never compared: ", [["a", "b", "c"], ["d"], ["e"]])
    'never compared: {a, b and 1 more}, {d} and 1 more'
    """
    wide, narrow = (["{" + few(group, most) + "}" for group in groups] for most in (2, 1))
    short = len(before + few(wide, 2) + after) <= NAMED
    return with_names(before, wide if short else narrow, after, most=2)


def span(low: int | None, high: int | None = None) -> str:
    """Write a span of whole numbers, or a single one, or a dash if there is none.

    >>> span(1, 9), span(3, 3), span(3), span(None)
    ('1–9', '3', '3', '–')
    """
    return DASH if low is None else str(low) if high in {None, low} else f"{low}–{high}"


def decimals(width: float) -> int:
    """Return how many decimals show two digits of a width, such as that of an interval.

    >>> decimals(0.0123), decimals(3.2), decimals(450.0)
    (3, 1, 0)
    """
    if not (isfinite(width) and width > 0):
        return 2
    return min(max(1 - floor(log10(width)), 0), _MOST)


def rounded(value: float, places: int) -> Decimal | float:
    """Round to so many decimals, halves away from zero, also if a sum of binary fractions is a hair beside the half.

    So 0.225 and 22.5% become 0.23 and 23%.

    >>> [f"{number:f}" for number in (rounded(0.225, 2), rounded(22.5, 0), rounded(0.325 - 0.3, 2))]
    ['0.23', '23', '0.03']
    """
    if not isfinite(value):
        return value
    return Decimal(f"{value:.{places + 9}f}").quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def fixed(value: float, places: int) -> str:
    """Write a number with so many decimals and a true minus sign; a dash if it does not exist.

    >>> fixed(-0.0254, 2), fixed(-0.001, 2), fixed(float("nan"), 2)
    ('−0.03', '0.00', '–')
    """
    if not isfinite(value):
        return DASH
    text = f"{rounded(value, places):,f}" if abs(value) < 1e12 else f"{value:.{places}e}"
    return text.lstrip("-") if not text.strip("-0.,") else text.replace("-", "−")


def numeral(value: float) -> str:
    """Write a number in full if that is short, otherwise with a power of ten.

    >>> numeral(0.25), numeral(999.0), numeral(99999.0), numeral(1e9), numeral(-0.5)
    ('0.25', '999', '99,999', '1.0×10⁹', '−0.5')
    """
    if value and not 1e-5 <= abs(value) < 1e7:
        return significant(value)
    return f"{value:,.6f}".rstrip("0").rstrip(".").replace("-", "−")


def p_value(p: float) -> str:
    """Write a p-value; very small ones as "<0.001".

    >>> p_value(0.0412), p_value(0.0000001)
    ('0.041', '<0.001')
    """
    return DASH if not isfinite(p) else "<0.001" if p < 0.001 else f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def percent(share: float) -> str:
    """Write a share in percent, with the decimals it has.

    >>> percent(0.95), percent(0.999), percent(float("nan"))
    ('95%', '99.9%', '–')
    """
    return DASH if isnan(share) else f"{100 * share:.6g}%"


def rounded_percent(share: float) -> str:
    """Write a share in whole percent; 0% and 100% only for exactly none and all.

    >>> rounded_percent(0.376), rounded_percent(0.004), rounded_percent(0.9999), rounded_percent(float("nan"))
    ('38%', '<1%', '>99%', '–')
    """
    if isnan(share):
        return DASH
    return "<1%" if 0 < share < 0.005 else ">99%" if 0.995 < share < 1 else f"{rounded(100 * share, 0):f}%"


def percents(low: float, high: float) -> str:
    """Write a span of shares in whole percent, rounded outwards; a single one where both ends are the same.

    >>> percents(0.8512, 0.9047), percents(0.376, 0.376), percents(0.9973, 1.0), percents(0.0, 1.0)
    ('85–91%', '38%', '99–100%', '0–100%')
    """
    if low == high:
        return rounded_percent(low)
    return f"{floor(100 * low + 1e-9)}–{ceil(100 * high - 1e-9)}%"


def listed(names: Sequence[str]) -> str:
    """List all names, with "and" before the last.

    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (_between(names).join(names[:-1]), names[-1])))


def chance(p: float) -> str:
    """Write a p-value for a sentence.

    >>> chance(0.0412), chance(1e-9)
    ('p = 0.041', 'p < 0.001')
    """
    text = p_value(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def significant(value: float, digits: int = 2) -> str:
    """Write a number with so many significant digits.

    >>> significant(0.00042), significant(0.0), significant(-8.04e-7), significant(3), significant(123)
    ('0.00042', '0', '−8.0×10⁻⁷', '3.0', '123')
    """
    if isnan(value):
        return DASH
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    if -6 < int(exponent) < 9:
        text = f"{rounded(value, max(0, digits - 1 - int(exponent))):,f}"
    else:
        text = f"{mantissa}×10{raised(int(exponent))}"
    return text.replace("-", "−")


def raised(power: int) -> str:
    """Write an exponent.

    >>> "10" + raised(-7)
    '10⁻⁷'
    """
    return str(power).translate(_RAISED)


def two_digits(number: float) -> str:
    """Write an estimated number with two digits; whole numbers below 100 as they are.

    >>> two_digits(2.718), two_digits(1234.5)
    ('2.7', '1,200')
    """
    if isinstance(number, int) and number < 100:
        return str(number)
    return f"{rounded(number, 1):f}" if number < 10 else f"{float(f'{number:.2g}'):,.0f}"
