"""Cells mean what they show, and keep what they are given."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefoot.documents import csv
from surefoot.hazards.files.cell_text import (
    cell_of,
    cell_of_list,
    cell_of_value,
    is_blank,
    list_of,
    text_of,
    value_of,
)

HARD = st.text(st.sampled_from("\\; \n\t.…a1'=-\r"), max_size=7)


@given(HARD)
def test_texts_survive_a_cell_that_is_not_blank(text):
    assert text_of(cell_of(text)) == text
    assert not is_blank(cell_of(text))
    assert text_of(f"  {cell_of(text)}\n") == text


@given(st.lists(HARD, max_size=4), st.sampled_from(["; ", "\n", ";"]))
def test_lists_survive_a_cell(texts, separator):
    assert list_of(cell_of_list(texts, separator)) == tuple(texts)


@given(st.floats(allow_nan=False, allow_infinity=False) | HARD | st.sampled_from(["1", "\\1", "1e9", "1e999", "-.5"]))
def test_values_survive_a_cell_and_numbers_stay_numbers(value):
    assert value_of(cell_of_value(value)) == value
    assert type(value_of(cell_of_value(value))) is type(value)


@given(HARD)
def test_guards_come_off(text):
    assert csv.unguarded(csv.guarded(text)) == text
    assert not csv.guarded(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(
    ("cell", "entries"),
    [
        ("a;b", ("a", "b")),
        (" a ;\r\n b; ...;", ("a", "b")),
        ("C:\\new\\file; \\\\server", ("C:\\new\\file", "\\\\server")),
        ("a\\;b", ("a;b",)),
        ("a\\\\;b", ("a\\", "b")),
        ("…", ()),
        ("", ()),
    ],
)
def test_cells_of_teams_mean_what_they_show(cell, entries):
    assert list_of(cell) == entries
