"""What several branches rest on is counted once: compared with going through all states of the leaves."""

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.confidence.support import (
    Enumerated,
    argument,
    case,
    claim,
    components,
    evidence,
    side_claim,
)

from surefoot.case import Node, Stated
from surefoot.opinions import Opinion


@st.composite
def opinions(draw):
    parts = [draw(st.integers(0, 6)) for _ in range(3)]
    if not sum(parts):
        parts[2] = 1
    base_rate = draw(st.sampled_from([0.5, 0.2, 0.9]))
    return Opinion(*(part / sum(parts) for part in parts), base_rate)


@st.composite
def cases(draw, *, warrants):
    """A random graph without circles: leaves, then claims over some of what is before them; the last is the top."""
    leaves = draw(st.integers(2, 3 if warrants else 4))
    nodes = [Node(f"E{number}", "evidence", "x", stated=Stated(draw(opinions()))) for number in range(leaves)]
    sides = draw(st.integers(1, 2)) if warrants else 0
    beside = [Node(f"S{number}", "side-claim", "x", stated=Stated(draw(opinions()))) for number in range(sides)]
    for number in range(draw(st.integers(1, 4))):
        below = draw(st.lists(st.sampled_from([node.id for node in nodes]), min_size=1, max_size=3, unique=True))
        own = draw(st.lists(st.sampled_from([node.id for node in beside]), max_size=2, unique=True)) if beside else []
        nodes.append(claim(f"C{number}", *below, beside=own))
    used = {each for node in nodes for each in node.supported_by}
    loose = [node.id for node in nodes if node.kind == "claim" and node.id not in used]
    return [*nodes, *beside, claim("top", *loose)]


@given(cases(warrants=False))
@settings(max_examples=20, deadline=None)
def test_pure_conjunction_is_the_product_over_distinct_leaves(nodes):
    exact, found = Enumerated(nodes), case(*nodes).evaluate()
    for node in nodes:
        leaves = [exact.opinions[leaf] for leaf in exact.leaves_below(node.id)]
        belief, disbelief, uncertainty, base_rate = components(found.opinions()[node.id])
        assert belief + base_rate * uncertainty == pytest.approx(prod(b + a * u for b, _, u, a in leaves), abs=1e-7)
        assert disbelief == pytest.approx(1 - prod(1 - d for _, d, _, _ in leaves), abs=1e-9)
        assert base_rate == pytest.approx(prod(a for *_, a in leaves), abs=1e-9)


@st.composite
def trees(draw):
    """A chain of claims, each with a leaf and warrants of its own."""
    nodes = []
    for number in range(draw(st.integers(1, 3))):
        lower = [f"C{number - 1}"] if number else []
        beside = [f"S{number}"] if draw(st.booleans()) else []
        nodes += [claim(f"C{number}", f"E{number}", *lower, beside=beside)]
        nodes += [Node(f"E{number}", "evidence", "x", stated=Stated(draw(opinions())))]
        nodes += [Node(each, "side-claim", "x", stated=Stated(draw(opinions()))) for each in beside]
    return nodes


@given(trees())
@settings(max_examples=20, deadline=None)
def test_where_nothing_is_shared_the_probability_is_exact(nodes):
    exact, found = Enumerated(nodes), case(*nodes).evaluate()
    top = found.case.top.id
    assert found.opinions()[top].probability == pytest.approx(exact.probability(top), abs=1e-7)


@given(cases(warrants=True))
@settings(max_examples=20, deadline=None)
def test_what_needs_a_part_is_disbelieved_as_much_as_the_part_is_where_no_warrant_stands_between(nodes):
    found = case(*nodes).evaluate()
    for node in nodes:
        if node.supported_by and not node.in_context_of:
            least = max(found.opinions()[each].disbelief for each in node.supported_by)
            assert found.opinions()[node.id].disbelief >= least - 1e-9


def test_an_assumption_under_ten_claims_counts_once():
    claims = [claim(f"C{n}", f"A{n}") for n in range(10)]
    arguments = [argument(f"A{n}", f"E{n}", beside=["S"]) for n in range(10)]
    certain = [evidence(f"E{n}", 1.0, 0.0, 0.0) for n in range(10)]
    nodes = [claim("top", *(c.id for c in claims)), *claims, *arguments, *certain, side_claim("S", 0.8, 0.0, 0.2)]
    found = case(*nodes).evaluate()
    # P(S) = 0.8 + 0.5 * 0.2 = 0.9; where it fails, all ten claims have base rate 0.5.
    assert found.opinions()["top"].probability == pytest.approx(0.9 + 0.1 * 0.5**10)


def test_a_shared_assumption_is_applied_where_its_branches_meet():
    nodes = [
        claim("top", "left", "right"),
        claim("left", "A1", "A2"),
        argument("A1", "E1", beside=["S"]),
        argument("A2", "E2", beside=["S"]),
        evidence("E1", 1.0, 0.0, 0.0),
        evidence("E2", 1.0, 0.0, 0.0),
        side_claim("S", 0.8, 0.0, 0.2),
        claim("right", "E3"),
        evidence("E3", 0.6, 0.0, 0.4),
    ]
    found = case(*nodes).evaluate()
    # left: 0.9 * 1 + 0.1 * 0.25; right: 0.6 + 0.5 * 0.4 = 0.8; both: the product.
    assert found.opinions()["left"].probability == pytest.approx(0.925)
    assert found.opinions()["top"].probability == pytest.approx(0.925 * 0.8)
