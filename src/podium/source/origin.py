"""Which tool wrote what is read, and when its runs were made, for who keeps scores."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass(slots=True)
class Noted:
    """What readers of tools have noted.

    Attributes
    ----------
    tools
        Names of the tools.
    times
        When the runs were made, as the tools say it.
    """

    tools: list[str] = field(default_factory=list)
    times: list[str] = field(default_factory=list)

    @property
    def tool(self) -> str:
        """The names of the tools."""
        return ", ".join(dict.fromkeys(self.tools))

    @property
    def time(self) -> str:
        """When the newest run was made; empty where no tool says it."""
        return max(self.times, default="")


_NOTED: ContextVar[Noted | None] = ContextVar("noted", default=None)


@contextmanager
def noting() -> Iterator[Noted]:
    """Yield what is noted in a block.

    >>> with noting() as noted:
    ...     note_origin(["mteb"], ["2026-10-01", "2026-09-01", ""])
    >>> noted.tool, noted.time
    ('mteb', '2026-10-01')
    """
    noted = Noted()
    token = _NOTED.set(noted)
    try:
        yield noted
    finally:
        _NOTED.reset(token)


def note_origin(tools: Iterable[str], times: Iterable[str]) -> None:
    """Note which tools wrote what is read, and when runs were made, where anybody wants to know."""
    noted = _NOTED.get()
    if noted is not None:
        noted.tools += tools
        noted.times += filter(None, times)
