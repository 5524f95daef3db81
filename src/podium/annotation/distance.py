"""Similarity of test instances to the training set, by label."""

from collections.abc import Iterable, Sequence

import numpy as np

from podium.annotation.vectors import checked_texts, embedded
from podium.difficulties import Difficulty, Measure
from podium.difficulty import top_similarity
from podium.engine import Progress
from podium.errors import InputError, MethodError
from podium.texts import Texts
from podium.wording import counted

__all__ = ["similarity"]


def similarity(
    test: Texts,
    train: Texts,
    *,
    top: Sequence[float] | float = (25.0,),
    encoder: str | None = None,
    memory: int = 256 * 2**20,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Difficulty:
    """Rate test instances by their similarity to the training set: what is far from it is hard.

    The mean cosine similarity to the nearest p % of the training set.

    Parameters
    ----------
    test, train
        Texts or embeddings of both sets.
    top
        Percentages p, one or several.
    encoder
        As for `spurious_bias`.
    memory
        Bytes for similarities held at a time.
    threads
        Cores; the result does not depend on it.
    progress
        Called with what is done and what there is, first of the encoder, then of test instances.

    Returns
    -------
    Difficulty
        A measure "similarity_25" for each p, from −1 to 1, low is hard; NaN where a text has nothing to be compared by.

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
    >>> from podium.texts import Texts
    >>> test = Texts(np.array(["near", "far"]), embeddings=np.array([[1.0, 0.0], [3.0, 4.0]]))
    >>> train = Texts(np.arange(4), embeddings=np.array([[1.0, 0.0], [0.0, 2.0], [0.0, -1.0], [-3.0, 0.0]]))
    >>> similarity(test, train, top=(25, 50)).rows()[1]
    {'instance': 'far', 'similarity_25': 0.8, 'similarity_50': 0.7}
    """
    percents = _named(top if isinstance(top, Iterable) else [top])
    encoded = embedded([checked_texts(test, "test"), checked_texts(train, "train")], encoder, progress=progress)
    near, far = np.asarray(encoded.train), encoded.test
    nears, fars = near.any(axis=1), far.any(axis=1)
    for texts, rows in ((train, nears), (test, fars)):
        if not rows.any():
            raise InputError(f"no embedding of {texts.name} has a direction to be compared by")
    values = np.full((len(percents), len(test)), np.nan)
    values[:, fars] = top_similarity(
        near if nears.all() else near[nears],
        far if fars.all() else far[fars],
        list(percents.values()),
        memory=memory,
        threads=threads,
        progress=progress,
    )
    nearest = f"{' / '.join(percents)} % of {counted(int(nears.sum()), 'instance')}"
    said = [f"similarity is the mean cosine to the nearest {nearest} of {train.name}"]
    for texts, rows in ((train, nears), (test, fars)):
        if empty := int((~rows).sum()):
            said.append(f"{texts.name}: {counted(empty, 'instance')} without a word or a direction, left out")
    measures = tuple(Measure(f"similarity_{name}", row, "low") for name, row in zip(percents, values, strict=True))
    return Difficulty(test.instances, measures, notes=(*test.notes, *train.notes, *encoded.notes, *said))


def _named(top: Iterable[float]) -> dict[str, float]:
    """Percentages by what they are called in measures; a repeated one counts once."""
    named: dict[str, float] = {}
    for percent in top:
        name = f"{percent:g}"
        if named.setdefault(name, percent) != percent:
            raise MethodError(
                f"top names {named[name]!r} and {percent!r}, and the measures of both would be called "
                f"similarity_{name}; leave one of them out"
            )
    if not named:
        raise MethodError("top names no percentage of the training set; name one, such as 25")
    return named
