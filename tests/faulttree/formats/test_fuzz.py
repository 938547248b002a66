"""Whatever a file holds, reading it ends in a tree or in problems with codes."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.formats.test_yaml import TREE
from tests.faulttree.formats.texts import read_text

from surefoot.core import DiagnosticsError

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


def read(text, kind):
    return read_text(text, f"tree.{kind}", **({"mission_time": 10.0} if kind == "galileo" else {}))


def is_read_or_refused(text, kind):
    try:
        tree = read(text, kind)
    except DiagnosticsError as error:
        return bool(error.diagnostics) and all(found.severity == "error" for found in error.diagnostics)
    return tree is not None


def test_the_good_files_are_good():
    for kind in KINDS:
        assert read(GOOD[kind], kind).gates, kind


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=25, deadline=None)
@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
    | st.text('()[]{}:=;,"&|~^@#-\n ab1', max_size=60)
)
def test_random_text_is_refused_or_read(kind, text):
    assert is_read_or_refused(text, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_good_files_that_end_early_or_are_damaged_are_refused_or_read(kind):
    for end in range(0, len(GOOD[kind]), 5):
        assert is_read_or_refused(GOOD[kind][:end], kind), end
    generator = random.Random(7)
    for _ in range(100):
        text = damaged(GOOD[kind], generator)
        assert is_read_or_refused(text, kind), text


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


def test_brackets_without_end_are_refused():
    for kind in KINDS:
        for piece in ("(", "[", "{", "~", '"', "a: {b: ", "g := (", "/*", "- "):
            assert is_read_or_refused(piece * 3000, kind), (kind, piece)
