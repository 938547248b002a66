"""The first screen: a plain answer, the smallest margin, the weakest link, what nobody checked."""

import re
from dataclasses import replace

import surefoot as sf
from surefoot.case import Feedback, Node
from surefoot.report import case_chapter, first_screen, html
from tests.report import results
from tests.report.test_page import Outline


def facts(result):
    return {fact.name: fact for fact in first_screen(result).facts}


def several(*limits, looks=None):
    few = results.counted()
    answers = [
        results.answer(f"t{place}", "Few.", "counted.failure probability", few, sf.Target(at_most=limit), looks=looks)
        for place, limit in enumerate(limits)
    ]
    return results.result(answers, {"counted": results.evidence_of(few, "binomial_bound")})


def test_the_answer_is_one_plain_sentence_with_the_number_of_targets():
    closed = "and the case leaves no claim open."
    said = {
        (0.05,): f"Yes, by its target: its number is met, {closed}",
        (0.02,): "Not shown: its number is neither met nor violated.",
        (0.001,): "No: its number is violated.",
        (0.05, 0.06): f"Yes, by its targets: 2 of 2 numbers met, {closed}",
        (0.05, 0.02): "Not shown: 1 of 2 numbers met.",
        (0.05, 0.06, 0.001): "No: 2 of 3 numbers met, 1 violated.",
    }
    assert {limits: first_screen(several(*limits)).answer for limits in said} == said


def test_the_smallest_margin_is_told_with_bound_and_limit():
    found = facts(several(0.05, 0.03, 0.06))["Smallest margin"]
    assert found.short == "0.783 ×"
    assert found.text == "t1: bound 0.0384, limit 0.03 (confidence, 95%)."
    assert found.link == "target-2"


def test_targets_without_a_bound_that_counts_are_named():
    assert facts(results.contradicted())["Margin"].text == "No bound counts for risk."


def test_the_weakest_link_is_the_node_of_the_case_and_can_be_followed():
    result = results.met()
    found, weakest = facts(result)["Weakest link"], result.evaluation.weakest
    assert found.short == result.case[weakest].text
    assert found.link == case_chapter(result.case, result.evaluation, anchors={}).weakest
    outline = Outline(html(result))
    assert f"#{found.link}" in outline.links
    assert found.link in outline.ids


def test_what_would_be_needed_is_told_of_the_target_that_is_furthest():
    found = facts(results.full())
    assert found["Needed for risk"].short == "147 new tests show it with probability 80%."
    assert not any(name.startswith("Needed") for name in facts(results.met()))


def test_unchecked_assumptions_are_counted_once_each():
    result = results.full()
    held = {(each.id, each.text): each.status for a in result.answers for each in a.estimate.assumptions}
    found = facts(result)["Unchecked assumptions"]
    assert found.short.endswith(f" of {len(held)}")
    assert "The data contradict" not in found.text
    assert "The data contradict normal-margins" in facts(results.contradicted())["Unchecked assumptions"].text


def test_confidence_is_that_of_all_targets_together():
    found = facts(results.met())["Confidence in all targets together"]
    assert found.short == "at least 95%"
    assert re.match(r"Given \d+ assumptions, the target holds with confidence at least 95%\. \d+ doubts: ", found.text)
    assert facts(results.full())["Confidence in all targets together"].short == "no number"


def test_operation_that_contradicts_the_case_is_told_first():
    result = several(0.05)
    broken = replace(result, feedback=(Feedback("t0", exposure=1000, per="demand", incidents=400),))
    screen = first_screen(broken)
    assert screen.status == "violated"
    assert screen.answer == "No: operation contradicts 1 claim (t0); by tests its number is met."


def test_feedback_that_could_not_be_counted_leaves_the_answer_open():
    other = replace(several(0.05), feedback=(Feedback("t0", exposure=1000, per="hour", incidents=0),))
    screen = first_screen(other)
    assert screen.status == "not shown"
    assert screen.answer.startswith(
        "Not shown: feedback from operation could not be counted; by tests its number is met"
    )


def test_without_targets_nothing_is_concluded():
    screen = first_screen(results.without_targets())
    assert screen.status == "none"
    assert screen.facts == ()
    assert "Nothing is concluded" in html(results.without_targets())


def test_a_look_that_counts_alone_is_no_yes():
    few = results.counted()
    answer = results.answer("misses", "Few.", "counted.x", few, sf.Target(at_most=0.04), looks=50)
    result = results.result([answer], {"counted": results.evidence_of(few, "binomial_bound")})
    assert first_screen(result).answer.startswith("Not shown: its number is met at this look alone")


def test_a_claim_that_the_case_leaves_open_is_told_beside_its_verdict():
    found = results.met()
    doubt = Node("doubt", "defeater", "Rows are copies of each other.", challenges=("misses",))
    doubted = replace(found, case=found.case.with_nodes([doubt]))
    assert doubted.doubted == {"misses": "Challenged by doubt, which is not eliminated."}
    screen = first_screen(doubted)
    assert screen.answer == "Not shown: its number is met, the case leaves 1 claim open and 1 doubt stands."
    assert "Open: misses; doubts that stand: doubt." in screen.lines
    assert "The number is met, and the case does not show the claim: misses (Challenged by doubt" in html(doubted)
    assert found.doubted == {}
