"""Read judged answers: who judged which answer how, what people say of it, and what else is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.arrays import Bools, Floats, Frozen, Ints
from podium.base.check import matching, texts
from podium.base.errors import InputError, LabelError
from podium.base.words import how_many
from podium.source.table import (
    GAMES,
    LABEL_KINDS,
    NUMBER_KINDS,
    USUAL,
    WINNER,
    by_role,
    existing,
    find_roles,
    folded,
    is_missing,
    lacks,
    naming,
    refuse_shared,
    shown,
    sides_in,
)

if TYPE_CHECKING:
    from podium.source.labels import Whole
    from podium.source.table import SourceTable

#: Usual names of columns, by role; earlier roles choose first.
_NAMES = {
    "human": USUAL["human"],
    "cluster": USUAL["cluster"],
    "task": USUAL["task"],
    "system": USUAL["system"],
    "instance": USUAL["instance"],
    "length": ("length", "tokens", "n_tokens", "words", "n_words", "characters", "n_characters"),
}

#: Roles whose column has to be named.
_NAMED = ("judge", "score", "probability", "family")

#: What the columns of verdicts are called if there is one row for each judge.
_VERDICT = (*USUAL["score"], "verdict", "rating", "grade", "judgement", "judgment")

ROLES = (*_NAMES, *_NAMED)

#: Words for 1 and 0 in verdicts.
_YES = frozenset(("1", "1.0", "true", "yes", "y", "correct", "right", "pass", "passed", "good"))
_NO = frozenset(("0", "0.0", "false", "no", "n", "incorrect", "wrong", "fail", "failed", "bad"))

#: Who wins a battle: the answer shown first or second.
OUTCOMES = ("tie", "first", "second")

#: The column of labels that come from another table; no column has this name.
_GOLD = "\0gold"

#: Judges, and categories in words, at most.
_JUDGES, _WORDS = 20, 100


@dataclass(frozen=True, slots=True, eq=False)
class JudgedAnswers(Frozen):
    """Verdicts of J judges on A answers.

    Attributes
    ----------
    judges
        The J names.
    verdicts, people
        Shape `(J, A)` and `(A,)`: scores, or numbers of words; NaN where there is none.
    words
        What verdicts are called, or () if they are numbers.
    unit, item
        Shape `(A,)`: what varies together, a cluster or an item, numbered from 0; and the item, −1 if it has no name.
    systems, system
        Labels, and shape `(A,)`: whose answer it is, −1 if that is not known.
    length
        Shape `(A,)`; NaN where it is not known.
    families, own
        Families of systems; and shape `(J, A)`: 1 if the answer is by one of the judge's own family, 0 if it is not;
        NaN if that is not known.
    probability
        Shape `(J, A)`: how sure the judge is to be right; NaN where it does not say.
    sides
        Shape `(2, A)`: of battles the systems in the order in which their answers are shown; otherwise None.
    again
        Rows that stand in the table before, the same in every column; they do not count.
    backend
        Library of the frame that it comes from.
    """

    judges: tuple[str, ...]
    verdicts: Floats
    people: Floats
    words: tuple[str, ...]
    unit: Ints
    item: Ints
    systems: tuple[str, ...]
    system: Ints
    length: Floats
    families: tuple[str, ...]
    own: Floats
    probability: Floats
    sides: Ints | None
    again: int
    backend: str

    @property
    def labelled(self) -> Bools:
        """Shape `(J, A)`: whether both the judge and people have judged an answer."""
        return ~np.isnan(self.verdicts) & ~np.isnan(self.people)


def read_judged(
    source: Any,
    judges: Any = None,
    own: Mapping[str, str] | None = None,
    *,
    gold: Any = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
    columns: Mapping[str, Any],
) -> JudgedAnswers:
    """Read a table of judged answers; see `podium.judge` for its columns."""
    from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read

    opened, backend = _opened(source, format, table)
    names, given = opened.names, by_role(columns)
    sure = [existing(name, names) for name in texts("column", given.pop("probability", None) or [])]
    if isinstance(gold, str) and gold in names:
        gold, given["human"] = None, gold
    roles = find_roles(names, _NAMES, given)
    if gold is not None:
        roles["human"] = _GOLD
    refuse_shared(opened.name, roles)
    sides = next(sides_in(names), None)
    wide = _judge_columns(opened, judges, roles, sure, battles=sides is not None)
    if "human" not in roles and sides is None:
        raise lacks(opened.name, f"no column says what people think; name it with {naming('human')}", names)
    said = [*wide, *([roles["human"]] if "human" in roles else [])]
    kinds = {column.name: column.kind for column in opened.columns}
    numbers = sides is None and gold is None and all(kinds[name] in NUMBER_KINDS for name in said)
    labels = [roles[role] for role in ("judge", "cluster", "task", "system", "instance", "family") if role in roles]
    labels += list(sides[:2]) if sides else []
    whole = read_whole(
        opened,
        texts=[*dict.fromkeys([*labels, *([] if numbers else said)]).keys() - {_GOLD}],
        numbers=[
            *dict.fromkeys([*sure, *([roles["length"]] if "length" in roles else []), *(said if numbers else [])])
        ],
    )
    if gold is not None:
        whole = replace(whole, texts={**whole.texts, _GOLD: _labels_in(gold, whole, roles)})
    values, words = ({name: whole.numbers[name] for name in said}, ()) if numbers else _coded(whole, said, sides)
    nothing = np.full(whole.n_rows, np.nan)
    people = values[roles["human"]] if "human" in roles else nothing
    codes = _Codes(whole, roles, [] if sides is None else sides[:2])
    names = ["judge"] if judges is None and len(wide) == 1 and "judge" not in folded(wide[0]) else wide
    again = _again(opened, codes)
    verdicts = np.where(again, np.nan, [values[name] for name in wide])
    found = _answers(codes, verdicts, _probabilities(whole, sure, len(wide)), people, names)
    rows, both = found.pop("rows"), found.pop("both")
    (families, family), (_, cluster) = codes.of("family"), codes.of("cluster")
    own_family = np.array([_own(name, families, own) for name in found["judges"]])[:, None]
    unit = cluster[rows] if "cluster" in roles else codes.item[rows]
    alone = np.arange(rows.size) + unit.max() + 1
    return JudgedAnswers(
        **found,
        people=people[rows],
        words=words,
        unit=np.unique(np.where(unit >= 0, unit, alone), return_inverse=True)[1],
        item=codes.item[rows],
        systems=tuple(codes.systems),
        system=codes.system[rows],
        length=(whole.numbers[roles["length"]] if "length" in roles else nothing)[rows],
        families=tuple(families),
        own=np.where((own_family >= 0) & (family[rows] >= 0), family[rows] == own_family, np.nan),
        sides=None if sides is None else both,
        again=int(again.sum()),
        backend=backend,
    )


def _opened(source: Any, format_: str | None, table: str | None) -> tuple["SourceTable", str]:
    """Open a file, a frame or a dictionary of columns; and name the library of frames."""
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    if isinstance(source, str | PathLike):
        return open_table(source, format_, table), "pyarrow"  # type: ignore[arg-type]  # a path
    import pyarrow as pa  # noqa: PLC0415  # the same

    from podium.source.columnar import ArrowTable  # noqa: PLC0415  # the same
    from podium.source.memory import to_arrow  # noqa: PLC0415  # the same

    if isinstance(source, Mapping):
        try:
            source = pa.table(dict(source))
        except (TypeError, ValueError, pa.ArrowException) as error:
            raise InputError(f"the columns make no table: {str(error).splitlines()[0]}") from None
    arrow, backend = to_arrow(source)
    return ArrowTable("the frame", arrow), backend


def _labels_in(gold: Any, whole: "Whole", roles: Mapping[str, str]) -> list[str | None]:
    """Return for each row what another table, with one row for each item, says of its item."""
    from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read

    if "instance" not in roles:
        raise lacks(
            whole.table.name, f"no column names the items; name it with {naming('instance')}", whole.table.names
        )
    opened, _ = _opened(gold, None, None)
    given = {"instance": roles["instance"] if roles["instance"] in opened.names else None}
    words = {"instance": _NAMES["instance"], "human": (*_NAMES["human"], *USUAL["gold"])}
    found = find_roles(opened.names, words, given)
    if len(found) < len(words):
        raise lacks(opened.name, "it needs a column of items, and a column 'human' or 'gold'", opened.names)
    beside = read_whole(opened, texts=list(found.values()))
    known: dict[str | None, str | None] = {}
    for row, (item, label) in enumerate(zip(*(beside.texts[found[role]] for role in words), strict=True)):
        if known.setdefault(item, label) != label:
            raise InputError(f"{beside.where(row)}: item {item!r} has another label in an earlier row; keep one")
    return [known.get(item) for item in whole.texts[roles["instance"]]]


def _judge_columns(
    opened: "SourceTable", judges: Any, roles: dict[str, str], sure: Sequence[str], *, battles: bool
) -> list[str]:
    """Return the columns of verdicts; if one column names the judges, it takes the role "judge"."""
    names = opened.names
    left = [name for name in names if name not in {*roles.values(), *sure}]
    if judges is not None:
        if "judge" in roles:
            raise InputError("the judges are columns, or named in one; give judges= (--judge) or judge_column= alone")
        asked = texts("judge", judges)
        if not {*asked} & {*left} and "judge" in left:
            what = f"no column is called {asked[0]!r}; leave judges= (--judge) out: rows name their judge"
            raise lacks(opened.name, f"{what} with {naming('judge', 'judge')}", names)
        found = matching("column", asked, left)
    else:
        by_name = {folded(name): name for name in reversed(left)}
        usual = [by_name[name] for name in (*(WINNER if battles else ()), *_VERDICT) if name in by_name]
        score = roles.get("score") or next(iter(usual), None)
        if battles and "score" not in roles and all(game in by_name for game in GAMES):
            return [by_name[game] for game in GAMES]
        if score is not None and "judge" not in roles and "judge" in by_name and by_name["judge"] != score:
            roles["judge"] = by_name["judge"]
        if "judge" in roles or "score" in roles or (battles and score):
            if score is None:
                raise lacks(opened.name, f"no column holds the verdicts; name it with {naming('score')}", names)
            return [score]
        found = [name for name in left if "judge" in folded(name)] or usual[:1]
    if not found:
        what = "no column is called after a judge; name the columns of judges with judges= (--judge), or one that names"
        raise lacks(opened.name, f"{what} the judge of each row with {naming('judge')}", names)
    if len(found) > _JUDGES:
        raise InputError(f"{opened.name}: {len(found)} judges; name up to {_JUDGES} with judges= (--judge)")
    return found


def _coded(whole: "Whole", said: Sequence[str], sides: Any) -> tuple[dict[str, Floats], tuple[str, ...]]:
    """Number the words of verdicts; those for right and wrong are 1 and 0."""
    cells = {name: [_word(cell) for cell in whole.texts[name]] for name in said}
    if sides is not None:
        return {name: _outcomes(whole, name, column, sides) for name, column in cells.items()}, OUTCOMES
    known = sorted({word for column in cells.values() for word in column if word is not None})
    if len(known) > _WORDS:
        raise InputError(
            f"{whole.table.name}: {len(known):,} different verdicts, such as {known[0][:40]!r}; use labels"
        )
    words: tuple[str, ...] = ()
    if set(known) <= _YES | _NO:
        number = {word: float(word in _YES) for word in known}
    else:
        number = {word: _as_float(word) for word in known}
        others = [word for word, value in number.items() if not np.isfinite(value)]
        if others and len(others) < len(known):
            what = f"some verdicts are numbers, and {others[0][:40]!r} is none; write all as numbers, or as words"
            raise InputError(f"{whole.table.name}: {what}")
        if others:
            number, words = {word: float(at) for at, word in enumerate(known)}, tuple(known)
    return {
        name: np.array([np.nan if word is None else number[word] for word in column]) for name, column in cells.items()
    }, words


def _word(cell: str | None) -> str | None:
    word = "" if cell is None else cell.strip()
    return None if is_missing(word) else word.casefold()


def _as_float(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return np.nan


def _outcomes(whole: "Whole", name: str, column: Sequence[str | None], sides: Any) -> Floats:
    """Return who won, as numbers of `OUTCOMES`; in the second game of two the answers are shown in the other order."""
    from podium.source.tool.battles import Sides  # noqa: PLC0415  # import Arrow only to read

    known = Sides(*sides)
    codes = np.full(len(column), np.nan)
    for row, (word, *pair) in enumerate(zip(column, *(whole.texts[side] for side in sides[:2]), strict=True)):
        systems = [_word(one) for one in pair]
        code = systems.index(word) + 1 if word is not None and word in systems else known.outcome(word)
        if code == -2:
            who = f"neither {pair[0]!r}, {pair[1]!r}, a side, nor a tie"
            raise InputError(f"{whole.where(row)}: {name} is {str(word)[:60]!r}, which is {who}; correct the row")
        if code >= 0:
            codes[row] = code
    return codes


class _Codes:
    """Labels of the rows of a table, by role, as numbers; −1 in a row without one, or where there is no column."""

    def __init__(self, whole: "Whole", roles: Mapping[str, str], sides: Sequence[str]) -> None:
        self.whole, self.roles = whole, roles
        (_, task), (_, instance) = self.of("task"), self.of("instance")
        self.item = np.where(instance >= 0, _joined(task, instance), -1)
        self.systems, self.system = self.of("system")
        self.both = np.full((2, whole.n_rows), -1)
        if sides:
            self.systems, codes = _numbered([label for side in sides for label in whole.texts[side]])
            self.both = codes.reshape(2, -1)
            if (codes < 0).any():
                at = int((self.both < 0).any(axis=0).argmax())
                raise InputError(f"{whole.where(at)}: a battle needs two systems; {shown(sides)} must name them")
            if (self.both[0] == self.both[1]).any():
                at = int((self.both[0] == self.both[1]).argmax())
                raise InputError(f"{whole.where(at)}: a system meets itself; leave the row out")

    def of(self, role: str) -> tuple[list[str], Ints]:
        """Return labels, and the number of each row."""
        if role not in self.roles:
            return [], np.full(self.whole.n_rows, -1)
        return _numbered(self.whole.texts[self.roles[role]])


def _again(opened: "SourceTable", codes: _Codes) -> Bools:
    """Shape `(R,)`: whether a row names its answer, and stands in the table before, the same in every column."""
    from podium.source.labels import read_whole  # noqa: PLC0415  # import Arrow only to read

    _, judge = codes.of("judge")
    known = (codes.item >= 0) & ((codes.system >= 0) | (judge >= 0))
    if np.unique(_joined(judge, codes.item, codes.system, *codes.both)[known]).size == known.sum():
        return np.zeros(known.size, dtype=np.bool_)
    kinds = LABEL_KINDS | NUMBER_KINDS
    texts = read_whole(opened, texts=[column.name for column in opened.columns if column.kind in kinds]).texts
    first: dict[tuple[str | None, ...], int] = {}
    places = [first.setdefault(row, place) for place, row in enumerate(zip(*texts.values(), strict=True))]
    return known & (np.array(places) < np.arange(known.size))


def _answers(
    codes: _Codes, verdicts: Floats, probability: Floats, people: Floats, names: Sequence[str]
) -> dict[str, Any]:
    """Bring the verdicts on one answer together: what `JudgedAnswers` holds of them, and the row of each answer."""
    whole, rows, both = codes.whole, np.arange(codes.whole.n_rows), codes.both
    if "judge" not in codes.roles and [*map(folded, names)] == list(GAMES) and (both >= 0).all():
        first, second = verdicts  # the answers of the second game are shown in the other order
        verdicts = np.concatenate([first, np.where(second > 0, 3 - second, second)])[None]
        names, rows, both = ["judge"], np.tile(rows, 2), np.hstack([both, both[::-1]])
        probability = np.full(verdicts.shape, np.nan)
    if "judge" in codes.roles:
        names, judge = codes.of("judge")
        if (judge < 0).any():
            where = whole.where(int((judge < 0).argmax()))
            raise InputError(f"{where}: column {codes.roles['judge']!r} names no judge")
        if len(names) > _JUDGES:
            raise InputError(f"{whole.table.name}: {len(names):,} judges; keep up to {_JUDGES} of them")
        if len(names) > 1 and (codes.item < 0).any():
            what = f"several judges need items by name; name their column with {naming('instance')}"
            raise lacks(whole.table.name, what, whole.table.names)
        key = _joined(codes.item, codes.system, *both) if (codes.item >= 0).any() else rows
        _, rows, answer = np.unique(key, return_index=True, return_inverse=True)
        verdicts, probability = (_spread(whole, names, of[0], judge, answer) for of in (verdicts, probability))
        before, both = people[rows][answer], both[:, rows]
        differ = (people != before) & ~(np.isnan(people) & np.isnan(before))
        if differ.any():
            where = whole.where(int(differ.argmax()))
            raise InputError(f"{where}: people say something else of this answer than in an earlier row; keep one")
    return {"judges": tuple(names), "verdicts": verdicts, "probability": probability, "rows": rows, "both": both}


def _probabilities(whole: "Whole", sure: Sequence[str], number: int) -> Floats:
    """Shape `(J, R)`: how sure judges are, by row."""
    if not sure:
        return np.full((number, whole.n_rows), np.nan)
    found = np.array([whole.numbers[name] for name in sure])
    if len(sure) != number:
        raise InputError(f"{how_many(number, 'column')} of verdicts, and {len(sure)} of probabilities; name as many")
    wrong = (found < 0) | (found > 1)
    if wrong.any():
        at = int(wrong.any(axis=0).argmax())
        first = found[wrong[:, at], at][0]
        raise InputError(f"{whole.where(at)}: a probability is {first:g}; it must be from 0 to 1")
    return found


def _numbered(labels: Sequence[str | None]) -> tuple[list[str], Ints]:
    """Return distinct labels, sorted, and the number of each row; −1 if it has none."""
    stripped = [label.strip() if label else "" for label in labels]
    known = sorted({label for label in stripped if label})
    number = {label: at for at, label in enumerate(known)}
    return known, np.array([number.get(label, -1) for label in stripped], dtype=np.int64)


def _joined(*codes: Ints) -> Ints:
    """Number the combinations that occur."""
    return np.unique(np.stack(codes), axis=1, return_inverse=True)[1].ravel()


def _spread(whole: "Whole", names: Sequence[str], values: Floats, judge: Ints, answer: Ints) -> Floats:
    """Shape `(J, A)`: what each judge says of each answer."""
    there = np.flatnonzero((judge >= 0) & ~np.isnan(values))
    cell = judge[there] * (int(answer.max()) + 1) + answer[there]
    _, first, times = np.unique(cell, return_index=True, return_counts=True)
    if (times > 1).any():
        again = np.flatnonzero(cell == cell[first[times.argmax()]])[1]
        row = int(there[again])
        who = f"judge {names[judge[row]]!r} has judged this answer in an earlier row"
        raise InputError(
            f"{whole.where(row)}: {who}; keep one row, or name the column that tells them apart with {naming('system')}"
        )
    spread = np.full((len(names), int(answer.max()) + 1), np.nan)
    spread.flat[cell] = values[there]
    return spread


def _own(judge: str, families: Sequence[str], own: Mapping[str, str] | None) -> int:
    """Return the number of the judge's own family, −1 if that is not known: what was said, or the one in its name."""
    if own and judge in own:
        if not families:
            raise InputError(f"no column names families, such as {own[judge]!r}; name it with {naming('family')}")
        if own[judge] not in families:
            raise LabelError.unknown("family", own[judge], families)
        return families.index(own[judge])
    found = [at for at, name in enumerate(families) if folded(name) in folded(judge)]
    return found[0] if len(found) == 1 else -1
