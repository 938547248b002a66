"""The laws of confidence: what more evidence, fewer doubts, repetition, splitting and order may do to a case."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.confidence.support import argument, claim, defeater

from surefoot.bounds import clopper_pearson
from surefoot.case import Case, Node, Number, Stated
from surefoot.core import Target
from surefoot.opinions import Opinion

LIMIT = 0.01
NUMBER = Number("misses", Target(at_most=LIMIT))
SHOWING = ((0, 300), (0, 1000), (2, 1000), (3, 900), (9, 2000))
FAILING = ((9, 1000), (30, 1000), (1, 100))
EXAMPLES = 60
RANK = {"contradicted": 0, "not shown": 1, "supported": 2}


def believed(belief):
    return Stated(Opinion(belief, 0.0, 1.0 - belief))


class Random:
    """A random case out of what can be needed: counts under numbers, judgements, assumptions, legs, doubts."""

    def __init__(self, seed, *, failing=False):
        self.random, self.results, self.nodes = random.Random(seed), {}, {}
        self.counts = (*SHOWING, *FAILING) if failing else SHOWING
        free = [self.leaf() for _ in range(self.random.randint(2, 5))]
        sides = [self.side() for _ in range(self.random.randint(0, 3))]
        for _ in range(self.random.randint(1, 4)):
            below = self.random.sample(free, min(len(free), self.random.randint(1, 3)))
            beside = self.random.sample(sides, min(len(sides), self.random.randint(0, 2)))
            # Legs below legs are more tries of one thing, which cost something; the law leaves them out.
            forked = any(self.forked(each) for each in below)
            combining = "all" if forked else self.random.choice(["all", "all", "legs"])
            free.append(self.add(claim(self.name("C"), *below, beside=beside, combining=combining)))
        used = {each for node in self.nodes.values() for each in node.supported_by}
        self.add(claim("top", *(each for each in free if each not in used)))
        for _ in range(self.random.randint(0, 2)):
            challenged = self.random.choice([each for each in self.nodes if each[0] in "CGS"])
            self.add(defeater(self.name("D"), challenged, defeated=self.random.random() < 0.6))
        self.case = Case({"top": self.nodes["top"], **self.nodes})

    def name(self, letter):
        return f"{letter}{len(self.nodes)}"

    def forked(self, identity):
        node = self.nodes[identity]
        return node.combining == "legs" or any(self.forked(each) for each in node.supported_by)

    def add(self, node):
        self.nodes[node.id] = node
        return node.id

    def leaf(self):
        kind = self.random.choice(["counts", "counts", "judgement", "claim"])
        if kind == "judgement":
            return self.add(
                Node(self.name("J"), "evidence", "x", stated=believed(self.random.choice((0.6, 0.9, 0.99))))
            )
        if kind == "claim":
            return self.add(claim(self.name("G"), stated=believed(self.random.choice((0.7, 0.95)))))
        below = [self.counted() for _ in range(self.random.randint(1, 3))]
        return self.add(claim(self.name("C"), *below, number=NUMBER, combining=self.random.choice(["all", "legs"])))

    def counted(self, counts=None):
        name = self.name("E")
        scope = self.random.choice(("", name))
        failures, trials = counts or self.random.choice(self.counts)
        self.results[f"{name}.misses"] = clopper_pearson(failures, trials, level=0.95, quantity="misses", scope=scope)
        return self.add(Node(name, "evidence", "x", rests_on=f"{name}.misses"))

    def side(self):
        stated = self.random.choice((None, believed(0.8), believed(0.97)))
        return self.add(Node(self.name("S"), "side-claim", "x", stated=stated))

    def evaluated(self, nodes=None):
        return (self.case if nodes is None else Case(nodes)).evaluate(self.results)


def sureness(found, identity="top"):
    """As something that can be compared: standing first, and no number is less than any."""
    assessed = found[identity]
    return RANK[assessed.standing], -1.0 if assessed.confidence is None else assessed.confidence


def not_less(after, before):
    return after[0] > before[0] or (after[0] == before[0] and after[1] >= before[1] - 1e-12)


seeds = st.integers(0, 10**9)


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_more_supporting_evidence_never_lowers(seed):
    made = Random(seed)
    before = sureness(made.evaluated())
    claims = [node for node in made.nodes.values() if node.number is not None]
    if not claims:
        return
    chosen = made.random.choice(claims)
    added = made.counted()
    nodes = {**made.nodes, chosen.id: replace(chosen, supported_by=(*chosen.supported_by, added))}
    assert not_less(sureness(made.evaluated(nodes)), before), (chosen.id, made.results)


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_removing_a_doubt_never_lowers(seed):
    made = Random(seed, failing=True)
    before = made.evaluated()
    for identity, node in made.nodes.items():
        if node.kind not in ("defeater", "side-claim"):
            continue
        left = {
            name: replace(each, in_context_of=tuple(one for one in each.in_context_of if one != identity))
            for name, each in made.nodes.items()
            if name != identity
        }
        after = made.evaluated(left)
        for each in left:
            assert not_less(sureness(after, each), sureness(before, each)), (identity, each)


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_more_belief_in_a_judgement_never_lowers(seed):
    made = Random(seed, failing=True)
    before = sureness(made.evaluated())
    for identity, node in made.nodes.items():
        if node.stated is not None:
            surer = believed((1 + float(node.stated.opinion.belief)) / 2)
            after = made.evaluated({**made.nodes, identity: replace(node, stated=surer)})
            assert not_less(sureness(after), before), identity


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_duplicates_never_change(seed):
    made = Random(seed, failing=True)
    before = made.evaluated()
    again = dict(made.nodes)
    for identity, node in made.nodes.items():
        if node.kind == "evidence" and node.rests_on and made.random.random() < 0.5:
            # The same result again, or a copy of it under another name.
            name, copied = f"{identity} again", made.random.random() < 0.5
            rests_on = f"{name}.misses" if copied else node.rests_on
            made.results[rests_on] = made.results[node.rests_on]
            again[name] = replace(node, id=name, rests_on=rests_on)
            for user in made.case.parents[identity]:
                again[user] = replace(again[user], supported_by=(*again[user].supported_by, name))
    after = made.evaluated(again)
    for identity in made.nodes:
        assert sureness(after, identity) == sureness(before, identity), identity


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_splitting_a_claim_never_changes(seed):
    made = Random(seed, failing=True)
    before = made.evaluated()
    split = dict(made.nodes)
    for identity, node in made.nodes.items():
        if node.kind != "claim" or not node.supported_by or node.combining != "all":
            continue
        ways = [argument, claim] if node.number is None else [argument]
        first, second, at = f"{identity} first", f"{identity} second", made.random.randint(0, len(node.supported_by))
        parts = {first: node.supported_by[:at], second: node.supported_by[at:]}
        kept = {name: below for name, below in parts.items() if below}
        split |= {name: made.random.choice(ways)(name, *below) for name, below in kept.items()}
        split[identity] = replace(node, supported_by=tuple(kept))
    after = made.evaluated(split)
    for identity in made.nodes:
        assert sureness(after, identity) == sureness(before, identity), identity


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_order_never_matters(seed):
    made = Random(seed, failing=True)
    before = made.evaluated()
    names = list(made.nodes)
    made.random.shuffle(names)
    shuffled = {
        name: replace(
            made.nodes[name],
            supported_by=tuple(made.random.sample(made.nodes[name].supported_by, len(made.nodes[name].supported_by))),
            in_context_of=tuple(reversed(made.nodes[name].in_context_of)),
        )
        for name in names
    }
    after = made.evaluated(shuffled)
    for identity in names:
        assert sureness(after, identity) == sureness(before, identity), identity
    assert [alike(each) for each in after.doubts] == [alike(each) for each in before.doubts]


def alike(doubt):
    return replace(doubt, decides=tuple(sorted(doubt.decides)))


@given(seeds)
@settings(max_examples=EXAMPLES, deadline=None)
def test_there_is_no_number_while_a_needed_leaf_is_unknown(seed):
    made = Random(seed)
    for identity, node in made.nodes.items():
        if not node.supported_by and node.kind in ("claim", "evidence"):
            unknown = replace(node, stated=None, rests_on="", undeveloped=node.kind == "claim")
            found = made.evaluated({**made.nodes, identity: unknown})
            for each in made.nodes:
                if needs(made.nodes, each, identity):
                    assert found[each].confidence is None, (identity, each)


def needs(nodes, identity, wanted):
    """Whether a node cannot hold without another: every way to it is through that one."""
    node = nodes[identity]
    if identity == wanted:
        return True
    below = [needs(nodes, each, wanted) for each in node.supported_by]
    return all(below) and bool(below) if node.combining == "legs" else any(below)
