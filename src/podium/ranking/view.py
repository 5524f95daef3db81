"""How a ranking, and comparisons of all pairs, are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from podium.base.words import (
    DASH,
    NAMED,
    Aside,
    are,
    beginning,
    ending,
    few,
    how_many,
    listed,
    p_value,
    rounded_percent,
    span,
    with_names,
)
from podium.ranking.family import families_of
from podium.ranking.figure import cd, heatmap, rank_intervals
from podium.ranking.method_spec import in_words
from podium.ranking.note import DEPENDS
from podium.report.view import Bars, Column, Figure, Table, View, exact_places, score_texts, signed
from podium.score.place import ROUNDING, competition_ranks, places
from podium.score.prediction_powered import HUMAN

if TYPE_CHECKING:
    from podium.ranking.result import Condorcet, HeadToHead, Intervals, Pairwise, Ranking

#: Pairs, or systems, shown at most; JSON and CSV hold all.
_PAIRS = 15

#: Systems named in a verdict at most.
_BEST = 5

#: The same in the sentences for a paper.
_IN_PAPER = 12

#: Letters of the label of a prompt, which may be all of it.
_PROMPT = 24

#: Systems of a tier from which on the tier alone says little.
_LARGE = 10

#: An adjustment by fewer standard errors than this is not worth a sentence.
_LITTLE = 0.1

#: An estimate this near an end of its interval, as a share of the whole, is not shown.
_AT_END = 0.1

#: What the levels in the title mean.
_LEVELS = {
    "task": "task-level: each task votes by its mean",
    "one": "one-level: each instance votes",
    "balanced": "balanced: each instance votes, and all tasks weigh alike",
    "two": "two-level: the instances of each task vote, and then the tasks",
}
_SCORE = "score: what the method in the title gives"
_BORDA = "score: share of the other systems that a system beats on average; a tie counts half (Borda)"
_STYLE = "adjusted: as if answers that compete were alike in the covariates; their worth is in units of the score"
_SCORED = "tasks scored: number of tasks with a score of the system"

#: Decimals below which means are shown as they are.
_EXACT = 4

#: Means up to which their columns can be chosen.
_MEANS = 10_000

_FAMILY = "family: its rank among families is that of the best of its members"
_FAMILIES = (
    "ranks of a family: those that the best of its members, whichever it is, may truly have, all families together",
    "may be its best: members than which no other of the family is better, all pairs together",
)

_BY_PROMPT = (
    "on other items: the score of a prompt that was chosen on nine tenths of the items, on the rest; the score beside "
    "it is partly luck"
)

_PAIRWISE = (
    "share won: mean over all opponents; a tie counts half",
    "better than, worse than: number of opponents with an interval wholly above, or below, one half (Hoeffding)",
    "won: share of the comparisons that the system wins against the opponent",
)

_CONDORCET = (
    "beats, loses to: number of other systems, by more than half of the comparisons",
    "Smith set: the smallest set whose every member beats every system outside it",
    "Schwartz set: the members of the Smith set that lose to no other, directly or through others",
)


def view_ranking(ranking: "Ranking") -> View:
    """Lay out a ranking.

    >>> import podium
    >>> view_ranking(podium.rank(podium.datasets.toy_table1())).title
    'borda, task-level: 3 systems, 6 tasks'
    """
    rows = ranking.rows()
    sure = "" if ranking.intervals is None else f"{100 * ranking.intervals.confidence:g}%"
    ranks, adjusted = [row["rank"] for row in rows], _adjusted(rows[0], sure)
    best, said = set(ranking.top()) if ranking.intervals is not None else None, " ".join(_of_first(ranking))
    marks = tuple(row["rank"] == 1 if best is None else row["system"] in best for row in rows)
    scores = Column.numbers("score", score_texts([row["score"] for row in rows], ranks))
    before = [span(int(row["unadjusted_rank"])) for row in rows] if ranking.coefficients else []
    columns = (
        replace(Column.labels("system", ranking.systems), best=marks),
        replace(scores, best=marks),
        *([Column.numbers("unadjusted rank", before)] if before else []),
        Column.numbers("tasks scored", [f"{row['tasks_scored']:,}/{ranking.n_tasks:,}" for row in rows]),
    )
    explain = [_LEVELS[ranking.level]] if ranking.level else []
    if ranking.intervals is not None:
        explain.append(f"may be as good, may be best: the best system is among these, with {sure} confidence")
    explain.append("rank: 1 is best; systems with equal scores share a rank")
    if ranking.intervals is not None:
        explain += ranking.intervals.explanation
    if adjusted is not None:
        lucky = "winner's curse: the first of several was probably lucky"
        explain.append(f"{lucky}; adjusted for that, it scores {adjusted[1]}")
    if ranking.by_prompt is not None:
        explain.append(_BY_PROMPT)
    explain += [_STYLE] if ranking.coefficients else []
    explain += [_BORDA if ranking.method == "borda" else _SCORE, _SCORED]
    title = ranking.title + ("" if ranking.higher_is_better else "; lower is better")
    figures = (
        Figure("ranks", "Ranks and their intervals", partial(rank_intervals, ranking)),
        Figure("cd", "Systems that cannot be separated", partial(cd, ranking)),
    )
    unnamed = best is not None and len(best) < len(ranking) and not all(system in said for system in best)
    if ranking.intervals is not None and ranking.intervals.tiered:  # a first tier of more would seem to be the best
        unnamed |= best is not None and int(np.count_nonzero(ranking.intervals.tier == 1)) > len(best)
    means = _of_tasks(ranking)
    alone = ranking.metric and len(means) == 1 and ranking.method != "mean"
    named = "mean score" if ranking.metric == "score" else ranking.metric  # beside the score by the method
    of_metric = [replace(means[0], name=named)] if alone else []
    table = rank_table(ranking, [*columns[:2], *of_metric, *columns[2:]], winners=unnamed)
    tables = [replace(table, spare=(*table.spare, *means)), *_of_prompts(ranking)]
    tables += [_of_style(ranking)] if ranking.coefficients else []
    if ranking.families:
        named_first = tuple(sorted(tables[0].columns, key=lambda column: not column.label))
        whole = replace(tables[0], columns=named_first, caption="all systems", detail=True)
        tables = [_folded(ranking), whole, *tables[1:]]
        explain = [_FAMILY, *(_FAMILIES if ranking.intervals is not None else ()), *explain]
    notes = ranking.notes
    if ranking.intervals is not None and len(ranking) == len(ranking.top()) == 2:
        notes = (*notes, Aside("podium compare asks of two systems by how much they differ, and sees more"))
    return View(title, tuple(tables), notes, _verdict(ranking, adjusted), figures, tuple(explain))


def _of_prompts(ranking: "Ranking") -> list[Table]:
    """Show between which scores each system lies over prompts, and its best and worst prompt; nothing without any."""
    found, rows = ranking.by_prompt, ranking.rows()
    if found is None:
        return []
    short = {name: beginning(name, _PROMPT) for name in found.names}
    if len(set(short.values())) < len(short):  # templates often begin alike
        short = {name: ending(name, _PROMPT) for name in found.names}
    columns = [Column.labels("system", ranking.systems)]
    for which, end in (("worst", "low"), ("best", "high")):
        names = (f"prompt_{end}", f"{which}_prompt_on_other_items")
        lowest, other = (score_texts([row[name] for row in rows], [None] * len(rows)) for name in names)
        columns += [Column.labels(f"{which} prompt", [short[row[f"{which}_prompt"]] for row in rows])]
        columns += [Column.numbers("score", lowest), Column.numbers("on other items", other)]
    return [Table(tuple(columns), "the worst and the best prompt of each system")]


def _folded(ranking: "Ranking") -> Table:
    """Show one line for each family: its rank among families, its best member, and how many others there are."""
    found, sure = families_of(ranking), ranking.intervals
    best = found.best.tolist()
    scores = score_texts(
        [None if isnan(score) else score for score in ranking.score[best].tolist()], found.rank.tolist()
    )
    columns = [Column.numbers("rank", [span(rank or None) for rank in found.rank.tolist()])]
    may = []
    if sure is not None:
        ends = zip(found.low.tolist(), found.high.tolist(), strict=True)
        spans = [span(low or None, high or None) for low, high in ends]
        columns.append(Column.numbers(f"{100 * sure.confidence:g}% ranks", spans))
        may = [Column.numbers("may be its best", [f"{number:,}" for number in found.may_be_best.tolist()])]
    columns += [
        Column.labels("family", found.names),
        Column.labels("best member", [ranking.systems[place] for place in best]),
        Column.numbers("score", scores),
        Column.numbers("members", [f"{number:,}" for number in found.members.tolist()]),
        *may,
    ]
    return Table(tuple(columns))


def _of_tasks(ranking: "Ranking") -> list[Column]:
    """Return a column of means for each task; nothing if they are not known, or very many."""
    if ranking.means is None or ranking.means.size > _MEANS:
        return []
    columns = []
    for task, means in zip(ranking.tasks, ranking.means.T, strict=True):
        known, whole = [None if isnan(mean) else mean for mean in means.tolist()], exact_places(means.tolist(), _EXACT)
        places = 2 if np.nanmax(np.abs(means), initial=0.0) >= 10 else None  # four digits, as of smaller ones
        texts = score_texts(known, [None] * len(means), whole if whole < (places or _EXACT) else places)
        best = (np.fmax if task.higher_is_better else np.fmin).reduce(means)
        columns.append(replace(Column.numbers(task.name, texts, named=True), best=tuple((means == best).tolist())))
    return columns


def _verdict(ranking: "Ranking", adjusted: tuple[str, str, bool] | None) -> tuple[str, ...]:
    """Say which systems the first place may belong to, and what to know beside it."""
    said = (*_of_first(ranking), *_moved(ranking))
    if ranking.intervals is not None and ranking.families:
        apart, number = int(families_of(ranking).better.sum()), len(set(ranking.families))
        pairs = how_many(number * (number - 1) // 2, "pair")
        said = (*said, f"{apart:,} of {pairs} of families {are(apart)} separated, all pairs together")
    elif ranking.intervals is not None:
        said = (*said, *_separated(ranking.systems, ranking.intervals), *_largest_tier(ranking.intervals))
        said = (*said, *_by_prompts(ranking))
        if adjusted is not None and adjusted[2]:
            sentence = f"{ranking.systems[0]} scored {adjusted[0]}; adjusted for selecting the winner {adjusted[1]}"
            said = (*said, sentence)
    return (*_round(ranking.circle), *said)


def _of_style(ranking: "Ranking") -> Table:
    """Show what covariates are worth."""
    sure = 95.0 if ranking.intervals is None else 100 * ranking.intervals.confidence
    worth = []
    for one in ranking.coefficients:
        ends = [] if isnan(one.low) else [one.low, one.high]
        value, *bounds = map(signed, score_texts([one.coefficient, *ends], [None] * (1 + len(ends))))
        worth.append(f"{value} ({' to '.join(bounds)})" if bounds else value)
    return Table(
        (
            Column.labels("adjusted for", [one.covariate for one in ranking.coefficients]),
            Column.numbers(f"worth of a standard deviation, {sure:g}%", worth),
            Column.numbers("p", [DASH if isnan(one.p) else p_value(one.p) for one in ranking.coefficients]),
        ),
        "style",
    )


def _moved(ranking: "Ranking", most: int = _BEST) -> tuple[str, ...]:
    """Say what was adjusted for, and who moved most by that; nothing of other rankings."""
    if not ranking.coefficients:
        return ()
    before, now = dict(ranking.extras)["unadjusted_rank"].astype(np.int64), ranking.rank
    order = np.argsort(-np.abs(now - before), kind="stable")
    moved = [place for place in order.tolist() if now[place] != before[place]]
    said = [
        f"{ranking.systems[at]} {'rises' if now[at] < before[at] else 'falls'} from {before[at]} to {now[at]}"
        for at in moved
    ]
    names = listed([one.covariate for one in ranking.coefficients])
    return (f"adjusted for {names}, {few(said, most) if said else 'no system changes its rank'}",)


def _of_first(ranking: "Ranking", most: int = _BEST, room: int = NAMED) -> tuple[str, ...]:
    """Say which systems the first place may belong to, and on what it rests if systems were not run alike."""
    name = dict(zip(ranking.systems, ranking.families or ranking.systems, strict=True))
    kind, number = ("families", len(set(ranking.families))) if ranking.families else ("systems", len(ranking))
    tied = list(dict.fromkeys(name[system] for system in ranking.systems[: np.count_nonzero(ranking.rank == 1)]))
    leads = f"{tied[0]} {'leads on what was run' if ranking.caveat else 'is first'}"
    if len(tied) > 1:
        leads = with_names("", tied, " share the first rank", most=most, room=room)
    if ranking.intervals is None:
        unsure = f": {ranking.caveat}" if ranking.caveat else "; without intervals, nothing says how sure that is"
        why = [note.split(": ")[1] for note in ranking.notes if note.startswith(DEPENDS)]
        return (f"{leads}; there are no intervals, as {why[0]}" if why else f"{leads}{unsure}",)
    best = list(dict.fromkeys(name[system] for system in ranking.top()))
    sure = f"({100 * ranking.intervals.confidence:g}% confidence, {ranking.scope})"
    others = [one for one in best if one not in tied]
    if not others and len(tied) < number:
        first = f"{leads} {sure}"
    elif len(best) == number:
        first = f"any of the {len(best):,} {kind} may be the best {sure}"
    elif len(others) == 1:
        first = f"{leads}, and {others[0]} may be as good {sure}"
    else:
        before = f"{leads}, and {len(others):,} others may be as good: "
        first = with_names(before, others, f" {sure}", most=most, room=room)
    return (first, ranking.caveat) if ranking.caveat else (first,)


def _separated(systems: Sequence[str], intervals: "Intervals", *, named: bool = True) -> tuple[str, ...]:
    """Say what is separated if tiers do not; nothing if no pair is."""
    apart = intervals.separated
    if intervals.tiered or not apart.any():
        return ()
    number, ranked = int(apart.sum()), int(np.count_nonzero(intervals.tier))
    pairs = f"{number:,} of {how_many(ranked * (ranked - 1) // 2, 'pair')} {are(number)} separated, all pairs together"
    if not named:
        return (pairs,)
    best = int(apart.any(axis=1).argmax())
    worse = few([systems[index] for index in np.flatnonzero(apart[best]).tolist()], _BEST)
    return (f"{pairs}: {systems[best]} is better than {worse}",)


def _by_prompts(ranking: "Ranking") -> tuple[str, ...]:
    """Say under how many prompts the first is first, too; nothing without prompts."""
    if ranking.by_prompt is None:
        return ()
    scores = ranking.by_prompt.scores if ranking.higher_is_better else -ranking.by_prompt.scores
    others = np.fmax.reduce(scores[1:], axis=0)
    first, tied = (int(np.count_nonzero(one)) for one in (scores[0] > others, scores[0] == others))
    also = f", and ties by {tied:,}" if tied else ""
    return (f"{ranking.systems[0]} is first by {first:,} of {how_many(scores.shape[1], 'prompt')}{also}",)


def _largest_tier(sure: "Intervals") -> tuple[str, ...]:
    """Say how many pairs are separated inside the largest of several tiers; nothing if it is small."""
    sizes = np.bincount(sure.tier)[1:]
    if not sure.tiered or sizes.max() < _LARGE:
        return ()
    tier, size = int(sizes.argmax()) + 1, int(sizes.max())
    inside = sure.tier == tier
    apart = np.count_nonzero(sure.separated[np.ix_(inside, inside)])
    pairs = f"{apart:,} of its {size * (size - 1) // 2:,} pairs are separated"
    return (f"tier {tier} holds {size} systems; {pairs} (podium plan -f json lists them)",) if apart else ()


def sentence_of(ranking: "Ranking") -> str:
    """Return the sentences for a paper, see `Ranking.sentence`."""
    from podium import __version__  # noqa: PLC0415  # the package itself

    sure, instances = ranking.intervals, sum(task.n_instances for task in ranking.tasks)
    folded = f" in {len(set(ranking.families)):,} families, each as good as its best," if ranking.families else ""
    size = f"{how_many(len(ranking), 'system')}{folded} on {how_many(ranking.n_tasks, 'task')}"
    size += f" with {instances:,} instances" if instances > ranking.n_tasks else ""
    how = "the Borda score, the expected share of the other systems that a system beats"
    how = how if ranking.method == "borda" else f"the method {ranking.method!r}"
    by = [*([f"level {ranking.level}"] if ranking.level else []), f"podium {__version__}"]
    found = _of_first(ranking, most=_IN_PAPER, room=10**6)
    found = (*found, *_moved(ranking, _IN_PAPER))
    found = found if sure is None else (*found, *_separated(ranking.systems, sure, named=False))
    said = [f"We rank {size} by {how} ({', '.join(by)})."]
    said += [f"{note[0].upper()}{note[1:]}." for note in ranking.notes if _in_paper(note)]
    said.append(f"We find: {'; '.join(found)}.")
    if sure is not None and sure.tiered:
        said.append("Every system of a tier is better than every system of the tiers below, all pairs together.")
    families = len({task.family for task in ranking.tasks})
    if sure is not None and sure.units in {"tasks", "both"} and families < ranking.n_tasks:
        said.append(f"Tasks of one data set are drawn together, as {families:,} families.")
    return " ".join([*said, *([] if sure is None else [f"Intervals come from {sure.origin}."])])


def _in_paper(note: str) -> bool:
    return " scores are missing" in note or note.startswith(HUMAN)


def _round(circle: tuple[str, ...]) -> tuple[str, ...]:
    """Say that no order fits, and who beats whom in a circle; nothing where there is none."""
    beats = [f"{one} beats {other}" for one, other in zip(circle, (*circle[1:], *circle[:1]), strict=True)]
    return (f"no single order fits these battles: {few(beats, _BEST)}",) if beats else ()


def _adjusted(winner: Mapping[str, Any], sure: str) -> tuple[str, str, bool] | None:
    """Return the score of the winner, the same adjusted for selecting it, and whether they differ; None if unknown."""
    corrected = winner.get("corrected_score")
    if corrected is None:
        return None
    numbers = [winner[name] for name in ("score", "corrected_score", "corrected_low", "corrected_high")]
    score, new, low, high = map(signed, score_texts(numbers, [None] * 4))
    differ = score != new and abs(winner["score"] - corrected) >= _LITTLE * winner["std_error"]
    reach = abs(winner["corrected_high"] - winner["corrected_low"])
    nearest = min(abs(corrected - winner[f"corrected_{end}"]) for end in ("low", "high"))
    if nearest < _AT_END * reach:  # where the estimate stands in its interval, chance decides
        return score, f"{low} to {high} ({sure}; the lead is too small to say more)", differ
    return score, f"{new} ({sure} CI {low} to {high})", differ


def rank_table(ranking: "Ranking", columns: Sequence[Column], caption: str = "", *, winners: bool = False) -> Table:
    """Put ranks before columns, with their intervals and those of scores, with tiers if there are several, and winners.

    Columns of tiers, and of which systems may be the best, can be chosen if they are not shown.
    """
    rows, sure = ranking.rows(), ranking.intervals
    ranks, spare = [Column.numbers("rank", [span(row["rank"]) for row in rows])], list[Column]()
    if sure is not None:
        percent = f"{100 * sure.confidence:g}%"
        ranks.append(Column.numbers(f"{percent} ranks", [span(row["rank_low"], row["rank_high"]) for row in rows]))
        (ranks if sure.tiered else spare).append(Column.numbers("tier", [span(row["tier"]) for row in rows]))
        best = ["yes" if row["may_be_first"] else "" for row in rows]
        (ranks if winners else spare).append(Column.words("may be best", best))
    if "rank_best" in rows[0]:
        ends = [[None if row[end] is None else int(row[end]) for end in ("rank_best", "rank_worst")] for row in rows]
        ranks.append(Column.numbers("ranks in any case", [span(*pair) for pair in ends]))
    shown = Table((*ranks, *columns), caption, spare=tuple(spare))
    if sure is None:
        return shown
    scores = zip(sure.score_low.tolist(), ranking.score.tolist(), sure.score_high.tolist(), strict=True)
    bars = Bars(f"score with {100 * sure.confidence:g}% interval", tuple(scores))
    return replace(shown, bars=bars, bands=tuple(row["tier"] for row in rows))


def view_pairwise(pairwise: "Pairwise") -> View:
    """Lay out comparisons of all pairs: each system's mean share of wins, and the pairs that are closest to even.

    >>> import podium
    >>> view_pairwise(podium.pairwise(podium.datasets.toy_table1())).tables[0].rows[0]
    ('1', 'C', '0.583', '0 of 2', '0 of 2')
    """
    pairs = len(pairwise.systems) * (len(pairwise.systems) - 1) // 2
    title = (
        f"{in_words('pairwise', pairwise.level)}: {how_many(len(pairwise.systems), 'system')}, "
        f"{int(pairwise.separated.sum()):,} of {how_many(pairs, 'pair')} separated"
    )
    if pairwise.simultaneous:
        title += ", all pairs together"
    tables = (_shares(pairwise), _closest(pairwise))
    figure = Figure("heatmap", "Who beats whom", partial(heatmap, pairwise))
    return View(title, tables, pairwise.notes, _most_won(pairwise), (figure,), _PAIRWISE)


def _most_won(pairwise: "Pairwise") -> tuple[str, ...]:
    """Say who wins most, and how many others that system is better than for sure; nothing where none was compared."""
    if np.isnan(pairwise.share).all():
        return ()
    best = int(np.nanargmax(pairwise.share))
    won = f"{pairwise.systems[best]} wins most, {rounded_percent(pairwise.share[best])} of its comparisons on average"
    return (f"{won}; {_beyond_chance(pairwise, best)}",)


def _beyond_chance(pairwise: "Pairwise", system: int) -> str:
    """Say how many others a system is better than by more than chance."""
    better, others = int(pairwise.separated[system].sum()), len(pairwise.systems) - 1
    together = "all pairs together" if pairwise.simultaneous else "pair by pair"
    return (
        f"{better or 'none'} of {others} wins {are(better)} beyond chance ({100 * pairwise.confidence:g}%, {together})"
    )


def view_head_to_head(found: "HeadToHead") -> View:
    """Lay out the pairs, with the winner by majority, and how certain it is, or what prevents one."""
    sentence, winner = found.majorities.sentence, found.majorities.winner
    if winner is not None:
        sentence += f"; {_beyond_chance(found.pairs, found.pairs.systems.index(winner))}"
    return replace(found.pairs.view(), verdict=(sentence,))


def view_condorcet(condorcet: "Condorcet") -> View:
    """Lay out what majorities say: the winner or what prevents one, and how many others each system beats.

    >>> import podium
    >>> view_condorcet(podium.condorcet(podium.datasets.toy_table1())).tables[0].rows[0]
    ('C', 'yes', 'yes', '1', '0', '1')
    """
    cells = [
        [row["system"], *("yes" if row[name] else "no" for name in ("smith", "schwartz"))]
        + [f"{row[name]:,}" for name in ("wins", "losses", "undecided")]
        for row in condorcet.rows()
    ]
    systems, smith, schwartz, *numbers = zip(*cells, strict=True)
    columns = (
        Column.labels("system", systems),
        Column.words("in Smith set", smith),
        Column.words("in Schwartz set", schwartz),
        *map(Column.numbers, ("beats", "loses to", "undecided"), numbers),
    )
    return View(
        condorcet.title,
        (Table(columns, "other systems by majority").cut(_PAIRS),),
        condorcet.notes,
        (condorcet.sentence,),
        explain=_CONDORCET,
    )


def _shares(pairwise: "Pairwise") -> Table:
    others = len(pairwise.systems) - 1
    ranks = competition_ranks(places(pairwise.share, tolerance=ROUNDING))
    return Table(
        (
            Column.numbers("rank", [span(rank or None) for rank in ranks.tolist()]),
            Column.labels("system", pairwise.systems),
            Column.numbers("share won", [_share(value) for value in pairwise.share.tolist()]),
            Column.numbers("better than", [f"{int(row.sum()):,} of {others:,}" for row in pairwise.separated]),
            Column.numbers("worse than", [f"{int(row.sum()):,} of {others:,}" for row in pairwise.separated.T]),
        ),
        "share of comparisons won, mean over opponents",
    )


def _closest(pairwise: "Pairwise") -> Table:
    """Show the pairs that are nearest to even, of those that were compared."""
    n = len(pairwise.systems)
    every = [(i, j) for i in range(n) for j in range(i + 1, n) if pairwise.compared[i, j] > 0]
    shown = sorted(every, key=lambda pair: abs(pairwise.probability[pair] - 0.5))[:_PAIRS]
    percent = f"{'one-sided ' if pairwise.sided == 'one' else ''}{100 * pairwise.confidence:g}%"
    ends = [f"[{_share(pairwise.low[pair])}, {_share(pairwise.high[pair])}]" for pair in shown]
    rest = len(every) - len(shown)
    more = [f"… {how_many(rest, 'more pair')}"] if rest else []
    blank = [""] * len(more)
    bounds = [(pairwise.low[pair], pairwise.probability[pair], pairwise.high[pair]) for pair in shown]
    return Table(
        (
            Column.labels("system", [pairwise.systems[i] for i, _ in shown] + more),
            Column.labels("opponent", [pairwise.systems[j] for _, j in shown] + blank),
            Column.numbers("won", [_share(pairwise.probability[pair]) for pair in shown] + blank, 2),
            Column.numbers(f"{percent} interval", ends + blank, 1),
            Column.numbers("comparisons", [f"{pairwise.compared[pair]:,.4g}" for pair in shown] + blank),
            Column.words("separated", ["yes" if _decided(pairwise, *pair) else "no" for pair in shown] + blank, 3),
        ),
        "the pairs that are closest to even",
        bars=Bars(f"won with {percent} interval", (*bounds, *[(nan, nan, nan)] * len(more)), origin=0.5),
    )


def _decided(pairwise: "Pairwise", i: int, j: int) -> bool:
    return bool(pairwise.separated[i, j] or pairwise.separated[j, i])


def _share(value: float) -> str:
    return DASH if value != value else f"{value:.3f}"  # noqa: PLR0124  # NaN differs from itself
