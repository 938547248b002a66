"""Tags for activities of standards, and the part of a case that has one."""

import pytest
from tests.case.templates import worlds

from surefoot.case import ACTIVITIES, instantiate, tagged
from surefoot.core import InvalidInput

STAGES = {
    "ML safety assurance scoping": "stage 1",
    "ML safety requirements assurance": "stage 2",
    "data management": "stage 3",
    "model learning": "stage 4",
    "model verification": "stage 5",
    "model deployment": "stage 6",
}
"""AMLAS, version 1.1."""
CLAUSES = {7: "management", 8: "assurance arguments", 9: "derivation", 11: "data", 12: "verification", 14: "operation"}
"""ISO/PAS 8800:2024, table of contents."""


def activities(standard):
    return {activity for some in ACTIVITIES.values() for activity in some if activity.standard == standard}


def test_all_six_stages_of_amlas_are_named():
    assert {activity.name: activity.place for activity in activities("AMLAS")} == STAGES


def test_clauses_of_iso_pas_8800_are_those_of_its_contents():
    named = {int(activity.place.split()[1]): activity.name for activity in activities("ISO/PAS 8800")}
    assert all(word in named[clause] for clause, word in CLAUSES.items())
    assert set(named) <= set(range(7, 16))


def test_every_part_of_the_work_has_activities():
    assert {"data", "learning", "verification", "operation"} <= set(ACTIVITIES)
    assert all(ACTIVITIES.values())


def test_no_number_is_given_where_editions_differ():
    assert {activity.place for activity in activities("UL 4600")} == {""}


@pytest.mark.parametrize("frame", ["targets", "component", "system"])
def test_every_node_of_every_frame_is_tagged(frame):
    assert [node.id for node in instantiate(worlds.everything(), frame=frame) if not node.tags] == []


@pytest.mark.parametrize("tag", ["AMLAS: data management", "ul 4600", "ISO/PAS 8800: data"])
def test_the_part_of_a_tag_leads_to_the_top_and_refers_to_nothing_outside(tag):
    case = instantiate(worlds.everything(), frame="system")
    part = tagged(case, tag)
    asked = {node.id for node in case if any(each.lower().startswith(tag.lower()) for each in node.tags)}
    assert asked <= set(part.nodes) < set(case.nodes) or asked == set(case.nodes) == set(part.nodes)
    assert {each for node in part for each in node.related} <= set(part.nodes)
    for identity in asked:
        above = {identity}
        while more := {each for some in above for each in part.parents[some]} - above:
            above |= more
        assert any(not case.parents[each] for each in above), identity
    assert "claim" in part


def test_a_tag_that_nothing_has_leaves_nothing_and_an_empty_one_is_refused():
    case = instantiate(worlds.found(worlds.goal("misses", worlds.COUNTED)))
    with pytest.raises(InvalidInput, match="no node has this tag"):
        tagged(case, "DO-178C")
    with pytest.raises(InvalidInput, match="tag"):
        tagged(case, " ")
