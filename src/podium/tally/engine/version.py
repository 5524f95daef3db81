"""What must be the same wherever a table is counted, so that numbers are."""

from functools import cache
from pkgutil import resolve_name

#: What it is called, and where its version stands.
SAME = {
    "Python": "sys:implementation.cache_tag",
    "podium": "podium:__version__",
    "NumPy": "numpy:__version__",
    "Numba": "numba:__version__",
}


def version_of(where: str) -> str:
    """Return a version on this machine; empty where it is not installed.

    >>> version_of("podium:__nothing__"), version_of("sys:implementation.name")
    ('', 'cpython')
    """
    try:
        return str(resolve_name(where))
    except (ImportError, AttributeError):
        return ""


@cache
def versions() -> dict[str, str]:
    """Return all of them, by name; Numba is looked up without being loaded, which takes a second."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # only where tallies are kept

    found = {name: version_of(where) for name, where in SAME.items() if name != "Numba"}
    try:
        found["Numba"] = version("numba")
    except PackageNotFoundError:
        found["Numba"] = ""
    return found


def named_version(name: str, version: str) -> str:
    """Name a version in a sentence.

    >>> named_version("NumPy", "2.1"), named_version("Numba", "")
    ('NumPy 2.1', 'no Numba')
    """
    return f"{name} {version}" if version else f"no {name}"
