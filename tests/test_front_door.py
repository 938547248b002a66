"""Tests come in by the front door, so that a package can be rearranged inside."""

import ast
import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEADING = "## Numerical kernels tested from inside"
FRONT = 2
"""Parts of the name of a package: ``surefoot.bounds``."""


def kernels():
    """Modules that CONTRIBUTING lists as tested from inside; after the first of a line, names in the same package."""
    listed = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    found = set()
    for line in re.findall(r"^- (`surefoot[^:]*):", listed, re.MULTILINE):
        first, *others = re.findall(r"`([\w.]+)`", line)
        found |= {first, *(f"{first.rpartition('.')[0]}.{name}" for name in others)}
    return found


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
                folder = ROOT / "src" / Path(*node.module.split("."))
                inside = {f"{node.module}.{a.name}" for a in node.names if (folder / f"{a.name}.py").exists()}
                yield from inside or {node.module}
            else:
                shown = getattr(import_module(node.module), "__all__", ())
                yield from (f"{node.module}.{a.name}" for a in node.names if a.name not in shown)


def is_kernel(module, listed):
    return any(module == each or module.startswith(f"{each}.") for each in listed)


def test_tests_import_what_packages_show():
    listed, used, wrong = kernels(), set(), {}
    for path in sorted((ROOT / "tests").rglob("*.py")):
        inner = set(inner_imports(ast.parse(path.read_text(encoding="utf-8"))))
        used |= inner
        if unlisted := sorted(module for module in inner if not is_kernel(module, listed)):
            wrong[str(path.relative_to(ROOT))] = unlisted
    assert wrong == {}
    assert [each for each in listed if not any(is_kernel(module, {each}) for module in used)] == []
    assert 0 < len(listed) < 65


def test_the_check_sees_an_inner_import():
    for line in (
        "from surefoot.bounds.score_function import t_upper",
        "import surefoot.bounds.score_function",
        "def f():\n    from surefoot.bounds import score_function",
        "monkeypatch.setattr('surefoot.bounds.score_function.MOST', 3)",
    ):
        assert list(inner_imports(ast.parse(line))) == ["surefoot.bounds.score_function"], line
    assert not list(inner_imports(ast.parse("from surefoot.bounds import clopper_pearson")))
