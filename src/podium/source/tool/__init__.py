"""Results as other tools write them, one file for each family of tools, and the tools whose files are recognised."""

from podium.source.tool import (
    agents,
    alpaca_eval,
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

#: Every tool whose files are recognised by what they hold.
TOOLS: tuple[Tool, ...] = (
    *lm_eval.TOOLS,
    *inspect_ai.TOOLS,
    *helm.TOOLS,
    *lighteval_opencompass.TOOLS,
    *mteb.TOOLS,
    *records.TOOLS,
    *application.TOOLS,
    *agents.TOOLS,
    *leaderboard.TOOLS,
    *timing.TOOLS,
    *retrieval.TOOLS,
    *battles.TOOLS,
    *alpaca_eval.TOOLS,
)
