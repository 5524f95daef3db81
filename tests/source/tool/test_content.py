"""Values of large JSON files, one at a time."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from podium.base.errors import InputError
from podium.source.tool import content as module
from podium.source.tool.content import Content

LETTERS = '\\"{}[],: aé\n'


def anything(seed: random.Random, deep: int = 0) -> Any:
    kind = seed.randrange(9 if deep < 3 else 6)
    if kind == 6:
        return [anything(seed, deep + 1) for _ in range(seed.randrange(4))]
    if kind == 7:
        return {text(seed) + str(place): anything(seed, deep + 1) for place in range(seed.randrange(4))}
    return [1.5, None, True, -3, text(seed), [], 0, 12, {}][kind]


def text(seed: random.Random) -> str:
    return "".join(seed.choice(LETTERS) for _ in range(seed.randrange(6)))


def rebuilt(content: Content) -> tuple[dict[str, Any], bool]:
    """What a file holds, with the elements of its list of samples put together, and whether it is cut off."""
    found: dict[str, Any] = {}
    cut = False
    for member in content.named_values("samples"):
        cut = member is None
        if member is not None and member[0] == "samples":
            found.setdefault("samples", []).append(member[1])
        elif member is not None:
            found[member[0]] = member[1]
    return found, cut


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_members_make_up_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    for seed in range(first, first + 50):
        numbers = random.Random(seed)  # noqa: S311  # any numbers will do
        monkeypatch.setattr(module, "_LETTERS", numbers.choice([1, 2, 5, 64, 2**22]))
        samples = [{"id": anything(numbers)} for _ in range(numbers.randrange(1, 4))]
        given = {"a": anything(numbers), "samples": samples, '\\"': anything(numbers), "z": anything(numbers)}
        path = tmp_path / "a.json"
        indent, ascii_only = numbers.choice([None, 2]), numbers.random() < 0.5
        path.write_text(json.dumps(given, indent=indent, ensure_ascii=ascii_only), "utf-8")
        assert rebuilt(Content(path)) == (given, False)
        path.write_text(json.dumps(samples, indent=indent), "utf-8")
        assert list(Content(path).elements()) == samples


def test_a_first_line_may_be_longer_than_what_is_read_first(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    sample = {"input": "a" * (module._HEAD + 9), "score": 1}
    path.write_text(f"{json.dumps(sample)}\n" * 2)
    assert Content(path).first_line == sample


def test_a_cut_file_gives_what_is_whole(tmp_path: Path) -> None:
    samples: list[dict[str, Any]] = [{"id": number, "b": [number, True, "\u00e9\n"]} for number in range(3)]
    whole = json.dumps({"a": "one", "samples": samples, "z": "end"})
    for end in range(1, len(whole)):
        (tmp_path / "a.json").write_text(whole[:end], "utf-8")
        found, cut = rebuilt(Content(tmp_path / "a.json"))
        assert cut
        assert found.get("a", "one") == "one"
        assert found.get("samples", []) == samples[: len(found.get("samples", []))]


@pytest.mark.parametrize(
    "damaged", ['{"a": 1, "b": nothing, "c": 123456}', "{1: 2}", '{"a" 1}', '{"a": "\\q12345678"}']
)
def test_damage_is_named(tmp_path: Path, damaged: str) -> None:
    (tmp_path / "a.json").write_text(damaged, "utf-8")
    with pytest.raises(InputError, match=r"a.json is not JSON: "):
        list(Content(tmp_path / "a.json").named_values())
