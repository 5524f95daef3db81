"""Commands and their help: what is typed, what it loads, and how it ends."""

import inspect
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import pytest

import podium
from podium.cli import entry as guard
from podium.cli import read, stress
from podium.cli.app import ALL, HEADINGS, OUTPUT, TOPICS, app, command, flag, option, split, under_headings
from podium.cli.compare import PoolingOptions
from podium.cli.difficulty import TextOptions
from podium.cli.glossary import WORDS
from podium.cli.options import CountOptions
from podium.cli.page import title_of
from podium.cli.rank import BootstrapOptions, MethodOptions
from podium.cli.read import LAYOUTS, PlainReadOptions, ReadOptions, weights_from
from podium.customization.split import RULES, Weighting
from podium.difficulty.result import HARD
from podium.errors import WeightError
from podium.ranking.method_spec import LEVELS, METHODS
from podium.report.formats import FORMATS
from podium.robustness import sweep
from podium.source.file import FORMATS as INPUT_FORMATS
from podium.source.memory import RENAMED
from podium.source.table import FileColumns
from support.entry import SCRIPT, answer, run, run_script, wide

SUMMED: Any = flag(OUTPUT, "Sum.", default=True)
NAMES: Any = option(OUTPUT, "X", "Names.")


@dataclass(frozen=True)
class Shared:
    size: int = option(OUTPUT, "N", "Size.", "-s", default=1)
    top_rows: int = option(OUTPUT, "N", "Rows.", default=3)


def test_options_reach_the_parameters_that_declare_them() -> None:
    made: list[object] = []

    def note(*, shared: Shared, summed: bool = SUMMED, names: list[str] | None = NAMES) -> None:
        made.extend((shared, summed, names))

    command(note).main(["-s", "5", "--no-summed", "--names", "a", "--names", "b"], standalone_mode=False)
    assert made == [Shared(5, 3), False, ["a", "b"]]


def test_help_lists_what_every_command_says_first() -> None:
    context = click.Context(app, **app.context_settings)
    commands = {name: app.get_command(context, name) for name in app.list_commands(context)}
    summaries = {name: made and made.get_short_help_str(100) for name, made in commands.items()}
    listed = re.findall(r"^  ([a-z]+) +([A-Z].*)$", app.get_help(context), flags=re.MULTILINE)
    assert dict(listed) == summaries


#: Rows and columns of a usual terminal, and rows of the smallest.
ROWS, COLUMNS, FEWEST_ROWS = 40, 80, 24


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


def helped(name: str, *, everything: bool = False) -> str:
    """The help on a terminal of the usual width."""
    with click.Context(COMMANDS[name], info_name=name, terminal_width=COLUMNS - 2, **app.context_settings) as context:
        context.meta[ALL] = everything
        return COMMANDS[name].get_help(context)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_is_about_stands_first_and_fits_a_screen(name: str) -> None:
    lines = helped(name).splitlines()
    assert len(lines) <= ROWS or name == "podium"
    lines = helped(name, everything=True).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    details = next((place for place, line in enumerate(lines) if re.fullmatch(r"[A-Z][a-z ,]+:", line)), len(lines))
    assert details <= FEWEST_ROWS
    usage, nothing, summary, _, example = lines[:5]
    assert (usage.startswith(f"Usage: {name}"), nothing) == (True, "")
    assert summary.strip().endswith((".", ":"))
    assert example.strip().startswith("podium ")


@pytest.mark.parametrize("name", [name for name, one in COMMANDS.items() if not isinstance(one, click.Group)])
def test_options_stand_under_the_same_headings_in_the_same_order(name: str) -> None:
    found = re.findall(r"^([A-Z][^:]+):$", helped(name, everything=True), flags=re.MULTILINE)
    assert found == [heading for heading in HEADINGS if heading in found]
    parameters = COMMANDS[name].params
    assert sum(len(below) for _, below in under_headings(parameters)) == len(parameters)


