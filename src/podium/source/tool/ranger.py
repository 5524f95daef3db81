"""Location files: a YAML file that lists the files of systems and tasks, in the two layouts of Ranger."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from podium.base.check import checked_path
from podium.base.errors import InputError, MissingExtraError, PodiumError, nearest
from podium.base.words import how_many
from podium.score.table import Scores
from podium.score.task import Task
from podium.source.direction import by_names, directed
from podium.source.format.line import Lines, finite
from podium.source.path import text_file
from podium.source.tool.trec import Listing, evaluate


def read_per_line(listing: Listing) -> Scores:
    """Read files with one score per line; the instance is the line number, from 0.

    Scores of a task are missing if a system has no file for it.

    Raises
    ------
    InputError
        A line does not hold a finite number, or the files of a task have different numbers of lines.
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
            raise InputError(
                f"{lines.name}, line {blank} is blank; every line must hold a score, because lines are compared"
            )
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
                f"{how_many(len(columns[first]), 'line')} and {listing.files[system][key]} of system {system!r} "
                f"{how_many(len(column), 'line')}; systems are compared line by line, so give each the same lines"
            )


_SCORES, _RUNS, _QRELS, _LABELS = "eval_metrics", "available_rankings", "qrels", "display_names"

_LAYOUTS = (
    f"expected {_SCORES} (system: task: file of one score per line), or {_QRELS} (task: file) and {_RUNS} "
    f"(system: task: run); {_LABELS} (task: name) is optional"
)

#: Maximum depth of nested mappings in a layout.
_DEPTH = 3


def read_locations(
    path: str | Path,
    measure: str | None = None,
    *,
    tasks: Iterable[str] | None = None,
    systems: Iterable[str] | None = None,
    lower: Iterable[str] = (),
    higher: Iterable[str] = (),
) -> Scores:
    r"""Read the files that a YAML file lists, in either layout of the location files of Ranger.

    `eval_metrics` (system → task → file) lists files with one score per line. Line k of every file of a task is the
    same instance; such a file cannot have missing scores. `qrels` (task → file) and `available_rankings` (system →
    task → run) are evaluated as by `read_trec`. In both layouts, `display_names` (task → name) can choose the tasks,
    their order and their names; without it, all tasks with files are used. Scores of a task are missing if no file is
    listed for a system. `Scores.notes` says what is left out.

    A relative path starts at the folder of the YAML file. If the file is not there, podium looks in the current
    folder, and then in the folder above the YAML file, as in the examples of Ranger.

    Parameters
    ----------
    path
        The YAML file.
    measure
        Measure to compute from runs, as in `read_trec`; `nDCG@10` if None. For files of scores it must be None.
    tasks, systems
        Labels or globs to keep; `!glob` leaves out. Files of others are not opened.
    lower, higher
        Directions of tasks, by the names of the result; see `read`.

    Returns
    -------
    Scores
        Float64. Systems are in the order of the YAML file.

    Raises
    ------
    InputError
        The YAML file has neither layout, a listed file does not exist or cannot be read, files of one task have
        different numbers of lines, or a measure is given for scores.
    LabelError
        A task or system that was named does not exist.
    MissingExtraError
        PyYAML is not installed, or ir_measures is not installed and there are runs.

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
    file = checked_path("path", path)
    listing = _located(file, _listing(file).select(tasks=tasks, systems=systems))
    if listing.qrels is None and measure is not None:
        raise InputError(f"{path} lists scores, not runs, so {measure} cannot be computed; leave out the measure")
    scores = read_per_line(listing) if listing.qrels is None else evaluate(listing, measure or "nDCG@10")
    return directed(by_names(scores), lower=lower, higher=higher)


def lists_file(path: str | Path, target: Path) -> bool:
    """Whether a file is the YAML file or a file that it lists.

    >>> lists_file("config.yaml", Path("board.json"))
    False
    """
    if not target.is_file():
        return False
    try:
        listing = _listing(path)
    except PodiumError:  # the reader explains why
        return Path(path).is_file() and target.samefile(path)
    listed = [one for files in (*listing.files.values(), listing.qrels or {}) for one in files.values()]
    places = [place for one in listed for place in _places(Path(path), str(one))]
    return any(place.is_file() and target.samefile(place) for place in (Path(path), *places))


def lists_runs(path: str | Path) -> bool:
    """Whether a YAML file lists runs (any measure can be computed), not scores.

    Raises
    ------
    InputError
        The YAML file has neither layout.
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
    """Listing from the content of a YAML file in either layout."""
    if not isinstance(found, dict):
        raise InputError(f"the file holds no mapping; {_LAYOUTS}")
    known = (_SCORES, _RUNS, _QRELS, _LABELS)
    for key, value in found.items():
        if key not in known:
            raise InputError(f"the key {key!r} is unknown; {nearest(key, known)}")
        if not isinstance(value, dict):
            raise InputError(f"{key}: expected a mapping; fill it, or leave out the key")
    content = found.keys() - {_LABELS}
    if content == {_SCORES}:
        return Listing.of(found[_SCORES], labels=found.get(_LABELS))
    if content == {_RUNS, _QRELS}:
        return Listing.of(found[_RUNS], found[_QRELS], found.get(_LABELS))
    raise InputError(f"{_LAYOUTS}; found {' and '.join(map(str, found)) or 'nothing'}")


def _document(path: str | Path) -> Any:
    """Load a YAML file; no key may occur twice."""
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
        raise InputError(f"{path}{where}: this is not YAML: {why}; correct it") from error


def _check_repeats(path: str | Path, node: Any, depth: int = _DEPTH) -> None:
    """Refuse repeated keys, because YAML would overwrite values silently."""
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
    """Possible places of a file that a YAML file names, most likely first."""
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
    raise InputError(f"{path}: {what}: there is no file {named!r}; podium looked for {tried}{hint}")
