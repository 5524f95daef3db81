"""Re-run the papers' experiments and write them into docs/reproduction.md.

python reproduce/reproduce.py [--only WORDS [--write]]
"""

import argparse
import importlib
import re
import sys
import time
from pathlib import Path

from contents import overview
from markdown import markdown

PAGE = Path(__file__).parents[1] / "docs" / "reproduction.md"
#: Between these lines the page is written by this script; the rest is written by hand.
START, END = "<!-- from here on written by `make reproduce` -->\n", "<!-- up to here -->\n"
#: One script per table or figure, in the order of the page.
SCRIPTS = sorted(path.stem for path in Path(__file__).parent.glob("*_*.py"))


def main() -> None:
    """Run, report progress, write or print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="run the scripts with this in their name, and print what they give")
    parser.add_argument("--write", action="store_true", help="write what they give into the page, as without --only")
    chosen = parser.parse_args()
    made = {}
    for name in (name for name in SCRIPTS if chosen.only in name):
        start = time.monotonic()
        section = importlib.import_module(name).section()
        sys.stderr.write(f"{time.monotonic() - start:5.1f} s  {section.heading}\n")
        made[name] = markdown(section)
    if chosen.only and not chosen.write:
        sys.stdout.write("\n".join(made.values()))
        return
    PAGE.write_text(page(PAGE.read_text("utf-8"), made), encoding="utf-8")


def page(old: str, made: dict[str, str]) -> str:
    """Put new sections into the page, by script; the others stay, and the table above them counts all verdicts."""
    before, _, rest = old.partition(START)
    written, _, after = rest.partition(END)
    _, *parts = re.split(r"^<!-- (\w+) -->\n\n", written, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True)) | made
    body = "\n".join(f"<!-- {name} -->\n\n{sections[name].rstrip()}\n" for name in SCRIPTS if name in sections)
    return f"{before}{START}\n{overview(sections)}\n\n{body}\n{END}{after}"


if __name__ == "__main__":
    main()
