"""Ways into podium: files, data frames, dictionaries and arrays; what is rarer is in files of its own."""

from podium.sources.arrays import from_arrays
from podium.sources.frames import from_frame
from podium.sources.mappings import from_dict
from podium.sources.reading import read

__all__ = ["from_arrays", "from_dict", "from_frame", "read"]
