"""What to know before trusting a plan."""

from podium.ranking.result import Ranking


def notes_of(ranking: Ranking, units: str, *, clustered: bool, listed: int, missing: int) -> list[str]:
    """Say what a plan assumes, where its numbers are rough, and how many of the missing scores it lists."""
    notes = [
        "a difference that was found by chance needs more data than the plan says",
    ]
    if clustered:
        notes.append(
            "there must be so many more clusters, as large as those there are; more instances in each help less"
        )
    if units == "instances" and ranking.intervals is not None and ranking.level in {"task", "two"}:
        notes.append(
            f"{ranking.level}-level scores move in steps of a whole task, so the numbers of instances are rough; "
            "level 'balanced' gives finer ones"
        )
    if listed < missing:
        notes.append(f"{missing:,} scores are missing; the {listed:,} that would narrow the ranking most are listed")
    notes.append(
        "comparisons needed: another question, whether one of the two wins most of what scores both (Hoeffding)"
    )
    return notes
