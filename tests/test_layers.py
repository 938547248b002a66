"""An import goes downward only, and siblings do not import each other."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "surefoot"

# From top to bottom; packages of one line are siblings.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"report", "watch"},
    {"project"},
    {"case"},
    {"hazards"},
    {"systems"},
    {"reliability", "monitors"},
    {"bounds", "opinions", "profile", "faulttree", "corruptions"},
    {"adapters", "executors", "metrics", "datasets"},
    {"drawing"},
    {"documents"},
    {"core"},
    {"version"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
FILES = sorted(SOURCE.rglob("*.py"))


def package_of(path):
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imported_packages(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer they reach"
            base = node.module or ""
            names = [f"{base}.{alias.name}" for alias in node.names] if base == "surefoot" else [base]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("surefoot."))


def violations(package, tree):
    allowed_any = package in {"__init__", "testing"}
    for target in imported_packages(tree):
        if target == "testing" and package != "testing":
            yield f"{package} imports testing"
        elif not allowed_any and target != package and RANK[target] <= RANK[package]:
            yield f"{package} imports {target}"


def test_imports_go_downward_only():
    assert {package_of(path) for path in FILES} <= {*RANK, "__init__", "testing"}, "a package has no layer"
    found = {
        str(path.relative_to(SOURCE)): list(violations(package_of(path), ast.parse(path.read_text(encoding="utf-8"))))
        for path in FILES
    }
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_the_check_sees_a_violation():
    for package, line in [
        ("core", "from surefoot.bounds import hoeffding"),
        ("bounds", "from surefoot.opinions.fusion import fuse"),
        ("opinions", "import surefoot.cli"),
        ("bounds", "def f():\n    from surefoot import testing"),
    ]:
        assert list(violations(package, ast.parse(line))), line


def test_every_package_says_what_lives_in_it():
    for init in SOURCE.glob("*/__init__.py"):
        text = ast.get_docstring(ast.parse(init.read_text())) or ""
        assert "import" in text, f"{init.parent.name} does not say what it may import"
        assert len(text) > 80, f"{init.parent.name} does not say what lives in it"
