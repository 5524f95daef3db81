"""What would change the winner: stresses and single tasks and instances, with a verdict in words; frozen."""

from dataclasses import dataclass
from typing import Any, ClassVar

from podium.report.result import Result
from podium.robustness.influence.result import Influence
from podium.robustness.study.result import Study
from podium.robustness.study.steady import rows_of


@dataclass(frozen=True, slots=True, eq=False)
class Robustness(Result):
    """How robust the first place of a table is.

    Attributes
    ----------
    study
        Methods under the usual stresses; the first method is the one whose winner the verdict is about.
    influence
        What the first place by that method depends on; None where it was not asked for.
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

    schema: ClassVar[str] = "robustness"
    part_schemas: ClassVar[tuple[str, ...]] = (Study.schema, Influence.schema)

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

    @property
    def backend(self) -> str:  # type: ignore[override]  # that of the study
        """Library of the frames that `to_frame` returns by default."""
        return self.study.backend

    def about(self) -> dict[str, Any]:
        """Return everything but the rows of the study."""
        return {**self.to_dict(), "study": self.study.about()}

    def parts(self) -> tuple[Result, ...]:
        """Return the study, and the influence where there is one."""
        return (self.study, *([] if self.influence is None else [self.influence]))

    def beyond_rows(self) -> str:
        """Say what is not among the rows."""
        return (
            "these rows are the stresses only; -f json and -f table also have what is left out"
            if self.influence
            else ""
        )

    def content(self) -> dict[str, Any]:
        """Return what files hold between "kind" and "notes"."""
        return {
            "verdict": list(self.verdict),
            "study": self.study.to_dict(),
            "influence": None if self.influence is None else self.influence.to_dict(),
            "steadiness": rows_of(self.study),
        }
