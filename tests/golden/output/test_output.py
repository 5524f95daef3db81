"""What every command answers, and every public name, is as it was frozen; `freeze.py` beside this freezes it anew."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from golden.output import public_names
from golden.output.figures import as_rounded_in, differences
from golden.output.transcripts import FROZEN, TABLES, commands, pieces, play, retold, told, undrawn
from support.entry import SCRIPT

NAMES = sorted(path.stem for path in FROZEN.glob("*.txt"))

REFUSALS = [name for name in NAMES if "refusals" in name]

#: Given through the real entry point too: letters and a pipe, bytes and a note, a refusal.
REAL = (("pool", "< effects.csv"), ("long-difficulty", "-f parquet"), ("refusals", "rank nowhere.csv"))


def frozen(name: str) -> str:
    return (FROZEN / f"{name}.txt").read_bytes().decode("utf-8")


@pytest.mark.core
@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_are_as_frozen(name: str, tmp_path: Path) -> None:
    check_answers(name, tmp_path)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in REFUSALS])
def test_answers_are_as_frozen(name: str, tmp_path: Path) -> None:
    check_answers(name, tmp_path)


def check_answers(name: str, tmp_path: Path) -> None:
    text = undrawn(frozen(name))
    assert as_rounded_in(text, undrawn(retold(frozen(name), tmp_path, name))) == text


def test_only_the_last_digits_may_be_of_another_processor() -> None:
    text = '$ podium a\nA 0.1234, "score": 0.12345678901234, 1.0e-05, 3'
    assert as_rounded_in(text, text.replace("901234", "9")) == text
    for changed in (text.replace("0.1234,", "0.1235,"), text.replace("5678", "5688"), text.replace(" 3", " 4")):
        assert as_rounded_in(text, changed) == changed


def test_the_real_entry_point_answers_the_same(tmp_path: Path) -> None:
    def really(arguments: list[str], given: bytes) -> tuple[bytes, bytes, int]:
        environment = os.environ | {"COLUMNS": "100"}
        done = subprocess.run(
            [SCRIPT, *arguments], input=given, capture_output=True, check=False, env=environment, timeout=120
        )
        return done.stdout, done.stderr, done.returncode

    for number, (name, part) in enumerate(REAL):
        command = next(one for one in commands(frozen(name)) if part in one)
        place = shutil.copytree(TABLES, tmp_path / str(number))
        assert told(command, play(command, place, really)) in frozen(name)


def test_every_command_is_asked_in_every_format() -> None:
    asked = [command for name in NAMES for command in commands(frozen(name))]
    helped = {command: text for command, _, text in pieces(frozen("help")) if command.endswith("--help")}
    for command, text in helped.items():
        offered = re.search(r"--format (\S+)", text)
        words = command.removesuffix("--help")
        # What boards say has times and names of files: tests/cli/test_data.py has it.
        elsewhere = words.startswith(("add ", "board "))
        for form in offered[1].split("|") if offered and not elsewhere else ():
            assert any(one.startswith(words) and one.endswith(f"-f {form}") for one in asked), (command, form)
        if "\nCommands:\n" in text:
            listed = re.findall(r"^  (\w+)  ", text[text.index("\nCommands:\n") :], flags=re.MULTILINE)
            assert [name for name in listed if f"{words}{name} --help" not in helped] == []


def test_public_names_are_as_frozen() -> None:
    assert public_names.listed() == public_names.FROZEN.read_text("utf-8")


def test_words_may_change_and_numbers_may_not() -> None:
    names = ("long-rank", "long-compare", "long-plan", "pictures")
    old = {name: frozen(name) for name in names}
    worded = {
        "long-rank": ("all systems of the tiers below", "every system of the 7 tiers below"),
        "long-compare": ("on average", "all in all"),
        "long-plan": (" separate ", " part "),
        "pictures": ("best at the right", "the right is best"),
    }
    new = {name: text.replace(*worded[name]) for name, text in old.items()}
    assert all(new[name] != old[name] for name in names)
    assert differences(old, new) == []


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "html"])
def test_a_changed_number_is_found_in_every_format(form: str) -> None:
    text = frozen("long-rank")
    command = next(one for one in commands(text) if one.endswith(f"-f {form}"))
    start = text.index(f"$ podium {command}\n") + len(command) + 10
    start = text.index("<body", start) if form == "html" else start
    place = re.compile(r'(?<!")0\.[1-9]\d\d').search(text, start)  # not that of an attribute
    assert place is not None
    changed = text[: place.start()] + "0.999" + text[place.end() :]
    found = differences({"long-rank": text}, {"long-rank": changed})
    assert len(found) == 1
    assert found[0].startswith(f"long-rank: other numbers: podium {command}\n")
    assert "0.999" in found[0]


def test_missing_new_and_refused_answers_are_found() -> None:
    one, other = "$ podium a\n[exit 2]\n", "$ podium a\n"
    assert [line.partition("\n")[0] for line in differences({"x": one}, {"x": other})] == ["x: other numbers: podium a"]
    assert differences({"x": one}, {}) == ["x: missing: podium a"]
    assert differences({}, {"x": one}) == ["x: new: podium a"]
