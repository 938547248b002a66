"""A case is made from targets and estimates, and its standings follow the verdicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefoot as sf
from surefoot.case import Case, Goal, build
from surefoot.case.build import worst
from surefoot.core import Assumption, Bound, Check, Diagnostic, Estimate, Target

COUNTED = sf.bounds.clopper_pearson(3, 200, level=0.95, scope="malignant")
NORMAL = sf.bounds.normal_exact(np.random.default_rng(2).normal(3, 1, 500), level=0.95)
SKEWED = sf.bounds.normal_exact(np.random.default_rng(2).exponential(3, 500) + 0.1, level=0.95)


def goal(estimate, *, name="misses", text="Few are missed.", **target):
    return Goal(name, text, estimate.meets(Target(**target)), estimate, f"step.{estimate.quantity}")


def case_of(*goals, claim="", context=()):
    return build(claim=claim, system="Screening", context=context, goals=goals)


def node(case, identity):
    return next(node for node in case.nodes() if node.id == identity)


def standings(case):
    return {node.id: node.standing for node in case.nodes() if node.kind in ("claim", "argument")}


def test_a_met_target_supports_its_claim_and_the_top():
    case = case_of(goal(COUNTED, at_most=0.05))
    assert set(standings(case).values()) == {"supported"}


def test_an_unproven_target_leaves_its_claim_and_the_top_open():
    case = case_of(goal(COUNTED, at_most=0.05), goal(COUNTED, name="strict", at_most=0.02))
    assert standings(case)["misses"] == "supported"
    assert standings(case)["strict"] == standings(case)["claim"] == "open"


def test_a_violated_target_contradicts_its_claim_and_the_top():
    case = case_of(goal(COUNTED, at_most=0.05), goal(NORMAL, name="risk", at_most=0.001))
    assert NORMAL.meets(Target(at_most=0.001)).status == "violated"
    assert standings(case)["risk"] == standings(case)["claim"] == "contradicted"


def test_a_contradicted_assumption_defeats_the_argument_and_leaves_the_claim_open():
    case = case_of(goal(SKEWED, at_most=0.5))
    assert SKEWED.upper(0.95) < 0.5
    assert standings(case)["misses"] == standings(case)["claim"] == "open"
    assert standings(case)["misses.argument"] == "contradicted"
    assert "neither way" in node(case, "misses").note


def test_every_assumption_is_a_side_claim_that_stands_as_its_check_says():
    sides = [n for n in case_of(goal(SKEWED, at_most=0.5)).nodes() if n.kind == "side-claim"]
    expected = {"supported": "supported", "contradicted": "contradicted", "unchecked": "open"}
    assert [n.standing for n in sides] == [expected[a.status] for a in SKEWED.assumptions]
    assert [n.text for n in sides] == [a.text for a in SKEWED.assumptions]


def test_unchecked_assumptions_do_not_overrule_the_verdict_and_are_counted():
    case = case_of(goal(COUNTED, at_most=0.05))
    assert node(case, "misses.argument").note == "3 assumptions: 3 not checked."
    assert {n.note for n in case.nodes() if n.kind == "side-claim"} == {""}
    assert case.top.note == "Supported, under 3 unchecked assumptions."


def test_the_same_assumption_has_the_same_id_under_every_target():
    case = case_of(goal(COUNTED, at_most=0.05), goal(COUNTED, name="other", at_most=0.06))
    ids = [[n.id for n in node(case, name).walk() if n.kind == "side-claim"] for name in ("misses", "other")]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])


def test_assumptions_that_differ_in_their_check_have_different_ids():
    checked = Assumption("same", "The same.", Check("supported", "looked"))
    estimate = Estimate("risk", 0.1, bounds=(Bound(0.2, "upper", 0.05, "confidence"),), assumptions=(
        checked, Assumption("same", "The same.")))  # fmt: skip
    ids = [n.id for n in case_of(goal(estimate, at_most=0.3)).nodes() if n.kind == "side-claim"]
    assert len(set(ids)) == 2


def test_evidence_gives_number_bound_level_and_reference():
    evidence = node(case_of(goal(COUNTED, at_most=0.05)), "misses.evidence")
    assert evidence.text == "Failure probability of malignant: 0.015 per demand (3 failures, 200 trials)"
    assert evidence.note == "The upper bound is 0.0384 (confidence at 95%)."
    assert evidence.reference == "step.failure probability"


def test_caveats_are_noted_with_the_evidence():
    estimate = Estimate("risk", 0.1, caveats=(Diagnostic("few-groups", "Only three groups."),))
    assert "Caveat: Only three groups." in node(case_of(goal(estimate, at_most=0.3)), "misses.evidence").note


def test_without_an_accepted_bound_the_claim_says_so():
    claim = node(case_of(goal(Estimate("risk", 0.1), at_most=0.3)), "misses")
    assert claim.standing == "open"
    assert "No bound of an accepted kind" in claim.note


@pytest.mark.parametrize(
    ("estimate", "begins"),
    [
        (COUNTED, "By clopper_pearson: Exact bounds of a failure probability"),
        (sf.opinions.recall(470, 10).to_estimate(), "By Opinion: Subjective logic"),
        (Estimate.known("risk", 0.1, source="data sheet"), "The value is stated, not measured: data sheet."),
        (
            sf.propagate(lambda a, b: a * b, {"a": COUNTED, "b": COUNTED}, quantity="both", direction={"a": 1, "b": 1}),
            "By propagation of earlier estimates: a, b.",
        ),
        (Estimate("risk", 0.1, provenance=sf.Provenance("step.own")), "By the method step.own."),
        (Estimate("risk", 0.1, provenance=sf.Provenance("bounds.import_module")), "By import_module: Bounds of"),
    ],
)
def test_the_argument_says_the_method_in_the_words_of_its_documentation(estimate, begins):
    assert node(case_of(goal(estimate, at_most=0.3)), "misses.argument").text.startswith(begins)


def test_the_top_claim_is_the_users_or_the_usual_one():
    assert case_of(claim="Nobody is hurt.").top.text == "Nobody is hurt."
    assert case_of().top.text == "Screening meets its safety targets under the stated operating conditions."


def test_without_targets_nothing_is_claimed_to_stand():
    case = case_of(context=["Adults only."])
    assert case.top.standing == "open"
    assert case.top.children == ()
    assert case.context == ("Adults only.",)


def test_a_case_survives_the_trip_through_plain_data():
    case = case_of(goal(COUNTED, at_most=0.05), goal(SKEWED, name="risk", at_most=0.5), context=["a"])
    assert Case.from_dict(case.to_dict()) == case


def test_ids_and_texts_do_not_depend_on_the_run():
    assert case_of(goal(COUNTED, at_most=0.05)) == case_of(goal(COUNTED, at_most=0.05))


@given(st.lists(st.sampled_from(["supported", "open", "contradicted"])))
def test_a_whole_is_supported_only_if_all_parts_are(parts):
    found = worst(parts)
    assert (found == "supported") == (bool(parts) and set(parts) == {"supported"})
    assert (found == "contradicted") == ("contradicted" in parts)


def test_a_target_met_at_this_look_alone_leaves_its_claim_open():
    met = goal(COUNTED, at_most=0.05)
    case = case_of(Goal(met.name, met.text, met.verdict, met.estimate, met.reference, alone=True))
    assert standings(case)["misses"] == standings(case)["claim"] == "open"
    assert node(case, "misses").note.endswith("Met at this look alone.")


@pytest.mark.parametrize(("failures", "end"), [(3, "cautious"), (10, "cautious"), (80, "lenient")])
def test_the_claim_of_an_uncertain_limit_says_what_the_verdict_rests_on(failures, end):
    counted = sf.bounds.clopper_pearson(failures, 200, level=0.95)
    case = case_of(goal(counted, at_most=0.12, uncertainty=sf.CountedRate(12, 100)))
    assert "The target is at most 0.12 (itself uncertain, 0.062 to 0.21; the verdict rests on " in (
        note := node(case, "misses").note
    )
    assert f"its {end} end)" in note
