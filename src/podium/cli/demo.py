"""The commands of the first minute: demo and example."""

import shlex
import sys
from pathlib import Path
from shutil import which

import podium
from podium.base.errors import OutputError
from podium.cli.app import OUTPUT, app, argument, command, option
from podium.cli.output import Destination, print_content

_ABOUT = """\
A simulated table: 8 systems, named in their true order, answer 150 questions of
each of 5 tasks. birch was not run on math, the hardest task, so a plain mean
puts birch first."""


@command
def demo(
    *, output: str = option(OUTPUT, "PATH", "The page that is written.", "-o", default="podium-demo.html")
) -> None:
    """Rank a table that comes with podium, and make its page.

    \b
    podium demo
    podium demo -o out/demo.html

    The table is simulated, so that the truth is known.
    """  # noqa: D301
    print_content(f"{_ABOUT}\n\n$ podium rank dataset:demo --explain\n")
    ranking = podium.rank(podium.datasets.demo())
    Destination("table", None, explain=True, drawn=True).deliver(ranking)
    page = ["page", "dataset:demo", "-o", output, "--quiet"]
    print_content(f"\n$ podium {shlex.join(page)}\n")
    program, sys.argv = sys.argv[0], ["podium", *page]  # what the page says of itself
    app.main(page, prog_name="podium", standalone_mode=False)
    found = which("podium") or Path(program).name != "podium"
    print_content(
        f"\nNext, your own results: {'podium' if found else program} rank scores.csv, or the folder of a harness.\n"
        f"The page, on which readers weigh the tasks themselves, opens in any browser:\n{Path(output).resolve()}\n"
    )


@command
def example(*, folder: str = argument("DIR", "The folder, new or empty. Default: example.", required=False)) -> None:
    """Write the files that the documentation uses.

    \b
    podium example
    podium example DIR

    Tables, answers and the logs of tools, all small and simulated.
    """  # noqa: D301
    place = Path(folder or "example")
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise OutputError(
            f"{place} is there, and not empty; if podium example wrote it, use it, or name another folder"
        )
    podium.datasets.write_examples(place)
    print_content(f"Wrote the files of the documentation into {place}/. Next: cd {shlex.quote(str(place))}\n")
