"""Models of texts: how they are loaded, what is cut, and texts in batches.

- Fine-tuning an encoder on a share of the test set, as a classifier of the right answers.
"""

import logging
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.base.errors import InputError, MethodError, MissingExtraError
from podium.base.parallel import Progress, generator
from podium.base.words import how_many

#: Loggers that would speak on the terminal.
_LOGGERS = ("huggingface_hub", "sentence_transformers", "transformers", "httpx")


@contextmanager
def loading(name: str) -> Iterator[None]:
    """Load a model without output; say what is wrong with it, and what to do, where that fails.

    Parameters
    ----------
    name
        Folder or name on the hub.

    Raises
    ------
    InputError
        It cannot be loaded.
    MissingExtraError
        A library of the extra "text" is not installed.
    """
    try:
        with silent():
            yield
    except (MemoryError, InputError):
        raise
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"sentence_transformers", "transformers", "torch"}:
            raise
        raise MissingExtraError("sentence-transformers", "text", f"the encoder {name!r}") from error
    except Exception as error:  # whatever damaged files make the libraries raise
        reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
        if Path(name).is_dir():
            raise InputError(f"the folder {name!r} holds no model that can be loaded: {reason}") from error
        raise InputError(
            f"there is no model {name!r} on this machine, and it cannot be downloaded: {reason}; name the folder of a "
            "model on disk in its place, or take the encoder tfidf, which needs none"
        ) from error


@contextmanager
def silent() -> Iterator[None]:
    """Keep the libraries from logging, warning and drawing bars; as it was, afterwards."""
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        from transformers.utils import logging as transformers_logging  # noqa: PLC0415  # brings PyTorch

        if transformers_logging.is_progress_bar_enabled():
            transformers_logging.disable_progress_bar()
            stack.callback(transformers_logging.enable_progress_bar)
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            stack.callback(logger.setLevel, logger.level)
            logger.setLevel(logging.CRITICAL)
        yield


def distinct(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return each text once, sorted, and for every text the place of its like.

    Sorted, so that embeddings do not depend on the order in which texts come.

    >>> distinct(["b", "a", "b"])
    (['a', 'b'], [1, 0, 1])
    """
    once = sorted(set(texts))
    places = {text: place for place, text in enumerate(once)}
    return once, [places[text] for text in texts]


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[list[int]]:
    """Yield indices, longest first, in batches of at most `budget` tokens once padded, or of one text.

    >>> list(batches([3, 9, 4, 2], budget=12))
    [[1], [2, 0, 3]]
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        if batch and ((len(batch) + 1) * lengths[batch[0]] > budget or len(batch) == most):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def token_counts(tokenizer: Any, texts: Sequence[str]) -> list[int]:
    """Tokens of each text, uncut, with those that mark its ends; letters, to a tokenizer of another kind."""
    try:
        return [len(ids) for ids in tokenizer(list(texts), truncation=False, verbose=False)["input_ids"]]
    except (TypeError, KeyError, ValueError):
        return [len(text) for text in texts]


def truncated(lengths: Sequence[int], limit: int | None) -> tuple[str, ...]:
    """Say how many texts are longer than a model takes.

    >>> truncated([3, 600], 512)
    ('1 of 2 texts is longer than the 512 tokens that the model takes; its end was cut off',)
    """
    long = 0 if limit is None else sum(length > limit for length in lengths)
    if not long:
        return ()
    is_long, end = ("is", "its end was") if long == 1 else ("are", "their ends were")
    share = f"{long:,} of {how_many(len(lengths), 'text')}"
    return (f"{share} {is_long} longer than the {limit:,} tokens that the model takes; {end} cut off",)


#: Tokens in a batch.
_TOKENS = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A loaded model, on a GPU where there is one.

    Attributes
    ----------
    network
        Of sentence-transformers: from texts to a vector each.
    note
        Which model it is, in words.
    """

    network: Any
    note: str

    @classmethod
    def of_sentences(cls, name: str) -> Self:
        """Load a model of sentence-transformers, which pools and scales as it says itself.

        Raises
        ------
        InputError
            It cannot be loaded.
        MissingExtraError
            sentence-transformers is not installed.
        """
        with loading(name):
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # brings PyTorch

            return cls(SentenceTransformer(name), f"texts encoded by the sentence-transformers model {name}")

    @classmethod
    def of_tokens(cls, name: str) -> Self:
        """Load any Hugging Face encoder; a text becomes Σ mask · h / Σ mask, h the last hidden states of its tokens.

        Raises
        ------
        InputError
            It cannot be loaded.
        MissingExtraError
            sentence-transformers, which brings PyTorch and Hugging Face's library, is not installed.
        """
        with loading(name):
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415  # brings PyTorch
            from sentence_transformers.models import Pooling, Transformer  # noqa: PLC0415  # the same

            tokens = Transformer(name)
            if tokens.auto_model.config.is_encoder_decoder and hasattr(tokens.auto_model, "decoder"):
                tokens.auto_model = tokens.auto_model.get_encoder()
            if tokens.tokenizer.pad_token is None:
                tokens.tokenizer.pad_token = tokens.tokenizer.eos_token
            tokens.max_seq_length = _limit(tokens.tokenizer, tokens.auto_model)
            pooling = Pooling(tokens.auto_model.config.hidden_size, "mean")
            network = SentenceTransformer(modules=[tokens, pooling]).float().eval()
            return cls(network, f"texts encoded by the mean of the last hidden states of {name}")

    @property
    def limit(self) -> int | None:
        """Tokens that a text may have."""
        limit: int | None = self.network.max_seq_length
        return limit

    def pooled(self, texts: Sequence[str]) -> Any:
        """Tensor `(len(texts), D)`, through which gradients can be taken."""
        import torch  # noqa: PLC0415  # loaded with the model

        features = self.network.tokenize(list(texts))
        there = {name: one.to(self.network.device) for name, one in features.items() if isinstance(one, torch.Tensor)}
        return self.network({**features, **there})["sentence_embedding"]

    def embed(
        self, texts: Sequence[str], *, progress: Progress | None = None
    ) -> tuple[NDArray[np.float32], tuple[str, ...]]:
        """Embed texts.

        Parameters
        ----------
        texts
            K texts.
        progress
            Called with the number of distinct texts embedded and the number there are.

        Returns
        -------
        matrix
            Shape `(K, D)`, float32.
        notes
            In words: the model, and how many texts it cut.
        """
        once, places = distinct(texts)
        rows: list[NDArray[np.float32] | None] = [None] * len(once)
        done = 0
        with silent():
            lengths = token_counts(self.network.tokenizer, once)
            longest = self.limit or max(lengths)
            for batch in batches([min(length, longest) for length in lengths], _TOKENS):
                some, options = [once[index] for index in batch], {"batch_size": len(batch), "show_progress_bar": False}
                for index, vector in zip(batch, self.network.encode(some, **options), strict=True):
                    rows[index] = vector
                done += len(batch)
                if progress is not None:
                    progress(done, len(once))
        cut = truncated([lengths[place] for place in places], self.limit)
        return np.asarray(rows, dtype=np.float32)[places], (self.note, *cut)


def _limit(tokenizer: Any, network: Any) -> int:
    """Tokens that a text may have: what the tokenizer says, and as many as there are positions."""
    positions = getattr(network.config, "max_position_embeddings", None) or tokenizer.model_max_length
    learned = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(learned, "padding_idx", None)
    # RoBERTa counts positions from behind that of padding
    usable = positions if padding is None else positions - padding - 1
    return int(min(tokenizer.model_max_length, usable))


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
    """Return how many of each class, by largest remainders; one at least where one can be spared."""
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
