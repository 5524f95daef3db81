"""Files of rows that say of themselves that all tasks are rectangles: the same instances for each of some systems."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from podium.errors import BoardError
from podium.source.rectangle import instances_of
from podium.store.log import DataFile
from podium.store.place import Place
from podium.store.rectangle import KEY, Rectangle
from podium.store.row import Facts, RowFile, writing_rows

FACTS = Facts(("A", "B", "C"), {"a": (True, False), "b": (False, False)}, None, single=False, sources=("x",))

#: Rows by task, system and instances, all of which are a rectangle.
WHOLE = [("a", "A", range(300)), ("a", "B", range(300)), ("b", "A", range(7, 400)), ("b", "C", range(7, 400))]


def written_file(
    folder: Path,
    blocks: list[tuple[str, str, Any]],
    *,
    name: str = "instance",
    more: tuple[str, ...] = (),
    cut: int = 0,
) -> RowFile:
    """Write a file, all rows of a block or so many of them at once."""
    place, written = Place.of(folder), list[DataFile]()
    with writing_rows(place, ["task", "system", name, "score", *more], FACTS, written) as writer:
        for task, system, instances in blocks:
            labels = [f"q{number:04}" if name == "instance_label" else number for number in instances]
            for start in range(0, len(labels), cut or len(labels)):
                some = labels[start : start + (cut or len(labels))]
                beside = {column: pa.array([1.0] * len(some)) for column in more}
                words = {"task": [task] * len(some), "system": [system] * len(some)}
                writer.write(pa.table({**words, name: some, "score": [0.5] * len(some), **beside}))
    return RowFile(place, written[0])


@pytest.mark.parametrize("name", ["instance", "instance_label"])
@pytest.mark.parametrize("cut", [0, 256, 299])
def test_rectangles_are_known_with_their_instances(tmp_path: Path, name: str, cut: int) -> None:
    file = written_file(tmp_path, WHOLE, name=name, cut=cut)
    if cut:
        assert file.rectangles is None, "pieces of fewer rows than 256 are not looked at"
        file = written_file(tmp_path, [(*block[:2], range(512)) for block in WHOLE], name=name, cut=256)
        assert [one.width for one in file.rectangles or ()] == [512, 512]
        return
    assert file.rectangles == [Rectangle("a", ("A", "B"), 300, 0), Rectangle("b", ("A", "C"), 393, 600)]
    first, second = (labels.to_pylist() for labels in instances_of(file, file.rectangles))
    assert (first[0], second[0]) == ((0, 7) if name == "instance" else ("q0000", "q0007"))
    assert (len(first), len(second)) == (300, 393)


def test_instances_are_found_behind_the_first_group_of_rows(tmp_path: Path) -> None:
    file = written_file(tmp_path, [("a", "A", range(90_000)), ("a", "B", range(90_000)), ("b", "A", range(5, 9_000))])
    assert file.n_groups > 1
    first, second = instances_of(file, file.rectangles or [])
    assert (first.to_pylist(), second.to_pylist()) == (list(range(90_000)), list(range(5, 9_000)))


@pytest.mark.parametrize(
    "blocks",
    [
        [("a", "A", range(300)), ("a", "B", range(299))],
        [("a", "A", range(300)), ("a", "B", range(301))],
        [("a", "A", range(300)), ("a", "B", range(1, 301))],
        [("a", "A", range(300)), ("a", "B", [*range(298), 299, 298])],
        [("a", "A", range(9)), ("a", "B", range(9))],
    ],
)
def test_other_rows_are_none(tmp_path: Path, blocks: list[tuple[str, str, Any]]) -> None:
    assert written_file(tmp_path, blocks).rectangles is None


@pytest.mark.parametrize("more", ["weight", "cost"])
def test_rows_with_more_than_a_score_are_none(tmp_path: Path, more: str) -> None:
    assert written_file(tmp_path, WHOLE, more=(more,)).rectangles is None


def test_an_end_that_was_changed_is_an_error(tmp_path: Path) -> None:
    file = written_file(tmp_path, WHOLE)
    told = dict(pq.read_metadata(tmp_path / file.file.name).metadata)
    content = (tmp_path / file.file.name).read_bytes()
    plain = replace(file.file, name="scores-without-digits-of-its-end.parquet")
    for old, new in ((b'\\"b\\"', b'\\"c\\"'), (b'"A", "B", "C"', b'"A", "B", "D"')):
        assert content.count(old) == 1, old
        for one, words in ((file.file, "its end has changed"), (plain, "its end is damaged")):
            (tmp_path / one.name).write_bytes(content.replace(old, new))
            with pytest.raises(BoardError, match=words):
                RowFile(file.place, one)
    assert json.loads(told[KEY])[1].startswith('[["a", [0, 1], 300]')


def test_rectangles_of_a_task_may_stand_side_by_side(tmp_path: Path) -> None:
    blocks = [("a", "A", range(300)), ("a", "B", range(300)), ("a", "A", range(300, 600)), ("a", "B", range(300, 600))]
    assert written_file(tmp_path, blocks).rectangles == [
        Rectangle("a", ("A", "B"), 300, 0),
        Rectangle("a", ("A", "B"), 300, 600),
    ]