def test_one_word_means_one_thing() -> None:
    """An option that two commands have is of the same kind in both, and what names a column says so."""
    metavars: dict[str, set[str]] = {}
    for made in COMMANDS.values():
        for one in made.params:
            if isinstance(one, click.Option):
                metavars.setdefault(max(one.opts, key=len), set()).add(str(one.metavar))
    for name, said in metavars.items():
        assert name.endswith("-column") == (said == {"COLUMN"}), name
    several = {name: said for name, said in metavars.items() if len(said) > 1}
    # levels, units and splits are fewer in some commands; one cost is spent, and several are compared
    assert several.keys() == {"--level", "--units", "--splits", "--budget", "--cost"}


#: Options that many commands share.
SHARED = (ReadOptions, CountOptions, MethodOptions, BootstrapOptions, PoolingOptions, TextOptions)

#: Commands, or options that many share, and the functions that they are for; others are of the command line alone, or
#: called otherwise.
SAME: list[tuple[type | str, list[Callable[..., Any]], str]] = [
    (BootstrapOptions, [podium.rank], "intervals"),
    (MethodOptions, [podium.MethodSpec], "method"),
    (PoolingOptions, [podium.pool, podium.plots.forest], "moderator plot sentence"),
    (TextOptions, [podium.read_texts], "encoder train_embeddings"),
    (
        ReadOptions,
        [podium.read, podium.read_locations, podium.weigh, podium.read_difficulty],
        (
            "sources input_format qrels trec tie_tolerance family family_weights task_weights instance_weights"
            " difficulty_column"
        ),
    ),
    ("pairwise", [podium.pairwise], ""),
    ("agree", [podium.agree, podium.correlate], "between"),
    ("stress", [podium.stress], ""),
    ("history", [podium.history], "date_column"),
    ("plan", [podium.plan, podium.plan_items, podium.plan_labels], "labels"),
    ("allocate", [podium.allocate], ""),
    ("compare", [podium.compare, podium.compare_task_scores], "everything task_table"),
    ("gate", [podium.gate], "control treatment"),
    ("watch", [podium.watch], "baseline once"),
    ("add", [podium.add], ""),
    ("customize", [podium.Splitting, Weighting], "difficulty probability_column"),
    ("page", [podium.page], "each empty probability_column property stress"),
    ("difficulty bias", [podium.bias], "gold_column"),
    ("difficulty similarity", [podium.similarity], ""),
    ("difficulty irt", [podium.irt], ""),
]


@pytest.mark.parametrize(("options", "functions", "others"), SAME)
def test_options_are_called_as_in_python(options: type | str, functions: list[Callable[..., Any]], others: str) -> None:
    if isinstance(options, str):
        shared = {field.name for kind in SHARED for field in fields(kind)}
        names = {str(one.name) for one in COMMANDS[f"podium {options}"].params} - shared - {"threads", "jobs"}
    else:
        names = {field.name for field in fields(options)}
        names -= {f"{role}_column" for role in ("system", "task", "instance", "score", "metric")}
    known = {name for function in functions for name in inspect.signature(inspect.unwrap(function)).parameters}
    known |= {short for short, name in RENAMED.items() if name in known}
    assert " ".join(sorted(names - known - FileColumns.__annotations__.keys())) == " ".join(sorted(others.split()))


def test_columns_and_scores_are_called_as_in_python() -> None:
    columns = {field.name for field in fields(PlainReadOptions) if field.metadata["heading"].startswith("Columns")}
    assert columns == {*FileColumns.__annotations__, "statistic"}
    for name in ("task_weights", "tie_tolerance", "instance_weights"):
        assert hasattr(podium.Scores, f"with_{name}")


def test_an_option_is_declared_once_and_called_as_its_parameter() -> None:
    for name, made in COMMANDS.items():
        names = [one.name for one in made.params]
        options = [one for one in made.params if isinstance(one, click.Option)]
        flags = ["-h", "--help", *(flag for one in options for flag in (*one.opts, *one.secondary_opts))]
        assert len(set(names)) == len(names), name
        assert len(set(flags)) == len(flags), name
        for one in options:
            if f"--{one.name}".replace("_", "-") not in one.opts:
                assert one.opts[0] in {"--group", "--all"}, one.opts


