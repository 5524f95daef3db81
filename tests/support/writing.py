"""Names of systems in many writings."""

__all__ = ["NAMES", "NOWHERE"]

#: In no font: a private use of Unicode.
NOWHERE = "\U0010fffd"

#: Chinese, Japanese, Korean, Arabic, Hebrew, Devanagari, Thai, Greek, an emoji of several, and a letter of no font.
NAMES = (
    "通义千问 模型",
    "日本語モデル",
    "한국어 모델",
    "نموذج عربي",
    "דגם",
    "हिन्दी मॉडल",
    "โมเดล",
    "Ωμέγα",
    "🏆👩‍🔬",
    f"x{NOWHERE}",
)
