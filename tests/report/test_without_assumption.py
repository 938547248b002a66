"""What a number would be if an assumption were false: by hand, by the tree itself, or honestly unknown."""

from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import Assumption, Estimate, Evidence, Provenance
from surefoot.project import Result
from surefoot.report import without_assumption
from tests.report import results
from tests.report.test_tree_chapter import assessed as with_tree

OUTSIDE = Assumption("operational-profile", "The test data follow the operational profile.")


def of(result, identity, place=0):
    answer = result.answers[place]
    assumption = next(each for each in answer.estimate.assumptions if each.id == identity)
    return without_assumption(result, answer, assumption)


def limits(consequence):
    return [line.limit for line in consequence.lines]


@pytest.fixture(scope="module")
def product():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 300)
    answers = np.where(np.arange(300) < 4, 1 - labels, labels)
    project = sf.Project.of(
        "Sorter",
        data={"scores": np.eye(2)[answers], "labels": labels},
        classes=["no", "yes"],
        evidence={
            "errors": {"step": "binomial_bound"},
            "exposure": {"step": "stated", "quantity": "exposure", "value": 0.1, "source": "records"},
            "hazard": {
                "step": "product",
                "factors": {"exposed": "exposure.exposure", "wrong": "errors.failure probability"},
            },
        },
        targets={"hazard": {"estimate": "hazard.hazard probability", "at_most": 0.01}},
    )
    return sf.run(project)


def test_inputs_outside_may_all_fail():
    result = results.met()
    found = of(result, "operational-profile")
    bound = result.answers[0].verdict.bound.limit
    assert limits(found) == pytest.approx([0.99 * bound + 0.01, 0.95 * bound + 0.05])
    assert [line.keeps for line in found.lines] == [True, False]
    assert found.rest == "Beyond that no bound: it may be anything up to 1."


def test_the_sentences_round_to_the_cautious_side():
    found = of(results.met(), "operational-profile")
    assert found.text.startswith("If 1% of inputs lie outside: at most 0.048, which keeps the limit. If 5%")
    assert found.lines[0].limit <= 0.048


def test_a_stated_condition_is_about_inputs_and_another_assumption_is_not():
    condition = Assumption("same-device", "Images come from the device the test data came from.")
    other = Assumption("of a user", "Something.")
    result = results.met()
    answer = resting_on(result.answers[0], condition, other)
    assert without_assumption(result, answer, condition).lines == of(result, "operational-profile").lines
    assert without_assumption(result, answer, other).text == "No bound: it may be anything up to 1."


def test_what_a_number_does_not_rest_on_changes_nothing():
    result = results.met()
    found = without_assumption(result, result.answers[0], Assumption("of a user", "Something."))
    assert found.text == "Nothing changes: the number does not rest on it."


def resting_on(answer, *assumptions):
    estimate = replace(answer.estimate, assumptions=(*answer.estimate.assumptions, *assumptions))
    return replace(answer, estimate=estimate)


def test_of_what_shall_be_large_the_share_outside_is_lost():
    result = results.full()
    place = next(place for place, answer in enumerate(result.answers) if answer.name == "recall")
    answer = resting_on(result.answers[place], OUTSIDE)
    result = replace(result, evidence={})
    found = without_assumption(result, answer, OUTSIDE)
    assert limits(found) == pytest.approx([0.99 * answer.verdict.bound.limit, 0.95 * answer.verdict.bound.limit])
    assert found.rest.endswith("anything down to 0.")
    assert {line.relation for line in found.lines} == {"at least"}


def test_a_number_that_is_no_probability_is_not_bounded_by_one():
    cost = Estimate(
        "cost",
        0.2,
        bounds=(sf.Bound(0.3, "upper", 0.05, "confidence"),),
        assumptions=(OUTSIDE,),
        provenance=Provenance("monitors.evaluate"),
    )
    answer = results.answer("cost", "Cheap.", "cost.cost", cost, sf.Target(at_most=0.5))
    result = results.result([answer], {"cost": Evidence((cost,))})
    assert without_assumption(result, answer, OUTSIDE).text == "Unknown: nothing here bounds it then."


def test_another_result_of_the_same_model_and_data_takes_its_place():
    skewed = results.contradicted()
    other = results.counted(20, 500, scope="twin")
    normal = replace(skewed.answers[0].estimate, scope="screening")
    answer = replace(skewed.answers[0], estimate=normal)
    digests = {f"{name}.{file}": file for name in ("screening", "twin") for file in ("model", "test")}
    evidence = {**skewed.evidence, "counted": results.evidence_of(other, "binomial_bound")}
    result = replace(skewed, answers=(answer,), evidence=evidence, digests=digests)
    found = of(result, "normal-margins")
    assert limits(found) == [other.upper(0.95)]
    assert found.lines[0].when == "by counted.failure probability, which does not rest on it"
    assert found.rest == ""
    assert of(result, "operational-profile").lines[0].when.startswith("if 1%")
    elsewhere = replace(result, digests={**digests, "twin.test": "other"})
    assert of(elsewhere, "normal-margins").lines[0].when.startswith("by counting alone")


