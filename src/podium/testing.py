"""A fixture for tests of pytest that fail if a new run is worse than a baseline; pytest loads it with podium."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from podium.gating.api import Unsure
    from podium.gating.result import Gate
    from podium.source.memory import ScoresLike


@pytest.fixture(scope="session")
def no_regression() -> "Callable[..., Gate]":
    """Fail the test unless the new run passes: `no_regression(before, after, margin=0.01)` as `podium.gate`.

    If the scores cannot tell, it fails, too, unless `unsure="pass"`. It returns the gate if that passes.
    """
    return _no_regression


def _no_regression(
    before: "ScoresLike",
    after: "ScoresLike",
    *,
    margin: float | str | Mapping[str, float | str],
    unsure: "Unsure" = "fail",
    **options: Any,
) -> "Gate":
    from podium.gating.api import gate  # noqa: PLC0415  # tests that do not ask pay nothing

    found = gate(before, after, margin=margin, unsure=unsure, **options)
    if found.exit_code:
        pytest.fail(str(found.render()), pytrace=False)
    return found
