"""Every command and every piece of Python on the pages for users runs, and prints what the page shows."""

import re
from pathlib import Path

import pytest

from support.pages import PAGES, ROOT, retold, write_files


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_print_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    write_files(tmp_path)
    page = path.read_text("utf-8")
    assert retold(page, tmp_path) == page


def test_an_example_that_fails_is_found(tmp_path: Path) -> None:
    for text in ("sh\npodium rank nowhere.csv", "\n$ podium rank nowhere.csv", "python\n>>> 1 + 1\n3"):
        with pytest.raises(AssertionError):
            retold(f"```{text}\n```\n", tmp_path)
    assert retold("```\n$ podium --version | head -1\nold\n```\n", tmp_path).count("podium") == 2


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_every_step_of_a_walk_through_the_code_exists() -> None:
    steps = re.findall(r"`([\w/]+\.py): (\w+)(?:\.(\w+))?`", (ROOT / "docs" / "design.md").read_text("utf-8"))
    assert len(steps) > 20
    for path, name, method in steps:
        code = (ROOT / "src" / "podium" / path).read_text("utf-8")
        found = re.search(rf"^(def |class |){name}\b", code, re.MULTILINE)
        assert found, f"{path} has no {name}"
        body = re.split(r"\n(?=[^\s#)])", code[found.start() :])[0]  # up to the next line that is not indented
        assert not method or f"    def {method}(" in body, f"{name} of {path} has no {method}"