def test_of_two_others_the_cautious_one_is_taken_and_a_contradicted_one_is_not():
    def with_others(*others):
        base = results.contradicted()
        evidence = {
            f"s{place}": results.evidence_of(each, "binomial_bound") for place, each in enumerate(others)
        } | dict(base.evidence)
        return replace(base, evidence=evidence)

    scope = results.contradicted().answers[0].estimate.scope
    good, bad = (results.counted(failures, 500, scope=scope) for failures in (1, 30))
    broken = replace(
        results.counted(90, 500, scope=scope), assumptions=results.contradicted().answers[0].estimate.assumptions
    )
    assert limits(of(with_others(good, bad, broken), "normal-margins")) == [bad.upper(0.95)]


def test_a_model_is_not_needed_for_counting():
    result = results.contradicted()
    estimate = result.answers[0].estimate
    found = of(result, "normal-margins")
    expected = sf.bounds.clopper_pearson(estimate.details["failures"], estimate.details["n"], level=0.95).upper(0.95)
    assert limits(found) == [expected]


def test_stopping_foreign_rows_and_groups_are_told_of_counts():
    result = results.met()
    assert of(result, "fixed-size").lines[0].when == "if testing was stopped at will"
    assert of(result, "fixed-size").rest == ""
    assert [line.when for line in of(result, "independent-trials").lines] == [
        "if 2 rows at a time stood or fell together",
        "if 5 rows at a time stood or fell together",
    ]


def test_a_product_is_carried_by_its_other_factors(product):
    errors = product["errors.failure probability"].upper(0.95)
    assert product.answers[0].verdict.bound.limit == pytest.approx(0.1 * errors)
    found = of(product, "operational-profile")
    shares = [0.99 * errors + 0.01, 0.95 * errors + 0.05, 1.0]
    assert limits(found) == pytest.approx([0.1 * each for each in shares])
    assert found.rest == ""
    assert found.lines[-1].when == "with 'wrong' at 1"
    assert limits(of(product, "stated-value")) == pytest.approx([errors])
    stopped = without_assumption(product, _direct(product), _assumption(product, "fixed-size"))
    assert limits(of(product, "fixed-size")) == pytest.approx([0.1 * stopped.lines[0].limit])


def _assumption(result, identity):
    return next(each for each in result.answers[0].estimate.assumptions if each.id == identity)


def _direct(result):
    estimate = result["errors.failure probability"]
    return results.answer("errors", "Few.", "errors.failure probability", estimate, sf.Target(at_most=0.5))


def test_factors_that_depend_leave_the_first_one(product):
    found = of(product, "conditional-factors")
    assert limits(found) == [0.1]
    assert found.lines[0].when == "by the first factor 'exposed' alone"


def test_a_tree_is_carried_as_by_hand():
    result = with_tree(0.01)
    found = of(result, "event-is-what-was-measured")

    def top(camera, beam=0.001, motor=1.5 / 100_001):
        """By hand: camera and beam, or the motor, of which one failure in 100,000 was seen (Jeffreys)."""
        return 1 - (1 - camera * beam) * (1 - motor)

    assert limits(found) == pytest.approx([top(1.0)], rel=1e-6)
    value = result["missed.failure probability"].value
    outside = without_assumption(
        result, result.answers[0], replace(OUTSIDE, scope=result["missed.failure probability"].scope)
    )
    expected = [top(0.99 * value + 0.01), top(0.95 * value + 0.05), top(1.0)]
    assert limits(outside) == pytest.approx(expected, rel=1e-6)
    assert {line.relation for line in found.lines + outside.lines} == {"about"}


def test_what_a_tree_leaves_out_adds_its_probability():
    result = with_tree(0.01)
    room = 0.01 - result.answers[0].verdict.bound.limit
    said = of(result, "complete-logic").rest
    number = float(said.partition("up to ")[2].split()[0])
    assert room * 0.99 < number <= room
    missed = with_tree(1e-6)
    assert of(missed, "complete-logic").rest == "No bound: it may be anything up to 1."
    assert of(result, "independent-basic-events").lines == ()


def test_an_event_that_feeds_twice_is_not_carried():
    result = with_tree(0.01)
    tree = result.evidence["tree"]
    params = {**tree.provenance.params, "again": {"motor goes on": "missed.failure probability"}}
    twice = replace(tree, provenance=replace(tree.provenance, params=params))
    result = replace(result, evidence={**result.evidence, "tree": twice})
    found = without_assumption(
        result, result.answers[0], replace(OUTSIDE, scope=result["missed.failure probability"].scope)
    )
    assert "with" not in {line.when.split()[0] for line in found.lines}


def test_a_result_that_was_read_back_says_the_same(product):
    for result in (product, with_tree(0.01), results.full()):
        back = Result.from_dict(result.to_dict())
        for answer, again in zip(result.answers, back.answers, strict=True):
            for one, other in zip(answer.estimate.assumptions, again.estimate.assumptions, strict=True):
                assert without_assumption(result, answer, one) == without_assumption(back, again, other)


def test_what_has_no_bound_of_the_asked_side_is_not_made_up():
    lower = Estimate(
        "failure probability",
        0.1,
        bounds=(sf.Bound(0.05, "lower", 0.05, "confidence"),),
        assumptions=(OUTSIDE,),
        provenance=Provenance("bounds.clopper_pearson"),
    )
    answer = results.answer("errors", "Few.", "s.failure probability", lower, sf.Target(at_most=0.2))
    result = results.result([answer], {"s": Evidence((lower,))})
    assert without_assumption(result, answer, OUTSIDE).text == "No bound: it may be anything up to 1."
