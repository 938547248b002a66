"""Small cases, and what they mean when every leaf is gone through."""

from __future__ import annotations

from itertools import product
from math import prod

from surefoot.case import Case, Node, Stated
from surefoot.opinions import Opinion


def claim(identity, *below, beside=(), **more):
    return Node(identity, "claim", f"{identity} holds", supported_by=below, in_context_of=tuple(beside), **more)


def argument(identity, *below, beside=(), **more):
    return Node(identity, "argument", f"by {identity}", supported_by=below, in_context_of=tuple(beside), **more)


def evidence(identity, *opinion, **more):
    if opinion:
        more["stated"] = Stated(Opinion(*opinion))
    return Node(identity, "evidence", f"report {identity}", **more)


def side_claim(identity, *opinion, **more):
    if opinion:
        more["stated"] = Stated(Opinion(*opinion))
    return Node(identity, "side-claim", f"assume {identity}", **more)


def defeater(identity, *challenged, opinion=None, **more):
    stated = Stated(Opinion(*opinion)) if opinion else None
    return Node(identity, "defeater", f"unless {identity}", challenges=challenged, stated=stated, **more)


def case(*nodes, **more):
    return Case({node.id: node for node in nodes}, **more)


def components(opinion):
    return tuple(float(getattr(opinion, name)) for name in ("belief", "disbelief", "uncertainty", "base_rate"))


class Enumerated:
    """A case of needed parts and warrants only, by going through all states of its leaves; shares no code with ours."""

    def __init__(self, nodes):
        self.nodes = {node.id: node for node in nodes}
        self.leaves = [node.id for node in nodes if not node.supported_by]
        self.opinions = {each: components(self.nodes[each].stated.opinion) for each in self.leaves}

    def leaves_below(self, identity):
        """Distinct leaves reached through needed parts."""
        node = self.nodes[identity]
        if not node.supported_by:
            return {identity}
        return set().union(*(self.leaves_below(each) for each in node.supported_by))

    def probability(self, identity):
        """Each leaf is true or false; what lacks a warrant is true with its base rate, one coin for each node."""
        warranted = [node.id for node in self.nodes.values() if node.in_context_of]
        names = [*self.leaves, *(f"coin {each}" for each in warranted)]
        chances = [b + a * u for b, _, u, a in self.opinions.values()]
        chances += [prod(self.opinions[leaf][3] for leaf in self.leaves_below(each)) for each in warranted]
        total = 0.0
        for states in product((True, False), repeat=len(names)):
            weight = prod(chance if state else 1 - chance for chance, state in zip(chances, states, strict=True))
            total += weight * self._true(identity, dict(zip(names, states, strict=True)))
        return total

    def _true(self, identity, states):
        node = self.nodes[identity]
        if not all(self._true(each, states) for each in node.in_context_of):
            return states[f"coin {identity}"]
        return all(self._true(each, states) for each in node.supported_by) if node.supported_by else states[identity]
