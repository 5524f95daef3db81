"""What a table of the page is made of."""

from dataclasses import dataclass

from trials import Trial

__all__ = ["Row", "Section"]


@dataclass(frozen=True)
class Row:
    """Trials that are averaged, and how many worlds each is made of."""

    label: str
    trials: tuple[Trial, ...]
    worlds: int = 400


@dataclass(frozen=True)
class Section:
    """A table: heading, what to know, the verdicts it shows, and those of them that podium makes no promise about."""

    heading: str
    text: str
    verdicts: tuple[str, ...]
    rows: tuple[Row, ...]
    unpromised: tuple[str, ...] = ()
