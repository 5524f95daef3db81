"""Models of texts from the library sentence-transformers, and any Hugging Face encoder through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.difficulty.encoder.load import Progress, batches, distinct, guarded, needs, silent, token_counts, truncated

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
        with needs("sentence-transformers", f"the encoder {name!r}"), guarded(name):
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
        with needs("sentence-transformers", f"the encoder {name!r}"), guarded(name):
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
