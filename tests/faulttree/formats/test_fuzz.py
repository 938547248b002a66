"""Whatever a file holds, reading it ends in a tree or in problems with codes."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.formats.test_yaml import TREE

from surefoot.core import DiagnosticsError
from surefoot.documents import Findings
from surefoot.faulttree.formats.files import _read_text

KINDS = ("yaml", "json", "galileo", "aralia")
GALILEO = """toplevel "A"; // comment
"A" and "B" "C" "D";
B 2of3 "x" y z;  /* two
lines */
"C" pand "x" "y"; "D" vot1 x y;
x lambda=1e-3 dorm=0; y prob = 0.1; "z" prob=1;
"""
ARALIA = """Example
top := (g1 & ~g2) | @(2, [a, b, ~(c ^ d)]) ;
g1 := #(1, 2, [a, b, c]) => b; /* comment */ g2 := a <=> -b; // another
p(a) = 0.1; p(b) = 1e-3; s(c) = true;
"""
GOOD = {
    "yaml": TREE,
    "json": json.dumps(
        {"surefoot-tree": 1, "gates": {"top": {"or": ["a", {"not": "b"}]}}, "events": {"a": 1, "b": None}}
    ),
    "galileo": GALILEO,
    "aralia": ARALIA,
}


def is_read_or_refused(text, kind):
    try:
        tree = _read_text(text, kind, Findings("tree"), None, 10.0)
    except DiagnosticsError as error:
        return bool(error.diagnostics) and all(found.severity == "error" for found in error.diagnostics)
    return tree is not None


@pytest.mark.parametrize("kind", KINDS)
def test_the_good_files_are_good(kind):
    assert _read_text(GOOD[kind], kind, Findings("tree"), None, 10.0).gates


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=60) | st.text('()[]{}:=;,"&|~^@#-\n ab1', max_size=60))
def test_random_text_is_refused_or_read(kind, text):
    assert is_read_or_refused(text, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_beginning_of_a_good_file_is_refused_or_read(kind):
    assert all(is_read_or_refused(GOOD[kind][:end], kind) for end in range(0, len(GOOD[kind]), 3))


@pytest.mark.parametrize("kind", KINDS)
def test_good_files_with_damage_are_refused_or_read(kind):
    generator = random.Random(7)
    for _ in range(150):
        assert is_read_or_refused(damaged(GOOD[kind], generator), kind)


def damaged(text, generator):
    """With a few characters replaced, a piece repeated or a piece lost."""
    for _ in range(generator.randint(1, 4)):
        start, end = sorted(generator.randint(0, len(text)) for _ in range(2))
        change = generator.choice(["replace", "repeat", "lose"])
        if change == "replace":
            text = text[:start] + generator.choice('{}[]:,"\n ~1-x=;()\\é') + text[start + 1 :]
        elif change == "repeat":
            text = text[:end] + text[start : min(end, start + 20)] + text[end:]
        else:
            text = text[:start] + text[min(end, start + 10) :]
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_brackets_without_end_are_refused(kind):
    for piece in ("(", "[", "{", "~", '"', "a: {b: ", "g := (", "/*", "- "):
        assert is_read_or_refused(piece * 3000, kind)
