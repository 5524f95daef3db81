"""Commands made of functions, by Click; and `podium` itself, which loads the command asked for.

- A command is a function under `@command`. Its docstring is the help: a sentence, examples, and what else to know.
- The default of a parameter declares its option, by `option`, `flag`, `choice`, `column` or `argument`: heading, form
  and meaning, as help shows them. `task_weights` is `--task-weights`, unless another long flag is given.
- A parameter whose type is a dataclass stands for the options that are its fields, which several commands share.
- Names of a choice, and whatever else a value must be by itself, are checked when it is typed; the questions check the
  rest.
- `--help` shows the options that most people need, on one screen, and `--help-all` all of them. `podium help` tells
  of what many commands share.
- `podium` is a group of commands, listed in `_LISTED`. A command may itself be a `Group`, as `difficulty` is.
- A command has the exit code that it returns, 0 if none. Any error becomes a message and one of the codes in `ENDING`
  below; see `cli/entry.py`.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import partial
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from shlex import quote
from types import NoneType
from typing import Any, get_args, get_origin

import click

import podium
from podium.base.errors import LabelError, MethodError, PodiumError, nearest, similar
from podium.base.words import how_many
from podium.cli.glossary import WORDS, meaning

#: Said below the help of every command.
ENDING = (
    "Exit codes: 0 done; 2 bad input, output or usage; 70 a bug in podium; 130 interrupted; of gate and watch 1 and 3, "
    "too. Errors and warnings go to standard error; PODIUM_DEBUG=1 shows the traceback of a bug."
)

#: Headings of the help of every command, in this order.
INPUT, TASKS, METHOD, UNCERTAINTY, OUTPUT, READING, COLUMNS, WEIGHTS, LIMITS = HEADINGS = (
    *("Input", "Tasks and systems", "Method", "Uncertainty", "Output", "Reading"),
    *("Columns of the input, where they are not recognised", "Weights of instances", "Limits"),
)

#: What `podium help` tells once of all commands that read scores: options under a heading, and what they are for.
TOPICS = {
    "reading": (
        READING,
        "Tables, results of tools such as lm-eval, TREC runs and boards are recognised. These options correct that.",
    ),
    "columns": (
        COLUMNS,
        "Columns are recognised by usual names, such as model, task, id and score. These options name others.",
    ),
    "weights": (WEIGHTS, "Instances weigh alike, unless a table beside the scores says what each one weighs."),
    "clusters": (LIMITS, "Scores are read and counted on this machine, or on a Dask cluster."),
}

#: Options that few need, by their names in Python: only `--help-all` shows them.
_RARE = frozenset(
    {
        *("higher", "task_weights", "weight_presets", "family", "family_weights", "tie_tolerance"),
        *("missing", "prior", "time_limit", "model"),
        *("replicates", "seed", "columns", "wide", "verbose", "quiet", "threads", "jobs"),
        *("width", "font", "digits", "bold", "caption", "label", "sentence"),
        *("estimator", "interval", "cluster", "like", "moderator", "diagnostics", "sort", "left", "right", "title"),
        *("task_table", "rope", "baseline_age", "per_week", "units", "rate", "correlation", "sided", "each", "suite"),
        *("difficulty_column", "hard", "strict", "by", "ties", "reward", "penalty", "case"),
    }
)

#: Where all options are shown, in what Click keeps while it runs.
ALL = "podium.all"

#: Sentences after the first, up to the default.
_SENTENCES = re.compile(r"\. [A-Z].*?(?=  \[|$)")

#: Width of the options in the help, the same under every heading; longer ones have a line of their own.
_WIDTH = 26


def option(
    heading: str,
    metavar: str | None,
    meaning: str,
    *flags: str,
    default: Any = None,
    required: bool = False,
    min: float | None = None,  # noqa: A002  # the word for it
    check: Callable[[Any], object] | None = None,
    complete: Sequence[str] = (),
) -> Any:
    """Declare an option; a short flag stands beside the name of the parameter, and a long one replaces it.

    Parameters
    ----------
    heading, metavar, meaning, flags
        As help shows them.
    default, required
        What it is if it is not typed; or that it must be.
    min
        Least value.
    check
        Raises an error if a value makes no sense.
    complete
        What a shell offers as its value.
    """
    declared = {"heading": heading, "metavar": metavar, "meaning": meaning, "flags": flags, "min": min, "check": check}
    return field(default=MISSING if required else default, metadata={**declared, "complete": complete})


def flag(heading: str, meaning: str, *flags: str, default: bool | None = False) -> Any:
    """Declare a switch; one that is not off by default has a `--no-` form, too."""
    return option(heading, None, meaning, *flags, default=default)


def choice(
    heading: str, names: Sequence[str], meaning: str, *flags: str, what: str | None = None, default: str | None = None
) -> Any:
    """Declare an option that takes one of some names. With `what`, as errors call it, they are checked when typed."""
    check = None if what is None else partial(check_choice, what, names)
    return option(heading, "|".join(names), meaning, *flags, default=default, check=check, complete=names)


#: The switch of all commands that say something on standard error.
QUIET: Any = flag(OUTPUT, "Print only errors on standard error.", "-q")


def column(content: str, heading: str = COLUMNS) -> Any:
    """Declare the option that names the column with some content."""
    return option(heading, "COLUMN", f"Column with the {content}.")


def argument(metavar: str, meaning: str, *, required: bool = True) -> Any:
    """Declare an argument, which has no flag."""
    return field(
        default=MISSING if required else None, metadata={"heading": INPUT, "metavar": metavar, "meaning": meaning}
    )


def check_choice(what: str, names: Iterable[str], given: str) -> None:
    """Refuse a name that is not offered, and say which one may be meant.

    Raises
    ------
    LabelError
        There is no such name.
    """
    known = tuple(names)
    if given not in known:
        raise LabelError(f"there is no {what} {given!r}; {nearest(given, known, len(known))}")


def refuse(given: Mapping[str, object], message: str, error: type[PodiumError] = MethodError) -> None:
    """Refuse the first option that is typed, of some by their names in Python; `{0}` in the message is its flag."""
    for name, value in given.items():
        if value is not None and value is not False and value != []:
            raise error(message.format(name if name.startswith("--") else f"--{name.replace('_', '-')}"))


def split(values: Iterable[str] | None) -> list[str]:
    r"""Take repeated and comma-separated values alike; `\,` is a comma inside a name.

    >>> split(["ter,latency", r"rte\,small"]), split(None)
    (['ter', 'latency', 'rte,small'], [])
    """
    parts = [part for value in values or () for part in re.split(r"(?<!\\),", value)]
    return [part.replace(r"\,", ",").strip() for part in parts if part.strip()]


def groups_from(values: Iterable[str] | None, what: str = "group") -> dict[str, list[str]]:
    """Read `NAME=GLOBS` texts of an option such as `--group`; the first `=` divides.

    Raises
    ------
    LabelError
        A text is not of that form, or a name is used twice.

    Examples
    --------
    >>> groups_from(["inference=*nli,rte"])
    {'inference': ['*nli', 'rte']}
    """
    groups: dict[str, list[str]] = {}
    for text in values or ():
        name, equals, globs = text.partition("=")
        if not (equals and name.strip() and split([globs])):
            raise LabelError(f"--{what} {text!r} is not of the form NAME=GLOBS, as in --{what} 'inference=*nli,rte'")
        if name.strip() in groups:
            raise LabelError(f"--{what} {name.strip()!r} is given twice; list all its tasks in one --{what}")
        groups[name.strip()] = split([globs])
    return groups


class _Option(click.Option):
    """An option under a heading of the help."""

    heading = OUTPUT


class _Argument(click.Argument):
    """An argument, which help explains like an option."""

    heading = INPUT
    meaning = ""

    def make_metavar(self, ctx: click.Context) -> str:  # noqa: ARG002  # the form that Click calls
        """Return what usage calls it."""
        return (str(self.metavar) if self.required else f"[{self.metavar}]") + "..." * (self.nargs != 1)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002  # the form that Click calls
        """Return what help calls it, and what it is."""
        return str(self.metavar), self.meaning + ("  [required]" if self.required else "")


class _Command(click.Command):
    """A command whose help has its options under headings, and which knows what an unknown option may mean."""

    instead: Mapping[str, str]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return its options and arguments, those of help among them."""
        return [*super().get_params(ctx), _HELP_ALL]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write its sentence, its examples and what else to know; of that one paragraph if not all is shown."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text("\n\n".join(str(self.help).split("\n\n")[: None if ctx.meta.get(ALL) else 3]))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each heading with its options; or else the options that most people need, and where the others are."""
        if ctx.meta.get(ALL):
            for heading, below in under_headings(self.get_params(ctx)):
                _write_options(ctx, formatter, heading, below)
            return
        listed = dict(under_headings(self.params))
        shared = {topic: listed.pop(heading) for topic, (heading, _) in TOPICS.items() if heading in listed}
        if usual := [one for below in listed.values() for one in below if one.name not in _RARE]:
            _write_options(ctx, formatter, "Options", usual)
        if more := len(self.params) - len(usual):
            told = f" Those of {', '.join(shared)}: podium help {next(iter(shared))}, …" if shared else ""
            formatter.write_paragraph()
            formatter.write_text(f"{how_many(more, 'more option')}: {ctx.command_path} --help-all.{told}")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what stands below all options."""
        if ctx.meta.get(ALL):
            super().format_epilog(ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what is typed, or say which option may be meant."""
        words = [part for word in args for part in word.split("=", 1)]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            for before, word in pairwise(words):
                if before.startswith("--") and word.startswith(error.option_name) and re.match(r"-[\d.]", word):
                    ctx.fail(f"{before} {word}: a number below 0 makes no sense here; leave out its sign")
            flags = [flag for one in self.get_params(ctx) for flag in (*one.opts, *one.secondary_opts)]
            meant = _meant(error.option_name, [flag for flag in flags if flag.startswith("--")])
            hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
            hint = f"; {self.instead[error.option_name]}" if error.option_name in self.instead else hint
            ctx.fail(f"{error.message.rstrip('.')}{hint}")


