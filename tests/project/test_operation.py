"""What operation brought: refused where it cannot be counted, and told wherever a result is."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from surefoot.case import Feedback
from surefoot.core import DiagnosticsError
from surefoot.project import load, run
from surefoot.report import junit, markdown
from tests.project.conftest import DEFINITION
from tests.project.writing import problems
from tests.refusals import told

TARGET = {"claim": DEFINITION["targets"]["risk"]}
"""A target whose name is a word of the case, so that the id of its claim is a marked form of it."""
BAD = {"claim": "claim", "exposure": 1000, "incidents": 400}


def test_what_cannot_be_counted_is_found_before_anything_is_computed(small):
    for entries, words in [
        ([{"per": "hour"}], "feedback[0].per is counted per hour, the target 'claim' per demand"),
        ([{"since": "once"}], "feedback[0] cannot be: no such date, found 'once'"),
        ([{"exposure": 10}], "no more than one incident happens in each, found 400 in 10"),
        ([{"since": "2026-02-01", "until": "2026-01-01"}], "the period ends before it begins"),
        ([{}, {}], "feedback[1] may tell of the same operation as an entry before"),
        ([{"until": "2026-03-01"}, {"since": "2026-02-01"}], "feedback[1] may tell of the same operation"),
    ]:
        with told(entries):
            small.set_definition(targets=TARGET, case={"feedback": [{**BAD, **entry} for entry in entries]})
            with pytest.raises(DiagnosticsError) as refused:
                load(small.file)
            (found,) = refused.value.diagnostics
            assert words in found.text
            assert found.where.startswith("surefoot.yaml:")
            assert small.calls == 0


def test_incidents_by_the_hour_say_nothing_of_a_share(small):
    asked = {"claim": {"estimate": "counted.failure probability", "at_least": 0.5, "per": "hour"}}
    found = problems(small, targets=asked, case={"feedback": [{**BAD, "per": "hour"}]})
    assert any("say nothing of what shall be at least 0.5" in each for each in found)


def test_periods_that_follow_each_other_are_counted(small):
    first, second = {"until": "2026-02-01"}, {"since": "2026-02-01"}
    small.set_definition(targets=TARGET, case={"feedback": [{**BAD, **first}, {**BAD, **second}]})
    assert "800 incidents in 2,000 demands" in run(load(small.file)).contradictions[0].text


def test_operation_that_contradicts_a_target_is_told_everywhere(small):
    small.set_definition(targets=TARGET, case={"feedback": [BAD]})
    result = run(load(small.file))
    (finding,) = result.against("claim")
    assert (finding.code, finding.where, result.against("risk")) == ("case-operation-contradicts", "target:claim", ())
    assert all(answer.verdict for answer in result.answers)
    assert (result.met, result.to_dict()["met"]) == (False, False)
    assert "operation" in str(result)
    assert markdown(result).startswith(
        "### Small: No: operation contradicts 1 claim (claim); by tests its number is met"
    )
    (failed,) = ElementTree.fromstring(junit(result).encode()).iter("failure")
    assert failed.get("type") == "case-operation-contradicts"
    assert "400 incidents in 1,000 demands" in failed.get("message")


def test_feedback_that_was_not_counted_contradicts_nothing_and_is_not_passed_over(small):
    small.set_definition(targets=TARGET)
    result = replace(run(load(small.file)), feedback=(Feedback("target:claim", 10, "hour", 0),))
    assert result.contradictions == ()
    assert [each.code for each in result.uncounted] == ["case-feedback"]
    assert not result.met
    assert markdown(result).startswith("### Small: Not shown: feedback from operation could not be counted")
