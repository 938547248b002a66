"""What people read: tables as wide as the terminal, and text that steers nothing."""

import pytest

from surefoot.cli.console import counted, plain, quoted, table

NAMES = ("asset is misclassified", "operator does not take over")


@pytest.fixture
def width(monkeypatch):
    return lambda columns: monkeypatch.setenv("COLUMNS", str(columns))


def lines(capsys):
    return capsys.readouterr().out.splitlines()


def test_words_and_short_cells_are_whole_where_there_is_room(width, capsys):
    width(60)
    rows = [(name, "8.419e-06", "29 of 3,052", "not with every other event at its bound") for name in NAMES]
    table(("event", "top event if ten times better", "seen so far", "remark"), rows, right=["seen so far"])
    said = lines(capsys)
    assert max(map(len, said)) <= 60
    for word in ("misclassified", "operator", "8.419e-06", "29 of 3,052", "every"):
        assert any(word in line for line in said), word


def test_a_table_that_needs_more_than_the_terminal_gets_it(width, capsys):
    width(20)
    numbers = ("1.2345678e-06",) * 3
    table(("one", "two", "three"), [numbers], right=["one", "two", "three"])
    assert lines(capsys)[-1].split() == list(numbers)


def test_wide_characters_count_twice(width, capsys):
    width(40)
    table(("row", "cause"), [("行2", "レンズが汚れている")])
    assert lines(capsys)[-1].split() == ["行2", "レンズが汚れている"]


def test_the_width_is_used(width, capsys):
    width(80)
    table(("a", "b"), [("word " * 40, "word " * 40)])
    assert 75 <= max(map(len, lines(capsys))) <= 80


@pytest.mark.parametrize("character", ["\x1b", "\x9b", "\r", "\u202e", "\u2066", "\ud800"])
def test_no_text_steers_a_terminal(character):
    assert plain(f"a{character}b\n\tc").plain == "a\ufffdb\n\tc"


def test_writing_from_right_to_left_stays():
    assert plain("عدسة متسخة").plain == "عدسة متسخة"


def test_numbers_come_with_their_noun():
    assert (counted([1], "row"), counted(range(1200), "row")) == ("1 row", "1,200 rows")


def test_words_of_a_command_are_quoted_where_they_must_be():
    assert (quoted("a.yaml"), quoted("my sheet.yaml")) == ("a.yaml", "'my sheet.yaml'")
