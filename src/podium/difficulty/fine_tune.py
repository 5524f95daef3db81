"""Fine-tuning an encoder on a share of the test set, as a classifier of the right answers."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError
from podium.base.parallel import Progress
from podium.base.seed import generator
from podium.base.words import how_many
from podium.difficulty.language_model import Model, silent

_BATCH = 16

_EPOCHS = 3

#: Small shares are gone through more often, until there are so many steps or epochs.
_STEPS = 100

_MOST_EPOCHS = 20

#: Learning rates of the encoder, and of the layer on top of it, which begins from nothing.
_RATE, _HEAD_RATE = 2e-5, 1e-3


def stratified_share(gold: Sequence[str], share: float, seed: int) -> NDArray[np.bool_]:
    """Choose a share of the instances, of every right answer in proportion, as far as whole numbers allow.

    An answer with two or more instances has at least one chosen, where there is room; what is left over goes to the
    largest remainders.

    Parameters
    ----------
    gold
        K right answers.
    share
        Between 0 and 1.
    seed
        From which instances are drawn.

    Returns
    -------
    NDArray
        Shape `(K,)`: True where chosen.

    Raises
    ------
    MethodError
        The share is not between 0 and 1.
    InputError
        There are fewer than two answers, or too few instances to choose two.

    Examples
    --------
    >>> chosen = stratified_share(["no"] * 30 + ["yes"] * 10, 0.1, seed=0)
    >>> chosen[:30].sum(), chosen[30:].sum()
    (np.int64(3), np.int64(1))
    """
    if not 0 < share < 1:
        raise MethodError(f"the share to fine-tune on is {share!r}; it must be a number between 0 and 1")
    classes, codes, sizes = np.unique(np.asarray(gold), return_inverse=True, return_counts=True)
    total = math.floor(share * codes.size + 0.5)
    if classes.size < 2 or total < 2:
        raise InputError(
            f"fine-tuning needs two different right answers, and a share of two instances; there are "
            f"{how_many(classes.size, 'answer')} and {how_many(codes.size, 'instance')}"
        )
    rng = generator(seed)
    chosen = np.zeros(codes.size, dtype=np.bool_)
    for code, wanted in enumerate(_quotas(sizes, total)):
        chosen[rng.permutation(np.flatnonzero(codes == code))[:wanted]] = True
    return chosen


def _quotas(sizes: NDArray[np.int64], total: int) -> list[int]:
    """How many of each class, by largest remainders; of those that can spare one, one at least while there is room."""
    exact = sizes * (total / sizes.sum())
    quotas = np.floor(exact).astype(np.int64)
    rest = np.argsort(-(exact - quotas), kind="stable")[: total - int(quotas.sum())]
    quotas[rest] += 1
    for code in np.flatnonzero((quotas == 0) & (sizes > 1)):
        if quotas.max() > 1:
            quotas[quotas.argmax()] -= 1
            quotas[code] = 1
    return [int(quota) for quota in quotas]


def fine_tune(
    model: Model,
    texts: Sequence[str],
    gold: Sequence[str],
    chosen: NDArray[np.bool_],
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> None:
    """Train an encoder, with a linear layer on its embeddings, to predict the right answers; in place.

    AdamW on the cross-entropy in batches of 16, its rate rising over a tenth of the steps and then falling linearly to
    0; three epochs, or as many (20 at most) as make 100 steps.

    Parameters
    ----------
    model
        The encoder, whose weights are changed.
    texts, gold
        K texts and their right answers.
    chosen
        Shape `(K,)`: True for those to train on.
    seed
        Of the layer's first weights, dropout and the order of the texts. The state of PyTorch's own generator is as
        before afterwards.
    progress
        Called with the number of steps taken and the number there are.
    """
    import torch  # noqa: PLC0415  # loaded with the encoder

    learned = np.flatnonzero(chosen)
    classes, answers = np.unique(np.asarray(gold), return_inverse=True)
    per_epoch = math.ceil(learned.size / _BATCH)
    steps = per_epoch * min(max(_EPOCHS, math.ceil(_STEPS / per_epoch)), _MOST_EPOCHS)
    with silent(), torch.random.fork_rng():
        torch.manual_seed(seed % 2**63)
        network = model.network.train()
        head = torch.nn.Linear(network.get_sentence_embedding_dimension(), classes.size).to(network.device)
        groups = [{"params": network.parameters(), "lr": _RATE}, {"params": head.parameters(), "lr": _HEAD_RATE}]
        optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=True)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _slope(step, steps))
        order = torch.empty(0, dtype=torch.int64)
        for step in range(steps):
            if not order.numel():
                order = torch.randperm(learned.size)
            rows, order = learned[order[:_BATCH].numpy()].tolist(), order[_BATCH:]
            logits = head(model.pooled([texts[row] for row in rows]))
            loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(answers[rows]).to(network.device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            if progress is not None:
                progress(step + 1, steps)
        network.eval()


def _slope(step: int, steps: int) -> float:
    """Share of the full rate at a step."""
    rise = max(1, steps // 10)
    return (step + 1) / rise if step < rise else (steps - step) / (steps - rise)
