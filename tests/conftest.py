from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("podium", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("podium")


@pytest.fixture(scope="session")
def shared() -> Path:
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("the shared data are not beside the project")
    return folder
