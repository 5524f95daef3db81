"""What boards hold, whether they can be read, and how to write them as fewer files; `podium.add` adds to them."""

from podium.board.api import check, compact, info, log

__all__ = ["check", "compact", "info", "log"]
