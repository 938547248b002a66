"""The case as a Bayesian network, against pyAgrum's exact inference."""

import warnings
from math import prod

import pytest
from hypothesis import given, settings
from tests.case.confidence.support import (
    argument,
    case,
    claim,
    components,
    defeater,
    evidence,
    side_claim,
)
from tests.case.confidence.test_shared import cases

from surefoot.case import Stated
from surefoot.opinions import Opinion


@pytest.fixture(scope="module")
def gum():
    with warnings.catch_warnings():
        # Its binding warns while it loads, and does not survive warnings that are errors.
        warnings.simplefilter("ignore")
        import pyagrum

        yield pyagrum


class Built:
    """A case as a pyAgrum network, built from its meaning."""

    def __init__(self, gum, nodes):
        self.gum, self.net, self.nodes = gum, gum.BayesNet(), {node.id: node for node in nodes}
        for node in nodes:
            self.add(node.id)

    def leaves_below(self, identity):
        node = self.nodes[identity]
        return {identity}.union(*map(self.leaves_below, node.supported_by)) - (
            {identity} if node.supported_by else set()
        )

    def add(self, identity):
        if identity in self.net.names():
            return
        node = self.nodes[identity]
        for each in (*node.supported_by, *node.in_context_of):
            self.add(each)
        self.net.add(self.gum.LabelizedVariable(identity, identity, 2))
        if not node.supported_by:
            belief, _, uncertainty, base_rate = components(node.stated.opinion)
            chance = belief + base_rate * uncertainty
            self.net.cpt(identity).fillWith([1 - chance, chance])
            return
        rate = prod(components(self.nodes[leaf].stated.opinion)[3] for leaf in self.leaves_below(identity))
        for each in (*node.supported_by, *node.in_context_of):
            self.net.addArc(each, identity)
        table = self.net.cpt(identity)
        instance = self.gum.Instantiation(table)
        while not instance.end():
            warranted = all(instance[each] for each in node.in_context_of)
            chance = float(all(instance[each] for each in node.supported_by)) if warranted else rate
            table.set(instance, chance if instance[identity] else 1 - chance)
            instance.inc()

    def probability(self, identity):
        inference = self.gum.LazyPropagation(self.net)
        inference.makeInference()
        return inference.posterior(identity)[1]


@given(nodes=cases(warrants=True))
@settings(max_examples=15, deadline=None)
def test_shared_statements_are_treated_exactly(gum, nodes):
    found, theirs = case(*nodes).evaluate(), Built(gum, nodes)
    for node in nodes:
        if node.kind == "claim":
            assert found.methods[node.id].network == pytest.approx(theirs.probability(node.id), abs=1e-9)


def test_legs_are_a_noisy_or_with_the_base_rate_as_leak(gum):
    legs = {"E1": (0.6, 0.0, 0.4), "E2": (0.3, 0.1, 0.6)}
    nodes = [claim("top", *legs, combining="legs"), *(evidence(each, *opinion) for each, opinion in legs.items())]
    net = gum.BayesNet()
    for each, chance in {"E1": 0.8, "E2": 0.6}.items():
        net.add(gum.LabelizedVariable(each, each, 2))
        net.cpt(each).fillWith([1 - chance, chance])
    net.add(gum.LabelizedVariable("top", "top", 2))
    # Strengths such that one leg alone gives the leg's own probability: (p - a) / ((1 - a) p).
    strengths = {"E1": 0.3 / (0.5 * 0.8), "E2": 0.1 / (0.5 * 0.6)}
    for each in strengths:
        net.addArc(each, "top")
    for one in (0, 1):
        for other in (0, 1):
            missed = 0.5 * (1 - strengths["E1"] * one) * (1 - strengths["E2"] * other)
            net.cpt("top")[{"E1": one, "E2": other}] = [missed, 1 - missed]
    inference = gum.LazyPropagation(net)
    inference.makeInference()
    found = case(*nodes).evaluate().methods["top"].network
    assert found == pytest.approx(inference.posterior("top")[1])
    assert found == pytest.approx(1 - 0.5 * (1 - 0.75 * 0.8) * (1 - (1 / 3) * 0.6))


@pytest.mark.parametrize("opinion", [(0.9, 0.0, 0.1), (0.0, 0.0, 1.0), (0.1, 0.8, 0.1), (0.0, 1.0, 0.0)])
def test_one_leg_beside_a_vacuous_one_gives_its_own_probability(opinion):
    nodes = [claim("top", "E1", "E2", combining="legs"), evidence("E1", *opinion), evidence("E2", 0.0, 0.0, 1.0)]
    expected = opinion[0] + 0.5 * opinion[2]
    found = case(*nodes).evaluate().methods["top"]
    assert found.network == pytest.approx(expected, abs=1e-9)
    assert found.opinion == pytest.approx(expected, abs=1e-6)


def test_deduction_and_challenges_by_hand():
    stated = Stated(given_true=Opinion(0.9, 0.0, 0.1), given_false=Opinion(0.1, 0.7, 0.2))
    nodes = [
        claim("top", "A"),
        argument("A", "E", combining="deduction", stated=stated),
        evidence("E", 0.6, 0.2, 0.2),
        defeater("D", "top", opinion=(0.2, 0.6, 0.2)),
    ]
    found = case(*nodes).evaluate().methods["top"]
    # P(E) = 0.7, so 0.7 * 0.95 + 0.3 * 0.2 = 0.725; the defeater has 0.3, so that 0.7 of it is left.
    assert found.network == pytest.approx(0.725 * 0.7)
    assert found.opinion == pytest.approx(0.725 * 0.7)


def test_beyond_all_states_they_are_drawn_and_it_is_said():
    warrants = [side_claim(f"S{n}", 0.8, 0.0, 0.2) for n in range(24)]
    arguments = [argument(f"A{n}", f"E{n}", beside=[f"S{n}", f"S{(n + 1) % 24}"]) for n in range(24)]
    leaves = [evidence(f"E{n}", 1.0, 0.0, 0.0) for n in range(24)]
    nodes = [claim("top", *(f"A{n}" for n in range(24))), *arguments, *leaves, *warrants]
    found = case(*nodes).evaluate()
    assert [finding.code for finding in found.findings if finding.severity == "note"] == ["case-network-sampled"]
    exact = _ring(24, 0.9)
    assert found.methods["top"].network == pytest.approx(exact, abs=3 * 0.5 / 1024**0.5)


def _ring(length, chance):
    """Each argument needs its own warrant and its neighbour's; else a coin: transfer matrices around the ring."""
    import numpy as np

    weights = np.diag([1 - chance, chance])
    pair = np.array([[0.5, 0.5], [0.5, 1.0]])
    return float(np.trace(np.linalg.matrix_power(weights @ pair, length)))


def test_statements_always_used_together_are_one():
    warrants = [side_claim(f"S{n}", 0.8, 0.0, 0.2) for n in range(40)]
    names = [warrant.id for warrant in warrants]
    nodes = [
        claim("top", "A1", "A2"),
        argument("A1", "E1", beside=names),
        argument("A2", "E2", beside=names),
        evidence("E1", 1.0, 0.0, 0.0),
        evidence("E2", 1.0, 0.0, 0.0),
        *warrants,
    ]
    found = case(*nodes).evaluate()
    assert "case-network-sampled" not in {finding.code for finding in found.findings}
    assert found.methods["top"].network == pytest.approx(0.9**40 + (1 - 0.9**40) * 0.25)
