"""Tests come in by the front door, so that a package can be rearranged inside."""

import ast
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADING = "## Numerical kernels tested from inside"
NOT_YET = {
    *("adapters", "bounds", "case", "cli", "core", "corruptions", "datasets", "documents", "drawing", "examples"),
    *("executors", "faulttree", "frozen", "hazards", "metrics", "monitors", "opinions", "profile", "project"),
    *("reliability", "report", "systems", "test_extending.py", "testing"),
}
"""Folders of tests that still reach inside."""
FRONT = 2
"""Parts of the name of a package: ``surefoot.bounds``."""


def kernels():
    """Modules that CONTRIBUTING lists as tested from inside."""
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    return set(re.findall(r"^- `(surefoot\.[\w.]+)`: \w", listed, re.MULTILINE))


def inner_imports(tree):
    """Modules inside a package that a test imports from, and names that their package does not show."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("surefoot.") and a.name.count(".") >= FRONT)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in {"setattr", "delattr"}:
            target = node.args[0]
            if isinstance(target, ast.Constant) and target.value.count(".") > FRONT:
                yield target.value.rpartition(".")[0]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("surefoot."):
            if node.module.count(".") >= FRONT:
                yield node.module
            else:
                shown = getattr(import_module(node.module), "__all__", ())
                yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in shown)


def test_tests_import_what_packages_show():
    allowed = kernels()
    found = {
        str(path.relative_to(ROOT)): sorted(set(inner_imports(ast.parse(path.read_text(encoding="utf-8")))) - allowed)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if path.relative_to(ROOT / "tests").parts[0] not in NOT_YET
    }
    assert {path: inner for path, inner in found.items() if inner} == {}


def test_kernels_tested_from_inside_are_few_and_used():
    used = {
        module
        for path in (ROOT / "tests").rglob("*.py")
        for module in inner_imports(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert kernels() - used == set()
    assert len(kernels()) < 40


def test_the_check_sees_an_inner_import():
    for line in (
        "from surefoot.bounds.normal_tails import t_upper",
        "import surefoot.bounds.normal_tails",
        "def f():\n    from surefoot.bounds import normal_tails",
        "monkeypatch.setattr('surefoot.bounds.normal_tails.MOST', 3)",
    ):
        assert list(inner_imports(ast.parse(line))) == ["surefoot.bounds.normal_tails"], line
    assert not list(inner_imports(ast.parse("from surefoot.bounds import clopper_pearson")))
