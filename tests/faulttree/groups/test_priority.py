"""Priority gates: their stated order is one more event, wherever they stand."""

import pytest

from surefoot.faulttree import FaultTree, Fixed, Formula

P = {"a": 0.5, "b": 0.25, "c": 0.125}


def tree(formula):
    return FaultTree("top", {"top": formula}, {name: Fixed(value) for name, value in P.items()})


def pand(*inputs, order=None):
    return Formula("pand", inputs, order=order)


def test_without_an_order_the_gate_is_a_conjunction():
    found = tree(pand("a", "b"))
    assert found.expanded is found
    assert found.probability() == 0.125


@pytest.mark.parametrize("order", [0.0, 0.5, 1.0])
def test_an_order_multiplies_the_probability(order):
    assert tree(pand("a", "b", "c", order=order)).probability() == 0.5 * 0.25 * 0.125 * order


def test_the_event_of_an_order_is_named_after_its_gate():
    found = tree(pand("a", "b", order=0.5)).expanded
    assert found.gates["top"] == Formula("and", ("a", "b", "[top order]"))
    assert found.events["[top order]"] == Fixed(0.5)


def test_orders_inside_a_formula_are_told_apart_by_their_places():
    inner, outer = pand("a", "b", order=0.5), pand("b", Formula("not", (pand("a", "c", order=0.25),)), order=0.75)
    found = tree(Formula("or", (inner, "c", outer))).expanded
    assert {name for name in found.events if name not in P} == {"[top.1 order]", "[top.3 order]", "[top.3.2.1 order]"}
    assert found.events["[top.3.2.1 order]"] == Fixed(0.25)
    assert found.gates["top"].inputs[2].inputs[2] == "[top.3 order]"


def test_one_formula_at_two_places_has_two_orders():
    same = pand("a", "b", order=0.5)
    assert tree(Formula("or", (same, same))).probability() == pytest.approx(0.125 * (1 - 0.5**2))


def test_a_formula_nested_deeply_is_no_recursion():
    formula = pand("a", "b", order=0.5)
    for _ in range(20_000):
        formula = Formula("not", (formula,))
    found = tree(formula)
    try:
        assert found.probability() == 0.5 * 0.25 * 0.5
    finally:
        # A chain this long must be taken apart by hand: to free it at once would recurse.
        for top in (found.gates["top"], found.expanded.gates["top"]):
            while isinstance(top.inputs[0], Formula):
                top = top.inputs[0]
