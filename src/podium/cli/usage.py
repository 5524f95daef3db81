"""Wrong usage: a command that cannot be understood, whatever the files hold."""

from typing import Any

import typer

__all__ = ["UsageError"]

# Typer gives the common base of its usage errors no public name of its own.
UsageError: Any = typer.BadParameter.mro()[1]
