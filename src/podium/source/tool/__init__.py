"""Results as other tools write them: a file for each family of tools, which ends with its `TOOLS`; begin there."""

from itertools import chain
from types import ModuleType

from podium.source.tool import (
    agents,
    application,
    battles,
    helm,
    inspect_ai,
    leaderboard,
    lighteval_opencompass,
    lm_eval,
    mteb,
    records,
    retrieval,
    timing,
)
from podium.source.tool.run import Tool

_FAMILIES: tuple[ModuleType, ...] = (lm_eval, inspect_ai, helm, lighteval_opencompass, mteb, records, application)
_FAMILIES += (agents, leaderboard, timing, retrieval, battles)

#: Every tool whose files are recognised by what they hold.
TOOLS: tuple[Tool, ...] = tuple(chain.from_iterable(family.TOOLS for family in _FAMILIES))
