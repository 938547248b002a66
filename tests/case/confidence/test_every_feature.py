"""Random cases with everything a case can hold, compared with a slow evaluation by meaning alone."""

import random
from dataclasses import replace

import pytest
from tests.case.confidence.slow import Slow
from tests.case.confidence.support import components

from surefoot.bounds import clopper_pearson
from surefoot.case import Case, Node, Number, Stated
from surefoot.core import Check, Target
from surefoot.opinions import Opinion

NUMBERS = (
    None,
    Number("p", Target(at_most=0.01)),
    Number("p", Target(at_most=0.02), strict_level=0.999),
    Number("p", Target(at_least=0.9)),
)
RANKS = {"contradicted": 0, "not shown": 1, "supported": 2}


def _measured(failures, status, scope):
    estimate = clopper_pearson(failures, 300, level=0.95, quantity="p", scope=scope)
    check = None if status == "unchecked" else Check(status, "looked at")
    return replace(estimate, assumptions=(replace(estimate.assumptions[0], check=check),))


CHECKS = ((0, "supported"), (2, "unchecked"), (9, "supported"), (30, "contradicted"))
ASSUMPTION = clopper_pearson(0, 300, level=0.95).assumptions[0].id


def measured(case):
    """A result for each node that asks for one, each about something else, so that nothing is pooled."""
    asked = {node.rests_on: int(node.rests_on[1]) for node in case if node.rests_on}
    return {name: _measured(*CHECKS[which], name) for name, which in asked.items() if which < len(CHECKS)}


class Making:
    """Makes one random case: leaves, then what rests on them; each node is used once unless ``shared``."""

    def __init__(self, seed, *, shared):
        self.random, self.shared = random.Random(seed), shared
        self.nodes, self.free, self.sides = {}, [], []

    def opinion(self, least_unknown=1):
        parts = [self.random.randint(0, 6), self.random.randint(0, 6), self.random.randint(least_unknown, 6)]
        if not sum(parts):
            parts[2] = 1
        return Opinion(*(part / sum(parts) for part in parts), self.random.choice([0.5, 0.5, 0.2, 0.9]))

    def add(self, kind, **more):
        identity = f"{kind[0].upper()}{len(self.nodes)}"
        node = self.nodes[identity] = Node(identity, kind, "x", **more)
        return node

    def leaf(self):
        kind = self.random.choice(["evidence", "evidence", "claim", "side-claim"])
        defeated, reference = self.random.random() < 0.05, f"t{self.random.randint(0, 4)}n{len(self.nodes)}.p"
        if kind == "claim":
            return self.add(kind, undeveloped=True, defeated=defeated)
        stated = Stated(self.opinion(kind == "evidence")) if self.random.random() < 0.4 else None
        assumption = ASSUMPTION if kind == "side-claim" else ""
        rests = {} if stated else {"rests_on": reference, "assumption": assumption}
        return self.add(kind, stated=stated, defeated=defeated, **rests)

    def taken(self, pool, most):
        found = self.random.sample(pool, min(self.random.randint(1, most), len(pool)))
        if not self.shared:
            for each in found:
                pool.remove(each)
        return found

    def inner(self):
        kind = self.random.choice(["claim", "claim", "argument", "side-claim", "sub-case", "alone", "defeater"])
        beside = tuple(self.taken(self.sides, 2)) if self.sides and self.random.random() < 0.5 else ()
        if kind == "alone":
            self.free += [self.add("argument", in_context_of=beside).id] if beside else []
            return
        below = self.taken(self.free, 3) if self.free else []
        if kind == "sub-case" or not below:
            self._away(below, beside)
            return
        combining = self.random.choice(["all", "all", "all", "legs", "deduction"])
        given = Stated(given_true=_half(self.opinion()), given_false=_half(self.opinion()))
        nowhere = ["nowhere"] if self.random.random() < 0.06 else []
        node = self.add(
            kind,
            supported_by=(*below, *nowhere),
            in_context_of=beside,
            combining=combining,
            stated=given if combining == "deduction" else None,
            number=self.random.choice(NUMBERS) if kind == "claim" else None,
            undeveloped=self.random.random() < 0.06,
            defeated=self.random.random() < 0.05,
        )
        if kind == "defeater":
            self._challenge(node, set(below) | set(beside))
        else:
            (self.sides if kind == "side-claim" else self.free).append(node.id)

    def _away(self, below, beside):
        """A sub-case for the first of them, in a module of its own; the others are free again."""
        if below:
            first = self.nodes[below[0]]
            self.nodes[first.id] = replace(first, module="away")
            self.free.append(self.add("sub-case", of=f"away/{first.id}", in_context_of=beside).id)
        self.free += [each for each in below[1:] if each not in self.free]

    def _challenge(self, node, below):
        """Against something that it does not rest on."""
        todo = list(below)
        while todo:
            each = self.nodes.get(todo.pop())
            needs = () if each is None else (*each.below, *([each.of.partition("/")[2]] if each.of else ()))
            needs += tuple(
                other.id for other in self.nodes.values() if each is not None and each.id in other.challenges
            )
            todo += [other for other in needs if other not in below]
            below |= set(needs)
        others = [each for each in self.nodes if each not in below and each != node.id]
        self.nodes[node.id] = replace(node, challenges=(self.random.choice(others),) if others else ())

    def case(self):
        for _ in range(self.random.randint(3, 5)):
            leaf = self.leaf()
            (self.sides if leaf.kind == "side-claim" and self.random.random() < 0.7 else self.free).append(leaf.id)
        for _ in range(self.random.randint(2, 6)):
            self.inner()
        for _ in range(self.random.randint(0, 2)):
            challenged = (self.random.choice(list(self.nodes)),)
            stated = Stated(self.opinion())
            if self.random.random() < 0.5:
                self.add("defeater", challenges=challenged, stated=stated, defeated=self.random.random() < 0.3)
            else:
                self.add(
                    "evidence", challenges=challenged, rests_on=f"t{self.random.randint(0, 3)}n{len(self.nodes)}.p"
                )
        used = {each for node in self.nodes.values() for each in node.supported_by}
        used |= {node.of.partition("/")[2] for node in self.nodes.values()}
        top = self.add("claim", supported_by=tuple(each for each in self.free if each not in used))
        return Case({top.id: top, **self.nodes})


