"""Difficulty of instances from a table: one row per instance, one column per measure."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from podium.base.arrays import Floats
from podium.base.check import texts
from podium.base.errors import InputError, LabelError
from podium.base.words import Aside, few, how_many
from podium.difficulty.result import HARD, SHARES, Difficulty, Hard, Measure, sorted_labels
from podium.source.table import existing, find_roles, folded, lacks, naming, shown, usual

if TYPE_CHECKING:
    from podium.source.labels import Keyed, Whole
    from podium.source.table import SourceTable

#: How names of measures begin, and whether low or high values mean hard instances.
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

#: The measure of a table that has only the order of its splits.
NO_MEASURE = "split_number"

_NUMBERS = ("integer", "single", "number")


def read_difficulty(
    source: str | Path,
    *,
    measures: str | Iterable[str] | None = None,
    hard: Hard | None = None,
    splits: str | None = None,
    task_column: str | None = None,
    instance_column: str | None = None,
    format: str | None = None,  # noqa: A002  # the word people use
    table: str | None = None,
) -> Difficulty:
    r"""Read how difficult instances are.

    The table has one row per instance, or per task and instance, and one column of numbers per measure. Low values
    mean hard instances if the name of the column begins with "bias", "spurious", "similarity" or "sts". High values
    mean hard instances if it begins with "difficulty", "failure", "irt" or "weight". A value is missing, and becomes
    NaN, as in `podium.read`. If an instance has several rows, the mean of their values counts.

    Parameters
    ----------
    source
        A file of any format that `podium.read` reads, or "-".
    measures
        One or several columns to read; None reads all columns of numbers with such a name.
    hard
        "low" or "high": which values of all measures mean hard instances, whatever the names of the columns.
    splits
        Column of labels that say in which split an instance is; it is read as text, see `podium.customize`. A table
        with this column needs no measure: the order of the splits (numbers as numbers) becomes "split_number".
    task_column, instance_column
        Columns of labels, if podium does not recognise them.
    format, table
        As for `podium.read`.

    Returns
    -------
    Difficulty
        Instances are sorted by label; if there are tasks, within tasks in order of first appearance.

    Raises
    ------
    InputError
        The file cannot be read, no column is a measure, or a share is not between 0 and 1; the message says where,
        and what to do.
    LabelError
        A column that was named does not exist.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "difficulty.csv")
    ...     _ = path.write_text("instance,bias\n2,0.9\n1,0.5\n")
    ...     read_difficulty(path).rows()
    [{'instance': 1, 'bias': 0.5}, {'instance': 2, 'bias': 0.9}]
    """
    from podium.source.labels import read_keyed  # noqa: PLC0415  # import Arrow only to read
    from podium.source.path import open_table  # noqa: PLC0415  # import Arrow only to read

    opened = open_table(source, format, table)
    roles = find_roles(opened.names, usual("instance", "task"), {"instance": instance_column, "task": task_column})
    if "instance" not in roles:
        what = f"no column names the instances; name the column with {naming('instance')}"
        raise lacks(opened.name, what, opened.names)
    labels = [*roles.values(), *([] if splits is None else [existing(splits, opened.names)])]
    taken, notes = (_chosen(opened, labels, measures), ()) if measures is not None else _recognised(opened, labels)
    if not taken and splits is None:
        raise _no_measure(opened)
    ends = {name: _hard(opened.name, name, hard) for name in taken}
    texts = () if splits is None else (splits,)
    whole, keyed = read_keyed(opened, instance=roles["instance"], task=roles.get("task"), numbers=taken, texts=texts)
    return _difficulty(whole, keyed, ends, notes, splits)


def _recognised(opened: "SourceTable", labels: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Return columns of numbers whose names show measures, and a note about other columns."""
    others = [column for column in opened.columns if column.name not in labels]
    named_so = [column for column in others if _end(column.name) is not None and column.kind != "nested"]
    taken = [column.name for column in named_so if column.kind in _NUMBERS] or [column.name for column in named_so]
    left = [column.name for column in others if column.name not in taken]
    return taken, (Aside(f"{shown(left)} not used"),) if left else ()


