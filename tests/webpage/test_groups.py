"""Tasks are grouped as given, or by what their names share."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import podium
from podium.errors import InputError, LabelError, MethodError, PodiumError, WeightError
from podium.webpage.groups import MOST_APART, Groups, by_name, preset_weights, read_groups
from podium.webpage.shell import Page

TASKS = ["mmlu_law", "mmlu_art", "rte", "bbh/sums", "bbh/dates"]


def groups(tasks: list[str], given: dict[str, str] | None) -> dict[str, tuple[int, ...]]:
    found = Groups.of(tasks, given)
    return {} if found is None else dict(found.tasks)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"mmlu_*": "MMLU", "bbh/*": "BBH"}, {"MMLU": (0, 1), "BBH": (3, 4)}),  # rte alone needs no group
        ({"bbh/*": "BBH"}, {"BBH": (3, 4), "other": (0, 1, 2)}),
        ({"*": "all", "bbh/*": "no: the first glob counts", "rte": "own"}, {"all": (0, 1, 3, 4)}),
        ({"rte": "b", "mmlu_law": "a", "bbh/sums": "b", "not here": "c"}, {"b": (2, 3), "other": (1, 4)}),
        ({"rte": "other", "bbh/*": "BBH", "mmlu_law": "other"}, {"BBH": (3, 4), "other": (0, 1, 2)}),
        ({"bbh/sums": "BBH", "bbh/dates": " BBH "}, {"BBH": (3, 4), "other": (0, 1, 2)}),
        ({}, {}),
        (None, {}),
    ],
)
def test_given_groups(given: dict[str, str] | None, wanted: dict[str, tuple[int, ...]]) -> None:
    found = groups(TASKS, given)
    assert found == wanted
    assert list(found) == list(wanted), "their order is that of the reader, and others come last"


def test_wrong_groups_are_refused() -> None:
    with pytest.raises(LabelError, match="'squad' is none, and its first task is 'mmlu_law'"):
        Groups.of(TASKS, {"squad": "QA"})
    for wrong in ({"rte": 3}, {3: "a"}, ["rte"], "rte"):
        with pytest.raises(MethodError, match="a dictionary of names"):
            Groups.of(TASKS, wrong)  # type: ignore[arg-type]
    for blank in ("", "  "):
        with pytest.raises(MethodError, match=r"the group of 'mmlu_\*' needs a name"):
            Groups.of(TASKS, {"bbh/*": "BBH", "mmlu_*": blank})


def test_presets_are_of_tasks_and_weigh_something() -> None:
    found = preset_weights(TASKS, {" law ": {"mmlu_law": 2}, "all": {"*": 1, "rte": 0.5}})
    assert found == [{"name": "law", "weights": [2, 0, 0, 0, 0]}, {"name": "all", "weights": [1, 1, 0.5, 1, 1]}]
    with pytest.raises(MethodError, match="presets are a dictionary"):
        preset_weights(TASKS, {"": {"rte": 1}})
    with pytest.raises(LabelError, match="no task 'squad'"):
        preset_weights(TASKS, {"QA": {"squad": 1}})
    with pytest.raises(WeightError, match="weights of preset 'none' are all zero"):
        preset_weights(TASKS, {"none": {"rte": 0}})


def many(*groups: tuple[str, int]) -> list[str]:
    return [pattern.format(at) for pattern, number in groups for at in range(number)]


def test_names_that_begin_alike_make_groups() -> None:
    tasks = many(("lm/mmlu_v{}_acc", 40), ("lm/big_bench_{}", 20), ("lm/x{}", 2), ("lm/piqa", 1))
    assert groups(tasks, None) == {"mmlu": tuple(range(40)), "big_bench": tuple(range(40, 60)), "other": (60, 61, 62)}
    assert groups(tasks[:MOST_APART], None) == {}, "so many columns can be read"


def test_names_that_end_alike_make_groups_where_these_hold_more() -> None:
    endings = ("BitextMining", "Retrieval.v2", "-PLHardNegatives", "ClusteringP2P")
    letters = [a + b for a in "ABCDEFGH" for b in "abcdefgh"]
    tasks = [f"{letters[at]}{own}{ending}" for own, ending in zip("wxyz", endings, strict=True) for at in range(30)]
    found = Groups.of(tasks, None)
    assert found is not None
    assert found.by == "ending"
    assert list(found.tasks) == ["BitextMining", "Retrieval", "PLHardNegatives", "Clustering"]
    assert {len(own) for own in found.tasks.values()} == {30}


@pytest.mark.parametrize("tasks", [many(("task {}", 300)), many(("t{}", 99)), many(("a_{}", 2)), ["名前"] * 70])
def test_names_that_share_nothing_make_none(tasks: list[str]) -> None:
    assert by_name(tasks) is None


def test_every_task_is_in_one_group() -> None:
    rng = np.random.default_rng(0)
    words = ["mmlu", "Retrieval", "v2", "bbh", "QA", "é", "7"]
    for _ in range(50):
        tasks = list(dict.fromkeys("".join(rng.choice([*words, "_", "/"], 4)) for _ in range(200)))
        if (found := by_name(tasks)) is not None:
            listed = sorted(task for own in found.tasks.values() for task in own)
            assert len(listed) == len(set(listed)) >= len(tasks) - 1
            assert found == by_name(tasks)


def content(made: Page) -> dict[str, object]:
    whole = gzip.decompress(made.data)
    size = int.from_bytes(whole[:8], "little")
    found: dict[str, object] = json.loads(whole[8 : 8 + size])["content"]
    return found


def test_the_page_holds_them(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("Dataset,Category\nt0,a\nt[1-9],b\nt1,a\n,c\nt2,\n", "utf-8")
    given = read_groups(tmp_path / "g.csv")
    assert given == {"t0": "a", "t[1-9]": "b", "t1": "a"}
    scores = podium.from_arrays({f"t{at}": np.random.default_rng(at).random((3, 8)) for at in range(4)})
    made = podium.page(scores, groups=given, n_resamples=40)
    assert content(made)["groupedBy"] == "given"
    assert content(made)["groups"] == [{"name": "a", "tasks": [0, 1]}, {"name": "b", "tasks": [2, 3]}]
    assert content(podium.page(scores, n_resamples=40))["groups"] == []


def test_blanks_around_names_count_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text('task,group\n" t0",A\nt1 , A \n t2,  \n', "utf-8")
    assert read_groups(tmp_path / "g.csv") == {"t0": "A", "t1": "A"}


def test_a_table_without_any_group_says_so(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("task,group\nmath*,\n", "utf-8")
    with pytest.raises(InputError, match="no task is in a group"):
        read_groups(tmp_path / "g.csv")


@pytest.mark.parametrize("text", ["task,weight\nt0,1\n", "t0,t1\na,b\n", "task,group\nt0,a\nt0,b\n", ""])
def test_tables_that_hold_no_groups_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text(text, "utf-8")
    with pytest.raises(PodiumError) as caught:
        read_groups(tmp_path / "g.csv")
    assert isinstance(caught.value, InputError)
