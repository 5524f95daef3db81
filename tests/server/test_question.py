"""What may be asked: every option is looked at, and no value opens a file or becomes an option."""

import re

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.base.errors import InputError
from podium.cli.app import app
from podium.cli.serve import _COMMANDS_LEFT_OUT, _OPTIONS_LEFT_OUT
from podium.server.jobs import fit_name
from podium.server.question import Option, Question, Verb
from support.served import VERBS

BY_NAME = {verb.name: verb for verb in VERBS}

UPLOAD = "0123456789abcdef"

#: What options that are offered may be about; anything new must be looked at: does it open a file?
LOOKED_AT = {
    *("X", "N", "P", "B", "D", "E", "M", "T", "W", "NAME", "NAMES", "GLOBS", "COLUMN", "METHODS", "TASK=W", "SECONDS"),
    *("TEXT", "N|X,Y,…", "RULE|W,W,…", "N|X,Y,…|COLUMN", "PERCENTS", "1…9|NAME", "1|2"),
    *("SYSTEM", "JUDGE=FAMILY", "NAME=GLOBS", "COLUMNS", "1pl|2pl", "NAME=TASK=W", "NAME=N"),
}


def test_every_option_that_is_offered_has_been_looked_at() -> None:
    seen, names = set(), set()
    for verb in VERBS:
        command: click.Command | None = app
        for part in verb.name.split(" "):
            assert isinstance(command, click.Group)
            command = command.get_command(click.Context(command), part)
        assert command is not None
        metavars = {name.removeprefix("--"): str(one.metavar) for one in command.params for name in one.opts}
        names |= set(metavars)
        for option in verb.options:
            other = (verb.name, option.name) == ("subset", "items")  # those of plan are another question
            assert option.name not in _OPTIONS_LEFT_OUT or other
            metavar = metavars[option.name]
            seen.add(metavar)
            fine = option.kind == "boolean" or option.upload or option.words or metavar in LOOKED_AT
            assert fine, f"{verb.name} --{option.name} {metavar}: does it open a file?"
            assert option.upload == ("FILE" in metavar), f"{verb.name} --{option.name}"
    assert len(VERBS) >= 13
    assert len(seen) >= 15
    assert names >= _OPTIONS_LEFT_OUT, "what is kept is there"
    assert not {verb.name for verb in VERBS} & _COMMANDS_LEFT_OUT


WORDS = st.text(min_size=1, max_size=20)


@given(verb=st.sampled_from(VERBS), data=st.data())
def test_a_value_stays_the_value_of_its_option(verb: Verb, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(verb.options), unique=True, max_size=5))
    values = st.one_of(WORDS, st.integers(), st.booleans(), st.lists(WORDS, max_size=3))
    options = {option.name: data.draw(values) for option in chosen}
    try:
        typed = Question.of(verb, [UPLOAD], options).arguments({UPLOAD: "scores.csv"})
    except InputError:
        return
    names = {option.name for option in chosen} | {option.negated for option in chosen} | {"output", "quiet"}
    rest = typed[len(verb.name.split(" ")) :]
    free = [word for word in rest if not any(word == f"--{name}" or word.startswith(f"--{name}=") for name in names)]
    assert free in ([], ["scores.csv"])
    outputs = [word for word in rest if word.startswith("--output")]
    assert outputs == [f"--output=answer{verb.answer}"]


def test_files_are_uploads_or_words() -> None:
    weights = next(option for option in BY_NAME["customize"].options if option.name == "difficulty")
    assert weights.upload
    assert "failures" in weights.words
    for wrong in ("/etc/passwd", "scores.csv", "-", UPLOAD.upper(), 3, True):
        with pytest.raises(InputError, match=r"'difficulty' is .*; give the number of an upload"):
            Question.of(BY_NAME["customize"], [UPLOAD], {"difficulty": wrong})
    asked = Question.of(BY_NAME["customize"], [UPLOAD, "f" * 16], {"difficulty": "f" * 16})
    typed = asked.arguments({UPLOAD: "scores.csv", "f" * 16: "hard.csv"})
    assert [word for word in typed if "csv" in word] == ["--difficulty=hard.csv", "scores.csv"]


def test_what_makes_no_sense_is_refused_with_the_nearest() -> None:
    rank = BY_NAME["rank"]
    for options, said in (
        ({"metod": "mean"}, "there is no option 'metod'; did you mean 'method'?"),
        ({"method": "maen"}, "there is no method 'maen'; did you mean 'mean'"),
        ({"output": "x.json"}, "there is no option 'output'"),
        ({"seed": True}, "option 'seed' is true; give one whole number"),
        ({"seed": "x"}, "option 'seed' is \"x\"; give one whole number"),
        ({"seed": 1.5}, "option 'seed' is 1.5; give one whole number"),
        ({"confidence": "high"}, "option 'confidence' is \"high\"; give one number"),
        ({"tasks": True}, "option 'tasks' is true; give a text, or a list of texts"),
        ({"intervals": "no"}, "option 'intervals' is \"no\"; give true or false"),
        ({"method": ["mean"]}, "give one value"),
    ):
        with pytest.raises(InputError, match=re.escape(said)):
            Question.of(rank, [UPLOAD], options)


def test_a_switch_can_be_turned_off() -> None:
    option = Option("intervals", "boolean", "Whether.", negated="no-intervals")
    assert option.arguments(False, {}) == ["--no-intervals"]
    assert Option("keep-first", "boolean", "Whether.").arguments(False, {}) == []


@given(st.text(max_size=300))
def test_names_of_uploads_are_names_of_files(name: str) -> None:
    fit = fit_name(name)
    assert re.fullmatch(r"[\w.+@=()][\w.+@=() -]*", fit)
    assert len(fit) <= 100
    assert fit not in {".", ".."}
    assert fit_name(fit) == fit
