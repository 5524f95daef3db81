"""Which tool wrote what is read, and what it says of its runs, for who keeps or compares scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from podium.source.tool.run import Run


@dataclass(slots=True)
class Noted:
    """What readers of tools have noted.

    Attributes
    ----------
    tools
        Names of the tools.
    runs
        By system and task, the runs whose scores count.
    """

    tools: list[str] = field(default_factory=list)
    runs: "dict[tuple[str, str], Sequence[Run]]" = field(default_factory=dict)

    @property
    def tool(self) -> str:
        """The names of the tools."""
        return ", ".join(dict.fromkeys(self.tools))

    @property
    def time(self) -> str:
        """When the newest run was made; empty where no tool says it."""
        return max((run.made for runs in self.runs.values() for run in runs), default="")


_NOTED: ContextVar[Noted | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[Noted]:
    """Yield what is noted in a block.

    >>> with noting() as noted:
    ...     note_origin(["mteb"], {})
    >>> noted.tool, noted.time
    ('mteb', '')
    """
    noted = Noted()
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note_origin(tools: Iterable[str], runs: "Mapping[tuple[str, str], Sequence[Run]]") -> None:
    """Note which tools wrote what is read, and their runs, where anybody wants to know."""
    noted = _NOTED.get()
    if noted is not None:
        noted.tools += tools
        noted.runs |= runs
