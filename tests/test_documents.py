"""The examples of the README and of every page of the documentation run, and links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
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


def test_every_page_is_reachable_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text()
    assert [p.name for p in (ROOT / "docs").glob("*.md") if p.name != "index.md" and p.name not in index] == []


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

    text = "".join((ROOT / "docs" / page).read_text() for page in ("core.md", "catalogue.md"))
    assert [code for code in CODES if f"`{code}`" not in text] == []
