"""What is said below a forest plot: who is favoured on which side, in lines that fit."""

from collections.abc import Callable, Sequence

from podium.meta_analyses import MetaAnalysis

__all__ = ["favours", "wrapped"]

#: Longest label of a system that is said to be favoured, in letters.
_SHORT = 24


def favours(analysis: MetaAnalysis) -> tuple[str, str]:
    """Say what lies left and right of no effect; nothing of a correlation, or where nobody said what is compared.

    Examples
    --------
    >>> favours(MetaAnalysis("BERT", "GPT", "md", "reml", "normal", 0.95, (), None))
    ('← favours BERT', 'favours GPT →')
    """
    names = (analysis.control, analysis.treatment)
    if analysis.kind == "corr" or not any(names):
        return "", ""
    if max(map(len, names)) > _SHORT:
        names = ("control", "treatment")
    return f"← favours {names[0]}", f"favours {names[1]} →"


def wrapped(parts: Sequence[str], fits: Callable[[str], bool], joint: str = ", ") -> list[str]:
    """Put parts on as few lines as they need, in their order; one that does not fit by itself has a line of its own.

    >>> wrapped(["one", "two", "three"], lambda line: len(line) <= 10)
    ['one, two,', 'three']
    """
    lines: list[str] = []
    for part in parts:
        if lines and fits(f"{lines[-1]}{joint}{part}"):
            lines[-1] += joint + part
        else:
            if lines:
                lines[-1] += joint.rstrip()
            lines.append(part)
    return lines
