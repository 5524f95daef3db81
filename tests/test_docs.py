"""Every command and every piece of Python on the pages for users runs, and prints what the page shows."""

import fnmatch
import re
import runpy
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from golden.output.public_names import MODULES
from podium.cli.option.output import _PICTURES
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


@pytest.mark.parametrize(
    "path", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]), ids=lambda path: path.name
)
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_site_leads_to_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    parts = {
        name: [page for entry in part for page in entry.values()] for row in site["nav"] for name, part in row.items()
    }
    assert list(parts) == ["Start", "Questions", "Reference", "Why"]
    from_root = site["extra"]["from_root"]
    pages = [*from_root, *(path.name for path in (ROOT / "docs").glob("*.md"))]
    assert sorted(page for part in parts.values() for page in part) == sorted(pages)
    files = [
        *from_root.values(),
        *site["hooks"],
        *(f"docs/{name}" for name in site["extra_css"] + site["extra"]["polyfills"]),
    ]
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_the_page_of_the_python_interface_has_every_public_name() -> None:
    names = re.findall(r"^`podium.*`", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE)
    named = [name for line in names for name in re.findall(r"[\w.]+", line)]
    public = {
        f"{module}.{name}"
        for module in MODULES
        for name in import_module(module).__all__
        if f"{module}.{name}" not in MODULES
    }
    results = {"podium.ranking.result.Intervals", "podium.report.result.Result"}
    assert sorted(named) == sorted(public | results)


def test_the_gallery_shows_every_picture() -> None:
    commands = " ".join(
        re.findall(r"^podium .*--plot .*", (ROOT / "docs" / "gallery.md").read_text("utf-8"), re.MULTILINE)
    )
    files = re.findall(r"--plot (?:\w+=)?(\S+)", commands)
    assert len(set(files)) == len(files) == len(_PICTURES)
    assert set(re.findall(r"--plot (\w+)=", commands)) == set(_PICTURES) - {"bump", "forest"}  # alone, so not named


def test_the_site_links_names_and_shows_what_commands_draw() -> None:
    hook = runpy.run_path(str(ROOT / "docs" / "site" / "hook.py"))
    drawing = "podium rank scores.csv --plot ranks=ranks.svg"
    config = SimpleNamespace(extra={"drawn": [drawing]})

    def put(page: str, markdown: str) -> str:
        told: str = hook["on_page_markdown"](markdown, SimpleNamespace(file=SimpleNamespace(src_uri=page)), config)
        return told

    assert put("api.md", "The `podium.rank`.\n\n`podium.rank`,\n`podium.agreement.dispersion`\n") == (
        "The `podium.rank`.\n\n::: podium.rank\n\n::: podium.agreement.dispersion.dispersion\n\n"
    )
    text = "By `podium.rank`, `podium.no` and [`podium.plan`](plan.md)."
    assert put("x.md", text) == text.replace("`podium.rank`", "[`podium.rank`][podium.rank]")
    block = f"```sh\n{drawing}      # a `podium.rank`\npodium rank a.csv --plot ranks=other.svg\n```"
    assert put("x.md", block) == f"{block}\n\n![What the command draws](images/gallery/ranks.svg)"
    assert (
        hook["on_page_content"](r"<td><code>a\|b</code></td><code>\|</code>")
        == r"<td><code>a|b</code></td><code>\|</code>"
    )


#: What those who work on podium read; it names files, from the repository or the package on, or by the end of a path.
_GUIDES = (ROOT / "CONTRIBUTING.md", ROOT / "docs" / "design.md")

_ROOMS = ("src", "tests", "reproduce", "docs")

#: Named as what must not be, and what is not part of the repository.
_NOT_HERE = {"utils.py", "../shared/data"}


@pytest.mark.parametrize("page", _GUIDES, ids=lambda page: page.name)
def test_every_file_that_a_guide_names_exists(page: Path) -> None:
    files = [path.relative_to(ROOT) for room in _ROOMS for path in (ROOT / room).rglob("*")]
    ends = {"/".join(path.parts[at:]) for path in files for at in range(len(path.parts))}
    named = set(re.findall(r"`([\w.*/-]+/[\w.*/-]*|[\w-]+\.(?:py|md|toml))(?:: \w+)?`", page.read_text("utf-8")))
    assert len(named) > 20
    lost = [
        name
        for name in sorted(named - _NOT_HERE)
        if not (ROOT / name).exists() and not fnmatch.filter(ends, re.sub("(PAPER_)?NAME", "*", name).rstrip("/"))
    ]
    assert lost == []


@pytest.mark.parametrize("page", _GUIDES, ids=lambda page: page.name)
def test_every_name_that_a_guide_puts_into_a_file_is_there(page: Path) -> None:
    places = re.findall(r"`(\w+)`(?: in | \()`([\w/]+\.py)`", page.read_text("utf-8"))
    assert places
    for name, path in places:
        file = ROOT / path if (ROOT / path).exists() else ROOT / "src" / "podium" / path
        assert re.search(rf"\b{name}\b", file.read_text("utf-8")), f"{path} has no {name}"


def test_every_step_of_a_walk_through_the_code_exists() -> None:
    steps = re.findall(r"`([\w/]+\.py): (\w+)(?:\.(\w+))?`", (ROOT / "docs" / "design.md").read_text("utf-8"))
    assert len(steps) > 20
    for path, name, method in steps:
        code = (ROOT / "src" / "podium" / path).read_text("utf-8")
        found = re.search(rf"^(def |class |){name}\b", code, re.MULTILINE)
        assert found, f"{path} has no {name}"
        body = re.split(r"\n(?=[^\s#)])", code[found.start() :])[0]  # up to the next line that is not indented
        assert not method or f"    def {method}(" in body, f"{name} of {path} has no {method}"
