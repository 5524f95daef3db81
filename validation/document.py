"""The results: a CSV for each section, and a page of verdicts that is written from them."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, sqrt
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from studies import SECTIONS, WANTED, Section
from trials import Verdict

__all__ = ["page", "read", "write"]

Floats = NDArray[np.float64]
#: A line of a section's CSV.
Line = dict[str, str | Any]

COLUMNS = ("row", "worlds", "statement", "percent", "error", "promised", "result")
KEPT = ("as wanted", "just outside", "outside")

HEAD = """# Do the intervals keep their promise?

Nearly always. podium was run on simulated tables whose true ranks, scores and effects are known, and each statement at
95% confidence was compared with the truth. Rank intervals and tiers are safe: they hold more often than 95%. Intervals
fail if a table hides something: copies, averages, or labels that differ for the same instance. They also fail if most
scores are missing and count as `imputed`, and a little if scores are very skewed.

`make validation` writes this page and its tables. All simulations are seeded, so every run gives the same numbers.
"""

READING = """## How to read this

A number is the percentage of statements that are true, with one standard error. The wanted range follows in brackets:
(93–97) means 93 to 97%. A number is *outside* if it misses the range by more than two standard errors, and *just
outside* if it misses by less; the worst is *furthest*. If the truth lies exactly at a limit, chance alone puts one
number in forty outside.

N is the number of systems, T of tasks, K of instances, k of effects. By default, system i scores φ i + Gumbel
noise, so it beats system j with probability 1 / (1 + exp(−φ (i − j))).

