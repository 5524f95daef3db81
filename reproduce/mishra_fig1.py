"""Mishra & Arunkumar 2021, Fig. 1 and 4: a diagram, and what participants reported."""

from outcome import Absent, Numbers, Picture, Section, judged

__all__ = ["section"]


def section() -> Section:
    """Nothing can be run."""
    return Section(
        "Mishra & Arunkumar, Figures 1 and 4: applications, and a user study",
        "Figure 1 is a diagram of which metric suits which application. Figure 4 shows by how much 32 experts say that "
        "the authors' tool shortened their work.",
        [
            judged("applications and metrics", Picture("a diagram"), "–"),
            judged(
                "less development and testing, on average",
                Numbers.read("40.791%"),
                Absent(["user_study", "feedback", "survey"], "the answers of the participants were not released"),
                note="there was no second group without the tool",
            ),
        ],
    )
