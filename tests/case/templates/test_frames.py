"""Frames of components and systems, against RAM, sections 3.1 and 5.1."""

from dataclasses import replace

import pytest
from tests.case.templates import worlds

from surefoot.case import Feedback, Ingredients, instantiate
from surefoot.core import Assumption, Check, Evidence, InvalidInput, Provenance, Table

COMPONENT = Provenance("step.binomial_bound", {"component": "camera"})
TESTED = {"misses": Evidence((worlds.COUNTED,), provenance=COMPONENT)}
CAMERA = {"camera": "Sees assets."}


def framed(frame, *goals, evidence=None, **given):
    made = worlds.found(*goals, evidence=TESTED | (evidence or {}), components=CAMERA, **given)
    return instantiate(made, frame=frame)


def misses():
    return worlds.goal("misses", worlds.COUNTED, text="Few assets are missed.")


def test_without_targets_the_top_claim_is_undeveloped():
    case = instantiate(Ingredients("Vehicle"))
    assert case.top.undeveloped
    assert "Vehicle" in case.top.text


def test_ram_figure_8_goes_from_safe_enough_to_the_four_functions():
    case = framed("component", misses())
    assert case["LLC1[camera]"].supported_by == ("LLA1[camera]",)
    assert case["LLA1[camera]"].block == "substitution"
    assert case["LLA1[camera]"].supported_by == ("LLC2[camera]", "SubC9[camera]")
    assert case["LLA1[camera]"].in_context_of == ("LLSC1[camera]",)
    assert case["LLSC1[camera]"].supported_by == ("SubC10[camera]",)
    assert case["SubC9[camera]"].undeveloped
    assert case["LLA2[camera]"].block == "decomposition"
    assert case["LLA2[camera]"].supported_by == tuple(f"LLC{number}[camera]" for number in (3, 4, 5, 6))
    assert case["LLA3[camera]"].block == "concretion"
    assert case["LLA3[camera]"].supported_by == ("misses",)
    assert [case[f"LLC{number}[camera]"].undeveloped for number in (3, 4, 5, 6)] == [False, True, True, True]


def test_a_target_goes_to_the_function_that_it_speaks_of():
    case = framed("component", misses(), speaks_of={"misses": "tracking"})
    assert case["LLA6[camera]"].supported_by == ("misses",)
    assert case["LLC3[camera]"].undeveloped


def test_a_component_has_the_functions_that_are_named():
    case = framed("component", misses(), functions={"camera": ("classification",)})
    assert case["LLA2[camera]"].supported_by == ("LLC3[camera]",)
    assert "LLC4[camera]" not in case


def test_ram_figure_3_has_its_claims_and_sub_cases():
    case = framed("system", misses())
    assert case["claim"].supported_by == ("TLA1",)
    assert case["TLA1"].in_context_of == ("TLSC1",)
    assert case["TLA2"].supported_by == ("SubC4", "TLC3", "SubC5", "SubC6")
    assert case["TLA3"].in_context_of == ("TLSC2",)
    undeveloped = {node.id for node in case if node.undeveloped and node.kind == "sub-case"}
    assert undeveloped >= {"SubC2", "SubC3", "SubC4", "SubC5", "SubC6", "SubC8"}
    assert case.resolved("SubC7[camera]") == "LLC1[camera]"
    assert case.resolved("SubC1") == "SubC1.claim"
    assert case["misses"].module == "SubC7[camera]"


def test_a_worksheet_develops_the_identification_of_hazards():
    complete = Assumption("hazards-complete", "Every deviation was considered.", Check("supported", "guide words"))
    sheet = Evidence((), tables={"worksheet": Table(("id",), (("R1",), ("R2",)))}, assumptions=(complete,))
    case = framed("system", misses(), evidence={"hazop": sheet})
    assert case.resolved("SubC2") == "SubC2.claim"
    assert "2 rows" in case["SubC2.hazop"].text
    assert case["SubC2.argument"].in_context_of == ("assumption.hazards-complete",)
    assert case["assumption.hazards-complete"].rests_on == "hazop"


def test_a_derivation_develops_the_target_of_the_system():
    table = Table(("step", "figure", "basis"), (("principle", "at most the reference", "GALE"),))
    case = framed("system", misses(), derivations={"misses": table})
    assert case.resolved("SubC3") == "SubC3.claim"
    assert "GALE" in case["SubC3.misses"].text


def test_what_operation_showed_develops_the_claim_on_the_future():
    case = framed("system", misses(), operation=("misses.failure probability", "missing.result"))
    assert case.resolved("SubC6") == "SubC6.claim"
    assert case["SubC6.argument"].supported_by == ("evidence.misses.failure probability",)


def test_incidents_told_from_operation_develop_it_too_and_state_no_opinion():
    told = (
        Feedback("misses", 1200, "demand", 1, since="2026-01-01", until="2026-04-01", source="fleet log"),
        Feedback("misses", 300, "demand", 0),
    )
    case = framed("system", misses(), feedback=told)
    assert case["SubC6.argument"].supported_by == ("SubC6.misses.1", "SubC6.misses.2")
    said = "1 incident in 1,200 demands from 2026-01-01 until 2026-04-01 (fleet log)."
    assert case["SubC6.misses.1"].text.endswith(said)
    assert case["SubC6.misses.1"].stated is None
    assert [str(each) for each in case.check() if each.severity != "note"] == []


def test_what_a_tree_could_leave_out_holds_its_sufficiency_up():
    gates = Assumption("complete-logic", "The gates say everything.")
    tree = replace(worlds.COUNTED, assumptions=(gates,), provenance=Provenance("faulttree.top_event"))
    for status, standing in (("supported", "supported"), ("contradicted", "contradicted"), ("unchecked", "not shown")):
        checked = replace(tree, assumptions=(replace(gates, check=Check(status, "looked")),))
        given = worlds.found(worlds.goal("top", checked))
        found = instantiate(given, frame="system").evaluate(given.evidence)
        assert found["SubC8"].standing == found["TLSC2"].standing == standing


def test_a_component_that_only_feeds_a_target_is_reliable_if_that_target_is_kept():
    hazard = worlds.goals_of_all_methods()["hazard"]
    case = framed("component", hazard, evidence=worlds.multiplied())
    assert case["LLA3[camera]"].supported_by == ("hazard",)
    away = framed("system", hazard, evidence=worlds.multiplied())
    assert away.resolved("LLA3[camera].hazard") == "hazard"
    assert [each for each in away.check() if each.severity != "note"] == []


def test_context_hazard_conditions_and_contents_stand_beside_the_top_claim():
    given = {"hazard": "Loss.", "context": ("One look.",), "conditions": {"dry": "It is dry."}}
    case = framed("targets", misses(), digests={"camera.model": "a" * 64}, **given)
    beside = [case[each].text for each in case.top.in_context_of]
    assert beside == [
        "Hazard: Loss.",
        "One look.",
        "Operating conditions: It is dry.",
        f"Assessed, by content: camera.model {'a' * 12}.",
    ]


@pytest.mark.parametrize("change", [{"speaks_of": {"misses": "seeing"}}, {"functions": {"camera": ("seeing",)}}])
def test_an_unknown_function_is_refused(change):
    with pytest.raises(InvalidInput, match="function"):
        framed("component", misses(), **change)


def test_two_targets_of_one_name_and_an_unknown_frame_are_refused():
    with pytest.raises(InvalidInput, match="two targets"):
        worlds.found(misses(), misses())
    with pytest.raises(InvalidInput, match="frame"):
        framed("figure 3", misses())