def _no_measure(opened: "SourceTable") -> InputError:
    beginnings = ", ".join(map(repr, _BEGINNINGS))
    what = f"no column of numbers has a name that begins with {beginnings}"
    advice = "name the measures of difficulty with measures= (--difficulty-column)"
    return lacks(opened.name, f"{what}; {advice}", opened.names)


def _chosen(opened: "SourceTable", labels: Sequence[str], measures: str | Iterable[str]) -> list[str]:
    taken = list(dict.fromkeys(texts("measure", measures)))
    if not taken:
        raise InputError(
            f"{opened.name}: the list of measures is empty; name at least one measure, or leave out the list"
        )
    for name in taken:
        if existing(name, opened.names) in labels:
            raise InputError(f"{opened.name}: column {name!r} holds labels; it is not a measure of difficulty")
    return taken


def _end(name: str) -> Hard | None:
    """Return which values mean hard instances, according to the name of a measure."""
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
            f"{where}: the name {name!r} does not show which values mean hard instances; use hard='low' (--hard low) "
            "if low values mean hard, as for a bias or a similarity, or hard='high' (--hard high) if high values mean "
            "hard, as for a number of failures"
        )
    return end


def _difficulty(
    whole: "Whole", keyed: "Keyed", ends: Mapping[str, Hard], notes: Sequence[str], splits: str | None
) -> Difficulty:
    again = np.flatnonzero(np.bincount(keyed.place) > 1).tolist()
    said = [*notes, *(note for name in ends for note in _checked(whole, name))]
    if again:
        labels = few([keyed.label(place) for place in again])
        said.append(f"{how_many(len(again), 'instance')} in several rows; the mean of their values counts: {labels}")
    measures = tuple(Measure(name, _averaged(whole.numbers[name], keyed), end) for name, end in ends.items())
    if splits is None:
        return Difficulty(keyed.instances, measures, keyed.tasks, notes=tuple(said))
    split = _split_labels(whole, keyed, splits)
    if not measures:
        known = sorted_labels(set(split.tolist()))
        numbers = np.array([known.index(label) + 1.0 for label in split.tolist()])
        measures = (Measure(NO_MEASURE, numbers, "high"),)
    return Difficulty(keyed.instances, measures, keyed.tasks, ((splits, split),), tuple(said))


def _split_labels(whole: "Whole", keyed: "Keyed", splits: str) -> NDArray[Any]:
    """Split of each instance."""
    texts = [None if text is None else text.strip() for text in whole.texts[splits]]
    labels = [texts[row] for row in keyed.first.tolist()]
    for row, (text, place) in enumerate(zip(texts, keyed.place.tolist(), strict=True)):
        if not text:
            raise InputError(f"{whole.where(row)}: column {splits!r} is empty; write the split of the instance")
        if text != labels[place]:
            raise InputError(
                f"{whole.where(row)}: instance {keyed.label(place)} is in split {text!r} here and in {labels[place]!r} "
                "in an earlier row; keep one of them"
            )
    return np.array(labels, dtype=np.dtypes.StringDType())


def _checked(whole: "Whole", name: str) -> list[str]:
    """Refuse values that a measure cannot have, and note how many values are missing."""
    values = whole.numbers[name]
    missing = np.isnan(values)
    if missing.all():
        raise InputError(f"{whole.table.name}: column {name!r} has no value; leave out the measure")
    outside = (values < 0) | (values > 1)
    if folded(name).startswith(SHARES) and outside.any():
        row = int(outside.argmax())
        raise InputError(
            f"{whole.where(row)}: {name!r} is {values[row]:g}, but a bias is a share from 0 to 1; correct the value, "
            "or rename the column if it is not a share"
        )
    count = int(missing.sum())
    return [f"{count:,} of {how_many(values.size, 'value')} of {name!r} {'is' if count == 1 else 'are'} missing"] * (
        count > 0
    )


def _averaged(values: Floats, keyed: "Keyed") -> Floats:
    """Mean of the values of each instance, without NaN."""
    here = ~np.isnan(values)
    counts = np.bincount(keyed.place[here], minlength=keyed.first.size)
    sums = np.bincount(keyed.place[here], weights=values[here], minlength=keyed.first.size)
    with np.errstate(invalid="ignore"):
        means: Floats = sums / counts
    return means
