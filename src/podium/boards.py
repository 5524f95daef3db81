"""What boards hold, and what is done with them."""

__all__: list[str] = []
