"""Numbers of claims: what agrees raises nothing, and what lies between two claims counts."""

from dataclasses import replace

from tests.case.checks.cases import QUANTITY, argument, leaf, number, numbered, paper, plain, small, two_levels

from surefoot.case import Node, Number
from surefoot.core import Bound, Target


def codes(case, **given):
    return {each.code for each in case.check(**given)}


def test_a_text_that_agrees_or_says_no_limit_raises_nothing():
    for text in (
        "At most 0.1% of demands fail",
        "At most 1e-3 failures a demand, at 95% confidence",
        "99.9% of demands go well",
        "Fewer than 1 in 1,000 demands fail",
        "Fails on 10^-3 of demands or less",
        "The 4 functions of Section 3.1 keep their share at SAE level 4",
        "Between 0.01% and 5% of demands are night drives",
        "Sensors above 5",
        "Rare",
    ):
        assert "case-number-text" not in codes(numbered(claim={"text": text})[0]), text


def test_a_text_that_says_another_number_is_found():
    for text in ("At most 1% fail", "99% go well", "Fails at most at 2e-3", "1 in 500 fails", "Rare at 90% confidence"):
        assert "case-number-text" in codes(numbered(claim={"text": text})[0]), text


def test_a_limit_above_one_is_compared_too():
    rate = Number("alarms", Target(at_most=5, per="hour"))
    assert "case-number-text" in codes(small(leaf("C1", "At most 7 per hour", number=rate)))
    assert "case-number-text" not in codes(small(leaf("C1", "At most 5 per hour", number=rate)))


def test_a_calculation_gets_from_one_limit_to_another():
    upper, lower = number(1e-4, per="hour"), number(1e-2)
    assert codes(two_levels(upper, lower, block="calculation")) == set()
    assert "case-exposure" in codes(two_levels(upper, lower))


def test_legs_may_each_be_weaker():
    weak = number(1e-2, level=0.9)
    legs = argument("S1", "low", "E9", combining="legs", block="concretion")
    case = small(legs, leaf("low", "So", number=weak), paper("E9"), claim={"number": number()})
    assert codes(case) == set()
    needed = case.with_nodes([replace(case["S1"], combining="all")])
    assert codes(needed) == {"case-limit-weaker", "case-level-weaker"}


def test_a_claim_without_a_number_between_two_does_not_hide_the_upper_one():
    middle = Node("mid", "claim", "Parts are good", ("low",))
    case = small(middle, leaf("low", "So", number=number(1e-2)), claim={"number": number()})
    assert codes(case) == {"case-limit-weaker"}


def test_at_least_is_the_other_way_round():
    def stated(limit):
        return Number("availability", Target(at_least=limit))

    assert "case-limit-weaker" in codes(two_levels(stated(0.99), stated(0.9)))
    assert "case-limit-weaker" not in codes(two_levels(stated(0.9), stated(0.99)))


def test_a_target_with_the_same_limit_is_claimed_whatever_its_name():
    case = numbered()[0]
    assert codes(case, targets={"misses": Target(at_most=1e-3)}) == set()
    assert codes(case, targets={"misses": Target(at_most=2e-3)}) == {"case-target-unclaimed"}
    assert codes(case, targets={QUANTITY: Target(at_most=1e-3, level=0.99)}) == {"case-target-weaker"}
    assert codes(case, targets={"rare": Target(at_most=1e-2, level=0.9)}) == set()
    assert codes(case, targets={"rare": Target(at_most=1e-3, per="hour")}) == {"case-target-unclaimed"}


def test_a_claim_of_at_least_can_be_far_below_what_was_measured():
    def stated(limit):
        given = {"number": Number(QUANTITY, Target(at_least=limit))}
        case, evidence = numbered(plain(0.999, bounds=(Bound(0.998, "lower", 0.05, "confidence"),)), claim=given)
        return codes(case, **evidence)

    assert stated(0.997) == set()
    assert stated(0.99) == {"case-claim-weaker"}
    assert stated(0.9985) == {"case-claim-unshown"}
