"""Every code can be raised, can be mended, and is documented; a good case has no findings."""

import re
from dataclasses import replace
from pathlib import Path

from tests.case.checks.cases import MEASURED, good, number
from tests.case.checks.examples import EXAMPLES

from surefoot.case import case_check
from surefoot.core import CODES as MEANINGS
from surefoot.core import Target

PAGE = Path(__file__).parents[3] / "docs" / "case-checks.md"
ROW = re.compile(r"^\| `(case-[a-z-]+)` \| ([a-z ]+) \| (.+) \|$", re.MULTILINE)
CODES = {code for entry in case_check.own.values() for code in entry.facts["codes"]}
DOCUMENTED = {code: (severity, meaning) for code, severity, meaning in ROW.findall(PAGE.read_text())}


def codes(findings):
    return {finding.code for finding in findings}


def test_a_minimal_case_raises_the_code_and_the_mended_one_does_not():
    for code, bad, mended, given, after in EXAMPLES:
        raised = bad.check(**given)
        assert codes(raised) <= CODES, code
        found = [each for each in raised if each.code == code]
        assert found, code
        assert all(each.severity in DOCUMENTED[code][0].split(" or ") for each in found), code
        assert all(each.text.endswith((".", "?")) and each.hint.endswith((".", "?")) for each in found), code
        assert code not in codes(mended.check(**after)), code


def test_every_code_has_an_example():
    assert {each[0] for each in EXAMPLES} == CODES


def test_the_page_lists_every_code_and_no_other():
    """Checks that bring their codes with them are in the catalogue, which is generated."""
    brought = {
        code
        for codes in (e.facts["codes"] for e in case_check.own.values())
        if isinstance(codes, dict)
        for code in codes
    }
    assert set(DOCUMENTED) - brought == CODES - brought
    assert {code: meaning for code, (_, meaning) in DOCUMENTED.items()} == {code: MEANINGS[code] for code in CODES}


def test_the_page_maps_other_tools_to_codes_that_exist():
    named = set(re.findall(r"`(case-[a-z-]+)`", PAGE.read_text()))
    assert named <= set(MEANINGS)


def test_a_good_case_has_no_findings():
    for notation in ("cae", "gsn"):
        for evidence in (None, MEASURED):
            case = replace(good(), notation=notation)
            assert case.check(evidence, targets={"rare": Target(at_most=1e-3)}) == [], notation
            assert case.check(evidence) == [], notation


def test_findings_come_worst_first_and_then_as_written():
    case = good(rare={"number": number(1e-6)}, E1={"rests_on": "no.where"}, use={"text": ""}, mild={"text": "TODO"})
    found = case.check(MEASURED)
    ranks = [("error", "warning", "note").index(each.severity) for each in found]
    assert ranks == sorted(ranks)
    warnings = [each.where for each in found if each.severity == "warning"]
    order = list(case.nodes)
    assert [order.index(each) for each in warnings] == sorted(order.index(each) for each in warnings)


def test_what_was_measured_is_not_asked_for_when_nobody_gives_it():
    case = good(E1={"rests_on": "no.where"})
    assert case.check() == []
    assert codes(case.check({})) >= {"case-evidence-missing"}
