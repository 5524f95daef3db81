"""Which commands and options a server offers: those that open no file of the client's choice, and write none."""

from collections.abc import Iterator

import click

from podium.cli.app import app
from podium.server.question import Kind, Option, Verb

#: Commands that are about no table that a client could send, that only write one, that wait, or that serve.
_NOT_OFFERED = frozenset({"add", "board", "convert", "datasets", "gate", "serve", "watch"})

#: Options that read or write where they are told, that change only how a terminal shows the answer, that take more of
#: the machine, or that are about boards, which no client can send, or no table.
_KEPT = frozenset(
    {
        *("output", "format", "plot"),
        *("trec", "measure", "embeddings", "train-embeddings", "encoder", "fine-tune"),
        *("columns", "wide", "explain", "verbose", "quiet", "top"),
        *("threads", "jobs", "memory", "as-of", "engine", "scheduler", "workers"),
        *("history", "each", "items", "delta", "rate", "correlation"),
    }
)


def offered() -> Iterator[Verb]:
    """Yield what may be asked."""
    context = click.Context(app)
    for name in app.list_commands(context):
        found = app.get_command(context, name)
        if found is None or name in _NOT_OFFERED:
            continue
        below = found.commands.items() if isinstance(found, click.Group) else [("", found)]
        for part, command in below:
            yield _verb(f"{name} {part}".strip(), command)


def _verb(name: str, command: click.Command) -> Verb:
    options = [one for one in command.params if isinstance(one, click.Option) and _name(one) not in _KEPT]
    return Verb(
        name,
        (command.help or "").partition("\n")[0],
        tuple(map(_option, options)),
        takes_scores=any(isinstance(one, click.Argument) for one in command.params),
        answer=".html" if name == "page" else ".json",
    )


def _name(option: click.Option) -> str:
    return next(flag for flag in option.opts if flag.startswith("--")).removeprefix("--")


def _option(option: click.Option) -> Option:
    words = str(option.metavar or "").split("|")
    upload = "FILE" in words
    literal = tuple(word for word in words if word == word.lower() and word[:1].isalpha())
    # where anything else fits, too, the words are no choice
    choice = literal if upload or len(literal) == len(words) else ()
    negated = next((flag.removeprefix("--") for flag in option.secondary_opts), "")
    return Option(
        _name(option),
        _kind(option),
        option.help or "",
        negated,
        choice,
        upload,
        heading=getattr(option, "heading", ""),
        default=option.default if isinstance(option.default, bool | int | float | str) else None,
        required=option.required,
    )


def _kind(option: click.Option) -> Kind:
    if option.is_flag:
        return "boolean"
    if option.multiple:
        return "array"
    if isinstance(option.type, click.types.IntParamType):
        return "integer"
    return "number" if isinstance(option.type, click.types.FloatParamType) else "string"
