"""What would change the winner: stresses and single tasks and instances, with a verdict in words; frozen."""

import html
from dataclasses import dataclass
from typing import Any

from podium.base.frozen import Frozen
from podium.robustness.influence.result import Influence
from podium.robustness.study.result import Study

#: Raised when the meaning or the name of a field of `Robustness.to_dict` changes.
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class Robustness(Frozen):
    """How robust the first place of a table is.

    Attributes
    ----------
    study
        Methods under the usual stresses; the first method is the one whose winner the verdict is about.
    influence
        What the first place by that method rests on; None where it was not asked for.
    verdict
        The answer in plain words, a sentence each, most important first.
    notes
        What to know before trusting it.

    Examples
    --------
    >>> import podium
    >>> robust = podium.stress(podium.datasets.toy_table1(), ["mean"], only=["scale"], repeats=10, jobs=1)
    >>> robust.verdict[0]
    'A is first by mean'
    """

    study: Study
    influence: Influence | None
    verdict: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """What was stressed, in words."""
        return f"what would change the first place: {self.study.title}"

    def __repr__(self) -> str:
        return "\n".join([f"Robustness({self.title})", *(f"  {sentence}" for sentence in self.verdict)])

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of the study, see `Study.rows`."""
        return self.study.rows()

    def _repr_html_(self) -> str:
        """Verdict for notebooks, as a list."""
        said = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in self.verdict)
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return f"<p>{html.escape(self.title)}</p><ul>{said}</ul>" + (f"<p>notes</p><ul>{notes}</ul>" if notes else "")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows of the study, see `Study.to_frame`."""
        return self.study.to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it, with the version of this layout under "schema_version"."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": "robustness",
            "verdict": list(self.verdict),
            "study": self.study.to_dict(),
            "influence": None if self.influence is None else self.influence.to_dict(),
            "notes": list(self.notes),
        }
