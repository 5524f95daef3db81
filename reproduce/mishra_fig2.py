"""Mishra & Arunkumar 2021, Fig. 2: scores in each of seven splits, by bias and by confidence."""

from collections.abc import Mapping

import numpy as np
from mishra_fig3 import FIRST, SURE, WOOD
from numpy.typing import NDArray
from outcome import Claim, Finding, Picture, Section, judged, stated
from released import IMAGES
from reviews import MODELS, SPLITS, board
from scipy.stats import rankdata

import podium

__all__ = ["section"]

PICTURE = "reproduce-mishra-fig2.svg"

Floats = NDArray[np.float64]

#: Points by which a score falls sharply from one split to the next.
SHARP = 5

TEXT = """
The setting of Figure 3. In the picture below, answers are in order of the confidence of the model that gave them, the
least sure first, as the paper defines WMProb: models are right where they are sure. The released tool has the splits
the other way round, so that its last one is where models are *least* sure. There scores do fall.
"""


def section() -> Section:
    """Scores by split on IMDb."""
    podium.plots.save(podium.plots.parallel(board("IMDb", SURE)), IMAGES / PICTURE)
    return Section(
        "Mishra & Arunkumar, Figure 2: scores by split",
        stated(TEXT, _held()),
        [
            judged("WSBias: curves", Picture(), _table(FIRST), shown="the table below"),
            _converge(),
            _easy(),
            _crossed(),
            _lstm(),
            judged("WOOD: curves; word2vec-cnn beats transformers in five splits", Picture(), WOOD),
            _last_split(),
            _spread_evenly(),
            _abstain(),
        ],
        [
            ["score by WSBias (Algorithm 1), by WMProb", *(f"split {split}" for split in range(1, SPLITS + 1))],
            *(
                [model, *(f"{bias:.0f}, {sure:.0f}" for bias, sure in zip(*rows, strict=True))]
                for model, *rows in zip(MODELS, _table(FIRST), _table(SURE), strict=True)
            ),
        ],
        [(PICTURE, "Scores of ten models on seven splits of IMDb, from the least confident answers to the most")],
    )


def _held() -> Mapping[str, bool]:
    """What the text says in words."""
    sure = _table(SURE)
    return {
        "models are right where they are sure": bool((sure[:, -1] > sure[:, 0]).all()),
        "There scores do fall": bool((_falls(_reversed()) > 0).all()),
    }


def _table(metric: str, splits: int = SPLITS) -> Floats:
    """Shape `(10, splits)`: scores on IMDb, in the order of `MODELS`."""
    found = board("IMDb", metric, splits=splits)
    scores: Floats = found.split_scores[[found.systems.index(model) for model in MODELS]]
    return scores


def _reversed() -> Floats:
    """Shape `(10, 7)`: scores from the most confident answers to the least."""
    return _table(SURE)[:, ::-1]


def _converge() -> Finding:
    between = np.ptp(_table(FIRST), axis=0)
    return judged(
        "WSBias: models differ in splits 1–3, and hardly in 6 and 7",
        Claim("near identical in 6 and 7", lambda found: found[5:].mean() < found[:3].mean() / 4),
        between,
        shown=f"best and worst are {between[:3].mean():.0f} points apart in splits 1–3, {between[5:].mean():.0f} in 6 "
        "and 7",
    )


def _easy() -> Finding:
    large = np.array(["bert" in model for model in MODELS])
    first, others = _table(FIRST)[large, 0], _table(FIRST)[~large, 0]
    return judged(
        "WSBias: transformers fail on split 1, the easiest",
        Claim("only roberta-large above 0, and barely", lambda found: np.count_nonzero(found > 0) == 1),
        first,
        shown=f"scores from {first.min():.0f} to {first.max():.0f}; the other seven from {others.min():.0f} to "
        f"{others.max():.0f}",
    )


def _crossed() -> Finding:
    moves = np.count_nonzero(np.diff([rankdata(-column) for column in _table(FIRST).T], axis=0), axis=0)
    named = {model: int(moves[MODELS.index(model)]) for model in ("bow-sum", "glove-lstm", "glove-cnn")}
    return judged(
        "WSBias: bow-sum, glove-lstm and glove-cnn change ranks often from split to split",
        Claim("more than others", lambda found: min(found.values()) > np.median(moves)),
        named,
        shown=f"{', '.join(map(str, named.values()))} times of {SPLITS - 1}; half of all models "
        f"{np.median(moves):g} or more",
    )


def _lstm() -> Finding:
    large, lstm = MODELS.index("roberta-large"), MODELS.index("glove-lstm")
    lead = [float(_table(FIRST, splits)[lstm, 0] - _table(FIRST, splits)[large, 0]) for splits in range(2, 6)]
    return judged(
        "WSBias: glove-lstm has fewer errors than roberta-large in split 1, of 2 to 5 splits",
        Claim("in words", lambda found: min(found) > 0),
        lead,
        shown=f"its score there is {-max(lead):.0f} points lower or more",
    )


def _falls(table: Floats) -> Floats:
    """Shape `(10,)`: points lost from the last split but one to the last."""
    lost: Floats = table[:, -2] - table[:, -1]
    return lost


def _last_split() -> Finding:
    lost, turned = _falls(_table(SURE)), _falls(_reversed())
    return judged(
        "WMProb: all models fall sharply in the last split, the most confident answers",
        Claim("all models", lambda found: bool((found > SHARP).all())),
        lost,
        {"splits in the reverse order, as in the released tool": turned},
        shown=f"{np.count_nonzero(lost > SHARP)} of 10 fall by more than {SHARP} points",
        note=f"in the reverse order, as in the released tool, {np.count_nonzero(turned > SHARP)} of 10 do, by "
        f"{turned[turned > SHARP].min():.0f} to {turned.max():.0f} points: in the *least* confident answers",
    )


def _errors() -> Floats:
    """Shape `(10, 7)`: share of wrong answers, in percent, from the least confident split to the most."""
    return (100 - _table(SURE)) / 2


def _spread_evenly() -> Finding:
    wrong = _errors()
    named = {model: wrong[MODELS.index(model)] for model in ("roberta-large", "bert-large", "glove-sum")}
    told = ", ".join(f"{model} {one[0]:.0f}% and {one[-1]:.0f}%" for model, one in named.items())
    return judged(
        "WMProb: as many errors where models are sure as where they are not",
        Claim("near equal", lambda found: all(abs(one[0] - one[-1]) < SHARP for one in found)),
        list(named.values()),
        shown=f"wrong in the least and the most confident split: {told}",
    )


def _abstain() -> Finding:
    table = _table(SURE)
    named = [MODELS.index(model) for model in ("bert-base", "glove-lstm", "word2vec-lstm")]

    def near_monotonic(rows: Floats) -> int:
        return sum(bool((np.diff(row) > -SHARP).all()) for row in rows)

    return judged(
        "WMProb: bert-base, glove-lstm and word2vec-lstm are right more often, the surer they are",
        Claim("near monotonic", lambda found: near_monotonic(found) == len(found)),
        table[named],
        shown=f"{near_monotonic(table[named])} of {len(named)}",
        note=f"so are {near_monotonic(np.delete(table, named, axis=0))} of the other seven; "
        f"a fall of {SHARP} points is allowed",
    )
