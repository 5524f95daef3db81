"""Values of large JSON files, one at a time."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from podium.base.errors import InputError
from podium.source.tool import content as parts
from podium.source.tool.content import Parts

LETTERS = '\\"{}[],: aé\n'


def anything(seed: random.Random, deep: int = 0) -> Any:
    kind = seed.randrange(9 if deep < 3 else 6)
    if kind == 6:
        return [anything(seed, deep + 1) for _ in range(seed.randrange(4))]
    if kind == 7:
        return {text(seed) + str(place): anything(seed, deep + 1) for place in range(seed.randrange(4))}
    return [1.5, None, True, -3, text(seed), [], 0, 0, {}][kind]


def text(seed: random.Random) -> str:
    return "".join(seed.choice(LETTERS) for _ in range(seed.randrange(6)))


def rebuilt(file: Parts) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for member, element, key, value in file:
        if element is None:
            found[member] = value
        else:
            listed = found.setdefault(member, [])
            listed += [{} for _ in range(element + 1 - len(listed))]
            listed[element][key] = value
    return found


@pytest.mark.parametrize("seed", range(300))
def test_parts_make_up_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    numbers = random.Random(seed)  # noqa: S311  # any numbers will do
    monkeypatch.setattr(parts, "_PIECE", numbers.choice([1, 2, 5, 64, 2**22]))
    elements = [{f'"{place}\\': anything(numbers) for place in range(1, 4)} for _ in range(numbers.randrange(1, 4))]
    given = {"a": anything(numbers), "samples": elements, '\\"': anything(numbers), "z": anything(numbers)}
    path = tmp_path / "a.json"
    indent, ascii_only = numbers.choice([None, 2]), numbers.random() < 0.5
    path.write_text(json.dumps(given, indent=indent, ensure_ascii=ascii_only), "utf-8")
    file = Parts(path, "a.json", "samples")
    assert rebuilt(file) == given
    assert file.whole
    assert list(Parts(path, "a.json").names()) == list(given)


def test_a_cut_file_gives_what_is_whole(tmp_path: Path) -> None:
    samples: list[dict[str, Any]] = [{"id": number, "b": [number]} for number in range(3)]
    given = {"a": 1, "samples": samples, "z": "end"}
    whole = json.dumps(given)
    for end in range(len(whole)):
        (tmp_path / "a.json").write_text(whole[:end], "utf-8")
        file = Parts(tmp_path / "a.json", "a.json", "samples")
        found = rebuilt(file)
        assert not file.whole
        assert found.get("a", 1) == 1
        assert all(sample.items() <= samples[place].items() for place, sample in enumerate(found.get("samples", [])))


def test_members_that_are_skipped_are_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"samples": [{"id": 1, "events": [no json], "x": NaN}]}', "utf-8")
    found = list(Parts(tmp_path / "a.json", "a.json", "samples", frozenset({"events"})))
    assert [(key, str(value)) for _, _, key, value in found] == [("id", "1"), ("x", "nan")]


def test_damage_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"a": 1, "b": nothing}', "utf-8")
    with pytest.raises(InputError, match=r"b.json is not JSON"):
        list(Parts(tmp_path / "a.json", "b.json"))
    (tmp_path / "a.json").write_text("{1: 2}", "utf-8")
    with pytest.raises(InputError, match=r"b.json is not JSON: 1 is no name"):
        list(Parts(tmp_path / "a.json", "b.json"))
