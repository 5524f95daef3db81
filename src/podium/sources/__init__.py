"""Ways into podium: files, data frames, dictionaries and arrays."""

from podium.sources.arrays import from_arrays
from podium.sources.effects import GivenEffects, read_effects
from podium.sources.frames import from_frame
from podium.sources.locations import read_locations
from podium.sources.mappings import from_dict
from podium.sources.reading import read
from podium.sources.trec import read_trec

__all__ = [
    "GivenEffects",
    "from_arrays",
    "from_dict",
    "from_frame",
    "read",
    "read_effects",
    "read_locations",
    "read_trec",
]
