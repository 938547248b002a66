"""Random chains with barriers and stated gates, and what happens in them by going through the chains themselves."""

from itertools import pairwise

from hypothesis import strategies as st

from surefoot.faulttree import Fixed, Formula
from surefoot.hazards import Scenario, Scenarios

EVENTS = tuple(f"e{number}" for number in range(9))
BEYOND = ("x1", "x2")
STATED = (("or", None), ("and", None), ("atleast", 2))


@st.composite
def scenarios(draw):
    """Chains that lead upward in number and so never back; one and the same link always has the same barriers."""
    barriers = {}
    chains = []
    for number in range(draw(st.integers(1, 7))):
        chain = sorted(draw(st.sets(st.integers(0, 8), min_size=2, max_size=5)))
        links = {link: barriers.setdefault(link, draw(_barriers(link, chain))) for link in pairwise(chain)}
        if any(set(names) & set(chain) for names in links.values()):
            continue
        said = {EVENTS[effect]: _named(names) for (_, effect), names in links.items()}
        chains.append(Scenario(f"S{number}", _named(chain), said, rows=(f"R{number}", f"R{number % 3}")))
    chains = chains or [Scenario("S0", EVENTS[:2])]
    gates = draw(_gates(chains))
    return Scenarios(tuple(chains), gates, events=dict.fromkeys(BEYOND, Fixed(0.5)) if gates else {})


def happened(scenarios, basic):
    """All events that happen when these basic events do: links fire until nothing new happens."""
    found = set(basic)
    while True:
        fired = {
            effect
            for scenario in scenarios.chains
            for cause, effect in scenario.links
            if effect not in scenarios.gates and {cause, *scenario.barriers.get(effect, ())} <= found
        }
        fired |= {name for name, gate in scenarios.gates.items() if _holds(gate, found)}
        if fired <= found:
            return found
        found |= fired


def _holds(gate, found):
    true = sum(name in found for name in gate.inputs)
    return true >= {"or": 1, "and": len(gate.inputs), "atleast": gate.minimum}[gate.kind]


def _barriers(link, chain):
    below = [number for number in range(link[1]) if number not in chain]
    return st.lists(st.sampled_from(below), unique=True, max_size=2) if below else st.just([])


@st.composite
def _gates(draw, chains):
    """A gate for some events that chains lead to, with all that these name, and for an event without a cause."""
    inputs = {}
    for scenario in chains:
        for cause, effect in scenario.links:
            inputs.setdefault(effect, {}).update(dict.fromkeys((cause, *scenario.barriers.get(effect, ()))))
    found = {}
    for effect in draw(st.sets(st.sampled_from(sorted(inputs)), max_size=2)):
        kind, minimum = draw(st.sampled_from(STATED))
        found[effect] = Formula(kind, (*inputs[effect], *BEYOND), minimum)
    cause = chains[0].cause
    if cause not in inputs and draw(st.booleans()):
        found[cause] = Formula("and", BEYOND)
    return found


def _named(numbers):
    return tuple(EVENTS[number] for number in numbers)
