"""What edits do to rows, tree and requirements."""

from dataclasses import replace

import pytest

from surefoot.faulttree import Fixed
from surefoot.hazards import HazardStudy, Hazop, Row, Scenario, Scenarios, compare

ROWS = (
    Row("R1", "camera", "image", "no", ("dirt",), ("crash",)),
    Row("R2", "camera", "image", "late", ("slow computer",), ("crash",)),
)
BEFORE = HazardStudy(Hazop("x", rows=ROWS))


def edited(*rows):
    return HazardStudy(Hazop("x", rows=rows))


def test_nothing_changed():
    assert compare(BEFORE, edited(*ROWS)).empty


def test_where_a_row_stands_does_not_matter():
    assert compare(BEFORE, edited(replace(ROWS[1], place="b.csv:9"), ROWS[0])).rows.rows == ()


def test_an_edited_row_names_its_columns_events_and_top_events():
    found = compare(BEFORE, edited(replace(ROWS[0], causes=("dirt", "ice"), guide_word="none"), ROWS[1]))
    ((row, change, events, tops),) = found.rows.rows
    assert (row, change, tops) == ("R1", "edited: guide word, causes", "crash")
    assert {"dirt", "ice", "crash"} <= set(events.split("; "))


def test_added_and_removed_rows_change_the_tree():
    third = Row("R3", "lidar", "echo", "no", ("fog",), ("crash",))
    found = compare(BEFORE, edited(ROWS[0], third))
    assert {(row[0], row[1]) for row in found.rows.rows} == {("R2", "removed"), ("R3", "added")}
    tree = {(row[0], row[2]) for row in found.tree.rows}
    assert {("fog", "added"), ("slow computer", "removed"), ("crash", "changed")} <= tree


def stated(sonar, missed=1e-3):
    chains = (
        Scenario("S1", ("missed", "crash"), {"crash": ("sonar fails",)}, ("R1",)),
        Scenario("S2", ("ice", "crash")),
    )
    events = {"missed": Fixed(missed), "sonar fails": Fixed(sonar), "ice": Fixed(1e-6)}
    return HazardStudy(
        Hazop("x", rows=ROWS), Scenarios(chains, events=events, attributes={"missed": {"component": "net"}})
    )


def test_requirements_of_learned_events_follow_from_the_others():
    found = compare(stated(0.1), stated(0.01), target=1e-5)
    ((event, before, now),) = found.requirements.rows
    share = (1e-5 - 1e-6) / (1 - 1e-6)
    assert event == "missed"
    assert before == pytest.approx(share / 0.1, rel=1e-6)
    assert now == pytest.approx(share / 0.01, rel=1e-6)


def test_no_probability_of_one_event_alone_may_do():
    assert compare(stated(0.1), stated(0.1), target=1e-7).requirements.rows == (("missed", None, None),)


def test_requirements_need_probabilities():
    assert compare(BEFORE, BEFORE, target=1e-3).requirements.rows == ()


def test_changed_probabilities_are_changes_of_the_tree():
    ((name, kind, change, text),) = compare(stated(0.1), stated(0.01)).tree.rows
    assert (name, kind, change) == ("sonar fails", "event", "changed")
    assert " -> " in text
