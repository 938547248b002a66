"""The formulas against ``surefoot.opinions``, and against libraries that others wrote."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyds import MassFunction
from subjective_logic.binomial_opinion import BinomialOpinion
from tests.case.confidence.support import components

from surefoot import opinions as sl
from surefoot.case.confidence.calculi import Components, DempsterShafer, SubjectiveLogic
from surefoot.opinions import Opinion

LOGIC, MASSES = SubjectiveLogic(), DempsterShafer()
RATES = st.sampled_from([0.5, 0.1, 0.25, 0.9])


@st.composite
def opinions(draw, *, dogmatic=True, base_rate=RATES):
    parts = [draw(st.integers(0, 20)) for _ in range(3)]
    if not sum(parts) or (not dogmatic and not parts[2]):
        parts[2] += 1
    return Opinion(*(part / sum(parts) for part in parts), draw(base_rate))


def value(opinion, calculus=LOGIC):
    return calculus.leaf(Components.of(opinion))


def agrees(found, expected, tolerance=1e-7):
    masses = [float(each) for each in (found.belief, found.disbelief, found.uncertainty, found.base_rate)]
    assert masses == pytest.approx(components(expected), abs=tolerance)


@given(st.lists(opinions(), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_conjunction_is_that_of_opinions(several):
    expected = several[0]
    for each in several[1:]:
        expected &= each
    agrees(LOGIC.conjunction([value(each) for each in several]), expected)


@given(opinions(base_rate=st.just(1.0)), opinions(base_rate=st.just(1.0)))
@settings(max_examples=25, deadline=None)
def test_conjunction_with_base_rates_of_one_takes_the_same_limit(x, y):
    agrees(LOGIC.conjunction([value(x), value(y)]), x & y, 1e-6)


@given(opinions(), opinions())
@settings(max_examples=25, deadline=None)
def test_discounting_negation_and_the_stricter_policy(x, trust):
    agrees(LOGIC.discounted(value(x), value(trust), 0), x.discounted_by(trust, how="probability"))
    agrees(SubjectiveLogic("uncertainty").discounted(value(x), value(trust), 0), x.discounted_by(trust))
    agrees(LOGIC.negated(value(x)), ~x)


@given(st.lists(opinions(), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_fusion_is_cumulative(several):
    agrees(LOGIC.fused([value(each) for each in several], 0), sl.fuse(*several), 1e-6)


@given(opinions(), opinions(base_rate=st.just(0.3)), opinions(base_rate=st.just(0.3)))
@settings(max_examples=25, deadline=None)
def test_deduction(x, given_true, given_false):
    found = LOGIC.deduced(value(x), Components.of(given_true), Components.of(given_false))
    agrees(found, sl.deduce(x, given_true, given_false))


@given(opinions(dogmatic=False), opinions(dogmatic=False))
@settings(max_examples=25, deadline=None)
def test_fusion_and_discounting_agree_with_another_library(x, y):
    theirs = BinomialOpinion(*components(x)).cumulative_fusion(BinomialOpinion(*components(y)))
    ours = LOGIC.fused([value(x), value(y)], 0)
    masses = (theirs.belief, theirs.disbelief, theirs.uncertainty)
    # The library rounds to six digits; small uncertainties then move the quotient by more.
    assert (ours.belief, ours.disbelief, ours.uncertainty) == pytest.approx(masses, abs=1e-4)


def masses_of(opinion):
    belief, disbelief, uncertainty, _ = components(opinion)
    return MassFunction({"T": belief, "F": disbelief, "TF": uncertainty})


@given(st.lists(opinions(dogmatic=False), min_size=2, max_size=4))
@settings(max_examples=25, deadline=None)
def test_dempsters_rule_agrees_with_another_library(several):
    theirs = masses_of(several[0])
    for each in several[1:]:
        theirs &= masses_of(each)
    ours = MASSES.fused([value(each, MASSES) for each in several], 0)
    assert (ours.belief, ours.not_disbelieved) == pytest.approx((theirs.bel("T"), theirs.pl("T")), abs=1e-9)


@given(opinions(), opinions())
@settings(max_examples=25, deadline=None)
def test_conjunction_of_masses_agrees_with_another_library(x, y):
    """On the frame of both statements: each speaks about its own half, and the conjunction is the pair of truths."""
    frame = ["TT", "TF", "FT", "FF"]
    (bx, dx, ux, _), (by, dy, uy, _) = components(x), components(y)
    first = MassFunction([(frame[:2], bx), (frame[2:], dx), (frame, ux)])
    second = MassFunction([(frame[::2], by), (frame[1::2], dy), (frame, uy)])
    joint = first.combine_conjunctive(second)
    ours = MASSES.conjunction([value(x, MASSES), value(y, MASSES)])
    both = frozenset(["TT"])
    assert (ours.belief, ours.not_disbelieved) == pytest.approx((joint.bel(both), joint.pl(both)), abs=1e-9)


def test_total_conflict_leaves_nothing_known():
    found = MASSES.fused([value(Opinion(1.0, 0.0, 0.0), MASSES), value(Opinion(0.0, 1.0, 0.0), MASSES)], 0)
    assert (found.belief, found.not_disbelieved) == (0.0, 1.0)


@given(st.lists(opinions(), min_size=2, max_size=3))
@settings(max_examples=25, deadline=None)
def test_arrays_give_what_numbers_give(several):
    for calculus in (LOGIC, MASSES):
        single = [value(each, calculus) for each in several]
        many = [type(each)(*(np.full(3, part) for part in each)) for each in single]
        operations = (
            calculus.conjunction,
            lambda of, c=calculus: c.fused(of, 0),
            lambda of, c=calculus: c.raised(of[0], None, of[1:]),
            lambda of, c=calculus: c.discounted(of[0], of[1], 0),
        )
        for operation in operations:
            expected = np.array([float(part) for part in operation(single)])
            found = np.array([np.broadcast_to(part, 3) for part in operation(many)])
            assert found == pytest.approx(np.repeat(expected[:, None], 3, axis=1), abs=1e-12)
