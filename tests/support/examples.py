"""How many examples Hypothesis tries where they cost more than usual, or where more are needed."""

from hypothesis import settings

__all__ = ["examples"]


def examples(times: float) -> settings:
    """So many times what the profile says (`HYPOTHESIS_PROFILE`, in `conftest.py`), at least 5."""
    return settings(max_examples=max(5, round(times * settings().max_examples)))
