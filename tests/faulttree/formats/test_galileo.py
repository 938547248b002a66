"""Static Galileo files."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.formats.texts import read_text
from tests.faulttree.trees import fault_trees

from surefoot.core import DiagnosticsError
from surefoot.faulttree import Exponential, FaultTree, Fixed, Formula, Parameter

TREE = """\
// The system
toplevel "System";
"System" or "Pumps" MCC "Valve" /* and
more */ "Last";
"Pumps" 2of3 "PA" "PB" "PC"; Last pand "PA" "PB";
"Valve" vot1 "PA" "MCC";
"PA" lambda=1e-4 dorm=0.5; "PB" prob = 0.1; "PC" prob=.25 cov=1 repl=1;
MCC LAMBDA=2E-5;
"""


def read(text, **options):
    return read_text(text, "tree.dft", **options)


def problems(text, **options):
    with pytest.raises(DiagnosticsError) as error:
        read(text, **options)
    return [(d.code, d.where.removeprefix("tree.dft:"), f"{d.text} {d.hint}") for d in error.value.diagnostics]


def test_a_static_file():
    tree = read(TREE, mission_time=1000)
    assert tree.top == "System"
    assert dict(tree.gates) == {
        "System": Formula("or", ("Pumps", "MCC", "Valve", "Last")),
        "Pumps": Formula("atleast", ("PA", "PB", "PC"), 2),
        "Last": Formula("pand", ("PA", "PB")),
        "Valve": Formula("atleast", ("PA", "MCC"), 1),
    }
    time = Parameter("mission-time")
    assert dict(tree.events) == {
        "PA": Exponential(1e-4, time),
        "PB": Fixed(0.1),
        "PC": Fixed(0.25),
        "MCC": Exponential(2e-5, time),
    }
    assert dict(tree.parameters) == {"mission-time": Fixed(1000)}
    assert dict(tree.attributes["PA"]) == {"dorm": "0.5"}


def test_a_rate_needs_a_mission_time():
    found = problems(TREE)
    assert [(code, line) for code, line, _ in found] == [("tree-probability", "7"), ("tree-probability", "8")]
    assert "mission_time" in found[0][2]


def test_another_top_event_can_be_asked_for():
    assert read(TREE, mission_time=1, top="Pumps").top == "Pumps"


def test_every_gate_that_depends_on_time_is_refused_by_name_and_line():
    kinds = ("csp", "wsp", "hsp", "spare", "fdep", "seq", "mutex", "por", "por<=", "pdep=0.3")
    gates = "\n".join(f'"G{i}" {kind} "a" "b";' for i, kind in enumerate(kinds))
    found = problems(f'toplevel "G0";\n{gates}\na prob=0.1; b prob=0.1;')
    assert [(code, line) for code, line, _ in found] == [("tree-unsupported", str(i + 2)) for i in range(len(kinds))]
    assert all(f"'G{i}'" in text for i, (_, _, text) in enumerate(found))


def test_every_priority_gate_is_read():
    for kind in ("pand", "pand-inc", "pand-incl", "pand-ex", "pand-excl", "pand<=", "pand<", "PAND"):
        tree = read(f"toplevel g; g {kind} a b; a prob=0.1; b prob=0.1;")
        assert tree.gates["g"] == Formula("pand", ("a", "b")), kind


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(1, 6), nested=False, constants=False, houses=False))
def test_a_random_tree_means_the_same(tree):
    words = {"atleast": lambda f: f"{f.minimum}of{len(f.inputs)}"}
    kinds = ("and", "or", "xor", "not", "inhibit", "pand", "atleast")
    gates = {
        name: formula if formula.kind in kinds else Formula("or", formula.inputs)
        for name, formula in tree.gates.items()
    }
    same = type(tree)(tree.top, gates, tree.events)
    lines = [f'toplevel "{tree.top}";']
    for name, formula in gates.items():
        kind = words[formula.kind](formula) if formula.kind in words else formula.kind
        lines.append(f'"{name}" {kind} {" ".join(formula.inputs)};')
    lines += [f'"{name}" prob={quantity.value!r};' for name, quantity in tree.events.items()]
    found = read("\n".join(lines))
    assert len(found.left_out) <= sum(f.kind == "pand" for f in gates.values())
    assert replace(found, left_out=()) == same
    assert (Table.of(found).true == Table.of(same).true).all()


PROBLEMS = [
    ('toplevel "A"\n"A" and "B" "C";', "tree-syntax", "1", "semicolon"),
    ("toplevel A;\nA and B\nB or C;", "tree-syntax", "2", "semicolon"),
    ("toplevel A;\nA prob=0.1", "tree-syntax", "2", "semicolon"),
    ("toplevel A;\nA;", "tree-syntax", "2", "says nothing"),
    ("toplevel A;\nA ond B;\nB prob=1;", "tree-syntax", "2", "'and'"),
    ("toplevel A;\nA 2of3 B B;\nB prob=1;", "tree-gate", "2", "2of3"),
    ("toplevel A;\nA 5of1 B;\nB prob=1;", "tree-gate", "2", "at least 5"),
    ("toplevel A;\nA or B;\nB prob=1.5;", "tree-probability", "3", "[0, 1]"),
    ("toplevel A;\nA or B;\nB prob=x;", "tree-probability", "3", "'x'"),
    ("toplevel A;\nA or B;\nB prob=nan;", "tree-probability", "3", "'nan'"),
    ("toplevel A;\nA or B;\nB lambda=-1;", "tree-probability", "3", "negative"),
    ("toplevel A;\nA or B;\nB lambda=1 prob=1;", "tree-probability", "3", "both"),
    ("toplevel A;\nA or B;\nB dorm=1;", "tree-probability", "3", "neither"),
    ("toplevel A;\nA or B;\nB lamda=1;", "tree-syntax", "3", "'lambda'"),
    ("toplevel A;\nA or B;\nB prob=1 prob=1;", "tree-duplicate", "3", "twice"),
    ("toplevel A;\nA or B;\nB lambda=1 repair=2;", "tree-unsupported", "3", "repair"),
    ("toplevel A;\nA or B;\nB lambda=1 phases=3;", "tree-unsupported", "3", "phases"),
    ("toplevel A;\nA or B;\nB rate=1 shape=3;", "tree-unsupported", "3", "rate=1"),
    ("toplevel A;\nA or B;\nA or B;\nB prob=1;", "tree-duplicate", "3", "first in line 2"),
    ("toplevel A;\nA or B C;\nB prob=1;", "tree-undefined", "2", "'C'"),
    ("toplevel A;\nA or B;\nB or A;", "tree-cycle", "2", "'A'"),
    ("param x;\ntoplevel A;\nA prob=1;", "tree-unsupported", "1", "parameters"),
    ('toplevel "A;\nA prob=1;', "tree-syntax", "1", "does not end"),
    ("toplevel X;\nA or B;\nB prob=1;", "tree-undefined", "tree.dft", "'X'"),
]


def test_a_problem_has_its_line():
    for text, code, line, said in PROBLEMS:
        found = problems(text, mission_time=1)
        assert any((c, w) == (code, line) and said in t for c, w, t in found), text[:60]


def test_an_order_concerns_the_top_events_above_its_gate():
    text = "a prob=0.1; b prob=0.2; g pand a b; h or g a; i and a b;"
    trees = read_text(text, "tree.dft", FaultTree.read_all)
    assert {name: len(tree.left_out) for name, tree in trees.items()} == {"h": 1, "i": 0}
