"""Which files hold the runs and qrels, or the scores, of TREC: by system and task, in YAML or as they are named.

Location files are YAML, in the two layouts of Ranger. Without one, a run belongs to qrels whose name is in its path.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

from podium.base.check import matching
from podium.base.errors import InputError, MissingExtraError, PodiumError, nearest
from podium.base.words import LONG, few, how_many, with_names
from podium.source.file import Lines
from podium.source.path import labels_of, text_file

#: Keys of location files, and what is said of their layouts.
_SCORES, _RUNS, _JUDGED, _LABELS = "eval_metrics", "available_rankings", "qrels", "display_names"
_LAYOUTS = (
    f"expected {_SCORES} (system: task: file of one score per line), or {_JUDGED} (task: file) and {_RUNS} "
    f"(system: task: run); {_LABELS} (task: name) is optional"
)

#: Maximum depth of nested mappings in a location file.
_DEPTH = 3

#: Files, or folders and patterns that hold some; or these by name.
Named = str | Path | Sequence[str | Path]
Runs = Named | Mapping[str, Named | Mapping[str, str | Path]]
Qrels = Named | Mapping[str, str | Path]

#: What stands before and after the task in the names of qrels.
_BEFORE, _AFTER = re.compile(r"^qrels?[._-]"), re.compile(r"([._-](qrels?|txt|tsv|gz|zst|bz2|xz))+$")


def listed(runs: Any, qrels: Any) -> "Listing":
    """List runs by system and task, and qrels by task, also if only files are named.

    The task is the name of its qrels, without `qrels` and endings. If there are several, a run belongs to those whose
    name is in its path. The system is the name that is given, else the rest of the path, as short as it may be.

    Parameters
    ----------
    runs
        System → task → file; system → files; or files. A folder or a pattern stands for its files.
    qrels
        Task → file, or files.

    Raises
    ------
    InputError
        There is no such file, a run belongs to no qrels, or two belong to one system and task.
    """
    judged = qrels if isinstance(qrels, Mapping) else _judged(_files(qrels))
    if isinstance(runs, Mapping) and all(isinstance(row, Mapping) for row in runs.values()):
        return Listing.of(runs, judged)
    named = runs if isinstance(runs, Mapping) else {"": runs}
    found = [(str(name), file) for name, given in named.items() for file in _files(given)]
    of_tasks = [_task_of(file, tuple(judged)) for _, file in found]
    rests = [name or _without(file, task) for (name, file), task in zip(found, of_tasks, strict=True)]
    unnamed = list(dict.fromkeys(rest for (name, _), rest in zip(found, rests, strict=True) if not name))
    short = dict(zip(unnamed, labels_of(unnamed), strict=True)) if unnamed else {}
    rows: dict[str, dict[str, str | Path]] = {}
    for (name, file), task, rest in zip(found, of_tasks, rests, strict=True):
        row = rows.setdefault(name or short[rest], {})
        if task in row:
            raise InputError(
                f"{row[task]} and {file} are both runs of {name or short[rest]!r} on {task!r}; name the systems, as in "
                "before=a.run after=b.run, or name the qrels of each task"
            )
        row[task] = file
    return Listing.of(rows, judged)


def _files(given: Any) -> list[Path]:
    """Return the files of paths, folders and patterns."""
    if not isinstance(given, str | Path | Sequence) or isinstance(given, bytes):
        raise InputError(f"expected paths of files, not {_kind(given)}")
    paths: list[Path] = []
    for one in [given] if isinstance(given, str | Path) else given:
        if not (isinstance(one, str | Path) and str(one)):
            raise InputError(f"expected the path of a file, not {_kind(one)}")
        path = Path(one).expanduser()
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        else:
            inside = [path] if path.exists() else sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207  # it may be absolute
        if not inside:
            text_file(path)  # says what is wrong with one that is not there
            raise InputError(f"the folder {str(path)!r} is empty; name another")
        paths += inside
    return paths


def _judged(files: Sequence[Path]) -> dict[str, str | Path]:
    """Return qrels by the task that is their name."""
    judged: dict[str, str | Path] = {}
    for file in files:
        task = _BEFORE.sub("", _AFTER.sub("", file.name))
        if task in judged:
            raise InputError(f"{judged[task]} and {file} are both qrels of {task!r}; give each another name")
        judged[task] = file
    return judged


def _task_of(file: Path, tasks: Sequence[str]) -> str:
    """Return the only task, or the longest whose name is in the path of a run."""
    within = [task for task in tasks if any(_cut(part, task) != part for part in file.parts)]
    if not within and len(tasks) > 1:
        raise InputError(
            f"{file} does not say which qrels it belongs to; put the name of one into its path: {few(tasks, 5)}"
        )
    return max(within, key=len) if within else tasks[0]


def _without(file: Path, task: str) -> str:
    """Return the path of a run without the name of its task; an ending alone says nothing.

    >>> [_without(Path(path), "covid") for path in ("covid.bm25.run", "runs/bm25/covid.run", "run.a")]
    ['bm25', 'runs/bm25', 'run.a']
    """
    whole = _AFTER.sub("", file.name)
    stem = whole.rpartition(".")[0] or whole
    name = whole if _cut(whole, task) == whole else _cut(stem if _cut(stem, task) != stem else whole, task)
    return "/".join(filter(None, [*(_cut(part, task) for part in file.parts[:-1]), name])) or file.name


def _cut(text: str, task: str) -> str:
    """Take a task out of a name, with the signs around it.

    >>> _cut("covid.bm25", "covid"), _cut("covid19", "covid")
    ('bm25', 'covid19')
    """
    left = re.sub(rf"(^|[._-]){re.escape(task)}(?=$|[._-])", "", text)
    return text if left == text else left.strip("._-")


def lists_file(path: str | Path, target: Path) -> bool:
    """Return whether a file is the YAML file or a file that it lists.

    >>> lists_file("config.yaml", Path("board.json"))
    False
    """
    if not target.is_file():
        return False
    try:
        listing = listed_in(path)
    except PodiumError:  # the reader explains why
        return Path(path).is_file() and target.samefile(path)
    listed = [one for files in (*listing.files.values(), listing.qrels or {}) for one in files.values()]
    places = [place for one in listed for place in _places(Path(path), str(one))]
    return any(place.is_file() and target.samefile(place) for place in (Path(path), *places))


def lists_runs(path: str | Path) -> bool:
    """Return whether a YAML file lists runs (any measure can be computed), not scores.

    Raises
    ------
    InputError
        The YAML file has neither layout.
    MissingExtraError
        PyYAML is not installed.
    """
    return listed_in(path).qrels is not None


@dataclass(frozen=True, slots=True)
class Listing:
    """Files by system and task: checked, but not yet opened.

    Attributes
    ----------
    tasks
        Keys of the tasks, with their labels.
    files
        System → key of a task → path. A system may lack tasks.
    qrels
        Key of a task → path, for every task; None if the files hold scores.
    notes
        Notes about what is left out.
    """

    tasks: Mapping[str, str]
    files: Mapping[str, Mapping[str, str | Path]]
    qrels: Mapping[str, str | Path] | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Any, qrels: Any = None, labels: Any = None) -> "Listing":
        """Check the listed files.

        Parameters
        ----------
        files
            System → task → path.
        qrels
            Task → path.
        labels
            Task → label, for the tasks to use, in this order; None uses all tasks with files under their own names.

        Raises
        ------
        InputError
            Something is not a mapping, name or path; a task or system has no file; or two tasks have the same label.
        """
        rows = {
            _name("the name of a system", name): _paths(f"system {name!r}", row)
            for name, row in _mapping("files by system", files)
        }
        listed = list(dict.fromkeys(task for row in rows.values() for task in row))
        judged = None if qrels is None else _paths("the qrels", qrels)
        if labels is None:
            named = {task: task for task in judged or () if task in listed}  # in the order of the qrels
            named |= {task: task for task in listed}
        else:
            named = _display_names(labels)
        for task in named:
            if judged is not None and task not in judged:
                raise InputError(f"task {task!r} has no qrels; {nearest(task, judged)}")
            if task not in listed:
                raise InputError(f"no system has a file for task {task!r}; {nearest(task, listed)}")
        for system, row in rows.items():
            if not set(row) & set(named):
                raise InputError(f"system {system!r} has no file for any task; list one, or leave the system out")
        if not rows:
            raise InputError("no system is listed; list at least one")
        left = [task for task in dict.fromkeys([*listed, *(judged or ())]) if task not in named]
        why = "no system has a run" if labels is None else "not in display_names"
        note = with_names(f"{how_many(len(left), 'task')} left out ({why}): ", list(map(repr, left)), room=LONG)
        return cls(named, rows, judged, (note,) if left else ())

    def select(self, tasks: Iterable[str] | None, systems: Iterable[str] | None) -> "Listing":
        """Keep the systems and tasks that match; labels or globs, `!glob` excludes.

        Raises
        ------
        LabelError
            A pattern matches nothing.
        """
        chosen = self
        if tasks is not None:
            keep = set(matching("task", tasks, tuple(self.tasks.values())))
            chosen = replace(chosen, tasks={key: label for key, label in self.tasks.items() if label in keep})
        if systems is not None:
            kept = matching("system", systems, tuple(self.files))
            chosen = replace(chosen, files={system: self.files[system] for system in kept})
        return chosen


def _mapping(what: str, given: Any) -> Iterable[tuple[Any, Any]]:
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected a mapping from names to files or texts, not {_kind(given)}")
    return given.items()


def _paths(what: str, given: Any) -> dict[str, str | Path]:
    paths = {}
    for task, path in _mapping(what, given):
        if not (isinstance(path, str | Path) and str(path)):
            raise InputError(f"{what}, task {task!r}: expected the path of a file, not {_kind(path)}")
        paths[_name(f"{what}: the key of a task", task)] = path
    return paths


def _display_names(given: Any) -> dict[str, str]:
    labels: dict[str, str] = {}
    keys: dict[str, str] = {}
    for key, label in _mapping(_LABELS, given):
        name = _name(f"the display name of task {key!r}", label)
        if name in keys:
            raise InputError(
                f"tasks {keys[name]!r} and {key!r} have the display name {name!r}; give each task its own name"
            )
        keys[name] = key
        labels[_name("display_names: the key of a task", key)] = name
    if not labels:
        raise InputError("display_names is empty; name a task, or leave out display_names")
    return labels


def _name(what: str, given: Any) -> str:
    if not (isinstance(given, str) and given):
        raise InputError(f"{what} must be text, not {_kind(given)}; put it in quotes")
    return given


def _kind(given: Any) -> str:
    """Return the wrong value itself if it is short, else its type."""
    if given is None or given == "":
        return "nothing"
    return repr(given) if isinstance(given, str | int | float) else f"a {type(given).__name__}"


def listed_in(path: str | Path) -> Listing:
    """Return files that a YAML file lists in either layout."""
    found = _document(path)
    try:
        return _arranged(found)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _arranged(found: Any) -> Listing:
    if not isinstance(found, dict):
        raise InputError(f"the file holds no mapping; {_LAYOUTS}")
    known = (_SCORES, _RUNS, _JUDGED, _LABELS)
    for key, value in found.items():
        if key not in known:
            raise InputError(f"the key {key!r} is unknown; {nearest(key, known)}")
        if not isinstance(value, dict):
            raise InputError(f"{key}: expected a mapping; fill it, or leave out the key")
    content = found.keys() - {_LABELS}
    if content == {_SCORES}:
        return Listing.of(found[_SCORES], labels=found.get(_LABELS))
    if content == {_RUNS, _JUDGED}:
        return Listing.of(found[_RUNS], found[_JUDGED], found.get(_LABELS))
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
    except InputError:
        raise
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


def located(path: Path, listing: Listing) -> Listing:
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
    """Return possible places of a file that a YAML file names, most likely first."""
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
