"""How many systems there are."""
from dataclasses import dataclass
from typing import Any, ClassVar
from podium.report.result import Result

@dataclass(frozen=True, slots=True, eq=False)
class Count(Result):
    """A count."""
    schema: ClassVar[str] = "count"
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    def rows(self) -> list[dict[str, Any]]:
        return [{"name": name} for name in self.names]
    def content(self) -> dict[str, Any]:
        return {"rows": self.rows()}