def _half(opinion):
    return Opinion(*components(opinion)[:3], 0.5)


def contexts(case, slow):
    """In which contexts each node is spoken of, from the tops down."""
    found = {}

    def visit(identity, context):
        if context in found.setdefault(identity, []):
            return
        found[identity].append(context)
        node = case[identity]
        needed, beside, against = slow.parts(node)
        for each in needed:
            if each in case:
                visit(each, slow.below(node, context, each))
        for each in beside:
            if each in case:
                visit(each, slow.beside(each))
        for each in against:
            visit(each, slow.challenging(node, each))

    for top in case.tops:
        visit(top.id, (top.number, False))
    return found


@pytest.mark.parametrize("shared", [False, True], ids=["tree", "shared"])
@pytest.mark.parametrize("first", range(0, 160, 40))
def test_standings_follow_the_meaning(first, shared):
    for seed in range(first, first + 40):
        case = Making(seed, shared=shared).case()
        found, slow = case.evaluate(measured(case)), Slow(case, measured(case))
        for identity, spoken in contexts(case, slow).items():
            if case[identity].kind == "claim":
                expected = min((slow.standing(identity, each)[0] for each in spoken), key=RANKS.get)
                assert found[identity].standing == expected, (seed, identity, found[identity].why)


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_where_nothing_is_shared_opinions_are_those_of_the_definitions(first):
    for seed in range(first, first + 40):
        case = Making(seed, shared=False).case()
        found, slow = case.evaluate(measured(case)), Slow(case, measured(case))
        for node in case:
            if node.kind == "claim":
                expected = slow.opinion(node.id, (node.number, False))
                assert components(found.opinions()[node.id]) == pytest.approx(expected, abs=1e-6), (seed, node.id)


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_more_belief_in_a_leaf_never_harms_the_top_where_it_only_holds_up(first):
    for seed in range(first, first + 40):
        case = Making(seed, shared=True).case()
        if any(node.combining != "all" for node in case):
            continue
        before = _probability(case)
        for node in case:
            if node.kind == "evidence" and node.stated and not node.challenges and not _beside(case, node.id):
                belief, disbelief, uncertainty, base_rate = components(node.stated.opinion)
                more = Opinion(belief + uncertainty / 2, disbelief, uncertainty / 2, base_rate)
                raised = case.with_nodes([replace(node, stated=Stated(more))])
                assert _probability(raised) >= before - 1e-9, (seed, node.id)


def _probability(case):
    return case.evaluate(measured(case)).opinions()[case.top.id].probability


def _beside(case, identity):
    """Whether a way up leads through a side-claim or a challenge."""
    todo, seen = [identity], set()
    while todo:
        each = todo.pop()
        if each in seen:
            continue
        seen.add(each)
        if case[each].kind in ("side-claim", "defeater") or case[each].challenges:
            return True
        todo += [*case.parents[each], *(node.id for node in case if case.resolved(node.id) == each)]
    return False
