"""What people read: tables as wide as the terminal, and text that steers nothing."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from surefoot.cli import app
from surefoot.project import built_in_steps

TREE = "surefoot-tree: 1\ngates: {top: {or: [%s, %s]}}\nevents: {%s: 1.2345678e-6, %s: 2.3456789e-6}\n"
NAMES = ("asset is misclassified", "operator does not take over")


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """What a command prints to a terminal so many columns wide."""
    monkeypatch.chdir(tmp_path)

    def printed(columns, *words):
        found = CliRunner(env={"COLUMNS": str(columns), "NO_COLOR": "1", "TERM": "dumb"}).invoke(app, words)
        assert found.exit_code == 0, found.output
        return found.stdout.splitlines()

    return printed


def tree(*names):
    Path("tree.yaml").write_text(TREE % (names * 2))
    return ("tree", "tree.yaml")


def test_tables_fit_narrow_and_wide_terminals_and_use_their_width(lines):
    for columns in (60, 80, 300):
        said = lines(columns, "steps")
        assert max(map(len, said)) <= columns, columns
        assert columns == 300 or max(map(len, said)) >= columns - 5, columns
        for name in built_in_steps():
            assert any(line.startswith(f"{name} ") for line in said), (columns, name)


def test_words_and_short_cells_are_whole_where_there_is_room(lines):
    said = lines(60, *tree(*NAMES))
    assert max(map(len, said)) <= 60
    for word in ("misclassified", "operator", "1.235e-06"):
        assert any(word in line for line in said), word


def test_a_table_that_needs_more_than_the_terminal_gets_it(lines):
    said = " ".join(lines(20, *tree("one", "two")))
    for word in ("1.235e-06", "2.346e-06", "one", "two"):
        assert word in said.split(), word


def test_wide_characters_count_twice(lines):
    said = " ".join(lines(60, *tree("行2", "レンズが汚れている")))
    assert {"行2", "レンズが汚れている"} <= set(said.split())


def test_writing_from_right_to_left_stays(surefoot):
    assert "عدسة متسخة.yaml" in surefoot("check", "عدسة متسخة.yaml").stderr


def test_words_of_a_command_are_quoted_where_they_must_be(surefoot, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "surefoot hazop check a.yaml" in surefoot("hazop", "new", "a.yaml").stdout
    assert "surefoot hazop check 'my sheet.yaml'" in surefoot("hazop", "new", "my sheet.yaml").stdout
