"""What is said below a forest plot: who is favoured on which side."""

from podium.meta_analyses import MetaAnalysis

__all__ = ["favours"]

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