- [What each table simulates](validation/sections.csv).
- [Every promised number that is outside](validation/outside.csv).
- [How often each kind of statement holds](validation/summary.csv).
"""

#: Heading, verdict and the sections behind it.
TOPICS = (
    (
        "Ranks, tiers and the winner",
        """Rank intervals hold nearly always. Equal systems seldom fall into different tiers: with at most 50 tasks or
        instances a pair is separated only if an exact test separates it too. If all systems are equal, the set of
        possible winners misses one in up to 7% of small tables. If you draw both tasks and instances, intervals
        are too wide; draw tasks alone for exact ones. The corrected score of the winner is too low about as often
        as too high.""",
        (
            *("Instances are drawn", "Tasks are drawn", "Tasks with instances are drawn", "Bradley–Terry"),
            *("All systems are equal", "Systems are equal in groups", "Tiers of two groups", "The best three"),
            *("Released tables with their names shuffled", "The winner was lucky", "Frontiers of score and cost"),
            *(
                "Families of systems",
                "Judges beside people",
                "Slices",
                "Two tables order systems",
                "What noise lets one expect",
            ),
            *("Items are chosen", "A judge and few labels", "Prompts are drawn", "Gates by several prompts"),
        ),
    ),
    (
        "Skewed scores, and scores that jump",
        """Intervals of means are corrected for skewness, and still hold a little less often than 95% if tails are
        very long. Means of scores of 0 and 1 take few values, so most of their intervals hold more often. The
        bootstrap of a median or interquartile mean jumps between few values, so intervals of differences are wider
        than needed. Two-level Borda jumps too: its ranks and tiers hold, but its score intervals are for this
        number of instances only. If averages are further tasks of the table, podium separates equal systems in 23
        to 50% of tables.""",
        (
            *("Steps: two-level Borda", "Kinks: median and interquartile mean over tasks that are all alike"),
            *("Scores are skewed", "Weights, scales and few instances", "Odd tables of equal systems"),
        ),
    ),
    (
        "Missing scores",
        """`missing="imputed"` pulls systems that were run on little to the middle, and its score intervals are for
        the incomplete table. If the best system lacks 60% of its scores, `imputed` never finds it among the best;
        the model (`missing="model"`) always does. The model predicts hidden orders much better if systems differ
        in how much they were run, and as well otherwise. If weak systems lack most of 20 tasks, the model's score
        intervals hold in 80%; its rank intervals hold. If equal systems were run on unequal tasks, those with
        harder tasks have lower means.""",
        (
            *("Missing scores pull Borda towards ½", "Missing scores count by a model", "Whole tasks were not run"),
            *("Some systems lack most scores", "Metrics of the same documents, some of which they lack"),
            *(
                f"Hidden scores are predicted: {what}"
                for what in ("orders", "Kendall's tau", "log-loss", "calibration")
            ),
        ),
    ),
    (
        "What belongs together, and what a table does not tell",
        """If you name clusters, repeats and families of tasks, each counts as one, and intervals hold. podium cannot
        know what a table hides: labels that differ for the same instance, copies under other names, clusters that
        are labelled too finely. Then podium separates equal systems: in 35 to 43% of tables, if six metrics of the
        same documents have different labels. Give the same instance the same label, or name its cluster or family.
        Nor does a table show failures that did not happen: if systems fail on 2% of instances, one in eight fails
        on none of 100, and looks better than it is.""",
        (
            *("Instances come in clusters, or are repeated", "The same instances are run again"),
            "Two runs of one system",
            *("Tasks with one instance, or one cluster", "Columns that belong together", "What a table does not tell"),
        ),
    ),
    (
        "Pairs, battles and plans",
        """Hoeffding intervals of pairs always hold, and are wide. With up to 50 instances or tasks, exact tests miss
        at most 3% of the pairs that a sign-flip test separates. On few right or wrong answers they find fewer
        differences than Holm's tests, which are wrong there in 8% of tables. Plans for few instances or tasks are
        on the safe side: the planned number separates the pair in 85 to 96% rather than 80%. If answers differ in
        length and long ones win, intervals of adjusted strengths, of means and of what length is worth hold, also with
        judges who have tastes, from seven on.""",
        (
            *("Hoeffding intervals of pairs", "Pairs told apart, against Holm"),
            *("Pairs told apart, against Holm, few instances", "Pairs told apart, against flips of whole units"),
            *("Battles of two systems", "Style is adjusted for", "As many instances as planned"),
            *("Scores are run as allocated", "Equal systems are run as allocated"),
        ),
    ),
    (
        "Effects: how much better B is than A",
        """The default interval of the pooled effect holds in at least 93% of every simulation. If few precise tasks
        carry the weight, plain Knapp–Hartung intervals are far too narrow, normal ones more so, and a factor of at
        least 1 (`adhoc`) does not mend this. The default counts how many tasks carry the weight, so it is longer.
        It can still fail if the middle variance of tasks is more than 50 (k − 1) or 1,000 times the least; a note
        then says so. Prediction intervals for a new task hold; if they took the variance between tasks (τ²) as
        known, as metafor does, they would hold in 82 to 94%. If failures are rare, a task with few of them looks
        too precise, so podium counts all tasks alike and says so. Tasks that share items or languages are pooled
        by the covariance of their effects, and intervals hold. With one score per task, tests of ranks are exact;
        the Bayesian signed-rank test is too sure on few tasks, and Friedman's test finds differences a little too
        often if many scores tie.""",
        (
            *("Effects are pooled", "Effects are pooled, in other ways", "Effects are measured and pooled"),
            *("Tasks depend on each other", "Many systems are pooled against one", "Moderators that are noise"),
            *("Failures are rare", "Two systems with one score per task", "Many systems with one score per task"),
        ),
    ),
    (
        "Difficulty",
        """Intervals of leaderboards that are weighted by difficulty hold. Ten systems measure difficulties to about ±
        0.5, if these have a standard deviation of 1; the correlation with the truth is about 0.86 with 10 systems
        and 0.96 with 50. If item response ranks two equal systems, it separates them a little too often, in 7% of
        tables. Ten systems find few wrong labels, fifty nearly all.""",
        (
            *("Difficulties are fitted", "Leaderboards are weighted by difficulty"),
            *("Systems are ranked by item response", "Wrong labels are suspected"),
        ),
    ),
    (
        "Stress, histories and two runs",
        """Verdicts under stress hold. If no system gained anything, a history gives one a star for overtaking another
        in at most about 5% of cases. A run that is worse by the margin passes the gate in at most 5% of cases, and
        a run that is as good fails in at most 5%.""",
        (
            *("Stresses", "Histories in which nothing was gained", "Histories in which the last system became better"),
            *("Two runs are compared on their suite", "Differences of two runs are found"),
            *("The smallest difference that is found", "As many items as planned"),
            *("A run is watched: 2,000 looks", "A run is watched: tables"),
        ),
    ),
)

TITLES = {
    "score": "score intervals (93–97)",
    "difference": "differences of two (93–97)",
    "coefficient": "coefficients of style (93–97)",
    "rank": "rank intervals, each (≥ 95)",
    "joint": "rank intervals, all at once (≥ 95)",
    "parted": "equal systems in different tiers (≤ 5)",
    "mistaken": "equal systems separated (≤ 5)",
    "best": "the best in its set (≥ 95)",
    "three": "the best three in their set (≥ 95)",
    "apart": "unequal pairs separated",
    "own": "rank intervals against equals (≥ 95)",
    "stated": "have intervals",
    "flips": "by flips",
    "enough": "separated, less 97% of what flips separate (≥ 0)",
    "fewer": "fewer than Holm (0)",
    "stepwise": "by Holm",
    "pair": "each pair (≥ 95)",
    "pairs": "all pairs at once (≥ 95)",
    "below": "corrected score of the winner too low (45–55)",
    "winner": "its interval (93–100)",
    "naive": "plain score too low",
    "corrected": "corrected at all",
    "planned": "separated as planned (79–81)",
    "summary": "pooled effects (≥ 93)",
    "prediction": "effects on a new task (≥ 93)",
    "tau2": "variance between tasks (93–98)",
    "alike": "tasks count as equally precise",
    "alone": "as independent",
    "modelled": "by covariance",
    "related": "related tasks, as podium does (≥ 93)",
    "normal": "normal",
    "hartung": "knapp-hartung",
    "adhoc": "adhoc",
    "mandel": "adhoc, `pm`",
    "robust": "CR2",
    "bootstrap": "bootstrap",
    "unweighted": "Student, unweighted",
    "length": "length, of adhoc’s",
    "noise": "moderators of noise (≤ 7)",
    "noise_adhoc": "`adhoc`",
    "noise_plain": "`knapp-hartung`",
    "noise_normal": "`normal`",
    "sign": "sign test (≤ 5)",
    "signed": "Wilcoxon (≤ 5)",
    "student": "t intervals (≥ 93)",
    "surely": "Bayesian chance > 95%",
    "holm": "any Holm p (≤ 5)",
    "friedman": "Friedman, F (≤ 6)",
    "nemenyi": "Nemenyi (≤ 5)",
    "difficulty": "correlation of difficulties × 100 (≥ 95)",
    "order": "of their ranks",
    "precision": "suspects that are wrong labels (≥ 90)",
    "recall": "wrong labels that are suspects",
    "accused": "right labels that are suspects",
    "surprised": "right labels with a misfit (≤ 6)",
    "plain": "of ranks of mean scores",
    "imputed": "Borda, `imputed`",
    "direct": "share won on own tasks",
    "average": "mean",
    "model": "Borda, `model`",
    "share": "shares kept under stress (≥ 95)",
    "verdict": "all shares of a verdict (≥ 95)",
    "steadier": "equal methods called steadier (≤ 5)",
    "suite": "intervals on the suite (≥ 93)",
    "shipped": "worse by the margin, and passes (≤ 5)",
    "blocked": "as good, and fails (≤ 5)",
    "found": "found",
    "usual": "by the usual test",
    "power": "found, less 97% of what the usual test finds (≥ 0)",
    "smallest": "found (77–83)",
    "erred": "wrong at any look (≤ 5)",
    "decided": "decided",
    "spent": "items seen by then",
    "invented": "overtook by more than noise, and gained nothing (≤ 5)",
    "noticed": "the gain is noticed",
    "frontier": "any false claim (≤ 5)",
    "beside_people": "intervals of κ (≥ 92)",
    "after_errors": "of the corrected rate (≥ 92)",
    "favour": "false claims of a kind (≤ 5)",
    "calibrated": "of the error of calibration (≥ 93)",
    "sliced": "a difference that is none (≤ 5)",
    "shrunk": "intervals of shrunk departures (≥ 93)",
    "as_repeats": "scores, prompts as repeats",
    "as_tasks": "scores, prompts as tasks",
    "tau": "intervals of tau-b (≥ 93)",
    "related_orders": "unrelated, and called alike (≤ 6)",
    "expected": "expected tau-b too high, × 100 (−5 to 5)",
    "families": "called better, and is not (≤ 5)",
    "foretold": "full scores of new systems (93–97)",
    "in_part": "the same, without a third of the answers (93–97)",
    "lucky": "called better than random (≤ 5)",
    "runs": "two new runs differ by no more than is said (93–97)",
    "ran": "run as allocated",
    "robin": "run task by task",
    "saved": "saved",
    "chosen": "one of equals is first, one look (≤ 5)",
    "looked": "the same, any look",
    "strict": "any look, 99% (≤ 5)",
}


def write(results: Sequence[tuple[Section, list[list[list[Verdict]]]]], folder: Path) -> None:
    """Write a CSV for each section; for each row and trial there is a list of verdicts, one per world."""
    folder.mkdir(exist_ok=True)
    for section, rows in results:
        lines = [
            {"row": row.label, "worlds": str(sum(map(len, trials))), "statement": TITLES[name]}
            | dict(
                zip(COLUMNS[3:], (*number[:2], "no" if name in section.unpromised else "yes", number[2]), strict=True)
            )
            for row, trials in zip(section.rows, rows, strict=True)
            for name in section.verdicts
            if (number := _number(name, trials))
        ]
        _save(folder / _file(section), COLUMNS, lines)


def read(folder: Path) -> dict[str, list[Line]]:
    """Read the CSVs of the sections that were run, by heading."""
    tables = {}
    for section in SECTIONS:
        path = folder / _file(section)
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                tables[section.heading] = list(csv.DictReader(file))
    return tables


def page(tables: Mapping[str, Sequence[Line]], folder: Path) -> str:
    """Return the page of these tables, and write the lists of sections, of what is outside, and of kinds."""
    known = {section.heading: section for section in SECTIONS}
    promised = {heading: [line for line in lines if line["promised"] == "yes"] for heading, lines in tables.items()}
    _save(
        folder / "sections.csv",
        ("section", "file", "simulated", *KEPT),
        [
            {"section": heading, "file": _file(known[heading]), "simulated": known[heading].text} | _counts(lines)
            for heading, lines in promised.items()
        ],
    )
    _save(
        folder / "outside.csv",
        ("section", "row", "statement", "percent", "error"),
        [{"section": heading} | line for heading, lines in promised.items() for line in lines if _is_outside(line)],
    )
    every = [line for lines in promised.values() for line in lines]
    kinds = [title for title in TITLES.values() if any(line["statement"] == title for line in every)]
    _save(
        folder / "summary.csv",
        ("statement", *KEPT),
        [{"statement": kind} | _counts(line for line in every if line["statement"] == kind) for kind in kinds],
    )
    return "\n".join([HEAD, *_overall(tables, every), READING, *_topics(promised, known)])


def _number(name: str, trials: list[list[Verdict]]) -> tuple[str, str, str] | None:
    """Percentage, standard error, and whether it is as wanted, just outside, or outside by two standard errors."""
    values = [np.array([getattr(verdict, name) for verdict in verdicts]) for verdicts in trials]
    values = [each for each in values if not np.isnan(each).all()]
    if not values:
        return None
    share = float(np.mean([np.nanmean(each) for each in values]))
    error = sqrt(sum(np.nanvar(each, ddof=1) / np.count_nonzero(~np.isnan(each)) for each in values)) / len(values)
    low, high = WANTED[name]
    beyond = max(low - share, share - high)
    # One world has no error, and is not within two of it.
    result = KEPT[0] if beyond <= 0 else KEPT[1] if beyond <= 2 * error else KEPT[2]
    return f"{100 * share:.1f}", "" if np.isnan(error) else f"{100 * error:.1f}", result


def _overall(tables: Mapping[str, Sequence[Line]], every: Sequence[Line]) -> Iterator[str]:
    counts = {kept: int(count) for kept, count in _counts(every).items()}
    yield fill(
        f"podium promises where {len(every):,} numbers lie: {counts[KEPT[0]]:,} are as wanted, {counts[KEPT[1]]:,} "
        f"just outside, and {counts[KEPT[2]]:,} outside by more than two standard errors.",
        120,
    )
    yield ""
    planned = {(s.heading, row.label): row.worlds * len(row.trials) for s in SECTIONS for row in s.rows}
    worlds = {(heading, line["row"]): int(line["worlds"]) for heading, lines in tables.items() for line in lines}
    share = sum(worlds.values()) / sum(planned[row] for row in worlds)
    left = [section.heading for section in SECTIONS if section.heading not in tables]
    if share < 0.95:
        drawn = f"This run drew {100 * share:.0f}% of the tables"
        yield f"{drawn}, so standard errors are {sqrt(1 / share):.1f} times those of a whole run."
    if left:
        yield f"These were not run: {', '.join(f'*{heading}*' for heading in left)}."
    if share < 0.95 or left:
        yield ""


def _topics(promised: Mapping[str, Sequence[Line]], known: Mapping[str, Section]) -> Iterator[str]:
    for title, verdict, headings in TOPICS:
        if promised.keys().isdisjoint(headings):
            continue
        yield f"## {title}\n"
        yield fill(" ".join(verdict.split()), 120) + "\n"
        there = {
            heading: f"[{heading}](validation/{_file(known[heading])})" for heading in headings if heading in promised
        }
        yield from (f"- {link}: {_result(promised[heading])}" for heading, link in there.items() if promised[heading])
        if free := [link for heading, link in there.items() if not promised[heading]]:
            yield f"- No promise about: {', '.join(free)}."
        yield ""


def _result(lines: Sequence[Line]) -> str:
    """How many numbers of a section are as wanted, and which is the furthest from it."""
    counts = {kept: int(count) for kept, count in _counts(lines).items()}
    if len(lines) == counts[KEPT[0]]:
        return f"all {len(lines)} as wanted."
    said = [f"{counts[kept]} {kept}" for kept in KEPT[1:] if counts[kept]]
    text = f"{counts[KEPT[0]]} of {len(lines)} as wanted, {', '.join(said)}."
    outside = [line for line in lines if _is_outside(line)]
    if not outside:
        return text
    furthest = max(outside, key=_beyond)
    return f"{text} Furthest: {furthest['percent']}% for {furthest['statement']}."


def _is_outside(line: Line) -> bool:
    return line["result"] == KEPT[2]


def _beyond(line: Line) -> float:
    """How far a number is from what is wanted."""
    names = {title: name for name, title in TITLES.items()}
    low, high = WANTED[names[line["statement"]]]
    share = float(line["percent"]) / 100
    return max(low - share, share - high if high < inf else 0.0)


def _counts(lines: Iterable[Line]) -> dict[str, str]:
    results = [line["result"] for line in lines]
    return {kept: str(results.count(kept)) for kept in KEPT}


def _file(section: Section) -> str:
    return f"{re.sub('[^a-z0-9½]+', '-', section.heading.lower()).strip('-').replace('½', 'half')}.csv"


def _save(path: Path, columns: Sequence[str], lines: Iterable[Line]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