def _write_options(
    ctx: click.Context, formatter: click.HelpFormatter, heading: str, parameters: Sequence[click.Parameter]
) -> None:
    """Write options under a heading: where not all are shown, of each one the first sentence."""
    records = [record for one in parameters if (record := one.get_help_record(ctx)) is not None]
    if not ctx.meta.get(ALL):
        records = [(name, _SENTENCES.sub(".", text)) for name, text in records]
    with formatter.section(heading):
        formatter.write_dl([(name.ljust(_WIDTH), text) for name, text in records], col_max=_WIDTH)


def _show_all(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        context.meta[ALL] = True
        click.echo(context.get_help())
        context.exit()


#: An option of every command.
_HELP_ALL = _Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all, help="Show all options."
)


def under_headings(parameters: Sequence[click.Parameter]) -> Iterator[tuple[str, list[click.Parameter]]]:
    """Yield the headings of the help, in their order, and what stands below each; `--help` is below Output."""
    for heading in HEADINGS:
        if below := [one for one in parameters if getattr(one, "heading", OUTPUT) == heading]:
            yield heading, below


def _meant(typed: str, flags: Sequence[str]) -> list[str]:
    """Return options with the same word in their names, in singular or plural; or else those that are spelled alike.

    >>> _meant("--task", ["--tasks", "--task-column", "--top"]), _meant("--tsaks", ["--tasks", "--top"])
    (['--tasks', '--task-column'], ['--tasks'])
    >>> _meant("--sort", ["--format", "--plot"])
    []
    """
    word = typed.strip("-").removesuffix("s")
    same = [flag for flag in flags if word in [part.removesuffix("s") for part in flag.strip("-").split("-")]]
    return same or [f"--{name}" for name in similar(typed.strip("-"), [flag[2:] for flag in flags], 0.7)]


