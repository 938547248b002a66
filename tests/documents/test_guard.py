"""There is one reader of each format: nobody else imports the parsers, or looks for similar words."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "surefoot"
PARSERS = {"yaml", "csv", "difflib", "xml", "openpyxl", "python_calamine", "xlsxwriter"}
JSON_READERS = {"load", "loads", "JSONDecoder"}
BETWEEN_PROCESSES = "a message of one process of ours to another"
INSIDE_A_BINARY_FILE = "the head of a file of arrays, which no person writes"
EXCEPTIONS = {
    "documents/": "the readers themselves",
    "core/wording.py": "difflib: core says what was meant too, and documents shows it",
    "adapters/child.py": BETWEEN_PROCESSES,
    "adapters/isolated.py": BETWEEN_PROCESSES,
    "adapters/made_data.py": BETWEEN_PROCESSES,
    "systems/modules/of_process.py": BETWEEN_PROCESSES,
    "executors/kept.py": INSIDE_A_BINARY_FILE,
    "monitors/files.py": INSIDE_A_BINARY_FILE,
    "profile/vae_files.py": INSIDE_A_BINARY_FILE,
    "systems/records/": INSIDE_A_BINARY_FILE,
    "corruptions/gallery/shown.py": "difflib: marks what a corruption changed in a text",
    "draw/svg.py": "XML: a sanitiser that writes what it reads",
    "drawing/sanitiser.py": "XML: a sanitiser that writes what it reads",
    "report/junit.py": "XML: is written only",
    "testing/": "checks that what is written is JSON",
    # Tables of numbers, as large as data are.
    "adapters/csv_data.py": "CSV: data, read column by column, twice where a place is asked for",
    "datasets/breast_cancer.py": "CSV: data",
    "systems/study/files.py": "CSV: is written only",
}


def readers(tree):
    """Names of parsers that are imported, and of what reads JSON."""
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == "json"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in PARSERS)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module.split(".")[0] in PARSERS:
                yield module
            elif module == "json":
                yield from (alias.name for alias in node.names if alias.name in JSON_READERS)
        elif isinstance(node, ast.Attribute) and node.attr in JSON_READERS and getattr(node.value, "id", "") in ours:
            yield f"json.{node.attr}"


def test_only_documents_read_documents():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if not name.startswith(tuple(EXCEPTIONS)) and (used := sorted(set(readers(ast.parse(path.read_text()))))):
            found[name] = used
    assert found == {}


def test_the_guard_sees_a_reader():
    for line in (
        "import yaml",
        "def f():\n    from yaml import safe_load",
        "from xml.parsers import expat",
        "import xml.etree.ElementTree as ET",
        "import json\njson.loads('1')",
        "import json as j\nj.load(f)",
        "from json import loads",
        "from difflib import get_close_matches",
        "import csv",
    ):
        assert list(readers(ast.parse(line))), line


@pytest.mark.parametrize("line", ["import json\njson.dumps(1)", "from surefoot.documents import json\njson.loads('1')"])
def test_what_is_written_or_read_by_documents_is_fine(line):
    assert list(readers(ast.parse(line))) == []
