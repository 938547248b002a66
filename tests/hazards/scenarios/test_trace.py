"""From a basic event to the rows it comes from, and from a row to events and top events."""

from hypothesis import given, settings
from tests.hazards.scenarios.chains import scenarios

from surefoot.faulttree import Formula
from surefoot.hazards import Hazop, Row, Scenario, Scenarios, trace

CHAINS = Scenarios(
    (
        Scenario("S1", ("missed", "too close", "crash"), {"crash": ("sonar fails",)}, rows=("R1",)),
        Scenario("S2", ("drift", "too close"), rows=("R2", "R3")),
        Scenario("S3", ("missed", "not inspected"), rows=("R1",)),
    ),
    gates={"sonar fails": Formula("or", ("no echo", "computer fails"))},
    events={"no echo": None, "computer fails": None},
)
FOUND = trace(CHAINS)


def codes(found):
    return [(each.code, each.severity) for each in found]


def worksheet(*ids, **said):
    return Hazop("x", rows=[Row(id, "item", "value", id, consequences=("crash",), **said) for id in ids])


def test_events_know_their_rows_and_chains():
    assert FOUND.rows["missed"] == ("R1",)
    assert FOUND.rows["too close"] == ("R1", "R2", "R3")
    assert FOUND.chains["too close"] == ("S1", "S2")


def test_what_a_gate_develops_comes_from_the_rows_of_its_event():
    assert FOUND.rows["no echo"] == ("R1",)
    assert FOUND.chains["computer fails"] == ("S1",)


def test_rows_know_their_events_and_top_events():
    assert set(FOUND.events_of("R2")) == {"drift", "too close"}
    assert FOUND.tops_of("R1") == ("crash", "not inspected")
    assert FOUND.events_of("R9") == FOUND.tops_of("R9") == ()


def test_basic_events_are_those_without_causes():
    assert set(FOUND.basic) == {"missed", "drift", "no echo", "computer fails"}


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_both_ways_agree_with_each_other_and_with_the_trees(found):
    way = trace(found)
    for event, rows in way.rows.items():
        assert all(event in way.events_of(row) for row in rows)
    for top in found.tops:
        tree = found.fault_tree(top)
        assert {event for event, tops in way.tops.items() if top in tops} == {*tree.gates, *tree.events}
        for event in tree.events:
            assert tree.attributes[event].get("rows", "") == "; ".join(way.rows[event])


@settings(max_examples=25, deadline=None)
@given(scenarios())
def test_rows_of_an_event_are_those_of_the_chains_it_stands_in(found):
    way = trace(found)
    for scenario in found.chains:
        for event in scenario.events:
            direct = {row for each in found.chains if event in each.events for row in each.rows}
            assert set(way.rows[event]) == direct


def test_tables_hold_the_same():
    assert ("drift", "R2; R3", "S2", "crash") in FOUND.events_table().rows
    rows = FOUND.rows_table(worksheet("R1", "R2", "R4")).rows
    assert [row[3] for row in rows] == ["crash; not inspected", "crash", ""]


def test_a_sound_worksheet_has_no_findings():
    assert list(FOUND.findings(CHAINS, worksheet("R1", "R2", "R3"))) == []


def test_a_row_that_does_not_exist_is_an_error_with_a_suggestion():
    found = FOUND.findings(CHAINS, worksheet("R1", "R2", "R33"))
    (finding,) = (each for each in found if each.severity == "error")
    assert "names the row 'R3'" in finding.text
    assert finding.hint == "Did you mean 'R33'?"


def test_a_row_that_leads_nowhere_is_a_warning():
    (finding,) = FOUND.findings(CHAINS, worksheet("R1", "R2", "R3", "R4"))
    assert (finding.severity, "'R4'" in finding.text) == ("warning", True)


def test_a_row_that_is_not_credible_needs_no_chain_and_may_have_none():
    hazop = Hazop("x", rows=[*worksheet("R1", "R2").rows, *worksheet("R3", "R4", status="not credible").rows])
    (finding,) = FOUND.findings(CHAINS, hazop)
    assert "'S2' comes from row 'R3', which is called not credible" in finding.text


def test_a_chain_without_a_row_and_its_basic_events_are_warnings():
    chains = Scenarios((Scenario("S1", ("a", "b"), place="f.yaml:3"),))
    found = list(trace(chains).findings(chains, Hazop("x")))
    assert codes(found) == [("scenario-trace", "warning")] * 2
    assert found[0].where == "f.yaml:3"
    assert "basic event" in found[1].text
