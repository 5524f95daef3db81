"""Re-run the papers' experiments and write them into docs/reproduction.md.

python reproduce/reproduce.py [--only WORDS]
"""

import argparse
import importlib
import sys
import time
from pathlib import Path

from markdown import markdown, overview

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
#: Between these lines the page is written by this script; the rest is written by hand.
START, END = "<!-- from here on written by `make reproduce` -->\n", "<!-- up to here -->\n"
#: One script per table or figure, in the order of the page.
SCRIPTS = sorted(path.stem for path in Path(__file__).parent.glob("*_*.py"))


def main() -> None:
    """Run, report progress, write or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the scripts with this in their name, and print what they give")
    chosen = parser.parse_args()
    sections = []
    for name in (name for name in SCRIPTS if chosen.only in name):
        start = time.monotonic()
        sections.append(importlib.import_module(name).section())
        sys.stderr.write(f"{time.monotonic() - start:5.1f} s  {sections[-1].heading}\n")
    made = "\n".join([overview(sections), "", *map(markdown, sections)])
    if chosen.only:
        sys.stdout.write(made)
        return
    before, _, rest = PAGE.read_text("utf-8").partition(START)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{START}\n{made}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