REPOSITORY = Path(__file__).parents[2]


def test_version(tmp_path: Path) -> None:
    assert run_script(tmp_path, "--version").stdout == f"podium {podium.__version__}\n"


def test_help_offers_everything_and_documents_exit_codes(tmp_path: Path) -> None:
    text = run(tmp_path, "rank --help-all").stdout
    for names in (METHODS, LEVELS, FORMATS, INPUT_FORMATS, LAYOUTS):
        assert "|".join(names) in text
    assert "Exit codes: 0 done; 2 bad input" in text
    assert "podium rank scores.csv" in text
    assert run(tmp_path).stdout == run(tmp_path, "--help").stdout


def test_help_tells_once_what_commands_share(tmp_path: Path) -> None:
    assert answer(tmp_path, "help rank") == answer(tmp_path, "rank --help-all")
    assert answer(tmp_path, "help") == answer(tmp_path, "--help")
    parts = [answer(tmp_path, "rank --help"), *(answer(tmp_path, "help", topic) for topic in TOPICS)]
    flags = [set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", part, flags=re.MULTILINE)) for part in parts]
    assert len(flags[0]) == 14
    assert all(found.isdisjoint(others) for found, others in combinations(flags, 2))
    words = answer(tmp_path, "help words")
    assert all(f"\n{word} " in f"\n{words}" for word in WORDS)
    assert answer(tmp_path, "help Tiers").split() == WORDS["tier"].split()
    assert answer(tmp_path, "help pass") == answer(tmp_path, "help verdict")
    assert set().union(*flags) < set(re.findall("--[a-z-]+", answer(tmp_path, "rank --help-all")))


#: What people type, and how it is answered.
MISTAKES = {
    "version": "there is no command 'version'; did you mean podium --version?",
    "plot scores.csv": "there is no command 'plot'; did you mean podium rank scores.csv --plot ranks.svg?",
    "scores.csv": "there is no command 'scores.csv'; did you mean podium rank scores.csv?",
    "help rnak": "there is no command or topic 'rnak'; did you mean 'rank'?",
    "gate --before main/": "No such option '--before'; write before=SOURCE; see 'podium gate --help'",
    "rank scores.csv --sort score": "No such option '--sort'; see 'podium rank --help'",
    "rank scores.csv -m elo": "there is no method 'elo'; there are 'bradley-terry', 'borda', 'mean', 'median', 'iqm', "
    "'wins', 'copeland', 'kemeny', 'irt'",
    "rank": "Missing argument 'SOURCE': a file, a folder, or - for standard input; see 'podium rank --help'",
    "rank loop.csv": "'loop.csv' is a link that leads back to itself",
    "compare scores.csv --control D": "there is no system 'D' to be the control; there are 'A', 'B', 'C'",
    "board scores.csv": "there is no command 'scores.csv'; did you mean podium board info scores.csv?",
    "board describe": "there is no command 'describe'; there are 'info', 'log', 'check', 'compact'; "
    "see 'podium board --help'",
    "rank scores.csv --plot board": "--plot 'board' is not of the form NAME=FILE, as in --plot ranks=ranks.svg",
}


@pytest.mark.parametrize(("typed", "said"), MISTAKES.items())
def test_natural_mistakes_are_answered(tmp_path: Path, typed: str, said: str) -> None:
    wide(tmp_path)
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    done = run(tmp_path, typed)
    assert (done.returncode, done.stderr) == (2, f"error: {said}\n")


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("--confidence 90%", "--confidence 0.9"),
        ("-f md", "-f markdown"),
        ("-f tex", "-f latex"),
        ("--plot bump.svg", "--plot bump=bump.svg"),
        ("--plot heatmap.svg", "--plot heatmap=heatmap.svg"),
    ],
)
def test_what_is_meant_need_not_be_typed_in_full(tmp_path: Path, short: str, long: str) -> None:
    wide(tmp_path)
    results = []
    for typed in (short, long):
        printed = answer(tmp_path, f"rank scores.csv {typed}")
        results.append((printed, {path.name: path.read_bytes() for path in tmp_path.iterdir()}))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    ("raised", "code", "said"),
    [
        (ZeroDivisionError("division by zero"), 70, "bug in podium: ZeroDivisionError: division by zero"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 2, "not enough memory"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "x.csv: Permission denied"),
    ],
)
def test_whatever_is_raised_becomes_a_line_and_a_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], raised: BaseException, code: int, said: str
) -> None:
    def fail(_: str) -> None:
        raise raised

    monkeypatch.setattr(podium.datasets, "load", fail)
    monkeypatch.setattr(sys, "argv", ["podium", "rank", "dataset:toy-table1"])
    with pytest.raises(SystemExit) as left:
        guard.main()
    assert left.value.code == code
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_debugging_shows_the_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(podium.datasets, "load", lambda _: 1 / 0)
    monkeypatch.setattr(sys, "argv", ["podium", "rank", "dataset:toy-table1"])
    monkeypatch.setenv("PODIUM_DEBUG", "1")
    with pytest.raises(SystemExit):
        guard.main()
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupted_run_says_so_and_ends_with_130() -> None:
    # standard input stays open, so the run waits for it until it is interrupted
    with subprocess.Popen(
        [SCRIPT, "rank", "-", "--input-format", "csv"], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        with pytest.raises(subprocess.TimeoutExpired):
            waiting.wait(3)
        waiting.send_signal(signal.SIGINT)
        _, error = waiting.communicate(timeout=30)
    assert (waiting.returncode, error.decode().strip()) == (130, "error: interrupted")


def test_names_that_are_said_twice_are_the_same() -> None:
    assert list(read.RULES) == list(RULES)
    assert read.HARD == HARD
    assert tuple(sweep.USUAL) == stress.USUAL


def test_the_command_reference_is_in_step() -> None:
    script = REPOSITORY / "docs" / "generate_cli.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_shell_completion_offers_methods() -> None:
    asked = {"_PODIUM_COMPLETE": "bash_complete", "COMP_WORDS": "podium rank --method m", "COMP_CWORD": "3"}
    done = subprocess.run([SCRIPT], env=os.environ | asked, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["plain,mean", "plain,median"]


def test_the_script_for_completion_is_shown(tmp_path: Path) -> None:
    shown = run(tmp_path, "--show-completion zsh")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "_PODIUM_COMPLETE=zsh_complete podium" in shown.stdout
    assert run(tmp_path, "--show-completion tcsh").returncode == 2


def test_lists_are_split_at_commas_that_are_not_escaped() -> None:
    assert split(["a,b", r"c\,d", " e , "]) == ["a", "b", "c,d", "e"]
    assert split(None) == []


def test_the_last_equals_sign_divides_task_and_weight() -> None:
    assert weights_from(["k=1 shot=2", "b=.5"]) == {"k=1 shot": 2.0, "b": 0.5}
    assert weights_from(None) is None
    for text in ("a", "a=", "=1", "a=b"):
        with pytest.raises(WeightError, match="TASK=WEIGHT"):
            weights_from([text])


def test_a_task_has_one_weight() -> None:
    assert weights_from(["a=1", "a=1.0,b=2"]) == {"a": 1.0, "b": 2.0}
    with pytest.raises(WeightError, match="gives 'a' both 1 and 2; keep one"):
        weights_from(["a=1,a=2"])


@pytest.mark.parametrize(
    ("sources", "title"),
    [
        (["a/scores.csv"], "scores"),
        (["scores.csv.gz"], "scores"),
        (["runs.v2.parquet"], "runs.v2"),
        (["-"], "scores"),
        (["a.csv", "b.csv"], "scores"),
    ],
)
def test_the_title_is_the_name_without_its_endings(sources: list[str], title: str) -> None:
    assert title_of(sources) == title
