"""Every command and every piece of Python on the pages for users runs, and prints what the page shows."""

import fnmatch
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
import yaml

from golden.output.public_names import MODULES
from golden.output.transcripts import FROZEN, commands, play
from podium.cli.app import app
from podium.cli.options import _PICTURES
from podium.datasets import write_examples
from podium.source.tool import TOOLS
from podium.source.tool.preset import PRESETS
from support import notebooks
from support.pages import BLOCK, PAGES, ROOT, pictures, retold


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples_print_what_the_page_shows(path: Path, tmp_path: Path) -> None:
    write_examples(tmp_path)
    page = path.read_text("utf-8")
    assert retold(page, tmp_path) == page
    drawn = list(pictures(page, tmp_path))
    assert drawn or path.name not in {"README.md", "show.md"}
    for picture in drawn:
        assert_drawn(picture, ROOT / "docs" / "images" / picture.name)


def test_examples_are_packed_as_they_are_made(tmp_path: Path) -> None:
    write_examples(tmp_path / "packed")
    runpy.run_path(str(ROOT / "docs" / "example.py"))["write_files"](tmp_path / "made")
    packed, made = (
        {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
        for folder in (tmp_path / "packed", tmp_path / "made")
    )
    assert list(packed) == list(made)
    different = [name for name, path in packed.items() if path.read_bytes() != made[name].read_bytes()]
    assert {name.suffix for name in different} <= {".parquet"}  # which name the version of Arrow that wrote them


def test_an_example_that_fails_is_found(tmp_path: Path) -> None:
    for text in ("sh\npodium rank nowhere.csv", "\n$ podium rank nowhere.csv", "python\n>>> 1 + 1\n3"):
        with pytest.raises(AssertionError):
            retold(f"```{text}\n```\n", tmp_path)
    assert retold("```\n$ podium --version | head -1\nold\n```\n", tmp_path).count("podium") == 2


def test_code_that_is_not_run_needs_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,t\nA,1\n")
    for block in ("text\na drawing", "csv\nsystem,t"):
        page = f"```{block}\n```\n"
        assert retold(page, tmp_path) == page
    for text in ("csv\nsystem,u", "sh\nmake demo", "\nmake demo", "python\nimport nothing_like_it"):
        page = f"```{text}\n```\n"
        with pytest.raises((AssertionError, ImportError)):
            retold(page, tmp_path)
        excused = f"<!-- not run: it installs -->\n\n{page}"
        assert retold(excused, tmp_path) == excused


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 900


#: Written by `docs/generate_cli.py`.
REFERENCE = ROOT / "docs" / "cli.md"

#: All pages for users.
WRITTEN = sorted([*ROOT.glob("*.md"), ROOT / "llms.txt", *(ROOT / "docs").rglob("*.md")])


def test_other_pages_hold_no_code() -> None:
    others = set(WRITTEN) - {*PAGES, REFERENCE}
    blocks = [(path.name, language) for path in others for _, language, _ in BLOCK.findall(path.read_text("utf-8"))]
    assert [block for block in blocks if block[1] != "text"] == []


def test_every_example_of_the_help_is_understood() -> None:
    blocks = [text for _, language, text in BLOCK.findall(REFERENCE.read_text("utf-8")) if language == "sh"]
    lines = [line.partition(" < ")[0] for text in blocks for line in text.splitlines()]
    assert len(lines) > 50
    for line in lines:
        _, *words = shlex.split(line, comments=True)
        command: click.Command = app
        name, context = "podium", None
        while isinstance(command, click.Group):
            context = click.Context(command, info_name=name, parent=context, **command.context_settings)
            found, inner, words = command.resolve_command(context, words)
            assert inner, line
            command, name = inner, str(found)
        command.make_context(name, words, parent=context)  # an option or a value that is not known is an error


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_show_what_their_cells_give(path: Path, tmp_path: Path) -> None:
    text = path.read_text("utf-8")
    assert notebooks.undrawn(notebooks.retold(text, tmp_path)) == notebooks.undrawn(text)
    assert len(text) < 200_000


def test_a_cell_gives_what_it_prints_and_its_last_value() -> None:
    source = "print('a')\nb = 1\nb + 1"
    stream, result = notebooks._outputs(source, {}, 3)
    assert (stream["text"], result["data"]) == (["a\n"], {"text/plain": ["2"]})
    assert notebooks._outputs("b = 2", {}, 1) == notebooks._outputs("None", {}, 1) == []


def assert_drawn(new: Path, kept: Path) -> None:
    """Compare the words of two pictures, and all else if the same Matplotlib drew both; others place it differently."""
    drawn, shown = (path.read_text("utf-8") for path in (new, kept))
    words = re.compile(r"<text\b[^>]*>([^<]+)<")
    assert len(words.findall(drawn)) > 5
    assert words.findall(drawn) == words.findall(shown)
    made = re.compile(r"Matplotlib v[\d.]+")
    assert drawn == shown or made.findall(drawn) != made.findall(shown)


#: Commands on the released data, and the part of a page that shows what they give.
_RELEASED = re.compile(r"^<!-- from the released data: (.+?) -->\n(.*?)(?=^#)", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["compare", "difficulty"])
def test_what_pages_say_of_the_released_data_is_what_podium_says(name: str, shared: Path, tmp_path: Path) -> None:
    (tmp_path / "data").symlink_to(shared / "data")
    (found,) = _RELEASED.findall((ROOT / "docs" / f"{name}.md").read_text("utf-8"))
    commands, text = found
    answers = [play(command.removeprefix("podium "), tmp_path) for command in commands.split(" && ")]
    printed = answers[-1].stdout.decode("utf-8")
    quoted = [line for line in re.findall(r"^> (.+?)\\?$", text, re.MULTILINE) if line != "…"]
    assert [line for line in quoted if line not in printed] == []
    (image,) = re.findall(r"\(images/(.+?\.svg)\)", text)
    assert_drawn(tmp_path / image, ROOT / "docs" / "images" / image)


def test_the_site_is_built_without_a_warning_or_a_network(tmp_path: Path) -> None:
    if find_spec("mkdocs") is None:
        pytest.skip("MkDocs is not installed; make docs installs it")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    place = r"""["']?(?:https?:)?//"""
    loaded = re.compile(rf"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)={place}|url\({place}")
    files = [path for path in tmp_path.rglob("*") if path.suffix in {".html", ".css"}]
    assert len(files) > 20
    assert [path.name for path in files if loaded.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


def test_the_site_leads_to_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    parts = {
        name: [page for entry in part for page in entry.values()] for row in site["nav"] for name, part in row.items()
    }
    assert list(parts) == ["Start", "Questions", "Tools", "Reference", "Why"]
    from_root = site["extra"]["from_root"]
    written = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    pages = [*from_root, *written, *(f"notebooks/{path.stem}.md" for path in notebooks.NOTEBOOKS)]
    assert sorted(page for part in parts.values() for page in part) == sorted(pages)
    files = [
        *from_root.values(),
        *site["hooks"],
        *(f"docs/{name}" for name in site["extra_css"] + site["extra"]["polyfills"]),
    ]
    assert [name for name in files if not (ROOT / name).exists()] == []


def test_every_tool_has_a_page_and_is_named_in_the_readme() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs" / "tools").glob("*.md")}
    named = [re.findall(r"`--tool\s([\w-]+)`", text) or [name.removesuffix(".md")] for name, text in pages.items()]
    assert sorted(name for names in named for name in names) == sorted([*(tool.name for tool in TOOLS), "platforms"])
    for preset in PRESETS:
        assert re.search(rf"\b{preset.name.removeprefix('preset ')}\b", pages["platforms.md"])
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split()).casefold()
    nav = {
        name: part
        for row in yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]
        for name, part in row.items()
    }
    tools = [name for entry in nav["Tools"] for name in entry]
    assert [name for name in tools if name.casefold() not in readme] == []
    harness = (ROOT / "docs" / "start-harness.md").read_text("utf-8")
    assert sorted(re.findall(r"\]\(tools/(.+?)\)", harness)) == sorted(pages)


