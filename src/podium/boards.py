"""What boards hold, whether they are whole, and what is done about it; `podium.add` adds to them."""

from podium.board.repair import repair
from podium.board.upkeep import check, compact, info, log

__all__ = ["check", "compact", "info", "log", "repair"]
