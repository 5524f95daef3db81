"""The page: tables of shares with standard errors, and a list of what is not kept."""

from collections.abc import Iterator, Sequence
from math import sqrt
from textwrap import fill

import numpy as np
from numpy.typing import NDArray
from studies import WANTED, Section
from trials import Verdict

__all__ = ["page"]

Floats = NDArray[np.float64]

HEAD = """# Do the intervals keep their promise?

In nearly all of these worlds, yes. "Why", below, has the reasons.

`make validation` writes this page; do not edit it. Tables are drawn from worlds whose truth is known. podium ranks each
table at 95% confidence, and each statement is compared with the truth. Numbers are percent of statements that are
true, ± one standard error from the number of worlds. All worlds are seeded, so every run gives the same page.

Worlds are those of `podium.simulate.gumbel`: system i scores φ i + Gumbel noise, so its mean is φ i + 0.577, it beats
system j with probability 1 / (1 + exp(−φ (i − j))), and its Borda score is the mean of these. N systems, T tasks, K
instances.

**Bold**: outside what is wanted. **†**: outside by more than two standard errors. By chance alone this happens to about
one number in forty that lies exactly at a limit.
"""

TITLES = {
    "score": "score intervals (93–97)",
    "difference": "differences of two (93–97)",
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
}

WHY = """## Why

What is not kept, and what stays uncertain:

- **Few tasks or instances.** Where there are at most 50, a pair is separated only if an exact test separates it too:
  signs of its differences are flipped, or names are shuffled inside each task (`docs/formulas.md`). So equal systems
  seldom fall into different tiers. Holm's stepwise tests with Student's p-values would find more differences there,
  more of them false: in 8% of the tables of equal systems, on 20 instances where half of the answers are right.
- **Skewed scores.** Intervals of means are corrected for skewness. They still cover a little less than 95% where tails
  are very long. Means of scores of 0 and 1 take few values, so their intervals cover more or less than 95% from size to
  size: nearly always more.
- **Drawing both** tasks and instances is on the safe side: intervals are too wide rather than too narrow. To be exact,
  draw tasks alone.
- **Median and interquartile mean** over sampled tasks: the bootstrap of a median jumps between few values, so
  intervals of differences of two are wider than needed.
- **Scores that jump** (two-level Borda): intervals of the score itself promise nothing about its limit. Ranks and tiers
  keep their promise: a pair is separated only if replicates almost never reverse it.
- **Pooled effects of few tasks.** Knapp–Hartung intervals are exact where sampling variances are equal. Otherwise
  weights depend on τ², and few tasks say little about τ²: if it is taken to be 0, one precise task has nearly all the
  weight, and its own error is all that is seen. Then plain intervals are far too narrow, and normal ones more so. A
  factor that is never below 1 (`adhoc`) mends what chance agreement does, but not this. The default also counts how
  many tasks carry the weight, by Satterthwaite's degrees of freedom, and holds in at least 93% in every cell. Its price
  is length. Where the middle variance is more than 50 (k − 1) times the least, or 1,000 times, few precise tasks can
  still mislead it, and a note says so. Student's interval of the plain mean holds at any ratio, but wastes precise
  tasks.
- **Effects on a new task.** Prediction intervals are over all that τ² may be, as few tasks say little of it. With the
  estimate of τ² taken as τ² itself, as metafor's are, they hold in 82 to 94%. On two or three tasks, and where τ² is 0,
  they are on the safe side: never inside the interval of the mean.
- **Rare failures.** Where differences are lopsided, a task looks the more precise the fewer failures it happens to
  have. All tasks then count as equally precise, with a note. Where tasks also differ much in how often a system fails,
  their effects are skewed themselves, and intervals hold a little less often.
- **Tasks that depend on each other** (metrics of the same items, languages of a data set) are pooled by the covariance
  of their effects, with intervals that are robust over sets of tasks: they hold also where true effects of a set are
  related. Where all tasks share their items, the interval is about test sets like this one only so far as τ² says.
  Few sets of very different sizes, above 1 : 10 for three and 1 : 30 for five, draw a note.
- **Rank intervals** are much surer than 95%. They are made of many comparisons, each of which is safe (Bonferroni), and
  most comparisons are not close.
- **One score per task.** Tests of ranks are exact, so with few tasks few p-values are possible. Probabilities of the
  Bayesian signed-rank test are too sure on few tasks, and Friedman's test finds a little too much where many tie.
- **Means of unlike tasks.** A system's mean is about the tasks that it is run on. Of MTEB with holes, shuffling leaves
  some systems with harder tasks than others, so their means differ though the systems are equal. Borda compares inside
  tasks, and keeps its promise there.
- **What a table does not tell.** Labels that differ for the same instance, copies of instances or tasks under other
  names, clusters that are labelled too finely: what is drawn as independent is not, and equal systems are separated.
  Label what belongs together alike, or name its cluster or family. Nor does a table show a failure that a system could
  have had and did not: of systems that fail on 2% of instances, one in eight has none on 100, and looks better than it
  is. Where each failure is seen at least once, the promise is kept.
- **Missing scores.** `imputed` pulls systems that were run on little to the middle, and its intervals of scores are
  about the incomplete table. Where systems differ in how much they were run, `missing="model"` predicts hidden orders
  much better, and as well as any other way elsewhere: see the last tables. Its intervals are about complete ballots.
"""


