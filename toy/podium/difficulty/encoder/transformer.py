"""Any Hugging Face encoder: the mean of its last hidden states over the tokens of a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from podium.difficulty.encoder.load import Progress, batches, distinct, guarded, needs, silent, token_counts, truncated

#: Tokens in a batch.
_TOKENS = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class Transformer:
    """A loaded encoder.

    Attributes
    ----------
    name
        Folder or name on the hub.
    tokenizer, network
        Of the library.
    limit
        Tokens that a text may have.
    device
        Where the network is: "cuda" or "cpu".
    """

    name: str
    tokenizer: Any
    network: Any
    limit: int
    device: str

    @classmethod
    def load(cls, name: str) -> Self:
        """Load an encoder, onto a GPU where there is one.

        Raises
        ------
        InputError
            It cannot be loaded.
        MissingExtraError
            sentence-transformers, which brings PyTorch and Hugging Face's library, is not installed.
        """
        with needs("sentence-transformers", f"the encoder {name!r}"), guarded(name):
            import torch  # noqa: PLC0415  # large
            from transformers import AutoModel, AutoTokenizer  # noqa: PLC0415  # with it

            tokenizer = AutoTokenizer.from_pretrained(name)
            network = AutoModel.from_pretrained(name)
            if network.config.is_encoder_decoder:
                network = network.get_encoder()
            if tokenizer.pad_token is None:
                tokenizer.pad_token = tokenizer.eos_token
            device = "cuda" if torch.cuda.is_available() else "cpu"
            return cls(name, tokenizer, network.float().eval().to(device), _limit(tokenizer, network), device)

    def pooled(self, texts: Sequence[str]) -> Any:
        """Tensor `(len(texts), D)`: Σ mask · h / Σ mask over the tokens, h the last hidden states."""
        cut = self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.limit, return_tensors="pt", verbose=False
        ).to(self.device)
        hidden = self.network(**cut).last_hidden_state
        mask = cut["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        return (hidden * mask).sum(1) / mask.sum(1).clamp(min=1)

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
        import torch  # noqa: PLC0415  # loaded with the encoder

        once, places = distinct(texts)
        rows: list[NDArray[np.float32] | None] = [None] * len(once)
        done = 0
        with silent(), torch.inference_mode():
            lengths = token_counts(self.tokenizer, once)
            for batch in batches([min(length, self.limit) for length in lengths], _TOKENS):
                vectors = self.pooled([once[index] for index in batch]).cpu().numpy()
                for index, vector in zip(batch, vectors, strict=True):
                    rows[index] = vector
                done += len(batch)
                if progress is not None:
                    progress(done, len(once))
        notes = (f"texts encoded by the mean of the last hidden states of {self.name}",)
        cut = truncated([lengths[place] for place in places], self.limit)
        return np.asarray(rows, dtype=np.float32)[places], (*notes, *cut)


def _limit(tokenizer: Any, network: Any) -> int:
    """Tokens that a text may have: what the tokenizer says, and as many as there are positions."""
    positions = getattr(network.config, "max_position_embeddings", None) or tokenizer.model_max_length
    learned = getattr(getattr(network, "embeddings", None), "position_embeddings", None)
    padding = getattr(learned, "padding_idx", None)
    # RoBERTa counts positions from behind that of padding
    usable = positions if padding is None else positions - padding - 1
    return int(min(tokenizer.model_max_length, usable))
