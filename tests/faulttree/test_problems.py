"""Problems of a tree: complete, coded, and found without recursion."""

import json

import pytest

from surefoot.core import Diagnostic, DiagnosticsError, InvalidInput
from surefoot.faulttree import FaultTree, Fixed, Formula

DEEP = 20_000


def found(top="top", gates=None, events=(), houses=None, **options):
    try:
        return list(FaultTree(top, gates or {}, dict.fromkeys(events), houses or {}, **options).problems)
    except DiagnosticsError as error:
        return list(error.diagnostics)


def errors(diagnostics: list[Diagnostic]) -> list[str]:
    return [d.text for d in diagnostics if d.severity == "error"]


def gate(kind, *inputs, **options):
    return Formula(kind, inputs, **options)


def test_a_sound_tree_has_no_problems():
    gates = {"top": gate("atleast", "a", "b", "both", minimum=2), "both": gate("and", "a", True, "h")}
    assert not found(gates=gates, events=["a", "b"], houses={"h": False})


def test_an_undefined_input_is_named_with_its_gates_and_a_suggestion():
    gates = {"top": gate("or", "pump_1", "g"), "g": gate("and", "pump_1", "b")}
    (problem,) = found(gates=gates, events=["Pump1", "b"])[:1]
    assert problem.code == "tree-undefined"
    assert problem.text == "'pump_1', an input of 'top', 'g', is not defined."
    assert problem.hint == "Did you mean 'Pump1'?"


def test_an_input_that_is_a_number_is_told_with_its_gate(tmp_path):
    tree = {"surefoot-tree": 1, "name": "t", "top": "top", "gates": {"top": {"or": ["a", 0.5]}}, "events": {"a": 0.1}}
    path = tmp_path / "tree.yaml"
    path.write_text(json.dumps(tree))
    with pytest.raises(DiagnosticsError):
        FaultTree.read(path)
    with pytest.raises(InvalidInput):
        gate("or", "a", 0.5)


def test_a_missing_top_event_is_an_error_with_a_suggestion():
    (problem,) = found(top="Top", gates={"top": gate("or", "a")}, events=["a"])
    assert (problem.code, problem.severity, problem.hint) == ("tree-undefined", "error", "Did you mean 'top'?")


def test_a_basic_event_can_be_the_top_event():
    assert not found(top="a", events=["a"])


def test_one_name_for_two_things_is_a_duplicate():
    gates = {"top": gate("or", "x", "y"), "x": gate("not", "y")}
    codes = [d.code for d in found(gates=gates, events=["x", "y"], houses={"y": True, "top": False})]
    assert codes.count("tree-duplicate") == 3


def test_a_cycle_is_named_in_full():
    gates = {"top": gate("or", "a", "e"), "a": gate("and", "b", "e"), "b": gate("or", "c"), "c": gate("and", "a")}
    assert errors(found(gates=gates, events=["e"])) == ["gates contain each other: 'a' -> 'b' -> 'c' -> 'a'."]


def test_a_gate_that_contains_itself_is_a_cycle():
    gates = {"top": gate("or", "top", "e")}
    assert errors(found(gates=gates, events=["e"])) == ["gates contain each other: 'top' -> 'top'."]


def test_cycles_without_a_common_gate_are_all_named():
    gates = {"top": gate("or", "a", "c"), "a": gate("or", "b"), "b": gate("or", "a"), "c": gate("or", "d")}
    gates["d"] = gate("or", "c")
    assert len(errors(found(gates=gates))) == 2


def test_a_cycle_through_a_nested_formula_is_found():
    gates = {"top": gate("or", gate("and", "e", gate("not", "top")))}
    assert [d.code for d in found(gates=gates, events=["e"])] == ["tree-cycle"]


WRONG_SHAPES = [
    (gate("not", "a", "b"), "exactly 1 input, it has 2"),
    (gate("pass"), "exactly 1 input, it has 0"),
    (gate("iff", "a"), "exactly 2 inputs, it has 1"),
    (gate("imply", "a", "b", "c"), "exactly 2 inputs, it has 3"),
    (gate("inhibit", "a"), "exactly 2 inputs, it has 1"),
    (gate("xor", "a"), "at least 2 inputs, it has 1"),
    (gate("pand", "a"), "at least 2 inputs, it has 1"),
    (gate("nand"), "at least 1 input, it has 0"),
    (gate("atleast", "a", "b", minimum=3), "at least 3 of 2"),
    (gate("atleast", "a", "b", minimum=-1), "at least -1 of 2"),
    (gate("atleast", "a", "b"), "None and 2"),
    (gate("atleast", "a", "b", minimum=1, maximum=2), "a minimum only"),
    (gate("cardinality", "a", "b", minimum=2, maximum=1), "between 2 and 1 of 2"),
    (gate("cardinality", "a", "b", minimum=0, maximum=3), "between 0 and 3 of 2"),
    (gate("and", "a", minimum=1), "counts nothing"),
    (gate("or", "a", order=0.5), "belongs to a pand gate"),
]


