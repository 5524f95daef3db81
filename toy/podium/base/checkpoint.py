"""What a value is made of, as short text: functions by their code and by all that this code can see."""

import dis
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from podium.base.errors import InputError
from podium.base.file import write

_MEND = "delete it, or name another file"


class Checkpoint:
    """A file of JSON with results so far, and what they depend on.

    Parameters
    ----------
    path
        File. One of another kind is never written over.
    what
        What the results are, in words.
    origin
        What they depend on, by name: numbers and text.
    seconds
        How often it is `due`.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rounds.checkpoint"
    >>> Checkpoint(path, "tosses", {"seed": 0}).save({"heads": 3})
    >>> Checkpoint(path, "tosses", {"seed": 0}).load()["heads"]
    3
    """

    def __init__(self, path: Path, what: str, origin: Mapping[str, int | str], seconds: float = 30.0) -> None:
        self._path = path
        self._what = what
        self._origin = dict(origin)
        self._seconds = seconds
        self._last = time.monotonic()

    def load(self) -> dict[str, Any] | None:
        """Return what was saved, or None where there is no file yet.

        Raises
        ------
        InputError
            The file cannot be read, is no checkpoint, is damaged, or was made of something else.
        """
        try:
            content = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputError(f"{self._path} cannot be read: {error.strerror}; name another file") from error
        except (ValueError, RecursionError) as error:
            raise InputError(f"{self._path} is no checkpoint, or is damaged; {_MEND}") from error
        if not isinstance(content, dict) or content.get("kind") != self._kind:
            raise InputError(f"{self._path} is no checkpoint of {self._what}; {_MEND}")
        self._check_origin(content.get("origin"))
        return content

    def _check_origin(self, origin: Any) -> None:
        made = origin if isinstance(origin, dict) else {}
        differing = [name for name in self._origin if made.get(name) != self._origin[name]]
        if differing:
            raise InputError(
                f"{self._path} is a checkpoint of another run, which differs in {', '.join(differing)}; {_MEND}"
            )

    @property
    def _kind(self) -> str:
        return f"podium checkpoint of {self._what}"

    @property
    def due(self) -> bool:
        """Whether the last time it was written is long ago."""
        return time.monotonic() - self._last >= self._seconds

    def save(self, body: Mapping[str, Any]) -> None:
        """Write into a file beside, which then takes the place of the last one: there is a whole one at any time.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        write(json.dumps({"kind": self._kind, "origin": self._origin, **body}), self._path)
        self._last = time.monotonic()

    def damaged(self, why: str) -> InputError:
        """Return the error for a file whose body cannot be what was saved."""
        return InputError(f"{self._path} is damaged: {why}; {_MEND}")


#: Told by what `repr` says of them.
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None), type(...)})

#: What Python writes into classes, which says nothing of what they do, or says it twice.
_WRITTEN = frozenset({
    "__abstractmethods__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__dataclass_fields__",
    "__dataclass_params__", "__dict__", "__doc__", "__firstlineno__", "__match_args__", "__module__", "__qualname__",
    "__slots__", "__static_attributes__", "__weakref__", "_abc_impl",
})  # fmt: skip


def digest(value: Any) -> str:
    """Return the same text for what is made of the same, in every process and run.

    Values are told by their content, arrays and objects of any class too. A function is told by its code, its
    defaults, and what its closure and the global names that it uses stand for, and so on; a class by its bases and
    members. What belongs to a library is told by its name and the version of the library. What cannot be taken apart,
    such as an open file, is told by its class alone.

    Examples
    --------
    >>> def times(factor):
    ...     return lambda x: factor * x
    >>> digest(times(2)) == digest(times(2)), digest(times(2)) == digest(times(3))
    (True, False)
    """
    return _Digests().of(value).hex()


class _Digests:
    """Digests of values, each taken apart once."""

    def __init__(self) -> None:
        # the values are kept, so that no other value gets their place in memory
        self._known: dict[int, tuple[Any, bytes]] = {}
        self._open: list[int] = []

    def of(self, value: Any) -> bytes:
        if type(value) in _PLAIN:
            return hashed([type(value).__name__.encode(), repr(value).encode()])
        if id(value) in self._known:
            return self._known[id(value)][1]
        if id(value) in self._open:  # it holds itself
            return hashed([b"again", str(self._open.index(id(value))).encode()])
        self._open.append(id(value))
        found = hashed(self._pieces(value))
        self._open.pop()
        self._known[id(value)] = value, found
        return found

    def _pieces(self, value: Any) -> Iterator[bytes]:
        yield type(value).__name__.encode()
        name = _name_in_library(value)
        if name is not None:
            yield name.encode()
        elif isinstance(value, ModuleType):
            yield value.__name__.encode()
        elif type(value) in (set, frozenset):
            yield from sorted(map(self.of, value))
        elif type(value) is np.ndarray:
            yield from self._of_array(value)
        else:
            yield from map(self.of, _parts(value))

    def _of_array(self, value: np.ndarray[Any, Any]) -> Iterator[bytes]:
        yield repr((value.dtype, value.shape)).encode()
        # of texts and objects there may be only addresses in memory
        yield self.of(value.tolist()) if value.dtype.hasobject or value.dtype.kind == "T" else value.tobytes()


def _parts(value: Any) -> Iterable[Any]:
    """What is to be told of a value."""
    if type(value) in (tuple, list):
        return cast("Iterable[Any]", value)
    if type(value) is dict:
        return chain.from_iterable(value.items())
    for kind, parts in _PARTS.items():
        if isinstance(value, kind):
            return parts(value)
    if callable(value) and hasattr(value, "__wrapped__"):  # as of functools.cache
        return type(value), value.__wrapped__
    return _parts_of_object(value)


def _parts_of_code(code: CodeType) -> tuple[Any, ...]:
    """All that it does; not the lines on which it stands."""
    counts = code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, code.co_consts, code.co_exceptiontable, counts, names


def _parts_of_function(function: FunctionType) -> Iterator[Any]:
    yield from (function.__code__, function.__defaults__, function.__kwdefaults__, vars(function))
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # it is empty as yet
            yield "empty"
    if _of_library(function.__module__):
        return
    seen = function.__globals__
    for name in sorted(_globals_in(function.__code__)):
        if name in seen:
            yield from (name, seen[name])
            if isinstance(seen[name], ModuleType) and not _of_library(seen[name].__name__):
                yield from (getattr(seen[name], used, None) for used in sorted(_names_in(function.__code__)))


def _globals_in(code: CodeType) -> set[str]:
    """Names that code, also that inside of it, looks for outside of functions."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"}}
    return found.union(*(_globals_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def _names_in(code: CodeType) -> set[str]:
    """Names of globals and of attributes."""
    return set(code.co_names).union(*(_names_in(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def _parts_of_class(kind: type) -> Iterator[Any]:
    yield kind.__bases__
    for name in sorted(set(vars(kind)) - _WRITTEN):
        yield from (name, vars(kind)[name])


def _parts_of_object(value: Any) -> Iterator[Any]:
    """Take an object apart as for pickling."""
    try:
        reduced = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001  # whatever a class of somebody's raises where it cannot be pickled
        yield from (type(value), getattr(value, "__dict__", None))
        return
    if isinstance(reduced, str):
        yield from (type(value), getattr(value, "__module__", None), reduced)
        return
    for part in reduced:
        yield list(part) if isinstance(part, Iterator) else part


#: By kind, what is to be told.
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {
    CodeType: _parts_of_code,
    FunctionType: _parts_of_function,
    type: _parts_of_class,
    property: lambda value: (value.fget, value.fset, value.fdel),
    staticmethod: lambda value: (value.__func__,),
    classmethod: lambda value: (value.__func__,),
}


def _name_in_library(value: Any) -> str | None:
    """Name by which a library has a function or class, with its version; None where it is no library's."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not (isinstance(module, str) and isinstance(name, str) and _of_library(module)):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return None
    return f"{module}.{name} {getattr(sys.modules[module.partition('.')[0]], '__version__', '')}"


def _of_library(module: str | None) -> bool:
    """Whether a module is podium's, Python's, or of a package that was installed."""
    root = (module or "").partition(".")[0]
    if root == "podium" or root in sys.stdlib_module_names:
        return True
    place = getattr(sys.modules.get(root), "__file__", None)
    return place is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(place).parts)


def hashed(pieces: Iterable[bytes]) -> bytes:
    """Digest pieces, so that it matters where one ends and the next begins.

    >>> hashed([b"ab", b"c"]) == hashed([b"a", b"bc"])
    False
    """
    total = hashlib.sha256()
    for piece in pieces:
        total.update(len(piece).to_bytes(8, "big"))
        total.update(piece)
    return total.digest()
