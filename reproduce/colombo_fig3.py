"""Colombo et al. 2022, Figure 3: error of mean, one-level and two-level Borda as tasks are corrupted."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from colombo import SIZE, Floats, beside, drawn, worlds
from outcome import Claim, Finding, Section, Unstated, judged, stated

import podium
from podium.robustness.study_result import Study, SweepResult
from podium.stresses import Corrupt, Stress, Sweep

PICTURE = "reproduce-colombo-fig3.svg"
REPEATS = 100
METHODS = {"mean": "the mean", "borda:one": "one-level Borda", "borda:two": "two-level Borda"}
#: φ is not in the text: these were found by trying. The first three give the printed numbers.
PHIS = (0.05, 0.1, 0.25, 1.0)
CORRUPTED = (*range(13), 20)
#: Error from which a method counts as broken, and at how many corrupted tasks that is printed to be.
BOUND = 0.75
PRINTED = {"mean": (2, 3, 5), "borda:one": (5, 7, 10), "borda:two": (10, 11, 11)}

TEXT = f"""
{SIZE} systems, {SIZE} tasks of {SIZE} instances, {REPEATS} repeats. System n scores Gumbel(φ n, 1), and Gumbel(−n, 1)
on corrupted tasks. The text does not say to which φ the three printed numbers of a method belong; they come out at
{PHIS[0]}, {PHIS[1]} and {PHIS[2]}.