def command(function: Callable[..., int | None], instead: Mapping[str, str] | None = None) -> click.Command:
    """Make a command of a function: its parameters are options, or dataclasses whose fields are options.

    `instead` says, by options of other commands, why this one has none.
    """
    declared = inspect.signature(function).parameters
    parameters: list[click.Parameter] = []
    for name, one in declared.items():
        if is_dataclass(one.annotation):
            parameters += [_parameter(inner.name, inner.type, inner) for inner in fields(one.annotation)]
        else:
            parameters.append(_parameter(name, one.annotation, one.default))

    def run(**typed: Any) -> int | None:
        for parameter in parameters:  # Click gives None if another option stands in place of a value
            if isinstance(values := typed[str(parameter.name)], tuple) and None in values:
                flag = parameter.opts[0]
                raise click.UsageError(f"Option {flag!r} requires an argument", click.get_current_context())
        typed = {name: (list(value) or None) if isinstance(value, tuple) else value for name, value in typed.items()}
        chosen: dict[str, Any] = {}
        for name, one in declared.items():
            kind: Any = one.annotation
            shared = is_dataclass(kind)
            chosen[name] = kind(**{inner.name: typed[inner.name] for inner in fields(kind)}) if shared else typed[name]
        return function(**chosen)

    help_text = inspect.getdoc(function)
    made = _Command(function.__name__, callback=run, params=parameters, help=help_text, epilog=ENDING)
    made.instead = instead or {}
    return made


