"""Safety properties of a worksheet against the results that are to verify them."""

from dataclasses import fields

from surefoot.core import Evidence, Provenance, Table
from surefoot.hazards import Property
from surefoot.report import requirements
from tests.report.results import counted, evidence_of, result

REFERENCE = "counted.failure probability"
UPPER = counted().upper(0.95)


def judged(**said):
    """A property held against a result that has a bound of the failure probability."""
    known = {"relation": "at most", "value": 0.05, "unit": "per demand", "evidence": REFERENCE, **said}
    asked = Property("P1", "screening", "misses", **known)
    head = tuple(field.name for field in fields(Property))
    table = Table(head, [tuple(getattr(asked, name) for name in head)])
    sheet = Evidence((), tables={"safety properties": table}, provenance=Provenance("step.hazop"))
    found = result([], {"counted": evidence_of(counted(), "binomial_bound"), "hazards": sheet})
    (requirement,) = requirements(found)["hazards"]
    assert requirement.property == asked
    return requirement


def test_a_number_is_compared_with_the_bound_on_its_side():
    below = counted().lower(0.95) * 0.99
    for relation, value, status in (
        ("at most", UPPER * 1.01, "met"),
        ("less than", UPPER * 1.01, "met"),
        ("at most", UPPER * 0.99, "not shown"),
        ("at most", below, "violated"),
        ("at least", below, "met"),
        ("more than", UPPER * 1.01, "violated"),
    ):
        assert judged(relation=relation, value=value).status == status, (relation, value)


def test_the_finding_says_what_was_compared():
    assert f"{UPPER:.4g}" in judged(value=0.5).finding


def test_what_no_number_decides_is_stated():
    for said, finding in (
        ({"evidence": ""}, ""),
        ({"relation": "is", "value": "never silent"}, "'is' is for people to judge."),
        ({"relation": "equals", "value": 0.1}, "'equals' is for people to judge."),
    ):
        assert (judged(**said).status, judged(**said).finding) == ("stated", finding)


def test_evidence_that_does_not_fit_shows_nothing_and_says_why():
    for said, told in (
        ({"evidence": "cuonted.failure probability"}, "no such step"),
        ({"evidence": "counted.accuracy"}, "accuracy"),
        ({"unit": "per hour"}, "hour"),
    ):
        found = judged(**said)
        assert found.status == "not shown", told
        assert told in found.finding


def test_a_worksheet_without_properties_has_none():
    sheet = Evidence((), provenance=Provenance("step.hazop"))
    assert requirements(result([], {"hazards": sheet})) == {"hazards": []}
