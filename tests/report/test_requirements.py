"""Safety properties of a worksheet against the results that are to verify them."""

import pytest

from surefoot.core import Evidence, Provenance
from surefoot.hazards import Hazop, Property
from surefoot.project.steps.hazop import properties
from surefoot.report.requirements import requirements
from tests.report.results import counted, evidence_of, result

REFERENCE = "counted.failure probability"
UPPER = counted().upper(0.95)


def judged(**said):
    """A property held against a result that has a bound of the failure probability."""
    known = {"relation": "at most", "value": 0.05, "unit": "per demand", "evidence": REFERENCE, **said}
    asked = Property("P1", "screening", "misses", **known)
    sheet = Evidence((), tables=properties(Hazop("S", properties=[asked])), provenance=Provenance("step.hazop"))
    found = result([], {"counted": evidence_of(counted(), "binomial_bound"), "hazards": sheet})
    (requirement,) = requirements(found)["hazards"]
    assert requirement.property == asked
    return requirement


@pytest.mark.parametrize(
    ("relation", "value", "status"),
    [
        ("at most", UPPER * 1.01, "met"),
        ("less than", UPPER * 1.01, "met"),
        ("at most", UPPER * 0.99, "unproven"),
        ("at most", counted().lower(0.95) * 0.99, "violated"),
        ("at least", counted().lower(0.95) * 0.99, "met"),
        ("more than", UPPER * 1.01, "violated"),
    ],
)
def test_a_number_is_compared_with_the_bound_on_its_side(relation, value, status):
    assert judged(relation=relation, value=value).status == status


def test_the_finding_says_what_was_compared():
    assert f"{UPPER:.4g}" in judged(value=0.5).finding


@pytest.mark.parametrize(
    ("said", "finding"),
    [
        ({"evidence": ""}, ""),
        ({"relation": "is", "value": "never silent"}, "'is' is for people to judge."),
        ({"relation": "equals", "value": 0.1}, "'equals' is for people to judge."),
    ],
)
def test_what_no_number_decides_is_stated(said, finding):
    assert (judged(**said).status, judged(**said).finding) == ("stated", finding)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"evidence": "cuonted.failure probability"}, "no such step"),
        ({"evidence": "counted.accuracy"}, "accuracy"),
        ({"unit": "per hour"}, "hour"),
    ],
)
def test_evidence_that_does_not_fit_shows_nothing_and_says_why(said, told):
    found = judged(**said)
    assert found.status == "unproven"
    assert told in found.finding


def test_a_worksheet_without_properties_has_none():
    sheet = Evidence((), provenance=Provenance("step.hazop"))
    assert requirements(result([], {"hazards": sheet})) == {"hazards": []}
