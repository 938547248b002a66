"""The answer in one line follows the whole: numbers, claims that the case leaves open, doubts, and operation."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.case import Case, Feedback, Node, Stated
from surefoot.core import Evidence, Provenance
from surefoot.opinions import Opinion
from surefoot.project import Result
from surefoot.report import html, markdown
from tests.report import results

FINE = Stated(Opinion(0.9, 0, 0.1), by="A. Tester")
DOUBTED = Opinion(0.2, 0.2, 0.6)


def around(*nodes, top):
    """A result whose number is met, and whose top claim rests on that number and on these nodes."""
    result = results.met()
    whole = Node("G1", "claim", "It is safe enough.", ("S1",))
    step = Node("S1", "argument", "By its parts.", ("misses", *top))
    kept = [node for node in result.case if node.id not in ("claim", "argument")]
    return replace(result, case=Case.of([whole, step, *kept, *nodes]))


def answered(*nodes, top):
    return around(*nodes, top=top).headline


def claim(identity, **fields):
    return Node(identity, "claim", f"{identity} holds.", **fields)


def test_all_numbers_met_and_nothing_open_is_a_yes():
    found = answered(claim("labels", stated=FINE), top=("labels",))
    assert (found.status, found.open_claims, found.open) == ("met", (), False)
    assert found.text == "Yes, by its target: its number is met, and the case leaves no claim open."


def test_claims_that_the_case_leaves_open_are_counted_where_that_begins():
    parts = [claim("C1", undeveloped=True), Node("E1", "evidence", "Nobody looked."), claim("C2", supported_by=("E1",))]
    found = answered(
        claim("both", supported_by=("over",)), Node("over", "argument", "Each.", ("C1", "C2")), *parts, top=("both",)
    )
    assert found.open_claims == ("C1", "C2")
    assert found.text == "Not shown: its number is met, the case leaves 2 claims open."


def test_a_number_that_is_not_met_is_told_as_a_number_and_not_as_a_claim():
    found = results.full().headline
    assert (found.status, found.numbers_met, found.numbers, found.open_claims) == ("violated", 1, 3, ())


def test_an_assumption_that_nobody_checked_is_no_open_claim_and_an_undeveloped_one_is():
    bare = Node("W1", "side-claim", "Rows are alike.")
    argued = claim("C1", supported_by=("A1",))
    argument = Node("A1", "argument", "As stated.", ("C2",), ("W1",))
    shown = claim("C2", stated=FINE)
    assert not answered(argued, argument, bare, shown, top=("C1",)).open
    open_ = answered(argued, argument, replace(bare, undeveloped=True), shown, top=("C1",))
    assert open_.open_claims == ("W1",)


def test_of_independent_legs_only_those_that_show_the_claim_are_needed():
    legs = claim("C1", supported_by=("A1",)), Node("A1", "argument", "Either.", ("C2", "C3"), combining="legs")
    assert not answered(*legs, claim("C2", stated=FINE), claim("C3", undeveloped=True), top=("C1",)).open
    neither = answered(*legs, claim("C2", undeveloped=True), claim("C3", undeveloped=True), top=("C1",))
    assert neither.open_claims == ("C2", "C3")


def test_a_doubt_that_stands_is_told_and_one_that_is_eliminated_is_not():
    doubt = Node("D1", "defeater", "Fog was left out.", challenges=("C1",))
    found = answered(claim("C1", stated=FINE), doubt, top=("C1",))
    assert (found.open_claims, found.doubts) == (("C1",), ("D1",))
    assert found.text.endswith("the case leaves 1 claim open and 1 doubt stands.")
    assert not answered(claim("C1", stated=FINE), replace(doubt, defeated=True), top=("C1",)).open


def test_what_the_top_claim_does_not_need_is_not_counted():
    aside = claim("aside", undeveloped=True)
    assert not answered(claim("C1", stated=FINE), aside, top=("C1",)).open


@given(st.lists(st.sampled_from(["shown", "open", "missing"]), min_size=1, max_size=6), st.integers(1, 4))
@settings(deadline=None, max_examples=40)
def test_the_headline_says_yes_exactly_where_the_top_claim_is_supported(kinds, width):
    """Against the evaluation of random trees of claims that somebody answers for, or nobody."""
    fields = {"shown": {"stated": FINE}, "open": {"undeveloped": True}, "missing": {"stated": Stated(DOUBTED, by="A")}}
    leaves = [claim(f"L{place}", **fields[kind]) for place, kind in enumerate(kinds)]
    groups = [leaves[start : start + width] for start in range(0, len(leaves), width)]
    above = [
        node
        for place, group in enumerate(groups)
        for node in (
            claim(f"C{place}", supported_by=(f"A{place}",)),
            Node(f"A{place}", "argument", f"All {place}.", tuple(each.id for each in group)),
        )
    ]
    result = around(*above, *leaves, top=tuple(f"C{place}" for place in range(len(groups))))
    supported = result.evaluation.top.standing == "supported"
    assert (result.headline.status == "met") == supported
    assert len(result.headline.open_claims) == sum(kind != "shown" for kind in kinds)


def test_what_operation_contradicts_gets_no_advice_to_test_more():
    result = replace(results.met(), feedback=(Feedback("misses", 1000, "demand", 400),)).advised()
    (answer,) = result.answers
    assert result.headline.text == "No: operation contradicts 1 claim (misses); by tests its number is met."
    assert result.headline.numbers_met == 0
    assert "400 incidents in 1,000 demands" in answer.refuted
    assert answer.new_tests is None
    assert "cannot restore it" in " ".join(answer.needed)
    assert "new tests" not in " ".join(answer.needed)
    assert Result.from_dict(result.to_dict()).answers == result.answers
    assert "More evidence" not in markdown(result)
    assert "| misses | **refuted by operation** |" in markdown(result)
    assert '"sign met"' not in html(result)


def test_it_is_part_of_the_data():
    found = results.full().to_dict()["headline"]
    assert (found["status"], found["numbers_met"], found["numbers"]) == ("violated", 1, 3)


@pytest.mark.parametrize(
    ("state", "by", "accepted"), [("accepted", "A. Tester", True), ("accepted", "", False), ("reviewed", "B", False)]
)
def test_a_document_that_nobody_accepted_is_told(state, by, accepted):
    paper = dict.fromkeys(("id", "path", "url", "sha256"), "") | {"title": "Review of labels"}
    made = Provenance("step.document", {"document": paper, "kind": "review", "state": state, "by": by})
    resting = claim("C1", supported_by=("E1",)), Node("E1", "evidence", "The review.", rests_on="review")
    result = around(*resting, top=("C1",))
    found = replace(result, evidence={**result.evidence, "review": Evidence((), provenance=made)}).headline
    assert found.open is not accepted
    if not accepted:
        assert (found.open_claims, found.unaccepted) == (("C1",), ("review",))
        assert found.text.endswith("the case leaves 1 claim open and 1 document is not accepted.")


def test_numbers_that_are_met_on_stated_values_are_counted_apart():
    result = results.met()
    (answer,) = result.answers
    answered = replace(answer.verdict, answered_by=("A. Berg",))
    found = replace(result, answers=(replace(answer, verdict=answered, corrected=None),)).headline
    assert "its number is met, on what is stated" in found.text
