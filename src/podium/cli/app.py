"""Commands made of functions, by Click; and `podium` itself, which loads the command asked for.

- A command is a function under `@command`. Its docstring is the help: a sentence, examples, and what else to know.
  Each of its parameters is one of these two.
- A parameter of type `Annotated[…, option("--flag", …)]` is an option; without a flag it is an argument.
- A parameter whose type is a dataclass stands for the options that are its fields, under one of the `HEADINGS`.
- No two options of a command have the same flag or the same Python name; `_check_distinct` refuses them at import.
- `podium` is a group of commands, listed in `_COMMANDS`. A command may itself be a `Group`, as `difficulty` is.
- A command has the exit code that it returns, 0 if none. Any error becomes a message and one of the codes in `ENDING`
  (`cli/entry.py`).
"""

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin

import click

import podium
from podium.base.errors import nearest, similar
from podium.cli.option.option import HEADINGS

#: Said below the help of every command.
ENDING = (
    "Exit codes: 0 done; 2 bad input, output or usage; 70 a bug in podium; 130 interrupted; of gate and watch 1 and 3, "
    "too. Errors and warnings go to standard error; PODIUM_DEBUG=1 shows the traceback of a bug."
)

#: What shows the help of a command.
_HELP = ("-h", "--help")

#: Width of the options in the help, the same under every heading; longer ones have a line of their own.
_WIDTH = 26


class _Option(click.Option):
    """An option under a heading of the help."""

    heading = "Output"


class _Argument(click.Argument):
    """An argument, which help explains like an option."""

    heading = "Input"
    meaning = ""

    def make_metavar(self, ctx: click.Context) -> str:  # noqa: ARG002  # the form that Click calls
        """Return what usage calls it."""
        return str(self.metavar) if self.required else f"[{self.metavar}]..."

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:  # noqa: ARG002  # the form that Click calls
        """Return what help calls it, and what it is."""
        return str(self.metavar), self.meaning + ("  [required]" if self.required else "")


class _Grouped(click.Command):
    """A command whose help has its options under headings, and which knows what an unknown option may mean."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each heading with its options."""
        for heading, parameters in under_headings(self.get_params(ctx)):
            records = [record for one in parameters if (record := one.get_help_record(ctx)) is not None]
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(_WIDTH), text) for name, text in records], col_max=_WIDTH)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what is typed, or say which option may be meant."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            flags = [flag for one in self.get_params(ctx) for flag in (*one.opts, *one.secondary_opts)]
            meant = _meant(error.option_name, [flag for flag in flags if flag.startswith("--")])
            hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
            ctx.fail(f"{error.message.rstrip('.')}{hint}")


def under_headings(parameters: Sequence[click.Parameter]) -> Iterator[tuple[str, list[click.Parameter]]]:
    """Yield the headings of the help, in their order, and what stands below each; `--help` is below Output."""
    for heading in HEADINGS:
        if below := [one for one in parameters if getattr(one, "heading", _Option.heading) == heading]:
            yield heading, below


def _meant(typed: str, flags: Sequence[str]) -> list[str]:
    """Return options with the same word in their names, in singular or plural; or else those that are spelled alike.

    >>> _meant("--task", ["--tasks", "--task-column", "--top"]), _meant("--tsaks", ["--tasks", "--top"])
    (['--tasks', '--task-column'], ['--tasks'])
    """
    word = typed.strip("-").removesuffix("s")
    same = [flag for flag in flags if word in [part.removesuffix("s") for part in flag.strip("-").split("-")]]
    return same or similar(typed, flags)


def command(function: Callable[..., int | None]) -> click.Command:
    """Make a command of a function: its parameters are options, or dataclasses whose fields are options.

    Raises
    ------
    ValueError
        Two options have the same flag or name, which is a bug.
    """
    declared = inspect.signature(function).parameters
    classes = {name: one.annotation for name, one in declared.items() if is_dataclass(one.annotation)}

    def run(**typed: Any) -> int | None:
        for one in parameters:  # Click gives None where another option stands in place of a value
            if isinstance(values := typed[str(one.name)], tuple) and None in values:
                raise click.UsageError(f"Option {one.opts[0]!r} requires an argument", click.get_current_context())
        typed = {name: (list(value) or None) if isinstance(value, tuple) else value for name, value in typed.items()}
        chosen = {name: _filled(classes[name], typed) if name in classes else typed[name] for name in declared}
        return function(**chosen)

    parameters: list[click.Parameter] = []
    for name, one in declared.items():
        default = MISSING if one.default is one.empty else one.default
        parameters += _of_fields(classes[name]) if name in classes else [_parameter(name, one.annotation, default)]
    _check_distinct(function.__name__, parameters)
    help_text = inspect.getdoc(function)
    return _Grouped(function.__name__, callback=run, params=parameters, help=help_text, epilog=ENDING)


def _of_fields(kind: Any) -> Iterator[click.Parameter]:
    """Make the options of a dataclass; a field may be such a dataclass, too."""
    for field in fields(kind):
        if is_dataclass(field.type):
            yield from _of_fields(field.type)
        else:
            yield _parameter(field.name, field.type, field.default, kind.heading)


def _filled(kind: Any, typed: dict[str, Any]) -> Any:
    """Make a dataclass of what was typed for its fields, by their names."""
    classes = {field.name: field.type for field in fields(kind) if is_dataclass(field.type)}
    return kind(
        **{
            field.name: _filled(classes[field.name], typed) if field.name in classes else typed[field.name]
            for field in fields(kind)
        }
    )


