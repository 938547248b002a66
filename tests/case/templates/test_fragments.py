"""An author's own tree is the case, and fragments of templates go where it names them."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.templates import worlds

from surefoot.case import Case, Node, instantiate
from surefoot.core import Assumption, Check, DiagnosticsError

GOALS = worlds.goals_of_all_methods()
GIVEN = worlds.everything(
    hazard="Nobody is told.", conditions={"dry": "It is dry."}, digests={"camera.model": "a" * 64}
)
OWN = worlds.found(GOALS["counted"], GOALS["hazard"], evidence=worlds.multiplied(), components={"camera": ""})


def tree(*below, beside=(), module="", **fields):
    top = Node("G1", "claim", "It is safe enough.", ("S1",), module=module)
    return Case.of([top, Node("S1", "argument", "By its parts.", below, beside, module=module, **fields)])


def own(*below, given=OWN, **fields):
    return instantiate(given, frame="own", own=tree(*below, **fields))


def below(case, identity):
    """All that a node needs, with itself."""
    found, waiting = {identity}, [identity]
    while waiting:
        new = [each for each in case.needs(case[waiting.pop()]) if each not in found]
        found.update(new)
        waiting += new
    return found


def test_the_authors_claim_is_the_only_top_and_fragments_are_those_of_other_frames():
    whole = instantiate(OWN)
    case = own("@target counted", "@target hazard")
    assert [top.id for top in case.tops] == ["G1"]
    assert list(case.nodes)[:2] == ["G1", "S1"]
    assert case["S1"].supported_by == ("counted", "hazard")
    for name in ("counted", "hazard"):
        assert {each: case[each] for each in below(case, name)} == {each: whole[each] for each in below(whole, name)}
    assert [each for each in case.check() if each.severity != "note"] == []


def test_what_is_not_named_is_not_there_and_changes_nothing_else():
    assert "hazard" not in own("@target counted")
    assert "G1" in own()
    assert own("@target counted").evaluate(OWN.evidence)["counted"].standing == "supported"


@given(st.permutations(sorted(GOALS)), st.integers(0, len(GOALS)))
@settings(deadline=None, max_examples=12)
def test_ids_depend_neither_on_order_nor_on_what_else_is_attached(names, count):
    whole = instantiate(GIVEN)
    case = own(*(f"@target {name}" for name in names[:count]), given=GIVEN)
    assert {node.id for node in case} - {"G1", "S1"} <= set(whole.nodes)
    assert all(case[each].supported_by == whole[each].supported_by for each in names[:count])


def test_two_targets_of_one_result_keep_the_id_of_their_argument_whichever_is_attached():
    loose, strict = (
        worlds.goal(name, worlds.COUNTED, step="both", at_most=limit) for name, limit in (("a", 0.5), ("b", 0.4))
    )
    given = worlds.found(loose, strict)
    for named in (("@target a", "@target b"), ("@target b",)):
        assert own(*named, given=given)["b"].supported_by == ("a.argument",)


def test_a_fragment_goes_into_the_module_and_takes_the_tags_of_what_it_is_attached_to():
    case = own("@target counted", module="detector", tags=("AMLAS: ML verification argument [Z]",))
    assert {case[each].module for each in below(case, "counted")} == {"detector"}
    assert "AMLAS: ML verification argument [Z]" in case["counted"].tags
    assert set(instantiate(OWN)["counted"].tags) < set(case["counted"].tags)


def test_what_two_modules_name_is_written_once_and_public():
    others = [
        Node("G2", "claim", "More.", ("@target counted",), module="two"),
        Node("T", "claim", "All.", ("G1", "G2")),
    ]
    case = instantiate(OWN, frame="own", own=tree("@target counted", module="one").with_nodes(others))
    assert case["counted"].module == "one"
    assert case["counted"].public


def test_components_conditions_assumptions_and_contexts_can_be_attached_too():
    beside = ("@condition dry", "@context hazard", "@context artefacts", "@assumption fixed-size[camera]")
    case = own("@component camera", beside=beside, given=GIVEN)
    assert case["S1"].supported_by == ("LLC1[camera]",)
    sides = ("assumption.dry", "context.hazard", "context.artefacts", "assumption.fixed-size[camera]")
    assert case["S1"].in_context_of == sides
    assert case["assumption.dry"].text == "It is dry."


def test_other_frames_take_fragments_as_well():
    review = Node("review", "claim", "Reviewed.", ("@target counted",))
    for frame in ("targets", "component", "system"):
        case = instantiate(OWN, frame=frame, own=Case.of([review]))
        assert case["review"].supported_by == ("counted",)
        assert case["counted"] == instantiate(OWN, frame=frame)["counted"]
    assert "LLC1[camera]" in instantiate(OWN, own=Case.of([replace(review, supported_by=("@component camera",))]))


def test_a_doubt_may_name_the_fragment_that_it_challenges():
    doubt = Node("D1", "defeater", "Fog was left out.", challenges=("@target counted",))
    case = instantiate(OWN, frame="own", own=tree("@target counted").with_nodes([doubt]))
    assert case["D1"].challenges == ("counted",)
    assert case.evaluate(OWN.evidence).top.standing == "not shown"


@pytest.mark.parametrize(
    ("reference", "hint"),
    [
        ("@target countd", "Did you mean '@target counted'?"),
        ("@component camra", "Did you mean '@component camera'?"),
        ("@assumption fixed-sise", "Did you mean '@assumption fixed-size'?"),
        ("@tarket counted", "Did you mean 'target'?"),
        ("@condition wet", "Offered: no condition at all."),
        ("@", "Write one of"),
    ],
)
def test_a_fragment_that_there_is_not_is_refused_with_what_was_meant(reference, hint):
    places = {("S1", reference): "case.yaml:7"}
    with pytest.raises(DiagnosticsError) as refused:
        instantiate(OWN, frame="own", own=tree(reference), places=places)
    (found,) = refused.value.diagnostics
    assert (found.code, found.where) == ("case-fragment-unknown", "case.yaml:7")
    assert hint in found.hint


def test_a_doubt_about_what_is_not_attached_is_refused():
    doubt = Node("D1", "defeater", "Fog was left out.", challenges=("@target counted",))
    with pytest.raises(DiagnosticsError, match="which no node rests on"):
        instantiate(OWN, frame="own", own=tree().with_nodes([doubt]))


# Conditions of the whole system, which several components share.


DRY = Assumption("dry", "It is dry.")


def on(component, status):
    check = None if status == "unchecked" else Check(status, "rows outside the condition", effect=0.25)
    return replace(worlds.COUNTED, scope=component, assumptions=(replace(DRY, check=check, scope=component),))


def two_components(*statuses):
    goals = [worlds.goal(f"t{place}", on(f"c{place}", status)) for place, status in enumerate(statuses)]
    return worlds.found(*goals, conditions={"dry": "It is dry."})


@given(st.lists(st.sampled_from(["supported", "contradicted", "unchecked"]), min_size=1, max_size=4))
@settings(deadline=None, max_examples=40)
def test_a_condition_is_one_node_that_shows_the_worst_and_breaks_only_what_rests_on_it(statuses):
    """Against the same targets with an assumption of their own each."""
    given = two_components(*statuses)
    case = instantiate(given)
    found = case.evaluate(given.evidence)
    assert [node.id for node in case if node.assumption] == ["assumption.dry"]
    assert len([each for each in case.parents["assumption.dry"] if case[each].kind == "argument"]) == len(statuses)
    worst = min(statuses, key=["contradicted", "unchecked", "supported"].index)
    assert found["assumption.dry"].standing == {"unchecked": "not shown"}.get(worst, worst)
    apart = replace(given, conditions={})
    alone = instantiate(apart).evaluate(apart.evidence)
    for place, status in enumerate(statuses):
        assert found[f"t{place}"].standing == alone[f"t{place}"].standing
        assert (found[f"t{place}"].standing == "supported") == (status != "contradicted")


def test_a_condition_tells_what_was_looked_at_where_components_differ():
    same = instantiate(two_components("supported", "supported"))["assumption.dry"]
    assert same.note == "Looked at: rows outside the condition. Size of the departure: 0.25."
    note = instantiate(two_components("supported", "contradicted"))["assumption.dry"].note
    assert "c0: not contradicted" in note
    assert "c1: contradicted" in note


def test_a_condition_beside_the_top_argument_is_about_all_results_below_it():
    given = two_components("supported", "contradicted")
    case = instantiate(given, frame="own", own=tree("@target t0", "@target t1", beside=("@condition dry",)))
    found = case.evaluate(given.evidence)
    assert found["t0"].standing == "supported"
    assert found["S1"].standing == "contradicted"


def test_a_condition_that_the_author_argues_for_still_falls_where_the_data_speak_against_it():
    given = two_components("supported", "contradicted")
    rain = Node("gauge", "evidence", "A year of rain.", url="rain.pdf")
    mine = Node("assumption.dry", "side-claim", "", supported_by=("gauge",))
    found = instantiate(given, own=Case.of([mine, rain])).evaluate(given.evidence)
    assert [found[name].standing for name in ("t0", "t1")] == ["supported", "not shown"]