def test_a_gate_of_the_wrong_shape_is_an_error():
    for formula, fact in WRONG_SHAPES:
        (text,) = errors(found(gates={"top": formula}, events=["a", "b", "c"]))
        assert fact in text, formula


def test_a_gate_at_the_edge_of_what_is_allowed_passes():
    for formula in (
        gate("atleast", "a", "b", minimum=0),
        gate("atleast", "a", "b", minimum=2),
        gate("cardinality", "a", "b", minimum=0, maximum=0),
        gate("xor", "a", "b", "a1"),
        gate("pand", "a", "b", order=0.5),
        gate("nor", "a"),
    ):
        assert not errors(found(gates={"top": formula}, events=["a", "b", "a1"])), formula


def test_a_wrong_gate_inside_another_one_is_found():
    assert errors(found(gates={"top": gate("or", "a", gate("not", "a", "b"))}, events=["a", "b"]))


@pytest.mark.parametrize(("kind", "options"), [("atleast", {"minimum": 2}), ("xor", {})])
def test_an_input_that_counts_twice_is_a_warning(kind, options):
    (problem,) = found(gates={"top": gate(kind, "a", "a", "b", **options)}, events=["a", "b"])
    assert (problem.code, problem.severity) == ("tree-gate", "warning")
    assert "counts twice" in problem.hint


def test_repeated_inputs_of_and_and_or_are_one_note():
    gates = {"top": gate("or", "a", "a", "g"), "g": gate("and", "b", "b")}
    (problem,) = found(gates=gates, events=["a", "b"])
    assert problem.severity == "note"
    assert problem.text == "2 gates with an input that stands there twice: 'top', 'g'."


def test_what_does_not_influence_the_top_is_one_warning_with_ten_names():
    extra = [f"e{i:02d}" for i in range(14)]
    (problem,) = found(gates={"top": gate("or", "a")}, events=["a", *extra])
    assert (problem.code, problem.severity) == ("tree-unreachable", "warning")
    assert problem.text.startswith("14 names without influence on 'top': 'e00'")
    assert problem.text.endswith("'e09' and 4 more.")


def test_a_house_event_is_true_or_false():
    assert errors(found(gates={"top": gate("or", "h")}, houses={"h": 0.5}))


def test_everything_is_reported_at_once():
    gates = {"top": gate("or", "x", "g", "n"), "g": gate("and", "g2"), "g2": gate("and", "g"), "n": gate("not")}
    codes = {d.code for d in found(gates=gates, events=["spare"])}
    assert codes == {"tree-undefined", "tree-cycle", "tree-gate"}


def test_a_chain_of_twenty_thousand_gates_is_no_recursion():
    gates = {f"g{i}": gate("or", f"g{i + 1}") for i in range(DEEP)}
    assert not found(top="g0", gates=gates, events=[f"g{DEEP}"])
    (problem,) = found(top="g0", gates=gates | {f"g{DEEP}": gate("or", "g0")})
    assert problem.code == "tree-cycle"
    assert f"({DEEP - 29:,} more)" in problem.text


def test_a_formula_nested_deeply_is_no_recursion():
    formula = gate("not", "a")
    for _ in range(DEEP):
        formula = gate("not", formula)
    try:
        assert not found(gates={"top": formula}, events=["a"])
    finally:
        while isinstance(formula.inputs[0], Formula):
            formula = formula.inputs[0]


def test_a_tree_with_errors_cannot_be_made_and_says_all_of_them():
    with pytest.raises(DiagnosticsError) as error:
        FaultTree("top", {"top": gate("or", "a", "b"), "x": gate("not")}, {"a": Fixed(0.1)})
    assert {d.code for d in error.value.diagnostics} == {"tree-undefined", "tree-gate"}


def test_warnings_stay_with_the_tree():
    tree = FaultTree("top", {"top": gate("or", "a")}, {"a": Fixed(0.1), "spare": None})
    assert [d.code for d in tree.problems] == ["tree-unreachable"]


def test_a_probability_above_one_is_an_error():
    with pytest.raises(DiagnosticsError, match="tree-probability"):
        FaultTree("top", {"top": gate("or", "a")}, {"a": Fixed(1.5)})


def test_two_orders_of_the_same_events_are_a_warning():
    # One or the other order always comes; as independent events, both may fail to.
    gates = {
        "top": gate("or", "ab", "ba"),
        "ab": gate("pand", "a", "b", order=0.5),
        "ba": gate("pand", "b", "a", order=0.5),
    }
    (problem,) = found(gates=gates, events=["a", "b"])
    assert (problem.severity, problem.where) == ("warning", "gate 'ba'")
    assert "'ab'" in problem.text
    assert not found(gates={**gates, "ba": gate("pand", "b", "c", order=0.5)}, events=["a", "b", "c"])
