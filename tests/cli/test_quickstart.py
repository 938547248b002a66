"""docs/quickstart.md is run from top to bottom, and prints what it says; numbers may differ with library versions."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "quickstart.md"
BLOCK = re.compile(r"^```(py|yaml|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"[0-9a-f]{12}\.\.\.|\d[\d.,]*")


def blocks():
    return BLOCK.findall(PAGE.read_text())


def spoken(text):
    """The words, without what depends on versions and on the width of columns."""
    return re.sub(r"─+", "─", NUMBER.sub("#", text)).split()


def session(text):
    """Commands with the output below each."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def printed(command, **where):
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.run(command, shell=True, text=True, timeout=300, **both, **where)


@pytest.mark.skipif(shutil.which("sed") is None, reason="sed is not installed")
def test_the_page_is_true(tmp_path):
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "80"}
    for kind, text in blocks():
        if kind != "console":
            (tmp_path / text.splitlines()[0].removeprefix("# ")).write_text(text)
            continue
        for command, output in session(text):
            found = printed(command, cwd=tmp_path, env=environment)
            assert found.returncode in (0, 1), found.stdout
            assert spoken(found.stdout) == spoken(output), command


def test_differences_of_words_are_noticed():
    assert spoken("at most 0.05 met") == spoken("at most 0.0501 met") != spoken("at most 0.05 not met")
