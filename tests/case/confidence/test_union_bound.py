"""How surely all targets hold together: against linear programs, exact limits of pooled counts, and simulation."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from tests.case.confidence.support import argument, case, claim, defeater, side_claim

from surefoot.bounds import clopper_pearson, garwood, jeffreys
from surefoot.case import Node, Number, Stated
from surefoot.core import Target
from surefoot.opinions import Opinion

LIMIT, LEVEL = 0.01, 0.95
NUMBER = Number("misses", Target(at_most=LIMIT))


def counts(failures, trials, scope=""):
    return clopper_pearson(failures, trials, level=LEVEL, quantity="misses", scope=scope)


def report(identity, **more):
    return Node(identity, "evidence", "x", rests_on=f"{identity}.misses", **more)


def evaluated(*nodes, **results):
    return case(*nodes).evaluate({f"{name}.misses": estimate for name, estimate in results.items()})


# Judgements: Adams' bound, which a linear program over all joint states gives too.


def judgement(identity, belief, kind="evidence"):
    return Node(identity, kind, "x", stated=Stated(Opinion(belief, 0.0, 1.0 - belief)))


@st.composite
def judged(draw, *, legs):
    """Judgements that each hold with a stated probability at least, and claims over what is before them."""
    names = [f"J{number}" for number in range(draw(st.integers(2, 4)))]
    beliefs = {name: draw(st.sampled_from([0.6, 0.8, 0.9, 0.95])) for name in names}
    nodes = [judgement(name, belief) for name, belief in beliefs.items()]
    for number in range(draw(st.integers(1, 4))):
        below = draw(st.lists(st.sampled_from([node.id for node in nodes]), min_size=1, max_size=3, unique=True))
        combining = draw(st.sampled_from(["all", "legs"])) if legs else "all"
        nodes.append(claim(f"C{number}", *below, combining=combining))
    return nodes, beliefs


def least_probability(nodes, beliefs, identity):
    """The least probability of a claim, whatever depends on what, where each judgement has its own at least."""
    known = {node.id: node for node in nodes}
    states = list(product((False, True), repeat=len(beliefs)))
    named = [dict(zip(beliefs, state, strict=True)) for state in states]

    def holds(identity, state):
        node = known[identity]
        if not node.supported_by:
            return state[identity]
        return (any if node.combining == "legs" else all)(holds(each, state) for each in node.supported_by)

    found = optimize.linprog(
        [float(holds(identity, state)) for state in named],
        A_ub=[[-float(state[name]) for state in named] for name in beliefs],
        b_ub=[-belief for belief in beliefs.values()],
        A_eq=[[1.0] * len(states)],
        b_eq=[1.0],
    )
    assert found.status == 0
    return found.fun


@given(judged(legs=False))
@settings(max_examples=100, deadline=None)
def test_needed_judgements_give_the_sharp_bound_of_adams(drawn):
    nodes, beliefs = drawn
    found = case(*nodes).evaluate()
    for node in nodes:
        assert found[node.id].confidence == pytest.approx(least_probability(nodes, beliefs, node.id), abs=1e-9)


@given(judged(legs=True))
@settings(max_examples=150, deadline=None)
def test_judgements_that_suffice_alone_give_no_more_than_is_certain(drawn):
    nodes, beliefs = drawn
    found = case(*nodes).evaluate()
    for node in nodes:
        assert found[node.id].confidence <= least_probability(nodes, beliefs, node.id) + 1e-9


# Counts of one quantity are pooled.


def test_a_second_report_is_added_and_not_multiplied():
    """The reports of the issue of multiplying: 2 of 1,000, and 9 of 1,000 beside it, are 11 of 2,000."""
    alone = evaluated(claim("C", "A", number=NUMBER), report("A"), A=counts(2, 1000))
    both = claim("C", "A", "B", number=NUMBER), report("A"), report("B")
    together = evaluated(*both, A=counts(2, 1000), B=counts(9, 1000))
    assert alone.confidence == together.confidence == pytest.approx(LEVEL)
    assert together["C"].verdict.bound.limit == pytest.approx(stats.beta(12, 1989).ppf(LEVEL))
    assert "2 in 1,000" in together["A"].why
    assert "11 in 2,000" in together["A"].why
    assert stats.binom(2000, LIMIT).sf(11) == pytest.approx(0.979, abs=5e-4)
    assert float(together.opinions()["C"].belief) == pytest.approx(stats.binom(2000, LIMIT).sf(11))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(300, 2000)), min_size=2, max_size=5, unique=True))
@settings(max_examples=60, deadline=None)
def test_pooled_counts_have_the_exact_limit_of_their_sum(counted):
    names = [f"E{number}" for number in range(len(counted))]
    nodes = claim("C", *names, number=NUMBER), *(report(name) for name in names)
    found = evaluated(*nodes, **{name: counts(*count) for name, count in zip(names, counted, strict=True)})
    failures, trials = (sum(column) for column in zip(*counted, strict=True))
    exact = stats.beta(failures + 1, trials - failures).ppf(LEVEL)
    assert (found["C"].standing == "supported") == (exact <= LIMIT)
    assert exact > LIMIT or found["C"].verdict.bound.limit == pytest.approx(exact)


def test_events_in_hours_are_pooled_alike():
    number = Number("misses", Target(at_most=0.002, per="hour"))
    events = {name: garwood(k, 2600, level=LEVEL, quantity="misses") for name, k in (("A", 1), ("B", 2))}
    found = evaluated(claim("C", "A", "B", number=number), report("A"), report("B"), **events)
    assert found["C"].verdict.bound.limit == pytest.approx(stats.chi2(2 * 4).ppf(LEVEL) / 2 / 5200)


@pytest.mark.parametrize(
    "other", [counts(9, 1000, "by night"), garwood(9, 1000, level=LEVEL, quantity="misses", unit="per demand")]
)
def test_other_quantities_and_units_are_not_pooled(other):
    nodes = claim("C", "A", "B", number=NUMBER), report("A"), report("B")
    found = evaluated(*nodes, A=counts(2, 1000), B=other)
    assert (found["C"].standing, found.confidence) == ("not shown", None)


def test_a_result_that_serves_two_claims_counts_once_whatever_is_added_to_one_of_them():
    looser = Number("misses", Target(at_most=2 * LIMIT))
    first, second = claim("C", "A", number=NUMBER), claim("D", "A", number=looser)
    once = evaluated(claim("top", "C", "D"), first, second, report("A"), A=counts(2, 1000))
    more = claim("C", "A", "B", number=NUMBER), report("B")
    both = evaluated(claim("top", "C", "D"), second, report("A"), *more, A=counts(2, 1000), B=counts(1, 900))
    assert once.confidence == both.confidence == pytest.approx(LEVEL)


# What is needed besides numbers.


def test_numbers_and_stated_doubts_are_subtracted_and_the_rest_is_given():
    found = evaluated(
        claim("top", "C", "D", "J"),
        claim("C", "by C", number=NUMBER),
        argument("by C", "A", beside=["drawn alike", "nobody knows"]),
        claim("D", "B", number=NUMBER),
        report("A"),
        report("B"),
        judgement("J", 0.98),
        judgement("drawn alike", 0.9, "side-claim"),
        side_claim("nobody knows"),
        A=counts(0, 1000, "by day"),
        B=counts(0, 1000, "by night"),
    )
    assert found.confidence == pytest.approx(1 - 2 * 0.05 - 0.02 - 0.1)
    assert found.top.targets == 2
    assert {"drawn alike", "nobody knows"} <= set(found.top.given)


def test_a_prior_is_given_beside_what_the_posterior_assumes():
    found = evaluated(claim("C", "A", number=NUMBER), report("A"), A=jeffreys(0, 1000, level=LEVEL, quantity="misses"))
    assert found.confidence == pytest.approx(LEVEL)
    assert "A" in found.top.given


def test_a_violated_claim_has_no_number_whatever_is_assumed():
    for assumed in range(4):
        beside = [f"S{number}" for number in range(assumed)]
        nodes = claim("C", "by C", number=NUMBER), argument("by C", "A", beside=beside), report("A")
        found = evaluated(*nodes, *map(side_claim, beside), A=counts(60, 1000))
        assert (found["C"].standing == "contradicted", found.confidence) == (True, None)


def test_an_open_doubt_leaves_no_number():
    nodes = claim("C", "A", number=NUMBER), report("A")
    assert evaluated(*nodes, defeater("D", "C"), A=counts(0, 1000)).confidence is None
    assert evaluated(*nodes, defeater("D", "C", defeated=True), A=counts(0, 1000)).confidence == pytest.approx(LEVEL)


# Measured: how often what is claimed is false.

SIMULATED = 3000


def simulated(nodes, truth, trials, seed):
    """Confidence in the top claim over many draws of the counts; each combination of counts is evaluated once."""
    rng = np.random.default_rng(seed)
    drawn = np.column_stack([rng.binomial(trials[name], truth[name], SIMULATED) for name in truth])
    rows, how_often = np.unique(drawn, axis=0, return_counts=True)
    made = case(*nodes)
    for row, times in zip(rows, how_often, strict=True):
        results = {f"{name}.misses": counts(int(k), trials[name], name[0]) for name, k in zip(truth, row, strict=True)}
        yield times, made.evaluate(results), dict(zip(truth, row, strict=True))


def reports(*names):
    return [report(name) for name in names]


CASES = {
    "one of two is false": (
        [
            claim("top", "C", "D"),
            claim("C", "a1", number=NUMBER),
            claim("D", "b1", number=NUMBER),
            *reports("a1", "b1"),
        ],
        {"a1": LIMIT, "b1": LIMIT / 20},
        {"a1": 600, "b1": 900},
    ),
    "pooled from two": (
        [claim("top", "C"), claim("C", "a1", "a2", number=NUMBER), *reports("a1", "a2")],
        {"a1": LIMIT, "a2": LIMIT},
        {"a1": 400, "a2": 700},
    ),
    "any of two legs": (
        [claim("top", "C"), claim("C", "a1", "b1", number=NUMBER, combining="legs"), *reports("a1", "b1")],
        {"a1": LIMIT, "b1": LIMIT},
        {"a1": 473, "b1": 773},
    ),
    "a pool and a result of it for another claim": (
        [
            claim("top", "C", "D"),
            claim("C", "a1", "a2", number=NUMBER),
            claim("D", "a1", number=Number("misses", Target(at_most=LIMIT))),
            *reports("a1", "a2"),
        ],
        {"a1": LIMIT, "a2": LIMIT},
        {"a1": 473, "a2": 1000},
    ),
    "legs of which one needs two": (
        [
            claim("top", "C"),
            claim("C", "L", "c1", number=NUMBER, combining="legs"),
            argument("L", "a1", "b1"),
            *reports("a1", "b1", "c1"),
        ],
        {"a1": LIMIT, "b1": LIMIT / 50, "c1": LIMIT},
        {"a1": 473, "b1": 3000, "c1": 473},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_false_claim_gets_a_confidence_as_rarely_as_it_says(name):
    """The truth is at the limit, where a bound is most often wrong: each number counts as false there."""
    nodes, truth, trials = CASES[name]
    said = {}
    for times, found, _ in simulated(nodes, truth, trials, seed=1):
        if found.confidence is not None:
            doubt = round(1 - found.confidence, 9)
            said[doubt] = said.get(doubt, 0) + times
    assert said, "some draws look good enough"
    for doubt in said:
        often = sum(times for other, times in said.items() if other <= doubt) / SIMULATED
        assert often <= doubt + 3 * np.sqrt(doubt * (1 - doubt) / SIMULATED), (doubt, often)


def test_all_limits_hold_together_as_often_as_one_less_the_sum():
    """Three claims, one of them on two pooled reports: their limits cover what is true together."""
    targets = {name: Number("misses", Target(at_most=0.05)) for name in "ABC"}
    nodes = [claim("top", *targets), *reports("a1", "b1", "b2", "c1")]
    nodes += [
        claim(name, *(each for each in ("a1", "b1", "b2", "c1") if each[0] == name.lower()), number=number)
        for name, number in targets.items()
    ]
    truth = {"a1": 0.004, "b1": 0.006, "b2": 0.006, "c1": 0.009}
    trials = {"a1": 700, "b1": 400, "b2": 600, "c1": 900}
    held = shown = 0
    for times, found, _ in simulated(nodes, truth, trials, seed=2):
        assert found.confidence == pytest.approx(1 - 3 * 0.05)
        limits = [found[name].verdict.bound.limit for name in targets]
        shown += times
        held += times * all(limit >= p for limit, p in zip(limits, (0.004, 0.006, 0.009), strict=True))
    often = held / shown
    assert often >= 0.85 - 3 * np.sqrt(0.85 * 0.15 / shown)
    assert often <= 0.96, "and the limits are no wider than they need be"