def test_what_the_pages_of_tools_show_the_beginning_of_is_frozen_whole() -> None:
    pages = [path.read_text("utf-8") for path in sorted((ROOT / "docs" / "tools").glob("*.md"))]
    shown = [command for page in pages for command in re.findall(r"^\$ podium (.+?) \| head -\d+$", page, re.MULTILINE)]
    assert shown == commands((FROZEN / "tools.txt").read_text("utf-8"))


def test_the_page_of_the_python_interface_has_every_public_name() -> None:
    names = re.findall(r"^`podium.*`", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE)
    named = [name for line in names for name in re.findall(r"[\w.]+", line)]
    public = {
        f"{module}.{name}"
        for module in MODULES
        for name in import_module(module).__all__
        if f"{module}.{name}" not in MODULES
    }
    results = {"podium.ranking.result.Intervals", "podium.report.result.Result", "podium.comparison.suite.SuiteEffect"}
    assert sorted(named) == sorted(public | results)


def test_a_page_shows_every_picture() -> None:
    shown = (ROOT / "docs" / "show.md").read_text("utf-8")
    commands = " ".join(re.findall(r"^podium .*--plot .*\.svg$", shown, re.MULTILINE))
    files = re.findall(r"--plot (?:\w+=)?(\S+)", commands)
    assert len(set(files)) == len(files) >= len(_PICTURES)
    alone = {
        "allocated",
        "bump",
        "calibration",
        "forest",
        "frontier",
        "history",
        "needed",
        "predicted",
        "slices",
        "worth",
    }
    assert set(re.findall(r"--plot (\w+)=", commands)) == set(_PICTURES) - alone
    assert re.findall(r"\(images/(.+?)\)", shown) == files


def test_the_site_links_names() -> None:
    hook = runpy.run_path(str(ROOT / "docs" / "site" / "hook.py"))

    def put(page: str, markdown: str) -> str:
        told: str = hook["on_page_markdown"](markdown, SimpleNamespace(file=SimpleNamespace(src_uri=page)))
        return told

    assert put("api.md", "The `podium.rank`.\n\n`podium.rank`,\n`podium.agreement.dispersion`\n") == (
        "The `podium.rank`.\n\n::: podium.rank\n\n::: podium.agreement.dispersion\n\n"
    )
    text = "By `podium.rank`, `podium.no` and [`podium.plan`](plan.md)."
    assert put("x.md", text) == text.replace("`podium.rank`", "[`podium.rank`][podium.rank]")
    block = "```sh\npodium rank scores.csv      # a `podium.rank`\n```"
    assert put("x.md", block) == block
    assert (
        hook["on_page_content"](r"<td><code>a\|b</code>, <code>-- --c-d</code></td><code>\|</code>")
        == r"<td><code>a|<wbr>b</code>, <code>-- <span>--c-d</span></code></td><code>\|</code>"
    )


#: What those who work on podium read; it names files, from the repository or the package on, or by the end of a path.
_GUIDES = (ROOT / "CONTRIBUTING.md", *(ROOT / "docs" / f"{name}.md" for name in ("design", "decisions")))

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
