"""A case of any shape, evaluated slowly by its meaning alone; shares no code with what it is compared with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.case.confidence.support import components

from surefoot.case import judge
from surefoot.opinions import Opinion, deduce

SPEAKING, UNDERCUT = ("argument", "evidence"), ("argument", "evidence")
UNKNOWN, REFUTED = (0.0, 0.0, 1.0, 0.5), (0.0, 1.0, 0.0, 0.5)
BY_STATUS = {"met": "supported", "violated": "contradicted", "not shown": "not shown"}
TURNED = {"supported": "contradicted", "contradicted": "supported", "not shown": "not shown"}


class Slow:
    """Follows references one by one; a context is the number that is spoken of, and whether against it."""

    def __init__(self, case, measured):
        self.case, self.measured = case, measured

    def check(self, node):
        estimate = self.measured.get(node.rests_on) if node.assumption else None
        found = [each.status for each in estimate.assumptions if each.id == node.assumption] if estimate else []
        return found[0] if found else None

    def parts(self, node):
        """Ids of needed parts, warrants and challengers."""
        nodes = self.case.nodes
        if node.defeated or (node.supported_by and self.check(node) == "contradicted"):
            return [], [], []
        needed = [each.id for each in nodes.values() if node.of and f"{each.module}/{each.id}" == node.of]
        needed = needed or list(dict.fromkeys(node.supported_by))
        beside = [each for each in node.in_context_of if each not in nodes or nodes[each].kind != "context"]
        if node.kind == "argument" and not needed and not node.undeveloped:
            needed, beside = beside, []
        against = [each.id for each in nodes.values() if node.id in each.challenges and not each.defeated]
        return needed, beside, against

    def speaks(self, identity):
        """Whether it speaks of the number above it: arguments, evidence, and sub-cases that stand for them."""
        node, seen = self.case[identity], set()
        while node.of and node.id not in seen:
            seen.add(node.id)
            node = next((each for each in self.case if f"{each.module}/{each.id}" == node.of), node)
        return node.kind in SPEAKING

    def below(self, node, context, child):
        if self.speaks(child):
            passed_on = node.kind == "argument" or (node.of and self.speaks(node.id))
            return context if passed_on else (node.number, False)
        return self.case[child].number, False

    def beside(self, child):
        return (None, False) if self.speaks(child) else (self.case[child].number, False)

    def challenging(self, node, child):
        return (node.number, True) if self.speaks(child) else (self.case[child].number, False)

    def leaf(self, node, context):
        """Opinion and standing of what nothing holds up."""
        number, against = context
        policy = {name: components(getattr(self.case.policy, name)) for name in ("checked", "contradicted")}
        if node.defeated:
            return (UNKNOWN, "not shown") if node.kind in UNDERCUT else (REFUTED, "contradicted")
        status = self.check(node) if node.assumption else None
        if status in ("contradicted", "supported"):
            return policy["checked" if status == "supported" else "contradicted"], status
        estimate = None if node.assumption else self.measured.get(node.rests_on)
        if estimate is not None and number is not None:
            found, verdict = judge(estimate, number.target), estimate.meets(number.target)
            standing = BY_STATUS[verdict.status]
            if standing == "supported" and number.strict_level is not None:
                strictly = estimate.meets(replace(number.target, level=number.strict_level))
                standing = "supported" if strictly else "not shown"
            belief, disbelief = found.belief, found.disbelief
            if against:
                belief, disbelief, standing = disbelief, belief, TURNED[standing]
            return (belief, disbelief, 1 - belief - disbelief, 0.5), standing
        if node.stated is None or node.stated.opinion is None:
            return UNKNOWN, "not shown"
        opinion = components(node.stated.opinion)
        standing = "supported" if opinion[0] > 0.5 else "contradicted" if opinion[1] > 0.5 else "not shown"
        return opinion, "not shown" if node.kind == "defeater" and standing == "contradicted" else standing

    def standing(self, identity, context):
        """How it stands, what that means above it, and whether its number is violated."""
        node = self.case[identity]
        needed, beside, against = self.parts(node)
        violated = False
        if not needed:
            standing = self.leaf(node, context)[1]
            measured = None if node.assumption or node.defeated else self.measured.get(node.rests_on)
            if measured is not None and context[0] is not None and not context[1]:
                violated = measured.meets(context[0].target).status == "violated"
        else:
            found = {each: self.standing(each, self.below(node, context, each)) for each in needed if each in self.case}
            standings = [above for _, above, _ in found.values()]
            standings += ["not shown"] * (len(found) < len(needed) or node.undeveloped)
            violated = any(found[each][2] for each in found if self.speaks(each))
            standing = self.combined(node, standings, violated=violated)
        above = standing
        if any(self.standing(each, self.beside(each))[0] == "contradicted" for each in beside if each in self.case):
            standing, above = "contradicted" if node.kind == "argument" else "not shown", "not shown"
        alive = {each: self.standing(each, self.challenging(node, each))[0] for each in against}
        alive = {each: how for each, how in alive.items() if how != "contradicted"}
        if alive and "contradicted" not in (standing, above):
            stands = any(self.case[each].kind == "evidence" and how == "supported" for each, how in alive.items())
            standing = "contradicted" if stands else "not shown"
            above = "not shown" if node.kind in UNDERCUT or not stands else "contradicted"
        return standing, above, violated

    def combined(self, node, standings, *, violated):
        if node.combining == "legs" and len(standings) > 1:
            if "contradicted" in standings:
                return "contradicted" if violated or "supported" not in standings else "not shown"
            return "supported" if "supported" in standings else "not shown"
        worst = (
            "contradicted" if "contradicted" in standings else "not shown" if "not shown" in standings else "supported"
        )
        if node.combining != "deduction":
            return worst
        given = {"supported": node.stated.given_true, "contradicted": node.stated.given_false}.get(worst)
        if given is None:
            return "not shown"
        return "supported" if given.belief > 0.5 else "contradicted" if given.disbelief > 0.5 else "not shown"

    def opinion(self, identity, context):
        """By subjective logic; exact where nothing is shared."""
        node = self.case[identity]
        needed, beside, against = self.parts(node)
        if not needed:
            found = self.leaf(node, context)[0]
        else:
            parts = [self.opinion(each, self.below(node, context, each)) for each in needed if each in self.case]
            parts += [UNKNOWN] * (len(needed) - len(parts) + node.undeveloped)
            if node.combining == "legs" and len(parts) > 1:
                found = fused(parts)
            else:
                found = both(parts)
                if node.combining == "deduction":
                    belief, disbelief, _, base_rate = found
                    exact = Opinion(belief, disbelief, max(1 - belief - disbelief, 0.0), base_rate)
                    found = components(deduce(exact, node.stated.given_true, node.stated.given_false))
        contraries = [self.opinion(each, self.challenging(node, each)) for each in against]
        contraries = [(d, b, u, 1 - a) for b, d, u, a in contraries]
        trusts = [self.opinion(each, self.beside(each)) if each in self.case else UNKNOWN for each in beside]
        if node.kind in UNDERCUT:
            trusts, contraries = trusts + contraries, []
        if trusts:
            b, _, u, a = both(trusts)
            trust = b + a * u
            found = (trust * found[0], trust * found[1], 1 - trust * (found[0] + found[1]), found[3])
        return both([found, *contraries])


def both(opinions):
    """Jøsang 2016, definition 7.1, two by two."""
    found = opinions[0]
    for other in opinions[1:]:
        (b, d, u, a), (c, e, v, r) = found, other
        share = 1 - a * r
        belief = b * c + ((1 - a) * r * b * v + a * (1 - r) * u * c) / share
        found = (belief, d + e - d * e, u * v + ((1 - r) * b * v + (1 - a) * u * c) / share, a * r)
    return found


def fused(opinions):
    """Cumulative fusion as the sum of evidence for and against."""
    kept = [(b, d, max(u, 1e-13), a) for b, d, u, a in opinions]
    positive, negative = (sum(each[place] / each[2] for each in kept) for place in (0, 1))
    weights = np.array([(1 - each[2]) / each[2] for each in kept])
    rates = np.array([each[3] for each in kept])
    base_rate = float(weights @ rates / weights.sum()) if weights.sum() > 1e-9 else float(rates.mean())
    rest = 1 / (1 + positive + negative)
    return positive * rest, negative * rest, rest, base_rate
