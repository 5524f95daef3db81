"""Difficulty of instances from a table: a row per instance, a column per measure."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, LabelError
from podium.base.words import counted, few
from podium.difficulty.result import HARD, SHARES, Difficulty, Hard, Measure, in_order
from podium.source.layout import SYNONYMS
from podium.source.role import existing, folded, listed, named

if TYPE_CHECKING:
    from podium.source.column import Keyed, Whole
    from podium.source.table import Table

#: How names of measures begin, and which of their values are hard.
_BEGINNINGS: dict[str, Hard] = {
    "bias": "low",
    "spurious": "low",
    "similarity": "low",
    "sts": "low",
    "difficulty": "high",
    "failure": "high",
    "irt": "high",
    "weight": "high",
}

_NUMBERS = ("integer", "single", "number")

Floats = NDArray[np.float64]


def read_difficulty(
    source: str | Path,
    *,
    measures: str | Iterable[str] | None = None,
    hard: str | None = None,
    splits: str | None = None,
    task: str | None = None,
    instance: str | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
) -> Difficulty:
    r"""Read how difficult instances are.

    A table with one row per instance, or per task and instance, and one column of numbers per measure. Low values are
    hard in columns whose names begin with "bias", "spurious", "similarity" or "sts", high ones where they begin with
    "difficulty", "failure", "irt" or "weight". A value is missing, and becomes NaN, as in `podium.read`. An instance
    that occurs several times counts with the mean of its values.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    measures
        Columns to take, one or several; None takes all columns of numbers that have such a name.
    hard
        "low" or "high": which values of all measures taken are hard, whatever their names say.
    splits
        Column of labels that say which split an instance is in, to be taken along as text, see `podium.customize`. A
        table that has it needs no measure: the splits in order, numbers as numbers, are one, "split_number".
    task, instance
        Columns of labels, where their names do not say so.
    format, table
        As for `podium.read`.

    Returns
    -------
    Difficulty
        Instances are in order of their labels, within tasks in order of first appearance where there are tasks.

    Raises
    ------
    InputError
        The file cannot be read, no column is a measure, or a share is outside 0 to 1: where, and what to do.
    LabelError
        There is no such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "difficulty.csv")
    ...     _ = path.write_text("instance,bias\n2,0.9\n1,0.5\n")
    ...     read_difficulty(path).rows()
    [{'instance': 1, 'bias': 0.5}, {'instance': 2, 'bias': 0.9}]
    """
    from podium.source.column import read_keyed  # noqa: PLC0415  # the same
    from podium.source.open import open_table  # noqa: PLC0415  # Arrow is for when something is read

    opened = open_table(source, format, table)
    opened.find_columns()
    names = [column.name for column in opened.columns]
    instance = named(SYNONYMS["instance"], names) if instance is None else existing(instance, names)
    if instance is None:
        raise InputError(
            f"{opened.name}: no column names the instances; say which one it is with instance= (--instance). Its "
            f"columns are {listed(names)}"
        )
    task = named(SYNONYMS["task"], names, [instance]) if task is None else existing(task, names)
    splits = None if splits is None else existing(splits, names)
    labels = [name for name in (task, instance, splits) if name is not None]
    taken, notes = (_chosen(opened, labels, measures), ()) if measures is not None else _recognised(opened, labels)
    if not taken and splits is None:
        raise _no_measure(opened)
    ends = {name: _hard(opened.name, name, hard) for name in taken}
    texts = () if splits is None else (splits,)
    whole, keyed = read_keyed(opened, numbers=taken, texts=texts, task=task, instance=instance)
    return _difficulty(whole, keyed, ends, notes, splits)


def _recognised(opened: "Table", labels: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Columns of numbers whose names say that they are measures, and what to say of the others."""
    others = [column for column in opened.columns if column.name not in labels]
    named_so = [column for column in others if _end(column.name) is not None and column.kind != "nested"]
    taken = [column.name for column in named_so if column.kind in _NUMBERS] or [column.name for column in named_so]
    left = [column.name for column in others if column.name not in taken]
    return taken, (f"column{'s' if len(left) > 1 else ''} {listed(left)} not used",) if left else ()


def _no_measure(opened: "Table") -> InputError:
    return InputError(
        f"{opened.name}: no column of numbers has a name that begins with {', '.join(map(repr, _BEGINNINGS))}; name "
        "the measures of difficulty with measures= (--difficulty-column). Its columns are "
        + listed([column.name for column in opened.columns])
    )


