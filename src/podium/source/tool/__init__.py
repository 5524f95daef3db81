"""Results as other tools write them, one file for each family of tools, and the tools whose files are recognised."""

from podium.source.tool import (
    agents,
    alpaca_eval,
    application,
    battles,
    every_eval_ever,
    helm,
    hugging_face,
    inspect_ai,
    leaderboard,
    lighteval,
    lm_eval,
    mteb,
    open_compass,
    openai,
    retrieval,
    timing,
)
from podium.source.tool.run import Tool

#: Every tool whose files are recognised by what they hold.
TOOLS: tuple[Tool, ...] = (
    *lm_eval.TOOLS,
    *inspect_ai.TOOLS,
    *helm.TOOLS,
    *lighteval.TOOLS,
    *open_compass.TOOLS,
    *mteb.TOOLS,
    *every_eval_ever.TOOLS,
    *hugging_face.TOOLS,
    *application.TOOLS,
    *openai.TOOLS,
    *agents.TOOLS,
    *leaderboard.TOOLS,
    *timing.TOOLS,
    *retrieval.TOOLS,
    *battles.TOOLS,
    *alpaca_eval.TOOLS,
)
