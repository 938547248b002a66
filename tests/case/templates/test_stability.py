"""Cases of two assessments can be compared: ids do not depend on values, and names cannot break them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.templates import worlds

import surefoot as sf
from surefoot.case import instantiate
from surefoot.core import Assumption, Check, Estimate, Evidence, Provenance

NAMES = st.text(min_size=1, max_size=12)
HOSTILE = [
    "claim",
    "argument",
    "SubC8",
    "LLC1[camera]",
    "assumption.fixed-size",
    "misses.argument",
    "target:claim",
    "a/b",
    "<script>alert(1)</script>",
    "{braces}",
    " ",
    "",
    "новый\n",
    "result.misses",
    "evidence",
]


def counted(failures, scope="camera"):
    return sf.bounds.clopper_pearson(failures, 200, level=0.95, scope=scope)


def checked(estimate, status):
    assumptions = tuple(replace(each, check=Check(status, "looked")) for each in estimate.assumptions)
    return replace(estimate, assumptions=assumptions)


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_the_same_ingredients_give_the_same_case(frame):
    given = worlds.everything()
    assert instantiate(given, frame=frame) == instantiate(given, frame=frame)
    assert list(instantiate(given, frame=frame).nodes) == list(instantiate(given, frame=frame).nodes)


@given(st.integers(0, 200), st.sampled_from(["supported", "contradicted", "unchecked"]))
@settings(deadline=None, max_examples=15)
def test_ids_do_not_depend_on_values_and_checks(failures, status):
    before = instantiate(worlds.found(worlds.goal("misses", counted(3))))
    after = instantiate(worlds.found(worlds.goal("misses", checked(counted(failures), status))))
    assert list(before.nodes) == list(after.nodes)


def test_one_assumption_about_one_thing_is_one_node_and_stands_as_the_worst_check_says():
    first, second = checked(counted(3), "supported"), checked(counted(4), "unchecked")
    case = instantiate(worlds.found(worlds.goal("a", first), worlds.goal("b", second)))
    node = case["assumption.fixed-size[camera]"]
    assert node.rests_on == "b.failure probability"
    assert sum(each.assumption == "fixed-size[camera]" for each in case) == 1
    assert len(case.parents[node.id]) == 2


def test_what_one_result_contradicts_does_not_overrule_another():
    first, second = checked(counted(3), "supported"), checked(counted(4), "contradicted")
    case = instantiate(worlds.found(worlds.goal("a", first), worlds.goal("b", second)))
    assert case["assumption.fixed-size[camera]"].rests_on == "a.failure probability"
    assert case["assumption.fixed-size[camera]@b"].rests_on == "b.failure probability"


def test_assumptions_of_one_id_with_other_words_or_scopes_are_other_nodes():
    texts = [Assumption("x", "One."), Assumption("x", "Two."), Assumption("x", "One.", scope="s")]
    estimate = replace(counted(3), assumptions=tuple(texts))
    case = instantiate(worlds.found(worlds.goal("a", estimate)))
    assert sorted(node.text for node in case if node.kind == "side-claim") == ["One.", "One.", "Two."]


@given(st.lists(NAMES | st.sampled_from(HOSTILE), min_size=1, max_size=5, unique=True))
@settings(deadline=None, max_examples=20)
def test_names_of_targets_never_collide_with_other_nodes(names):
    goals = [worlds.goal(name, counted(3, scope=name), text="It holds.") for name in names]
    steps = {f"step {number}": Evidence((each.estimate,)) for number, each in enumerate(goals)}
    goals = [replace(each, reference=f"{step}.failure probability") for each, step in zip(goals, steps, strict=True)]
    for frame in ("targets", "system"):
        case = instantiate(replace(worlds.found(), goals=tuple(goals), evidence=steps), frame=frame)
        claims = [node for node in case if node.number is not None]
        assert len({node.id for node in claims}) == len(names)
        assert all(case[each].kind == "argument" for node in claims for each in node.supported_by)
        assert all(node.supported_by[0] == f"{node.id}.argument" for node in claims)
        assert not {each for node in case for each in node.related} - set(case.nodes)


def test_many_targets_are_instantiated_quickly():
    goals = [worlds.goal(f"t{number}", counted(3, scope=f"s{number}")) for number in range(1500)]
    case = instantiate(worlds.found(*goals), frame="system")
    assert len(case) > 10_000
    assert sum(node.number is not None for node in case) == 1500


def test_a_chain_of_many_calculations_does_not_hit_the_recursion_limit():
    count = 2500
    steps = {}
    for number in range(count):
        estimate = Estimate("x", 0.1, provenance=Provenance("propagate", {"names": {}, "n": number}))
        factors = {"before": f"s{number - 1}.x"} if number else {}
        provenance = Provenance("step.product", {"factors": factors, "component": "camera"})
        steps[f"s{number}"] = Evidence((estimate,), provenance=provenance)
    top = worlds.goal("top", steps[f"s{count - 1}"].estimates[0], step=f"s{count - 1}")
    given = worlds.found(top, evidence=steps, components={"camera": ""})
    assert "top" in instantiate(given, frame="component")
