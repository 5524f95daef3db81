import pytest

from podium.datasets import load, names
from podium.errors import LabelError


def test_every_name_loads() -> None:
    assert [len(load(name).systems) for name in names()] == [8, 3, 10]
    with pytest.raises(LabelError, match="did you mean 'xtreme-missing'"):
        load("xtreme_missing")
