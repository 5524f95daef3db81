"""Mutants: small faults in mathematical files, each of which the tests of that file must find.

python validation/mutants.py [--number 100] [--seed 0] [--only WORDS]

One operator, comparison or number is changed at a time, in a copy of the sources, and the tests named below run until
one fails. A mutant that survives is printed with its place: a test is missing, or the change makes no difference.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

#: Files, and the tests that must find what is wrong in them, below `src/podium` and `tests`.
FILES: dict[str, tuple[str, ...]] = {
    "base/statistics.py": ("base/test_distribution.py", "base/test_multiplicity.py", "ranking/test_separation.py"),
    "comparison/dependence.py": (
        "comparison/test_dependence.py",
        "golden/test_dependence.py",
        "comparison/test_synthesis.py",
    ),
    "comparison/effects.py": ("comparison/test_effects.py", "golden/test_effects.py", "comparison/test_api.py"),
    "comparison/contrast.py": ("comparison/test_effects.py", "comparison/test_api.py"),
    "comparison/moderators.py": ("golden/test_diagnostics.py", "comparison/test_moderators.py"),
    "comparison/random_effects.py": (
        "golden/test_metafor.py",
        "golden/test_dependence.py",
        "golden/test_diagnostics.py",
        "comparison/test_pooling.py",
        "comparison/test_moderators.py",
    ),
    "comparison/pooling.py": ("golden/test_metafor.py", "golden/test_pooling.py", "comparison/test_pooling.py"),
    "comparison/suite.py": ("comparison/test_suite.py",),
    "ranking/ballots.py": ("ranking/test_ballots.py", "ranking/test_laws.py", "golden/test_ranking.py"),
    "ranking/intervals.py": ("ranking/test_intervals.py", "ranking/test_winner.py", "golden/test_confidence.py"),
    "ranking/method/bradley_terry.py": ("ranking/test_bradley_terry.py", "golden/test_ranking.py"),
    "ranking/method/kemeny.py": ("ranking/test_kemeny.py",),
    "ranking/method/missing_model.py": ("ranking/test_missing.py",),
    "ranking/separation.py": ("ranking/test_separation.py", "ranking/test_intervals.py", "ranking/test_repeats.py"),
    "response/fit.py": ("response/test_response.py",),
}

#: Seconds after which a mutant that loops has been found.
_LIMIT = 300

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def sites(tree: ast.Module) -> list[ast.AST]:
    """Return what can be changed: operators and numbers in functions, but not in statements that raise."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found: dict[int, ast.AST] = {}
    for function in functions:
        for statement in function.body:
            if any(isinstance(node, ast.Raise) for node in ast.walk(statement)):
                continue
            for node in ast.walk(statement):
                if _changeable(node):
                    found[id(node)] = node
    return list(found.values())


def _changeable(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp | ast.BoolOp):
        return type(node.op) in _OTHER
    if isinstance(node, ast.Compare):
        return len(node.ops) == 1 and type(node.ops[0]) in _OTHER
    return isinstance(node, ast.Constant) and type(node.value) in {int, float} and node.value not in {0, 1, -1}


def mutate(node: ast.AST) -> str:
    """Change a node in place, and say how."""
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare):
        old: ast.AST = node.ops[0] if isinstance(node, ast.Compare) else node.op
        new: Any = _OTHER[type(old)]()
        if isinstance(node, ast.Compare):
            node.ops[0] = new
        else:
            node.op = new
        return f"{type(old).__name__} -> {type(new).__name__}"
    assert isinstance(node, ast.Constant)  # noqa: S101  # nothing else is changeable
    assert isinstance(node.value, int | float)  # noqa: S101  # the same
    value = node.value
    node.value = value + 1 if isinstance(value, int) else value * 1.5
    return f"{value} -> {node.value}"


def mutants(number: int, seed: int, only: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield file, line, change and source of mutants, as many of each file as of every other."""
    names = [name for name in FILES if only in name]
    chance = random.Random(seed)
    for place, name in enumerate(names):
        text = (ROOT / "src/podium" / name).read_text("utf-8")
        several = range(len(sites(ast.parse(text))))
        share = number // len(names) + (place < number % len(names))
        for index in sorted(chance.sample(several, min(share, len(several)))):
            tree = ast.parse(text)
            node = sites(tree)[index]
            line = int(getattr(node, "lineno", 0))
            yield name, line, mutate(node), ast.unparse(tree)


def found(name: str, source: str, folder: Path) -> bool:
    """Whether the tests of a file fail with this source in its place."""
    target = folder / "podium" / name
    original = target.read_text("utf-8")
    target.write_text(source, "utf-8")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        *(f"tests/{one}" for one in FILES[name]),
    ]
    paths = os.pathsep.join([str(folder), str(ROOT / "tests")])
    environment = os.environ | {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_PROFILE": "ci"}
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, timeout=_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return True
    else:
        return done.returncode != 0
    finally:
        target.write_text(original, "utf-8")


def main() -> None:
    """Make mutants, run the tests on each, and print those that survive and the score."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    died = total = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copytree(ROOT / "src/podium", folder / "podium")
        for name, line, change, source in mutants(asked.number, asked.seed, asked.only):
            killed = found(name, source, folder)
            died, total = died + killed, total + 1
            if not killed:
                sys.stdout.write(f"survives: {name}, line {line}: {change}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{died} of {total} mutants die\n")


if __name__ == "__main__":
    main()
