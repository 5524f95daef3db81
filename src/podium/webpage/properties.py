"""What is known of systems beside scores: numbers, dates, texts and links, by which readers filter and sort."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from podium.base.errors import LabelError, MethodError
from podium.base.words import Counted
from podium.score.table import Scores
from podium.source.descriptor import COVARIATES, contents, described, is_number
from podium.source.direction import says_direction
from podium.source.path import find_files, opened
from podium.source.table import SourceColumn, is_missing

#: What a column may be taken for that a page shows without being asked.
_SHOWN = COVARIATES | {"a note", "a date", "yes or no"}

#: Properties on a page, and letters of a value, at most.
_MOST, _LONGEST = 40, 300

#: How links begin that a page makes links of.
_LINKS = ("https://", "http://")


@dataclass(frozen=True, slots=True)
class Property:
    """A property of N systems.

    Attributes
    ----------
    name
        Of its column.
    kind
        "number", "date", "link" or "text".
    values
        By system; None where nothing is known. A link begins with http:// or https://; dates are as they are written.
    higher_is_better
        Direction, of a number.
    exact
        Whether a number is one of the whole system; otherwise it is a mean over instances.
    """

    name: str
    kind: str
    values: tuple[float | str | None, ...]
    higher_is_better: bool = False
    exact: bool = True

    @classmethod
    def of(cls, name: str, values: Sequence[Any], *, exact: bool = True) -> "Property | None":
        """Find out what values are; None if nothing is known of any system.

        >>> Property.of("size", ["7", None, "13"]).values, Property.of("u", ["https://a", "javascript:b"]).values
        ((7.0, None, 13.0), ('https://a', None))
        """
        cells = [None if value is None or is_missing(str(value)) else str(value).strip()[:_LONGEST] for value in values]
        known = [cell for cell in cells if cell is not None]
        if not known:
            return None
        if all(map(is_number, known)):
            higher = says_direction(name)
            speed = described(SourceColumn(name, "number")) == "a speed"
            numbers = tuple(None if cell is None else float(cell) for cell in cells)
            return cls(name, "number", numbers, speed if higher is None else higher, exact)
        if contents(known) == "dates":
            return cls(name, "date", tuple(cells))
        if any(cell.lower().startswith(_LINKS) for cell in known):
            links = (cell if cell is not None and cell.lower().startswith(_LINKS) else None for cell in cells)
            return cls(name, "link", tuple(links))
        return cls(name, "text", tuple(cells))

    def content(self) -> dict[str, Any]:
        """Return it as the page takes it."""
        own = {"name": self.name, "kind": self.kind, "values": list(self.values)}
        return own | ({"higherIsBetter": self.higher_is_better, "exact": self.exact} if self.kind == "number" else {})


def properties_of(scores: Scores, given: Mapping[str, Mapping[str, Any]] | None) -> list[Property]:
    """Return covariates of the scores, as means, and what is given by name and system.

    Raises
    ------
    MethodError
        What is given is no dictionary of dictionaries, or has too many properties.
    """
    found: dict[str, Property | None] = {}
    told: Any = {} if given is None else given
    if not (isinstance(told, Mapping) and all(isinstance(of, Mapping) for of in told.values())):
        raise MethodError("properties are values by name and system, as in {'license': {'A': 'MIT', 'B': 'none'}}")
    for name, covariate in scores.covariates.items():
        means = [None if math.isnan(mean) else mean for mean in covariate.of_systems().tolist()]
        parts = [np.concatenate(covariate.values, axis=1)] if scores.task_level else covariate.values
        low, high = ([end.reduce(part, axis=1) for part in parts] for end in (np.fmin, np.fmax))
        found[name] = Property.of(name, means, exact=not np.any(np.array(low) < np.array(high)))
    for name, of in told.items():
        found.setdefault(str(name), Property.of(str(name), [of.get(system) for system in scores.systems]))
    kept = [one for one in found.values() if one is not None]
    if len(kept) > _MOST:
        raise MethodError(f"a page shows {_MOST} properties at most, and here are {len(kept)}; name some (--property)")
    return kept


def read_properties(
    sources: Sequence[str],
    scores: Scores,
    names: Iterable[str] | None,
    *,
    format: str | None = None,  # noqa: A002  # the word for it
    table: str | None = None,
    system_column: Sequence[str] | None = None,
) -> dict[str, dict[str, Any]]:
    """Read columns of tables that are properties of systems: those that are named, or else those known by their names.

    Of a wide table these are columns that reading takes for a size, price, date, note and the like, or for texts that
    several systems share. A property that differs between rows of a system is not known of it.

    Raises
    ------
    LabelError
        No table has a column of that name.
    InputError
        The source is no table.
    """
    from podium.source.labels import read_whole  # noqa: PLC0415  # loads Arrow, which other pages may not need
    from podium.source.recognise import ReadSpec, recognise  # noqa: PLC0415  # the same

    why = next((note.why for note in scores.notes if isinstance(note, Counted)), {})
    wanted = [name for name, what in why.items() if what in _SHOWN | {"text"}] if names is None else list(names)
    found: dict[str, dict[str, Any]] = {name: {} for name in wanted}
    if not wanted:
        return {}
    seen, columns = set[str](), {} if system_column is None else {"system_column": system_column}
    for file in find_files(list(sources), format).files:
        source = opened(file, table)
        there = [name for name in wanted if name in source.names]
        seen |= set(source.names)
        if not there:
            continue
        system = recognise(source.name, source.columns, ReadSpec.of(columns=columns)).system
        whole = read_whole(source, texts=[system, *there])
        for name in there:
            of = found[name]
            for label, cell in zip(whole.texts[system], whole.texts[name], strict=True):
                if label is not None:
                    of[label.strip()] = cell if of.get(label.strip(), cell) == cell else None
    if names is not None and (unknown := [name for name in wanted if name not in seen]):
        raise LabelError.unknown("property", unknown[0], sorted(seen))
    shared = {name for name, of in found.items() if 2 * len({*of.values()}) <= len(of)}
    return {name: of for name, of in found.items() if names is not None or why[name] != "text" or name in shared}
