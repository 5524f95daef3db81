"""Verdicts of trials on disk, so that a run of hours that is cut off goes on where it was."""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from trials import Verdict

__all__ = ["Kept"]

_ROOT = Path(__file__).parents[1]

#: Files here that decide no verdict.
_BESIDE = frozenset({"validate.py", "document.py", "kept.py", "chromium.py", "serving.py", "fault_engine.py"})


class Kept:
    """Verdicts by section, row, trial and number of worlds, one line each; those of other sources are not used.

    Parameters
    ----------
    path
        The file; None to keep nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._sources = _digest()
        self._found: dict[tuple[int, ...], list[Verdict]] = {}
        if path is not None and path.exists():
            for line in path.read_text("utf-8").splitlines():
                one = json.loads(line)
                if one["sources"] == self._sources:
                    self._found[tuple(one["key"])] = [Verdict(*values) for values in one["verdicts"]]

    def find(self, key: Sequence[int]) -> list[Verdict] | None:
        """Verdicts that are there already; None if there are none."""
        return self._found.get(tuple(key))

    def add(self, key: Sequence[int], verdicts: list[Verdict]) -> None:
        """Keep some more, if they are not there."""
        if self._path is None or tuple(key) in self._found:
            return
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"sources": self._sources, "key": list(key), "verdicts": verdicts}) + "\n")


def _digest() -> str:
    """Of all that decides a verdict."""
    own = [path for path in (_ROOT / "validation").glob("*.py") if path.name not in _BESIDE]
    paths = sorted([*own, *(_ROOT / "src").rglob("*.py")])
    whole = hashlib.sha256()
    for path in paths:
        whole.update(str(path.relative_to(_ROOT)).encode() + path.read_bytes())
    return whole.hexdigest()
