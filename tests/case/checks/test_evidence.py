"""What was measured: legs and shared data, evidence below several arguments, assumptions wherever they are stated."""

from dataclasses import replace

from tests.case.checks.cases import QUANTITY, TESTED, argument, case_of, number, small

from surefoot.bounds import clopper_pearson
from surefoot.case import Node
from surefoot.core import Assumption, Evidence, Provenance

FINE = replace(TESTED, assumptions=())
POOR = replace(clopper_pearson(0, 100, level=0.95), assumptions=())


def codes(case, **given):
    return {each.code for each in case.check(**given)}


def result(identity, step, **fields):
    return Node(identity, "evidence", f"Tests {identity}", rests_on=f"{step}.{QUANTITY}", **fields)


def forked(combining):
    split = argument("S1", "S2", "E2", combining=combining, block="evidence incorporation")
    nodes = [Node("top", "claim", "It is rare", ("S1",), number=number()), split, argument("S2", "E1")]
    return case_of([*nodes, result("E1", "one"), result("E2", "two")], notation="gsn")


def test_of_legs_one_that_shows_the_claim_suffices():
    evidence = {f"one.{QUANTITY}": FINE, f"two.{QUANTITY}": POOR}
    assert "case-claim-unshown" not in codes(forked("legs"), evidence=evidence)
    assert "case-claim-unshown" in codes(forked("all"), evidence=evidence)
    both_poor = {f"one.{QUANTITY}": POOR, f"two.{QUANTITY}": POOR}
    assert "case-claim-unshown" in codes(forked("legs"), evidence=both_poor)


def on_data(estimate, **data):
    return replace(estimate, provenance=Provenance("bounds.clopper_pearson", {"of": str(data)}, data=data))


def test_legs_that_were_measured_on_the_same_data_are_not_independent():
    def found(second):
        evidence = {"one": Evidence((on_data(FINE, data="aaaa", model="mmmm"),)), "two": Evidence((second,))}
        return [each for each in forked("legs").check(evidence) if each.code == "case-legs-shared"]

    (shared,) = found(on_data(FINE, labels="aaaa", model="mmmm"))
    assert "data aaaa" in shared.text
    assert found(on_data(FINE, data="bbbb", model="mmmm")) == []


def test_what_legs_share_is_named():
    nodes = [
        argument("S1", "S2", "S3", combining="legs"),
        replace(argument("S2", "E1"), in_context_of=("A1",)),
        replace(argument("S3", "E2"), in_context_of=("A1",)),
        Node("A1", "side-claim", "Labels are right"),
        result("E1", "one"),
        result("E2", "one"),
    ]
    (found,) = (each for each in small(*nodes).check() if each.code == "case-legs-shared")
    assert "side-warrant 'A1'" in found.text
    assert f"result 'one.{QUANTITY}'" in found.text
    assert "E1" not in found.text


def test_legs_through_two_sub_cases_share_what_these_stand_for():
    far = [Node("far", "claim", "Far", ("E1",), module="M", public=True), replace(result("E1", "one"), module="M")]
    subs = [Node(f"sub{i}", "sub-case", "Far", of="M/far") for i in (1, 2)]
    case = small(argument("S1", "sub1", "sub2", combining="legs"), *subs, *far, modules="M")
    assert "case-legs-shared" in codes(case)


def test_evidence_counts_for_a_claim_through_arguments_and_not_through_claims():
    nodes = [
        Node("top", "claim", "Top", ("S1", "S2", "C1"), number=number()),
        argument("S1", "S3", "E1"),
        argument("S2", "S3"),
        argument("S3", "E2", "E1"),
        Node("C1", "claim", "Part", ("E3",)),
        *(result(f"E{i}", f"t{i}") for i in (1, 2, 3)),
    ]
    case = case_of(nodes)
    for poor, unshown in ((1, True), (2, True), (3, False)):
        evidence = {f"t{i}.{QUANTITY}": POOR if i == poor else FINE for i in (1, 2, 3)}
        found = {each.where for each in case.check(evidence) if each.code == "case-claim-unshown"}
        assert ("top" in found) == unshown, poor


def test_an_assumption_is_stated_by_its_id_its_text_or_for_its_step():
    assumption = Assumption("one-source", "All rows have one source")
    evidence = {"one": Evidence((replace(FINE, assumptions=(assumption,)),))}
    apart = Node("A1", "side-claim", "Rows", rests_on=f"one.{QUANTITY}", assumption="one-source")
    ways = [
        apart,
        replace(apart, rests_on="one"),
        replace(apart, rests_on="", assumption="", text="all rows have one source."),
    ]
    for way in ways:
        case = small(replace(argument("S1", "E1"), in_context_of=("A1",)), result("E1", "one"), way)
        assert "case-assumption-unstated" not in codes(case, evidence=evidence)
    other = replace(apart, assumption="something-else")
    case = small(replace(argument("S1", "E1"), in_context_of=("A1",)), result("E1", "one"), other)
    assert {"case-assumption-unstated", "case-assumption-unknown"} <= codes(case, evidence=evidence)


def test_a_side_claim_on_an_assumption_of_a_step_is_not_missing():
    assumption = Assumption("one-source", "All rows have one source")
    evidence = {"one": Evidence((FINE,), assumptions=(assumption,))}
    case = small(Node("A1", "side-claim", "Rows", rests_on="one", assumption="one-source"))
    assert codes(case, evidence=evidence) == {"case-assumption-unchecked"}