def page(results: Sequence[tuple[Section, list[list[list[Verdict]]]]]) -> str:
    """Write all tables; for each section, row and trial there is a list of verdicts, one per world."""
    tables: list[str] = []
    misses: list[str] = []
    promised = {name for section, _ in results for name in section.verdicts if name not in section.unpromised}
    kept = {name: [0, 0, 0] for name in WANTED if name in promised}
    for section, rows in results:
        tables += [f"## {section.heading}\n", fill(section.text, 120), "", *_header(section.verdicts)]
        for row, trials in zip(section.rows, rows, strict=True):
            cells = [_cell(name, trials) for name in section.verdicts]
            worlds = sum(map(len, trials))
            tables.append(f"| {row.label} | {worlds:,} | {' | '.join(text for text, _ in cells)} |")
            for name, (text, outside) in zip(section.verdicts, cells, strict=True):
                if text and name not in section.unpromised:
                    kept[name][outside] += 1
                if outside == 2 and name not in section.unpromised:
                    misses.append(f"- {row.label}: {TITLES[name]}: {text}")
        tables.append("")
    return "\n".join([HEAD, *_summary(kept), *_not_kept(misses), WHY, *tables])


def _header(names: Sequence[str]) -> Iterator[str]:
    yield "| | worlds | " + " | ".join(TITLES[name] for name in names) + " |"
    yield "| :--- | ---: |" + " ---: |" * len(names)


def _cell(name: str, trials: list[list[Verdict]]) -> tuple[str, int]:
    """Text, and 0 if it is as wanted, 1 if it is outside, 2 if by more than two standard errors."""
    values = [np.array([getattr(verdict, name) for verdict in verdicts]) for verdicts in trials]
    values = [each for each in values if not np.isnan(each).all()]
    if not values:
        return "", 0
    share = float(np.mean([np.nanmean(each) for each in values]))
    error = sqrt(sum(np.nanvar(each, ddof=1) / np.count_nonzero(~np.isnan(each)) for each in values)) / len(values)
    low, high = WANTED[name]
    beyond = max(low - share, share - high)
    text = f"{100 * share:.1f} ± {100 * error:.1f}"
    if beyond <= 0:
        return text, 0
    return (f"**{text}**", 1) if beyond <= 2 * error else (f"**{text}** †", 2)


def _summary(kept: dict[str, list[int]]) -> Iterator[str]:
    yield "| at 95% confidence, rows that are | as wanted | just outside | outside (†) |"
    yield "| :--- | ---: | ---: | ---: |"
    for name, (inside, near, outside) in kept.items():
        yield f"| {TITLES[name]} | {inside} | {near} | {outside} |"
    yield ""


def _not_kept(misses: list[str]) -> Iterator[str]:
    yield "Not kept (†), among what is promised:\n" if misses else "Everything promised is kept."
    yield from misses
    yield ""
