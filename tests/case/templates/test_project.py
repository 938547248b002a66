"""A whole project with worksheet, chains, derivation and a learned component, as it is assessed."""

import shutil
from pathlib import Path

import pytest

import surefoot as sf
from surefoot.case import Goal, Ingredients, instantiate

EXAMPLE = Path(__file__).parents[3] / "examples" / "inspection_vehicle"


@pytest.fixture(scope="module")
def ingredients(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project") / "vehicle"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".surefoot", "*.lock", "__pycache__"))
    found = sf.run(sf.load(folder / "surefoot.yaml"))
    goals = [Goal(a.name, a.claim, a.verdict, a.estimate, a.reference, alone=a.alone) for a in found.answers]
    derived = {answer.name: answer.derivation for answer in found.answers if answer.derivation}
    return Ingredients(
        found.definition["system"]["name"],
        goals,
        found.evidence,
        components={"detector": "Sees assets."},
        digests=found.digests,
        derivations=derived,
        conditions={"same-waters": "Operation is in waters like those that the tests came from."},
    )


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_nothing_is_wrong_with_the_case_and_all_of_its_evidence_is_found(ingredients, frame):
    case = instantiate(ingredients, frame=frame)
    assert [str(each) for each in case.check() if each.severity != "note"] == []
    assert not any(each.severity == "error" for each in case.check(ingredients.evidence))


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_claims_of_targets_stand_as_their_verdicts_say(ingredients, frame):
    found = instantiate(ingredients, frame=frame).evaluate(ingredients.evidence)
    assert {goal.name: found[goal.name].standing for goal in ingredients.goals} == {
        goal.name: goal.standing for goal in ingredients.goals
    }


def test_what_the_project_has_develops_the_sub_cases_of_the_system(ingredients):
    case = instantiate(ingredients, frame="system")
    developed = {number: case.resolved(f"SubC{number}") == f"SubC{number}.claim" for number in (1, 2, 3, 8)}
    assert all(developed.values())
    sufficient = {case[each].assumption for each in case["SubC8.argument"].in_context_of}
    assert sufficient == {"complete-logic", "chains-complete", "hazards-complete"}
    assert case.resolved("LLA3[detector].distance") == "distance"


def test_assumptions_of_the_detector_stand_by_what_it_feeds_and_not_by_the_tree(ingredients):
    case = instantiate(ingredients)
    tree = {case[each].assumption for each in case["distance.argument"].in_context_of}
    fed = {case[each].assumption for each in case["distance.input.asset is misclassified.argument"].in_context_of}
    assert fed >= {"same-waters", "event-is-what-was-measured[asset is misclassified]"}
    assert not any(each.endswith("[detector on asset]") for each in tree)
