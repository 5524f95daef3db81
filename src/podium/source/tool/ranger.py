"""Location files: a YAML that lists which file holds what, in the two layouts of Ranger."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MissingExtraError, PodiumError, nearest
from podium.base.words import counted
from podium.score.table import Scores, Task
from podium.source.format.line import Lines, finite
from podium.source.path import text_file
from podium.source.read import Finish
from podium.source.tool.listing import Listing
from podium.source.tool.trec import evaluate


def read_per_line(listing: Listing) -> Scores:
    """Read files of one score per line; the instance is the number of the line, from 0.

    Scores of a task are missing where a system has no file for it.

    Raises
    ------
    InputError
        A line does not hold a finite number, or files of one task differ in the number of their lines.
    """
    tasks = []
    systems = list(listing.files)
    for key, label in listing.tasks.items():
        columns = {system: _numbers(files[key]) for system, files in listing.files.items() if key in files}
        _check_lengths(listing, key, columns)
        length = next((len(column) for column in columns.values()), 1)
        values = np.full((len(systems), length), np.nan)
        for system, column in columns.items():
            values[systems.index(system)] = column
        tasks.append(Task.cut(label, values, systems=systems))
    return Scores(tuple(systems), tuple(tasks), notes=listing.notes)


def _numbers(path: str | Path) -> NDArray[np.float64]:
    lines = Lines(text_file(path))
    numbers: list[float] = []
    blank = 0
    for place, line in enumerate(lines.raw(), start=1):
        text = line.strip()
        if not text:
            blank = blank or place
            continue
        if blank:
            raise InputError(f"{lines.name}, line {blank} is blank; every line must hold a score, for lines are paired")
        number = finite(text)
        if number is None:
            shown = repr(text[:60].decode(errors="replace"))
            raise InputError(
                f"{lines.name}, line {place}: {shown} is not a finite number; every line must hold one score and "
                "nothing else"
            )
        numbers.append(number)
    if not numbers:
        raise InputError(f"{lines.name} is empty; it needs one score per line")
    return np.array(numbers)


def _check_lengths(listing: Listing, key: str, columns: dict[str, NDArray[Any]]) -> None:
    first = next(iter(columns), "")
    for system, column in columns.items():
        if len(column) != len(columns[first]):
            raise InputError(
                f"task {listing.tasks[key]!r}: {listing.files[first][key]} of system {first!r} has "
                f"{counted(len(columns[first]), 'line')} and {listing.files[system][key]} of system {system!r} "
                f"{counted(len(column), 'line')}; scores are paired by line, so give each system the same lines"
            )


_SCORES, _RUNS, _QRELS, _LABELS = "eval_metrics", "available_rankings", "qrels", "display_names"

_LAYOUTS = (
    f"expected {_SCORES} (system: task: file of one score per line), or {_QRELS} (task: file) and {_RUNS} "
    f"(system: task: run), and {_LABELS} (task: name) if wanted"
)

#: How deep mappings are nested in any layout.
_DEPTH = 3


def read_locations(
    path: str | Path,
    measure: str | None = None,
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
    weights: Mapping[str, float] | None = None,
    tie_tolerance: float = 0.0,
) -> Scores:
    r"""Read the files that a YAML lists, in either layout of the location files of Ranger.

    `eval_metrics` (system → task → file) lists files of one score per line: line k of every file of a task is one
    instance, and a file has no place for a missing score. `qrels` (task → file) and `available_rankings` (system →
    task → run) are evaluated as by `read_trec`. `display_names` (task → name), in either layout, says which tasks to
    use, in which order and by which names; without it all that have files are used. Scores of a task are missing where
    no file is listed for a system. What is left out, `Scores.notes` tells.

    A relative path leads from the folder of the YAML, or else from the current one, or else from the one above the
    YAML, from where Ranger's own examples are run.

    Parameters
    ----------
    path
        The YAML.
    measure
        What to compute from runs, as in `read_trec`; `nDCG@10` if None. Scores are read as they are.
    tasks, systems
        Those to keep: labels or globs, `!glob` excludes. Files of others are not looked for.
    lower, higher, weights, tie_tolerance
        Directions and weights, by the names shown; see `read`.

    Returns
    -------
    Scores
        Float64. Systems in the order of the YAML.

    Raises
    ------
    InputError
        The YAML is in neither layout, a file is not where it should be or cannot be read, files of one task differ in
        the number of their lines, or a measure is given for scores.
    LabelError
        A task or system was named that does not exist.
    MissingExtraError
        PyYAML, or for runs ir_measures, is not installed.
    WeightError
        A weight is negative or not finite, or all are zero.

    Notes
    -----
    M. Sertkan, S. Althammer, S. Hofstätter, *Ranger: a toolkit for effect-size based multi-task evaluation*, 2023,
    section 4.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from podium.source.tool.ranger import read_locations
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, scores in (("bert.txt", "1\n0\n1\n"), ("distilbert.txt", "0\n0\n1\n")):
    ...         _ = pathlib.Path(folder, name).write_text(scores)
    ...     path = pathlib.Path(folder, "config.yaml")
    ...     _ = path.write_text("eval_metrics: {BERT: {rte: bert.txt}, DistilBERT: {rte: distilbert.txt}}")
    ...     read_locations(path)
    Scores(2 systems × 1 task, 3 instances, 0 of 6 scores missing)
    """
    listing = _located(Path(path), _listing(path).select(tasks=tasks, systems=systems))
    if listing.qrels is None and measure is not None:
        raise InputError(f"{path} lists scores, not runs, so there is no {measure} to compute; leave the measure out")
    scores = read_per_line(listing) if listing.qrels is None else evaluate(listing, measure or "nDCG@10")
    return Finish(lower, higher, weights, tie_tolerance).of(scores)


def lists_file(path: str | Path, target: Path) -> bool:
    """Whether a file is the YAML, or one that it lists.

    >>> lists_file("config.yaml", Path("board.json"))
    False
    """
    if not target.is_file():
        return False
    try:
        listing = _listing(path)
    except PodiumError:  # whoever reads it says why
        return Path(path).is_file() and target.samefile(path)
    listed = [one for files in (*listing.files.values(), listing.qrels or {}) for one in files.values()]
    places = [place for one in listed for place in _places(Path(path), str(one))]
    return any(place.is_file() and target.samefile(place) for place in (Path(path), *places))


def lists_runs(path: str | Path) -> bool:
    """Whether a YAML lists runs, of which any measure can be computed, and not scores.

    Raises
    ------
    InputError
        The YAML is in neither layout.
    MissingExtraError
        PyYAML is not installed.
    """
    return _listing(path).qrels is not None


def _listing(path: str | Path) -> Listing:
    found = _document(path)
    try:
        return _arranged(found)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _arranged(found: Any) -> Listing:
    """Take what a YAML holds in either layout."""
    if not isinstance(found, dict):
        raise InputError(f"there is no mapping; {_LAYOUTS}")
    known = (_SCORES, _RUNS, _QRELS, _LABELS)
    for key, value in found.items():
        if key not in known:
            raise InputError(f"nothing is known of {key!r}; {nearest(key, known)}")
        if not isinstance(value, dict):
            raise InputError(f"{key}: expected a mapping; fill it, or leave it out")
    content = found.keys() - {_LABELS}
    if content == {_SCORES}:
        return Listing.of(found[_SCORES], labels=found.get(_LABELS))
    if content == {_RUNS, _QRELS}:
        return Listing.of(found[_RUNS], found[_QRELS], found.get(_LABELS))
    raise InputError(f"{_LAYOUTS}; found {' and '.join(map(str, found)) or 'nothing'}")


def _document(path: str | Path) -> Any:
    """Load a YAML, in which no key occurs twice."""
    try:
        import yaml  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise MissingExtraError("pyyaml", "trec", "reading a YAML") from error
    content = b"".join(Lines(text_file(path)).raw())
    try:
        _check_repeats(path, yaml.compose(content, yaml.SafeLoader))
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        why = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise InputError(f"{path}{where}: this is not YAML: {why}; mend it") from error


def _check_repeats(path: str | Path, node: Any, depth: int = _DEPTH) -> None:
    """Refuse keys that YAML would let overwrite each other."""
    if node is None or node.id != "mapping" or not depth:
        return
    seen: set[str] = set()
    for key, value in node.value:
        if key.id == "scalar" and key.value in seen:
            raise InputError(f"{path}, line {key.start_mark.line + 1}: {key.value!r} is listed twice; keep one")
        seen.add(str(key.value))
        _check_repeats(path, value, depth - 1)


def _located(path: Path, listing: Listing) -> Listing:
    """Find the files of the chosen tasks."""
    files = {
        system: {
            key: _find(path, str(row[key]), f"system {system!r}, task {key!r}") for key in listing.tasks if key in row
        }
        for system, row in listing.files.items()
    }
    qrels = listing.qrels and {
        key: _find(path, str(listing.qrels[key]), f"qrels, task {key!r}") for key in listing.tasks
    }
    return replace(listing, files=files, qrels=qrels)


def _places(path: Path, named: str) -> list[Path]:
    """Where a file may be that a YAML names, most likely first."""
    file = Path(named).expanduser()
    if file.is_absolute():
        return [file]
    folder = path.expanduser().resolve().parent
    return list(dict.fromkeys(place / file for place in (folder, Path.cwd(), folder.parent)))


def _find(path: Path, named: str, what: str) -> Path:
    places = _places(path, named)
    for place in places:
        if place.exists():
            return place
    tried = ", ".join(str(place) for place in places)
    beside = sorted({entry.name for place in places if place.parent.is_dir() for entry in place.parent.iterdir()})
    hint = f"; {nearest(Path(named).name, beside)}" if beside else ""
    raise InputError(f"{path}: {what}: there is no file {named!r}; looked for {tried}{hint}")
