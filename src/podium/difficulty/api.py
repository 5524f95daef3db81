"""Rate instances: spurious bias, similarity to a training set, failures, item response."""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from podium.base.check import Rng, seed_of
from podium.base.errors import InputError, MethodError, PodiumError
from podium.base.parallel import Progress
from podium.base.words import how_many
from podium.difficulty.bias import bias_across, bias_within
from podium.difficulty.result import (
    Difficulty,
    Measure,
    Texts,
    checked_answers,
    checked_texts,
    notes_across,
    notes_on_failures,
    notes_on_items,
    notes_within,
)
from podium.difficulty.texts import embedded, named_percents, top_similarity
from podium.response.fit import ItemResponse, fit_item_response, solved
from podium.score.table import Scores
from podium.source.memory import ReadingOptions, ScoresLike, as_scores, keywords

#: Rounds of Algorithm 1 where no number is given.
_ROUNDS = 64


@keywords
def bias(
    test: Texts,
    train: Texts | None = None,
    *,
    algorithm: int | None = None,
    encoder: str | None = None,
    fine_tune: bool = False,
    rounds: int | None = None,
    size: int | None = None,
    probabilities: bool = False,
    rng: Rng = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Difficulty:
    """Rate test instances by their spurious bias: how often simple classifiers of embeddings answer them rightly.

    Within the test set (Algorithm 1): the share of linear models, trained on other instances of the test set, that are
    right. Across sets (Algorithm 2): the share of four classifiers trained on the training set that are right, or the
    mean probability they give to the right answer. An instance that they solve is easy for a shallow reason.

    Parameters
    ----------
    test
        Texts or embeddings, and right answers.
    train
        The training set, for Algorithm 2.
    algorithm
        1 or 2; None is 2 where there is a training set and 1 otherwise.
    encoder
        What embeds texts that come without embeddings: "tfidf", which is the default, "hf:roberta-base" as in the
        paper, a folder, or others; see `podium.difficulty.texts.encode`.
    fine_tune
        Fine-tune the encoder on 10% of the test set, which then has no bias. Only for encoders of Hugging Face.
    rounds, size
        For Algorithm 1: how many training sets are drawn (by default 64), and of how many instances (a tenth, but 50
        at least).
    probabilities
        For Algorithm 2: take probabilities, so that few instances tie.
    rng
        Of all that is drawn: training sets, the share for fine-tuning, and the folds for probabilities. Algorithm 2
        without either draws nothing.
    n_jobs
        Processes; the result does not depend on it.
    progress
        Called with what is done and what there is, first of the encoder, then of rounds or classifiers.

    Returns
    -------
    Difficulty
        Measure "bias", from 0 to 1, low is hard; NaN where an instance was fine-tuned on or never held out. For
        Algorithm 1 also "evaluated": by how many predictions.

    Raises
    ------
    InputError
        There are no right answers, texts or embeddings do not fit together, or the encoder cannot be loaded.
    MethodError
        An option has an impossible value, or is for the other algorithm.
    MissingExtraError
        scikit-learn, or what the encoder needs, is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Algorithms 1 and 2.

    Examples
    --------
    >>> from podium.difficulty.result import Texts
    >>> texts = [f"{word} film {number}" for number in range(10) for word in ("good", "bad")]
    >>> test = Texts(np.arange(20), tuple(texts), gold=("yes", "no") * 10)
    >>> bias(test, rounds=4, n_jobs=1).measure().values[:4]
    array([1.  , 0.75, 1.  , 1.  ])
    """
    seed = seed_of(rng)
    across = _is_across(algorithm, train, probabilities=probabilities, rounds=rounds, size=size)
    sets = [checked_texts(test, "test")] + ([checked_texts(train, "train")] if across else [])
    right = [checked_answers(texts) for texts in sets]
    encoded = embedded(sets, encoder, gold=test.gold if fine_tune else None, seed=seed, progress=progress)
    kept = ~encoded.discarded
    found = np.full(len(test), np.nan)
    common: dict[str, Any] = {"seed": seed, "jobs": n_jobs, "progress": progress}
    extras: tuple[tuple[str, Any], ...] = ()
    if across:
        over = bias_across(
            encoded.train, right[1], encoded.test[kept], right[0][kept], probabilities=probabilities, **common
        )
        found[kept] = over.bias
        said = notes_across(sets[1], over.unseen, over.unconverged, probabilities=probabilities)
    else:
        inside = bias_within(
            *(encoded.test[kept], right[0][kept]), rounds=_ROUNDS if rounds is None else rounds, size=size, **common
        )
        found[kept] = inside.bias
        evaluated = np.zeros(len(test), dtype=np.int64)
        evaluated[kept] = inside.evaluated
        extras = (("evaluated", evaluated),)
        said = notes_within(inside, int(kept.sum()))
    notes = [note for texts in sets for note in texts.notes]
    return Difficulty(
        test.instances, (Measure("bias", found, "low"),), extras=extras, notes=(*notes, *encoded.notes, *said)
    )


def _is_across(algorithm: int | None, train: Any, *, probabilities: bool, **within: Any) -> bool:
    """Return whether Algorithm 2 is meant; refuse options of the other one."""
    if algorithm not in [None, 1, 2]:  # whatever is given
        raise MethodError(f"there is no algorithm {algorithm!r} of spurious bias; choose 1 or 2")
    if algorithm == 2 and train is None:
        raise MethodError("algorithm 2 learns from a training set; give one (--train), or take algorithm 1")
    across = algorithm == 2 or (algorithm is None and train is not None)
    idle = [option for option, value in within.items() if value is not None]
    if across and idle:
        raise MethodError(f"only algorithm 1, within the test set, takes {idle[0]}; leave it out, or the training set")
    if probabilities and not across:
        raise MethodError("probabilities are for algorithm 2; give a training set (--train), or leave them out")
    return across


@keywords
def similarity(
    test: Texts,
    train: Texts,
    *,
    top_percent: Sequence[float] | float = (25.0,),
    encoder: str | None = None,
    memory: int = 256 * 2**20,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Difficulty:
    """Rate test instances by their similarity to the training set: what is far from it is hard.

    The mean cosine similarity to the nearest p % of the training set.

    Parameters
    ----------
    test, train
        Texts or embeddings of both sets.
    top_percent
        Percentages p, one or several.
    encoder
        As for `bias`.
    memory
        Bytes for similarities held at a time.
    n_jobs
        Cores; the result does not depend on it.
    progress
        Called with what is done and what there is, first of the encoder, then of test instances.

    Returns
    -------
    Difficulty
        A measure "similarity_25" for each p, from −1 to 1, low is hard; NaN where the embedding of a text is zero.

    Raises
    ------
    InputError
        Texts or embeddings do not fit together, or the encoder cannot be loaded.
    MethodError
        A percentage or another option cannot be, or an encoder is named beside embeddings.
    MissingExtraError
        What the encoder needs is not installed.

    References
    ----------
    Mishra & Arunkumar, AAAI 2021, Ranking Samples (WOOD).

    Examples
    --------
    >>> from podium.difficulty.result import Texts
    >>> test = Texts(np.array(["near", "far"]), embeddings=np.array([[1.0, 0.0], [3.0, 4.0]]))
    >>> train = Texts(np.arange(4), embeddings=np.array([[1.0, 0.0], [0.0, 2.0], [0.0, -1.0], [-3.0, 0.0]]))
    >>> similarity(test, train, top_percent=(25, 50)).rows()[1]
    {'instance': 'far', 'similarity_25': 0.8, 'similarity_50': 0.7}
    """
    percents = named_percents(top_percent if isinstance(top_percent, Iterable) else [top_percent])
    encoded = embedded([checked_texts(test, "test"), checked_texts(train, "train")], encoder, progress=progress)
    near, far = np.asarray(encoded.train), encoded.test
    nears, fars = near.any(axis=1), far.any(axis=1)
    for texts, rows in ((train, nears), (test, fars)):
        if not rows.any():
            raise InputError(f"all embeddings of {texts.name} are zeros, so they have no similarity to anything")
    values = np.full((len(percents), len(test)), np.nan)
    values[:, fars] = top_similarity(
        near if nears.all() else near[nears],
        far if fars.all() else far[fars],
        list(percents.values()),
        memory=memory,
        threads=n_jobs,
        progress=progress,
    )
    nearest = f"{' / '.join(percents)} % of {how_many(int(nears.sum()), 'instance')}"
    said = [f"similarity: mean cosine to the nearest {nearest} of {train.name}"]
    for texts, rows in ((train, nears), (test, fars)):
        if empty := int((~rows).sum()):
            said.append(
                f"{texts.name}: left out {how_many(empty, 'instance')} without a word or with an embedding of zeros"
            )
    measures = tuple(Measure(f"similarity_{name}", row, "low") for name, row in zip(percents, values, strict=True))
    return Difficulty(test.instances, measures, notes=(*test.notes, *train.notes, *encoded.notes, *said))


@keywords
def failures(scores: "ScoresLike", **reading: Unpack[ReadingOptions]) -> Difficulty:
    """Rate instances by the share of systems that fail them: 1 − mean of their scores.

    Where lower is better a score counts as 1 minus itself; missing scores are left out.

    Parameters
    ----------
    scores
        Scores from 0 to 1, with instances; or what becomes such a table, see `podium.ScoresLike`.

    Returns
    -------
    Difficulty
        Measure "failures", from 0 to 1, high is hard; NaN where no system has a score.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        Scores have no instances, or lie outside 0 to 1.

    Examples
    --------
    >>> import podium
    >>> scores = podium.from_arrays({"t": [[1, 0], [1, 0], [1, 1]]}, systems=["A", "B", "C"])
    >>> failures(scores).measure().values.round(4)
    array([0.    , 0.6667])
    """
    scores = as_scores(scores, **reading)
    with np.errstate(invalid="ignore"):  # no score at all
        values = [
            1 - np.nansum(table, axis=0) / np.count_nonzero(~np.isnan(table), axis=0)
            for table in solved(scores, "difficulty")
        ]
    measure = Measure("failures", np.concatenate(values), "high")
    return _rated(scores, (measure,), notes=[*scores.notes, *notes_on_failures(len(scores.systems), measure.values)])


@keywords
def irt(
    scores: "ScoresLike",
    *,
    together: bool = False,
    suspects: bool = False,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Difficulty:
    """Rate instances by an item response model: the ability that solves one in half of the cases.

    The two-parameter logistic model: system j solves instance k with probability 1 / (1 + exp(−a_k (θ_j − b_k))). The
    difficulty is b, on the scale of the abilities θ; the discrimination a says how sharply the instance separates
    systems. Priors settle the origin and the unit of the scale, and what few systems leave open: see
    `podium.response.fit.fit_item_response`.

    Parameters
    ----------
    scores
        Scores from 0 to 1, with instances, or what becomes such a table, see `podium.ScoresLike`; where lower is better
        a score counts as 1 minus itself.
    together
        Whether one ability of each system is behind all tasks, so that difficulties of different tasks are on one
        scale. By default every task has abilities of its own: a system may be good at one and bad at another, and no
        task is judged by the others; but then b of one task says nothing of b of another.
    suspects
        Whether to look for instances on which better systems do worse, as if their labels were wrong.
    progress
        Called while the model is fitted, with what is done and what there is where that is known.

    Returns
    -------
    Difficulty
        Measure "irt", high is hard: b. Beside it "std_error" of b; "discrimination" a and its
        "discrimination_std_error"; "information", what the instance says of these systems, the mean over them of
        a² P (1 − P); "misfit", z of scores more surprising than the model expects; and "estimate", "yes" or why there
        is none: of an instance that all systems solve, or none, b is the prior's, which only puts it among the easiest
        or hardest, and the rest is NaN. With `suspects`, the probability that better systems do worse, "suspect", the
        discrimination with its sign, "slope", and whether it is among the "suspects": at most 10% of these are expected
        to be there by mistake.

    Raises
    ------
    InputError
        `scores` is no score table and cannot be read as one.
    MethodError
        Scores have no instances, lie outside 0 to 1, or are too few for the model.
    ConvergenceError
        The fit does not converge.

    Examples
    --------
    >>> import podium
    >>> table = (np.arange(12)[:, None] > np.array([1, 5, 9])).astype(float)
    >>> scores = podium.from_arrays({"t": table}, systems=[f"s{number}" for number in range(12)])
    >>> irt(scores).measure().values.argsort()
    array([0, 1, 2])
    """
    scores = as_scores(scores, **reading)
    tables = solved(scores, "difficulty")
    names = list(scores.task_names)
    if together:
        tables, names = [np.concatenate(tables, axis=1)], ["all tasks"]
    fits = []
    for name, table in zip(names, tables, strict=True):
        try:
            fits.append(fit_item_response(table, progress=progress, errors=True, suspect=suspects))
        except PodiumError as error:
            raise type(error)(f"{name}: {error}") from error
    extras = [_beside(table, fit) for table, fit in zip(tables, fits, strict=True)]
    columns = {name: np.concatenate([extra[name] for extra in extras]) for name in extras[0]}
    said = notes_on_items(len(scores.systems), len(tables), columns)
    return _rated(
        scores,
        (Measure("irt", np.concatenate([fit.difficulty for fit in fits]), "high", by_task=len(tables) > 1),),
        extras=tuple(columns.items()),
        notes=[*scores.notes, *said],
    )


def _beside(table: NDArray[np.float64], fit: ItemResponse) -> dict[str, NDArray[Any]]:
    """Return what is known of the instances of one fit beside their difficulty, by column."""
    lowest, highest = np.fmin.reduce(table, axis=0), np.fmax.reduce(table, axis=0)
    why = np.select(
        [np.isnan(lowest), lowest == 1, highest == 0], ["no score", "all solve it", "none solves it"], "yes"
    )
    known = why == "yes"
    found: dict[str, NDArray[Any]] = {
        "std_error": fit.difficulty_se,
        "discrimination": np.where(known, fit.discrimination, np.nan),
        "discrimination_std_error": fit.discrimination_se,
        "information": np.where(known, fit.mean_information, np.nan),
        "misfit": fit.misfit,
        "estimate": why.astype(np.dtypes.StringDType()),
    }
    if fit.suspects is not None:
        found |= {"suspect": fit.suspects.probability, "slope": fit.suspects.slope, "suspects": fit.suspects.listed}
    return found


def _rated(scores: Scores, measures: tuple[Measure, ...], *, notes: Sequence[str], extras: Any = ()) -> Difficulty:
    """Put labels on what was measured, task after task; those of all tasks are text if those of one are."""
    labels = [np.arange(task.n_instances) if task.instances is None else task.instances for task in scores.tasks]
    if len({part.dtype.kind in "iu" for part in labels}) > 1:
        labels = [part.astype(np.dtypes.StringDType()) for part in labels]
    tasks = np.repeat(np.array(scores.task_names), [len(part) for part in labels])
    instances = np.concatenate(labels)
    return Difficulty(instances, measures, tasks=tasks, extras=extras, notes=tuple(notes), backend=scores.backend)
