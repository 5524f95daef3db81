"""The rules of the house that no linter knows."""

import ast
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

import podium
from podium.comparison.effects import MEASURED, EffectName
from podium.comparison.pooling import INTERVAL_KINDS, IntervalName
from podium.comparison.random_effects import ESTIMATORS, EstimatorName
from podium.ranking.method_spec import METHODS, MethodName

pytestmark = pytest.mark.core

REPOSITORY = Path(__file__).parents[1]
SOURCE = REPOSITORY / "src" / "podium"

FILES = sorted(SOURCE.rglob("*.py"))


def _project() -> dict[str, object]:
    project: dict[str, object] = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    return project


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            yield name, value


def test_everything_a_user_calls_shows_an_example() -> None:
    shown = [*_public(podium), *_public(podium.datasets)]
    lacking = [name for name, value in shown if ">>>" not in (inspect.getdoc(value) or "")]
    assert lacking == []


def test_no_function_is_long_and_no_file_is_a_drawer() -> None:
    long = [
        f"{path.name}: {node.name}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and _code_lines(node) > 80
    ]
    assert long == []
    assert [path for path in FILES if path.stem in {"utils", "helpers", "misc", "common"}] == []


def _code_lines(node: ast.FunctionDef) -> int:
    """Lines of a function without its docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return sum((statement.end_lineno or 0) - statement.lineno + 1 for statement in body)


def test_a_class_name_means_one_thing() -> None:
    names = [node.name for node in _classes() if not node.name.startswith("_")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_classes_of_options_say_so() -> None:
    declaring = re.compile(r": .* = (option|choice|flag|column)\(")
    named = [node.name for node in _classes() if declaring.search(ast.unparse(node))]
    assert len(named) > 8
    assert [name for name in named if not name.endswith("Options")] == []


def _classes() -> Iterator[ast.ClassDef]:
    """Classes of all files, not those inside functions."""
    for path in FILES:
        yield from (node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef))


def test_imports_are_declared_dependencies() -> None:
    project = _project()
    dependencies = project["dependencies"]
    extras = project["optional-dependencies"]
    assert isinstance(dependencies, list)
    assert isinstance(extras, dict)
    core = {_module(requirement) for requirement in dependencies}
    optional = {_module(needed) for name in set(extras) - {"all"} for needed in extras[name]}
    at_once, later = _imports()
    assert at_once | later <= core | optional, "what is imported is declared"
    assert core <= at_once | later, "what is declared is imported"
    assert not at_once & optional, "an extra is imported where it is used"


def _module(requirement: str) -> str:
    """Name by which a required distribution is imported."""
    name = re.split(r"[<>=\[ ]", requirement)[0]
    return {"pyyaml": "yaml", "scikit-learn": "sklearn"}.get(name, name.replace("-", "_"))


def _imports() -> tuple[set[str], set[str]]:
    """Outside libraries imported with a module, and inside its functions."""
    at_once: set[str] = set()
    everywhere: set[str] = set()
    for path in FILES:
        if path == SOURCE / "testing.py":  # which pytest imports
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        everywhere |= _roots(ast.walk(tree))
        if "server" not in path.parts:  # which is itself imported where it is used
            at_once |= _roots(iter(tree.body))
    return at_once, everywhere


def _roots(nodes: Iterator[ast.AST]) -> set[str]:
    roots: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            roots |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            roots.add(node.module.partition(".")[0])
    return roots - sys.stdlib_module_names - {"podium"}


def test_the_changelog_knows_the_version() -> None:
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{podium.__version__}]" in changelog


def test_the_script_is_where_the_project_says() -> None:
    scripts = _project()["scripts"]
    assert isinstance(scripts, dict)
    module, _, function = scripts["podium"].partition(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_every_switched_off_rule_says_why() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
    lines = text[text.index("ignore = [") : text.index("[tool.ruff.lint.pydocstyle]")].splitlines()
    rules = [line for line in lines if re.search(r'"[A-Z]+[0-9]*"', line)]
    assert len(rules) > 20
    assert [line for line in rules if "#" not in line] == []


def test_public_names_are_the_same_in_all_three_lists() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in checked.body if isinstance(node, ast.ImportFrom) and node.module != "typing"]
    seen = [alias.name for node in imports for alias in node.names]
    assert sorted(seen) == sorted({*podium._PLACES, *podium._MODULES}) == sorted(podium.__all__)


def test_choices_in_signatures_are_those_that_there_are() -> None:
    for choices, registry in (
        (MethodName, METHODS),
        (EffectName, MEASURED),
        (EstimatorName, ESTIMATORS),
        (IntervalName, INTERVAL_KINDS.keys() - {"cr2"}),
    ):
        assert set(get_args(choices)) == set(registry)