def _chosen(opened: "Table", labels: Sequence[str], measures: str | Iterable[str]) -> list[str]:
    names = [column.name for column in opened.columns]
    taken = list(dict.fromkeys([measures] if isinstance(measures, str) else measures))
    if not taken:
        raise InputError(f"{opened.name}: the list of measures is empty; name at least one, or leave it out")
    for name in taken:
        if existing(name, names) in labels:
            raise InputError(f"{opened.name}: column {name!r} holds the labels; it is no measure of difficulty")
    return taken


def _end(name: str) -> Hard | None:
    """Which values are hard, as far as the name of a measure says."""
    return next((end for start, end in _BEGINNINGS.items() if folded(name).startswith(start)), None)


def _hard(where: str, name: str, said: str | None) -> Hard:
    if said is not None:
        found = next((end for end in HARD if end == said), None)
        if found is None:
            raise LabelError.unknown("end of a measure that is hard", said, HARD)
        return found
    end = _end(name)
    if end is None:
        raise InputError(
            f"{where}: the name of {name!r} does not say which of its values are hard; say hard='low' (--hard low) if "
            "instances with low values are the hard ones, as of a bias or a similarity that makes them easy, or "
            "hard='high' (--hard high) if those with high values are, as of a number of failures"
        )
    return end


def _difficulty(
    whole: "Whole", keyed: "Keyed", ends: Mapping[str, Hard], notes: Sequence[str], splits: str | None
) -> Difficulty:
    again = np.flatnonzero(np.bincount(keyed.place) > 1).tolist()
    said = [*notes, *(note for name in ends for note in _checked(whole, name))]
    if again:
        shown = few([keyed.label(place) for place in again])
        said.append(f"values averaged over the rows of {counted(len(again), 'repeated instance')}: {shown}")
    measures = tuple(
        Measure(name, _averaged(whole.numbers[name], keyed, repeated=bool(again)), end) for name, end in ends.items()
    )
    if splits is None:
        return Difficulty(keyed.instances, measures, keyed.tasks, notes=tuple(said))
    labels = _labels(whole, keyed, splits)
    if not measures:
        known = in_order(set(labels.tolist()))
        numbers = np.array([known.index(label) + 1.0 for label in labels.tolist()])
        measures = (Measure("split_number", numbers, "high"),)
    return Difficulty(keyed.instances, measures, keyed.tasks, ((splits, labels),), tuple(said))


def _labels(whole: "Whole", keyed: "Keyed", splits: str) -> NDArray[Any]:
    """Split of each instance."""
    texts = [None if text is None else text.strip() for text in whole.texts[splits]]
    labels = [texts[row] for row in keyed.first.tolist()]
    for row, (text, place) in enumerate(zip(texts, keyed.place.tolist(), strict=True)):
        if not text:
            raise InputError(f"{whole.where(row)}: column {splits!r} is empty; say in which split the instance is")
        if text != labels[place]:
            raise InputError(
                f"{whole.where(row)}: instance {keyed.label(place)} is in split {text!r}, and in {labels[place]!r} in "
                "an earlier row; keep one"
            )
    return np.array(labels, dtype=np.dtypes.StringDType())


def _checked(whole: "Whole", name: str) -> list[str]:
    """Refuse values that a measure cannot have, and say how many are missing."""
    values = whole.numbers[name]
    missing = np.isnan(values)
    if missing.all():
        raise InputError(f"{whole.table.name}: column {name!r} has no value; leave the measure out")
    outside = (values < 0) | (values > 1)
    if folded(name).startswith(SHARES) and outside.any():
        row = int(outside.argmax())
        raise InputError(
            f"{whole.where(row)}: {name!r} is {values[row]:g}; a bias is a share, from 0 to 1: correct the value, or "
            "give the column another name if it is no share"
        )
    count = int(missing.sum())
    return [f"{count:,} of {counted(values.size, 'value')} of {name!r} {'is' if count == 1 else 'are'} missing"] * (
        count > 0
    )


def _averaged(values: Floats, keyed: "Keyed", *, repeated: bool) -> Floats:
    """Mean of the values of each instance, NaN left out."""
    if not repeated:
        return values[keyed.first]
    here = ~np.isnan(values)
    counts = np.bincount(keyed.place[here], minlength=keyed.first.size)
    sums = np.bincount(keyed.place[here], weights=values[here], minlength=keyed.first.size)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means
