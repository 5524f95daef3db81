"""Every public name with what it takes and gives, as text that does not tell in which file a thing is defined."""

import dataclasses
import importlib
import inspect
import pkgutil
import re
import sys
import types
import typing
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import podium

__all__ = ["FROZEN", "MODULES", "listed"]

#: Where the list is kept.
FROZEN = Path(__file__).parent / "public_names.txt"

#: Modules whose names are public.
MODULES = (
    "podium",
    "podium.agreement",
    "podium.boards",
    "podium.datasets",
    "podium.errors",
    "podium.plots",
    "podium.simulate",
    "podium.stresses",
)

#: Public for whoever extends podium; the classes of its parts are not.
_CLOSED = frozenset({"Customizer"})

_UNIONS = (typing.Union, types.UnionType)


def listed() -> str:
    """List the names of all public modules, then their classes, and those that attributes of these are of."""
    modules = [importlib.import_module(name) for name in MODULES]
    blocks = ["\n".join([f"{module.__name__}:", *_lines(module)]) for module in modules]
    waiting = [value for module in modules for name in module.__all__ if inspect.isclass(value := _value(module, name))]
    known, texts = _every_class(), dict[type, str]()
    while waiting:
        found = waiting.pop()
        if found not in texts:
            attributes = _attributes(found)
            texts[found] = _class_text(found, attributes)
            if found.__name__ not in _CLOSED:
                waiting += _named(" ".join(attributes.values()), found, known)
    return "\n\n".join([*blocks, *sorted(texts.values())]) + "\n"


def _value(module: ModuleType, name: str) -> Any:
    """Value of a name, which may be loaded when it is asked for."""
    return getattr(module, name)


def _lines(module: ModuleType) -> Iterator[str]:
    for name in sorted(module.__all__):
        value = _value(module, name)
        if inspect.ismodule(value):
            yield f"  {name}: module"
        elif inspect.isclass(value):
            yield f"  {name}: class"
        elif inspect.isfunction(value):
            yield f"  {name}{_signature(value)}"
        else:
            yield f"  {name} = {_annotation(value)}"


def _every_class() -> dict[str, list[type]]:
    """Classes defined anywhere in podium, by name."""
    found: dict[str, list[type]] = {}
    for info in pkgutil.walk_packages(podium.__path__, "podium."):
        if not info.name.startswith(("podium.cli", "podium.tally.compiled")):
            for name, value in vars(importlib.import_module(info.name)).items():
                if inspect.isclass(value) and value.__module__ == info.name:
                    found.setdefault(name, []).append(value)
    return found


def _named(text: str, by: type, known: dict[str, list[type]]) -> list[type]:
    """Classes that annotations of a class name: of several of one name, the one that its module knows."""
    words = sorted(set(re.findall(r"\b[A-Z]\w+\b", text)) & known.keys())
    beside = vars(sys.modules[by.__module__])
    return [known[word][0] if len(known[word]) == 1 else beside[word] for word in words]


def _attributes(found: type) -> dict[str, str]:
    """Annotations of fields and properties, by name."""
    texts = {}
    if dataclasses.is_dataclass(found):
        texts = {field.name: _annotation(field.type) for field in dataclasses.fields(found)}
    for name in dir(found):
        member = inspect.getattr_static(found, name)
        getter = member.func if isinstance(member, cached_property) else getattr(member, "fget", None)
        if getter is not None:
            texts[name] = _annotation(inspect.signature(getter).return_annotation)
    return {name: text for name, text in texts.items() if not name.startswith("_")}


def _class_text(found: type, attributes: dict[str, str]) -> str:
    bases = ", ".join(base.__name__ for base in found.__bases__ if base is not object and base.__name__[0] != "_")
    members = {name: f": {text}" for name, text in attributes.items()}
    for name in dir(found):
        if not (name.startswith("_") or name in members or hasattr(BaseException, name)):
            member = inspect.getattr_static(found, name)
            bound = isinstance(member, classmethod | staticmethod)
            mark = f" [{type(member).__name__}]" if bound else ""
            function = member.__func__ if bound else member
            members[name] = (_signature(function) if inspect.isfunction(function) else "") + mark
    made = [] if issubclass(found, BaseException) else [f"  {_signature(found)}"]
    head = f"class {found.__name__}({bases}):" if bases else f"class {found.__name__}:"
    return "\n".join([head, *made, *(f"  {name}{text}" for name, text in sorted(members.items()))])


def _signature(value: Any) -> str:
    """Write a signature without the places of what it names."""
    parts: list[str] = []
    signature = inspect.signature(inspect.unwrap(value))  # without what every function takes that reads
    star = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or parameter.kind in {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL}
        mark = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(parameter.kind.name, "")
        noted = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
        given = "" if parameter.default is parameter.empty else f" = {_bare(repr(parameter.default))}"
        parts.append(f"{mark}{parameter.name}{noted}{given}")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            parts.append("/")
    gives = signature.return_annotation
    return f"({', '.join(parts)})" + ("" if gives is signature.empty else f" -> {_annotation(gives)}")


def _annotation(value: Any) -> str:  # noqa: PLR0911  # one for each kind
    """Write an annotation, the same in all versions of Python and NumPy."""
    if isinstance(value, str | typing.ForwardRef):
        return _bare(value if isinstance(value, str) else value.__forward_arg__)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_annotation, value))}]"
    origin, given = typing.get_origin(value), typing.get_args(value)
    if origin is np.ndarray:
        return f"NDArray[{_annotation(typing.get_args(given[1])[0])}]"
    if origin in _UNIONS:
        like = typing.get_args(ArrayLike)
        rest = [one for one in given if one not in like] if set(like) <= set(given) else list(given)
        return " | ".join([*(["ArrayLike"] if len(rest) < len(given) else []), *map(_annotation, rest)])
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, given))}]"
    if origin is not None:
        return f"{_bare(getattr(value, '__name__', None) or origin.__name__)}[{', '.join(map(_annotation, given))}]"
    if value is type(None) or value is ...:
        return "None" if value is not ... else "..."
    return _bare(getattr(value, "__name__", None) or repr(value))


def _bare(text: str) -> str:
    """Leave out modules before names, and places in memory."""
    return re.sub(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])", "", re.sub(r" at 0x[0-9a-f]+", "", text))
