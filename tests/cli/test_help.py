"""What every command says of itself: what it is about, an example, and then the details, within 80 columns."""

import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import click
import pytest

import podium
from podium.cli.app import HEADINGS, app, under_headings
from podium.cli.compare import PoolingOptions
from podium.cli.difficulty import TextOptions
from podium.cli.options import EngineOptions, ShowOptions
from podium.cli.rank import BootstrapOptions, MethodOptions
from podium.cli.read import PlainReadOptions, ReadOptions
from podium.customization.split import Weighting
from podium.source.role import FileColumns

#: Rows and columns of the smallest terminal.
ROWS, COLUMNS = 24, 80


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command, with all that is typed before its options."""
    context = click.Context(app)
    yield "podium", app
    for name in app.list_commands(context):
        found = app.get_command(context, name)
        assert found is not None
        yield f"podium {name}", found
        for below, inner in getattr(found, "commands", {}).items():
            yield f"podium {name} {below}", inner


COMMANDS = dict(commands())


def helped(name: str) -> str:
    """The help on a terminal of the usual width."""
    with click.Context(COMMANDS[name], info_name=name, terminal_width=COLUMNS - 2, **app.context_settings) as context:
        return COMMANDS[name].get_help(context)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_is_about_stands_first_and_fits_a_screen(name: str) -> None:
    lines = helped(name).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    details = next((place for place, line in enumerate(lines) if re.fullmatch(r"[A-Z][a-z ,]+:", line)), len(lines))
    assert details <= ROWS
    usage, nothing, summary, _, example = lines[:5]
    assert (usage.startswith(f"Usage: {name}"), nothing) == (True, "")
    assert summary.strip().endswith((".", ":"))
    assert example.strip().startswith("podium ")


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if not isinstance(one, click.Group)])
def test_options_stand_under_the_same_headings_in_the_same_order(name: str) -> None:
    found = re.findall(r"^([A-Z][^:]+):$", helped(name), flags=re.MULTILINE)
    assert found == [heading for heading in HEADINGS if heading in found]
    parameters = COMMANDS[name].params
    assert sum(len(below) for _, below in under_headings(parameters)) == len(parameters)


def test_one_word_means_one_thing() -> None:
    """An option that two commands have is of the same kind in both, and what names a column says so."""
    metavars: dict[str, set[str]] = {}
    for command in COMMANDS.values():
        for one in command.params:
            if isinstance(one, click.Option):
                metavars.setdefault(max(one.opts, key=len), set()).add(str(one.metavar))
    for flag, said in metavars.items():
        assert flag.endswith("-column") == (said == {"COLUMN"}), flag
    several = {flag: said for flag, said in metavars.items() if len(said) > 1}
    # pictures, levels, units and splits are fewer in some commands
    assert several.keys() == {"--plot", "--level", "--units", "--splits"}


#: Options that many commands share.
SHARED = (ReadOptions, ShowOptions, EngineOptions, MethodOptions, BootstrapOptions, PoolingOptions, TextOptions)

#: Commands, or options that many share, and the functions that they are for; others are of the command line alone, or
#: called otherwise.
SAME: list[tuple[type | str, list[Callable[..., Any]], str]] = [
    (BootstrapOptions, [podium.rank], "intervals"),
    (MethodOptions, [podium.MethodSpec], "method"),
    (PoolingOptions, [podium.pool, podium.plots.forest], "moderator plot"),
    (TextOptions, [podium.read_texts], "encoder train_embeddings"),
    (EngineOptions, [podium.engine], "engine"),
    (
        ReadOptions,
        [podium.read, podium.read_locations, podium.weigh, podium.read_difficulty],
        "sources input_format trec family family_weights task_weights tie_tolerance instance_weights difficulty_column",
    ),
    ("pairwise", [podium.pairwise], ""),
    ("agree", [podium.agree], ""),
    ("stress", [podium.stress], ""),
    ("history", [podium.history], "date_column"),
    ("plan", [podium.plan, podium.plan_items], ""),
    ("compare", [podium.compare, podium.compare_task_scores], "everything task_table"),
    ("gate", [podium.gate], "control treatment"),
    ("watch", [podium.watch], "baseline once"),
    ("add", [podium.add], ""),
    ("customize", [podium.Splitting, Weighting], "difficulty probability_column"),
    ("page", [podium.make_page], "each probability_column stress"),
    ("difficulty bias", [podium.spurious_bias], "gold_column"),
    ("difficulty similarity", [podium.similarity], ""),
    ("difficulty irt", [podium.item_response], ""),
]


@pytest.mark.parametrize(("options", "functions", "others"), SAME)
def test_options_are_called_as_in_python(options: type | str, functions: list[Callable[..., Any]], others: str) -> None:
    if isinstance(options, str):
        shared = {field.name for kind in SHARED for field in fields(kind)}
        names = {str(one.name) for one in COMMANDS[f"podium {options}"].params} - shared - {"threads", "jobs"}
    else:
        names = {field.name for field in fields(options)}
        names -= {f"{role}_column" for role in ("system", "task", "instance", "score", "metric")}
    known = {name for function in functions for name in inspect.signature(function).parameters}
    assert " ".join(sorted(names - known - FileColumns.__annotations__.keys())) == " ".join(sorted(others.split()))


def test_columns_and_scores_are_called_as_in_python() -> None:
    columns = {field.name for field in fields(PlainReadOptions) if field.metadata["heading"].startswith("Columns")}
    assert columns == {*FileColumns.__annotations__, "statistic"}
    for name in ("task_weights", "tie_tolerance", "instance_weights"):
        assert hasattr(podium.Scores, f"with_{name}")


def test_an_option_is_declared_once_and_called_as_its_parameter() -> None:
    for name, command in COMMANDS.items():
        names = [one.name for one in command.params]
        options = [one for one in command.params if isinstance(one, click.Option)]
        flags = ["-h", "--help", *(flag for one in options for flag in (*one.opts, *one.secondary_opts))]
        assert len(set(names)) == len(names), name
        assert len(set(flags)) == len(flags), name
        for one in options:
            if f"--{one.name}".replace("_", "-") not in one.opts:
                assert one.opts[0] in {"--group", "--all"}, one.opts
