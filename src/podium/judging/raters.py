"""Judges beside people and beside each other: agreement, the panel, differences between judges, outliers and biases."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from podium.base.arrays import Bools, Floats
from podium.base.errors import InputError
from podium.base.statistics import holm
from podium.base.words import Doubt, with_names
from podium.judging.coefficients import (
    INTERVAL_ALPHA,
    KAPPA,
    NOMINAL_ALPHA,
    WEIGHTED_KAPPA,
    Interval,
    agreement,
    corrected_rate,
    linear,
    moment_sums,
    proportion,
    summed,
    table_sums,
)
from podium.judging.read import JudgedAnswers
from podium.ranking.correlation import tau_b

#: What the panel of all judges is called.
PANEL = "panel"

#: Values up to which each is a category of its own.
_CATEGORIES = 20

#: How much wider one range of scores may be than another before a note says so.
_WIDER = 3.0


class Judged(NamedTuple):
    """Agreement of a judge, or the panel, with people; NaN where a number makes no sense.

    Attributes
    ----------
    judge, answers, labelled
        Name; how many answers it has judged, and how many of these people have.
    agreement, kappa, weighted_kappa, alpha
        Share of equal verdicts, and coefficients, see `podium.judging.coefficients`.
    tau
        Kendall's τ-b of mean scores of systems by the judge and by people.
    sensitivity, specificity
        Of verdicts 0 and 1: share of what is 1, or 0, by people that the judge calls so.
    rate, people, corrected
        Share of 1 by the judge in all its answers, by people in those of both, and by the judge after its errors.
    """

    judge: str
    answers: int
    labelled: int
    agreement: Interval = Interval()
    kappa: Interval = Interval()
    weighted_kappa: Interval = Interval()
    alpha: Interval = Interval()
    tau: Interval = Interval()
    sensitivity: Interval = Interval()
    specificity: Interval = Interval()
    rate: Interval = Interval()
    people: Interval = Interval()
    corrected: Interval = Interval()


class Difference(NamedTuple):
    """How much more one judge agrees with people than another, and how much higher it scores, on common answers.

    P-values are adjusted by Holm's method over all pairs.
    """

    judge: str
    other: str
    difference: Interval
    p: float
    level: Interval
    level_p: float


class Bias(NamedTuple):
    """By how much more than people a judge favours something; the p-value is adjusted over all judges and kinds.

    Kinds: "level", its scores less those of people; "length", of answers one standard deviation longer, and "own
    family", both at equal verdicts of people.
    """

    judge: str
    kind: str
    bias: Interval
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class Raters:
    """Judged answers, and how their verdicts are compared.

    Attributes
    ----------
    answers
        The verdicts.
    categories
        The k values that verdicts have; None if these are too many to be categories.
    measure
        By which judges are compared: "kappa" of categories, "weighted_kappa" of scores.
    binary
        Whether all verdicts are 0 or 1.
    """

    answers: JudgedAnswers
    categories: Floats | None
    measure: str
    binary: bool

    @classmethod
    def of(cls, answers: JudgedAnswers) -> "Raters":
        """Settle how verdicts are compared."""
        judges, people = (np.unique(of[~np.isnan(of)]) for of in (answers.verdicts, answers.people))
        said = np.union1d(judges, people)
        binary = not answers.words and bool(np.isin(said, (0, 1)).all())
        shared = said.size <= _CATEGORIES and 2 * np.isin(judges, people).sum() >= judges.size
        categories = said if answers.words or shared else None
        return cls(answers, categories, "kappa" if answers.words or binary else "weighted_kappa", binary)

    @property
    def known(self) -> list[int]:
        """Return judges with answers that people have judged, by number; and that of the panel, if there are two."""
        labelled = self.answers.labelled
        found = np.flatnonzero(labelled.any(axis=1)).tolist()
        panel = len(found) > 1 and labelled.all(axis=0).any()
        return [*found, *([len(labelled)] if panel else [])]

    def name(self, rater: int) -> str:
        """Return the name of a judge, or of the panel."""
        return PANEL if rater == len(self.answers.judges) else self.answers.judges[rater]

    def there(self, rater: int) -> Bools:
        """Shape `(A,)`: answers that the judge, or all judges, and people have judged."""
        labelled = self.answers.labelled
        return np.asarray(labelled.all(axis=0) if rater == len(labelled) else labelled[rater])

    def sums(self, rater: int, some: Bools, *, table: bool) -> Floats | None:
        """Return sums of some of the answers over units, for coefficients of categories or of scores; None if none."""
        answers = self.answers
        unit, people = answers.unit[some], answers.people[some]
        if rater < len(answers.judges):
            said = answers.verdicts[rater, some]
            if table:
                return None if self.categories is None else table_sums(unit, said, people, self.categories)
            return None if answers.words else moment_sums(unit, said, people)
        every = answers.verdicts[:, some]
        if not table and not (answers.words or self.binary):
            return moment_sums(unit, every.mean(axis=0), people)
        if not table or self.categories is None or self.measure != "kappa":
            return None
        votes = np.stack([(every == one).sum(axis=0) for one in self.categories])
        first = votes == votes.max(axis=0)  # several, if votes are equal, which then count in parts
        category, at = np.nonzero(first)
        return table_sums(unit[at], self.categories[category], people[at], self.categories, 1 / first.sum(axis=0)[at])

    def judged(self, rater: int, confidence: float) -> Judged:
        """Return how far a judge, or the panel, agrees with people."""
        answers, some = self.answers, self.there(rater)
        table, moments = (self.sums(rater, some, table=which) for which in (True, False))
        found: dict[str, Interval] = {}
        if table is not None:
            found["agreement"] = proportion(table[:, 1::-1], confidence)
            found["kappa"] = agreement(table, KAPPA, confidence)
            if answers.words or moments is None:
                found["alpha"] = agreement(table, NOMINAL_ALPHA, confidence)
        if moments is not None:
            if not self.binary:
                found["weighted_kappa"] = agreement(moments, WEIGHTED_KAPPA, confidence)
            found["alpha"] = agreement(moments, INTERVAL_ALPHA, confidence)
        if rater == len(answers.judges):
            return Judged(PANEL, int((~np.isnan(answers.verdicts)).all(axis=0).sum()), int(some.sum()), **found)
        said = answers.verdicts[rater]
        if not answers.words and len(answers.systems) > 1:
            found["tau"] = self._of_systems(said, some, confidence)
        if self.binary:
            found |= self._rates(said, some, confidence)
        return Judged(answers.judges[rater], int((~np.isnan(said)).sum()), int(some.sum()), **found)

    def _of_systems(self, said: Floats, some: Bools, confidence: float) -> Interval:
        system = self.answers.system[some]
        known = system >= 0
        number = np.bincount(system[known], minlength=len(self.answers.systems))
        with np.errstate(invalid="ignore"):
            means = [
                np.bincount(system[known], of[some][known], number.size) / number for of in (said, self.answers.people)
            ]
        return Interval(*(float(one[0]) for one in tau_b(means[0][None], means[1][None], confidence)))

    def _rates(self, said: Floats, some: Bools, confidence: float) -> dict[str, Interval]:
        answers, there = self.answers, ~np.isnan(said)
        judge, people = np.nan_to_num(said), np.nan_to_num(answers.people)
        both = some.astype(np.float64)
        cells = [both * of * by for of in (people, 1 - people) for by in (judge, 1 - judge)]
        cells += [(there & ~some) * by for by in (judge, 1 - judge)]
        sums = summed(answers.unit, cells)
        tp, fn, fp, tn, more, fewer = sums.T

        def share(hits: Floats, numbers: Floats) -> Interval:
            return proportion(np.stack([hits, numbers], axis=1), confidence)

        return {
            "sensitivity": share(tp, tp + fn),
            "specificity": share(tn, fp + tn),
            "rate": share(tp + fp + more, tp + fn + fp + tn + more + fewer),
            "people": share(tp + fn, tp + fn + fp + tn),
            "corrected": corrected_rate(sums[sums.sum(axis=1) > 0], confidence),
        }

    def differences(self, confidence: float) -> tuple[Difference, ...]:
        """Compare every two judges, and the panel with each, on answers that both and people have judged."""
        found = []
        answers, coefficient = self.answers, KAPPA if self.measure == "kappa" else WEIGHTED_KAPPA

        def more(sums: Floats) -> Floats:
            own, others = np.split(sums, 2, axis=-1)
            return coefficient.of(own) - coefficient.of(others)

        for one, other in combinations(self.known, 2):
            some = self.there(one) & self.there(other)
            own, others = (self.sums(rater, some, table=self.measure == "kappa") for rater in (other, one))
            if not some.any() or own is None or others is None:
                continue
            value, p = linear(np.hstack([own, others]), more, confidence)
            level, level_p = Interval(), np.nan
            if other < len(answers.judges) and not answers.words:
                both = ~np.isnan(answers.verdicts[[one, other]]).any(axis=0)
                apart = (answers.verdicts[other] - answers.verdicts[one])[both]
                level, level_p = linear(summed(answers.unit[both], [np.ones(apart.size), apart]), _mean, confidence)
            found.append(Difference(self.name(other), self.name(one), value, p, level, level_p))
        adjusted = (holm([getattr(row, name) for row in found]).tolist() for name in ("p", "level_p"))
        return tuple(row._replace(p=p, level_p=level) for row, p, level in zip(found, *adjusted, strict=True))

    def outliers(self, confidence: float) -> tuple[str, ...]:
        """Return judges that are shown to differ more from the others than these among themselves, of three or more."""
        answers = self.answers
        if len(answers.judges) < 3:
            return ()
        there = ~np.isnan(answers.verdicts).any(axis=0)
        unit, said = answers.unit[there], answers.verdicts[:, there]
        pairs = list(combinations(range(len(said)), 2))
        apart = [(said[i] != said[j]) * 1.0 if answers.words else np.abs(said[i] - said[j]) for i, j in pairs]
        found = []
        for judge in range(len(said)):
            own = np.mean([gap for gap, pair in zip(apart, pairs, strict=True) if judge in pair], axis=0)
            rest = np.mean([gap for gap, pair in zip(apart, pairs, strict=True) if judge not in pair], axis=0)
            more, p = linear(summed(unit, [np.ones(unit.size), own - rest]), _mean, confidence)
            found.append(p if more.value > 0 else 1.0)
        sure = holm(found) <= 1 - confidence
        return tuple(name for name, there in zip(answers.judges, sure.tolist(), strict=True) if there)


def _mean(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(sums[..., 1] / sums[..., 0])


def _partial(sums: Floats) -> Floats:
    """Return the slope on x of y by x and z, of n and sums of x, y, z, x², x y, x z, z² and y z; by x if z is one."""
    n, x, y, z, xx, xy, xz, zz, yz = np.moveaxis(sums, -1, 0)
    xx, xy, xz, zz, yz = (
        product - one * other / n
        for product, one, other in ((xx, x, x), (xy, x, y), (xz, x, z), (zz, z, z), (yz, y, z))
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        some = zz > 1e-9 * n
        return np.asarray(np.where(some, (xy - xz * yz / zz) / (xx - xz * xz / zz), xy / xx))


def biases(answers: JudgedAnswers, confidence: float) -> tuple[Bias, ...]:
    """Return by how much more than people each judge favours what; of scores.

    "length" and "own family" are coefficients of a regression of verdicts on these and on what people say: a judge that
    errs seems to favour whoever is bad, if only differences from people are compared.
    """
    if answers.words:
        return ()
    found = []
    for number, judge in enumerate(answers.judges):
        some = answers.labelled[number]
        said, people, unit = answers.verdicts[number, some], answers.people[some], answers.unit[some]
        if not some.any():
            continue
        span = float(np.isin([said, people], (0, 1)).all())
        level = linear(summed(unit, [np.ones(said.size), said - people]), _mean, confidence, span=span)
        found.append(Bias(judge, "level", *level))
        length, own = answers.length[some], answers.own[number, some]
        with np.errstate(invalid="ignore", divide="ignore"):
            longer = length if np.isnan(length).all() else (length - np.nanmean(length)) / np.nanstd(length)
        for kind, trait in (("length", longer), ("own family", own)):
            there = np.isfinite(trait)
            if np.unique(trait[there]).size > 1:
                x, y, z = trait[there], said[there], people[there] - people[there].mean()
                z /= z.std() or 1.0
                sums = summed(unit[there], [np.ones(x.size), x, y, z, x * x, x * y, x * z, z * z, y * z])
                found.append(Bias(judge, kind, *linear(sums, _partial, confidence)))
    adjusted = holm([row.p for row in found]).tolist()
    return tuple(row._replace(p=p) for row, p in zip(found, adjusted, strict=True))


def check_scales(answers: JudgedAnswers) -> None:
    """Refuse verdicts on another scale than that of people.

    Raises
    ------
    InputError
        They have no word in common, one is 0 or 1 and the other is not, or ranges do not meet.
    """
    people = np.unique(answers.people[~np.isnan(answers.people)])
    for judge, verdicts in zip(answers.judges, answers.verdicts, strict=True):
        said = np.unique(verdicts[~np.isnan(verdicts)])
        if not said.size:
            continue
        both = [said, people]
        if answers.words:
            if answers.sides is None and not np.isin(said, people).any():
                judge_says, they_say = ([answers.words[int(one)] for one in of[:5]] for of in both)
                what = f"{judge} says {', '.join(judge_says)}, and people {', '.join(they_say)}"
                raise InputError(f"{what}; use the same labels for both")
            continue
        truth = [bool(np.isin(of, (0, 1)).all()) for of in both]
        outside = [bool(((of < 0) | (of > 1)).any()) for of in both]
        apart = said[0] > people[-1] or people[0] > said[-1]
        if (truth[0] and outside[1]) or (truth[1] and outside[0]) or (apart and not all(truth)):
            ends = (f"{of[0]:g} to {of[-1]:g}" for of in both)
            what = f"{judge} scores {next(ends)}, and people {next(ends)}"
            raise InputError(f"{what}; bring both to one scale, or name other columns with judges= (--judge)")


def doubts(answers: JudgedAnswers) -> Iterator[str]:
    """Yield notes on scales of different width, and on families that are not known."""
    if not answers.words:
        width = np.ptp(answers.people[~np.isnan(answers.people)])
        for judge, verdicts in zip(answers.judges, answers.verdicts, strict=True):
            own = np.ptp(verdicts[~np.isnan(verdicts)]) if (~np.isnan(verdicts)).any() else width
            if max(own, width) > _WIDER * min(own, width) > 0:
                yield Doubt(f"{judge} and people use very different parts of the scale; is it the same?")
    unknown = [name for name, own in zip(answers.judges, answers.own, strict=True) if np.isnan(own).all()]
    if answers.families and unknown:
        yield with_names("own family not known of ", unknown, "; name it with own= (--own JUDGE=FAMILY)")
