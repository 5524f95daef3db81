"""A folder that a command fills with the files of one result: a page, its pictures, and all numbers."""

import os
from collections.abc import Iterator
from pathlib import Path

import podium
from podium.base.errors import MethodError, MissingExtraError, OutputError
from podium.base.file import check_writable, write
from podium.report.draw.canvas import check_installed
from podium.report.draw.file import to_svg
from podium.report.result import Result
from podium.report.view import View

#: What a reader opens first.
PAGE = "report.html"


def folder_of(typed: str, *, bare: bool) -> Path | None:
    """Take a name with a slash behind it, or of a folder that is there, for a folder, and make it.

    Parameters
    ----------
    typed
        Name of a file or a folder.
    bare
        Whether a name without a suffix is a folder too.

    Returns
    -------
    The folder, or None where a file is meant.

    Raises
    ------
    OutputError
        A file has that name, or the folder cannot be made or written to; or the name is the empty text.
    """
    if not typed:
        # an unset shell variable, most likely; it must not stand for the folder one happens to be in
        raise OutputError("the output is the empty text; name a file, a folder, or . for this folder")
    folder = Path(typed)
    if not (folder.is_dir() or typed.endswith(("/", os.sep)) or (bare and not folder.suffix)):
        return None
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder} is a file, and a folder is to be filled; name another, or a file with suffix")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}; choose another place") from error
    check_writable(folder / PAGE)
    return folder


def possible_files(target: Path) -> tuple[Path, ...]:
    """Return every file that may be written: the target itself, or the files of numbers of any result in a folder."""
    if not target.is_dir():
        return (target,)
    for name in podium.__all__:  # loads every kind of result
        getattr(podium, name)
    schemas = sorted({kind.schema for kind in _kinds(Result)})  # type: ignore[type-abstract]  # its children are meant
    return (target / PAGE, *(target / f"{schema}{suffix}" for schema in schemas for suffix in (".json", ".csv")))


def _kinds(kind: type[Result]) -> Iterator[type[Result]]:
    for one in kind.__subclasses__():
        if hasattr(one, "schema"):
            yield one
        yield from _kinds(one)


def fill(folder: Path, result: Result) -> list[str]:
    """Write the page, the numbers and the pictures of a result, and return what is to be said about them.

    Parameters
    ----------
    folder
        Where.
    result
        What is written.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    from podium.report.format.html import to_html  # noqa: PLC0415  # only where a page is written

    view = result.view()
    numbers = folder / f"{result.schema}.json"
    ours = [folder / f"{schema}.csv" for schema in result.part_schemas or [result.schema]]
    ours += [folder / f"{figure.name}.svg" for figure in view.figures]
    for path in (numbers, *ours):  # so that it gets all of them, or none
        check_writable(path)
    if numbers.exists():  # what an earlier run left would be taken for ours
        for path in ours:
            path.unlink(missing_ok=True)
    write(result.render("json"), numbers)
    for part in result.parts():
        write(part.render("csv"), folder / f"{part.schema}.csv")
    pictures, said = _drawn(view)
    for name, _, picture in pictures:
        write(picture, folder / f"{name}.svg")
    write(to_html(view, [(title, picture) for _, title, picture in pictures]), folder / PAGE)
    return [*said, f"{folder / PAGE} is the page to look at; the numbers are beside it"]


def _drawn(view: View) -> tuple[list[tuple[str, str, str]], list[str]]:
    """Names, titles and SVG of the pictures; and why some, or all, are not there."""
    pictures: list[tuple[str, str, str]] = []
    missing: dict[str, list[str]] = {}
    try:
        if view.figures:
            check_installed()
        for figure in view.figures:
            try:
                pictures.append((figure.name, figure.title, to_svg(figure.draw())))
            except MethodError as error:
                missing.setdefault(str(error), []).append(repr(figure.name))
    except (MissingExtraError, ImportError) as error:  # not there, or there and broken
        return [], [f"no pictures: {error}"]
    return pictures, [f"no picture {' or '.join(names)}: {why}" for why, names in missing.items()]