def _parameter(name: str, hint: Any, declared: Field[Any]) -> click.Parameter:
    """Make an option or an argument of a declaration; its type is that of the parameter."""
    declaration, required = declared.metadata, declared.default is MISSING
    kind = next((one for one in get_args(hint) if one is not NoneType), hint) if get_origin(hint) is not list else hint
    several = get_origin(kind) is list
    if "flags" not in declaration:
        argument = _Argument([name], metavar=declaration["metavar"], required=required, nargs=-1 if several else 1)
        argument.meaning = declaration["meaning"]
        return argument
    flags = list(declaration["flags"])
    if not any(flag.startswith("--") for flag in flags):
        spelled = name.replace("_", "-")
        both = kind is bool and declared.default is not False
        flags.insert(0, f"--{spelled}/--no-{spelled}" if both else f"--{spelled}")

    def checked(_context: click.Context, _parameter: click.Parameter, value: Any) -> Any:
        if declaration["check"] is not None and value is not None:
            declaration["check"](value)
        return value

    def completed(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        return [one for one in declaration["complete"] if one.startswith(incomplete)]

    told_default: dict[str, Any] = {} if required or several else {"default": declared.default}
    made = _Option(
        [*flags, name],
        metavar=declaration["metavar"],
        help=declaration["meaning"],
        type=_Share() if declaration["metavar"] == "P" else _type(kind, declaration["min"]),
        is_flag=kind is bool,
        multiple=several,
        required=required,
        show_default=True,
        callback=checked,
        shell_complete=completed if declaration["complete"] else None,
        **told_default,
    )
    made.heading = declaration["heading"]
    return made


class _Share(click.types.FloatParamType):
    """A number, which may be typed in percent."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return it as a float."""
        percent = isinstance(value, str) and value.endswith("%")
        number = super().convert(value.removesuffix("%") if percent else value, param, ctx)
        return round(number / 100, 15) if percent else number


def _type(kind: Any, least: float | None) -> Any:
    if least is not None:
        return click.IntRange(min=int(least)) if kind is int else click.FloatRange(min=least)
    if kind is Path:
        return click.Path(path_type=Path)
    return kind if kind in {bool, int, float} else str


@click.pass_context
def _show_help(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


class Group(click.Group):
    """Commands below a command, as help lists them; without one it shows the help.

    If a source stands in place of a command, the one to be suggested is `usual`.
    """

    def __init__(self, name: str, text: str, usual: str, **more: Any) -> None:
        more |= {"epilog": ENDING, "invoke_without_command": True, "subcommand_metavar": "COMMAND [ARGS]..."}
        super().__init__(name, help=text, callback=_show_help, **more)
        self.usual = usual

    def enter(self, name: str) -> Callable[[Callable[..., int | None]], click.Command]:
        """Make a command of a function, and enter it here by a name."""

        def entered(function: Callable[..., int | None]) -> click.Command:
            made = command(function)
            self.add_command(made, name)
            return made

        return entered

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the form that Click calls
        """Return their names, in the order in which they were entered."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for, or say which one may be meant."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            hint = nearest(args[0], names, most=len(names))
            source = "://" in args[0] or Path(args[0]).exists()
            instead = "" if ctx.parent else _INSTEAD.get(args[0], "")
            if instead := instead or (f"{self.usual} {quote(args[0])}" if source else ""):
                hint = f"did you mean {ctx.command_path} {instead}?"
            ctx.fail(f"there is no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)


#: Commands as help lists them, under headings: where each is defined, and its first sentence, so that the list loads
#: none of them.
_LISTED = {
    "Rank": {
        "rank": ("podium.cli.rank", "Rank systems, best first, and say how sure that is."),
        "pairwise": ("podium.cli.rank", "Compare all pairs of systems, and look for one that beats all."),
        "agree": ("podium.cli.rank", "Compare the orders that several methods, tables or tasks give."),
        "slices": ("podium.cli.slices", "Say who leads on which slice, and what is more than chance."),
        "frontier": ("podium.cli.rank", "Hold scores against costs: who is the best for the money."),
        "history": ("podium.cli.history", "Rank the versions of a table, and say what changed for sure."),
    },
    "Compare": {
        "compare": ("podium.cli.compare", "Compare two systems: how much better, and on which tasks."),
        "gate": ("podium.cli.compare", "Hold a new run against a baseline: PASS, FAIL or CANNOT TELL."),
        "watch": ("podium.cli.compare", "Watch a new run come in, and stop as soon as it is decided."),
        "pool": ("podium.cli.compare", "Combine known effects into one summary."),
        "judge": ("podium.cli.judge", "Hold a judge against people: agreement, bias, and certainty."),
    },
    "Benchmark": {
        "tasks": ("podium.cli.rank", "Say what each task tells, and which say the same."),
        "subset": ("podium.cli.rank", "Choose items, or tasks, that tell nearly as much as all."),
        "predict": ("podium.cli.rank", "Predict full scores and ranks from answers to chosen items."),
        "stress": ("podium.cli.stress", "Find out what would change the winner."),
        "plan": ("podium.cli.rank", "Say how much more data would separate the systems."),
        "allocate": ("podium.cli.rank", "Choose which scores to run next."),
    },
    "Difficulty": {
        "difficulty": ("podium.cli.difficulty", "Rate how difficult each instance is."),
        "customize": ("podium.cli.difficulty", "Weigh a leaderboard by the difficulty of its instances."),
    },
    "Share": {
        "page": ("podium.cli.page", "Make a page on which others weigh the tasks themselves."),
        "serve": ("podium.cli.serve", "Serve tables to browsers and programs on this machine."),
    },
    "Data": {
        "demo": ("podium.cli.demo", "Rank a table that comes with podium, and make its page."),
        "example": ("podium.cli.demo", "Write the files that the documentation uses."),
        "datasets": ("podium.cli.data", "List the built-in data sets."),
        "info": ("podium.cli.data", "Show what a table holds, and what is missing."),
        "convert": ("podium.cli.data", "Write what is read as one long table."),
        "add": ("podium.cli.data", "Add scores to a board, which keeps all its versions."),
        "board": ("podium.cli.data", "Show, check or compact a board."),
        "schema": ("podium.cli.data", "Print the JSON Schema of what a command answers."),
        "help": ("podium.cli.app", "Explain a command, a word, or options that many commands share."),
    },
}

_COMMANDS = {name: command for below in _LISTED.values() for name, command in below.items()}

#: What to type for commands that other tools have.
_INSTEAD = {
    "plot": "rank scores.csv --plot ranks.svg",
    "version": "--version",
    "describe": "info scores.csv",
    "test": "compare scores.csv",
    "leaderboard": "rank scores.csv",
    "next": "allocate scores.csv --budget 20",
}


class _Podium(Group):
    """List all commands, and load each when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the form that Click calls
        """Return their names."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        """Load one."""
        if cmd_name not in _COMMANDS:
            return None
        loaded: click.Command = getattr(import_module(_COMMANDS[cmd_name][0]), cmd_name)
        return loaded

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, and then the options of all."""
        for heading, below in _LISTED.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(10), summary) for name, (_, summary) in below.items()])
        click.Command.format_options(self, ctx, formatter)


