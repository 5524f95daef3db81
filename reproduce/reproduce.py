"""Re-run the papers' experiments and write docs/reproduction.md, and the tables in docs/reproduction/.

python reproduce/reproduce.py [--only WORDS [--write]]
"""

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path

from contents import overview
from findings import write

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
TABLES = PAGE.with_suffix("")
#: Between these lines the page is written by this script; the rest is written by hand.
START, END = "<!-- from here on written by `make reproduce` -->\n", "<!-- up to here -->\n"
#: One script per table or figure, in the order of the page.
SCRIPTS = sorted(path.stem for path in Path(__file__).parent.glob("*_*.py"))


def main() -> None:
    """Run, report progress, write or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the scripts with this in their name, and print what they give")
    parser.add_argument("--write", action="store_true", help="write what they give into docs, as without --only")
    chosen = parser.parse_args()
    made = {}
    for name in (name for name in SCRIPTS if chosen.only in name):
        start = time.monotonic()
        section = importlib.import_module(name).section()
        sys.stderr.write(f"{time.monotonic() - start:5.1f} s  {section.heading}\n")
        made[name] = section
    if chosen.only and not chosen.write:
        with tempfile.TemporaryDirectory() as folder:
            write(made, Path(folder), SCRIPTS)
            sys.stdout.write("\n".join(path.read_text("utf-8") for path in sorted(Path(folder).iterdir())))
        return
    write(made, TABLES, SCRIPTS)
    PAGE.write_text(page(PAGE.read_text("utf-8"), TABLES), encoding="utf-8")


def page(old: str, folder: Path) -> str:
    """Put the verdicts of the tables in a folder into the page; what is written by hand stays."""
    before, _, rest = old.partition(START)
    return f"{before}{START}\n{overview(folder)}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    main()
