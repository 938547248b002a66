"""Boolean equations in the notation of the Aralia models."""

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.formats.texts import read_text
from tests.faulttree.trees import fault_trees

from surefoot.core import DiagnosticsError
from surefoot.faulttree import Fixed, Formula


def read(text, top=None):
    return read_text(text, "tree.aralia", top=top)


def problems(text):
    with pytest.raises(DiagnosticsError) as error:
        read(text)
    return [(d.code, d.where.removeprefix("tree.aralia:"), d.text) for d in error.value.diagnostics]


def gate(formula):
    return read(f"g := {formula}").gates["g"]


def test_a_file_in_lines():
    tree = read("""ValidFaultTree

root := g1 | g2 | g4 | e1
g1 := e2 & h1
g2 := @(2, [e2,
            ~e3, e4])
g4 := #(1, 2, [e1, e2, e3])
p(e1) = 0.1
p(e2) = 2.5e-3
s(h1) = true
s(h2) = false
""")
    assert (tree.name, tree.top) == ("ValidFaultTree", "root")
    assert tree.gates["g2"] == Formula("atleast", ("e2", Formula("not", ("e3",)), "e4"), 2)
    assert tree.gates["g4"] == Formula("cardinality", ("e1", "e2", "e3"), 1, 2)
    assert dict(tree.events) == {"e1": Fixed(0.1), "e2": Fixed(2.5e-3), "e3": None, "e4": None}
    assert dict(tree.houses) == {"h1": True, "h2": False}


def test_a_file_with_semicolons():
    tree = read(
        "/* the\nfirst */ Name\nroot := (g1 |\n g1-b); g1 := a & -b; // rest\n g1-b := c;"
        "p(a)=1;p(b) = .5; p ( c ) = 0 ;"
    )
    assert (tree.name, tree.top) == ("Name", "root")
    assert tree.gates["g1"] == Formula("and", ("a", Formula("not", ("b",))))
    assert tree.gates["g1-b"] == Formula("pass", ("c",))
    assert tree.events["b"] == Fixed(0.5)


def test_strong_operators_bind_first():
    cases = [
        ("a & b | c", "(a & b) | c"),
        ("a | b & c", "a | (b & c)"),
        ("a ^ b | c & d", "(a ^ b) | (c & d)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("~a & b", "(~a) & b"),
        ("a | b => c & d", "(a | b) => (c & d)"),
        ("a => b <=> c", "(a => b) <=> c"),
        ("((a))", "a"),
    ]
    for text, same in cases:
        assert gate(text) == gate(same), text


def test_operators_in_a_row_are_one_gate():
    assert gate("a | b | c") == Formula("or", ("a", "b", "c"))
    assert gate("a ^ b ^ c") == Formula("xor", ("a", "b", "c"))
    assert gate("(a | b) | c") == Formula("or", (Formula("or", ("a", "b")), "c"))


OPERATORS = {"and": "&", "or": "|", "xor": "^", "iff": "<=>", "imply": "=>", "inhibit": "&", "pand": "&"}


def written(item):
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, str):
        return item
    inputs = [written(inner) for inner in item.inputs]
    if item.kind in ("nand", "nor", "not"):
        return f"~({(' & ' if item.kind == 'nand' else ' | ').join(inputs)})"
    if item.kind == "atleast":
        return f"@({item.minimum}, [{', '.join(inputs)}])"
    if item.kind == "cardinality":
        return f"#({item.minimum}, {item.maximum}, [{', '.join(inputs)}])"
    return f"({f' {OPERATORS[item.kind]} '.join(inputs)})" if len(inputs) > 1 else inputs[0]


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(1, 6)))
def test_a_random_tree_means_the_same(tree):
    lines = [f"{name} := {written(formula)};" for name, formula in tree.gates.items()]
    facts = [f"p({name}) = {quantity.value!r};" for name, quantity in tree.events.items()]
    houses = [f"s({name}) = {str(state).lower()};" for name, state in tree.houses.items()]
    found = read("\n".join([*lines, *facts, *houses]), tree.top)
    assert found.events == tree.events
    assert (Table.of(found).true == Table.of(tree).true).all()


PROBLEMS = [
    ("g := a +\nh := b", "tree-syntax", "1", "'+'"),
    ("g := (a | b", "tree-syntax", "1", "')'"),
    ("g := a | b)", "tree-syntax", "1", "')'"),
    ("g := a b", "tree-syntax", "1", "found 'b'"),
    ("g := ", "tree-syntax", "1", "found the end"),
    ("g := a => b => c", "tree-syntax", "1", "in a row"),
    ("g := @(x, [a, b])", "tree-syntax", "1", "whole number"),
    ("g := @(3, [a, b])", "tree-gate", "1", "at least 3 of 2"),
    ("g := a\np(a) = 2", "tree-probability", "2", "[0, 1]"),
    ("g := a\np(a) = b", "wrong-value", "2", "a number"),
    ("g := a\ns(a) = maybe", "wrong-value", "2", "true or false"),
    ("g := a\np(a) = 0.1 0.2", "tree-syntax", "2", "end of the statement"),
    ("g := a\ng := b", "tree-duplicate", "2", "first in line 1"),
    ("g := a\n\np(g) = 0.1", "tree-duplicate", "3", "twice"),
    ("g := a\nTitle", "tree-syntax", "2", "':='"),
    ("g := a /* b", "tree-syntax", "1", "does not end"),
    ("a := b\nb := a", "tree-undefined", "tree.aralia", "every gate"),
    ("g := " + "(" * 200 + "a" + ")" * 200, "tree-syntax", "1", "nested"),
    ("g := a & 5", "tree-syntax", "1", "'5'"),
]


def test_a_problem_has_its_line():
    for text, code, line, said in PROBLEMS:
        found = problems(text)
        assert any((c, w) == (code, line) and said in t for c, w, t in found), text[:60]


def test_all_problems_are_found_at_once():
    assert [where for _, where, _ in problems("a := b |\n| c;\nd := ;\np(e) = x;\nf := @(4, [g, h]);")] == [
        "2",
        "3",
        "4",
        "5",
    ]


def test_two_top_events_need_a_choice():
    assert "'g', 'h'" in problems("g := a\nh := a")[0][2]
    assert read("g := a\nh := a", top="h").top == "h"