@command
def help(  # noqa: A001  # the word for it
    *,
    about: list[str] | None = argument(
        "TOPIC",
        f"A command, or a word (words lists them); or {', '.join(TOPICS)}: options that many commands share.",
        required=False,
    ),
) -> None:
    """Explain a command, a word, or options that many commands share.

    \b
    podium help rank
    podium help tier
    podium help reading
    """  # noqa: D301
    context, words = click.get_current_context().find_root(), about or []
    context.meta[ALL] = bool(words)
    if words and (told := _of_words(context, words[0])):
        click.echo(told)
        return
    if (topic := TOPICS.get("".join(words[:1]))) and (rank := app.get_command(context, "rank")):
        formatter = context.make_formatter()
        formatter.write_text(topic[1])
        _write_options(context, formatter, topic[0], dict(under_headings(rank.params))[topic[0]])
        click.echo(formatter.getvalue().rstrip("\n"))
        return
    for word in words:
        group = context.command if isinstance(context.command, click.Group) else Group("none", "", "")
        check_choice("command or topic", [*group.list_commands(context), *TOPICS, "words", *WORDS], word)
        context = click.Context(group.get_command(context, word) or app, context, word)
    click.echo(context.get_help())


def _of_words(context: click.Context, word: str) -> str:
    """Return what a word means that is no command, or what all of them do."""
    formatter = context.make_formatter()
    if word == "words":
        formatter.write_dl([(name.ljust(10), told) for name, told in WORDS.items()])
    elif word not in _COMMANDS and (told := meaning(word)) is not None:
        formatter.write_text(told)
    return formatter.getvalue().rstrip("\n")


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the script that completes commands and options in a shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  # rarely wanted

    kind = None if shell is None else get_completion_class(shell)
    if kind is not None:
        click.echo(kind(context.command, {}, "podium", "_PODIUM_COMPLETE").source())
        context.exit()


_TEXT = """Rank systems from their scores on many tasks.

\b
podium rank scores.csv                      # the leaderboard
podium demo                                 # the same of a built-in table
podium compare scores.csv --control A --all # how much better than A?
podium stress scores.csv                    # what would change the winner?

Scores may be missing, tied, and on different scales. Each command explains itself: podium rank --help.
What many share: podium help reading, columns, weights or clusters. What words mean: podium help words.
"""

app = _Podium("podium", _TEXT, "rank", context_settings={"help_option_names": ["-h", "--help"]})
click.version_option(podium.__version__, prog_name="podium", message="%(prog)s %(version)s", help="Show the version.")(
    app
)
click.option(
    "--show-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    metavar="SHELL",
    is_eager=True,
    expose_value=False,
    callback=_show_completion,
    help="Show the script that completes options in bash, zsh or fish.",
)(app)
