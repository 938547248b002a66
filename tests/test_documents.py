"""The examples of the README and of every page of the documentation run, links lead somewhere, and the site builds."""

import doctest
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGE_OF_NAV = re.compile(r"([\w/-]+\.md)$", re.MULTILINE)
LOADED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(page):
    return PYTHON_BLOCK.findall(page.read_text())


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.name)
def test_examples_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = "\n\n".join(blocks(page))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert test.examples, "python blocks are written as doctests"
    result = doctest.DocTestRunner(optionflags=OPTIONS).run(test, clear_globs=True)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_within_the_project_lead_somewhere(page):
    local = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_page_is_in_the_navigation_of_the_site_once():
    named = list(PAGE_OF_NAV.findall((ROOT / "mkdocs.yml").read_text().partition("\ntheme:")[0]))
    assert sorted(set(named)) == sorted(named)
    assert {page.name for page in (ROOT / "docs").glob("*.md")} <= set(named)


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    for tool in ("mkdocs", "material", "mkdocstrings"):
        pytest.importorskip(tool, reason="the site needs the extra docs")
    out = tmp_path_factory.mktemp("site")
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def test_the_site_has_all_public_names(site):
    for folder in sorted((ROOT / "src" / "surefoot").glob("*/__init__.py")):
        package = folder.parent.name
        if package != "cli":
            page = (site / "reference" / f"{package}.html").read_text(encoding="utf-8")
            names = import_module(f"surefoot.{package}").__all__
            assert [name for name in names if f'id="surefoot.{package}.{name}"' not in page] == [], package


def test_the_site_loads_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert LOADED.findall(page.read_text(encoding="utf-8")) == [], page.name


def test_every_promise_to_an_assessor_names_a_test():
    table = (ROOT / "docs" / "trust.md").read_text().partition("## What is promised")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ")][2:]
    promised = [re.fullmatch(r" `(test_\w+)` ", row[-1])[1] for row in rows]
    there = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(promised) > 20
    assert [name for name in promised if f"def {name}(" not in there] == []
    assert len(set(promised)) == len(promised)


def modules_with_examples():
    sources = sorted((ROOT / "src" / "surefoot").rglob("*.py"))
    return [path for path in sources if ">>> " in path.read_text()]


@pytest.mark.parametrize("path", modules_with_examples(), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_docstring_examples_run(path):
    name = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    module = __import__(name, fromlist=["x"])
    assert doctest.testmod(module, optionflags=OPTIONS).failed == 0


def test_every_diagnostic_code_is_documented():
    from surefoot.core import CODES

    text = "".join((ROOT / "docs" / page).read_text() for page in ("codes.md", "case-checks.md", "catalogue.md"))
    assert [code for code in CODES if f"`{code}`" not in text] == []