def _check_distinct(command_name: str, parameters: Sequence[click.Parameter]) -> None:
    """Refuse two options with the same flag, and two with the same Python name, which would share one value."""
    names = [str(one.name) for one in parameters]
    flags = [flag for one in parameters if isinstance(one, click.Option) for flag in (*one.opts, *one.secondary_opts)]
    for declared in (names, [*_HELP, *flags]):
        twice = [name for name in declared if declared.count(name) > 1]
        if twice:
            raise ValueError(f"command {command_name!r} declares {twice[0]!r} twice; rename one of the two")


def _parameter(name: str, hint: Any, default: Any, heading: str | None = None) -> click.Parameter:
    """Make an option or an argument of an annotation, such as `Annotated[int | None, option("--threads", …)]`."""
    union, declared = get_args(hint)
    kind = next((one for one in get_args(union) if one is not NoneType), union)
    several, required = get_origin(kind) is list, default is MISSING
    if not declared.flags:
        argument = _Argument([name], metavar=declared.metavar, required=required, nargs=-1 if several else 1)
        argument.meaning = declared.meaning
        return argument
    made = _Option(
        [*declared.flags, name],
        metavar=declared.metavar,
        help=declared.meaning,
        type=_type(kind, declared.min),
        is_flag=kind is bool,
        multiple=several,
        required=required,
        show_default=True,
        shell_complete=_completing(declared.autocompletion),
        **({} if required or several else {"default": default}),
    )
    made.heading = declared.heading or heading or made.heading
    return made


def _type(kind: Any, least: float | None) -> Any:
    if least is not None:
        return click.IntRange(min=int(least)) if kind is int else click.FloatRange(min=least)
    if kind is Path:
        return click.Path(path_type=Path)
    return kind if kind in {bool, int, float} else str


def _completing(complete: Callable[[str], list[str]] | None) -> Any:
    """Turn what completes a value into the function that Click calls."""
    if complete is None:
        return None
    return lambda _context, _parameter, incomplete: complete(incomplete)


class Group(click.Group):
    """Commands below a command, as help lists them."""

    def enter(self, function: Callable[..., int | None]) -> click.Command:
        """Make a command of a function, and enter it here."""
        made = command(function)
        self.add_command(made)
        return made

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the form that Click calls
        """Return their names, in the order in which they were entered."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is asked for, or say which one may be meant."""
        names = self.list_commands(ctx)
        if args[0] not in names and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {args[0]!r}; {nearest(args[0], names)}")
        return super().resolve_command(ctx, args)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a command is defined, and its first sentence, so that the list of commands loads none of them."""

    module: str
    summary: str


#: Commands as help lists them.
_COMMANDS = {
    "rank": _Place("rank", "Rank systems, best first, and say how sure that is."),
    "pairwise": _Place("pairwise", "Compare all pairs of systems, and look for one that beats all."),
    "agree": _Place("agree", "Rank with several methods, and show how far they agree."),
    "history": _Place("history", "Rank the versions of a table, and say what changed for sure."),
    "plan": _Place("plan", "Say how much more data would separate the systems."),
    "info": _Place("info", "Show what a table holds, and what is missing."),
    "convert": _Place("convert", "Write what is read as one long table."),
    "add": _Place("add", "Add scores to a board, which keeps all its versions."),
    "board": _Place("board", "Show, check or compact a board."),
    "datasets": _Place("info", "List the built-in data sets."),
    "compare": _Place("compare", "Compare two systems: how much better, and on which tasks."),
    "gate": _Place("gate", "Hold a new run against a baseline: PASS, FAIL or CANNOT TELL."),
    "watch": _Place("watch", "Watch a new run come in, and stop as soon as it is decided."),
    "pool": _Place("pool", "Combine known effects into one summary."),
    "page": _Place("page", "Make a page on which others weigh the tasks themselves."),
    "serve": _Place("serve", "Serve tables to browsers and programs on this machine."),
    "customize": _Place("customize", "Weigh a leaderboard by the difficulty of its instances."),
    "stress": _Place("stress", "Find out what would change the winner."),
    "difficulty": _Place("difficulty", "Rate how difficult each instance is."),
}


class _Podium(Group):
    """All commands, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # the form that Click calls
        """Return their names."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # the same
        """Load one."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"podium.cli.command.{_COMMANDS[cmd_name].module}")
        loaded: click.Command = getattr(module, cmd_name)
        return loaded

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  # the same
        """Write what each does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in _COMMANDS.items()])


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print the script that completes commands and options in a shell."""
    from click.shell_completion import get_completion_class  # noqa: PLC0415  # rarely wanted

    kind = None if shell is None else get_completion_class(shell)
    if kind is not None:
        click.echo(kind(context.command, {}, "podium", "_PODIUM_COMPLETE").source())
        context.exit()


@click.group(
    cls=_Podium,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=ENDING,
    context_settings={"help_option_names": list(_HELP)},
)
@click.version_option(podium.__version__, prog_name="podium", message="%(prog)s %(version)s", help="Show the version.")
@click.option(
    "--show-completion",
    type=click.Choice(["bash", "zsh", "fish"]),
    metavar="SHELL",
    is_eager=True,
    expose_value=False,
    callback=_show_completion,
    help="Show the script that completes options in bash, zsh or fish.",
)
@click.pass_context
def app(context: click.Context) -> None:
    """Rank systems from their scores on many tasks.

    \b
    podium rank scores.csv                      # the leaderboard
    podium rank dataset:xtreme-missing          # a built-in example
    podium compare scores.csv --control A --all # how much better than A?
    podium stress scores.csv                    # what would change the winner?

    Scores may be missing, tied, and on different scales. Each command explains itself: podium rank --help.
    """  # noqa: D301  # the control character keeps Click from joining the lines
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