Borda is steadier here only because corrupted tasks are louder than the others. On a corrupted task the scores of
neighbours differ by 1 whatever φ is, on the others by φ, so it is 1/φ times as loud. That breaks the mean once
T φ/(1 + φ) tasks are corrupted. One-level Borda is affected too, because the order on each corrupted instance is
surer: it breaks at T g(φ)/(g(φ) + g(1)), where g is the number of places between neighbours on one instance. For
two-level Borda a task has one vote, loud or not, so half of the tasks are needed. Where corrupted tasks are no louder
than the others (φ = 1, and the last row of the second table), the methods do not differ.
"""


def section() -> Section:
    """Corrupt more and more tasks at several dispersions; compare where methods break with what is printed."""
    study = studied(PHIS)
    quiet = studied(PHIS[:1], repeats=REPEATS // 4, loud=False)
    drawn(study, "error", PICTURE)
    return Section(
        "Colombo et al., Figure 3: corrupted tasks",
        stated(TEXT, _held(study, quiet)),
        [*_breakdowns(study), _order(study), _smallest(study), _robust(study, quiet)],
        table=[
            ("φ", "mean breaks at", "expected", "one-level at", "expected", "two-level at", "expected"),
            *(_turning(study, phi, loudness=1.0) for phi in PHIS),
            _turning(quiet, PHIS[0], loudness=PHIS[0]),
        ],
        pictures=[(PICTURE, "Error of mean, one-level and two-level Borda by the number of corrupted tasks")],
    )


def studied(phis: Sequence[float], *, repeats: int = REPEATS, loud: bool = True, jobs: int | None = None) -> Study:
    """One study with a sweep for every φ; corrupted tasks have step 1, or φ if they are not to be loud."""
    truth = tuple(range(SIZE, 0, -1))

    def swept(phi: float) -> Study:
        def corrupt(tasks: float) -> Stress:
            return Corrupt(int(tasks), dispersion=1.0 if loud else phi, truth=truth, own_scale=False)

        sweep = Sweep("corrupt", corrupt, CORRUPTED, f"corrupted tasks of {SIZE}")
        return podium.study(worlds(phi), [sweep], tuple(METHODS), repeats=repeats, n_jobs=jobs)

    return beside((f"φ = {phi:g}", swept(phi)) for phi in phis)


def _held(study: Study, quiet: Study) -> Mapping[str, bool]:
    """What the text says in words."""
    broken = [study.breakdown("error", BOUND)["φ = 1"], *quiet.breakdown("error", BOUND).values()]
    tried = [
        _among(printed, [_possible(one, m) for one in study.swept[:3]]) for m, printed in enumerate(PRINTED.values())
    ]
    return {
        "they come out at": all(tried),
        "the methods do not differ": all(len(set(one.values())) == 1 for one in broken),
    }


def _breakdowns(study: Study) -> Iterator[Finding]:
    """Printed breakdown numbers beside ours, at the first three φ."""
    found = study.breakdown("error", BOUND)
    slip = f"φ = {', '.join(f'{phi:g}' for phi in PHIS[:3])}, found by trying"
    for m, (method, printed) in enumerate(PRINTED.items()):
        yield judged(
            f"corrupted tasks at which the error of {METHODS[method]} passes {BOUND}",
            Claim(", ".join(map(str, printed)), partial(_among, printed)),
            Unstated("the text gives no φ"),
            {slip: [_possible(one, m) for one in study.swept[:3]]},
            shown=", ".join(_number(found[one.name][method]) for one in study.swept[:3]),
            note="; ".join(filter(None, (_edge(one, m) for one in study.swept[:3]))),
        )


def _among(printed: Sequence[int], possible: Sequence[Sequence[int]]) -> bool:
    return all(number in numbers for number, numbers in zip(printed, possible, strict=True))


def _possible(one: SweepResult, method: int) -> list[int]:
    """At how many corrupted tasks a study of as many repeats may first pass the bound, chance aside."""
    errors = _errors(one)[method]
    mean, error = errors.mean(axis=1), np.sqrt(2) * errors.std(axis=1, ddof=1) / np.sqrt(errors.shape[1])
    above, below = mean + 3 * error >= BOUND, mean - 3 * error < BOUND
    tasks = [int(number) for number in one.strengths]
    return [number for i, number in enumerate(tasks) if above[i] and below[:i].all()]


def _edge(one: SweepResult, method: int) -> str:
    """Say so where chance decides at how many tasks the bound is passed."""
    possible = _possible(one, method)
    if len(possible) == 1:
        return ""
    errors = _errors(one)[method, one.strengths.tolist().index(possible[0])]
    error = errors.std(ddof=1) / np.sqrt(errors.size)
    return f"at {one.name} with {possible[0]} the error is {errors.mean():.3f} ± {error:.3f}, on the edge"


def _order(study: Study) -> Finding:
    """Which method breaks first."""
    broken = [[found[method] or np.inf for method in METHODS] for found in study.breakdown("error", BOUND).values()]
    ordered = [mean < single < two for mean, single, two in broken]
    equal = [one.name for one, numbers in zip(study.swept, broken, strict=True) if len(set(numbers)) == 1]
    return judged(
        "the mean breaks first, then one-level, then two-level",
        Claim("for every φ", all),
        ordered,
        {f"at φ = {', '.join(f'{phi:g}' for phi in PHIS[:3])} only": ordered[:3]},
        shown=f"at {sum(ordered)} of {len(broken)} φ",
        note=f"together at {', '.join(equal)}" if equal else "",
    )


def _smallest(study: Study) -> Finding:
    """Whether two-level Borda never errs more than another method, chance aside."""
    compared = (len(METHODS) - 1) * sum(one.strengths.size for one in study.swept)
    worse = [pair for one in study.swept for pair in _worse(one, study.repeats)]
    few = [(tasks, more) for tasks, more in worse if tasks <= SIZE / 2]
    why = "it errs more against a majority of corrupted tasks"
    if few:
        most = max(more for _, more in few)
        why = f"it errs more with {min(few)[0]:g} to {max(few)[0]:g} corrupted tasks, by {most:.3f} at most"
    return judged(
        "two-level Borda has the smallest error",
        Claim("always", lambda beaten: not beaten),
        worse,
        shown=f"in {compared - len(worse)} of {compared} comparisons",
        note=why if worse else "",
    )


def _worse(one: SweepResult, repeats: int) -> Iterator[tuple[float, float]]:
    """Corrupted tasks with which two-level Borda errs more than another, by over two standard errors; how much more."""
    *others, two = _errors(one)
    for other in others:
        more = (two - other).mean(axis=1)
        beyond = more > 2 * (two - other).std(axis=1, ddof=1) / np.sqrt(repeats)
        yield from zip(one.strengths[beyond].tolist(), more[beyond].tolist(), strict=True)


def _robust(study: Study, quiet: Study) -> Finding:
    """Whether it is the method that makes the difference."""
    loud = study.breakdown("error", BOUND)
    found = [loud["φ = 1"], *quiet.breakdown("error", BOUND).values()]
    said = "; ".join(", ".join(_number(one[method]) for method in METHODS) for one in found)
    return judged(
        "takeaway: methods of ranks are more robust than the mean",
        Claim("in general", lambda broken: all(_later(one) for one in broken)),
        found,
        {"corrupted tasks are louder than the others": [loud[f"φ = {phi:g}"] for phi in PHIS[:3]]},
        shown=f"{said} corrupted tasks for mean, one-level, two-level, at φ = 1 and, with corrupted tasks of step φ, "
        f"at {quiet.swept[0].name}",
        note="no ballot is louder than another; where tasks are as loud, ranks are no help",
    )


def _later(broken: Mapping[str, float | None]) -> bool:
    """Whether both methods of ranks break later than the mean."""
    mean, *others = (broken[method] or np.inf for method in METHODS)
    return all(other > mean for other in others)


def _turning(study: Study, phi: float, *, loudness: float) -> tuple[str, ...]:
    """Breakdown of each method beside where the expected places of the systems turn round."""
    found = study.breakdown("error", BOUND)[f"φ = {phi:g}"]
    mean = SIZE * phi / (phi + loudness)
    single = SIZE * _places_apart(phi) / (_places_apart(phi) + _places_apart(loudness))
    cells = [f"{phi:g}" if loudness == 1 else f"{phi:g}, of corrupted tasks too"]
    for method, expected in zip(METHODS, (mean, single, SIZE / 2), strict=True):
        cells += [_number(found[method]), f"{expected:.1f}"]
    return tuple(cells)


def _places_apart(phi: float) -> float:
    """Mean difference in expected rank, on one instance, of neighbours φ apart."""
    n = np.arange(SIZE)
    beaten = np.sum(1 / (1 + np.exp(-phi * (n[:, None] - n))), axis=1)
    return float((beaten[-1] - beaten[0]) / (SIZE - 1))


def _errors(one: SweepResult) -> Floats:
    """Error of methods × strengths × repeats."""
    return np.full((len(METHODS), one.strengths.size, 1), np.nan) if one.error is None else one.error


def _number(number: float | None) -> str:
    return "none" if number is None else f"{number:g}"
