"""What was typed, kept as plain values, so that another command can ask the same, and as text, so that a person can."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import click


def kept_of(context: click.Context, without: Collection[str]) -> dict[str, Any]:
    """Return the options of a command by name, as values that JSON holds, but for some.

    >>> command = click.Command("rank", params=[click.Option(["--seed"], type=int), click.Option(["--top"])])
    >>> kept_of(command.make_context("rank", ["--seed", "3"]), {"top"})
    {'seed': 3}
    """
    return {name: _plain(value) for name, value in context.params.items() if name not in without}


def restored(command: click.Command, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were kept, by name, as the command took them; None for those that were not."""
    context = click.Context(command)
    values = {str(one.name): one.type_cast_value(context, kept.get(str(one.name))) for one in command.params}
    return {name: (list(value) or None) if isinstance(value, tuple) else value for name, value in values.items()}


def text_of(context: click.Context, without: Collection[str]) -> str:
    """Return a command as it can be typed, but for some options and those with their usual values.

    >>> command = click.Command("rank", params=[click.Option(["--seed"], type=int, default=0), click.Option(["--top"])])
    >>> text_of(command.make_context("podium rank", ["--seed", "3", "--top", "5"]), {"top"})
    'podium rank --seed 3'
    """
    words = [word for one in context.command.params if one.name not in without for word in _words(context, one)]
    return shlex.join([*context.command_path.split(), *words])


def _words(context: click.Context, one: click.Parameter) -> Iterator[str]:
    value = context.params[str(one.name)]
    if value is None or value in ((), one.default):
        return
    if isinstance(one, click.Argument):
        yield from map(str, value)
    elif isinstance(value, bool):
        yield max(one.opts if value else one.secondary_opts, key=len)
    else:
        for each in value if isinstance(value, tuple) else (value,):
            yield from (max(one.opts, key=len), str(each))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [*map(_plain, value)]
    return str(value) if isinstance(value, Path) else value
